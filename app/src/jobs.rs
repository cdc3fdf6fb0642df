//! Work that may take longer than a frame: files, dialogs, pictures. Each job runs on a thread of its
//! own and sends one event back; the window never waits.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use crossover_model::scenario::Scenario;

use crate::storage::recent::{RecentFile, RecentFiles};
use crate::storage::{atomic, scenario as scenario_file};

/// What a job brings back.
pub(crate) enum Event {
    /// A file was read.
    Opened {
        /// The file.
        path: PathBuf,
        /// The scenario, or why there is none.
        result: Result<Box<Scenario>, String>,
    },
    /// A document was saved.
    Saved {
        /// The document.
        document: String,
        /// The file.
        path: PathBuf,
        /// What was saved.
        scenario: Box<Scenario>,
        /// Why it was not.
        result: Result<(), String>,
    },
    /// A file was chosen in a dialog, for this purpose.
    Chosen(Purpose, PathBuf),
    /// Which of the files opened last are still there.
    Recent(Vec<RecentFile>),
    /// Something was written.
    Written {
        /// The file.
        path: PathBuf,
        /// Why it was not.
        result: Result<(), String>,
    },
    /// The user closed a dialog without choosing.
    NothingChosen,
    /// Something went wrong that the user should know.
    Problem(String),
}

/// What a file dialog was opened for.
#[derive(Debug, Clone)]
pub(crate) enum Purpose {
    /// To open a scenario.
    Open,
    /// To save this document.
    SaveAs {
        /// The document.
        document: String,
    },
    /// To write this.
    Export(Content),
}

/// What is exported.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// As it is.
    Text(String),
    /// An SVG picture, to be written as pixels.
    Png {
        /// The picture.
        svg: String,
        /// Pixels per point.
        scale: f32,
    },
}

/// Starts jobs and collects their events.
pub(crate) struct Jobs {
    ctx: egui::Context,
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    running: usize,
}

impl Jobs {
    /// Jobs that wake this window when they end.
    #[must_use]
    pub(crate) fn new(ctx: egui::Context) -> Self {
        let (sender, receiver) = channel();
        Self { ctx, sender, receiver, running: 0 }
    }

    /// Events that have arrived.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        let events: Vec<Event> = self.receiver.try_iter().collect();
        self.running = self.running.saturating_sub(events.len());
        events
    }

    /// Whether a job is under way.
    #[must_use]
    pub(crate) fn is_busy(&self) -> bool {
        self.running > 0
    }

    /// Reads a scenario.
    pub(crate) fn open(&mut self, path: PathBuf) {
        self.start("open", move || {
            let result = scenario_file::open(&path).map(Box::new).map_err(|error| format!("{error:#}"));
            Event::Opened { path, result }
        });
    }

    /// Saves a scenario.
    pub(crate) fn save(&mut self, document: String, path: PathBuf, scenario: Scenario) {
        self.start("save", move || {
            let result = scenario_file::save(&path, &scenario).map_err(|error| format!("{error:#}"));
            Event::Saved { document, path, scenario: Box::new(scenario), result }
        });
    }

    /// Writes an export.
    pub(crate) fn write(&mut self, path: PathBuf, content: Content) {
        self.start("export", move || {
            let result = write_content(&path, &content).map_err(|error| format!("{error:#}"));
            Event::Written { path, result }
        });
    }

    /// Asks the user for a file.
    pub(crate) fn ask(&mut self, purpose: Purpose, title: &'static str, extension: &'static str, file_name: String) {
        self.start("dialog", move || {
            let dialog = rfd::AsyncFileDialog::new().set_title(title).add_filter(extension, &[extension]);
            let chosen = match &purpose {
                Purpose::Open => pollster::block_on(dialog.pick_file()),
                Purpose::SaveAs { .. } | Purpose::Export(_) => {
                    pollster::block_on(dialog.set_file_name(file_name).save_file())
                }
            };
            chosen.map_or(Event::NothingChosen, |file| Event::Chosen(purpose, file.path().to_owned()))
        });
    }

    /// Looks which recent files are still there; a network drive may take its time.
    pub(crate) fn look_up(&mut self, recent: RecentFiles) {
        self.start("recent files", move || Event::Recent(recent.entries()));
    }

    /// Runs a job on a thread of its own.
    fn start(&mut self, name: &str, job: impl FnOnce() -> Event + Send + 'static) {
        let (sender, ctx) = (self.sender.clone(), self.ctx.clone());
        let started = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            // The window may have closed in the meantime; then nobody waits for the event.
            drop(sender.send(job()));
            ctx.request_repaint();
        });
        match started {
            Ok(_) => self.running += 1,
            Err(error) => drop(self.sender.send(Event::Problem(format!("could not start a thread: {error}")))),
        }
    }
}

/// Whether the system can show a file dialog: a desktop portal on the session bus, or zenity.
pub(crate) fn has_file_dialog() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty())
        || std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists());
    let has_zenity = std::env::var_os("PATH")
        .is_some_and(|folders| std::env::split_paths(&folders).any(|folder| folder.join("zenity").is_file()));
    has_bus || has_zenity
}

fn write_content(path: &Path, content: &Content) -> anyhow::Result<()> {
    match content {
        Content::Text(text) => atomic::write(path, text.as_bytes())?,
        Content::Png { svg, scale } => atomic::write(path, &crate::chart::png::encode(svg, *scale)?)?,
    }
    Ok(())
}

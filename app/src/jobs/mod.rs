//! Work that may take longer than a frame: files, dialogs, pictures. Saves and exports share one thread, every
//! other job has its own. Each job sends one event back, whatever happens; the window never waits.

mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::storage::open_files::OpenFiles;
use crate::storage::recent::{RecentFile, RecentFiles};

pub(crate) use writer::{OtherTab, Save, Saved};

use crossover_page::compute::guarded::guarded;
use crossover_page::lazy_text::LazyText;
use crossover_page::storage::on_disk::OnDisk;
use crossover_page::storage::scenario::{self, Loaded};
use writer::{Task, Writer};

/// The result of a job; `A` is the result of [`Jobs::work`].
pub(crate) enum Event<A> {
    /// A scenario was read, or why it was not.
    Opened(Result<Box<Loaded>, String>),
    /// The path to be opened is a folder, or a file with queries of other programs.
    Imported(PathBuf),
    /// A document was saved, or not.
    Saved {
        /// The document.
        document: String,
        /// The outcome.
        outcome: Saved,
    },
    /// Work of [`Jobs::work`] is done.
    Answer(A),
    /// The file that the path of a document leads to.
    Located {
        /// The document.
        document: String,
        /// Its file; the version is left out, because the document may hold another one.
        file: OnDisk,
    },
    /// A file was claimed for this window, or not because another window has it open.
    Claimed {
        /// Where its path leads.
        file: PathBuf,
        /// Whether this window has it.
        is_ours: bool,
    },
    /// A file was given back.
    Released,
    /// Which of the files opened last are still there.
    Recent(Vec<RecentFile>),
    /// A text for the clipboard is ready.
    Copied {
        /// The text.
        text: String,
        /// Description for a message: "the results as CSV".
        what: String,
    },
    /// An export was written.
    Written {
        /// The file.
        path: PathBuf,
        /// Why it was not written.
        result: Result<(), String>,
    },
    /// A job failed in a way that the user should know.
    Problem {
        /// The document that it was for, if it was for one.
        document: Option<String>,
        /// What went wrong.
        problem: String,
    },
}

/// A file dialog.
#[derive(Debug, Clone)]
pub(crate) struct Dialog {
    /// Its title.
    pub(crate) title: &'static str,
    /// Description of the files, and the extensions that it shows; none: all files.
    pub(crate) filter: Option<(&'static str, Vec<&'static str>)>,
    /// What to choose.
    pub(crate) target: DialogTarget,
}

/// What to choose in a dialog.
#[derive(Debug, Clone)]
pub(crate) enum DialogTarget {
    /// A file, to be read.
    File,
    /// A folder, to be read.
    Folder,
    /// The name of a file to be written, where this one is proposed.
    Name(String),
}

/// What is exported.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// A text, made on the thread that writes it.
    Text(LazyText),
    /// An SVG picture, made and written as pixels on the thread that writes it.
    Png {
        /// The picture.
        svg: LazyText,
        /// Pixels per point.
        scale: f32,
    },
}

/// Starts jobs and collects their events.
pub(crate) struct Jobs<A> {
    ctx: egui::Context,
    sender: Sender<Event<A>>,
    receiver: Receiver<Event<A>>,
    /// Jobs whose event has not arrived.
    running: usize,
    /// Started with the first save or export.
    writer: Option<Writer>,
}

impl<A: Send + 'static> Jobs<A> {
    /// Jobs that wake this window when they end.
    #[must_use]
    pub(crate) fn new(ctx: egui::Context) -> Self {
        let (sender, receiver) = channel();
        Self { ctx, sender, receiver, running: 0, writer: None }
    }

    /// The window that jobs wake.
    pub(crate) fn window(&self) -> &egui::Context {
        &self.ctx
    }

    /// Events that have arrived.
    pub(crate) fn events(&mut self) -> Vec<Event<A>> {
        let events: Vec<Event<A>> = self.receiver.try_iter().collect();
        self.running = self.running.saturating_sub(events.len());
        events
    }

    /// Whether a job is running.
    #[must_use]
    pub(crate) fn is_busy(&self) -> bool {
        self.running > 0
    }

    /// Waits until everything is written; gives the last events.
    pub(crate) fn finish(&mut self) -> Vec<Event<A>> {
        if let Some(writer) = self.writer.take() {
            writer.finish();
        }
        self.events()
    }

    /// Reads a scenario from a file; anything else is left to its import.
    pub(crate) fn open(&mut self, path: PathBuf) {
        self.start("open", None, move || {
            if let Err(problem) = scenario::check_ends(&path) {
                return Event::Opened(Err(problem));
            }
            if scenario::is_imported(&path) {
                return Event::Imported(path);
            }
            Event::Opened(scenario::load(&path).map(Box::new).map_err(|error| format!("{error:#}")))
        });
    }

    /// Runs work on its own thread and sends its answer to the window.
    pub(crate) fn work(&mut self, name: &'static str, work: impl FnOnce() -> A + Send + 'static) {
        self.start(name, None, move || Event::Answer(work()));
    }

    /// Finds the file that the path of a document leads to.
    pub(crate) fn locate(&mut self, document: String, path: PathBuf) {
        self.start("locate", Some(document.clone()), move || Event::Located {
            document,
            file: OnDisk { version: None, ..OnDisk::at(&path) },
        });
    }

    /// Claims a file for this window; `takes_over`: also from another window.
    pub(crate) fn claim(&mut self, files: Arc<OpenFiles>, file: PathBuf, takes_over: bool) {
        self.start("claim", None, move || {
            if takes_over {
                files.take_over(&file);
            }
            let is_ours = files.claim(&file);
            Event::Claimed { file, is_ours }
        });
    }

    /// Gives a file back that this window has no tab of any more.
    pub(crate) fn release(&mut self, files: Arc<OpenFiles>, file: PathBuf) {
        self.start("release", None, move || {
            files.release(&file);
            Event::Released
        });
    }

    /// Saves a document, after everything that is still to be written.
    pub(crate) fn save(&mut self, save: Save) {
        let document = save.document.clone();
        self.write(Task::Save(Box::new(save)), Some(document));
    }

    /// Writes an export, after everything that is still to be written.
    pub(crate) fn export(&mut self, path: PathBuf, content: Content) {
        self.write(Task::Export(path, content), None);
    }

    /// Makes a text for the clipboard; `what` describes it in a message.
    pub(crate) fn copy(&mut self, made: LazyText, what: String) {
        self.start("copy", None, move || match made.text() {
            Ok(text) => Event::Copied { text, what },
            Err(problem) => Event::Problem { document: None, problem },
        });
    }

    /// Asks the user for a file; `document` is what it is for. Without a choice there is no path.
    pub(crate) fn ask(
        &mut self,
        document: Option<String>,
        Dialog { title, filter, target }: Dialog,
        answer: impl FnOnce(Option<PathBuf>) -> A + Send + 'static,
    ) {
        self.start("dialog", document, move || {
            let dialog = rfd::AsyncFileDialog::new().set_title(title);
            let dialog = match filter {
                Some((name, extensions)) => dialog.add_filter(name, &extensions),
                None => dialog,
            };
            let chosen = match target {
                DialogTarget::File => pollster::block_on(dialog.pick_file()),
                DialogTarget::Folder => pollster::block_on(dialog.pick_folder()),
                DialogTarget::Name(name) => pollster::block_on(dialog.set_file_name(name).save_file()),
            };
            Event::Answer(answer(chosen.map(|file| file.path().to_owned())))
        });
    }

    /// Checks which recent files still exist; a network drive may be slow.
    pub(crate) fn look_up(&mut self, recent: RecentFiles) {
        self.start("recent files", None, move || Event::Recent(recent.entries()));
    }

    /// Runs a job on a thread of its own; `document` is what it is for.
    fn start(&mut self, name: &'static str, document: Option<String>, job: impl FnOnce() -> Event<A> + Send + 'static) {
        self.running += 1;
        let send = self.sender();
        let for_document = document.clone();
        let started = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            send(guarded(name, job).unwrap_or_else(|problem| Event::Problem { document: for_document, problem }));
        });
        if let Err(error) = started {
            self.report_no_thread(document, &error);
        }
    }

    fn write(&mut self, task: Task, document: Option<String>) {
        self.running += 1;
        if self.writer.is_none() {
            match Writer::start(self.sender()) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => self.report_no_thread(document, &error),
            }
        }
        if let Some(writer) = &self.writer {
            writer.add(task);
        }
    }

    fn report_no_thread(&self, document: Option<String>, error: &std::io::Error) {
        let problem = format!("cannot start a thread: {error}");
        self.sender()(Event::Problem { document, problem });
    }

    /// Returns the function that sends the event of a job.
    fn sender(&self) -> impl Fn(Event<A>) + Send + 'static {
        let (sender, ctx) = (self.sender.clone(), self.ctx.clone());
        move |event| {
            // The window may have closed in the meantime; then the event is not needed.
            drop(sender.send(event));
            ctx.request_repaint();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_panics_reports_a_problem_and_is_not_under_way_any_more() {
        let mut jobs: Jobs<()> = Jobs::new(egui::Context::default());
        jobs.start("test", Some("7".into()), || panic!("on purpose"));
        assert!(jobs.is_busy());
        let event = jobs.receiver.recv_timeout(crossover_needs::deadline()).unwrap();
        jobs.sender.send(event).unwrap();
        let events = jobs.events();
        let [Event::Problem { document, problem }] = events.as_slice() else { panic!("no problem reported") };
        assert_eq!(document.as_deref(), Some("7"));
        assert!(problem.starts_with("test: "), "{problem}");
        assert!(!jobs.is_busy());
    }
}

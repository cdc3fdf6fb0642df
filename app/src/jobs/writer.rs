//! Saves and exports: one thread writes them in the order in which they were asked for, so that two never race
//! for one path, and ends only when all are done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use crossover_page::compute::guarded::guarded;
use crossover_page::storage::on_disk::OnDisk;
use crossover_page::storage::scenario as scenario_file;
use crossover_scenario::Scenario;

use super::{Content, Event};
use crate::storage::open_files::OpenFiles;
use crossover_files::atomic::{self, SaveError};

/// A document to be saved.
pub(crate) struct Save {
    /// The document.
    pub(crate) document: String,
    /// The path to save to.
    pub(crate) path: PathBuf,
    /// What is saved.
    pub(crate) scenario: Scenario,
    /// The document's file as it was when it was opened or saved last.
    pub(crate) known: Option<OnDisk>,
    /// The other tabs that have a file.
    pub(crate) others: Vec<OtherTab>,
    /// The user has agreed to replace what is there.
    pub(crate) may_replace: bool,
    /// The files that other windows have open; none: they are not known.
    pub(crate) open_files: Option<Arc<OpenFiles>>,
}

/// A tab whose file must not be overwritten from another tab.
pub(crate) struct OtherTab {
    /// The document.
    pub(crate) document: String,
    /// Its title.
    pub(crate) title: String,
    /// Its file, see [`OnDisk::identity`].
    pub(crate) identity: PathBuf,
}

/// The outcome of a save.
pub(crate) enum Saved {
    /// The file holds this scenario now.
    Done(OnDisk, Box<Scenario>),
    /// There is a file that the user has not agreed to replace.
    WouldReplace {
        /// The file.
        path: PathBuf,
        /// It is the document's own file, and another program has written to it.
        is_changed: bool,
    },
    /// Another window has this file open.
    Elsewhere(PathBuf),
    /// Nothing was saved, for this reason.
    Failed(String),
}

/// Something to write.
pub(super) enum Task {
    Save(Box<Save>),
    Export(PathBuf, Content),
}

/// The thread that writes.
pub(super) struct Writer {
    tasks: Sender<Task>,
    thread: JoinHandle<()>,
}

impl Writer {
    /// Starts the thread; it passes the event of each task to `send`.
    pub(super) fn start<A>(send: impl Fn(Event<A>) + Send + 'static) -> std::io::Result<Self> {
        let (tasks, inbox) = channel();
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            let mut written = Written::default();
            for task in inbox {
                send(match task {
                    Task::Save(save) => {
                        let document = save.document.clone();
                        let outcome = guarded("saving", || written.save(*save)).unwrap_or_else(Saved::Failed);
                        Event::Saved { document, outcome }
                    }
                    Task::Export(path, content) => {
                        let written = guarded("exporting", || {
                            write_content(&path, &content).map_err(|error| format!("{error:#}"))
                        });
                        Event::Written { path, result: written.and_then(|result| result) }
                    }
                });
            }
        })?;
        Ok(Self { tasks, thread })
    }

    /// Adds a task to the queue.
    pub(super) fn add(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            log::error!("the thread that writes files has ended");
        }
    }

    /// Writes what is in the queue, then ends.
    pub(super) fn finish(self) {
        drop(self.tasks);
        if self.thread.join().is_err() {
            log::error!("the thread that writes files ended early");
        }
    }
}

/// The file of each document as this thread left it: newer than what a save in the queue was sent with.
#[derive(Default)]
struct Written(BTreeMap<String, OnDisk>);

impl Written {
    fn save(&mut self, save: Save) -> Saved {
        let found = OnDisk::at(&save.path);
        let taken = save.others.iter().find(|other| {
            let identity = self.0.get(&other.document).map_or(&other.identity, |file| &file.identity);
            *identity == found.identity
        });
        if let Some(other) = taken {
            let (path, title) = (save.path.display(), &other.title);
            return Saved::Failed(format!(
                "cannot save {path}: it is open in the tab “{title}”. Close that tab first, or save under another name."
            ));
        }
        if save.open_files.as_ref().is_some_and(|files| files.is_elsewhere(&found.identity)) {
            return Saved::Elsewhere(found.identity);
        }
        let known = self.0.get(&save.document).or(save.known.as_ref());
        let known = known.filter(|known| known.identity == found.identity).and_then(|known| known.version.as_ref());
        if !save.may_replace && found.version.is_some() && found.version.as_ref() != known {
            return Saved::WouldReplace { path: found.path, is_changed: known.is_some() };
        }
        let result = scenario_file::save(&save.path, &save.scenario);
        let file = OnDisk::at(&save.path);
        if matches!(result, Ok(()) | Err(SaveError::Unconfirmed { .. })) {
            self.0.insert(save.document, file.clone());
        }
        match result {
            Ok(()) => Saved::Done(file, Box::new(save.scenario)),
            Err(error) => Saved::Failed(error.to_string()),
        }
    }
}

fn write_content(path: &Path, content: &Content) -> anyhow::Result<()> {
    match content {
        Content::Text(made) => {
            // A version that cannot be written does not end the making; the last one tells why.
            let mut earlier = |text: String| drop(atomic::write(path, text.as_bytes()));
            let text = made.text_in_rounds(&mut earlier).map_err(anyhow::Error::msg)?;
            atomic::write(path, text.as_bytes())?;
        }
        Content::Png { svg, scale } => {
            let svg = svg.text().map_err(anyhow::Error::msg)?;
            atomic::write(path, &crossover_chart::png::encode(&svg, *scale)?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crossover_page::lazy_text::LazyText;

    fn save(document: &str, path: &Path) -> Save {
        Save {
            document: document.into(),
            path: path.to_owned(),
            scenario: crossover_scenario::read(scenario_file::BUILT_IN).unwrap(),
            known: None,
            others: Vec::new(),
            may_replace: false,
            open_files: None,
        }
    }

    #[test]
    fn a_file_is_replaced_only_as_its_document_knows_it_or_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        let mut written = Written::default();
        assert!(matches!(written.save(save("1", &path)), Saved::Done(..)), "a new file");
        assert!(
            matches!(written.save(save("1", &path)), Saved::Done(..)),
            "saved twice, sent before the first was done"
        );
        assert!(matches!(written.save(save("2", &path)), Saved::WouldReplace { is_changed: false, .. }));
        fs::write(&path, "by another program").unwrap();
        assert!(matches!(written.save(save("1", &path)), Saved::WouldReplace { is_changed: true, .. }));
        assert_eq!(fs::read_to_string(&path).unwrap(), "by another program");
        assert!(matches!(written.save(Save { may_replace: true, ..save("1", &path) }), Saved::Done(..)));
        fs::remove_file(&path).unwrap();
        assert!(matches!(written.save(save("1", &path)), Saved::Done(..)), "a deleted file comes back");
    }

    #[test]
    fn two_tabs_never_get_one_file_even_with_both_saves_in_the_queue() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        let mut written = Written::default();
        written.save(save("1", &path));
        // Sent while the first tab had another file.
        let others = vec![OtherTab { document: "1".into(), title: "first".into(), identity: "/elsewhere".into() }];
        let Saved::Failed(problem) = written.save(Save { others, may_replace: true, ..save("2", &path) }) else {
            panic!("not refused");
        };
        assert!(problem.contains("open in the tab “first”"), "{problem}");
    }

    #[test]
    fn a_text_that_cannot_be_made_is_an_error_and_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.conf");
        let content = Content::Text(LazyText::fallible(|| Err("the plan is not from Spark".to_owned())));
        let problem = write_content(&path, &content).unwrap_err();
        assert_eq!(problem.to_string(), "the plan is not from Spark");
        assert!(!path.exists());
    }

    #[test]
    fn a_text_in_rounds_is_in_the_file_from_its_first_version_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.html");
        let read = path.clone();
        let content = Content::Text(LazyText::in_rounds(move |earlier| {
            earlier("first".to_owned());
            let found = fs::read_to_string(&read).map_err(|error| error.to_string())?;
            Ok(format!("after {found}"))
        }));
        write_content(&path, &content).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after first");
    }

    #[test]
    fn the_queue_is_finished_before_the_thread_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let (sender, events) = channel();
        let writer = Writer::start(move |event: Event<()>| drop(sender.send(event))).unwrap();
        for number in 0..20 {
            writer.add(Task::Export(path.clone(), Content::Text(LazyText::new(move || number.to_string()))));
        }
        writer.finish();
        assert_eq!(fs::read_to_string(&path).unwrap(), "19");
        assert_eq!(events.iter().count(), 20);
    }
}

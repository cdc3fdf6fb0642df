//! The journal of settings that were changed: on the disk before a setting is changed for the first time, and removed when all
//! have their old values. What a killed process left in it is restored by the next one.
//!
//! A lock on a file beside it keeps two processes from acting at once. Programs that set a value have it open too, so that a
//! value which a killed process was setting is set before the next process restores it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use crossover_files::programs::AllowList;
use crossover_files::{atomic, read};
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use serde::{Deserialize, Serialize};

use super::control::{Control, word};

/// Version of the file.
const VERSION: u32 = 1;
/// Largest journal.
const LARGEST_BYTES: u64 = 1 << 20;
/// How long a process waits for the lock: longer than a program takes that a killed process has started.
const WAIT: Duration = Duration::from_secs(12);
/// Polling interval of the lock.
const TICK: Duration = Duration::from_millis(20);

/// A setting that was changed, or is about to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Name of its actuator.
    pub(crate) name: String,
    /// How it is set.
    pub(crate) control: Control,
    /// The value that restores it.
    pub(crate) original: f64,
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    version: u32,
    settings: Vec<Entry>,
}

/// The journal of this process, which has its lock.
#[derive(Debug)]
pub(crate) struct Journal {
    file: PathBuf,
    lock: File,
    entries: Vec<Entry>,
}

/// The journal without another choice of the user.
pub(crate) fn usual_file() -> Option<PathBuf> {
    in_data_folder("regulation-journal.ron")
}

fn in_data_folder(name: &str) -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.data_dir().join("crossover").join(name))
}

/// The programs that the user of this machine has allowed.
pub(crate) fn allowed_programs() -> AllowList {
    AllowList::at(in_data_folder("allowed-programs.txt"))
}

/// Whether a process that was killed, or one that still acts, has a journal here.
pub(crate) fn is_there(file: &Path) -> bool {
    file.exists()
}

impl Journal {
    /// Locks the journal and reads what a killed process left in it.
    ///
    /// # Errors
    /// Another process acts with it, or it cannot be read or locked.
    pub(crate) fn open(file: &Path) -> Result<Self> {
        let shown = file.display();
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create the folder of {shown}"))?;
        }
        let lock = locked(&file.with_extension("lock"), WAIT)?;
        let entries = match read::text(file, LARGEST_BYTES) {
            Ok(text) => entries(&text).map_err(|why| {
                anyhow!("{shown}: {why}. It may have settings that are to be restored; repair it, or delete it")
            })?,
            Err(read::ReadTextError::Unreadable(cause)) if cause.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(problem) => bail!("cannot read {shown}: {problem}"),
        };
        Ok(Self { file: file.to_owned(), lock, entries })
    }

    /// The settings that are to be restored.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The lock, which programs that set a value keep open.
    pub(crate) fn lock(&self) -> &File {
        &self.lock
    }

    /// Notes on the disk how a setting is restored, before it is changed for the first time.
    ///
    /// # Errors
    /// The journal cannot be written: the setting must not be changed.
    pub(crate) fn remember(&mut self, entry: Entry) -> Result<()> {
        if self.entries.iter().any(|known| known.name == entry.name) {
            return Ok(());
        }
        self.entries.push(entry);
        let saved = self.save();
        if saved.is_err() {
            self.entries.pop();
        }
        saved
    }

    /// Restores all settings, the last one that was changed first, and removes the journal. What cannot be restored stays in it.
    /// Gives what was restored, such as "workers to 8".
    ///
    /// # Errors
    /// A setting could not be restored; the others were.
    pub(crate) fn restore(&mut self) -> Result<Vec<String>> {
        let (mut restored, mut problems, mut left) = (Vec::new(), Vec::new(), Vec::new());
        for entry in self.entries.drain(..).rev() {
            match entry.control.set(entry.original, &self.lock) {
                Ok(()) => restored.push(format!("{} to {}", entry.name, word(entry.original))),
                Err(why) => {
                    problems.push(format!("{}: {why}", entry.name));
                    left.insert(0, entry);
                }
            }
        }
        self.entries = left;
        if self.entries.is_empty() {
            match fs::remove_file(&self.file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).with_context(|| format!("cannot remove {}", self.file.display()));
                }
                Ok(()) | Err(_) => return Ok(restored),
            }
        }
        self.save()?;
        let problems = problems.join("; ");
        let restored = if restored.is_empty() { "nothing".to_owned() } else { restored.join(", ") };
        bail!(
            "restored {restored}; not restored: {problems}. “crossover regulate restore” tries again; {} has the values",
            self.file.display()
        )
    }

    fn save(&self) -> Result<()> {
        let text = Text { version: VERSION, settings: self.entries.clone() };
        let text = ron::ser::to_string_pretty(&text, ron::ser::PrettyConfig::default())?;
        atomic::write(&self.file, text.as_bytes()).context("nothing is changed without a journal")
    }
}

fn entries(text: &str) -> Result<Vec<Entry>, String> {
    let text: Text = ron::from_str(text).map_err(|error| format!("this is not a journal ({error})"))?;
    if text.version == VERSION {
        Ok(text.settings)
    } else {
        Err(format!("version {} of the journal, expected {VERSION}", text.version))
    }
}

/// The file with its lock, for which this waits so long.
fn locked(path: &Path, wait: Duration) -> Result<File> {
    let shown = path.display();
    let mut options = File::options();
    options.create(true).truncate(false).read(true).write(true);
    let file = options.open(path).with_context(|| format!("cannot open {shown}"))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < wait => thread::sleep(TICK),
            Err(TryLockError::WouldBlock) => bail!(
                "another loop acts, or a program that it has started still runs ({shown} is locked); end it, or name \
                 another journal with --journal"
            ),
            Err(TryLockError::Error(cause)) => return Err(cause).with_context(|| format!("cannot lock {shown}")),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn entry(folder: &Path, name: &str, original: f64) -> Entry {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
        let set = words(&["sh", "-c", "printf %s \"$1\" > \"$0\"", name, "{value}"]);
        let control =
            Control::Programs { folder: folder.to_owned(), set, read: words(&["cat", name]), before: String::new() };
        Entry { name: name.to_owned(), control, original }
    }

    #[test]
    fn what_a_journal_has_is_restored_by_whoever_opens_it_next() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state").join("journal.ron");
        let mut journal = Journal::open(&file).unwrap();
        assert!(journal.entries().is_empty() && !is_there(&file), "nothing is written before a change");
        journal.remember(entry(folder.path(), "a", 8.0)).unwrap();
        journal.remember(entry(folder.path(), "b", 2.5)).unwrap();
        // The first value is the one before all changes.
        journal.remember(entry(folder.path(), "a", 9.0)).unwrap();
        drop(journal);

        let mut next = Journal::open(&file).unwrap();
        assert_eq!(next.entries(), [entry(folder.path(), "a", 8.0), entry(folder.path(), "b", 2.5)]);
        assert_eq!(next.restore().unwrap(), ["b to 2.5", "a to 8"]);
        assert_eq!(["a", "b"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap()), ["8", "2.5"]);
        assert!(!is_there(&file) && next.entries().is_empty());
        assert_eq!(next.restore().unwrap(), Vec::<String>::new(), "again changes nothing");
    }

    #[test]
    fn what_cannot_be_restored_stays_in_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal.ron");
        let mut journal = Journal::open(&file).unwrap();
        journal.remember(entry(folder.path(), "a", 8.0)).unwrap();
        journal.remember(entry(folder.path(), "no/such folder", 3.0)).unwrap();
        let problem = journal.restore().unwrap_err().to_string();
        assert!(problem.starts_with("restored a to 8; not restored: no/such folder: "), "{problem}");
        drop(journal);
        assert_eq!(Journal::open(&file).unwrap().entries(), [entry(folder.path(), "no/such folder", 3.0)]);
    }

    #[test]
    fn two_processes_do_not_act_with_one_journal() {
        let folder = tempfile::tempdir().unwrap();
        let first = Journal::open(&folder.path().join("journal.ron")).unwrap();
        // A lock belongs to an open file, so that this process is refused like another one.
        let again = || locked(&folder.path().join("journal.lock"), Duration::ZERO);
        let problem = again().unwrap_err().to_string();
        assert!(problem.contains("another loop acts") && problem.contains("--journal"), "{problem}");
        drop(first);
        again().unwrap();
    }

    #[test]
    fn a_damaged_journal_is_named_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal.ron");
        for text in ["(version: 1, settings: [", "(version: 2, settings: [])"] {
            fs::write(&file, text).unwrap();
            let problem = Journal::open(&file).unwrap_err().to_string();
            assert!(problem.contains("journal.ron: ") && problem.contains("repair it"), "{problem}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }
}

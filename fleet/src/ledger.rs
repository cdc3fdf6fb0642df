//! The results of logs, line by line, so that a killed run can continue.
//!
//! A line is `{"check":"…","record":{…}}`. The checksum is that of the record's text, so a partial or changed line loses
//! only itself. Lines are only appended; the last line of a log counts, and none of a log that no longer exists. When more
//! than half of a ledger is superseded, the lines that count are written to a new file, in one step.

mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crossover_files::atomic::{Replacement, SaveError};
use flate2::Crc;

use self::record::{Short, ShortLog, ShortOutcome};
use crate::application::Summary;
use crate::error::FleetError;

pub use self::record::{Done, Head, LogRecord, Outcome, Record, Rejection};

/// Name of the file in the folder of results.
pub const NAME: &str = "ledger.jsonl";
/// Text before the checksum, and between checksum and record.
const BEFORE: &str = "{\"check\":\"";
const BETWEEN: &str = "\",\"record\":";
/// Longest line that is read, bytes: that of an application with a hundred thousand queries.
const LONGEST: u64 = 1 << 30;
/// A ledger up to this size is not rewritten, bytes.
const SHORT: u64 = 1 << 16;
/// Lines that may be lost in a power cut.
const BATCH: usize = 64;

/// A log of the ledger, without its queries.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerEntry {
    /// The log, and the state that it was read in.
    pub head: Head,
    /// The application's summary, or why it is left out.
    pub outcome: Result<Summary, Rejection>,
    /// Checksum of its line.
    pub check: u32,
    /// Where its line begins, and its length, bytes.
    place: (u64, usize),
}

/// The ledger of a folder of results. One process writes it at a time.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    file: File,
    /// By the log's path.
    known: BTreeMap<String, LedgerEntry>,
    done: Option<Done>,
    /// Where its line begins, and its length, bytes.
    done_place: (u64, usize),
    /// Bytes in the file.
    end: u64,
    /// Lines since the last sync.
    unsynced: usize,
}

impl Ledger {
    /// Opens the ledger of a folder; creates the folder if it is missing.
    ///
    /// # Errors
    /// The folder cannot be written, or another process writes there.
    pub fn open(out: &Path) -> Result<Self, FleetError> {
        let path = out.join(NAME);
        std::fs::create_dir_all(out).map_err(|cause| FleetError::Out {
            path: out.to_owned(),
            step: "creating the folder",
            cause,
        })?;
        let ledger = Self::locked(&path)?;
        if !ledger.is_mostly_superseded() {
            return Ok(ledger);
        }
        match ledger.rewrite() {
            // Replaced, though perhaps not yet on the disk.
            Ok(()) | Err(SaveError::Unconfirmed { .. }) => {
                drop(ledger);
                Self::locked(&path)
            }
            // A full disk, or a system that cannot replace an open file: the long ledger stays valid.
            Err(_) => Ok(ledger),
        }
    }

    /// Opens a ledger with an exclusive lock.
    fn locked(path: &Path) -> Result<Self, FleetError> {
        let out = path.parent().unwrap_or(path);
        let failed = |step| move |cause| FleetError::Out { path: out.to_owned(), step, cause };
        loop {
            let mut options = OpenOptions::new();
            let file = options.read(true).append(true).create(true).open(path).map_err(failed("opening the ledger"))?;
            is_file(&file).map_err(failed("opening the ledger"))?;
            // Some file systems have no locks.
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Err(FleetError::Busy(out.to_owned()));
            }
            if !is_at(&file, path) {
                // Another process has replaced it meanwhile.
                continue;
            }
            let mut ledger = Self::new(path.to_owned(), file);
            ledger.read().map_err(failed("reading the ledger"))?;
            return Ok(ledger);
        }
    }

    fn new(path: PathBuf, file: File) -> Self {
        Self { path, file, known: BTreeMap::new(), done: None, done_place: (0, 0), end: 0, unsynced: 0 }
    }

    /// Where the lines that count begin, and their lengths, in the order of the file.
    fn places(&self) -> Vec<(u64, usize)> {
        let done = self.done.as_ref().map(|_| self.done_place);
        let gone: BTreeSet<&String> = self.done.iter().flat_map(|done| &done.gone).collect();
        let known = self.known.iter().filter(|(key, known)| self.is_new(known) || !gone.contains(key));
        let mut places: Vec<(u64, usize)> = known.map(|(_, known)| known.place).chain(done).collect();
        places.sort_unstable();
        places
    }

    /// Whether a log was read after the last run that ended.
    fn is_new(&self, known: &LedgerEntry) -> bool {
        self.done.is_none() || known.place > self.done_place
    }

    /// Whether the last run has ended: its tables have all logs that were read.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.done.is_some() && !self.known.values().any(|known| self.is_new(known))
    }

    /// The logs that count, by path: those of the last run that ended, and those read after it.
    #[must_use]
    pub fn counting(&self) -> BTreeSet<String> {
        let others: BTreeSet<&String> =
            self.done.iter().flat_map(|done| done.gone.iter().chain(&done.elsewhere)).collect();
        let known = self.known.iter().filter(|(key, known)| self.is_new(known) || !others.contains(key));
        known.map(|(key, _)| key.clone()).collect()
    }

    /// Whether a large ledger is more than half superseded lines.
    fn is_mostly_superseded(&self) -> bool {
        let counts: u64 = self.places().iter().map(|(_, length)| *length as u64).sum();
        self.end > SHORT && self.end - counts.min(self.end) > self.end / 2
    }

    /// Replaces the ledger by the lines that count: after a kill there is the old ledger or the new one.
    fn rewrite(&self) -> Result<(), SaveError> {
        let mut replacement = Replacement::of(&self.path)?;
        let mut line = Vec::new();
        for (start, length) in self.places() {
            line.resize(length, 0);
            let mut file = &self.file;
            let copied = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut line));
            copied.and_then(|()| replacement.file().write_all(&line)).map_err(|cause| replacement.failed(cause))?;
        }
        replacement.save()
    }

    /// Reads the ledger of a folder, without a lock.
    ///
    /// # Errors
    /// There is no ledger with a complete line.
    pub fn of(out: &Path) -> Result<Self, FleetError> {
        let path = out.join(NAME);
        let missing = |_| FleetError::NoLedger(out.to_owned());
        let file = File::open(&path).map_err(missing)?;
        is_file(&file).map_err(missing)?;
        let mut ledger = Self::new(path, file);
        ledger.read().map_err(missing)?;
        if ledger.known.is_empty() && ledger.done.is_none() {
            return Err(FleetError::NoLedger(out.to_owned()));
        }
        Ok(ledger)
    }

    fn read(&mut self) -> io::Result<()> {
        let mut lines = BufReader::with_capacity(1 << 20, &self.file);
        lines.seek(SeekFrom::Start(0))?;
        let mut line = Vec::new();
        loop {
            line.clear();
            let length = (&mut lines).take(LONGEST).read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            let place = (self.end, length);
            self.end += length as u64;
            let Some((check, record)) = checked(&line) else { continue };
            match serde_json::from_slice(record) {
                Ok(Short::Log(log)) => {
                    let ShortLog { head, outcome } = *log;
                    let outcome = match outcome {
                        ShortOutcome::Application(application) => Ok(application.summary),
                        ShortOutcome::LeftOut(why) => Err(why),
                    };
                    self.known.insert(head.key.clone(), LedgerEntry { head, outcome, check, place });
                }
                Ok(Short::Done(done)) => (self.done, self.done_place) = (Some(done), place),
                // Written by another version of the program.
                Err(_) => {}
            }
        }
        if !line.is_empty() || self.end > 0 {
            self.file.seek(SeekFrom::Start(self.end.saturating_sub(1)))?;
            let mut last = [0];
            self.file.read_exact(&mut last)?;
            if last != [b'\n'] {
                // A partial line loses only itself. A read-only ledger is not changed.
                if self.file.write_all(b"\n").is_ok() {
                    self.end += 1;
                }
            }
        }
        Ok(())
    }

    /// The logs, by path.
    #[must_use]
    pub fn entries(&self) -> &BTreeMap<String, LedgerEntry> {
        &self.known
    }

    /// The summaries in memory; what is changed in them is not written.
    pub(crate) fn summaries_mut(&mut self) -> impl Iterator<Item = &mut Summary> {
        self.known.values_mut().filter_map(|known| known.outcome.as_mut().ok())
    }

    /// The end of the last run, if it ended.
    #[must_use]
    pub fn done(&self) -> Option<&Done> {
        self.done.as_ref()
    }

    /// Adds a line.
    ///
    /// # Errors
    /// The disk cannot store it; earlier lines are kept.
    pub fn add(&mut self, record: &Record) -> Result<(), FleetError> {
        let record_text = serde_json::to_string(record).map_err(io::Error::from);
        let text = record_text.map_err(|error| self.failed("writing a record", error))?;
        let check = crc(text.as_bytes());
        let line = format!("{BEFORE}{check:08x}{BETWEEN}{text}}}\n");
        // In one call, so that a kill can leave only the last line incomplete.
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // A partial line would damage the next one; if it cannot be removed, only that one is lost.
            _ = self.file.set_len(self.end);
            return Err(self.failed("writing the ledger", error));
        }
        let place = (self.end, line.len());
        self.end += line.len() as u64;
        match record {
            Record::Log(log) => {
                let outcome = match &log.outcome {
                    Outcome::Application(application) => Ok(application.summary.clone()),
                    Outcome::LeftOut(why) => Err(why.clone()),
                };
                let known = LedgerEntry { head: log.head.clone(), outcome, check, place };
                self.known.insert(log.head.key.clone(), known);
            }
            Record::Done(done) => (self.done, self.done_place) = (Some(done.clone()), place),
        }
        self.unsynced += 1;
        if self.unsynced >= BATCH { self.sync() } else { Ok(()) }
    }

    /// Waits until all lines are on the disk.
    ///
    /// # Errors
    /// The disk cannot store them.
    pub fn sync(&mut self) -> Result<(), FleetError> {
        self.unsynced = 0;
        self.file.sync_data().map_err(|error| self.failed("writing the ledger to the disk", error))
    }

    /// The outcome of a log.
    ///
    /// # Errors
    /// The log is not in the ledger, or its line can no longer be read.
    pub fn outcome(&self, key: &str) -> Result<Outcome, FleetError> {
        let known = self.known.get(key);
        let known = known.ok_or_else(|| self.failed("reading the ledger", io::Error::other("a log is not in it")))?;
        Ok(self.log(known)?.outcome)
    }

    /// The whole record of a log.
    ///
    /// # Errors
    /// Its line can no longer be read.
    pub fn log(&self, known: &LedgerEntry) -> Result<LogRecord, FleetError> {
        let (start, length) = known.place;
        let mut line = vec![0; length];
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut line));
        read.map_err(|error| self.failed("reading the ledger", error))?;
        let record = checked(&line).and_then(|(_, record)| serde_json::from_slice(record).ok());
        match record {
            Some(Record::Log(log)) => Ok(*log),
            _ => Err(self.failed("reading the ledger", io::Error::other("a line changed while it was read"))),
        }
    }

    fn failed(&self, step: &'static str, cause: io::Error) -> FleetError {
        FleetError::Out { path: self.path.clone(), step, cause }
    }
}

/// Refuses devices, which may have no end.
fn is_file(file: &File) -> io::Result<()> {
    let problem = "the ledger is neither a file nor a link to one";
    if file.metadata()?.is_file() { Ok(()) } else { Err(io::Error::other(problem)) }
}

/// Whether an open file is still the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let of = |metadata: io::Result<std::fs::Metadata>| metadata.ok().map(|there| (there.dev(), there.ino()));
    of(file.metadata()) == of(std::fs::metadata(path))
}

/// On other systems only the lock protects the ledger.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Checksum and record text of a line, if it is complete.
fn checked(line: &[u8]) -> Option<(u32, &[u8])> {
    let rest = line.strip_suffix(b"}\n")?.strip_prefix(BEFORE.as_bytes())?;
    let (sum, rest) = rest.split_at_checked(8)?;
    let record = rest.strip_prefix(BETWEEN.as_bytes())?;
    let sum = u32::from_str_radix(std::str::from_utf8(sum).ok()?, 16).ok()?;
    (crc(record) == sum).then_some((sum, record))
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

//! Reads all logs that are not in the ledger, on all cores, and writes each result when it is ready.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread;

use crossover_files::digest::hex;
use crossover_plan::spark::{Cores, Source, read_from};
use crossover_plan::store::{Entry, Store};
use crossover_plan::{Control, Import, ImportError};
use crossover_tools::Shard;
use sha2::{Digest as _, Sha256};

use crate::answer::answer;
use crate::base::Base;
use crate::error::FleetError;
use crate::find::find;
use crate::found::{Found, LeftOut, Log, below, text};
use crate::ledger::{Done, Head, Ledger, LedgerEntry, LogRecord, Outcome, Record, Rejection};
use crate::opened::has_results;
use crate::outcomes::Outcomes;
use crate::plans::{self, Plan};
use crate::shard;
use crate::tables;

/// Part of the error of a run that finds no application.
const STAY: &str = "the results of the previous run are kept";

/// Options of a run.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// Access to the logs.
    pub store: &'a dyn Store,
    /// Files and folders.
    pub paths: &'a [PathBuf],
    /// The engines to measure against.
    pub base: &'a Base,
    /// Folder of results.
    pub out: &'a Path,
    /// The part of the logs to read; `None`: all.
    pub shard: Option<Shard>,
    /// Logs to read at once.
    pub threads: usize,
}

/// Reads the logs that are not in the ledger of the folder of results, and writes its tables. `control` has the progress in
/// bytes and can cancel; logs already read stay in the ledger.
///
/// # Errors
/// [`FleetError`]: the folder cannot be written, or has results of another shard; the user cancelled; no path can be read,
/// or no application is found any more, and the results are kept. A log that cannot be read is left out.
pub fn run(order: &RunOptions<'_>, control: &Control) -> Result<Outcomes, FleetError> {
    let Found { logs, mut left_out, mut unlisted } = find(order.store, order.paths, order.out);
    control.check().map_err(|_| FleetError::Cancelled)?;
    if logs.is_empty() {
        check_paths(order, &left_out)?;
    }
    let mut ledger = Ledger::open(order.out)?;
    check_shard(order, &ledger)?;
    let before = PreviousRun { counting: ledger.counting(), has_ended: ledger.has_ended() };
    let logs: Vec<Log> = logs.into_iter().filter(|log| shard::reads(order.shard, &log.key)).collect();
    let mine = |entry: &LeftOut| shard::reads(order.shard, &entry.path);
    left_out.retain(mine);
    let is_known = |known: &LedgerEntry, log: &Log| order.base.is(&known.head.base) && known.head.stamp == log.stamp;
    let changed = |log: &&Log| !ledger.entries().get(&log.key).is_some_and(|known| is_known(known, log));
    let mut waiting: Vec<&Log> = logs.iter().filter(changed).collect();
    // The largest first, so that all cores end at about the same time.
    waiting.sort_by(|a, b| b.stamp.bytes.cmp(&a.stamp.bytes).then(a.key.cmp(&b.key)));
    let bytes: Option<u64> = waiting.iter().map(|log| log.source.bytes()).sum();
    control.set_total(bytes.unwrap_or(0));
    control.set_files(waiting.len() as u64);
    let unread = read_all(order, &waiting, &mut ledger, control)?;
    let (read, unchanged) = (waiting.len() - unread.len(), logs.len() - waiting.len());
    let mut keys: BTreeSet<String> = logs.into_iter().map(|log| log.key).collect();
    let is_answer = |key: &str, known: &LedgerEntry| order.base.is(&known.head.base) && shard::reads(order.shard, key);
    let mut kept = BTreeMap::new();
    for entry in unread {
        if ledger.entries().get(&entry.path).is_some_and(|known| is_answer(&entry.path, known)) {
            let LeftOut { path, reason } = entry;
            let note = still(&path, &reason);
            kept.insert(path, note);
        } else {
            keys.remove(&entry.path);
            left_out.push(entry);
        }
    }
    for entry in &unlisted {
        for (key, _) in below(ledger.entries(), &entry.path).filter(|(key, known)| is_answer(key, known)) {
            if keys.insert(key.clone()) {
                kept.insert(key.clone(), still(&entry.path, &entry.reason));
            }
        }
    }
    // A log that is itself a named path is among the applications, with this reason.
    left_out.retain(|entry| !kept.contains_key(&entry.path));
    left_out.sort();
    before.keep(order, &mut ledger, &keys)?;
    let gone = gone(order, &ledger, &keys, &unlisted);
    let roots: BTreeSet<String> = order.paths.iter().map(|path| text(path)).collect();
    unlisted.retain(|entry| roots.contains(&entry.path) && mine(entry));
    let missing = unlisted;
    let mut outcomes = Outcomes { ledger, keys, left_out, missing, kept, gone, read, unchanged, tables_written: false };
    finish(order.out, &order.base.digest, order.shard, &mut outcomes, || order.base.keep(order.out))?;
    Ok(outcomes)
}

/// Note of a log that counts with the results of the previous run.
fn still(path: &str, why: &str) -> String {
    format!("kept from the previous run: {path} could not be read now ({why})")
}

/// Logs of the ledger that no longer exist; only below the named paths that could be read.
fn gone(order: &RunOptions<'_>, ledger: &Ledger, keys: &BTreeSet<String>, unlisted: &[LeftOut]) -> BTreeSet<String> {
    let mut gone = BTreeSet::new();
    for root in order.paths {
        let root = text(root);
        let all = below(ledger.entries(), &root).map(|(key, _)| key);
        gone.extend(all.filter(|key| !keys.contains(*key) && shard::reads(order.shard, key)).cloned());
    }
    for entry in unlisted {
        for (key, _) in below(ledger.entries(), &entry.path) {
            gone.remove(key);
        }
    }
    gone
}

/// Fails if no path can be read now.
fn check_paths(order: &RunOptions<'_>, left_out: &[LeftOut]) -> Result<(), FleetError> {
    let why = |path: &PathBuf| left_out.iter().find(|entry| Path::new(&entry.path) == path);
    let reasons: Vec<String> = order
        .paths
        .iter()
        .filter_map(|path| why(path).map(|entry| format!("{}: {}", entry.path, entry.reason)))
        .collect();
    if reasons.len() < order.paths.len() {
        return Ok(());
    }
    let so = if has_results(order.out) { STAY } else { "nothing is written" };
    let problem = format!("{}: no path can be read now, so {so}; {}", order.out.display(), reasons.join("; "));
    Err(FleetError::Nothing(problem))
}

/// Fails if the folder has results of another shard, or of all logs: they would be lost.
fn check_shard(order: &RunOptions<'_>, ledger: &Ledger) -> Result<(), FleetError> {
    let Some((shard, done)) = order.shard.zip(ledger.done()) else { return Ok(()) };
    let (place, of) = done.shard;
    if (place, of) == (shard.place(), shard.of()) {
        return Ok(());
    }
    let found = if of == 1 { "all logs".to_owned() } else { format!("shard {place}/{of}") };
    let problem = format!(
        "the folder has the results of {found}: choose another folder for shard {}/{} with --out",
        shard.place(),
        shard.of()
    );
    Err(FleetError::Apart { path: order.out.to_owned(), problem })
}

/// State of the ledger before a run.
struct PreviousRun {
    /// The logs that count.
    counting: BTreeSet<String>,
    /// Whether the previous run has ended.
    has_ended: bool,
}

impl PreviousRun {
    /// Fails and keeps the results if they have applications and none is found any more: a wrong folder was named, or a share
    /// is empty because it is not mounted.
    fn keep(&self, order: &RunOptions<'_>, ledger: &mut Ledger, found: &BTreeSet<String>) -> Result<(), FleetError> {
        let has_application = |keys: &BTreeSet<String>| {
            keys.iter().any(|key| ledger.entries().get(key).is_some_and(|known| known.outcome.is_ok()))
        };
        if has_application(found) || !has_application(&self.counting) {
            return Ok(());
        }
        // Files that are not logs were added after the end of the previous run, and do not count.
        if let Some(done) = ledger.done().filter(|_| self.has_ended && !ledger.has_ended()) {
            let others =
                ledger.entries().keys().filter(|key| !self.counting.contains(*key) && !done.gone.contains(key));
            let done = Done { elsewhere: others.cloned().collect(), ..done.clone() };
            ledger.add(&Record::Done(done))?;
            ledger.sync()?;
        }
        let paths: Vec<String> = order.paths.iter().map(|path| path.display().to_string()).collect();
        Err(FleetError::Nothing(format!(
            "{}: no application is found any more in {}, so {STAY}; to read only these paths, name another folder with --out",
            order.out.display(),
            paths.join(", ")
        )))
    }
}

/// Writes the tables if their logs have changed or a table is missing or damaged, and the base, and ends the run.
pub(crate) fn finish(
    out: &Path,
    base: &str,
    shard: Option<Shard>,
    outcomes: &mut Outcomes,
    keep_base: impl FnOnce() -> Result<(), FleetError>,
) -> Result<(), FleetError> {
    let known = outcomes.ledger.entries().keys();
    let (gone, elsewhere) =
        known.filter(|key| !outcomes.keys.contains(*key)).cloned().partition(|key| outcomes.gone.contains(key));
    let checksums = tables::checksums(out);
    let mut done = Done {
        base: base.to_owned(),
        shard: shard.map_or((1, 1), |shard| (shard.place(), shard.of())),
        tables: tables::digest(outcomes),
        checksums: checksums.clone().unwrap_or_default(),
        gone,
        elsewhere,
        kept: outcomes.kept.clone(),
        left_out: outcomes.left_out.clone(),
    };
    let before = outcomes.ledger.done();
    let is_same = before == Some(&done);
    let is_whole = |before: &Done| before.tables == done.tables && checksums.as_ref() == Some(&before.checksums);
    let is_written = !before.is_some_and(is_whole);
    if is_written {
        // While tables are replaced, the folder has tables of two runs: the empty digest marks a run that dies here.
        outcomes.ledger.add(&Record::Done(Done { tables: String::new(), ..done.clone() }))?;
        outcomes.ledger.sync()?;
    }
    keep_base()?;
    if is_written {
        tables::write(out, outcomes)?;
        outcomes.tables_written = true;
        done.checksums = tables::checksums(out).unwrap_or_default();
    }
    if is_written || !is_same {
        outcomes.ledger.add(&Record::Done(done))?;
        outcomes.ledger.sync()?;
    }
    Ok(())
}

/// The result of reading a log.
enum ReadResult {
    /// It was read.
    Read(Box<LogRecord>),
    /// It has another date, but the same bytes as before.
    Unchanged(Head),
    /// It cannot be read now.
    Unreadable(LeftOut),
}

/// Reads logs on several threads; returns those that cannot be read now.
fn read_all(
    order: &RunOptions<'_>,
    logs: &[&Log],
    ledger: &mut Ledger,
    control: &Control,
) -> Result<Vec<LeftOut>, FleetError> {
    let next = AtomicUsize::new(0);
    let mut unread = Vec::new();
    let known: Vec<Option<LedgerEntry>> = logs.iter().map(|log| ledger.entries().get(&log.key).cloned()).collect();
    let threads = order.threads.clamp(1, logs.len().max(1));
    // With fewer logs than threads, each log may use several cores.
    let cores = Cores(order.threads / threads);
    let reader = Reader { order, control, cores, large_plan: Mutex::new(()) };
    let result = thread::scope(|scope| {
        let (sender, results) = sync_channel::<ReadResult>(threads);
        for number in 0..threads {
            let (sender, next, known, reader) = (sender.clone(), &next, &known, &reader);
            let work = move || {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(log) = logs.get(place) else { return };
                    if control.check().is_err() {
                        return;
                    }
                    let read = || reader.record(log, known[place].as_ref());
                    let Some(result) = read_result(log, read) else { return };
                    control.add_file();
                    if sender.send(result).is_err() {
                        return;
                    }
                }
            };
            let started = thread::Builder::new().name(format!("log {number}")).spawn_scoped(scope, work);
            if let (0, Err(cause)) = (number, started) {
                return Err(FleetError::Out { path: order.out.to_owned(), step: "starting a thread", cause });
            }
        }
        drop(sender);
        for result in results {
            let record = match result {
                ReadResult::Read(record) => Ok(record),
                ReadResult::Unchanged(head) => again(ledger, head),
                ReadResult::Unreadable(left_out) => {
                    unread.push(left_out);
                    continue;
                }
            };
            if let Err(error) = record.and_then(|record| ledger.add(&Record::Log(record))) {
                // The other threads stop at their next check.
                control.cancel();
                return Err(error);
            }
        }
        Ok(())
    });
    if result.is_ok() && control.check().is_err() {
        ledger.sync()?;
        return Err(FleetError::Cancelled);
    }
    result.map(|()| unread)
}

/// Reads a log; `None` if the user cancelled.
fn read_result(log: &Log, read: impl FnOnce() -> Result<ReadResult, ImportError>) -> Option<ReadResult> {
    let why = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(result)) => return Some(result),
        Ok(Err(ImportError::Cancelled)) => return None,
        // It may be readable later, so the ledger does not keep the error.
        Ok(Err(error)) => without_path(&error),
        Err(_) => "Crossover failed to read it; report this with the log".to_owned(),
    };
    Some(ReadResult::Unreadable(LeftOut { path: log.key.clone(), reason: why }))
}

/// Reads logs for a run.
struct Reader<'a> {
    order: &'a RunOptions<'a>,
    control: &'a Control,
    cores: Cores,
    /// Locked while a large plan is in memory.
    large_plan: Mutex<()>,
}

impl Reader<'_> {
    /// The record of a log.
    fn record(&self, log: &Log, known: Option<&LedgerEntry>) -> Result<ReadResult, ImportError> {
        let Self { order, control, cores, large_plan } = self;
        let head = |digest, base: &str| Head { key: log.key.clone(), stamp: log.stamp, digest, base: base.to_owned() };
        // The same bytes with another date have the same result.
        if let Some(known) = known.filter(|known| order.base.is(&known.head.base))
            && known.head.stamp.bytes == log.stamp.bytes
            && let Some(before) = &known.head.digest
            && digest(order.store, &log.source, control)?.as_ref() == Some(before)
        {
            return Ok(ReadResult::Unchanged(head(Some(before.clone()), &known.head.base)));
        }
        let hashed = Hashed { store: order.store, sum: Arc::default() };
        let outcome = match read_from(&hashed, &log.path, log.source.clone(), *cores, control) {
            Ok(import) => measured(order.base, "a log", &import, log.is_in_progress),
            Err(error @ ImportError::Unusable { .. }) => {
                if let Some(Plan { import, digest }) =
                    plans::read(order.store, &log.path, &log.source, control, large_plan)?
                {
                    let head = head(digest, order.base.digest_of_plans());
                    let outcome = match import {
                        Ok(import) => measured(order.base, "a plan", &import, false),
                        Err(why) => Outcome::LeftOut(Rejection::Unusable(why)),
                    };
                    return Ok(ReadResult::Read(Box::new(LogRecord { head, outcome })));
                }
                Outcome::LeftOut(Rejection::Unusable(without_path(&error)))
            }
            Err(error) => return Err(error),
        };
        let digest = log.source.bytes().and_then(|bytes| hashed.digest(bytes));
        Ok(ReadResult::Read(Box::new(LogRecord { head: head(digest, &order.base.digest), outcome })))
    }
}

/// The predictions for a log or a plan, with the base of its engine.
fn measured(base: &Base, what: &str, import: &Import, is_in_progress: bool) -> Outcome {
    let Some(base) = base.of_engine(&import.engine) else {
        let engine = &import.engine;
        let why =
            format!("{what} of {engine}, but no base has this engine on CPUs: name a scenario that has it with --base");
        return Outcome::LeftOut(Rejection::NoBase(why));
    };
    Outcome::Application(Box::new(answer(base, import, is_in_progress)))
}

/// The ledger's record of a log, with another date.
fn again(ledger: &Ledger, head: Head) -> Result<Box<LogRecord>, FleetError> {
    let outcome = ledger.outcome(&head.key)?;
    Ok(Box::new(LogRecord { head, outcome }))
}

/// An error without its path, which the message has elsewhere.
fn without_path(error: &ImportError) -> String {
    match error {
        ImportError::Read { cause, .. } => format!("cannot be read: {cause}"),
        ImportError::Unusable { problem, .. } => problem.clone(),
        ImportError::Cancelled => error.to_string(),
    }
}

/// SHA-256 of the concatenated files of a log.
fn digest(store: &dyn Store, source: &Source, control: &Control) -> Result<Option<String>, ImportError> {
    let hashed = Hashed { store, sum: Arc::default() };
    let mut piece = vec![0; 1 << 16];
    for part in &source.parts {
        let failed = |cause| ImportError::Read { path: part.path.clone(), cause };
        let mut file = hashed.open(&part.path).map_err(failed)?;
        loop {
            control.check()?;
            if file.read(&mut piece).map_err(failed)? == 0 {
                break;
            }
        }
    }
    Ok(source.bytes().and_then(|bytes| hashed.digest(bytes)))
}

/// A store that hashes the bytes that are read, file after file.
struct Hashed<'a> {
    store: &'a dyn Store,
    sum: Arc<Mutex<Hash>>,
}

/// SHA-256 and the number of its bytes.
#[derive(Default)]
struct Hash {
    sha: Sha256,
    bytes: u64,
}

impl Hashed<'_> {
    /// SHA-256, if exactly `bytes` were read.
    fn digest(&self, bytes: u64) -> Option<String> {
        let hash = self.sum.lock().ok()?;
        (hash.bytes == bytes).then(|| hex(&hash.sha.clone().finalize()))
    }
}

impl Store for Hashed<'_> {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        self.store.entry(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.store.real(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.store.list(folder)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(HashedFile { file: self.store.open(file)?, sum: Arc::clone(&self.sum) }))
    }
}

struct HashedFile {
    file: Box<dyn Read + Send>,
    sum: Arc<Mutex<Hash>>,
}

impl Read for HashedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        // After a failed read the sum has fewer bytes, and is not used.
        if let Ok(mut hash) = self.sum.lock() {
            hash.sha.update(&buffer[..count]);
            hash.bytes += count as u64;
        }
        Ok(count)
    }
}

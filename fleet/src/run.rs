//! Reads all logs that are not in the ledger, on all cores, and writes each as it comes.

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
use crate::ledger::{Done, Head, Known, Ledger, LogRecord, Outcome, Record};
use crate::opened::has_results;
use crate::outcomes::Outcomes;
use crate::plans::{self, Plan};
use crate::shard;
use crate::tables;

/// Said of a log or plan whose engine no base has.
const NO_BASE: &str = "no base has this engine on CPUs";

/// Said where a run that finds nothing replaces nothing.
const STAY: &str = "the results of the run before stay as they are";

/// What is read, and how.
#[derive(Clone, Copy)]
pub struct Order<'a> {
    /// Where the logs lie.
    pub store: &'a dyn Store,
    /// Files and folders.
    pub paths: &'a [PathBuf],
    /// The engines to measure against.
    pub base: &'a Base,
    /// Folder of results.
    pub out: &'a Path,
    /// Which part of the logs; `None`: all.
    pub shard: Option<Shard>,
    /// How many logs are read at once.
    pub threads: usize,
}

/// Reads what is not in the ledger of the folder of results, and writes its tables. `control` is told the bytes to read
/// and those that were read, and may end it; what was read then stays in the ledger.
///
/// # Errors
/// [`FleetError`]: the folder cannot be written, or has results of another shard; the user cancelled; none of the paths can be
/// read, or no application is found any more, and results stay as they are. A log that cannot be read is left out.
pub fn run(order: &Order<'_>, control: &Control) -> Result<Outcomes, FleetError> {
    let Found { logs, mut left_out, mut unlisted } = find(order.store, order.paths, order.out);
    control.check().map_err(|_| FleetError::Cancelled)?;
    if logs.is_empty() {
        check_paths(order, &left_out)?;
    }
    let mut ledger = Ledger::open(order.out)?;
    check_shard(order, &ledger)?;
    let before = Before { counting: ledger.counting(), has_ended: ledger.has_ended() };
    let logs: Vec<Log> = logs.into_iter().filter(|log| shard::reads(order.shard, &log.key)).collect();
    let mine = |entry: &LeftOut| shard::reads(order.shard, &entry.path);
    left_out.retain(mine);
    let is_known = |known: &Known, log: &Log| order.base.is(&known.head.base) && known.head.stamp == log.stamp;
    let changed = |log: &&Log| !ledger.known().get(&log.key).is_some_and(|known| is_known(known, log));
    let mut waiting: Vec<&Log> = logs.iter().filter(changed).collect();
    // The largest first, so that no core is left with one at the end.
    waiting.sort_by(|a, b| b.stamp.bytes.cmp(&a.stamp.bytes).then(a.key.cmp(&b.key)));
    let bytes: Option<u64> = waiting.iter().map(|log| log.source.bytes()).sum();
    control.set_total(bytes.unwrap_or(0));
    control.set_files(waiting.len() as u64);
    let unread = read_all(order, &waiting, &mut ledger, control)?;
    let (read, unchanged) = (waiting.len() - unread.len(), logs.len() - waiting.len());
    let mut keys: BTreeSet<String> = logs.into_iter().map(|log| log.key).collect();
    let is_answer = |key: &str, known: &Known| order.base.is(&known.head.base) && shard::reads(order.shard, key);
    let mut kept = BTreeMap::new();
    for entry in unread {
        if ledger.known().get(&entry.path).is_some_and(|known| is_answer(&entry.path, known)) {
            let LeftOut { path, why } = entry;
            let note = still(&path, &why);
            kept.insert(path, note);
        } else {
            keys.remove(&entry.path);
            left_out.push(entry);
        }
    }
    for entry in &unlisted {
        for (key, _) in below(ledger.known(), &entry.path).filter(|(key, known)| is_answer(key, known)) {
            if keys.insert(key.clone()) {
                kept.insert(key.clone(), still(&entry.path, &entry.why));
            }
        }
    }
    // A log that was a path of its own stands among the applications, with this reason.
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

/// Said of a log that counts as the run before read it.
fn still(path: &str, why: &str) -> String {
    format!("kept from the run before: {path} could not be read now ({why})")
}

/// Logs of the ledger that are there no more. Of what lies elsewhere, or where nobody could look, nothing is known.
fn gone(order: &Order<'_>, ledger: &Ledger, keys: &BTreeSet<String>, unlisted: &[LeftOut]) -> BTreeSet<String> {
    let mut gone = BTreeSet::new();
    for root in order.paths {
        let root = text(root);
        let all = below(ledger.known(), &root).map(|(key, _)| key);
        gone.extend(all.filter(|key| !keys.contains(*key) && shard::reads(order.shard, key)).cloned());
    }
    for entry in unlisted {
        for (key, _) in below(ledger.known(), &entry.path) {
            gone.remove(key);
        }
    }
    gone
}

/// Refuses to write anything where none of the paths can be looked at now.
fn check_paths(order: &Order<'_>, left_out: &[LeftOut]) -> Result<(), FleetError> {
    let why = |path: &PathBuf| left_out.iter().find(|entry| Path::new(&entry.path) == path);
    let reasons: Vec<String> =
        order.paths.iter().filter_map(|path| why(path).map(|entry| format!("{}: {}", entry.path, entry.why))).collect();
    if reasons.len() < order.paths.len() {
        return Ok(());
    }
    let so = if has_results(order.out) { STAY } else { "nothing is written" };
    let problem = format!("{}: no path can be read now, so {so}; {}", order.out.display(), reasons.join("; "));
    Err(FleetError::Nothing(problem))
}

/// Refuses to read a shard into results of another one, or of all logs: they would be lost.
fn check_shard(order: &Order<'_>, ledger: &Ledger) -> Result<(), FleetError> {
    let Some((shard, done)) = order.shard.zip(ledger.done()) else { return Ok(()) };
    let (place, of) = done.shard;
    if (place, of) == (shard.place(), shard.of()) {
        return Ok(());
    }
    let found = if of == 1 { "all logs".to_owned() } else { format!("shard {place}/{of}") };
    let problem = format!(
        "the results here are of {found}: give shard {}/{} a folder of its own with --out",
        shard.place(),
        shard.of()
    );
    Err(FleetError::Apart { path: order.out.to_owned(), problem })
}

/// What the ledger has before a run.
struct Before {
    /// The logs that count.
    counting: BTreeSet<String>,
    /// Whether the run before has ended.
    has_ended: bool,
}

impl Before {
    /// Leaves the results as they are where they have applications and none is found any more: somebody named another folder, or
    /// a share is empty because it is not mounted.
    fn keep(&self, order: &Order<'_>, ledger: &mut Ledger, found: &BTreeSet<String>) -> Result<(), FleetError> {
        let has_application = |keys: &BTreeSet<String>| {
            keys.iter().any(|key| ledger.known().get(key).is_some_and(|known| known.outcome.is_ok()))
        };
        if has_application(found) || !has_application(&self.counting) {
            return Ok(());
        }
        // Files that are no logs came after the end of the run before, and do not count.
        if let Some(done) = ledger.done().filter(|_| self.has_ended && !ledger.has_ended()) {
            let others = ledger.known().keys().filter(|key| !self.counting.contains(*key) && !done.gone.contains(key));
            let done = Done { elsewhere: others.cloned().collect(), ..done.clone() };
            ledger.add(&Record::Done(done))?;
            ledger.sync()?;
        }
        let paths: Vec<String> = order.paths.iter().map(|path| path.display().to_string()).collect();
        Err(FleetError::Nothing(format!(
            "{}: no application is found any more in {}, so {STAY}; to read these paths alone, name another folder with --out",
            order.out.display(),
            paths.join(", ")
        )))
    }
}

/// Whether something is left out because no base has its engine.
pub(crate) fn lacks_base(left_out: &LeftOut) -> bool {
    left_out.why.contains(NO_BASE)
}

/// Writes the tables, if they are of other logs, with the base that they were measured against, and closes the run.
pub(crate) fn finish(
    out: &Path,
    base: &str,
    shard: Option<Shard>,
    outcomes: &mut Outcomes,
    keep_base: impl FnOnce() -> Result<(), FleetError>,
) -> Result<(), FleetError> {
    let known = outcomes.ledger.known().keys();
    let (gone, elsewhere) =
        known.filter(|key| !outcomes.keys.contains(*key)).cloned().partition(|key| outcomes.gone.contains(key));
    let done = Done {
        base: base.to_owned(),
        shard: shard.map_or((1, 1), |shard| (shard.place(), shard.of())),
        tables: tables::digest(outcomes),
        gone,
        elsewhere,
        kept: outcomes.kept.clone(),
        left_out: outcomes.left_out.clone(),
    };
    let before = outcomes.ledger.done();
    let is_same = before == Some(&done);
    let is_written = before.is_none_or(|before| before.tables != done.tables) || !tables::are_there(out);
    if is_written {
        // While tables take each other's place, those of two runs stand side by side: a run that dies there leaves none.
        outcomes.ledger.add(&Record::Done(Done { tables: String::new(), ..done.clone() }))?;
        outcomes.ledger.sync()?;
    }
    keep_base()?;
    if is_written {
        tables::write(out, outcomes)?;
        outcomes.tables_written = true;
    }
    if is_written || !is_same {
        outcomes.ledger.add(&Record::Done(done))?;
        outcomes.ledger.sync()?;
    }
    Ok(())
}

/// What came of a log.
enum Came {
    /// It was read.
    Read(Box<LogRecord>),
    /// It has another date, and the bytes that it had before.
    Same(Head),
    /// It cannot be read now.
    Unread(LeftOut),
}

/// Reads logs on several threads; gives those that cannot be read now.
fn read_all(
    order: &Order<'_>,
    logs: &[&Log],
    ledger: &mut Ledger,
    control: &Control,
) -> Result<Vec<LeftOut>, FleetError> {
    let next = AtomicUsize::new(0);
    let mut unread = Vec::new();
    let known: Vec<Option<Known>> = logs.iter().map(|log| ledger.known().get(&log.key).cloned()).collect();
    let threads = order.threads.clamp(1, logs.len().max(1));
    // With fewer logs than there may be threads, each may take several.
    let cores = Cores(order.threads / threads);
    let reader = Reader { order, control, cores, alone: Mutex::new(()) };
    let result = thread::scope(|scope| {
        let (sender, came) = sync_channel::<Came>(threads);
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
                    let Some(came) = came_of(log, read) else { return };
                    control.add_file();
                    if sender.send(came).is_err() {
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
        for came in came {
            let record = match came {
                Came::Read(record) => Ok(record),
                Came::Same(head) => again(ledger, head),
                Came::Unread(left_out) => {
                    unread.push(left_out);
                    continue;
                }
            };
            if let Err(error) = record.and_then(|record| ledger.add(&Record::Log(record))) {
                // The others stop at their next look.
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

/// What came of reading a log; `None` if nobody wants it.
fn came_of(log: &Log, read: impl FnOnce() -> Result<Came, ImportError>) -> Option<Came> {
    let why = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(came)) => return Some(came),
        Ok(Err(ImportError::Cancelled)) => return None,
        // It may be readable again later, so this is not kept.
        Ok(Err(error)) => without_path(&error),
        Err(_) => "reading it failed inside Crossover; please report it with the log".to_owned(),
    };
    Some(Came::Unread(LeftOut { path: log.key.clone(), why }))
}

/// How logs are read.
struct Reader<'a> {
    order: &'a Order<'a>,
    control: &'a Control,
    cores: Cores,
    /// Held while a large plan is in memory.
    alone: Mutex<()>,
}

impl Reader<'_> {
    /// What a log answers.
    fn record(&self, log: &Log, known: Option<&Known>) -> Result<Came, ImportError> {
        let Self { order, control, cores, alone } = self;
        let head = |digest, base: &str| Head { key: log.key.clone(), stamp: log.stamp, digest, base: base.to_owned() };
        // The same bytes with another date answer the same.
        if let Some(known) = known.filter(|known| order.base.is(&known.head.base))
            && known.head.stamp.bytes == log.stamp.bytes
            && let Some(before) = &known.head.digest
            && digest(order.store, &log.source, control)?.as_ref() == Some(before)
        {
            return Ok(Came::Same(head(Some(before.clone()), &known.head.base)));
        }
        let hashed = Hashed { store: order.store, sum: Arc::default() };
        let outcome = match read_from(&hashed, &log.path, log.source.clone(), *cores, control) {
            Ok(import) => measured(order.base, "a log", import, log.is_in_progress),
            Err(error @ ImportError::Unusable { .. }) => {
                if let Some(Plan { told, digest }) = plans::read(order.store, &log.path, &log.source, control, alone)? {
                    let head = head(digest, order.base.digest_of_plans());
                    let outcome =
                        told.map_or_else(Outcome::LeftOut, |import| measured(order.base, "a plan", import, false));
                    return Ok(Came::Read(Box::new(LogRecord { head, outcome })));
                }
                Outcome::LeftOut(without_path(&error))
            }
            Err(error) => return Err(error),
        };
        let digest = log.source.bytes().and_then(|bytes| hashed.digest(bytes));
        Ok(Came::Read(Box::new(LogRecord { head: head(digest, &order.base.digest), outcome })))
    }
}

/// What a log or a plan answers, against the base with its engine.
fn measured(base: &Base, what: &str, import: Import, is_in_progress: bool) -> Outcome {
    let Some(base) = base.of_engine(&import.engine) else {
        let engine = &import.engine;
        return Outcome::LeftOut(format!("{what} of {engine}, and {NO_BASE}: name a scenario that has it with --base"));
    };
    Outcome::Application(Box::new(answer(base, import, is_in_progress)))
}

/// What the ledger has of a log that it knows, with another date.
fn again(ledger: &Ledger, head: Head) -> Result<Box<LogRecord>, FleetError> {
    let outcome = ledger.outcome(&head.key)?;
    Ok(Box::new(LogRecord { head, outcome }))
}

/// An error without the path that its log is named by anyway.
fn without_path(error: &ImportError) -> String {
    match error {
        ImportError::Read { source, .. } => format!("cannot be read: {source}"),
        ImportError::Unusable { problem, .. } => problem.clone(),
        ImportError::Cancelled => error.to_string(),
    }
}

/// SHA-256 of the files of a log one after the other.
fn digest(store: &dyn Store, source: &Source, control: &Control) -> Result<Option<String>, ImportError> {
    let hashed = Hashed { store, sum: Arc::default() };
    let mut piece = vec![0; 1 << 16];
    for part in &source.parts {
        let failed = |source| ImportError::Read { path: part.path.clone(), source };
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

/// A store that hashes what is read of it, file after file.
struct Hashed<'a> {
    store: &'a dyn Store,
    sum: Arc<Mutex<Hash>>,
}

/// SHA-256 of so many bytes.
#[derive(Default)]
struct Hash {
    sha: Sha256,
    bytes: u64,
}

impl Hashed<'_> {
    /// SHA-256 of what was read, if it was so much.
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
        // A reader that failed leaves a sum of fewer bytes, which is none.
        if let Ok(mut hash) = self.sum.lock() {
            hash.sha.update(&buffer[..count]);
            hash.bytes += count as u64;
        }
        Ok(count)
    }
}

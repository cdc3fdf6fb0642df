//! Reads a fleet on a thread of its own: existing results, or logs into a folder of results.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossover_fleet::application::Verdict;
use crossover_fleet::listed::{Arrangement, Row, arrange, rows};
use crossover_fleet::opened::{DAMAGED, Opened, open};
use crossover_fleet::{Base, FleetError, Frequency, LogStores, Overview, Recurrence, RunOptions, entered, run};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_placement::EnteredInputs;
use crossover_plan::Control;
use crossover_plan::history::Histories;
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::{Unit, elapsed};

use super::FleetSource;
use super::measured::Measured;
use super::money;
use super::price_used::UsedPrice;
use super::shipped;
use super::words::answer;

/// Polling interval of cancellation and progress.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Time before the remaining time is estimated.
const ESTIMATED_AFTER: Duration = Duration::from_secs(2);
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// When the logs that an earlier window had open are read.
const READ_AGAIN: &str = "The logs are read only when you choose “Read again”.";

/// A fleet to read.
#[derive(Debug, Clone)]
pub(super) struct Opening {
    pub(super) wanted: FleetSource,
    /// Number of the request.
    pub(super) times: u64,
    /// What the user entered; `None`: what the command was given last.
    pub(super) inputs: Option<EnteredInputs>,
    /// Progress and cancellation.
    pub(super) control: Arc<Control>,
    /// Start of the reading.
    pub(super) begun: Instant,
}

/// A fleet.
#[derive(Debug)]
pub(super) struct Fleet {
    /// Number of the request.
    pub(super) times: u64,
    /// What the user entered, or what the command was given last.
    pub(super) inputs: EnteredInputs,
    /// The price of today's machines that is used where none is entered.
    pub(super) used_price: Option<UsedPrice>,
    /// Folder of its results.
    pub(super) folder: PathBuf,
    /// The engines of the results.
    pub(super) measured: Measured,
    /// Everything that was read.
    pub(super) opened: Opened,
    /// Its applications, by id.
    pub(super) rows: Vec<Row>,
    /// How many have each verdict.
    pub(super) verdicts: BTreeMap<Verdict, usize>,
    /// Their sum, as a sentence.
    pub(super) sentence: String,
    /// Their costs, as a sentence; `None` without prices.
    pub(super) costs: Option<String>,
    /// How often they run.
    pub(super) frequency: Frequency,
    /// The same of each application.
    pub(super) recurrence: Recurrence,
    /// Warnings about the results.
    pub(super) notes: Vec<String>,
    /// The runs of the queries that its applications repeat.
    pub(super) histories: Histories,
    /// What is left out, and why, a line each.
    pub(super) left_out: Vec<String>,
    /// Paths of its logs that do not exist.
    pub(super) gone: Vec<PathBuf>,
    /// Whether its logs were not read again.
    is_unread: bool,
}

impl Opening {
    pub(super) fn new(wanted: FleetSource, times: u64, inputs: Option<EnteredInputs>) -> Self {
        Self { wanted, times, inputs, control: Arc::default(), begun: Instant::now() }
    }
}

impl Work for Opening {
    type Outcome = Result<Fleet, String>;
    const NAME: &'static str = "reading";
    const AGAIN: &'static str = "Continue";

    fn milliseconds(&self) -> f64 {
        // Files are read: never within a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        match &self.wanted {
            FleetSource::Results(folder) => format!("Opening {}", folder.display()),
            FleetSource::Logs { .. } => {
                let (done, total) = self.control.progress();
                far((done, total), self.control.files(), self.begun.elapsed())
            }
        }
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let before = before.and_then(|before| before.as_ref().ok()).filter(|fleet| fleet.times == self.times);
        let (paths, out, base, is_restored) = match &self.wanted {
            FleetSource::Results(folder) => return Some(self.fleet(folder, &[], false)),
            FleetSource::Logs { paths, out, base, is_restored } => (paths, out, base, *is_restored),
        };
        // Other inputs are a decision about what was read.
        if let Some(before) = before {
            return Some(self.fleet(out, paths, before.is_unread));
        }
        // The start of a window fetches, writes and replaces nothing.
        if is_restored {
            return Some(self.fleet(out, paths, true));
        }
        match self.read(paths, out, base.as_deref(), ticket) {
            Ok(()) => Some(self.fleet(out, paths, false)),
            Err(Problem::Cancelled) => None,
            Err(Problem::Failed(problem)) => Some(Err(problem)),
        }
    }
}

/// Why logs were not read.
enum Problem {
    /// The user cancelled.
    Cancelled,
    /// Reading failed, with the error message.
    Failed(String),
}

impl Opening {
    /// Reads what is new among the logs.
    fn read(&self, paths: &[PathBuf], out: &Path, base: Option<&Base>, ticket: &Ticket) -> Result<(), Problem> {
        let base = match base {
            Some(base) => shipped::with_shipped(base.clone()),
            None => shipped::base(),
        };
        let base = base.map_err(Problem::Failed)?;
        let places = LogStores::of_environment(Arc::clone(&self.control));
        let order =
            RunOptions { store: &places, paths, base: &base, out, shard: None, threads: LogStores::at_once(paths) };
        let (reading, is_read) = channel::<()>();
        let read = thread::scope(|scope| {
            let control = &self.control;
            scope.spawn(move || {
                while is_read.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    let (bytes, files) = (control.progress(), control.files());
                    // A History Server does not report the sizes of its logs.
                    let (done, total) = if bytes.1 > 0 { bytes } else { files };
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "a share between 0 and 1 for a bar on the screen"
                    )]
                    ticket.set_progress(if total > 0 { (done as f64 / total as f64) as f32 } else { 0.0 });
                    if ticket.is_cancelled() {
                        control.cancel();
                    }
                }
            });
            let read = run(&order, control);
            drop(reading);
            read
        });
        match read {
            Ok(_) => Ok(()),
            Err(FleetError::Cancelled) => Err(Problem::Cancelled),
            Err(error) => Err(Problem::Failed(error.to_string())),
        }
    }

    /// The fleet in a folder of results; `logs`: the paths just read into it, unless they were left unread.
    fn fleet(&self, folder: &Path, logs: &[PathBuf], is_unread: bool) -> Result<Fleet, String> {
        let mut opened = match open(folder) {
            Ok(opened) => opened,
            Err(FleetError::NoLedger(_)) if is_unread => return Err(nothing_read(logs)),
            Err(FleetError::NoLedger(_)) if logs.is_empty() && !folder.exists() => {
                return Err(format!(
                    "{}: there is no such folder. Choose another one with “Open fleet…”.",
                    folder.display()
                ));
            }
            Err(error) if logs.is_empty() => {
                return Err(format!("{error}. Choose the folder that --out named, or read a folder of logs."));
            }
            Err(error) => return Err(error.to_string()),
        };
        let inputs = self.inputs.unwrap_or_else(|| entered::of(&opened.folder));
        let used_price = UsedPrice::of(&opened.outcomes);
        opened.outcomes.decide_again(inputs);
        let overview = Overview::new(&opened.outcomes);
        if overview.applications.is_empty() && is_unread {
            return Err(nothing_read(logs));
        }
        if overview.applications.is_empty() {
            let of = if logs.is_empty() { vec![folder.to_owned()] } else { logs.to_vec() };
            let of: Vec<String> = of.iter().map(|path| path.display().to_string()).collect();
            let why = overview
                .left_out
                .first()
                .map(|first| format!(" {}: {}.", first.path, first.reason))
                .unwrap_or_default();
            return Err(format!("No Spark event log in {}.{why} Choose the folder that has the logs.", of.join(", ")));
        }
        let left_out: Vec<String> =
            overview.left_out.iter().map(|entry| format!("{}: {}", entry.path, entry.reason)).collect();
        let mut notes: Vec<String> = is_unread.then(|| READ_AGAIN.to_owned()).into_iter().collect();
        let gone = logs.iter().filter(|path| !LogStores::is_remote(path) && !path.exists()).cloned().collect();
        if !opened.has_ended {
            notes
                .push("The run has not ended: these are partial results. Run the same command to continue.".to_owned());
        }
        if opened.is_damaged {
            notes.push(format!("These results are incomplete: {DAMAGED}. Run the same command again."));
        }
        if opened.shard.1 > 1 {
            let (place, of) = opened.shard;
            notes.push(format!("This is part {place} of {of}; run `crossover fleet --merge` to merge all parts."));
        }
        notes.extend(overview.repetitions());
        let histories = overview.histories();
        let verdicts = overview.verdicts.clone();
        let rows = rows(&opened.outcomes);
        let sentence = answer(&arrange(&rows, &Arrangement::default()).total, &verdicts);
        let frequency = overview.frequency(inputs.runs_per_month);
        let costs = money::costs_and_effort(&overview, &inputs.objective(), frequency);
        let recurrence = overview.recurrence(frequency);
        let measured = Measured::of(&opened.folder, &opened.outcomes);
        let folder = opened.folder.clone();
        Ok(Fleet {
            times: self.times,
            inputs,
            used_price,
            folder,
            measured,
            opened,
            rows,
            verdicts,
            sentence,
            costs,
            frequency,
            recurrence,
            notes,
            histories,
            left_out,
            gone,
            is_unread,
        })
    }
}

/// That logs without results were not read.
fn nothing_read(logs: &[PathBuf]) -> String {
    let logs: Vec<String> = logs.iter().map(|path| path.display().to_string()).collect();
    format!("No results of {}. {READ_AGAIN}", logs.join(", "))
}

/// "12 MB of 48 MB read, about 6 s left".
fn far((done, total): (u64, u64), (read, logs): (u64, u64), since: Duration) -> String {
    let size = |bytes: u64| Unit::Gigabytes.format(bytes as f64 / GB);
    match (done, total) {
        (_, 0) if logs == 0 => "Looking for logs".to_owned(),
        // The sizes are not known.
        (done, 0) => {
            format!("{} read, {}", counted_of(read as f64, logs as f64, "log"), size(done))
        }
        (done, total) if done >= total => format!("{} read; writing the tables", size(total)),
        (done, total) if done == 0 || since < ESTIMATED_AFTER => format!("{} of {} read", size(done), size(total)),
        (done, total) => {
            let left = since.as_secs_f64() * (total - done) as f64 / done as f64;
            format!("{} of {} read, about {} left", size(done), size(total), elapsed(left.ceil()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_includes_the_remaining_time() {
        let seconds = Duration::from_secs;
        let far = |done, total, since| super::far((done, total), (0, 0), since);
        assert_eq!(far(0, 0, seconds(9)), "Looking for logs");
        assert_eq!(far(12_000_000, 48_000_000, seconds(1)), "12 MB of 48 MB read");
        // A quarter took two seconds.
        assert_eq!(far(12_000_000, 48_000_000, seconds(2)), "12 MB of 48 MB read, about 6 s left");
        assert_eq!(far(48_000_001, 48_000_000, seconds(9)), "48 MB read; writing the tables");
        // Logs of a server whose lengths are not known.
        assert_eq!(super::far((9_000_000, 0), (3, 40), seconds(9)), "3 of 40 logs read, 9 MB");
    }
}

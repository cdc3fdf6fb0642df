//! Reads Spark event logs: plain, gzip or zstd; one file, the folder of a rolling log, or one of Databricks.
//!
//! Bytes become a plan in four steps, each in bounded memory:
//!
//! - `source`, `codec`, `pipe`, `lines`: which files, decompressed on a thread of their own, cut into lines
//! - `events`, `plan_info`, `json`: a line as an event; tasks' starts and the like are not even parsed
//! - `log`, `stage`, `sums`, `cluster`: what the events add up to, as Spark's own listener does, into [`raw`]
//! - `derive`, `operators`: what that says of every operator

mod cluster;
mod codec;
pub mod derive;
mod detail;
mod events;
mod json;
mod lines;
mod log;
mod metrics;
pub mod operators;
mod pipe;
mod pipeline;
mod plan_info;
pub mod raw;
pub mod reuse;
mod scan;
mod source;
mod stage;
mod stage_time;
mod sums;
pub mod width;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;

use crossover_model::plan::validate::validate;

use self::events::Event;
use self::json::Malformed;
use self::lines::{LONGEST, Line, Lines};
use self::log::{Log, SecondApplication};
use self::pipe::Pipe;
use self::raw::RawQuery;
use self::source::Source;
use crate::error::ImportError;
use crate::import::{Control, Import, Query};

/// A file is no event log if so many lines in a row at its beginning are no events.
const STRANGE_LINES: u64 = 100;
/// What was expected, for messages.
const EXPECTED: &str = "expected a Spark event log: lines of JSON that begin with {\"Event\":\"SparkListener…";

/// Reads a log: a file, or the folder of a rolling log or of Databricks.
///
/// Memory does not grow with the number of tasks: what is held is a sum for each metric of a plan, the plans and the
/// stages. There is no limit to the size of a log, so that one of terabytes can be read; a bomb only takes time, and
/// the user can cancel at any moment. Lines longer than 64 MB are passed over.
///
/// # Errors
/// [`ImportError`]: it cannot be read, is compressed with lz4, snappy or lzf, is no event log, is damaged, has several
/// applications, or the user cancelled.
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    control.check()?;
    let source = Source::find(path)?;
    let bytes = source.parts.iter().filter_map(|part| fs::metadata(part).ok()).map(|metadata| metadata.len()).sum();
    control.set_total(bytes);
    let mut reader = Reader::default();
    for part in &source.parts {
        reader.read(part, control)?;
    }
    if reader.log.events == 0 {
        let problem = if bytes == 0 { "it is empty" } else { "there is no event of Spark in it" };
        return Err(ImportError::unusable(path, format!("{problem}; {EXPECTED}")));
    }
    let mut import = reader.import(path);
    import.notes.splice(0..0, source.notes);
    Ok(import)
}

/// What was read of a log so far.
#[derive(Default)]
struct Reader {
    log: Log,
    /// Lines that are no events.
    skipped: u64,
    /// Where the first of them is.
    first_skipped: Option<String>,
    /// Where the log is cut off.
    cuts: Vec<String>,
}

impl Reader {
    /// Reads one file.
    fn read(&mut self, path: &Path, control: &Control) -> Result<(), ImportError> {
        let text = codec::open(path, control)?;
        thread::scope(|scope| {
            let pipe =
                Pipe::start(scope, text).map_err(|source| ImportError::Read { path: path.to_owned(), source })?;
            self.lines(Lines::new(pipe, LONGEST), path, control)
        })
    }

    /// Reads all lines of one file.
    fn lines(&mut self, mut lines: Lines<Pipe>, path: &Path, control: &Control) -> Result<(), ImportError> {
        loop {
            control.check()?;
            let number = lines.number() + 1;
            let (event, is_open) = match lines.next() {
                Ok(None) => return Ok(()),
                Ok(Some(Line::Passed)) => continue,
                Ok(Some(Line::Whole(line) | Line::Open(line))) if line.trim_ascii().is_empty() => continue,
                Ok(Some(Line::Whole(line))) => (Event::parse(line), false),
                Ok(Some(Line::Open(line))) => (Event::parse(line), true),
                Ok(Some(Line::TooLong)) => (Err(Malformed), false),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    self.cuts.push(format!("{} is cut off after line {}", name(path), number - 1));
                    return Ok(());
                }
                Err(error) => return Err(damaged(path, number - 1, error)),
            };
            if let Ok(event) = event {
                self.log.add(event).map_err(|SecondApplication(problem)| ImportError::unusable(path, problem))?;
                continue;
            }
            self.skipped += 1;
            self.first_skipped.get_or_insert_with(|| format!("line {number} of {}", name(path)));
            if is_open {
                self.cuts.push(format!("{} is cut off in line {number}", name(path)));
            }
            if self.log.lines == 0 && self.skipped >= STRANGE_LINES {
                let problem = format!("none of the first {number} lines is an event; {EXPECTED}");
                return Err(ImportError::unusable(path, problem));
            }
        }
    }

    /// Everything that the log tells.
    fn import(self, path: &Path) -> Import {
        let Self { log, skipped, first_skipped, cuts } = self;
        let mut notes = cuts;
        if let Some(first) = first_skipped {
            let lines = if skipped == 1 { "1 line is not an event and was" } else { "Lines that are no events were" };
            notes.push(format!("{lines} left out ({skipped} in all, the first is {first})"));
        }
        if !log.ended {
            notes.push("the end of the application is not in the log".to_owned());
        }
        let engine = match (&log.version, &log.machines.databricks) {
            (Some(version), _) => format!("Spark {version}"),
            (None, Some(version)) => format!("Databricks {version}"),
            (None, None) => "Spark".to_owned(),
        };
        let application = log.application.as_ref().map(|application| application.name.clone()).unwrap_or_default();
        let cluster = log.machines.cluster();
        let (raw, stages) = log.finish();
        if raw.is_empty() {
            notes.push("no SQL was executed in this application, so there is no plan in its log".to_owned());
        }
        let file = name(path);
        let mut queries = Vec::with_capacity(raw.len());
        for raw in raw {
            let plan = derive::plan(&raw, &stages, &engine, &file);
            if let Err(invalid) = validate(&plan, "plan") {
                notes.push(format!("query {} cannot be used and was left out: {}", raw.id, invalid.problem));
                continue;
            }
            let duration_seconds = duration_seconds(&raw);
            if duration_seconds.is_none() {
                notes.push(format!("the end of query {} is not in the log", raw.id));
            }
            if let Some(failure) = &raw.failure {
                let first = failure.lines().next().unwrap_or_default();
                notes.push(format!("query {} failed: {first}", raw.id));
            }
            queries.push(Query {
                id: raw.id.to_string(),
                duration_seconds,
                stages: raw.stages.len(),
                compression_ratio: derive::compression_ratio(&plan),
                plan,
                description: raw.description,
                failure: raw.failure,
            });
        }
        Import { engine, file, application, queries, cluster, skipped_lines: skipped, notes }
    }
}

/// From start to end, seconds.
fn duration_seconds(query: &RawQuery) -> Option<f64> {
    Some(query.end_ms?.checked_sub(query.start_ms?)? as f64 / 1e3)
}

/// Name of a file, for messages.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// An error while a file is read: of the system, or of its compression.
fn damaged(path: &Path, line: u64, error: io::Error) -> ImportError {
    if error.raw_os_error().is_some() {
        return ImportError::Read { path: path.to_owned(), source: error };
    }
    ImportError::unusable(path, format!("its compression is damaged after line {line}: {error}"))
}

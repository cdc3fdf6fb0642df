//! Reads Spark event logs: plain, gzip, zstd, lz4, snappy or lzf; one file, the folder of a rolling log, or one of Databricks.
//!
//! Bytes become a plan in seven steps, each in bounded memory:
//!
//! - `source`, `codec`, `batches`: which files, decompressed, cut into batches of lines
//! - `parsed`, `events`, `tasks`, `plan_info`, `json`: a line as an event; tasks' starts and the like are not even parsed
//! - `reader`, `workers`: all batches of a file in their order, parsed on all cores where there is much of it
//! - `log`, `stage`, `sums`, `cluster`, `calendar`: what the events add up to, as in Spark's own listener, into [`raw`]
//! - [`mod@derive`], [`operators`], `metrics`, `detail`, `columns`, [`width`], `scan`: the numbers of every operator
//! - `lists`: the lists of columns and expressions in its text
//! - `facts`, `scanned`: what an operator does in particular, and what a scan reads
//! - [`reuse`], `pipeline`, `stage_time`, `ui_ids`: what it repeats, where it ran, its CPU time with the balance of the query,
//!   and its number on Spark's own page
//! - `native`: the engine that ran it instead of Spark
//! - `counted`: a note on scans whose files and data are not counted
//! - `unread`: metrics of time and settings of plugins that nothing of this uses
//!
//! [`explain`] reads plans as text instead of logs.

mod batches;
mod blocks;
mod calendar;
mod cluster;
mod codec;
mod columns;
mod counted;
pub mod derive;
mod detail;
mod events;
pub mod explain;
mod facts;
mod gpu_time;
mod json;
mod lists;
mod log;
mod metrics;
mod native;
pub mod operators;
mod parsed;
mod pipeline;
mod plan_info;
pub mod raw;
mod reader;
pub mod reuse;
mod scan;
mod scanned;
mod source;
mod stage;
mod stage_time;
mod sums;
mod tasks;
mod ui_ids;
mod unread;
pub mod width;
mod workers;

use std::io::Read as _;
use std::path::Path;

use crossover_quantity::unread::Unread;
use crossover_query::NativeEngine;
use crossover_query::validate::validate;

use self::derive::Derived;
use self::reader::Reader;
use self::source::{EXPECTED, name};
use crate::control::Control;
use crate::error::ImportError;
use crate::foreign;
use crate::import::{Cluster, Import, Query};
use crate::store::{Folders, Store};

pub use self::reader::Cores;
pub use self::source::Source;

/// Note of a query.
const INPUT_CONTRADICTS: &str = "the log's input metrics contradict themselves: stages count far fewer bytes than \
                                 their scans report; these scans use the size of the files read";

/// Reads a log: a file, or the folder of a rolling log or of Databricks.
///
/// Memory does not grow with the number of tasks: it has a sum for each metric of a plan, the plans and the stages, at most
/// 2 GiB. The size of a log is not limited. The user can cancel at any moment. Lines longer than 64 MB are skipped.
///
/// # Errors
/// [`ImportError`]: it cannot be read, is compressed with lz4, snappy or lzf, is no event log, is damaged, has several
/// applications, or the user cancelled.
pub fn read(path: &Path, control: &Control) -> Result<Import, ImportError> {
    control.check()?;
    let source = Source::find(&Folders, path)?;
    control.set_total(source.bytes().unwrap_or(0));
    read_from(&Folders, path, source, Cores::all(), control)
}

/// As [`read()`], from the files of a log in any store; does not set the total of `control`. `path` is the log's name.
///
/// # Errors
/// As [`read()`].
pub fn read_from(
    store: &dyn Store,
    path: &Path,
    source: Source,
    cores: Cores,
    control: &Control,
) -> Result<Import, ImportError> {
    let mut reader = Reader::default();
    for part in &source.parts {
        if let Err(error) = reader.read(store, &part.path, cores, control) {
            let is_strange = reader.log.events == 0 && matches!(error, ImportError::Unusable { .. });
            let other = if is_strange { of_other_engine(store, &source) } else { None };
            return Err(other.map_or(error, |problem| ImportError::unusable(path, problem)));
        }
    }
    if reader.log.events == 0 && reader.ends_early {
        let problem = "the compressed file ends before its first event: it is truncated, or is still being written; copy it again as a whole";
        return Err(ImportError::unusable(path, problem));
    }
    if reader.log.events == 0 {
        if let Some(problem) = of_other_engine(store, &source) {
            return Err(ImportError::unusable(path, problem));
        }
        let problem = if source.bytes() == Some(0) { "the file is empty" } else { "the file has no Spark event" };
        return Err(ImportError::unusable(path, format!("{problem}; {EXPECTED}")));
    }
    Ok(import(path, source, reader))
}

/// What a file without an event is, if it is a plan of an engine that is not read, and what to import instead.
fn of_other_engine(store: &dyn Store, source: &Source) -> Option<String> {
    let mut head = Vec::new();
    let file = store.open(&source.parts.first()?.path).ok()?;
    file.take(foreign::HEAD_BYTES).read_to_end(&mut head).ok()?;
    foreign::problem(&foreign::decoded(&head))
}

/// The import of a log; its queries become plans one after the other.
fn import(path: &Path, source: Source, reader: Reader) -> Import {
    let Reader { mut log, skipped, first_skipped, truncations, open, ends_early: _ } = reader;
    let mut warnings = source.notes;
    let is_truncated = !truncations.is_empty();
    warnings.extend(truncations);
    if let Some(first) = first_skipped {
        let others = skipped - open;
        let were = if others == 1 { "1 line is not an event and was" } else { "lines are not events and were" };
        let count = if others == 1 { String::new() } else { format!("{others} ") };
        let place = if others == 1 { first } else { format!("the first is {first}") };
        warnings.push(format!("{count}{were} left out: {place}"));
    }
    if !log.ended {
        warnings.push("the end of the application is not in the log".to_owned());
    }
    let native = log.native_engine();
    warnings.extend(log.engines.note_of_idle(native.as_deref()));
    let is_gluten_on_gpus = log.engines.is_gluten_on_gpus();
    let mut unread = log.take_unread_settings();
    let mut import = Import {
        engine: native.map_or_else(|| log.spark(), |native| format!("{native} on {}", log.spark())),
        file: name(path),
        application: log.application.as_ref().map(|application| application.name.clone()).unwrap_or_default(),
        queries: Vec::new(),
        run: log.run(),
        cluster: log.machines.cluster(),
        is_truncated,
        skipped_lines: skipped,
        warnings,
        unread: Unread::default(),
    };
    let (raw, stages) = log.finish();
    if raw.is_empty() {
        import.warnings.push("no SQL was executed in this application, so there is no plan in its log".to_owned());
    }
    for raw in raw {
        unread::add_times(&raw, &mut unread);
        let Derived { mut plan, input_contradicts } = derive::plan(&raw, &stages, &import.engine, &import.file);
        if is_gluten_on_gpus {
            for node in &mut plan.nodes {
                node.ran_on_gpu |= native::of_operator(&node.name) == Some(NativeEngine::Gluten);
            }
        }
        let Cluster { machines, cores_per_machine, .. } = import.cluster;
        if let Some((machines, cores)) = machines.zip(cores_per_machine) {
            plan.stages.iter_mut().for_each(|stage| stage.slots = machines as f64 * cores as f64);
        }
        if let Err(invalid) = validate(&plan, "plan") {
            import.warnings.push(format!("query {} cannot be used and was left out: {}", raw.id, invalid.problem));
            continue;
        }
        let mut warnings = derive::notes(&raw);
        if input_contradicts {
            warnings.push(INPUT_CONTRADICTS.to_owned());
        }
        warnings.extend(counted::note(&plan));
        import.queries.push(Query {
            id: raw.id.to_string(),
            within: raw.root.filter(|root| *root != raw.id).map(|root| root.to_string()),
            start_ms: raw.start_ms,
            duration_seconds: plan.duration_seconds,
            stages: raw.stages.len(),
            compression_ratio: derive::compression_ratio(&plan),
            warnings,
            plan: plan.into(),
            description: raw.description,
            failure: raw.failure,
        });
    }
    import.set_unread(unread);
    unread::add_starts(&stages, &mut import.unread);
    import
}

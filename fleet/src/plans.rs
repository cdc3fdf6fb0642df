//! Plans of other engines beside the logs: each file is an application with a query for each statement.

use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crossover_files::digest::hex;
use crossover_files::extension;
use crossover_plan::spark::Source;
use crossover_plan::{Control, Format, Import, ImportError, Store, duckdb, postgres};
use sha2::{Digest as _, Sha256};

/// Bytes of a file that decide its format.
const BEGINNING: u64 = 64 << 10;
/// Largest file that is read, bytes. JSON takes up to thirty times as much in memory.
const LARGEST: u64 = 8 << 20;
/// Only one file that is larger than this is in memory at a time, bytes.
const LARGE: usize = 1 << 20;

/// A file with a plan of another engine.
pub(crate) struct Plan {
    /// Its queries, or why it is left out.
    pub(crate) import: Result<Import, String>,
    /// SHA-256 of its bytes, if all were read.
    pub(crate) digest: Option<String>,
}

/// Reads a file that is not a Spark log; `None` if it is not a plan of another engine. `large_plan` is locked while a large plan is
/// in memory.
///
/// # Errors
/// [`ImportError`]: the file cannot be read now, or the user cancelled.
pub(crate) fn read(
    store: &dyn Store,
    path: &Path,
    source: &Source,
    control: &Control,
    large_plan: &Mutex<()>,
) -> Result<Option<Plan>, ImportError> {
    // Parts of a rolling log are not plans.
    let [part] = &source.parts[..] else { return Ok(None) };
    if part.path != path {
        return Ok(None);
    }
    control.check()?;
    let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
    let mut file = store.open(path).map_err(failed)?;
    let mut text = Vec::new();
    (&mut file).take(BEGINNING).read_to_end(&mut text).map_err(failed)?;
    let left_out = |why: String| Ok(Some(Plan { import: Err(why), digest: None }));
    let (read, name, expected): (fn(&mut dyn Read, &Path, &Control) -> _, _, _) =
        match Format::of_beginning(path, &text) {
            Some(Format::DuckDb) => {
                (duckdb::read_from, "DuckDB", "EXPLAIN (ANALYZE, FORMAT json), or the profiler's file")
            }
            Some(Format::Postgres) => (postgres::read_from, "PostgreSQL", "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)"),
            Some(Format::Sql) if extension::is_one_of(path, &["sql"]) => {
                return left_out(
                    "SQL without measured times; expected an event log, or a query plan with measured times".to_owned(),
                );
            }
            Some(Format::SparkPlan) => {
                return left_out(
                    "a Spark plan as text, without measured times; expected the event log of its run".to_owned(),
                );
            }
            Some(Format::Sql | Format::SparkLog) | None => return Ok(None),
        };
    let _lock = (part.bytes.is_none_or(|bytes| bytes > LARGE as u64))
        .then(|| large_plan.lock().unwrap_or_else(PoisonError::into_inner));
    let most = LARGEST + 1 - text.len() as u64;
    file.take(most).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > LARGEST {
        return left_out(format!(
            "a plan of {name} with more than {} MiB; split it, or import it separately",
            LARGEST >> 20
        ));
    }
    let digest = Some(hex(&Sha256::digest(&text)));
    // Progress counts the file once; a file of this size is read quickly.
    let import = match read(&mut text.as_slice(), path, &Control::default()) {
        Ok(import) => with_times(import, path, name, expected),
        // Another text with the same words.
        Err(ImportError::Unusable { .. }) if !is_json(&text) => return Ok(None),
        Err(ImportError::Unusable { problem, .. }) => Err(format!("a plan of {name} that cannot be read: {problem}")),
        Err(error) => return Err(error),
    };
    Ok(Some(Plan { import, digest }))
}

/// The statements of a file that have measured times.
fn with_times(mut import: Import, path: &Path, name: &str, expected: &str) -> Result<Import, String> {
    let all = import.queries.len();
    import.queries.retain(|query| query.duration_seconds.is_some());
    let left = all - import.queries.len();
    if import.queries.is_empty() {
        return Err(format!("a plan of {name} without measured times; expected that of {expected}"));
    }
    if left > 0 {
        import.warnings.push(format!("{left} of {all} statements have no times and are left out"));
    }
    import.application = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // It was written when the statements had ended.
    import.run.ended = true;
    Ok(import)
}

fn is_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii_start();
    matches!(text.first(), Some(b'{' | b'['))
}

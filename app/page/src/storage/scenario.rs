//! Scenario files: reading with errors that name file, line and column, and saving in one step.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use crossover_files::atomic::{self, Prepared, SaveError};
use crossover_files::read::{ReadTextError, bytes, bytes_of};
use crossover_plan::Format;
use crossover_scenario::{Scenario, read};

use super::link::{self, Front, Link};
use super::named;
use super::on_disk::OnDisk;

/// The default scenario: the published setting.
pub const BUILT_IN: &str = include_str!("../../../../scenarios/placement-published.ron");

/// A larger file is not a scenario, and would only fill the memory. It is not saved either: it could not be opened again.
const LARGEST_BYTES: u64 = 64_000_000;

/// The path that means standard input.
pub const STANDARD_INPUT: &str = "-";

/// Reads a scenario from a file, or from standard input if the path is "-", and the files that it names. Problems of those
/// are warnings of the study, not errors. A path may also be a link, which names no files.
///
/// # Errors
/// A file that cannot be read, is larger than 64 MB, is not UTF-8 or not a scenario. The message has the
/// path; with a known position it is `FILE:LINE:COLUMN: field: problem`.
pub fn open(path: &Path) -> Result<Scenario> {
    if let Some(link) = link::as_link(path) {
        return Ok(link::open(link)?.scenario);
    }
    let from_standard_input = path == Path::new(STANDARD_INPUT);
    let name = if from_standard_input { "standard input".to_owned() } else { path.display().to_string() };
    let bytes =
        if from_standard_input { bytes_of(io::stdin().lock(), LARGEST_BYTES) } else { bytes(path, LARGEST_BYTES) };
    // A zstd file begins with a bracket, too.
    let begins_as_scenario =
        |bytes: &[u8]| (bytes.starts_with(b"(") || bytes.starts_with(b"//")) && std::str::from_utf8(bytes).is_ok();
    // A pipe is already read; opening it again would block forever.
    let plan = || if path.is_file() { Format::of(path).ok() } else { None };
    match bytes {
        Ok(bytes) => {
            let is_meant = begins_as_scenario(&bytes);
            let mut scenario = parse(&name, bytes).map_err(|error| match plan().filter(|_| !is_meant) {
                Some(format) => anyhow!("{name}: {}", to_import(format)),
                None => error,
            })?;
            named::fetch(&mut scenario, folder_of(path));
            Ok(scenario)
        }
        Err(too_large @ ReadTextError::TooLarge(_)) => match plan() {
            Some(format) => bail!("{name}: {}", to_import(format)),
            None => bail!("{name}: {too_large}, so it is not a scenario"),
        },
        Err(problem) => bail!("cannot read {name}: {problem}"),
    }
}

/// Whether a file holds queries of other programs: it does not begin like a scenario, and has one of their formats.
#[must_use]
pub fn holds_queries(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut start = Vec::new();
    let is_read = File::open(path).and_then(|file| file.take(4).read_to_end(&mut start)).is_ok();
    // A zstd file begins with a bracket, too.
    let is_scenario = start.starts_with(b"//") || start.starts_with(b"(") && !start.starts_with(b"\x28\xB5\x2F\xFD");
    is_read && !is_scenario && Format::of(path).is_ok()
}

/// Whether a path is opened as if it was dropped on the window: a folder, or a file with queries of other programs.
#[must_use]
pub fn is_imported(path: &Path) -> bool {
    path.is_dir() || holds_queries(path)
}

/// Refuses what the window would wait for without end: a pipe without a writer, a socket, a device. On a command line they are
/// what the user has chosen to wait for.
///
/// # Errors
/// The path is neither a file nor a folder; the message says what to do. What cannot be looked at is left to the reader.
pub fn check_ends(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => Err(format!(
            "{}: a pipe, a socket or a device, which the window does not read; save its content to a file",
            path.display()
        )),
        _ => Ok(()),
    }
}

/// The folder of a file, the current one for a bare name.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What to do with a file that holds a query plan.
fn to_import(format: Format) -> String {
    format!(
        "this is a query plan ({}), not a scenario; import it with “Open my query…” or `crossover import`",
        format.label()
    )
}

/// A scenario and its file.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The file before it was read; none for standard input and for a link.
    pub file: Option<OnDisk>,
    /// What of it is in front, if it came from a link.
    pub front: Option<Front>,
    /// Its scenario.
    pub scenario: Scenario,
}

/// Reads a scenario to be edited.
///
/// # Errors
/// See [`open`].
pub fn load(path: &Path) -> Result<Loaded> {
    if let Some(link) = link::as_link(path) {
        let Link { scenario, front } = link::open(link)?;
        return Ok(Loaded { file: None, front: Some(front), scenario });
    }
    // Looked at before it is read: a change in between is found at the next save.
    let file = (path != Path::new(STANDARD_INPUT)).then(|| OnDisk::at(path));
    Ok(Loaded { file, front: None, scenario: open(path)? })
}

/// Saves a scenario, with the files that it names as seen from its folder; a crash leaves the old file or the new one.
///
/// # Errors
/// A scenario that [`open`] would refuse for its size; else see [`atomic::write`].
pub fn save(path: &Path, scenario: &Scenario) -> Result<(), SaveError> {
    prepare(path, scenario)?.commit()
}

/// The first half of [`save`]: the bytes are on the disk, under another name.
///
/// # Errors
/// As [`save`].
pub fn prepare(path: &Path, scenario: &Scenario) -> Result<Prepared, SaveError> {
    let text = named::as_saved_in(folder_of(path), scenario).to_ron();
    if text.len() as u64 > LARGEST_BYTES {
        return Err(SaveError::TooLarge { path: path.to_owned(), most_mb: LARGEST_BYTES / 1_000_000 });
    }
    atomic::prepare(path, text.as_bytes())
}

fn parse(name: &str, bytes: Vec<u8>) -> Result<Scenario> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let line = 1 + valid.matches('\n').count();
        let column = 1 + valid.chars().rev().take_while(|c| *c != '\n').count();
        anyhow!("{name}:{line}:{column}: this is not UTF-8 text; save the file as UTF-8")
    })?;
    // Some editors mark UTF-8 with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    read(text).map_err(|error| {
        let field = error.field.map(|field| format!("{field}: ")).unwrap_or_default();
        anyhow!("{name}:{}:{}: {field}{}", error.line, error.column, error.problem)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crossover_scenario::views::{CompareView, OtherScenario};

    use super::*;

    fn refused(bytes: &[u8]) -> String {
        parse("a.ron", bytes.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn a_saved_scenario_is_read_back_bit_by_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        let scenario = read(BUILT_IN).unwrap();
        save(&path, &scenario).unwrap();
        assert_eq!(open(&path).unwrap(), scenario);
    }

    #[test]
    fn scenarios_of_a_comparison_move_with_the_folder_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let [before, after] = ["before", "after"].map(|name| fs::canonicalize(folder.path()).unwrap().join(name));
        fs::create_dir(&before).unwrap();
        let compared = |files: [&Path; 2]| {
            let file = |path: &Path| OtherScenario::File(path.to_str().unwrap().to_owned());
            let unsaved = OtherScenario::Unsaved("1f-2-3".to_owned());
            Some(CompareView { x: None, with: vec![file(files[0]), file(files[1]), unsaved] })
        };
        let mut scenario = read(BUILT_IN).unwrap();
        let elsewhere = folder.path().parent().unwrap().join("elsewhere.ron");
        scenario.views.compare = compared([&before.join("sub/b.ron"), &elsewhere]);
        save(&before.join("a.ron"), &scenario).unwrap();
        assert!(fs::read_to_string(before.join("a.ron")).unwrap().contains("File(\"sub/b.ron\")"));
        assert_eq!(open(&before.join("a.ron")).unwrap(), scenario);
        fs::rename(&before, &after).unwrap();
        let moved = open(&after.join("a.ron")).unwrap();
        assert_eq!(moved.views.compare, compared([&after.join("sub/b.ron"), &elsewhere]));
    }

    #[test]
    fn a_plan_is_said_to_be_imported() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes, expected) in [
            ("log", &b"\x28\xB5\x2F\xFD\x04"[..], Some("Spark event log")),
            ("plan.json", br#"{"latency": 0.1, "children": []}"#, Some("DuckDB plan")),
            ("q.sql", b"select 1", Some("SQL")),
            ("broken.ron", b"(version: 1, name: \"\\\"children\\\"\"", None),
            ("else", b"hello", None),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let error = open(&path).unwrap_err().to_string();
            match expected {
                Some(expected) => assert!(error.contains(expected) && error.contains("crossover import"), "{error}"),
                None => assert!(!error.contains("import"), "{error}"),
            }
        }
    }

    #[test]
    fn what_is_too_large_to_be_opened_is_not_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ron");
        let mut scenario = read(BUILT_IN).unwrap();
        let rest = usize::try_from(LARGEST_BYTES).unwrap() - scenario.to_ron().len();
        scenario.notes.push_str(&"x".repeat(rest));
        assert_eq!(scenario.to_ron().len() as u64, LARGEST_BYTES);
        save(&path, &scenario).unwrap();
        assert_eq!(open(&path).unwrap(), scenario, "as large as may be");

        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        scenario.notes.push('x');
        let message = save(&path, &scenario).unwrap_err().to_string();
        let beginning = format!("cannot save {}: it would be larger than 64 MB", path.display());
        assert!(message.starts_with(&beginning), "{message}");
        let after = std::fs::metadata(&path).unwrap();
        assert_eq!((after.len(), after.modified().unwrap()), (LARGEST_BYTES, before), "the old file is untouched");
    }

    #[test]
    fn an_error_names_file_line_column_and_field() {
        let text = BUILT_IN.replace("machines: 1000", "machines: 0");
        assert_eq!(
            refused(text.as_bytes()),
            "a.ron:8:29: cluster.machines: 0 is out of range; allowed: 1 … 1,000,000, whole"
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_located() {
        let expected = "a.ron:2:3: this is not UTF-8 text; save the file as UTF-8";
        assert_eq!(refused(b"(version: 1,\n\xc3\xa9 \xff)"), expected);
    }

    #[test]
    fn a_byte_order_mark_is_no_error() {
        let marked = format!("\u{feff}{BUILT_IN}");
        assert_eq!(parse("a.ron", marked.into_bytes()).unwrap(), read(BUILT_IN).unwrap());
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = format!("{:#}", open(Path::new("nowhere/a.ron")).unwrap_err());
        assert!(message.starts_with("cannot read nowhere/a.ron: "), "{message}");
    }
}

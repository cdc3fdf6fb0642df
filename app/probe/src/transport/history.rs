//! The history of all runs: a file of JSON lines, one for each run, append-only. An incomplete line is skipped; the next entry
//! begins a new line.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crossover_measured::probe::ProbeReport;
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use serde::{Deserialize, Serialize};

/// Longest line, bytes.
const LONGEST: u64 = 16 << 20;

/// A run in the history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The centre.
    pub(crate) centre: String,
    /// Time of the request, RFC 3339 in UTC, by the clock of this machine.
    pub(crate) requested_at: String,
    /// Requested units.
    pub(crate) units: u32,
    /// [`fingerprint`](crossover_measured::probe::ProbeTask::fingerprint) of the requested probe.
    #[serde(default)]
    pub(crate) probe: String,
    /// Resources of the centre at that time; probes are repeated when they change.
    #[serde(default)]
    pub(crate) resources: String,
    /// The report; none if the run failed without one.
    pub(crate) report: Option<ProbeReport>,
    /// Why there is no report.
    pub(crate) failure: Option<String>,
}

/// Path of the user's history; none if the system has no data folder.
pub(crate) fn file() -> Option<PathBuf> {
    Some(choose_native_strategy().ok()?.data_dir().join("crossover").join("probes.jsonl"))
}

/// Appends a run and syncs the file. A file lock serialises processes that append at once.
///
/// # Errors
/// The file or its folder cannot be written.
pub(crate) fn add(path: &Path, entry: &Entry) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::options().create(true).append(true).read(true).open(path)?;
    file.lock()?;
    let mut line = Vec::new();
    let length = file.metadata()?.len();
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            line.push(b'\n');
        }
    }
    serde_json::to_writer(&mut line, entry)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

/// All runs in the order of the file, and the number of lines that cannot be read.
///
/// # Errors
/// The file cannot be read. A file that does not exist has no runs.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<Entry>, usize)> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        file => file?,
    };
    let mut reader = BufReader::new(file);
    let (mut entries, mut damaged, mut line) = (Vec::new(), 0, Vec::new());
    loop {
        line.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok((entries, damaged));
        }
        match serde_json::from_slice(&line) {
            Ok(entry) => entries.push(entry),
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(_) => damaged += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(units: u32) -> Entry {
        Entry {
            centre: "north".into(),
            requested_at: "2026-11-02T14:00:00Z".into(),
            units,
            probe: "0123456789abcdef".into(),
            resources: "2 cores".into(),
            report: None,
            failure: Some("it was cancelled".into()),
        }
    }

    #[test]
    fn runs_come_back_in_their_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new").join("probes.jsonl");
        assert_eq!(read(&path).expect("none"), (Vec::new(), 0));
        for units in [1, 2, 4] {
            add(&path, &entry(units)).expect("added");
        }
        assert_eq!(read(&path).expect("read"), (vec![entry(1), entry(2), entry(4)], 0));
    }

    #[test]
    fn a_line_that_was_cut_off_costs_only_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("probes.jsonl");
        add(&path, &entry(1)).expect("added");
        add(&path, &entry(2)).expect("added");
        let whole = fs::read(&path).expect("read");
        // As a process leaves it that is killed while it writes.
        fs::write(&path, &whole[..whole.len() - 20]).expect("cut");
        add(&path, &entry(4)).expect("added");
        assert_eq!(read(&path).expect("read"), (vec![entry(1), entry(4)], 1));
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("probes.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || (0..25).for_each(|run| add(path, &entry(25 * writer + run)).expect("added")));
            }
        });
        let (mut entries, damaged) = read(&path).expect("read");
        entries.sort_by_key(|entry| entry.units);
        assert_eq!((entries, damaged), ((0..100).map(entry).collect(), 0));
    }
}

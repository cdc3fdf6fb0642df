//! Reports of earlier runs: one file each in one folder, never changed once the run is over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crossover_harness::file::FileError;
use etcetera::base_strategy::{BaseStrategy as _, choose_native_strategy};
use jiff::Timestamp;

use super::{Report, file};

/// An earlier run, or a file in its place that cannot be read.
#[derive(Debug)]
pub struct Entry {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub report: Result<Report, FileError>,
}

/// The folder of the user's runs; `None` if the system has no data folder.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let system = choose_native_strategy().ok()?;
    Some(system.data_dir().join("crossover").join("measurements"))
}

/// All runs, the newest first: by the time in the report, or that of the file where it cannot be read.
///
/// # Errors
/// The folder exists and cannot be listed.
pub fn list(folder: &Path) -> io::Result<Vec<Entry>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    let mut entries: Vec<Entry> = paths.into_iter().map(|path| Entry { report: file::read(&path), path }).collect();
    entries.sort_by_cached_key(|entry| std::cmp::Reverse((entry.time(), entry.path.clone())));
    Ok(entries)
}

impl Entry {
    /// When it was measured; failing that, when the file was written.
    fn time(&self) -> Timestamp {
        let reported = self.report.as_ref().ok().and_then(|report| report.time.parse().ok());
        let written = || fs::metadata(&self.path).and_then(|metadata| metadata.modified()).ok()?.try_into().ok();
        reported.or_else(written).unwrap_or(Timestamp::MIN)
    }
}

/// Saves a new run: a file named after its time and device, numbered if that exists. Leftovers of interrupted writes
/// are removed.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn add(folder: &Path, report: &Report) -> Result<PathBuf, FileError> {
    fs::create_dir_all(folder).map_err(|cause| FileError::Write { path: folder.to_owned(), cause })?;
    remove_leftovers(folder);
    let device = report.adapter.as_ref().map_or(&report.host.cpu, |adapter| &adapter.description.name);
    let stem = format!("{}-{}", plain(&report.time.to_uppercase()), plain(&device.to_lowercase()));
    let mut number = 1;
    loop {
        let name = if number == 1 { format!("{stem}.json") } else { format!("{stem}-{number}.json") };
        let path = folder.join(name);
        match file::write_new(&path, report) {
            Err(FileError::Write { cause, .. }) if cause.kind() == io::ErrorKind::AlreadyExists => number += 1,
            written => return written.map(|()| path),
        }
    }
}

/// Removes a run.
///
/// # Errors
/// The file cannot be removed.
pub fn delete(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Letters and digits, separated by "-", of a length that every file system takes.
fn plain(text: &str) -> String {
    let plain: String = text.chars().take(60).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Removes partial files of a killed or crashed process; younger files may still be being written.
fn remove_leftovers(folder: &Path) {
    const OLD: Duration = Duration::from_hours(1);
    let now = SystemTime::now();
    let is_leftover = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        entry.file_name().to_string_lossy().starts_with(file::TEMPORARY_PREFIX)
            && modified.is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > OLD))
    };
    for leftover in fs::read_dir(folder).into_iter().flatten().flatten().filter(is_leftover) {
        // A failure leaves only an unused file.
        _ = fs::remove_file(leftover.path());
    }
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;

    fn at(time: &str) -> Report {
        Report { time: time.to_owned(), ..example::report() }
    }

    #[test]
    fn runs_are_listed_newest_first_and_a_file_that_cannot_be_read_is_one_of_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = add(folder.path(), &at("2021-01-02T03:04:05Z")).expect("kept");
        let new = add(folder.path(), &at("2021-10-02T03:04:05Z")).expect("kept");
        let broken = folder.path().join("0.json");
        fs::write(&broken, "{").expect("written");
        // Written now, which is later than both.
        let listed = list(folder.path()).expect("listed");
        let paths: Vec<&Path> = listed.iter().map(|entry| entry.path.as_path()).collect();
        assert_eq!(paths, [&broken, &new, &old]);
        let readable: Vec<bool> = listed.iter().map(|entry| entry.report.is_ok()).collect();
        assert_eq!(readable, [false, true, true]);
        delete(&broken).expect("removed");
        assert_eq!(list(folder.path()).expect("listed").len(), 2);
    }

    #[test]
    fn a_name_tells_time_and_device_and_is_never_taken_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = at("2026-01-02T03:04:05Z");
        let names: Vec<String> = (0..3)
            .map(|_| add(folder.path(), &report).expect("kept"))
            .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        let stem = "2026-01-02T03-04-05Z-example-gpu-9000";
        assert_eq!(names, [format!("{stem}.json"), format!("{stem}-2.json"), format!("{stem}-3.json")]);
    }

    #[test]
    fn half_written_files_are_no_runs_and_old_ones_are_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, young, foreign] =
            [".gpu-bench-1.part", ".gpu-bench-2.part", "notes.txt"].map(|name| folder.path().join(name));
        for path in [&old, &young, &foreign] {
            fs::write(path, "{").expect("written");
        }
        let yesterday = SystemTime::now() - Duration::from_hours(24);
        for path in [&old, &foreign] {
            let file = fs::File::options().write(true).open(path).expect("opened");
            file.set_modified(yesterday).expect("dated");
        }
        assert!(list(folder.path()).expect("listed").is_empty());
        add(folder.path(), &example::report()).expect("kept");
        assert!(!old.exists() && young.exists() && foreign.exists());
        assert_eq!(list(folder.path()).expect("listed").len(), 1);
    }

    #[test]
    fn a_folder_that_does_not_exist_has_no_runs_and_is_made_for_the_first() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("a").join("b");
        assert!(list(&folder).expect("listed").is_empty());
        add(&folder, &example::report()).expect("kept");
        assert_eq!(list(&folder).expect("listed").len(), 1);
    }
}

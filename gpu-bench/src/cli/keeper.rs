//! Keeps a run while it goes on: after every measurement, the report so far is written where it belongs.

use std::path::PathBuf;

use crate::report::Report;
use crate::report::file::{self, FileError};
use crate::report::history;
use crate::runner::Event;

/// The report so far and its files.
#[derive(Debug)]
pub(super) struct Keeper {
    report: Option<Report>,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    target: Target,
    /// Whether the last write failed.
    failed: bool,
}

#[derive(Debug)]
enum Target {
    File(PathBuf),
    /// A file to be made in the folder of all runs.
    NewIn(PathBuf),
}

impl Keeper {
    /// Keeps runs in a file that the user names and in a folder of all runs.
    pub(super) fn new(file: Option<PathBuf>, history: Option<PathBuf>) -> Self {
        let targets = file.map(Target::File).into_iter().chain(history.map(Target::NewIn));
        Self { report: None, places: targets.map(|target| Place { target, failed: false }).collect() }
    }

    /// Follows a run. Returns what to tell the user: writes that fail for the first time.
    pub(super) fn hear(&mut self, event: &Event) -> Vec<String> {
        match (event, &mut self.report) {
            (Event::Planned { report, .. } | Event::Ended { report }, so_far) => *so_far = Some((**report).clone()),
            (Event::Finished { measurement, .. }, Some(report)) => report.results.push((**measurement).clone()),
            (Event::Noted { note }, Some(report)) => {
                report.notes.push(note.clone());
                return Vec::new();
            }
            _ => return Vec::new(),
        }
        let Some(report) = &self.report else { return Vec::new() };
        self.places.iter_mut().filter_map(|place| place.write(report)).collect()
    }

    /// Whether every file has the whole report.
    pub(super) fn kept(&self) -> bool {
        self.places.iter().all(|place| !place.failed)
    }
}

impl Place {
    /// Returns a message if this is the first failure in a row.
    fn write(&mut self, report: &Report) -> Option<String> {
        let written = match &self.target {
            Target::File(path) => file::write(path, report),
            Target::NewIn(folder) => history::add(folder, report).map(|path| self.target = Target::File(path)),
        };
        let failed_before = std::mem::replace(&mut self.failed, written.is_err());
        let error: FileError = written.err()?;
        (!failed_before).then(|| format!("{error}; measuring goes on and the table follows at the end"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::{Side, example};

    fn planned() -> Event {
        Event::Planned { total: 2, report: Box::new(Report { results: Vec::new(), ..example::report() }) }
    }

    fn finished(index: usize) -> Event {
        let measurement = example::measured("memory.copy", Side::Cpu, 0.001 + index as f64);
        Event::Finished { index, measurement: Box::new(measurement) }
    }

    #[test]
    fn after_every_measurement_both_files_have_all_so_far() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, history) = (folder.path().join("report.json"), folder.path().join("history"));
        let mut keeper = Keeper::new(Some(file.clone()), Some(history.clone()));
        for (event, expected) in [(planned(), 0), (finished(0), 1), (finished(1), 2)] {
            assert_eq!(keeper.hear(&event), [""; 0]);
            let [entry] = &history::list(&history).expect("listed")[..] else { panic!("one run") };
            let kept = entry.report.as_ref().expect("readable");
            assert_eq!((kept.results.len(), &file::read(&file).expect("readable")), (expected, kept));
        }
        assert!(keeper.kept());
    }

    #[test]
    fn a_failing_write_is_told_once_and_tried_again() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("history");
        // A file stands where the folder belongs.
        fs::write(&folder, "").expect("written");
        let mut keeper = Keeper::new(None, Some(folder.clone()));
        let told = keeper.hear(&planned());
        assert!(matches!(&told[..], [told] if told.contains("history cannot be written")), "{told:?}");
        assert!(keeper.hear(&finished(0)).is_empty() && !keeper.kept());
        fs::remove_file(&folder).expect("removed");
        assert!(keeper.hear(&finished(1)).is_empty() && keeper.kept());
        let kept = history::list(&folder).expect("listed");
        assert_eq!(kept[0].report.as_ref().expect("readable").results.len(), 2);
    }
}

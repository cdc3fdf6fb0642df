//! Saves a run in progress: writes the report so far after every measurement.

use std::path::PathBuf;

use crossover_harness::file::FileError;

use crate::report::{Report, file, history};
use crate::runner::Event;

/// The report so far and its files.
#[derive(Debug)]
pub(super) struct ReportWriter {
    report: Option<Report>,
    destinations: Vec<Destination>,
}

#[derive(Debug)]
struct Destination {
    target: Target,
    /// Whether the last write failed.
    failed: bool,
}

#[derive(Debug)]
enum Target {
    File(PathBuf),
    /// A new file in the folder of all runs.
    NewIn(PathBuf),
}

impl ReportWriter {
    /// Writes to a file that the user names and to the folder of all runs.
    pub(super) fn new(file: Option<PathBuf>, history: Option<PathBuf>) -> Self {
        let targets = file.map(Target::File).into_iter().chain(history.map(Target::NewIn));
        Self { report: None, destinations: targets.map(|target| Destination { target, failed: false }).collect() }
    }

    /// Processes an event. Returns messages about writes that fail for the first time.
    pub(super) fn on_event(&mut self, event: &Event) -> Vec<String> {
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
        self.destinations.iter_mut().filter_map(|destination| destination.write(report)).collect()
    }

    /// Whether every file has the whole report.
    pub(super) fn is_complete(&self) -> bool {
        self.destinations.iter().all(|destination| !destination.failed)
    }
}

impl Destination {
    /// Returns a message if this is the first failure in a row.
    fn write(&mut self, report: &Report) -> Option<String> {
        let written = match &self.target {
            Target::File(path) => file::write(path, report),
            Target::NewIn(folder) => history::add(folder, report).map(|path| self.target = Target::File(path)),
        };
        let failed_before = std::mem::replace(&mut self.failed, written.is_err());
        let error: FileError = written.err()?;
        (!failed_before).then(|| format!("{error}; measuring continues, and the table is printed at the end"))
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
        let mut report_writer = ReportWriter::new(Some(file.clone()), Some(history.clone()));
        for (event, expected) in [(planned(), 0), (finished(0), 1), (finished(1), 2)] {
            assert_eq!(report_writer.on_event(&event), [""; 0]);
            let [entry] = &history::list(&history).expect("listed")[..] else { panic!("one run") };
            let kept = entry.report.as_ref().expect("readable");
            assert_eq!((kept.results.len(), &file::read(&file).expect("readable")), (expected, kept));
        }
        assert!(report_writer.is_complete());
    }

    #[test]
    fn a_failing_write_is_told_once_and_tried_again() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("history");
        // A file has the path of the folder.
        fs::write(&folder, "").expect("written");
        let mut report_writer = ReportWriter::new(None, Some(folder.clone()));
        let messages = report_writer.on_event(&planned());
        assert!(
            matches!(&messages[..], [message] if message.contains("cannot write ") && message.contains("history: ")),
            "{messages:?}"
        );
        assert!(report_writer.on_event(&finished(0)).is_empty() && !report_writer.is_complete());
        fs::remove_file(&folder).expect("removed");
        assert!(report_writer.on_event(&finished(1)).is_empty() && report_writer.is_complete());
        let kept = history::list(&folder).expect("listed");
        assert_eq!(kept[0].report.as_ref().expect("readable").results.len(), 2);
    }
}

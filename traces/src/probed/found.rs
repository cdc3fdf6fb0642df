//! Collects the results of a reader: runs, left-out entries and notes.

use std::path::Path;

use crossover_quantity::balance::BalanceOf;
use crossover_quantity::unread::Unread;

use super::when::RecordedTime;
use super::{Probed, Read};
use crate::error::TraceError;
use crate::left_out::{LeftOut, Named};

/// Most runs of a file.
const MOST_RUNS: usize = 200_000;

/// Collects the results of a reader.
pub(super) struct RunCollector {
    runs: Vec<Probed>,
    are_too_many: bool,
    left_out: LeftOut,
    /// Runs without a number of units.
    without_units: Named,
    /// Whether a time had no offset from UTC.
    has_local_times: bool,
    notes: Vec<String>,
    unread: Unread,
}

impl RunCollector {
    /// Empty; with the name of an entry, singular and plural.
    pub(super) fn new([one, several]: [&'static str; 2]) -> Self {
        Self {
            runs: Vec::new(),
            are_too_many: false,
            left_out: LeftOut::new(one, several),
            without_units: Named::default(),
            has_local_times: false,
            notes: Vec::new(),
            unread: Unread::default(),
        }
    }

    /// What is not used so far.
    pub(super) fn unread(&mut self) -> &mut Unread {
        &mut self.unread
    }

    /// Runs so far.
    pub(super) fn count(&self) -> usize {
        self.runs.len()
    }

    /// Runs so far, and those that are left out.
    pub(super) fn stated(&self) -> usize {
        self.runs.len() + self.left_out.parts()
    }

    /// Sets the centre of all runs from an index on.
    pub(super) fn name_centre(&mut self, from: usize, centre: &str) {
        for run in self.runs.iter_mut().skip(from) {
            centre.clone_into(&mut run.centre);
        }
    }

    /// One more run.
    pub(super) fn add(&mut self, run: Probed) {
        if self.runs.len() < MOST_RUNS {
            self.runs.push(run);
        } else {
            self.are_too_many = true;
        }
    }

    /// Leaves out an entry of so many runs, with the reason.
    pub(super) fn leave_out(&mut self, runs: usize, place: impl FnOnce() -> String, problem: &str) {
        self.left_out.add_several(runs, place, problem);
    }

    /// The units of a run, or 1, which is noted.
    pub(super) fn units(&mut self, reported: Option<f64>, probe: &str) -> f64 {
        reported.unwrap_or_else(|| {
            self.without_units.add(if probe.is_empty() { "without a name" } else { probe });
            1.0
        })
    }

    /// The hours of a time; without an offset UTC is assumed, which is noted.
    pub(super) fn hours(&mut self, when: RecordedTime) -> f64 {
        self.has_local_times |= !when.has_offset;
        when.hours
    }

    /// Adds a note.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// All of it.
    ///
    /// # Errors
    /// There is no run, or there are too many.
    pub(super) fn end(mut self, path: &Path, entry: &str) -> Result<Read, TraceError> {
        if self.are_too_many {
            return Err(TraceError::unusable(path, format!("more than {MOST_RUNS} runs; split the file")));
        }
        if self.runs.is_empty() {
            return Err(TraceError::unusable(path, self.left_out.nothing_of(entry)));
        }
        let remark = "number of units missing; assumed 1";
        self.without_units.note(&mut self.notes, ["run", "runs"], remark);
        if self.has_local_times {
            self.notes.push(format!("{}: times without an offset are assumed to be UTC", path.display()));
        }
        self.notes.extend(self.unread.sentences());
        let mut left_out = Vec::new();
        let all = self.left_out.total(BalanceOf::Runs, self.runs.len());
        self.left_out.note_of(path, all.balance().as_ref(), &mut left_out);
        Ok(Read { runs: self.runs, left_out: left_out.pop(), notes: self.notes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_runs_than_any_are_refused() {
        let mut found = RunCollector::new(["line", "lines"]);
        for _ in 0..=MOST_RUNS {
            found.add(Probed::new("", 1.0));
        }
        let problem = found.end(Path::new("a"), "line").expect_err("too many").to_string();
        assert_eq!(problem, "a: more than 200000 runs; split the file");
    }
}

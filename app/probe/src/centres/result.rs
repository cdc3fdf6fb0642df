//! Progress and results of a centre.

use std::time::Duration;

use crossover_probe::Run;
use crossover_quantity::text::{counted, counted_of};

use crate::transport::round::Progress;

/// Progress of the runs at a centre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CentreProgress {
    /// Finished runs.
    pub(crate) done: u32,
    /// The last state.
    pub(crate) state: String,
}

impl Default for CentreProgress {
    fn default() -> Self {
        Self { done: 0, state: "starting".to_owned() }
    }
}

impl CentreProgress {
    /// Takes a change.
    pub(crate) fn take(&mut self, progress: &Progress) {
        match progress {
            Progress::State(text) => self.state.clone_from(text),
            Progress::Finished(text) => {
                self.done += 1;
                self.state.clone_from(text);
            }
            Progress::Note(_) => {}
        }
    }

    /// "2 of 5 runs"; "2 runs" where the number of all is not known.
    pub(crate) fn runs(&self, total: Option<u32>) -> String {
        let done = f64::from(self.done);
        total.map_or_else(|| counted(done, "run"), |total| counted_of(done, f64::from(total), "run"))
    }
}

/// How a centre ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// All runs were tried, or the user cancelled them.
    Done,
    /// Its resources have not changed; nothing was run.
    Unchanged(String),
    /// It has not asked for runs; nothing was run.
    NotRequested,
    /// It did not answer within its limit.
    TooLate(Duration),
    /// Its history or its request cannot be read.
    Stopped(String),
}

/// Results of a centre.
#[derive(Debug, Clone, Default)]
pub(crate) struct CentreResult {
    /// Number of valid runs.
    pub(crate) counted: usize,
    /// The first reason why a run does not count.
    fault: Option<String>,
    /// How it ended; none: it has not.
    pub(crate) end: Option<End>,
}

impl CentreResult {
    /// Counts runs with one number of units: valid ones, and why others failed.
    pub(crate) fn add(&mut self, counted: &[Run], failed: &[String]) {
        self.counted += counted.len();
        self.fault = self.fault.take().or_else(|| failed.first().cloned());
    }

    /// Why a centre that has ended gave no valid run, or not all of its runs; a sentence without its name.
    pub(crate) fn problem(&self) -> Option<String> {
        match &self.end {
            None => Some("its runs ended unexpectedly".to_owned()),
            Some(End::Stopped(why)) => Some(why.clone()),
            Some(End::TooLate(limit)) => {
                Some(format!("did not answer within {} s; its other runs were cancelled", limit.as_secs_f64()))
            }
            Some(End::Done | End::Unchanged(_) | End::NotRequested) => self.fault.clone().filter(|_| self.counted == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Run {
        Run { units: 1.0, seconds: 1.0, error: None, target_seconds: None, hours: None }
    }

    #[test]
    fn a_centre_with_a_valid_run_has_no_problem_unless_it_was_late() {
        let mut result = CentreResult { end: Some(End::Done), ..CentreResult::default() };
        result.add(&[], &["1 unit: first".to_owned(), "1 unit: second".to_owned()]);
        assert_eq!(result.problem().as_deref(), Some("1 unit: first"));
        result.add(&[run()], &[]);
        assert_eq!(result.problem(), None);
        result.end = Some(End::TooLate(Duration::from_secs(8)));
        assert_eq!(result.problem().as_deref(), Some("did not answer within 8 s; its other runs were cancelled"));
        result.end = None;
        assert_eq!(result.problem().as_deref(), Some("its runs ended unexpectedly"));
    }

    #[test]
    fn finished_runs_are_counted_and_states_are_not() {
        let mut progress = CentreProgress::default();
        assert_eq!((progress.runs(Some(5)).as_str(), progress.state.as_str()), ("0 of 5 runs", "starting"));
        progress.take(&Progress::State("job 7: 5 waiting".to_owned()));
        progress.take(&Progress::Note("its clock is ahead".to_owned()));
        assert_eq!((progress.runs(None).as_str(), progress.state.as_str()), ("0 runs", "job 7: 5 waiting"));
        progress.take(&Progress::Finished("1 unit: 0.5 s".to_owned()));
        assert_eq!((progress.runs(Some(5)).as_str(), progress.state.as_str()), ("1 of 5 runs", "1 unit: 0.5 s"));
    }
}

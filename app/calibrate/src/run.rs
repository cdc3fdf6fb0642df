//! One run on the page: its results so far and its progress.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossover_gpu_bench::calibration::calibrate;
use crossover_gpu_bench::report::{Measurement, Report};
use crossover_gpu_bench::runner::Event;

use super::child::{Ending, Message};

/// Maximum length of a quoted line in a message, characters.
const QUOTED_LENGTH: usize = 80;

/// A run, in progress or ended.
#[derive(Debug)]
pub struct Run {
    /// The results; `None` until the measuring process has reported its plan.
    report: Option<Report>,
    total: usize,
    /// What is being measured.
    current: Option<String>,
    state: State,
    started: Instant,
    took: Option<Duration>,
    garbage: usize,
    /// Grows with each change of the results.
    revision: u64,
}

/// State of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// In progress.
    Measuring,
    /// Cancellation was sent to the measuring process.
    Cancelling,
    /// Complete.
    Finished,
    /// Cancelled by the user.
    Cancelled,
    /// Ended early, for this reason.
    Failed(String),
    /// Read from this file.
    Loaded(PathBuf),
}

/// A line of the measuring process: an event, or other text.
pub(super) type Line = Result<Event, String>;

/// Reads a line.
pub(super) fn read(line: &str) -> Line {
    serde_json::from_str(line).map_err(|_| line.chars().take(QUOTED_LENGTH).collect())
}

/// The measured device: the GPU, or the CPU if there is none.
pub(super) fn device(report: &Report) -> &str {
    report.adapter.as_ref().map_or(&report.host.cpu, |adapter| &adapter.description.name)
}

/// "2026-01-02 10:11", UTC.
pub(super) fn when(report: &Report) -> String {
    report.time.get(..16).unwrap_or(&report.time).replace('T', " ")
}

impl Run {
    /// A run that begins now.
    pub(super) fn new() -> Self {
        Self {
            report: None,
            total: 0,
            current: None,
            state: State::Measuring,
            started: Instant::now(),
            took: None,
            garbage: 0,
            revision: 0,
        }
    }

    /// A run from a file.
    pub(super) fn loaded(path: PathBuf, report: Report) -> Self {
        let total = report.results.len();
        Self { report: Some(report), total, state: State::Loaded(path), ..Self::new() }
    }

    /// A run that could not be started.
    pub(super) fn failed(reason: String) -> Self {
        Self { state: State::Failed(reason), took: Some(Duration::ZERO), ..Self::new() }
    }

    /// The results as a report.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// The records so far.
    #[must_use]
    pub fn results(&self) -> &[Measurement] {
        self.report.as_ref().map_or(&[], |report| &report.results)
    }

    /// State of the run.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether the measuring process is running.
    #[must_use]
    pub fn is_going_on(&self) -> bool {
        matches!(self.state, State::Measuring | State::Cancelling)
    }

    /// Whether the device is a software adapter.
    pub(super) fn is_software(&self) -> bool {
        let adapter = self.report.as_ref().and_then(|report| report.adapter.as_ref());
        adapter.is_some_and(|adapter| adapter.description.software)
    }

    /// Grows with each change of the results.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// What is being measured.
    pub(super) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// "127 measured, 123 without a value, 10 not begun", which add up to the plan; each without a value has its reason in the table.
    pub(super) fn outcome(&self) -> String {
        let (left_out, not_begun) = (self.left_out(), self.total.saturating_sub(self.results().len()));
        let measured = format!("{} measured", self.results().len() - left_out);
        let left_out = match left_out {
            0 => String::new(),
            count => format!(", {count} without a value (see the remarks in the table)"),
        };
        let not_begun = if not_begun == 0 { String::new() } else { format!(", {not_begun} not begun") };
        format!("{measured}{left_out}{not_begun}")
    }

    /// Measurements that gave no value.
    fn left_out(&self) -> usize {
        self.results().iter().filter(|measurement| measurement.time.is_none()).count()
    }

    /// "12 of 38", or "12 of 38, 3 of them without a value".
    pub(super) fn progress(&self) -> String {
        let done = format!("{} of {}", self.results().len(), self.total);
        match self.left_out() {
            0 => done,
            count => format!("{done}, {count} of them without a value"),
        }
    }

    /// Share of the measurements that are done.
    pub(super) fn share(&self) -> f32 {
        if self.total == 0 { 0.0 } else { self.results().len() as f32 / self.total as f32 }
    }

    /// When it began, or was read: identifies the run.
    pub(super) fn shown_since(&self) -> Instant {
        self.started
    }

    /// Time since the start, or its duration.
    pub(super) fn elapsed(&self) -> Duration {
        self.took.unwrap_or_else(|| self.started.elapsed())
    }

    /// The user cancels it.
    pub(super) fn cancelling(&mut self) {
        if self.state == State::Measuring {
            self.state = State::Cancelling;
        }
    }

    /// Takes a message of the measuring process.
    pub(super) fn take(&mut self, message: Message<Line>) {
        self.revision += 1;
        match message {
            Message::Line(Ok(event)) => self.take_event(event),
            Message::Line(Err(line)) => {
                self.garbage += 1;
                if self.garbage == 1 {
                    log::warn!("not an event of a measurement: {line}");
                    self.note(format!(
                        "the measuring process printed unexpected lines, e.g. “{line}”; they were skipped"
                    ));
                }
            }
            Message::Ended(ending) => self.end(&ending),
        }
    }

    fn take_event(&mut self, event: Event) {
        match event {
            Event::Planned { total, report } => {
                self.total = total;
                self.report = Some(*report);
            }
            Event::Started { what, .. } => self.current = Some(what),
            Event::Finished { measurement, .. } => {
                if let Some(report) = &mut self.report {
                    report.results.push(*measurement);
                }
            }
            Event::Noted { note } => self.note(note),
            Event::Ended { report } => {
                self.report = Some(*report);
                self.current = None;
                // The process may still be writing the file; its exit status decides about a failure.
                self.took = Some(self.started.elapsed());
            }
        }
    }

    fn note(&mut self, note: String) {
        if let Some(report) = &mut self.report {
            report.notes.push(note);
        }
    }

    fn end(&mut self, ending: &Ending) {
        let is_complete = self.took.is_some();
        if let Some(report) = &mut self.report {
            report.calibration = report.calibration.take().or_else(|| calibrate(report));
        }
        self.took.get_or_insert(self.started.elapsed());
        let was_measuring = self.current.take();
        let kept = match self.results().len() {
            0 => "There are no results.".to_owned(),
            1 => "The one result so far is kept.".to_owned(),
            count => format!("The {count} results so far are kept."),
        };
        self.state = match (&self.state, is_complete) {
            // The cancellation came after the last measurement.
            (State::Cancelling, true) if ending.is_success => State::Finished,
            (State::Cancelling, _) => {
                if ending.is_killed {
                    self.note("the measuring process did not end after the cancellation and was killed".to_owned());
                }
                State::Cancelled
            }
            (_, true) if ending.is_success => State::Finished,
            (_, true) => State::Failed(format!("The run is complete, but its process failed: {}.", ending.words)),
            (_, false) => {
                let during = was_measuring.map_or_else(String::new, |what| format!(" while it measured {what}"));
                State::Failed(format!("The measuring process ended early{during} ({}). {kept}", ending.words))
            }
        };
    }
}

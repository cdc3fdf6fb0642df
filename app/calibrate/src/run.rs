//! One run as the page shows it: what has been measured so far, and how far it is.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossover_gpu_bench::calibration::calibrate;
use crossover_gpu_bench::report::{Measurement, Report};
use crossover_gpu_bench::runner::Event;

use super::child::{Ending, Message};

/// How long a line that is no event may be in a message, characters.
const QUOTED_LENGTH: usize = 80;

/// A run, going on or over.
#[derive(Debug)]
pub struct Run {
    /// What has been measured; `None` until the measuring process has said what it will do.
    report: Option<Report>,
    total: usize,
    /// What is being measured.
    current: Option<String>,
    state: State,
    started: Instant,
    took: Option<Duration>,
    garbage: usize,
    /// Grows with every change of what is measured.
    revision: u64,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    /// It goes on.
    Measuring,
    /// It is to end; the measuring process has been told.
    Cancelling,
    /// It is complete.
    Finished,
    /// The user ended it.
    Cancelled,
    /// It ended early, for this reason.
    Failed(String),
    /// It was read from this file.
    Loaded(PathBuf),
}

/// A line of the measuring process: an event, or what it wrote instead.
pub(super) type Line = Result<Event, String>;

/// Reads a line.
pub(super) fn read(line: &str) -> Line {
    serde_json::from_str(line).map_err(|_| line.chars().take(QUOTED_LENGTH).collect())
}

/// What was measured: the GPU, or the CPU without one.
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

    /// What has been measured.
    #[must_use]
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// The records so far.
    #[must_use]
    pub fn results(&self) -> &[Measurement] {
        self.report.as_ref().map_or(&[], |report| &report.results)
    }

    /// How far it is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether the measuring process is at work.
    #[must_use]
    pub fn is_going_on(&self) -> bool {
        matches!(self.state, State::Measuring | State::Cancelling)
    }

    /// Whether the GPU is a program on the CPU.
    pub(super) fn is_software(&self) -> bool {
        let adapter = self.report.as_ref().and_then(|report| report.adapter.as_ref());
        adapter.is_some_and(|adapter| adapter.description.software)
    }

    /// Grows with every change of what is measured.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// What is being measured.
    pub(super) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    /// "127 measured, 123 left out", each with its reason in the table.
    pub(super) fn outcome(&self) -> String {
        let left_out = self.results().iter().filter(|measurement| measurement.time.is_none()).count();
        let measured = self.results().len() - left_out;
        match left_out {
            0 => format!("{measured} measured"),
            count => format!("{measured} measured, {count} left out (the table says why)"),
        }
    }

    /// "12 of 38".
    pub(super) fn progress(&self) -> String {
        format!("{} of {}", self.results().len(), self.total)
    }

    /// Share of the measurements that are done.
    pub(super) fn share(&self) -> f32 {
        if self.total == 0 { 0.0 } else { self.results().len() as f32 / self.total as f32 }
    }

    /// When it began, or was read: tells runs apart.
    pub(super) fn shown_since(&self) -> Instant {
        self.started
    }

    /// Time since the start, or that it took.
    pub(super) fn elapsed(&self) -> Duration {
        self.took.unwrap_or_else(|| self.started.elapsed())
    }

    /// The user wants it to end.
    pub(super) fn cancelling(&mut self) {
        if self.state == State::Measuring {
            self.state = State::Cancelling;
        }
    }

    /// Takes what the measuring process brought.
    pub(super) fn take(&mut self, message: Message<Line>) {
        self.revision += 1;
        match message {
            Message::Line(Ok(event)) => self.take_event(event),
            Message::Line(Err(line)) => {
                self.garbage += 1;
                if self.garbage == 1 {
                    log::warn!("not an event of a measurement: {line}");
                    self.note(format!("the measuring process wrote what is no event, e.g. “{line}”; it was skipped"));
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
                // The process may still be writing the file; how it ends decides about a failure.
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
            0 => "Nothing was measured.".to_owned(),
            1 => "The one result so far is kept.".to_owned(),
            count => format!("The {count} results so far are kept."),
        };
        self.state = match (&self.state, is_complete) {
            // The wish came after the last measurement.
            (State::Cancelling, true) if ending.is_success => State::Finished,
            (State::Cancelling, _) => {
                if ending.is_killed {
                    self.note("the measuring process did not end when asked, so it was ended".to_owned());
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

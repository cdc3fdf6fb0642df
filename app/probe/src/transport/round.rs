//! All runs of a probe with one number of units: requested, kept in the history, and validated.

use std::path::Path;

use crossover_measured::probe::{ProbeReport, ProbeTask};
use crossover_probe::{Run, outcome};
use crossover_quantity::unit::elapsed;
use jiff::Timestamp;

use super::history::{self, Entry};
use super::{RunRequest, RunResult, Transport, skew, validated};

/// Runs of a probe with one number of units.
pub(crate) struct Round<'a> {
    /// Name of the centre.
    pub(crate) centre: &'a str,
    /// Transport to the centre.
    pub(crate) transport: &'a Transport,
    /// The request.
    pub(crate) request: &'a RunRequest,
    /// The probe; runs of another one do not count.
    pub(crate) probe: &'a ProbeTask,
    /// Folder for reports.
    pub(crate) folder: &'a Path,
    /// The history file; none: no history.
    pub(crate) history: Option<&'a Path>,
    /// Resources of the centre now; empty: those of its reports.
    pub(crate) resources: &'a str,
}

/// Progress of a round of runs.
pub(crate) enum Progress {
    /// State of the runs in a queue, or the start of one.
    State(String),
    /// A run has finished: its time, or why it does not count.
    Finished(String),
    /// A note for the user.
    Note(String),
}

impl Round<'_> {
    /// Runs the probe; returns valid runs, and why others failed. Cancelled runs are neither.
    pub(crate) fn run(
        &self,
        units: u32,
        is_cancelled: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(Progress),
    ) -> (Vec<Run>, Vec<String>) {
        let requested = Timestamp::now();
        let (mut counted, mut failed) = (Vec::new(), Vec::new());
        let count = outcome::units(f64::from(units));
        let tell = std::cell::RefCell::new(tell);
        let mut seen: Vec<ProbeReport> = Vec::new();
        let mut finished = |result: RunResult| {
            let mut tell = tell.borrow_mut();
            if result.is_err() && is_cancelled() {
                return;
            }
            self.keep(units, requested, &result, &mut **tell);
            if let Some(skew) = result.as_ref().ok().and_then(|report| skew(report, requested, Timestamp::now())) {
                tell(Progress::Note(skew));
            }
            let checked = result.and_then(|report| {
                // Two runs have neither the same start nor the same time.
                if seen.contains(&report) {
                    return Err("the centre answered twice: this report is that of an earlier run".to_owned());
                }
                let run = validated(&report, self.probe, units);
                seen.push(report);
                run
            });
            match checked {
                Ok(run) => {
                    tell(Progress::Finished(format!("{count}: {}", elapsed(run.seconds))));
                    counted.push(run);
                }
                // Its report has the cancellation as failure.
                Err(_) if is_cancelled() => {}
                Err(why) => {
                    tell(Progress::Finished(format!("{count}: does not count: {why}")));
                    failed.push(format!("{count}: {why}"));
                }
            }
        };
        let mut state = |text: &str| (tell.borrow_mut())(Progress::State(text.to_owned()));
        self.transport.run(self.request, units, self.folder, is_cancelled, &mut state, &mut finished);
        (counted, failed)
    }

    /// Adds a run to the history; if that fails, notes it and continues.
    fn keep(&self, units: u32, requested: Timestamp, result: &RunResult, tell: &mut dyn FnMut(Progress)) {
        let Some(path) = self.history else { return };
        let entry = Entry {
            centre: self.centre.to_owned(),
            requested_at: requested.to_string(),
            units,
            probe: self.probe.fingerprint(),
            resources: match result.as_ref().ok().and_then(|report| report.machine.as_ref()) {
                Some(machine) if self.resources.is_empty() => machine.summary(),
                _ => self.resources.to_owned(),
            },
            report: result.as_ref().ok().cloned(),
            failure: result.as_ref().err().cloned(),
        };
        if let Err(error) = history::add(path, &entry) {
            tell(Progress::Note(format!(
                "cannot write {}, so this run is not in the history: {error}",
                path.display()
            )));
        }
    }
}

//! All runs of a probe with one number of units: asked for, kept as they come, and judged.

use std::path::Path;

use crossover_measured::probe::ProbeTask;
use crossover_probe::{Run, outcome};
use crossover_quantity::unit::elapsed;
use jiff::Timestamp;

use super::history::{self, Entry};
use super::{Asked, Came, Through, judged, skew};

/// What is run, and where it is kept.
pub(crate) struct Round<'a> {
    /// Name of the centre.
    pub(crate) centre: &'a str,
    /// How it is reached.
    pub(crate) through: &'a Through,
    /// What it is asked.
    pub(crate) asked: &'a Asked,
    /// The probe; runs of another one do not count.
    pub(crate) probe: &'a ProbeTask,
    /// Where reports go.
    pub(crate) folder: &'a Path,
    /// The history; none: it is not kept.
    pub(crate) history: Option<&'a Path>,
    /// What the centre has now.
    pub(crate) resources: &'a str,
}

/// News of a round.
pub(crate) enum News {
    /// How the runs are: what a queue says, or that one begins.
    State(String),
    /// A run is over: how long it took, or why it does not count.
    Over(String),
    /// What else the user should know.
    Note(String),
}

impl Round<'_> {
    /// Runs, and gives what counts and why the rest does not. What was called off did not fail.
    pub(crate) fn run(
        &self,
        units: u32,
        is_cancelled: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(News),
    ) -> (Vec<Run>, Vec<String>) {
        let asked = Timestamp::now();
        let (mut counted, mut failed) = (Vec::new(), Vec::new());
        let count = outcome::units(f64::from(units));
        let tell = std::cell::RefCell::new(tell);
        let mut over = |came: Came| {
            let mut tell = tell.borrow_mut();
            if came.is_err() && is_cancelled() {
                return;
            }
            self.keep(units, asked, &came, &mut **tell);
            if let Some(skew) = came.as_ref().ok().and_then(|report| skew(report, asked, Timestamp::now())) {
                tell(News::Note(skew));
            }
            match came.and_then(|report| judged(&report, self.probe, units)) {
                Ok(run) => {
                    tell(News::Over(format!("{count}: {}", elapsed(run.seconds))));
                    counted.push(run);
                }
                // Its report says that it was ended.
                Err(_) if is_cancelled() => {}
                Err(why) => {
                    tell(News::Over(format!("{count}: does not count: {why}")));
                    failed.push(format!("{count}: {why}"));
                }
            }
        };
        let mut state = |text: &str| (tell.borrow_mut())(News::State(text.to_owned()));
        self.through.run(self.asked, units, self.folder, is_cancelled, &mut state, &mut over);
        (counted, failed)
    }

    /// Keeps a run; measuring goes on if that fails, and the user is told.
    fn keep(&self, units: u32, asked: Timestamp, came: &Came, tell: &mut dyn FnMut(News)) {
        let Some(path) = self.history else { return };
        let entry = Entry {
            centre: self.centre.to_owned(),
            asked: asked.to_string(),
            units,
            probe: self.probe.fingerprint(),
            resources: self.resources.to_owned(),
            report: came.as_ref().ok().cloned(),
            failure: came.as_ref().err().cloned(),
        };
        if let Err(error) = history::add(path, &entry) {
            tell(News::Note(format!("{} cannot be written, this run is not in the history: {error}", path.display())));
        }
    }
}

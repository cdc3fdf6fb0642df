//! What the page shows of a study: its runs, computed anew for each change, long ones on a thread of their own.

use std::sync::Arc;

use crossover_chart::theme::Token;
use crossover_model::regulation::outcome::{all_periods, evaluate_watched};
use crossover_model::regulation::{Outcome, Regulation, evaluate};
use egui::{Context, Ui};

use crate::studies::background::Background;

use super::watched::watched;

/// Steps of all runs together up to which they are computed within a frame: about a
/// millisecond at the 22 million steps a second that an optimised build was measured to simulate.
const IN_FRAME: f64 = 20_000.0;
/// Runs besides those of the controllers.
const BASELINES: usize = 3;

/// What the page shows of a study.
#[derive(Debug)]
pub struct Board {
    /// Shared with whoever writes it to a file meanwhile.
    shown: Option<Arc<Shown>>,
    /// The study that was asked for last; none: nothing was asked for yet.
    wanted: Option<Regulation>,
    worker: Background<Regulation, Outcome>,
    problem: Option<String>,
    /// Whether the user cancelled what was asked for last.
    is_given_up: bool,
    generation: u64,
}

/// A study with all its runs.
#[derive(Debug)]
pub struct Shown {
    /// The study that everything was computed from.
    pub study: Regulation,
    /// All runs, and before against after.
    pub outcome: Outcome,
    /// Counts the outcomes of a page; another number is another outcome.
    pub generation: u64,
}

impl Board {
    /// Computes the runs if they are short; else they are computed once the page is shown.
    #[must_use]
    pub fn new(study: &Regulation) -> Self {
        let worker = Background::new("simulation", |study: Regulation, control| {
            watched(control, all_periods(&study), |watch| evaluate_watched(&study, watch))
        });
        let mut board = Self { shown: None, wanted: None, worker, problem: None, is_given_up: false, generation: 0 };
        if is_short(study) {
            board.wanted = Some(study.clone());
            board.show(evaluate(study));
        }
        board
    }

    /// Computes the runs again if the study differs from the last one, and takes what was computed meanwhile.
    pub fn refresh(&mut self, ctx: &Context, study: &Regulation) {
        if self.wanted.as_ref() != Some(study) {
            self.problem = None;
            self.is_given_up = false;
            self.wanted = Some(study.clone());
            if is_short(study) {
                self.worker.cancel();
                self.show(evaluate(study));
            } else {
                self.worker.submit(ctx, study.clone());
            }
        }
        match self.worker.poll() {
            Some((_, Ok(outcome))) => self.show(outcome),
            Some((_, Err(problem))) => self.problem = Some(problem),
            None => {}
        }
    }

    fn show(&mut self, outcome: Outcome) {
        self.generation += 1;
        let generation = self.generation;
        self.shown = self.wanted.clone().map(|study| Arc::new(Shown { study, outcome, generation }));
    }

    /// What is on screen; nothing before the first runs are there.
    #[must_use]
    pub fn shown(&self) -> Option<&Shown> {
        self.shown.as_deref()
    }

    /// The runs of this study, if they are there.
    pub(super) fn current(&self, study: &Regulation) -> Option<Arc<Shown>> {
        self.shown.as_ref().filter(|shown| shown.study == *study).map(Arc::clone)
    }

    /// Whether what is on screen is of an earlier study.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.worker.is_busy() || self.is_given_up || self.problem.is_some()
    }

    /// Whether runs are computed on another thread.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.worker.is_busy()
    }

    /// Says that runs are computed, that they were cancelled, or why there are none.
    pub fn state(&mut self, ui: &mut Ui) {
        if self.worker.is_busy() {
            ui.horizontal_wrapped(|ui| {
                ui.label(format!("Simulating {}", self.wanted.as_ref().map(amount).unwrap_or_default()));
                self.is_given_up |= self.worker.show_progress(ui, "simulation");
            });
        } else if self.is_given_up || self.problem.is_some() {
            ui.horizontal_wrapped(|ui| {
                let dark = ui.visuals().dark_mode;
                match &self.problem {
                    Some(problem) => ui.colored_label(Token::Error.color(dark), problem),
                    None if self.shown.is_some() => ui.label("Cancelled; what is shown is of an earlier study"),
                    None => ui.label("Cancelled"),
                };
                if ui.button("Simulate").clicked() {
                    self.wanted = None;
                }
            });
        }
    }
}

/// Whether all runs together take a few milliseconds.
fn is_short(study: &Regulation) -> bool {
    steps(study) <= IN_FRAME
}

/// Steps of all runs together.
fn steps(study: &Regulation) -> f64 {
    study.run.periods * study.clusters.len() as f64 * (study.controllers.len() + BASELINES) as f64
}

/// "7 runs of 100,000 periods in 2 clusters"
fn amount(study: &Regulation) -> String {
    let count = |value: f64| crossover_model::unit::Unit::Count.format(value);
    let runs = study.controllers.len() + BASELINES;
    let clusters = study.clusters.len();
    let (clusters, plural) = (count(clusters as f64), if clusters == 1 { "" } else { "s" });
    format!("{runs} runs of {} periods in {clusters} cluster{plural}", count(study.run.periods))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::command::Example;

    fn published() -> Regulation {
        let scenario = crossover_model::scenario::read(Example::PublishedRegulation.text()).expect("a valid example");
        let crossover_model::scenario::Study::Regulation(study) = scenario.study else { panic!("a regulation study") };
        study
    }

    #[test]
    fn a_cancelled_simulation_says_so_and_can_be_asked_for_again() {
        let mut long = published();
        long.run.periods = 100_000.0;
        let mut board = Board::new(&published());
        // Never ends by itself, so that there is time to cancel it.
        board.worker = Background::new("simulation", |_, control| {
            while !control.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            None
        });
        let show = |ui: &mut Ui, board: &mut Board| {
            board.refresh(ui.ctx(), &long);
            board.state(ui);
        };
        let mut harness = Harness::builder().build_ui_state(show, board);
        let patience = Instant::now() + Duration::from_secs(20);
        while harness.query_by_label("Cancel simulation").is_none() && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(10));
            harness.run_steps(1);
        }
        assert!(harness.state().is_busy() && harness.state().is_stale());
        harness.get_by_label("Cancel simulation").click_accesskit();
        harness.run_steps(2);
        assert!(!harness.state().is_busy() && harness.state().is_stale());
        harness.get_by_label("Cancelled; what is shown is of an earlier study");
        assert_eq!(harness.state().shown().map(|shown| shown.study.run.periods), Some(600.0));
        harness.get_by_label("Simulate").click_accesskit();
        harness.run_steps(2);
        assert!(harness.state().is_busy());
    }
}

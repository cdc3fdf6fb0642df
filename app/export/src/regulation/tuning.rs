//! Tuned gains of a controller, beside its current ones.

use std::fmt::Write as _;

use crossover_quantity::text::{Column, Table, counted, one_line};
use crossover_quantity::unit::Unit;
use crossover_regulation::figures::figures;
use crossover_regulation::tuning::remaining::remaining_error;
use crossover_regulation::{Controller, Simulation, Strategy};
use serde::Serialize;

use crate::json;

/// How gains were tuned, and their results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuning<'a> {
    /// "regulation", so that a reader of many studies can tell them apart.
    pub study: &'static str,
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Name of the controller.
    pub controller: &'a str,
    /// How the gains were found.
    pub rule: Rule,
    /// The controller as it is.
    pub current: Trial,
    /// The controller with the gains that were found.
    pub tuned: Trial,
}

/// How gains were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// By many runs.
    Search {
        /// Largest allowed overshoot, a share.
        overshoot_limit: f64,
        /// Runs that it took.
        runs: usize,
        /// How they compare with the present ones, a sentence.
        verdict: String,
    },
    /// By disturbances, for cells of error and change of error.
    Learn {
        /// Seed of the disturbances.
        seed: u64,
        /// Mean integral of absolute error ÷ that of the current gains, over disturbances that no choice has seen.
        held_out: f64,
        /// The largest of these ratios.
        worst_held_out: f64,
        /// Runs that it took.
        runs: usize,
    },
    /// By a relay experiment and the rules of Ziegler and Nichols.
    ZieglerNichols {
        /// Cluster that oscillated.
        cluster: String,
        /// Output of the relay, d.
        relay_output: f64,
        /// Amplitude of the error, a: half the range between its largest and smallest value.
        error_amplitude: f64,
        /// Time of a cycle, Tu, seconds.
        period_seconds: f64,
        /// Ultimate gain, Ku.
        ultimate_gain: f64,
        /// Cycles that were measured.
        cycles: usize,
    },
}

/// Gains, and the results of a run with them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Whether the gains are scheduled or learned by error and its change; Kp, Ki and Kd then have no effect.
    pub is_scheduled: bool,
    /// Kp
    pub kp: f64,
    /// Ki, for one period.
    pub ki: f64,
    /// Kd, for one period.
    pub kd: f64,
    /// Periods from the last change of demand until the last actuator action; null if it does not settle.
    pub settling_periods: Option<usize>,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing.
    pub overshoot: f64,
    /// Mean |p_p − p_d| over the averaged periods; the largest of all clusters.
    pub steady_state_error: f64,
    /// The largest mean error of the averaged periods that the controller could reduce.
    pub remaining_error: f64,
    /// Integral of |p_p − p_d| over the run, summed over the clusters, seconds.
    pub integral_absolute_error: f64,
    /// Throughput, TOPS.
    pub tops: f64,
}

impl<'a> Tuning<'a> {
    /// Runs both controllers and sets them side by side.
    #[must_use]
    pub fn new(
        scenario: &'a str,
        simulation: &Simulation<'_>,
        present: &'a Controller,
        found: &Controller,
        rule: Rule,
    ) -> Self {
        let trial = |controller: &Controller| {
            let figures = figures(simulation, Strategy::Controller(controller), |_| {});
            Trial {
                is_scheduled: controller.has_varying_gains(),
                kp: controller.kp,
                ki: controller.ki,
                kd: controller.kd,
                settling_periods: figures.settling_periods,
                overshoot: figures.overshoot,
                steady_state_error: figures.steady_state_error,
                remaining_error: remaining_error(simulation.study(), &figures),
                integral_absolute_error: figures.integral_absolute_error,
                tops: figures.state.tops,
            }
        };
        let (current, tuned) = (trial(present), trial(found));
        Self { study: "regulation", scenario, controller: &present.name, rule, current, tuned }
    }

    /// Everything, for programs.
    #[must_use]
    pub fn json(&self) -> String {
        json(self)
    }

    /// For the terminal.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = format!("{}, controller {}\n\n", one_line(self.scenario), one_line(self.controller));
        let columns = vec![
            Column::text("Gains"),
            Column::number("Kp"),
            Column::number("Ki"),
            Column::number("Kd"),
            Column::number("Settling periods"),
            Column::number("Overshoot"),
            Column::number("Steady-state error"),
            Column::number("Remaining error"),
            Column::number("IAE"),
            Column::number("Throughput"),
        ];
        let row = |name: &str, trial: &Trial| {
            let gain = |value: f64| {
                if trial.is_scheduled { "scheduled".to_owned() } else { Unit::Ratio.format(value) }
            };
            vec![
                name.to_owned(),
                gain(trial.kp),
                gain(trial.ki),
                gain(trial.kd),
                trial.settling_periods.map_or_else(|| "not settled".to_owned(), |periods| periods.to_string()),
                Unit::Share.format(trial.overshoot),
                Unit::Share.format(trial.steady_state_error),
                Unit::Share.format(trial.remaining_error),
                Unit::Seconds.format(trial.integral_absolute_error),
                Unit::Tops.format(trial.tops),
            ]
        };
        text += &Table { columns, rows: vec![row("current", &self.current), row("tuned", &self.tuned)] }.aligned();
        text.push('\n');
        match &self.rule {
            Rule::Search { overshoot_limit, runs, verdict } => {
                let limit = Unit::Share.format(*overshoot_limit);
                let runs = counted(*runs as f64, "simulation");
                _ = writeln!(text, "{verdict}\n{runs}; overshoot limit {limit}.");
            }
            Rule::Learn { seed, held_out, worst_held_out, runs } => {
                let [mean, worst] = [*held_out, *worst_held_out].map(|ratio| Unit::Share.format(ratio));
                let runs = counted(*runs as f64, "simulation");
                _ = writeln!(
                    text,
                    "Held-out disturbances: the integral of absolute error is {mean} of that of the current gains (mean; at \
                     most {worst}).\n{runs}; seed {seed}."
                );
            }
            Rule::ZieglerNichols { cluster, relay_output, error_amplitude, period_seconds, ultimate_gain, cycles } => {
                _ = writeln!(
                    text,
                    "Relay amplitude ±{} in cluster {}: error amplitude {}, ultimate period {}, ultimate gain {} ({cycles} cycles).",
                    Unit::Ratio.format(*relay_output),
                    one_line(cluster),
                    Unit::Share.format(*error_amplitude),
                    Unit::Seconds.format(*period_seconds),
                    Unit::Ratio.format(*ultimate_gain),
                );
            }
        }
        text
    }
}

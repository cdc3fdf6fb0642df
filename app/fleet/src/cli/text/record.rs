//! A fleet and its applications, for programs.

use crossover_decision::{Goal, Payback};
use crossover_fleet::application::{Range, Summary};
use crossover_fleet::ledger::LedgerEntry;
use crossover_fleet::tables::rows::id_of;
use crossover_fleet::{ApplicationCosts, Costs, EffortSum};
use serde::Serialize;

use crate::report::why;

/// A fleet, for programs.
#[derive(Serialize)]
pub(super) struct FleetRecord<'a> {
    pub(super) applications: usize,
    pub(super) left_out: usize,
    pub(super) to_move: usize,
    pub(super) today_seconds: f64,
    pub(super) saved_seconds: f64,
    pub(super) saved_seconds_low: f64,
    pub(super) saved_seconds_high: f64,
    pub(super) saved_usd: Option<f64>,
    /// Of those to move, how many have a price.
    pub(super) saved_usd_applications: usize,
    pub(super) top: Option<TopRecord>,
    /// What costs are of: a month, or a run of each application.
    pub(super) costs_per: &'static str,
    /// Runs in a month for each run of the list, if they are known.
    pub(super) runs_per_month: Option<f64>,
    /// What is least: the cost of a run within the time limit, or its time within the budget.
    pub(super) goal: Goal,
    /// Longest time of a run, as a factor of today's, which is the only form for many applications.
    pub(super) time_limit: Option<f64>,
    /// Largest cost of a run of each application; none: today's.
    pub(super) budget_usd: Option<f64>,
    /// Effort of moving one application.
    pub(super) effort_usd: Option<f64>,
    /// Effort of the recommended moves in sum.
    pub(super) effort: Option<EffortRecord>,
    pub(super) costs: Option<CostsRecord>,
    pub(super) portfolio: Option<PortfolioRecord<'a>>,
    pub(super) list: Vec<ApplicationRecord<'a>>,
}

/// The fewest applications that bring a share of the saving.
#[derive(Serialize)]
pub(super) struct TopRecord {
    pub(super) applications: usize,
    pub(super) share: f64,
}

/// Costs of all applications, US dollars.
#[derive(Serialize)]
pub(super) struct CostsRecord {
    /// Applications in these sums, and applications without a cost today.
    pub(super) applications: usize,
    pub(super) applications_without_cost: usize,
    /// Applications whose price today is taken from other machines.
    pub(super) applications_at_assumed_price: usize,
    pub(super) today_usd: f64,
    pub(super) recommended_usd: f64,
    pub(super) expected_saving_usd: f64,
    pub(super) expected_saving_usd_low: f64,
    pub(super) expected_saving_usd_high: f64,
}

/// The effort of several moves in sum, and when their expected saving has paid it back.
#[derive(Serialize)]
pub(super) struct EffortRecord {
    pub(super) applications: usize,
    pub(super) usd: f64,
    pub(super) payback_months: Option<f64>,
    /// Runs of each application, if runs per month are not known.
    pub(super) payback_runs: Option<f64>,
}

/// The applications that save most within a budget.
#[derive(Serialize)]
pub(super) struct PortfolioRecord<'a> {
    pub(super) max_gpu_machines: Option<f64>,
    pub(super) max_gpu_usd: Option<f64>,
    /// Ids.
    pub(super) chosen: Vec<&'a str>,
    pub(super) left_out: Vec<&'a str>,
    pub(super) expected_saving_usd: f64,
    pub(super) expected_saving_usd_low: f64,
    pub(super) expected_saving_usd_high: f64,
    /// Whether a price of today's machines is taken from other machines.
    pub(super) is_price_assumed: bool,
    /// Whether no other choice of applications that save saves more.
    pub(super) is_best: bool,
    /// No other choice saves more than this in addition.
    pub(super) gap_usd: f64,
    /// Of the budget: what the chosen applications need, and what all would need.
    pub(super) used: f64,
    pub(super) needed: f64,
    /// A larger budget, and the saving that it adds.
    pub(super) further: f64,
    pub(super) further_saving_usd: f64,
    /// Effort of the chosen applications in sum.
    pub(super) effort: Option<EffortRecord>,
}

/// An application, for programs.
#[derive(Serialize)]
pub(super) struct ApplicationRecord<'a> {
    pub(super) application_id: &'a str,
    pub(super) name: &'a str,
    pub(super) user: &'a str,
    pub(super) queue: &'a str,
    pub(super) seconds: Option<f64>,
    pub(super) option: &'a str,
    pub(super) option_seconds: Option<f64>,
    pub(super) option_seconds_low: Option<f64>,
    pub(super) option_seconds_high: Option<f64>,
    pub(super) likelihood: Option<f64>,
    pub(super) saved_usd: Option<f64>,
    pub(super) verdict: &'static str,
    pub(super) blocked_by: Vec<&'static str>,
    /// Why it does not move, in words.
    pub(super) why_not: &'static str,
    pub(super) today_usd: Option<f64>,
    pub(super) recommended_usd: Option<f64>,
    pub(super) expected_saving_usd: Option<f64>,
    pub(super) expected_saving_usd_low: Option<f64>,
    pub(super) expected_saving_usd_high: Option<f64>,
    /// When its expected saving has paid back the effort, if it moves.
    pub(super) payback_months: Option<f64>,
    /// The same in runs, if runs per month are not known.
    pub(super) payback_runs: Option<f64>,
}

impl<'a> ApplicationRecord<'a> {
    /// An application with the costs of so many runs, and its payback in months or in runs.
    pub(super) fn of(
        log: &'a LedgerEntry,
        summary: &'a Summary,
        runs: f64,
        [payback_months, payback_runs]: [Option<f64>; 2],
    ) -> Self {
        let costs = ApplicationCosts::of(summary, runs);
        let saving = costs.and_then(|costs| costs.saving_usd);
        let range = saving.filter(Range::is_known);
        Self {
            application_id: id_of(&log.head.key, summary),
            name: &summary.name,
            user: &summary.user,
            queue: &summary.queue,
            seconds: summary.seconds,
            option: &summary.option,
            option_seconds: summary.option_time.map(|time| time.value),
            option_seconds_low: summary.option_time.filter(Range::is_known).map(|time| time.low),
            option_seconds_high: summary.option_time.filter(Range::is_known).map(|time| time.high),
            likelihood: summary.likelihood,
            saved_usd: summary.saved_usd(),
            verdict: summary.verdict.label(),
            blocked_by: labels(summary),
            why_not: why(summary),
            today_usd: costs.map(|costs| costs.today_usd),
            recommended_usd: costs.map(|costs| costs.recommended_usd),
            expected_saving_usd: saving.map(|saving| saving.value),
            expected_saving_usd_low: range.map(|saving| saving.low),
            expected_saving_usd_high: range.map(|saving| saving.high),
            payback_months,
            payback_runs,
        }
    }
}

/// A payback in months, or in runs if runs per month are not known; neither if it is never.
pub(super) fn months_and_runs(payback: Option<Payback>) -> [Option<f64>; 2] {
    match payback {
        // Runs per month of a fleet are no range.
        Some(Payback::Months([months, _])) => [Some(months), None],
        Some(Payback::Runs(runs)) => [None, Some(runs)],
        Some(Payback::Never) | None => [None, None],
    }
}

impl EffortRecord {
    /// The effort of several moves.
    pub(super) fn of(sum: &EffortSum) -> Self {
        let [payback_months, payback_runs] = months_and_runs(Some(sum.payback));
        Self { applications: sum.applications, usd: sum.usd, payback_months, payback_runs }
    }
}

impl CostsRecord {
    /// The costs of all applications.
    pub(super) fn of(costs: Costs) -> Self {
        let Costs { priced, unpriced, assumed, today_usd, recommended_usd, saving_usd, .. } = costs;
        Self {
            applications: priced,
            applications_without_cost: unpriced,
            applications_at_assumed_price: assumed,
            today_usd,
            recommended_usd,
            expected_saving_usd: saving_usd.value,
            expected_saving_usd_low: saving_usd.low,
            expected_saving_usd_high: saving_usd.high,
        }
    }
}

/// What blocks a move, the most important first; nothing blocks what is to be tried.
pub(super) fn labels(summary: &Summary) -> Vec<&'static str> {
    summary.blockers().iter().map(|blocker| blocker.label()).collect()
}

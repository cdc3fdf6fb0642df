//! Costs of applications: today, with the recommended options, and what that saves.
//!
//! ```text
//! w_i = n·p_i/3600                       n runs, p_i price of all machines of the option of the i-th application, dollars per hour
//! C_i = w_i·E[T_i]                       expected cost with the option; E[T_i] as in a decision
//! S   = Σ (B_i − C_i)                    expected saving; B_i cost today
//! A   = Σ w_i·(E[T_i] − k_i)             the uncertain part of the costs; k_i time that a move does not change
//! s   = √V / Σ w_i·m_i                   V as in the sum of times, of a_i·w_i
//! S_90: Σ B_i − Σ w_i·k_i − A·e^(−s²/2 ± 1.645·s)
//! ```
//! Only applications with the verdict “move” change: all others stay as today. Means add up whatever the errors have in common,
//! so the sum is the sum of the rows; its interval is not. See `docs/model/fleet.md`.

use crate::application::{Range, Summary, Verdict};
use crate::spread::Sum;

/// Costs of one application, US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApplicationCosts {
    /// Today.
    pub today_usd: f64,
    /// Expected cost with the recommended option; today's without a recommended move.
    pub recommended_usd: f64,
    /// Expected saving of the recommended move with its 90 % interval; `None` without one.
    pub saving_usd: Option<Range>,
}

/// Costs of several applications, US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Number of applications with a cost today.
    pub priced: usize,
    /// Number of applications without one; no sum contains them.
    pub unpriced: usize,
    /// Number of those whose price today is taken from other machines.
    pub assumed: usize,
    /// Number of those with a recommended move and a price for it.
    pub moving: usize,
    /// Today.
    pub today_usd: f64,
    /// Expected cost after the recommended moves.
    pub recommended_usd: f64,
    /// Expected saving with its 90 % interval.
    pub saving_usd: Range,
}

/// The numbers of a recommended move.
struct Move {
    /// Expected saving.
    saving_usd: f64,
    /// Dollars for each second with the option.
    usd_per_second: f64,
    /// Predicted time with the option, seconds.
    time: Range,
}

impl Move {
    /// Of one run; `None` if it is not recommended or lacks a price.
    fn of(summary: &Summary) -> Option<Self> {
        let time = summary.option_time.filter(|time| summary.verdict == Verdict::Move && time.value > 0.0)?;
        let usd_per_second = summary.option_usd? / time.value;
        summary.today_usd?;
        Some(Self { saving_usd: summary.saved_usd()?, usd_per_second, time })
    }
}

impl ApplicationCosts {
    /// Of so many runs; `None` without a cost today.
    #[must_use]
    pub fn of(summary: &Summary, runs: f64) -> Option<Self> {
        let today_usd = summary.today_usd? * runs;
        let saving_usd = Move::of(summary).map(|of| {
            let at = |seconds: f64| today_usd - of.usd_per_second * runs * seconds;
            let value = of.saving_usd * runs;
            if of.time.is_known() {
                Range { value, low: at(of.time.high), high: at(of.time.low) }
            } else {
                Range { value, low: value, high: value }
            }
        });
        Some(Self { today_usd, recommended_usd: today_usd - saving_usd.map_or(0.0, |saving| saving.value), saving_usd })
    }
}

impl Costs {
    /// The sum of applications, each with so many runs.
    #[must_use]
    pub fn of<'a>(all: impl IntoIterator<Item = &'a Summary>, runs: f64) -> Self {
        let (mut priced, mut unpriced, mut assumed, mut moving) = (0, 0, 0, 0);
        let (mut today_usd, mut saving, mut moving_today) = (0.0, 0.0, 0.0);
        // Of the recommended moves: the uncertain costs, their mean, and the costs that are known.
        let (mut uncertain, mut mean, mut known) = (Sum::default(), 0.0, 0.0);
        for summary in all {
            let Some(today) = summary.today_usd.map(|usd| usd * runs) else {
                unpriced += 1;
                continue;
            };
            priced += 1;
            assumed += usize::from(summary.is_price_assumed());
            today_usd += today;
            let Some(of) = Move::of(summary) else { continue };
            moving += 1;
            moving_today += today;
            saving += of.saving_usd * runs;
            let weight = of.usd_per_second * runs;
            let staying = weight * summary.staying_seconds;
            known += staying;
            mean += today - of.saving_usd * runs - staying;
            let deviations = summary.standard_deviations.iter();
            let deviations = deviations.map(|(query, deviation)| (query.as_str(), deviation * weight));
            let predicted = weight * (of.time.value - summary.staying_seconds);
            uncertain.add_all(&summary.option_engine, predicted, deviations);
        }
        let [low, high] = uncertain.interval_around(mean, known).map(|usd| moving_today - usd);
        // The higher the cost, the lower the saving.
        let saving_usd = Range { value: saving, low: high, high: low };
        Self { priced, unpriced, assumed, moving, today_usd, recommended_usd: today_usd - saving, saving_usd }
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Price, PriceBasis};

    use super::*;

    /// An application to move: 1000 s and 10 $ today, `gpu` seconds at 0.02 $ there, with an error factor (90 %) of e.
    fn moving(query: &str, engine: &str, gpu: f64) -> Summary {
        let deviation = 1.0 / 1.644_853_626_951_472_7;
        let mean = gpu * (deviation * deviation / 2.0_f64).exp();
        Summary {
            seconds: Some(1000.0),
            option_time: Some(Range {
                value: gpu + 10.0,
                low: 10.0 + gpu / 1.0_f64.exp(),
                high: 10.0 + gpu * 1.0_f64.exp(),
            }),
            staying_seconds: 10.0,
            option_engine: engine.to_owned(),
            today_usd: Some(10.0),
            option_usd: Some(0.02 * (gpu + 10.0)),
            expected_saving_usd: Some(10.0 - 0.02 * (mean + 10.0)),
            verdict: Verdict::Move,
            standard_deviations: vec![(query.to_owned(), gpu * deviation)],
            ..Summary::default()
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{found}, expected {expected}");
    }

    #[test]
    fn sums_are_the_sums_of_the_rows_and_only_recommended_moves_change_them() {
        let stays = Summary { verdict: Verdict::Stay, ..moving("b", "RAPIDS", 900.0) };
        let tried = Summary { verdict: Verdict::Try, ..moving("c", "RAPIDS", 100.0) };
        let without = Summary { today_usd: None, ..moving("d", "RAPIDS", 100.0) };
        let all = [moving("a", "RAPIDS", 100.0), moving("e", "Gluten", 200.0), stays, tried, without];
        let runs = 30.0;
        let costs = Costs::of(&all, runs);
        assert_eq!((costs.priced, costs.unpriced, costs.moving), (4, 1, 2));
        let rows: Vec<ApplicationCosts> = all.iter().filter_map(|one| ApplicationCosts::of(one, runs)).collect();
        assert_eq!(rows.len(), 4);
        near(costs.today_usd, rows.iter().map(|row| row.today_usd).sum());
        near(costs.recommended_usd, rows.iter().map(|row| row.recommended_usd).sum());
        near(costs.saving_usd.value, rows.iter().filter_map(|row| row.saving_usd).map(|saving| saving.value).sum());
        near(costs.today_usd - costs.recommended_usd, costs.saving_usd.value);
        near(costs.today_usd, 4.0 * 10.0 * runs);
    }

    #[test]
    fn the_interval_of_one_application_is_its_own_and_that_of_many_is_narrower_than_the_sum_of_theirs() {
        let one = moving("a", "RAPIDS", 100.0);
        let (sum, row) = (Costs::of([&one], 2.0), ApplicationCosts::of(&one, 2.0));
        let saving = row.and_then(|row| row.saving_usd).expect("a saving");
        near(sum.saving_usd.low, saving.low);
        near(sum.saving_usd.high, saving.high);
        // By hand: 2·(10 − 0.02·(10 + 100·e)).
        near(saving.low, 2.0 * (10.0 - 0.02 * (10.0 + 100.0 * 1.0_f64.exp())));

        let width = |of: &[Summary]| {
            let saving = Costs::of(of, 1.0).saving_usd;
            saving.high - saving.low
        };
        let alone = width(&[moving("a", "RAPIDS", 100.0)]);
        let same = width(&[moving("a", "RAPIDS", 100.0), moving("a", "RAPIDS", 100.0)]);
        let others = width(&[moving("a", "RAPIDS", 100.0), moving("b", "RAPIDS", 100.0)]);
        let engines = width(&[moving("a", "RAPIDS", 100.0), moving("b", "Gluten", 100.0)]);
        near(same, 2.0 * alone);
        assert!(engines < others && others < same, "{engines}, {others}, {same}");
    }

    #[test]
    fn prices_that_are_taken_from_other_machines_are_counted() {
        let at = |price: Price| {
            let baseline = Baseline::measured("today", 1000.0, Some(price));
            Summary { baseline: Some(baseline), ..moving("a", "RAPIDS", 100.0) }
        };
        let assumed = Price { basis: PriceBasis::Assumed, ..Price::entered(36.0) };
        let costs = Costs::of(&[at(assumed), at(Price::entered(36.0)), moving("b", "RAPIDS", 100.0)], 1.0);
        assert_eq!((costs.priced, costs.assumed), (3, 1));
    }

    #[test]
    fn nothing_that_moves_saves_nothing() {
        let costs = Costs::of(&[], 1.0);
        assert_eq!(costs.saving_usd, Range { value: 0.0, low: 0.0, high: 0.0 });
        assert_eq!((costs.priced, costs.today_usd), (0, 0.0));
    }
}

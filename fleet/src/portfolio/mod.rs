//! The portfolio: of the applications to move, those whose expected savings are largest within a budget of GPU machines.
//!
//! Each application moves to its recommended option or stays. The budget is a number of machines at a time, or dollars a month.
//! Machines at a time are counted on the timeline of the logs: an application starts when it started, and uses the machines of
//! its option for its predicted time (the median). Options on today's machines need no budget. `knapsack` chooses.
//!
//! A move may cost more than today: where today's run breaks the limit, or where the least time is wanted. Such applications take the
//! machines or dollars that those which save leave, the smallest extra cost first. With a budget for all moves, all are chosen.

mod knapsack;

use self::knapsack::{Load, choose, fill};
use crate::application::{Summary, Verdict};

/// Milliseconds of a second.
const MS: f64 = 1e3;
/// Part of a budget in dollars whose further worth is shown.
const FURTHER: f64 = 0.1;

/// An application to move, as a part of a portfolio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// Expected saving, US dollars; negative if it costs more.
    pub saving_usd: f64,
    /// Machines with GPUs of its option.
    pub instances: f64,
    /// Expected cost with its option, US dollars.
    pub usd: f64,
    /// When it starts, milliseconds since 1970; `None` if its log has no clock: it may run at any time.
    pub start_ms: Option<u64>,
    /// Predicted time with its option, seconds.
    pub seconds: f64,
}

/// A limit of GPU machines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// Most machines at a time.
    Instances(f64),
    /// Most dollars for the machines of options, in the period of the savings.
    Usd(f64),
}

/// A choice among items.
#[derive(Debug, Clone, PartialEq)]
pub struct Portfolio {
    /// The budget.
    pub budget: Budget,
    /// Places of the chosen items.
    pub chosen: Vec<usize>,
    /// Places of the others, largest saving first.
    pub left_out: Vec<usize>,
    /// Expected saving of the chosen items, US dollars.
    pub saving_usd: f64,
    /// Whether no other choice of items that save saves more; else the search stopped early, and a better choice may exist.
    pub is_best: bool,
    /// No other choice saves more than this in addition, US dollars; 0 if this is the best one.
    pub gap_usd: f64,
    /// What the chosen items need of the budget.
    pub used: f64,
    /// What all items would need.
    pub needed: f64,
    /// A larger budget by one machine, or by a tenth: by how much it is larger, and the saving that items which save add, US dollars.
    pub further: [f64; 2],
}

impl Item {
    /// An application with so many runs; `None` if it does not move, or lacks a price or the machines of its option.
    #[must_use]
    pub fn of(summary: &Summary, runs: f64) -> Option<Self> {
        if summary.verdict != Verdict::Move {
            return None;
        }
        let saving_usd = summary.saved_usd()? * runs;
        Some(Self {
            saving_usd,
            instances: summary.option_instances()?,
            usd: summary.today_usd? * runs - saving_usd,
            start_ms: summary.start_ms,
            seconds: summary.option_time?.value,
        })
    }

    /// The same for so many times as many runs.
    #[must_use]
    pub fn times(self, runs: f64) -> Self {
        Self { saving_usd: self.saving_usd * runs, usd: self.usd * runs, ..self }
    }

    /// From when to when it needs its machines, milliseconds since 1970.
    fn span(&self) -> Option<(u64, u64)> {
        let start = self.start_ms?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time in whole milliseconds")]
        let lasts = (self.seconds * MS).max(1.0) as u64;
        Some((start, start.saturating_add(lasts)))
    }
}

impl Budget {
    fn amount(self) -> f64 {
        match self {
            Self::Instances(amount) | Self::Usd(amount) => amount,
        }
    }

    /// A larger budget, whose further worth is shown.
    fn further(self) -> Self {
        match self {
            Self::Instances(count) => Self::Instances(count + 1.0),
            Self::Usd(usd) => Self::Usd(usd * (1.0 + FURTHER)),
        }
    }

    /// What each item needs of the budget, and in which of so many places: periods for machines, one place for dollars.
    fn loads(self, items: &[Item]) -> (Vec<Load>, usize) {
        match self {
            Self::Usd(_) => {
                let load = |item: &Item| {
                    let weight = if item.instances > 0.0 { item.usd } else { 0.0 };
                    Load { value: item.saving_usd, weight, from: 0, to: 1 }
                };
                (items.iter().map(load).collect(), 1)
            }
            Self::Instances(_) => {
                let mut times: Vec<u64> =
                    items.iter().filter_map(Item::span).flat_map(|(from, to)| [from, to]).collect();
                times.sort_unstable();
                times.dedup();
                let places = times.len().saturating_sub(1).max(1);
                let place = |time: u64| times.partition_point(|other| *other < time);
                let load = |item: &Item| {
                    let (from, to) = item.span().map_or((0, places), |(from, to)| (place(from), place(to)));
                    Load { value: item.saving_usd, weight: item.instances, from, to }
                };
                (items.iter().map(load).collect(), places)
            }
        }
    }
}

impl Portfolio {
    /// The choice with the largest expected saving within a budget, and what costs more than today in the room that is left.
    #[must_use]
    pub fn of(items: &[Item], budget: Budget) -> Self {
        let (loads, places) = budget.loads(items);
        let mut found = choose(&loads, places, budget.amount());
        let saving = |taken: &[bool]| -> f64 {
            items.iter().zip(taken).filter(|(_, taken)| **taken).map(|(item, _)| item.saving_usd).sum()
        };
        let further = budget.further();
        let more = saving(&choose(&loads, places, further.amount()).taken) - saving(&found.taken);
        fill(&loads, places, budget.amount(), &mut found.taken);
        let saving_usd = saving(&found.taken);
        let (chosen, mut left_out): (Vec<usize>, Vec<usize>) = (0..items.len()).partition(|place| found.taken[*place]);
        left_out.sort_by(|a, b| items[*b].saving_usd.total_cmp(&items[*a].saving_usd).then(a.cmp(b)));
        Self {
            budget,
            used: peak(&loads, places, &found.taken),
            needed: peak(&loads, places, &vec![true; items.len()]),
            further: [further.amount() - budget.amount(), more.max(0.0)],
            chosen,
            left_out,
            saving_usd,
            is_best: found.is_best,
            gap_usd: found.gap,
        }
    }

    /// Machines at a time that all items need.
    #[must_use]
    pub fn needed(items: &[Item]) -> f64 {
        let (loads, places) = Budget::Instances(0.0).loads(items);
        peak(&loads, places, &vec![true; items.len()])
    }

    /// Expected savings of portfolios of at most so many sizes: from no machine to as many at a time as all items need.
    #[must_use]
    pub fn curve(items: &[Item], sizes: u32) -> Vec<[f64; 2]> {
        let (loads, places) = Budget::Instances(0.0).loads(items);
        let needed = peak(&loads, places, &vec![true; items.len()]);
        let step = (needed / f64::from(sizes.max(2) - 1)).ceil().max(1.0);
        let size = |number: u32| (step * f64::from(number)).min(needed);
        let mut curve: Vec<[f64; 2]> = Vec::new();
        for count in (0..sizes.max(2)).map(size) {
            if curve.last().is_some_and(|[before, _]| *before >= count) {
                break;
            }
            let mut taken = choose(&loads, places, count).taken;
            fill(&loads, places, count, &mut taken);
            let saved = items.iter().zip(taken).filter(|(_, taken)| *taken).map(|(item, _)| item.saving_usd).sum();
            curve.push([count, saved]);
        }
        curve
    }
}

/// The largest load of any place.
fn peak(loads: &[Load], places: usize, taken: &[bool]) -> f64 {
    let taken = loads.iter().zip(taken).filter(|(_, taken)| **taken).map(|(load, _)| load);
    knapsack::totals(taken, places).into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(saving_usd: f64, instances: f64, start_seconds: u64, seconds: f64) -> Item {
        Item { saving_usd, instances, usd: saving_usd / 2.0, start_ms: Some(start_seconds * 1000), seconds }
    }

    #[test]
    fn of_two_that_overlap_the_one_that_saves_more_moves_and_a_later_one_too() {
        let items = [item(5.0, 4.0, 0, 100.0), item(7.0, 4.0, 50, 100.0), item(1.0, 4.0, 150, 100.0)];
        let found = Portfolio::of(&items, Budget::Instances(4.0));
        assert_eq!((found.chosen, found.left_out, found.saving_usd), (vec![1, 2], vec![0], 8.0));
        assert_eq!((found.used, found.needed, found.is_best), (4.0, 8.0, true));
        // A fifth machine has no use for options of four.
        assert_eq!(found.further, [1.0, 0.0]);
        let found = Portfolio::of(&items, Budget::Instances(7.0));
        assert_eq!(found.further, [1.0, 5.0]);
        assert_eq!(Portfolio::of(&items, Budget::Instances(8.0)).left_out, Vec::<usize>::new());
    }

    #[test]
    fn options_on_todays_machines_need_no_budget() {
        let items = [item(5.0, 0.0, 0, 100.0), item(7.0, 4.0, 0, 100.0)];
        for budget in [Budget::Instances(0.0), Budget::Usd(0.0)] {
            assert_eq!(Portfolio::of(&items, budget).chosen, [0], "{budget:?}");
        }
    }

    /// A saving of $5 on four machines; extra costs of $3 and $1 on four, and of $2 on today's machines.
    #[test]
    fn moves_that_cost_more_than_today_take_what_is_left_with_the_smallest_extra_cost_first() {
        let items =
            [item(5.0, 4.0, 0, 100.0), item(-3.0, 4.0, 0, 100.0), item(-1.0, 4.0, 0, 100.0), item(-2.0, 0.0, 0, 100.0)];
        for (count, chosen, left_out, saving_usd) in [
            (0.0, vec![3], vec![0, 2, 1], -2.0),
            (4.0, vec![0, 3], vec![2, 1], 3.0),
            (8.0, vec![0, 2, 3], vec![1], 2.0),
            (12.0, vec![0, 1, 2, 3], vec![], -1.0),
        ] {
            let found = Portfolio::of(&items, Budget::Instances(count));
            assert_eq!((found.chosen, found.left_out, found.saving_usd), (chosen, left_out, saving_usd), "{count}");
            assert_eq!((found.is_best, found.further, found.needed), (true, [1.0, 0.0], 12.0), "{count}");
        }
        assert_eq!(Portfolio::curve(&items, 4), [[0.0, -2.0], [4.0, 3.0], [8.0, 2.0], [12.0, -1.0]]);
        // They cost $6 and $4 on GPU machines: a budget of $10 is for one of both beside the saving of $5.
        let usd = |usd: f64, item: Item| Item { usd, ..item };
        let items = [usd(5.0, items[0]), usd(6.0, items[1]), usd(4.0, items[2])];
        let found = Portfolio::of(&items, Budget::Usd(10.0));
        assert_eq!((found.chosen, found.used, found.saving_usd), (vec![0, 2], 9.0, 4.0));
    }

    #[test]
    fn a_budget_in_dollars_is_for_all_runs_whenever_they_are() {
        // Half of each saving is the cost: 3, 2 and 2 dollars.
        let items = [item(6.0, 4.0, 0, 10.0), item(4.0, 4.0, 100, 10.0), item(4.0, 4.0, 200, 10.0)];
        let found = Portfolio::of(&items, Budget::Usd(4.0));
        assert_eq!((found.chosen, found.used, found.needed), (vec![1, 2], 4.0, 7.0));
        // 4.4 dollars buy nothing else.
        assert!((found.further[0] - 0.4).abs() < 1e-12 && found.further[1] == 0.0, "{:?}", found.further);
    }

    #[test]
    fn an_application_without_a_clock_may_run_at_any_time() {
        let items = [item(5.0, 4.0, 0, 10.0), Item { start_ms: None, ..item(7.0, 4.0, 0, 10.0) }];
        assert_eq!(Portfolio::of(&items, Budget::Instances(4.0)).chosen, [1]);
        let alone = [Item { start_ms: None, ..item(7.0, 4.0, 0, 10.0) }];
        assert_eq!(Portfolio::of(&alone, Budget::Instances(4.0)).chosen, [0]);
    }

    #[test]
    fn the_curve_rises_from_nothing_to_everything() {
        let items = [item(5.0, 4.0, 0, 100.0), item(7.0, 4.0, 50, 100.0), item(1.0, 0.0, 0, 100.0)];
        assert_eq!(Portfolio::curve(&items, 3), [[0.0, 1.0], [4.0, 8.0], [8.0, 13.0]]);
        assert_eq!(Portfolio::curve(&[], 3), [[0.0, 0.0]]);
    }

    /// Most machines at a time, by looking at every start: the load only rises there.
    fn most_at_a_time(items: &[Item], taken: u32) -> f64 {
        let chosen = || items.iter().enumerate().filter(|(at, _)| taken & (1_u32 << at) != 0).map(|(_, item)| item);
        let at = |time: f64| -> f64 {
            let runs = |item: &&Item| {
                let start = item.start_ms.map_or(f64::NEG_INFINITY, |ms| ms as f64 / 1e3);
                start <= time && (item.start_ms.is_none() || time < start + item.seconds)
            };
            chosen().filter(runs).map(|item| item.instances).sum()
        };
        let times = chosen().map(|item| item.start_ms.map_or(0.0, |ms| ms as f64 / 1e3));
        times.map(at).fold(0.0, f64::max)
    }

    /// The largest saving of all subsets within the budget.
    fn best_of_all(items: &[Item], budget: Budget) -> f64 {
        let subsets = 0..1_u32 << items.len();
        let fits = |taken: &u32| match budget {
            Budget::Instances(count) => most_at_a_time(items, *taken) <= count,
            Budget::Usd(usd) => {
                let of_gpus = |(at, item): &(usize, &Item)| *taken & (1_u32 << at) != 0 && item.instances > 0.0;
                let cost: f64 = items.iter().enumerate().filter(of_gpus).map(|(_, item)| item.usd).sum();
                cost <= usd + 1e-9
            }
        };
        let saving = |taken: u32| -> f64 {
            items.iter().enumerate().filter(|(at, _)| taken & (1_u32 << at) != 0).map(|(_, item)| item.saving_usd).sum()
        };
        subsets.filter(fits).map(saving).fold(0.0, f64::max)
    }

    fn items() -> impl Strategy<Value = Vec<Item>> {
        let item = (1_u32..1000, 0_u32..9, 1_u32..500, proptest::option::weighted(0.9, 0_u64..40), 1_u32..30);
        let item = item.prop_map(|(saving, instances, usd, start, seconds)| Item {
            saving_usd: f64::from(saving) / 10.0,
            instances: f64::from(instances),
            usd: f64::from(usd) / 10.0,
            start_ms: start.map(|start| start * 1000),
            seconds: f64::from(seconds),
        });
        proptest::collection::vec(item, 0..11)
    }

    proptest! {
        #[test]
        fn no_other_choice_of_a_small_fleet_saves_more(items in items(), count in 0_u32..24, usd in 0_u32..2000) {
            for budget in [Budget::Instances(f64::from(count)), Budget::Usd(f64::from(usd) / 10.0)] {
                let found = Portfolio::of(&items, budget);
                prop_assert!(found.is_best);
                prop_assert!(found.used <= budget.amount() + 1e-9, "{found:?}");
                let expected = best_of_all(&items, budget);
                prop_assert!((found.saving_usd - expected).abs() < 1e-6, "{found:?}: {expected}");
                let sum: f64 = found.chosen.iter().map(|at| items[*at].saving_usd).sum();
                prop_assert!((sum - found.saving_usd).abs() < 1e-9);
                prop_assert_eq!(found.chosen.len() + found.left_out.len(), items.len());
            }
        }
    }
}

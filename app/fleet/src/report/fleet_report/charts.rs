//! The charts in the report of a fleet.

use crossover_chart::Chart;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::lines::{Labelled, LineChart, Series};
use crossover_chart::theme::Token;
use crossover_decision::words::dollars;
use crossover_quantity::text::{counted, shortened};
use crossover_quantity::unit::Unit;

use super::{FleetApplication, FleetReport, LONGEST_NAME, saving};
use crate::charts;

/// Bars of a chart.
const BARS: usize = 10;

impl FleetReport {
    /// "Which moves save most?"
    pub(super) fn savings(&self) -> Option<Chart> {
        let mut best: Vec<&FleetApplication> = self.applications.iter().filter(|one| saving(one) > 0.0).collect();
        best.sort_by(|a, b| saving(b).total_cmp(&saving(a)));
        let all: f64 = best.iter().map(|one| saving(one)).sum();
        let shown: f64 = best.iter().take(BARS).map(|one| saving(one)).sum();
        let bars = best.len().min(BARS);
        if bars == 0 {
            return None;
        }
        let row = |one: &&FleetApplication| BarRow {
            group: shortened(one.label(), LONGEST_NAME),
            label: String::new(),
            token: Token::Gpu,
            start: 0.0,
            segments: vec![Segment { name: "expected saving".to_owned(), token: Token::Gpu, value: saving(one) }],
            total: saving(one),
            // An end below zero has no place; the table has it.
            interval: one.saving_usd.map(|[_, low, high]| [low.max(0.0), high]),
            note: String::new(),
            detail: String::new(),
        };
        Some(Chart::Bars(BarChart {
            title: "Which moves save most?".to_owned(),
            subtitle: format!("expected saving {}, with its 90 % interval", self.period),
            answer: format!(
                "{} of {} {} {} of the expected saving.",
                Unit::Count.format(bars as f64),
                counted(best.len() as f64, "move"),
                if bars == 1 { "brings" } else { "bring" },
                Unit::Share.format((shown / all * 100.0).floor() / 100.0)
            ),
            step_unit: 1.0,
            unit_format: dollars,
            rows: best.iter().take(BARS).map(row).collect(),
        }))
    }

    /// "What does each number of GPU machines save?"
    pub(super) fn sizes(&self) -> Option<Chart> {
        let &[needed, all] = self.curve.last().filter(|_| self.curve.len() > 1)?;
        let labelled = |[x, y]: [f64; 2]| Labelled {
            label: "budget".to_owned(),
            short: String::new(),
            x,
            y,
            token: Token::Accent,
        };
        // Moves may cost more than today, where today's runs break the limit.
        let effect = if all < 0.0 {
            format!("cost {} more {}", dollars(-all), self.period)
        } else {
            format!("save {} {}", dollars(all), self.period)
        };
        let savings = self.curve.iter().chain(&self.budget).map(|[_, saving]| *saving);
        let [least, most] = savings
            .fold([0.0, f64::MIN_POSITIVE], |[least, most]: [f64; 2], saving| [least.min(saving), most.max(saving)]);
        Some(Chart::Lines(LineChart {
            subtitle: format!("expected saving {}", self.period),
            answer: format!(
                "All recommended moves need up to {} GPU machines at a time and {effect}.",
                Unit::Count.format(needed)
            ),
            series: vec![Series::steps("best choice of applications", Token::Gpu, self.curve.clone())],
            points: self.budget.map(labelled).into_iter().collect(),
            ..LineChart::new(
                "What does each number of GPU machines save?",
                Axis {
                    label: "GPU machines at a time".to_owned(),
                    format: |count: f64| Unit::Count.format(count.round()),
                    scale: Scale::Linear,
                    range: [0.0, needed],
                    step_unit: 1.0,
                },
                Axis {
                    label: format!("expected saving {}", self.period),
                    format: dollars,
                    scale: Scale::Linear,
                    range: [least, most],
                    step_unit: 1.0,
                },
            )
        }))
    }

    /// "Why do applications not move?"
    pub(super) fn reasons(&self) -> Chart {
        let blockers = self.sorted_blockers();
        Chart::Bars(charts::blockers(blockers.iter().map(|one| (one.name, one.applications, one.seconds))))
    }
}

//! The stability map as a chart, and its answer in one sentence.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::map::{self, MapChart, Mark, Pattern};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_regulation::stability::{Behaviour, Cell, Map};
use crossover_regulation::tuning::remaining::NO_REMAINING_ERROR;
use crossover_regulation::{Controller, Regulation};

use super::{Performance, Proposal, rounded};

/// The question of the map.
pub(super) const TITLE: &str = "Which gains settle?";

/// The figure that the colours of the map show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Measure {
    /// Settling time, periods.
    #[default]
    Settling,
    /// Largest error of opposite sign ÷ largest error before the first zero crossing.
    Overshoot,
    /// Remaining error at the end.
    Error,
}

impl Measure {
    pub(super) const ALL: [Self; 3] = [Self::Settling, Self::Overshoot, Self::Error];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Settling => "settling periods",
            Self::Overshoot => "overshoot",
            Self::Error => "remaining error",
        }
    }

    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Settling => "Periods from the last change of demand to the last action",
            Self::Overshoot => {
                "Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of all clusters"
            }
            Self::Error => "The largest |mean p_p − mean p_d| among clusters whose actuators are not at a limit",
        }
    }

    fn unit(self) -> Unit {
        match self {
            Self::Settling => Unit::Count,
            Self::Overshoot | Self::Error => Unit::Share,
        }
    }

    fn of(self, cell: &Cell) -> Option<f64> {
        match self {
            Self::Settling => cell.settling_periods.map(|periods| periods as f64),
            Self::Overshoot => Some(cell.overshoot),
            Self::Error => Some(cell.remaining_error),
        }
    }
}

/// The map of a controller as a chart.
pub(super) fn chart(
    study: &Regulation,
    controller: &Controller,
    map: &Map,
    measure: Measure,
    proposals: &[Proposal],
) -> MapChart {
    let gain = |label: &str, gains: &[f64]| Axis {
        label: label.to_owned(),
        format: Unit::Ratio.formatter(),
        scale: Scale::Linear,
        range: with_whole_cells(gains),
        step_unit: 1.0,
    };
    let category = |name: &str, pattern| map::Category { name: name.to_owned(), pattern };
    let derivative = if controller.form.has_derivative() {
        format!(" · Kd {}", Unit::Ratio.format(controller.kd))
    } else {
        String::new()
    };
    let present = Mark { label: controller.name.clone(), x: controller.kp, y: controller.ki, is_present: true };
    // The colours are for the present Kd.
    let with_kd = |proposal: &Proposal| {
        let is_other = proposal.form.has_derivative() && proposal.gains.kd.to_bits() != controller.kd.to_bits();
        let kd = Unit::Ratio.format(rounded(proposal.gains.kd));
        if is_other { format!("{}, Kd {kd}", proposal.name) } else { proposal.name.to_owned() }
    };
    let proposed = proposals.iter().map(|proposal| Mark {
        label: with_kd(proposal),
        x: proposal.gains.kp,
        y: proposal.gains.ki,
        is_present: false,
    });
    MapChart {
        title: TITLE.to_owned(),
        subtitle: format!(
            "{}{derivative} · {} × {} of {}",
            controller.name,
            map.kp.len(),
            counted(map.ki.len() as f64, "run"),
            counted(study.run.periods, "period")
        ),
        answer: answer(study, controller, map) + &uniform(map, measure),
        x: gain("proportional gain Kp", &map.kp),
        y: gain("integral gain Ki, per period", &map.ki),
        xs: map.kp.clone(),
        ys: map.ki.clone(),
        value: value_axis(map, measure),
        cells: map
            .cells
            .iter()
            .map(|cell| map::Cell {
                value: measure.of(cell),
                category: match cell.behaviour {
                    Behaviour::Settles => 0,
                    Behaviour::SettlesWithError => 1,
                    Behaviour::DoesNotSettle => 2,
                },
            })
            .collect(),
        categories: vec![
            category("settles", Pattern::Plain),
            category("settles with error", Pattern::Rising),
            category("does not settle", Pattern::Crossed),
        ],
        contours: Vec::new(),
        marks: proposed.chain([present]).collect(),
        gesture: "Click or drag to use these gains",
        is_stale: false,
    }
}

/// The range of an axis on which the first and the last cell are as large as the others: half a step more at the ends.
fn with_whole_cells(gains: &[f64]) -> [f64; 2] {
    match gains {
        [first, second, .., last] => {
            let half = 0.5 * (second - first);
            [first - half, last + half]
        }
        _ => [0.0, 1.0],
    }
}

/// Settling takes a few periods to hundreds, so its colours have equal ratios.
fn value_axis(map: &Map, measure: Measure) -> Axis {
    let values = || map.cells.iter().filter_map(|cell| measure.of(cell)).filter(|value| value.is_finite());
    let most = values().fold(0.0, f64::max);
    let least = values().filter(|value| *value > 0.0).fold(most, f64::min);
    let (scale, range) = match measure {
        Measure::Settling => (Scale::Log, [least, most]),
        Measure::Overshoot | Measure::Error => (Scale::Linear, [0.0, most]),
    };
    Axis { label: measure.label().to_owned(), format: measure.unit().formatter(), scale, range, step_unit: 1.0 }
}

/// Whether the current gains settle, and the share of gains that settle.
fn answer(study: &Regulation, controller: &Controller, map: &Map) -> String {
    let share =
        map.cells.iter().filter(|cell| cell.behaviour == Behaviour::Settles).count() as f64 / map.cells.len() as f64;
    if map.cells.iter().all(|cell| cell.settling_periods.is_none()) {
        return "None of these gains settles in this run. Show the remaining error, or choose demand that is constant at the end."
            .to_owned();
    }
    let others =
        format!("{} of the gains shown settle without remaining error.", Unit::Share.format(rounded_share(share)));
    let Some(cell) = nearest(map, controller.kp, controller.ki) else { return others };
    let kind = match cell.behaviour {
        Behaviour::Settles => "settle",
        Behaviour::SettlesWithError if cell.remaining_error > NO_REMAINING_ERROR => {
            "are too low: steady-state error that higher gains remove"
        }
        Behaviour::SettlesWithError => "settle, but other gains leave a smaller steady-state error",
        Behaviour::DoesNotSettle => "do not settle",
    };
    let words = Performance::from(cell).in_words(study);
    format!("The gains of {} {kind}: {words}. {others}", controller.name)
}

/// A sentence where the map has one colour only.
fn uniform(map: &Map, measure: Measure) -> String {
    let mut values = map.cells.iter().map(|cell| measure.of(cell));
    let Some(Some(first)) = values.next() else { return String::new() };
    let is_uniform = values.all(|value| value == Some(first));
    if is_uniform {
        format!(" All gains: {} {}.", measure.label(), measure.unit().format(first))
    } else {
        String::new()
    }
}

/// Whole per cent; not 0 or 100 unless it is.
fn rounded_share(share: f64) -> f64 {
    let rounded = (100.0 * share).round() / 100.0;
    if share > 0.0 && share < 1.0 { rounded.clamp(0.01, 0.99) } else { rounded }
}

fn nearest(map: &Map, kp: f64, ki: f64) -> Option<&Cell> {
    let index = |gains: &[f64], gain: f64| {
        let inside = gains.first()? <= &gain && gain <= *gains.last()?;
        let distance = |index: &usize| (gains[*index] - gain).abs();
        (0..gains.len()).filter(|_| inside).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    map.cell(index(&map.kp, kp)?, index(&map.ki, ki)?)
}

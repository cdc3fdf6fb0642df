//! The stability map as a chart, and what it says in one sentence.

use crossover_model::regulation::stability::{Cell, Class, Map};
use crossover_model::regulation::{Controller, Regulation};
use crossover_model::unit::Unit;

use super::{Proposal, in_words};
use crate::chart::axis::{Axis, Scale, formatter};
use crate::chart::map::{self, MapChart, Mark, Pattern};

/// The question of the map.
pub(super) const TITLE: &str = "Which gains are safe?";

/// What the colours of the map mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Measure {
    /// Periods until nothing is moved any more.
    #[default]
    Settling,
    /// How far an error goes beyond zero.
    Overshoot,
    /// Error in the end.
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
            Self::Settling => "Periods from the last change of demand until nothing was moved any more",
            Self::Overshoot => "How far an error went beyond zero to the other side, as a share of the first error",
            Self::Error => "Mean |e| over the last periods, of the cluster where it is largest",
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
            Self::Error => Some(cell.steady_state_error),
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
    let values = map.cells.iter().filter_map(|cell| measure.of(cell));
    let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let gain = |label: &str, gains: &[f64]| Axis {
        label: label.to_owned(),
        format: formatter(Unit::Ratio),
        scale: Scale::Linear,
        range: [gains.first().copied().unwrap_or(0.0), gains.last().copied().unwrap_or(1.0)],
    };
    let class = |name: &str, pattern| map::Class { name: name.to_owned(), pattern };
    let derivative = if controller.form.has_derivative() {
        format!(" · Kd {}", Unit::Ratio.format(controller.kd))
    } else {
        String::new()
    };
    let present = Mark { label: controller.name.clone(), x: controller.kp, y: controller.ki, is_present: true };
    let proposed = proposals.iter().map(|proposal| Mark {
        label: proposal.name.to_owned(),
        x: proposal.gains.kp,
        y: proposal.gains.ki,
        is_present: false,
    });
    MapChart {
        title: TITLE.to_owned(),
        subtitle: format!(
            "{}{derivative} · {} × {} runs of {} periods",
            controller.name,
            map.kp.len(),
            map.ki.len(),
            Unit::Count.format(study.run.periods)
        ),
        answer: answer(study, controller, map),
        x: gain("proportional gain Kp", &map.kp),
        y: gain("integral gain Ki, per period", &map.ki),
        xs: map.kp.clone(),
        ys: map.ki.clone(),
        value: Axis {
            label: measure.label().to_owned(),
            format: formatter(measure.unit()),
            scale: Scale::Linear,
            range: [0.0, most],
        },
        cells: map
            .cells
            .iter()
            .map(|cell| map::Cell {
                value: measure.of(cell),
                class: match cell.class {
                    Class::Settles => 0,
                    Class::SettlesWithError => 1,
                    Class::KeepsMoving => 2,
                },
            })
            .collect(),
        classes: vec![
            class("settles", Pattern::Plain),
            class("stops too early: an error stays", Pattern::Rising),
            class("keeps moving", Pattern::Crossed),
        ],
        marks: proposed.chain([present]).collect(),
        is_stale: false,
    }
}

/// What the map says about the present gains, and about the others.
fn answer(study: &Regulation, controller: &Controller, map: &Map) -> String {
    let share = map.cells.iter().filter(|cell| cell.class == Class::Settles).count() as f64 / map.cells.len() as f64;
    if map.cells.iter().all(|cell| cell.settling_periods.is_none()) {
        return "None of these gains settles in this run. Look at the remaining error, or let demand rest at the end."
            .to_owned();
    }
    let others =
        format!("{} of the gains shown settle without avoidable error.", Unit::Share.format(rounded_share(share)));
    let Some(cell) = nearest(map, controller.kp, controller.ki) else { return others };
    let kind = match cell.class {
        Class::Settles => "safe",
        Class::SettlesWithError => "too weak: the dead zone keeps an error that other gains remove",
        Class::KeepsMoving => "not safe: they never come to rest",
    };
    let words = in_words(cell.settling_periods, cell.overshoot, cell.steady_state_error, study);
    format!("The gains of {} are {kind} ({words}). {others}", controller.name)
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

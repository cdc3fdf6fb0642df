//! 90 % bands of the curves of operators: the uncertain numbers of the study are drawn together, in rounds on the thread of the page.

use crossover_page::compute::background::Ticket;
use crossover_page::compute::watched::watched;
use crossover_placement::curves::speedups;
use crossover_placement::{Placement, Variant};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_study::along::samples;
use crossover_tools::bands::in_whole_percent;
use crossover_tools::joint::{self, Intervals};
use crossover_tools::rounds::Kept;
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Sampling, Unknowns};

use super::view_options::{ClassCurves, ViewOptions};

/// Points of each band: fewer than of a curve, each takes all samples.
const POINTS: usize = 65;
/// Samples of the last round.
const SAMPLES: usize = 256;
/// A band that is narrower than this share of its speedup everywhere is not drawn.
const NARROW: f64 = 1e-9;

/// The bands as far as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct CurveBands {
    kept: Kept,
    xs: Vec<f64>,
    found: Option<Intervals>,
    /// Why there are none.
    problem: Option<String>,
}

impl CurveBands {
    /// Whether another round makes them more exact, or is the first.
    pub(super) fn is_refinable(&self, study: &Placement) -> bool {
        let is_whole = self.found.as_ref().is_some_and(|found| found.samples == SAMPLES);
        !is_whole && self.problem.is_none() && !Unknowns::of(study).is_empty()
    }

    /// The next round, with twice the samples; `None` if it was cancelled.
    pub(super) fn next(
        &self,
        study: &Placement,
        look: &ViewOptions,
        classes: &[ClassCurves],
        ticket: &Ticket,
    ) -> Option<Self> {
        let before = self.found.as_ref().map_or(0, |found| found.samples);
        let samples_of_round = (2 * before).clamp(LEAST_SAMPLES, SAMPLES);
        let xs = samples(look.axis.window(study), POINTS, look.log_x);
        let values = |study: &Placement| -> Vec<f64> {
            classes.iter().flat_map(|class| speedups(study, class.operator, look.axis, &xs)).flatten().collect()
        };
        let count: usize = classes.iter().map(|class| class.curves.len() * xs.len()).sum();
        let (sampling, mut kept) = (Sampling { samples: SAMPLES, ..Sampling::default() }, self.kept.clone());
        let found = watched(ticket, samples_of_round - before, |watch| {
            joint::round(study, &sampling, samples_of_round, (count, values), &mut kept, watch)
        });
        Some(match found {
            Ok(found) => Self { kept, xs, found: Some(found?), problem: None },
            Err(error) => Self { problem: Some(error.to_string()), ..Self::default() },
        })
    }

    /// The band of a curve of a class: x, P5 and P95; empty where it has none.
    pub(super) fn of(&self, classes: &[ClassCurves], class: usize, curve: usize) -> Vec<[f64; 3]> {
        let Some(found) = &self.found else { return Vec::new() };
        let before: usize = classes[..class].iter().map(|class| class.curves.len()).sum();
        let ends = found.ends.iter().skip((before + curve) * self.xs.len());
        let points: Vec<[f64; 3]> =
            self.xs.iter().zip(ends).filter_map(|(x, ends)| ends.map(|[low, high]| [*x, low, high])).collect();
        let is_wide = |[_, low, high]: &[f64; 3]| high - low > NARROW * high.abs();
        if points.iter().any(is_wide) { points } else { Vec::new() }
    }

    /// What a band is, for the legend; `None` without bands.
    pub(super) fn about(&self) -> Option<String> {
        if let Some(problem) = &self.problem {
            return Some(format!("no bands: {problem}"));
        }
        let found = self.found.as_ref()?;
        // Without an interval that has a width, nothing is drawn.
        let error = found.error?;
        let error = Unit::Share.format(in_whole_percent(error));
        Some(format!(
            "band: 90 % interval, {} of {}; ends ± {error} of its width",
            counted(found.samples as f64, "sample"),
            counted(found.unknown as f64, "uncertain number")
        ))
    }
}

/// Name of the band of a curve in a legend.
pub(super) fn name(study: &Placement, variant: Variant) -> String {
    format!("{}, 90 % interval", variant.label(study))
}

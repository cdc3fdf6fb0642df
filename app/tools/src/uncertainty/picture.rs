//! The picture of the page without a scenario.

use crossover_chart::Chart;
use crossover_study::Watch;
use crossover_tools::{Sampling, uncertainty};

use super::{DEFAULT_SPREAD, charts};
use crate::sample;

/// Samples of the picture.
const SAMPLES: usize = 512;

/// A figure of the sample, with every number within its default uncertainty.
pub(super) fn picture() -> Option<Chart> {
    let study = sample::study()?;
    let sampling = Sampling {
        samples: SAMPLES,
        spread_all: Some(DEFAULT_SPREAD),
        figures: vec![sample::FIGURE.to_owned()],
        ..Sampling::default()
    };
    let sampled = Watch::uncancellable(|watch| uncertainty(study.subject(), &sampling, watch)).ok()??;
    Some(Chart::Lines(charts::distribution(sampled.figures.first()?, false)?))
}

//! The picture of the page without a scenario.

use crossover_chart::Chart;
use crossover_study::Watch;
use crossover_tools::{Map, map};

use super::chart;
use crate::sample;

/// Its numbers, with their values.
const SAMPLE: [&str; 2] = ["cluster.machines=10..10000:48:log", "gpu.gpu_parallelism=8..1024:32:log"];

/// A figure of the sample over two of its numbers.
pub(super) fn picture() -> Option<Chart> {
    let study = sample::study()?;
    let [x, y] = SAMPLE.map(|text| sample::range(&study, text));
    let request = Map { x: x?, y: y?, figures: vec![sample::FIGURE.to_owned()] };
    let mapped = Watch::uncancellable(|watch| map(study.subject(), &request, watch)).ok()??;
    let of = mapped.figures.first()?;
    Some(Chart::Map(chart::chart(&mapped, of, of.usual_level(), None, None)))
}

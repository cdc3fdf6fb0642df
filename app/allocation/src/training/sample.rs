//! The sample of the page without measured runs: networks that were trained on an H100 (`gpu-bench/results`).

use std::path::PathBuf;

use crossover_chart::Chart;
use crossover_predict::train::{Dataset, FeatureSet, Options, Target, train};
use crossover_study::Watch;

use super::chart;
use crate::sample_files::SampleFiles;

/// What the sample is.
pub(super) const NAME: &str = "101 networks, measured on an H100";
/// Name and text of the runs.
const RUNS: (&str, &str) = (
    "nvidia-h100-80gb-hbm3-2026-11-27-networks.csv",
    include_str!("../../../../gpu-bench/results/nvidia-h100-80gb-hbm3-2026-11-27-networks.csv"),
);

/// The file of the sample. Kept while the window is open, once it was opened.
#[derive(Debug)]
pub(super) struct SampleRuns(SampleFiles);

impl SampleRuns {
    /// Writes it.
    pub(super) fn write() -> Result<Self, String> {
        SampleFiles::write(&[RUNS]).map(Self)
    }

    /// The runs.
    pub(super) fn runs(&self) -> PathBuf {
        self.0.path(RUNS.0)
    }
}

/// The learning curve of a predictor of GPU utilisation.
pub(super) fn picture() -> Option<Chart> {
    let sample = SampleRuns::write().ok()?;
    let data = Dataset::read(&sample.runs(), Target::Compute, FeatureSet::BeforeTheRun).ok()?;
    let mut curve = Vec::new();
    let options = Options::default();
    Watch::uncancellable(|watch| train(&data, &options, watch, &mut |epoch| curve.push(epoch))).ok()?;
    Some(Chart::Lines(chart::learning(&curve)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Training stops no later than its options say, and a network learns something of its training set.
    #[test]
    fn the_picture_is_a_learning_curve_with_a_falling_training_error() {
        let Some(Chart::Lines(chart)) = picture() else { panic!("no picture") };
        let [training, validation] = &chart.series[..] else { panic!("two curves: {:?}", chart.series) };
        assert_eq!(training.points.len(), validation.points.len());
        assert!(training.points.len() <= Options::default().most_epochs);
        let [first, last] = [training.points.first(), training.points.last()].map(|end| end.expect("an epoch")[1]);
        assert!(last < first, "{first} … {last}");
    }
}

//! Everything that is derived from the run on screen: its charts, and the speedups of operators.

use crossover_chart::Chart;
use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;

use super::roof;
use super::run::Run;
use super::speedups::Speedups;
use super::sweeps::Sweeps;

/// What is derived from a run.
#[derive(Debug, Default)]
pub(super) struct Board {
    /// The revision of the run that it was computed from.
    revision: Option<u64>,
    pub(super) sweeps: Sweeps,
    pub(super) roof: Option<BarChart>,
    pub(super) speedups: Option<Speedups>,
}

impl Board {
    /// The charts, in their order on the page.
    pub(super) fn charts(&self) -> Vec<Chart> {
        let sweeps = self.sweeps.charts.iter().cloned().map(Chart::Lines);
        sweeps.chain(self.roof.iter().cloned().map(Chart::Bars)).collect()
    }

    /// Their titles and subtitles.
    pub(super) fn captions(&self) -> impl Iterator<Item = [&str; 2]> {
        let roof = self.roof.iter().map(|chart| [chart.title.as_str(), chart.subtitle.as_str()]);
        self.sweeps.charts.iter().map(LineChart::captions).chain(roof)
    }

    /// Derives everything again if the run has changed.
    pub(super) fn refresh(&mut self, run: &Run) {
        if self.revision != Some(run.revision()) {
            let calibration = run.report().and_then(|report| report.calibration.as_ref());
            let has_gpu = run.report().is_some_and(|report| report.adapter.is_some());
            *self = Self {
                revision: Some(run.revision()),
                sweeps: Sweeps::new(run),
                // The roof of a software adapter is that of the CPU's memory.
                roof: if run.is_software() { None } else { roof::chart(run.results()) },
                speedups: calibration
                    .filter(|it| !it.operators.is_empty())
                    .map(|calibration| Speedups::new(calibration, has_gpu)),
            };
        }
    }
}

//! The sample of the page without recorded jobs: synthetic jobs of a day on four nodes, which waited in one queue without backfilling.

use std::path::PathBuf;

use crossover_allocation::{HistoryOptions, Policy};
use crossover_chart::Chart;
use crossover_study::Watch;

use super::chart;
use super::jobs::RecordedJobs;
use crate::sample_files::SampleFiles;

/// What the sample is.
pub(super) const NAME: &str = "96 synthetic jobs of one day on four nodes";
/// Name and text of the jobs and of the nodes.
const JOBS: (&str, &str) = ("sample-jobs.txt", include_str!("../../samples/jobs.txt"));
const NODES: (&str, &str) = ("sample-nodes.txt", include_str!("../../samples/nodes.txt"));
/// Policies of the picture: the page replays all.
const POLICIES: [Policy; 3] = [Policy::MostLeft, Policy::Random, Policy::Fgd];

/// The files of the sample. Kept while the window is open, once they were opened.
#[derive(Debug)]
pub(super) struct SampleJobs(SampleFiles);

impl SampleJobs {
    /// Writes them.
    pub(super) fn write() -> Result<Self, String> {
        SampleFiles::write(&[JOBS, NODES]).map(Self)
    }

    /// The jobs.
    pub(super) fn jobs(&self) -> PathBuf {
        self.0.path(JOBS.0)
    }

    /// The nodes.
    pub(super) fn nodes(&self) -> PathBuf {
        self.0.path(NODES.0)
    }
}

/// Waits in the record and under some policies.
pub(super) fn picture() -> Option<Chart> {
    let sample = SampleJobs::write().ok()?;
    let recorded = RecordedJobs::read(Some(&sample.nodes()), &sample.jobs()).ok()?;
    let options = HistoryOptions { policies: POLICIES.to_vec(), seed: 42, preempts: false };
    let replayed = Watch::uncancellable(|watch| recorded.replay(&options, watch))?.ok()?;
    Some(Chart::Bars(chart::waits(&replayed.results(None))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The recorded waits by the columns Submit and Start of the table: p95 is between the fifth and the sixth longest of 96.
    #[test]
    fn the_picture_has_the_recorded_waits_first_and_a_bar_for_each_policy() {
        let Some(Chart::Bars(chart)) = picture() else { panic!("no picture") };
        let groups: Vec<&str> = chart.rows.iter().map(|row| row.group.as_str()).collect();
        let replayed = POLICIES.map(Policy::label);
        assert_eq!(groups, [["Recorded", "One queue (Slurm)"].as_slice(), replayed.as_slice()].concat());
        let time = |text: &str| text.parse::<jiff::civil::DateTime>().expect("a time");
        let wait = |line: &str| {
            let columns: Vec<&str> = line.split('|').collect();
            time(columns[5]).duration_since(time(columns[3])).as_secs_f64()
        };
        let mut waits: Vec<f64> = JOBS.1.lines().skip(1).map(wait).collect();
        waits.sort_by(f64::total_cmp);
        assert_eq!(waits.len(), 96);
        assert!((waits[90]..=waits[91]).contains(&chart.rows[0].total), "{waits:?} {}", chart.rows[0].total);
    }
}

//! Tasks on each GPU over time, from the log of a replay; prepared once for each outcome.

use std::collections::BTreeMap;

use crossover_allocation::{Described, Log, PlacedRun, Policy, WHOLE, placed_runs};

/// A GPU of the cluster, with what ran on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Index of the node in the cluster.
    pub(super) node: usize,
    /// Index of the GPU on the node.
    pub(super) gpu: usize,
    /// In the order of their start.
    pub(super) bars: Vec<Bar>,
}

/// A task on a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    /// Index of its run in the log.
    pub(super) task_run: usize,
    pub(super) from: f64,
    pub(super) until: f64,
    /// Lower and upper end of its share of the GPU, 0 … 1.
    pub(super) share: [f32; 2],
    /// Latest end of this bar and all before it: where a search for bars at a time begins.
    latest: f64,
}

/// All GPUs of a cluster over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Timeline {
    pub(super) rows: Vec<Row>,
    /// When the last task ended, seconds.
    pub(super) end: f64,
    /// Running tasks after each change, in the order of time.
    running: Vec<Running>,
}

/// Running tasks from a time on.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Running {
    at: f64,
    /// Number of tasks.
    pub(super) tasks: usize,
    /// GPUs that are allocated to them.
    pub(super) gpus: f64,
}

impl Timeline {
    /// The timeline of a log.
    pub(super) fn new(described: &Described, policy: Policy, log: &Log) -> Self {
        let mut first_row = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        for (node, left) in described.cluster.nodes.iter().enumerate() {
            first_row.push(rows.len());
            rows.extend((0..usize::from(left.gpus)).map(|gpu| Row { node, gpu, bars: Vec::new() }));
        }
        let runs = placed_runs(described, policy, log);
        for PlacedRun { index, task_run, gpus, .. } in &runs {
            for of in gpus {
                let row = first_row[task_run.place.node] + of.gpu;
                rows[row].add(*index, task_run.from, task_run.until, of.compute);
            }
        }
        let end = log.task_runs.iter().map(|task_run| task_run.until).fold(0.0, f64::max);
        Self { rows, end, running: running(&runs) }
    }

    /// Running tasks at a time.
    pub(super) fn running(&self, at: f64) -> Running {
        let after = self.running.partition_point(|running| running.at <= at);
        after.checked_sub(1).map_or(Running::default(), |last| self.running[last])
    }
}

/// Sums over the runs at each start and end.
fn running(runs: &[PlacedRun<'_>]) -> Vec<Running> {
    let mut changes: Vec<(f64, i8, &PlacedRun<'_>)> =
        runs.iter().flat_map(|run| [(run.task_run.from, 1, run), (run.task_run.until, -1, run)]).collect();
    changes.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Pieces of a task begin and end together, and count once.
    let mut pieces: BTreeMap<u64, i64> = BTreeMap::new();
    let mut steps: Vec<Running> = Vec::new();
    let mut gpus = 0.0;
    for (at, change, run) in changes {
        // A task may restart at the time of its preemption: then its start comes before its end.
        let count = pieces.entry(run.task_run.task).or_default();
        *count += i64::from(change);
        if *count == 0 {
            pieces.remove(&run.task_run.task);
        }
        let held: u32 = run.gpus.iter().map(|of| u32::from(of.compute)).sum();
        gpus += f64::from(change) * f64::from(held) / f64::from(WHOLE);
        let step = Running { at, tasks: pieces.len(), gpus: gpus.max(0.0) };
        match steps.last_mut() {
            Some(last) if last.at == at => *last = step,
            _ => steps.push(step),
        }
    }
    steps
}

impl Row {
    fn add(&mut self, task_run: usize, from: f64, until: f64, share: u16) {
        let size = f32::from(share) / f32::from(WHOLE);
        // The lowest gap that is wide enough beside running tasks.
        let mut running: Vec<[f32; 2]> =
            self.bars_at(from).filter(|bar| bar.until > from).map(|bar| bar.share).collect();
        running.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut low = 0.0_f32;
        for [begin, end] in running {
            if begin - low >= size - 1e-4 {
                break;
            }
            low = low.max(end);
        }
        // Changed shares may leave no gap: such a task is drawn over others.
        let low = low.min(1.0 - size).max(0.0);
        let latest = self.bars.last().map_or(until, |bar| bar.latest.max(until));
        self.bars.push(Bar { task_run, from, until, share: [low, low + size], latest });
    }

    /// Bars that may be there at a time: all that begin until then, without leading bars that have ended.
    pub(super) fn bars_at(&self, time: f64) -> impl Iterator<Item = &Bar> {
        self.bars_in([time, time])
    }

    /// Bars that may be there between two times.
    pub(super) fn bars_in(&self, [from, until]: [f64; 2]) -> impl Iterator<Item = &Bar> {
        let first = self.bars.partition_point(|bar| bar.latest < from);
        let last = self.bars.partition_point(|bar| bar.from <= until);
        self.bars[first.min(last)..last].iter().filter(move |bar| bar.until >= from)
    }
}

#[cfg(test)]
mod tests {
    use crossover_allocation::THOUSANDTH;

    use super::Row;

    #[test]
    fn tasks_on_one_gpu_lie_beside_each_other() {
        let mut row = Row { node: 0, gpu: 0, bars: Vec::new() };
        row.add(0, 0.0, 10.0, 400 * THOUSANDTH);
        row.add(1, 1.0, 5.0, 300 * THOUSANDTH);
        row.add(2, 2.0, 20.0, 300 * THOUSANDTH);
        // The gap that the second one left.
        row.add(3, 6.0, 9.0, 300 * THOUSANDTH);
        let shares: Vec<[f32; 2]> = row.bars.iter().map(|bar| bar.share).collect();
        for (found, expected) in shares.iter().zip([[0.0, 0.4], [0.4, 0.7], [0.7, 1.0], [0.4, 0.7]]) {
            assert!((found[0] - expected[0]).abs() < 1e-3 && (found[1] - expected[1]).abs() < 1e-3, "{shares:?}");
        }
        let at = |time: f64| row.bars_at(time).map(|bar| bar.task_run).collect::<Vec<_>>();
        assert_eq!(at(4.0), [0, 1, 2]);
        assert_eq!(at(15.0), [2]);
        assert_eq!(row.bars_in([5.5, 7.0]).map(|bar| bar.task_run).collect::<Vec<_>>(), [0, 2, 3]);
    }
}

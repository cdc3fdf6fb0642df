//! Costs of starting and preempting kernels, in cycles and in work.

use super::observer::Observer;
use super::simulate::{Running, Simulation};
use super::waiting::{Head, QueueKind};
use super::weigh::preempt_cycles;

impl<O: Observer> Simulation<'_, O> {
    /// Cycles before a waiting launch starts.
    pub(super) fn cost_of_beginning(&self, next: Head) -> f64 {
        self.cost_of_loading(next, None) + self.cost_of_displacing(next.kernel, None)
    }

    /// Cycles to save the blocks that a launch displaces; `without` is the running launch that is preempted.
    pub(super) fn cost_of_displacing(&self, kernel: usize, without: Option<usize>) -> f64 {
        let bytes = self.division(kernel, without).displaced_bytes;
        preempt_cycles(self.rule, self.miss_rate(without), bytes)
    }

    /// Cycles to load the context of a launch again, if it was saved; `without` is the running launch that is preempted.
    pub(super) fn cost_of_loading(&self, next: Head, without: Option<usize>) -> f64 {
        if next.sort != QueueKind::Preempted || self.rule.restore <= 0.0 || !self.policy.saves() {
            return 0.0;
        }
        let launch = next.launch as usize;
        let bytes = self.simulator.specs[next.kernel].context(self.left[launch], self.launches.cycles[launch]);
        self.rule.restore * preempt_cycles(self.rule, self.miss_rate(without), bytes)
    }

    /// Cycles to save the context of a running launch.
    pub(super) fn cost_of_saving(&self, victim: &Running, index: usize) -> f64 {
        let all = self.launches.cycles[victim.launch as usize];
        let bytes = self.simulator.specs[victim.kernel].context(victim.left, all);
        preempt_cycles(self.rule, self.miss_rate(Some(index)), bytes)
    }

    /// Mean miss rate of the kernels that keep running.
    fn miss_rate(&self, victim: Option<usize>) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for (index, running) in self.running.iter().enumerate() {
            if Some(index) != victim {
                sum += self.simulator.specs[running.kernel].miss_rate;
                count += 1.0;
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// Work of a launch in its present wave of blocks, and of a whole wave.
    pub(super) fn in_wave(&self, running: &Running) -> (f64, f64) {
        let all = self.launches.cycles[running.launch as usize];
        let wave = all / self.simulator.specs[running.kernel].waves;
        let done = all - running.left;
        // What is a whole number of waves but for rounding has just begun the next.
        let waves = (done / wave + 1e-9).floor();
        ((done - waves * wave).max(0.0), wave)
    }
}

//! Blocks of running kernels that a launch displaces.
//!
//! The runtime of the published method gives a launch the free resources first. Where they do not suffice, it takes a part of those
//! of the running kernels, whose blocks are saved; how large a part is that of dominant-resource fairness.

use super::observer::Observer;
use super::policy::Policy;
use super::simulate::{Running, Simulation};
use super::study::Displacement;

/// Rounding of shares of a multiprocessor.
const ROUNDING: f64 = 1e-9;

/// How a launch divides the blocks with the running ones.
#[derive(Debug)]
pub(super) struct Division {
    /// Share of its blocks alone that each running launch keeps, in their order, without the preempted one.
    keeps: Vec<f64>,
    /// Share of its blocks alone that the launch gets.
    own: f64,
    /// Registers and shared memory of the displaced blocks.
    pub(super) displaced_bytes: f64,
}

/// Share of its blocks alone that each of several kernels has.
struct Shares {
    of: Vec<f64>,
    /// Whether each is on multiprocessors of its own.
    are_apart: bool,
}

impl<O: Observer> Simulation<'_, O> {
    /// Whether launches displace blocks of running kernels, which are saved.
    fn displaces(&self) -> bool {
        self.policy == Policy::Partial || self.policy.displaces() && self.rule.displacement == Displacement::Saved
    }

    /// How a launch of a kernel divides the blocks with the running ones; `without` is the running launch that is preempted.
    pub(super) fn division(&self, kernel: usize, without: Option<usize>) -> Division {
        let mut division = Division { keeps: Vec::new(), own: 1.0, displaced_bytes: 0.0 };
        if !self.displaces() {
            return division;
        }
        let staying: Vec<&Running> = self
            .running
            .iter()
            .enumerate()
            .filter(|(index, _)| Some(*index) != without)
            .map(|(_, running)| running)
            .collect();
        let set: Vec<usize> = staying.iter().map(|running| running.kernel).chain([kernel]).collect();
        let Shares { mut of, are_apart } = self.shares(&set);
        division.own = of.pop().unwrap_or(1.0);
        let holds = staying.iter().map(|running| (running.kernel, self.holds(running))).chain([(kernel, division.own)]);
        if self.has_room(holds, are_apart) {
            division.keeps = staying.iter().map(|running| running.held).collect();
            return division;
        }
        for (running, share) in staying.into_iter().zip(of) {
            let spec = &self.simulator.specs[running.kernel];
            division.displaced_bytes += (self.holds(running) - share).max(0.0) * spec.resident * spec.block_bytes;
            division.keeps.push(running.held.min(share));
        }
        division
    }

    /// Takes the blocks for a launch of a kernel from the running ones; returns the share of its blocks alone that it holds.
    pub(super) fn displace(&mut self, kernel: usize) -> f64 {
        let division = self.division(kernel, None);
        for (running, keeps) in self.running.iter_mut().zip(division.keeps) {
            running.held = keeps;
        }
        division.own
    }

    /// Running launches start blocks where there is room and no other launch takes it.
    pub(super) fn grow(&mut self) {
        if !self.may_grow || self.switch.is_some() {
            return;
        }
        self.may_grow = false;
        if !self.displaces() {
            return;
        }
        if let [one] = &mut self.running[..] {
            one.held = 1.0;
            return;
        }
        let set: Vec<usize> = self.running.iter().map(|running| running.kernel).collect();
        let Shares { of, are_apart } = self.shares(&set);
        let grown: Vec<f64> = self.running.iter().zip(of).map(|(running, share)| running.held.max(share)).collect();
        if self.has_room(set.into_iter().zip(grown.iter().copied()), are_apart) {
            for (running, grown) in self.running.iter_mut().zip(grown) {
                running.held = grown;
            }
        }
    }

    /// Share of its blocks alone that a launch holds now: no more than it has left.
    fn holds(&self, running: &Running) -> f64 {
        let all = self.launches.cycles[running.launch as usize];
        running.held.min(self.simulator.specs[running.kernel].resident_share(running.left, all))
    }

    /// Shares of several kernels. Where blocks of one leave no room for those of another, they divide the multiprocessors.
    fn shares(&self, set: &[usize]) -> Shares {
        let of = if set.is_empty() { Vec::new() } else { self.parts(set) };
        if of.iter().all(|part| *part > 0.0) {
            Shares { of, are_apart: false }
        } else {
            Shares { of: vec![1.0 / set.len() as f64; set.len()], are_apart: true }
        }
    }

    /// Whether all have room at a time, each with such a share of its blocks alone.
    fn has_room(&self, held: impl Iterator<Item = (usize, f64)>, are_apart: bool) -> bool {
        let mut taken = [0.0; 4];
        for (kernel, share) in held {
            let alone = if are_apart { [1.0; 4] } else { self.simulator.specs[kernel].taken };
            for (taken, alone) in taken.iter_mut().zip(alone) {
                *taken += share * alone;
            }
        }
        taken.iter().all(|taken| *taken <= 1.0 + ROUNDING)
    }
}

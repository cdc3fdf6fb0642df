//! Which launch starts next, and whether a running one is preempted for it.

#![expect(clippy::cast_possible_truncation, reason = "a study has far fewer kernels than 2^31")]

use super::decision::Decision;
use super::observer::{Observer, SlotState};
use super::policy::Policy;
use super::simulate::{Choice, Running, Simulation, Switch};
use super::study::MOST_SHARING;
use super::table::{Rank, Table};
use super::uncertainty::{EstimatedWork, GainUncertainty};
use super::waiting::{Head, QueueKind};
use super::weigh::{Case, Weighed, weigh};

/// Slots of the GPU.
#[expect(clippy::cast_sign_loss, reason = "a small whole number")]
const PLACES: usize = MOST_SHARING as usize;

/// Most preemptions of a launch while pairs are learned.
const MOST_WHILE_LEARNING: u16 = 8;

/// Kernels that stay on the GPU, with the normalised IPC of each.
struct Staying {
    count: usize,
    kernels: [usize; PLACES],
    normalised: [f64; PLACES],
}

impl Staying {
    fn of(table: &Table, running: &[Running], without: Option<usize>) -> Self {
        let mut staying = Self { count: 0, kernels: [0; PLACES], normalised: [1.0; PLACES] };
        for (index, running) in running.iter().enumerate() {
            if Some(index) != without {
                staying.kernels[staying.count] = running.kernel;
                staying.count += 1;
            }
        }
        for own in 0..staying.count {
            let others = (0..staying.count).filter(|other| *other != own).map(|other| staying.kernels[other]);
            staying.normalised[own] = table.beside(staying.kernels[own], others);
        }
        staying
    }

    fn kernels(&self) -> &[usize] {
        &self.kernels[..self.count]
    }

    /// Their rank and sum of normalised IPC.
    fn alone(&self, table: &Table) -> (Rank, f64) {
        let sum = self.normalised[..self.count].iter().sum();
        (table.rank(self.kernels().iter().copied(), sum), sum)
    }

    /// The same with another kernel.
    fn with(&self, table: &Table, kernel: usize) -> (Rank, f64) {
        let mut own = 1.0;
        let mut sum = 0.0;
        for (staying, normalised) in self.kernels().iter().zip(self.normalised) {
            sum += normalised * table.normalised(*staying, kernel);
            own *= table.normalised(kernel, *staying);
        }
        let sum = sum + own;
        (table.rank(self.kernels().iter().copied().chain([kernel]), sum), sum)
    }
}

impl<O: Observer> Simulation<'_, O> {
    /// The launch that combines best with the running ones; of equal ones preempted launches, then the first arrival.
    pub(super) fn best(&self) -> Option<Head> {
        if self.waiting.len() == 0 {
            return None;
        }
        let table = self.believed();
        let staying = Staying::of(table, &self.running, None);
        let mut best: Option<(Rank, Head)> = None;
        for kernel in 0..self.simulator.kernels() {
            let Some(head) = self.waiting.first(kernel) else { continue };
            let (rank, _) = staying.with(table, kernel);
            let order = |head: Head| (head.sort != QueueKind::Preempted, head.launch);
            if best.is_none_or(|(other, of)| rank > other || rank == other && order(head) < order(of)) {
                best = Some((rank, head));
            }
        }
        best.map(|(_, next)| next)
    }

    /// Preempts a running launch for a waiting one, by the policy.
    pub(super) fn preempt(&mut self) {
        let (_, before_sum) = Staying::of(self.table, &self.running, None).alone(self.table);
        let Some(choice) = self.choose(before_sum) else { return };
        match self.policy {
            Policy::Draining => self.drain(&choice),
            Policy::Flushing => self.flush(&choice),
            _ => self.swap(&choice, before_sum),
        }
    }

    /// The best combination that is better than the running one. Of equal ones preempted launches come first; then, where switches are
    /// weighed, the one that gains most, else the first arrival, with the least cost of leaving.
    fn choose(&mut self, before_sum: f64) -> Option<Choice> {
        let mut equal = std::mem::take(&mut self.equal);
        equal.clear();
        let (mut best, _) = Staying::of(self.table, &self.running, None).alone(self.table);
        let table = self.believed();
        for victim in 0..self.running.len() {
            let of = &self.running[victim];
            if self.policy == Policy::Flushing && !self.simulator.specs[of.kernel].is_idempotent {
                continue;
            }
            // What is learned by a switch may speak for the next one, and back: launches could replace each other for ever.
            let again = self.preempted[of.launch as usize] >= MOST_WHILE_LEARNING || of.since >= self.now;
            if self.experience.is_some() && again {
                continue;
            }
            let staying = Staying::of(table, &self.running, Some(victim));
            for kernel in 0..self.simulator.kernels() {
                let Some(next) = self.waiting.first(kernel) else { continue };
                let (rank, sum) = staying.with(table, kernel);
                if rank > best {
                    equal.clear();
                    best = rank;
                    equal.push(Choice { rank, sum, victim, next });
                } else if equal.first().is_some_and(|of| of.rank == rank) {
                    equal.push(Choice { rank, sum, victim, next });
                }
            }
        }
        let chosen = match &equal[..] {
            [] => None,
            [one] => Some(*one),
            _ => self.first_of(&equal, before_sum),
        };
        self.equal = equal;
        chosen
    }

    /// Which of equally good combinations comes first.
    fn first_of(&self, equal: &[Choice], before_sum: f64) -> Option<Choice> {
        let victim_launch = |choice: &Choice| self.running[choice.victim].launch;
        let is_new = |choice: &Choice| choice.next.sort != QueueKind::Preempted;
        let first = if self.policy == Policy::Weighing {
            // Each is weighed once.
            let weighed = equal.iter().map(|choice| (choice, self.weighed(choice, before_sum).1.gain));
            let by = |(a, of_a): &(&Choice, f64), (b, of_b): &(&Choice, f64)| {
                let key = |choice: &Choice| (choice.next.launch, victim_launch(choice));
                is_new(a).cmp(&is_new(b)).then(of_b.total_cmp(of_a)).then_with(|| key(a).cmp(&key(b)))
            };
            weighed.min_by(by).map(|(choice, _)| choice)
        } else {
            let cost = |choice: &Choice| match self.policy {
                Policy::Draining => {
                    let (done, wave) = self.in_wave(&self.running[choice.victim]);
                    wave - done
                }
                Policy::Flushing => self.in_wave(&self.running[choice.victim]).0,
                _ => self.cost_of_swap(choice),
            };
            equal.iter().min_by(|a, b| {
                let key = |choice: &Choice| (is_new(choice), choice.next.launch);
                let costs = || cost(a).total_cmp(&cost(b));
                key(a).cmp(&key(b)).then_with(costs).then_with(|| victim_launch(a).cmp(&victim_launch(b)))
            })
        };
        first.copied()
    }

    /// Cycles to save the context of the preempted launch and the blocks that the next one displaces besides, and to load that of
    /// the next one.
    fn cost_of_swap(&self, choice: &Choice) -> f64 {
        let (victim, without) = (&self.running[choice.victim], Some(choice.victim));
        self.cost_of_saving(victim, choice.victim)
            + self.cost_of_displacing(choice.next.kernel, without)
            + self.cost_of_loading(choice.next, without)
    }

    fn weighed(&self, choice: &Choice, before_sum: f64) -> (Case, Weighed) {
        let staying = self.running.iter().enumerate().filter(|(other, _)| *other != choice.victim);
        let case = Case {
            rest_cycles: self
                .running
                .iter()
                .map(|running| running.estimated.max(0.0) / running.normalised)
                .fold(f64::INFINITY, f64::min),
            before_sum,
            during_sum: staying.map(|(_, of)| of.normalised * self.simulator.specs[of.kernel].decay).sum(),
            after_sum: choice.sum,
            preempt_cycles: self.cost_of_swap(choice),
        };
        (case, weigh(&case, self.rule.gain))
    }

    fn swap(&mut self, choice: &Choice, before_sum: f64) {
        let (case, weighed) = self.weighed(choice, before_sum);
        let (victim, next) = (self.running[choice.victim], choice.next);
        let is_preempted = self.policy != Policy::Weighing || weighed.gains();
        // A check that changes nothing repeats the decision before it.
        if O::RECORDS && (is_preempted || !self.is_check) {
            let staying = self.running.iter().enumerate().filter(|(other, _)| *other != choice.victim);
            self.observer.decided(Decision {
                at: self.now,
                running: (victim.launch, victim.kernel as u32),
                waiting: (next.launch, next.kernel as u32),
                co_running: staying.map(|(_, of)| of.kernel as u32).collect(),
                case,
                weighed,
                uncertainty: self.uncertainty(&case),
                is_preempted,
            });
        }
        if !is_preempted {
            return;
        }
        let running = self.leave(choice.victim, SlotState::Preempted);
        self.left[running.launch as usize] = running.left;
        self.run.preemptions += 1;
        self.waiting.pop(next.kernel, next.sort);
        let until = self.now + case.preempt_cycles;
        let victim = Some(running.launch);
        let switch = Switch::Copying { until, from: self.now, slot: running.slot, victim, next };
        self.copying(switch, case.preempt_cycles);
    }

    /// Uncertainty of the gain.
    fn uncertainty(&self, case: &Case) -> Option<GainUncertainty> {
        let estimated = |running: &Running| {
            let launch = running.launch as usize;
            EstimatedWork {
                done: self.launches.cycles[launch] - running.left,
                all: self.launches.estimated[launch],
                rate: running.normalised,
                error: self.simulator.study.kernels[running.kernel].instruction_error,
            }
        };
        let running: Vec<EstimatedWork> = self.running.iter().map(estimated).collect();
        GainUncertainty::of(&running, case, self.rule.gain)
    }

    fn drain(&mut self, choice: &Choice) {
        let running = self.running[choice.victim];
        let (done, wave) = self.in_wave(&running);
        let left = running.left - (wave - done);
        // Its last blocks: it ends when it would have left.
        if left > 1e-9 * wave {
            self.switch = Some(Switch::Draining { launch: running.launch, left, next: choice.next });
        }
    }

    fn flush(&mut self, choice: &Choice) {
        let (wasted, _) = self.in_wave(&self.running[choice.victim]);
        self.running[choice.victim].left += wasted;
        self.run.wasted_work += wasted;
        self.put_back(choice.victim);
        self.begin(choice.next);
    }
}

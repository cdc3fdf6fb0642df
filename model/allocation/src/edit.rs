//! Edits that keep a study consistent: names stay unique, sources follow their field, needed types remain.

use super::named::NamedTrace;
use super::study::{Allocation, GpuType, MOST_GROUPS, MOST_TYPES, NodeGroup, TaskGroup, Timing};
use super::validate::recorded;
use crossover_quantity::invalid::free_name;
use crossover_study::sources;

impl Allocation {
    /// Replays recorded tasks. Where they would be too many, lowers the number of replays or switches monitoring off; returns
    /// these changes as notes for the user.
    pub fn replay_recorded(&mut self, named: NamedTrace) -> Vec<String> {
        let mut notes = Vec::new();
        self.replay.trace = Some(named);
        for (lowered, note) in [
            (Timing { runs: 1.0, ..self.replay.clone() }, "one replay only: several would exceed the limit of tasks"),
            (
                Timing { polling_seconds: 0.0, ..self.replay.clone() },
                "latency-sensitive tasks are not monitored: that would take millions of samples",
            ),
            (
                Timing { runs: 1.0, polling_seconds: 0.0, ..self.replay.clone() },
                "one replay only, and tasks are not monitored",
            ),
        ] {
            let is_enough =
                |study: &Self| study.replay.trace.as_ref().is_none_or(|named| recorded(study, named).is_ok());
            if is_enough(self) {
                break;
            }
            let changed = Self { replay: lowered, ..self.clone() };
            if is_enough(&changed) {
                *self = changed;
                notes.push(note.to_owned());
            }
        }
        if let Some(Err(reason)) = self.replay.trace.as_ref().map(|named| recorded(self, named).map(|_| ())) {
            notes.push(reason);
        }
        notes
    }

    /// Adds a type of GPU at the end, under a free name, unless the limit is reached.
    pub fn add_type(&mut self, mut gpu_type: GpuType) {
        if self.types.len() < MOST_TYPES {
            gpu_type.name = free_name(&gpu_type.name, self.types.iter().map(|other| other.name.as_str()));
            self.types.push(gpu_type);
        }
    }

    /// Removes a type of GPU unless it is needed.
    pub fn remove_type(&mut self, index: usize) {
        if self.types.len() > 1 && self.types.get(index).is_some_and(|gone| !self.is_needed(&gone.name)) {
            let gone = self.types.remove(index).name;
            for group in &mut self.tasks {
                group.runs_on.retain(|on| on.gpu_type != gone);
            }
            sources::purge(self);
        }
    }

    /// Whether nodes have GPUs of a type, or tasks run on this type only; without it they would run on any.
    #[must_use]
    pub fn is_needed(&self, name: &str) -> bool {
        let has_it =
            |group: &NodeGroup| group.gpu_type == name || group.more.iter().any(|board| board.gpu_type == name);
        let needs_it = |group: &TaskGroup| matches!(&group.runs_on[..], [on] if on.gpu_type == name);
        self.nodes.iter().any(has_it) || self.tasks.iter().any(needs_it)
    }

    /// Adds a group of nodes at the end, under a free name, unless the limit is reached.
    pub fn add_nodes(&mut self, mut group: NodeGroup) {
        if self.nodes.len() < MOST_GROUPS {
            group.name = free_name(&group.name, self.nodes.iter().map(|other| other.name.as_str()));
            self.nodes.push(group);
        }
    }

    /// Removes a group of nodes unless it is the last one; if it was the growing group, the first one becomes it.
    pub fn remove_nodes(&mut self, index: usize) {
        if self.nodes.len() > 1 && index < self.nodes.len() {
            let gone = self.nodes.remove(index);
            if self.policy.growing_nodes == gone.name {
                self.policy.growing_nodes.clone_from(&self.nodes[0].name);
            }
            sources::purge(self);
        }
    }

    /// Adds a group of tasks at the end, under a free name, unless the limit is reached.
    pub fn add_tasks(&mut self, mut group: TaskGroup) {
        if self.tasks.len() < MOST_GROUPS {
            group.name = free_name(&group.name, self.tasks.iter().map(|other| other.name.as_str()));
            self.tasks.push(group);
        }
    }

    /// Removes a group of tasks unless it is the last one.
    pub fn remove_tasks(&mut self, index: usize) {
        if self.tasks.len() > 1 && index < self.tasks.len() {
            let gone = self.tasks.remove(index).name;
            self.pairs.retain(|pair| pair.task != gone && pair.beside != gone);
            sources::purge(self);
        }
    }

    /// Removes further GPUs of a group of nodes.
    pub fn remove_board(&mut self, nodes: usize, index: usize) {
        if let Some(group) = self.nodes.get_mut(nodes).filter(|group| index < group.more.len()) {
            group.more.remove(index);
            sources::purge(self);
        }
    }

    /// Removes a measured pair.
    pub fn remove_pair(&mut self, index: usize) {
        if index < self.pairs.len() {
            self.pairs.remove(index);
            sources::purge(self);
        }
    }
}

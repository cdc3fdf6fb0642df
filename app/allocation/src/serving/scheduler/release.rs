//! Which pods are evicted so that a latency-sensitive one fits: those that a replay with preemption would release (published method,
//! step a3).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use crossover_allocation::Gpus;
use crossover_traces::kubernetes::live::LivePod;

use super::super::decision::Released;
use super::{GRACE, Known, Scheduler};

/// A pod that may be evicted: its identifier, and its request and GPUs.
type Evictable<'a> = (&'a str, &'a Known, (usize, Gpus));

impl Scheduler {
    /// The first node, in the order of a replay, that a latency-sensitive pod fits once others are evicted, and these. `None` if there is
    /// none, for other pods, for a pod that fits already, and while pods that were named for it before are still there. `is_done`: they
    /// will be evicted.
    ///
    /// Only bound pods are evicted that are not latency-sensitive, have a lower priority, and whose GPUs are known. Those that came last go
    /// first. A pod that was named for another one is not named again: its place is promised.
    pub(crate) fn release_for(
        &mut self,
        pod: LivePod,
        nodes: &[&str],
        now: SystemTime,
        is_done: bool,
    ) -> Result<Option<Released>, String> {
        let (is_sensitive, priority) = (pod.is_sensitive, pod.priority);
        let uid = self.remember(pod)?;
        self.withdraw(&uid);
        if !is_sensitive || self.is_waiting(&uid, now) {
            return Ok(None);
        }
        let request = self.request(&uid)?;
        let released = self.first_release(request, priority, nodes, now);
        if let (Some(released), Some(known)) = (&released, self.pods.get_mut(&uid).filter(|_| is_done)) {
            known.evicts = Some((released.pods.iter().map(|(uid, _)| uid.clone()).collect(), now));
        }
        Ok(released)
    }

    /// Whether a pod that was named for eviction to make room for this one, not long ago, is still there.
    fn is_waiting(&self, uid: &str, now: SystemTime) -> bool {
        let Some((evicted, at)) = self.pods.get(uid).and_then(|known| known.evicts.as_ref()) else { return false };
        let is_there = |uid: &String| self.pods.get(uid).is_some_and(|known| known.placed.is_some());
        *at + GRACE > now && evicted.iter().any(is_there)
    }

    /// Identifiers of the pods that were named for eviction not long ago.
    fn promised(&self, now: SystemTime) -> BTreeSet<&str> {
        let named = self.pods.values().filter_map(|known| known.evicts.as_ref());
        let not_long_ago = named.filter(|(_, at)| *at + GRACE > now);
        not_long_ago.flat_map(|(uids, _)| uids.iter().map(String::as_str)).collect()
    }

    fn first_release(&self, request: usize, priority: i64, nodes: &[&str], now: SystemTime) -> Option<Released> {
        let promised = self.promised(now);
        let mut on_node: BTreeMap<&str, Vec<Evictable<'_>>> = BTreeMap::new();
        for (uid, known) in self.pods.iter().filter(|(uid, _)| !promised.contains(uid.as_str())) {
            if let Some((node, task)) = evictable(known, priority) {
                on_node.entry(node).or_default().push((uid.as_str(), known, task));
            }
        }
        let known = nodes.iter().filter_map(|name| self.indices.get(*name).copied()).collect();
        for node in self.live.in_order(known) {
            let name = self.specs[node].name.as_str();
            let mut pods = on_node.remove(name).unwrap_or_default();
            pods.sort_by_key(|(uid, known, _)| Reverse((known.pod.created, known.seen, *uid)));
            let tasks: Vec<(usize, Gpus)> = pods.iter().map(|(.., task)| *task).collect();
            let Some(places) = self.live.to_release(request, node, &tasks) else { continue };
            if places.is_empty() {
                // It fits by now: kube-scheduler asks again.
                return None;
            }
            let named = |place: usize| (pods[place].0.to_owned(), pods[place].1.pod.name.clone());
            return Some(Released { node: name.to_owned(), pods: places.into_iter().map(named).collect() });
        }
        None
    }
}

/// The node of a pod that may be evicted for one with a priority, and its request and GPUs there.
fn evictable(known: &Known, priority: i64) -> Option<(&str, (usize, Gpus))> {
    let may = !known.pod.is_sensitive && known.pod.priority < priority;
    let placed = known.placed.as_ref().filter(|placed| may && placed.is_bound && !placed.are_assumed)?;
    Some((placed.node.as_str(), (known.request?, placed.gpus?)))
}

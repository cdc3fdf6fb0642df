//! Nodes and pods of a cluster, and the choices of a policy for pods that kube-scheduler asks about.
//!
//! - `binding`: the place of a pod, until it is bound or given up
//! - `release`: which pods are evicted for a latency-sensitive one

mod binding;
mod release;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crossover_allocation::live::MOST_REQUESTS;
use crossover_allocation::{Cluster, Gpus, Lack, Live, LiveSetting, NodeSpec, Policy, Request};
use crossover_traces::kubernetes::live::{LiveCluster, LivePod, Snapshot};
use serde_json::Value;

use super::decision::{Changes, Filtered};
use super::protocol::MOST_PRIORITY;

/// Pods that were bound so shortly before a list of pods was made may be absent from it.
const GRACE: Duration = Duration::from_mins(1);
/// Most pods without a node that are remembered.
const MOST_WAITING: usize = 100_000;

/// Nodes, pods and a policy.
pub(crate) struct Scheduler {
    setting: LiveSetting,
    cluster: LiveCluster,
    specs: Vec<NodeSpec>,
    /// Index of each node by its name.
    indices: BTreeMap<String, usize>,
    /// Version of each node that kube-scheduler has sent.
    versions: BTreeMap<String, String>,
    live: Live,
    /// Pods by their identifier.
    pods: BTreeMap<String, Known>,
    /// Identifier of each pod by its name.
    names: BTreeMap<String, String>,
    /// Identifier and name of each pod that had a place, until another pod with its name came.
    replaced: Vec<(String, String)>,
    /// Whether typical tasks are those of a list of pods; otherwise they are learned from the requests.
    has_typical: bool,
}

/// A pod.
struct Known {
    pod: LivePod,
    /// Index of its request, once it is needed.
    request: Option<usize>,
    placed: Option<Placed>,
    /// When it was first seen.
    seen: SystemTime,
    /// What other policies would have chosen.
    others: Vec<(Policy, Option<String>)>,
    /// Identifiers of the pods that were named for eviction to make room for it, and when.
    evicts: Option<(Vec<String>, SystemTime)>,
}

/// Where a pod is.
struct Placed {
    node: String,
    /// `None` where they are not known, until they are assumed.
    gpus: Option<Gpus>,
    /// Whether its GPUs are assumed, as no annotation names them.
    are_assumed: bool,
    since: SystemTime,
    /// Whether the API server has bound it.
    is_bound: bool,
}

impl Scheduler {
    /// Without nodes and pods.
    pub(crate) fn new(setting: LiveSetting) -> Self {
        Self {
            setting,
            cluster: LiveCluster::default(),
            specs: Vec::new(),
            indices: BTreeMap::new(),
            versions: BTreeMap::new(),
            live: Live::new(&Cluster::new(&[]), &[], setting),
            pods: BTreeMap::new(),
            names: BTreeMap::new(),
            replaced: Vec::new(),
            has_typical: false,
        }
    }

    /// The policy.
    pub(crate) fn policy(&self) -> Policy {
        self.setting.policy
    }

    /// The nodes, and names of the types of GPUs.
    pub(crate) fn nodes(&self) -> (&[NodeSpec], Vec<String>) {
        (&self.specs, self.cluster.types())
    }

    /// Takes all nodes and pods as they were at a time. Pods that were placed here and are still waiting for their node keep their
    /// place.
    pub(crate) fn load(&mut self, snapshot: Snapshot, at: SystemTime) -> Changes {
        let mut before = std::mem::take(&mut self.pods);
        self.names.clear();
        self.versions.clear();
        self.has_typical = !snapshot.pods.is_empty();
        self.cluster = snapshot.cluster;
        let mut changes = Changes::default();
        for pod in snapshot.pods {
            let known = before.remove(&pod.uid);
            let (placed, seen, evicts) =
                known.map_or((None, at, None), |known| (known.placed, known.seen, known.evicts));
            if pod.has_ended {
                if placed.is_some() {
                    changes.released.push((pod.uid, pod.name));
                }
                continue;
            }
            let placed = match &pod.node {
                Some(node) => {
                    let same = placed.filter(|placed| placed.node == *node);
                    let gpus = pod.gpus.or(same.as_ref().and_then(|placed| placed.gpus));
                    let are_assumed = pod.gpus.is_none() && same.as_ref().is_some_and(|placed| placed.are_assumed);
                    let since = same.map_or(at, |placed| placed.since);
                    Some(Placed { node: node.clone(), gpus, are_assumed, since, is_bound: true })
                }
                None => placed.filter(|placed| !placed.is_bound || placed.since + GRACE > at),
            };
            self.names.insert(pod.name.clone(), pod.uid.clone());
            self.pods.insert(pod.uid.clone(), Known { pod, request: None, placed, seen, others: Vec::new(), evicts });
        }
        for (uid, known) in before {
            let last = known.placed.as_ref().map_or(known.seen, |placed| placed.since);
            if last + GRACE > at && !self.names.contains_key(&known.pod.name) {
                self.names.insert(known.pod.name.clone(), uid.clone());
                self.pods.insert(uid, known);
            } else if known.placed.is_some() {
                changes.released.push((uid, known.pod.name));
            }
        }
        self.rebuild(&mut changes);
        changes
    }

    /// Whether one of these nodes is new, or has changed since it was sent; each with its version.
    pub(crate) fn needs_nodes<'a>(&self, mut sent: impl Iterator<Item = (&'a str, &'a str)>) -> bool {
        sent.any(|(name, version)| match self.versions.get(name) {
            Some(known) => known != version,
            None => !self.indices.contains_key(name),
        })
    }

    /// Takes nodes as kube-scheduler sends them; returns the name and problem of each that cannot be read.
    pub(crate) fn take_nodes(&mut self, items: Vec<Value>) -> Vec<(String, String)> {
        let text = |item: &Value, field: &str| {
            item.pointer(field).and_then(Value::as_str).map(str::to_owned).unwrap_or_default()
        };
        let sent = items.iter().map(|item| (text(item, "/metadata/name"), text(item, "/metadata/resourceVersion")));
        self.versions.extend(sent);
        let (has_changed, bad) = self.cluster.set_nodes(items);
        if has_changed {
            self.rebuild(&mut Changes::default());
        }
        bad
    }

    /// The nodes among these that a pod fits. A pod that had a place loses it: kube-scheduler asks about pods without a node.
    pub(crate) fn filter(&mut self, pod: LivePod, nodes: &[String]) -> Result<Filtered, String> {
        let pods = self.pods.len();
        let uid = self.remember(pod)?;
        self.withdraw(&uid);
        let request = self.request(&uid)?;
        // Each time that twice as many pods are known: seldom enough to cost nothing.
        if !self.has_typical && self.pods.len() > pods && self.pods.len().is_power_of_two() {
            self.learn_typical();
        }
        let mut filtered = Filtered::default();
        for name in nodes {
            let Some(index) = self.indices.get(name) else {
                filtered
                    .failed
                    .insert(name.clone(), "crossover does not know this node yet, or cannot read it".to_owned());
                continue;
            };
            match self.live.lack(request, *index) {
                None => filtered.fits.push(name.clone()),
                Some(lack @ Lack::GpuType) => {
                    filtered.unresolvable.insert(name.clone(), in_words(lack).to_owned());
                }
                Some(lack) => {
                    filtered.failed.insert(name.clone(), in_words(lack).to_owned());
                }
            }
        }
        Ok(filtered)
    }

    /// Priority of each of these nodes for a pod: the choice of the policy has the highest one, alone. With `compares`, it is kept
    /// what other policies would choose.
    pub(crate) fn prioritize(
        &mut self,
        pod: LivePod,
        nodes: &[String],
        compares: bool,
    ) -> Result<Vec<(String, i64)>, String> {
        let uid = self.remember(pod)?;
        self.withdraw(&uid);
        let request = self.request(&uid)?;
        let indices: Vec<Option<usize>> = nodes.iter().map(|name| self.indices.get(name).copied()).collect();
        let known: Vec<usize> = indices.iter().copied().flatten().collect();
        let scores: BTreeMap<usize, i16> = {
            let scores = self.live.scores(request, &known);
            known.iter().zip(scores).filter_map(|(node, score)| Some((*node, score?))).collect()
        };
        let chosen = self.live.choose(request, &known);
        if compares {
            let others = Policy::ALL.into_iter().filter(|policy| *policy != self.setting.policy);
            let named = |node: usize| self.specs[node].name.clone();
            let others = others.map(|policy| (policy, self.live.would_choose(policy, request, &known).map(&named)));
            let others = others.collect();
            if let Some(known) = self.pods.get_mut(&uid) {
                known.others = others;
            }
        }
        let (least, most) = (scores.values().min().copied(), scores.values().max().copied());
        let range = i64::from(most.unwrap_or(0)) - i64::from(least.unwrap_or(0));
        let priority = |index: Option<usize>| {
            let Some(score) = index.and_then(|index| scores.get(&index)) else { return 0 };
            if index == chosen {
                return MOST_PRIORITY;
            }
            let above = i64::from(*score) - i64::from(least.unwrap_or(0));
            if range == 0 { MOST_PRIORITY - 1 } else { (MOST_PRIORITY - 1) * above / range }
        };
        Ok(nodes.iter().zip(indices).map(|(name, index)| (name.clone(), priority(index))).collect())
    }

    /// Identifier and name of each pod that had a place and was replaced by another pod with its name, since the last call.
    pub(crate) fn take_replaced(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.replaced)
    }

    /// Keeps a pod, and returns its identifier. Another pod with its name is gone, as names are unique.
    fn remember(&mut self, pod: LivePod) -> Result<String, String> {
        if let Some(node) = &pod.node {
            return Err(format!("pod {} is on node {node} already", pod.name));
        }
        let (uid, name) = (pod.uid.clone(), pod.name.clone());
        let older = self.names.insert(name, uid.clone()).filter(|older| *older != uid);
        if let Some(older) = older {
            let has_place = self.pods.get(&older).is_some_and(|known| known.placed.is_some());
            self.withdraw(&older);
            self.pods.remove(&older);
            if has_place {
                self.replaced.push((older, pod.name.clone()));
            }
        }
        let bound = self.pods.get(&uid).and_then(|known| known.placed.as_ref()).filter(|placed| placed.is_bound);
        if let Some(placed) = bound {
            // The answer to the request to bind it was lost.
            return Err(format!("pod {} was bound to node {} already", pod.name, placed.node));
        }
        if let Some(known) = self.pods.get_mut(&uid) {
            known.pod = pod;
            return Ok(uid);
        }
        if self.pods.len() >= MOST_WAITING {
            self.pods.retain(|_, known| known.placed.is_some());
            let pods = &self.pods;
            self.names.retain(|_, of| pods.contains_key(of.as_str()) || *of == uid);
        }
        let seen = SystemTime::now();
        let known = Known { pod, request: None, placed: None, seen, others: Vec::new(), evicts: None };
        self.pods.insert(uid.clone(), known);
        Ok(uid)
    }

    /// Takes all known pods as the typical tasks.
    fn learn_typical(&mut self) {
        let mut counts: Vec<usize> = Vec::new();
        for request in self.pods.values().filter_map(|known| known.request) {
            if counts.len() <= request {
                counts.resize(request + 1, 0);
            }
            counts[request] += 1;
        }
        self.live.set_typical(&counts);
    }

    /// The index of the request of a pod.
    fn request(&mut self, uid: &str) -> Result<usize, String> {
        let Self { pods, cluster, live, .. } = self;
        let known = pods.get_mut(uid).ok_or("the pod is gone")?;
        request_of(known, cluster, live)
    }

    /// Makes the cluster anew after a change that was not ended.
    pub(super) fn recover(&mut self) {
        self.rebuild(&mut Changes::default());
    }

    /// Makes the cluster anew from its nodes and pods.
    fn rebuild(&mut self, changes: &mut Changes) {
        self.specs = self.cluster.specs();
        self.indices = self.specs.iter().enumerate().map(|(index, spec)| (spec.name.clone(), index)).collect();
        let mut counts: BTreeMap<Request, usize> = BTreeMap::new();
        for known in self.pods.values_mut() {
            known.request = None;
            if let Ok(request) = self.cluster.request(&known.pod) {
                *counts.entry(request).or_default() += 1;
            }
        }
        let mut typical: Vec<(Request, usize)> = counts.into_iter().collect();
        typical.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        typical.truncate(MOST_REQUESTS / 2);
        self.live = Live::new(&Cluster::new(&self.specs), &typical, self.setting);
        // Those with known GPUs first: the others are on what these leave.
        for has_gpus in [true, false] {
            for known in self.pods.values_mut() {
                let is_next = known.placed.as_ref().is_some_and(|placed| placed.gpus.is_some() == has_gpus);
                if !is_next {
                    continue;
                }
                let request = request_of(known, &self.cluster, &mut self.live);
                let Some(placed) = &mut known.placed else { continue };
                let (Ok(request), Some(index)) = (request, self.indices.get(&placed.node)) else {
                    changes.uncounted.push(known.pod.name.clone());
                    continue;
                };
                let gpus = placed.gpus.unwrap_or_else(|| self.live.most_left(request, *index));
                let is_assumed = placed.gpus.is_none() && gpus != Gpus::default();
                changes.assumed += usize::from(is_assumed);
                placed.are_assumed |= is_assumed;
                placed.gpus = Some(gpus);
                self.live.occupy(request, *index, gpus);
            }
        }
    }
}

fn request_of(known: &mut Known, cluster: &LiveCluster, live: &mut Live) -> Result<usize, String> {
    if let Some(request) = known.request {
        return Ok(request);
    }
    let request = cluster.request(&known.pod)?;
    let index = live.request(&request);
    let index = index.ok_or_else(|| format!("more than {MOST_REQUESTS} different requests; start crossover again"))?;
    known.request = Some(index);
    Ok(index)
}

fn in_words(lack: Lack) -> &'static str {
    match lack {
        Lack::GpuType => "too few GPUs of a type that the pod can use",
        Lack::Gpus => "too little is left of its GPUs",
        Lack::Cores => "too few cores are left",
        Lack::Memory => "too little memory is left",
    }
}

//! The place of a pod: from the choice of kube-scheduler until the API server has bound the pod, or it is given up.

use std::time::SystemTime;

use crossover_allocation::WHOLE;

use super::super::decision::Decision;
use super::{Known, Placed, Scheduler, in_words};

impl Scheduler {
    /// Places a pod on the node that kube-scheduler has chosen.
    pub(crate) fn bind(&mut self, uid: &str, pod: &str, node: &str, now: SystemTime) -> Result<Decision, String> {
        let uid = if uid.is_empty() { pod } else { uid };
        let is_known = self.pods.get(uid).is_some_and(|known| known.pod.name == pod);
        if !is_known {
            return Err(format!("pod {pod} ({uid}) is not known: no filter request was about it, or it is gone"));
        }
        let Some(index) = self.indices.get(node).copied() else { return Err(format!("node {node} is not known")) };
        let request = self.request(uid)?;
        let has_this = |known: &Known| known.placed.as_ref().is_some_and(|placed| placed.node == node);
        let is_repeated = self.pods.get(uid).is_some_and(has_this);
        let elsewhere = self.pods.get(uid).and_then(|known| known.placed.as_ref()).filter(|placed| placed.is_bound);
        if let Some(placed) = elsewhere.filter(|_| !is_repeated) {
            return Err(format!("pod {pod} was bound to node {} already", placed.node));
        }
        if !is_repeated {
            self.withdraw(uid);
            let placed = self.live.place(request, index).ok_or_else(|| {
                let why = self.live.lack(request, index).map_or("it does not fit", in_words);
                format!("node {node} no longer has room for pod {pod}: {why}; the pod is scheduled again")
            })?;
            if let Some(known) = self.pods.get_mut(uid) {
                let (node, gpus) = (node.to_owned(), Some(placed));
                known.placed = Some(Placed { node, gpus, are_assumed: false, since: now, is_bound: false });
            }
        }
        let known = self.pods.get(uid).ok_or("the pod is gone")?;
        let gpus = known.placed.as_ref().and_then(|placed| placed.gpus).unwrap_or_default();
        let share = self.live.share(request, index, gpus);
        let gpu_type = gpus.places().next().and_then(|gpu| self.specs[index].devices.get(gpu).copied());
        let memory = gpu_type.and_then(|gpu_type| self.cluster.memory_mib(gpu_type));
        let identifiers = gpus.places().filter_map(|gpu| self.cluster.gpu_identifier(node, gpu));
        Ok(Decision {
            uid: uid.to_owned(),
            pod: pod.to_owned(),
            node: node.to_owned(),
            gpus: gpus.places().collect(),
            share,
            memory_mib: memory.map(|memory| u64::from(memory) * u64::from(share) / u64::from(WHOLE)),
            request: self.cluster.request(&known.pod)?,
            is_sensitive: known.pod.is_sensitive,
            waited: now.duration_since(known.seen).unwrap_or_default().as_secs_f64(),
            gpu_identifiers: identifiers.map(str::to_owned).collect(),
            containers_with_gpus: known.pod.containers_with_gpus.clone(),
            others: known.others.clone(),
            is_repeated,
        })
    }

    /// The API server has bound a pod.
    pub(crate) fn confirm(&mut self, uid: &str) {
        if let Some(placed) = self.pods.get_mut(uid).and_then(|known| known.placed.as_mut()) {
            placed.is_bound = true;
        }
    }

    /// Takes the place of a pod away that could not be bound. It stays if a list that was read meanwhile has the pod on a node: then only
    /// the answer of the API server was lost.
    pub(crate) fn undo(&mut self, uid: &str) {
        let placed = self.pods.get(uid).and_then(|known| known.placed.as_ref());
        if placed.is_some_and(|placed| !placed.is_bound) {
            self.withdraw(uid);
        }
    }

    /// Takes the place of a pod away, if it has one.
    pub(crate) fn withdraw(&mut self, uid: &str) {
        let Some(known) = self.pods.get_mut(uid) else { return };
        let Some(placed) = known.placed.take() else { return };
        if let (Some(index), Some(request), Some(gpus)) = (self.indices.get(&placed.node), known.request, placed.gpus) {
            self.live.release(request, *index, gpus);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_allocation::{LiveSetting, Policy};
    use crossover_traces::kubernetes::live::{LiveCluster, LivePod, Snapshot};
    use serde_json::{Value, json};

    use super::*;

    fn node() -> Value {
        json!({
            "kind": "Node",
            "metadata": {
                "name": "a",
                "labels": { "nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.memory": "15360", "nvidia.com/gpu.count": "1" },
            },
            "status": { "allocatable": { "cpu": "64", "memory": "256Gi", "nvidia.com/gpu": "1" } },
        })
    }

    /// A pod for the whole GPU, on a node or waiting.
    fn pod(name: &str, node: Option<&str>) -> LivePod {
        let pod = json!({
            "kind": "Pod",
            "metadata": { "name": name, "namespace": "ns", "uid": name, "annotations": { "alibabacloud.com/gpu-index": "0" } },
            "spec": {
                "nodeName": node,
                "containers": [{ "name": "main", "resources": { "limits": { "nvidia.com/gpu": "1" } } }],
            },
            "status": { "phase": "Pending" },
        });
        LivePod::of(pod).expect("a pod")
    }

    #[test]
    fn a_place_that_could_not_be_bound_is_free_again_unless_a_list_has_it() {
        let now = SystemTime::now();
        let nodes = ["a".to_owned()];
        let mut scheduler = Scheduler::new(LiveSetting { policy: Policy::BestFit, seed: 1 });
        assert!(scheduler.take_nodes(vec![node()]).is_empty());
        let fits =
            |scheduler: &mut Scheduler, name: &str| scheduler.filter(pod(name, None), &nodes).expect("an answer").fits;
        assert_eq!(fits(&mut scheduler, "first"), nodes);
        scheduler.bind("first", "ns/first", "a", now).expect("a place");
        assert_eq!(fits(&mut scheduler, "second"), [""; 0]);
        scheduler.undo("first");
        assert_eq!(fits(&mut scheduler, "second"), nodes);

        scheduler.bind("first", "ns/first", "a", now).expect("a place");
        let mut cluster = LiveCluster::default();
        cluster.set_nodes(vec![node()]);
        scheduler.load(Snapshot { cluster, pods: vec![pod("first", Some("a"))], notes: Vec::new() }, now);
        scheduler.undo("first");
        assert_eq!(fits(&mut scheduler, "second"), [""; 0]);
    }
}

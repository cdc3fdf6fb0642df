//! What each path answers: `/filter`, `/prioritize`, `/preempt`, `/bind` and `/healthz`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crossover_allocation::NodeSpec;
use crossover_page::terminal::message;
use crossover_quantity::text::counted;
use crossover_traces::kubernetes::live::{LivePod, Snapshot};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::annotations::{AnnotationStyle, annotations};
use super::api_server::{ApiServer, Failure};
use super::binding;
use super::decision::Decision;
use super::http::{Answer, Request};
use super::journal::Journal;
use super::protocol::{
    ExtenderArgs, ExtenderBindingArgs, ExtenderBindingResult, ExtenderFilterResult, ExtenderPreemptionArgs,
    ExtenderPreemptionResult, HostPriority, MetaPod, MetaVictims, NamedList, WholeArgs,
};
use super::scheduler::Scheduler;

/// An extender, shared by all connections.
pub(crate) struct Extender {
    scheduler: Mutex<Scheduler>,
    journal: Mutex<Journal>,
    /// Receives the bindings; without it, the answer states what would be done.
    api_server: Option<ApiServer>,
    policy: &'static str,
    options: ExtenderOptions,
    /// What was noted on the last list of nodes and pods.
    notes: Mutex<Vec<String>>,
}

/// What an extender does beside answering.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExtenderOptions {
    /// Whether it is logged what other policies would choose.
    pub(crate) compares: bool,
    /// Whether it learns that pods ended. Otherwise none is evicted: its GPUs would never become free.
    pub(crate) knows_ends: bool,
    /// For whom annotations are written.
    pub(crate) style: AnnotationStyle,
}

/// A pod and the names of nodes.
struct Candidates {
    pod: LivePod,
    names: Vec<String>,
    /// Whether whole nodes were sent.
    are_whole: bool,
}

impl Extender {
    /// An extender without nodes. Without an API server it is a dry run.
    pub(crate) fn new(
        scheduler: Scheduler,
        journal: Journal,
        api_server: Option<ApiServer>,
        options: ExtenderOptions,
    ) -> Self {
        let policy = scheduler.policy().label();
        Self {
            scheduler: Mutex::new(scheduler),
            journal: Mutex::new(journal),
            api_server,
            policy,
            options,
            notes: Mutex::new(Vec::new()),
        }
    }

    /// Answers a request.
    pub(crate) fn answer(&self, request: &Request) -> Answer {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/healthz") => Answer::json(b"{}".to_vec()),
            ("POST", "/filter") => self.filter(&request.body),
            ("POST", "/prioritize") => self.prioritize(&request.body),
            ("POST", "/preempt") => self.preempt(&request.body),
            ("POST", "/bind") => self.bind(&request.body),
            (_, "/filter" | "/prioritize" | "/preempt" | "/bind" | "/healthz") => {
                Answer::problem(405, "expected POST; GET for /healthz alone")
            }
            _ => Answer::problem(404, "expected /filter, /prioritize, /preempt, /bind or /healthz"),
        }
    }

    /// Takes all nodes and pods, as they were at a time.
    pub(crate) fn load(&self, snapshot: Snapshot, at: SystemTime) {
        let mut notes = snapshot.notes.clone();
        let mut scheduler = self.scheduler();
        let before = scheduler.nodes().0.to_vec();
        let changes = scheduler.load(snapshot, at);
        if changes.assumed > 0 {
            let pods = counted(changes.assumed as f64, "running pod");
            notes.push(format!("GPUs with most capacity left are assumed for {pods} without an annotation of GPUs"));
        }
        if let Some(first) = changes.uncounted.first() {
            let pods = counted(changes.uncounted.len() as f64, "running pod");
            notes.push(format!("{pods} not counted, as no known node has what is requested; the first is {first}"));
        }
        self.tell(notes);
        self.note_nodes(&scheduler, &before);
        let mut journal = self.journal();
        for (uid, pod) in &changes.released {
            journal.released(uid, pod);
        }
    }

    /// Prints notes on nodes and pods, except those of the list before, as most stay the same.
    fn tell(&self, notes: Vec<String>) {
        let mut before = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        for note in notes.iter().filter(|note| !before.contains(note)) {
            message(format!("note: {note}"));
        }
        *before = notes;
    }

    fn filter(&self, body: &[u8]) -> Answer {
        let candidates = match self.candidates(body) {
            Ok(candidates) => candidates,
            Err(answer) => return answer,
        };
        let Candidates { pod, names, are_whole } = candidates;
        let (filtered, replaced) = {
            let mut scheduler = self.scheduler();
            (scheduler.filter(pod, &names), scheduler.take_replaced())
        };
        for (uid, pod) in &replaced {
            self.journal().released(uid, pod);
        }
        let result = match filtered {
            Ok(filtered) => {
                let mut result = ExtenderFilterResult {
                    failed_nodes: filtered.failed,
                    failed_and_unresolvable_nodes: filtered.unresolvable,
                    ..ExtenderFilterResult::default()
                };
                if are_whole {
                    result.nodes = Some(NamedList::of(filtered.fits));
                } else {
                    result.node_names = Some(filtered.fits);
                }
                result
            }
            // kube-scheduler shows this text in the events of the pod; a status other than 200 it shows without its text.
            Err(error) => ExtenderFilterResult { error: format!("crossover: {error}"), ..Default::default() },
        };
        json(&result)
    }

    fn prioritize(&self, body: &[u8]) -> Answer {
        let Candidates { pod, names, .. } = match self.candidates(body) {
            Ok(candidates) => candidates,
            Err(answer) => return answer,
        };
        let priorities = self.scheduler().prioritize(pod, &names, self.options.compares);
        match priorities {
            Ok(priorities) => {
                let list: Vec<HostPriority> =
                    priorities.into_iter().map(|(host, score)| HostPriority { host, score }).collect();
                json(&list)
            }
            Err(error) => Answer::problem(500, &error),
        }
    }

    fn bind(&self, body: &[u8]) -> Answer {
        let args: ExtenderBindingArgs = match parsed(body) {
            Ok(args) => args,
            Err(answer) => return answer,
        };
        let pod = format!("{}/{}", args.pod_namespace, args.pod_name);
        let decision = self.scheduler().bind(&args.pod_uid, &pod, &args.node, SystemTime::now());
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => return json(&ExtenderBindingResult { error: format!("crossover: {error}") }),
        };
        let annotations = match annotations(&decision, self.policy, self.options.style, SystemTime::now()) {
            Ok(annotations) => annotations,
            Err(error) => {
                self.undo(&decision);
                return json(&ExtenderBindingResult { error: format!("crossover: {error}") });
            }
        };
        let Some(api_server) = &self.api_server else {
            let all: Vec<String> = annotations.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let would = format!("would bind {pod} to {} with {}", decision.node, all.join(" "));
            self.journal().decision(&decision, self.policy, "dry run");
            return json(&ExtenderBindingResult {
                error: format!("crossover: dry run: {would}; start with --apply to do it"),
            });
        };
        // Other pods are answered meanwhile.
        let posted = binding::post(api_server, &decision, &binding::binding(&decision, &annotations));
        let error = match posted {
            Ok(()) => {
                self.scheduler().confirm(&decision.uid);
                self.journal().decision(&decision, self.policy, "bound");
                String::new()
            }
            Err(Failure { why, may_be_done }) => {
                // A pod that may be bound keeps its GPUs until kube-scheduler sends it again or a list of pods contains it.
                let outcome = if may_be_done { "may be bound" } else { "not bound" };
                if !may_be_done {
                    self.undo(&decision);
                }
                self.journal().decision(&decision, self.policy, &format!("{outcome}: {why}"));
                format!("crossover: {why}")
            }
        };
        json(&ExtenderBindingResult { error })
    }

    /// Takes the place of a pod away that was not bound. A place from before stays: the pod may have been bound by the request whose
    /// answer was lost.
    fn undo(&self, decision: &Decision) {
        if !decision.is_repeated {
            self.scheduler().undo(&decision.uid);
        }
    }

    /// Names the pods to evict for a latency-sensitive one. kube-scheduler evicts them; an answer without nodes evicts none.
    fn preempt(&self, body: &[u8]) -> Answer {
        let args: ExtenderPreemptionArgs = match parsed(body) {
            Ok(args) => args,
            Err(answer) => return answer,
        };
        let pod = match LivePod::of(args.pod) {
            Ok(pod) => pod,
            Err(problem) => return Answer::problem(400, &format!("Pod: {problem}")),
        };
        let none = ExtenderPreemptionResult::default();
        if !self.options.knows_ends {
            return json(&none);
        }
        let candidates = args.meta_victims.or(args.victims).unwrap_or_default();
        let nodes: Vec<&str> = candidates.keys().map(String::as_str).collect();
        let (uid, name) = (pod.uid.clone(), pod.name.clone());
        let does_apply = self.api_server.is_some();
        let released = self.scheduler().release_for(pod, &nodes, SystemTime::now(), does_apply);
        let released = match released {
            Ok(Some(released)) => released,
            Ok(None) => return json(&none),
            Err(error) => return Answer::problem(500, &error),
        };
        let outcome = if does_apply { "named to kube-scheduler" } else { "dry run" };
        self.journal().preempted((uid.as_str(), name.as_str()), &released, self.policy, outcome);
        if !does_apply {
            return json(&none);
        }
        // Of the pods that kube-scheduler would evict; it does not say which budgets cover others.
        let violations = candidates.get(&released.node).map_or(0, |victims| victims.violations);
        let pods = released.pods.into_iter().map(|(uid, _)| MetaPod { uid }).collect();
        let victims = BTreeMap::from([(released.node, MetaVictims { pods, violations })]);
        json(&ExtenderPreemptionResult { victims })
    }

    /// The pod and the nodes of a request; whole nodes are read where they are new.
    fn candidates(&self, body: &[u8]) -> Result<Candidates, Answer> {
        let args: ExtenderArgs = parsed(body)?;
        let pod = LivePod::of(args.pod).map_err(|problem| Answer::problem(400, &format!("Pod: {problem}")))?;
        if let Some(names) = args.node_names {
            return Ok(Candidates { pod, names, are_whole: false });
        }
        let Some(list) = args.nodes else {
            return Err(Answer::problem(400, "neither Nodes nor NodeNames; expected one of them"));
        };
        let sent = list.items.unwrap_or_default();
        let versions = sent.iter().map(|node| (node.metadata.name.as_str(), node.metadata.resource_version.as_str()));
        let needs_nodes = self.scheduler().needs_nodes(versions);
        if needs_nodes {
            let whole: WholeArgs = parsed(body)?;
            self.take_nodes(whole);
        }
        let names = sent.into_iter().map(|node| node.metadata.name).collect();
        Ok(Candidates { pod, names, are_whole: true })
    }

    fn take_nodes(&self, whole: WholeArgs) {
        let items = whole.nodes.and_then(|list| list.items).unwrap_or_default();
        let mut scheduler = self.scheduler();
        let before = scheduler.nodes().0.to_vec();
        for (name, problem) in scheduler.take_nodes(items) {
            message(format!("note: node {name} is left out: {problem}"));
        }
        self.note_nodes(&scheduler, &before);
    }

    /// Notes the nodes in the journal if they are others than before.
    fn note_nodes(&self, scheduler: &Scheduler, before: &[NodeSpec]) {
        let (nodes, types) = scheduler.nodes();
        if before != nodes {
            self.journal().cluster(nodes, &types);
        }
    }

    /// A thread that panicked may have left a change half done: the cluster is made anew from its nodes and pods.
    fn scheduler(&self) -> MutexGuard<'_, Scheduler> {
        self.scheduler.lock().unwrap_or_else(|poisoned| {
            let mut scheduler = poisoned.into_inner();
            self.scheduler.clear_poison();
            scheduler.recover();
            scheduler
        })
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, Answer> {
    serde_json::from_slice(body).map_err(|problem| Answer::problem(400, &format!("the body: {problem}")))
}

fn json(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(body) => Answer::json(body),
        Err(problem) => Answer::problem(500, &problem.to_string()),
    }
}

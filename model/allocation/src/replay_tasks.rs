//! Tasks that arrive in a replay: recorded tasks at their times, or tasks of the list at random times.

use rand_distr::{Distribution as _, Exp1, StandardNormal, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::amount::THOUSANDTH;
use super::cluster::Cluster;
use super::fragment::Typical;
use super::group_requests::{GroupRequests, speeds, units};
use super::policy::Policy;
use super::recorded::{Recorded, SLO_FACTOR};
use super::replay::{Arrival, RequestProperties, SharingPolicy, TaskRun};
use super::study::{Allocation, TaskGroup, Timing};
use super::validate::{Replayable, recorded};
use super::workload::Workload;

/// Separates the seed of prediction errors from that of arrivals.
const ERRORS: u64 = 0xbf58_476d_1ce4_e5b9;

/// Tasks that arrive in a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayTasks {
    /// Their requests.
    requests: GroupRequests,
    /// Needs of typical tasks.
    pub typical: Typical,
    /// The sharing policy.
    sharing: SharingPolicy,
    /// Names of groups of tasks, or of recorded tasks.
    names: Vec<String>,
    /// Recorded tasks; `None`: random arrivals.
    recorded: Option<Vec<Arrival>>,
}

impl ReplayTasks {
    /// The recorded tasks if they can be replayed, else tasks of the list.
    pub(super) fn new(study: &Allocation, cluster: &Cluster, requests: &GroupRequests, typical: &Typical) -> Self {
        let replayable = study.replay.trace.as_ref().and_then(|named| recorded(study, named).ok());
        let Some(Replayable { trace, .. }) = replayable else { return Self::of_list(study, requests, typical) };
        let types: Vec<String> = study.types.iter().map(|gpu_type| gpu_type.name.clone()).collect();
        let Recorded { workload, typical, arrivals, names, .. } = Recorded::on(trace, cluster.clone(), &types);
        let of_request =
            RequestProperties { speeds: vec![1.0; types.len()], needs: 1.0, min_share: 1.0, slo_factor: SLO_FACTOR };
        Self {
            typical,
            sharing: SharingPolicy {
                measured: Vec::new(),
                requests: vec![of_request; workload.requests().len()],
                ..sharing(study)
            },
            requests: GroupRequests { declared: workload.clone(), needed: workload },
            names,
            recorded: Some(arrivals),
        }
    }

    /// Tasks of the list.
    pub(super) fn of_list(study: &Allocation, requests: &GroupRequests, typical: &Typical) -> Self {
        Self {
            requests: requests.clone(),
            typical: typical.clone(),
            sharing: sharing(study),
            names: study.tasks.iter().map(|group| group.name.clone()).collect(),
            recorded: None,
        }
    }

    /// Requests of tasks under a policy.
    #[must_use]
    pub fn workload(&self, policy: Policy) -> &Workload {
        self.requests.under(policy)
    }

    /// The name of the task of a run.
    #[must_use]
    pub fn name(&self, task_run: &TaskRun) -> &str {
        let place = if self.recorded.is_some() { usize::try_from(task_run.task).ok() } else { Some(task_run.request) };
        place.and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }

    /// The sharing policy under a scheduling policy: declared shares are not regulated.
    pub(super) fn sharing(&self, study: &Allocation, policy: Policy) -> SharingPolicy {
        let mut sharing = self.sharing.clone();
        if policy == Policy::Declared {
            if self.recorded.is_none() {
                for (of_request, group) in sharing.requests.iter_mut().zip(&study.tasks) {
                    of_request.needs = 1.0 / group.declared_factor;
                }
            }
            sharing.preempts = false;
            sharing.polling_seconds = 0.0;
        }
        sharing
    }

    /// The tasks in the order of arrival. Used shares are drawn for each seed, and so is the rest unless it was recorded.
    pub(super) fn arrivals(&self, study: &Allocation, seed: u64) -> impl Iterator<Item = Arrival> {
        // Separate random numbers: the size of errors does not change which tasks arrive.
        let mut errors = Pcg64Mcg::seed_from_u64(seed ^ ERRORS);
        let sigma = study.replay.error;
        let mut uses = move || -> f64 {
            let normal: f64 = StandardNormal.sample(&mut errors);
            libm::exp(sigma * normal)
        };
        let recorded = self.recorded.iter().flatten().copied();
        let drawn = self.recorded.is_none().then(|| at_start(study).chain(at_random(study, seed)));
        recorded.chain(drawn.into_iter().flatten()).map(move |arrival| Arrival { uses: uses(), ..arrival })
    }
}

/// Tasks that arrive at the start, group by group.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10⁶")]
fn at_start(study: &Allocation) -> impl Iterator<Item = Arrival> {
    study.tasks.iter().enumerate().flat_map(|(request, group)| {
        let arrival =
            Arrival { at: 0.0, request, seconds: group.run_seconds, is_sensitive: group.is_sensitive, uses: 1.0 };
        std::iter::repeat_n(arrival, group.at_start as usize)
    })
}

/// Tasks that arrive at random times, each of a random group and with a random run time.
fn at_random(study: &Allocation, seed: u64) -> impl Iterator<Item = Arrival> {
    let total: f64 = study.tasks.iter().map(|group| group.per_hour).sum();
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut at = 0.0;
    std::iter::from_fn(move || {
        if total <= 0.0 {
            return None;
        }
        let [gap, seconds]: [f64; 2] = [(); 2].map(|()| Exp1.sample(&mut random));
        at += gap * 3_600.0 / total;
        let share: f64 = StandardUniform.sample(&mut random);
        let mut place = share * total;
        let request = study.tasks.iter().position(|group| {
            place -= group.per_hour;
            place < 0.0
        });
        // Rounding may leave nothing of the last group.
        let request =
            request.unwrap_or_else(|| study.tasks.iter().rposition(|group| group.per_hour > 0.0).unwrap_or(0));
        let group = &study.tasks[request];
        let seconds = seconds * group.run_seconds;
        let arrival = Arrival { at, request, seconds, is_sensitive: group.is_sensitive, uses: 1.0 };
        (at < study.replay.seconds).then_some(arrival)
    })
}

fn sharing(study: &Allocation) -> SharingPolicy {
    let place = |name: &str| study.tasks.iter().position(|group| group.name == name);
    let mut measured = Vec::new();
    if !study.pairs.is_empty() {
        measured = vec![None; study.tasks.len() * study.tasks.len()];
    }
    for pair in &study.pairs {
        if let (Some(task), Some(beside)) = (place(&pair.task), place(&pair.beside)) {
            measured[task * study.tasks.len() + beside] = Some(1.0 / pair.speed - 1.0);
        }
    }
    let of_request = |group: &TaskGroup| RequestProperties {
        speeds: speeds(study, group),
        needs: 1.0,
        min_share: group.min_share,
        slo_factor: group.slo_factor,
    };
    let Timing { preempts, checkpoint_seconds, polling_seconds, step, interference, .. } = study.replay;
    SharingPolicy {
        preempts,
        checkpoint_seconds,
        polling_seconds,
        step: units(step).max(THOUSANDTH),
        interference,
        measured,
        requests: study.tasks.iter().map(of_request).collect(),
    }
}

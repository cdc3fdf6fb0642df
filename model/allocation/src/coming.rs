//! What comes in a replay: recorded tasks at their own times, or tasks of the list at random ones.

use rand_distr::{Distribution as _, Exp1, StandardNormal, StandardUniform};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

use super::asked::{Asked, speeds, thousandths};
use super::cluster::Cluster;
use super::fragment::Typical;
use super::policy::Policy;
use super::recorded::Recorded;
use super::replay::{Arrival, Manners, OfRequest, Stay};
use super::study::{Allocation, TaskGroup, Timing};
use super::validate::{Replayable, recorded};
use super::workload::Workload;

/// Makes the seed of errors another one than that of arrivals.
const ERRORS: u64 = 0xbf58_476d_1ce4_e5b9;
/// Recorded tasks that end later than so many times their time after they came are late.
const LATE: f64 = 2.0;

/// What comes in a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Coming {
    /// What is asked for.
    asked: Asked,
    /// What typical tasks need.
    pub typical: Typical,
    /// What tasks do to each other.
    manners: Manners,
    /// Names of groups of tasks, or of recorded tasks.
    names: Vec<String>,
    /// Recorded tasks; none: they come at random.
    recorded: Option<Vec<Arrival>>,
}

impl Coming {
    /// What comes to this cluster: the recorded tasks if there are any that can be replayed, else those of the list.
    pub(super) fn new(study: &Allocation, cluster: &Cluster, asked: &Asked, typical: &Typical) -> Self {
        let replayable = study.replay.trace.as_ref().and_then(|named| recorded(study, named).ok());
        let Some(Replayable { trace, .. }) = replayable else { return Self::of_list(study, asked, typical) };
        let types: Vec<String> = study.types.iter().map(|gpu_type| gpu_type.name.clone()).collect();
        let Recorded { workload, typical, arrivals, names, .. } = Recorded::on(trace, cluster.clone(), &types);
        let of_request = OfRequest { speeds: vec![1.0; types.len()], needs: 1.0, least: 1.0, limit: LATE };
        Self {
            typical,
            manners: Manners {
                measured: Vec::new(),
                requests: vec![of_request; workload.requests().len()],
                ..manners(study)
            },
            asked: Asked { declared: workload.clone(), needed: workload },
            names,
            recorded: Some(arrivals),
        }
    }

    /// Tasks of the list.
    pub(super) fn of_list(study: &Allocation, asked: &Asked, typical: &Typical) -> Self {
        Self {
            asked: asked.clone(),
            typical: typical.clone(),
            manners: manners(study),
            names: study.tasks.iter().map(|group| group.name.clone()).collect(),
            recorded: None,
        }
    }

    /// What tasks ask for under a policy.
    #[must_use]
    pub fn asked(&self, policy: Policy) -> &Workload {
        self.asked.under(policy)
    }

    /// What a task is called that stayed somewhere.
    #[must_use]
    pub fn name(&self, stay: &Stay) -> &str {
        let place = if self.recorded.is_some() { usize::try_from(stay.task).ok() } else { Some(stay.request) };
        place.and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }

    /// How tasks do to each other under a policy: shares as they were declared are not regulated.
    pub(super) fn manners(&self, study: &Allocation, policy: Policy) -> Manners {
        let mut manners = self.manners.clone();
        if policy == Policy::Declared {
            if self.recorded.is_none() {
                for (of_request, group) in manners.requests.iter_mut().zip(&study.tasks) {
                    of_request.needs = 1.0 / group.declares;
                }
            }
            manners.does_release = false;
            manners.monitor_seconds = 0.0;
        }
        manners
    }

    /// The tasks one after the other. What they really use of their shares is drawn anew for each seed, and the rest too
    /// unless it was recorded.
    pub(super) fn arrivals(&self, study: &Allocation, seed: u64) -> impl Iterator<Item = Arrival> {
        // Errors have random numbers of their own: the same tasks come, however large errors are.
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

/// Tasks that come at the beginning, group by group.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "validated: at most 10⁶")]
fn at_start(study: &Allocation) -> impl Iterator<Item = Arrival> {
    study.tasks.iter().enumerate().flat_map(|(request, group)| {
        let arrival =
            Arrival { at: 0.0, request, seconds: group.run_seconds, is_sensitive: group.is_sensitive, uses: 1.0 };
        std::iter::repeat_n(arrival, group.at_start as usize)
    })
}

/// Tasks that come at random times, each of a random group and for a random time.
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

fn manners(study: &Allocation) -> Manners {
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
    let of_request = |group: &TaskGroup| OfRequest {
        speeds: speeds(study, group),
        needs: 1.0,
        least: group.least,
        limit: group.limit,
    };
    let Timing { does_release, save_seconds, monitor_seconds, step, interference, .. } = study.replay;
    Manners {
        does_release,
        save_seconds,
        monitor_seconds,
        step: thousandths(step).max(1),
        interference,
        measured,
        requests: study.tasks.iter().map(of_request).collect(),
    }
}

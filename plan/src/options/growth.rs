//! How the times of a query grow with its data, as the engines' models predict.
//!
//! All rows, bytes and CPU times of the plan are multiplied. What the model has besides them does not grow: the start of a query
//! and the steps from one exchange to the next. What no longer fits in memory is spilled. Where a query grows beyond what was
//! measured of an option, its times are not known.

use crossover_decision::growth::TimeGrowth;
use crossover_decision::{Candidate, PredictedTime};
use crossover_engine::Engines;
use crossover_placement::whole::EngineWork;
use crossover_placement::{Placement, Query};
use crossover_query::{Volumes, scale};

use super::{Alternatives, EngineOption, options, workload_of};

/// A query whose data may grow.
#[derive(Debug)]
pub struct GrowingQuery<'a> {
    /// Its study, with engines.
    study: &'a Placement,
    alternatives: &'a Alternatives,
    /// What it moves now; `None` if its engine did not count it.
    volumes: Option<Volumes>,
    /// The engines of the options that it is not outside of what was measured of now.
    inside: Vec<Engines>,
    /// Present time of today's engine, and of each option, seconds.
    present: (f64, Vec<Option<f64>>),
}

impl<'a> GrowingQuery<'a> {
    /// The query of a study with engines; `None` as in [`workload_of`].
    #[must_use]
    pub fn new(study: &'a Placement, alternatives: &'a Alternatives) -> Option<Self> {
        // Without the times of operators, which a plan that grows does not have.
        let present = seconds(&grown(study, 1.0)?, alternatives)?;
        let (engines, query, profile) = (study.engines.as_deref()?, study.query.as_deref()?, study.profile()?);
        let volumes = Volumes::reported(&query.plan);
        let all = options(engines, &profile.sources, alternatives);
        let inside = all.iter().map(EngineOption::engines).filter(|engines| !is_outside(engines, volumes.as_ref()));
        let inside = inside.cloned().collect();
        Some(Self { study, alternatives, volumes, inside, present })
    }

    /// How its times grow with this multiple of its data; `None` if it has none there, or if it is outside what was measured of an
    /// option that can be judged now.
    #[must_use]
    pub fn at(&self, growth: f64) -> Option<TimeGrowth> {
        let volumes = self.volumes.as_ref().map(|volumes| volumes.times(growth));
        if self.inside.iter().any(|engines| is_outside(engines, volumes.as_ref())) {
            return None;
        }
        let (today, options) = seconds(&grown(self.study, growth)?, self.alternatives)?;
        let (present_today, present) = &self.present;
        let factor = |(then, now): (&Option<f64>, &Option<f64>)| then.zip(*now).map_or(1.0, |(then, now)| then / now);
        let options = options.iter().zip(present).map(factor).collect();
        Some(TimeGrowth { today: today / present_today, options })
    }
}

/// Whether a query that moves this is outside what was measured of these engines.
fn is_outside(engines: &Engines, volumes: Option<&Volumes>) -> bool {
    engines.additive(volumes).is_some_and(|sum| sum.outside().is_some())
}

/// Time of today's engine, and of each option, seconds.
fn seconds(study: &Placement, alternatives: &Alternatives) -> Option<(f64, Vec<Option<f64>>)> {
    let (baseline, candidates) = workload_of(study, alternatives)?;
    let time = |candidate: &Candidate| candidate.time.as_ref().map(PredictedTime::value);
    Some((baseline.time.value(), candidates.iter().map(time).collect()))
}

/// The study of the query over a multiple of its data.
fn grown(study: &Placement, growth: f64) -> Option<Placement> {
    let (engines, query) = (study.engines.as_deref()?, study.query.as_deref()?);
    let more = Query { plan: scale(&query.plan, growth).into(), ..query.clone() };
    // The measured time belongs to the present data; its ratio to the modelled time is kept.
    let ratio = modelled(engines, &more) / modelled(engines, query);
    let measured_seconds =
        engines.measured_seconds.map(|seconds| seconds * ratio).filter(|seconds| seconds.is_finite());
    let engines = Engines { measured_seconds, ..engines.clone() };
    Some(Placement { engines: Some(Box::new(engines)), query: Some(Box::new(more)), ..study.clone() })
}

/// Time of a query in the CPU engine without a measured one, seconds.
fn modelled(engines: &Engines, query: &Query) -> f64 {
    engines.cpu.seconds(&EngineWork::new(query, engines).total()).iter().sum()
}

//! Time of a plan along one number of its study, or as its data grows.

use super::cost::bounds;
use super::decide::decide_filled;
use super::outcome::Baselines;
use crate::axis::Axis;
use crate::parameter::Parameter;
use crate::study::{Placement, Query};
use crate::variant::Variant;
use crossover_engine::{Engines, WorkOf};
use crossover_quantity::unit::Unit;
use crossover_query::{Graph, Numbers, fill, scale};
use crossover_study::along::along;
use crossover_study::{Watch, number_at, set_number};

/// Default range of a plan's data, × recorded size.
const DATA: [f64; 2] = [0.1, 100.0];
/// Factor around the present value of an engine's number, in both directions.
const RANGE_FACTOR: f64 = 30.0;

/// The x axis of a plan's curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanAxis {
    /// All rows, bytes and times of the plan, × recorded size.
    Data,
    /// A number of the cluster on which operators are placed one by one.
    Cluster(Axis),
    /// A number of an engine, by its path.
    Engine(&'static str),
}

/// Numbers of a cluster that act on a plan.
const OF_CLUSTER: [Axis; 10] = [
    Axis::One(Parameter::MACHINES),
    Axis::One(Parameter::CPU_PARALLELISM),
    Axis::One(Parameter::SCAN_SPEED),
    Axis::One(Parameter::ROW_CONVERSION),
    Axis::One(Parameter::NETWORK_SPEED),
    Axis::BusSpeed,
    Axis::One(Parameter::GPUS_PER_MACHINE),
    Axis::One(Parameter::GPU_PARALLELISM),
    Axis::One(Parameter::NETWORK_RATIO),
    Axis::CompressionSpeed,
];

/// Numbers of engines that planners change, with their labels.
const OF_ENGINES: [(&str, &str); 6] = [
    ("engines.cpu.machines", "CPU machines"),
    ("engines.gpu.machines", "GPU machines"),
    ("engines.cpu.lanes", "cores per CPU machine"),
    ("engines.gpu.lanes", "GPUs per GPU machine"),
    ("engines.cpu.network_gbit_per_s", "network of CPU machines"),
    ("engines.gpu.network_gbit_per_s", "network of GPU machines"),
];

impl PlanAxis {
    /// The axes that act on the plan of a study, in the order of a menu.
    #[must_use]
    pub fn all(study: &Placement) -> Vec<Self> {
        let numbers: Vec<Self> = match study.engines {
            Some(_) => OF_ENGINES.iter().map(|(path, _)| Self::Engine(path)).collect(),
            None => OF_CLUSTER.into_iter().map(Self::Cluster).filter(|axis| axis.now(study).is_some()).collect(),
        };
        std::iter::once(Self::Data).chain(numbers).collect()
    }

    /// Label of the axis.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Data => "data, × recorded size",
            // The data of a query is that of all machines together.
            Self::Cluster(Axis::One(Parameter::MACHINES)) => "machines",
            Self::Cluster(axis) => axis.label(),
            Self::Engine(path) => OF_ENGINES.iter().find(|(of, _)| *of == path).map_or(path, |(_, label)| label),
        }
    }

    /// Its unit.
    #[must_use]
    pub fn unit(self, study: &Placement) -> Unit {
        match self {
            Self::Data => Unit::Factor,
            Self::Cluster(axis) => axis.parameter().info().unit,
            Self::Engine(path) => number_at(study, path).map_or(Unit::Ratio, |(quantity, _)| quantity.unit),
        }
    }

    /// The present value, on the network that the policy chooses; `None` if the study has no such number.
    #[must_use]
    pub fn now(self, study: &Placement) -> Option<f64> {
        match self {
            Self::Data => Some(1.0),
            Self::Cluster(axis) => {
                let network = Variant::chosen(study).network;
                crate::ParameterOf::of(axis.parameter(), 0, network).value(study)
            }
            Self::Engine(path) => number_at(study, path)?.1,
        }
    }

    /// Default range of the axis.
    #[must_use]
    pub fn window(self, study: &Placement) -> [f64; 2] {
        let [low, high] = match self {
            Self::Data => return DATA,
            Self::Cluster(axis) => {
                let info = axis.parameter().info();
                [info.min, info.max]
            }
            Self::Engine(path) => number_at(study, path).map_or([0.0, 1.0], |(found, _)| [found.min, found.max]),
        };
        let now = self.now(study).unwrap_or(1.0).max(1e-6);
        [(now / RANGE_FACTOR).max(low), (now * RANGE_FACTOR).min(high)]
    }

    /// Whether only whole values have a meaning.
    #[must_use]
    pub fn is_whole(self, study: &Placement) -> bool {
        match self {
            Self::Data => false,
            Self::Cluster(axis) => axis.parameter().info().whole,
            Self::Engine(path) => number_at(study, path).is_some_and(|(quantity, _)| quantity.whole),
        }
    }

    /// The study and its query with another value, in a variant.
    fn moved(self, study: &Placement, query: &Query, variant: Variant, value: f64) -> (Placement, Option<Query>) {
        let mut moved = Placement { query: None, ..study.clone() };
        let query = match self {
            Self::Data => Some(Query { plan: scale(&query.plan, value).into(), ..query.clone() }),
            Self::Cluster(axis) => {
                axis.set(&mut moved, 0, variant.network, value);
                None
            }
            Self::Engine(path) => {
                set_number(&mut moved, path, value);
                None
            }
        };
        (moved, query)
    }
}

/// Times of a plan, seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlanTimes {
    /// Everything on CPUs.
    pub cpu: f64,
    /// Everything on GPUs that can run there.
    pub gpu: f64,
    /// As placed.
    pub placed: f64,
    /// Whether the plan is outside what was measured of the GPU engine there: its time only continues the curve.
    pub is_outside: bool,
    /// Whether the plan differs there from what was measured, but its time is usable with a wider error.
    pub differs: bool,
    /// 90 % intervals of both times; the times themselves where no error is known.
    pub intervals: [[f64; 2]; 2],
}

impl PlanTimes {
    /// Whether an error is known.
    #[must_use]
    pub fn has_intervals(self) -> bool {
        self.intervals.iter().any(|[low, high]| low < high)
    }

    /// All on CPUs ÷ as placed; 1 for a plan that takes no time.
    #[must_use]
    pub fn speedup(self) -> f64 {
        if self.cpu == self.placed { 1.0 } else { self.cpu / self.placed }
    }
}

/// Times of a plan along values, in one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanCurve {
    /// Network and compression.
    pub variant: Variant,
    /// At each value.
    pub times: Vec<PlanTimes>,
}

/// Times of a study's plan along values of an axis, in every variant that affects it; `None` if it was cancelled.
#[must_use]
pub fn along_plan(
    study: &Placement,
    query: &Query,
    axis: PlanAxis,
    values: &[f64],
    watch: Watch<'_>,
) -> Option<Vec<PlanCurve>> {
    let variants: Vec<Variant> = match study.engines {
        // Engines have networks of their own.
        Some(_) => vec![Variant::chosen(study)],
        None => Variant::all(study).collect(),
    };
    let present = fill(&query.plan);
    let rest = rest(study, query, &present);
    // The measured time belongs to the present numbers; its ratio to the modelled time is kept along the axis.
    let anchor = |moved: &mut Placement, query: &Query, numbers: &[Numbers]| {
        if let (Some(engines), Some(rest)) = (&mut moved.engines, rest) {
            engines.measured_seconds = Some(rest * modelled(engines, query, numbers));
        }
    };
    let curve = |variant: Variant| {
        let at = |(): &mut (), value: f64| {
            let (mut moved, grown) = axis.moved(study, query, variant, value);
            let numbers = grown.as_ref().map_or_else(|| present.clone(), |grown| fill(&grown.plan));
            let query = grown.as_ref().unwrap_or(query);
            anchor(&mut moved, query, &numbers);
            let whole = decide_filled(&moved, query, variant, numbers);
            let is_outside = whole.verdict.as_ref().is_some_and(|verdict| verdict.outside.is_some());
            let differs = whole.verdict.as_ref().is_some_and(|verdict| verdict.difference.is_some());
            let Baselines { all_cpu, all_gpu, .. } = whole.baselines;
            let ranges = whole.verdict.as_ref().map(|verdict| [verdict.cpu, verdict.gpu]);
            let intervals =
                ranges.map_or([[all_cpu; 2], [all_gpu; 2]], |ranges| ranges.map(|range| [range.low, range.high]));
            Some(PlanTimes { cpu: all_cpu, gpu: all_gpu, placed: whole.seconds, is_outside, differs, intervals })
        };
        Some(PlanCurve { variant, times: along(values, watch, || (), at)? })
    };
    variants.into_iter().map(curve).collect()
}

/// Measured ÷ modelled time of the CPU side's run; `None` without one. Times of operators that bound it count as measured.
fn rest(study: &Placement, query: &Query, numbers: &[Numbers]) -> Option<f64> {
    let engines = study.engines.as_deref()?;
    let modelled = modelled(engines, query, numbers);
    if modelled <= 0.0 {
        return None;
    }
    let bounded = || {
        let [least, most] = bounds(engines, &query.plan)?;
        let seconds = modelled.clamp(least, most);
        ((seconds - modelled).abs() > 0.0).then_some(seconds)
    };
    engines.measured_seconds.or_else(bounded).map(|seconds| seconds / modelled)
}

/// Modelled time of a query in the CPU engine, without measured times, seconds.
fn modelled(engines: &Engines, query: &Query, numbers: &[Numbers]) -> f64 {
    let graph = Graph::new(&query.plan, numbers);
    engines.cpu.seconds(&WorkOf::new(&query.plan, numbers, &graph, engines).total()).iter().sum()
}

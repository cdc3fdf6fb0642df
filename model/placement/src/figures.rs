//! The figures of a placement study, of a point and as formulas.

use super::cost::{Cost, evaluate};
use super::parameter::ParameterOf;
use super::point::Point;
use super::study::{Placement, Side};
use super::variant::Variant;
use super::whole;
use crossover_quantity::unit::Unit;
use crossover_study::formula::{Node, Real};
use crossover_study::{Better, Figure, FigureValue, Watch};

/// The figures of a study with a query: those of the query as placed. The study's operators are the costs of kinds.
pub(super) const OF_QUERY: [Figure; 6] = [SPEEDUP, SECONDS, CPU_SECONDS, GPU_SECONDS, ON_GPU, MOVED_SHARE];

/// The figures of a query in whole engines, whose machines may have prices.
pub(super) const OF_ENGINES: [Figure; 8] =
    [ENGINE_SPEEDUP, ENGINE_SECONDS, CPU_SECONDS, GPU_SECONDS, ON_GPU, MOVED_SHARE, CPU_USD, GPU_USD];

/// The figures of any other study: those of the workload as placed, then those of each operator.
pub(super) const OF_WORKLOAD: [Figure; 12] = [
    SPEEDUP,
    SECONDS,
    CPU_SECONDS,
    GPU_SECONDS,
    ON_GPU,
    MOVED_SHARE,
    AMDAHL_LIMIT,
    OPERATOR_ON_GPU,
    OPERATOR_SPEEDUP,
    OPERATOR_SECONDS,
    OPERATOR_CPU_SECONDS,
    OPERATOR_GPU_SECONDS,
];

const SPEEDUP: Figure = Figure {
    key: "speedup",
    label: "speedup",
    unit: Unit::Factor,
    better: Better::Higher,
    list: None,
    meaning: "Time with all operators on CPUs ÷ time as placed.",
};
/// Of engines the question is whether to move, so the speedup is not that of the faster engine.
const ENGINE_SPEEDUP: Figure = Figure {
    meaning: "Time of the CPU engine ÷ time of the GPU engine; below 1×, the GPU engine is slower.",
    ..SPEEDUP
};
const SECONDS: Figure = Figure {
    key: "seconds",
    label: "time as placed",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time of the workload as placed.",
};
const ENGINE_SECONDS: Figure = Figure {
    label: "time in faster engine",
    meaning: "Time of the query in the faster engine: that of the CPU engine where the speedup is at most 1×.",
    ..SECONDS
};
const CPU_SECONDS: Figure = Figure {
    key: "cpu_seconds",
    label: "time on CPUs",
    meaning: "Time of the workload with all operators on CPUs.",
    ..SECONDS
};
const GPU_SECONDS: Figure = Figure {
    key: "gpu_seconds",
    label: "time on GPUs",
    meaning: "Time of the workload with every operator on GPUs that can run there.",
    ..SECONDS
};
const ON_GPU: Figure = Figure {
    key: "on_gpu",
    label: "operators on GPUs",
    unit: Unit::Count,
    better: Better::Neither,
    list: None,
    meaning: "Operators that are placed on GPUs.",
};
const MOVED_SHARE: Figure = Figure {
    key: "moved_share",
    label: "CPU time that moves",
    unit: Unit::Share,
    better: Better::Neither,
    list: None,
    meaning: "Share of the time on CPUs that moves to GPUs.",
};
const CPU_USD: Figure = Figure {
    key: "cpu_usd",
    label: "cost of a run on CPUs",
    unit: Unit::UsDollars,
    meaning: "Cost of the CPU engine's machines for the time of a run; none if the machines of a side have no price.",
    ..SECONDS
};
const GPU_USD: Figure = Figure {
    key: "gpu_usd",
    label: "cost of a run on GPUs",
    meaning: "Cost of the GPU engine's machines for the time of a run; none if the machines of a side have no price.",
    ..CPU_USD
};
const AMDAHL_LIMIT: Figure = Figure {
    key: "amdahl_limit",
    label: "Amdahl limit",
    meaning: "Speedup if everything that moves to GPUs took no time.",
    ..SPEEDUP
};
const OPERATOR_ON_GPU: Figure = Figure {
    label: "on GPUs",
    unit: Unit::Decision,
    list: Some("operators"),
    meaning: "Whether the operator is placed on GPUs.",
    ..ON_GPU
};
const OPERATOR_SPEEDUP: Figure = Figure {
    list: Some("operators"),
    meaning: "Time on CPUs ÷ time on GPUs, on the network of the cluster.",
    ..SPEEDUP
};
const OPERATOR_SECONDS: Figure =
    Figure { list: Some("operators"), meaning: "Time of the operator where it is placed.", ..SECONDS };
const OPERATOR_CPU_SECONDS: Figure =
    Figure { list: Some("operators"), meaning: "Time of the operator on CPUs.", ..CPU_SECONDS };
const OPERATOR_GPU_SECONDS: Figure =
    Figure { list: Some("operators"), meaning: "Time of the operator on GPUs.", ..GPU_SECONDS };

/// Of the whole workload, in the order of [`OF_WORKLOAD`]; those of each operator follow.
const OF_WHOLE: [&Figure; 7] = [&SPEEDUP, &SECONDS, &CPU_SECONDS, &GPU_SECONDS, &ON_GPU, &MOVED_SHARE, &AMDAHL_LIMIT];
const OF_OPERATOR: [&Figure; 5] =
    [&OPERATOR_ON_GPU, &OPERATOR_SPEEDUP, &OPERATOR_SECONDS, &OPERATOR_CPU_SECONDS, &OPERATOR_GPU_SECONDS];

pub(super) fn of_query(whole: &whole::Whole) -> Vec<FigureValue> {
    let cpu_seconds = |side: Option<Side>| -> f64 {
        let operators = whole.operators.iter().filter(|decided| side.is_none_or(|side| decided.side == side));
        operators.map(|decided| decided.cost.seconds(Side::Cpu)).sum()
    };
    let [speedup, seconds] =
        if whole.work.is_some() { [&ENGINE_SPEEDUP, &ENGINE_SECONDS] } else { [&SPEEDUP, &SECONDS] };
    let mut figures = vec![
        FigureValue::whole(speedup, whole.speedup()),
        FigureValue::whole(seconds, whole.seconds),
        FigureValue::whole(&CPU_SECONDS, whole.baselines.all_cpu),
        FigureValue::whole(&GPU_SECONDS, whole.baselines.all_gpu),
        FigureValue::whole(&ON_GPU, whole.count(Side::Gpu) as f64),
        FigureValue::whole(&MOVED_SHARE, cpu_seconds(Some(Side::Gpu)) / cpu_seconds(None)),
    ];
    if whole.work.is_some() {
        let usd = whole.verdict.as_ref().and_then(|verdict| verdict.usd);
        figures.extend(
            [(&CPU_USD, 0), (&GPU_USD, 1)].map(|(figure, side)| FigureValue::whole(figure, usd.map(|usd| usd[side]))),
        );
    }
    figures
}

/// The figures of a study without a query; `None` if it was cancelled. Counts operators.
pub(super) fn of_workload(study: &Placement, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
    let mut placed = Vec::with_capacity(study.operators.len());
    for operator in 0..study.operators.len() {
        placed.push(Placed::of(study, operator, |point| point));
        watch.step()?;
    }
    let values = values(&placed);
    let (whole, of_operators) = values.split_at(OF_WHOLE.len());
    let whole = OF_WHOLE.into_iter().zip(whole).map(|(figure, value)| FigureValue::whole(figure, *value));
    let each = study.operators.iter().zip(of_operators.chunks(OF_OPERATOR.len()));
    let each = each.flat_map(|(operator, values)| {
        let value = |(figure, value): (&'static Figure, &f64)| FigureValue::of(figure, &operator.name, *value);
        OF_OPERATOR.into_iter().zip(values).map(value)
    });
    Some(whole.chain(each).collect())
}

/// The same figures, in the same order, as formulas of the numbers that `number` returns for a path and a value.
pub(super) fn formulas<'t>(study: &Placement, number: &dyn Fn(&str, f64) -> Node<'t>) -> Vec<Node<'t>> {
    let network = Variant::chosen(study).network;
    let placed: Vec<Placed<Node<'t>>> = (0..study.operators.len())
        .map(|operator| {
            let of = |parameter, value| number(&ParameterOf::of(parameter, operator, network).path(study), value);
            Placed::of(study, operator, |point| point.map(of))
        })
        .collect();
    values(&placed)
}

/// An operator where it is placed, on the network of the cluster.
struct Placed<N> {
    cost: Cost<N>,
    /// One, or nothing.
    is_on_gpu: N,
}

impl<N: Real> Placed<N> {
    /// An operator with the numbers that `of` makes of its point.
    fn of(study: &Placement, operator: usize, of: impl FnOnce(Point) -> Point<N>) -> Self {
        let variant = Variant::chosen(study);
        let point = of(Point::new(study, operator, variant.network, variant.compression));
        let cost = evaluate(&point);
        let [no, yes] = [0.0, 1.0].map(N::from);
        let is_on_gpu = match study.operators[operator].pin {
            Some(Side::Cpu) => no,
            Some(Side::Gpu) => yes,
            None => cost.gap(point.policy.threshold).if_above(no, yes, no),
        };
        Self { cost, is_on_gpu }
    }

    /// One of two where it is on a GPU, else the other.
    fn pick(&self, gpu: N, cpu: N) -> N {
        self.is_on_gpu.if_above(N::from(0.5), gpu, cpu)
    }

    fn seconds(&self) -> N {
        self.pick(self.cost.gpu.total(), self.cost.cpu.total())
    }
}

/// Those of the whole, then those of each operator.
fn values<N: Real>(operators: &[Placed<N>]) -> Vec<N> {
    let sum = |of: &dyn Fn(&Placed<N>) -> N| operators.iter().map(of).fold(N::from(0.0), |sum, one| sum + one);
    let cpu_seconds = sum(&|one| one.cost.cpu.total());
    let seconds = sum(&Placed::seconds);
    let moved = sum(&|one| one.pick(one.cost.cpu.total(), N::from(0.0)));
    let on_gpu = sum(&|one| one.is_on_gpu);
    // If nothing moves, or everything, rounding must not show a gain or a limit.
    let everything = N::from(operators.len() as f64 - 0.5);
    let moved_share = on_gpu.if_above(everything, N::from(1.0), moved / cpu_seconds);
    let whole = [
        on_gpu.if_above(N::from(0.5), cpu_seconds / seconds, N::from(1.0)),
        seconds,
        cpu_seconds,
        sum(&|one| one.cost.gpu.total()),
        on_gpu,
        moved_share,
        N::from(1.0) / (N::from(1.0) - moved_share),
    ];
    let each = operators.iter().flat_map(|one| {
        let cost = &one.cost;
        [one.is_on_gpu, cost.speedup(), one.seconds(), cost.cpu.total(), cost.gpu.total()]
    });
    whole.into_iter().chain(each).collect()
}

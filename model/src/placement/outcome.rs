//! Everything that a placement study answers: a row for each operator × network × compression, and the
//! whole workload on the cluster's own network.

use super::break_even::{BreakEven, break_even};
use super::cost::{Cost, Term, evaluate as cost_at};
use super::curves::Axis;
use super::parameter::Parameter;
use super::point::Point;
use super::study::{Aggregation, Placement, Side};

/// A network, with or without compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Index of the network in the study.
    pub network: usize,
    /// Whether the GPU side compresses.
    pub compression: bool,
}

impl Variant {
    /// Every network without and with compression, in the order of the study.
    pub fn all(study: &Placement) -> impl Iterator<Item = Self> + use<> {
        (0..study.networks.len()).flat_map(|network| [false, true].map(|compression| Self { network, compression }))
    }

    /// The variant that the policy chooses; the first network if its name is unknown.
    #[must_use]
    pub fn chosen(study: &Placement) -> Self {
        let network = study.networks.iter().position(|network| network.name == study.policy.network).unwrap_or(0);
        Self { network, compression: study.policy.compression }
    }

    /// "100 Gb InfiniBand, compressed".
    #[must_use]
    pub fn label(self, study: &Placement) -> String {
        let name = study.networks.get(self.network).map_or("", |network| network.name.as_str());
        if self.compression { format!("{name}, compressed") } else { name.to_owned() }
    }
}

/// One operator on one network, with or without compression.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Index of the operator.
    pub operator: usize,
    /// Network and compression.
    pub variant: Variant,
    /// Time on either side.
    pub cost: Cost,
    /// The side that pays by the model.
    pub pays: Side,
    /// Where the operator is placed: the side that pays, or the one it is pinned to.
    pub placement: Side,
    /// Break-even of every parameter that has an influence, in the order of [`Parameter::ALL`].
    pub break_evens: Vec<(Parameter, Option<BreakEven>)>,
    /// Why, in one sentence.
    pub reason: String,
}

impl Row {
    /// T_cpu / T_gpu.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cost.speedup()
    }

    /// The break-even of one parameter.
    #[must_use]
    pub fn break_even(&self, parameter: Parameter) -> Option<BreakEven> {
        self.break_evens.iter().find(|(other, _)| *other == parameter).and_then(|(_, found)| *found)
    }

    /// Seconds on the chosen side.
    #[must_use]
    pub fn placed_seconds(&self) -> f64 {
        self.cost.seconds(self.placement)
    }
}

/// The whole workload on the cluster's own network.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Network and compression of the cluster.
    pub variant: Variant,
    /// All operators on CPUs, seconds.
    pub cpu_seconds: f64,
    /// All operators on GPUs, seconds.
    pub gpu_seconds: f64,
    /// Every operator where it is placed, seconds.
    pub placed_seconds: f64,
    /// Every operator where it pays, seconds; less than `placed_seconds` if a pin costs time.
    pub best_seconds: f64,
    /// Operators placed on CPU.
    pub on_cpu: usize,
    /// Operators placed on GPU.
    pub on_gpu: usize,
    /// Share of the CPU time that moves to GPUs, 0 … 1.
    pub moved_share: f64,
    /// What the placed workload waits for most, and its share.
    pub bound_by: (Term, f64),
}

impl Summary {
    /// Speedup of the whole workload when each operator runs where it is placed.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cpu_seconds / self.placed_seconds
    }

    /// Speedup if everything that moves took no time at all: 1 / (1 − moved share) (Amdahl 1967).
    #[must_use]
    pub fn amdahl_limit(&self) -> f64 {
        1.0 / (1.0 - self.moved_share)
    }

    /// Seconds that pinned operators cost.
    #[must_use]
    pub fn pin_seconds(&self) -> f64 {
        self.placed_seconds - self.best_seconds
    }
}

/// The answer to a placement study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Operator by operator, each over all variants.
    pub rows: Vec<Row>,
    /// The whole workload.
    pub summary: Summary,
    /// What a careful reader should know before trusting the numbers.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// The row of an operator in a variant.
    #[must_use]
    pub fn row(&self, operator: usize, variant: Variant) -> Option<&Row> {
        self.rows.iter().find(|row| row.operator == operator && row.variant == variant)
    }

    /// The rows of the cluster's own network and compression, one for each operator.
    pub fn chosen(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.variant == self.summary.variant)
    }
}

/// Evaluates a valid study (see [`super::validate::validate`]).
#[must_use]
pub fn evaluate(study: &Placement) -> Outcome {
    let mut rows: Vec<Row> = (0..study.operators.len())
        .flat_map(|operator| Variant::all(study).map(move |variant| (operator, variant)))
        .map(|(operator, variant)| row(study, operator, variant))
        .collect();
    let variants = Variant::all(study).count();
    let reasons: Vec<String> = rows
        .chunks(variants)
        .flat_map(|of_operator| of_operator.iter().map(|row| super::reason::reason(study, row, of_operator)))
        .collect();
    for (row, reason) in rows.iter_mut().zip(reasons) {
        row.reason = reason;
    }
    let summary = summary(study, &rows);
    let warnings = warnings(study, &rows);
    Outcome { rows, summary, warnings }
}

fn row(study: &Placement, operator: usize, variant: Variant) -> Row {
    let point = Point::new(study, operator, variant.network, variant.compression);
    let cost = cost_at(&point);
    let pays = cost.side(study.policy.threshold);
    let break_evens = Parameter::ALL
        .into_iter()
        .filter(|parameter| has_influence(*parameter, &point))
        .map(|parameter| (parameter, break_even(&point, Axis::One(parameter))))
        .collect();
    Row {
        operator,
        variant,
        cost,
        pays,
        placement: study.operators[operator].pin.unwrap_or(pays),
        break_evens,
        reason: String::new(),
    }
}

/// Whether a parameter takes part in the formulas at this point.
fn has_influence(parameter: Parameter, point: &Point) -> bool {
    match parameter {
        Parameter::LineSpeed => false,
        Parameter::ScanSpeed | Parameter::GpuMemory => point[parameter].is_finite(),
        Parameter::NetworkRatio | Parameter::BusRatio | Parameter::CompressSpeed | Parameter::DecompressSpeed => {
            point.compressed
        }
        Parameter::CpuTime | Parameter::Power => !(point.cpu_curve && point.gpu_curve),
        Parameter::CpuParallelism => !point.cpu_curve,
        Parameter::GpuParallelism => !point.gpu_curve,
        Parameter::CpuCurveFixed | Parameter::CpuCurveRate => point.cpu_curve,
        Parameter::GpuCurveFixed | Parameter::GpuCurveRate => point.gpu_curve,
        _ => true,
    }
}

fn summary(study: &Placement, rows: &[Row]) -> Summary {
    let variant = Variant::chosen(study);
    let chosen = || rows.iter().filter(|row| row.variant == variant);
    let cpu_seconds: f64 = chosen().map(|row| row.cost.cpu.total()).sum();
    let moved: f64 = chosen().filter(|row| row.placement == Side::Gpu).map(|row| row.cost.cpu.total()).sum();
    let placed_seconds = chosen().map(Row::placed_seconds).sum();
    let mut by_term = [0.0; Term::COUNT];
    for row in chosen() {
        let breakdown = match row.placement {
            Side::Cpu => &row.cost.cpu,
            Side::Gpu => &row.cost.gpu,
        };
        for term in Term::ALL {
            by_term[term as usize] += breakdown.get(term);
        }
    }
    let largest = Term::ALL.into_iter().max_by(|a, b| by_term[*a as usize].total_cmp(&by_term[*b as usize]));
    let largest = largest.unwrap_or(Term::Compute);
    let on_gpu = chosen().filter(|row| row.placement == Side::Gpu).count();
    Summary {
        variant,
        cpu_seconds,
        gpu_seconds: chosen().map(|row| row.cost.gpu.total()).sum(),
        placed_seconds,
        best_seconds: chosen().map(|row| row.cost.seconds(row.pays)).sum(),
        on_cpu: chosen().count() - on_gpu,
        on_gpu,
        moved_share: moved / cpu_seconds,
        bound_by: (largest, by_term[largest as usize] / placed_seconds),
    }
}

fn warnings(study: &Placement, rows: &[Row]) -> Vec<String> {
    let variants = Variant::all(study).count();
    let mut warnings = Vec::new();
    for network in &study.networks {
        if network.effective_gbit_per_s > network.line_gbit_per_s {
            warnings.push(format!("{}: the effective speed exceeds the line speed.", network.name));
        }
    }
    if study.cluster.fan_in > study.cluster.machines && study.cluster.aggregation == Aggregation::Published {
        warnings.push(
            "The fan-in exceeds the number of machines; the published form then counts less than one round.".to_owned(),
        );
    }
    for (index, operator) in study.operators.iter().enumerate() {
        let passes = rows.get(index * variants).map_or(1.0, |row| row.cost.passes);
        if passes > 1.0 {
            warnings.push(format!("{}: the data needs {passes} passes through GPU memory.", operator.name));
        }
        if operator.cpu_curve.is_some() != operator.gpu_curve.is_some() {
            warnings.push(format!("{}: one side is a measured curve, the other is modelled.", operator.name));
        }
    }
    warnings
}

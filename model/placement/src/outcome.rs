//! Everything that a placement study answers: a row for each operator × network × compression, and the
//! whole workload on the cluster's own network.

use super::cost::Term;
use super::parameter::{Parameter, ParameterOf};
use super::row::{Row, row};
use super::study::{Aggregation, Placement, Side};
use super::variant::Variant;
use crossover_quantity::provenance::Provenance;
use crossover_study::Watch;

/// The whole workload on the cluster's own network.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Network and compression of the cluster.
    pub variant: Variant,
    /// All operators on CPUs, seconds.
    pub cpu_seconds: f64,
    /// All operators on GPUs, seconds.
    pub gpu_seconds: f64,
    /// Time as placed, seconds.
    pub placed_seconds: f64,
    /// Time without pins, seconds; less than `placed_seconds` if a pin costs time.
    pub best_seconds: f64,
    /// Operators placed on CPU.
    pub on_cpu: usize,
    /// Operators placed on GPU.
    pub on_gpu: usize,
    /// Share of the CPU time that moves to GPUs, 0 … 1.
    pub moved_share: f64,
    /// The bottleneck of the workload as placed, and its share of the time.
    pub bound_by: (Term, f64),
}

impl Summary {
    /// Speedup of the whole workload as placed.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        self.cpu_seconds / self.placed_seconds
    }

    /// Speedup if everything that moves took no time: 1 / (1 − moved share) (Amdahl 1967).
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
    /// Warnings about the numbers, one sentence each.
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

/// Evaluates a valid study (see [`crossover_study::validate`]).
#[must_use]
pub fn evaluate(study: &Placement) -> Outcome {
    outcome(study, (0..study.operators.len()).flat_map(|operator| rows(study, operator)).collect())
}

/// Evaluates a valid study, operator by operator, with progress and cancellation. `None` if it was cancelled.
#[must_use]
pub fn evaluate_watched(study: &Placement, watch: Watch<'_>) -> Option<Outcome> {
    let mut all = Vec::new();
    for operator in 0..study.operators.len() {
        all.extend(rows(study, operator));
        watch.step()?;
    }
    Some(outcome(study, all))
}

/// An operator in every variant.
fn rows(study: &Placement, operator: usize) -> impl Iterator<Item = Row> {
    Variant::all(study).map(move |variant| row(study, operator, variant))
}

/// The totals of the rows of all operators.
fn outcome(study: &Placement, mut rows: Vec<Row>) -> Outcome {
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

fn summary(study: &Placement, rows: &[Row]) -> Summary {
    let variant = Variant::chosen(study);
    let chosen = || rows.iter().filter(|row| row.variant == variant);
    let cpu_seconds: f64 = chosen().map(|row| row.cost.cpu.total()).sum();
    let moved: f64 = chosen().filter(|row| row.placement == Side::Gpu).map(|row| row.cost.cpu.total()).sum();
    let placed_seconds = chosen().map(Row::placed_seconds).sum();
    let mut by_term = [0.0; Term::COUNT];
    for row in chosen() {
        let breakdown = row.placed_breakdown();
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
        best_seconds: chosen().map(|row| row.cost.seconds(row.recommended_side)).sum(),
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
    if study.engines.is_some() && study.query.is_none() {
        let next = "import one with this scenario as its base";
        warnings.push(format!("Engines need the plan of a query, and the study has none; {next}."));
    }
    warnings.extend(guessed_parallelism(study));
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

/// The catalogue's M is a ratio of memory bandwidths; for compute-heavy operators it is a guess.
fn guessed_parallelism(study: &Placement) -> Option<String> {
    /// A core that needs longer than this for 100 MB reads below 200 MB/s, far from its memory's speed.
    const COMPUTE_HEAVY_SECONDS_PER_100MB: f64 = 0.5;
    let source = study.sources.get(&ParameterOf { parameter: Parameter::GPU_PARALLELISM, index: 0 }.path(study))?;
    let heavy: Vec<&str> = study
        .operators
        .iter()
        .filter(|operator| {
            operator.gpu_curve.is_none() && operator.cpu_seconds_per_100mb >= COMPUTE_HEAVY_SECONDS_PER_100MB
        })
        .map(|operator| operator.name.as_str())
        .collect();
    let is_guess = matches!(source, Provenance::Preset { .. }) && !heavy.is_empty();
    is_guess.then(|| {
        format!(
            "GPU parallelism is derived from memory bandwidths, so it is a guess for compute-heavy operators. Measure it for: {}.",
            heavy.join(", ")
        )
    })
}

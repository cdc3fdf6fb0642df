//! A placement study as one kind of study: what it checks, sets and answers.

use super::outcome::evaluate_watched;
use super::row::Row;
use super::study::{Placement, Side};
use super::validate::{kinds, node_exists, query};
use super::whole;
use crate::invalid::{Invalid, did_you_mean};
use crate::provenance::Sources;
use crate::spread::Spreads;
use crate::study::bill::Bill;
use crate::study::{Better, Figure, FigureValue, Subject, Watch};
use crate::unit::Unit;

/// The figures of a study with a query: of the query where it is placed. Its operators are the costs of kinds, none that
/// run.
const OF_QUERY: [Figure; 6] = [SPEEDUP, SECONDS, CPU_SECONDS, GPU_SECONDS, ON_GPU, MOVED_SHARE];

/// The figures of any other study: of the whole workload where it is placed; then of each operator.
const OF_WORKLOAD: [Figure; 12] = [
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
    meaning: "All on CPUs ÷ every operator where it is placed.",
};
const SECONDS: Figure = Figure {
    key: "seconds",
    label: "time as placed",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time of the workload with every operator where it is placed.",
};
const CPU_SECONDS: Figure =
    Figure { key: "cpu_seconds", label: "time on CPUs", meaning: "Time of the workload with all on CPUs.", ..SECONDS };
const GPU_SECONDS: Figure = Figure {
    key: "gpu_seconds",
    label: "time on GPUs",
    meaning: "Time of the workload with all on GPUs that can be there.",
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
    meaning: "Share of the CPU time that moves to GPUs.",
};
const AMDAHL_LIMIT: Figure = Figure {
    key: "amdahl_limit",
    label: "Amdahl limit",
    meaning: "Speedup if everything that moves took no time at all.",
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

impl Subject for Placement {
    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    fn spreads(&self) -> &Spreads {
        &self.uncertain
    }

    fn spreads_mut(&mut self) -> &mut Spreads {
        &mut self.uncertain
    }

    fn bill(&self) -> Option<&Bill> {
        self.bill.as_deref()
    }

    fn bill_mut(&mut self) -> &mut Option<Box<Bill>> {
        &mut self.bill
    }

    fn check_first(&self) -> Result<(), Invalid> {
        // The operators of an imported study are made of its plan.
        self.query.as_deref().map_or(Ok(()), query)
    }

    fn check(&self) -> Result<(), Invalid> {
        kinds(self)
    }

    fn assign(&mut self, path: &str, value: &str) -> Option<Result<(), String>> {
        let id = path.strip_prefix("query.pins.")?.parse().ok()?;
        if let Err(invalid) = node_exists(self.query.as_ref()?, id) {
            return Some(Err(invalid.problem));
        }
        let side = match value {
            "Cpu" | "Some(Cpu)" => Some(Side::Cpu),
            "Gpu" | "Some(Gpu)" => Some(Side::Gpu),
            "None" => None,
            other => {
                let allowed = ["Cpu", "Gpu", "None"];
                let hint = did_you_mean(other, allowed);
                return Some(Err(format!("“{other}” is not allowed{hint}; allowed: {}", allowed.join(", "))));
            }
        };
        self.pin_node(id, side);
        Some(Ok(()))
    }

    fn figures(&self) -> &'static [Figure] {
        if self.query.is_some() { &OF_QUERY } else { &OF_WORKLOAD }
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        if watch.is_cancelled() {
            return None;
        }
        match whole::decide(self) {
            Some(whole) => {
                watch.count(1);
                Some(of_query(&whole))
            }
            None => of_workload(self, watch),
        }
    }
}

fn of_query(whole: &whole::Whole) -> Vec<FigureValue> {
    let cpu_seconds = |side: Option<Side>| -> f64 {
        let operators = whole.operators.iter().filter(|decided| side.is_none_or(|side| decided.side == side));
        operators.map(|decided| decided.cost.seconds(Side::Cpu)).sum()
    };
    vec![
        FigureValue::whole(&SPEEDUP, whole.speedup()),
        FigureValue::whole(&SECONDS, whole.seconds),
        FigureValue::whole(&CPU_SECONDS, whole.baselines.all_cpu),
        FigureValue::whole(&GPU_SECONDS, whole.baselines.all_gpu),
        FigureValue::whole(&ON_GPU, whole.count(Side::Gpu) as f64),
        FigureValue::whole(&MOVED_SHARE, cpu_seconds(Some(Side::Gpu)) / cpu_seconds(None)),
    ]
}

fn of_workload(study: &Placement, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
    let outcome = evaluate_watched(study, watch)?;
    let summary = &outcome.summary;
    let mut figures = vec![
        FigureValue::whole(&SPEEDUP, summary.speedup()),
        FigureValue::whole(&SECONDS, summary.placed_seconds),
        FigureValue::whole(&CPU_SECONDS, summary.cpu_seconds),
        FigureValue::whole(&GPU_SECONDS, summary.gpu_seconds),
        FigureValue::whole(&ON_GPU, summary.on_gpu as f64),
        FigureValue::whole(&MOVED_SHARE, summary.moved_share),
        FigureValue::whole(&AMDAHL_LIMIT, summary.amdahl_limit()),
    ];
    for row in outcome.chosen() {
        let name = &study.operators[row.operator].name;
        let is_on_gpu = if row.placement == Side::Gpu { 1.0 } else { 0.0 };
        let values: [(&'static Figure, f64); 5] = [
            (&OPERATOR_ON_GPU, is_on_gpu),
            (&OPERATOR_SPEEDUP, row.cost.speedup()),
            (&OPERATOR_SECONDS, Row::placed_seconds(row)),
            (&OPERATOR_CPU_SECONDS, row.cost.cpu.total()),
            (&OPERATOR_GPU_SECONDS, row.cost.gpu.total()),
        ];
        figures.extend(values.map(|(figure, value)| FigureValue::of(figure, name, value)));
    }
    Some(figures)
}

//! An allocation study as one kind of study: its validation and figures.

use super::outcome::evaluate_own;
use super::replay::Replayed;
use super::study::Allocation;
use super::validate;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::unit::Unit;
use crossover_study::{Better, Figure, FigureValue, Subject, Watch};

/// The figures of an allocation study: with its own policy, then of each group of tasks.
const FIGURES: [Figure; 14] = [
    ALLOCATED,
    FRAGMENTED,
    REJECTED,
    ADD,
    WATTS,
    WAIT,
    WAIT_99,
    OTHERS_WAIT,
    SLO_VIOLATIONS,
    SENSITIVE_SLOWDOWN,
    SLOWDOWN,
    UTILISATION,
    KWH,
    REJECTED_OF,
];

const ALLOCATED: Figure = Figure {
    key: "allocated",
    label: "allocated GPUs",
    unit: Unit::Share,
    better: Better::Higher,
    list: None,
    meaning: "Share of all GPUs that is allocated when the demand is reached, mean over the arrival orders.",
};
const FRAGMENTED: Figure = Figure {
    key: "fragmented",
    label: "GPUs in fragments",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of all GPUs that is idle and that typical tasks cannot use, mean over the arrival orders.",
};
const REJECTED: Figure = Figure {
    key: "rejected",
    label: "rejected tasks",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of the tasks that fitted no node on arrival, mean over the arrival orders.",
};
const ADD: Figure = Figure {
    key: "nodes_to_add",
    label: "nodes to add",
    unit: Unit::Count,
    better: Better::Lower,
    list: None,
    meaning: "Nodes to add to the node group to scale until the target is met, in arrival order 1; not available if the target is \
              not reached even with 8 × the nodes.",
};
const WATTS: Figure = Figure {
    key: "watts",
    label: "power of allocated GPUs",
    unit: Unit::Watts,
    better: Better::Neither,
    list: None,
    meaning: "Power of the GPUs that are allocated at the end of arrival order 1; not available if the power of a type of GPU is \
              missing.",
};
const WAIT: Figure = Figure {
    key: "sensitive_wait_seconds",
    label: "latency-sensitive wait",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Mean time of latency-sensitive tasks in queues; not available without a replay.",
};
const WAIT_99: Figure = Figure {
    key: "sensitive_wait_p99_seconds",
    label: "latency-sensitive p99 wait",
    meaning: "Time in queues that 99 % of latency-sensitive tasks do not exceed, accurate to 6 %; not available without \
              a replay.",
    ..WAIT
};
const OTHERS_WAIT: Figure = Figure {
    key: "others_wait_seconds",
    label: "wait of other tasks",
    meaning: "Mean time of all other tasks in queues; not available without a replay.",
    ..WAIT
};
const SLOWDOWN: Figure = Figure {
    key: "others_slowdown",
    label: "slowdown of other tasks",
    unit: Unit::Factor,
    better: Better::Lower,
    list: None,
    meaning: "Bounded slowdown (bound 10 s): turnaround time ÷ run time alone, mean of all other tasks; not available \
              without a replay.",
};
const SENSITIVE_SLOWDOWN: Figure = Figure {
    key: "sensitive_slowdown",
    label: "latency-sensitive slowdown",
    meaning: "Bounded slowdown (bound 10 s): turnaround time ÷ run time alone, mean of latency-sensitive tasks; not \
              available without a replay.",
    ..SLOWDOWN
};
const SLO_VIOLATIONS: Figure = Figure {
    key: "sensitive_slo_violations",
    label: "SLO violations",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of latency-sensitive tasks that violated their SLO; not available without a replay.",
};
const UTILISATION: Figure = Figure {
    key: "utilisation",
    label: "GPU time allocated",
    unit: Unit::Share,
    better: Better::Higher,
    list: None,
    meaning: "Share of the available GPU time that is allocated to tasks, until the last arrival; without arrivals, \
              until the last end. Not available without a replay.",
};
const KWH: Figure = Figure {
    key: "kwh",
    label: "energy of GPUs",
    unit: Unit::KilowattHours,
    better: Better::Lower,
    list: None,
    meaning: "Energy of allocated GPUs until the end of the last task; not available without a replay, or if the power of a type \
              of GPU is missing.",
};
const REJECTED_OF: Figure = Figure {
    list: Some("tasks"),
    meaning: "Share of the tasks of the group that fitted no node on arrival, over all arrival orders.",
    ..REJECTED
};

impl Subject for Allocation {
    fn kind(&self) -> &'static str {
        "allocation"
    }

    crossover_study::annotations!();

    fn check(&self) -> Result<(), Invalid> {
        validate::check(self)
    }

    fn figures(&self) -> &'static [Figure] {
        &FIGURES
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        let outcome = evaluate_own(self, watch)?;
        let own = outcome.own();
        let mut figures = vec![
            FigureValue::whole(&ALLOCATED, own.end().allocated_percent / 100.0),
            FigureValue::whole(&FRAGMENTED, own.end().fragmented_percent / 100.0),
            FigureValue::whole(&REJECTED, own.rejected),
            FigureValue::whole(&ADD, outcome.nodes_to_add.map(|nodes| nodes as f64)),
            FigureValue::whole(&WATTS, outcome.watts),
        ];
        let replayed = outcome.replayed.get(outcome.chosen);
        let of = |value: fn(&Replayed) -> f64| replayed.map(value);
        let some = |value: fn(&Replayed) -> Option<f64>| replayed.and_then(value);
        figures.extend([
            FigureValue::whole(&WAIT, of(|replayed| replayed.served[0].mean_wait)),
            FigureValue::whole(&WAIT_99, of(|replayed| replayed.served[0].p99_wait)),
            FigureValue::whole(&OTHERS_WAIT, of(|replayed| replayed.served[1].mean_wait)),
            FigureValue::whole(&SLO_VIOLATIONS, some(|replayed| replayed.served[0].slo_violation_share)),
            FigureValue::whole(&SENSITIVE_SLOWDOWN, some(|replayed| replayed.served[0].mean_slowdown)),
            FigureValue::whole(&SLOWDOWN, some(|replayed| replayed.served[1].mean_slowdown)),
            FigureValue::whole(&UTILISATION, of(|replayed| replayed.utilisation)),
            FigureValue::whole(&KWH, outcome.kwh.get(outcome.chosen).copied()),
        ]);
        for (group, rejected) in self.tasks.iter().zip(&own.rejected_of) {
            figures.push(FigureValue::of(&REJECTED_OF, &group.name, *rejected));
        }
        Some(figures)
    }
}

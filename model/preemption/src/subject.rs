//! A preemption study as one kind of study: its checks and figures.

use super::outcome::{evaluate_watched, seconds};
use super::study::Preemption;
use super::validate;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::unit::Unit;
use crossover_study::{Better, Figure, FigureValue, Subject, Watch};

/// The figures of a preemption study: of the chosen policy, then of each kernel.
const FIGURES: [Figure; 15] = [
    THROUGHPUT,
    TURNAROUND,
    FAIRNESS,
    LATENCY,
    LATENCY_P99,
    PREEMPTIONS,
    CONTEXT_SWITCHES,
    WASTED,
    UTILISATION,
    GAIN,
    BREAK_EVEN,
    PREEMPT_CYCLES,
    BOUND,
    SLOWDOWN,
    RESIDENT,
];

const THROUGHPUT: Figure = Figure {
    key: "throughput",
    label: "throughput (STP)",
    unit: Unit::Ratio,
    better: Better::Higher,
    list: None,
    meaning: "Sum of the cycles alone over the cycles from the first arrival to the last end (STP); mean over the streams.",
};
const TURNAROUND: Figure = Figure {
    key: "turnaround",
    label: "turnaround (ANTT)",
    unit: Unit::Factor,
    better: Better::Lower,
    list: None,
    meaning: "Time from arrival to end over the time alone (ANTT), mean over all launches.",
};
const FAIRNESS: Figure = Figure {
    key: "fairness",
    label: "fairness",
    unit: Unit::Ratio,
    better: Better::Higher,
    list: None,
    meaning: "Least over largest mean progress of a kernel; 1: all kernels progress equally.",
};
const LATENCY: Figure = Figure {
    key: "latency_seconds",
    label: "mean latency",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time from arrival to end, mean over all launches.",
};
const LATENCY_P99: Figure = Figure {
    key: "latency_p99_seconds",
    label: "p99 latency",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time from arrival to end that 99 % of the launches of a stream do not exceed, mean over the streams.",
};
const PREEMPTIONS: Figure = Figure {
    key: "preemptions",
    label: "preemptions per launch",
    unit: Unit::Ratio,
    better: Better::Neither,
    list: None,
    meaning: "Preemptions of kernels before they end, per launch.",
};
const CONTEXT_SWITCHES: Figure = Figure {
    key: "context_switch_share",
    label: "context-switch time",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of the time in which contexts are saved or loaded.",
};
const WASTED: Figure = Figure {
    key: "wasted_share",
    label: "wasted work",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of the work of blocks that are restarted after a flush.",
};
const UTILISATION: Figure = Figure {
    key: "utilisation",
    label: "GPU utilisation",
    unit: Unit::Share,
    better: Better::Higher,
    list: None,
    meaning: "Share of the time from the first arrival to the last end in which a kernel runs.",
};
const GAIN: Figure = Figure {
    key: "gain_cycles",
    label: "largest preemption gain",
    unit: Unit::Cycles,
    better: Better::Higher,
    list: None,
    meaning: "Largest work gain of a preemption in the first stream, in cycles alone; not available if none was evaluated.",
};
const BREAK_EVEN: Figure = Figure {
    key: "break_even_cycles",
    label: "break-even switch cost",
    unit: Unit::Cycles,
    better: Better::Neither,
    list: None,
    meaning: "Switch cost up to which that preemption gains work; not available if none was evaluated.",
};
const PREEMPT_CYCLES: Figure = Figure {
    key: "preempt_cycles",
    label: "switch cost",
    unit: Unit::Cycles,
    better: Better::Lower,
    list: None,
    meaning: "Cycles of the context switch of that preemption; not available if none was evaluated.",
};
const BOUND: Figure = Figure {
    key: "throughput_bound",
    label: "STP upper bound",
    unit: Unit::Ratio,
    better: Better::Neither,
    list: None,
    meaning: "Bound on system throughput (STP) for any policy, including a clairvoyant one without switch cost.",
};
const SLOWDOWN: Figure = Figure {
    key: "slowdown",
    label: "slowdown",
    unit: Unit::Factor,
    better: Better::Lower,
    list: Some("kernels"),
    meaning: "Time from arrival to end over the time alone, mean over the launches of this kernel; not available if it never arrives.",
};
const RESIDENT: Figure = Figure {
    key: "resident_blocks",
    label: "resident blocks",
    unit: Unit::Count,
    better: Better::Neither,
    list: Some("kernels"),
    meaning: "Thread blocks of this kernel on the GPU at a time, while it has the GPU to itself.",
};

impl Subject for Preemption {
    fn kind(&self) -> &'static str {
        "preemption"
    }

    crossover_study::annotations!();

    fn check(&self) -> Result<(), Invalid> {
        validate::check(self)
    }

    fn figures(&self) -> &'static [Figure] {
        &FIGURES
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        let outcome = evaluate_watched(self, watch)?;
        let means = &outcome.chosen(self).means;
        let largest_gain = outcome.largest_gain();
        let mut figures = vec![
            FigureValue::whole(&THROUGHPUT, means.throughput.mean),
            FigureValue::whole(&TURNAROUND, means.turnaround.mean),
            FigureValue::whole(&FAIRNESS, means.fairness.mean),
            FigureValue::whole(&LATENCY, seconds(self, means.latency.mean)),
            FigureValue::whole(&LATENCY_P99, seconds(self, means.latency_p99.mean)),
            FigureValue::whole(&PREEMPTIONS, means.preemptions),
            FigureValue::whole(&CONTEXT_SWITCHES, means.context_switch_share),
            FigureValue::whole(&WASTED, means.wasted_share),
            FigureValue::whole(&UTILISATION, means.utilisation),
            FigureValue::whole(&GAIN, largest_gain.map(|of| of.weighed.gain)),
            FigureValue::whole(&BREAK_EVEN, largest_gain.map(|of| of.weighed.break_even_cycles)),
            FigureValue::whole(&PREEMPT_CYCLES, largest_gain.map(|of| of.case.preempt_cycles)),
            FigureValue::whole(&BOUND, outcome.bound.throughput),
        ];
        for (place, kernel) in self.kernels.iter().enumerate() {
            figures.push(FigureValue::of(&SLOWDOWN, &kernel.name, means.slowdowns[place]));
            figures.push(FigureValue::of(&RESIDENT, &kernel.name, outcome.residencies[place].resident));
        }
        Some(figures)
    }
}

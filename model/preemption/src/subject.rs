//! A preemption study as one kind of study: what it checks and answers.

use super::outcome::{evaluate_watched, seconds};
use super::study::Preemption;
use super::validate;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::provenance::Sources;
use crossover_quantity::spread::Spreads;
use crossover_quantity::unit::Unit;
use crossover_study::bill::Bill;
use crossover_study::{Better, Figure, FigureValue, Subject, Watch};

/// The figures of a preemption study: of the policy that is looked at, then of each kernel.
const FIGURES: [Figure; 15] = [
    THROUGHPUT,
    TURNAROUND,
    FAIRNESS,
    LATENCY,
    LATENCY_99,
    PREEMPTIONS,
    SWITCHING,
    LOST,
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
    meaning: "Work done in a cycle from the first arrival to the last end, in cycles that it takes alone; mean over the streams.",
};
const TURNAROUND: Figure = Figure {
    key: "turnaround",
    label: "turnaround (ANTT)",
    unit: Unit::Factor,
    better: Better::Lower,
    list: None,
    meaning: "Time from arrival to end over the time alone, mean over all launches.",
};
const FAIRNESS: Figure = Figure {
    key: "fairness",
    label: "fairness",
    unit: Unit::Ratio,
    better: Better::Higher,
    list: None,
    meaning: "Mean progress of the kernel that is slowed down most over that of the one slowed down least; 1: all alike.",
};
const LATENCY: Figure = Figure {
    key: "latency_seconds",
    label: "mean latency",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time from arrival to end, mean over all launches.",
};
const LATENCY_99: Figure = Figure {
    key: "latency_99_seconds",
    label: "99 of 100 latencies below",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time from arrival to end that 99 of 100 launches of a stream do not exceed, mean over the streams.",
};
const PREEMPTIONS: Figure = Figure {
    key: "preemptions",
    label: "preemptions per launch",
    unit: Unit::Ratio,
    better: Better::Neither,
    list: None,
    meaning: "How often a kernel left before it was done, per launch.",
};
const SWITCHING: Figure = Figure {
    key: "switching",
    label: "time in switches",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of the time in which contexts were saved or loaded.",
};
const LOST: Figure = Figure {
    key: "lost",
    label: "work thrown away",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Share of the work that was begun anew after a flush.",
};
const UTILISATION: Figure = Figure {
    key: "utilisation",
    label: "GPU in use",
    unit: Unit::Share,
    better: Better::Higher,
    list: None,
    meaning: "Share of the time from the first arrival to the last end in which a kernel ran.",
};
const GAIN: Figure = Figure {
    key: "gain_cycles",
    label: "largest gain of a preemption",
    unit: Unit::Cycles,
    better: Better::Higher,
    list: None,
    meaning: "What the most telling preemption of the first stream gains, normalised IPC times cycles; none if none was weighed.",
};
const BREAK_EVEN: Figure = Figure {
    key: "break_even_cycles",
    label: "it pays up to a switch of",
    unit: Unit::Cycles,
    better: Better::Neither,
    list: None,
    meaning: "Cycles of a switch at which that preemption would gain nothing; none if none was weighed.",
};
const PREEMPT_CYCLES: Figure = Figure {
    key: "preempt_cycles",
    label: "the switch takes",
    unit: Unit::Cycles,
    better: Better::Lower,
    list: None,
    meaning: "Cycles of that switch; none if none was weighed.",
};
const BOUND: Figure = Figure {
    key: "throughput_bound",
    label: "no policy does more than",
    unit: Unit::Ratio,
    better: Better::Neither,
    list: None,
    meaning: "Throughput that no policy can pass, not even one that knows the future and switches for nothing.",
};
const SLOWDOWN: Figure = Figure {
    key: "slowdown",
    label: "slowdown",
    unit: Unit::Factor,
    better: Better::Lower,
    list: Some("kernels"),
    meaning: "Time from arrival to end over the time alone, mean over the launches of this kernel; none if it never comes.",
};
const RESIDENT: Figure = Figure {
    key: "resident_blocks",
    label: "resident blocks",
    unit: Unit::Count,
    better: Better::Neither,
    list: Some("kernels"),
    meaning: "Thread blocks of this kernel on the GPU at a time, if it has the GPU to itself.",
};

impl Subject for Preemption {
    fn kind(&self) -> &'static str {
        "preemption"
    }

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

    fn check(&self) -> Result<(), Invalid> {
        validate::check(self)
    }

    fn figures(&self) -> &'static [Figure] {
        &FIGURES
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        let outcome = evaluate_watched(self, watch)?;
        let means = &outcome.chosen(self).means;
        let telling = outcome.telling();
        let mut figures = vec![
            FigureValue::whole(&THROUGHPUT, means.throughput.mean),
            FigureValue::whole(&TURNAROUND, means.turnaround.mean),
            FigureValue::whole(&FAIRNESS, means.fairness.mean),
            FigureValue::whole(&LATENCY, seconds(self, means.latency.mean)),
            FigureValue::whole(&LATENCY_99, seconds(self, means.latency_99.mean)),
            FigureValue::whole(&PREEMPTIONS, means.preemptions),
            FigureValue::whole(&SWITCHING, means.switching),
            FigureValue::whole(&LOST, means.lost),
            FigureValue::whole(&UTILISATION, means.utilisation),
            FigureValue::whole(&GAIN, telling.map(|of| of.weighed.gain)),
            FigureValue::whole(&BREAK_EVEN, telling.map(|of| of.weighed.break_even_cycles)),
            FigureValue::whole(&PREEMPT_CYCLES, telling.map(|of| of.case.preempt_cycles)),
            FigureValue::whole(&BOUND, outcome.bound.throughput),
        ];
        for (place, kernel) in self.kernels.iter().enumerate() {
            figures.push(FigureValue::of(&SLOWDOWN, &kernel.name, means.slowdowns[place]));
            figures.push(FigureValue::of(&RESIDENT, &kernel.name, outcome.residencies[place].resident));
        }
        Some(figures)
    }
}

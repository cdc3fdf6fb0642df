//! Why an operator of a plan runs where it does, in one sentence.

use rayon::prelude::*;

use super::outcome::{Decided, Fixed, Whole};
use crate::placement::cost::Term;
use crate::placement::study::{Query, Side};
use crate::unit::Unit;

/// Part of an operator's GPU time from which on a single term is named as the cause.
const MOST: f64 = 0.5;

/// The reasons for the sides of all operators, by place.
pub(super) fn reasons(whole: &Whole, query: &Query, threshold: f64) -> Vec<String> {
    let buses = buses(whole);
    let reason = |(decided, bus): (&Decided, &Bus)| -> String {
        let why = match &decided.fixed {
            Some(Fixed::Pinned) => pinned(decided, bus),
            Some(Fixed::Unsupported(note)) => unsupported(query, decided, note),
            Some(Fixed::CpuOnly(why)) => (*why).to_owned(),
            None => match decided.side {
                Side::Gpu => on_gpu(decided, bus),
                Side::Cpu => on_cpu(decided, bus, threshold),
            },
        };
        format!("{}: {why}.", decided.side.label())
    };
    // Writing sentences takes longer than all the rest of a large plan.
    whole.operators.par_iter().zip(&buses).map(reason).collect()
}

/// Seconds on the bus between an operator and its neighbours, which stay where they are.
#[derive(Clone, Copy, Default)]
struct Bus {
    on_cpu: f64,
    on_gpu: f64,
}

impl Bus {
    fn on(self, side: Side) -> f64 {
        match side {
            Side::Cpu => self.on_cpu,
            Side::Gpu => self.on_gpu,
        }
    }
}

fn buses(whole: &Whole) -> Vec<Bus> {
    let mut buses = vec![Bus::default(); whole.operators.len()];
    for (flow, ends) in whole.edges.iter().zip(&whole.problem.edges) {
        let (from, to) = (whole.operators[ends.from].side, whole.operators[ends.to].side);
        buses[ends.to].on_cpu += flow.cost.seconds(from, Side::Cpu);
        buses[ends.to].on_gpu += flow.cost.seconds(from, Side::Gpu);
        buses[ends.from].on_cpu += flow.cost.seconds(Side::Cpu, to);
        buses[ends.from].on_gpu += flow.cost.seconds(Side::Gpu, to);
    }
    buses
}

fn seconds(value: f64) -> String {
    Unit::Seconds.format(value)
}

fn pinned(decided: &Decided, bus: &Bus) -> String {
    let time = |side: Side| decided.cost.seconds(side) + bus.on(side);
    let (here, there) = (time(decided.side), time(decided.side.other()));
    let other = decided.side.other().label();
    let with_bus = if bus.on_cpu + bus.on_gpu > 0.0 { " with the bus to its neighbours" } else { "" };
    format!("pinned; it takes {} here and would take {} on {other}{with_bus}", seconds(here), seconds(there))
}

fn unsupported(query: &Query, decided: &Decided, note: &str) -> String {
    let node = &query.plan.nodes[decided.node];
    let class = node.class.as_deref().unwrap_or(&node.name);
    let note = note.trim().trim_end_matches('.');
    let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
    format!("the support list has no GPU version of {class}{note}")
}

fn on_gpu(decided: &Decided, bus: &Bus) -> String {
    let (cpu, gpu) = (decided.cost.cpu.total(), decided.cost.gpu.total());
    let moving = bus.on_cpu - bus.on_gpu;
    if gpu < cpu {
        let own = format!("{} instead of {} on CPU", seconds(gpu), seconds(cpu));
        return match decided.alone {
            _ if bus.on_gpu > 0.0 => {
                format!("{own}; the bus takes {} and on CPU {}", seconds(bus.on_gpu), seconds(bus.on_cpu))
            }
            Side::Gpu => own,
            Side::Cpu => format!("{own}; it pays because the data around it is on the GPU already"),
        };
    }
    if gpu - cpu < moving {
        return format!(
            "it follows its data: {} instead of {} on CPU, where the bus would take {} more",
            seconds(gpu),
            seconds(cpu),
            seconds(moving)
        );
    }
    format!("{} instead of {} on CPU is within the threshold", seconds(gpu + bus.on_gpu), seconds(cpu + bus.on_cpu))
}

fn on_cpu(decided: &Decided, bus: &Bus, threshold: f64) -> String {
    let (cpu, gpu) = (decided.cost.cpu.total(), decided.cost.gpu.total());
    let moving = bus.on_gpu - bus.on_cpu;
    if gpu > cpu {
        let (term, share) = decided.cost.gpu.dominant();
        let own = format!("{} instead of {} on GPU", seconds(cpu), seconds(gpu));
        return if term != Term::Compute && share > MOST {
            format!("{own}, of which {} is {}", Unit::Share.format(share), term.label())
        } else {
            own
        };
    }
    if gpu == cpu {
        let more = if moving > 0.0 { format!(", and the bus {} more", seconds(moving)) } else { String::new() };
        return format!("a GPU takes {} as well{more}", seconds(gpu));
    }
    if cpu - gpu <= moving {
        return format!(
            "{} instead of {} on GPU, where the bus would take {} more",
            seconds(cpu),
            seconds(gpu),
            seconds(moving)
        );
    }
    let with_bus = if bus.on_cpu + bus.on_gpu > 0.0 { ", bus included" } else { "" };
    format!(
        "{} instead of {} on GPU{with_bus}; the threshold asks for {}",
        seconds(cpu + bus.on_cpu),
        seconds(gpu + bus.on_gpu),
        Unit::Factor.format(threshold)
    )
}

//! A query plan as data: a box for every operator, the data between them, and the layout.

pub mod layout;
mod svg;

use std::sync::Arc;

use crate::theme::Token;
pub use layout::{Label, Layout, Route};
pub(super) use svg::{GPU_TINT, SHARE, STRIPE};

/// Data over the bus, from the CPU to the GPU.
const TO_GPU_MARK: &str = "⇑";
/// Data over the bus, from the GPU to the CPU.
const TO_CPU_MARK: &str = "⇓";
/// Data over the network.
pub const NETWORK_MARK: &str = "⇄";
/// Prefix of an estimated number.
pub const ESTIMATE_MARK: &str = "≈";

/// A plan, complete.
#[derive(Clone, Debug)]
pub struct PlanChart {
    /// The question the chart answers.
    pub title: String,
    /// Which query of which engine.
    pub subtitle: String,
    /// The answer, in one sentence.
    pub answer: String,
    /// The operators, inputs first; the last one gives the result.
    pub boxes: Vec<PlanBox>,
    /// What flows between them.
    pub edges: Vec<PlanEdge>,
    /// Their positions; boxes and edges in the same order.
    pub layout: Arc<Layout>,
    /// Colour of the network that exchanges use.
    pub network: Token,
}

/// An operator of a plan.
#[derive(Clone, Debug)]
pub struct PlanBox {
    /// Id of the node in its plan.
    pub node: usize,
    /// Name in the engine.
    pub name: String,
    /// Its operation and its output: "join · 12.3 M rows".
    pub what: String,
    /// Its time where it runs, with unit.
    pub time: String,
    /// Its share of the plan's time, 0 to 1.
    pub share: f32,
    /// Where it runs.
    pub processor: Processor,
    /// Why its side is fixed, if so.
    pub mark: Option<Mark>,
    /// Why it runs there, in one sentence.
    pub reason: String,
    /// Whether rows move between machines here.
    pub is_exchange: bool,
    /// How many operators read its result.
    pub readers: usize,
    /// Its place among the operators that take most time, from 1; `None` beyond those worth naming.
    pub rank: Option<usize>,
    /// Number of operators that it represents: 1, or more where cheap ones are drawn as one.
    pub operator_count: usize,
}

/// Where an operator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// On CPUs.
    Cpu,
    /// On GPUs.
    Gpu,
}

impl Processor {
    /// "CPU" or "GPU".
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "GPU",
        }
    }

    /// Its colour.
    #[must_use]
    pub fn token(self) -> Token {
        match self {
            Self::Cpu => Token::Cpu,
            Self::Gpu => Token::Gpu,
        }
    }
}

/// Why the side of an operator is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The user pinned it.
    Pinned,
    /// It runs on CPUs only.
    CpuOnly,
}

impl Mark {
    /// All marks.
    pub const ALL: [Self; 2] = [Self::Pinned, Self::CpuOnly];

    /// The sign in the box.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Pinned => "◉",
            Self::CpuOnly => "⊘",
        }
    }

    /// The sign in as few words as possible.
    #[must_use]
    pub fn short_label(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::CpuOnly => "CPU only",
        }
    }

    /// The sign in words.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::CpuOnly => "no GPU version",
        }
    }
}

/// Data between two operators.
#[derive(Clone, Debug)]
pub struct PlanEdge {
    /// Place of the operator that gives it.
    pub from: usize,
    /// Place of the operator that reads it.
    pub to: usize,
    /// Its size, with unit.
    pub label: String,
    /// Width of the line, 0 to 1: its size beside the largest of the plan.
    pub weight: f32,
    /// Set where it goes from one processor to the other.
    pub bus: Option<Bus>,
}

/// The sign of data over the bus.
#[must_use]
pub fn bus_mark(to: Processor) -> &'static str {
    match to {
        Processor::Gpu => TO_GPU_MARK,
        Processor::Cpu => TO_CPU_MARK,
    }
}

/// Data that goes from one processor to the other.
#[derive(Clone, Debug)]
pub struct Bus {
    /// Where it goes to.
    pub to: Processor,
    /// Colour of its direction.
    pub token: Token,
    /// Its time on the bus, with unit.
    pub time: String,
}

impl PlanBox {
    /// Accessible name: "Sort, GPU, 1.2 s, node 12".
    #[must_use]
    pub fn accessible_name(&self) -> String {
        let mark = self.mark.map_or_else(String::new, |mark| format!(", {}", mark.label()));
        format!("{}, {}{mark}, {}, node {}", self.name, self.processor.label(), self.time, self.node)
    }

    /// Tooltip: name, side, time and reason.
    #[must_use]
    pub fn summary(&self) -> String {
        let share = (f64::from(self.share) * 100.0).round();
        let Self { name, time, reason, .. } = self;
        format!("{name}\n{time}, {share} % of the time · {}\n{reason}", self.what)
    }

    /// Text of the second line: kind, rows, and how often the result is read.
    #[must_use]
    pub fn second_line(&self) -> String {
        let network = if self.is_exchange { format!("{NETWORK_MARK} ") } else { String::new() };
        let readers = if self.readers > 1 { format!(" · read {}×", self.readers) } else { String::new() };
        format!("{network}{}{readers}", self.what)
    }
}

impl PlanEdge {
    /// Text beside the line: its size and, where data moves between CPU and GPU, its time on the bus.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.bus {
            Some(bus) => format!("{} {} · {}", bus_mark(bus.to), self.label, bus.time),
            None => self.label.clone(),
        }
    }

    /// The same for a line with little room: without the time.
    #[must_use]
    pub fn short_text(&self) -> String {
        match &self.bus {
            Some(bus) => format!("{} {}", bus_mark(bus.to), self.label),
            None => self.label.clone(),
        }
    }

    /// Width of its line.
    #[must_use]
    pub fn width(&self) -> f32 {
        let by_size = 1.0 + 2.5 * self.weight;
        if self.bus.is_some() { by_size.max(3.0) } else { by_size }
    }
}

//! Why an operator of a plan runs where it does.
//!
//! A reason consists of numbers and becomes a sentence when it is displayed: writing the sentences of a large plan takes
//! longer than deciding it.

use std::fmt;

use super::cost::OperatorCost;
use super::fixed::Fixed;
use super::flow::Moves;
use super::rules::Rule;
use crate::cost::Term;
use crate::study::Side;
use crossover_quantity::unit::Unit;
use crossover_query::Node;

/// Terms that differ between the sides, in groups with one name in a reason. Storage takes equally long on both.
const CAUSES: [(&str, &[Term]); 5] = [
    ("computing", &[Term::Compute]),
    ("the bus", &[Term::BusIn, Term::BusOut]),
    ("the network", &[Term::Network]),
    ("compression", &[Term::Compress, Term::Decompress]),
    ("the fixed cost", &[Term::Fixed]),
];
/// Share of the decisive difference from which on an opposing difference is named.
const WORTH_NAMING: f64 = 0.01;
/// Seconds below which a time is not printed as a figure.
const SHORTEST: f64 = 1e-6;

/// Why an operator runs where it does; its [`Display`](fmt::Display) begins with the side.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    side: Side,
    why: Why,
}

#[derive(Debug, Clone, PartialEq)]
enum Why {
    /// It is pinned; times include moving its data.
    Pinned { times: Times, is_moved: bool },
    /// The support list has no GPU version of the class.
    Unsupported { class: String, note: String },
    /// Its work runs on CPUs only.
    CpuOnly(&'static str),
    /// The whole query runs in one engine; times of the operator and of the query, and whether it gives the result: the
    /// start of the query counts there.
    Engine { times: Times, whole: Times, is_result: bool },
    /// It is faster here, without regard to its neighbours.
    Faster { times: Times, causes: Causes },
    /// It is faster here, including the time to move its data.
    FasterThoughMoved { times: Times, moves: Moves },
    /// It is faster here, and its data need not move.
    FasterAmongNeighbours(Times),
    /// On the other side, moving its data would take this much longer.
    NearItsData { times: Times, moving: f64 },
    /// Both sides take equally long, and on the other side moving its data would take this much longer.
    Equal { seconds: f64, moving: f64 },
    /// It would be faster on the other side, but the engine ties it to other operators; times include moving its data.
    Tied { times: Times, is_moved: bool, rule: Rule },
    /// The gain on the other side is below the threshold; times include moving its data.
    Threshold { times: Times, is_moved: bool, threshold: f64 },
}

/// Seconds of the operator on the side where it is, and on the other one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Times {
    here: f64,
    there: f64,
}

/// The largest differences for and against the chosen side.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Causes {
    most: Cause,
    against: Option<Cause>,
}

/// Difference of one group of terms between the sides.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cause {
    name: &'static str,
    /// Seconds on GPUs − seconds on CPUs.
    difference: f64,
    /// Whether it takes time on CPUs too.
    on_both: bool,
}

/// An operator whose side is decided.
pub(super) struct Choice<'a> {
    pub(super) node: &'a Node,
    pub(super) side: Side,
    pub(super) fixed: Option<&'a Fixed>,
    pub(super) cost: &'a OperatorCost,
    pub(super) greedy_side: Side,
    pub(super) moves: Moves,
    /// Time of the whole plan on CPUs and on GPUs, if it runs in one engine.
    pub(super) engine: Option<[f64; 2]>,
    /// Whether it gives the result of the query.
    pub(super) is_result: bool,
    /// The rule by which the engine ties it to other operators, if any.
    pub(super) rule: Option<Rule>,
}

impl Reason {
    /// The reason for a choice in a study with this threshold.
    pub(super) fn new(choice: &Choice<'_>, threshold: f64) -> Self {
        let Choice { node, side, fixed, moves, .. } = *choice;
        let why = match fixed {
            Some(Fixed::Pinned) => Why::Pinned { times: Times::moved(choice), is_moved: moves.is_used() },
            Some(Fixed::Unsupported(note)) => {
                Why::Unsupported { class: node.class.as_ref().unwrap_or(&node.name).clone(), note: note.clone() }
            }
            Some(Fixed::CpuOnly(why)) => Why::CpuOnly(why),
            None => match choice.engine {
                Some(seconds) => {
                    let whole = Times { here: seconds[side as usize], there: seconds[side.other() as usize] };
                    Why::Engine { times: Times::own(choice), whole, is_result: choice.is_result }
                }
                None => free(choice, threshold),
            },
        };
        Self { side, why }
    }
}

/// The reason of an operator that can be on either side.
fn free(choice: &Choice<'_>, threshold: f64) -> Why {
    let Choice { side, cost, greedy_side, moves, .. } = *choice;
    let times = Times::own(choice);
    let moving = moves.on(side.other()) - moves.on(side);
    if let Some(rule) = choice.rule.filter(|_| Times::moved(choice).is_against(side, threshold)) {
        return Why::Tied { times: Times::moved(choice), is_moved: moves.is_used(), rule };
    }
    if times.here < times.there {
        return match side {
            Side::Gpu if moves.on_gpu > 0.0 => Why::FasterThoughMoved { times, moves },
            Side::Gpu if greedy_side == Side::Cpu => Why::FasterAmongNeighbours(times),
            _ => Why::Faster { times, causes: Causes::new(cost, side) },
        };
    }
    if side == Side::Cpu && times.here == times.there {
        return Why::Equal { seconds: times.there, moving };
    }
    let is_near = match side {
        Side::Cpu => times.here - times.there <= moving,
        Side::Gpu => times.here - times.there < moving,
    };
    if is_near {
        return Why::NearItsData { times, moving };
    }
    Why::Threshold { times: Times::moved(choice), is_moved: moves.is_used(), threshold }
}

impl Times {
    fn own(choice: &Choice<'_>) -> Self {
        Self { here: choice.cost.seconds(choice.side), there: choice.cost.seconds(choice.side.other()) }
    }

    /// Whether the other side would have been chosen by these times alone.
    fn is_against(self, side: Side, threshold: f64) -> bool {
        match side {
            Side::Gpu => threshold * self.here > self.there,
            Side::Cpu => self.here > threshold * self.there,
        }
    }

    /// "500 ms instead of 2 s on GPU".
    fn against(self, other: &str) -> String {
        if self.here < SHORTEST && self.there < SHORTEST {
            return format!("{}, as on {other}", seconds(self.here.max(self.there)));
        }
        format!("{} instead of {} on {other}", seconds(self.here), seconds(self.there))
    }

    /// Times including moving its data.
    fn moved(choice: &Choice<'_>) -> Self {
        let Self { here, there } = Self::own(choice);
        Self { here: here + choice.moves.on(choice.side), there: there + choice.moves.on(choice.side.other()) }
    }
}

impl Causes {
    fn new(cost: &OperatorCost, side: Side) -> Self {
        let mut causes = CAUSES.map(|(name, terms)| {
            let [cpu, gpu] =
                [&cost.cpu, &cost.gpu].map(|breakdown| terms.iter().map(|term| breakdown.get(*term)).sum::<f64>());
            Cause { name, difference: gpu - cpu, on_both: cpu > 0.0 }
        });
        causes.sort_by(|a, b| a.difference.total_cmp(&b.difference));
        let [saved, .., lost] = causes;
        let (most, against) = match side {
            Side::Gpu => (saved, lost),
            Side::Cpu => (lost, saved),
        };
        let is_against = most.difference * against.difference < 0.0
            && against.difference.abs() >= WORTH_NAMING * most.difference.abs();
        Self { most, against: is_against.then_some(against) }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (here, other) = (self.side.label(), self.side.other().label());
        let against = |times: Times| times.against(other);
        let included = |is_moved: bool| if is_moved { ", moving its data included" } else { "" };
        write!(f, "{here}: ")?;
        match &self.why {
            Why::Pinned { times: Times { here, there }, is_moved } => {
                let (here, there) = (seconds(*here), seconds(*there));
                write!(f, "pinned; it takes {here} here and would take {there} on {other}{}.", included(*is_moved))
            }
            Why::Unsupported { class, note } => {
                write!(f, "the support list has no GPU version of {class}")?;
                match note.trim().trim_end_matches('.') {
                    "" => f.write_str("."),
                    note => write!(f, " ({note})."),
                }
            }
            Why::CpuOnly(why) => write!(f, "{why}."),
            Why::Engine { times, whole, is_result } => {
                let (own_here, own_there) = (seconds(times.here), seconds(times.there));
                let (query_here, query_there) = (seconds(whole.here), seconds(whole.there));
                let start = if *is_result { ", including query start-up" } else { "" };
                write!(
                    f,
                    "the whole query takes {query_here} on {here}, {query_there} on {other}; this operator takes {own_here} on \
                     {here}, {own_there} on {other}{start}."
                )
            }
            Why::Faster { times, causes: Causes { most, against: but } } => {
                let (before, between) = if self.side == Side::Gpu { ("; ", ", but ") } else { (", where ", " and ") };
                write!(f, "{}{before}{most}", against(*times))?;
                if let Some(but) = but {
                    write!(f, "{between}{but}")?;
                }
                f.write_str(".")
            }
            Why::FasterThoughMoved { times: Times { here, there }, moves } => {
                let (here, there) = (seconds(*here), seconds(*there));
                write!(f, "{here} + {} transfer; {other}: {there}", seconds(moves.on_gpu))?;
                if moves.on_cpu > 0.0 {
                    write!(f, " + {} transfer", seconds(moves.on_cpu))?;
                }
                f.write_str(".")
            }
            Why::FasterAmongNeighbours(times) => {
                write!(f, "{}; its neighbours are on the {here} too, so its data need not move.", against(*times))
            }
            Why::NearItsData { times, moving } => {
                let (here, there, moving) = (seconds(times.here), seconds(times.there), seconds(*moving));
                if here == there {
                    write!(f, "{here}, as on {other}; running it there would add {moving} of transfer.")
                } else {
                    write!(f, "{here}; {other}: {there}, but running it on {other} adds {moving} of transfer.")
                }
            }
            Why::Equal { seconds: both, moving } => {
                write!(f, "a {other} takes {} as well", seconds(*both))?;
                if *moving > 0.0 {
                    write!(f, ", and moving its data there {} more", seconds(*moving))?;
                }
                f.write_str(".")
            }
            Why::Tied { times, is_moved, rule } => {
                write!(f, "{}{}; {}.", against(*times), included(*is_moved), rule.why())
            }
            Why::Threshold { times, .. } if self.side == Side::Gpu => {
                write!(f, "{} is within the threshold.", against(*times))
            }
            Why::Threshold { times, is_moved, threshold } => {
                let threshold = Unit::Factor.format(*threshold);
                write!(f, "{}{}; the threshold is {threshold}.", against(*times), included(*is_moved))
            }
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, difference, on_both } = *self;
        let time = seconds(difference.abs());
        match (difference < 0.0, on_both) {
            (true, _) => write!(f, "{name} saves {time}"),
            (false, true) => write!(f, "{name} takes {time} more"),
            (false, false) => write!(f, "{name} takes {time}"),
        }
    }
}

/// A time; below a microsecond only a bound.
fn seconds(value: f64) -> String {
    if value > 0.0 && value < SHORTEST {
        return format!("less than {}", Unit::Seconds.format(SHORTEST));
    }
    Unit::Seconds.format(value)
}

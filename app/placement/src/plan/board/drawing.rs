//! The picture of a plan: a box for each operator or group of operators, lines between them, and what it says.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossover_chart::plan::{Bus, Layout, Mark, PlanBox, PlanChart, PlanEdge};
use crossover_placement::whole::{Decided, Fixed, Flow, Whole};
use crossover_placement::{Placement, Query, Side};
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::Unit;
use crossover_query::Node;

use super::super::bus_token;
use super::super::fold::Groups;
use super::super::text::{self, bytes, estimate, factor, rows};
use super::super::verdict::{HardwareVerdict, by_model};
use crate::charts::variant_token;
use crate::side::processor;

/// Kinds of operators that the tooltip of a folded box names.
const KINDS: usize = 6;

/// A picture of a plan, and the boxes of its operators.
#[derive(Debug)]
pub struct Drawing {
    /// The picture.
    pub chart: PlanChart,
    /// Box of each operator, by place.
    boxes: Vec<usize>,
    /// Boxes at both ends of every line.
    ends: Vec<(usize, usize)>,
}

impl Drawing {
    /// The box of an operator.
    #[must_use]
    pub fn box_of(&self, place: usize) -> usize {
        self.boxes[place]
    }
}

/// The inputs of the pictures of a plan.
pub(super) struct Sketch<'a> {
    pub(super) study: &'a Placement,
    pub(super) query: &'a Query,
    pub(super) whole: &'a Whole,
    /// Places of both ends of every edge.
    pub(super) ends: &'a [(usize, usize)],
    /// Places of the operators that take most time, the longest first.
    pub(super) longest: &'a [usize],
}

impl Sketch<'_> {
    /// A box for each group. If boxes and lines are those of `before`, its layout is reused.
    pub(super) fn draw(&self, groups: &Groups, before: Option<&Drawing>) -> Drawing {
        let Self { study, query, whole, .. } = *self;
        let between = |flow_and_ends: &(&Flow, &(usize, usize))| {
            let (from, to) = flow_and_ends.1;
            groups.of[*from] != groups.of[*to]
        };
        let lines: Vec<(&Flow, &(usize, usize))> = whole.edges.iter().zip(self.ends).filter(between).collect();
        let ends: Vec<(usize, usize)> =
            lines.iter().map(|(_, (from, to))| (groups.of[*from], groups.of[*to])).collect();
        let count = groups.members.len();
        let known = before.filter(|before| before.ends == ends && before.chart.boxes.len() == count);
        let layout =
            known.map_or_else(|| Arc::new(Layout::new(count, &ends)), |before| Arc::clone(&before.chart.layout));
        let mut readers = vec![0; count];
        for (from, _) in &ends {
            readers[*from] += 1;
        }
        let boxes = groups.members.iter().zip(readers).map(|(members, readers)| self.item(members, readers));
        let largest = lines.iter().map(|(flow, _)| flow.edge.bytes).fold(0.0, f64::max);
        let edges = lines.iter().zip(&ends).map(|((flow, _), (from, to))| {
            let is_guess = whole.numbers[flow.edge.from].bytes_out.is_estimated();
            // Widths are compared by ratio.
            let weight = if largest > 0.0 { (flow.edge.bytes / largest).cbrt() } else { 0.0 };
            let bus = flow.changes_to.map(|side| Bus {
                to: processor(side),
                token: bus_token(side),
                time: text::seconds(flow.seconds()),
            });
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
            let weight = weight as f32;
            PlanEdge { from: *from, to: *to, label: estimate(&bytes(flow.edge.bytes), is_guess), weight, bus }
        });
        let chart = PlanChart {
            title: title(study, HardwareVerdict::of(whole)),
            subtitle: subtitle(query, &whole.variant.label(study)),
            answer: answer(whole),
            boxes: boxes.collect(),
            edges: edges.collect(),
            layout,
            network: variant_token(study, whole.variant),
        };
        Drawing { chart, boxes: groups.of.clone(), ends }
    }

    /// The box of some operators, of which the last produces the output.
    fn item(&self, members: &[usize], readers: usize) -> PlanBox {
        let Self { query, whole, .. } = *self;
        let decided: Vec<&Decided> = members.iter().map(|place| &whole.operators[*place]).collect();
        let seconds: f64 = decided.iter().map(|decided| decided.breakdown().total()).sum();
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
        let share = if whole.seconds > 0.0 { (seconds / whole.seconds) as f32 } else { 0.0 };
        let last = decided[decided.len() - 1];
        let node = &query.plan.nodes[last.node];
        let nodes = || decided.iter().map(|decided| &query.plan.nodes[decided.node]);
        let given = whole.numbers[last.node].rows_out;
        let given = estimate(&rows(given.value), given.is_estimated());
        let (name, what, reason) = match members.len() {
            1 => {
                let what =
                    node.subject().map_or_else(|| node.kind.label().to_owned(), |subject| text::shortened(&subject));
                (node.name.clone(), format!("{what} · {given}"), last.reason.to_string())
            }
            count => {
                let reason = format!(
                    "Each takes less than 1 % of the plan's time: {}. Double-click or press Enter to show each operator.",
                    kinds_of(nodes())
                );
                let operators = counted(count as f64, "operator");
                (format!("{operators} below 1 %, up to {}", node.name), given, reason)
            }
        };
        let mark = |fixed: &Fixed| match fixed {
            Fixed::Pinned => Mark::Pinned,
            Fixed::Unsupported(_) | Fixed::CpuOnly(_) => Mark::CpuOnly,
        };
        PlanBox {
            node: last.node,
            name,
            what,
            time: text::seconds(seconds),
            share,
            processor: processor(last.side),
            mark: decided.iter().find_map(|decided| decided.fixed.as_ref().map(mark)),
            reason,
            is_exchange: nodes().any(|node| node.kind.is_exchange()),
            readers,
            rank: members
                .iter()
                .filter_map(|place| self.longest.iter().position(|longest| longest == place))
                .min()
                .map(|place| place + 1),
            operator_count: members.len(),
        }
    }
}

/// "3 × project, filter, scan and 2 more kinds".
fn kinds_of<'a>(nodes: impl Iterator<Item = &'a Node>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in nodes {
        *counts.entry(node.kind.label()).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut parts: Vec<String> = counts
        .iter()
        .take(KINDS)
        .map(|(kind, count)| if *count > 1 { format!("{count} × {kind}") } else { (*kind).to_owned() })
        .collect();
    if counts.len() > KINDS {
        parts.push(format!("{} more kinds", counts.len() - KINDS));
    }
    parts.join(", ")
}

/// "Spark 3.5.1 · query 7 · 10 Gb Ethernet".
fn subtitle(query: &Query, variant: &str) -> String {
    let plan = &query.plan;
    let name = if plan.query.is_empty() { String::new() } else { format!("query {}", plan.query) };
    let parts = [plan.engine.as_str(), &name, variant];
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" · ")
}

/// The question of the page, and by which model it is answered.
fn title(study: &Placement, verdict: Option<HardwareVerdict<'_>>) -> String {
    let question = match verdict {
        Some(_) => "Which side for every operator of this query",
        None => "How long does each operator of this query take",
    };
    format!("{question}, {}?", by_model(study))
}

/// The sentence under the title. In whole engines, times and verdict are those of the decision, which has more options.
fn answer(whole: &Whole) -> String {
    HardwareVerdict::of(whole).map_or_else(
        || {
            "Median times in these two engines. All operators have the side of the engine that this model predicts to be faster."
                .to_owned()
        },
        as_placed,
    )
}

fn as_placed(verdict: HardwareVerdict<'_>) -> String {
    let whole = verdict.whole;
    if let Some(why) = &whole.not_judged {
        return format!("Cannot be judged: {why}.");
    }
    let (on_gpu, all) = (whole.count(Side::Gpu), whole.operators.len());
    let time = Unit::Seconds.format(whole.seconds);
    let cpu = Unit::Seconds.format(whole.baselines.all_cpu);
    let transfers = match whole.transfers() {
        0 => String::new(),
        1 => "; data moves between CPU and GPU once".to_owned(),
        2 => "; data moves between CPU and GPU twice".to_owned(),
        count => format!("; data moves between CPU and GPU {count} times"),
    };
    match on_gpu {
        0 if all == 1 => format!("The operator stays on the CPU: {time}."),
        0 => format!("All {} stay on the CPU: {time}.", counted(all as f64, "operator")),
        count if count == all => {
            let speedup = factor(verdict.speedup());
            let go = match all {
                1 => "The operator goes".to_owned(),
                all => format!("All {} go", counted(all as f64, "operator")),
            };
            format!("{go} to the GPU: {time} instead of {cpu} on the CPU, {speedup}.")
        }
        count => {
            let verb = if count == 1 { "goes" } else { "go" };
            let speedup = factor(verdict.speedup());
            let operators = counted_of(count as f64, all as f64, "operator");
            format!("{operators} {verb} to the GPU: {time} instead of {cpu}, {speedup}{transfers}.")
        }
    }
}

//! Every node's own time, and the balance of the statement.
//!
//! ```text
//! own time    time − Σ time of what it reads, at least 0
//! gather      time − time of one process below             its own work: it waits for the others and passes their rows on
//! shared      a reader of an expression has the part t_i ÷ Σ t of the expression's time in its own
//! too long    times below a node are scaled to its own where they are longer, so that no time counts twice
//! statement   Execution Time − Σ own times, each by its processes      triggers, start, end, sending rows
//! ```
//! Hash, Materialize and their like count as their reader, and so do scans of subqueries and expressions without a condition. Those
//! that no operator reads, and every gather, have their time themselves. Below a gather, processes wait until it takes their rows, so
//! their times may be longer than its own. Elsewhere only rounding makes them longer: times of one loop are whole microseconds.

use crossover_query::{Amount, Balance, BalanceOf, CpuOnly, Kind, Node, Rule};

use super::kind::LOOPS;
use crate::explain::Totals;
use crate::outline::Outline;

/// Why a statement takes longer than its operators.
const OUTSIDE: &str = "start and end of the statement, and sending its rows";
/// By how much the rounded times below a node may be longer than its own.
const ROUNDING: f64 = 0.05;
/// Why a statement that ran has no times.
const NO_TIMES: &str = "the plan has no operator times (TIMING OFF)";

/// Sets every node's own time. Inputs have greater ids.
pub(super) fn set(outline: &Outline<'_>, nodes: &mut [Node]) {
    let readers = readers(nodes);
    let is_gather: Vec<bool> = (0..nodes.len()).map(|id| collects(outline, id)).collect();
    // What a reader has to take off: a node's time, or, where the node counts as its reader, that of its inputs.
    let mut passed_on = vec![0.0; nodes.len()];
    // What a node leaves of the times below it.
    let mut scales = vec![1.0; nodes.len()];
    for id in (0..nodes.len()).rev() {
        let of_input = |input: &usize| {
            let processes = if is_gather[id] { processes_below(&nodes[id], &nodes[*input]) } else { 1.0 };
            passed_on[*input] * share_of(nodes, &readers[*input], id) / processes
        };
        let below: f64 = nodes[id].inputs.iter().map(of_input).sum();
        let Some(time) = nodes[id].time else { continue };
        let has_reader = readers[id].iter().any(|reader| !is_gather[*reader]);
        if nodes[id].kind == Kind::Wrapper && !is_gather[id] && has_reader {
            passed_on[id] = below;
            continue;
        }
        passed_on[id] = time.seconds;
        let is_longer = below > time.seconds && time.seconds > 0.0;
        if is_longer && (is_gather[id] || below <= time.seconds * (1.0 + ROUNDING)) {
            scales[id] = time.seconds / below;
        }
        let own = (time.seconds - below).max(0.0);
        if nodes[id].kind == Kind::Wrapper {
            if own <= 0.0 {
                continue;
            }
            nodes[id].kind = if is_gather[id] { Kind::Union } else { Kind::Project };
            nodes[id].cpu_only = is_gather[id].then_some(CpuOnly::Gather).or(nodes[id].cpu_only);
        }
        nodes[id].cpu_seconds = Some(Amount::derived(own, Rule::WithoutInputs));
    }
    scale(nodes, &scales, &readers);
    let processes = processes(nodes);
    let is_parallel = processes.iter().any(|count| *count > 1.0);
    for (node, processes) in nodes.iter_mut().zip(processes) {
        node.is_serial = is_parallel && processes <= 1.0;
    }
}

/// Scales the own times below nodes. Of what several read, each scales the part that is in its own time. Readers have smaller ids, so
/// a node is scaled after all of them.
fn scale(nodes: &mut [Node], scales: &[f64], readers: &[Vec<usize>]) {
    // The part of a node's time that the scales above it take off.
    let mut lost = vec![0.0; nodes.len()];
    for (id, scale) in scales.iter().enumerate() {
        let left = 1.0 - lost[id];
        if let Some(seconds) = nodes[id].cpu_seconds.filter(|_| left < 1.0) {
            nodes[id].cpu_seconds = Some(Amount::derived(seconds.value * left, Rule::WithoutInputs));
        }
        for input in &nodes[id].inputs {
            lost[*input] += share_of(nodes, &readers[*input], id) * (1.0 - left * scale);
        }
    }
}

/// The balance of a statement's time, and a node for what belongs to no operator.
pub(super) fn balances(nodes: &[Node], totals: &Totals) -> (Vec<Balance>, Option<Node>) {
    let Some(total) = totals.seconds.filter(|seconds| *seconds > 0.0) else { return (Vec::new(), None) };
    if !nodes.iter().any(|node| node.time.is_some()) {
        let ran = nodes.iter().any(|node| node.metric(LOOPS).is_some());
        let balance = Balance::new(BalanceOf::WallSeconds, total, 0.0).without(total, NO_TIMES);
        return (if ran { vec![balance] } else { Vec::new() }, None);
    }
    let own = nodes.iter().zip(processes(nodes));
    let accounted: f64 = own.filter_map(|(node, processes)| Some(node.cpu_seconds?.value / processes)).sum();
    let mut balance = Balance::new(BalanceOf::WallSeconds, total, accounted);
    let mut rest = (total - accounted).max(0.0);
    // A trigger before a row is in the time of the node that writes it.
    for part in &totals.outside {
        let seconds = part.amount.min(rest);
        rest -= seconds;
        balance = balance.without(seconds, part.reason.as_str());
    }
    let balance = balance.without(rest, OUTSIDE);
    let missing = balance.missing();
    let is_serial = nodes.iter().any(|node| node.is_serial);
    let rest = (missing > 0.0).then(|| Node { is_serial, ..Node::without_operator(missing) });
    (vec![balance], rest)
}

/// The nodes that read each node.
fn readers(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); nodes.len()];
    for (id, node) in nodes.iter().enumerate() {
        for input in &node.inputs {
            readers[*input].push(id);
        }
    }
    readers
}

/// The part of a node's time that is inside the time of one of its readers: all of it, unless several read it. The one that
/// asks first waits for it, but which one that was is not in the file.
fn share_of(nodes: &[Node], readers: &[usize], reader: usize) -> f64 {
    if readers.len() <= 1 {
        return 1.0;
    }
    let seconds = |id: usize| nodes[id].time.map_or(0.0, |time| time.seconds);
    let all: f64 = readers.iter().map(|id| seconds(*id)).sum();
    if all > 0.0 { seconds(reader) / all } else { 1.0 / readers.len() as f64 }
}

/// How many processes ran each node at a time, by the loops below gathers.
pub(super) fn processes(nodes: &[Node]) -> Vec<f64> {
    let mut processes = vec![1.0_f64; nodes.len()];
    for (id, node) in nodes.iter().enumerate() {
        for input in &node.inputs {
            let below = if is_gather(&node.name) { processes_below(node, &nodes[*input]) } else { 1.0 };
            processes[*input] = processes[*input].max(processes[id] * below);
        }
    }
    processes
}

/// Processes that ran an input of a gather, each once for every run of the gather.
fn processes_below(gather: &Node, input: &Node) -> f64 {
    let loops = |node: &Node| node.metric(LOOPS).filter(|loops| *loops > 0.0);
    loops(gather).zip(loops(input)).map_or(1.0, |(once, all)| (all / once).max(1.0))
}

fn collects(outline: &Outline<'_>, id: usize) -> bool {
    outline.text(id, &["Node Type"]).is_some_and(is_gather)
}

fn is_gather(node_type: &str) -> bool {
    matches!(node_type, "Gather" | "Gather Merge")
}

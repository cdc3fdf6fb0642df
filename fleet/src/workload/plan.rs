//! One plan of many queries: a node for each class of operators, one after the other.

use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_query::{Amount, Kind, Node, Plan, Rule};

use super::volumes::Volumes;
use super::{Class, CombinedWorkload, Key};

/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// A class of operators as a node.
struct Part<'a> {
    key: &'a Key,
    class: &'a Class,
    kind: Kind,
    /// Its shares of the work, reading and exchanges of all supported classes.
    work: f64,
    read: f64,
    exchanged: f64,
}

/// The plan, and the notes of classes that stay on CPUs although their kind could move. `unsupported_seconds`: work of the
/// classes on CPUs, in seconds of one core of today's engine.
pub(super) fn plan(
    workload: &CombinedWorkload,
    volumes: &Volumes,
    unsupported_seconds: f64,
) -> (Plan, Vec<(String, String)>) {
    let parts = parts(workload);
    let mut lists = Vec::new();
    let today: f64 = parts.iter().filter(|part| part.stays()).map(|part| part.class.today_seconds).sum();
    let mut chain = vec![start(workload)];
    let mut sources = Vec::new();
    for part in &parts {
        let own = if part.stays() {
            unsupported_seconds * if today > 0.0 { part.class.today_seconds / today } else { 0.0 }
        } else {
            volumes.own_seconds * part.work
        };
        let mut node = Node {
            class: Some(part.key.class.clone()),
            detail: part.detail(),
            cpu_seconds: Some(amount(own)),
            ..Node::new(part.key.class.clone(), part.kind)
        };
        if part.stays() && part.kind.why_cpu_only().is_none() {
            // The part of the class that can move keeps its name.
            let name = format!("{}, on CPUs", part.key.class);
            lists.push((name.clone(), part.key.unsupported.clone()));
            node.class = Some(name);
        }
        if part.kind == Kind::Scan {
            node.bytes_in = Some(amount(volumes.read_gb * GB * part.read));
            node.bytes_out = node.bytes_in;
        }
        if is_exchange(part.kind) {
            node.bytes_in = Some(amount(volumes.exchanged_gb * GB * part.exchanged));
            node.bytes_out = node.bytes_in;
        }
        if part.kind.is_source() { sources.push(node) } else { chain.push(node) }
    }
    // Otherwise exchanges would be added where the engine has them.
    if !parts.iter().any(|part| part.moves(is_exchange)) {
        chain.push(unclassed("exchanges", Kind::Shuffle, volumes.exchanged_gb));
    }
    if volumes.read_gb > 0.0 && !parts.iter().any(|part| part.moves(|kind| kind == Kind::Scan)) {
        sources.push(unclassed("reading", Kind::Scan, volumes.read_gb));
    }
    let last = chain.len() - 1;
    for (id, node) in chain.iter_mut().enumerate() {
        node.inputs = if id < last { vec![id + 1] } else { (last + 1..=last + sources.len()).collect() };
    }
    chain.extend(sources);
    (Plan { engine: workload.engine(), nodes: chain, ..Plan::default() }, lists)
}

/// The classes with their shares of the whole.
fn parts(workload: &CombinedWorkload) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = workload
        .classes
        .iter()
        .map(|(key, class)| Part { key, class, kind: kind(key), work: 0.0, read: 0.0, exchanged: 0.0 })
        .collect();
    let sum = |parts: &[Part<'_>], of: fn(Kind) -> bool| -> f64 {
        parts.iter().filter(|part| part.moves(of)).map(|part| part.class.gpu_seconds).sum()
    };
    let (scans, exchanges) = (sum(&parts, |kind| kind == Kind::Scan), sum(&parts, is_exchange));
    let times = &workload.parts;
    for part in &mut parts {
        let time = part.class.gpu_seconds;
        if part.moves(|kind| kind == Kind::Scan) && scans > 0.0 {
            part.read = time / scans;
        }
        if part.moves(is_exchange) && exchanges > 0.0 {
            part.exchanged = time / exchanges;
        }
        if part.moves(|_| true) {
            // Start time counts as work here, because it belongs to no class.
            part.work = (time - times.storage * part.read - times.network * part.exchanged).max(0.0);
        }
    }
    let work: f64 = parts.iter().map(|part| part.work).sum();
    let moving = parts.iter().filter(|part| part.moves(|_| true)).count().max(1) as f64;
    for part in &mut parts {
        if part.moves(|_| true) {
            part.work = if work > 0.0 { part.work / work } else { 1.0 / moving };
        }
    }
    parts
}

impl Part<'_> {
    /// Whether it stays on CPUs.
    fn stays(&self) -> bool {
        !self.key.unsupported.is_empty()
    }

    /// Whether it can be on GPUs, and is of such a kind.
    fn moves(&self, of: impl Fn(Kind) -> bool) -> bool {
        !self.stays() && of(self.kind)
    }

    /// "1,234 operators, 8640 s of core time in the logs; 120 s today, 31 s predicted on GPUs".
    fn detail(&self) -> String {
        let seconds = |seconds| Unit::Seconds.format(seconds);
        let Class { operators, core_seconds, today_seconds, gpu_seconds } = *self.class;
        let operators = counted(operators as f64, "operator");
        let why = if self.stays() { format!("; {}", self.key.unsupported) } else { String::new() };
        format!(
            "{operators}, {} of core time in the logs; {} today, {} predicted on GPUs{why}",
            seconds(core_seconds),
            seconds(today_seconds),
            seconds(gpu_seconds)
        )
    }
}

/// The root, with the start times of all queries.
fn start(workload: &CombinedWorkload) -> Node {
    let queries = counted(workload.queries as f64, "query");
    let detail = "Includes the step times between exchanges".to_owned();
    let nothing = Some(Amount::derived(0.0, Rule::OfTime));
    Node { cpu_seconds: nothing, detail, ..Node::new(format!("start of {queries}"), Kind::Project) }
}

/// A node for reading or exchanges without an own class.
fn unclassed(name: &str, kind: Kind, gigabytes: f64) -> Node {
    let bytes = Some(amount(gigabytes * GB));
    Node { bytes_in: bytes, bytes_out: bytes, cpu_seconds: Some(amount(0.0)), ..Node::new(name, kind) }
}

fn amount(value: f64) -> Amount {
    Amount::derived(value.min(1e18), Rule::OfTime)
}

fn is_exchange(kind: Kind) -> bool {
    matches!(kind, Kind::Shuffle | Kind::Gather)
}

/// Kind of a class; for an unknown kind only whether it stays on CPUs.
fn kind(key: &Key) -> Kind {
    let stays = !key.unsupported.is_empty();
    let known = Kind::ALL.into_iter().find(|kind| kind.label() == key.kind && *kind != Kind::Wrapper);
    match known {
        // An operator with a GPU time can move.
        Some(kind) if stays || kind.why_cpu_only().is_none() => kind,
        _ if stays => Kind::Other,
        _ => Kind::Project,
    }
}

//! What every operator of a plan costs on either side, and the bus where sides differ.
//!
//! ```text
//! D, O      bytes read and given per machine that works
//! work      the operator's own core-seconds per machine, or (t/0.1)^p · D
//! T_cpu     max(work/P, D/w) + wire/(B/8) + D/s         wire and D/s only for exchanges and scans
//! T_gpu     work/(M·g) + f·q′ + c·wire/(B/8) + [D/v′ + O/v]/g + D/s
//! bus       an edge from CPU to GPU takes bytes/b, one from GPU to CPU bytes/b′
//! ```
//! See `docs/MODEL.md#a-whole-plan`.

use crate::placement::cost::{Breakdown, Term};
use crate::placement::study::{Operator, Placement, Query};
use crate::placement::variant::Variant;
use crate::plan::{Graph, Kind, Numbers};

/// Bytes of a gigabyte.
const GB: f64 = 1e9;
/// Gigabytes of 100 MB.
const UNIT_OF_WORK_GB: f64 = 0.1;

/// All costs of a plan in one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    /// By place in [`Graph::operators`].
    pub operators: Vec<OperatorCost>,
    /// By place in [`Graph::edges`].
    pub edges: Vec<EdgeCost>,
}

/// What one operator costs on either side, all inputs and the output being on that side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OperatorCost {
    /// On CPUs.
    pub cpu: Breakdown,
    /// On GPUs. The bus counts here only for what comes from storage and for the result of the query.
    pub gpu: Breakdown,
    /// Passes in which the data goes through GPU memory, 1 when it fits.
    pub passes: f64,
    /// Machines that work on it.
    pub machines: f64,
}

/// What an edge costs where its ends are on different sides, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EdgeCost {
    /// From CPU to GPU.
    pub to_gpu: f64,
    /// From GPU to CPU.
    pub from_gpu: f64,
}

impl Costs {
    /// The costs of a plan in one variant.
    #[must_use]
    pub fn new(study: &Placement, query: &Query, variant: Variant, numbers: &[Numbers], graph: &Graph) -> Self {
        let spread = spread(study, query, graph);
        let scale = Scale::new(study, variant);
        let mut place = vec![usize::MAX; query.plan.nodes.len()];
        for (index, id) in graph.operators.iter().enumerate() {
            place[*id] = index;
        }
        let per_machine: Vec<f64> = graph
            .edges
            .iter()
            .map(|edge| {
                // Every machine holds all of a broadcast.
                let is_copy = query.plan.nodes[edge.from].kind == Kind::Broadcast;
                edge.bytes / GB / if is_copy { 1.0 } else { spread[place[edge.from]] }
            })
            .collect();
        let mut read = vec![None; graph.operators.len()];
        for (edge, bytes) in graph.edges.iter().zip(&per_machine) {
            *read[place[edge.to]].get_or_insert(0.0) += bytes;
        }
        let operators = graph.operators.iter().zip(&spread).zip(&read).map(|((id, machines), read)| {
            scale.operator(study, query, *id, &numbers[*id], *machines, *read, graph.root() == Some(*id))
        });
        let edges = per_machine.iter().map(|bytes| EdgeCost {
            to_gpu: scale.bus_ratio * bytes / study.bus.to_gpu_gb_per_s,
            from_gpu: scale.bus_ratio * bytes / study.bus.from_gpu_gb_per_s,
        });
        Self { operators: operators.collect(), edges: edges.collect() }
    }
}

/// Machines that work on each operator: all of them, or one from where rows are gathered up to the next shuffle.
fn spread(study: &Placement, query: &Query, graph: &Graph) -> Vec<f64> {
    let machines = study.cluster.machines;
    let mut by_id = vec![machines; query.plan.nodes.len()];
    let mut edges = graph.edges.iter().peekable();
    for id in &graph.operators {
        let mut wide: Option<bool> = None;
        while let Some(edge) = edges.next_if(|edge| edge.to == *id) {
            if query.plan.nodes[edge.from].kind != Kind::Broadcast {
                let is_wide = by_id[edge.from] > 1.0 && query.plan.nodes[edge.from].kind != Kind::Gather;
                wide = Some(wide.unwrap_or(false) || is_wide);
            }
        }
        // A gather itself still sends from all machines.
        let kind = query.plan.nodes[*id].kind;
        if !kind.is_exchange() && wide == Some(false) {
            by_id[*id] = 1.0;
        }
    }
    graph.operators.iter().map(|id| by_id[*id]).collect()
}

/// What all operators of a variant share.
struct Scale {
    network_gb_per_s: f64,
    network_ratio: f64,
    bus_ratio: f64,
    compressed: bool,
    gpus: f64,
}

impl Scale {
    fn new(study: &Placement, variant: Variant) -> Self {
        let compressed = variant.compression;
        Self {
            network_gb_per_s: study.networks[variant.network].effective_gbit_per_s / 8.0,
            network_ratio: if compressed { study.compression.network_ratio } else { 1.0 },
            bus_ratio: if compressed { study.compression.bus_ratio } else { 1.0 },
            compressed,
            gpus: study.gpu.gpus_per_machine,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the operator, its numbers and its place, once")]
    fn operator(
        &self,
        study: &Placement,
        query: &Query,
        id: usize,
        numbers: &Numbers,
        machines: f64,
        read_per_machine: Option<f64>,
        is_root: bool,
    ) -> OperatorCost {
        let node = &query.plan.nodes[id];
        let entry = study.operators.iter().find(|operator| operator.kind == Some(node.kind));
        let is_source = read_per_machine.is_none();
        let input = read_per_machine.unwrap_or(numbers.bytes_in.value / GB / machines);
        let output = numbers.bytes_out.value / GB / machines;
        let power = entry.map_or(1.0, |operator| operator.class.power());

        let own = node.cpu_seconds.map(|seconds| seconds.value / machines);
        let work = own.unwrap_or_else(|| {
            let usual = node.kind.usual_seconds_per_100mb();
            let seconds = entry.map_or(usual, |operator| operator.cpu_seconds_per_100mb);
            (seconds / UNIT_OF_WORK_GB).powf(power) * input
        });
        let by_memory = study.node.memory_gb_per_s.map_or(0.0, |speed| input / speed);
        let on_cores = (work / study.node.cpu_parallelism).max(by_memory);
        let curve = entry.and_then(|operator| operator.cpu_curve).filter(|_| own.is_none());
        let cpu_compute = curve.map_or(on_cores, |curve| curve.fixed_seconds + input / curve.gb_per_s);

        let score = query.score(node);
        let gpu_curve = entry.and_then(|operator| operator.gpu_curve);
        let kernel = match (score, gpu_curve) {
            (Some(score), _) => cpu_compute / score,
            (None, Some(curve)) => curve.fixed_seconds + input / (curve.gb_per_s * self.gpus),
            (None, None) => work / (study.gpu.gpu_parallelism * self.gpus),
        };
        let memory = study.gpu.gpu_memory_gb.map_or(f64::INFINITY, |memory| memory * self.gpus);
        let passes = ((input + output) / memory).ceil().max(1.0);

        let mut cost = OperatorCost { passes, machines, ..OperatorCost::default() };
        let (cpu, gpu) = (&mut cost.cpu.seconds, &mut cost.gpu.seconds);
        cpu[Term::Compute as usize] = cpu_compute;
        gpu[Term::Compute as usize] = kernel;
        gpu[Term::Fixed as usize] = passes * entry.map_or(0.0, |operator: &Operator| operator.fixed_seconds);
        if node.kind == Kind::Scan
            && let Some(speed) = study.node.scan_gb_per_s
        {
            let scan = input / speed;
            (cpu[Term::Scan as usize], gpu[Term::Scan as usize]) = (scan, scan);
        }
        if is_source {
            gpu[Term::BusIn as usize] += input / study.bus.to_gpu_gb_per_s;
        }
        if is_root {
            gpu[Term::BusOut as usize] += self.bus_ratio * output / study.bus.from_gpu_gb_per_s;
        }
        // Above linear work every part of the input meets every other one, so each pass streams all of it.
        if power > 1.0 {
            gpu[Term::BusIn as usize] += (passes - 1.0) * self.bus_ratio * input / study.bus.to_gpu_gb_per_s;
        }
        if node.kind.is_exchange() {
            let share = share_sent(node.kind, study.cluster.machines, machines);
            let raw = numbers.bytes_out.value / GB * share;
            let wire = node.wire_bytes.map_or(raw, |wire| wire.value / GB * share);
            cpu[Term::Network as usize] = wire / self.network_gb_per_s;
            gpu[Term::Network as usize] = self.network_ratio * raw / self.network_gb_per_s;
            // The network card takes its data from host memory.
            gpu[Term::BusOut as usize] += self.bus_ratio * output / study.bus.from_gpu_gb_per_s;
            gpu[Term::BusIn as usize] +=
                self.bus_ratio * arriving(node.kind, output, machines) / study.bus.to_gpu_gb_per_s;
            if self.compressed {
                gpu[Term::Compress as usize] = output / study.compression.compress_gb_per_s / self.gpus;
                gpu[Term::Decompress as usize] =
                    arriving(node.kind, output, machines) / study.compression.decompress_gb_per_s / self.gpus;
            }
        }
        cost
    }
}

/// Share of all exchanged bytes that the busiest link carries.
fn share_sent(kind: Kind, machines: f64, working: f64) -> f64 {
    let leaves = (machines - 1.0) / machines;
    match kind {
        // Every machine sends its share to all others.
        Kind::Shuffle => leaves / working,
        // One machine receives everything, or every machine does.
        _ => leaves,
    }
}

/// What reaches one machine of what each gives.
fn arriving(kind: Kind, output: f64, machines: f64) -> f64 {
    if kind == Kind::Shuffle { output } else { output * machines }
}

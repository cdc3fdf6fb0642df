//! Costs of every operator of a plan on both sides, and of the bus where sides differ.
//!
//! ```text
//! D, O      bytes read and output bytes of each machine that works on the operator
//! work      (t/0.1)^p · D, or the node's own core-seconds per machine · (t/t_m)^p
//! T_cpu     max(work/P, D/w) + link_cpu/(B/8) + D/s                         P = 1 for what only one core works on
//! T_gpu     ρ·work/(M·g) + f·q′ + D/b + O/b′ + c·link/(B/8) + sent·(c′/b′ + 1/v) + received·(c′/b + 1/v′) + D/s
//! bus       x/b from CPU to GPU, x/b′ back; x is the data that each reading machine gets
//! rows      x/(u·P) with the bus, either way, if CPUs are row-based; none for the output of a scan on CPUs
//! ```
//! D/s counts for scans, D/b for data from storage, O/b′ for the result of the query, and the terms of the
//! network for exchanges. With engines, an operator costs its share of the whole plan's time in them. See
//! `docs/model/placement.md#a-whole-plan`.

use std::collections::BTreeMap;

use super::spread::{Spread, spread};
use super::verdict::is_of;
use crate::cost::{Breakdown, Term};
use crate::parameter::Parameter;
use crate::study::{Operator, Placement, Query, Side};
use crate::variant::Variant;
use crossover_engine::predict::{Part, Seconds, share_of};
use crossover_engine::{Engine, Engines, Work, WorkOf};
use crossover_query::{EstimatedVolumes, Graph, Kind, Node, Numbers, Plan, Scope, Volumes, measured_seconds_per_100mb};

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
    /// Work of the plan in whole engines; `None` without engines.
    pub work: Option<Work>,
    /// What the query moves, if its engine counted it; `None` without engines.
    pub volumes: Option<Volumes>,
    /// What a query moves that never ran, by rules; `None` without engines.
    pub estimated: Option<EstimatedVolumes>,
    /// Rows that operators multiply; 0 without engines.
    pub multiplied: Volumes,
}

/// Costs of one operator on both sides, with all inputs and the output on that side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OperatorCost {
    /// On CPUs.
    pub cpu: Breakdown,
    /// On GPUs. The bus counts here only for data from storage, for the result of the query, and for data that an exchange
    /// passes through host memory.
    pub gpu: Breakdown,
    /// Passes in which the data goes through GPU memory, 1 when it fits.
    pub passes: f64,
    /// Machines that work on it.
    pub machines: f64,
}

impl OperatorCost {
    /// Time on one side, seconds.
    #[must_use]
    pub fn seconds(&self, side: Side) -> f64 {
        match side {
            Side::Cpu => self.cpu.total(),
            Side::Gpu => self.gpu.total(),
        }
    }
}

/// Costs of an edge whose ends are on different sides.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EdgeCost {
    /// From CPU to GPU.
    pub to_gpu: Moving,
    /// From GPU to CPU.
    pub from_gpu: Moving,
}

/// Time to move data to the other side, seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moving {
    /// On the bus.
    pub bus: f64,
    /// On the machines' cores, which convert rows to columns or back.
    pub conversion: f64,
}

impl EdgeCost {
    /// Cost from one side to another.
    #[must_use]
    pub fn moving(&self, from: Side, to: Side) -> Moving {
        match (from, to) {
            (Side::Cpu, Side::Gpu) => self.to_gpu,
            (Side::Gpu, Side::Cpu) => self.from_gpu,
            _ => Moving::default(),
        }
    }

    /// Time from one side to another, seconds.
    #[must_use]
    pub fn seconds(&self, from: Side, to: Side) -> f64 {
        self.moving(from, to).seconds()
    }
}

impl Moving {
    /// Altogether, seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.bus + self.conversion
    }
}

impl Costs {
    /// The costs of a plan in one variant.
    #[must_use]
    pub fn new(study: &Placement, query: &Query, variant: Variant, numbers: &[Numbers], graph: &Graph) -> Self {
        // Engines have machines of their own, and transfers between sides are not measured there.
        if let Some(engines) = &study.engines {
            let work = WorkOf::new(&query.plan, numbers, graph, engines);
            let (operators, total) = in_engines(engines, query, graph, &work);
            let edges = vec![EdgeCost::default(); graph.edges.len()];
            let WorkOf { volumes, estimated, multiplied, .. } = work;
            return Self { operators, edges, work: Some(total), volumes, estimated, multiplied };
        }
        let spreads = spread(query, graph, study.cluster.machines);
        let mut spread_of = vec![None; query.plan.nodes.len()];
        for (id, spread) in graph.operators.iter().zip(&spreads) {
            spread_of[*id] = Some(*spread);
        }
        // Data that each machine gets over an edge, GB.
        let crossing: Vec<f64> = graph
            .edges
            .iter()
            .map(|edge| edge.bytes / GB * spread_of[edge.from].map_or(1.0, |spread| spread.held))
            .collect();
        let mut read: Vec<Option<f64>> = vec![None; query.plan.nodes.len()];
        for (edge, gigabytes) in graph.edges.iter().zip(&crossing) {
            *read[edge.to].get_or_insert(0.0) += gigabytes;
        }
        let costs_of_kind = CostsOfKind::new(study, query, numbers);
        let edges = graph.edges.iter().zip(&crossing).map(|(edge, gigabytes)| {
            let conversion = study
                .node
                .row_conversion_gb_per_s
                .map_or(0.0, |of_core| gigabytes / (of_core * study.node.cpu_parallelism));
            // Files are read as columns: only later operators make rows.
            let is_columns = query.plan.nodes[edge.from].kind == Kind::Scan;
            EdgeCost {
                to_gpu: Moving {
                    bus: gigabytes / study.bus.to_gpu_gb_per_s,
                    conversion: if is_columns { 0.0 } else { conversion },
                },
                from_gpu: Moving { bus: gigabytes / study.bus.from_gpu_gb_per_s, conversion },
            }
        });
        let edges = edges.collect();
        let machine = Machine::new(study, variant);
        let operators = graph.operators.iter().zip(&spreads).map(|(id, spread)| {
            let node = &query.plan.nodes[*id];
            let from_storage = node.kind.is_source() || read[*id].is_none();
            machine.cost(&Load {
                node,
                costs: costs_of_kind.get(node.kind),
                score: query.score(node),
                spread: *spread,
                input: read[*id]
                    .filter(|_| !from_storage)
                    .unwrap_or(numbers[*id].bytes_in.value / GB / spread.machines),
                given: numbers[*id].bytes_out.value / GB,
                from_storage,
                is_result: graph.root() == Some(*id),
            })
        });
        let (volumes, estimated, multiplied) = (None, None, Volumes::default());
        Self { operators: operators.collect(), edges, work: None, volumes, estimated, multiplied }
    }
}

/// Costs of every operator in whole engines: its share of the plan's time. The GPU time is a sum with the measured time where the
/// plan has what the query moves, and else the modelled one, corrected by the measured time. Both times of a query that never ran come
/// from its plan, if the engines have numbers for it. Where no form is better than one speedup for all queries, the GPU time is the CPU time
/// ÷ that speedup. The start of the query counts at the operator that produces its result. Also returns the total work.
pub(super) fn in_engines(engines: &Engines, query: &Query, graph: &Graph, work: &WorkOf) -> (Vec<OperatorCost>, Work) {
    let total = work.total();
    let root = graph.root();
    let [cpu_correction, gpu_correction] = engines.anchoring_corrections(&total, bounds(engines, &query.plan));
    let sum = engines.additive(work.volumes.as_ref()).map(|additive| additive.seconds());
    let planned = engines.planned(work.estimated.as_ref()).map(|planned| planned.seconds());
    let cpu_seconds: f64 = match (&sum, &planned) {
        (None, Some([on_cpus, _])) => on_cpus.iter().sum(),
        _ => engines.cpu.seconds(&total).iter().sum::<f64>() * cpu_correction,
    };
    let constant = engines.constant_ratio(cpu_seconds);
    let cost = |(id, work): (&usize, &Work)| {
        let is_result = root == Some(*id);
        let corrected = |engine: &Engine, correction: f64| {
            engine.share(work, &total, is_result).map(|seconds| seconds * correction).breakdown()
        };
        let share = |seconds: &Seconds| share_of(seconds, work, &total, is_result).breakdown();
        let (cpu, gpu) = match (&sum, &planned) {
            (Some(seconds), _) => (corrected(&engines.cpu, cpu_correction), share(seconds)),
            (None, Some([on_cpus, on_gpus])) => (share(on_cpus), share(on_gpus)),
            (None, None) => (corrected(&engines.cpu, cpu_correction), corrected(&engines.gpu, gpu_correction)),
        };
        let gpu = constant.map_or(gpu, |ratio| {
            let mut answered = cpu;
            answered.seconds.iter_mut().for_each(|part| *part *= ratio);
            answered
        });
        let mut cost = OperatorCost { cpu, gpu, passes: 1.0, machines: engines.gpu.machines };
        if let Some(score) = query.score(&query.plan.nodes[*id]) {
            cost.gpu.seconds[Term::Compute as usize] = cost.cpu.get(Term::Compute) / score;
        }
        cost
    };
    (graph.operators.iter().zip(&work.operators).map(cost).collect(), total)
}

/// The least and the most that a plan can take in the CPU engine, by the engine's own times of its operators, seconds: on all cores,
/// and on one. `None` if the plan is of another engine, has grown, or lacks times: only DuckDB times operators without their inputs.
pub(super) fn bounds(engines: &Engines, plan: &Plan) -> Option<[f64; 2]> {
    if !is_of(plan, &engines.cpu) {
        return None;
    }
    let own = |node: &Node| node.time.filter(|time| time.scope == Scope::Exclusive).map(|time| time.seconds);
    let seconds: f64 = plan.nodes.iter().filter(|node| node.works()).map(own).sum::<Option<f64>>()?;
    (seconds > 0.0).then(|| [seconds / engines.cpu.all_lanes().max(1.0), seconds])
}

/// Parts of an engine's time as terms of an operator's.
trait Terms {
    fn breakdown(&self) -> Breakdown;
}

impl Terms for Seconds {
    fn breakdown(&self) -> Breakdown {
        let mut breakdown = Breakdown::default();
        for part in Part::ALL {
            let term = match part {
                Part::Start | Part::Steps => Term::Fixed,
                Part::Work => Term::Compute,
                Part::Read | Part::Files => Term::Scan,
                Part::Exchange | Part::Spill => Term::Network,
            };
            breakdown.seconds[term as usize] += self[part as usize];
        }
        breakdown
    }
}

/// The study's costs of each kind of operator.
struct CostsOfKind<'a>(BTreeMap<Kind, CostOfKind<'a>>);

/// The study's costs of one kind.
#[derive(Clone, Copy)]
struct CostOfKind<'a> {
    operator: &'a Operator,
    /// `(t/t_m)^p`: the study's change of the nodes' own CPU seconds.
    own_factor: f64,
}

impl<'a> CostsOfKind<'a> {
    fn new(study: &'a Placement, query: &Query, numbers: &[Numbers]) -> Self {
        let mean = measured_seconds_per_100mb(&query.plan, numbers);
        let range = Parameter::CPU_TIME.info();
        let of_kind = study.operators.iter().filter_map(|operator| {
            let kind = operator.kind?;
            // An imported study has the mean, clamped to the range of t.
            let mean = mean.get(&kind).map(|mean| mean.clamp(range.min, range.max));
            let ratio = mean.map_or(1.0, |mean| operator.cpu_seconds_per_100mb / mean);
            Some((kind, CostOfKind { operator, own_factor: ratio.powf(operator.class.power()) }))
        });
        Self(of_kind.collect())
    }

    fn get(&self, kind: Kind) -> Option<CostOfKind<'a>> {
        self.0.get(&kind).copied()
    }
}

/// One operator of a plan, and its data.
struct Load<'a> {
    node: &'a Node,
    costs: Option<CostOfKind<'a>>,
    score: Option<f64>,
    spread: Spread,
    /// Read by each machine, GB.
    input: f64,
    /// Output of all machines, GB.
    given: f64,
    from_storage: bool,
    is_result: bool,
}

/// One machine of the study in one variant.
struct Machine<'a> {
    study: &'a Placement,
    network_gb_per_s: f64,
    compressed: bool,
    gpus: f64,
}

impl<'a> Machine<'a> {
    fn new(study: &'a Placement, variant: Variant) -> Self {
        Self {
            study,
            network_gb_per_s: study.networks[variant.network].effective_gbit_per_s / 8.0,
            compressed: variant.compression,
            gpus: study.gpu.gpus_per_machine,
        }
    }

    fn cost(&self, load: &Load<'_>) -> OperatorCost {
        let Self { study, gpus, .. } = *self;
        let output = load.given / load.spread.machines;
        let entry = load.costs.map(|costs| costs.operator);
        let power = entry.map_or(1.0, |entry| entry.class.power());
        let memory = study.gpu.gpu_memory_gb.map_or(f64::INFINITY, |memory| memory * gpus);
        let passes = ((load.input + output) / memory).ceil().max(1.0);
        let (on_cpu, on_gpu) = self.compute(load, power);

        let mut cost = OperatorCost { passes, machines: load.spread.machines, ..OperatorCost::default() };
        let (cpu, gpu) = (&mut cost.cpu.seconds, &mut cost.gpu.seconds);
        cpu[Term::Compute as usize] = on_cpu;
        gpu[Term::Compute as usize] = on_gpu;
        gpu[Term::Fixed as usize] = passes * entry.map_or(0.0, |entry| entry.fixed_seconds);
        if load.node.kind == Kind::Scan
            && let Some(speed) = study.node.scan_gb_per_s
        {
            let scan = load.input / speed;
            (cpu[Term::Scan as usize], gpu[Term::Scan as usize]) = (scan, scan);
        }
        if load.from_storage {
            gpu[Term::BusIn as usize] += load.input / study.bus.to_gpu_gb_per_s;
        }
        if load.is_result {
            gpu[Term::BusOut as usize] += load.given * load.spread.held / study.bus.from_gpu_gb_per_s;
        }
        // Above linear work every part of the input meets every other one, so each pass streams all of it.
        if power > 1.0 {
            gpu[Term::BusIn as usize] += (passes - 1.0) * load.input / study.bus.to_gpu_gb_per_s;
        }
        self.add_exchange(load, &mut cost);
        cost
    }

    /// The operator's own work on CPUs and on GPUs, seconds.
    fn compute(&self, load: &Load<'_>, power: f64) -> (f64, f64) {
        let Self { study, gpus, .. } = *self;
        let entry = load.costs.map(|costs| costs.operator);
        let own = load.node.cpu_seconds.map(|seconds| {
            let factor = load.costs.map_or(1.0, |costs| costs.own_factor);
            seconds.value / load.spread.machines * factor
        });
        let work = own.unwrap_or_else(|| {
            let usual = load.node.kind.usual_seconds_per_100mb();
            let seconds = entry.map_or(usual, |entry| entry.cpu_seconds_per_100mb);
            (seconds / UNIT_OF_WORK_GB).powf(power) * load.input
        });
        let by_memory = study.node.memory_gb_per_s.map_or(0.0, |speed| load.input / speed);
        let cores = if load.node.is_serial { 1.0 } else { study.node.cpu_parallelism };
        let on_cpu = match entry.and_then(|entry| entry.cpu_curve) {
            // The rates of a curve are those of all cores; a time without an operator has no data.
            Some(curve) if !load.node.is_serial && !load.node.is_without_operator() => {
                curve.fixed_seconds + load.input / curve.gb_per_s
            }
            _ => (work / cores).max(by_memory),
        };
        let on_gpu = match (load.score, entry.and_then(|entry| entry.gpu_curve)) {
            (Some(score), _) => on_cpu / score,
            (None, Some(curve)) => curve.fixed_seconds + load.input / (curve.gb_per_s * gpus),
            (None, None) => study.gpu.core_ratio * work / (study.gpu.gpu_parallelism * gpus),
        };
        (on_cpu, on_gpu)
    }

    /// Data that an exchange moves between machines.
    fn add_exchange(&self, load: &Load<'_>, cost: &mut OperatorCost) {
        let Some(moved) = load.spread.moved else { return };
        let Self { study, gpus, network_gb_per_s, compressed } = *self;
        let codec = &study.compression;
        let (network_ratio, bus_ratio) = if compressed { (codec.network_ratio, codec.bus_ratio) } else { (1.0, 1.0) };
        let on_wire = load.node.wire_bytes.map_or(load.given, |wire| wire.value / GB);
        let (sent, received) = (load.given * moved.sent, load.given * moved.received);

        let (cpu, gpu) = (&mut cost.cpu.seconds, &mut cost.gpu.seconds);
        cpu[Term::Network as usize] = on_wire * moved.link / network_gb_per_s;
        gpu[Term::Network as usize] = network_ratio * load.given * moved.link / network_gb_per_s;
        // The network card reads from and writes to host memory.
        gpu[Term::BusOut as usize] += bus_ratio * sent / study.bus.from_gpu_gb_per_s;
        gpu[Term::BusIn as usize] += bus_ratio * received / study.bus.to_gpu_gb_per_s;
        if compressed {
            gpu[Term::Compress as usize] = sent / codec.compress_gb_per_s / gpus;
            gpu[Term::Decompress as usize] = received / codec.decompress_gb_per_s / gpus;
        }
    }
}

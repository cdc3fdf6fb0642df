//! Random studies, and what the properties ask of them.

use crossover_measured::calibration::CostCurve;
use crossover_placement::cost::evaluate as cost;
use crossover_placement::{
    Aggregation, Axis, Bus, Class, Cluster, Compression, Gpu, Network, NetworkFamily, Node, Operator, Overlap,
    Parameter, Placement, Point, Policy, Side, Variant,
};
use crossover_quantity::provenance::Sources;
use crossover_scenario::{Scenario, Study};
use proptest::prelude::*;

/// A value of a parameter's range, evenly spread over its decades.
pub(super) fn value(parameter: Parameter) -> BoxedStrategy<f64> {
    let info = parameter.info();
    let (min, max) = (info.min, info.max);
    let spread = (min.max(1e-6).ln()..=max.ln()).prop_map(move |u| u.exp().clamp(min, max));
    let whole = info.whole;
    let spread = spread.prop_map(move |x| if whole { x.round() } else { x });
    prop_oneof![1 => Just(min), 1 => Just(max), 18 => spread].boxed()
}

/// A value near what real hardware has, where costs compete and placements flip.
pub(super) fn likely(parameter: Parameter) -> BoxedStrategy<f64> {
    let (low, high): (f64, f64) = match parameter {
        Parameter::MACHINES => (1.0, 3000.0),
        Parameter::FAN_IN => (2.0, 100.0),
        Parameter::CPU_PARALLELISM => (1.0, 64.0),
        Parameter::MEMORY_BANDWIDTH => (10.0, 1000.0),
        Parameter::SCAN_SPEED | Parameter::BUS_TO_GPU | Parameter::BUS_FROM_GPU => (1.0, 100.0),
        Parameter::LINE_SPEED | Parameter::NETWORK_SPEED => (1.0, 800.0),
        Parameter::GPUS_PER_MACHINE => (1.0, 8.0),
        Parameter::GPU_PARALLELISM => (8.0, 1024.0),
        Parameter::CORE_RATIO => (0.1, 10.0),
        Parameter::GPU_MEMORY => (8.0, 192.0),
        Parameter::NETWORK_RATIO | Parameter::BUS_RATIO => (0.05, 1.0),
        Parameter::COMPRESS_SPEED | Parameter::DECOMPRESS_SPEED => (0.1, 300.0),
        Parameter::CPU_TIME => (1e-3, 10.0),
        Parameter::INPUT_SIZE => (0.01, 1000.0),
        Parameter::OUTPUT_RATIO => (0.001, 2.0),
        Parameter::FIXED_COST | Parameter::CPU_CURVE_FIXED | Parameter::GPU_CURVE_FIXED => (1e-5, 1.0),
        Parameter::CPU_CURVE_RATE | Parameter::GPU_CURVE_RATE => (0.1, 1000.0),
        Parameter::THRESHOLD => (0.8, 3.0),
        Parameter::POWER => (0.5, 3.0),
        other => unreachable!("{} has a likely range here", other.info().key),
    };
    let whole = parameter.info().whole;
    let spread = (low.ln()..=high.ln()).prop_map(move |u| if whole { u.exp().round() } else { u.exp() });
    prop_oneof![9 => spread, 1 => value(parameter)].boxed()
}

pub(super) fn class() -> impl Strategy<Value = Class> {
    prop_oneof![Just(Class::Linear), Just(Class::Quadratic), likely(Parameter::POWER).prop_map(Class::Power),]
}

pub(super) fn curve(fixed: Parameter, rate: Parameter) -> impl Strategy<Value = Option<CostCurve>> {
    let curve =
        (likely(fixed), likely(rate)).prop_map(|(fixed_seconds, gb_per_s)| CostCurve { fixed_seconds, gb_per_s });
    prop_oneof![2 => Just(None), 1 => curve.prop_map(Some)]
}

pub(super) fn pin() -> impl Strategy<Value = Option<Side>> {
    prop_oneof![2 => Just(None), 1 => Just(Some(Side::Cpu)), 1 => Just(Some(Side::Gpu))]
}

pub(super) fn operator() -> impl Strategy<Value = Operator> {
    use Parameter as P;
    let fixed = prop_oneof![Just(0.0), likely(P::FIXED_COST)];
    (
        class(),
        likely(P::CPU_TIME),
        likely(P::INPUT_SIZE),
        prop_oneof![1 => Just(0.0), 9 => likely(P::OUTPUT_RATIO)],
        fixed,
        curve(P::CPU_CURVE_FIXED, P::CPU_CURVE_RATE),
        curve(P::GPU_CURVE_FIXED, P::GPU_CURVE_RATE),
        pin(),
    )
        .prop_map(
            |(class, cpu_seconds_per_100mb, input_gb, output_ratio, fixed_seconds, cpu_curve, gpu_curve, pin)| {
                Operator {
                    name: String::new(),
                    class,
                    cpu_seconds_per_100mb,
                    input_gb,
                    output_ratio,
                    fixed_seconds,
                    cpu_curve,
                    gpu_curve,
                    pin,
                    kind: None,
                }
            },
        )
}

pub(super) fn cluster() -> impl Strategy<Value = Cluster> {
    let mode = prop_oneof![Just(Aggregation::Published), Just(Aggregation::Exact)];
    (likely(Parameter::MACHINES), likely(Parameter::FAN_IN), mode).prop_map(|(machines, fan_in, aggregation)| Cluster {
        machines,
        fan_in,
        aggregation,
    })
}

pub(super) fn node() -> impl Strategy<Value = Node> {
    let scan = prop_oneof![Just(None), likely(Parameter::SCAN_SPEED).prop_map(Some)];
    let memory = prop_oneof![Just(None), likely(Parameter::MEMORY_BANDWIDTH).prop_map(Some)];
    (likely(Parameter::CPU_PARALLELISM), memory, scan).prop_map(|(cpu_parallelism, memory_gb_per_s, scan_gb_per_s)| {
        Node { name: "any".to_owned(), cpu_parallelism, memory_gb_per_s, scan_gb_per_s, row_conversion_gb_per_s: None }
    })
}

pub(super) fn gpu() -> impl Strategy<Value = Gpu> {
    let memory = prop_oneof![Just(None), likely(Parameter::GPU_MEMORY).prop_map(Some)];
    let core_ratio = prop_oneof![Just(1.0), likely(Parameter::CORE_RATIO)];
    (likely(Parameter::GPUS_PER_MACHINE), likely(Parameter::GPU_PARALLELISM), core_ratio, memory).prop_map(
        |(gpus_per_machine, gpu_parallelism, core_ratio, gpu_memory_gb)| Gpu {
            name: "any".to_owned(),
            gpus_per_machine,
            gpu_parallelism,
            core_ratio,
            gpu_memory_gb,
        },
    )
}

pub(super) fn compression() -> impl Strategy<Value = Compression> {
    use Parameter as P;
    let bus_ratio = prop_oneof![Just(1.0), likely(P::BUS_RATIO)];
    (likely(P::NETWORK_RATIO), bus_ratio, likely(P::COMPRESS_SPEED), likely(P::DECOMPRESS_SPEED)).prop_map(
        |(network_ratio, bus_ratio, compress_gb_per_s, decompress_gb_per_s)| Compression {
            name: "any".to_owned(),
            network_ratio,
            bus_ratio,
            compress_gb_per_s,
            decompress_gb_per_s,
        },
    )
}

pub(super) fn network() -> impl Strategy<Value = Network> {
    let family =
        prop_oneof![Just(NetworkFamily::Ethernet), Just(NetworkFamily::InfiniBand), Just(NetworkFamily::Other)];
    (family, likely(Parameter::LINE_SPEED), likely(Parameter::NETWORK_SPEED)).prop_map(
        |(family, line_gbit_per_s, effective_gbit_per_s)| Network {
            name: String::new(),
            family,
            line_gbit_per_s,
            effective_gbit_per_s,
        },
    )
}

/// Any valid study: both ways of counting rounds, every overlap, optional terms present or absent.
pub(super) fn study() -> impl Strategy<Value = Placement> {
    let overlap = prop_oneof![Just(Overlap::Nothing), Just(Overlap::BusAndCompute), Just(Overlap::Everything)];
    let bus = (likely(Parameter::BUS_TO_GPU), likely(Parameter::BUS_FROM_GPU)).prop_map(
        |(to_gpu_gb_per_s, from_gpu_gb_per_s)| Bus { name: "any".to_owned(), to_gpu_gb_per_s, from_gpu_gb_per_s },
    );
    let threshold = prop_oneof![Just(1.0), likely(Parameter::THRESHOLD)];
    (
        (cluster(), node(), bus, gpu(), compression()),
        prop::collection::vec(network(), 1..3),
        prop::collection::vec(operator(), 1..4),
        (threshold, any::<bool>(), overlap),
    )
        .prop_map(|((cluster, node, bus, gpu, compression), mut networks, mut operators, policy)| {
            for (index, network) in networks.iter_mut().enumerate() {
                network.name = format!("network {index}");
            }
            for (index, operator) in operators.iter_mut().enumerate() {
                operator.name = format!("operator {index}");
            }
            let (threshold, compression_on, overlap) = policy;
            let policy = Policy { threshold, network: networks[0].name.clone(), compression: compression_on, overlap };
            Placement {
                cluster,
                node,
                networks,
                bus,
                gpu,
                compression,
                operators,
                policy,
                query: None,
                engines: None,
                decision: None,
                sources: Sources::default(),
                bill: None,
                uncertain: std::collections::BTreeMap::default(),
            }
        })
}

/// A study without the terms that the published method leaves out, rounds counted as published.
pub(super) fn published_form() -> impl Strategy<Value = Placement> {
    study().prop_map(|mut study| {
        study.cluster.aggregation = Aggregation::Published;
        study.cluster.machines = study.cluster.machines.max(2.0);
        study.node.cpu_parallelism = 1.0;
        study.node.memory_gb_per_s = None;
        study.node.scan_gb_per_s = None;
        study.gpu.gpus_per_machine = 1.0;
        study.gpu.core_ratio = 1.0;
        study.gpu.gpu_memory_gb = None;
        study.bus.from_gpu_gb_per_s = study.bus.to_gpu_gb_per_s;
        study.compression.bus_ratio = 1.0;
        study.policy.overlap = Overlap::Nothing;
        for operator in &mut study.operators {
            operator.fixed_seconds = 0.0;
            (operator.cpu_curve, operator.gpu_curve) = (None, None);
            operator.output_ratio = operator.output_ratio.max(1e-3);
        }
        study
    })
}

/// A fan-in and an exponent, their power below 2^50.
pub(super) fn powers() -> impl Strategy<Value = (u32, i32)> {
    (2u32..=1000).prop_flat_map(|k| {
        let largest = (1..50).take_while(|j| f64::from(k).powi(*j) < 2f64.powi(50)).count();
        (Just(k), 0..=i32::try_from(largest).expect("below 50"))
    })
}

pub(super) fn points(study: &Placement) -> Vec<Point> {
    (0..study.operators.len())
        .flat_map(|operator| {
            Variant::all(study).map(move |variant| Point::new(study, operator, variant.network, variant.compression))
        })
        .collect()
}

pub(super) fn moved(point: &Point, axis: Axis, value: f64) -> Point {
    let mut moved = *point;
    axis.apply(&mut moved, value);
    moved
}

pub(super) fn with(point: &Point, parameter: Parameter, value: f64) -> Point {
    moved(point, Axis::One(parameter), value)
}

pub(super) fn side(point: &Point) -> Side {
    cost(point).side(point.get(Parameter::THRESHOLD))
}

pub(super) fn axes() -> impl Iterator<Item = Axis> {
    Parameter::all().map(Axis::One).chain([Axis::BusSpeed, Axis::CompressionSpeed])
}

pub(super) fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// A scenario around a study.
pub(super) fn scenario(study: Placement) -> Scenario {
    Scenario::new("any", "", Study::Placement(study))
}

pub(super) fn placement(scenario: &Scenario) -> Placement {
    scenario.placement().expect("a placement study").clone()
}

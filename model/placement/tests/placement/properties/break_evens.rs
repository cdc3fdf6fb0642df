//! Break-evens: every one flips the placement, and none lies nearer.

use crossover_placement::break_even::break_even;
use crossover_placement::cost::evaluate as cost;
use crossover_placement::{
    Aggregation, Axis, Bus, Class, Cluster, Compression, Gpu, GpuRecommended, Network, NetworkFamily, Node, Operator,
    Overlap, Parameter, Placement, Point, Policy, Side,
};
use crossover_quantity::provenance::Sources;
use crossover_scenario::read;
use crossover_study::along::samples;
use proptest::prelude::*;

use super::studies::{axes, close, moved, placement, points, side, study};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_reported_break_even_flips_the_placement(study in study()) {
        for point in points(&study) {
            for axis in axes() {
                let Some(found) = break_even(&point, axis) else { continue };
                let info = axis.parameter().info();
                prop_assert!((info.min..=info.max).contains(&found.value), "{axis:?}: {}", found.value);
                let at = |x: f64| side(&moved(&point, axis, x));
                let (on_gpu, on_cpu) = match (point.is_whole(axis.parameter()), found.gpu_recommended) {
                    (true, GpuRecommended::Above) => (found.value, found.value - 1.0),
                    (true, GpuRecommended::Below) => (found.value, found.value + 1.0),
                    (false, GpuRecommended::Above) => (found.value * (1.0 + 1e-6), found.value * (1.0 - 1e-6)),
                    (false, GpuRecommended::Below) => (found.value * (1.0 - 1e-6), found.value * (1.0 + 1e-6)),
                };
                prop_assert_eq!((at(on_gpu), at(on_cpu)), (Side::Gpu, Side::Cpu), "{:?} at {:?} of {:?}", axis, found, point);
            }
        }
    }

    /// Between the current value and the break-even, or over the whole range if there is none, the
    /// placement stays what it is.
    #[test]
    fn no_break_even_lies_nearer_than_the_reported_one(study in study()) {
        for point in points(&study) {
            for axis in axes() {
                let (parameter, current) = (axis.parameter(), axis.value(&point));
                let info = parameter.info();
                if !current.is_finite() {
                    continue;
                }
                let here = side(&point);
                let found = break_even(&point, axis);
                let distance = |x: f64| (x.max(f64::MIN_POSITIVE) / current.max(f64::MIN_POSITIVE)).ln().abs();
                let whole = point.is_whole(parameter);
                let reach = found.map_or(f64::INFINITY, |found| match (whole, found.gpu_recommended) {
                    // The step lies between two whole numbers, and the value is the one from which the GPU is faster.
                    (true, GpuRecommended::Above) => distance(found.value - 0.5),
                    (true, GpuRecommended::Below) => distance(found.value + 0.5),
                    (false, _) => distance(found.value) * (1.0 - 1e-6),
                });
                for x in samples([info.min.max(1e-9), info.max], 150, true) {
                    let x = if whole { x.round() } else { x };
                    let there = moved(&point, axis, x);
                    // Far more passes through GPU memory are searched coarsely: every one is a jump.
                    let passes_differ = (cost(&there).passes - cost(&point).passes).abs();
                    let is_amount = matches!(parameter, Parameter::INPUT_SIZE | Parameter::OUTPUT_RATIO);
                    if distance(x) < reach && !(is_amount && passes_differ > 7.0) {
                        prop_assert_eq!(side(&there), here, "{:?} at {} with {:?} of {:?}", axis, x, found, point);
                    }
                }
            }
        }
    }
}

/// One linear operator over one network, compressed; every number a power of ten or one.
fn one_operator(overlap: Overlap) -> Placement {
    Placement {
        cluster: Cluster { machines: 100.0, fan_in: 100.0, aggregation: Aggregation::Exact },
        node: Node::default(),
        networks: vec![Network {
            name: "n".to_owned(),
            family: NetworkFamily::Ethernet,
            line_gbit_per_s: 10.0,
            effective_gbit_per_s: 10.0,
        }],
        bus: Bus { name: String::new(), to_gpu_gb_per_s: 100.0, from_gpu_gb_per_s: 100.0 },
        gpu: Gpu {
            name: String::new(),
            gpus_per_machine: 1.0,
            gpu_parallelism: 100.0,
            core_ratio: 1.0,
            gpu_memory_gb: None,
        },
        compression: Compression {
            name: String::new(),
            network_ratio: 0.5,
            bus_ratio: 1.0,
            compress_gb_per_s: 100.0,
            decompress_gb_per_s: 100.0,
        },
        operators: vec![Operator {
            name: "o".to_owned(),
            class: Class::Linear,
            cpu_seconds_per_100mb: 0.1,
            input_gb: 1.0,
            output_ratio: 0.1,
            fixed_seconds: 2.0,
            cpu_curve: None,
            gpu_curve: None,
            pin: None,
            kind: None,
        }],
        policy: Policy { threshold: 1.0, network: "n".to_owned(), compression: true, overlap },
        query: None,
        engines: None,
        decision: None,
        sources: Sources::default(),
        bill: None,
        uncertain: std::collections::BTreeMap::default(),
    }
}

#[test]
fn where_everything_overlaps_the_gpu_is_faster_up_to_a_network_speed() {
    let study = one_operator(Overlap::Everything);
    // One round, 101 senders, trans = 0.1·101·8/B = 80.8/B s. CPU: max(2, trans). GPU: 4 + max(0.02…, trans/2).
    // The GPU is faster where trans > 4 + trans/2: trans > 8, B < 10.1.
    let found = break_even(&Point::new(&study, 0, 0, true), Axis::One(Parameter::NETWORK_SPEED)).expect("a break-even");
    assert!(close(found.value, 10.1, 1e-12), "{}", found.value);
    assert_eq!(found.gpu_recommended, GpuRecommended::Below);
}

/// An output of 1 % more than fits starts a second pass, whose rounding is that of the whole, not of the 1 %.
#[test]
fn a_break_even_beyond_a_second_pass_is_found_before_the_pass() {
    let mut study = one_operator(Overlap::Nothing);
    study.cluster = Cluster { machines: 2.0, fan_in: 2.0, aggregation: Aggregation::Exact };
    study.networks[0].effective_gbit_per_s = 8.0;
    study.node.cpu_parallelism = 100.0;
    study.gpu.gpu_parallelism = 1000.0;
    study.gpu.gpu_memory_gb = Some(101.0);
    study.compression.compress_gb_per_s = 1e12;
    study.compression.decompress_gb_per_s = 1e12;
    let operator = &mut study.operators[0];
    *operator = Operator {
        class: Class::Quadratic,
        input_gb: 100.0,
        output_ratio: 0.1,
        fixed_seconds: 0.0,
        ..operator.clone()
    };
    // One round, 3 senders. CPU: 2·1 + 300σ. GPU: 2·0.1 + 2·q + 2σ + 150σ, q = 2 from σ = 0.01.
    // The GPU is faster where 148σ > 2q − 1.8: from 0.2/148 to 0.01 and from 2.2/148.
    let at = |output_ratio: f64| {
        let mut study = study.clone();
        study.operators[0].output_ratio = output_ratio;
        break_even(&Point::new(&study, 0, 0, true), Axis::One(Parameter::OUTPUT_RATIO)).expect("a break-even")
    };
    for (from, value, gpu_recommended) in [
        (0.1, 2.2 / 148.0, GpuRecommended::Above),
        (0.0105, 0.01, GpuRecommended::Below),
        (0.009, 0.01, GpuRecommended::Below),
        (0.001, 0.2 / 148.0, GpuRecommended::Above),
    ] {
        let found = at(from);
        assert!(close(found.value, value, 1e-9), "from {from}: {}", found.value);
        assert_eq!(found.gpu_recommended, gpu_recommended, "from {from}");
    }
}

/// For whole numbers the break-even is the last one at which the GPU is faster.
#[test]
fn a_whole_break_even_is_a_number_at_which_the_gpu_is_faster() {
    let text = include_str!("../../../../../scenarios/placement-published.ron");
    let mut study = placement(&read(text).expect("valid"));
    study.cluster.aggregation = Aggregation::Exact;
    // Compressed filter over InfiniBand: codec 11 s, saved network 0.7·0.1·A/10 s, saved work 0.05·(1 + r)·(63/64) −
    // 1.1/12.8·(1 + r) = −0.03672·(1 + r): the GPU is faster from 0.007·A > 11 + 0.03672·(1 + r); with r = 4, A > 1597.66.
    // A(n) = n + ⌈n/10⌉ + ⌈n/100⌉ + ⌈n/1000⌉ + 1: A(1436) = 1436 + 144 + 15 + 2 + 1 = 1598, A(1435) = 1597.
    let point = Point::new(&study, 0, 1, true);
    let found = break_even(&point, Axis::One(Parameter::MACHINES)).expect("a break-even");
    assert_eq!((found.value, found.gpu_recommended), (1436.0, GpuRecommended::Above));
}

//! What holds for every placement study: limits, monotony, break-evens, breakdowns, exact files.

use crossover_model::placement::break_even::break_even;
use crossover_model::placement::cost::{aggregation, evaluate as cost};
use crossover_model::placement::curves::{curves, samples};
use crossover_model::placement::row::break_evens;
use crossover_model::placement::validate::validate;
use crossover_model::placement::{
    Aggregation, Axis, Bus, Class, Cluster, Compression, Cost, CostCurve, Field, Gpu, GpuPays, Network, NetworkFamily,
    Node, Operator, Overlap, Parameter, Placement, Point, Policy, Side, Term, Variant, evaluate,
};
use crossover_model::provenance::{Provenance, Sources};
use crossover_model::scenario::{Scenario, Study, VERSION, read};
use proptest::prelude::*;

// ---------------------------------------------------------------------------------------------------------------------
// Random studies

/// A value of a parameter's range, evenly spread over its decades.
fn value(parameter: Parameter) -> BoxedStrategy<f64> {
    let info = parameter.info();
    let (min, max) = (info.min, info.max);
    let spread = (min.max(1e-6).ln()..=max.ln()).prop_map(move |u| u.exp().clamp(min, max));
    let whole = info.whole;
    let spread = spread.prop_map(move |x| if whole { x.round() } else { x });
    prop_oneof![1 => Just(min), 1 => Just(max), 18 => spread].boxed()
}

/// A value near what real hardware has, where costs compete and placements flip.
fn likely(parameter: Parameter) -> BoxedStrategy<f64> {
    let (low, high): (f64, f64) = match parameter {
        Parameter::Machines => (1.0, 3000.0),
        Parameter::FanIn => (2.0, 100.0),
        Parameter::CpuParallelism => (1.0, 64.0),
        Parameter::MemoryBandwidth => (10.0, 1000.0),
        Parameter::ScanSpeed | Parameter::BusToGpu | Parameter::BusFromGpu => (1.0, 100.0),
        Parameter::LineSpeed | Parameter::NetworkSpeed => (1.0, 800.0),
        Parameter::GpusPerMachine => (1.0, 8.0),
        Parameter::GpuParallelism => (8.0, 1024.0),
        Parameter::GpuMemory => (8.0, 192.0),
        Parameter::NetworkRatio | Parameter::BusRatio => (0.05, 1.0),
        Parameter::CompressSpeed | Parameter::DecompressSpeed => (0.1, 300.0),
        Parameter::CpuTime => (1e-3, 10.0),
        Parameter::InputSize => (0.01, 1000.0),
        Parameter::OutputRatio => (0.001, 2.0),
        Parameter::FixedCost | Parameter::CpuCurveFixed | Parameter::GpuCurveFixed => (1e-5, 1.0),
        Parameter::CpuCurveRate | Parameter::GpuCurveRate => (0.1, 1000.0),
        Parameter::Threshold => (0.8, 3.0),
        Parameter::Power => (0.5, 3.0),
    };
    let whole = parameter.info().whole;
    let spread = (low.ln()..=high.ln()).prop_map(move |u| if whole { u.exp().round() } else { u.exp() });
    prop_oneof![9 => spread, 1 => value(parameter)].boxed()
}

fn class() -> impl Strategy<Value = Class> {
    prop_oneof![Just(Class::Linear), Just(Class::Quadratic), likely(Parameter::Power).prop_map(Class::Power),]
}

fn curve(fixed: Parameter, rate: Parameter) -> impl Strategy<Value = Option<CostCurve>> {
    let curve =
        (likely(fixed), likely(rate)).prop_map(|(fixed_seconds, gb_per_s)| CostCurve { fixed_seconds, gb_per_s });
    prop_oneof![2 => Just(None), 1 => curve.prop_map(Some)]
}

fn pin() -> impl Strategy<Value = Option<Side>> {
    prop_oneof![2 => Just(None), 1 => Just(Some(Side::Cpu)), 1 => Just(Some(Side::Gpu))]
}

fn operator() -> impl Strategy<Value = Operator> {
    use Parameter as P;
    let fixed = prop_oneof![Just(0.0), likely(P::FixedCost)];
    (
        class(),
        likely(P::CpuTime),
        likely(P::InputSize),
        prop_oneof![1 => Just(0.0), 9 => likely(P::OutputRatio)],
        fixed,
        curve(P::CpuCurveFixed, P::CpuCurveRate),
        curve(P::GpuCurveFixed, P::GpuCurveRate),
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
                }
            },
        )
}

fn cluster() -> impl Strategy<Value = Cluster> {
    let mode = prop_oneof![Just(Aggregation::Published), Just(Aggregation::Exact)];
    (likely(Parameter::Machines), likely(Parameter::FanIn), mode).prop_map(|(machines, fan_in, aggregation)| Cluster {
        machines,
        fan_in,
        aggregation,
    })
}

fn node() -> impl Strategy<Value = Node> {
    let scan = prop_oneof![Just(None), likely(Parameter::ScanSpeed).prop_map(Some)];
    let memory = prop_oneof![Just(None), likely(Parameter::MemoryBandwidth).prop_map(Some)];
    (likely(Parameter::CpuParallelism), memory, scan).prop_map(|(cpu_parallelism, memory_gb_per_s, scan_gb_per_s)| {
        Node { name: "any".to_owned(), cpu_parallelism, memory_gb_per_s, scan_gb_per_s }
    })
}

fn gpu() -> impl Strategy<Value = Gpu> {
    let memory = prop_oneof![Just(None), likely(Parameter::GpuMemory).prop_map(Some)];
    (likely(Parameter::GpusPerMachine), likely(Parameter::GpuParallelism), memory).prop_map(
        |(gpus_per_machine, gpu_parallelism, gpu_memory_gb)| Gpu {
            name: "any".to_owned(),
            gpus_per_machine,
            gpu_parallelism,
            gpu_memory_gb,
        },
    )
}

fn compression() -> impl Strategy<Value = Compression> {
    use Parameter as P;
    let bus_ratio = prop_oneof![Just(1.0), likely(P::BusRatio)];
    (likely(P::NetworkRatio), bus_ratio, likely(P::CompressSpeed), likely(P::DecompressSpeed)).prop_map(
        |(network_ratio, bus_ratio, compress_gb_per_s, decompress_gb_per_s)| Compression {
            name: "any".to_owned(),
            network_ratio,
            bus_ratio,
            compress_gb_per_s,
            decompress_gb_per_s,
        },
    )
}

fn network() -> impl Strategy<Value = Network> {
    let family =
        prop_oneof![Just(NetworkFamily::Ethernet), Just(NetworkFamily::InfiniBand), Just(NetworkFamily::Other)];
    (family, likely(Parameter::LineSpeed), likely(Parameter::NetworkSpeed)).prop_map(
        |(family, line_gbit_per_s, effective_gbit_per_s)| Network {
            name: String::new(),
            family,
            line_gbit_per_s,
            effective_gbit_per_s,
        },
    )
}

/// Any valid study: both ways of counting rounds, every overlap, optional terms present or absent.
fn study() -> impl Strategy<Value = Placement> {
    let overlap = prop_oneof![Just(Overlap::Nothing), Just(Overlap::BusAndCompute), Just(Overlap::Everything)];
    let bus = (likely(Parameter::BusToGpu), likely(Parameter::BusFromGpu)).prop_map(
        |(to_gpu_gb_per_s, from_gpu_gb_per_s)| Bus { name: "any".to_owned(), to_gpu_gb_per_s, from_gpu_gb_per_s },
    );
    let threshold = prop_oneof![Just(1.0), likely(Parameter::Threshold)];
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
            Placement { cluster, node, networks, bus, gpu, compression, operators, policy, sources: Sources::default() }
        })
}

/// A study without the terms that the published method leaves out, rounds counted as published.
fn published_form() -> impl Strategy<Value = Placement> {
    study().prop_map(|mut study| {
        study.cluster.aggregation = Aggregation::Published;
        study.cluster.machines = study.cluster.machines.max(2.0);
        study.node.cpu_parallelism = 1.0;
        study.node.memory_gb_per_s = None;
        study.node.scan_gb_per_s = None;
        study.gpu.gpus_per_machine = 1.0;
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
fn powers() -> impl Strategy<Value = (u32, i32)> {
    (2u32..=1000).prop_flat_map(|k| {
        let largest = (1..50).take_while(|j| f64::from(k).powi(*j) < 2f64.powi(50)).count();
        (Just(k), 0..=i32::try_from(largest).expect("below 50"))
    })
}

fn points(study: &Placement) -> Vec<Point> {
    (0..study.operators.len())
        .flat_map(|operator| {
            Variant::all(study).map(move |variant| Point::new(study, operator, variant.network, variant.compression))
        })
        .collect()
}

fn moved(point: &Point, axis: Axis, value: f64) -> Point {
    let mut moved = *point;
    axis.apply(&mut moved, value);
    moved
}

fn with(point: &Point, parameter: Parameter, value: f64) -> Point {
    moved(point, Axis::One(parameter), value)
}

fn side(point: &Point) -> Side {
    cost(point).side(point[Parameter::Threshold])
}

fn axes() -> impl Iterator<Item = Axis> {
    Parameter::ALL.into_iter().map(Axis::One).chain([Axis::BusSpeed, Axis::CompressionSpeed])
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// A scenario around a study.
fn scenario(study: Placement) -> Scenario {
    Scenario { version: VERSION, name: "any".to_owned(), notes: String::new(), study: Study::Placement(study) }
}

fn placement(scenario: &Scenario) -> Placement {
    scenario.placement().expect("a placement study").clone()
}

// ---------------------------------------------------------------------------------------------------------------------
// The published method

proptest! {
    /// Network time grows with n on both sides, everything else with log n.
    #[test]
    fn without_compression_the_speedup_tends_to_1_as_machines_grow(study in published_form()) {
        for point in points(&study).into_iter().filter(|point| !point.compressed) {
            let deviation = |n: f64| (cost(&with(&point, Parameter::Machines, n)).speedup() - 1.0).abs();
            for power in 1..60 {
                let (here, further) = (deviation(10f64.powi(power)), deviation(10f64.powi(power + 1)));
                prop_assert!(further <= here + 1e-15, "n = 10^{power}: {here}, then {further}");
            }
            prop_assert!(deviation(1e60) < 1e-12);
        }
    }

    #[test]
    fn the_network_speed_does_not_move_an_uncompressed_break_even_of_t(
        study in published_form(),
        speed in value(Parameter::NetworkSpeed),
    ) {
        for mut point in points(&study).into_iter().filter(|point| !point.compressed) {
            point[Parameter::Threshold] = 1.0;
            let of = |point: &Point| break_even(point, Axis::One(Parameter::CpuTime));
            match (of(&point), of(&with(&point, Parameter::NetworkSpeed, speed))) {
                (Some(a), Some(b)) => {
                    prop_assert_eq!(a.gpu_pays, b.gpu_pays);
                    prop_assert!(close(a.value, b.value, 1e-12), "{} and {}", a.value, b.value);
                }
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn the_input_size_cancels_in_a_published_speedup(study in published_form(), input in value(Parameter::InputSize)) {
        for point in points(&study) {
            let (a, b) = (cost(&point).speedup(), cost(&with(&point, Parameter::InputSize, input)).speedup());
            prop_assert!(close(a, b, 1e-12), "{a} and {b}");
        }
    }

    /// r is the same; A misses only the terms of the series after the last machine: 1/k + 1/k² + …
    #[test]
    fn exact_and_published_counting_agree_at_powers_of_the_fan_in((k, j) in powers()) {
        let (k, n) = (f64::from(k), f64::from(k).powi(j));
        let (rounds, senders) = aggregation(Aggregation::Exact, n, k);
        let (published_rounds, published_senders) = aggregation(Aggregation::Published, n, k);
        prop_assert_eq!(rounds, f64::from(j));
        prop_assert!((published_rounds - rounds).abs() < 1e-12);
        prop_assert!(close(senders / published_senders, 1.0 - k.powi(-j - 1), 1e-12));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Every study

proptest! {
    #[test]
    fn gpu_time_never_grows_with_gpu_parallelism(study in study(), factor in 1.0f64..100.0) {
        for point in points(&study) {
            let slow = cost(&point).gpu.total();
            let fast = cost(&with(&point, Parameter::GpuParallelism, point[Parameter::GpuParallelism] * factor)).gpu.total();
            prop_assert!(fast <= slow * (1.0 + 1e-12), "{fast} after {slow}");
        }
    }

    #[test]
    fn seconds_add_up_and_what_is_hidden_is_what_overlaps(study in study()) {
        for point in points(&study) {
            let mut apart = point;
            apart.overlap = Overlap::Nothing;
            let (overlapping, apart) = (cost(&point), cost(&apart));
            for (overlapping, apart) in [(overlapping.cpu, apart.cpu), (overlapping.gpu, apart.gpu)] {
                let mut sum = 0.0;
                for term in Term::ALL {
                    let (shown, hidden) = (overlapping.seconds[term as usize], overlapping.hidden[term as usize]);
                    prop_assert!(shown == 0.0 || hidden == 0.0);
                    prop_assert_eq!((shown + hidden).to_bits(), apart.get(term).to_bits());
                    sum += shown;
                }
                prop_assert!(close(sum, overlapping.total(), 1e-15));
                prop_assert!(overlapping.total() <= apart.total() * (1.0 + 1e-15));
            }
        }
    }

    #[test]
    fn the_same_study_has_the_same_outcome(study in study()) {
        let text = |study: &Placement| format!("{:?}", evaluate(study)); // shows every bit of every number
        prop_assert_eq!(text(&study), text(&study.clone()));
    }

    #[test]
    fn pinning_changes_the_placement_and_nothing_else(study in study(), pins in prop::collection::vec(pin(), 3)) {
        let mut pinned = study.clone();
        for (operator, pin) in pinned.operators.iter_mut().zip(pins) {
            operator.pin = pin;
        }
        for (before, after) in evaluate(&study).rows.iter().zip(evaluate(&pinned).rows) {
            prop_assert_eq!(before.cost, after.cost);
            prop_assert_eq!(before.pays, after.pays);
            let [of_before, of_after] =
                [&study, &pinned].map(|study| break_evens(study, before.operator, before.variant));
            prop_assert_eq!(of_before, of_after);
            prop_assert_eq!(after.placement, pinned.operators[after.operator].pin.unwrap_or(after.pays));
        }
    }

    #[test]
    fn the_best_placement_is_never_slower_than_either_side(mut study in study()) {
        study.policy.threshold = 1.0;
        let summary = evaluate(&study).summary;
        prop_assert!(summary.best_seconds <= summary.cpu_seconds.min(summary.gpu_seconds) * (1.0 + 1e-12));
        prop_assert!(summary.pin_seconds() >= -1e-12 * summary.best_seconds);
        prop_assert!((0.0..=1.0).contains(&summary.moved_share));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Break-evens

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
                let (pays, not) = match (point.is_whole(axis.parameter()), found.gpu_pays) {
                    (true, GpuPays::Above) => (found.value, found.value - 1.0),
                    (true, GpuPays::Below) => (found.value, found.value + 1.0),
                    (false, GpuPays::Above) => (found.value * (1.0 + 1e-6), found.value * (1.0 - 1e-6)),
                    (false, GpuPays::Below) => (found.value * (1.0 - 1e-6), found.value * (1.0 + 1e-6)),
                };
                prop_assert_eq!((at(pays), at(not)), (Side::Gpu, Side::Cpu), "{:?} at {:?} of {:?}", axis, found, point);
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
                let reach = found.map_or(f64::INFINITY, |found| match (whole, found.gpu_pays) {
                    // The step lies between two whole numbers, and the value is the one where the GPU pays.
                    (true, GpuPays::Above) => distance(found.value - 0.5),
                    (true, GpuPays::Below) => distance(found.value + 0.5),
                    (false, _) => distance(found.value) * (1.0 - 1e-6),
                });
                for x in samples([info.min.max(1e-9), info.max], 150, true) {
                    let x = if whole { x.round() } else { x };
                    let there = moved(&point, axis, x);
                    // Far more passes through GPU memory are searched coarsely: every one is a jump.
                    let passes_differ = (cost(&there).passes - cost(&point).passes).abs();
                    let is_amount = matches!(parameter, Parameter::InputSize | Parameter::OutputRatio);
                    if distance(x) < reach && !(is_amount && passes_differ > 7.0) {
                        prop_assert_eq!(side(&there), here, "{:?} at {} with {:?} of {:?}", axis, x, found, point);
                    }
                }
            }
        }
    }
}

#[test]
fn where_everything_overlaps_the_gpu_pays_up_to_a_network_speed() {
    let study = Placement {
        cluster: Cluster { machines: 100.0, fan_in: 100.0, aggregation: Aggregation::Exact },
        node: Node::default(),
        networks: vec![Network {
            name: "n".to_owned(),
            family: NetworkFamily::Ethernet,
            line_gbit_per_s: 10.0,
            effective_gbit_per_s: 10.0,
        }],
        bus: Bus { name: String::new(), to_gpu_gb_per_s: 100.0, from_gpu_gb_per_s: 100.0 },
        gpu: Gpu { name: String::new(), gpus_per_machine: 1.0, gpu_parallelism: 100.0, gpu_memory_gb: None },
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
        }],
        policy: Policy { threshold: 1.0, network: "n".to_owned(), compression: true, overlap: Overlap::Everything },
        sources: Sources::default(),
    };
    // One round, 101 senders, trans = 0.1·101·8/B = 80.8/B s. CPU: max(2, trans). GPU: 4 + max(0.02…, trans/2).
    // It pays where trans > 4 + trans/2: trans > 8, B < 10.1.
    let found = break_even(&Point::new(&study, 0, 0, true), Axis::One(Parameter::NetworkSpeed)).expect("a break-even");
    assert!(close(found.value, 10.1, 1e-12), "{}", found.value);
    assert_eq!(found.gpu_pays, GpuPays::Below);
}

/// For whole numbers the break-even is the last one at which the GPU pays.
#[test]
fn a_whole_break_even_is_a_number_at_which_the_gpu_pays() {
    let text = include_str!("../../scenarios/placement-published.ron");
    let mut study = placement(&read(text).expect("valid"));
    study.cluster.aggregation = Aggregation::Exact;
    // Compressed filter over InfiniBand: codec 11 s, saved network 0.7·0.1·A/10 s, saved work 0.05·(1 + r)·(63/64) −
    // 1.1/12.8·(1 + r) = −0.03672·(1 + r): the GPU pays from 0.007·A > 11 + 0.03672·(1 + r); with r = 4, A > 1597.66.
    // A(n) = n + ⌈n/10⌉ + ⌈n/100⌉ + ⌈n/1000⌉ + 1: A(1436) = 1436 + 144 + 15 + 2 + 1 = 1598, A(1435) = 1597.
    let point = Point::new(&study, 0, 1, true);
    let found = break_even(&point, Axis::One(Parameter::Machines)).expect("a break-even");
    assert_eq!((found.value, found.gpu_pays), (1436.0, GpuPays::Above));
}

// ---------------------------------------------------------------------------------------------------------------------
// The whole allowed range

/// Every parameter at one end of its range.
fn corner() -> impl Strategy<Value = Placement> {
    (study(), prop::collection::vec(any::<bool>(), Parameter::COUNT)).prop_map(|(mut study, ends)| {
        for operator in &mut study.operators {
            operator.class = Class::Power(1.0);
        }
        let fields: Vec<Field> = Field::all(&study).collect();
        for field in fields {
            let info = field.parameter.info();
            if let Some(value) = field.value_mut(&mut study) {
                *value = if ends[field.parameter as usize] { info.max } else { info.min };
            }
        }
        study
    })
}

fn all_finite(cost: &Cost) -> bool {
    [cost.cpu, cost.gpu].iter().all(|side| {
        side.seconds.iter().chain(&side.hidden).all(|seconds| seconds.is_finite() && *seconds >= 0.0)
            && side.total() > 0.0
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_corner_of_the_allowed_ranges_has_finite_positive_times(study in corner()) {
        prop_assert_eq!(validate(&study), Ok(()));
        let outcome = evaluate(&study);
        for row in &outcome.rows {
            prop_assert!(all_finite(&row.cost), "{:?}", row.cost);
            prop_assert!(row.speedup().is_finite() && row.speedup() > 0.0);
            prop_assert!(row.cost.passes >= 1.0 && row.cost.passes.is_finite());
            prop_assert!(!row.reason.contains("not a number") && !row.reason.contains('∞'), "{}", row.reason);
        }
        let summary = outcome.summary;
        for seconds in [summary.cpu_seconds, summary.gpu_seconds, summary.placed_seconds, summary.best_seconds] {
            prop_assert!(seconds.is_finite() && seconds > 0.0);
        }
        prop_assert!((0.0..=1.0).contains(&summary.moved_share) && (0.0..=1.0 + 1e-12).contains(&summary.bound_by.1));
    }

    #[test]
    fn a_study_dragged_along_an_axis_is_valid_and_stays_on_its_curve(
        study in study(),
        axis in prop::sample::select(axes().collect::<Vec<_>>()),
        factor in (-12.0..12.0f64).prop_map(f64::exp),
    ) {
        let mut dragged = study.clone();
        let (operator, network) = (study.operators.len() - 1, study.networks.len() - 1);
        let before = Point::new(&study, operator, network, true);
        axis.set(&mut dragged, operator, network, axis.value(&before) * factor);
        prop_assert_eq!(validate(&dragged), Ok(()));
        let after = Point::new(&dragged, operator, network, true);
        let expected = moved(&before, axis, axis.value(&after));
        for parameter in Parameter::ALL {
            let (found, expected) = (after[parameter], expected[parameter]);
            prop_assert!(found == expected || close(found, expected, 1e-15), "{parameter:?}: {found}, {expected}");
        }
    }

    #[test]
    fn every_axis_has_a_window_with_finite_curves(study in study()) {
        for axis in Axis::CHOICES {
            let info = axis.parameter().info();
            let window = axis.window(&study);
            prop_assert!(window[0] < window[1] && window[0] >= info.min && window[1] <= info.max, "{axis:?}: {window:?}");
            for curve in curves(&study, 0, axis, &samples(window, 17, window[0] > 0.0)) {
                prop_assert!(curve.speedups.iter().all(|speedup| speedup.is_finite() && *speedup > 0.0));
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Files

fn finite() -> impl Strategy<Value = f64> {
    use prop::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

/// The bits of every number of a study.
fn bits(study: &Placement) -> Vec<u64> {
    Field::all(study).filter_map(|field| field.value(study)).map(f64::to_bits).collect()
}

proptest! {
    #[test]
    fn a_file_keeps_every_bit_of_every_number(
        study in study(),
        names in prop::collection::hash_set("\\PC{1,12}", 3).prop_map(Vec::from_iter),
        notes in "(?s).{0,40}",
        interval in (finite(), finite()),
    ) {
        let mut study = study;
        for (operator, name) in study.operators.iter_mut().zip(names) {
            if !name.trim().is_empty() {
                operator.name = name;
            }
        }
        let path = Field { parameter: Parameter::CpuTime, index: 0 }.path(&study);
        let interval = (interval.0.min(interval.1), interval.0.max(interval.1));
        let measured = Provenance::Measured { device: notes.clone(), date: "2026-01-31".to_owned(), interval };
        study.sources.insert(path, measured);
        let written = Scenario { notes, ..scenario(study) };
        let text = written.to_ron();
        let found = read(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&found, &written);
        prop_assert_eq!(bits(&placement(&found)), bits(&placement(&written)));
    }
}

#[test]
fn numbers_that_other_formats_lose_survive_a_file() {
    let text = include_str!("../../scenarios/placement-published.ron");
    let study = placement(&read(text).expect("valid"));
    for (parameter, value) in [
        (Parameter::FixedCost, 0.1 + 0.2),
        (Parameter::FixedCost, f64::from_bits(1)),
        (Parameter::FixedCost, f64::MIN_POSITIVE.next_down()),
        (Parameter::OutputRatio, f64::MIN_POSITIVE),
        (Parameter::OutputRatio, -0.0),
        (Parameter::OutputRatio, 1.0 / 3.0),
        (Parameter::InputSize, 1e6f64.next_down()),
        (Parameter::InputSize, 1e-6f64.next_up()),
        (Parameter::InputSize, 123_456.789_012_345_67),
        (Parameter::Machines, 999_999.0),
        (Parameter::CpuTime, 5e-324 + 0.005f64.next_up()),
    ] {
        let mut study = study.clone();
        *Field { parameter, index: 0 }.value_mut(&mut study).expect("present") = value;
        let found = placement(&read(&scenario(study).to_ron()).expect("valid"));
        let found = Field { parameter, index: 0 }.value(&found).expect("present");
        assert_eq!(found.to_bits(), value.to_bits(), "{value} became {found}");
    }
}

//! The placement study against the published method: speedups, break-evens and closed forms.

use crossover_measured::calibration::CostCurve;
use crossover_placement::break_even::break_even;
use crossover_placement::cost::evaluate as cost;
use crossover_placement::{Axis, GpuRecommended, Parameter, Placement, Point, Side, Term, Variant, evaluate};
use crossover_scenario::read;

const ETHERNET: usize = 0;
const INFINIBAND: usize = 1;
const FILTER: usize = 0;
const JOIN: usize = 1;

fn published() -> Placement {
    let text = include_str!("../../../../scenarios/placement-published.ron");
    let scenario = read(text).expect("the published scenario is valid");
    scenario.placement().expect("a placement study").clone()
}

/// Published speedups at M = 64, recomputed from the rational functions of the document to 4 decimals.
#[test]
fn the_eight_published_speedups() {
    let study = published();
    for (operator, network, compression, expected) in [
        (FILTER, ETHERNET, false, "0.9998"),
        (FILTER, INFINIBAND, false, "0.9872"),
        (FILTER, ETHERNET, true, "3.1980"),
        (FILTER, INFINIBAND, true, "0.7705"),
        (JOIN, ETHERNET, false, "1.0173"),
        (JOIN, INFINIBAND, false, "2.3162"),
        (JOIN, ETHERNET, true, "3.2519"),
        (JOIN, INFINIBAND, true, "1.8162"),
    ] {
        let speedup = cost(&Point::new(&study, operator, network, compression)).speedup();
        assert_eq!(format!("{speedup:.4}"), expected, "operator {operator}, network {network}, {compression}");
    }
}

/// The document's own rational functions of x = t (linear) or t² (quadratic).
#[test]
fn speedups_equal_the_closed_forms_over_the_whole_published_range() {
    let closed = |operator: usize, network: usize, compression: bool, t: f64, m: f64| {
        let (x, scale) = if operator == FILTER { (t, 1.0) } else { (t * t, 10.0) };
        let (cpu, gpu) = match (network, compression) {
            (ETHERNET, false) => (200.0 / 9.0, 256_099.0 / 11_520.0),
            (INFINIBAND, false) => (5.0 / 18.0, 3_299.0 / 11_520.0),
            (ETHERNET, true) => (200.0 / 9.0, 26_689.0 / 3_840.0),
            _ => (5.0 / 18.0, 1_409.0 / 3_840.0),
        };
        (x + cpu / scale) / (x / m + gpu / scale)
    };
    let study = published();
    for operator in [FILTER, JOIN] {
        for variant in Variant::all(&study) {
            for t in [0.001, 0.005, 0.02, 0.2, 1.0, 10.0] {
                for m in [64.0, 256.0, 1024.0] {
                    let mut point = Point::new(&study, operator, variant.network, variant.compression);
                    point.set(Parameter::CPU_TIME, t);
                    point.set(Parameter::GPU_PARALLELISM, m);
                    let expected = closed(operator, variant.network, variant.compression, t, m);
                    let found = cost(&point).speedup();
                    assert!((found / expected - 1.0).abs() < 1e-12, "t = {t}, M = {m}: {found} instead of {expected}");
                }
            }
        }
    }
}

/// Break-even t at threshold 1 and M = 64.
#[test]
fn the_published_break_evens() {
    let study = published();
    for (operator, network, compression, expected) in [
        (FILTER, ETHERNET, false, Some("8.7302e-3")),
        (FILTER, INFINIBAND, false, Some("8.7302e-3")),
        (JOIN, ETHERNET, false, Some("2.9547e-2")),
        (JOIN, INFINIBAND, false, Some("2.9547e-2")),
        (FILTER, INFINIBAND, true, Some("9.0564e-2")),
        (JOIN, INFINIBAND, true, Some("9.5165e-2")),
        (FILTER, ETHERNET, true, None),
        (JOIN, ETHERNET, true, None),
    ] {
        let point = Point::new(&study, operator, network, compression);
        let found = break_even(&point, Axis::One(Parameter::CPU_TIME));
        assert_eq!(found.map(|found| format!("{:.4e}", found.value)).as_deref(), expected);
        assert!(found.is_none_or(|found| found.gpu_recommended == GpuRecommended::Above));
    }
}

/// Without compression (1 + σ)/b = 10·t·(1 − 1/M) decides; derived from the formulas by hand.
#[test]
fn break_evens_equal_their_closed_forms() {
    let study = published();
    let close =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
    let of = |operator, network, compression, parameter| {
        let point = Point::new(&study, operator, network, compression);
        break_even(&point, Axis::One(parameter)).expect("there is a break-even").value
    };
    close(of(FILTER, ETHERNET, false, Parameter::CPU_TIME), 1.1 / 12.8 / (10.0 * (1.0 - 1.0 / 64.0)));
    close(of(JOIN, INFINIBAND, false, Parameter::CPU_TIME), f64::sqrt(1.1 / 12.8 / (100.0 * (1.0 - 1.0 / 64.0))));
    // Join: 100·t² = 4, bus 1.1/12.8: the GPU is faster while 4/M < 4 − 1.1/12.8.
    close(of(JOIN, INFINIBAND, false, Parameter::GPU_PARALLELISM), 4.0 / (4.0 - 1.1 / 12.8));
    // Join: σ at which the bus eats the gain, 4·(1 − 1/64) = (1 + σ)/12.8.
    close(of(JOIN, INFINIBAND, false, Parameter::OUTPUT_RATIO), 4.0 * (1.0 - 1.0 / 64.0) * 12.8 - 1.0);
    // Compressed filter over InfiniBand, B: 4·0.05·(1 − 1/64) + trans·(1 − 0.3) = 11 + 4·1.1/12.8, trans = 1000/9/(B/8).
    let trans = (11.0 + 4.4 / 12.8 - 0.2 * (1.0 - 1.0 / 64.0)) / 0.7;
    close(of(FILTER, INFINIBAND, true, Parameter::NETWORK_SPEED), 8.0 * (1000.0 / 9.0) / trans);
    // The same for c: 0.2·(1 − 1/64) + trans·(1 − c) = 11 + 4.4/12.8 with trans = 100/9.
    let c = 1.0 - (11.0 + 4.4 / 12.8 - 0.2 * (1.0 - 1.0 / 64.0)) / (100.0 / 9.0);
    assert!(c < 0.0, "no compression ratio helps");
    let point = Point::new(&study, FILTER, INFINIBAND, true);
    assert_eq!(break_even(&point, Axis::One(Parameter::NETWORK_RATIO)), None);
}

/// Step 140 prints (T + 25·D/9) / (11·D/(40·v) + T/M + 5·D/6) for InfiniBand with compression: without 11·D/128, the bus.
#[test]
fn the_general_form_of_step_140_holds_with_the_bus_term_that_it_lacks() {
    let speedup = cost(&Point::new(&published(), JOIN, INFINIBAND, true)).speedup();
    // D = 1 GB, v = 0.1 GB/s, M = 64; T = (0.2/0.1)²·D.
    let form = |bus: f64| (4.0 + 25.0 / 9.0) / (11.0 / 4.0 + bus + 4.0 / 64.0 + 5.0 / 6.0);
    assert!((speedup / form(11.0 / 128.0) - 1.0).abs() < 1e-12);
    assert_eq!(format!("{:.4}", form(0.0)), "1.8590");
}

/// Step 130: twice as fast CPU cores, and twice as many GPU cores at work, give the published speedups again. With M = 64 the
/// join over InfiniBand has (1/25 + 1/36) / (2/25/64 + 3299/115200).
#[test]
fn the_core_ratio_divides_the_parallelism_of_the_gpu() {
    let study = published();
    for operator in [FILTER, JOIN] {
        for variant in Variant::all(&study) {
            let mut point = Point::new(&study, operator, variant.network, variant.compression);
            let expected = cost(&point).speedup();
            point.set(Parameter::CORE_RATIO, 2.0);
            point.set(Parameter::GPU_PARALLELISM, 128.0);
            assert!((cost(&point).speedup() / expected - 1.0).abs() < 1e-12);
        }
    }
    let mut point = Point::new(&study, JOIN, INFINIBAND, false);
    point.set(Parameter::CORE_RATIO, 2.0);
    assert_eq!(format!("{:.4}", cost(&point).speedup()), "2.2678");
    // 4·ρ/64 = 4 − 1.1/12.8: the bus eats the gain.
    let found = break_even(&point, Axis::One(Parameter::CORE_RATIO)).expect("there is a break-even");
    assert!((found.value / (64.0 * (4.0 - 1.1 / 12.8) / 4.0) - 1.0).abs() < 1e-12);
    assert_eq!(found.gpu_recommended, GpuRecommended::Below);
}

/// The document's slip: fig. 2e's own formula gives 0.77 for the filter, not 3.2.
#[test]
fn a_compressed_filter_over_infiniband_stays_on_cpu() {
    let outcome = evaluate(&published());
    let row = outcome.row(FILTER, Variant { network: INFINIBAND, compression: true }).expect("a row");
    assert_eq!(row.placement, Side::Cpu);
}

/// Interface sketch: 38.4 s become 23.0 s, 1.67×, one of two operators on the GPU.
#[test]
fn the_published_workload_runs_1_67_times_faster_over_infiniband() {
    let summary = evaluate(&published()).summary;
    assert_eq!(
        format!("{:.2} {:.1} {:.1}", summary.speedup(), summary.cpu_seconds, summary.placed_seconds),
        "1.67 38.4 23.0"
    );
    assert_eq!((summary.on_cpu, summary.on_gpu), (1, 1));
    assert_eq!(summary.pin_seconds(), 0.0);
    // 27.111 s of 38.422 s move.
    assert!((summary.moved_share - 27.111_111 / 38.422_222).abs() < 1e-6);
    assert!((summary.amdahl_limit() - 38.422_222 / 11.311_111).abs() < 1e-5);
}

#[test]
fn reasons_name_the_dominant_term_and_the_way_out() {
    let outcome = evaluate(&published());
    let reason = |operator, network, compression| {
        outcome.row(operator, Variant { network, compression }).expect("a row").reason.clone()
    };
    insta::assert_snapshot!(
        [
            reason(FILTER, ETHERNET, false),
            reason(FILTER, ETHERNET, true),
            reason(FILTER, INFINIBAND, false),
            reason(FILTER, INFINIBAND, true),
            reason(JOIN, ETHERNET, false),
            reason(JOIN, ETHERNET, true),
            reason(JOIN, INFINIBAND, false),
            reason(JOIN, INFINIBAND, true),
        ]
        .join("\n")
    );
}

/// Where both sides are measured, the time per 100 MB takes no part and is not spoken of.
#[test]
fn a_reason_names_only_limits_that_could_exist() {
    let mut study = published();
    let cpu = CostCurve { fixed_seconds: 0.0, gb_per_s: 1e-3 };
    study.operators[FILTER].cpu_curve = Some(cpu);
    study.operators[FILTER].gpu_curve = Some(CostCurve { fixed_seconds: 0.0, gb_per_s: 1.0 });
    // Four times 1000 s on CPU; on GPU four times 1 s, even at the lowest rate no more than 10^6 s: a limit.
    let reason = |study: &Placement| {
        let outcome = evaluate(study);
        outcome.row(FILTER, Variant { network: INFINIBAND, compression: false }).expect("a row").reason.clone()
    };
    assert!(reason(&study).contains("; GPU faster with a GPU rate of at least "), "{}", reason(&study));
    // As slow as anything can be: no GPU rate is slower.
    study.operators[FILTER].cpu_curve = Some(CostCurve { fixed_seconds: 1e4, gb_per_s: 1e-6 });
    assert!(
        reason(&study).ends_with("; GPU faster over the whole range of input per machine and GPU rate."),
        "{}",
        reason(&study)
    );
    // The GPU as slow as can be, the CPU fast: nothing helps.
    study.operators[FILTER].cpu_curve = Some(CostCurve { fixed_seconds: 0.0, gb_per_s: 1e6 });
    study.operators[FILTER].gpu_curve = Some(CostCurve { fixed_seconds: 1e4, gb_per_s: 1.0 });
    study.networks.truncate(1);
    study.policy.network.clone_from(&study.networks[0].name);
    study.compression.network_ratio = 1.0;
    let outcome = evaluate(&study);
    let row = outcome.row(FILTER, Variant { network: ETHERNET, compression: false }).expect("a row");
    assert!(
        row.reason.ends_with("; GPU faster at no input per machine, GPU rate, network or compression."),
        "{}",
        row.reason
    );
}

#[test]
fn a_margin_is_the_distance_to_the_threshold_and_a_placed_side_has_its_own_terms() {
    let mut study = published();
    study.policy.threshold = 2.0;
    let outcome = evaluate(&study);
    let row = outcome.row(JOIN, Variant { network: INFINIBAND, compression: false }).expect("a row");
    // 2.3162 / 2 − 1
    assert_eq!(format!("{:.4}", row.margin()), "0.1581");
    assert_eq!((row.placement, row.placed_breakdown()), (Side::Gpu, &row.cost.gpu));
    let row = outcome.row(FILTER, Variant { network: INFINIBAND, compression: false }).expect("a row");
    assert_eq!((row.placement, row.placed_breakdown()), (Side::Cpu, &row.cost.cpu));
}

/// Two GPUs share the data, D/(b·g), but each of them starts once: a is paid once.
#[test]
fn more_gpus_speed_up_a_measured_kernel_but_not_its_start() {
    let mut study = published();
    study.operators[FILTER].gpu_curve = Some(CostCurve { fixed_seconds: 0.25, gb_per_s: 4.0 });
    study.gpu.gpus_per_machine = 2.0;
    let kernel = cost(&Point::new(&study, FILTER, ETHERNET, false)).gpu.get(Term::Compute);
    assert_eq!(kernel, 0.25 + 1.0 / 8.0);
}

/// Above a threshold of 1 an operator may stay on CPU although the GPU is faster; a pin then saves time.
#[test]
fn a_pin_that_saves_time_says_so() {
    let mut study = published();
    study.policy.threshold = 3.0;
    study.operators[JOIN].pin = Some(Side::Gpu);
    let outcome = evaluate(&study);
    let row = outcome.row(JOIN, Variant { network: INFINIBAND, compression: false }).expect("a row");
    // 27.111 s on CPU, 27.111/2.3162 = 11.705 s on GPU.
    assert_eq!(row.reason, "GPU (pinned): saves 15.41 s against CPU.");
}

/// 64 cores at 5 ms per 100 MB would read 64/0.05 = 1280 GB/s; a memory of 100 GB/s lets them read 100.
#[test]
fn cores_share_the_memory_bandwidth_of_their_machine() {
    let mut study = published();
    study.node.cpu_parallelism = 64.0;
    study.node.memory_gb_per_s = Some(100.0);
    let compute =
        |study: &Placement, operator| cost(&Point::new(study, operator, ETHERNET, false)).cpu.get(Term::Compute);
    assert_eq!(compute(&study, FILTER), 1.0 / 100.0);
    // The join takes 4 s on one core: 64 cores are slower than the memory.
    assert_eq!(compute(&study, JOIN), 4.0 / 64.0);
}

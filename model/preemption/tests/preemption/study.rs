//! Preemption studies from their files to their answers: the published case, streams worked by hand, and what holds of all.

use crossover_measured::kernels::Class;
use crossover_preemption::{
    Comparison, Displacement, Gain, Kernel, Launch, Launches, Pair, Policy, Preemption, Simulator, SlotState,
    along_load, evaluate,
};
use crossover_scenario::{self as scenario, Study};
use crossover_study::Watch;
use proptest::prelude::*;

const PUBLISHED: &str = include_str!("../../../../scenarios/preemption-published.ron");
const H100: &str = include_str!("../../../../scenarios/preemption-h100.ron");
const RODINIA: &str = include_str!("../../../../scenarios/preemption-rodinia.ron");

fn study(text: &str) -> Preemption {
    let scenario = scenario::read(text).expect("an example");
    scenario.study.validate().expect("valid");
    match scenario.study {
        Study::Preemption(study) => study,
        _ => panic!("a preemption study"),
    }
}

/// Method M4, worked case: 800,000 cycles together, a switch of 209,695.2, before 1,040,000, after 1,165,141.36.
#[test]
fn the_published_case_preempts_b_for_c() {
    let study = study(PUBLISHED);
    let outcome = evaluate(&study);
    let decision = &outcome.log.decisions[0];
    let near =
        |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 1e-6, "{value} instead of {expected}");
    near(decision.case.rest_cycles, 800_000.0);
    near(decision.case.preempt_cycles, 209_695.2);
    near(decision.weighed.before, 1_040_000.0);
    near(decision.weighed.after, 1_165_141.36);
    near(decision.weighed.gain, 125_141.36);
    near(decision.weighed.break_even_cycles, 321_428.57);
    assert!(decision.is_preempted);
    assert_eq!((decision.running.1, decision.waiting.1), (1, 2));
    // Three listed launches have no load at which a policy could be unstable. Exclusive execution: A, B and C one after the other.
    let sentence = outcome.sentence(&study);
    assert!(
        sentence.contains("that of exclusive execution, with turnaround ") && !sentence.contains("unstable"),
        "{sentence}"
    );

    // A context of 1.54 times as many bytes takes longer than it gains.
    let mut larger = study;
    larger.kernels[1].shared_bytes = 27_152.0;
    larger.gpu.shared_bytes = 1e6;
    let outcome = evaluate(&larger);
    let decision = &outcome.log.decisions[0];
    assert!(decision.case.preempt_cycles > 321_428.57 && decision.weighed.gain < 0.0 && !decision.is_preempted);
}

/// After B has left at 100,000, A runs at 0.7 · 0.9 until 309,695.2, then beside C at 0.85, C at 0.9: by hand.
///
/// A has 330,000,000 / 428.571 = 770,000 cycles alone; 70,000 are done at 100,000 and 132,107.976 more at 309,695.2. The rest of
/// 567,892.024 takes 668,108.264 at 0.85: done at 977,803.464. C has done 601,297.438 of 1,000,000 then and begins to run beside
/// B, both memory and compute without a measured pair: 0.769 each. C takes (1,000,000 − 601,297.438) / 0.769.
#[test]
fn the_published_stream_ends_when_it_does_by_hand() {
    let study = study(PUBLISHED);
    let outcome = evaluate(&study);
    let a = 309_695.2 + 567_892.024 / 0.85;
    assert!((outcome.log.done[0] / a - 1.0).abs() < 1e-6);
    let c = a + (1_000_000.0 - 0.9 * (a - 309_695.2)) / 0.769;
    assert!((outcome.log.done[2] / c - 1.0).abs() < 1e-6);
    // B: 540,000 cycles alone, 60,000 done before it left.
    let b = c + (540_000.0 - 60_000.0 - 0.769 * (c - a));
    let expected = if 480_000.0 < 0.769 * (c - a) { a + 480_000.0 / 0.769 } else { b };
    assert!((outcome.log.done[1] / expected - 1.0).abs() < 1e-6);
}

/// B starts beside A, which fills all multiprocessors: by dominant-resource fairness each gets 4 of 8 blocks, as threads run out. So 60
/// blocks of A, 983,040 B, are saved beside A: (0.09526 · 0.3 + 0.01633) · 983,040 = 44,146.36032 cycles, in which A has 0.9. At 100,000 A
/// has 770,000 − 0.9 · 44,146.36032 − 0.7 · 55,853.63968 = 691,170.727936 cycles alone left, B 540,000 − 0.6 · 55,853.63968 =
/// 506,487.816192: B ends first, after 844,146.36032. C takes the blocks of B and displaces none of A; B takes those of A later.
#[test]
fn a_launch_pays_for_the_blocks_that_it_displaces() {
    let mut study = study(PUBLISHED);
    study.rule.displacement = Displacement::Saved;
    let outcome = evaluate(&study);
    let near =
        |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 1e-9, "{value} instead of {expected}");
    let decision = &outcome.log.decisions[0];
    let switch = 0.044_908 * 38_912.0 * 120.0;
    near(decision.case.rest_cycles, 844_146.360_32);
    near(decision.case.preempt_cycles, switch);
    near(decision.weighed.gain, 0.63 * switch + 1.75 * (844_146.360_32 - switch) - 1.3 * 844_146.360_32);
    let a = 100_000.0 + switch + (691_170.727_936 - 0.63 * switch) / 0.85;
    let c = a + (1_000_000.0 - 0.9 * (a - 100_000.0 - switch)) / 0.769;
    let b = c + 506_487.816_192 - 0.769 * (c - a);
    for (done, expected) in outcome.log.done.iter().zip([a, b, c]) {
        near(*done, expected);
    }
    // 2,310,000 cycles alone; 1.464 where launches join at no cost.
    let throughput = outcome.of(Policy::Weighing).means.throughput.mean;
    near(throughput, 2_310_000.0 / b);
    assert!((throughput - 1.447).abs() < 5e-4, "{throughput}");
}

/// `model/preemption/tests/references/jobs.py`, with other random streams of the same jobs, has 0.45 ± 0.13 % more throughput, 0.45
/// preemptions a launch, a turnaround of 3.42 against 9.25, and a mean latency of 1.06 s against 1.75 s. A switch saves 1,056 blocks of 32,768 B beside
/// a kernel that misses at every read: 0.11159 · 34,603,008 = 3,861,349.66 cycles.
#[test]
fn jobs_on_the_shared_h100_gain_by_preemption() {
    let study = study(H100);
    let outcome = evaluate(&study);
    let [own, pairs] = [Policy::Weighing, Policy::Combining].map(|policy| &outcome.of(policy).means);
    assert!((0.3..0.6).contains(&own.preemptions), "{}", own.preemptions);
    let Comparison::Differs(more) = own.more_work(pairs, false) else { panic!("no difference in throughput") };
    assert!((0.001..0.008).contains(&more), "{more}");
    let turnaround = own.turnaround.mean / pairs.turnaround.mean;
    assert!((0.3..0.5).contains(&turnaround), "{turnaround}");
    let latency = own.latency.mean / pairs.latency.mean;
    assert!((0.5..0.75).contains(&latency), "{latency}");
    let decision = outcome.largest_gain().expect("a preemption");
    assert!(decision.is_preempted && (decision.case.preempt_cycles / 3_861_349.662_72 - 1.0).abs() < 1e-9);
    let sentence = outcome.sentence(&study);
    assert!(sentence.contains("shorter than that of best pairs."), "{sentence}");
}

/// A, 1,000 cycles, and B, 500 from a cycle on, under a policy: when each is done.
fn two(policy: Policy, at: f64) -> (Preemption, Vec<f64>) {
    let mut study = study(PUBLISHED);
    study.kernels.truncate(2);
    study.kernels[0] =
        Kernel { name: "A".to_owned(), instructions: 1_000.0, ipc: 1.0, blocks: 120.0, ..study.kernels[0].clone() };
    study.kernels[1] =
        Kernel { name: "B".to_owned(), instructions: 500.0, ipc: 1.0, blocks: 120.0, ..study.kernels[1].clone() };
    study.pairs = vec![Pair { first: "A".into(), second: "B".into(), first_normalised: 0.5, second_normalised: 0.8 }];
    study.stream.listed =
        vec![Launch { kernel: "A".into(), at_cycle: 0.0 }, Launch { kernel: "B".into(), at_cycle: at }];
    study.rule.slice_cycles = 1_000.0;
    let simulator = Simulator::new(&study);
    let launches = Launches::draw(&study, 0);
    let run =
        Watch::uncancellable(|watch| simulator.run(&launches, policy, &mut (), watch)).expect("it cannot be cancelled");
    (study.clone(), run.done)
}

#[test]
fn a_tiny_stream_ends_as_it_does_by_hand() {
    // One after the other: 1,000, and 500 more.
    assert_eq!(two(Policy::Exclusive, 200.0).1, [1_000.0, 1_500.0]);
    // Together from 200: B takes 500 / 0.8 = 625; A has 800 left, does 312.5 meanwhile, and 487.5 alone.
    assert_eq!(two(Policy::Sharing, 200.0).1, [200.0 + 625.0 + 487.5, 825.0]);
    // Alone each: nothing waits.
    assert_eq!(two(Policy::Sharing, 2_000.0).1, [1_000.0, 2_500.0]);
}

/// Cost-aware preemption of 24 launches, as `model/preemption/tests/references/preemption.py` has it, which was written from the
/// formulas alone and goes in steps of time: with launches that join free, and with launches that displace blocks.
#[test]
fn a_stream_of_weighed_preemptions_ends_as_an_independent_program_says() {
    const FREE: [f64; 24] = [
        2_914_640.984,
        545_782.448,
        660_717.947,
        3_190_416.213,
        3_327_579.731,
        958_721.196,
        1_073_656.695,
        3_603_354.960,
        3_740_518.479,
        1_371_659.943,
        1_486_595.442,
        4_016_293.708,
        4_153_457.226,
        1_784_598.691,
        1_899_534.190,
        4_429_232.455,
        4_566_395.973,
        2_197_537.438,
        2_312_472.937,
        4_842_171.203,
        4_979_334.721,
        2_610_476.186,
        2_777_477.466,
        5_179_685.425,
    ];
    const SAVED: [f64; 24] = [
        2_910_475.159,
        600_710.636,
        667_469.947,
        3_175_344.400,
        3_323_413.906,
        1_013_649.383,
        1_080_408.695,
        3_588_283.148,
        3_736_352.653,
        1_426_588.130,
        1_493_347.442,
        4_001_221.895,
        4_149_291.401,
        1_839_526.878,
        1_906_286.190,
        4_414_160.642,
        4_562_230.148,
        2_252_465.625,
        2_319_224.937,
        4_827_099.390,
        4_975_168.896,
        2_665_404.373,
        2_762_405.653,
        5_167_596.400,
    ];
    let mut study = study(PUBLISHED);
    let of = [
        (3.0e7, 100.0, 40_000.0, 60.0, 600.0, 0.5, Class::Memory),
        (2.0e7, 200.0, 12_000.0, 120.0, 960.0, 0.1, Class::Compute),
        (9.0e7, 300.0, 30_000.0, 90.0, 450.0, 0.3, Class::Memory),
        (1.0e7, 50.0, 8_000.0, 150.0, 1_500.0, 0.0, Class::Compute),
    ];
    study.kernels = of
        .into_iter()
        .enumerate()
        .map(|(number, (instructions, ipc, register_bytes, resident, blocks, miss_rate, class))| Kernel {
            name: format!("k{number}"),
            instructions,
            ipc,
            register_bytes,
            shared_bytes: 0.0,
            // So many on each of 15 multiprocessors: 2,048 threads are full then.
            threads: (2_048.0_f64 / (resident / 15.0)).floor(),
            blocks,
            miss_rate,
            class,
            ..Kernel::default()
        })
        .collect();
    study.gpu.register_bytes = 1e6;
    study.pairs.clear();
    for (first, second, first_normalised, second_normalised) in
        [(0, 1, 0.9, 0.8), (0, 2, 0.55, 0.5), (1, 2, 0.75, 0.95), (2, 3, 0.85, 0.9), (1, 3, 0.6, 0.7)]
    {
        let (first, second) = (format!("k{first}"), format!("k{second}"));
        study.put_pair(Pair { first, second, first_normalised, second_normalised });
    }
    let launch = |place: usize| Launch {
        kernel: format!("k{}", (place * 7 + place * place * 3) % 4),
        at_cycle: 70_000.0 * place as f64,
    };
    study.stream.listed = (0..24).map(launch).collect();
    for (displacement, expected) in [(Displacement::Free, FREE), (Displacement::Saved, SAVED)] {
        study.rule.displacement = displacement;
        let outcome = evaluate(&study);
        let preempted = outcome.log.decisions.iter().filter(|decision| decision.is_preempted).count();
        assert!(preempted > 0, "nothing was preempted");
        for (place, (done, expected)) in outcome.log.done.iter().zip(expected).enumerate() {
            assert!((done - expected).abs() < 1.0, "{displacement:?}, launch {place}: {done} instead of {expected}");
        }
    }
}

fn kernel(number: usize, (cycles, miss, is_memory, is_idempotent): (f64, f64, bool, bool)) -> Kernel {
    Kernel {
        name: format!("k{number}"),
        instructions: cycles * 10.0,
        ipc: 10.0,
        // The last ones leave no room for another block.
        register_bytes: [32_768.0, 60_000.0, 16_384.0, 90_000.0, 140_000.0][number % 5],
        shared_bytes: 1_024.0 * number as f64,
        blocks: 60.0 + 100.0 * number as f64,
        miss_rate: miss,
        class: if is_memory { Class::Memory } else { Class::Compute },
        is_idempotent,
        ..Kernel::default()
    }
}

/// Kernels that beside each other are as fast as `fastest` times alone at most.
fn any_study(fastest: f64) -> impl Strategy<Value = Preemption> {
    let kernels = proptest::collection::vec((1e3_f64..1e6, 0.0_f64..1.0, any::<bool>(), any::<bool>()), 1..6);
    let pairs = proptest::collection::vec((0_usize..6, 0_usize..6, 0.3..fastest, 0.3..fastest), 0..12);
    (kernels, pairs, 0.2_f64..4.0, 1_u32..40, 1_u32..4, any::<u32>(), 0.0_f64..1.0, any::<bool>()).prop_map(
        |(kernels, pairs, load, launches, limit, seed, restore, claims)| {
            let mut study = study(RODINIA);
            study.kernels = kernels.into_iter().enumerate().map(|(number, of)| kernel(number, of)).collect();
            study.pairs.clear();
            for (first, second, first_normalised, second_normalised) in pairs {
                let count = study.kernels.len();
                let (first, second) =
                    (study.kernels[first % count].name.clone(), study.kernels[second % count].name.clone());
                study.put_pair(Pair { first, second, first_normalised, second_normalised });
            }
            study.stream.load = load;
            study.stream.launches = f64::from(launches);
            study.stream.seed = f64::from(seed);
            study.rule.limit = f64::from(limit);
            study.rule.restore = restore;
            study.rule.slice_cycles = 20_000.0;
            study.rule.displacement = if seed % 2 == 0 { Displacement::Saved } else { Displacement::Free };
            study.rule.period_cycles = if seed % 3 == 0 { 400_000.0 } else { 0.0 };
            study.rule.experience_weight = if seed % 5 == 0 { 0.5 } else { 0.0 };
            study.rule.gain = if claims { Gain::AgainstCost } else { Gain::Difference };
            study
        },
    )
}

/// Each preemption of the cost-aware policy gains by what it evaluates; over whole streams a policy that decides by now
/// may lose. With an exact table
/// and the cost charged it must not lose on average, nor much anywhere. Launches join free: what a preempted launch displaces when it
/// returns is no part of the published gain.
#[test]
fn weighed_preemption_does_not_fall_behind_the_best_pairs_without_it() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut ratios = Vec::new();
    for _ in 0..150 {
        let mut study = any_study(1.0).new_tree(&mut runner).expect("a study").current();
        study.rule.limit = 2.0;
        study.rule.restore = 0.0;
        study.rule.gain = Gain::Difference;
        study.rule.displacement = Displacement::Free;
        (study.rule.period_cycles, study.rule.experience_weight) = (0.0, 0.0);
        study.stream.launches = 60.0;
        study.stream.streams = 10.0;
        let outcome = evaluate(&study);
        let throughput = |policy| outcome.of(policy).means.throughput.mean;
        if outcome.of(Policy::Weighing).means.preemptions > 0.0 {
            ratios.push(throughput(Policy::Weighing) / throughput(Policy::Combining));
        }
    }
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!(ratios.len() > 30, "only {} studies preempted anything", ratios.len());
    assert!(mean >= 1.0, "mean {mean} of {}, {:?} … {:?}", ratios.len(), ratios.first(), ratios.last());
    assert!(ratios[0] > 0.95, "mean {mean} of {}, {:?} … {:?}", ratios.len(), ratios.first(), ratios.last());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Instructions are conserved: what was worked is what came, and what was thrown away.
    #[test]
    fn all_work_is_done_once_and_nothing_ends_before_it_can(study in any_study(1.5)) {
        let simulator = Simulator::new(&study);
        let launches = Launches::draw(&study, 7);
        let all: f64 = launches.cycles.iter().sum();
        for policy in Policy::ALL {
            let run = Watch::uncancellable(|watch| simulator.run(&launches, policy, &mut (), watch)).expect("it cannot be cancelled");
            prop_assert!((run.worked / (all + run.wasted_work) - 1.0).abs() < 1e-9, "{policy:?}: {} of {all} + {}", run.worked, run.wasted_work);
            for place in 0..launches.len() {
                let latency = run.done[place] - launches.arrivals[place];
                // Pairs make each other faster by 1.5 at most.
                let fastest = 1.5_f64.powf(study.rule.limit - 1.0);
                prop_assert!(latency * fastest >= launches.cycles[place] * (1.0 - 1e-9), "{policy:?}");
                prop_assert!(latency.is_finite());
            }
            if policy != Policy::Flushing {
                prop_assert_eq!(run.wasted_work, 0.0);
            }
        }
    }

    /// No place of the GPU is held twice at a time, and no launch is in two places.
    #[test]
    fn no_cycle_is_counted_twice(study in any_study(1.5), policy in proptest::sample::select(Policy::ALL.to_vec())) {
        let study = Preemption { rule: crossover_preemption::Rule { policy, ..study.rule.clone() }, ..study };
        let log = evaluate(&study).log;
        let limit = if matches!(policy, Policy::Exclusive | Policy::Slicing) { 1.0 } else { study.rule.limit };
        for (index, interval) in log.intervals.iter().enumerate() {
            prop_assert!(interval.from <= interval.to && f64::from(interval.slot) < limit);
            for other in &log.intervals[..index] {
                let overlap = interval.to.min(other.to) - interval.from.max(other.from);
                let is_apart = overlap <= 1e-6 * interval.to.max(1.0) * 1e-3;
                prop_assert!(is_apart || (interval.slot != other.slot && interval.launch != other.launch), "{interval:?} {other:?}");
            }
        }
        for (launch, done) in log.done.iter().enumerate() {
            let ends = log.intervals.iter().filter(|interval| interval.launch as usize == launch && interval.state == SlotState::Done).count();
            prop_assert_eq!(ends, 1);
            prop_assert!(done.is_finite());
        }
    }

    #[test]
    fn no_policy_passes_the_bound(study in any_study(1.5)) {
        let outcome = evaluate(&study);
        for of in &outcome.policies {
            let means = &of.means;
            let (does, most) = (means.throughput.mean, outcome.bound.throughput);
            prop_assert!(does <= most * (1.0 + 1e-9), "{:?}: {does} of {most}", of.policy);
            prop_assert!(means.latency.mean >= outcome.bound.latency * (1.0 - 1e-9), "{:?}", of.policy);
            prop_assert!(means.turnaround.mean >= outcome.bound.turnaround * (1.0 - 1e-9), "{:?}", of.policy);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_on_any_number_of_threads() {
    let study = study(RODINIA);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| evaluate(&study))
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
    let other =
        evaluate(&Preemption { stream: crossover_preemption::Stream { seed: 2.0, ..study.stream.clone() }, ..study });
    assert_ne!(one.policies, other.policies);
}

#[test]
fn along_the_load_throughput_follows_it_and_then_settles() {
    let study = study(RODINIA);
    let along =
        Watch::uncancellable(|watch| along_load(&study, &[0.2, 0.9, 3.0], watch)).expect("it cannot be cancelled");
    let place = |policy| Policy::ALL.iter().position(|of| *of == policy).expect("all are there");
    let throughput = |load: usize, policy| along[load].policies[place(policy)].throughput.mean;
    assert!((throughput(0, Policy::Exclusive) / 0.2 - 1.0).abs() < 0.2);
    assert!(throughput(2, Policy::Exclusive) <= 1.0 + 1e-9 && throughput(2, Policy::Exclusive) > 0.9);
    assert!(throughput(2, Policy::Combining) > 1.2);
    let own = evaluate(&study);
    let at =
        Watch::uncancellable(|watch| along_load(&study, &[study.stream.load], watch)).expect("it cannot be cancelled");
    for (of, means) in own.policies.iter().zip(&at[0].policies) {
        assert!((of.means.throughput.mean / means.throughput.mean - 1.0).abs() < 1e-9, "{:?}", of.policy);
    }
}

//! What each policy of a preemption study does with a tiny stream, worked by hand.

use crossover_measured::kernels::Class;
use crossover_preemption::{
    Displacement, Fallback, Gpu, Kernel, Launch, Launches, Order, Pair, Policy, Preemption, Recorded, Run, Simulator,
    Stream, evaluate,
};
use crossover_scenario::{self as scenario, Study};
use crossover_study::Watch;

/// A launch of so many cycles alone: blocks of 250 of the 1,000 bytes that the one multiprocessor has, so 4 at a time, in waves of
/// a tenth of it all.
fn kernel(name: &str, cycles: f64) -> Kernel {
    Kernel {
        name: name.to_owned(),
        instructions: cycles,
        ipc: 1.0,
        register_bytes: 250.0,
        shared_bytes: 0.0,
        threads: 1.0,
        blocks: 40.0,
        miss_rate: 0.0,
        class: Class::Memory,
        ..Kernel::default()
    }
}

fn study(kernels: Vec<Kernel>, pairs: &[(&str, &str, f64)], launches: &[(&str, f64)]) -> Preemption {
    let text = include_str!("../../../../scenarios/preemption-published.ron");
    let Study::Preemption(mut study) = scenario::read(text).expect("an example").study else { panic!("preemption") };
    study.gpu = Gpu {
        model: "one multiprocessor".to_owned(),
        clock_mhz: 1_000.0,
        multiprocessors: 1.0,
        register_bytes: 1_000.0,
        shared_bytes: 0.0,
        threads: 1_000.0,
        blocks: 16.0,
    };
    study.kernels = kernels;
    study.pairs = pairs
        .iter()
        .map(|(first, second, normalised)| Pair {
            first: (*first).to_owned(),
            second: (*second).to_owned(),
            first_normalised: *normalised,
            second_normalised: *normalised,
        })
        .collect();
    study.sources.clear();
    study.stream.listed = launches
        .iter()
        .map(|(kernel, at_cycle)| Launch { kernel: (*kernel).to_owned(), at_cycle: *at_cycle })
        .collect();
    study.rule.limit = 2.0;
    study.rule.decay = 0.5;
    study.rule.byte_cycles = 0.1;
    study.rule.miss_cycles = 0.0;
    study.rule.slice_cycles = 1_000.0;
    study
}

fn run(study: &Preemption, policy: Policy) -> Run {
    Study::Preemption(study.clone()).validate().expect("valid");
    let simulator = Simulator::new(study);
    let launches = Launches::draw(study, 0);
    Watch::uncancellable(|watch| simulator.run(&launches, policy, &mut (), watch)).expect("it cannot be cancelled")
}

fn assert_done(run: &Run, expected: &[f64]) {
    for (place, (done, expected)) in run.done.iter().zip(expected).enumerate() {
        assert!((done - expected).abs() < 1e-6, "launch {place}: {done} instead of {expected}");
    }
    assert_eq!(run.done.len(), expected.len());
}

/// A, 2,500 cycles, and B, 1,500 from cycle 100 on; two blocks each, 100 bytes a block, so 200 cycles for two and 100 for one.
///
/// A 0–1,000, saved until 1,200; B until 2,200, one block is left, saved until 2,300; A until 3,300, one block, saved until 3,400; B
/// until 3,900; A until 4,400. To load costs the same again: A 200 before its second slice, and 100 before each of the last two.
#[test]
fn slices_of_time() {
    let [a, b] = [("A", 2_500.0), ("B", 1_500.0)].map(|(name, cycles)| Kernel {
        register_bytes: 100.0,
        blocks: 2.0,
        ..kernel(name, cycles)
    });
    let mut study = study(vec![a, b], &[], &[("A", 0.0), ("B", 100.0)]);
    study.rule.byte_cycles = 1.0;
    let found = run(&study, Policy::Slicing);
    assert_done(&found, &[4_400.0, 3_900.0]);
    assert_eq!((found.preemptions, found.context_switch_cycles), (3, 400.0));
    study.rule.restore = 1.0;
    let found = run(&study, Policy::Slicing);
    assert_done(&found, &[4_800.0, 4_200.0]);
    assert_eq!((found.preemptions, found.context_switch_cycles), (3, 800.0));
}

/// A and B run at 0.5 beside each other; C comes at 50, for 100 cycles, and with B each has 0.9.
fn three() -> Preemption {
    let idempotent = Kernel { is_idempotent: true, ..kernel("A", 1_000.0) };
    let kernels = vec![idempotent, kernel("B", 1_000.0), kernel("C", 100.0)];
    study(kernels, &[("A", "B", 0.5), ("B", "C", 0.9), ("A", "C", 0.4)], &[("A", 0.0), ("B", 0.0), ("C", 50.0)])
}

/// A has done 25 of its wave of 100 and begins it anew later. C ends at 50 + 100 / 0.9; B has 875 left then, A all of its 1,000.
#[test]
fn flushing() {
    let found = run(&three(), Policy::Flushing);
    let c = 50.0 + 100.0 / 0.9;
    assert_done(&found, &[c + 875.0 / 0.5 + 125.0, c + 875.0 / 0.5, c]);
    assert_eq!((found.preemptions, found.wasted_work, found.context_switch_cycles), (1, 25.0, 0.0));
    // B is not idempotent: with A that is not either, nothing leaves, and C waits for B.
    let mut study = three();
    study.kernels[0].is_idempotent = false;
    assert_eq!(run(&study, Policy::Flushing).preemptions, 0);
}

/// A needs 150 cycles more for the 75 that are left of its wave; B has 900 left then, and 800 when C is done.
#[test]
fn draining() {
    let found = run(&three(), Policy::Draining);
    let c = 200.0 + 100.0 / 0.9;
    assert_done(&found, &[c + 800.0 / 0.5 + 100.0, c + 800.0 / 0.5, c]);
    assert_eq!((found.preemptions, found.wasted_work, found.context_switch_cycles), (1, 0.0, 0.0));
}

/// Four blocks of 250 bytes at 0.1 cycles each: 100 cycles, in which B has half of its 0.5. C runs from 150; B has 850 left when C
/// is done, A 975.
#[test]
fn switching_contexts() {
    let found = run(&three(), Policy::Switching);
    let c = 150.0 + 100.0 / 0.9;
    assert_done(&found, &[c + 850.0 / 0.5 + 125.0, c + 850.0 / 0.5, c]);
    assert_eq!((found.preemptions, found.context_switch_cycles), (1, 100.0));
}

#[test]
fn only_what_was_saved_is_loaded_again() {
    let dear =
        |study: Preemption| Preemption { rule: crossover_preemption::Rule { restore: 1.0, ..study.rule }, ..study };
    for policy in [Policy::Draining, Policy::Flushing, Policy::Combining, Policy::Sharing] {
        assert_eq!(run(&dear(three()), policy), run(&three(), policy), "{policy:?}");
    }
    // A comes back to B: its four blocks again.
    let found = run(&dear(three()), Policy::Switching);
    assert_eq!(found.context_switch_cycles, 200.0);
}

/// By dominant-resource fairness each gets two of the four blocks: B takes two from A, 500 bytes, 50 cycles, in which A has 0.5.
/// From 70 on both run at 0.5, less than the 0.9 of their pair: A has 55 left.
#[test]
fn sharing_multiprocessors() {
    let two = |register_bytes: f64| {
        let kernels = ["A", "B"].map(|name| Kernel { register_bytes, ..kernel(name, 100.0) });
        study(kernels.to_vec(), &[("A", "B", 0.9)], &[("A", 0.0), ("B", 20.0)])
    };
    let found = run(&two(250.0), Policy::Partial);
    assert_done(&found, &[70.0 + 55.0 / 0.5, 70.0 + 55.0 / 0.5 + 45.0]);
    assert_eq!(found.context_switch_cycles, 50.0);
    // Where one block leaves no room for another, the next one waits.
    assert_done(&run(&two(600.0), Policy::Partial), &[100.0, 200.0]);
}

/// B takes two of A's four blocks: 500 bytes, 50 cycles, in which A has 0.5. From 70 on both have 0.9, and A has 55 left. C waits for a
/// place from 25 on and takes the blocks of A when it ends, at no cost; B has 45 left then.
#[test]
fn a_launch_displaces_blocks_only_where_free_ones_do_not_suffice() {
    let three = |blocks: f64| {
        let kernels = ["A", "B", "C"].map(|name| Kernel { blocks, ..kernel(name, 100.0) });
        let pairs = [("A", "B", 0.9), ("B", "C", 0.9)];
        let mut study = study(kernels.to_vec(), &pairs, &[("A", 0.0), ("B", 20.0), ("C", 25.0)]);
        study.rule.displacement = Displacement::Saved;
        study
    };
    let a = 70.0 + 55.0 / 0.9;
    for policy in [Policy::Combining, Policy::Switching, Policy::Weighing] {
        let found = run(&three(40.0), policy);
        assert_done(&found, &[a, a + 50.0, a + 50.0 + 55.0]);
        assert_eq!((found.preemptions, found.context_switch_cycles), (0, 50.0), "{policy:?}");
    }
    // Launches of two blocks leave half of the multiprocessor free.
    let a = 20.0 + 80.0 / 0.9;
    let found = run(&three(2.0), Policy::Combining);
    assert_done(&found, &[a, a + 20.0 / 0.9, a + 20.0 / 0.9 + 80.0]);
    assert_eq!(found.context_switch_cycles, 0.0);
    // Blocks that start as others end cost nothing, whatever the launch takes.
    for policy in [Policy::Sharing, Policy::Draining, Policy::Flushing] {
        assert_eq!(run(&three(40.0), policy).context_switch_cycles, 0.0, "{policy:?}");
    }
}

/// One block of 600 of 1,000 bytes leaves no room for another: A and B divide multiprocessors, so B displaces half of A's block: 300 bytes,
/// 30 cycles, in which A has 0.5 and does 15.
#[test]
fn blocks_too_large_for_one_multiprocessor_divide_the_multiprocessors() {
    let kernels = ["A", "B"].map(|name| Kernel { register_bytes: 600.0, ..kernel(name, 100.0) });
    let mut study = study(kernels.to_vec(), &[("A", "B", 0.9)], &[("A", 0.0), ("B", 20.0)]);
    study.rule.displacement = Displacement::Saved;
    let found = run(&study, Policy::Combining);
    let a = 50.0 + 65.0 / 0.9;
    assert_done(&found, &[a, a + 35.0]);
    assert_eq!(found.context_switch_cycles, 30.0);
}

/// B, which arrives at 20, is noticed at 50: A has 50 left then, B does 50 beside it and 50 alone.
#[test]
fn launches_are_noticed_at_the_checks_of_the_scheduler() {
    let kernels = ["A", "B"].map(|name| kernel(name, 100.0));
    let mut study = study(kernels.to_vec(), &[("A", "B", 0.9)], &[("A", 0.0), ("B", 20.0)]);
    study.rule.period_cycles = 50.0;
    let a = 50.0 + 50.0 / 0.9;
    assert_done(&run(&study, Policy::Combining), &[a, a + 50.0]);
    // The driver, which runs launches in order of arrival, needs no check.
    let a = 20.0 + 80.0 / 0.9;
    assert_done(&run(&study, Policy::Sharing), &[a, a + 20.0]);
}

/// A has four blocks in one wave, 250 bytes at 1.03 cycles each: 1,030 cycles to save all of them, 772.5 when 750 of its 1,000 cycles are
/// left. B beside A has 0.5, decayed 0.25. At 50 and at 250 the gain is 0.8 · rest − 1.55 · 1,030 with a rest of 1,950 and 1,750: none. At
/// 500 it is 0.8 · 1,500 − 1.55 · 772.5 = 2.6. C runs from 1,272.5; B has done 250 before, 193.125 meanwhile, and 100 beside C.
#[test]
fn a_check_preempts_where_a_switch_has_become_cheap_enough() {
    let kernels = vec![Kernel { blocks: 4.0, ..kernel("A", 1_000.0) }, kernel("B", 2_000.0), kernel("C", 100.0)];
    let pairs = [("A", "B", 0.5), ("B", "C", 0.9), ("A", "C", 0.4)];
    let mut study = study(kernels, &pairs, &[("A", 0.0), ("B", 0.0), ("C", 50.0)]);
    study.rule.byte_cycles = 1.03;
    assert_eq!(run(&study, Policy::Weighing).preemptions, 0);
    study.rule.period_cycles = 250.0;
    let found = run(&study, Policy::Weighing);
    assert_eq!((found.preemptions, found.context_switch_cycles), (1, 772.5));
    let c = 1_272.5 + 100.0 / 0.9;
    let a = c + 750.0 / 0.5;
    assert_done(&found, &[a, a + 2_000.0 - 543.125 - 750.0, c]);
    // What is checked in vain is logged once.
    study.rule.policy = Policy::Weighing;
    let decisions = evaluate(&study).log.decisions;
    let times: Vec<f64> = decisions.iter().map(|decision| decision.at).collect();
    assert_eq!(times, [250.0, 500.0]);
}

/// X runs on; D ends at 20. By its class each of P and Q would have 0.7265 beside X; in truth P has 0.5 and Q 0.9.
#[test]
fn a_scheduler_learns_pairs_from_the_runs_before() {
    let kernels = [("X", 10_000.0), ("D", 10.0), ("P", 100.0), ("Q", 100.0)].map(|(name, cycles)| kernel(name, cycles));
    let pairs = [("X", "D", 0.5), ("X", "P", 0.5), ("X", "Q", 0.9)];
    let launches = [("X", 0.0), ("D", 0.0), ("P", 5.0), ("P", 5.0), ("Q", 5.0)];
    let mut study = study(kernels.to_vec(), &pairs, &launches);
    let second = |study: &Preemption| run(study, Policy::Combining).done[2..].to_vec();
    let near = |found: &[f64], expected: [f64; 3]| {
        assert!(found.iter().zip(expected).all(|(of, at)| (of - at).abs() < 1e-6), "{found:?} instead of {expected:?}");
    };
    // Known: Q first, then both P.
    let q = 20.0 + 100.0 / 0.9;
    near(&second(&study), [q + 200.0, q + 400.0, q]);
    // Learned: of equal ones the first P, then Q, as P is known to be worse.
    for weight in [1.0, 0.5, 0.01] {
        study.rule.experience_weight = weight;
        let q = 220.0 + 100.0 / 0.9;
        near(&second(&study), [220.0, q + 200.0, q]);
    }
    study.rule.experience_weight = 0.001;
    let refused = Study::Preemption(study).validate().expect_err("refused");
    assert_eq!(refused.path, "rule.experience_weight");
}

#[test]
fn two_launches_of_one_kernel_share_a_multiprocessor_or_wait() {
    let two = |register_bytes: f64| {
        let one = Kernel { register_bytes, ..kernel("A", 100.0) };
        study(vec![one], &[("A", "A", 0.9)], &[("A", 0.0), ("A", 0.0)])
    };
    assert_done(&run(&two(600.0), Policy::Partial), &[100.0, 200.0]);
    // Three blocks: one of the two gets two thirds, the other one third, nobody knows which; half of both each. The second comes
    // after 0.1 · 1.5 blocks of 300 bytes have left: 45 cycles at 0.5.
    let found = run(&two(300.0), Policy::Partial);
    let each = 45.0 + 77.5 / 0.5;
    assert_done(&found, &[each, each + 22.5]);
}

/// D is done at 20; A, which waits for memory, goes on with B, which does too and gains more, or with C, which computes.
#[test]
fn the_order_of_the_document_prefers_memory_with_compute() {
    let compute = Kernel { class: Class::Compute, ..kernel("C", 100.0) };
    let kernels = vec![kernel("A", 1_000.0), kernel("B", 100.0), compute, kernel("D", 10.0)];
    let launches = [("A", 0.0), ("D", 0.0), ("B", 5.0), ("C", 5.0)];
    let mut study = study(kernels, &[("A", "B", 0.9), ("A", "C", 0.6), ("A", "D", 0.5)], &launches);
    let done = run(&study, Policy::Combining).done;
    assert!((done[2] - (20.0 + 100.0 / 0.9)).abs() < 1e-6, "{done:?}");
    study.rule.order = Order::Classes;
    let done = run(&study, Policy::Combining).done;
    assert!((done[3] - (20.0 + 100.0 / 0.6)).abs() < 1e-6, "{done:?}");
}

/// Of two equal ones that might leave, the one whose switch gains more does: X has one block left of four, Y all of them.
#[test]
fn of_equal_combinations_the_one_that_gains_most_is_weighed() {
    let late = Kernel { blocks: 1.0, ..kernel("X", 10_000.0) };
    let kernels = vec![late, kernel("Y", 10_000.0), kernel("Z", 5_000.0)];
    let pairs = [("X", "Y", 0.5), ("X", "Z", 0.8), ("Y", "Z", 0.8)];
    for launches in [[("X", 0.0), ("Y", 0.0), ("Z", 50.0)], [("Y", 0.0), ("X", 0.0), ("Z", 50.0)]] {
        let mut study = study(kernels.clone(), &pairs, &launches);
        study.rule.policy = Policy::Weighing;
        let decision = evaluate(&study).log.decisions[0].clone();
        assert_eq!(study.kernels[decision.running.1 as usize].name, "X");
        assert_eq!((decision.case.preempt_cycles, decision.is_preempted), (25.0, true));
    }
}

/// Three requests at 0, 1 and 3 s: stretched so that they come 100 cycles apart on average, the third 1.5 s before the first again.
#[test]
fn recorded_requests_come_as_far_apart_as_they_did_and_as_large() {
    let mut study = study(vec![kernel("A", 100.0)], &[], &[]);
    study.stream = Stream {
        load: 1.0,
        launches: 7.0,
        recorded: Some(Recorded { seconds: vec![0.0, 1.0, 3.0].into(), sizes: vec![1.0, 2.0, 3.0].into() }),
        ..study.stream
    };
    Study::Preemption(study.clone()).validate().expect("valid");
    let gaps = [200.0 / 3.0, 400.0 / 3.0, 100.0];
    for stream in 0..20 {
        let launches = Launches::draw(&study, stream);
        let first = [50.0, 100.0, 150.0].iter().position(|cycles| *cycles == launches.cycles[0]).expect("one of them");
        for place in 0..7 {
            assert_eq!(launches.cycles[place], 50.0 * ((first + place) % 3 + 1) as f64);
            if place > 0 {
                let gap = launches.arrivals[place] - launches.arrivals[place - 1];
                assert!((gap - gaps[(first + place - 1) % 3]).abs() < 1e-9, "{gap}");
            }
        }
    }
}

#[test]
fn a_queue_that_never_drains_is_told_of_and_a_short_one_is_not() {
    let text = include_str!("../../../../scenarios/preemption-rodinia.ron");
    let Study::Preemption(mut study) = scenario::read(text).expect("an example").study else { panic!("preemption") };
    let unstable = |study: &Preemption| -> Option<String> {
        evaluate(study).warnings.into_iter().find(|warning| warning.contains("policies are unstable"))
    };
    study.stream.load = 3.0;
    assert!(
        unstable(&study)
            .is_some_and(|warning| warning.contains("exclusive execution") && warning.contains("cost-aware preemption"))
    );
    study.stream.load = 0.5;
    assert_eq!(unstable(&study), None);
    // Five launches do not tell.
    (study.stream.load, study.stream.launches) = (1.2, 5.0);
    assert_eq!(unstable(&study), None);
}

#[test]
fn twenty_thousand_at_one_instant_are_all_done() {
    let mut seconds = vec![0.0; 19_999];
    seconds.push(1.0);
    let kernels = vec![kernel("A", 100.0), Kernel { class: Class::Compute, ..kernel("B", 50.0) }];
    let mut study = study(kernels, &[], &[]);
    study.fallback = Fallback::default();
    study.stream.launches = 20_000.0;
    study.stream.recorded = Some(Recorded { seconds: seconds.into(), ..Recorded::default() });
    for policy in Policy::ALL {
        let done = run(&study, policy).done;
        assert!(done.iter().all(|done| done.is_finite()), "{policy:?}");
    }
}

#[test]
fn what_would_take_hours_or_less_than_a_cycle_is_refused() {
    let refused = |study: &Preemption| Study::Preemption(study.clone()).validate().expect_err("refused").problem;
    let many: Vec<Kernel> = (0..256).map(|number| kernel(&format!("k{number}"), 100.0)).collect();
    let mut wide = study(many, &[], &[]);
    (wide.rule.limit, wide.stream.launches, wide.stream.streams) = (8.0, 1e5, 100.0);
    assert!(refused(&wide).contains("steps to simulate"));
    let short = study(vec![Kernel { instructions: 1.0, ipc: 10.0, ..kernel("A", 1.0) }], &[], &[("A", 0.0)]);
    let text = refused(&short);
    assert!(text.contains("less than a cycle"), "{text}");
    // A list counts what it launches, whatever the shares are.
    let mut listed = study(vec![Kernel { weight: 0.0, ..kernel("A", 1e13) }], &[], &[("A", 0.0)]);
    assert!(refused(&listed).contains("steps to simulate"));
    listed.kernels[0].instructions = 1e6;
    Study::Preemption(listed).validate().expect("valid");
}

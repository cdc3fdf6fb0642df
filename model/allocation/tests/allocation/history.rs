//! Recorded tasks under every policy, beside what happened: examples by hand.

use crossover_allocation::recorded::Recorded;
use crossover_allocation::{History, HistoryFigures, HistoryOptions, NodeSpec, Policy, Request, Task, Trace, WHOLE};
use crossover_study::Watch;

/// A task of so many GPUs: arrival, recorded wait, run time.
fn task(name: &str, gpus: usize, [arrives, waited, seconds]: [f64; 3]) -> Task {
    Task {
        name: name.to_owned(),
        request: gpus,
        pieces: 1,
        is_sensitive: false,
        arrives,
        seconds: Some(seconds),
        waited: Some(waited),
    }
}

/// A node with two GPUs and four cores; requests for none, one and two of the GPUs, and for three, with a core.
fn recorded(tasks: Vec<Task>) -> Recorded {
    let node = NodeSpec { name: "n".to_owned(), cpu_milli: 4_000, memory_mib: 0, devices: vec![0; 2] };
    Recorded::new(&Trace {
        types: vec!["GPU".to_owned()],
        nodes: vec![node],
        requests: (0..=3).map(|gpus| Request::of_any(1_000, 0, gpus, WHOLE, 1)).collect(),
        tasks,
        ..Trace::default()
    })
}

fn history(tasks: Vec<Task>, preempts: bool) -> History {
    let options = HistoryOptions { policies: Policy::ALL.to_vec(), seed: 1, preempts };
    Watch::uncancellable(|watch| History::of(&recorded(tasks), &options, watch)).expect("it cannot be cancelled")
}

/// a has both GPUs until 100 s; then b and c start. The cluster of the record left c waiting until 150 s.
fn three_tasks() -> Vec<Task> {
    vec![task("a", 2, [0.0, 0.0, 100.0]), task("b", 1, [10.0, 90.0, 50.0]), task("c", 1, [20.0, 130.0, 30.0])]
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, expected {expected}");
}

#[test]
fn every_policy_stands_beside_what_happened() {
    let history = history(three_tasks(), false);
    assert_eq!((history.tasks, history.sensitive, history.rejected, history.policies.len()), (3, 0, 0, 8));
    // From 0 s to the end of c: 20 + 130 + 30.
    close(history.seconds, 180.0);
    // 0, 90 and 130 s; p95 lies nine tenths of the way from the second to the third.
    close(history.recorded.median_wait, 90.0);
    close(history.recorded.p95_wait, 126.0);
    close(history.recorded.mean_wait, 220.0 / 3.0);
    close(history.recorded.last_end, 180.0);
    // 2 · 100 + 50 + 30 of 2 · 180 GPU seconds.
    close(history.recorded.used_gpu_hours, 280.0 / 3_600.0);
    close(history.recorded.idle_gpu_hours, 80.0 / 3_600.0);
    for (policy, figures) in &history.policies {
        // 0, 90 and 80 s.
        close(figures.median_wait, 80.0);
        close(figures.last_end, 150.0);
        close(figures.used_gpu_hours, 280.0 / 3_600.0);
        assert_eq!((figures.slo_violation_share, figures.preempted), (None, 0.0), "{policy:?}");
    }
}

#[test]
fn errors_of_waits_stand_beside_those_of_a_constant() {
    let errors = history(three_tasks(), false).errors;
    // Replayed waits are off by 0, 0 and 50 s; a constant of 90 s by 90, 0 and 40 s.
    close(errors.median, 0.0);
    close(errors.mean, 50.0 / 3.0);
    close(errors.median_of_constant, 40.0);
    close(errors.mean_of_constant, 130.0 / 3.0);
}

#[test]
fn what_runs_beyond_the_recorded_time_is_not_used_in_it() {
    // The record ran both at once, which one node with two GPUs cannot: 2 + 2 GPUs for 100 s.
    let history = history(vec![task("a", 2, [0.0, 0.0, 100.0]), task("b", 2, [0.0, 0.0, 100.0])], false);
    close(history.seconds, 100.0);
    close(history.recorded.idle_gpu_hours, -200.0 / 3_600.0);
    for (_, figures) in &history.policies {
        close(figures.used_gpu_hours, 200.0 / 3_600.0);
        close(figures.idle_gpu_hours, 0.0);
        close(figures.last_end, 200.0);
    }
}

#[test]
fn latency_sensitive_tasks_have_an_slo_and_preempt_only_if_they_may() {
    let mut tasks = three_tasks();
    tasks[1].is_sensitive = true;
    let slo = |figures: HistoryFigures| figures.slo_violation_share;
    let without = history(tasks.clone(), false);
    // b ends 140 s after its arrival; twice its run time are 100 s.
    assert_eq!((without.sensitive, slo(without.recorded), slo(without.single_queue)), (1, Some(1.0), Some(1.0)));
    let with = history(tasks, true);
    assert_eq!(
        (with.single_queue, with.errors),
        (without.single_queue, without.errors),
        "Slurm's queue does not preempt"
    );
    for (policy, figures) in with.policies {
        let expected = if policy == Policy::Declared { (Some(1.0), 0.0) } else { (Some(0.0), 1.0) };
        assert_eq!((slo(figures), figures.preempted), expected, "{policy:?}");
    }
}

#[test]
fn tasks_without_gpus_occupy_cores_and_others_are_counted() {
    // Four cores: d has to wait for one of the tasks without GPUs, which are no part of the waits.
    let mut tasks: Vec<Task> = ["1", "2", "3", "4"].map(|name| task(name, 0, [0.0, 0.0, 60.0])).to_vec();
    tasks.push(task("d", 1, [10.0, 5.0, 30.0]));
    tasks.push(task("too large", 3, [10.0, 5.0, 30.0]));
    tasks.push(Task { waited: None, ..task("unknown wait", 1, [10.0, 5.0, 30.0]) });
    tasks.push(Task { seconds: None, ..task("unknown time", 1, [10.0, 5.0, 30.0]) });
    let history = history(tasks, false);
    assert_eq!((history.tasks, history.without_gpus, history.rejected, history.unknown), (1, 4, 1, 2));
    close(history.recorded.median_wait, 5.0);
    for (_, figures) in &history.policies {
        close(figures.median_wait, 50.0);
    }
}

//! What a log says of a query in total, and what its operators have of it.

use crossover_plan::spark::raw::{RawNode, RawStage};
use crossover_query::{Amount, Balance, BalanceOf, CpuOnly, Kind, Plan, Rule};
use proptest::prelude::*;

use super::build::{With, node, plan, query, stage};

fn of(plan: &Plan, quantity: BalanceOf) -> &Balance {
    plan.balances.iter().find(|balance| balance.quantity == quantity).expect("a balance")
}

/// CPU time of all nodes, also of the one for what belongs to no operator.
fn sum(plan: &Plan) -> f64 {
    plan.nodes.iter().filter_map(|node| node.cpu_seconds).map(|seconds| seconds.value).sum()
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{value}, expected {expected}");
}

#[test]
fn a_command_without_a_plan_has_the_time_of_its_stages() {
    // Two stages of 90 and 30 s below a command that shows no children.
    let nodes = vec![node(0, "Execute SaveIntoDataSourceCommand")];
    let plan = plan(&query(nodes, &[3, 4]), &[stage(3, 90.0), stage(4, 30.0)]);
    let balance = of(&plan, BalanceOf::CpuSeconds);
    close(balance.total, 120.0);
    close(balance.accounted, 0.0);
    let clause = balance.clause().expect("all of it");
    assert!(clause.starts_with("100 %") && clause.contains("SaveIntoDataSourceCommand in stages 3 and 4"), "{clause}");
    assert_eq!(plan.why_not_judged(), Some(clause));
    let rest = plan.nodes.last().expect("a node");
    assert_eq!((rest.kind, rest.cpu_only), (Kind::Other, Some(CpuOnly::WithoutOperator)));
    close(sum(&plan), 120.0);
}

#[test]
fn a_stage_without_an_operator_belongs_to_none_and_a_small_one_is_judged() {
    let nodes = || {
        vec![node(0, "HashAggregate").stages(&[1]).rows(1, 10.0), node(1, "Scan parquet ").stages(&[1]).rows(2, 100.0)]
    };
    let listing = plan(&query(nodes(), &[1, 2]), &[stage(1, 10.0), stage(2, 90.0)]);
    close(of(&listing, BalanceOf::CpuSeconds).share(), 0.9);
    assert!(listing.why_not_judged().is_some_and(|why| why.ends_with("no operator of the logged plan ran in stage 2")));
    close(sum(&listing), 100.0);
    let small = plan(&query(nodes(), &[1, 2]), &[stage(1, 97.0), stage(2, 3.0)]);
    assert_eq!(small.why_not_judged(), None);
    assert!(of(&small, BalanceOf::CpuSeconds).clause().is_some_and(|clause| clause.starts_with("3 % of its CPU time")));
    let whole = plan(&query(nodes(), &[1]), &[stage(1, 97.0)]);
    assert_eq!((whole.nodes.len(), of(&whole, BalanceOf::CpuSeconds).clause()), (2, None));
}

#[test]
fn data_that_no_scan_read_is_a_part_of_the_data_read() {
    let nodes =
        || vec![node(0, "Project").stages(&[1]).rows(1, 10.0), node(1, "Scan parquet ").stages(&[1]).rows(2, 9.0)];
    let read = |id: u64, bytes_read: f64| RawStage { bytes_read, ..stage(id, 10.0) };
    let beside = plan(&query(nodes(), &[1, 2]), &[read(1, 3e9), read(2, 1e9)]);
    let balance = of(&beside, BalanceOf::BytesRead);
    close(balance.total, 4e9);
    close(balance.accounted, 3e9);
    // 1 of 4 GB.
    let clause =
        "25 % of its data read (1 GB of 4 GB) belongs to no operator: no scan of the logged plan ran in stage 2";
    assert_eq!(balance.clause().as_deref(), Some(clause));
    let whole = plan(&query(nodes(), &[1]), &[read(1, 3e9)]);
    assert!(!whole.balances.iter().any(|balance| balance.quantity == BalanceOf::BytesRead), "{:?}", whole.balances);
    // What tasks read that do not count is data read, of no scan: 1 of 4 GB.
    let retried = plan(&query(nodes(), &[1]), &[RawStage { lost_tasks: 1, lost_bytes_read: 1e9, ..read(1, 3e9) }]);
    let balance = of(&retried, BalanceOf::BytesRead);
    close(balance.total, 4e9);
    close(balance.accounted, 3e9);
    let clause = balance.clause().expect("a quarter");
    assert!(
        clause.ends_with("(1 GB of 4 GB) belongs to no operator: tasks failed, were killed, or repeated others"),
        "{clause}"
    );
    assert_eq!(retried.nodes[1].bytes_in.map(|bytes| bytes.value), Some(3e9));
}

#[test]
fn tasks_that_do_not_count_are_a_part_of_the_total() {
    let nodes = vec![node(0, "Project").stages(&[1]).rows(1, 10.0)];
    let retried = RawStage { lost_tasks: 2, lost_cpu_seconds: 1.0, tasks: 8, attempts: 2, ..stage(1, 9.0) };
    let plan = plan(&query(nodes, &[1]), &[retried]);
    let cpu = of(&plan, BalanceOf::CpuSeconds);
    close(cpu.total, 10.0);
    close(cpu.missing(), 1.0);
    let tasks = of(&plan, BalanceOf::Tasks);
    assert_eq!((tasks.total, tasks.accounted), (10.0, 8.0));
    assert_eq!(plan.why_not_judged(), None);
    close(sum(&plan), 10.0);
}

#[test]
fn python_workers_have_the_time_that_spark_measured_of_them() {
    // Tasks ran 60 s, of which the JVM used 2 s; Python ran 55 s.
    let nodes = |metrics: bool| {
        let udf = node(0, "ArrowEvalPython").stages(&[1]).rows(1, 100.0);
        let udf = if metrics { udf.metric("time to run Python workers", "timing", 3, 55_000.0) } else { udf };
        vec![udf, node(1, "Scan parquet ").stages(&[1]).rows(2, 100.0)]
    };
    let tasks = RawStage { run_seconds: 60.0, ..stage(1, 2.0) };
    let measured = plan(&query(nodes(true), &[1]), std::slice::from_ref(&tasks));
    close(sum(&measured), 2.0 + 55.0);
    close(of(&measured, BalanceOf::CpuSeconds).total, 57.0);
    assert_eq!(measured.nodes[0].cpu_only, Some(CpuOnly::Python));
    let own = measured.nodes[0].cpu_seconds.expect("an own time");
    assert_eq!(own.origin, Amount::estimated(0.0, Rule::WorkerProcesses).origin);
    // Before Spark 4 it is the time in which the tasks used no CPU: 60 − 2 s.
    close(sum(&plan(&query(nodes(false), &[1]), &[tasks])), 2.0 + 58.0);
}

#[test]
fn python_workers_have_no_more_than_their_tasks() {
    let udf = node(0, "MapInPandas").stages(&[1]).metric("time to run Python workers", "timing", 3, 90_000.0);
    let tasks = RawStage { run_seconds: 60.0, ..stage(1, 2.0) };
    close(sum(&plan(&query(vec![udf], &[1]), &[tasks])), 2.0 + 60.0);
}

/// `SELECT TRANSFORM … USING` and functions in R run in processes of their own, which the CPU time of a task does not count.
#[test]
fn scripts_and_r_workers_have_the_time_in_which_their_tasks_used_no_cpu() {
    // `MapPartitionsRWrapper.toString` is that of `scala.Function1`.
    let dapply = "MapPartitions <function1>, obj#2: org.apache.spark.sql.Row";
    for (name, text, reason) in [
        ("ScriptTransformation", "", Some(CpuOnly::Script)),
        ("SparkScriptTransformation", "", Some(CpuOnly::Script)),
        ("HiveScriptTransformation", "", Some(CpuOnly::Script)),
        ("FlatMapGroupsInR", "", None),
        ("MapPartitionsInRWithArrow", "", None),
        ("MapPartitions", dapply, None),
    ] {
        let nodes = vec![
            node(0, name).text(text).stages(&[1]).rows(1, 100.0),
            node(1, "Scan parquet ").stages(&[1]).rows(2, 100.0),
        ];
        // 60 s of tasks, of which 2 s on CPUs, 3 s collecting garbage and 5 s waiting for shuffled data.
        let tasks = RawStage { run_seconds: 60.0, gc_seconds: 3.0, fetch_wait_seconds: 5.0, ..stage(1, 2.0) };
        let plan = plan(&query(nodes, &[1]), &[tasks]);
        close(sum(&plan), 2.0 + 50.0);
        close(of(&plan, BalanceOf::CpuSeconds).total, 52.0);
        assert_eq!(plan.nodes[0].cpu_only, reason, "{name}");
    }
    // What runs in the JVM waits as long, but nothing works for it.
    for function in [
        "org.apache.spark.sql.Dataset$$Lambda$1234/0x01@1f, obj#2: org.apache.spark.sql.Row",
        "<function1>, obj#2: int",
    ] {
        let inside = node(0, "MapPartitions").text(&format!("MapPartitions {function}")).stages(&[1]).rows(1, 100.0);
        let tasks = RawStage { run_seconds: 60.0, ..stage(1, 2.0) };
        close(sum(&plan(&query(vec![inside], &[1]), &[tasks])), 2.0);
    }
}

/// `PythonScan.description` is “(Python)”: Python reads the data in its own process, 60 − 2 s here.
#[test]
fn data_sources_in_python_have_the_time_of_their_workers() {
    let tasks = || RawStage { run_seconds: 60.0, ..stage(1, 2.0) };
    let scan = |text: &str| query(vec![node(0, "BatchScan files").text(text).stages(&[1]).rows(1, 100.0)], &[1]);
    let of_python = plan(&scan("BatchScan files[id#1, v#2] (Python) RuntimeFilters: []"), &[tasks()]);
    assert_eq!(of_python.nodes[0].cpu_only, Some(CpuOnly::Python));
    close(sum(&of_python), 60.0);
    let of_jvm = plan(&scan("BatchScan files[id#1, v#2] ParquetScan DataFilters: [] RuntimeFilters: []"), &[tasks()]);
    assert_eq!(of_jvm.nodes[0].cpu_only, None);
    close(sum(&of_jvm), 2.0);
}

/// Half a second of 10 s is that of the operator; the rest of its stage is waiting, and in stage 2 no operator ran.
#[test]
fn a_query_on_gpus_has_a_balance_of_task_time_and_none_of_cpu_time() {
    let nodes = vec![node(0, "GpuProject").stages(&[1]).metric("op time", "nsTiming", 2, 5e8)];
    let plan = plan(&query(nodes, &[1, 2]), &[stage(1, 10.0), stage(2, 5.0)]);
    assert_eq!(plan.nodes.len(), 1);
    assert!(!plan.balances.iter().any(|balance| balance.quantity == BalanceOf::CpuSeconds));
    let time = of(&plan, BalanceOf::TaskSeconds);
    close(time.total, 15.0);
    close(time.accounted, 0.5);
    let missing: Vec<f64> = time.unaccounted.iter().map(|part| part.amount).collect();
    assert_eq!(missing, [9.5, 5.0]);
    assert_eq!(time.unaccounted[1].reason, "no operator of the logged plan ran in stage 2");
    assert_eq!(plan.why_not_judged().as_deref(), Some("the query ran on GPUs already"));
}

/// Tasks of 5 s failed beside those of 10 s that count. A run on GPUs out of memory has many of them.
#[test]
fn the_time_of_lost_tasks_is_a_part_of_the_task_time_on_gpus() {
    let nodes = vec![node(0, "GpuProject").stages(&[1]).metric("op time", "nsTiming", 2, 4e9)];
    let retried = RawStage { lost_tasks: 3, lost_run_seconds: 5.0, ..stage(1, 10.0) };
    let plan = plan(&query(nodes, &[1]), &[retried]);
    let time = of(&plan, BalanceOf::TaskSeconds);
    close(time.total, 15.0);
    close(time.accounted, 4.0);
    let missing: Vec<f64> = time.unaccounted.iter().map(|part| part.amount).collect();
    assert_eq!(missing, [6.0, 5.0]);
    assert_eq!(time.unaccounted[1].reason, "tasks failed, were killed, or repeated others");
}

/// A chain of operators in some stages, some of which have none.
fn chain(stages: &[u8], count: u64) -> Vec<RawNode> {
    const NAMES: [&str; 6] = ["Filter", "Project", "ArrowEvalPython", "HashAggregate", "Sort", "ScriptTransformation"];
    let nodes = stages.iter().enumerate().map(|(depth, stage)| {
        let name = if depth + 1 == stages.len() { "Scan parquet " } else { NAMES[usize::from(*stage) % NAMES.len()] };
        let accumulator = i64::try_from(depth).expect("a small number");
        node(depth, name).stages(&[u64::from(*stage) % count]).rows(accumulator, 100.0)
    });
    nodes.collect()
}

proptest! {
    /// Whatever operators report, the task time of a run on GPUs comes out in sum, and no stage has more than it took.
    #[test]
    fn task_time_on_gpus_comes_out_in_sum(
        operators in prop::collection::vec((0_u64..6, 0.0_f64..50.0), 1..10),
        times in prop::collection::vec(0.001_f64..100.0, 1..8),
    ) {
        let ids: Vec<u64> = (0..times.len() as u64).collect();
        let raw: Vec<RawStage> = ids.iter().zip(&times).map(|(id, seconds)| stage(*id, *seconds)).collect();
        let nodes = operators.iter().enumerate().map(|(depth, (of, seconds))| {
            let accumulator = i64::try_from(depth).expect("a small number");
            let node = node(depth, "GpuProject").stages(&[of % ids.len() as u64]);
            node.metric("op time", "nsTiming", accumulator, seconds * 1e9)
        });
        let plan = plan(&query(nodes.collect(), &ids), &raw);
        let balance = of(&plan, BalanceOf::TaskSeconds);
        let total: f64 = times.iter().sum();
        prop_assert!((balance.total - total).abs() <= 1e-9 * total, "{balance:?}");
        prop_assert!((balance.accounted + balance.missing() - total).abs() <= 1e-6 * total, "{balance:?}");
        let reported: f64 = operators.iter().map(|(_, seconds)| seconds).sum();
        prop_assert!(balance.accounted <= reported.min(total) * (1.0 + 1e-9) + 1e-9, "{balance:?}");
    }

    #[test]
    fn what_goes_in_comes_out_in_sum(
        stages in prop::collection::vec(any::<u8>(), 1..10),
        times in prop::collection::vec((0.001_f64..1000.0, 0.0_f64..100.0, 0.0_f64..10.0), 1..8),
    ) {
        let ids: Vec<u64> = (0..times.len() as u64).collect();
        let raw: Vec<RawStage> = ids
            .iter()
            .zip(&times)
            .map(|(id, (cpu, wait, lost))| RawStage {
                run_seconds: cpu + wait,
                lost_cpu_seconds: *lost,
                ..stage(*id, *cpu)
            })
            .collect();
        let plan = plan(&query(chain(&stages, ids.len() as u64), &ids), &raw);
        let balance = of(&plan, BalanceOf::CpuSeconds);
        let apart = balance.accounted + balance.missing();
        prop_assert!((apart - balance.total).abs() <= 1e-6 * balance.total.max(1.0), "{balance:?}");
        prop_assert!((sum(&plan) - balance.total).abs() <= 1e-6 * balance.total.max(1.0), "{} of {balance:?}", sum(&plan));
        // No less than the log has of CPU time, and no more than with all waiting for worker processes.
        let cpu: f64 = times.iter().map(|(cpu, _, lost)| cpu + lost).sum();
        let wait: f64 = times.iter().map(|(_, wait, _)| wait).sum();
        prop_assert!(balance.total >= cpu * (1.0 - 1e-9) && balance.total <= (cpu + wait) * (1.0 + 1e-9) + 1e-9);
    }
}

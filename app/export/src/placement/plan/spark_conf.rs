//! A decided plan as configuration of the RAPIDS Accelerator for Apache Spark.
//!
//! Its switches work per class of operators, so the best decision that treats a class alike is written; where the
//! plan places a class on both sides, a comment states it. The costs are for the accelerator's cost-based optimizer,
//! whose keys are internal and experimental. It multiplies them by the output rows of an operator
//! (`CostBasedOptimizer.scala`, `RowCountPlanVisitor`), hence:
//!
//! ```text
//! seconds per row of a class on a side = Σ seconds of its operators on that side / Σ their output rows
//! ```
//!
//! Seconds are those of the whole cluster, from the start of an operator to its end. The bus that brings a result of
//! the whole query back is left out: the optimizer adds it itself, as it does wherever data moves between CPU and GPU, by
//!
//! ```text
//! seconds per moved row = Σ seconds to move the data of all edges / Σ rows of these edges
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crossover_placement::whole::{ByClass, ClassChoice, Decided, Whole};
use crossover_placement::{Placement, Query, Side, Term};
use crossover_quantity::text::one_line;
use crossover_quantity::unit::Unit;

use super::{by_class, setting};

/// Classes that a switch turns on or off, and what it is by default: advanced configuration of the RAPIDS
/// Accelerator, section "Execution".
const SWITCHES: [(&str, bool); 43] = [
    ("AQEShuffleReadExec", true),
    ("AggregateInPandasExec", true),
    ("AppendDataExecV1", true),
    ("ArrowEvalPythonExec", true),
    ("AtomicCreateTableAsSelectExec", true),
    ("AtomicReplaceTableAsSelectExec", true),
    ("BatchScanExec", true),
    ("BroadcastExchangeExec", true),
    ("BroadcastHashJoinExec", true),
    ("BroadcastNestedLoopJoinExec", true),
    ("CartesianProductExec", true),
    ("CoalesceExec", true),
    ("CollectLimitExec", false),
    ("DataWritingCommandExec", true),
    ("ExecutedCommandExec", true),
    ("ExpandExec", true),
    ("FileSourceScanExec", true),
    ("FilterExec", true),
    ("FlatMapCoGroupsInPandasExec", false),
    ("FlatMapGroupsInPandasExec", true),
    ("GenerateExec", true),
    ("GlobalLimitExec", true),
    ("HashAggregateExec", true),
    ("HiveTableScanExec", true),
    ("InMemoryTableScanExec", true),
    ("LocalLimitExec", true),
    ("MapInPandasExec", true),
    ("ObjectHashAggregateExec", true),
    ("OverwriteByExpressionExecV1", true),
    ("ProjectExec", true),
    ("PythonMapInArrowExec", true),
    ("RangeExec", true),
    ("SampleExec", true),
    ("ShuffleExchangeExec", true),
    ("ShuffledHashJoinExec", true),
    ("SortAggregateExec", true),
    ("SortExec", true),
    ("SortMergeJoinExec", true),
    ("SubqueryBroadcastExec", true),
    ("TakeOrderedAndProjectExec", true),
    ("UnionExec", true),
    ("WindowExec", true),
    ("WindowInPandasExec", false),
];

/// Bytes of what the optimizer calls a gigabyte, in gigabytes.
const GIBIBYTE_GB: f64 = 1.073_741_824;

/// Nodes of a class and side that are named.
const NODES_NAMED: usize = 8;

/// Whether any operator of a plan has a class that can be switched.
pub(super) fn has_switches(query: &Query) -> bool {
    query.plan.nodes.iter().filter_map(|node| node.class.as_deref()).any(|class| default_of(class).is_some())
}

/// What the switch of a class is by default, if it has one.
pub(super) fn default_of(class: &str) -> Option<bool> {
    SWITCHES.iter().find(|(known, _)| *known == class).map(|(_, default)| *default)
}

/// The file.
pub(super) fn spark_conf(scenario: &str, study: &Placement, query: &Query, whole: &Whole) -> String {
    let classes = by_class(query, whole);
    let mut text = header(scenario, study, query, whole, &classes);
    text += &switches(query, whole, &classes);
    text += &costs(study, query, whole);
    text
}

fn header(scenario: &str, study: &Placement, query: &Query, whole: &Whole, classes: &ByClass) -> String {
    let plan = &query.plan;
    let seconds = |seconds: f64| Unit::Seconds.format(seconds);
    let mut text =
        String::from("# Configuration for the RAPIDS Accelerator for Apache Spark, written by Crossover\n#\n");
    let mut line = |label: &str, value: &str| _ = writeln!(text, "# {label:<20}{}", one_line(value));
    line("Scenario", scenario);
    let of_query = if plan.query.is_empty() && plan.file.is_empty() {
        format!("combined workload, {}", plan.engine)
    } else {
        format!("query {} of {}, {}", plan.query, plan.file, plan.engine)
    };
    line("Plan", &of_query);
    line("Cluster", &setting(study, whole.variant));
    line("All on CPU", &seconds(whole.baselines.all_cpu));
    let rules = if whole.ties.is_empty() { "" } else { " that the plugin allows" };
    line("Per operator", &format!("{}, every operator on a side of its own{rules}", seconds(whole.seconds)));
    line("Per operator class", &format!("{}, the best that the switches below allow", seconds(classes.seconds)));
    text += "#\n# The times are estimates of a model. To see what the accelerator would run on GPUs, start Spark with\n\
             # spark.rapids.sql.mode=explainOnly: Spark runs on CPUs and logs what would run on GPUs. No GPU is needed.\n";
    text
}

fn switches(query: &Query, whole: &Whole, classes: &ByClass) -> String {
    let mut text = String::from("\n# One switch for each class of operators of the plan.\n");
    for (class, choice) in &classes.sides {
        if choice.is_mixed() {
            text += &torn(query, whole, class, choice);
        }
        if choice.side == Side::Gpu && default_of(class) == Some(false) {
            _ = writeln!(text, "# {class} is off by default.");
        }
        _ = writeln!(text, "spark.rapids.sql.exec.{class}={}", choice.side == Side::Gpu);
    }
    let without: BTreeSet<&str> = whole
        .operators
        .iter()
        .map(|decided| &query.plan.nodes[decided.node])
        .filter(|node| node.class.as_deref().is_none_or(|class| default_of(class).is_none()))
        .map(|node| node.class.as_deref().unwrap_or(&node.name))
        .collect();
    if !without.is_empty() {
        let names = without.into_iter().map(one_line).collect::<Vec<_>>().join(", ");
        _ = writeln!(text, "# No switch, counted on CPU above: {names}");
    }
    text
}

/// The sides of a class that a plan places on both, and the cost of one side for all.
fn torn(query: &Query, whole: &Whole, class: &str, choice: &ClassChoice) -> String {
    let is_of = |decided: &Decided| query.plan.nodes[decided.node].class.as_deref() == Some(class);
    let sides: Vec<Side> =
        whole.operators.iter().map(|decided| if is_of(decided) { choice.side } else { decided.side }).collect();
    let more = whole.seconds(&sides) - whole.seconds;
    let (change, by, hint) = if more < 0.0 {
        ("saves", -more, "")
    } else {
        ("adds", more, " Query-specific settings or the optimizer costs below may reduce this.")
    };
    let wanted = |side: Side| {
        let of_side = whole.operators.iter().filter(|decided| is_of(decided) && decided.side == side);
        let mut nodes: Vec<String> = of_side.map(|decided| decided.node.to_string()).collect();
        if nodes.len() > NODES_NAMED {
            nodes.truncate(NODES_NAMED);
            nodes.push("…".to_owned());
        }
        nodes.join(", ")
    };
    format!(
        "# {class}: the plan places {} on CPU (node {}) and {} on GPU (node {}), but one switch sets all of them.\n\
         # Setting the whole class to {} {change} {}.{hint}\n",
        choice.on_cpu,
        wanted(Side::Cpu),
        choice.on_gpu,
        wanted(Side::Gpu),
        choice.side.label(),
        Unit::Seconds.format(by),
    )
}

/// Costs for the cost-based optimizer.
fn costs(study: &Placement, query: &Query, whole: &Whole) -> String {
    let mut text = String::from(
        "\n# Costs for the accelerator's cost-based optimizer. Its keys are internal and experimental. It is off here, as\n\
         # it is by default; turned on, it decides operator by operator, within what the switches above allow.\n\
         # exec: seconds of this cluster per output row of an operator, over all operators of the class in this plan.\n",
    );
    _ = writeln!(text, "# {}", measured(study));
    text += "spark.rapids.sql.optimizer.enabled=false\n";
    let root = whole.operators.last().map(|decided| decided.node);
    let mut by_class: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
    for decided in &whole.operators {
        let node = &query.plan.nodes[decided.node];
        let Some(class) = node.class.as_deref().filter(|class| default_of(class).is_some()) else { continue };
        let result_over_bus = root == Some(decided.node) && !node.kind.is_exchange();
        let back = if result_over_bus { decided.cost.gpu.get(Term::BusOut) } else { 0.0 };
        let [cpu, gpu, rows] = by_class.entry(class).or_default();
        *cpu += decided.cost.cpu.total();
        *gpu += decided.cost.gpu.total() - back;
        *rows += whole.numbers[decided.node].rows_out.value;
    }
    for (class, [cpu, gpu, rows]) in by_class {
        if rows > 0.0 {
            _ = writeln!(text, "spark.rapids.sql.optimizer.cpu.exec.{class}={:.3e}", cpu / rows);
            _ = writeln!(text, "spark.rapids.sql.optimizer.gpu.exec.{class}={:.3e}", gpu / rows);
        } else {
            _ = writeln!(text, "# {class} has no output rows, so there is no cost per row");
        }
    }
    text + &changes(whole) + &memory(study)
}

/// Cost of moving a row between CPU and GPU.
fn changes(whole: &Whole) -> String {
    let rows: f64 = whole.edges.iter().map(|flow| whole.numbers[flow.edge.from].rows_out.value).sum();
    if rows <= 0.0 {
        return String::new();
    }
    let to_gpu: f64 = whole.edges.iter().map(|flow| flow.cost.to_gpu.seconds()).sum();
    let from_gpu: f64 = whole.edges.iter().map(|flow| flow.cost.from_gpu.seconds()).sum();
    format!(
        "# Seconds per row to move data between CPU and GPU, over all edges of the plan.\n\
         spark.rapids.sql.optimizer.gpu.exec.GpuRowToColumnarExec={:.3e}\n\
         spark.rapids.sql.optimizer.gpu.exec.GpuColumnarToRowExec={:.3e}\n",
        to_gpu / rows,
        from_gpu / rows,
    )
}

/// Memory speeds, where the study has them.
fn memory(study: &Placement) -> String {
    let Some(speed) = study.node.memory_gb_per_s else { return String::new() };
    let cluster = speed * study.cluster.machines / GIBIBYTE_GB;
    format!(
        "# Memory of all machines together, in the gigabytes of 2^30 bytes that the optimizer counts.\n\
         spark.rapids.sql.optimizer.cpuReadSpeed={cluster:.1}\n\
         spark.rapids.sql.optimizer.cpuWriteSpeed={cluster:.1}\n"
    )
}

/// Which of the costs rest on measurements.
fn measured(study: &Placement) -> String {
    let curves = study.operators.iter().filter(|operator| operator.kind.is_some() && operator.gpu_curve.is_some());
    let names: Vec<String> = curves.map(|operator| one_line(&operator.name)).collect();
    if names.is_empty() {
        "No GPU time is measured. Run `crossover calibrate` to measure.".to_owned()
    } else {
        format!(
            "GPU times come from curves of the scenario for {}, and from the model for all others.",
            names.join(", ")
        )
    }
}

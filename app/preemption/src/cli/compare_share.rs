//! `crossover compare-share`: two programs that were measured beside each other, and what the model of preemption says of them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Parser, ValueEnum};
use crossover_files::read;
use crossover_measured::sharing::{RoundSpread, SHARING_SCHEMA, SharedResource, SharingReport, SharingSetting, Side};
use crossover_page::terminal::Outputs;
use crossover_preemption::{
    Basis, Kernel, Launch, Pair, Policy, Preemption, Rule, Stream, Table as PairTable, evaluate,
};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::provenance::Sources;
use crossover_quantity::spread::Spreads;
use crossover_quantity::text::{Column, Table, TextReport};
use crossover_quantity::unit::Unit;
use crossover_scenario::Study;
use serde::Serialize;

use super::{base, print_notes};

/// Largest report.
const LARGEST_BYTES: u64 = 64_000_000;
/// Most launches of each program in a queue that is simulated.
const MOST_LAUNCHES: u32 = 1_000;
/// Policies that are compared beside the one of the scenario.
const POLICIES: [Policy; 5] =
    [Policy::Exclusive, Policy::Slicing, Policy::Sharing, Policy::Combining, Policy::Weighing];

/// Compares two programs measured by gpu-bench share with the simulation of two kernels: normalised progress, and the gain of
/// sharing
///
/// Each program represents a kernel. A launch of the kernel takes as many cycles as the program's time alone × the
/// clock of the scenario's GPU. The simulated queue is the one that was measured, with all launches at cycle 0. Two
/// launches of the same kernel gain nothing from running together, because no program was measured beside itself.
#[derive(Debug, Parser)]
#[command(name = "compare-share")]
pub(super) struct CompareShareOptions {
    /// Preemption scenario with both kernels
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Report that `gpu-bench share --json` wrote
    #[arg(long, value_name = "FILE")]
    shared: PathBuf,
    /// Kernel that the first program represents
    #[arg(long, value_name = "KERNEL")]
    first: String,
    /// Kernel that the second program represents; may be the same
    #[arg(long, value_name = "KERNEL")]
    second: String,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: CompareFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For the terminal
    Table,
    /// All results, for programs
    Json,
}

/// A comparison.
#[derive(Debug, Serialize)]
struct ShareComparison {
    /// Normalised progress: of the scenario, then of each measured setting.
    progress: Vec<ProgressRow>,
    /// Throughput of the queue: simulated with each policy, then measured.
    throughput: Vec<ThroughputRow>,
}

/// Normalised progress of both programs beside each other.
#[derive(Debug, Serialize)]
struct ProgressRow {
    source: String,
    first: f64,
    second: f64,
    sum: f64,
    /// Least and greatest sum of the rounds.
    sum_range: Option<(f64, f64)>,
}

/// Throughput of the queue (STP); one launch after the other has 1.
#[derive(Debug, Serialize)]
struct ThroughputRow {
    source: String,
    is_measured: bool,
    throughput: f64,
    range: Option<(f64, f64)>,
}

pub(super) fn run(options: &CompareShareOptions) -> Result<()> {
    let (_, study) = base(Some(&options.scenario))?;
    let report = report(&options.shared)?;
    let [first, second] = [&options.first, &options.second].map(|name| place(&study, name, &options.scenario));
    let places = [first?, second?];
    print_notes(&notes(&report, &study));
    let simulated = simulated(&study, places, &report)
        .with_context(|| format!("{} with {}", options.scenario.display(), options.shared.display()))?;
    let comparison = ShareComparison {
        progress: progress(&study, places, &report),
        throughput: throughput(&simulated, study.rule.policy, &report),
    };
    let text = match options.format {
        CompareFormat::Table => text_report(&comparison).terminal(),
        CompareFormat::Json => serde_json::to_string_pretty(&comparison)? + "\n",
    };
    Outputs::default().finish(text)
}

/// The report in a file.
fn report(path: &Path) -> Result<SharingReport> {
    let shown = path.display();
    let text = read::text(path, LARGEST_BYTES).with_context(|| format!("cannot read {shown}"))?;
    let report: SharingReport = serde_json::from_str(&text)
        .with_context(|| format!("{shown}: expected a report that “gpu-bench share --json” wrote"))?;
    ensure!(
        report.schema == SHARING_SCHEMA,
        "{shown} has schema {}; this version reads {SHARING_SCHEMA}",
        report.schema
    );
    ensure!(
        (1..=MOST_LAUNCHES).contains(&report.queue_launches),
        "{shown}: queue_launches is {}; expected 1 to {MOST_LAUNCHES}",
        report.queue_launches
    );
    ensure!(report.best_setting().is_some(), "{shown}: expected a complete round, found none");
    Ok(report)
}

/// Position of a kernel.
fn place(study: &Preemption, name: &str, path: &Path) -> Result<usize> {
    let names: Vec<&str> = study.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    names.iter().position(|known| *known == name).with_context(|| {
        let hint = did_you_mean(name, &names);
        format!("{}: no kernel “{name}”{hint}; expected one of: {}", path.display(), names.join(", "))
    })
}

/// What limits the comparison.
fn notes(report: &SharingReport, study: &Preemption) -> Vec<String> {
    match report.on {
        SharedResource::Cpu => {
            vec![
                "the programs shared CPUs: the comparison tests the policy, not the pair of kernels on a GPU"
                    .to_owned(),
            ]
        }
        SharedResource::Gpu if report.device != study.gpu.model => {
            vec![format!("measured on {}; the scenario has {}", report.device, study.gpu.model)]
        }
        SharedResource::Gpu => Vec::new(),
    }
}

/// Normalised progress of the scenario and of each setting.
fn progress(study: &Preemption, [first, second]: [usize; 2], report: &SharingReport) -> Vec<ProgressRow> {
    let table = PairTable::new(study);
    let of = [table.normalised(first, second), table.normalised(second, first)];
    let basis = match table.basis(first, second) {
        Basis::Measured => "measured pair",
        Basis::Fitted => "fitted pair",
        Basis::Classes => "pair by classes",
    };
    let mut rows = vec![ProgressRow {
        source: format!("scenario, {basis}"),
        first: of[0],
        second: of[1],
        sum: of[0] + of[1],
        sum_range: None,
    }];
    rows.extend(report.settings.iter().enumerate().filter_map(|(place, setting)| {
        let measured = report.progress(place)?;
        Some(ProgressRow {
            source: format!("measured, {}", setting.label()),
            first: measured.each[0].median,
            second: measured.each[1].median,
            sum: measured.sum.median,
            sum_range: measured.sum.range,
        })
    }));
    rows
}

/// The throughput of each policy for the queue that was measured.
///
/// # Errors
/// A kernel of this length is outside of its range.
fn simulated(study: &Preemption, places: [usize; 2], report: &SharingReport) -> Result<Vec<(Policy, f64)>> {
    let queue = queue(study, places, report)?;
    let wrapped = Study::Preemption(queue);
    if let Err(invalid) = wrapped.validate() {
        bail!("the queue cannot be simulated: {}: {}", invalid.path, invalid.problem);
    }
    let Study::Preemption(queue) = wrapped else { bail!("the queue is not a preemption study") };
    let outcome = evaluate(&queue);
    let mut policies = POLICIES.to_vec();
    if !policies.contains(&study.rule.policy) {
        policies.push(study.rule.policy);
    }
    Ok(policies.into_iter().map(|policy| (policy, outcome.of(policy).means.throughput.mean)).collect())
}

/// The study of the queue that was measured.
fn queue(study: &Preemption, places: [usize; 2], report: &SharingReport) -> Result<Preemption> {
    let table = PairTable::new(study);
    let mut kernels: Vec<Kernel> = Vec::new();
    for (side, place) in Side::BOTH.into_iter().zip(places) {
        let kernel = study.kernels[place].clone();
        let alone = report.alone(side).context("a program has no time alone")?.median;
        // A program beside another instance of itself is two kernels.
        let name = if side == Side::Second { format!("{} (second)", kernel.name) } else { kernel.name.clone() };
        let instructions = alone * study.gpu.clock_mhz * 1e6 * kernel.ipc;
        kernels.push(Kernel { name, instructions, instruction_error: 0.0, ..kernel });
    }
    let [first, second] = [kernels[0].name.clone(), kernels[1].name.clone()];
    let pair = |one: &String, other: &String, first_normalised, second_normalised| Pair {
        first: one.clone(),
        second: other.clone(),
        first_normalised,
        second_normalised,
    };
    let pairs = vec![
        pair(&first, &second, table.normalised(places[0], places[1]), table.normalised(places[1], places[0])),
        pair(&first, &first, 0.5, 0.5),
        pair(&second, &second, 0.5, 0.5),
    ];
    let launch = |name: &String| Launch { kernel: name.clone(), at_cycle: 0.0 };
    let listed = (0..report.queue_launches).flat_map(|_| [launch(&first), launch(&second)]).collect();
    let slice = report.settings.iter().find_map(|setting| match setting {
        SharingSetting::TimeSlices { seconds } => Some(seconds * study.gpu.clock_mhz * 1e6),
        _ => None,
    });
    let rule = Rule { limit: 2.0, slice_cycles: slice.unwrap_or(study.rule.slice_cycles), ..study.rule.clone() };
    Ok(Preemption {
        kernels,
        pairs,
        stream: Stream { listed, recorded: None, ..study.stream.clone() },
        rule,
        bill: None,
        // They name kernels and pairs of the scenario.
        sources: Sources::new(),
        uncertain: Spreads::new(),
        ..study.clone()
    })
}

/// Throughput of the queue: simulated, then measured.
fn throughput(simulated: &[(Policy, f64)], chosen: Policy, report: &SharingReport) -> Vec<ThroughputRow> {
    let mut rows: Vec<ThroughputRow> = simulated
        .iter()
        .map(|(policy, throughput)| {
            let mark = if *policy == chosen { ", policy of the scenario" } else { "" };
            let source = format!("simulated, {}{mark}", policy.label());
            ThroughputRow { source, is_measured: false, throughput: *throughput, range: None }
        })
        .collect();
    rows.extend(report.queue_throughput().map(|RoundSpread { median, range }| ThroughputRow {
        source: "measured, policy between launches".to_owned(),
        is_measured: true,
        throughput: median,
        range,
    }));
    rows
}

fn text_report(comparison: &ShareComparison) -> TextReport {
    let ratio = |value: f64| Unit::Ratio.format(three(value));
    let range = |range: Option<(f64, f64)>| {
        range.map_or_else(String::new, |(least, greatest)| format!("{} … {}", ratio(least), ratio(greatest)))
    };
    let progress = comparison
        .progress
        .iter()
        .map(|row| vec![row.source.clone(), ratio(row.first), ratio(row.second), ratio(row.sum), range(row.sum_range)]);
    let columns = vec![
        Column::text("Source"),
        Column::number("First"),
        Column::number("Second"),
        Column::number("Sum"),
        Column::text("Range"),
    ];
    let progress = Table { columns, rows: progress.collect() }.without_empty_columns();
    let throughput = comparison.throughput.iter().map(|row| {
        let gain = Unit::Share.format(three(row.throughput - 1.0));
        vec![row.source.clone(), ratio(row.throughput), range(row.range), gain]
    });
    let columns =
        vec![Column::text("Source"), Column::number("Throughput (STP)"), Column::text("Range"), Column::number("Gain")];
    let throughput = Table { columns, rows: throughput.collect() }.without_empty_columns();
    let mut text_report = TextReport::titled("Measured and simulated sharing");
    text_report
        .section("Normalised progress beside each other", |section| section.table(progress))
        .section("Throughput of the queue, relative to one launch after the other", |section| {
            section.table(throughput)
        });
    text_report
}

/// A number with three significant digits.
fn three(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use crossover_measured::sharing::{QueueRun, SharedRuns, SharingRound};
    use crossover_needs::sharing_report;
    use crossover_scenario as scenario;

    use super::*;

    /// Programs of 2 s and 4 s, each with half of its speed beside the other but for a tenth; the queue took 11 s.
    fn report() -> SharingReport {
        let round = SharingRound {
            alone_seconds: [2.0, 4.0],
            together: vec![SharedRuns { seconds: [vec![2.0 / 0.6], vec![4.0 / 0.6]] }],
            queue: Some(QueueRun { makespan_seconds: 11.0, decisions: Vec::new() }),
        };
        SharingReport { rounds: vec![round; 2], ..sharing_report() }
    }

    fn study() -> Preemption {
        let text = include_str!("../../../../scenarios/preemption-published.ron");
        let scenario = scenario::read(text).expect("an example");
        let Study::Preemption(study) = scenario.study else { panic!("a preemption study") };
        study
    }

    #[test]
    fn the_queue_is_simulated_with_the_lengths_that_were_measured() {
        let study = study();
        let queue = queue(&study, [0, 1], &report()).expect("a study");
        let seconds: Vec<f64> = queue.kernels.iter().map(|kernel| kernel.alone_cycles() / 745e6).collect();
        assert!((seconds[0] - 2.0).abs() < 1e-9 && (seconds[1] - 4.0).abs() < 1e-9, "{seconds:?}");
        assert_eq!(queue.stream.listed.len(), 4);
        let simulated = simulated(&study, [0, 1], &report()).expect("simulated");
        let of = |policy: Policy| simulated.iter().find(|(one, _)| *one == policy).expect("compared").1;
        assert!((of(Policy::Exclusive) - 1.0).abs() < 1e-9, "{simulated:?}");
        // A at 0.7 beside B at 0.6. Both launches of A take 4 ÷ 0.7 s; B has done 0.6 of that by then, and completes its 8 s alone.
        let makespan = 4.0 / 0.7 + 8.0 - 0.6 * 4.0 / 0.7;
        assert!((of(Policy::Sharing) - 12.0 / makespan).abs() < 1e-9, "{simulated:?}, expected {}", 12.0 / makespan);
    }

    #[test]
    fn measured_and_simulated_figures_stand_beside_each_other() {
        let study = study();
        let rows = progress(&study, [0, 1], &report());
        assert_eq!((rows[0].source.as_str(), rows[0].first, rows[0].second), ("scenario, measured pair", 0.7, 0.6));
        assert!((rows[1].sum - 1.2).abs() < 1e-12, "{rows:?}");
        let rows = throughput(&[(Policy::Weighing, 1.25)], Policy::Weighing, &report());
        let comparison = ShareComparison { progress: Vec::new(), throughput: rows };
        let text = text_report(&comparison).terminal();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("simulated, cost-aware preemption, policy of the scenario 1.25 25 %"), "{text}");
        // 2 · (2 + 4) s in 11 s.
        assert!(text.contains("measured, policy between launches 1.09 1.09 … 1.09 9.09 %"), "{text}");
    }

    #[test]
    fn a_kernel_that_is_not_there_is_named() {
        let refused = place(&study(), "D", Path::new("x.ron")).expect_err("no kernel").to_string();
        assert!(refused.contains("no kernel “D”") && refused.ends_with("expected one of: A, B, C"), "{refused}");
    }
}

//! `gpu-bench explain`: meaning, traffic model and cases of each benchmark.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use clap::Args;
use crossover_quantity::text::{Column, Table, TextReport};

use super::{ids, print};
use crate::benchmarks::case::{Case, Scale, Suite};
use crate::benchmarks::{self, Benchmark, Roof};
use crate::quantity;
use crate::report::Side;

#[derive(Debug, Args)]
pub struct Options {
    /// Benchmark, or the beginning of its id; default: lists all
    #[arg(value_parser = ids::prefix)]
    id: Option<String>,
}

pub(super) fn explain(options: &Options) -> Result<()> {
    let benchmarks = benchmarks::all();
    let text_report = match &options.id {
        None => overview(&benchmarks),
        Some(id) => {
            let mut text_report = TextReport::default();
            for benchmark in benchmarks.iter().filter(|benchmark| benchmark.id.starts_with(id.as_str())) {
                text_report.append(explanation(benchmark, threads()));
            }
            text_report
        }
    };
    print(text_report.terminal())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

fn overview(benchmarks: &[Benchmark]) -> TextReport {
    let rows = benchmarks.iter().map(|it| vec![it.id.to_owned(), first_sentence(it.explains).to_owned()]).collect();
    let mut text_report = TextReport::default();
    text_report.table(Table { columns: vec![Column::text("id"), Column::text("measures")], rows });
    text_report
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(". ").next().unwrap_or(text).trim_end()
}

fn explanation(benchmark: &Benchmark, threads: usize) -> TextReport {
    let facts = [("Traffic", benchmark.traffic), ("Roof", roof(benchmark.roof))];
    let mut text_report = TextReport::default();
    text_report
        .heading(benchmark.id)
        .paragraph(benchmark.explains)
        .facts(facts.map(|(name, text)| (name, text.to_owned())))
        .table(cases(benchmark, threads));
    text_report
}

fn roof(roof: Roof) -> &'static str {
    match roof {
        Roof::Unbounded => "no known limit, so no share of the roof",
        Roof::Copy => "memory.copy on the GPU, of the same run",
        Roof::Read => "memory.read on the GPU, of the same run",
        Roof::Gather => "memory.gather on the GPU, of the same run",
        Roof::Link => "the link between CPU and GPU, as reported by the system",
    }
}

/// The cases by suite, side, threads and variant: how many, and which values occur.
fn cases(benchmark: &Benchmark, threads: usize) -> Table {
    /// A GPU that can bind 4 GiB at once.
    const GPU_WORDS: u64 = 1 << 30;
    let mut rows = Vec::new();
    for suite in [Suite::Quick, Suite::Full, Suite::Ci] {
        let scale = Scale { suite, gpu_words: Some(GPU_WORDS), software: false, threads, host_bytes: None };
        let mut groups: BTreeMap<(Side, usize, &str), Vec<Case>> = BTreeMap::new();
        for case in (benchmark.cases)(&scale) {
            groups.entry((case.side, case.threads, case.variant)).or_default().push(case);
        }
        for ((side, threads, variant), cases) in groups {
            rows.push(vec![
                suite.name().to_owned(),
                side.label().to_owned(),
                if threads > 0 { threads.to_string() } else { String::new() },
                variant.to_owned(),
                cases.len().to_string(),
                values(&cases),
            ]);
        }
    }
    let columns = vec![
        Column::text("suite"),
        Column::text("side"),
        Column::number("threads"),
        Column::text("variant"),
        Column::number("cases"),
        Column::text("parameters"),
    ];
    Table { columns, rows }.without_empty_columns()
}

/// "rows 262.1 k … 33.55 M; selectivity 0.1, 0.5".
fn values(cases: &[Case]) -> String {
    const LISTED: usize = 5;
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for case in cases {
        for (name, value) in &case.params {
            values.entry(name).or_default().push(*value);
        }
    }
    let rows: BTreeSet<u64> = cases.iter().map(|case| case.rows).filter(|rows| *rows > 0).collect();
    let rows: Vec<f64> = rows.into_iter().map(|rows| rows as f64).collect();
    let all = [("rows", rows)].into_iter().chain(values).filter(|(_, values)| !values.is_empty());
    let written = all.map(|(name, mut values)| {
        values.sort_by(f64::total_cmp);
        values.dedup();
        let texts: Vec<String> = values.iter().map(|value| quantity::value(name, *value)).collect();
        let text = match &texts[..] {
            [first, .., last] if texts.len() > LISTED => format!("{first} … {last}"),
            _ => texts.join(", "),
        };
        format!("{} {text}", name.replace('_', " "))
    });
    written.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_tells_meaning_traffic_roof_and_cases_of_every_suite() {
        let text_report = explanation(&benchmarks::find("memory.copy").expect("known"), 16);
        insta::assert_snapshot!(text_report.terminal());
    }

    #[test]
    fn every_benchmark_says_what_it_means() {
        for benchmark in benchmarks::all() {
            let id = benchmark.id;
            assert!(!benchmark.explains.is_empty() && !benchmark.traffic.is_empty(), "{id} is not explained");
            assert!(id.split_once('.').is_some_and(|(group, what)| !group.is_empty() && !what.is_empty()), "{id}");
            assert!(!cases(&benchmark, 4).rows.is_empty(), "{id} has no cases");
        }
    }

    #[test]
    fn many_values_are_written_as_a_range() {
        let case = |rows: u64, selectivity: f64| Case::new(Side::Gpu, rows).with("selectivity", selectivity);
        let cases: Vec<Case> = (1..=6).map(|n| case(n * 1_000_000, if n > 3 { 0.5 } else { 0.1 })).collect();
        assert_eq!(values(&cases), "rows 1 M … 6 M; selectivity 0.1, 0.5");
        assert_eq!(values(&[Case::new(Side::Gpu, 0)]), "");
    }

    #[test]
    fn a_line_of_the_overview_is_the_first_sentence() {
        assert_eq!(first_sentence("Copies 1.5 words. Then more."), "Copies 1.5 words.");
        assert_eq!(first_sentence("Copies"), "Copies");
    }
}

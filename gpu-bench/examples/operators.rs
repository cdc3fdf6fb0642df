//! Times the CPU's operators alone and prints a line of JSON for each; `peers/compare.py` sets them beside
//! other engines. Data come from the generator, so that the other engines can make the same.

use std::io::Write;
use std::time::Instant;

use anyhow::Context;
use clap::Parser;
use crossover_gpu_bench::cpu::{aggregate, filter, join, sort};
use crossover_harness::generator::Generator;
use crossover_harness::statistics::quantile;
use serde::Serialize;

/// That of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Times the CPU's operators; one line of JSON for each.
#[derive(Debug, Parser)]
struct Options {
    /// Rows of input; of the probe side in a join.
    #[arg(long, default_value_t = 16_000_000)]
    rows: usize,
    /// Rows of the build side of a join.
    #[arg(long, default_value_t = 1_000_000)]
    build_rows: usize,
    /// Threads; 1 takes the operators for one core.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Timed repetitions, after one that is not.
    #[arg(long, default_value_t = 9)]
    repetitions: usize,
    /// Only operators whose name begins like this.
    #[arg(long, default_value = "")]
    only: String,
}

/// A result that another engine must reach too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Check {
    /// Rows of output.
    rows: u64,
    /// Wrapping sum of an output column.
    sum: u64,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    operator: &'a str,
    threads: usize,
    /// Median, with memory for the output that is there before.
    seconds: f64,
    /// Median, with an output that is new in every repetition, as in other engines; the allocator may give it memory
    /// that was freed before, as theirs do.
    seconds_with_allocation: f64,
    samples: &'a [f64],
    samples_with_allocation: &'a [f64],
    /// Wrapping sum of all input columns.
    input_sum: u64,
    check: Check,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build()?;
    pool.install(|| {
        filters(&options)?;
        joins(&options)?;
        group_bys(&options)?;
        sorts(&options)
    })
}

/// An output, and how many of the words of each column are in use.
type Output = (Vec<Vec<u32>>, usize);

/// Runs an operator with outputs of `columns` × `places` words that are there before, and with new ones, and prints a
/// line.
fn measure(
    options: &Options,
    operator: &str,
    inputs: &[&[u32]],
    (columns, places): (usize, usize),
    mut work: impl FnMut(&mut [Vec<u32>]) -> usize,
    mut work_in_new_memory: impl FnMut() -> Output,
    check: impl Fn(&[Vec<u32>], usize) -> Check,
) -> anyhow::Result<()> {
    let mut prepared = vec![vec![1; places]; columns];
    let count = work(&mut prepared);
    let expected = check(&prepared, count);
    drop(work_in_new_memory());
    let (mut samples, mut samples_with_allocation) = (Vec::new(), Vec::new());
    for _ in 0..options.repetitions {
        let start = Instant::now();
        let count = work(&mut prepared);
        samples.push(start.elapsed().as_secs_f64());
        anyhow::ensure!(check(&prepared, count) == expected, "{operator}: the result changes");
        let start = Instant::now();
        let (new, count) = work_in_new_memory();
        samples_with_allocation.push(start.elapsed().as_secs_f64());
        anyhow::ensure!(check(&new, count) == expected, "{operator}: the result is another one in new memory");
    }
    let line = Line {
        operator,
        threads: options.threads,
        seconds: median(&samples),
        seconds_with_allocation: median(&samples_with_allocation),
        samples: &samples,
        samples_with_allocation: &samples_with_allocation,
        input_sum: inputs.iter().fold(0, |total, words| total.wrapping_add(sum(words))),
        check: expected,
    };
    let text = serde_json::to_string(&line).context("a line of numbers")?;
    #[expect(clippy::disallowed_methods, reason = "JSON for the script that reads it")]
    let mut output = std::io::stdout();
    writeln!(output, "{text}").context("standard output")
}

fn sum(words: &[u32]) -> u64 {
    words.iter().map(|word| u64::from(*word)).sum()
}

fn filters(options: &Options) -> anyhow::Result<()> {
    let words = Generator::new(1).words(options.rows);
    for (operator, bound) in [("filter_0.1", 429_496_730), ("filter_0.5", 1 << 31)] {
        if operator.starts_with(&options.only) {
            let parallel = options.threads > 1;
            let filter = if parallel { filter::below_parallel } else { filter::below };
            let collect = if parallel { filter::collect_below_parallel } else { filter::collect_below };
            measure(
                options,
                operator,
                &[&words],
                (1, words.len()),
                |out| filter(&words, bound, &mut out[0]),
                || {
                    let kept = collect(&words, bound);
                    let count = kept.len();
                    (vec![kept], count)
                },
                |out, count| Check { rows: count as u64, sum: sum(&out[0][..count]) },
            )?;
        }
    }
    Ok(())
}

/// Keys of the build side are distinct; half of the probe side's keys are among them.
fn joins(options: &Options) -> anyhow::Result<()> {
    if !"join".starts_with(&options.only) {
        return Ok(());
    }
    let generator = Generator::new(2);
    let build_keys = generator.words(options.build_rows);
    let payloads = Generator::new(3).words(options.build_rows);
    let places = Generator::new(4).words_below(options.rows, 2 * options.build_rows as u64);
    let probe_keys: Vec<u32> = places.into_iter().map(|place| generator.at(u64::from(place))).collect();
    let parallel = options.threads > 1;
    let build = if parallel { join::Table::build_parallel } else { join::Table::build };
    let probe = if parallel { join::Table::probe_materialise_parallel } else { join::Table::probe_materialise };
    let collect = if parallel { join::Table::collect_pairs_parallel } else { join::Table::collect_pairs };
    measure(
        options,
        "join",
        &[&build_keys, &payloads, &probe_keys],
        (2, probe_keys.len()),
        |out| {
            let (rows, out_payloads) = out.split_at_mut(1);
            probe(&build(&build_keys, &payloads), &probe_keys, &mut rows[0], &mut out_payloads[0])
        },
        || {
            let pairs = collect(&build(&build_keys, &payloads), &probe_keys);
            let count = pairs.rows.len();
            (vec![pairs.rows, pairs.payloads], count)
        },
        |out, count| Check { rows: count as u64, sum: sum(&out[0][..count]).wrapping_add(sum(&out[1][..count])) },
    )
}

fn group_bys(options: &Options) -> anyhow::Result<()> {
    let values = Generator::new(6).words(options.rows);
    for (operator, groups) in [("group_by_10", 10), ("group_by_1000", 1_000), ("group_by_1000000", 1_000_000)] {
        if operator.starts_with(&options.only) {
            let codes = Generator::new(5).words_below(options.rows, groups as u64);
            let group_by = if options.threads > 1 { aggregate::group_by_parallel } else { aggregate::group_by };
            // The result is small and new in every repetition; it is checked by a sum that depends on the groups.
            let work = || {
                let result = group_by(&codes, &values, groups);
                let groups = result.counts.iter().filter(|count| **count > 0).count();
                let weighted = (1_u64..)
                    .zip(&result.sums)
                    .fold(0_u64, |sum, (group, one)| sum.wrapping_add(group.wrapping_mul(*one)));
                (vec![bytemuck::cast::<u64, [u32; 2]>(weighted).to_vec()], groups)
            };
            measure(
                options,
                operator,
                &[&codes, &values],
                (1, 1),
                |out| {
                    let (result, groups) = work();
                    out.clone_from_slice(&result);
                    groups
                },
                work,
                |out, count| Check { rows: count as u64, sum: bytemuck::cast([out[0][0], out[0][1]]) },
            )?;
        }
    }
    Ok(())
}

fn sorts(options: &Options) -> anyhow::Result<()> {
    if !"sort".starts_with(&options.only) {
        return Ok(());
    }
    let words = Generator::new(7).words(options.rows);
    let sort = if options.threads > 1 { sort::sort_keys_parallel } else { sort::sort_keys };
    measure(
        options,
        "sort",
        &[&words],
        (2, words.len()),
        |out| {
            let (keys, scratch) = out.split_at_mut(1);
            keys[0].copy_from_slice(&words);
            sort(&mut keys[0], &mut scratch[0]);
            words.len()
        },
        || {
            let (mut keys, mut scratch) = (words.clone(), vec![0; words.len()]);
            sort(&mut keys, &mut scratch);
            (vec![keys], words.len())
        },
        |out, count| Check {
            rows: count as u64,
            sum: (0_u64..)
                .zip(&out[0])
                .fold(0, |sum, (place, key)| sum.wrapping_add(place.wrapping_mul(u64::from(*key)))),
        },
    )
}

fn median(samples: &[f64]) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

//! Prefix sums.

use crossover_harness::generator::Generator;

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale, Suite};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::kernels;
use crate::kernels::scan::Form;
use crate::report::Side;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[Benchmark {
    id: "scan.prefix_sum",
    explains: "Writes for each word the sum of the words before it. On the GPU by reduce-then-scan, which reads twice \
               and writes once, so the limit is about two thirds of the copy roof. The default variant \
               suits the adapter; “portable” is without subgroup operations, “subgroups” with them.",
    traffic: "2·V: every byte is read and a sum is written; the second read is not counted",
    roof: Roof::Copy,
    cases,
    measure,
}];

fn cases(scale: &Scale) -> Vec<Case> {
    let mut cases = if scale.suite == Suite::Full { scale.sweep(Side::Gpu, 4) } else { Vec::new() };
    for single in scale.single(Side::Gpu, 4) {
        single.clone().add_to(&mut cases);
        cases.extend(Form::VARIANTS.map(|variant| single.clone().variant(variant)));
    }
    cases.extend(scale.single(Side::Cpu, 4));
    cases
}

fn measure(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let generator = Generator::new(22);
    let count = case.row_count()?;
    let words = generator.words(count as usize);
    let (timed, verified) = if case.side == Side::Cpu {
        let mut sums = vec![0_u32; words.len()];
        let scan = if case.threads > 1 { cpu::scan::exclusive_sum_parallel } else { cpu::scan::exclusive_sum };
        let timed = bench.time_cpu(case.threads, || scan(&words, &mut sums))?;
        (timed, verify_exact("prefix sum", &sums, &expected(&words))?)
    } else {
        let gpu = bench.gpu()?;
        let form = Form::of_variant(gpu, case.variant)?;
        let from = kernels::generate::words(gpu, generator, count, None)?;
        let to = gpu.buffer("sums", u64::from(count))?;
        let program = kernels::scan::exclusive_sum(gpu, form, &from, &to, count)?;
        gpu.run(&program)?;
        let verified = verify_exact("prefix sum", &gpu.download(&to, u64::from(count))?, &expected(&words))?;
        (bench.time_program(&program)?, verified)
    };
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(timed, verified, bytes, 2.0 * bytes))
}

/// The expected sums, computed by neither implementation.
fn expected(words: &[u32]) -> Vec<u32> {
    let before = |total: &mut u32, word: &u32| {
        let before = *total;
        *total = before.wrapping_add(*word);
        Some(before)
    };
    words.iter().scan(0, before).collect()
}

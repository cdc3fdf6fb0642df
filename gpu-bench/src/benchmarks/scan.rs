//! Prefix sums.

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale, Suite};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::kernels;
use crate::kernels::scan::Form;
use crate::report::Side;

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[Benchmark {
    id: "scan.prefix_sum",
    explains: "Writes for every word the sum of the words before it. On the GPU by reduce-then-scan, which reads twice \
               and writes once, so about two thirds of the copy roof are the most. With subgroup operations where the \
               adapter has them; “portable” is without.",
    traffic: "2·V: every byte is read and a sum is written; the second reading is not counted",
    roof: Roof::Copy,
    cases,
    measure,
}];

fn cases(scale: &Scale) -> Vec<Case> {
    let sizes =
        |side| if scale.suite == Suite::Full { scale.sweep_bytes(side) } else { vec![scale.single_bytes(side)] };
    let gpu = sizes(Side::Gpu).into_iter().map(|bytes| Case::new(Side::Gpu, bytes / 4));
    let portable = Case::new(Side::Gpu, scale.single_bytes(Side::Gpu) / 4).variant("portable");
    let cpu = scale.thread_counts().into_iter().map(|threads| Case::cpu(threads, scale.single_bytes(Side::Cpu) / 4));
    gpu.chain([portable]).chain(cpu).collect()
}

fn measure(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let generator = Generator::new(22);
    let count = u32::try_from(case.rows).map_err(|_| Failure::Unsupported("more than 2^32 rows".to_owned()))?;
    let words = generator.words(count as usize);
    let (samples, source, sums) = if case.side == Side::Cpu {
        let mut sums = vec![0_u32; words.len()];
        let scan = if case.threads > 1 { cpu::scan::exclusive_sum_parallel } else { cpu::scan::exclusive_sum };
        let (samples, source) = bench.time_cpu(case.threads, || scan(&words, &mut sums))?;
        (samples, source, sums)
    } else {
        let gpu = bench.gpu()?;
        let form = if case.variant == "portable" { Form::Portable } else { Form::preferred(gpu) };
        let from = kernels::generate::words(gpu, generator, count, None)?;
        let to = gpu.buffer("sums", u64::from(count))?;
        let program = kernels::scan::exclusive_sum_in(form, gpu, &from, &to, count)?;
        let (samples, source) = bench.time_program(&program)?;
        (samples, source, gpu.download(&to, u64::from(count))?)
    };
    let verified = verify_exact("prefix sum", &sums, &expected(&words))?;
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome { samples, source, verified, bytes_logical: bytes, bytes_traffic: 2.0 * bytes, ratio: None })
}

/// The sums, by neither of the twins.
fn expected(words: &[u32]) -> Vec<u32> {
    let before = |total: &mut u32, word: &u32| {
        let before = *total;
        *total = before.wrapping_add(*word);
        Some(before)
    };
    words.iter().scan(0, before).collect()
}

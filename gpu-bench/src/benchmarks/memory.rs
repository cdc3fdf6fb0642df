//! Streaming and random access in memory: the roofs of everything else.

use std::time::Instant;

use crossover_harness::generator::Generator;
use rayon::prelude::*;

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale, Suite};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::kernels;
use crate::report::Side;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "memory.copy",
        explains: "Copies from one buffer to another, four words per access, on the GPU and on the CPU. The largest \
                   sizes exceed the caches and give the memory roof of other kernels.",
        traffic: "2·V: every byte is read and written",
        roof: Roof::Unbounded,
        cases: streaming_cases,
        measure: copy,
    },
    Benchmark {
        id: "memory.read",
        explains: "Adds up a buffer, four words per access, on the GPU and on the CPU: the roof of operators that \
                   write little, like aggregates.",
        traffic: "V: every byte is read",
        roof: Roof::Unbounded,
        cases: streaming_cases,
        measure: read,
    },
    Benchmark {
        id: "memory.write",
        explains: "Fills a buffer, four words per access, with distinct words.",
        traffic: "V: every byte is written",
        roof: Roof::Unbounded,
        cases: |scale| scale.sweep(Side::Gpu, 4).into_iter().map(Case::calibrating).collect(),
        measure: write,
    },
    Benchmark {
        id: "memory.copy_buffer",
        explains: "Copies from one buffer to another by a command of the driver instead of a kernel. By the wall \
                   clock, several copies per submission, so a sample contains one round trip.",
        traffic: "2·V: every byte is read and written",
        roof: Roof::Unbounded,
        cases: |scale| scale.single(Side::Gpu, 4),
        measure: copy_buffer,
    },
    Benchmark {
        id: "memory.gather",
        explains: "Reads words at random positions of a table: the roof of hash tables. It falls with each cache that \
                   the table outgrows.",
        traffic: "32·accesses on the GPU, 64·accesses on the CPU: a sector or a line for each word of 4 bytes",
        roof: Roof::Unbounded,
        cases: gather_cases,
        measure: gather,
    },
];

fn streaming_cases(scale: &Scale) -> Vec<Case> {
    [scale.sweep(Side::Gpu, 4), scale.memory(Side::Cpu)].concat().into_iter().map(Case::calibrating).collect()
}

fn gather_cases(scale: &Scale) -> Vec<Case> {
    /// Bytes of 1 KiB.
    const KIB: u64 = 1 << 10;
    // From a processor's own cache to far beyond the shared one; probes of smaller tables are shares of the first.
    let tables: &[u64] = match scale.suite {
        Suite::Ci => &[64, 1 << 10],
        Suite::Quick => &[64, 1 << 10, 16 << 10, 128 << 10, 1 << 20],
        Suite::Full => &[64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20],
    };
    let (gpu, cpu): (u64, u64) = match scale.suite {
        Suite::Ci => (1 << 18, 1 << 18),
        _ if scale.software => (1 << 20, 1 << 20),
        Suite::Quick => (1 << 24, 1 << 20),
        Suite::Full => (1 << 24, 1 << 22),
    };
    let bytes = tables.iter().map(|kib| kib * KIB);
    let on_gpu = bytes
        .filter(|bytes| scale.fits(Side::Gpu, *bytes))
        .map(|bytes| Case::new(Side::Gpu, gpu).with("table_bytes", bytes as f64));
    let table = scale.single_bytes(Side::Cpu) as f64;
    let on_cpu = scale.cases(Side::Cpu, cpu).into_iter().map(|case| case.with("table_bytes", table));
    on_gpu.chain(on_cpu).map(Case::calibrating).collect()
}

fn copy(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let generator = Generator::new(11);
    let words = case.row_count()?;
    let (timed, verified) = if case.side == Side::Cpu {
        let from = generator.words(words as usize);
        let mut to = vec![0_u32; from.len()];
        let run = |to: &mut [u32]| {
            if case.threads > 1 { cpu::memory::copy_parallel(&from, to) } else { cpu::memory::copy(&from, to) }
        };
        let timed = bench.time_cpu(case.threads, || run(&mut to))?;
        (timed, verify_exact("copy", &to, &from)?)
    } else {
        let gpu = bench.gpu()?;
        let from = kernels::generate::words(gpu, generator, words, None)?;
        let to = gpu.buffer("copy", case.rows)?;
        let program = kernels::memory::copy(gpu, &from, &to, words)?;
        gpu.run(&program)?;
        let verified = verify_exact("copy", &gpu.download(&to, case.rows)?, &generator.words(words as usize))?;
        (bench.time_program(&program)?, verified)
    };
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(timed, verified, bytes, 2.0 * bytes))
}

fn read(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let generator = Generator::new(12);
    let words = case.row_count()?;
    let expected = total(u64::from(words), |place| generator.at(place));
    let (timed, verified) = if case.side == Side::Cpu {
        let from = generator.words(words as usize);
        let mut found = 0;
        let timed = bench.time_cpu(case.threads, || {
            let from = std::hint::black_box(from.as_slice());
            found = if case.threads > 1 { cpu::memory::sum_parallel(from) } else { cpu::memory::sum(from) };
        })?;
        #[expect(clippy::cast_possible_truncation, reason = "sums are compared modulo 2^32")]
        let verified = verify_exact("sum", &[found as u32], &[expected])?;
        (timed, verified)
    } else {
        let gpu = bench.gpu()?;
        let from = kernels::generate::words(gpu, generator, words, None)?;
        let sum = kernels::memory::read(gpu, &from, words)?;
        gpu.run(&sum.program)?;
        let verified = verify_exact("sum", &[sum.total(gpu)?], &[expected])?;
        (bench.time_program(&sum.program)?, verified)
    };
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(timed, verified, bytes, bytes))
}

fn write(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let words = case.row_count()?;
    let to = gpu.buffer("written", case.rows)?;
    let program = kernels::memory::write(gpu, &to, words, 13)?;
    gpu.run(&program)?;
    let expected: Vec<u32> = (0..words).map(|place| place.wrapping_add(13)).collect();
    let verified = verify_exact("written", &gpu.download(&to, case.rows)?, &expected)?;
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(bench.time_program(&program)?, verified, bytes, bytes))
}

fn copy_buffer(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let generator = Generator::new(14);
    let gpu = bench.gpu()?;
    let words = case.row_count()?;
    let from = kernels::generate::words(gpu, generator, words, None)?;
    let to = gpu.buffer("copy", case.rows)?;
    let run = |batch: u32| {
        let mut encoder = gpu.encoder();
        for _ in 0..batch {
            encoder.copy_buffer_to_buffer(&from, 0, &to, 0, case.rows * 4);
        }
        let start = Instant::now();
        gpu.submit(encoder)?;
        Ok(start.elapsed().as_secs_f64())
    };
    run(1)?;
    let verified = verify_exact("copy", &gpu.download(&to, case.rows)?, &generator.words(words as usize))?;
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(bench.time_batches(run)?, verified, bytes, 2.0 * bytes))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of bytes, not negative")]
fn gather(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let (content, places) = (Generator::new(15), Generator::new(16));
    let accesses = case.row_count()?;
    let words = (case.param("table_bytes") / 4.0) as u32;
    // The table's words come from their places, so the expected sum needs no table.
    let expected = total(case.rows, |access| content.at(places.below(access, u64::from(words))));
    let (timed, verified, line_bytes) = if case.side == Side::Cpu {
        let table = content.words(words as usize);
        let mut found = 0;
        let timed = bench.time_cpu(case.threads, || {
            let table = std::hint::black_box(table.as_slice());
            found = if case.threads > 1 {
                cpu::gather::sum_parallel(table, places, case.rows)
            } else {
                cpu::gather::sum(table, places, case.rows)
            };
        })?;
        (timed, verify_exact("sum", &[found], &[expected])?, 64.0)
    } else {
        let gpu = bench.gpu()?;
        let table = kernels::generate::words(gpu, content, words, None)?;
        let sum = kernels::memory::gather(gpu, &table, words, places, accesses)?;
        gpu.run(&sum.program)?;
        let verified = verify_exact("sum", &[sum.total(gpu)?], &[expected])?;
        (bench.time_program(&sum.program)?, verified, 32.0)
    };
    Ok(Outcome::of(timed, verified, case.rows as f64 * 4.0, case.rows as f64 * line_bytes))
}

/// The sum of the words at these positions, modulo 2^32.
fn total(count: u64, word: impl Fn(u64) -> u32 + Sync + Send) -> u32 {
    (0..count).into_par_iter().map(word).reduce(|| 0, u32::wrapping_add)
}

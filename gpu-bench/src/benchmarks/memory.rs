//! Streaming and random access in memory: the roofs of everything else.

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::cpu;
use crate::failure::Failure;
use crate::generator::Generator;
use crate::kernels;
use crate::report::{Side, Verified};

/// What this module measures.
pub const BENCHMARKS: &[Benchmark] = &[Benchmark {
    id: "memory.copy",
    explains: "Copies from one buffer to another, four words per access, on the GPU and on the CPU. The largest sizes \
               exceed the caches and give the memory roof that other kernels are shares of.",
    traffic: "2·V: every byte is read and written",
    roof: Roof::Unbounded,
    cases: copy_cases,
    measure: copy,
}];

fn copy_cases(scale: &Scale) -> Vec<Case> {
    let gpu = scale.sweep_bytes(Side::Gpu).into_iter().map(|bytes| Case::new(Side::Gpu, bytes / 4));
    let cpu = scale.thread_counts().into_iter().map(|threads| Case::cpu(threads, scale.single_bytes(Side::Cpu) / 4));
    gpu.chain(cpu).map(Case::calibrating).collect()
}

fn copy(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let generator = Generator::new(11);
    let words = u32::try_from(case.rows).map_err(|_| Failure::Unsupported("more than 2^32 rows".to_owned()))?;
    let (samples, source, verified) = if case.side == Side::Cpu {
        let from = generator.words(words as usize);
        let mut to = vec![0_u32; from.len()];
        let run = |to: &mut [u32]| {
            if case.threads > 1 { cpu::memory::copy_parallel(&from, to) } else { cpu::memory::copy(&from, to) }
        };
        let (samples, source) = bench.time_cpu(case.threads, || run(&mut to))?;
        (samples, source, verify_exact("copy", &to, &from)?)
    } else {
        let gpu = bench.gpu()?;
        let from = kernels::generate::words(gpu, generator, words, None)?;
        let to = gpu.buffer("copy", u64::from(words))?;
        let program = kernels::memory::copy(gpu, &from, &to, words)?;
        gpu.run(&program)?;
        let verified: Verified =
            verify_exact("copy", &gpu.download(&to, u64::from(words))?, &generator.words(words as usize))?;
        let (samples, source) = bench.time_program(&program)?;
        (samples, source, verified)
    };
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome { samples, source, verified, bytes_logical: bytes, bytes_traffic: 2.0 * bytes, ratio: None })
}

//! Host memory to GPU memory and back, by every route, from a slice on the host until a kernel could read it,
//! or back to a slice.
//!
//! All by the wall clock. Timestamps would cover only the copy of the GPU, and a staging buffer may be in GPU
//! memory (resizable BAR): then the write of the CPU crosses the bus and the copy does not.

use crossover_harness::generator::Generator;

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale};
use super::{Benchmark, Roof};
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::gpu::transfer::{DeviceToHost, HostToDevice};
use crate::kernels;
use crate::report::{Side, Verified};

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "transfer.h2d.one_call",
        explains: "To the GPU by a single write_buffer call of wgpu, the usual way. Each call \
                   allocates staging memory of that size; page faults can cost more than the transfer.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        // A slow route that calibration does not use.
        cases: |scale| scale.sweep(Side::EndToEnd, 4),
        measure: one_call,
    },
    Benchmark {
        id: "transfer.h2d.pieces",
        explains: "To the GPU by write_buffer in pieces of 4 MiB, whose staging memory is small enough to be reused \
                   without a system call.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: plain_cases,
        measure: pieces,
    },
    Benchmark {
        id: "transfer.h2d.staging",
        explains: "To the GPU through two reused staging buffers: the CPU fills one while the GPU copies the \
                   other. The variant “threads” fills them on all cores.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: threaded_cases,
        measure: to_gpu_by_staging,
    },
    Benchmark {
        id: "transfer.h2d.mappable",
        explains: "The CPU writes directly into the buffer that kernels read. On discrete GPUs the time \
                   includes one kernel that reads the buffer. The buffer may be in host memory, so this read is \
                   the transfer.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: threaded_cases,
        measure: to_gpu_mapped,
    },
    Benchmark {
        id: "transfer.h2d.pinned",
        explains: "The GPU copies from pinned host memory by itself, as engines that keep their data in pinned memory do. The CPU \
                   takes no part, so this is the speed of the bus.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: plain_cases,
        measure: to_gpu_pinned,
    },
    Benchmark {
        id: "transfer.d2h.pinned",
        explains: "The GPU copies to pinned host memory by itself, where the CPU may read the words in place.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: plain_cases,
        measure: from_gpu_pinned,
    },
    Benchmark {
        id: "transfer.d2h.staging",
        explains: "From the GPU through two reused staging buffers: the CPU reads one while the GPU fills the \
                   other. The variant “threads” reads them on all cores.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: threaded_cases,
        measure: from_gpu_by_staging,
    },
    Benchmark {
        id: "transfer.d2h.mappable",
        explains: "The CPU reads directly from the buffer that a kernel wrote. On discrete GPUs the \
                   time includes the kernel that writes the buffer. The buffer is in host memory, so this write \
                   is the transfer.",
        traffic: "V: every byte crosses the bus once",
        roof: Roof::Link,
        cases: threaded_cases,
        measure: from_gpu_mapped,
    },
];

/// The variant in which the CPU copies on all cores.
const THREADS: &str = "threads";

fn plain_cases(scale: &Scale) -> Vec<Case> {
    scale.sweep(Side::EndToEnd, 4).into_iter().map(Case::calibrating).collect()
}

fn threaded_cases(scale: &Scale) -> Vec<Case> {
    let plain = plain_cases(scale);
    let threaded: Vec<Case> = plain.iter().cloned().map(|case| case.variant(THREADS)).collect();
    if scale.threads > 1 { [plain, threaded].concat() } else { plain }
}

fn one_call(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let to = gpu.buffer("to the GPU", case.rows)?;
    to_gpu(bench, case, &to, |words| {
        gpu.queue().write_buffer(&to, 0, bytemuck::cast_slice(words));
        flush(gpu)
    })
}

fn pieces(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let to = gpu.buffer("to the GPU", case.rows)?;
    to_gpu(bench, case, &to, |words| {
        gpu.write(&to, words)?;
        flush(gpu)
    })
}

fn to_gpu_by_staging(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let to = gpu.buffer("to the GPU", case.rows)?;
    let mut route = HostToDevice::new(gpu)?;
    if case.variant == THREADS {
        to_gpu(bench, case, &to, |words| bench.pool.install(|| route.send_parallel(words, &to)))
    } else {
        to_gpu(bench, case, &to, |words| route.send(words, &to))
    }
}

fn to_gpu_mapped(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let to = gpu.buffer_from_host("to the GPU", case.rows)?;
    let reader = kernels::memory::read(gpu, &to, case.row_count()?)?;
    to_gpu(bench, case, &to, |words| {
        if case.variant == THREADS {
            bench.pool.install(|| gpu.write_mapped_parallel(words, &to))?;
        } else {
            gpu.write_mapped(words, &to)?;
        }
        if gpu.description.has_own_memory() { gpu.run(&reader.program) } else { flush(gpu) }
    })
}

fn to_gpu_pinned(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let words = Generator::new(31).words(case.row_count()? as usize);
    let from = gpu.pinned_words("pinned", &words)?;
    let to = gpu.buffer("to the GPU", case.rows)?;
    gpu.copy(&from, &to, case.rows)?;
    let verified = verify_exact("words on the GPU", &gpu.download(&to, case.rows)?, &words)?;
    outcome(bench, case, verified, || gpu.copy(&from, &to, case.rows))
}

fn from_gpu_pinned(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let from = kernels::generate::words(gpu, GENERATED, case.row_count()?, None)?;
    let to = gpu.pinned("pinned", case.rows)?;
    gpu.copy(&from, &to, case.rows)?;
    let count = case.row_count()? as usize;
    let mut words = vec![0; count];
    gpu.read_mapped(&to, &mut words)?;
    let verified = verify_exact("words from the GPU", &words, &GENERATED.words(count))?;
    outcome(bench, case, verified, || gpu.copy(&from, &to, case.rows))
}

/// Verifies and times a route that brings words into `to`.
fn to_gpu(
    bench: &Bench<'_>,
    case: &Case,
    to: &wgpu::Buffer,
    mut route: impl FnMut(&[u32]) -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    let words = Generator::new(31).words(case.row_count()? as usize);
    route(&words)?;
    let verified = verify_exact("words on the GPU", &bench.gpu()?.download(to, case.rows)?, &words)?;
    outcome(bench, case, verified, || route(&words))
}

fn from_gpu_by_staging(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let from = kernels::generate::words(gpu, GENERATED, case.row_count()?, None)?;
    let mut route = DeviceToHost::new(gpu)?;
    if case.variant == THREADS {
        from_gpu(bench, case, |words| bench.pool.install(|| route.receive_parallel(&from, words)))
    } else {
        from_gpu(bench, case, |words| route.receive(&from, words))
    }
}

fn from_gpu_mapped(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let mapped = gpu.buffer_to_host("from the GPU", case.rows)?;
    let source = kernels::generate::words(gpu, GENERATED, case.row_count()?, None)?;
    let writer = kernels::memory::copy(gpu, &source, &mapped, case.row_count()?)?;
    gpu.run(&writer)?;
    from_gpu(bench, case, |words| {
        if gpu.description.has_own_memory() {
            gpu.run(&writer)?;
        }
        if case.variant == THREADS {
            bench.pool.install(|| gpu.read_mapped_parallel(&mapped, words))
        } else {
            gpu.read_mapped(&mapped, words)
        }
    })
}

/// The words on the GPU before they are read back.
const GENERATED: Generator = Generator::new(32);

/// Verifies and times a route that brings the generated words into a slice.
fn from_gpu(
    bench: &Bench<'_>,
    case: &Case,
    mut route: impl FnMut(&mut [u32]) -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    let count = case.row_count()? as usize;
    let mut words = vec![0; count];
    route(&mut words)?;
    let verified = verify_exact("words from the GPU", &words, &GENERATED.words(count))?;
    outcome(bench, case, verified, || route(&mut words))
}

fn outcome(
    bench: &Bench<'_>,
    case: &Case,
    verified: Verified,
    route: impl FnMut() -> Result<(), Failure>,
) -> Result<Outcome, Failure> {
    let bytes = case.rows as f64 * 4.0;
    Ok(Outcome::of(bench.time_wall(route)?, verified, bytes, bytes))
}

/// Submits the writes to the GPU, and waits.
fn flush(gpu: &Gpu) -> Result<(), Failure> {
    gpu.submit(gpu.encoder())
}

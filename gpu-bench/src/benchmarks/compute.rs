//! Arithmetic in registers: the compute roof.

use super::bench::{Bench, Outcome, verify_exact};
use super::case::{Case, Scale, Suite};
use super::{Benchmark, Roof};
use crate::failure::Failure;
use crate::kernels;
use crate::report::Side;

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[Benchmark {
    id: "compute.multiply_add",
    explains: "Multiplies and adds in single precision, in registers, on the shader cores. It is the compute roof of \
               tasks that compute more than they read, such as deep learning without tensor cores. Rate: the parameter \
               `flop` ÷ time; a multiply-add counts as two operations.",
    traffic: "0: next to no data moves",
    roof: Roof::Unbounded,
    cases: |scale| vec![case(scale)],
    measure: multiply_add,
}];

fn case(scale: &Scale) -> Case {
    let rows: u32 = match scale.suite {
        Suite::Ci => 1 << 10,
        _ if scale.software => 1 << 14,
        Suite::Quick | Suite::Full => 1 << 22,
    };
    Case::new(Side::Gpu, u64::from(rows)).with("flop", f64::from(rows) * f64::from(kernels::compute::FLOP_PER_ROW))
}

fn multiply_add(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let gpu = bench.gpu()?;
    let rows = case.row_count()?;
    let sums = gpu.buffer("sums", case.rows)?;
    let program = kernels::compute::multiply_add(gpu, &sums, rows)?;
    gpu.run(&program)?;
    let expected: Vec<u32> = (0..rows).map(kernels::compute::expected).collect();
    let verified = verify_exact("multiply-adds", &gpu.download(&sums, case.rows)?, &expected)?;
    Ok(Outcome::of(bench.time_program(&program)?, verified, 0.0, 0.0))
}

//! gpu-bench on the adapter of this machine: kernels, transfers, faults, and the program at a terminal.

mod command_line;
mod faults;
mod kernels;
mod pairs;
mod probe;
mod results;
mod share;
mod transfer;

#[cfg(unix)]
use std::process::Output;

use crossover_gpu_bench::gpu::{Gpu, adapter};
use crossover_needs::gpu_adapter;

/// The first message of a debug build.
#[cfg(unix)]
const DEBUG_BUILD: &str = "gpu-bench: warning: built without optimisation; its figures are not comparable\n";

/// Whether there is an adapter, software or not; if there is none, the test is listed as not run.
#[cfg(unix)]
fn has_gpu() -> bool {
    gpu_adapter(adapter::list().first()).is_some()
}

/// The first adapter; if there is none, the test is listed as not run.
fn gpu() -> Option<Gpu> {
    let adapter = gpu_adapter(adapter::choose(adapter::list(), None).ok())?;
    Some(Gpu::open(&adapter).expect("the adapter opens"))
}

/// Exit code, standard output, standard error.
#[cfg(unix)]
fn written(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

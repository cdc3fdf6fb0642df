//! The program: everything is in the library, so that tests can use it.

/// Keeps freed memory for the next result, as other engines do.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    crossover_gpu_bench::cli::main()
}

//! The program: everything is in the library, so that tests can use it.

/// That of gpu-bench too: measurements of either are made with the same allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    crossover::cli::main()
}

//! The program: everything is in the library, so that tests can use it.

fn main() -> std::process::ExitCode {
    crossover_gpu_bench::cli::main()
}

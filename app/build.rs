//! Tells the program for which machines and how it is built; only cargo knows.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for (variable, told) in [("TARGET", "CROSSOVER_TARGET"), ("PROFILE", "CROSSOVER_PROFILE")] {
        // Cargo sets both, always.
        println!("cargo::rustc-env={told}={}", env::var(variable).unwrap_or_default());
    }
}

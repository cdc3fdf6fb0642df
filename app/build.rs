//! Passes cargo's target and profile to the program.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for (variable, name) in [("TARGET", "CROSSOVER_TARGET"), ("PROFILE", "CROSSOVER_PROFILE")] {
        // Cargo always sets both.
        println!("cargo::rustc-env={name}={}", env::var(variable).unwrap_or_default());
    }
}

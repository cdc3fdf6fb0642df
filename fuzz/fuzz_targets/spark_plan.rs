//! Imports bytes as text of Spark's plans.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::import(crossover_plan::spark::explain::read, ".txt", bytes));

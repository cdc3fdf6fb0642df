//! Imports bytes as Spark event logs.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::import(crossover_plan::spark::read, "", bytes));

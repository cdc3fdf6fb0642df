//! Reads bytes as reports of probes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::probe(bytes));

//! Reads bytes as a fleet's ledger.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::ledger(bytes));

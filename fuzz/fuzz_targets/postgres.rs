//! Imports bytes as plans of PostgreSQL.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::import(crossover_plan::postgres::read, ".json", bytes));

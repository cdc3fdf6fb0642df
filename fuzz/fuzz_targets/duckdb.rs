//! Imports bytes as plans of DuckDB.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::import(crossover_plan::duckdb::read, ".json", bytes));

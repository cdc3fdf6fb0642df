//! Imports bytes as SQL with table sizes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::import(crossover_sql::read, ".sql", bytes));

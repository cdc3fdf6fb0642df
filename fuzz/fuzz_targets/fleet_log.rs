//! Reads bytes as the log of an application, and answers as a fleet does.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crossover_fuzz::fleet_log(bytes));

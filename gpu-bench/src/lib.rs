//! Measures this machine: CPU, bus and GPU, by micro-benchmarks whose results are checked.
//!
//! [`gpu`] opens a device and runs programs on it, [`sampling`] takes samples, [`kernels`] and [`cpu`] hold the
//! two sides of every operator, [`benchmarks`] has the benchmarks, [`runner`] runs them, [`report`]
//! stores the results; [`probe`] runs probe tasks, [`pairs`] kernels that share a GPU. [`cli`] is the command, also for what
//! needs no kernel: the network (crossover-network) and programs that share a device (crossover-share).
//! `docs/MEASURING.md` describes each measurement.

pub mod benchmarks;
pub mod calibration;
pub mod cli;
pub mod cpu;
pub mod failure;
pub mod gpu;
pub mod kernels;
pub mod pairs;
pub mod probe;
pub mod quantity;
pub mod report;
pub mod runner;
pub mod sampling;
pub mod zipf;

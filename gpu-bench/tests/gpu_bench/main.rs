//! gpu-bench on the adapter of this machine: kernels, transfers, faults, and the program at a terminal.

mod command_line;
mod faults;
mod kernels;
mod pairs;
mod probe;
mod transfer;

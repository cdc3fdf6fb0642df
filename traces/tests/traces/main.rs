//! Traces and profiles as real tools write them, samples that no tool writes, and what is fitted to them.

mod arbitrary;
mod decisions;
mod kubernetes;
mod manifest;
mod openb;
mod openb_lines;
mod philly;
mod preemption_fits;
mod profiled;
mod slurm;

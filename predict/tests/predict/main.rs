//! Networks from files, training on measured runs, and execution times on GPUs that no predictor saw.

mod features;
mod neusight;
mod train;
mod types;

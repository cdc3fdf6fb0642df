//! Probes: laws of ranking and scaling, code of kernels, and the study as a whole.

mod code;
mod laws;
mod study;

//! Probes: laws of ranking and scaling, and the study as a whole.

mod laws;
mod study;

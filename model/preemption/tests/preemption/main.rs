//! Preemption: fits, policies and the study as a whole.

mod fits;
mod policies;
mod study;

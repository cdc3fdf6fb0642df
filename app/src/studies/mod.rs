//! How each kind of study looks in the window, and what it can do there; one room for each. `kinds.rs` finds them.

pub mod allocation;
mod export_menu;
mod headline;
pub mod placement;
pub mod preemption;
pub mod probe;
pub mod regulation;
mod span;

//! Tools that act on any study, as tabs of the window. They use numbers and figures only, not the kind of study.

mod along;
pub mod compare;
mod curves;
mod influence;
mod kept;
pub mod map;
mod pace;
mod pick;
pub mod report;
mod sample;
pub mod search;
pub mod sweep;
pub mod uncertainty;
mod usual_range;

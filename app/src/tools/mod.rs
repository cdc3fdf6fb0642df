//! Tools that act on any study, as tabs of the window. They know numbers and figures, and no kind of study.

pub mod sweep;

//! Regulation: the published example, the loop, recordings, tuning, and what holds for every study.

mod closed_loop;
mod control_table;
mod learned;
mod properties;
mod published;
mod recordings;
mod regulator;
mod tuning;

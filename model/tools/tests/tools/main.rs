//! The tools, on every shipped scenario.

mod bands;
mod bills;
mod compare;
mod every_tool;
mod formulas;
mod likelihood;
mod map;
mod paired;
mod rounds;
mod search;
mod shards;
mod sweep;
mod uncertainty;

//! What Spark's nodes become: operators, what they repeat, their numbers and their CPU time.

mod balance;
mod build;
mod cpu_time;
mod facts;
mod numbers;
mod operators;
mod real_logs;
mod reuse;
mod scenario;
mod ui_ids;

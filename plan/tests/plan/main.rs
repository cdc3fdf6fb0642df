//! Query plans of every engine. One binary: each would link all planners of SQL.

mod cases;
mod engines;
mod spark_log;
mod spark_plans;
mod spark_sample;
mod sql;

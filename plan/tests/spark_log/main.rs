//! Spark event logs become imports.

mod published;

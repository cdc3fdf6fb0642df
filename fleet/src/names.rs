//! Names in a folder of results besides those of tables.

/// The folder of configuration.
pub const RAPIDS: &str = "rapids";

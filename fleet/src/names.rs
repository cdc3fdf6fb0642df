//! Names of what lies in a folder of results besides tables.

/// The folder of configuration.
pub const RAPIDS: &str = "rapids";

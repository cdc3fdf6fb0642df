//! What a query moves: data read, files opened, data of exchanges, and rows that some operators multiply.

use super::Plan;

/// What a query moves, as its engine counted it or as its plan says: what a time on GPUs depends on beside the time on CPUs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Volumes {
    /// Compressed bytes of the columns that scans read, GB.
    pub read_gb: f64,
    /// Files that scans open.
    pub files: f64,
    /// Scans of tables in partitions.
    pub partitioned_scans: f64,
    /// Data of each exchange that is not reused, column by column, GB.
    pub exchanges_gb: Vec<f64>,
    /// Rows that window functions read.
    pub window_rows: f64,
    /// Rows that grouping sets make.
    pub expanded_rows: f64,
    /// Most copies that one operator makes of a row.
    pub copies: f64,
    /// Pairs that joins without equal keys compare.
    pub pairs: f64,
}

impl Volumes {
    /// The volumes of a plan; `None` if its engine did not count all of them.
    #[must_use]
    pub fn reported(_plan: &Plan) -> Option<Self> {
        None
    }
}

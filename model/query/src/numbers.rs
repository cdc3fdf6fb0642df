//! Rows and bytes of a node, reported or estimated.

use super::amount::Amount;

/// Rows and bytes of one node, none of them missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers {
    /// Rows read.
    pub rows_in: Amount,
    /// Output rows.
    pub rows_out: Amount,
    /// Bytes read.
    pub bytes_in: Amount,
    /// Output bytes, uncompressed.
    pub bytes_out: Amount,
    /// Bytes of one output row.
    pub row_width: Amount,
}

impl Numbers {
    /// Output rows ÷ rows read: selectivity, expansion or reduction; `None` if no row is read.
    #[must_use]
    pub fn selectivity(&self) -> Option<f64> {
        (self.rows_in.value > 0.0).then(|| self.rows_out.value / self.rows_in.value)
    }
}

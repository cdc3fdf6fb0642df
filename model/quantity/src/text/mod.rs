//! Results as text: what may stand in a line, tables, and the records of CSV files.

pub mod csv;
mod line;
mod table;

pub use self::line::{escaped, one_line, shortened, visible};
pub use self::table::{Align, Column, Table};

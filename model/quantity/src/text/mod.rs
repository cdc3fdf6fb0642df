//! Results as text: safe lines, tables, and records of CSV files.

pub mod csv;
mod line;
mod table;

pub use self::line::{escaped, one_line, shortened, visible};
pub use self::table::{Align, Column, Table};

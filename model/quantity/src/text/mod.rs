//! Results as text: lines, tables, reports, and the records of CSV files.

mod between;
mod count;
pub mod csv;
mod line;
mod printable;
mod table;
mod text_report;

pub use self::between::between;
pub use self::count::{counted, counted_of};
pub use self::line::{escaped, one_line, paragraph, shortened, visible};
pub use self::printable::{LONGEST_MESSAGE, Printable};
pub use self::table::{Align, Column, Table};
pub use self::text_report::{ReportBlock, TextReport};

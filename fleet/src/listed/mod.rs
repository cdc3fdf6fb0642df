//! The applications of a fleet as a list that is filtered, sorted and grouped. Nothing here draws.

mod arranged;
mod filter;
mod group;
mod order;
mod pattern;
mod row;
mod total;

pub use arranged::{Arranged, Arrangement, Blocked, arrange};
pub use filter::Filter;
pub use group::{By, Group};
pub use order::{Column, Order};
pub use pattern::pattern;
pub use row::{Row, rows};
pub use total::{Cumulative, Total};

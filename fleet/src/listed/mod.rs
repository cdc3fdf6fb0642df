//! The applications of a fleet as a list that is filtered, sorted and grouped. Nothing here draws.

mod arranged;
mod filter;
mod group;
mod order;
mod pattern;
mod row;

pub use arranged::{Arranged, Arrangement, Blocked, Cumulative, arrange};
pub use filter::Filter;
pub use group::{By, Group, Total};
pub use order::{Column, Order};
pub use pattern::pattern;
pub use row::{Row, rows};

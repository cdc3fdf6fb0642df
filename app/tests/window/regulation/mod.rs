//! The Regulation page.

mod live;

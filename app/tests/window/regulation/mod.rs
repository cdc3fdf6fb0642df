//! The regulation page as a user meets it.

mod gains;

//! Whole query plans: what every term costs, that the decision is the best there is, and its reasons.

mod along;
mod best;
mod costs;
mod plans;
mod reasons;
mod rules;

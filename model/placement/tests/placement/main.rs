//! Placement: the published example, plans decided whole, and what holds for every study.

mod plan_estimates;
mod properties;
mod published;
mod whole_plan;

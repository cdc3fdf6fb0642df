//! One decision about a workload: what runs it today, what else could, in which time, for which cost, and how sure that is.
//!
//! Every statement about the time, cost and likelihoods of a query or an application in whole engines comes from [`decide`]. It
//! gets the time today and the predicted times of the candidates, and knows no engine. `docs/model/decision.md` states every
//! formula.
//!
//! - [`time`]: a predicted time and the distribution of its error
//! - [`TimeDigits`]: with how many digits it is written
//! - [`candidate`]: what is decided between
//! - [`evidence`]: the measured runs of a prediction, their age, and how far they are from the workload
//! - [`objective`]: what the user wants: least cost within a time limit, least time within a budget, or the Pareto front of both
//! - [`decision`]: the decision, with all likelihoods
//! - [`dependence`]: what the decision depends on most
//! - [`difference`]: two costs and their difference, rounded so that they add up
//! - `decision::limits`: the nearest time limits with which another verdict or another option is recommended
//! - `decision::best`: the verdict on each option, and the best option
//! - `decision::pareto`: which options no other one dominates in time and cost
//! - `front`: the Pareto front in words, where it is the goal
//! - [`price`]: a price, what it is based on, and its range
//! - [`PriceChange`]: a price at which another option is recommended
//! - [`BreakEvenPrices`]: prices at which the expected saving of a recommended option is zero
//! - [`growth`]: the growth of the data at which another option wins
//! - [`saving`]: the saving of a month, and the payback of the effort
//! - [`Spending`]: what runs cost today and with an option, a run and a month
//! - `expected`: the expected saving and the payback in words
//! - [`time_limit`]: the longest time of a run: a factor of today's time, or a time
//! - [`trial`]: predicted times beside measured ones, and the decision after a trial
//! - [`runs`]: several runs of the workload today
//! - [`verdict`]: move, try, stay, cannot be judged: the rules
//! - `choice`: the sentence of options that are about as good
//! - `alternatives`: texts about several options, with shared clauses written once
//! - `assumed_price`: an assumed price in sentences
//! - `without_a_move`: whether today's run keeps the limit if it takes less time
//! - [`words`]: the decision in sentences

mod alternatives;
mod assumed_price;
mod break_even;
pub mod candidate;
mod choice;
mod comparison;
pub mod decision;
pub mod dependence;
pub mod difference;
pub mod evidence;
mod expected;
mod front;
pub mod growth;
mod money;
mod normal;
pub mod objective;
mod place;
pub mod price;
mod price_change;
mod reason;
pub mod runs;
pub mod saving;
mod saving_interval;
mod spending;
pub mod time;
mod time_digits;
pub mod time_limit;
pub mod trial;
pub mod verdict;
mod without_a_move;
pub mod words;

pub use break_even::BreakEvenPrices;
pub use candidate::{Baseline, Candidate, set_price_today};
pub use choice::OtherSaving;
pub use decision::{Decision, DecisionOption, NearTie, decide, judge};
pub use dependence::Dependence;
pub use evidence::Evidence;
pub use expected::is_extra;
pub use objective::{Goal, Objective};
pub use price::{Price, PriceBasis};
pub use price_change::{PriceChange, PricedMachines, TieEnd};
pub use runs::MeasuredRuns;
pub use saving::{MonthlySaving, Payback};
pub use spending::Spending;
pub use time::PredictedTime;
pub use time_digits::TimeDigits;
pub use time_limit::TimeLimit;
pub use verdict::Verdict;

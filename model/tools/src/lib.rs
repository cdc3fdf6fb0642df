//! Tools that act on any study: they use numbers and figures only, not the kind of study.
//!
//! - [`mod@sweep`]: figures along one number
//! - [`mod@bands`]: 90 % intervals of these curves
//! - [`mod@joint`]: the same of values that are no figures
//! - [`mod@map`]: figures over two numbers
//! - [`mod@compare`]: numbers that differ between scenarios, and their figures side by side
//! - [`mod@paired`]: how likely each of them is better
//! - [`mod@uncertainty`]: distributions of figures, where numbers are uncertain
//! - [`mod@sensitivity`]: which uncertain numbers a figure depends on most
//! - [`mod@search`]: the best feasible values and entries
//! - [`mod@one_at_a_time`]: which numbers change a figure at all, and how far
//! - [`unknowns`]: uncertain numbers, and points of the space of their values
//! - [`batch`]: studies whose figures are formulas, evaluated at many points at once
//! - [`sequence`]: points that fill the unit cube evenly
//! - [`rounds`]: sampling in rounds, each more exact than the one before
//! - [`points`]: the numbered points of a tool, evaluated here, or in shards on several machines
//! - [`range`]: a number with a range of values
//! - [`titles`]: what people call a number
//! - [`values`]: values of figures at points
//! - [`selected`]: the figures of a request

pub mod bands;
pub mod batch;
pub mod compare;
mod contour;
pub mod joint;
pub mod map;
pub mod one_at_a_time;
pub mod paired;
pub mod points;
pub mod range;
pub mod rounds;
mod sampled;
pub mod search;
pub mod selected;
pub mod sensitivity;
pub mod sequence;
pub mod sweep;
pub mod titles;
pub mod uncertainty;
pub mod unknowns;
pub mod values;

pub use bands::{Bands, BandsError, bands};
pub use compare::{CompareError, Comparison, compare};
pub use map::{Map, MapError, Mapped, map};
pub use paired::{Paired, PairedError, paired};
pub use points::Shard;
pub use range::{LeftOut, Range, RangeError};
pub use sampled::NotAllowed;
pub use search::{Search, SearchError, Searched, search};
pub use sensitivity::{Sensitivity, sensitivity};
pub use sweep::{Sweep, SweepError, Swept, sweep};
pub use uncertainty::{Sampling, Uncertain, UncertaintyError, uncertainty};
pub use unknowns::Unknowns;

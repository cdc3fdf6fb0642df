//! What a query takes in a whole engine: profiles of engines, what a plan makes each of them do, and how sure that is.
//!
//! The published method costs one operator after another by what one core does. Engines take time besides: to start, to
//! open files, from one exchange to the next, for what goes over the network, for what does not fit in memory. A profile
//! has a handful of such numbers for one engine on one cluster, fitted to runs of whole queries.
//!
//! - [`profile`]: an engine on its machines, and how much its predictions are wrong
//! - [`work`]: what a plan makes an engine do
//! - [`mod@predict`]: how long that takes on either side
//! - [`mod@file`]: a profile as a file
//! - [`mod@fit`]: profiles from runs of queries
//! - [`truth`]: predictions compared with what was measured, beside a predictor that knows nothing

pub mod file;
pub mod fit;
pub mod predict;
pub mod profile;
pub mod truth;
pub mod work;

pub use file::Profile;
pub use fit::{Fit, Run, fit};
pub use predict::{Part, Prediction, Range, predict};
pub use profile::{Engine, Engines, Machines, Partitioned};
pub use truth::{Judged, Summary, judge};
pub use work::{Work, WorkOf};

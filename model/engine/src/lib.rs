//! Time of a query in a whole engine: profiles of engines, the work of a plan in each of them, and the error.
//!
//! The published method costs one operator after another by the time of one core. Engines take additional time: to start, to
//! open files, from one exchange to the next, for the network, and for data that does not fit in memory. A profile has a
//! handful of such numbers for one engine on one cluster, fitted to runs of whole queries.
//!
//! - [`additive`]: the time on GPUs from the measured time on CPUs and from what the query moves; [`anchored`]: its numbers
//! - [`planned`]: the times of a query that never ran, from what its plan says that it will move; [`from_plan`]: their numbers
//! - [`constant`]: one speedup for all queries, where no form is better; [`elsewhere`]: its numbers on other machines
//! - [`profile`]: an engine on its machines, and the errors of its predictions; `fitted`: the machines of its measurement
//! - [`work`]: the work of a plan in an engine
//! - [`mod@predict`]: the time of that work on either side
//! - [`mod@file`]: a profile as a file
//! - [`mod@fit`]: profiles from runs of queries
//! - [`learn`]: the time factor and the error after a trial
//! - [`truth`]: predictions compared with measurements, and with the median of all other queries
//! - [`score`]: predictions of queries that the fit did not see, compared with a constant

pub mod additive;
pub mod anchored;
pub mod constant;
pub mod elsewhere;
pub mod file;
pub mod fit;
mod fitted;
pub mod from_plan;
pub mod learn;
pub mod planned;
pub mod predict;
pub mod profile;
pub mod score;
pub mod truth;
pub mod work;

pub use additive::Additive;
pub use anchored::Anchored;
pub use elsewhere::Elsewhere;
pub use file::Profile;
pub use fit::{
    AnchoredFit, AnchoredRun, Fit, FromPlanFit, LeftOut, PlannedLeftOut, PlannedRun, Run, fit, fit_anchored,
    fit_from_plan,
};
pub use from_plan::{FromPlan, PlanTime};
pub use learn::Posterior;
pub use planned::Planned;
pub use predict::{Part, Prediction, Range, predict};
pub use profile::{Engine, Engines, Machines, Measurement, Partitioned};
pub use score::{Score, ScoredQuery, ScoredSide};
pub use truth::{Judged, Summary, judge};
pub use work::{Work, WorkOf};

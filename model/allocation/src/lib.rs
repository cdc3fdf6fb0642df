//! Allocation: sharing the GPUs of a cluster among tasks. Each task requests a share of one GPU, or several whole GPUs.
//!
//! - [`amount`]: amounts of GPUs, whole ones and parts in one unit
//! - [`cluster`]: nodes and their free resources
//! - [`trace`]: a recorded cluster and its tasks
//! - [`recorded`]: a trace whose tasks arrive at their recorded times
//! - [`history`]: what policies would have done with recorded tasks, beside what happened
//! - [`workload`]: requests of tasks
//! - [`fragment`]: idle GPU capacity that typical tasks cannot use
//! - [`policy`]: scheduling policies: which node and which GPUs a task gets
//! - [`score`]: scores of all nodes for a task, cached until a node changes
//! - [`live`]: pods of a real cluster are placed as they arrive
//! - [`fill`]: tasks arrive and never leave, until a demand is reached
//! - `release`: which tasks are released for a latency-sensitive one
//! - [`replay`]: tasks arrive, wait, run and leave
//! - [`reason`]: why a task is rejected
//! - [`explain`]: why a task ran on its node
//! - [`timeline`]: which task ran on which GPUs, and when
//! - [`described`]: nodes and tasks of a study, one by one
//! - [`study`], [`outcome`], [`subject`]: the inputs of a study, and its figures

pub mod amount;
pub mod cluster;
pub mod described;
mod edit;
pub mod explain;
pub mod fill;
pub mod fragment;
mod group_requests;
mod group_shares;
pub mod history;
pub mod live;
mod mix;
pub mod named;
mod order_range;
pub mod outcome;
pub mod policy;
pub mod reason;
pub mod recorded;
mod release;
pub mod replay;
pub mod replay_tasks;
pub mod score;
pub mod study;
pub mod subject;
pub mod summary;
pub mod timeline;
pub mod trace;
mod validate;
pub mod workload;

pub use amount::{GpuAmount, Part, THOUSANDTH, WHOLE};
pub use cluster::{Cluster, Gpus, MOST_GPUS, Node, NodeSpec};
pub use described::Described;
pub use fill::{Fill, FillPoint, Filled, Rejected};
pub use fragment::Typical;
pub use history::{History, HistoryFigures, HistoryOptions, WaitErrors};
pub use live::{Lack, Live, LiveSetting};
pub use named::{Form, Found, NamedFile, NamedTrace};
pub use outcome::{Outcome, PolicyOutcome, evaluate, evaluate_watched};
pub use policy::Policy;
pub use reason::RejectionReason;
pub use replay::{Arrival, Log, Replay, Replayed, RequestProperties, Served, ShareChange, SharingPolicy, TaskRun};
pub use replay_tasks::ReplayTasks;
pub use study::{Allocation, Arrivals, Board, GpuType, NodeGroup, Pair, PolicyChoice, RunsOn, TaskGroup, Timing};
pub use timeline::{GpuShare, PlacedRun, placed_runs};
pub use trace::{Requests, Task, Trace};
pub use workload::{Request, Workload};

//! The benchmarks. Each is an entry of [`all`]: its meaning, its cases, and the function that measures a case.
//! The runner does not depend on operators, nor an operator on the order of a suite.

pub mod aggregate;
pub mod bench;
pub mod canary;
pub mod case;
pub mod compress;
pub mod compute;
pub mod end_to_end;
pub mod filter;
pub mod join;
pub mod launch;
pub mod memory;
pub mod scan;
pub mod sort;
pub mod transfer;

use self::bench::{Bench, Outcome};
use self::case::{Case, Scale};
use crate::failure::Failure;

/// A benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Benchmark {
    /// Name in reports and on the command line, `group.what`.
    pub id: &'static str,
    /// Meaning of the number, for `explain`.
    pub explains: &'static str,
    /// Minimum bytes moved, as a formula.
    pub traffic: &'static str,
    /// The roof that its speed is compared with.
    pub roof: Roof,
    /// The cases of a suite.
    pub cases: fn(&Scale) -> Vec<Case>,
    /// Prepares, verifies and measures one case.
    pub measure: fn(&Bench<'_>, &Case) -> Result<Outcome, Failure>,
}

/// The limit that a speed is a share of; measured in the same run, except the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roof {
    /// No known limit.
    Unbounded,
    /// `memory.copy` on the GPU.
    Copy,
    /// `memory.read` on the GPU.
    Read,
    /// `memory.gather` on the GPU, from the table nearest in size: the parameter `table_bytes`.
    Gather,
    /// The link between CPU and GPU, as reported by the system.
    Link,
}

impl Roof {
    /// The benchmark that measures it, if any.
    #[must_use]
    pub fn id(self) -> Option<&'static str> {
        match self {
            Self::Unbounded | Self::Link => None,
            Self::Copy => Some("memory.copy"),
            Self::Read => Some("memory.read"),
            Self::Gather => Some("memory.gather"),
        }
    }
}

/// All benchmarks, roofs first: the others are shares of them.
#[must_use]
pub fn all() -> Vec<Benchmark> {
    [
        launch::BENCHMARKS,
        transfer::BENCHMARKS,
        memory::BENCHMARKS,
        compute::BENCHMARKS,
        scan::BENCHMARKS,
        filter::BENCHMARKS,
        join::BENCHMARKS,
        aggregate::BENCHMARKS,
        sort::BENCHMARKS,
        compress::BENCHMARKS,
        end_to_end::BENCHMARKS,
    ]
    .concat()
}

/// Whether an id is `wanted`, or in the group `wanted`.
#[must_use]
pub fn is_inside(id: &str, wanted: &str) -> bool {
    id.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The benchmark of this name.
#[must_use]
pub fn find(id: &str) -> Option<Benchmark> {
    all().into_iter().find(|benchmark| benchmark.id == id)
}

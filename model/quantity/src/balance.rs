//! Whether the parts of an import add up to what its file says in total: operators of a query, nodes and tasks of a cluster, kernels of
//! a profile, measured runs and pairs, recorded requests.
//!
//! ```text
//! total = accounted + Σ unaccounted        unaccounted: amounts, each with its reason
//! ```
//! Every importer fills a balance for each total that its file has. A time without an operator is carried by a node of its own
//! (`Node::without_operator`), so that it counts in the times of all options and no option shortens it: the model cannot know
//! what it was. With more than [`JUDGED_UP_TO`] of a time unaccounted, no option is judged.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::text::counted_of;
use crate::unit::Unit;

/// Largest share of a time without an operator with which a query is judged. NVIDIA's qualification tool recommends an
/// application only if unsupported operators take up to 25 % of its stages' time (`qualification-conf.yaml` of
/// spark-rapids-tools); what is not known to be supported is no better.
pub const JUDGED_UP_TO: f64 = 0.25;
/// Smaller shares are rounding errors of sums.
const ROUNDING: f64 = 1e-9;
/// Smaller shares are not mentioned: they round to 0 %.
const SHOWN_FROM: f64 = 0.005;

/// Reasons of a balance that are named; the amounts of others are added up.
const MOST_REASONS: usize = 8;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 400;

/// What is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BalanceOf {
    /// CPU time over all cores, seconds.
    CpuSeconds,
    /// Time on the clock, seconds; of a parallel plan that of one process.
    WallSeconds,
    /// Run time of tasks, added up, of a query that ran on GPUs: its CPU time is not that of its operators.
    TaskSeconds,
    /// Tasks.
    Tasks,
    /// Data read from storage or cache, bytes.
    BytesRead,
    /// Run time of all launches of kernels, seconds.
    KernelSeconds,
    /// Nodes of a cluster.
    Nodes,
    /// GPUs of the nodes of a cluster.
    Gpus,
    /// Pods or jobs of a cluster.
    Jobs,
    /// GPUs that pods request, or parts of one.
    RequestedGpus,
    /// Measured runs: of probes, or of kernels at a size of their input.
    Runs,
    /// Measurements of two kernels that share a GPU.
    Pairs,
    /// Recorded requests.
    Requests,
}

impl BalanceOf {
    /// Its name within a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::CpuSeconds => "CPU time",
            Self::WallSeconds => "time",
            Self::TaskSeconds => "task time",
            Self::Tasks => "number of tasks",
            Self::BytesRead => "data read",
            Self::KernelSeconds => "kernel time",
            Self::Nodes => "number of nodes",
            Self::Gpus => "number of GPUs",
            Self::Jobs => "number of jobs",
            Self::RequestedGpus => "number of requested GPUs",
            Self::Runs => "number of runs",
            Self::Pairs => "number of pairs",
            Self::Requests => "number of requests",
        }
    }

    /// Whether it is a time.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::CpuSeconds | Self::WallSeconds | Self::TaskSeconds | Self::KernelSeconds)
    }

    /// Whether times of a query in other engines are predicted from it: not from the task time of a run on GPUs.
    #[must_use]
    pub fn is_predicted_from(self) -> bool {
        matches!(self, Self::CpuSeconds | Self::WallSeconds)
    }

    /// What has the parts of the total, and what has none of the rest.
    fn holders(self) -> [&'static str; 2] {
        match self {
            Self::CpuSeconds | Self::WallSeconds | Self::TaskSeconds | Self::Tasks | Self::BytesRead => {
                ["operators", "no operator"]
            }
            Self::KernelSeconds => ["kernels", "no kernel"],
            Self::Nodes => ["nodes of the import", "no node of the import"],
            Self::Gpus => ["nodes", "no node"],
            Self::Jobs | Self::RequestedGpus => ["tasks", "no task"],
            Self::Runs => ["runs of the import", "no run of the import"],
            Self::Pairs => ["pairs of the import", "no pair of the import"],
            Self::Requests => ["requests of the import", "no request of the import"],
        }
    }

    /// What one of it is called; `None` for an amount that is not counted.
    fn noun(self) -> Option<&'static str> {
        match self {
            Self::CpuSeconds | Self::WallSeconds | Self::TaskSeconds | Self::KernelSeconds | Self::BytesRead => None,
            Self::Tasks => Some("task"),
            Self::Nodes => Some("node"),
            Self::Gpus => Some("GPU"),
            Self::Jobs => Some("job"),
            Self::RequestedGpus => Some("requested GPU"),
            Self::Runs => Some("run"),
            Self::Pairs => Some("pair"),
            Self::Requests => Some("request"),
        }
    }

    fn format(self, amount: f64) -> String {
        match self {
            Self::CpuSeconds | Self::WallSeconds | Self::TaskSeconds | Self::KernelSeconds => {
                Unit::Seconds.format(amount)
            }
            Self::Tasks
            | Self::Nodes
            | Self::Gpus
            | Self::Jobs
            | Self::RequestedGpus
            | Self::Runs
            | Self::Pairs
            | Self::Requests => Unit::Count.format(amount),
            Self::BytesRead => Unit::Gigabytes.format(amount / 1e9),
        }
    }
}

/// An amount that belongs to no part of the import: no operator, node, kernel or run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unaccounted {
    /// How much.
    pub amount: f64,
    /// Why, as a clause without a full stop.
    pub reason: String,
}

/// A total of a file, and how much of it the parts of the import have: operators, nodes, kernels, runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// What is added up.
    pub quantity: BalanceOf,
    /// What the file says.
    pub total: f64,
    /// What the parts have.
    pub accounted: f64,
    /// The rest of the total.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unaccounted: Vec<Unaccounted>,
}

impl Balance {
    /// A balance of which operators, nodes or kernels have this part.
    #[must_use]
    pub fn new(quantity: BalanceOf, total: f64, accounted: f64) -> Self {
        Self { quantity, total, accounted, unaccounted: Vec::new() }
    }

    /// Adds an amount that belongs to no part; none that is a rounding error.
    #[must_use]
    pub fn without(mut self, amount: f64, reason: impl Into<String>) -> Self {
        if amount > ROUNDING * self.total {
            self.unaccounted.push(Unaccounted { amount, reason: reason.into() });
        }
        self
    }

    /// Sum of what belongs to no part.
    #[must_use]
    pub fn missing(&self) -> f64 {
        self.unaccounted.iter().map(|part| part.amount).sum()
    }

    /// Share of the total by which the parts are off it, 0 … 1: too little, or too much.
    #[must_use]
    pub fn share(&self) -> f64 {
        let off = self.missing().max((self.total - self.accounted).abs());
        if self.total > 0.0 { (off / self.total).min(1.0) } else { f64::from(u8::from(off > 0.0)) }
    }

    /// Whether the share does not round to 0 %.
    #[must_use]
    pub fn is_mentioned(&self) -> bool {
        self.share() >= SHOWN_FROM
    }

    /// An amount of what is counted, beside the total: "5 of 125 runs"; `None` for a time or for data.
    #[must_use]
    pub fn part(&self, amount: f64) -> Option<String> {
        Some(counted_of(amount, self.total, self.quantity.noun()?))
    }

    /// "98 % of its CPU time (200 s of 204 s) belongs to no operator: no operator ran in stage 1"; `None` for a share that
    /// rounds to 0 %.
    #[must_use]
    pub fn clause(&self) -> Option<String> {
        if !self.is_mentioned() {
            return None;
        }
        let (label, total) = (self.quantity.label(), self.quantity.format(self.total));
        let missing = self.missing();
        let [holders, none] = self.quantity.holders();
        if missing <= 0.0 {
            let accounted = self.quantity.format(self.accounted);
            return Some(format!("its {holders} have {accounted}, but its {label} is {total}"));
        }
        let reasons: Vec<&str> = self.unaccounted.iter().map(|part| part.reason.as_str()).collect();
        let missing = self.quantity.format(missing);
        let share = Unit::Share.format((self.share() * 1000.0).round() / 1000.0);
        Some(format!("{share} of its {label} ({missing} of {total}) belongs to {none}: {}", reasons.join("; ")))
    }

    /// Whether a query can be judged all the same.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        !self.quantity.is_predicted_from() || self.share() <= JUDGED_UP_TO
    }
}

/// A balance while a file is read.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    quantity: BalanceOf,
    accounted: f64,
    /// Amounts by reason.
    lost: BTreeMap<String, f64>,
    /// Amount of further reasons.
    others: f64,
}

impl Tally {
    /// Of nothing so far.
    #[must_use]
    pub fn new(quantity: BalanceOf) -> Self {
        Self { quantity, accounted: 0.0, lost: BTreeMap::new(), others: 0.0 }
    }

    /// Adds an amount that a part of the import has.
    pub fn keep(&mut self, amount: f64) {
        self.accounted += amount;
    }

    /// Adds an amount that no part has, with the reason, a clause without a full stop.
    pub fn lose(&mut self, amount: f64, reason: &str) {
        if amount <= 0.0 {
            return;
        }
        let reason: String = reason.chars().take(LONGEST_REASON).collect();
        if let Some(sum) = self.lost.get_mut(&reason) {
            *sum += amount;
        } else if self.lost.len() < MOST_REASONS {
            self.lost.insert(reason, amount);
        } else {
            self.others += amount;
        }
    }

    /// Adds an amount that a part has if reading it succeeded; else the problem is the reason.
    pub fn add<T>(&mut self, amount: f64, outcome: &Result<T, String>) {
        match outcome {
            Ok(_) => self.keep(amount),
            Err(problem) => self.lose(amount, problem),
        }
    }

    /// Adds the amounts of another file.
    pub fn merge(&mut self, other: &Self) {
        self.accounted += other.accounted;
        self.others += other.others;
        for (reason, amount) in &other.lost {
            self.lose(*amount, reason);
        }
    }

    /// The balance; `None` if the file has none of it.
    #[must_use]
    pub fn balance(self) -> Option<Balance> {
        let total = self.accounted + self.lost.values().sum::<f64>() + self.others;
        let balance = Balance::new(self.quantity, total, self.accounted);
        let lost = self.lost.into_iter().chain([("other reasons".to_owned(), self.others)]);
        (total > 0.0).then(|| lost.fold(balance, |balance, (reason, amount)| balance.without(amount, reason)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balance_says_how_much_belongs_to_no_operator_and_why() {
        let balance = Balance::new(BalanceOf::CpuSeconds, 204.0, 4.0).without(200.0, "no operator ran in stage 1");
        let clause = balance.clause().expect("200 of 204 s");
        // 200 ÷ 204 = 0.980.
        assert!(clause.starts_with("98 % of its CPU time") && clause.ends_with("stage 1"), "{clause}");
        assert!(!balance.is_judged());
    }

    #[test]
    fn a_tally_keeps_every_amount_and_a_bounded_number_of_reasons() {
        let mut tally = Tally::new(BalanceOf::Gpus);
        tally.keep(16.0);
        for node in 0..MOST_REASONS + 2 {
            tally.lose(1.0, &format!("node {node} has no name"));
            tally.lose(0.5, "duplicate node name");
        }
        let balance = tally.balance().expect("GPUs");
        // 16 of nodes, and 1.5 of each of the others.
        assert!((balance.total - (16.0 + 1.5 * (MOST_REASONS + 2) as f64)).abs() < 1e-9, "{balance:?}");
        assert!((balance.accounted + balance.missing() - balance.total).abs() < 1e-9, "{balance:?}");
        assert_eq!(balance.unaccounted.len(), MOST_REASONS + 1, "{balance:?}");
        assert_eq!(Tally::new(BalanceOf::Gpus).balance(), None);
    }

    #[test]
    fn amounts_of_two_files_are_added_by_their_reasons() {
        let of = |kept: f64, lost: &[(f64, &str)]| {
            let mut tally = Tally::new(BalanceOf::KernelSeconds);
            tally.keep(kept);
            for (amount, reason) in lost {
                tally.lose(*amount, reason);
            }
            tally
        };
        let mut both = of(2.0, &[(1.0, "no name"), (0.5, "no threads")]);
        both.merge(&of(3.0, &[(0.25, "no name")]));
        let expected = Balance::new(BalanceOf::KernelSeconds, 6.75, 5.0).without(1.25, "no name");
        assert_eq!(both.balance(), Some(expected.without(0.5, "no threads")));
    }

    #[test]
    fn an_amount_of_what_is_counted_stands_beside_the_total() {
        let part = |quantity, total| Balance::new(quantity, total, 0.0).part(1.0);
        assert_eq!(part(BalanceOf::Runs, 125.0).as_deref(), Some("1 of 125 runs"));
        assert_eq!(part(BalanceOf::Requests, 1.0).as_deref(), Some("1 of 1 request"));
        assert_eq!(part(BalanceOf::KernelSeconds, 125.0), None);
    }

    #[test]
    fn a_balance_names_the_parts_of_its_file() {
        let gpus = Balance::new(BalanceOf::Gpus, 24.0, 16.0).without(8.0, "duplicate node name");
        // 8 ÷ 24 = 0.333.
        let clause = gpus.clause().expect("a third");
        assert!(clause.starts_with("33.3 % of its number of GPUs (8 of 24) belongs to no node: dup"), "{clause}");
        assert!(gpus.is_judged());
    }

    #[test]
    fn up_to_a_quarter_without_an_operator_is_judged() {
        let of =
            |missing: f64| Balance::new(BalanceOf::WallSeconds, 100.0, 100.0 - missing).without(missing, "planning");
        assert!(of(0.0).is_judged() && of(25.0).is_judged());
        assert!(!of(26.0).is_judged());
        assert_eq!((of(0.0).clause(), of(0.4).clause()), (None, None));
        assert!(of(3.0).clause().is_some_and(|clause| clause.starts_with("3 % of its time (3 s of 100 s)")));
        // Lost tasks are no lost time.
        assert!(Balance::new(BalanceOf::Tasks, 100.0, 10.0).without(90.0, "repeated").is_judged());
    }

    #[test]
    fn data_read_has_units_of_bytes_and_is_judged() {
        let balance = Balance::new(BalanceOf::BytesRead, 4e9, 3e9).without(1e9, "no scan ran in stage 2");
        let clause = "25 % of its data read (1 GB of 4 GB) belongs to no operator: no scan ran in stage 2";
        assert_eq!((balance.clause().as_deref(), balance.is_judged()), (Some(clause), true));
        assert!(Balance::new(BalanceOf::BytesRead, 4e9, 0.0).without(4e9, "no scan").is_judged());
    }

    #[test]
    fn operators_with_more_than_the_total_are_off_it_as_well() {
        let balance = Balance::new(BalanceOf::WallSeconds, 100.0, 150.0);
        assert_eq!((balance.share(), balance.is_judged()), (0.5, false));
        assert!(balance.clause().is_some_and(|clause| clause.contains("150 s") && clause.contains("100 s")));
    }
}

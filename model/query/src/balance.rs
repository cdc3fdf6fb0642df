//! Whether the parts of an imported query add up to what its file says in total.
//!
//! ```text
//! total = accounted + Σ unaccounted        unaccounted: amounts, each with its reason
//! ```
//! Every importer fills a balance for each total that its file has. A time without an operator is carried by a node of its own
//! (`Node::without_operator`), so that it counts in the times of all options and no option shortens it: the model cannot know
//! what it was. With more than [`JUDGED_UP_TO`] of a time unaccounted, no option is judged.

use serde::{Deserialize, Serialize};

use crossover_quantity::unit::Unit;

/// Largest share of a time without an operator with which a query is judged. NVIDIA's qualification tool recommends an
/// application only if unsupported operators take up to 25 % of its stages' time (`qualification-conf.yaml` of
/// spark-rapids-tools); what is not known to be supported is no better.
pub const JUDGED_UP_TO: f64 = 0.25;
/// Smaller shares are rounding errors of sums.
const ROUNDING: f64 = 1e-9;
/// Smaller shares are not mentioned: they round to 0 %.
const SHOWN_FROM: f64 = 0.005;

/// What is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
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
}

impl Quantity {
    /// Its name within a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::CpuSeconds => "CPU time",
            Self::WallSeconds => "time",
            Self::TaskSeconds => "task time",
            Self::Tasks => "number of tasks",
            Self::BytesRead => "data read",
        }
    }

    /// Whether it is a time.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::CpuSeconds | Self::WallSeconds | Self::TaskSeconds)
    }

    fn format(self, amount: f64) -> String {
        match self {
            Self::CpuSeconds | Self::WallSeconds | Self::TaskSeconds => Unit::Seconds.format(amount),
            Self::Tasks => Unit::Count.format(amount),
            Self::BytesRead => Unit::Gigabytes.format(amount / 1e9),
        }
    }
}

/// An amount that belongs to no operator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unaccounted {
    /// How much.
    pub amount: f64,
    /// Why, as a clause without a full stop.
    pub reason: String,
}

/// A total of a file, and how much of it the operators of the import have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Balance {
    /// What is added up.
    pub quantity: Quantity,
    /// What the file says.
    pub total: f64,
    /// What the operators have.
    pub accounted: f64,
    /// The rest of the total.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unaccounted: Vec<Unaccounted>,
}

impl Balance {
    /// A balance of which the operators have this part.
    #[must_use]
    pub fn new(quantity: Quantity, total: f64, accounted: f64) -> Self {
        Self { quantity, total, accounted, unaccounted: Vec::new() }
    }

    /// Adds an amount that belongs to no operator; none that is a rounding error.
    #[must_use]
    pub fn without(mut self, amount: f64, reason: impl Into<String>) -> Self {
        if amount > ROUNDING * self.total {
            self.unaccounted.push(Unaccounted { amount, reason: reason.into() });
        }
        self
    }

    /// Sum of what belongs to no operator.
    #[must_use]
    pub fn missing(&self) -> f64 {
        self.unaccounted.iter().map(|part| part.amount).sum()
    }

    /// Share of the total by which the operators are off it, 0 … 1: too little, or too much.
    #[must_use]
    pub fn share(&self) -> f64 {
        let off = self.missing().max((self.total - self.accounted).abs());
        if self.total > 0.0 { (off / self.total).min(1.0) } else { f64::from(u8::from(off > 0.0)) }
    }

    /// "98 % of its CPU time (200 s of 204 s) belongs to no operator: no operator ran in stage 1"; `None` for a share that
    /// rounds to 0 %.
    #[must_use]
    pub fn clause(&self) -> Option<String> {
        let share = self.share();
        if share < SHOWN_FROM {
            return None;
        }
        let (label, total) = (self.quantity.label(), self.quantity.format(self.total));
        let missing = self.missing();
        if missing <= 0.0 {
            let accounted = self.quantity.format(self.accounted);
            return Some(format!("its operators have {accounted}, but its {label} is {total}"));
        }
        let reasons: Vec<&str> = self.unaccounted.iter().map(|part| part.reason.as_str()).collect();
        let missing = self.quantity.format(missing);
        let share = Unit::Share.format((share * 1000.0).round() / 1000.0);
        Some(format!("{share} of its {label} ({missing} of {total}) belongs to no operator: {}", reasons.join("; ")))
    }

    /// Whether the query can be judged all the same: no option is predicted from the task time of a run on GPUs.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        let is_predicted_from = matches!(self.quantity, Quantity::CpuSeconds | Quantity::WallSeconds);
        !is_predicted_from || self.share() <= JUDGED_UP_TO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balance_says_how_much_belongs_to_no_operator_and_why() {
        let balance = Balance::new(Quantity::CpuSeconds, 204.0, 4.0).without(200.0, "no operator ran in stage 1");
        let clause = balance.clause().expect("200 of 204 s");
        // 200 ÷ 204 = 0.980.
        assert!(clause.starts_with("98 % of its CPU time") && clause.ends_with("stage 1"), "{clause}");
        assert!(!balance.is_judged());
    }

    #[test]
    fn up_to_a_quarter_without_an_operator_is_judged() {
        let of =
            |missing: f64| Balance::new(Quantity::WallSeconds, 100.0, 100.0 - missing).without(missing, "planning");
        assert!(of(0.0).is_judged() && of(25.0).is_judged());
        assert!(!of(26.0).is_judged());
        assert_eq!((of(0.0).clause(), of(0.4).clause()), (None, None));
        assert!(of(3.0).clause().is_some_and(|clause| clause.starts_with("3 % of its time (3 s of 100 s)")));
        // Lost tasks are no lost time.
        assert!(Balance::new(Quantity::Tasks, 100.0, 10.0).without(90.0, "repeated").is_judged());
    }

    #[test]
    fn data_read_has_units_of_bytes_and_is_judged() {
        let balance = Balance::new(Quantity::BytesRead, 4e9, 3e9).without(1e9, "no scan ran in stage 2");
        let clause = "25 % of its data read (1 GB of 4 GB) belongs to no operator: no scan ran in stage 2";
        assert_eq!((balance.clause().as_deref(), balance.is_judged()), (Some(clause), true));
        assert!(Balance::new(Quantity::BytesRead, 4e9, 0.0).without(4e9, "no scan").is_judged());
    }

    #[test]
    fn operators_with_more_than_the_total_are_off_it_as_well() {
        let balance = Balance::new(Quantity::WallSeconds, 100.0, 150.0);
        assert_eq!((balance.share(), balance.is_judged()), (0.5, false));
        assert!(balance.clause().is_some_and(|clause| clause.contains("150 s") && clause.contains("100 s")));
    }
}

//! Measured runs: features, device and measured value of each.

use std::collections::BTreeMap;
use std::path::Path;

use crossover_quantity::text::counted;
use serde::{Deserialize, Serialize};

use super::error::TrainError;
use super::table::{LARGEST, shown};

/// Most features of a run.
pub const MOST_FEATURES: usize = 512;
/// Most types of devices.
pub const MOST_DEVICES: usize = 64;
/// Name of the device if the table has no column `device`.
pub const ONLY_DEVICE: &str = "measured GPU";
/// Fewest runs, so that every set has some.
pub const FEWEST_ROWS: usize = 10;

/// Predicted quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Utilisation of the compute units.
    Compute,
    /// Utilisation of the memory.
    Memory,
    /// Execution time.
    Time,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Compute, Self::Memory, Self::Time];

    /// Its column in a table.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Compute => "compute_percent",
            Self::Memory => "memory_percent",
            Self::Time => "seconds",
        }
    }

    /// The unit of that column.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Compute | Self::Memory => "%",
            Self::Time => "s",
        }
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Values of the features, in the order of [`Dataset::features`].
    pub features: Vec<f64>,
    /// Index of its device in [`Dataset::devices`].
    pub device: usize,
    /// Measured value, in [`Dataset::unit`].
    pub value: f64,
}

/// Measured runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Name of the file, or another source.
    pub source: String,
    /// FNV-1a of the text of the file; without a file, text of the caller.
    pub digest: String,
    /// Predicted quantity.
    pub target: Target,
    /// Its unit.
    pub unit: String,
    /// Names of the features.
    pub features: Vec<String>,
    /// Types of devices, sorted.
    pub devices: Vec<String>,
    /// The runs, in the order of the file.
    pub rows: Vec<Row>,
    /// Number of lines that were left out.
    pub left_out: usize,
    /// What was left out, and why; for the user.
    pub notes: Vec<String>,
}

/// Which measured quantities may be features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeatureSet {
    /// None: only what is known before the run.
    #[default]
    BeforeTheRun,
    /// Both utilisations, if the table has them, as features of the time: they can be predicted first.
    Utilisations,
}

impl Dataset {
    /// Leaves out constant features, from which nothing can be learned.
    pub(super) fn without_constants(&mut self, path: &Path) -> Result<(), TrainError> {
        let first = self.rows.first().map(|row| row.features.clone()).unwrap_or_default();
        let mut varies = vec![false; self.features.len()];
        for row in &self.rows {
            for ((varies, value), first) in varies.iter_mut().zip(&row.features).zip(&first) {
                *varies |= value != first;
            }
        }
        if !varies.contains(&true) {
            let problem = if self.features.is_empty() {
                format!(
                    "no column of numbers besides “{}”; add features that are known before a run",
                    self.target.column()
                )
            } else {
                format!(
                    "every feature is constant in all {} usable rows ({}); measure runs that differ in at least one",
                    self.rows.len(),
                    shown(&self.features.join(", "))
                )
            };
            return Err(TrainError::unusable(path, problem));
        }
        let constant: Vec<&str> =
            self.features.iter().zip(&varies).filter(|(_, varies)| !**varies).map(|(name, _)| name.as_str()).collect();
        if !constant.is_empty() {
            self.notes.push(format!("constant features, left out: {}", constant.join(", ")));
        }
        let kept = |place: usize| varies.get(place).copied().unwrap_or(false);
        let mut place = 0..;
        self.features.retain(|_| place.next().is_some_and(kept));
        for row in &mut self.rows {
            let mut place = 0..;
            row.features.retain(|_| place.next().is_some_and(kept));
        }
        if self.features.len() > MOST_FEATURES {
            let problem = format!("{} features; allowed: at most {MOST_FEATURES}", self.features.len());
            return Err(TrainError::unusable(path, problem));
        }
        Ok(())
    }

    /// The first problem of the runs.
    pub(super) fn problem(&self) -> Option<String> {
        let width = self.features.len();
        if self.rows.len() < FEWEST_ROWS {
            return Some(format!("{} usable rows; expected at least {FEWEST_ROWS}", self.rows.len()));
        }
        if width == 0 || width > MOST_FEATURES || self.devices.is_empty() || self.devices.len() > MOST_DEVICES {
            return Some(format!(
                "{width} features and {} devices; allowed: 1 to {MOST_FEATURES} and 1 to {MOST_DEVICES}",
                self.devices.len()
            ));
        }
        let bad = self.rows.iter().position(|row| {
            let is_number = |value: &f64| value.abs() <= LARGEST;
            row.features.len() != width
                || row.device >= self.devices.len()
                || !row.features.iter().all(is_number)
                || !is_number(&row.value)
        });
        bad.map(|place| {
            let numbers = counted(width as f64, "number");
            format!("row {}: expected {numbers} from -{LARGEST:e} to {LARGEST:e} and a known device", place + 1)
        })
    }
}

/// Sorted names of devices; `names` has the order in which they occurred.
pub(super) fn sorted_devices(names: BTreeMap<String, usize>, rows: &mut [Row]) -> Vec<String> {
    let mut places = vec![0; names.len()];
    for (sorted, original) in names.values().enumerate() {
        places[*original] = sorted;
    }
    for row in rows {
        row.device = places[row.device];
    }
    names.into_keys().collect()
}

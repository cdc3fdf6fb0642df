//! Measured runs: what was known before each, on which device it ran, and what it took.

use std::collections::BTreeMap;
use std::path::Path;

use csv::StringRecord;
use serde::{Deserialize, Serialize};

use super::error::TrainError;
use super::gpumemnet;
use super::table::{LARGEST, MOST_CHARACTERS, Table, number, shown};

/// Most features of a run.
pub const MOST_FEATURES: usize = 512;
/// Most types of devices.
pub const MOST_DEVICES: usize = 64;
/// What the only device is called where the table has no column `device`.
pub const ONLY_DEVICE: &str = "measured GPU";
/// Fewest runs: of fewer, no part would be left to check with.
pub const FEWEST_ROWS: usize = 10;

/// What is predicted.
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

    /// The column in which it stands.
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
    /// What was known before, in the order of [`Dataset::features`].
    pub features: Vec<f64>,
    /// Where it ran: place in [`Dataset::devices`].
    pub device: usize,
    /// What it took, in [`Dataset::unit`].
    pub value: f64,
}

/// Measured runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// Name of the file, or what else they come from.
    pub source: String,
    /// FNV-1a of the file's text; whatever the caller writes where there is no file.
    pub digest: String,
    /// What is predicted.
    pub target: Target,
    /// Its unit.
    pub unit: String,
    /// Names of the features.
    pub features: Vec<String>,
    /// Types of devices, sorted.
    pub devices: Vec<String>,
    /// The runs, in the order of the file.
    pub rows: Vec<Row>,
    /// Lines that could not be used.
    pub left_out: usize,
    /// What was left out, and why; for the user.
    pub notes: Vec<String>,
}

/// Which of the three utilisations and times may be features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Known {
    /// None: they are only known after the run.
    #[default]
    BeforeTheRun,
    /// Both utilisations, where the table has them; for the time, of which they are features once they are predicted.
    Utilisations,
}

impl Dataset {
    /// The runs of a CSV file: numeric columns are features, one of [`Target::column`] is predicted, `device` names the type
    /// of the device, and other text is ignored. A table of `GPUMemNet`, known by its header, has features made from the
    /// list of layers: the largest of each operator type.
    ///
    /// # Errors
    /// [`TrainError`]: unreadable, too large, no such target, no usable line, or nothing that varies. A bad line is left
    /// out, and notes say so.
    pub fn read(path: &Path, target: Target, known: Known) -> Result<Self, TrainError> {
        let table = Table::read(path)?;
        let mut data = if gpumemnet::is_such(&table) {
            gpumemnet::read(&table, path, target)?
        } else {
            runs(&table, path, target, known)?
        };
        data.source = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        data.digest = table.digest();
        data.without_constants(path)?;
        Ok(data)
    }

    /// Leaves out features that are the same in every run: nothing can be learnt from them.
    fn without_constants(&mut self, path: &Path) -> Result<(), TrainError> {
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
                    "no column of numbers besides “{}”; add what is known of a run before it starts",
                    self.target.column()
                )
            } else {
                format!(
                    "every feature is the same in all {} usable rows ({}); measure runs that differ in at least one",
                    self.rows.len(),
                    shown(&self.features.join(", "))
                )
            };
            return Err(TrainError::unusable(path, problem));
        }
        let constant: Vec<&str> =
            self.features.iter().zip(&varies).filter(|(_, varies)| !**varies).map(|(name, _)| name.as_str()).collect();
        if !constant.is_empty() {
            self.notes.push(format!("the same in every row and left out: {}", constant.join(", ")));
        }
        let kept = |place: usize| varies.get(place).copied().unwrap_or(false);
        let mut place = 0..;
        self.features.retain(|_| place.next().is_some_and(kept));
        for row in &mut self.rows {
            let mut place = 0..;
            row.features.retain(|_| place.next().is_some_and(kept));
        }
        if self.features.len() > MOST_FEATURES {
            let problem = format!("{} features; at most {MOST_FEATURES} are taken", self.features.len());
            return Err(TrainError::unusable(path, problem));
        }
        Ok(())
    }

    /// What is wrong with runs that did not come from a file.
    pub(super) fn problem(&self) -> Option<String> {
        let width = self.features.len();
        if self.rows.len() < FEWEST_ROWS {
            return Some(format!("{} usable rows; at least {FEWEST_ROWS} are needed", self.rows.len()));
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
            format!("row {}: expected {width} numbers from -{LARGEST:e} to {LARGEST:e} and a known device", place + 1)
        })
    }
}

/// Names of devices, sorted, and the place of each by the order in which they came.
pub(super) fn sorted_devices(names: BTreeMap<String, usize>, rows: &mut [Row]) -> Vec<String> {
    let mut places = vec![0; names.len()];
    for (sorted, came) in names.values().enumerate() {
        places[*came] = sorted;
    }
    for row in rows {
        row.device = places[row.device];
    }
    names.into_keys().collect()
}

fn runs(table: &Table<'_>, path: &Path, target: Target, known: Known) -> Result<Dataset, TrainError> {
    let Some(value_place) = table.place(target.column()) else {
        let shown = shown(&table.header().join(","));
        let problem = format!(
            "line 1: no column “{}” in “{shown}”; expected it, with what was measured in {}, beside columns of features",
            target.column(),
            target.unit()
        );
        return Err(TrainError::unusable(path, problem));
    };
    let device_place = table.place("device");
    let is_feature = |place: usize, name: &str| match Target::ALL.into_iter().find(|target| target.column() == name) {
        None => Some(place) != device_place,
        Some(Target::Time) => false,
        Some(_) => known == Known::Utilisations && target == Target::Time,
    };
    // A column is text if less than half of what stands in it are numbers.
    let mut numbers = vec![[0_usize; 2]; table.header().len()];
    table.each(|record| {
        for (count, cell) in numbers.iter_mut().zip(record).filter(|(_, cell)| !cell.is_empty()) {
            count[0] += usize::from(cell.parse::<f64>().is_ok());
            count[1] += 1;
        }
    });
    let (mut places, mut ignored) = (Vec::new(), Vec::new());
    for (place, (name, [number, filled])) in table.header().iter().zip(&numbers).enumerate() {
        if is_feature(place, name) {
            if number * 2 >= *filled && *number > 0 { places.push(place) } else { ignored.push(name.as_str()) }
        }
    }
    let mut devices = BTreeMap::new();
    let mut row = |record: &StringRecord| {
        let cell = |place: usize| (table.header()[place].as_str(), record.get(place));
        let features = places.iter().map(|place| {
            let (name, text) = cell(*place);
            let is_target = Target::ALL.iter().any(|target| target.column() == name);
            number(name, text, if is_target { 0.0..=100.0 } else { -LARGEST..=LARGEST })
        });
        let features = features.collect::<Result<Vec<f64>, String>>()?;
        let range = match target {
            Target::Compute | Target::Memory => 0.0..=100.0,
            Target::Time => 1e-9..=3.2e9,
        };
        let value = number(target.column(), record.get(value_place), range)?;
        let device = match device_place.map(|place| record.get(place).unwrap_or_default()) {
            None => ONLY_DEVICE,
            Some("") => return Err("column “device” is empty; expected the type of the GPU".to_owned()),
            Some(name) if name.chars().count() > MOST_CHARACTERS => {
                let start = shown(name);
                return Err(format!("column “device”: “{start}…” is longer than {MOST_CHARACTERS} characters"));
            }
            Some(name) => name,
        };
        let next = devices.len();
        let device = match devices.get(device) {
            Some(place) => *place,
            None if next == MOST_DEVICES => {
                return Err(format!(
                    "“{}” is device type number {}; at most {MOST_DEVICES} are taken",
                    shown(device),
                    next + 1
                ));
            }
            None => {
                devices.insert(device.to_owned(), next);
                next
            }
        };
        Ok(Row { features, device, value })
    };
    let rows = table.rows(&mut row)?;
    let mut notes: Vec<String> = rows.note.into_iter().collect();
    if !ignored.is_empty() {
        notes.push(format!("no numbers, and left out: {}", ignored.join(", ")));
    }
    let (mut list, left_out) = (rows.usable, rows.left_out);
    let devices = sorted_devices(devices, &mut list);
    Ok(Dataset {
        source: String::new(),
        digest: String::new(),
        target,
        unit: target.unit().to_owned(),
        features: places.iter().map(|place| table.header()[*place].clone()).collect(),
        devices,
        rows: list,
        left_out,
        notes,
    })
}

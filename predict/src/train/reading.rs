//! Measured runs from CSV.

use std::collections::BTreeMap;
use std::path::Path;

use csv::StringRecord;

use super::dataset::{Dataset, FeatureSet, MOST_DEVICES, ONLY_DEVICE, Row, Target, sorted_devices};
use super::error::TrainError;
use super::gpumemnet;
use super::table::{LARGEST, MOST_CHARACTERS, Table, number, shown};

impl Dataset {
    /// The runs of a CSV file: numeric columns are features, one of [`Target::column`] is predicted, `device` is the type of
    /// the device, and other text is ignored. A table of `GPUMemNet`, recognised by its header, has features from its list of
    /// layers: the largest of each operator type.
    ///
    /// # Errors
    /// [`TrainError`]: unreadable, too large, no such target, no usable line, or constant features. Bad lines are left
    /// out, with a note.
    pub fn read(path: &Path, target: Target, known: FeatureSet) -> Result<Self, TrainError> {
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
}

/// Runs of a general table.
fn runs(table: &Table<'_>, path: &Path, target: Target, known: FeatureSet) -> Result<Dataset, TrainError> {
    let Some(value_place) = table.place(target.column()) else {
        let shown = shown(&table.header().join(","));
        let problem = format!(
            "line 1: no column “{}” in “{shown}”; expected it, with measured values in {}, besides columns of features",
            target.column(),
            target.unit()
        );
        return Err(TrainError::unusable(path, problem));
    };
    let device_place = table.place("device");
    let is_feature = |place: usize, name: &str| match Target::ALL.into_iter().find(|target| target.column() == name) {
        None => Some(place) != device_place,
        Some(Target::Time) => false,
        Some(_) => known == FeatureSet::Utilisations && target == Target::Time,
    };
    // A column is text if less than half of its filled cells are numbers.
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
                    "“{}” is device type number {}; allowed: at most {MOST_DEVICES}",
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
        notes.push(format!("columns without numbers, left out: {}", ignored.join(", ")));
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

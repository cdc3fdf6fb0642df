//! Measured pairs as they are read, GPU by GPU, each pair once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crossover_quantity::balance::{BalanceOf, Tally};

use super::{MeasuredOn, MeasuredPair, ReadPairs};
use crate::error::TraceError;
use crate::left_out::{LeftOut, Named, shown};

/// Most pairs of a file.
const MOST_PAIRS: usize = 200_000;
/// GPUs for which a note names the pairs that could not run together.
const NOTED: usize = 16;
/// Range of a normalised speed, as in a study.
const NORMALISED: std::ops::RangeInclusive<f64> = 0.001..=2.0;
/// Measurements of a pair that differ by less are the same.
const SAME: f64 = 1e-6;

/// Pairs so far.
pub(super) struct Pairs {
    devices: Vec<Device>,
    /// Position of each device.
    places: BTreeMap<String, usize>,
    count: usize,
    left_out: LeftOut,
    /// Measurements that are neither in a pair nor in an entry that is left out.
    ignored: Tally,
    notes: Vec<String>,
}

/// Pairs of a GPU.
struct Device {
    name: String,
    pairs: Vec<Sum>,
    /// Position of each pair, names in alphabetical order.
    places: BTreeMap<[String; 2], usize>,
    /// Pairs that could not run together.
    not_together: BTreeSet<[String; 2]>,
}

/// Measurements of a pair.
struct Sum {
    pair: MeasuredPair,
    count: f64,
    differ: bool,
}

impl Pairs {
    pub(super) fn new([one, several]: [&'static str; 2]) -> Self {
        Self {
            devices: Vec::new(),
            places: BTreeMap::new(),
            count: 0,
            left_out: LeftOut::new(one, several),
            ignored: Tally::new(BalanceOf::Pairs),
            notes: Vec::new(),
        }
    }

    fn device(&mut self, name: &str) -> Option<&mut Device> {
        let next = self.devices.len();
        let place = *self.places.entry(name.to_owned()).or_insert(next);
        if place == next {
            let (pairs, places, not_together) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
            self.devices.push(Device { name: name.to_owned(), pairs, places, not_together });
        }
        self.devices.get_mut(place)
    }

    /// One more measurement of a pair on a GPU, in either order; of several the mean counts.
    ///
    /// # Errors
    /// A normalised speed is out of range, or there are too many pairs.
    pub(super) fn add(&mut self, device: &str, pair: MeasuredPair) -> Result<(), String> {
        for (what, value) in [("first", pair.first_normalised), ("second", pair.second_normalised)] {
            if !NORMALISED.contains(&value) {
                let (least, most) = (NORMALISED.start(), NORMALISED.end());
                return Err(format!("normalised speed of the {what} is {value}; allowed: {least} to {most}"));
            }
        }
        let is_full = self.count == MOST_PAIRS;
        let Some(device) = self.device(device) else { return Ok(()) };
        let key = key(&pair.first, &pair.second);
        if let Some(known) = device.places.get(&key).and_then(|place| device.pairs.get_mut(*place)) {
            known.join(pair);
            return Ok(());
        }
        if is_full {
            return Err(format!("more than {MOST_PAIRS} pairs; split the file"));
        }
        device.places.insert(key, device.pairs.len());
        device.pairs.push(Sum { pair, count: 1.0, differ: false });
        self.count += 1;
        Ok(())
    }

    /// A pair that could not run together.
    pub(super) fn not_together(&mut self, device: &str, first: &str, second: &str) {
        self.ignore(1, "could not run together");
        if let Some(device) = self.device(device) {
            device.not_together.insert(key(first, second));
        }
    }

    /// Counts measurements that become no pair, with the reason; the caller adds a note.
    pub(super) fn ignore(&mut self, measurements: usize, reason: &str) {
        self.ignored.lose(measurements as f64, reason);
    }

    /// Leaves out an entry of so many measurements, with the reason.
    pub(super) fn leave_out(&mut self, measurements: usize, place: impl FnOnce() -> String, problem: &str) {
        self.left_out.add_several(measurements, place, problem);
    }

    /// Something else to tell the user.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Leaves out each device whose pairs are those of the one that it is a variant of; nothing is added after this.
    pub(super) fn drop_copies(&mut self, variant_of: impl Fn(&str) -> Option<&str>) {
        let means: BTreeMap<String, BTreeMap<[String; 2], MeasuredPair>> = self
            .devices
            .iter()
            .map(|device| {
                let pairs =
                    device.pairs.iter().map(|sum| (key(&sum.pair.first, &sum.pair.second), sum.mean().ordered()));
                (device.name.clone(), pairs.collect())
            })
            .collect();
        let (notes, ignored) = (&mut self.notes, &mut self.ignored);
        self.devices.retain(|device| {
            let other = variant_of(&device.name).filter(|other| means.get(*other) == means.get(&device.name));
            if let Some(other) = other {
                notes.push(format!("{}: same pairs as {other}: left out", device.name));
                ignored.lose(device.measurements(), &format!("same pairs as {other}"));
            }
            other.is_none()
        });
    }

    /// What was read; notes name the file.
    ///
    /// # Errors
    /// There is no usable pair.
    pub(super) fn end(mut self, path: &Path) -> Result<ReadPairs, TraceError> {
        let of_pairs = ["pair", "pairs"];
        let mut differ = Named::default();
        for Sum { pair, .. } in self.devices.iter().flat_map(|device| &device.pairs).filter(|sum| sum.differ) {
            differ.add(&format!("{} + {}", pair.first, pair.second));
        }
        differ.note(&mut self.notes, of_pairs, "measured more than once, with different results: the mean is used");
        for device in self.devices.iter().take(NOTED) {
            let on = if device.name.is_empty() { String::new() } else { format!(" on {}", shown(&device.name)) };
            let mut not_together = Named::default();
            device.not_together.iter().for_each(|[first, second]| not_together.add(&format!("{first} + {second}")));
            not_together.note(&mut self.notes, of_pairs, &format!("could not run together{on}: left out"));
        }
        let mut all = self.left_out.tally(BalanceOf::Pairs);
        all.merge(&self.ignored);
        all.keep(self.devices.iter().map(Device::measurements).sum());
        let balance = all.balance();
        let devices: Vec<MeasuredOn> = self
            .devices
            .into_iter()
            .filter(|device| !device.pairs.is_empty())
            .map(|device| MeasuredOn { device: device.name, pairs: device.pairs.iter().map(Sum::mean).collect() })
            .collect();
        if devices.is_empty() {
            return Err(TraceError::unusable(path, self.left_out.nothing_of("pair")));
        }
        let notes = self.notes.into_iter().map(|note| format!("{}: {note}", path.display())).collect();
        let mut left_out = Vec::new();
        self.left_out.note_of(path, balance.as_ref(), &mut left_out);
        Ok(ReadPairs { devices, left_out, notes, balances: balance.into_iter().collect() })
    }
}

impl Device {
    /// Measurements of its pairs.
    fn measurements(&self) -> f64 {
        self.pairs.iter().map(|sum| sum.count).sum()
    }
}

impl Sum {
    fn mean(&self) -> MeasuredPair {
        let pair = self.pair.clone();
        MeasuredPair {
            first_normalised: pair.first_normalised / self.count,
            second_normalised: pair.second_normalised / self.count,
            ..pair
        }
    }

    /// One more measurement of the same pair, in either order.
    fn join(&mut self, other: MeasuredPair) {
        let own = &mut self.pair;
        let other = if own.first == other.first { other } else { other.swapped() };
        for (sum, value) in
            [(&mut own.first_normalised, other.first_normalised), (&mut own.second_normalised, other.second_normalised)]
        {
            self.differ |= (*sum / self.count - value).abs() > SAME * value;
            *sum += value;
        }
        own.first_class = own.first_class.or(other.first_class);
        own.second_class = own.second_class.or(other.second_class);
        self.count += 1.0;
    }
}

/// Two names in alphabetical order.
fn key(first: &str, second: &str) -> [String; 2] {
    let mut names = [first.to_owned(), second.to_owned()];
    names.sort();
    names
}

impl MeasuredPair {
    /// The same with the names in alphabetical order.
    fn ordered(self) -> Self {
        if self.first <= self.second { self } else { self.swapped() }
    }

    /// The same with the second one first.
    fn swapped(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            first_normalised: self.second_normalised,
            second_normalised: self.first_normalised,
            first_class: self.second_class,
            second_class: self.first_class,
        }
    }
}

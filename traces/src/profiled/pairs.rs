//! Kernels or jobs that ran on one GPU together: what each had left of the speed that it has alone. Read from Gavel's table, from
//! what `gpu-bench pairs --json` writes, or from a table that anybody can write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::de::DeserializeSeed as _;
use serde_json::Value;

use super::columns::Columns;
use super::form::reason;
use super::{MeasuredOn, MeasuredPair, ReadPairs, bench, gavel, number};
use crate::error::{self, TraceError};
use crate::json_value::Entry;
use crate::left_out::{LeftOut, Named, shown};
use crate::table::{Row, Table};

/// Largest file. JSON takes up to thirty times as much in memory as on disk.
const LARGEST_BYTES: u64 = 32 << 20;
/// Most pairs of a file.
const MOST_PAIRS: usize = 200_000;
/// GPUs of which it is told which pairs could not run together.
const NOTED: usize = 16;
/// What a kernel may have left of its speed, as in a study.
const NORMALISED: std::ops::RangeInclusive<f64> = 0.001..=2.0;
/// Measurements of a pair that differ by less are the same.
const SAME: f64 = 1e-6;
/// Columns of the plain table, in its two forms.
const NORMAL: [&str; 4] = ["first", "second", "first_normalised", "second_normalised"];
/// With throughputs, of any unit.
const THROUGHPUTS: [&str; 6] = ["first", "second", "first_alone", "second_alone", "first_shared", "second_shared"];

/// Pairs so far.
pub(super) struct Pairs {
    devices: Vec<Device>,
    /// Where a device stands.
    places: BTreeMap<String, usize>,
    count: usize,
    left_out: LeftOut,
    notes: Vec<String>,
}

/// Pairs of a GPU.
struct Device {
    name: String,
    pairs: Vec<Sum>,
    /// Where a pair stands, the name that is less first.
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
    fn new([one, several]: [&'static str; 2]) -> Self {
        Self {
            devices: Vec::new(),
            places: BTreeMap::new(),
            count: 0,
            left_out: LeftOut::new(one, several),
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
    /// It is no share of a speed as a study may have it, or there are too many pairs.
    pub(super) fn add(&mut self, device: &str, pair: MeasuredPair) -> Result<(), String> {
        for (what, value) in [("first", pair.first_normalised), ("second", pair.second_normalised)] {
            if !NORMALISED.contains(&value) {
                let (least, most) = (NORMALISED.start(), NORMALISED.end());
                return Err(format!("the {what} has {value} of its speed left; allowed: {least} to {most}"));
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
        if let Some(device) = self.device(device) {
            device.not_together.insert(key(first, second));
        }
    }

    /// Leaves out what stands there, with the reason.
    pub(super) fn leave_out(&mut self, place: impl FnOnce() -> String, problem: &str) {
        self.left_out.add(place, problem);
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
        let notes = &mut self.notes;
        self.devices.retain(|device| {
            let other = variant_of(&device.name).filter(|other| means.get(*other) == means.get(&device.name));
            if let Some(other) = other {
                notes.push(format!("{}: its pairs are those of {other}: left out", device.name));
            }
            other.is_none()
        });
    }

    fn end(mut self, path: &Path) -> Result<ReadPairs, TraceError> {
        let of_pairs = ["pair", "pairs"];
        let mut differ = Named::default();
        for Sum { pair, .. } in self.devices.iter().flat_map(|device| &device.pairs).filter(|sum| sum.differ) {
            differ.add(&format!("{} + {}", pair.first, pair.second));
        }
        differ.note(&mut self.notes, of_pairs, "measured more than once, with results that differ: means are taken");
        for device in self.devices.iter().take(NOTED) {
            let on = if device.name.is_empty() { String::new() } else { format!(" on {}", shown(&device.name)) };
            let mut not_together = Named::default();
            device.not_together.iter().for_each(|[first, second]| not_together.add(&format!("{first} + {second}")));
            not_together.note(&mut self.notes, of_pairs, &format!("could not run together{on}: left out"));
        }
        let devices: Vec<MeasuredOn> = self
            .devices
            .into_iter()
            .filter(|device| !device.pairs.is_empty())
            .map(|device| MeasuredOn { device: device.name, pairs: device.pairs.iter().map(Sum::mean).collect() })
            .collect();
        if devices.is_empty() {
            return Err(TraceError::unusable(path, self.left_out.nothing_of("usable pair")));
        }
        let notes = self.notes.into_iter().map(|note| format!("{}: {note}", path.display())).collect();
        let mut left_out = Vec::new();
        self.left_out.note(path, &mut left_out);
        Ok(ReadPairs { devices, left_out, notes })
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

/// Two names, the one that is less first.
fn key(first: &str, second: &str) -> [String; 2] {
    let mut names = [first.to_owned(), second.to_owned()];
    names.sort();
    names
}

impl MeasuredPair {
    /// The same with the name that is less first.
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

/// Reads all pairs of a file.
///
/// # Errors
/// [`TraceError`]: unreadable, of no form that is known, without a usable pair, or with too many.
pub(super) fn read(path: &Path) -> Result<ReadPairs, TraceError> {
    let text = error::text(path, LARGEST_BYTES)?;
    let unusable = |problem: String| TraceError::unusable(path, problem);
    if !text.trim_start().starts_with(['{', '[']) {
        let mut pairs = Pairs::new(["line", "lines"]);
        plain(path, &text, &mut pairs)?;
        return pairs.end(path);
    }
    let mut parser = serde_json::Deserializer::from_str(&text);
    let value = Entry::new().deserialize(&mut parser).and_then(|value| parser.end().map(|()| value));
    let value = value.map_err(|error| unusable(error.to_string()))?;
    let mut pairs = Pairs::new(["pair", "pairs"]);
    if value.get("pairs").is_some_and(Value::is_array) {
        bench::read(&value, &mut pairs).map_err(unusable)?;
    } else if gavel::is_table(&value) {
        gavel::read(&value, &mut pairs);
    } else {
        return Err(unusable(format!("no measured pairs: it is JSON of another sort; {EXPECTED}")));
    }
    pairs.end(path)
}

/// What files of pairs there are.
const EXPECTED: &str = "expected what `gpu-bench pairs --json` writes, Gavel's table of throughputs (JSON), or a table with the \
                        columns first,second,first_normalised,second_normalised or first,second,first_alone,second_alone,\
                        first_shared,second_shared";

/// A table that anybody can write.
fn plain(path: &Path, text: &str, pairs: &mut Pairs) -> Result<(), TraceError> {
    let table = Table::of(path, text, &[])?;
    let columns = Columns::of(&table.columns());
    let has_any = |names: &[&str]| names.iter().any(|name| columns.place(name).is_some());
    if !has_any(&THROUGHPUTS) && !has_any(&NORMAL) {
        return Err(TraceError::unusable(path, format!("no measured pairs: {}; {EXPECTED}", reason(text))));
    }
    let is_normal = !has_any(&THROUGHPUTS[2..]);
    columns.need(path, if is_normal { &NORMAL } else { &THROUGHPUTS })?;
    table.each(|line, row| {
        let outcome = row.and_then(|row| line_of(&columns, &row, is_normal, pairs));
        if let Err(problem) = outcome {
            pairs.leave_out(|| format!("line {line}"), &problem);
        }
    });
    Ok(())
}

fn line_of(columns: &Columns, row: &Row<'_>, is_normal: bool, pairs: &mut Pairs) -> Result<(), String> {
    let (first, second) = (columns.named(row, "first")?, columns.named(row, "second")?);
    let device = columns.text(row, "device");
    let numbers = |names: [&str; 2], least: f64| {
        let [first, second] = names.map(|name| columns.number(row, name, least..=1e18));
        Ok::<_, String>([first?, second?])
    };
    let left = if is_normal {
        numbers(["first_normalised", "second_normalised"], 0.0)?
    } else {
        let alone = numbers(["first_alone", "second_alone"], f64::MIN_POSITIVE)?;
        let shared = numbers(["first_shared", "second_shared"], 0.0)?;
        [shared[0] / alone[0], shared[1] / alone[1]]
    };
    if left.contains(&0.0) {
        pairs.not_together(device, &first, &second);
        return Ok(());
    }
    let class = |name: &str| number::class(name, columns.text(row, name));
    let [first_normalised, second_normalised] = left;
    let (first_class, second_class) = (class("first_class")?, class("second_class")?);
    pairs.add(device, MeasuredPair { first, second, first_normalised, second_normalised, first_class, second_class })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crossover_model::preemption::Class;

    /// Reads a text as a file.
    pub(in super::super) fn read_text(text: &str) -> Result<ReadPairs, TraceError> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("space");
        read(file.path())
    }

    #[test]
    fn a_plain_table_of_shares_is_read() {
        let text = "First,SECOND,first_normalised,second_normalised,device,first_class,second_class\n\
                    a,b,0.7,0.8,K40,memory,compute\nb,a,0.6,0.9,K40,,\na,a,0.5,0.5,K40,,\na,b,0.4,0.4,V100,,\n";
        let read = read_text(text).expect("pairs");
        let [k40, v100] = &read.devices[..] else { panic!("{:?}", read.devices) };
        assert_eq!((&*k40.device, k40.pairs.len(), v100.pairs.len()), ("K40", 2, 1));
        let mean = &k40.pairs[0];
        assert_eq!((&*mean.first, &*mean.second), ("a", "b"));
        assert_eq!((mean.first_class, mean.second_class), (Some(Class::Memory), Some(Class::Compute)));
        assert!(
            (mean.first_normalised - 0.8).abs() < 1e-12 && (mean.second_normalised - 0.7).abs() < 1e-12,
            "{mean:?}"
        );
        assert!(
            read.notes[0]
                .ends_with("1 pair (a + b): measured more than once, with results that differ: means are taken")
        );
    }

    #[test]
    fn a_plain_table_of_throughputs_is_read() {
        let text = "first,second,first_alone,second_alone,first_shared,second_shared\n\
                    a,b,10,4,5,3\na,c,10,1,0,0\na,d,0,1,1,1\na,e,1,1,3,1\n,b,1,1,1,1\na,b,1\n";
        let read = read_text(text).expect("pairs");
        let expected = MeasuredPair {
            first: "a".into(),
            second: "b".into(),
            first_normalised: 0.5,
            second_normalised: 0.75,
            first_class: None,
            second_class: None,
        };
        assert_eq!(read.devices, [MeasuredOn { device: String::new(), pairs: vec![expected] }]);
        assert!(read.notes[0].contains("1 pair (a + c): could not run together"), "{:?}", read.notes);
        let left_out = &read.left_out[0];
        assert!(left_out.contains("4 lines were left out: line 4: first_alone is “0”"), "{left_out}");
        assert!(left_out.contains("line 5: the first has 3 of its speed left; allowed: 0.001 to 2"), "{left_out}");
    }

    #[test]
    fn other_files_are_refused_in_a_sentence() {
        for (text, why) in [
            ("", "it is empty"),
            ("a,b\n1,2\n", "the first line, “a,b”"),
            ("first,second\na,b\n", "no columns “first_normalised”, “second_normalised”"),
            ("first,second,first_alone\na,b,1\n", "no columns “second_alone”, “first_shared”, “second_shared”"),
            ("{\"a\": 1}", "JSON of another sort"),
            ("[1, 2", "EOF"),
            ("{}", "JSON of another sort"),
            ("first,second,first_normalised,second_normalised\na,b,NaN,1\n", "no usable pair in it; line 2"),
        ] {
            let problem = read_text(text).expect_err(text).to_string();
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }
}

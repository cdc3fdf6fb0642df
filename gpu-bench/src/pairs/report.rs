//! Report of pairs of kernels: JSON for programs, tables for people.

use std::collections::BTreeMap;

use crossover_harness::statistics::Summary;
use crossover_measured::kernels::{Class, ClassMean, class_means};
use crossover_quantity::text::{Column, Table, TextReport};
use serde::{Deserialize, Serialize};

use super::kernels::Kernel;
use crate::gpu::adapter::Description;
use crate::quantity;

/// Version of the report format.
pub const VERSION: u32 = 1;

/// Where the two kernels of a pair run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairMode {
    /// Each in its own process, like those of two users.
    Processes,
    /// Each on its own device, in one process.
    Queues,
}

impl PairMode {
    fn label(self) -> &'static str {
        match self {
            Self::Processes => "each kernel in its own process",
            Self::Queues => "each kernel on its own queue, in one process",
        }
    }
}

/// Throughputs of kernels on one GPU, alone and in pairs. One value per repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairsReport {
    /// [`VERSION`].
    pub version: u32,
    /// Name of the GPU.
    pub device: String,
    /// Backend and driver.
    pub adapter: String,
    /// Whether it is a software adapter: then the figures are not performance figures.
    pub is_software: bool,
    /// Where the kernels ran.
    pub mode: PairMode,
    /// Time of each measurement.
    pub seconds: f64,
    /// Kernels alone.
    pub kernels: Vec<KernelThroughput>,
    /// Every two of them, and each with itself.
    pub pairs: Vec<PairThroughput>,
}

/// Throughput of a kernel alone on the GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelThroughput {
    /// Its key.
    pub name: String,
    /// Whether it is compute-intensive or memory-intensive.
    pub class: Class,
    /// Dispatches per second.
    pub alone_per_second: Vec<f64>,
}

/// Throughputs of two kernels that share the GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairThroughput {
    /// Key of one.
    pub first: String,
    /// Key of the other; the same for a kernel beside itself.
    pub second: String,
    /// Dispatches per second of the first.
    pub first_per_second: Vec<f64>,
    /// Dispatches per second of the second, meanwhile.
    pub second_per_second: Vec<f64>,
}

/// Median and spread over the repeats.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    /// The median.
    middle: f64,
    /// Half the distance from the least to the greatest; none of a single repeat.
    half: Option<f64>,
}

impl Spread {
    /// None without values.
    fn of(values: &[f64]) -> Option<Self> {
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let summary = Summary::of(values)?;
        Some(Self { middle: summary.median, half: (values.len() > 1).then_some((most - summary.min) / 2.0) })
    }

    fn cells(spread: Option<Self>) -> [String; 2] {
        let middle = spread.map(|spread| quantity::number(spread.middle));
        let half = spread.and_then(|spread| spread.half).map(quantity::number);
        [middle.unwrap_or_default(), half.unwrap_or_default()]
    }
}

/// Throughputs of a pair over those alone.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Normalised {
    first: Spread,
    second: Spread,
    sum: Spread,
}

impl PairsReport {
    /// A report of these kernels without values.
    #[must_use]
    pub fn new(description: &Description, mode: PairMode, seconds: f64, kernels: &[&'static Kernel]) -> Self {
        let driver = format!("{} {}", description.driver, description.driver_info);
        let alone = |kernel: &&Kernel| KernelThroughput {
            name: kernel.key.to_owned(),
            class: kernel.class,
            alone_per_second: Vec::new(),
        };
        let pairs = combinations(kernels.len()).map(|(first, second)| PairThroughput {
            first: kernels[first].key.to_owned(),
            second: kernels[second].key.to_owned(),
            first_per_second: Vec::new(),
            second_per_second: Vec::new(),
        });
        Self {
            version: VERSION,
            device: description.name.clone(),
            adapter: format!("{}, {}", description.backend, driver.trim()),
            is_software: description.software,
            mode,
            seconds,
            kernels: kernels.iter().map(alone).collect(),
            pairs: pairs.collect(),
        }
    }

    /// Removes kernels and pairs without values.
    pub(super) fn drop_empty(&mut self) {
        self.kernels.retain(|kernel| !kernel.alone_per_second.is_empty());
        self.pairs.retain(|pair| !pair.first_per_second.is_empty());
    }

    /// JSON, with a final line break.
    ///
    /// # Errors
    /// None that is known: all numbers of a report are finite.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// For a terminal.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        let repeats = self.kernels.iter().map(|kernel| kernel.alone_per_second.len()).max().unwrap_or(0);
        let facts = [
            ("GPU", self.device.clone()),
            ("driver", self.adapter.clone()),
            ("pairs", self.mode.label().to_owned()),
            ("measured", format!("{repeats} × {}", quantity::seconds(self.seconds))),
        ];
        let mut text_report = TextReport::default();
        text_report.facts(facts);
        if self.is_software {
            let note = "Software adapter: the kernels ran on the CPU, so these are not GPU performance figures.";
            text_report.paragraph(note);
        }
        text_report.heading("alone").table(self.alone());
        let pairs = self.pairs.iter().filter_map(|pair| Some((pair, self.normalised(pair)?)));
        let pairs: Vec<(&PairThroughput, Normalised)> = pairs.collect();
        text_report
            .section("in pairs, relative to the throughput alone", |section| section.table(together(&pairs)))
            .section("means by class", |section| section.table(self.by_class(&pairs)));
        text_report
    }

    fn alone(&self) -> Table {
        let rows = self.kernels.iter().map(|kernel| {
            let [per_second, half] = Spread::cells(Spread::of(&kernel.alone_per_second));
            vec![kernel.name.clone(), kernel.class.label().to_owned(), per_second, half]
        });
        let columns = vec![
            Column::text("kernel"),
            Column::text("class"),
            Column::number("dispatches per second"),
            Column::number("±"),
        ];
        Table { columns, rows: rows.collect() }.without_empty_columns()
    }

    /// None if a kernel was not measured alone.
    fn normalised(&self, pair: &PairThroughput) -> Option<Normalised> {
        let alone = |name: &str| {
            let kernel = self.kernels.iter().find(|kernel| kernel.name == name)?;
            Some(Spread::of(&kernel.alone_per_second)?.middle)
        };
        let (first_alone, second_alone) = (alone(&pair.first)?, alone(&pair.second)?);
        let over = |values: &[f64], alone: f64| values.iter().map(|value| value / alone).collect::<Vec<f64>>();
        let first = over(&pair.first_per_second, first_alone);
        let second = over(&pair.second_per_second, second_alone);
        let sum: Vec<f64> = first.iter().zip(&second).map(|(first, second)| first + second).collect();
        Some(Normalised { first: Spread::of(&first)?, second: Spread::of(&second)?, sum: Spread::of(&sum)? })
    }

    /// Means over the pairs of two classes, memory before compute; the order of two kernels of one class is arbitrary.
    fn by_class(&self, pairs: &[(&PairThroughput, Normalised)]) -> Table {
        let classes: BTreeMap<&str, Class> =
            self.kernels.iter().map(|kernel| (kernel.name.as_str(), kernel.class)).collect();
        let of_classes = |(pair, normalised): &(&PairThroughput, Normalised)| {
            let both = [*classes.get(&*pair.first)?, *classes.get(&*pair.second)?];
            Some((both, [normalised.first.middle, normalised.second.middle]))
        };
        let means = class_means(pairs.iter().filter_map(of_classes));
        let mean = |own: Class, other: Class| means.iter().find(|mean| (mean.own, mean.other) == (own, other));
        let rows = combinations(Class::ALL.len()).filter_map(|(one, other)| {
            let [one, other] = [one, other].map(|place| Class::ALL[place]);
            let ClassMean { normalised: first, pairs, .. } = *mean(one, other)?;
            let second = mean(other, one)?.normalised;
            let named = format!("{} + {}", one.label(), other.label());
            let numbers = [pairs as f64, first, second, first + second].map(quantity::number);
            Some(std::iter::once(named).chain(numbers).collect())
        });
        let columns = vec![
            Column::text("classes"),
            Column::number("pairs"),
            Column::number("first ÷ alone"),
            Column::number("second ÷ alone"),
            Column::number("sum"),
        ];
        Table { columns, rows: rows.collect() }
    }
}

/// Every two of so many, and each with itself.
pub(super) fn combinations(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first..count).map(move |second| (first, second)))
}

fn together(pairs: &[(&PairThroughput, Normalised)]) -> Table {
    let rows = pairs.iter().map(|(pair, normalised)| {
        let spreads = [normalised.first, normalised.second, normalised.sum].map(|spread| Spread::cells(Some(spread)));
        [pair.first.clone(), pair.second.clone()].into_iter().chain(spreads.into_iter().flatten()).collect()
    });
    let columns = vec![
        Column::text("first"),
        Column::text("second"),
        Column::number("first ÷ alone"),
        Column::number("±"),
        Column::number("second ÷ alone"),
        Column::number("±"),
        Column::number("sum"),
        Column::number("±"),
    ];
    Table { columns, rows: rows.collect() }.without_empty_columns()
}

#[cfg(test)]
mod tests {
    use super::super::kernels::KERNELS;
    use super::*;

    fn report() -> PairsReport {
        let description = Description {
            name: "Example".to_owned(),
            backend: "vulkan".to_owned(),
            driver: "driver".to_owned(),
            driver_info: "1.2".to_owned(),
            ..Description::default()
        };
        let kernels: Vec<&Kernel> = KERNELS.iter().filter(|kernel| ["hash", "copy"].contains(&kernel.key)).collect();
        let mut report = PairsReport::new(&description, PairMode::Processes, 2.0, &kernels);
        report.kernels[0].alone_per_second = vec![90.0, 100.0, 110.0];
        report.kernels[1].alone_per_second = vec![200.0, 200.0, 200.0];
        let values =
            [([40.0, 50.0, 60.0], [60.0, 50.0, 40.0]), ([80.0; 3], [150.0, 160.0, 170.0]), ([100.0; 3], [100.0; 3])];
        for (pair, (first, second)) in report.pairs.iter_mut().zip(values) {
            (pair.first_per_second, pair.second_per_second) = (first.to_vec(), second.to_vec());
        }
        report
    }

    #[test]
    fn a_report_reads_in_a_terminal() {
        insta::assert_snapshot!(report().text_report().terminal());
    }

    #[test]
    fn a_single_repeat_has_no_spread_and_a_software_adapter_is_told_of() {
        let mut report = report();
        report.is_software = true;
        for kernel in &mut report.kernels {
            kernel.alone_per_second.truncate(1);
        }
        for pair in &mut report.pairs {
            pair.first_per_second.truncate(1);
            pair.second_per_second.truncate(1);
        }
        let text = report.text_report().terminal();
        assert!(text.contains("are not GPU performance figures") && !text.contains('±'), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_left_out_and_changes_nothing_else() {
        let mut report = report();
        report.pairs[1].first_per_second.clear();
        report.kernels[1].alone_per_second.clear();
        report.drop_empty();
        assert_eq!((report.kernels.len(), report.pairs.len()), (1, 2));
        let text = report.text_report().terminal();
        assert!(text.contains("memory-intensive + memory-intensive") && !text.contains("compute"), "{text}");
        report.kernels.clear();
        assert!(!report.text_report().terminal().contains("means"));
    }

    #[test]
    fn the_json_is_that_of_version_1() {
        let json = report().json().expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let expected = serde_json::json!({
            "version": 1, "device": "Example", "adapter": "vulkan, driver 1.2", "is_software": false,
            "mode": "processes", "seconds": 2.0,
            "kernels": [
                {"name": "copy", "class": "Memory", "alone_per_second": [90.0, 100.0, 110.0]},
                {"name": "hash", "class": "Compute", "alone_per_second": [200.0, 200.0, 200.0]},
            ],
            "pairs": [
                {"first": "copy", "second": "copy", "first_per_second": [40.0, 50.0, 60.0],
                 "second_per_second": [60.0, 50.0, 40.0]},
                {"first": "copy", "second": "hash", "first_per_second": [80.0, 80.0, 80.0],
                 "second_per_second": [150.0, 160.0, 170.0]},
                {"first": "hash", "second": "hash", "first_per_second": [100.0, 100.0, 100.0],
                 "second_per_second": [100.0, 100.0, 100.0]},
            ],
        });
        assert_eq!(value, expected);
        assert_eq!(serde_json::from_str::<PairsReport>(&json).expect("a report"), report());
    }
}

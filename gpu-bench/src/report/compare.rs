//! Two reports side by side: faster, slower, same and unclear measurements.

mod verdict;

use std::collections::BTreeMap;

use crossover_harness::tool::NOT_OPTIMISED;
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table, TextReport};

use super::csv::{key, optional};
use super::summary::parameters;
use super::{Measurement, Report};
use crate::quantity::{self, raw};
pub use verdict::{Allowance, Verdict};

/// Two reports, matched by id, side, threads, variant and parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<'a> {
    /// Why the two are hard to compare: another device, suite or build.
    pub warnings: Vec<String>,
    /// Measurements of both.
    pub pairs: Vec<Pair<'a>>,
    /// What a difference must exceed.
    pub allowance: Allowance,
    /// Measurements of only the old report.
    pub only_old: Vec<&'a Measurement>,
    /// Measurements of only the new report.
    pub only_new: Vec<&'a Measurement>,
}

/// The same measurement, old and new.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<'a> {
    /// In the first report.
    pub old: &'a Measurement,
    /// In the second.
    pub new: &'a Measurement,
    /// The verdict about the two times.
    pub verdict: Verdict,
}

impl Pair<'_> {
    /// New median / old median.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        let (old, new) = self.old.time.zip(self.new.time)?;
        Some(new.median_s / old.median_s)
    }

    /// Why there is no time on a side; empty if there is one on both.
    #[must_use]
    pub fn remark(&self) -> String {
        let missing = |name: &str, measurement: &Measurement| {
            let reason = measurement.reason.as_deref().unwrap_or("no time");
            measurement.time.is_none().then(|| format!("{name}: {reason}"))
        };
        let remarks = missing("old", self.old).into_iter().chain(missing("new", self.new));
        remarks.collect::<Vec<_>>().join("; ")
    }
}

impl<'a> Comparison<'a> {
    /// Matches two reports.
    #[must_use]
    pub fn new(old: &'a Report, new: &'a Report) -> Self {
        let mut olds: BTreeMap<String, Vec<&Measurement>> = BTreeMap::new();
        for measurement in old.results.iter().rev() {
            olds.entry(identity(measurement)).or_default().push(measurement);
        }
        let (mut pairs, mut only_new) = (Vec::new(), Vec::new());
        for new in &new.results {
            match olds.get_mut(&identity(new)).and_then(Vec::pop) {
                Some(old) => pairs.push(Pair { old, new, verdict: Verdict::Unclear }),
                None => only_new.push(new),
            }
        }
        let left: Vec<&Measurement> = olds.into_values().flatten().collect();
        let is_left = |measurement: &&Measurement| left.iter().any(|left| std::ptr::eq(*left, *measurement));
        let only_old = old.results.iter().filter(is_left).collect();
        let warnings = warnings(old, new);
        let ratios: Vec<f64> = pairs.iter().filter_map(Pair::ratio).filter(|ratio| *ratio > 0.0).collect();
        let is_same_program = warnings.is_empty() && old.tool.version == new.tool.version;
        let allowance = Allowance::new(ratios.len(), if is_same_program { &ratios } else { &[] });
        for pair in &mut pairs {
            if let Some((old, new)) = pair.old.time.zip(pair.new.time) {
                pair.verdict = Verdict::of(&old, &new, allowance);
            }
        }
        Self { warnings, pairs, allowance, only_old, only_new }
    }

    /// How differences were tested, in a sentence.
    #[must_use]
    pub fn caution(&self) -> String {
        let Allowance { widening, drift, spread } = self.allowance;
        let widened = if widening > 1.0 {
            format!(", widened {} × to correct for multiple comparisons,", quantity::number(widening))
        } else {
            String::new()
        };
        let intervals = format!("FASTER/SLOWER: the 95 % intervals{widened} do not overlap");
        let percent = |factor: f64| quantity::number((100.0 * (factor - 1.0)).abs());
        if spread < 1.001 {
            return intervals;
        }
        let drift = match drift {
            near if (near - 1.0).abs() < 0.001 => String::new(),
            less if less < 1.0 => format!(" around a median of {} % less", percent(less)),
            more => format!(" around a median of {} % more", percent(more)),
        };
        format!(
            "{intervals}, and the times differ by more than {} %, the spread between these two runs{drift}",
            percent(spread)
        )
    }

    /// For a terminal.
    #[must_use]
    pub fn text_report(&self) -> TextReport {
        let mut text_report = TextReport::default();
        text_report.warnings(&self.warnings);
        let count = |verdict: Verdict| self.pairs.iter().filter(|pair| pair.verdict == verdict).count();
        let counts = [Verdict::Same, Verdict::Faster, Verdict::Slower, Verdict::Unclear];
        let counts = counts.map(|verdict| format!("{} {}", count(verdict), verdict.label()));
        text_report.paragraph(format!("{} measurements in both: {}.", self.pairs.len(), counts.join(", ")));
        if !self.pairs.is_empty() {
            text_report.paragraph(format!("{}.", self.caution())).table(self.table());
        }
        for (heading, measurements) in
            [("Only in the old report", &self.only_old), ("Only in the new report", &self.only_new)]
        {
            text_report.section(heading, |section| section.table(alone(measurements)));
        }
        text_report
    }

    fn table(&self) -> Table {
        let mut columns = KEY.to_vec();
        columns.extend([
            Column::number("old"),
            Column::number("new"),
            Column::number("new/old"),
            Column::text("verdict"),
            Column::text("remarks"),
        ]);
        let rows = self.pairs.iter().map(|pair| {
            let mut row = named(pair.new);
            row.extend([
                median(pair.old),
                median(pair.new),
                pair.ratio().map(quantity::number).unwrap_or_default(),
                pair.verdict.label().to_owned(),
                pair.remark(),
            ]);
            row
        });
        Table { columns, rows: rows.collect() }.without_empty_columns()
    }

    /// For programs: one line per measurement, base units. Measurements of only one report have the verdict
    /// `ONLY_OLD` or `ONLY_NEW`.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut csv = Records::default();
        let header = [
            "id",
            "side",
            "threads",
            "variant",
            "params",
            "old_median_s",
            "old_ci95_low_s",
            "old_ci95_high_s",
            "new_median_s",
            "new_ci95_low_s",
            "new_ci95_high_s",
            "ratio",
            "verdict",
            "remarks",
        ];
        csv.push(header);
        let mut push = |old: Option<&Measurement>, new: Option<&Measurement>, ratio, verdict: &str, remark: String| {
            let Some(named) = new.or(old) else { return };
            let params = named.params.iter().map(|(name, value)| format!("{name}={}", raw(*value)));
            let fields = key(named).into_iter().chain([params.collect::<Vec<_>>().join(";")]);
            let fields = fields.chain(times(old)).chain(times(new));
            csv.push(fields.chain([optional(ratio), verdict.to_owned(), remark]));
        };
        for pair in &self.pairs {
            push(Some(pair.old), Some(pair.new), pair.ratio(), pair.verdict.label(), pair.remark());
        }
        for old in &self.only_old {
            push(Some(old), None, None, "ONLY_OLD", String::new());
        }
        for new in &self.only_new {
            push(None, Some(new), None, "ONLY_NEW", String::new());
        }
        csv.into_text()
    }
}

const KEY: [Column; 5] = [
    Column::text("id"),
    Column::text("side"),
    Column::number("threads"),
    Column::text("variant"),
    Column::text("parameters"),
];

fn named(measurement: &Measurement) -> Vec<String> {
    let threads = if measurement.threads > 0 { measurement.threads.to_string() } else { String::new() };
    let Measurement { id, variant, side, .. } = measurement;
    vec![id.clone(), side.label().to_owned(), threads, variant.clone(), parameters(measurement)]
}

fn median(measurement: &Measurement) -> String {
    measurement.time.map(|time| quantity::seconds(time.median_s)).unwrap_or_default()
}

fn times(measurement: Option<&Measurement>) -> [String; 3] {
    let time = measurement.and_then(|measurement| measurement.time);
    time.map(|time| [time.median_s, time.ci95_s.0, time.ci95_s.1].map(raw)).unwrap_or_default()
}

fn alone(measurements: &[&Measurement]) -> Table {
    let mut columns = KEY.to_vec();
    columns.extend([Column::number("median"), Column::text("remarks")]);
    let rows = measurements.iter().map(|measurement| {
        let mut row = named(measurement);
        row.extend([median(measurement), measurement.reason.clone().unwrap_or_default()]);
        row
    });
    Table { columns, rows: rows.collect() }.without_empty_columns()
}

/// The key by which measurements are matched.
fn identity(measurement: &Measurement) -> String {
    format!("{:?} {:?}", key(measurement), measurement.params)
}

fn warnings(old: &Report, new: &Report) -> Vec<String> {
    let device =
        |report: &Report| report.adapter.as_ref().map_or("none".to_owned(), |adapter| adapter.description.name.clone());
    let driver = |report: &Report| {
        let description = report.adapter.as_ref().map(|adapter| &adapter.description);
        description.map(|it| format!("{} {} {}", it.backend, it.driver, it.driver_info)).unwrap_or_default()
    };
    let build = |report: &Report| if report.tool.optimised { "optimised" } else { "not optimised" }.to_owned();
    let differing = [
        ("the GPU", device as fn(&Report) -> String),
        ("the driver", driver),
        ("the CPU", |report| report.host.cpu.clone()),
        ("the suite", |report| report.suite.clone()),
        ("the build", build),
        ("the CPU's instruction set", |report| report.tool.target_features.join(" ")),
    ];
    let mut warnings: Vec<String> = differing
        .into_iter()
        .map(|(what, of)| (what, of(old), of(new)))
        .filter(|(_, old, new)| old != new)
        .map(|(what, old, new)| format!("{what} differs: “{old}” and “{new}”"))
        .collect();
    for (name, report) in [("the old", old), ("the new", new)] {
        if !report.tool.optimised {
            warnings.push(format!("{name} program was {NOT_OPTIMISED}"));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::super::{Side, example};
    use super::*;

    #[test]
    fn a_report_is_the_same_as_itself() {
        let report = example::report();
        let comparison = Comparison::new(&report, &report);
        let verdicts: Vec<Verdict> = comparison.pairs.iter().map(|pair| pair.verdict).collect();
        assert_eq!(verdicts, [Verdict::Same, Verdict::Same, Verdict::Same, Verdict::Unclear]);
        assert!(comparison.warnings.is_empty() && comparison.only_old.is_empty() && comparison.only_new.is_empty());
    }

    /// The same five in both orders: half the time is FASTER, and a selectivity of its own has no partner.
    fn different() -> (Report, Report) {
        let old = example::report();
        let mut new = example::report();
        new.results[0] = example::measured("memory.copy", Side::Cpu, 0.001);
        new.results[2].params.insert("selectivity".to_owned(), 0.9);
        new.results.reverse();
        new.adapter.as_mut().expect("an adapter").description.name = "Other GPU".to_owned();
        new.suite = "full".to_owned();
        new.tool.optimised = false;
        (old, new)
    }

    #[test]
    fn measurements_are_matched_by_what_they_measure_not_by_their_place() {
        let (old, new) = different();
        let comparison = Comparison::new(&old, &new);
        let found: Vec<(&str, Side, Verdict)> =
            comparison.pairs.iter().map(|pair| (pair.new.id.as_str(), pair.new.side, pair.verdict)).collect();
        let expected = [
            ("filter.append", Side::Gpu, Verdict::Unclear),
            ("memory.copy", Side::Gpu, Verdict::Same),
            ("memory.copy", Side::Cpu, Verdict::Faster),
        ];
        assert_eq!(found, expected);
        assert_eq!(comparison.pairs[2].ratio(), Some(0.5));
        assert_eq!(comparison.only_old, [&old.results[2]]);
        assert_eq!(comparison.only_new, [&new.results[1]]);
    }

    #[test]
    fn another_device_suite_or_build_is_a_warning() {
        let (old, new) = different();
        let expected = [
            "the GPU differs: “Example GPU 9000” and “Other GPU”",
            "the suite differs: “quick” and “full”",
            "the build differs: “optimised” and “not optimised”",
            "the new program was built without optimisation; its figures are not comparable",
        ];
        assert_eq!(Comparison::new(&old, &new).warnings, expected);
    }

    #[test]
    fn a_comparison_reads_in_a_terminal() {
        let (old, new) = different();
        insta::assert_snapshot!(Comparison::new(&old, &new).text_report().terminal());
    }

    #[test]
    fn programs_get_one_line_per_measurement() {
        let (old, new) = different();
        let text = Comparison::new(&old, &new).csv();
        let lines: Vec<&str> = text.split_terminator("\r\n").collect();
        assert_eq!(lines.len(), 1 + 5);
        let faster = "memory.copy,cpu,1,,rows=1000000,0.002,0.0015,0.0025,0.001,0.00075,0.00125,0.5,FASTER,";
        assert_eq!(lines[3], faster);
        assert!(
            lines[4].starts_with("filter.append,gpu,0,,rows=1000000;selectivity=0.1,")
                && lines[4].ends_with(",ONLY_OLD,")
        );
        assert!(lines[5].contains("selectivity=0.9") && lines[5].ends_with(",ONLY_NEW,"));
    }
}

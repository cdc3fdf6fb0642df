//! What was measured: queries and clusters beyond it cannot be judged.

use std::collections::BTreeMap;

use crate::anchored::Anchored;
use crate::profile::Engine;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_query::Volumes;

/// A volume beyond this factor of the largest measured one is outside what was measured.
const BEYOND: f64 = 1.25;
/// The same of the rows of windows of a query that never ran, which rules or the plan of another engine estimate: exchanges that rules
/// estimate are typically off by a factor of 4.2 (docs/FIDELITY.md, volumes before a run).
const BEYOND_ESTIMATED: f64 = 4.0;
/// GPUs are outside what was measured if they are more than this many times those of the fit, or fewer by the same factor.
const OTHER_GPUS: f64 = 4.0;
/// CPUs are outside what was measured if a run used more than this many times the cores of the fit: of so many, stages leave more idle,
/// and a measured time says less about the work.
const MORE_CORES: f64 = 4.0;
/// A run is far smaller than any measured one if it has less than one core-second for this many of the smallest one.
const FAR_SMALLER: f64 = 4.0;
/// Pairs of a join that take no noticeable time. Eight A100 compare 1e12 pairs in 6.4 s (cross join of NVIDIA's benchmark of
/// operators); four L4 with a tenth of their memory bandwidth take less than 0.1 s for these.
const FEW_PAIRS: f64 = 1e9;
/// Copies of a row that are no work: the row itself.
const FEW_COPIES: f64 = 1.0;

/// A value of a query beside the largest measured one.
struct Reach {
    /// Key of the largest value.
    key: &'static str,
    /// Words before and after the value.
    words: [&'static str; 2],
    unit: Unit,
    value: f64,
    largest: f64,
    /// Machines ÷ those of the fit, where each adds to what all can do.
    scale: f64,
    /// A value up to this never matters.
    few: f64,
    /// A value beyond this factor of the largest one is outside.
    beyond: f64,
}

impl Reach {
    /// A value in this unit, whatever the machines.
    fn of(key: &'static str, words: [&'static str; 2], unit: Unit, value: f64, largest: f64) -> Self {
        Self { key, words, unit, value, largest, scale: 1.0, few: 0.0, beyond: BEYOND }
    }

    fn ratio(&self) -> f64 {
        self.value / (self.largest * self.scale)
    }

    fn is_beyond(&self) -> bool {
        self.value > self.few && self.value > self.beyond * self.largest * self.scale
    }

    /// "an exchange of 139 GB, 1.8 times the largest measured (q67: 77 GB)"; `machines`: now, and those of the fit.
    fn sentence(&self, largest_of: &BTreeMap<String, String>, machines: [f64; 2]) -> String {
        let is_scaled = (self.scale - 1.0).abs() > 1e-9;
        let [now, fitted] =
            machines.map(|count| if is_scaled { format!(" on {}", counted(count, "machine")) } else { String::new() });
        let [before, after] = self.words;
        let found = format!("{before}{}{after}{now}", self.unit.format(self.value));
        if self.largest <= 0.0 {
            return format!("{found}, and no measured query had any");
        }
        let (ratio, largest) = (self.ratio(), self.unit.format(self.largest));
        let times = if ratio < 10.0 { format!("{ratio:.1}") } else { Unit::Count.format(ratio.round()) };
        let query = largest_of.get(self.key).map(|query| format!("{query}: ")).unwrap_or_default();
        format!("{found}, {times} times the largest measured ({query}{largest}{fitted})")
    }
}

impl Anchored {
    /// Why a query or a cluster is outside what was measured, with the nearest measured value: "an exchange of 139 GB, 1.8
    /// times the largest measured (q67: 77 GB)". More machines hold and read more.
    #[must_use]
    pub fn outside(&self, volumes: &Volumes, cpu: &Engine, gpu: &Engine) -> Option<String> {
        let lanes = self.lanes(volumes, cpu);
        if lanes > MORE_CORES * self.fitted_cores {
            let [now, fitted] = [lanes.round(), self.fitted_cores].map(|count| counted(count, "core"));
            return Some(format!("a time on {now}, and the measured cluster had {fitted}"));
        }
        let gpus = gpu.all_lanes();
        if !(1.0 / OTHER_GPUS..=OTHER_GPUS).contains(&(gpus / self.fitted_gpus)) {
            let [now, fitted] = [gpus, self.fitted_gpus].map(|count| counted(count, "GPU"));
            return Some(format!("a cluster with {now}, and the measured one had {fitted}"));
        }
        self.first_beyond(self.reaches(volumes, gpu), gpu)
    }

    /// Why a query that never ran is outside what was measured by the rows that its operators multiply. So are its windows: no measured time
    /// tells how long they take.
    pub(crate) fn outside_by_rows(&self, volumes: &Volumes, gpu: &Engine) -> Option<String> {
        let windows = Reach { beyond: BEYOND_ESTIMATED, ..self.windows(volumes) };
        self.first_beyond(self.multiplied(volumes, gpu).into_iter().chain([windows]), gpu)
    }

    /// What differs from the measured queries but leaves the time usable with a wider error: a longer run, or more rows in window functions, whose
    /// time on GPUs follows that on CPUs; or a smaller run.
    #[must_use]
    pub fn difference(&self, volumes: &Volumes, measured: f64, cpu: &Engine, gpu: &Engine) -> Option<String> {
        let core_seconds = self.core_seconds(volumes, measured, cpu);
        self.first_beyond(self.differences(volumes, core_seconds), gpu).or_else(|| {
            if !self.is_smaller(core_seconds) {
                return None;
            }
            let [found, smallest] = [core_seconds, self.smallest_core_seconds].map(|value| Unit::Count.format(value));
            let share = if self.is_far_smaller(volumes, measured, cpu) { "all" } else { "a larger share" };
            let why = format!("start-up, which no engine shortens, may be {share} of its time");
            Some(format!("a run of {found} core-seconds, and the smallest measured one had {smallest}: {why}"))
        })
    }

    /// Whether a query has such a [`difference`](Self::difference), without its words.
    pub(super) fn differs(&self, volumes: &Volumes, measured: f64, cpu: &Engine) -> bool {
        let core_seconds = self.core_seconds(volumes, measured, cpu);
        self.is_smaller(core_seconds) || self.differences(volumes, core_seconds).iter().any(Reach::is_beyond)
    }

    /// Core-seconds of a run, also idle ones.
    fn core_seconds(&self, volumes: &Volumes, measured: f64, cpu: &Engine) -> f64 {
        (measured * self.lanes(volumes, cpu)).round()
    }

    /// Values beyond which the time on GPUs is less certain.
    fn differences(&self, volumes: &Volumes, core_seconds: f64) -> [Reach; 2] {
        let long = ["a run of ", " core-seconds"];
        let longest = self.largest_core_seconds;
        [Reach::of(Self::LARGEST_CORE_SECONDS.key, long, Unit::Count, core_seconds, longest), self.windows(volumes)]
    }

    /// Whether a run is smaller than any measured one.
    fn is_smaller(&self, core_seconds: f64) -> bool {
        core_seconds * BEYOND < self.smallest_core_seconds
    }

    /// Whether a run is so much smaller than any measured one that all of its time may be start-up.
    pub(super) fn is_far_smaller(&self, volumes: &Volumes, measured: f64, cpu: &Engine) -> bool {
        measured * self.lanes(volumes, cpu) * FAR_SMALLER < self.smallest_core_seconds
    }

    /// The first value that is beyond the largest measured one, if one is.
    fn first_beyond(&self, reaches: impl IntoIterator<Item = Reach>, gpu: &Engine) -> Option<String> {
        let beyond = reaches.into_iter().find(Reach::is_beyond)?;
        Some(beyond.sentence(&self.largest_of, [gpu.machines, self.fitted_machines]))
    }

    /// Data and files that a query moves, and the rows that its operators multiply.
    fn reaches(&self, volumes: &Volumes, gpu: &Engine) -> impl Iterator<Item = Reach> {
        self.moved(volumes, gpu).into_iter().chain(self.multiplied(volumes, gpu))
    }

    fn moved(&self, volumes: &Volumes, gpu: &Engine) -> [Reach; 5] {
        let exchange = volumes.largest_exchange_gb();
        let spilled = self.spilled_gb(volumes, gpu);
        // What does not fit in fewer machines is outside; what they only take longer for is not.
        let held = gpu.machines / self.fitted_machines;
        let read = held.max(1.0);
        let (of, count, gigabytes) = (Reach::of, Unit::Count, Unit::Gigabytes);
        let of_read = ["", " of data read"];
        let of_exchange = ["an exchange of ", ""];
        let of_spilled = ["exchanges of ", " beyond their memory"];
        let of_scans = ["", " scans of partitioned tables"];
        let [files, scans] = [volumes.files.round(), volumes.partitioned_scans];
        [
            Reach {
                scale: read,
                ..of(Self::LARGEST_READ_GB.key, of_read, gigabytes, volumes.read_gb, self.largest_read_gb)
            },
            Reach { scale: read, ..of(Self::LARGEST_FILES.key, ["", " files"], count, files, self.largest_files) },
            of(Self::LARGEST_PARTITIONED_SCANS.key, of_scans, count, scans, self.largest_partitioned_scans),
            Reach {
                scale: held,
                ..of(Self::LARGEST_EXCHANGE_GB.key, of_exchange, gigabytes, exchange, self.largest_exchange_gb)
            },
            Reach {
                scale: held,
                ..of(Self::LARGEST_SPILLED_GB.key, of_spilled, gigabytes, spilled, self.largest_spilled_gb)
            },
        ]
    }

    fn multiplied(&self, volumes: &Volumes, gpu: &Engine) -> [Reach; 3] {
        let read = (gpu.machines / self.fitted_machines).max(1.0);
        let (of, count) = (Reach::of, Unit::Count);
        let of_rows = ["grouping sets of ", " rows"];
        let of_copies = ["", " copies of a row"];
        let of_pairs = ["joins without equal keys of ", " pairs"];
        let (rows, copies, pairs) = (volumes.expanded_rows.round(), volumes.copies, volumes.pairs.round());
        [
            Reach {
                scale: read,
                ..of(Self::LARGEST_EXPANDED_ROWS.key, of_rows, count, rows, self.largest_expanded_rows)
            },
            Reach { few: FEW_COPIES, ..of(Self::LARGEST_COPIES.key, of_copies, count, copies, self.largest_copies) },
            Reach { few: FEW_PAIRS, ..of(Self::LARGEST_PAIRS.key, of_pairs, count, pairs, self.largest_pairs) },
        ]
    }

    fn windows(&self, volumes: &Volumes) -> Reach {
        let words = ["window functions over ", " rows"];
        Reach::of(
            Self::LARGEST_WINDOW_ROWS.key,
            words,
            Unit::Count,
            volumes.window_rows.round(),
            self.largest_window_rows,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{engines, volumes};
    use super::*;
    use crate::profile::Engines;

    fn outside(engines: &Engines, volumes: &Volumes) -> Option<String> {
        engines.additive(Some(volumes)).expect("all is known").outside()
    }

    #[test]
    fn what_is_larger_than_all_measured_runs_is_outside_and_names_the_nearest() {
        let engines = engines();
        assert_eq!(outside(&engines, &volumes()), None);
        let exchanges = |size: f64| Volumes { exchanges_gb: vec![size, 1.0], ..volumes() };
        // 77 · 1.25 = 96.25, but less than 65 · 1.25 beyond 10 GB.
        assert_eq!(outside(&engines, &exchanges(90.0)), None);
        let found = outside(&engines, &exchanges(139.0)).expect("outside");
        assert_eq!(found, "an exchange of 139 GB, 1.8 times the largest measured (q67: 77 GB)");
        // Each of two is smaller; together they are 100 GB beyond 10 GB each.
        let found = outside(&engines, &Volumes { exchanges_gb: vec![60.0, 60.0], ..volumes() }).expect("outside");
        assert_eq!(found, "exchanges of 100 GB beyond their memory, 1.5 times the largest measured (65 GB)");
    }

    #[test]
    fn copies_and_pairs_are_outside_and_windows_are_not() {
        let engines = engines();
        let expand = Volumes { copies: 24.0, ..volumes() };
        assert!(outside(&engines, &expand).is_some_and(|why| why.contains("24 copies of a row")));
        // A row beside a table is no work; every row with every row is.
        assert_eq!(outside(&engines, &Volumes { pairs: 1e6, ..volumes() }), None);
        assert!(outside(&engines, &Volumes { pairs: 1e12, ..volumes() }).is_some_and(|why| why.contains("pairs")));
        let windows = Volumes { window_rows: 8e9, ..volumes() };
        assert_eq!(outside(&engines, &windows), None);
        let additive = engines.additive(Some(&windows)).expect("all is known");
        assert!(additive.difference().is_some_and(|text| text.contains("80 times the largest measured")));
    }

    /// The micro-benchmarks on A100 by their plans (scenarios/truth/a100-volumes.csv), and windows that are 4 and 5 times the largest ones.
    #[test]
    fn a_plan_alone_is_outside_by_copies_pairs_and_windows() {
        let engines = Engines { measured_seconds: None, ..engines() };
        for (volumes, expected) in [
            (Volumes { copies: 25.0, expanded_rows: 7.5e8, ..Volumes::default() }, Some("25 copies of a row")),
            (Volumes { pairs: 1e12, ..Volumes::default() }, Some("pairs")),
            (Volumes { window_rows: 8.25e9, ..Volumes::default() }, Some("window functions over")),
            (Volumes { window_rows: 5e8, ..Volumes::default() }, Some("5.0 times the largest measured")),
            (Volumes { window_rows: 4e8, copies: 9.0, ..Volumes::default() }, None),
            // What a plan of another engine does not count is no reason.
            (Volumes { exchanges_gb: vec![1e4], ..Volumes::default() }, None),
        ] {
            let found = engines.outside_by_plan(&volumes);
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            assert!(found.zip(expected).is_none_or(|(found, expected)| found.contains(expected)), "{volumes:?}");
        }
        // A measured time, or numbers without largest values, say nothing about it.
        let expand = Volumes { copies: 25.0, ..Volumes::default() };
        assert_eq!(self::engines().outside_by_plan(&expand), None);
        assert_eq!(Engines { anchored: None, ..engines }.outside_by_plan(&expand), None);
    }

    #[test]
    fn more_machines_hold_more() {
        let mut engines = engines();
        let large = Volumes { exchanges_gb: vec![139.0], ..volumes() };
        engines.gpu.machines = 8.0;
        // 154 GB fit as 77 GB did; 119 GB beyond 20 GB are less than twice 65 GB.
        assert_eq!(outside(&engines, &large), None);
        engines.gpu.machines = 2.0;
        let found = outside(&engines, &Volumes { exchanges_gb: vec![70.0], ..volumes() }).expect("outside");
        // Two of the machines had 38.5 GB.
        let expected = "an exchange of 70 GB on 2 machines, 1.8 times the largest measured (q67: 77 GB on 4 machines)";
        assert_eq!(found, expected);
    }

    #[test]
    fn clusters_far_from_the_measured_one_are_outside() {
        let mut engines = engines();
        for (machines, is_outside) in [(1.0, false), (16.0, false), (17.0, true)] {
            engines.gpu.machines = machines;
            assert_eq!(
                outside(&engines, &Volumes { exchanges_gb: Vec::new(), ..volumes() }).is_some(),
                is_outside,
                "{machines}"
            );
        }
    }

    #[test]
    fn a_time_on_far_more_cores_says_too_little() {
        let mut engines = engines();
        let none = Volumes { exchanges_gb: Vec::new(), ..volumes() };
        // 100 cores of ten machines were fitted.
        for (machines, is_outside) in [(1.0, false), (40.0, false), (41.0, true)] {
            engines.cpu.machines = machines;
            assert_eq!(outside(&engines, &none).is_some(), is_outside, "{machines}");
        }
        // With tasks for 400 cores, 600 of a thousand were idle.
        engines.cpu.machines = 100.0;
        for (lanes, is_outside) in [(400.0, false), (401.0, true)] {
            let few = Volumes { lanes: Some(lanes), ..none.clone() };
            assert_eq!(outside(&engines, &few).is_some(), is_outside, "{lanes}");
        }
    }
}

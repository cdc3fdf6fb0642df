//! What was measured: queries and clusters beyond it cannot be judged.

use std::collections::BTreeMap;

use super::{Anchored, Engine};
use crossover_quantity::unit::Unit;
use crossover_query::Volumes;

/// A volume beyond this factor of the largest measured one is outside what was measured.
const BEYOND: f64 = 1.25;
/// GPUs are outside what was measured if they are more than this many times those of the fit, or fewer by the same factor.
const OTHER_GPUS: f64 = 4.0;
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
    /// A value up to this never matters.
    few: f64,
}

impl Reach {
    /// A value in this unit.
    fn of(key: &'static str, words: [&'static str; 2], unit: Unit, value: f64, largest: f64) -> Self {
        Self { key, words, unit, value, largest, few: 0.0 }
    }

    fn ratio(&self) -> f64 {
        self.value / self.largest
    }

    fn is_beyond(&self) -> bool {
        self.value > self.few && self.value > BEYOND * self.largest
    }

    /// "an exchange of 139 GB, 1.8 times the largest measured (q67: 77 GB)"
    fn sentence(&self, largest_of: &BTreeMap<String, String>) -> String {
        let [before, after] = self.words;
        let found = format!("{before}{}{after}", self.unit.format(self.value));
        if self.largest <= 0.0 {
            return format!("{found}, and no measured query had any");
        }
        let (ratio, largest) = (self.ratio(), self.unit.format(self.largest));
        let times = if ratio < 10.0 { format!("{ratio:.1}") } else { Unit::Count.format(ratio.round()) };
        let query = largest_of.get(self.key).map(|query| format!("{query}: ")).unwrap_or_default();
        format!("{found}, {times} times the largest measured ({query}{largest})")
    }
}

impl Anchored {
    /// Why a query that took `measured` seconds on CPUs, or the clusters, are outside what was measured, with the nearest measured
    /// value: "an exchange of 139 GB, 1.8 times the largest measured (q67: 77 GB)".
    #[must_use]
    pub fn outside(&self, volumes: &Volumes, measured: f64, cpu: &Engine, gpu: &Engine) -> Option<String> {
        let gpus = gpu.all_lanes();
        if !(1.0 / OTHER_GPUS..=OTHER_GPUS).contains(&(gpus / self.fitted_gpus)) {
            let [now, fitted] = [gpus, self.fitted_gpus].map(|count| Unit::Count.format(count));
            return Some(format!("a cluster of {now} GPUs, and the measured one had {fitted}"));
        }
        let beyond = self.reaches(volumes, measured, cpu, gpu).into_iter().filter(Reach::is_beyond);
        let farthest = beyond.max_by(|one, other| one.ratio().total_cmp(&other.ratio()))?;
        Some(farthest.sentence(&self.largest_of))
    }

    /// What differs from the measured queries but leaves the time usable: the time of window functions on GPUs follows that on CPUs.
    #[must_use]
    pub fn difference(&self, volumes: &Volumes) -> Option<String> {
        let key = Self::LARGEST_WINDOW_ROWS.key;
        let words = ["window functions over ", " rows"];
        let windows = Reach::of(key, words, Unit::Count, volumes.window_rows, self.largest_window_rows);
        windows.is_beyond().then(|| windows.sentence(&self.largest_of))
    }

    fn reaches(&self, volumes: &Volumes, measured: f64, cpu: &Engine, gpu: &Engine) -> [Reach; 9] {
        let largest_exchange = volumes.exchanges_gb.iter().copied().fold(0.0, f64::max);
        let core_seconds = measured * cpu.all_lanes();
        let of = Reach::of;
        let (count, gigabytes) = (Unit::Count, Unit::Gigabytes);
        let copies = ["", " copies of a row"];
        let pairs = ["joins without equal keys of ", " pairs"];
        [
            of(
                Self::LARGEST_CORE_SECONDS.key,
                ["a run of ", " core-seconds"],
                count,
                core_seconds.round(),
                self.largest_core_seconds,
            ),
            of(Self::LARGEST_READ_GB.key, ["", " of data read"], gigabytes, volumes.read_gb, self.largest_read_gb),
            of(Self::LARGEST_FILES.key, ["", " files"], count, volumes.files.round(), self.largest_files),
            of(
                Self::LARGEST_PARTITIONED_SCANS.key,
                ["", " scans of partitioned tables"],
                count,
                volumes.partitioned_scans,
                self.largest_partitioned_scans,
            ),
            of(
                Self::LARGEST_EXCHANGE_GB.key,
                ["an exchange of ", ""],
                gigabytes,
                largest_exchange,
                self.largest_exchange_gb,
            ),
            of(
                Self::LARGEST_SPILLED_GB.key,
                ["exchanges of ", " beyond the memory of the GPU machines"],
                gigabytes,
                self.spilled_gb(volumes, gpu),
                self.largest_spilled_gb,
            ),
            of(
                Self::LARGEST_EXPANDED_ROWS.key,
                ["grouping sets of ", " rows"],
                count,
                volumes.expanded_rows,
                self.largest_expanded_rows,
            ),
            Reach {
                few: FEW_COPIES,
                ..of(Self::LARGEST_COPIES.key, copies, count, volumes.copies, self.largest_copies)
            },
            Reach { few: FEW_PAIRS, ..of(Self::LARGEST_PAIRS.key, pairs, count, volumes.pairs, self.largest_pairs) },
        ]
    }
}

//! Metrics of Nsight Compute: their names and units, and a launch that is made of them.

use std::collections::BTreeMap;

use crossover_quantity::unread::suggests_time;

use super::super::ProfiledKernel;
use super::super::columns::other_unit;
use super::super::found::{self, KernelCollector};
use super::super::gathered::Launch;
use super::super::number::{KILO_OF_NSIGHT, bytes_of, seconds_of};
use super::super::nvprof::REGISTER_BYTES;
use super::super::separators::Separators;
use crate::left_out::shown;

/// Values of metrics that a GPU cannot measure.
const ABSENT: [&str; 5] = ["", "n/a", "(!) n/a", "nan", "(!) nan"];

/// A quantity of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quantity {
    Seconds,
    Cycles,
    Instructions,
    MultiprocessorIpc,
    Multiprocessors,
    Registers,
    StaticShared,
    DynamicShared,
    Threads,
    Blocks,
    Hits,
    Memory,
    Compute,
}

/// What a quantity is measured in.
#[derive(Clone, Copy)]
pub(super) enum Measure {
    Time,
    Bytes,
    Percent,
    /// Units that all mean the same.
    Counted(&'static [&'static str]),
}

/// Metrics by their names in small letters, as the pages `raw` and `details` write them. Of several for a quantity the first
/// counts.
const METRICS: [(&str, Quantity, Measure); 35] = {
    use Measure::{Bytes, Counted, Percent, Time};
    use Quantity::{
        Blocks, Compute, Cycles, DynamicShared, Hits, Instructions, Memory, MultiprocessorIpc, Multiprocessors,
        Registers, Seconds, StaticShared, Threads,
    };
    const CYCLES: Measure = Counted(&["", "cycle"]);
    const INSTRUCTIONS: Measure = Counted(&["", "inst"]);
    const IPC: Measure = Counted(&["inst/cycle"]);
    const REGISTERS: Measure = Counted(&["", "register/thread"]);
    const THREADS: Measure = Counted(&["", "thread"]);
    const BLOCKS: Measure = Counted(&["", "block"]);
    const MULTIPROCESSORS: Measure = Counted(&["", "SM"]);
    [
        ("gpu__time_duration.sum", Seconds, Time),
        ("gpu__time_duration.avg", Seconds, Time),
        ("gpu__time_duration.max", Seconds, Time),
        ("duration", Seconds, Time),
        ("sm__cycles_elapsed.max", Cycles, CYCLES),
        ("gpc__cycles_elapsed.max", Cycles, CYCLES),
        ("sm__cycles_elapsed.avg", Cycles, CYCLES),
        ("elapsed cycles", Cycles, CYCLES),
        ("smsp__inst_executed.sum", Instructions, INSTRUCTIONS),
        ("sm__inst_executed.sum", Instructions, INSTRUCTIONS),
        ("inst_executed", Instructions, INSTRUCTIONS),
        ("executed instructions", Instructions, INSTRUCTIONS),
        ("sm__inst_executed.avg.per_cycle_elapsed", MultiprocessorIpc, IPC),
        ("executed ipc elapsed", MultiprocessorIpc, IPC),
        ("sm__inst_executed.avg.per_cycle_active", MultiprocessorIpc, IPC),
        ("executed ipc active", MultiprocessorIpc, IPC),
        ("device__attribute_multiprocessor_count", Multiprocessors, MULTIPROCESSORS),
        ("# sms", Multiprocessors, MULTIPROCESSORS),
        ("launch__registers_per_thread", Registers, REGISTERS),
        ("registers per thread", Registers, REGISTERS),
        ("launch__shared_mem_per_block_static", StaticShared, Bytes),
        ("static shared memory per block", StaticShared, Bytes),
        ("launch__shared_mem_per_block_dynamic", DynamicShared, Bytes),
        ("dynamic shared memory per block", DynamicShared, Bytes),
        ("launch__block_size", Threads, THREADS),
        ("launch__grid_size", Blocks, BLOCKS),
        ("lts__t_sector_op_read_hit_rate.pct", Hits, Percent),
        ("lts__t_sector_hit_rate.pct", Hits, Percent),
        ("l2 hit rate", Hits, Percent),
        ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", Memory, Percent),
        ("memory throughput", Memory, Percent),
        ("memory [%]", Memory, Percent),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", Compute, Percent),
        ("compute (sm) throughput", Compute, Percent),
        ("sm [%]", Compute, Percent),
    ]
};
/// Metrics of the page `details`; on the page `raw` these are columns of three numbers.
pub(super) const DETAILS: [(&str, Quantity, Measure); 2] = [
    ("block size", Quantity::Threads, Measure::Counted(&["", "thread"])),
    ("grid size", Quantity::Blocks, Measure::Counted(&["", "block"])),
];

/// A metric that is used: its rank among those of its quantity, and the factor of its unit.
#[derive(Clone, Copy)]
pub(super) struct Metric {
    quantity: Quantity,
    rank: usize,
    factor: f64,
}

impl Metric {
    /// The metric of a name; none for an unused one. An unknown unit is noted.
    pub(super) fn of(name: &str, unit: &str, found: &mut KernelCollector<'_>) -> Option<Self> {
        let small = name.to_lowercase();
        let (rank, (_, quantity, measure)) =
            METRICS.iter().chain(&DETAILS).enumerate().find(|(_, (known, ..))| *known == small)?;
        let (factor, expected) = match measure {
            Measure::Time => (seconds_of(unit), "s, ms, us or ns".to_owned()),
            Measure::Bytes => (bytes_of(unit, KILO_OF_NSIGHT), "byte, Kbyte or Mbyte".to_owned()),
            // The page `details` has two metrics of one name: a share, and bytes per second.
            Measure::Percent if unit.contains("byte") => return None,
            Measure::Percent => ((unit == "%").then_some(0.01), "%".to_owned()),
            Measure::Counted(units) => {
                let known: Vec<&str> = units.iter().copied().filter(|unit| !unit.is_empty()).collect();
                (units.contains(&unit).then_some(1.0), known.join(", "))
            }
        };
        found.note_if(factor.is_none(), || other_unit(name, unit, &expected));
        Some(Self { quantity: *quantity, rank, factor: factor? })
    }
}

/// Whether a metric is a time that is in no table: by its unit, or by its name if it has none.
pub(super) fn is_unread_time(name: &str, unit: &str) -> bool {
    let small = name.to_lowercase();
    let is_known = METRICS.iter().chain(&DETAILS).any(|(known, ..)| *known == small);
    let is_time = seconds_of(unit).is_some() || unit.is_empty() && suggests_time(name) && !small.contains("cycles");
    is_time && !is_known
}

/// Run time of a launch whose line cannot be read, seconds: of several metrics of time the first that has a value.
pub(super) fn seconds_of_row(metrics: &[(usize, Metric)], row: &[String], separators: Separators) -> Option<f64> {
    let times = metrics.iter().filter(|(_, metric)| metric.quantity == Quantity::Seconds);
    let times =
        times.filter_map(|(place, metric)| Some((metric.rank, separators.number(row.get(*place)?)? * metric.factor)));
    times.min_by_key(|(rank, _)| *rank).map(|(_, seconds)| seconds)
}

/// Values of a launch so far.
pub(super) struct PartialLaunch {
    pub(super) name: String,
    device: Option<String>,
    values: BTreeMap<Quantity, (usize, f64)>,
    /// Threads and blocks as the columns of three numbers say them.
    sizes: [Option<f64>; 2],
}

impl PartialLaunch {
    /// A launch of which nothing is measured yet.
    pub(super) fn new(name: String, device: Option<String>, sizes: [Option<f64>; 2]) -> Self {
        Self { name, device, values: BTreeMap::new(), sizes }
    }

    /// One more value; what is absent or no number is none.
    ///
    /// # Errors
    /// It is no number.
    pub(super) fn take(
        &mut self,
        metric: Metric,
        name: &str,
        text: &str,
        separators: Separators,
    ) -> Result<(), String> {
        if ABSENT.contains(&text.to_lowercase().as_str()) {
            return Ok(());
        }
        let value = separators.number(text).filter(|value| *value >= 0.0);
        let value = value.ok_or_else(|| format!("{} is “{}”; expected a number", shown(name), shown(text)))?;
        let value = value * metric.factor;
        if matches!(metric.quantity, Quantity::Hits) && value > 1.0 {
            return Err(format!("{} is “{}”; expected 0 % to 100 %", shown(name), shown(text)));
        }
        let known = self.values.entry(metric.quantity).or_insert((metric.rank, value));
        if metric.rank < known.0 {
            *known = (metric.rank, value);
        }
        Ok(())
    }

    /// Its run time, seconds, if it is known so far.
    pub(super) fn seconds(&self) -> Option<f64> {
        self.values.get(&Quantity::Seconds).map(|(_, seconds)| *seconds)
    }

    /// The launch.
    ///
    /// # Errors
    /// It has no name, or numbers that cannot be.
    pub(super) fn launch(self) -> Result<Launch, String> {
        let of = |quantity| self.values.get(&quantity).map(|(_, value)| *value);
        let above_zero = |quantity| of(quantity).filter(|value| *value > 0.0);
        let [of_columns, of_grid] = self.sizes;
        let threads = of(Quantity::Threads).or(of_columns);
        let shared = of(Quantity::StaticShared).zip(of(Quantity::DynamicShared));
        let registers = of(Quantity::Registers).zip(threads);
        let kernel = ProfiledKernel {
            name: self.name,
            device: self.device,
            launches: 1,
            instructions: above_zero(Quantity::Instructions),
            multiprocessor_ipc: above_zero(Quantity::MultiprocessorIpc),
            multiprocessors: above_zero(Quantity::Multiprocessors),
            cycles: above_zero(Quantity::Cycles),
            seconds: above_zero(Quantity::Seconds),
            register_bytes: registers.map(|(registers, threads)| registers * threads * REGISTER_BYTES),
            shared_bytes: shared.map(|(fixed, of_launch)| fixed + of_launch),
            threads,
            blocks: of(Quantity::Blocks).or(of_grid),
            miss_rate: of(Quantity::Hits).map(|hits| 1.0 - hits),
            ..ProfiledKernel::default()
        };
        if kernel.name.is_empty() {
            return Err("Kernel Name is empty".to_owned());
        }
        found::check(&kernel)?;
        Ok(Launch { kernel, memory_use: of(Quantity::Memory), compute_use: of(Quantity::Compute), ..Launch::default() })
    }
}

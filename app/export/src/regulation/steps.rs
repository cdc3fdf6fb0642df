//! Every period of a run, cluster by cluster: as records of JSON and RON, and as CSV.

use crossover_quantity::text::csv::Records;
use crossover_regulation::{Outcome, Regulation, Step};
use serde::{Serialize, Serializer};

use super::Results;

/// Joules of a kilowatt-hour.
const JOULES_PER_KWH: f64 = 3.6e6;

/// The steps of a run, period by period and in it cluster by cluster.
#[derive(Debug, Clone, Copy)]
pub struct Steps<'a> {
    /// The study.
    pub study: &'a Regulation,
    /// What was done in each period.
    pub steps: &'a [Step],
}

/// One period of one cluster. The columns of the CSV file have the same names, after `strategy`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record<'a> {
    /// Period, from 0.
    pub period: usize,
    /// Start of the period, seconds.
    pub seconds: f64,
    /// Name of the cluster.
    pub cluster: &'a str,
    /// Work that arrives, TOPS.
    pub demand: f64,
    /// What is served, TOPS.
    pub tops: f64,
    /// Work that waits at the end of the period, tera-operations.
    pub backlog: f64,
    /// p_p, PCIe occupancy, 0 … 1.
    pub pcie_occupancy: f64,
    /// p_d, compute load, 0 … 1.
    pub load: f64,
    /// p_p as the controller reads it.
    pub read_pcie_occupancy: f64,
    /// p_d as the controller reads it.
    pub read_load: f64,
    /// e = p_p − p_d, as read.
    pub error: f64,
    /// Kp in force.
    pub kp: f64,
    /// Ki in force, for one period.
    pub ki: f64,
    /// Kd in force, for one period.
    pub kd: f64,
    /// Proportional part of u.
    pub p: f64,
    /// Integral part of u.
    pub i: f64,
    /// Derivative part of u.
    pub d: f64,
    /// u, output of the controller.
    pub u: f64,
    /// What changed at the end of the period.
    pub action: Action,
    /// vGPUs that worked.
    pub vgpus: f64,
    /// Frequency, GHz.
    pub frequency_ghz: f64,
    /// Precision.
    pub precision: &'a str,
    /// Share of the data in the precision level below.
    pub converted_share: f64,
    /// Voltage, relative to that of the base power.
    pub voltage: f64,
    /// Concurrent tasks of each vGPU.
    pub concurrency: f64,
    /// Power, W.
    pub power: f64,
    /// Energy of the cluster since the start, kWh.
    pub energy_kwh: f64,
    /// vGPUs of no cluster, those under way included, at the end of the period.
    pub pool: f64,
}

/// What an action changed; the columns of the CSV file begin with `action_`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Action {
    /// vGPUs that were released (negative) or allocated (positive).
    pub vgpus: f64,
    /// Change of the frequency, MHz.
    pub frequency_mhz: f64,
    /// Precision levels upwards.
    pub precision: f64,
    /// Change of the voltage, relative to that of the base power.
    pub voltage: f64,
    /// Change of the concurrent tasks of each vGPU.
    pub concurrency: f64,
}

impl<'a> Steps<'a> {
    /// The records, made one by one: a long run is not held twice.
    pub fn records(self) -> impl Iterator<Item = Record<'a>> {
        self.steps.iter().map(move |step| record(self.study, step))
    }
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.records())
    }
}

fn record<'a>(study: &'a Regulation, step: &Step) -> Record<'a> {
    Record {
        period: step.period,
        seconds: step.seconds,
        cluster: &study.clusters[step.cluster].name,
        demand: step.demand,
        tops: step.tops,
        backlog: step.backlog,
        pcie_occupancy: step.pcie,
        load: step.load,
        read_pcie_occupancy: step.read_pcie,
        read_load: step.read_load,
        error: step.error,
        kp: step.gains.kp,
        ki: step.gains.ki,
        kd: step.gains.kd,
        p: step.parts.proportional,
        i: step.parts.integral,
        d: step.parts.derivative,
        u: step.output,
        action: Action {
            vgpus: step.action.vgpus,
            frequency_mhz: step.action.frequency_mhz,
            precision: step.action.precision,
            voltage: step.action.voltage,
            concurrency: step.action.concurrency,
        },
        vgpus: step.vgpus,
        frequency_ghz: step.frequency_ghz,
        precision: &study.precisions[step.precision].name,
        converted_share: step.converted_share,
        voltage: step.voltage,
        concurrency: step.concurrency,
        power: step.watts,
        energy_kwh: step.joules / JOULES_PER_KWH,
        pool: step.pool,
    }
}

const HEADER: [&str; 33] = [
    "strategy",
    "period",
    "seconds",
    "cluster",
    "demand",
    "tops",
    "backlog",
    "pcie_occupancy",
    "load",
    "read_pcie_occupancy",
    "read_load",
    "error",
    "kp",
    "ki",
    "kd",
    "p",
    "i",
    "d",
    "u",
    "action_vgpus",
    "action_frequency_mhz",
    "action_precision",
    "action_voltage",
    "action_concurrency",
    "vgpus",
    "frequency_ghz",
    "precision",
    "converted_share",
    "voltage",
    "concurrency",
    "power",
    "energy_kwh",
    "pool",
];

/// The steps as CSV: one line for each period and cluster.
pub(super) fn csv(results: &Results<'_>) -> String {
    let mut csv = Records::default();
    csv.push(HEADER);
    push_steps(&mut csv, results.steps_of, results.steps);
    csv.into_text()
}

/// The steps of every strategy as CSV: those without feedback first, then the controllers.
#[must_use]
pub fn all_steps_csv(study: &Regulation, outcome: &Outcome) -> String {
    let mut csv = Records::default();
    csv.push(HEADER);
    for run in outcome.runs() {
        push_steps(&mut csv, &run.name, Steps { study, steps: &run.steps });
    }
    csv.into_text()
}

fn push_steps(csv: &mut Records, strategy: &str, steps: Steps<'_>) {
    for record in steps.records() {
        csv.push(fields(strategy, &record));
    }
}

fn fields(strategy: &str, record: &Record<'_>) -> [String; HEADER.len()] {
    [
        strategy.to_owned(),
        record.period.to_string(),
        record.seconds.to_string(),
        record.cluster.to_owned(),
        record.demand.to_string(),
        record.tops.to_string(),
        record.backlog.to_string(),
        record.pcie_occupancy.to_string(),
        record.load.to_string(),
        record.read_pcie_occupancy.to_string(),
        record.read_load.to_string(),
        record.error.to_string(),
        record.kp.to_string(),
        record.ki.to_string(),
        record.kd.to_string(),
        record.p.to_string(),
        record.i.to_string(),
        record.d.to_string(),
        record.u.to_string(),
        record.action.vgpus.to_string(),
        record.action.frequency_mhz.to_string(),
        record.action.precision.to_string(),
        record.action.voltage.to_string(),
        record.action.concurrency.to_string(),
        record.vgpus.to_string(),
        record.frequency_ghz.to_string(),
        record.precision.to_owned(),
        record.converted_share.to_string(),
        record.voltage.to_string(),
        record.concurrency.to_string(),
        record.power.to_string(),
        record.energy_kwh.to_string(),
        record.pool.to_string(),
    ]
}

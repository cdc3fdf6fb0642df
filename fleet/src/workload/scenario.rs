//! The study of many queries, and the note on what is included.

use crossover_engine::{Engine, Engines, Work};
use crossover_placement::{Placement, Query as StudyQuery};
use crossover_plan::scenario::{Machines, placement};
use crossover_plan::{Import, Query};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::{counted, shortened};
use crossover_quantity::unit::Unit;
use crossover_scenario::{Scenario, Study};

use super::volumes::{USUAL_READ, Volumes};
use super::{CombinedWorkload, plan};
use crate::base::Base;

/// Names of applications in the note.
const NAMED: usize = 5;
/// Longest name of an application in the line that says what a study is about, characters.
const LONGEST_NAME: usize = 60;
/// Times of at least this many seconds are shown in hours.
const IN_HOURS: f64 = 7_200.0;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;
/// Relative differences of sums below this are rounding errors.
const SAME: f64 = 1e-6;

/// Why no scenario can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NothingToPlan {
    /// None has a query with a prediction.
    #[error("none of these applications has a query with a prediction: choose others")]
    NoPrediction,
    /// Those that have a prediction are plans of other engines than Spark.
    #[error("only Spark applications can be combined, and these are plans of other engines: choose others")]
    OtherEngines,
    /// A number is out of range.
    #[error("{path}: {problem}: choose fewer applications")]
    Invalid {
        /// Path of the number.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl CombinedWorkload {
    /// A placement study of all queries, one after the other, with the engines of their base; `of` names the results. On the
    /// base's GPU machines it takes the fleet's predicted time, with the same interval.
    ///
    /// # Errors
    /// Nothing was predicted, or a number is out of range.
    pub fn scenario(&self, base: &Base, of: &str) -> Result<Scenario, NothingToPlan> {
        if self.today_seconds <= 0.0 || self.gpu.value <= 0.0 {
            return Err(if self.has_others { NothingToPlan::OtherEngines } else { NothingToPlan::NoPrediction });
        }
        let volumes = Volumes::new(&self.parts, self.queries, &base.engines().gpu);
        let engines = self.engines(base, &volumes);
        let (plan, lists) = plan::plan(self, &volumes, self.unsupported_seconds(&volumes, &engines.cpu));
        let count = applications(self.names.len());
        let import = Import { engine: plan.engine.clone(), file: format!("{count} of {of}"), ..Import::default() };
        let query = Query { plan: plan.into(), ..Query::default() };
        let study = base.study();
        let with_engines = Placement { engines: Some(Box::new(engines.clone())), ..study.clone() };
        let mut study = placement(&with_engines, Machines::OfBase, &import, &query);
        study.engines = Some(Box::new(engines));
        let query = study.query.get_or_insert_with(|| Box::new(StudyQuery::default()));
        query.unsupported = lists.into_iter().collect();
        query.combined = self.about(of);
        source(&mut study, &import.file);
        let scenario = Scenario::new(format!("{count} of {of}"), self.notes(base, of), Study::Placement(study));
        let invalid = |invalid: crossover_quantity::invalid::Invalid| NothingToPlan::Invalid {
            path: invalid.path,
            problem: invalid.problem,
        };
        scenario.study.validate().map_err(invalid)?;
        Ok(scenario)
    }

    /// "3 queries of application shop (12.43 s of its 16.32 s)"
    fn about(&self, of: &str) -> String {
        let (whose, their) = match self.names.as_slice() {
            [only] => (format!("application {}", shortened(only, LONGEST_NAME)), "its"),
            several => (format!("{} of {of}", applications(several.len())), "their"),
        };
        let seconds = |seconds: f64| Unit::Seconds.format(seconds);
        let all = self.today_seconds + self.staying_seconds.max(0.0);
        let queries = counted(self.queries as f64, "query");
        format!("{queries} of {whose} ({} of {their} {})", seconds(self.today_seconds), seconds(all))
    }

    /// The base's engines: today's is that of the logs, on their mean machines, with the measured time; its model is the base's. The GPU
    /// engine has the start times of all queries.
    fn engines(&self, base: &Base, volumes: &Volumes) -> Engines {
        let Engines { cpu, mut gpu, .. } = base.engines().clone();
        gpu.keep_fitted();
        let machines = (self.cluster.machine_seconds / self.today_seconds).round().max(1.0);
        // Machines have whole cores; what stays on CPUs is computed with these, so that its time does not change.
        let lanes = (self.cluster.core_seconds / self.today_seconds / machines).round().clamp(1.0, 1e5);
        let usd_per_hour = self.usd.map(|[today, _]| today / machines / (self.today_seconds / HOUR));
        let measured = if cpu.fitted_to.is_empty() { cpu.title() } else { cpu.fitted_to.clone() };
        let cpu = Engine {
            // The profile stays that of the measured version, so that another one is noted or warned of.
            name: self.engine(),
            fitted_to: measured,
            // The measured times are not those of the base's machines.
            machine: "mean machine of the logs".to_owned(),
            machines,
            lanes,
            // Those of the base's machines.
            vcpus: None,
            usd_per_hour,
            // Only the sum of today's time is known.
            start_seconds: 0.0,
            exchange_seconds: 0.0,
            exchange_memory_gb: None,
            work_ratio: if cpu.work_ratio > 0.0 { cpu.work_ratio } else { 1.0 },
            ..cpu
        };
        let gpu = Engine {
            start_seconds: self.parts.start,
            exchange_seconds: 0.0,
            read_gb_per_s: gpu.read_gb_per_s.or((volumes.read_gb > 0.0).then_some(USUAL_READ)),
            exchange_memory_gb: volumes.memory_gb,
            ..gpu
        };
        Engines {
            cpu,
            gpu,
            // Every query's prediction is already corrected by its measured time.
            anchoring_factor: 0.0,
            anchored: None,
            from_plan: None,
            constant_speedup: None,
            anchored_constant_speedup: None,
            elsewhere: None,
            anchored_error_factor_90: self.gpu.high / self.gpu.value,
            plan_time_weight: 1.0,
            measured_seconds: Some(self.today_seconds),
            tables: Vec::new(),
            ..base.engines().clone()
        }
    }

    /// Work of operators that stay on CPUs, in seconds of one core of today's engine, so that they take their part of the
    /// measured time.
    fn unsupported_seconds(&self, volumes: &Volumes, cpu: &Engine) -> f64 {
        let stays = self.parts.unsupported;
        if stays <= 0.0 {
            return 0.0;
        }
        let Volumes { own_seconds, read_gb, exchanged_gb, .. } = *volumes;
        let work = Work { own_seconds, read_gb, exchanged_gb, ..Work::default() };
        let moving: f64 = cpu.seconds(&work).iter().sum();
        let rest = (self.today_seconds - stays).max(self.today_seconds * 1e-9);
        let seconds = if moving > 0.0 { moving * stays / rest } else { stays };
        seconds * cpu.all_lanes() / cpu.work_ratio
    }

    /// What is included, how it compares with the fleet's own sums, and what is left out.
    fn notes(&self, base: &Base, of: &str) -> String {
        let unit = TimeUnit { in_hours: self.today_seconds >= IN_HOURS };
        let time = |seconds: f64| unit.time(seconds);
        let [_, gpu] = base.titles();
        let count = |count: u64| Unit::Count.format(count as f64);
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).take(NAMED).collect();
        let more = self.names.len() - names.len();
        let others = format!("{} more", count(more as u64));
        if more > 0 {
            names.push(&others);
        }
        let mut notes = vec![
            format!(
                "All queries with a prediction of {} of {of}: {}.",
                applications(self.names.len()),
                names.join(", ")
            ),
            format!(
                "{} {}: {} today, {} (90 % interval: {} … {}) on {gpu}. Today's time is the sum of the queries' shares of their \
                 applications' time. Reading, exchanges and work are set so that each class of operators takes its predicted time.",
                count(self.queries),
                if self.queries == 1 { "query" } else { "queries" },
                time(self.today_seconds),
                time(self.gpu.value),
                time(self.gpu.low),
                time(self.gpu.high),
            ),
            self.compared(&unit),
        ];
        if self.engines.len() > 1 {
            let engines: Vec<String> =
                self.engines.iter().map(|(engine, seconds)| format!("{engine} ({})", time(*seconds))).collect();
            notes.push(format!("Engines of the logs: {}. The study names {}.", engines.join(", "), self.engine()));
        }
        if self.without > 0 {
            notes.push(format!(
                "Not included, without a prediction or of another engine than Spark: {}.",
                applications(self.without)
            ));
        }
        notes.push(format!(
            "Not included: {} of these applications outside these queries, which is unchanged. Queries run one after another. Their \
             start times ({}) are the same on all machines. The time to start and stop machines is not included.",
            time(self.staying_seconds.max(0.0)),
            time(self.parts.start),
        ));
        notes.push(
            "On other GPU machines work and reading scale with the number of GPUs, exchanges with machines and network. Spilled data \
             is a sum over all queries, so fewer machines may spill more. Today's machines, and the cores of each, are \
             means of the logs, weighted by time."
                .to_owned(),
        );
        if base.engines().gpu.machines < 1.5 {
            notes.push(
                "The predictions are for one GPU machine, which exchanges nothing. Exchanges between several machines are not \
                 included."
                    .to_owned(),
            );
        }
        notes.join("\n")
    }

    /// The saving beside that of the fleet's list.
    fn compared(&self, unit: &TimeUnit) -> String {
        let time = |seconds: f64| unit.time(seconds);
        let (here, listed) = (self.saved_seconds(), self.listed.saved_seconds);
        let moving = format!(
            "{} of them {} {}.",
            Unit::Count.format(self.listed.moving as f64),
            if self.listed.moving == 1 { "is to move and saves" } else { "are to move and save" },
            time(self.listed.moving_seconds)
        );
        if (here - listed).abs() <= SAME * self.today_seconds {
            return format!("Saving: {}, as in the fleet's list. {moving}", time(here));
        }
        format!(
            "Saving: {}; the fleet's list has {}: there, each application has its own option, and its time from start \
             to end can differ from the sum of its queries. {moving}",
            time(here),
            time(listed)
        )
    }
}

/// The unit of all times in a note.
struct TimeUnit {
    in_hours: bool,
}

impl TimeUnit {
    fn time(&self, seconds: f64) -> String {
        if self.in_hours { format!("{} h", Unit::Ratio.format(seconds / HOUR)) } else { Unit::Seconds.format(seconds) }
    }
}

fn applications(count: usize) -> String {
    counted(count as f64, "application")
}

/// Marks numbers of the logs as imported; removes the sources of numbers that were reset.
fn source(study: &mut Placement, file: &str) {
    let reset = [
        "cpu.start_seconds",
        "cpu.exchange_seconds",
        "cpu.exchange_memory_gb",
        "cpu.vcpus",
        "gpu.exchange_seconds",
        "anchoring_factor",
        "constant_speedup",
        "anchored_constant_speedup",
        "plan_time_weight",
    ];
    for field in reset {
        study.sources.remove(&format!("engines.{field}"));
    }
    let is_reset = |path: &str| {
        ["engines.tables.", "engines.anchored.", "engines.from_plan.", "engines.elsewhere."]
            .iter()
            .any(|start| path.starts_with(start))
    };
    study.sources.retain(|path, _| !is_reset(path));
    let Some(engines) = &study.engines else { return };
    let summed = [
        ("cpu.machines", true),
        ("cpu.lanes", true),
        ("cpu.usd_per_hour", engines.cpu.usd_per_hour.is_some()),
        ("gpu.start_seconds", true),
        ("gpu.exchange_memory_gb", engines.gpu.exchange_memory_gb.is_some()),
        ("anchored_error_factor_90", true),
        ("measured_seconds", true),
    ];
    for (field, is_known) in summed {
        let path = format!("engines.{field}");
        if is_known {
            study.sources.insert(path, Provenance::Imported { file: file.to_owned() });
        } else {
            study.sources.remove(&path);
        }
    }
}

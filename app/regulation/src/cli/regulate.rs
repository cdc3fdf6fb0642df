//! `crossover regulate run`: a controller of a scenario with the settings of a real cluster. It shows its actions, and takes them
//! with `--apply`. `crossover regulate restore`: restores what a killed loop has changed.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Parser, value_parser};
use crossover_files::programs::{NotAllowed, Programs};
use crossover_page::terminal::{Source, message, print};
use crossover_quantity::unit::Unit;
use crossover_regulation::regulator::{Change, Decision, Regulator, Setting};
use crossover_regulation::{Actuator, Cluster, Regulation};

use super::readings_options::{ReadingsOptions, ReadingsSource};
use super::replay::seconds;
use super::{chosen, study};
use crate::acting::actuators::{self, RealActuator};
use crate::acting::control::{Control, word};
use crate::acting::journal::{self, Entry, Journal};
use crate::acting::readings::{self, Arrived, Driver, Readings, Rows};
use crate::acting::scraped::Poller;

/// Sampling periods without a reading after which a loop ends.
const SILENT_PERIODS: f64 = 10.0;
/// Shortest time of these: a driver takes seconds to start.
const SHORTEST_SILENCE: f64 = 5.0;
/// As long as forever: some thirty years.
const LONGEST_SILENCE: f64 = 1e9;

/// Reads measurements of a real cluster as they arrive, and shows the actions of a controller; --apply takes them
#[derive(Debug, Parser)]
#[command(name = "run", display_order = 1)]
pub(super) struct RunOptions {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    readings: ReadingsOptions,
    /// File of actuators (.ron). Each has a setting, its range, its largest change per second, and the program or driver that
    /// sets it
    #[arg(long, value_name = "FILE")]
    actuators: PathBuf,
    /// Actuator of that file; may be repeated; default: all
    #[arg(long = "actuator", value_name = "NAME")]
    names: Vec<String>,
    /// Cluster of the scenario; default: the only one
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Takes the actions, and restores the old values at the end
    #[arg(long)]
    apply: bool,
    /// Replays the CSV file of --readings, one row per period and without waiting; starts no program
    #[arg(long, conflicts_with = "apply")]
    recorded: bool,
    /// Ends after this number of periods; default: when it is interrupted
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    periods: Option<u64>,
    /// Restores the old values and ends if no reading arrives for this time, e.g. "30 s"; default: ten periods, at least 5 s
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    silence: Option<f64>,
    /// Shows the programs that the file of actuators names, and lets this and later runs in this working folder start them
    #[arg(long)]
    allow_programs: bool,
    /// Journal of changed settings; default: in the user's data folder
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
}

/// Restores the settings that a killed `regulate run` had changed
#[derive(Debug, Parser)]
#[command(name = "restore", display_order = 2)]
pub(super) struct RestoreOptions {
    /// Journal of changed settings; default: in the user's data folder
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Shows and starts the programs that the journal names
    #[arg(long)]
    allow_programs: bool,
}

/// Runs the loop until it is interrupted or its readings end.
pub(super) fn run(options: &RunOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = study(&scenario)?;
    let (_, controller) = chosen(study)?;
    let cluster = cluster(study, options.cluster.as_deref())?;
    let actuators = actuators::open(&options.actuators, &options.names)?;
    let regulator = |settings: &[Setting]| {
        Regulator::new(study, controller, cluster, settings).map_err(|(index, problem)| {
            let name = actuators.get(index).map_or("", |actuator| actuator.name.as_str());
            anyhow!("{}: actuator “{name}”: {problem}", options.actuators.display())
        })
    };
    if options.recorded {
        let settings: Vec<Setting> = actuators
            .iter()
            .map(|actuator| actuator.setting(Some(at_start(study, cluster, actuator.changes()))))
            .collect();
        let ReadingsSource::File(file) = options.readings.source()? else {
            bail!("--recorded takes the rows of a file; name one with --readings");
        };
        let mut readings = readings::recorded(&file, &cluster.name)?;
        readings.truncate(options.periods.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX)));
        return recorded(&readings, study, &actuators, regulator(&settings)?);
    }
    let source = options.readings.source()?;
    let file = journal_file(options.journal.as_deref())?;
    let journal = if options.apply {
        let mut journal = Journal::open(&file)?;
        restore_left(&mut journal, options.allow_programs)?;
        Some(journal)
    } else {
        if journal::is_there(&file) {
            let file = file.display();
            message(format!(
                "note: {file} has settings that a loop has changed. If that loop was killed, “crossover regulate restore” \
                 restores them"
            ));
        }
        message("dry run: nothing is changed; --apply takes the actions");
        None
    };
    let folder = std::env::current_dir().context("the working folder is not available")?;
    let controls: Vec<Control> = actuators.iter().map(|actuator| actuator.control(&folder)).collect();
    let of_pools = actuators.iter().map(|actuator| actuator.pool_programs(&folder));
    let programs = controls.iter().map(Control::programs).chain(of_pools);
    check(programs, options.allow_programs).with_context(|| options.actuators.display().to_string())?;
    // Before the first action: an interrupt restores.
    let (interrupt, stopped) = channel();
    let handled = ctrlc::set_handler(move || {
        // Nothing receives once the loop has ended.
        _ = interrupt.send(());
    });
    handled.context("cannot handle Ctrl-C, which would end the loop without restoring the settings")?;
    let mut settings = Vec::new();
    let mut originals = Vec::new();
    for (actuator, control) in actuators.iter().zip(&controls) {
        let present = control.present();
        let present =
            present.map_err(|why| anyhow!("actuator “{}”: its value cannot be read: {why}", actuator.name))?;
        settings.push(actuator.setting(present.value));
        originals.push(present.original);
    }
    let period = Duration::from_secs_f64(study.run.period_seconds);
    let readings = match source {
        ReadingsSource::Driver(gpu) => Readings::Driver(Driver::start(gpu, period)?),
        ReadingsSource::File(file) => Readings::Rows(Rows::open(&file, &cluster.name)?),
        ReadingsSource::Pages(pages) => Readings::Pages(Poller::start(pages, period)?),
    };
    let silence = options.silence.unwrap_or((SILENT_PERIODS * study.run.period_seconds).max(SHORTEST_SILENCE));
    let regulator = regulator(&settings)?;
    let mut live = LiveLoop {
        folder,
        actuators,
        controls,
        originals,
        regulator,
        readings,
        period,
        silence: Duration::from_secs_f64(silence.min(LONGEST_SILENCE)),
        journal,
        pool_problem: String::new(),
        is_restored: false,
    };
    let ended = live.follow(options.periods.unwrap_or(u64::MAX), &stopped);
    let restored = live.restore();
    // The reason for the end stands first.
    match (ended, restored) {
        (Err(why), Err(problem)) => bail!("{why:#}; {problem:#}"),
        (ended, restored) => ended.and(restored),
    }
}

/// Restores what a journal has.
pub(super) fn restore(options: &RestoreOptions) -> Result<()> {
    let file = journal_file(options.journal.as_deref())?;
    if !journal::is_there(&file) {
        message(format!("nothing is to be restored: there is no {}", file.display()));
        return Ok(());
    }
    let mut journal = Journal::open(&file)?;
    restore_left(&mut journal, options.allow_programs)
}

fn journal_file(named: Option<&Path>) -> Result<PathBuf> {
    let file = named.map(Path::to_owned).or_else(journal::usual_file);
    file.context("there is no folder for the journal; name a file with --journal")
}

/// Restores what a killed loop left, if its programs are allowed.
fn restore_left(journal: &mut Journal, is_allowed: bool) -> Result<()> {
    if journal.entries().is_empty() {
        return Ok(());
    }
    let programs = journal.entries().iter().map(|entry| entry.control.programs());
    check(programs, is_allowed).context("an earlier loop was killed, and its programs restore the old values")?;
    let restored = journal.restore()?;
    message(format!("restored what an earlier loop had changed: {}", restored.join(", ")));
    Ok(())
}

/// Checks that the user has allowed all programs; each actuator's alone, as a journal may have any of them.
fn check(all: impl Iterator<Item = Result<Option<Programs>, NotAllowed>>, is_allowed: bool) -> Result<(), NotAllowed> {
    let list = journal::allowed_programs();
    let mut refused = None;
    for programs in all {
        if let Some(programs) = programs?
            && let Err(why) = list.check(&programs, is_allowed, &mut |line| message(&line))
        {
            refused = Some(why);
        }
    }
    refused.map_or(Ok(()), Err)
}

fn cluster<'s>(study: &'s Regulation, name: Option<&str>) -> Result<&'s Cluster> {
    match (name, &study.clusters[..]) {
        (Some(name), clusters) => Ok(&clusters[super::cluster(study, "--cluster", name)?]),
        (None, [only]) => Ok(only),
        (None, clusters) => {
            let names: Vec<&str> = clusters.iter().map(|cluster| cluster.name.as_str()).collect();
            bail!("the scenario has {} clusters; choose one with --cluster: {}", names.len(), names.join(", "))
        }
    }
}

/// The value of a setting at the start of the study, for a recording.
fn at_start(study: &Regulation, cluster: &Cluster, changes: Actuator) -> f64 {
    match changes {
        Actuator::Vgpus => cluster.vgpus,
        Actuator::Frequency => cluster.start_ghz * 1000.0,
        Actuator::Precision => {
            let level = study.precisions.iter().position(|level| level.name == cluster.precision);
            level.unwrap_or_default() as f64
        }
        Actuator::Voltage => cluster.voltage.as_ref().map_or(1.0, |voltage| voltage.start),
        Actuator::Concurrency => cluster.concurrency.as_ref().map_or(1.0, |tasks| tasks.start),
    }
}

/// The actions for the readings of a recording, as if each had been carried out.
fn recorded(
    readings: &[[f64; 2]],
    study: &Regulation,
    actuators: &[RealActuator],
    mut regulator: Regulator,
) -> Result<()> {
    let period = study.run.period_seconds;
    for (index, read) in readings.iter().enumerate() {
        let Some(decision) = regulator.step(*read, period) else { continue };
        let change = |change: &Change| {
            let name = &actuators[change.setting].name;
            format!("{name} from {} to {}", word(change.from), word(change.to))
        };
        let changes: Vec<String> = decision.changes.iter().map(change).collect();
        print(line(index as f64 * period, *read, &decision, &changes))?;
        for change in decision.changes {
            regulator.commit(change);
        }
    }
    Ok(())
}

/// A line about a period.
fn line(time: f64, [pcie, load]: [f64; 2], decision: &Decision, changes: &[String]) -> String {
    let [pcie, load] = [pcie, load].map(|share| Unit::Share.format(share));
    let [error, output] = [decision.advice.error, decision.advice.output].map(|number| Unit::Ratio.format(number));
    let changes = if changes.is_empty() { "no change".to_owned() } else { changes.join("; ") };
    let time = Unit::Seconds.format(time);
    format!("{time}: PCIe occupancy {pcie}, load {load}, e {error}, u {output}: {changes}\n")
}

/// A loop with settings of a real cluster. It restores them when it is dropped, also by a panic.
struct LiveLoop {
    /// The folder in which its programs start.
    folder: PathBuf,
    actuators: Vec<RealActuator>,
    controls: Vec<Control>,
    /// The values that restore the settings.
    originals: Vec<f64>,
    regulator: Regulator,
    readings: Readings,
    period: Duration,
    /// Time without a reading after which it ends.
    silence: Duration,
    /// None: a dry run.
    journal: Option<Journal>,
    /// Why a pool was not read in the period before.
    pool_problem: String,
    is_restored: bool,
}

impl LiveLoop {
    /// Takes a step in each period that has a reading.
    ///
    /// # Errors
    /// A setting cannot be set, or no reading arrives any more.
    fn follow(&mut self, periods: u64, stopped: &Receiver<()>) -> Result<()> {
        let begun = Instant::now();
        let (mut next, mut last_step, mut heard) = (begun, begun, begun);
        let mut problem = String::new();
        for _ in 0..periods {
            // From the plan, not from now, so that a period does not grow by what acting takes.
            next = (next + self.period).max(Instant::now());
            match stopped.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            let arrived = self.readings.poll()?;
            for note in self.readings.notes() {
                message(format!("note: {note}"));
            }
            match arrived {
                Arrived::Reading(read) => {
                    let now = Instant::now();
                    let seconds = now.duration_since(last_step).as_secs_f64();
                    last_step = now;
                    self.step(read, seconds, begun.elapsed().as_secs_f64())?;
                    // The time that acting takes is no silence.
                    heard = Instant::now();
                }
                Arrived::Bad(why) => {
                    // Once, and not in every period.
                    if why != problem {
                        message(format!("note: {why}"));
                        problem = why;
                    }
                }
                Arrived::Nothing => {}
            }
            if heard.elapsed() >= self.silence {
                bail!("no reading for {}", Unit::Seconds.format(self.silence.as_secs_f64()));
            }
        }
        Ok(())
    }

    fn step(&mut self, read: [f64; 2], seconds: f64, time: f64) -> Result<()> {
        self.read_pools();
        let Some(decision) = self.regulator.step(read, seconds) else { return Ok(()) };
        let mut changes = Vec::new();
        for change in &decision.changes {
            changes.push(self.change(*change)?);
        }
        print(line(time, read, &decision, &changes))
    }

    /// Limits settings to what others leave of their pool. One whose pool cannot be read does not grow.
    fn read_pools(&mut self) {
        let mut problem = String::new();
        for (index, actuator) in self.actuators.iter().enumerate() {
            let most = actuator.most_of_pool(&self.folder).unwrap_or_else(|why| {
                problem = format!(
                    "the pool of actuator “{}” cannot be read, so its setting does not grow: {why}",
                    actuator.name
                );
                self.regulator.settings().nth(index).map(|setting| setting.value)
            });
            if let Some(most) = most {
                self.regulator.set_most(index, most);
            }
        }
        // Once, and not in every period.
        if !problem.is_empty() && problem != self.pool_problem {
            message(format!("note: {problem}"));
        }
        self.pool_problem = problem;
    }

    /// Carries a change out, after it is in the journal; in a dry run only its description.
    fn change(&mut self, change: Change) -> Result<String> {
        let (actuator, control) = (&self.actuators[change.setting], &self.controls[change.setting]);
        let name = &actuator.name;
        let from_to = format!("{name} from {} to {}", word(change.from), word(change.to));
        let Some(journal) = &mut self.journal else {
            return Ok(format!("would set {from_to} ({})", control.action(change.to)));
        };
        let original = self.originals[change.setting];
        journal.remember(Entry { name: name.clone(), control: control.clone(), original })?;
        control.set(change.to, journal.lock()).map_err(|why| anyhow!("{name} cannot be set: {why}"))?;
        self.regulator.commit(change);
        Ok(from_to)
    }

    /// Restores all settings that were changed.
    fn restore(&mut self) -> Result<()> {
        self.is_restored = true;
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let restored = journal.restore()?;
        if !restored.is_empty() {
            message(format!("restored: {}", restored.join(", ")));
        }
        Ok(())
    }
}

impl Drop for LiveLoop {
    fn drop(&mut self) {
        if !self.is_restored
            && let Err(problem) = self.restore()
        {
            message(format!("{problem:#}"));
        }
    }
}

//! `crossover probe send`: the real job goes to the best centre, with the recommended units, in its best window of the day.
//!
//! - [`slurm`]: by `sbatch`
//! - [`ssh`]: a process at a host, by the OpenSSH client
//! - [`kubernetes`]: a job of Kubernetes, by kubectl

mod kubernetes;
mod slurm;
mod ssh;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_page::terminal::{Source, called, message, print};
use crossover_probe::{CentreOutcome, Outcome, Probe, evaluate, outcome};
use crossover_quantity::estimate::Estimate;
use crossover_quantity::unit::{Unit, elapsed};
use jiff::Timestamp;

use super::super::transport::address::Address;
use super::super::transport::slurm::GPU;
use super::run::centres;

/// Polling interval of a job that was sent.
const POLL: Duration = Duration::from_secs(2);
/// Failed queries in a row after which a centre counts as down.
const PATIENCE: u32 = 20;
/// Hours of a day.
const DAY: f64 = 24.0;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;
/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;

/// Sends the real job to the best centre, with the recommended units, in its best window; a dry run without --apply
///
/// The job is a script. Its environment variable `CROSSOVER_UNITS` has the number of units.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that clap reads")]
#[command(name = "send", display_order = 7)]
pub(super) struct SendOptions {
    #[command(flatten)]
    source: Source,
    /// Script of the job, with the options of sbatch for Slurm
    #[arg(long, value_name = "SCRIPT")]
    job: PathBuf,
    /// Arguments of the script (--job)
    #[arg(value_name = "ARGUMENTS", last = true)]
    arguments: Vec<String>,
    /// A centre that may get the job, and how it is reached: slurm (default), slurm:PARTITION, ssh:HOST, kubernetes or
    /// kubernetes:CONTEXT; may be repeated. Default: all centres
    #[arg(long = "centre", value_name = "NAME[=TRANSPORT]")]
    centres: Vec<String>,
    /// Units; default: the recommended ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    units: Option<u32>,
    /// Each unit is a task of Slurm, on any node; default: one task on one node with all units
    #[arg(long)]
    tasks: bool,
    /// Starts the job at once, even outside the best window
    #[arg(long)]
    at_once: bool,
    /// A further argument of sbatch, e.g. --account=us; may be repeated
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Container image of the job, for Kubernetes
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Sends the job, with your permissions
    #[arg(long)]
    apply: bool,
    /// Waits for the end of the job, and compares its time with the estimate
    #[arg(long, requires = "apply")]
    wait: bool,
}

/// What is sent.
struct Sent<'a> {
    study: &'a Probe,
    outcome: &'a Outcome,
    /// Index of the centre.
    centre: usize,
    /// Name of the type of its units.
    unit: &'a str,
    /// What gpu-bench uses as one of them.
    runs_on: &'a str,
    units: u32,
    /// How the centre is reached.
    address: Address,
    /// Wait until the window, seconds.
    delay: Option<u64>,
}

pub(super) fn send(options: &SendOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let kind = scenario.study.kind();
    let study = scenario.probe().with_context(|| format!("this is {}, not a probe scenario", called(kind)))?;
    if !options.job.is_file() {
        bail!("{}: expected a script", options.job.display());
    }
    let outcome = evaluate(study);
    for warning in &outcome.warnings {
        message(format!("warning: {warning}"));
    }
    let sent = chosen(options, study, &outcome)?;
    if !matches!(sent.address, Address::Slurm(_)) && (options.tasks || !options.sbatch.is_empty()) {
        bail!(
            "--tasks and --sbatch apply only to centres reached through Slurm; {} is reached {}",
            sent.name(),
            sent.address
        );
    }
    let ended = match &sent.address {
        Address::Slurm(partition) => slurm::send(options, &sent, partition.as_deref())?,
        Address::Ssh(host) => ssh::send(options, &sent, host)?,
        Address::Kubernetes(context) => kubernetes::send(options, &sent, context.clone())?,
        Address::Local => bail!("--centre {}: expected a centre through Slurm or Kubernetes, or over SSH", sent.name()),
    };
    ended.map_or(Ok(()), |ended| sent.compare(&ended))
}

/// A job that has ended without a fault.
struct EndedJob {
    /// Its time, seconds.
    seconds: f64,
    /// Where it ran.
    place: String,
}

/// Prints what is sent and its command; returns whether it is sent.
fn is_sent(options: &SendOptions, sent: &Sent<'_>, command: &str) -> Result<bool> {
    print(shown(sent, command))?;
    if !options.apply {
        message("a dry run: nothing was sent; add --apply to send it");
    }
    Ok(options.apply)
}

/// Asks for the state of a job until it has ended; `ask` returns it, with the job once it has ended. An interrupt ends the waiting; the
/// job goes on. `job` is its name.
///
/// # Errors
/// The job failed, or the centre no longer answers.
fn wait_for(job: &str, ask: &mut dyn FnMut() -> JobAnswer) -> Result<EndedJob> {
    let mut failures = 0;
    let mut before = String::new();
    loop {
        match ask() {
            JobAnswer::Ended(ended) => return ended,
            JobAnswer::NoAnswer(why) => {
                failures += 1;
                if failures >= PATIENCE {
                    bail!("no answer: {why}; {job} continues");
                }
            }
            JobAnswer::State(state) => {
                failures = 0;
                if state != before {
                    message(format!("{job}: {state}"));
                    before = state;
                }
            }
        }
        thread::sleep(POLL);
    }
}

/// The answer to a question about a job.
enum JobAnswer {
    /// It has not ended, with its state.
    State(String),
    /// It has ended, or failed.
    Ended(Result<EndedJob>),
    /// There was none, with the reason.
    NoAnswer(String),
}

impl Sent<'_> {
    /// Name of the centre.
    fn name(&self) -> &str {
        &self.study.centres[self.centre].name
    }

    /// Whether its units are GPUs.
    fn has_gpus(&self) -> bool {
        self.runs_on == GPU
    }

    /// Threads of all units; of GPUs one each.
    fn threads(&self) -> u32 {
        self.units.saturating_mul(self.threads_of_unit())
    }

    fn threads_of_unit(&self) -> u32 {
        self.runs_on.split_once(':').and_then(|(_, threads)| threads.parse().ok()).unwrap_or(1)
    }

    /// Prints the time of a job, compared with the estimate; of units that are not recommended there is none.
    fn compare(&self, ended: &EndedJob) -> Result<()> {
        let estimate = self.of().target.filter(|_| self.has_recommended_units());
        let against = estimate.map_or_else(String::new, |(estimate, _)| {
            let is_within = estimate.interval.is_some_and(|[low, high]| (low..=high).contains(&ended.seconds));
            let within = if is_within { ", within the interval" } else { "" };
            let ratio = Unit::Factor.format(ended.seconds / estimate.mean);
            format!("; estimate {}, ratio {ratio}{within}", in_words(&estimate))
        });
        print(format!("result     {} on {}{against}\n", elapsed(ended.seconds), ended.place))
    }

    fn of(&self) -> &CentreOutcome {
        &self.outcome.centres[self.centre]
    }

    fn has_recommended_units(&self) -> bool {
        f64::from(self.units) == self.of().recommended.floor()
    }
}

/// The best centre among those that may get the job.
fn chosen<'a>(options: &SendOptions, study: &'a Probe, outcome: &'a Outcome) -> Result<Sent<'a>> {
    let mut allowed: Vec<(usize, Address)> = Vec::new();
    for text in &options.centres {
        let (name, address) = centres::parse(text, study)?;
        let place = study.centres.iter().position(|centre| centre.name == name);
        let place = place.with_context(|| format!("--centre {name}: the scenario has no such centre"))?;
        allowed.push((place, address.unwrap_or(Address::Slurm(None))));
    }
    if options.centres.is_empty() {
        allowed = (0..study.centres.len()).map(|place| (place, Address::Slurm(None))).collect();
    }
    let best = outcome.ranking.iter().find_map(|rank| allowed.iter().find(|(place, _)| *place == rank.centre));
    let (centre, address) = best.cloned().with_context(|| {
        let units = outcome::units(study.target.units);
        format!("none of these centres has run the probe on {units}; run “crossover probe run” first")
    })?;
    let of = &outcome.centres[centre];
    let unit = of.unit.as_ref().map_err(|why| anyhow::anyhow!("{}: {why}", study.centres[centre].name))?;
    let of_type = &study.centres[centre].units[*unit];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 10^7 units")]
    let recommended = of.recommended.floor().max(1.0) as u32;
    let units = options.units.unwrap_or(recommended);
    if f64::from(units) > of_type.count {
        let name = &study.centres[centre].name;
        bail!("{name} has {} units of type “{}”; {units} requested", of_type.count, of_type.name);
    }
    let window = of.best_window().filter(|_| !options.at_once);
    let delay = window.and_then(|window| until(window.from, window.until, hour_of_day(Timestamp::now())));
    Ok(Sent { study, outcome, centre, unit: &of_type.name, runs_on: &of_type.runs_on, units, address, delay })
}

/// Hour of the day in UTC.
fn hour_of_day(time: Timestamp) -> f64 {
    time.as_second().rem_euclid(DAY_SECONDS) as f64 / HOUR
}

/// Seconds from an hour of the day until a window begins; `None` within it. Its end may be on the next day.
fn until(from: f64, end: f64, now: f64) -> Option<u64> {
    let is_within = |hour: f64| from <= hour && hour < end;
    if is_within(now) || is_within(now + DAY) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … 86,400")]
    let seconds = ((from - now).rem_euclid(DAY) * HOUR).ceil() as u64;
    Some(seconds)
}

fn shown(sent: &Sent<'_>, command: &str) -> String {
    let (study, of) = (sent.study, sent.of());
    let name = |centre: usize| study.centres[centre].name.as_str();
    let mut text = String::new();
    let score = of.score.map_or_else(|| "–".to_owned(), |score| Unit::Ratio.format(score.value));
    let rank = sent.outcome.ranking.iter().find(|rank| rank.centre == sent.centre);
    let tied: Vec<&str> = rank.into_iter().flat_map(|rank| &rank.tied).map(|other| name(*other)).collect();
    let tied = if tied.is_empty() {
        String::new()
    } else {
        format!("; its difference from {} is not significant", tied.join(", "))
    };
    _ = writeln!(text, "centre     {}, score {score}{tied}", name(sent.centre));
    let how = if sent.has_recommended_units() { "" } else { ", not the recommended number" };
    _ = writeln!(text, "units      {} of type “{}”{how}", sent.units, sent.unit);
    let begin = match (sent.delay, of.best_window()) {
        (Some(seconds), Some(window)) => {
            let wait = elapsed(seconds as f64);
            format!("in {wait}, in the window from {} UTC", clock(window.from))
        }
        (None, Some(_)) => "at once".to_owned(),
        (_, None) => "at once; no window of the day is known".to_owned(),
    };
    _ = writeln!(text, "begin      {begin}");
    let estimate = of.target.map_or_else(|| "–".to_owned(), |(target, _)| in_words(&target));
    _ = writeln!(text, "estimate   {estimate}, on the recommended units");
    _ = writeln!(text, "command    {command}");
    text
}

/// "18:15" of hours from midnight.
fn clock(hours: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "minutes of a day")]
    let minutes = (hours.rem_euclid(DAY) * 60.0).round() as i64 % 1_440;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// "4 min 30 s (4 min 10 s – 4 min 50 s)".
fn in_words(estimate: &Estimate) -> String {
    let interval = estimate.interval.map(|[low, high]| format!(" ({} – {})", elapsed(low), elapsed(high)));
    format!("{}{}", elapsed(estimate.mean), interval.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_waits_for_its_window_or_begins_in_it() {
        // From 18:15 to 08:00 of the next day.
        let until = |now: f64| until(18.25, 32.0, now);
        assert_eq!((until(18.25), until(23.0), until(2.0)), (None, None, None));
        assert_eq!((until(8.0), until(18.0)), (Some(36_900), Some(900)));
        // From 14:00 to 16:00: tomorrow again.
        assert_eq!(super::until(14.0, 16.0, 16.0), Some(22 * 3_600));
        assert_eq!((clock(18.25), clock(23.999)), ("18:15".to_owned(), "00:00".to_owned()));
        assert_eq!(hour_of_day("2026-11-02T14:30:00Z".parse().expect("a time")), 14.5);
    }
}

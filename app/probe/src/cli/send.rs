//! `crossover probe send`: the real job goes to the best centre, with the recommended units, in its best window of the day.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use crossover_files::shell::line;
use crossover_page::terminal::{Source, called, message, print};
use crossover_probe::{CentreOutcome, Outcome, Probe, evaluate, outcome};
use crossover_quantity::estimate::Estimate;
use crossover_quantity::unit::{Unit, elapsed};
use jiff::Timestamp;

use super::super::transport::address::Address;
use super::super::transport::slurm;
use super::run::centres;

/// Polling interval of a job that was sent.
const POLL: Duration = Duration::from_secs(2);
/// Failed queries in a row after which Slurm counts as down.
const PATIENCE: u32 = 20;
/// Hours of a day.
const DAY: f64 = 24.0;
/// Seconds of an hour.
const HOUR: f64 = 3_600.0;
/// Seconds of a day.
const DAY_SECONDS: i64 = 86_400;

/// Submits the real job to the best centre, with the recommended units, in its best window; a dry run without --apply
///
/// The job is a batch script of Slurm. Its environment has `CROSSOVER_UNITS`.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that clap reads")]
#[command(name = "send", display_order = 7)]
pub(super) struct SendOptions {
    #[command(flatten)]
    source: Source,
    /// Batch script of the job
    #[arg(long, value_name = "SCRIPT")]
    job: PathBuf,
    /// Arguments of the batch script (--job)
    #[arg(value_name = "ARGUMENTS", last = true)]
    arguments: Vec<String>,
    /// A centre that may get the job: NAME, NAME=slurm or NAME=slurm:PARTITION; may be repeated. Default: all centres
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
    /// Submits the job, by sbatch with your permissions
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
    partition: Option<String>,
    /// Wait until the window, seconds.
    delay: Option<u64>,
}

pub(super) fn send(options: &SendOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let kind = scenario.study.kind();
    let study = scenario.probe().with_context(|| format!("this is {}, not a probe scenario", called(kind)))?;
    if !options.job.is_file() {
        bail!("{}: expected a batch script", options.job.display());
    }
    let outcome = evaluate(study);
    for warning in &outcome.warnings {
        message(format!("warning: {warning}"));
    }
    let sent = chosen(options, study, &outcome)?;
    let words = words(options, &sent)?;
    print(shown(&sent, &words))?;
    if !options.apply {
        message("a dry run: nothing was sent; add --apply to send it");
        return Ok(());
    }
    let answer = slurm::output_of("sbatch", &words, &|| false);
    let answer = answer.map_err(|why| anyhow::anyhow!("sbatch rejected the job: {why}"))?;
    let job = answer.trim().split(';').next().unwrap_or_default();
    if job.is_empty() || !job.chars().all(|c| c.is_ascii_digit()) {
        bail!("sbatch printed “{}”; expected a job ID", answer.trim());
    }
    print(format!("sent       job {job}\n"))?;
    if options.wait {
        // Of other units there is none.
        let estimate = sent.of().target.filter(|_| sent.has_recommended_units());
        return compare(job, estimate.map(|(target, _)| target));
    }
    Ok(())
}

impl Sent<'_> {
    fn of(&self) -> &CentreOutcome {
        &self.outcome.centres[self.centre]
    }

    fn has_recommended_units(&self) -> bool {
        f64::from(self.units) == self.of().recommended.floor()
    }
}

/// The best centre among those that may get the job.
fn chosen<'a>(options: &SendOptions, study: &'a Probe, outcome: &'a Outcome) -> Result<Sent<'a>> {
    let mut allowed: Vec<(usize, Option<String>)> = Vec::new();
    for text in &options.centres {
        let (name, address) = centres::parse(text, study)?;
        let place = study.centres.iter().position(|centre| centre.name == name);
        let place = place.with_context(|| format!("--centre {name}: the scenario has no such centre"))?;
        match address {
            None => allowed.push((place, None)),
            Some(Address::Slurm(partition)) => allowed.push((place, partition)),
            Some(other) => bail!("--centre {name}: jobs are sent through Slurm only, not {other}"),
        }
    }
    if options.centres.is_empty() {
        allowed = (0..study.centres.len()).map(|place| (place, None)).collect();
    }
    let best = outcome.ranking.iter().find_map(|rank| allowed.iter().find(|(place, _)| *place == rank.centre));
    let (centre, partition) = best.cloned().with_context(|| {
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
    Ok(Sent { study, outcome, centre, unit: &of_type.name, runs_on: &of_type.runs_on, units, partition, delay })
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

/// Arguments of `sbatch`; no shell interprets them.
fn words(options: &SendOptions, sent: &Sent<'_>) -> Result<Vec<String>> {
    let script = options.job.to_str().context("the script's name is not UTF-8")?;
    let units = sent.units;
    let mut words = vec!["--parsable".to_owned()];
    // Counted by the controller's own clock, whatever its time zone is.
    words.extend(sent.delay.map(|seconds| format!("--begin=now+{seconds}")));
    words.extend(sent.partition.iter().map(|partition| format!("--partition={partition}")));
    let threads: u32 = sent.runs_on.split_once(':').and_then(|(_, threads)| threads.parse().ok()).unwrap_or(1);
    let of_unit = match (sent.runs_on == slurm::GPU, options.tasks) {
        (true, true) => vec![format!("--ntasks={units}"), "--gpus-per-task=1".to_owned()],
        (true, false) => vec!["--nodes=1".to_owned(), "--ntasks=1".to_owned(), format!("--gres=gpu:{units}")],
        (false, true) => vec![format!("--ntasks={units}"), format!("--cpus-per-task={threads}")],
        (false, false) => {
            let threads = units.saturating_mul(threads);
            vec!["--nodes=1".to_owned(), "--ntasks=1".to_owned(), format!("--cpus-per-task={threads}")]
        }
    };
    words.extend(of_unit);
    words.push(format!("--export=ALL,CROSSOVER_UNITS={units}"));
    words.extend(options.sbatch.iter().cloned());
    // Its name could be an option.
    words.push(if script.starts_with('-') { format!("./{script}") } else { script.to_owned() });
    words.extend(options.arguments.iter().cloned());
    Ok(words)
}

fn shown(sent: &Sent<'_>, words: &[String]) -> String {
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
    _ = writeln!(text, "command    sbatch {}", line(words));
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

/// Waits for the end of a job, and compares its time with the estimate. An interrupt ends the waiting; the job goes on.
fn compare(job: &str, estimate: Option<Estimate>) -> Result<()> {
    let mut failures = 0;
    let mut before = String::new();
    loop {
        let query = ["-h", "-t", "all", "-j", job, "-o", "%T|%M|%N"].map(str::to_owned);
        let answer = slurm::output_of("squeue", &query, &|| false);
        let is_listed = match &answer {
            Ok(answer) => !answer.trim().is_empty(),
            Err(why) => !why.contains("Invalid job id"),
        };
        if !is_listed {
            bail!("Slurm no longer lists job {job}; its time is in “sacct -j {job}”, if Slurm records accounting");
        }
        match answer {
            Err(why) => {
                failures += 1;
                if failures >= PATIENCE {
                    bail!("Slurm no longer responds: {why}; job {job} continues");
                }
            }
            Ok(answer) => {
                failures = 0;
                let mut fields = answer.trim().splitn(3, '|');
                let [state, ran, nodes] = [(); 3].map(|()| fields.next().unwrap_or_default().to_owned());
                if slurm::has_ended(&state) {
                    return ended(job, &state, seconds_of(&ran), &nodes, estimate);
                }
                if state != before {
                    message(format!("job {job}: {state}"));
                    before = state;
                }
            }
        }
        thread::sleep(POLL);
    }
}

fn ended(job: &str, state: &str, ran: Option<f64>, nodes: &str, estimate: Option<Estimate>) -> Result<()> {
    if state != "COMPLETED" {
        bail!("job {job} ended as {state}");
    }
    let ran = ran.with_context(|| format!("squeue printed no time of job {job}"))?;
    let against = match estimate {
        Some(estimate) => {
            let is_within = estimate.interval.is_some_and(|[low, high]| (low..=high).contains(&ran));
            let within = if is_within { ", within the interval" } else { "" };
            let ratio = Unit::Factor.format(ran / estimate.mean);
            format!("; estimate {}, ratio {ratio}{within}", in_words(&estimate))
        }
        None => String::new(),
    };
    print(format!("result     {} on {nodes}{against}\n", elapsed(ran)))
}

/// Seconds of a time of squeue: `0:06`, `1:02:03`, `1-02:03:04`.
fn seconds_of(text: &str) -> Option<f64> {
    let (days, clock) = text.split_once('-').unwrap_or(("0", text));
    let parts: Vec<f64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let seconds = parts.iter().fold(0.0, |sum, part| sum * 60.0 + part);
    let days: f64 = days.parse().ok()?;
    Some(days * DAY * HOUR + seconds)
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

    #[test]
    fn times_of_squeue_are_read() {
        assert_eq!((seconds_of("0:06"), seconds_of("1:02:03")), (Some(6.0), Some(3_723.0)));
        assert_eq!((seconds_of("1-02:03:04"), seconds_of("INVALID"), seconds_of("")), (Some(93_784.0), None, None));
    }
}

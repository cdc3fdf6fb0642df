//! `cargo xtask truth-network`: a real Spark cluster on links of known speed, and what Crossover says of it.
//!
//! Queries run at every speed. A profile is fitted to the runs at some speeds; at the others it predicts how long the same
//! queries take, from plans that ran at one of the fitted speeds. Everything happens in network namespaces of its own.

mod cluster;
mod network;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::process::{is_installed, succeeds};
use crate::report::{Outcome, Report};
use crate::{build, process};
use cluster::{Cluster, Spark, WORKERS};
use network::Network;

/// Where everything is kept, below the folder of built things.
const FOLDER: &str = "target/truth-network";
/// Stands there when a run came to its end.
const ENDED: &str = "ended";
const SCRIPTS: &str = "xtask/src/truth_network";
/// The scenario that a fit begins with; its first speed is that of the link.
const SCENARIO: &str = "scenarios/truth/network.ron";
const SPEED: &str = "network_gbit_per_s: 1.0";
/// Speeds of the links in Mbit/s, and whether the profile is fitted to runs there.
const LINKS: [(u32, bool); 6] = [(50, false), (100, true), (200, false), (400, false), (1000, true), (10_000, false)];
/// The speed at which the plans ran that all predictions are made from.
const PLANS_AT: u32 = 1000;
/// Rows of the larger table of each query.
const SIZES: &str = "1000000,2000000,4000000";
/// How often each query is measured.
const ROUNDS: &str = "3";
/// The query that exchanges nothing.
const CONTROL: &str = "filter";
/// Medians of |predicted ÷ measured − 1| up to this are as good as they shall be.
const GOAL: f64 = 0.15;

/// Runs the cluster and compares; or compares what the last run measured.
pub(crate) fn run(root: &Path, is_compared_only: bool) -> Result<Report> {
    let mut report = Report::new(root);
    let folder = root.join(FOLDER);
    let mut found = None;
    if is_compared_only {
        build::programs(root)?;
        found = Some(log(&folder)?);
    } else if let Some(reason) = lacking() {
        report.check("cluster on shaped links", || Outcome::CouldNotRun(reason));
    } else {
        build::programs(root)?;
        fs::create_dir_all(&folder)?;
        report.check("cluster on shaped links", || {
            let measured = measure(root, &folder).map(|log| {
                found = Some(log);
                format!("{} links", LINKS.len())
            });
            measured.into()
        });
    }
    if let Some(log) = found {
        report.check("times at links that were not fitted", || compare(root, &folder, &log).into());
    }
    Ok(report)
}

/// The program or the right that is missing.
fn lacking() -> Option<String> {
    let missing: Vec<&str> = ["ip", "tc", "java", "python3"].into_iter().filter(|name| !is_installed(name)).collect();
    if !missing.is_empty() {
        let packages = "on Debian: iproute2, openjdk-17-jre-headless, python3-venv";
        return Some(format!("{} is not installed ({packages})", missing.join(", ")));
    }
    let name = "crossover-truth-right";
    let may = succeeds(Command::new("ip").args(["netns", "add", name]));
    succeeds(Command::new("ip").args(["netns", "del", name]));
    (!may).then(|| "network namespaces need the rights of root".to_owned())
}

/// Runs all queries at every speed; the event log.
fn measure(root: &Path, folder: &Path) -> Result<PathBuf> {
    let spark = Spark::install(folder)?;
    let data = folder.join("data");
    let data_text = data.display().to_string();
    // Says which sizes are there.
    let complete = data.join("complete");
    if fs::read_to_string(&complete).ok().as_deref() != Some(SIZES) {
        spark.run_here(&root.join(SCRIPTS).join("data.py"), &[&data_text, SIZES], &folder.join("data.log"))?;
        fs::write(&complete, SIZES)?;
    }
    let network = Network::new(WORKERS + 1)?;
    let shape = folder.join("shape.sh");
    fs::write(&shape, network.shaping())?;
    let cluster = Cluster::start(&spark, folder)?;
    let speeds: Vec<String> = LINKS.iter().map(|(link, _)| link.to_string()).collect();
    let logs = folder.join("log");
    let ended = folder.join(ENDED);
    fs::remove_file(&ended).or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
    let arguments = [&data_text, &shape.display().to_string(), SIZES, ROUNDS, &speeds.join(",")];
    cluster.run(&root.join(SCRIPTS).join("work.py"), &arguments, &logs)?;
    fs::write(&ended, "")?;
    log(folder)
}

/// The event log of the last run, if it came to its end.
fn log(folder: &Path) -> Result<PathBuf> {
    ensure!(folder.join(ENDED).exists(), "no run came to its end in {}", folder.display());
    let logs = folder.join("log");
    let entry = fs::read_dir(&logs).ok().and_then(|mut entries| entries.next());
    let entry = entry.with_context(|| format!("there is no event log in {}", logs.display()))??;
    Ok(entry.path())
}

/// A query that ran.
struct Ran {
    id: u64,
    /// Its name and its rows: "join 1000000".
    query: String,
    /// Speed of the links, Mbit/s.
    link: u32,
    /// The round, from 0, which warms up.
    round: u32,
    seconds: f64,
}

/// Fits to the runs at some speeds, and predicts those at the others.
fn compare(root: &Path, folder: &Path, log: &Path) -> Result<String> {
    let all = read(root, log)?;
    let is_plan = |ran: &&Ran| ran.link == PLANS_AT && ran.round == 1;
    let plans: BTreeMap<&str, u64> = all.iter().filter(is_plan).map(|ran| (ran.query.as_str(), ran.id)).collect();
    let template = fs::read_to_string(root.join(SCENARIO))?;
    ensure!(template.contains(SPEED), "{SCENARIO} has no “{SPEED}”");
    let log = log.display();
    let mut cases = [true, false].map(|_| "case,plan,query,format,scale,scenario,cpu_seconds,gpu_seconds\n".to_owned());
    // What who knows nothing of links says: as long as at the speed of the plans.
    let mut usual = BTreeMap::new();
    for (link, is_fitted) in LINKS {
        let scenario = format!("{link}mbit.ron");
        let speed = format!("network_gbit_per_s: {:?}", f64::from(link) / 1000.0);
        fs::write(folder.join(&scenario), template.replacen(SPEED, &speed, 1))?;
        for (query, seconds) in medians(&all, link) {
            let plan = plans.get(query.as_str()).with_context(|| format!("no plan of {query}"))?;
            let line = format!("{query} at {link} Mbit/s,{log},{plan},spark-log,,{scenario},{seconds},\n");
            cases[usize::from(!is_fitted)] += &line;
            if link == PLANS_AT {
                usual.insert(query, seconds);
            }
        }
    }
    let [fitted, unseen] = cases;
    let files =
        ["fitted.csv", "unseen.csv", "profile.ron", "chart.svg"].map(|name| folder.join(name).display().to_string());
    let [fitted_file, unseen_file, profile, chart] = &files;
    fs::write(fitted_file, fitted)?;
    fs::write(unseen_file, unseen)?;
    eprintln!("{}", crossover(root, &["fit", "--cases", fitted_file, "--out", profile])?);
    let validate = |format: &str| {
        crossover(root, &["validate", unseen_file, "--profile", profile, "--of", "cpu", "--format", format])
    };
    eprintln!("{}", validate("table")?);
    fs::write(chart, validate("svg")?)?;
    let found: Value = serde_json::from_str(&validate("json")?)?;
    summary(&found, &usual)
}

/// How far each kind of query is off, and at each speed those that exchange rows, beside who says that links do not
/// matter. The goal is for queries that exchange rows: links do nothing to a filter, it shows what is noise.
fn summary(found: &Value, usual: &BTreeMap<String, f64>) -> Result<String> {
    let mut groups: BTreeMap<String, [Vec<f64>; 2]> = BTreeMap::new();
    for case in found["cases"].as_array().context("cases")? {
        let name = case["case"].as_str().context("a name")?;
        let (query, link) = name.split_once(" at ").with_context(|| format!("“{name}” has no link"))?;
        let (kind, _) = query.split_once(' ').with_context(|| format!("“{query}” has no rows"))?;
        let number = |key: &str| case[key].as_f64().with_context(|| format!("{key} of {case}"));
        let measured = number("measured_cpu_seconds")?;
        let errors = [number("cpu_seconds")?, usual[query]].map(|seconds| (seconds / measured - 1.0).abs());
        let mut count = |group: &str| {
            let group = groups.entry(group.to_owned()).or_default();
            group.iter_mut().zip(errors).for_each(|(all, error)| all.push(error));
        };
        count(kind);
        if kind != CONTROL {
            count(link);
        }
    }
    let mut text = String::new();
    let mut is_good = true;
    for (group, errors) in &mut groups {
        let [ours, knows_nothing] = errors.each_mut().map(|errors| middle(errors));
        is_good &= group == CONTROL || ours <= GOAL;
        write!(text, "{group} off by {:.1} % (links ignored: {:.1} %); ", 100.0 * ours, 100.0 * knows_nothing)?;
    }
    let text = text.trim_end_matches("; ").to_owned();
    if is_good { Ok(text) } else { bail!("{text}; the goal is {:.0} %", 100.0 * GOAL) }
}

/// The queries of a log, each known by the description that the script gave it.
fn read(root: &Path, log: &Path) -> Result<Vec<Ran>> {
    let text = crossover(root, &["import", "spark-log", &log.display().to_string(), "--format", "json"])?;
    let document: Value = serde_json::from_str(&text)?;
    let queries = document["queries"].as_array().context("an import has queries")?;
    let ran = queries.iter().filter_map(|query| {
        let (name, round) = query["description"].as_str()?.split_once(" Mbit/s, round ")?;
        let (name, link) = name.split_once(" at ")?;
        Some(Ran {
            id: query["id"].as_u64()?,
            query: name.to_owned(),
            link: link.parse().ok()?,
            round: round.parse().ok()?,
            seconds: query["duration_seconds"].as_f64()?,
        })
    });
    let ran: Vec<Ran> = ran.collect();
    ensure!(!ran.is_empty(), "{} has no query of ours", log.display());
    Ok(ran)
}

/// The middle of the rounds of each query at a speed, without the one that warms up.
fn medians(runs: &[Ran], link: u32) -> BTreeMap<String, f64> {
    let mut seconds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for ran in runs.iter().filter(|ran| ran.round > 0 && ran.link == link) {
        seconds.entry(&ran.query).or_default().push(ran.seconds);
    }
    seconds.into_iter().map(|(query, mut seconds)| (query.to_owned(), middle(&mut seconds))).collect()
}

/// The middle of some numbers; of none it is none.
fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What the program prints.
fn crossover(root: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(build::application(root));
    command.args(arguments).stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("`{}` cannot start", process::shown(&command)))?;
    ensure!(output.status.success(), "`{}` ended with {}", process::shown(&command), output.status);
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_that_warms_up_does_not_count() {
        let ran = |round: u32, link: u32, seconds: f64| Ran { id: 0, query: "join 1".into(), link, round, seconds };
        let runs = [ran(0, 50, 90.0), ran(1, 50, 3.0), ran(2, 50, 9.0), ran(3, 50, 4.0), ran(1, 100, 1.0)];
        let found = medians(&runs, 50);
        assert_eq!(found, BTreeMap::from([("join 1".to_owned(), 4.0)]));
    }

    #[test]
    fn what_exchanges_rows_and_is_off_by_more_than_the_goal_fails() {
        let judge = |query: &str, found: f64| {
            let case = serde_json::json!({
                "case": format!("{query} 1 at 50 Mbit/s"), "cpu_seconds": found, "measured_cpu_seconds": 10.0,
            });
            let document = serde_json::json!({ "cases": [case] });
            summary(&document, &BTreeMap::from([(format!("{query} 1"), 5.0)]))
        };
        let expected = "50 Mbit/s off by 10.0 % (links ignored: 50.0 %); join off by 10.0 % (links ignored: 50.0 %)";
        assert_eq!(judge("join", 11.0).expect("within the goal"), expected);
        assert!(judge("join", 13.0).is_err());
        assert_eq!(judge("filter", 13.0).expect("shown only"), "filter off by 30.0 % (links ignored: 50.0 %)");
    }
}

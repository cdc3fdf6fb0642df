//! Configuration of the RAPIDS Accelerator for Apache Spark for all applications to move: a file for each application, one
//! for each queue, and one for the cluster. Each setting has its reason.
//!
//! - [`cluster`]: the machines of the base's GPU engine
//! - [`mod@settings`]: the lines, and the numbers that lead to them
//! - [`file_name`]: names of applications and queues as names of files

pub mod cluster;
pub mod file_name;
pub mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crossover_files::atomic;
use crossover_quantity::text::{counted, one_line, shortened};
use crossover_quantity::unit::Unit;

use self::cluster::GpuCluster;
use self::file_name::Names;
use self::settings::{Demand, Setting, settings};
use crate::application::{Summary, Verdict};
use crate::error::FleetError;
use crate::names::RAPIDS;
use crate::overview::Overview;
use crate::tables::rows::id_of;
use crossover_plan::today::is_spark;

/// Folders below it: a file for each application, and one for each queue.
pub const KINDS: [&str; 2] = ["applications", "queues"];
/// The file without any application.
pub const COMMON: &str = "common.conf";
/// First line of every file: only files that begin with it are deleted later.
const TITLE: &str = "# Configuration for the RAPIDS Accelerator for Apache Spark, written by Crossover\n";
/// Longest name in a comment, characters.
const LONGEST_NAME: usize = 200;
/// Most classes of operators that a comment names.
const MOST_CLASSES: usize = 20;

/// Number of written files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Applications with a file.
    pub applications: usize,
    /// Queues with a file.
    pub queues: usize,
}

/// Whether RAPIDS is recommended for an application of Spark.
fn is_of_rapids(summary: &Summary) -> bool {
    is_spark(&summary.engine) && summary.option_engine.starts_with("RAPIDS")
}

/// Writes the files of all applications to move below the folder of results, and deletes outdated files of an earlier run.
/// If no application is to move, there is no file.
///
/// # Errors
/// [`FleetError`]: the folder cannot be written.
pub fn write(out: &Path, overview: &Overview<'_>, cluster: &GpuCluster) -> Result<Written, FleetError> {
    let folder = out.join(RAPIDS);
    let mut moving: Vec<(&str, &str, &Summary)> = overview
        .applications
        .iter()
        .filter(|(_, summary)| summary.verdict == Verdict::Move && is_of_rapids(summary))
        .map(|(log, summary)| (id_of(&log.head.key, summary), log.head.key.as_str(), *summary))
        .collect();
    if moving.is_empty() && !folder.exists() {
        return Ok(Written::default());
    }
    moving.sort_unstable_by_key(|(id, ..)| *id);
    let mut queues: BTreeMap<&str, Vec<(&str, &Summary)>> = BTreeMap::new();
    let (mut applications_names, mut queues_names) = (Names::default(), Names::default());
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    if !moving.is_empty() {
        files.push((folder.join(COMMON), common(cluster)));
    }
    let [applications, queues_folder] = KINDS.map(|kind| folder.join(kind));
    for (id, log, summary) in &moving {
        let name = applications_names.of(id);
        files.push((applications.join(format!("{name}.conf")), application(id, log, summary, cluster)));
        if !summary.queue.is_empty() {
            queues.entry(&summary.queue).or_default().push((id, summary));
        }
    }
    for (name, members) in &queues {
        let file = queues_names.of(name);
        files.push((queues_folder.join(format!("{file}.conf")), queue(name, members, cluster)));
    }
    for made in [&applications, &queues_folder] {
        let failed = |cause| FleetError::Out { path: made.clone(), step: "creating the folder", cause };
        fs::create_dir_all(made).map_err(failed)?;
    }
    for (path, text) in &files {
        if !has_text(path, text) {
            atomic::write(path, text.as_bytes())?;
        }
    }
    let kept: BTreeSet<&Path> = files.iter().map(|(path, _)| path.as_path()).collect();
    for made in [&folder, &applications, &queues_folder] {
        delete_outdated(made, &kept)?;
    }
    Ok(Written { applications: moving.len(), queues: queues.len() })
}

/// Whether a file has this text.
fn has_text(path: &Path, text: &str) -> bool {
    let is_as_long = fs::symlink_metadata(path).is_ok_and(|there| there.is_file() && there.len() == text.len() as u64);
    is_as_long && fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// Deletes the files of an earlier run, and no others.
fn delete_outdated(folder: &Path, kept: &BTreeSet<&Path>) -> Result<(), FleetError> {
    let failed = |path: &Path, step| {
        let path = path.to_owned();
        move |cause| FleetError::Out { path, step, cause }
    };
    for entry in fs::read_dir(folder).map_err(failed(folder, "listing the folder"))? {
        let path = entry.map_err(failed(folder, "listing the folder"))?.path();
        let is_other = path.extension().is_some_and(|end| end == "conf") && !kept.contains(path.as_path());
        if is_other && is_ours(&path) {
            fs::remove_file(&path).map_err(failed(&path, "deleting the configuration of an earlier run"))?;
        }
    }
    Ok(())
}

/// Whether a file begins with the first line of these files.
fn is_ours(path: &Path) -> bool {
    // Reading a pipe could block forever.
    if !fs::symlink_metadata(path).is_ok_and(|there| there.is_file()) {
        return false;
    }
    let mut start = [0; TITLE.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *TITLE.as_bytes()
}

/// The file of the cluster, without an application.
fn common(cluster: &GpuCluster) -> String {
    let mut text =
        header(&[("For", "every application on these machines".to_owned()), ("Cluster", cluster.title.clone())]);
    text += &lines(&settings(cluster, &Demand::default()));
    text
}

/// The file of an application.
fn application(id: &str, log: &str, summary: &Summary, cluster: &GpuCluster) -> String {
    let seconds = |seconds: f64| Unit::Seconds.format(seconds);
    let there = summary
        .option_time
        .map(|gpu| format!("{} (90 % interval: {} … {})", seconds(gpu.value), seconds(gpu.low), seconds(gpu.high)));
    let mut text = header(&[
        ("Application", id.to_owned()),
        ("Name", summary.name.clone()),
        ("User", summary.user.clone()),
        ("Queue", summary.queue.clone()),
        ("Log", log.to_owned()),
        ("Today", summary.seconds.map(seconds).unwrap_or_default()),
        ("On GPUs", there.unwrap_or_default()),
        ("Cluster", cluster.title.clone()),
    ]);
    text += &lines(&settings(cluster, &Demand::of(&[(id, summary)])));
    text += &staying(summary);
    text
}

/// The file of all applications of a queue.
fn queue(name: &str, members: &[(&str, &Summary)], cluster: &GpuCluster) -> String {
    let mut text = header(&[
        ("Queue", name.to_owned()),
        ("For", format!("its {} to move", counted(members.len() as f64, "application"))),
        ("Cluster", cluster.title.clone()),
    ]);
    text += &lines(&settings(cluster, &Demand::of(members)));
    text
}

/// The comment above the settings; empty values are omitted.
fn header(facts: &[(&str, String)]) -> String {
    let mut text = String::from(TITLE);
    text += "#\n";
    for (label, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        // A string takes everything.
        _ = writeln!(text, "# {label:<12}{}", shortened(value, LONGEST_NAME));
    }
    text += "#\n# Use the whole file: spark-submit --properties-file FILE --jars rapids-4-spark_….jar …. To see what the\n\
             # accelerator would run on GPUs, start Spark with spark.rapids.sql.mode=explainOnly: Spark runs on CPUs and logs it.\n\
             # Sources: the accelerator's tuning guide, and the AutoTuner of NVIDIA's spark-rapids-tools 26.08.\n";
    text
}

/// The settings, each below its reason.
fn lines(settings: &[Setting]) -> String {
    let mut text = String::new();
    for Setting { key, value, why, is_proposal } in settings {
        let mark = if *is_proposal { "#" } else { "" };
        _ = write!(text, "\n# {}\n{mark}{key}={value}\n", one_line(why));
    }
    text
}

/// The operators of an application without a GPU version.
fn staying(summary: &Summary) -> String {
    if summary.unsupported.is_empty() {
        return String::new();
    }
    let mut names: Vec<String> = summary.unsupported.iter().map(|class| shortened(class, LONGEST_NAME)).collect();
    if names.len() > MOST_CLASSES {
        names.truncate(MOST_CLASSES);
        names.push("…".to_owned());
    }
    format!(
        "\n# Operators without a GPU version, predicted to take {}: {}. They stay on CPUs without a setting.\n",
        Unit::Seconds.format(summary.parts.unsupported),
        names.join(", ")
    )
}

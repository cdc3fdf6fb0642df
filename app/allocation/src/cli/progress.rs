//! How much of its work a job has done: the last line of a file that says it, or a query of Prometheus.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use crossover_telemetry::{http, prometheus};
use url::Url;

/// Bytes at the end of the file of progress that are read.
const TAIL: u64 = 64 << 10;
/// Time limit of an answer of Prometheus.
const ANSWER: Duration = Duration::from_secs(10);

/// Where the progress of a job comes from, as the command line has it.
#[derive(Debug, Args)]
pub(super) struct ProgressOptions {
    /// File in which the job writes its progress: the last line with a value such as 60/100, 60 % or 0.6 is used
    #[arg(long, value_name = "FILE", required_unless_present = "prometheus")]
    progress: Option<PathBuf>,
    /// Address of Prometheus, instead of --progress
    #[arg(long, value_name = "URL", conflicts_with = "progress", requires = "progress_query")]
    prometheus: Option<String>,
    /// Prometheus query for the progress, 0 … 1; of several series, the mean
    #[arg(long, value_name = "PROMQL", requires = "prometheus")]
    progress_query: Option<String>,
}

/// Where the progress of a job comes from.
pub(super) enum Progress {
    /// The last line of a file that has it.
    File(PathBuf),
    /// A server of Prometheus, and a query.
    Prometheus(Url, String),
}

impl ProgressOptions {
    /// The source, before anything is read.
    ///
    /// # Errors
    /// The address is not one of plain HTTP.
    pub(super) fn source(&self) -> Result<Progress> {
        match (&self.prometheus, &self.progress_query, &self.progress) {
            (Some(server), Some(query), _) => {
                let server = http::address(server, "/").map_err(|why| anyhow!("--prometheus: {why}"))?;
                Ok(Progress::Prometheus(server, query.clone()))
            }
            (_, _, Some(file)) => Ok(Progress::File(file.clone())),
            _ => bail!("no source of the progress; name a file (--progress) or a server (--prometheus)"),
        }
    }
}

impl Progress {
    /// The share of the work that is done now, 0 … 1.
    ///
    /// # Errors
    /// There is no such number, or it cannot be read.
    pub(super) fn read(&self) -> Result<f64> {
        match self {
            Self::File(path) => of_file(path),
            Self::Prometheus(server, query) => {
                let answer = http::get(&prometheus::address(server, query), ANSWER);
                let share = answer.and_then(|text| prometheus::share(&text, query));
                share.map_err(|why| anyhow!("{server}: {why}"))
            }
        }
    }
}

/// The progress in the last line of a file that has one.
fn of_file(path: &Path) -> Result<f64> {
    let unreadable = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(unreadable)?;
    let length = file.metadata().with_context(unreadable)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).with_context(unreadable)?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).with_context(unreadable)?;
    let text = String::from_utf8_lossy(&bytes);
    let found = text.lines().rev().find_map(of_line);
    found.with_context(|| format!("{}: expected a line with the progress, such as 60/100, 60 % or 0.6", path.display()))
}

/// The progress in a line: a ratio or a percentage anywhere, or a number alone.
fn of_line(line: &str) -> Option<f64> {
    let share = |value: f64| Some(value).filter(|value| (0.0..=1.0).contains(value));
    let number = |text: &str| text.trim_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().ok();
    let line = line.replace(" %", "%");
    let of_word = |word: &str| {
        if let Some((done, all)) = word.split_once('/') {
            return share(number(done)? / number(all)?);
        }
        share(number(word.strip_suffix('%')?)? / 100.0)
    };
    line.split_whitespace().rev().find_map(of_word).or_else(|| share(line.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_ratio_a_percentage_or_a_number_alone() {
        for (line, expected) in [
            ("60/100", Some(0.6)),
            ("epoch 3, step [600/1000], loss 0.31", Some(0.6)),
            ("done: 60 %", Some(0.6)),
            ("60%|######    | eta 5:00", None),
            ("progress 62.5% eta 5:00", Some(0.625)),
            (" 0.6 ", Some(0.6)),
            ("loss 0.31", None),
            ("7", None),
            ("5/0", None),
            ("", None),
        ] {
            assert_eq!(of_line(line), expected, "{line}");
        }
    }
}

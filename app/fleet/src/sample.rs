//! The sample of the page without a fleet: an event log of a real Spark that comes with the program, and what could run it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crossover_chart::Chart;
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::theme::Token;
use crossover_decision::{Decision, Objective, PredictedTime};
use crossover_files::atomic;
use crossover_fleet::answer::answer;
use crossover_page::command::Command;
use crossover_page::widgets::empty::{Sample, SamplePicture};
use crossover_plan::spark::{Cores, Source, read_from};
use crossover_plan::store::{Entry, Sort};
use crossover_plan::{Control, Store};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, predicted};
use egui::Ui;

use super::{TOOL, shipped};

/// The log and its name.
const LOG: &[u8] = include_bytes!("../../../plan/samples/spark/shop-eventlog.zstd");
const NAME: &str = "shop-eventlog.zstd";
/// Folders below that of all fleets: of the log, and of its results.
const FOLDERS: [&str; 2] = ["sample", "sample-results"];

/// Draws the picture, which [`picture`] makes, with the button that sends the commands `open`.
pub(super) fn show(ui: &mut Ui, picture: &mut SamplePicture, open: &[Command], commands: &mut Vec<Command>) {
    let name = "the event log of a small Spark application";
    Sample { page: TOOL.title, name, open }.show(ui, picture, commands);
}

/// Writes the log below a folder; gives the file and the folder for its results.
pub(super) fn write(home: &Path) -> Result<[PathBuf; 2], String> {
    let [folder, results] = FOLDERS.map(|name| home.join(name));
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let log = folder.join(NAME);
    atomic::write(&log, LOG).map_err(|error| error.to_string())?;
    Ok([log, results])
}

/// The times of the application today and with each option.
pub(super) fn picture() -> Option<Chart> {
    let path = Path::new(NAME);
    let source = Source::find(&ShippedLog, path).ok()?;
    let import = read_from(&ShippedLog, path, source, Cores(1), &Control::default()).ok()?;
    let base = shipped::base().ok()?;
    let application = answer(base.of_engine(&import.engine)?, &import, false);
    Some(Chart::Bars(times(&application.summary.decision(Objective::default())?)))
}

fn times(decision: &Decision) -> BarChart {
    let today = (&decision.baseline.title, &decision.baseline.time, Token::Cpu);
    let options = decision.options.iter().filter_map(|option| {
        let candidate = &option.candidate;
        Some((&candidate.title, candidate.time.as_ref()?, Token::Gpu))
    });
    let bar = |(title, time, token): (&String, &PredictedTime, Token)| BarRow {
        group: title.clone(),
        label: String::new(),
        token,
        start: 0.0,
        segments: vec![Segment { name: "time".to_owned(), token, value: time.value() }],
        total: if token == Token::Cpu { time.value() } else { predicted(time.value()) },
        interval: time.interval(),
        note: String::new(),
        detail: String::new(),
    };
    let rows: Vec<BarRow> = std::iter::once(today).chain(options).map(bar).collect();
    BarChart {
        title: "Time today and with other engines".to_owned(),
        subtitle: String::new(),
        answer: format!("Fleet compares each application with {}.", counted(rows.len() as f64 - 1.0, "option")),
        step_unit: 1.0,
        unit_format: Unit::Seconds.formatter(),
        rows,
    }
}

/// The log as the only file of a store.
struct ShippedLog;

impl Store for ShippedLog {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        let bytes = Some(LOG.len() as u64);
        Ok(Entry { path: path.to_owned(), sort: Sort::File, is_link: false, bytes, modified_ns: 0, tag: None })
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn list(&self, _folder: &Path) -> io::Result<Vec<Entry>> {
        Ok(Vec::new())
    }

    fn open(&self, _file: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(LOG))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_the_measured_time_of_the_log_and_several_options() {
        let Some(Chart::Bars(chart)) = picture() else { panic!("no picture") };
        assert!(chart.rows.len() > 2, "{}", chart.rows.len());
        // Only the first one is measured.
        let [today, options @ ..] = &chart.rows[..] else { panic!("no rows") };
        assert!(today.interval.is_none() && options.iter().any(|option| option.interval.is_some()), "{:?}", chart.rows);
    }

    #[test]
    fn the_log_is_written_beside_the_folder_of_its_results() {
        let home = tempfile::tempdir().expect("a folder");
        let [log, results] = write(home.path()).expect("it is written");
        assert_eq!(fs::read(&log).expect("read"), LOG);
        assert!(log.starts_with(home.path()) && results.starts_with(home.path()) && !log.starts_with(&results));
    }
}

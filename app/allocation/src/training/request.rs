//! Requests of the page of training to the window.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crossover_page::ask::Ask;
use crossover_page::services::{Pick, Services, Target};
use crossover_predict::train::Model;

use super::MeasuredRuns;
use super::sample::SampleRuns;

const RUNS: Pick = Pick {
    title: "Open measured runs",
    title_by_path: "Open measured runs by path",
    action: "Open",
    filter: Some(("csv", &["csv"])),
    target: Target::File,
};
const FOLDER: Pick = Pick {
    title: "Save the predictor in a folder",
    title_by_path: "Save the predictor in a folder by path",
    action: "Save here",
    filter: None,
    target: Target::Folder,
};

/// A request of the page to the window.
#[derive(Debug, Clone)]
pub enum Request {
    /// Ask for a file of runs.
    PickRuns,
    /// Read the runs of this file.
    UseRuns(PathBuf),
    /// Read the runs that come with the program.
    UseSample,
    /// Ask for a folder and write this network there.
    Save(Arc<Model>),
}

impl Request {
    /// Carries out the request.
    pub(in super::super) fn carry_out(&self, services: &mut Services<'_>) {
        match self.clone() {
            Self::PickRuns => services.pick(RUNS, open_runs),
            Self::UseRuns(path) => open_runs(services, path),
            Self::UseSample => services.work("sample of runs", SampleRuns::write, |services, written| match written {
                Ok(sample) => {
                    let runs = sample.runs();
                    services.cache().put(sample);
                    open_runs(services, runs);
                }
                Err(problem) => services.notify_error(problem),
            }),
            Self::Save(model) => services.pick(FOLDER, move |services, folder| {
                let card = model.card();
                let stem = card.source.trim_end_matches(".csv").to_owned();
                let path = folder.join(format!("{stem}-{}.safetensors", card.target.column()));
                let shown = path.display().to_string();
                services.work(
                    "network",
                    move || model.save(&path).map_err(|error| error.to_string()),
                    move |services, saved| match saved {
                        Ok(()) => services.notify(format!("{shown}: written")),
                        Err(problem) => services.notify_error(problem),
                    },
                );
            }),
        }
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::PickRuns => "Open measured runs…".into(),
            Self::UseRuns(path) => format!("Read the runs of {}", path.display()),
            Self::UseSample => "Read the sample of measured runs".into(),
            Self::Save(_) => "Save the predictor…".into(),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::PickRuns => "A CSV with a row for each run: features known before the run, and measured values",
            Self::UseRuns(_) => "",
            Self::UseSample => "Networks measured on an H100, included with the program",
            Self::Save(_) => "Saves the trained network with its model card as safetensors, for crossover predict",
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        match (self, other.downcast_ref()) {
            (Self::PickRuns, Some(Self::PickRuns)) | (Self::UseSample, Some(Self::UseSample)) => true,
            (Self::UseRuns(path), Some(Self::UseRuns(other))) => path == other,
            (Self::Save(model), Some(Self::Save(other))) => Arc::ptr_eq(model, other),
            _ => false,
        }
    }
}

fn open_runs(services: &mut Services<'_>, path: PathBuf) {
    let cache = services.cache();
    let opened =
        cache.get::<MeasuredRuns>().and_then(|measured| measured.runs.as_ref()).map_or(0, |(_, opened)| opened + 1);
    cache.put(MeasuredRuns { runs: Some((path, opened)) });
}

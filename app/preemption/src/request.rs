//! Imports of kernels, pairs and requests in the window.

use std::any::Any;
use std::path::{Path, PathBuf};

use crossover_files::extension;
use crossover_page::ask::Ask;
use crossover_page::cache::Cache;
use crossover_page::services::{Pick, Question, Services, Target, name_of};
use crossover_preemption::Preemption;
use crossover_quantity::text::counted;
use crossover_scenario::{Scenario, Study};
use crossover_traces::profiled::{self, ReadArrivals, ReadKernels, ReadPairs};
use egui::{Id, Modal, ScrollArea};

use super::importing;

const KERNELS: Pick = Pick {
    title: "Import kernels from a profile",
    title_by_path: "Import kernels from a profile, by path",
    action: "Import",
    filter: Some(("profiles", &["csv", "log", "txt"])),
    target: Target::FileOrFolder,
};
const PAIRS: Pick = Pick {
    title: "Import measured pairs from a file",
    title_by_path: "Import measured pairs from a file, by path",
    filter: Some(("measured pairs", &["json", "csv"])),
    target: Target::File,
    ..KERNELS
};
const ARRIVALS: Pick = Pick {
    title: "Import recorded requests from a file",
    title_by_path: "Import recorded requests from a file, by path",
    filter: Some(("requests", &["csv"])),
    target: Target::File,
    ..KERNELS
};

/// An import that the user can start.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Request {
    /// Choose a file and import this from it into the scenario on screen.
    Import(ImportKind),
    /// Import whatever this file has.
    File(PathBuf),
}

/// What is imported from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportKind {
    Kernels,
    /// Measured pairs, and class means.
    Pairs,
    /// The same, and an estimate of every other pair.
    Estimates,
    Arrivals,
}

impl ImportKind {
    /// On a button beside what it changes.
    pub(super) fn short(self) -> &'static str {
        match self {
            Self::Kernels => "Import profiled kernels…",
            Self::Pairs => "Import measured pairs…",
            Self::Estimates => "Import and estimate pairs…",
            Self::Arrivals => "Import recorded requests…",
        }
    }
}

impl Request {
    /// The imports of the menu.
    pub(super) const IMPORTS: [Self; 4] = [
        Self::Import(ImportKind::Kernels),
        Self::Import(ImportKind::Pairs),
        Self::Import(ImportKind::Estimates),
        Self::Import(ImportKind::Arrivals),
    ];

    /// Starts the import.
    pub(super) fn carry_out(&self, services: &mut Services<'_>) {
        let Some(document) = document_on_screen(services) else { return };
        match self {
            Self::Import(what) => {
                let what = *what;
                let pick = match what {
                    ImportKind::Kernels => KERNELS,
                    ImportKind::Pairs | ImportKind::Estimates => PAIRS,
                    ImportKind::Arrivals => ARRIVALS,
                };
                services.pick(pick, move |services, path| read(services, document, path, Some(what)));
            }
            Self::File(path) => read(services, document, path.clone(), None),
        }
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::Import(ImportKind::Kernels) => "Profiled kernels (nvprof, Nsight Compute, Orion, CSV)…".into(),
            Self::Import(ImportKind::Pairs) => "Measured pairs of kernels…".into(),
            Self::Import(ImportKind::Estimates) => "Measured pairs, and estimates of all others…".into(),
            Self::Import(ImportKind::Arrivals) => "Recorded requests…".into(),
            Self::File(path) => format!("Import kernels, pairs or requests from {}", path.display()),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::Import(ImportKind::Kernels) => {
                "Replaces the kernels of this scenario and removes its pairs. A folder is read as one profile, such as the trace of \
                 one run and the metrics of the next"
            }
            Self::Import(ImportKind::Pairs) => {
                "Output of gpu-bench pairs --json, Gavel's throughputs, or a CSV with the columns first, second, first_normalised and \
                 second_normalised: pairs of kernels with these names, and class means"
            }
            Self::Import(ImportKind::Estimates) => {
                "The same, and an estimate of every pair that was neither measured nor entered"
            }
            Self::Import(ImportKind::Arrivals) => {
                "A CSV with the column seconds, and optionally size, or Azure's traces: launches arrive at these times, stretched to \
                 the load"
            }
            Self::File(_) => "Imports kernels, measured pairs or recorded requests, whichever the file has",
        }
    }

    fn is_possible(&self, on_screen: Option<&Scenario>, _cache: &Cache) -> bool {
        on_screen.is_some_and(|scenario| scenario.preemption().is_some())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

fn document_on_screen(services: &mut Services<'_>) -> Option<String> {
    let is_one = |document: &&crossover_page::document::Document| document.scenario.preemption().is_some();
    let found = services.on_screen().filter(is_one).map(|document| document.id.clone());
    if found.is_none() {
        services.notify("Open a preemption study, or create one, and try again");
    }
    found
}

/// Contents of a file.
enum FileContents {
    Kernels(ReadKernels),
    Pairs(ReadPairs, ImportKind),
    Arrivals(ReadArrivals),
}

impl FileContents {
    /// Reads a file, or a folder of profiles.
    fn read(path: &Path, what: Option<ImportKind>) -> Result<Self, String> {
        let kernels = || {
            let files = importing::profiles(path)?;
            let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
            profiled::joined(&files).map(Self::Kernels).map_err(|error| error.to_string())
        };
        let pairs = |what| profiled::pairs(path).map(|read| Self::Pairs(read, what)).map_err(|error| error.to_string());
        let arrivals = || profiled::arrivals(path).map(Self::Arrivals).map_err(|error| error.to_string());
        match what {
            Some(ImportKind::Kernels) => kernels(),
            Some(what @ (ImportKind::Pairs | ImportKind::Estimates)) => pairs(what),
            Some(ImportKind::Arrivals) => arrivals(),
            None => kernels().or_else(|of_kernels| {
                let other = pairs(ImportKind::Pairs).or_else(|of_pairs| arrivals().map_err(|_| of_pairs));
                let is_json = extension::is_one_of(path, &["json"]);
                other.map_err(|of_pairs| if is_json { of_pairs } else { of_kernels })
            }),
        }
    }

    /// The GPUs of the file; the user chooses one of several.
    fn devices(&self) -> Vec<String> {
        match self {
            Self::Kernels(read) => importing::devices(&read.kernels).into_iter().map(str::to_owned).collect(),
            Self::Pairs(read, _) => read.devices.iter().map(|on| on.device.clone()).collect(),
            Self::Arrivals(_) => Vec::new(),
        }
    }

    /// The study with the data of a GPU, a summary of it, and notes.
    fn put_into(self, mut study: Preemption, device: Option<&str>, file: &str) -> Result<ImportedStudy, String> {
        let (what, notes) = match self {
            Self::Kernels(read) => {
                let taken = importing::import_kernels(&mut study, &read.kernels, device, file);
                let of_gpu = taken.of_gpu.map(|text| format!("{text}; choose another one under GPU"));
                let mut notes = [read.left_out, read.notes, taken.notes, taken.rejected].concat();
                notes.extend(of_gpu);
                let count = study.kernels.len();
                if count == 0 {
                    return Err(format!("{file}: no usable kernel. {}", notes.join(". ")));
                }
                (counted(count as f64, "kernel"), notes)
            }
            Self::Pairs(read, what) => {
                let on = read.devices.iter().find(|on| device.is_none_or(|device| on.device == device));
                let on = on.ok_or_else(|| format!("{file}: no pairs"))?;
                let fit = importing::fit(on, &study.classes()).map_err(|error| format!("{file}: {error}"))?;
                let taken = importing::import_pairs(&mut study, on, &fit, file, what == ImportKind::Estimates);
                if taken.measured + taken.estimated + taken.means == 0 {
                    return Err(format!(
                        "{file}: no kernel has the name of a kernel of this study, and no class is known"
                    ));
                }
                (taken.in_words(), [read.left_out, read.notes, fit.cautions()].concat())
            }
            Self::Arrivals(read) => {
                let what = importing::of_arrivals(&read.recorded);
                importing::import_arrivals(&mut study, read.recorded, file);
                (what, [read.left_out, read.notes].concat())
            }
        };
        let after = Study::Preemption(study);
        let valid = after.validate();
        valid.map_err(|invalid| format!("{file}: not imported: {}: {}", invalid.path, invalid.problem))?;
        Ok(ImportedStudy { after, what, notes })
    }
}

/// A study after an import.
struct ImportedStudy {
    after: Study,
    what: String,
    notes: Vec<String>,
}

/// Reads a file in the background; of several GPUs the user chooses one.
fn read(services: &mut Services<'_>, document: String, path: PathBuf, what: Option<ImportKind>) {
    let file = name_of(&path);
    let contents = move || FileContents::read(&path, what);
    services.work("kernels, pairs and requests", contents, move |services, contents| {
        let contents = match contents {
            Ok(contents) => contents,
            Err(problem) => return services.notify_error(format!("{problem}; nothing was imported")),
        };
        let devices = contents.devices();
        if devices.len() > 1 {
            services.ask(GpuQuestion { document, file, contents: Some(contents), devices });
        } else {
            put(services, document, file, contents, devices.into_iter().next());
        }
    });
}

/// Changes the document in one step and notifies the user; not if it changed meanwhile.
fn put(services: &mut Services<'_>, document: String, file: String, contents: FileContents, device: Option<String>) {
    let before = services.document(&document).and_then(|document| document.scenario.preemption()).cloned();
    let Some(before) = before else {
        return services.notify_error(format!("{file}: its scenario was closed; nothing was imported"));
    };
    let (study, name) = (before.clone(), file.clone());
    let work = move || contents.put_into(study, device.as_deref(), &name);
    services.work("import of kernels, pairs or requests", work, move |services, made| {
        let ImportedStudy { after, what, notes } = match made {
            Ok(made) => made,
            Err(problem) => return services.notify_error(problem),
        };
        let now = services.document(&document).and_then(|document| document.scenario.preemption());
        if now != Some(&before) {
            return services
                .notify_error(format!("{file}: not imported: the scenario changed meanwhile; import it again"));
        }
        services.edit(&document, move |old| *old = after);
        let taken = format!("{file} read: {what}");
        if notes.is_empty() {
            services.notify(taken);
        } else {
            services.notify_lasting(format!("{taken}. {}", notes.join(". ")));
        }
    });
}

/// Asks the user for the GPU of a file.
struct GpuQuestion {
    document: String,
    file: String,
    /// Until the question is answered.
    contents: Option<FileContents>,
    devices: Vec<String>,
}

impl Question for GpuQuestion {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        let ctx = services.ctx().clone();
        let (mut chosen, mut is_cancelled) = (None, false);
        let modal = Modal::new(Id::unique("gpu of a file")).show(&ctx, |ui| {
            ui.set_width(360.0);
            ui.heading("Which GPU?");
            let gpus = counted(self.devices.len() as f64, "GPU");
            ui.label(format!("{} has data of {gpus}; choose one.", self.file));
            ui.add_space(6.0);
            ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for device in &self.devices {
                    let name = if device.is_empty() { "not named" } else { device };
                    if ui.button(name).clicked() {
                        chosen = Some(device.clone());
                    }
                }
            });
            ui.add_space(8.0);
            is_cancelled = ui.button("Cancel").clicked();
        });
        if let Some(device) = chosen
            && let Some(contents) = self.contents.take()
        {
            put(services, self.document.clone(), self.file.clone(), contents, Some(device));
            return false;
        }
        !is_cancelled && !modal.should_close()
    }
}

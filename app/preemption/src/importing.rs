//! Imports kernels, pairs and requests from files into a study, for the command line and for the window.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crossover_files::extension;
use crossover_measured::kernels::Class;
use crossover_preemption::fitted::{Fit, FitError};
use crossover_preemption::occupancy::residency;
use crossover_preemption::study::MOST_KERNELS;
use crossover_preemption::{Gpu, Pair, Preemption, Recorded};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::counted;
use crossover_quantity::unit::elapsed;
use crossover_study::sources;
use crossover_traces::profiled::{
    Assumptions, ConvertedKernel, MeasuredOn, MeasuredPair, ProfiledKernel, is_same_device,
};

/// Extensions of profiles in a folder.
const PROFILES: [&str; 3] = ["csv", "log", "txt"];

/// The profiles at a path: the file, or all profiles of a folder in order of their names.
///
/// # Errors
/// The folder cannot be listed, or has none.
pub(super) fn profiles(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let is_profile = |path: &PathBuf| path.is_file() && extension::is_one_of(path, &PROFILES);
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_profile).collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no profile in this folder; expected files .{}", path.display(), PROFILES.join(", .")));
    }
    Ok(files)
}

/// The GPUs that kernels were profiled on, as far as the file names them.
pub(super) fn devices(kernels: &[ProfiledKernel]) -> BTreeSet<&str> {
    kernels.iter().filter_map(|kernel| kernel.device.as_deref()).collect()
}

/// Result of importing profiled kernels.
#[derive(Debug, Default)]
pub(super) struct ImportedKernels {
    /// Assumptions.
    pub(super) notes: Vec<String>,
    /// Rejected kernels, each with the reason.
    pub(super) rejected: Vec<String>,
    /// A note on the GPU: the profile names none, or another one than the study.
    pub(super) of_gpu: Option<String>,
}

/// Replaces the kernels of a study by profiled ones of a GPU, and removes its pairs and listed launches. The study has no kernels
/// afterwards if all are rejected.
pub(super) fn import_kernels(
    study: &mut Preemption,
    profiled: &[ProfiledKernel],
    device: Option<&str>,
    file: &str,
) -> ImportedKernels {
    let gpu: Gpu = study.gpu.clone();
    study.profiled_on = match device {
        Some(device) if !is_same_device(device, &gpu.model) => device.to_owned(),
        _ => gpu.model.clone(),
    };
    let of_gpu = match device {
        None => Some(format!("the profile names no GPU: assumed {}", gpu.model)),
        Some(device) if !is_same_device(device, &gpu.model) => {
            Some(format!("the kernels were profiled on {device}; the scenario has a {}", gpu.model))
        }
        Some(_) => None,
    };
    let of_device = profiled
        .iter()
        .filter(|kernel| device.is_none() || kernel.device.is_none() || kernel.device.as_deref() == device);
    let mut assumed = Assumptions::default();
    let mut rejected = Vec::new();
    study.kernels.clear();
    study.pairs.clear();
    study.stream.listed.clear();
    // With their sources: a new kernel may have the name of an old one.
    sources::purge(study);
    let mut fits_not = 0;
    let mut reported: Vec<(usize, Vec<&'static str>)> = Vec::new();
    for of in of_device {
        match of.kernel(Some(&gpu), &mut assumed) {
            Err(missing) => rejected.push(format!("{}: rejected: {} missing", of.name, missing.join(", "))),
            Ok(ConvertedKernel { kernel, reported: of_kernel }) => {
                if let Err(why) = residency(&gpu, &kernel) {
                    rejected.push(format!("{}: rejected: {why}", of.name));
                } else if let Some(place) = study.add_kernel(kernel) {
                    reported.push((place, of_kernel));
                } else {
                    fits_not += 1;
                }
            }
        }
    }
    if fits_not > 0 {
        rejected.push(format!("{fits_not} more kernels: rejected: a study has at most {MOST_KERNELS}"));
    }
    for (place, fields) in reported {
        let name = &study.kernels[place].name;
        let imported = || Provenance::Imported { file: file.to_owned() };
        study.sources.extend(fields.into_iter().map(|field| (format!("kernels.{name}.{field}"), imported())));
    }
    ImportedKernels { notes: assumed.notes(), rejected, of_gpu }
}

/// A fit to the measured pairs of a GPU. A kernel without a class in the file has that of the kernel of this name in `known`.
///
/// # Errors
/// [`FitError`]: too few pairs, or too many kernels.
pub(super) fn fit(on: &MeasuredOn, known: &BTreeMap<String, Class>) -> Result<Fit<Class>, FitError> {
    let both = || on.pairs.iter().flat_map(|of| [(&of.first, of.first_class), (&of.second, of.second_class)]);
    let of_study = both().filter_map(|(name, _)| Some((name.clone(), *known.get(name)?)));
    // Of two with one name the last is used.
    let classes = of_study.chain(both().filter_map(|(name, class)| Some((name.clone(), class?)))).collect();
    Fit::of(&pairs(on), &classes)
}

fn pairs(on: &MeasuredOn) -> Vec<Pair> {
    let pair = |of: &MeasuredPair| Pair {
        first: of.first.clone(),
        second: of.second.clone(),
        first_normalised: of.first_normalised,
        second_normalised: of.second_normalised,
    };
    on.pairs.iter().map(pair).collect()
}

/// Numbers of pairs and class means that a study got from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ImportedPairs {
    /// Pairs of its kernels.
    pub(super) measured: usize,
    /// Estimates of other pairs.
    pub(super) estimated: usize,
    /// Means of classes.
    pub(super) means: usize,
}

impl ImportedPairs {
    /// "2 measured pairs, 1 estimated pair and 3 class means".
    pub(super) fn in_words(self) -> String {
        let Self { measured, estimated, means } = self;
        format!(
            "{}, {} and {}",
            counted(measured as f64, "measured pair"),
            counted(estimated as f64, "estimated pair"),
            counted(means as f64, "class mean")
        )
    }
}

/// Adds measured pairs and class means to a study, and estimates of its other pairs if `with_estimates` is set.
pub(super) fn import_pairs(
    study: &mut Preemption,
    on: &MeasuredOn,
    fit: &Fit<Class>,
    file: &str,
    with_estimates: bool,
) -> ImportedPairs {
    let measured = study.take_measured(pairs(on), file);
    let means = study.take_class_means(fit, file);
    let estimated = if with_estimates { study.take_estimates(fit, file) } else { 0 };
    ImportedPairs { measured, estimated, means }
}

/// Replaces random or listed arrivals of a study by recorded ones.
pub(super) fn import_arrivals(study: &mut Preemption, recorded: Recorded, file: &str) {
    for (path, is_there) in [("seconds", true), ("sizes", !recorded.sizes.is_empty())] {
        if is_there {
            let source = Provenance::Imported { file: file.to_owned() };
            study.sources.insert(format!("stream.recorded.{path}"), source);
        }
    }
    study.stream.listed.clear();
    study.stream.recorded = Some(recorded);
    sources::purge(study);
}

/// "4 requests in 4 s, each with its size".
pub(super) fn of_arrivals(recorded: &Recorded) -> String {
    let span = recorded.seconds.last().copied().unwrap_or(0.0) - recorded.seconds.first().copied().unwrap_or(0.0);
    let sizes = if recorded.sizes.is_empty() { "all of one size" } else { "each with its size" };
    format!("{} in {}, {sizes}", counted(recorded.seconds.len() as f64, "request"), elapsed(span))
}

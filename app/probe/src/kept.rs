//! Kept probes: a folder with a scenario for each type of task and probe, in which they are found again by their type. No run in it is lost.

use std::cmp::Reverse;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use crossover_files::digest;
use crossover_page::storage::scenario as file;
use crossover_probe::Probe;
use crossover_probe::build::build;
use crossover_probe::study::Runs;
use crossover_scenario::Scenario;
use jiff::Timestamp;

/// A kept probe.
#[derive(Debug, Clone)]
pub(crate) struct KeptProbe {
    /// Its file.
    pub(crate) path: PathBuf,
    /// When it was kept.
    kept_at: SystemTime,
    /// The probe, with the runs that its centres had then.
    pub(crate) scenario: Scenario,
}

impl KeptProbe {
    /// Its study. Every scenario of the list has one.
    fn study(&self) -> Option<&Probe> {
        self.scenario.probe()
    }

    /// The type of its task.
    pub(crate) fn task_type(&self) -> &str {
        self.study().map_or("", |study| study.target.task_type.as_str())
    }

    /// "2026-11-02 14:00", UTC.
    pub(crate) fn kept_at(&self) -> String {
        Timestamp::try_from(self.kept_at)
            .map_or_else(|_| "–".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
    }

    /// Numbers of operators, centres and runs.
    pub(crate) fn counts(&self) -> [usize; 3] {
        let Some(study) = self.study() else { return [0; 3] };
        let runs = study.centres.iter().flat_map(|centre| &centre.units).map(|of| of.runs.seconds.len()).sum();
        [study.operators.len(), study.centres.len(), runs]
    }
}

/// The folder of kept probes beside the history of runs.
pub(crate) fn folder_beside(history: &Path) -> PathBuf {
    history.with_file_name("kept-probes")
}

/// Types of tasks are the same whatever their case is.
fn is_same(a: &str, b: &str) -> bool {
    a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// Keeps a probe under the type of its task; the same probe of this type is replaced, unless runs would be lost. Returns its file.
///
/// # Errors
/// The scenario is no probe study, has no type of task or no probe, or the file cannot be written.
pub(crate) fn keep(folder: &Path, scenario: &Scenario) -> Result<PathBuf> {
    let study = scenario.probe().context("this is not a probe scenario")?;
    let task_type = study.target.task_type.trim();
    if task_type.is_empty() {
        bail!("the task has no type; enter one, such as climate");
    }
    let probes = build("probe", &study.target, &study.operators).probes;
    if probes.is_empty() {
        bail!("no operator of the task matches the library, so there is no probe to keep");
    }
    // No type can name a file outside of the folder.
    let mut key = task_type.to_lowercase();
    for probe in &probes {
        key = format!("{key}\n{}", probe.fingerprint());
    }
    let name = &digest::of_text(&key)[..16];
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = (1..=u32::MAX).map(|number| folder.join(file_name(name, number))).find(|path| may_replace(path, study));
    let path = path.context("no name is free")?;
    file::save(&path, scenario).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// The file of a probe: the first one has no number.
fn file_name(name: &str, number: u32) -> String {
    if number == 1 { format!("{name}.ron") } else { format!("{name}-{number}.ron") }
}

/// Whether a file can be written without a loss: it does not exist, or the study has all runs of the probe in it.
fn may_replace(path: &Path, study: &Probe) -> bool {
    match path.try_exists() {
        Ok(false) => true,
        // A file that cannot be read stays.
        _ => file::open(path).is_ok_and(|kept| kept.probe().is_some_and(|kept| has_runs_of(study, kept))),
    }
}

/// Whether a study has all runs of another one: the same centres with the same units, and the times of their runs.
fn has_runs_of(study: &Probe, other: &Probe) -> bool {
    other.centres.iter().all(|centre| {
        let same = study.centres.iter().find(|same| same.name == centre.name);
        centre.units.iter().filter(|of| !of.runs.seconds.is_empty()).all(|of| {
            let same = same.and_then(|same| same.units.iter().find(|same| same.name == of.name));
            same.is_some_and(|same| is_among(times(&of.runs), times(&same.runs)))
        })
    })
}

/// Units and time of each run, sorted.
fn times(runs: &Runs) -> Vec<[u64; 2]> {
    // Equal numbers of these columns have the same bits: all are positive.
    let mut times: Vec<[u64; 2]> = runs
        .units
        .iter()
        .zip(runs.seconds.iter())
        .map(|(units, seconds)| [units.to_bits(), seconds.to_bits()])
        .collect();
    times.sort_unstable();
    times
}

/// Whether sorted values are among others, each as often.
fn is_among(some: Vec<[u64; 2]>, others: Vec<[u64; 2]>) -> bool {
    let mut others = others.into_iter();
    some.into_iter().all(|one| others.any(|other| other == one))
}

/// Kept probes of a type of task, or of all types: the newest first. And a sentence for each file that cannot be read.
///
/// # Errors
/// The folder cannot be read. A folder that does not exist has no probes.
pub(crate) fn find(folder: &Path, task_type: Option<&str>) -> Result<(Vec<KeptProbe>, Vec<String>)> {
    let cannot = || format!("cannot read {}", folder.display());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), Vec::new())),
        entries => entries.with_context(cannot)?,
    };
    let (mut kept, mut notes) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = entry.with_context(cannot)?.path();
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if !metadata.is_file() || path.extension().is_none_or(|extension| extension != "ron") {
            continue;
        }
        match file::open(&path) {
            Ok(scenario) if scenario.probe().is_some() => {
                let kept_at = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                kept.push(KeptProbe { path, kept_at, scenario });
            }
            Ok(_) => notes.push(format!("{}: not a probe scenario", path.display())),
            Err(why) => notes.push(format!("{why:#}")),
        }
    }
    kept.retain(|kept| task_type.is_none_or(|wanted| is_same(kept.task_type(), wanted)));
    kept.sort_by_key(|kept| (Reverse(kept.kept_at), kept.path.clone()));
    Ok((kept, notes))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    fn scenario(task_type: &str, ratio: f64) -> Scenario {
        let mut scenario = crossover_scenario::read(crate::examples::CENTRES.text).expect("a scenario");
        let study = scenario.study.probe_mut().expect("a probe study");
        study.target.task_type = task_type.to_owned();
        study.target.ratio = ratio;
        scenario
    }

    #[test]
    fn probes_are_found_by_the_type_of_their_task() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("new").join("kept-probes");
        assert!(find(&kept, None).expect("none").0.is_empty());
        let first = keep(&kept, &scenario("climate", 1_000.0)).expect("kept");
        // The same probe is one file, another one of the type a second.
        assert_eq!(keep(&kept, &scenario(" Climate", 1_000.0)).expect("kept"), first);
        let second = keep(&kept, &scenario("climate", 2_000.0)).expect("kept");
        keep(&kept, &scenario("../../vision $(x)", 1_000.0)).expect("kept");
        assert_eq!(fs::read_dir(&kept).expect("listed").count(), 3);
        let later = SystemTime::now() + Duration::from_mins(1);
        File::options().write(true).open(&first).and_then(|file| file.set_modified(later)).expect("a later time");
        let of = |task_type: &str| {
            let (found, notes) = find(&kept, Some(task_type)).expect("found");
            assert!(notes.is_empty(), "{notes:?}");
            found.into_iter().map(|kept| kept.path).collect::<Vec<_>>()
        };
        assert_eq!(of("CLIMATE "), [first, second], "the newest first");
        assert_eq!((of("../../vision $(x)").len(), of("genome").len()), (1, 0));
        let all = find(&kept, None).expect("found").0;
        // As the scenario has them: 5 operators and 3 centres with 131 runs each.
        assert_eq!((all.len(), all[0].counts()), (3, [5, 3, 393]));
    }

    /// The first centre has 131 runs: fewer of them are a file beside it, more replace it, and so do as many.
    #[test]
    fn no_run_of_a_kept_probe_is_lost() {
        let folder = tempfile::tempdir().expect("a folder");
        let with_runs = |count: usize| {
            let mut scenario = scenario("climate", 1_000.0);
            let runs = &mut scenario.study.probe_mut().expect("a probe study").centres[0].units[0].runs;
            let [units, seconds] = [&runs.units, &runs.seconds].map(|column| column[..count].to_vec());
            *runs = Runs { units: units.into(), seconds: seconds.into(), ..Runs::default() };
            scenario
        };
        let keep = |scenario: &Scenario| keep(folder.path(), scenario).expect("kept");
        let runs_of = |path: &Path| {
            let kept = file::open(path).expect("a scenario");
            kept.probe().expect("a probe study").centres[0].units[0].runs.seconds.len()
        };
        let some = keep(&with_runs(100));
        assert_eq!((keep(&with_runs(131)), runs_of(&some)), (some.clone(), 131));
        let none = keep(&with_runs(0));
        assert_ne!(none, some);
        assert_eq!((runs_of(&some), runs_of(&none)), (131, 0));
        assert_eq!((keep(&with_runs(131)), keep(&with_runs(0))), (some, none));
    }

    #[test]
    fn what_cannot_be_kept_or_read_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let why = keep(folder.path(), &scenario("  ", 1.0)).expect_err("no type");
        assert_eq!(why.to_string(), "the task has no type; enter one, such as climate");
        fs::write(folder.path().join("a.ron"), "(version: 1").expect("written");
        fs::write(folder.path().join("a.txt"), "notes").expect("written");
        let (kept, notes) = find(folder.path(), None).expect("read");
        assert!(kept.is_empty() && notes.len() == 1 && notes[0].contains("a.ron"), "{notes:?}");
    }
}

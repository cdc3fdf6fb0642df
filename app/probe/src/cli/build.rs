//! `crossover probe build`: builds a probe from a target task, and a scenario to compare centres with it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Parser, ValueEnum};
use crossover_export::probe::matches;
use crossover_files::extension;
use crossover_measured::probe::library::operator;
use crossover_measured::probe::{Category, ProbeTask, Program};
use crossover_page::storage::scenario as file;
use crossover_page::terminal::{Outputs, keep_apart, message, print};
use crossover_plan::Control;
use crossover_probe::Probe;
use crossover_probe::build::build;
use crossover_probe::estimate::SHORT_RUN;
use crossover_quantity::provenance::Sources;
use crossover_scenario::{self as scenario, Scenario, Study};

use super::super::kernels::{self, KnownKernel};
use super::super::{examples, subject, target};
use crate::shortened::fit;

/// Largest list of programs.
const LARGEST_BYTES: u64 = 1 << 20;

/// Help of the task.
const TASK: &str = "The task: a probe scenario (.ron), a query plan, a Spark event log, a neural network (layer \
                    list, ONNX, torchinfo, Keras), a profile of kernels (ncu, nsys), code of kernels (.ptx, .sass), or a \
                    CSV with the columns name and executions, and optionally category, library_operator and from";

/// Builds a probe from a task: matches its operators with the library and scales down their executions
#[derive(Debug, Parser)]
#[command(name = "build", display_order = 0)]
pub(super) struct BuildOptions {
    /// The task.
    #[arg(value_name = "FILE", help = TASK)]
    file: PathBuf,
    /// Query of a file with several queries; default: all of them together
    #[arg(long, value_name = "ID")]
    query: Option<String>,
    /// Reference ratio: executions in the task ÷ executions in the probe. Default: that of the scenario; for other files 1000, or more
    /// if a run would take longer than --seconds
    #[arg(long, value_name = "N", value_parser = at_least_one, conflicts_with = "seconds")]
    ratio: Option<f64>,
    /// Largest estimated time of a run on one unit, seconds; the reference ratio (--ratio) is raised to meet it
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
    /// Scales down only operators with more executions than this in the task
    #[arg(long, value_name = "N")]
    scale_above: Option<u32>,
    /// Multiplier of the executions in the file, e.g. the number of samples that go through a neural network
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = at_least_one)]
    multiplier: f64,
    /// Category of the task
    #[arg(long, value_enum)]
    category: Option<Of>,
    /// Type of the task
    #[arg(long, value_name = "NAME")]
    task_type: Option<String>,
    /// Builds separate probes from groups of operators without connections between them
    #[arg(long)]
    split: bool,
    /// List of programs to add to the operators of the library (.ron)
    #[arg(long, value_name = "FILE")]
    programs: Option<PathBuf>,
    /// Code of the task's kernels, PTX or SASS; default: FILE, if it is code
    #[arg(long, value_name = "FILE", requires = "known")]
    code: Option<PathBuf>,
    /// Known kernels: an operator (of the library or of --programs), and their code, PTX or SASS. Kernels of the task with similar code
    /// become this operator, unless their name selects one. May be repeated
    #[arg(long, value_name = "OPERATOR=FILE", value_parser = known)]
    known: Vec<(String, PathBuf)>,
    /// File for the probe; with several probes (--split) one file for each, with -1, -2 … before the extension
    #[arg(long, value_name = "TASK")]
    out: Option<PathBuf>,
    /// File for a probe scenario of the task
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Of {
    /// Simulation and numerics
    Hpc,
    /// Deep learning
    Ai,
    /// Queries over tables
    Data,
}

fn at_least_one(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (1.0..=1e12).contains(value)).ok_or_else(|| "allowed: a number from 1 to 10^12".to_owned())
}

/// Seconds that a run may take.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|value| (0.1..=3_600.0).contains(value)).ok_or_else(|| "allowed: a number from 0.1 to 3600".to_owned())
}

fn known(text: &str) -> Result<(String, PathBuf), String> {
    let parts = text.split_once('=').filter(|(key, file)| !key.is_empty() && !file.is_empty());
    let (key, file) = parts.ok_or_else(|| "expected OPERATOR=FILE, such as spmv=solver.ptx".to_owned())?;
    Ok((key.to_owned(), PathBuf::from(file)))
}

pub(super) fn run(options: &BuildOptions) -> Result<()> {
    let (name, mut study, is_scenario) = described(options)?;
    if let Some(ratio) = options.ratio {
        study.target.ratio = ratio;
        study.sources.remove("target.ratio");
    }
    if let Some(most) = options.scale_above {
        study.target.scale_above = f64::from(most);
        study.sources.remove("target.scale_above");
    }
    if let Some(of) = options.category {
        study.target.category = Some(match of {
            Of::Hpc => Category::Hpc,
            Of::Ai => Category::Ai,
            Of::Data => Category::Data,
        });
    }
    if let Some(task_type) = &options.task_type {
        study.target.task_type.clone_from(task_type);
    }
    study.target.is_split |= options.split;
    if let Some(path) = &options.programs {
        study.target.programs.extend(programs(path)?);
    }
    if options.multiplier != 1.0 {
        for of in &mut study.operators {
            of.executions = (of.executions * options.multiplier).min(1e15);
            study.sources.remove(&format!("operators.{}.executions", of.name));
        }
    }
    recognise(options, &mut study)?;
    if let Some(most) = options.seconds.or((!is_scenario && options.ratio.is_none()).then_some(SHORT_RUN))
        && let Some(note) = fit(&mut study, most)
    {
        message(format!("note: {note}"));
    }
    let scenario = Scenario { name: name.clone(), ..template(study)? };
    if let Err(invalid) = scenario.study.validate() {
        bail!("{}: {}: {}", options.file.display(), invalid.path, invalid.problem);
    }
    let study = scenario.study.probe().context("a probe scenario")?;
    let built = build(&name, &study.target, &study.operators);
    let text = matches(&study.operators, &built).aligned();
    if built.probes.is_empty() {
        // The table says what was looked for.
        print(text)?;
        bail!(
            "no operator of {} matches the library; name one for each in a column “library_operator”",
            options.file.display()
        );
    }
    let missing = built.unmatched(&study.operators);
    if !missing.is_empty() {
        message(format!("note: not in the probe, as no operator of the library matches: {}", missing.join(", ")));
    }
    let probes = options.out.as_deref().map(|out| named(out, &built.probes)).unwrap_or_default();
    // Everything is refused before anything is written.
    for out in probes.iter().map(|(path, _)| path).chain(&options.scenario) {
        keep_apart(out, &[&options.file])?;
    }
    if let Some(out) = options.scenario.as_ref().filter(|out| probes.iter().any(|(path, _)| path == *out)) {
        bail!("--out and --scenario name the same file, {}; name two files", out.display());
    }
    let mut outputs = Outputs::default();
    for (path, probe) in &probes {
        outputs.add(path, subject::ron(probe)?.as_bytes())?;
        outputs.hint(&format!("a centre runs it with “gpu-bench probe {}”", path.display()));
    }
    if let Some(out) = &options.scenario {
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(text)
}

/// Gives kernels the operator of a known kernel with similar code.
fn recognise(options: &BuildOptions, study: &mut Probe) -> Result<()> {
    if options.known.is_empty() {
        return Ok(());
    }
    let mut known = Vec::new();
    for (key, file) in &options.known {
        if operator(key).is_none() && !study.target.programs.iter().any(|added| added.key == *key) {
            bail!("--known {key}: the library has no operator “{key}”; “gpu-bench probe --operators” lists them");
        }
        let kernels = kernels::code_of(file)?;
        known.extend(kernels.into_iter().map(|code| KnownKernel { operator: key.clone(), code }));
    }
    let code = match &options.code {
        Some(file) => kernels::code_of(file)?,
        None if kernels::is_code(&options.file) => kernels::code_of(&options.file)?,
        None => bail!("--known needs the code of the task's kernels; name its file with --code"),
    };
    for note in kernels::recognise(&mut study.operators, &code, &known) {
        message(format!("note: {note}"));
    }
    Ok(())
}

/// The task of a file, as a study with the tables and the centre of a new scenario; and whether it is a scenario already.
fn described(options: &BuildOptions) -> Result<(String, Probe, bool)> {
    if extension::is_one_of(&options.file, &["ron"]) {
        let scenario = file::open(&options.file)?;
        let name = scenario.name.clone();
        return match scenario.study {
            Study::Probe(study) => Ok((name, study, true)),
            other => bail!(
                "{}: this is {}, not a probe scenario",
                options.file.display(),
                crossover_page::terminal::called(other.kind())
            ),
        };
    }
    let task = target::read(&options.file, options.query.as_deref(), &Control::default())?;
    for note in &task.notes {
        message(format!("note: {note}"));
    }
    let scenario = scenario::read(examples::PUBLISHED.text).context("the built-in example")?;
    let Study::Probe(mut study) = scenario.study else { bail!("the built-in example is not a probe scenario") };
    study.sources = Sources::default();
    study.target.category = None;
    study.centres = vec![subject::here()];
    let file = options.file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let name = task.name.clone();
    task.put(&mut study, &file);
    Ok((name, study, false))
}

/// A scenario around a study.
fn template(study: Probe) -> Result<Scenario> {
    let scenario = scenario::read(examples::PUBLISHED.text).context("the built-in example")?;
    Ok(Scenario { notes: String::new(), study: Study::Probe(study), ..scenario })
}

fn programs(path: &Path) -> Result<Vec<Program>> {
    let text =
        crossover_files::read::text(path, LARGEST_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
    ron::from_str(&text).with_context(|| {
        format!(
            "{}: expected a list such as [(key: \"mine\", categories: [hpc], command: (line: [\"./mine\"]))]",
            path.display()
        )
    })
}

/// Probes with their files.
fn named<'a>(out: &Path, probes: &'a [ProbeTask]) -> Vec<(PathBuf, &'a ProbeTask)> {
    let path = |place| if probes.len() == 1 { out.to_owned() } else { numbered(out, place) };
    probes.iter().enumerate().map(|(place, probe)| (path(place + 1), probe)).collect()
}

/// "probe-2.ron" of "probe.ron".
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let ending = path.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{ending}"))
}

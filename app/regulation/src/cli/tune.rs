//! Tuning of the chosen controller, by a search or a relay experiment.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Parser, ValueEnum};
use crossover_export::regulation::{Rule, Tuning};
use crossover_page::terminal::{Outputs, Source, message};
use crossover_quantity::unit::Unit;
use crossover_regulation::pid::Gains;
use crossover_regulation::tuning::{learn, relay, search, with_gains};
use crossover_regulation::{Controller, Regulation, Simulation};

use super::{chosen, study, watched};

/// Finds gains for the chosen controller of a regulation scenario
#[derive(Debug, Parser)]
#[command(name = "tune", display_order = 20)]
pub(super) struct TuneOptions {
    #[command(flatten)]
    source: Source,
    /// Tuning rule
    #[arg(long, value_enum, default_value = "search")]
    rule: RuleOption,
    /// Largest overshoot that a search allows: largest error of opposite sign ÷ largest error before the first zero
    /// crossing [default: 5 %]
    #[arg(long, value_name = "SHARE", value_parser = overshoot)]
    overshoot_limit: Option<f64>,
    /// Cluster of the relay experiment of ziegler-nichols; default: the one with the largest control error at the start
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Seed of the disturbances of learn [default: 1]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: TuneFormat,
    /// File for the scenario with these gains; without it they are only printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Tuning rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleOption {
    /// Many simulations: the least settling time within the overshoot limit
    Search,
    /// A relay experiment, and the rules of Ziegler and Nichols
    ZieglerNichols,
    /// A table of gains by error and change of error, with the least integral of absolute error over random disturbances
    Learn,
}

/// Output format of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TuneFormat {
    /// For the terminal
    Table,
    /// For programs
    Json,
}

/// Prints gains for the chosen controller beside its present ones, and writes the scenario with them if a file is named.
pub(super) fn tune(options: &TuneOptions) -> Result<()> {
    let mut scenario = options.source.scenario()?;
    let study = study(&scenario)?;
    let (index, controller) = chosen(study)?;
    let simulation = Simulation::new(study);
    let (rule, tuned) = match options.rule {
        RuleOption::Search => by_search(&simulation, controller, options)?,
        RuleOption::ZieglerNichols => by_experiment(&simulation, study, controller, options)?,
        RuleOption::Learn => by_learning(study, controller, options)?,
    };
    if options.seed.is_some() && options.rule != RuleOption::Learn {
        bail!("--seed belongs to --rule learn");
    }
    let tuning = Tuning::new(&scenario.name, &simulation, controller, &tuned, rule);
    let text = match options.format {
        TuneFormat::Table => tuning.table(),
        TuneFormat::Json => tuning.json(),
    };
    if controller.has_varying_gains() && !tuned.has_varying_gains() {
        message(format!(
            "note: “{}” has gains that depend on the error; these constant gains would replace them",
            controller.name
        ));
    }
    let mut outputs = Outputs::default();
    if let Some(out) = &options.out {
        if let Some(study) = scenario.study.regulation_mut() {
            apply_gains(study, index, &tuned)?;
        }
        outputs.add_scenario(out, &scenario)?;
    }
    outputs.finish(&text)
}

fn by_search(simulation: &Simulation<'_>, present: &Controller, options: &TuneOptions) -> Result<(Rule, Controller)> {
    if options.cluster.is_some() {
        bail!("--cluster belongs to --rule ziegler-nichols; a search runs all clusters");
    }
    let limit = options.overshoot_limit.unwrap_or(search::MOST_OVERSHOOT);
    let found =
        watched(|watch| search::search(simulation, present, limit, watch)).context("the search was cancelled")?;
    match found.verdict {
        search::Verdict::Better | search::Verdict::PresentIsBest => {}
        search::Verdict::AllOvershoot | search::Verdict::NothingSettles | search::Verdict::DemandKeepsChanging => {
            bail!("cannot tune controller “{}”. {}", present.name, found.verdict.sentence())
        }
    }
    let rule = Rule::Search { overshoot_limit: limit, runs: found.runs, verdict: found.sentence() };
    Ok((rule, found.best.controller))
}

fn by_learning(study: &Regulation, present: &Controller, options: &TuneOptions) -> Result<(Rule, Controller)> {
    if options.cluster.is_some() || options.overshoot_limit.is_some() {
        bail!("--cluster and --overshoot-limit belong to other rules; learn runs all clusters, and has no limit");
    }
    let seed = options.seed.unwrap_or(1);
    let found = watched(|watch| learn::learn(study, present, seed, watch)).context("learning was cancelled")?;
    let rule = Rule::Learn { seed, held_out: found.held_out, worst_held_out: found.worst_held_out, runs: found.runs };
    Ok((rule, found.controller))
}

fn by_experiment(
    simulation: &Simulation<'_>,
    study: &Regulation,
    present: &Controller,
    options: &TuneOptions,
) -> Result<(Rule, Controller)> {
    let cluster = options.cluster.as_deref().map(|name| super::cluster(study, "--cluster", name)).transpose()?;
    let experiment = relay::experiment(simulation, cluster, None);
    let oscillation = experiment.oscillation.map_err(|why| anyhow!("the relay experiment gives no gains: {why}"))?;
    let Some(gains) = oscillation.gains(present.form) else {
        bail!("controller “{}”: Ziegler and Nichols have no rule for PD; --rule search finds gains", present.name);
    };
    if let Some(problem) = gains.problem() {
        bail!("controller “{}”: cannot use the Ziegler–Nichols gains: {problem}", present.name);
    }
    let rule = Rule::ZieglerNichols {
        cluster: study.clusters[experiment.relay.cluster].name.clone(),
        relay_output: experiment.relay.output,
        error_amplitude: oscillation.amplitude,
        period_seconds: oscillation.period_seconds,
        ultimate_gain: oscillation.ultimate_gain,
        cycles: oscillation.cycles,
    };
    Ok((rule, with_gains(present, gains)))
}

/// Sets the gains of a controller; equal gains leave it unchanged.
fn apply_gains(study: &mut Regulation, index: usize, tuned: &Controller) -> Result<()> {
    if let Some(table) = &tuned.learned {
        if !study.set_learned(index, Some(table.clone())) {
            bail!("controller “{}” cannot have these gains", tuned.name);
        }
        return Ok(());
    }
    let gains = Gains { kp: tuned.kp, ki: tuned.ki, kd: tuned.kd };
    if study.controllers.get(index) != Some(tuned) && !study.set_gains(index, tuned.form, gains) {
        bail!("controller “{}” cannot have these gains", tuned.name);
    }
    Ok(())
}

fn overshoot(text: &str) -> Result<f64, String> {
    let share = Unit::Share.parse(text).map_err(|error| error.to_string())?;
    if (0.0..=10.0).contains(&share) { Ok(share) } else { Err("allowed: 0 % … 1000 %".to_owned()) }
}

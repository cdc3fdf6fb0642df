//! Options of sampling: the uncertain numbers, how many samples, which figures.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use crossover_page::terminal::Source;
use crossover_quantity::spread::{Distribution, Spread};
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_study::{number_at, numbers, usual_path};
use crossover_tools::Sampling;

/// Options of every tool that samples.
#[derive(Debug, Args)]
pub(super) struct SamplingOptions {
    #[command(flatten)]
    source: Source,
    /// Distribution of a number: PATH=normal:SIGMA, PATH=lognormal:FACTOR, PATH=uniform:FROM..TO
    /// or PATH=triangular:FROM..TO, with units; may be repeated; added to the spreads of the file
    #[arg(long = "spread", value_name = "PATH=DISTRIBUTION")]
    spreads: Vec<String>,
    /// Assumes ± this share for every number without a distribution; numbers that you decide, such as weights, stay exact.
    /// Example: 20%
    #[arg(long, value_name = "SHARE")]
    spread_all: Option<String>,
    /// Number of samples; the result states its sampling error
    #[arg(long, value_name = "COUNT")]
    samples: Option<usize>,
    /// The same seed gives the same samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A figure, e.g. speedup or operators.join.speedup, or “*” for all figures of all parts; may be repeated; default: all
    /// figures of the whole study
    #[arg(long = "figure", value_name = "KEY")]
    figures: Vec<String>,
}

impl SamplingOptions {
    /// Whether an option about spreads or samples was given.
    pub(super) fn has_spreads_or_samples(&self) -> bool {
        !self.spreads.is_empty() || self.spread_all.is_some() || self.samples.is_some()
    }

    /// The scenario file.
    pub(super) fn file(&self) -> &Path {
        &self.source.file
    }

    /// The options that give the same scenario and figures: overrides, spreads, figures and --spread-all.
    pub(super) fn typed(&self) -> Vec<&str> {
        let options = [("--set", &self.source.overrides), ("--spread", &self.spreads), ("--figure", &self.figures)];
        let words =
            options.into_iter().flat_map(|(option, values)| values.iter().flat_map(move |of| [option, of.as_str()]));
        words.chain(self.spread_all.iter().flat_map(|share| ["--spread-all", share.as_str()])).collect()
    }

    /// The scenario with its spreads, and its sampling.
    pub(super) fn read(&self, samples: usize, usage: impl Fn(&str) -> clap::Error) -> Result<(Scenario, Sampling)> {
        let mut scenario = self.source.scenario()?;
        for text in &self.spreads {
            let (path, spread) = spread(&scenario, text).map_err(|problem| usage(&problem))?;
            scenario.study.subject_mut().spreads_mut().insert(path, spread);
        }
        if let Err(invalid) = scenario.study.validate() {
            return Err(usage(&format!("{}: {}", invalid.path, invalid.problem)).into());
        }
        let spread_all = self.spread_all.as_deref().map(|text| Unit::Share.parse(text)).transpose();
        let spread_all = spread_all.map_err(|error| usage(&format!("--spread-all: {error}")))?;
        let samples = self.samples.unwrap_or(samples);
        Ok((scenario, Sampling { samples, seed: self.seed, spread_all, figures: self.figures.clone() }))
    }
}

/// Reads `PATH=normal:2 ms`.
fn spread(scenario: &Scenario, text: &str) -> Result<(String, Spread), String> {
    let form = || format!("--spread: “{text}” is not of the form PATH=normal:SIGMA, e.g. cluster.fan_in=uniform:5..20");
    let subject = scenario.study.subject();
    let splits = || text.match_indices('=').map(|(at, _)| (text[..at].trim(), &text[at + 1..]));
    let is_number = |(path, _): &(&str, &str)| number_at(subject, path).is_some();
    let (path, distribution) = splits().rfind(is_number).or_else(|| splits().next()).ok_or_else(form)?;
    let Some((quantity, _)) = number_at(subject, path) else {
        let known: Vec<String> = numbers(subject).into_iter().map(|(path, ..)| path.to_string()).collect();
        let hint = crossover_quantity::invalid::did_you_mean(path, &known);
        return Err(format!("--spread: there is no number {path}{hint}"));
    };
    let (name, values) = distribution.split_once(':').ok_or_else(form)?;
    let one = |text: &str| quantity.parse(text).map_err(|error| format!("--spread: {path}: {error}"));
    let two = || {
        let (from, to) = values.split_once("..").ok_or_else(form)?;
        quantity.parse_range(from, to).map_err(|error| format!("--spread: {path}: {error}"))
    };
    let distribution = match name.trim() {
        "normal" => Distribution::Normal { standard_deviation: one(values)? },
        "lognormal" => {
            let factor = Unit::Ratio.parse(values).map_err(|error| format!("--spread: {path}: {error}"))?;
            Distribution::LogNormal { factor }
        }
        "uniform" => two().map(|[low, high]| Distribution::Uniform { low, high })?,
        "triangular" => two().map(|[low, high]| Distribution::Triangular { low, high })?,
        other => {
            let known = ["normal", "lognormal", "uniform", "triangular"];
            let hint = crossover_quantity::invalid::did_you_mean(other, known);
            return Err(format!("--spread: unknown distribution “{other}”{hint}; distributions: {}", known.join(", ")));
        }
    };
    let path = usual_path(subject, path).unwrap_or_else(|| path.to_owned());
    Ok((path, Spread::alone(distribution)))
}

//! Which values and entries of the catalogue meet constraints on figures of any study, and are best by others.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use clap::{ArgGroup, Args};
use crossover_export::Format;
use crossover_export::search::{Decisions, NumberNames, cautions, divided, sentence, written};
use crossover_page::catalogue;
use crossover_page::offer::Offer;
use crossover_page::terminal::{Outputs, Source, keep_apart, message, print, with_progress};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;
use crossover_study::{FigureValue, Watch, answer, bill};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::rounds::growing;
use crossover_tools::search::likelihood::{LikelihoodError, Likelihoods, SAMPLES, likelihoods};
use crossover_tools::search::{BUDGET, Bound, Candidates, Choice, Constraint, Objective, POINTS, SearchError, begin};
use crossover_tools::{self as tools, Range, Sampling, Search, Searched};

use super::rounds::{LastRound, Rounds, message_if_partial, time_limit};
use super::shard::{self, ShardOption, ShardValues};
use super::tool_arguments::ToolArguments;
use super::{application, wrong_usage};
use crate::kinds;

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("objective").required(true).multiple(true).args(["minimise", "maximise"])))]
pub(super) struct SearchOptions {
    #[command(flatten)]
    source: Source,
    /// A free number: its range, the number of values (default 20), and log for logarithmic spacing:
    /// cluster.machines=4..64:16; may be repeated
    #[arg(long = "free", value_name = "PATH=FROM..TO[:POINTS][:log]")]
    free: Vec<String>,
    /// A catalogue list to choose an entry from, such as gpu or network; with NAME only the named entries; may be repeated
    #[arg(long = "choose", value_name = "LIST[=NAME]")]
    choose: Vec<String>,
    /// A constraint on a figure, with or without a unit: "seconds<=60 s" or "speedup>=2"; may be repeated
    #[arg(long = "constraint", value_name = "KEY<=VALUE")]
    constraints: Vec<String>,
    /// A figure to minimise. The first objective selects the recommended candidate; with several, the Pareto front is listed too
    #[arg(long, value_name = "KEY")]
    minimise: Vec<String>,
    /// A figure to maximise; objectives of --minimise come first
    #[arg(long, value_name = "KEY")]
    maximise: Vec<String>,
    /// Keeps the input of each machine as their number changes (weak scaling); default: keeps the total input (strong scaling)
    #[arg(long)]
    weak_scaling: bool,
    /// Maximum number of candidates to evaluate; in a larger search space simulated annealing selects them
    #[arg(long, value_name = "COUNT", default_value_t = BUDGET)]
    budget: usize,
    /// Stops after this time, e.g. 2s or 5 min, with the best candidate so far; default: no limit
    #[arg(long, value_name = "DURATION", conflicts_with = "shard")]
    time: Option<String>,
    /// If only a part of the candidates is evaluated, the same seed selects the same part
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also finds the best candidate that meets every constraint in at least this share of the samples, e.g. 90%
    #[arg(long, value_name = "SHARE", conflicts_with = "shard")]
    likelihood: Option<String>,
    /// Assumes ± this share for every number without a distribution; numbers that you decide, such as weights, stay exact.
    /// Example: 20%
    #[arg(long, value_name = "SHARE", conflicts_with = "shard")]
    spread_all: Option<String>,
    /// Samples of each candidate, for likelihoods; default: 4,096 for closed-form studies, none for simulations
    #[arg(long, value_name = "COUNT", conflicts_with = "shard")]
    samples: Option<usize>,
    #[command(flatten)]
    sharding: ShardOption,
    /// Format of the result
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// File for the recommended scenario; with --likelihood, the best candidate that meets that likelihood
    #[arg(long, value_name = "FILE", conflicts_with = "shard")]
    out: Option<PathBuf>,
}

/// The command line never cancels a search, so this is not printed.
const CANCELLED: &str = "the search was cancelled";
/// What a search that stopped early may have missed.
const LONGER: &str = "a longer search may find a better candidate";
/// Candidates of the first round, and the factor between rounds: each searches anew.
const FIRST_BUDGET: usize = 200;
const BUDGET_FACTOR: usize = 8;

/// An impossible search is a wrong use of the command.
fn usage(problem: &str) -> anyhow::Error {
    wrong_usage("search", problem).into()
}

/// Prints the recommended candidate, and why its neighbours lose.
pub(super) fn search(options: &SearchOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    if let Some(out) = &options.out {
        keep_apart(out, &[&options.source.file])?;
    }
    let study = &scenario.study;
    let range = |text: &String| Range::read(study.subject(), text, POINTS).map_err(|error| usage(&error.to_string()));
    let free = options.free.iter().map(range).collect::<Result<_>>()?;
    let now = Watch::uncancellable(|watch| answer(study.subject(), watch)).context("the scenario has no figures")?;
    let constraint =
        |text: &String| constraint(&now, text).map_err(|problem| usage(&format!("--constraint: {problem}")));
    let constraints = options.constraints.iter().map(constraint).collect::<Result<_>>()?;
    let objective = |is_minimised: bool| move |key: &String| Objective { key: key.clone(), is_minimised };
    let objectives =
        options.minimise.iter().map(objective(true)).chain(options.maximise.iter().map(objective(false))).collect();
    let choices = choices(&scenario, &options.choose)?;
    let likelihood = LikelihoodOptions::of(options)?;
    let shared = if options.weak_scaling { Vec::new() } else { kinds::module(study.kind()).shared(study) };
    let search = Search { free, choices, shared, constraints, objectives, seed: options.seed, budget: options.budget };
    if let Some(shard) = options.sharding.shard {
        let every = Watch::uncancellable(|watch| begin(study.subject(), &search, watch))
            .and_then(|begun| begun.map(Candidates::every).transpose());
        let every = every.map_err(failed)?.context(CANCELLED)?;
        return shard::evaluate(&every, shard, &scenario, ToolArguments::Search(search.clone()));
    }
    let limit = time_limit(options.time.as_deref(), |problem| wrong_usage("search", problem))?;
    let begun = Watch::uncancellable(|watch| begin(study.subject(), &search, watch)).map_err(failed)?;
    let count = begun.context(CANCELLED)?.count();
    let all = usize::try_from(count).unwrap_or(usize::MAX).min(search.budget);
    let rounds = Rounds { sizes: growing(FIRST_BUDGET, BUDGET_FACTOR, all), limit, counted: "candidates" };
    let last = rounds.run(
        |last| sentence(&search, &last.found, NumberNames::Paths),
        |budget, watch| tools::search(study.subject(), &Search { budget, ..search.clone() }, watch),
    );
    let LastRound { found, size } = last.map_err(failed)?.context(CANCELLED)?;
    message_if_partial(size, all, "candidates", &format!(", which --budget {size} repeats"), LONGER);
    tell(&scenario, &search, &found, &likelihood, options.format, options.out.as_deref())
}

/// Options about the likelihoods of a search.
#[derive(Debug, Default)]
struct LikelihoodOptions {
    share: Option<f64>,
    spread_all: Option<f64>,
    samples: Option<usize>,
}

impl LikelihoodOptions {
    fn of(options: &SearchOptions) -> Result<Self> {
        let share = |option: &str, text: &Option<String>| {
            let share = text.as_deref().map(|text| Unit::Share.parse(text)).transpose();
            share.map_err(|error| usage(&format!("{option}: {error}")))
        };
        let required = share("--likelihood", &options.likelihood)?;
        if let Some(share) = required.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
            return Err(usage(&format!(
                "--likelihood: {} is out of range; allowed: above 0 % up to 100 %",
                Unit::Share.format(share)
            )));
        }
        Ok(Self { share: required, spread_all: share("--spread-all", &options.spread_all)?, samples: options.samples })
    }

    fn is_requested(&self) -> bool {
        self.share.is_some() || self.spread_all.is_some() || self.samples.is_some()
    }

    /// The likelihoods of a search; none where they were not requested and take long, or no number is uncertain.
    fn of_search(&self, scenario: &Scenario, search: &Search, found: &Searched) -> Result<Option<Likelihoods>> {
        if !self.is_requested() && !is_of_formulas(scenario.study.subject()) {
            return Ok(None);
        }
        let samples = self.samples.unwrap_or(SAMPLES);
        let sampling = Sampling { samples, seed: search.seed, spread_all: self.spread_all, ..Sampling::default() };
        let done = AtomicUsize::new(0);
        let line = || format!("{} samples", done.load(Ordering::Relaxed));
        let watch = Watch { is_cancelled: &|| false, done: &done };
        match with_progress(line, || likelihoods(scenario.study.subject(), search, found, &sampling, self.share, watch))
        {
            Ok(likelihoods) => Ok(Some(likelihoods.context(CANCELLED)?)),
            Err(LikelihoodError::Nothing | LikelihoodError::OnlyFree(_)) if !self.is_requested() => Ok(None),
            Err(error) => Err(usage(&error.to_string())),
        }
    }
}

/// Prints the search that the values of shards give.
pub(super) fn merged(scenario: &Scenario, search: &Search, values: ShardValues, format: Format) -> Result<()> {
    let begun = Watch::uncancellable(|watch| begin(scenario.study.subject(), search, watch))?.context(CANCELLED)?;
    tell(scenario, search, &values.conclude(begun.every()?)?, &LikelihoodOptions::default(), format, None)
}

fn failed(error: SearchError) -> anyhow::Error {
    match error {
        SearchError::Nowhere { .. } => error.into(),
        error => usage(&error.to_string()),
    }
}

fn tell(
    scenario: &Scenario,
    search: &Search,
    found: &Searched,
    likelihood: &LikelihoodOptions,
    format: Format,
    out: Option<&Path>,
) -> Result<()> {
    if format == Format::Csv {
        application::message_about(scenario);
    }
    let likelihoods = likelihood.of_search(scenario, search, found)?;
    if let Some((count, problem)) = &found.not_allowed {
        let problem = format!("{}: {}", problem.path, problem.problem);
        let are = if *count == 1 { "is" } else { "are" };
        let candidates = counted_of(*count as f64, found.evaluated as f64, "candidate");
        message(format!("{candidates} {are} not valid in this scenario; the first: {problem}"));
    }
    let names = NumberNames::Paths;
    for caution in divided(scenario.study.subject(), found, names).into_iter().chain(cautions(found, names)) {
        message(&caution);
    }
    if found.recommended().is_none() && matches!(format, Format::Csv | Format::Json) {
        // Only tables have a sentence about it.
        message(sentence(search, found, names));
    }
    let module = kinds::module(scenario.study.kind());
    let decisions = Decisions::of(&scenario.study, found, |study, best| module.take(study, found, best));
    let text = written(scenario, search, found, likelihoods.as_ref(), &decisions, format);
    let Some(out) = out else { return print(text) };
    let best = match likelihoods.as_ref().and_then(|likelihoods| likelihoods.likely_feasible.as_ref()) {
        Some(likely) => {
            likely.found.as_ref().map(|(of, _)| of).context("no scenario is written: no candidate meets --likelihood")
        }
        None => found.recommended().context("no scenario is written: no feasible candidate"),
    };
    let best = match best {
        Ok(best) => best,
        Err(none) => {
            print(text)?;
            return Err(none);
        }
    };
    let mut chosen = scenario.clone();
    chosen.name = recommended(&scenario.name);
    kinds::module(chosen.study.kind()).take(&mut chosen.study, found, best);
    let mut outputs = Outputs::default();
    outputs.add_scenario(out, &chosen)?;
    outputs.finish(text)
}

/// The name of a recommended scenario; that of one that was recommended before does not change.
fn recommended(name: &str) -> String {
    const AS: &str = ", as recommended";
    format!("{}{AS}", name.trim_end_matches(AS))
}

/// Reads `seconds<=60 s`.
fn constraint(now: &[FigureValue], text: &str) -> Result<Constraint, String> {
    let sides = [("<=", Bound::AtMost), (">=", Bound::AtLeast)];
    let split = sides.iter().find_map(|(sign, side)| Some((text.split_once(sign)?, *side)));
    let Some(((key, value), side)) = split else {
        return Err(format!("“{text}” is not of the form KEY<=VALUE or KEY>=VALUE, e.g. seconds<=60 s"));
    };
    let key = key.trim();
    let Some(figure) = now.iter().find(|one| one.key() == key) else {
        let known: Vec<String> = now.iter().map(FigureValue::key).collect();
        let hint = if bill::is_figure(key) { bill::HINT.to_owned() } else { did_you_mean(key, &known) };
        return Err(format!("unknown figure {key}{hint}; figures: {}", known.join(", ")));
    };
    let value = figure.figure.unit.parse(value.trim()).map_err(|error| format!("{key}: {error}"))?;
    Ok(Constraint { key: key.to_owned(), side, value })
}

/// The requested lists, each with the named entries, or all.
fn choices(scenario: &Scenario, texts: &[String]) -> Result<Vec<Choice>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let catalogue = catalogue::shipped()?;
    let offers = kinds::module(scenario.study.kind()).offers(&scenario.study, &catalogue);
    let mut choices: Vec<Choice> = Vec::new();
    for text in texts {
        let (list, name) = text.split_once('=').map_or((text.as_str(), None), |(list, name)| (list, Some(name.trim())));
        let list = list.trim();
        let offer = offers.iter().find(|offer| offer.choice.name == list).ok_or_else(|| no_such_list(list, &offers))?;
        let entries = match name {
            None => {
                for sentence in offer.left_out_in_words() {
                    message(&sentence);
                }
                offer.choice.entries.clone()
            }
            Some(name) => vec![entry(offer, name)?],
        };
        match choices.iter_mut().find(|choice| choice.name == list) {
            // Each entry once, however often it is named.
            Some(choice) => {
                let more =
                    entries.into_iter().filter(|entry| choice.entries.iter().all(|known| known.name != entry.name));
                let more: Vec<_> = more.collect();
                choice.entries.extend(more);
            }
            None => choices.push(Choice { name: list.to_owned(), entries }),
        }
    }
    Ok(choices)
}

fn no_such_list(list: &str, offers: &[Offer]) -> anyhow::Error {
    let known: Vec<&str> = offers.iter().map(|offer| offer.choice.name.as_str()).collect();
    if known.is_empty() {
        return usage("--choose: a scenario of this kind has no catalogue lists; use --free");
    }
    usage(&format!("--choose: unknown list “{list}”{}; lists: {}", did_you_mean(list, &known), known.join(", ")))
}

fn entry(offer: &Offer, name: &str) -> Result<crossover_tools::search::Entry> {
    let found = offer.choice.entries.iter().find(|entry| entry.name == name);
    found.cloned().ok_or_else(|| {
        let known: Vec<&str> = offer.choice.entries.iter().map(|entry| entry.name.as_str()).collect();
        let reason = offer.left_out.iter().find(|left_out| left_out.entry == name);
        let problem = match reason {
            Some(left_out) => format!("{name} cannot be used, because {}", left_out.reason),
            None => format!("unknown entry “{name}”{}; entries: {}", did_you_mean(name, &known), known.join("; ")),
        };
        usage(&format!("--choose {}: {problem}", offer.choice.name))
    })
}

//! `crossover decide`: what should run a workload, in which time, for which cost, and how sure that is.

mod frequency;
mod machines;
#[cfg(test)]
mod repeated;
mod trial;
mod without_run;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};
use crossover_decision::saving::longest_payback;
use crossover_decision::{Baseline, Candidate, Goal, TimeLimit, set_price_today};
use crossover_export::arguments::{
    DecideArguments, Effort, EnteredPrice, Runs, entered_effort, limit, positive, price, runs,
};
use crossover_export::decision::{DecidedWorkload, decisions_json, html, markdown, terminal};
use crossover_fleet::Base;
use crossover_fleet::answer::answer_with;
use crossover_page::catalogue::shipped as catalogue;
use crossover_page::terminal::print;
use crossover_placement_page::truth::open_profile;
use crossover_placement_page::watched;
use crossover_plan::history::Histories;
use crossover_plan::options::region::name_region;
use crossover_plan::remarks::assumed_machines;
use crossover_plan::{Cluster, Format, Import};
use crossover_quantity::invalid::did_you_mean;
use jiff::Zoned;
use jiff::civil::Date;

use self::frequency::RunsInLogs;
use self::machines::{TodaysMachines, on_clusters};
use self::trial::Trial;
use self::without_run::{Plans, has_no_run};
use super::base::{base_of, scenario_of};
use super::wrong_usage_of;
use crate::deciding::beside::BesideOptions;
use crate::deciding::differ::{note_of_application, note_of_query};
use crate::deciding::differences::warn_of_clusters;
use crate::deciding::{of_application, of_query};
use crate::shipped;

/// Help of the effort.
fn effort_help() -> String {
    let within = longest_payback();
    format!(
        "One-time cost of the move (work, tests, training): US dollars, e.g. 5000, or hours, e.g. 40h with --hourly-rate 90; the answer \
         then has the payback time. With runs per month, an option that does not pay it back within {within} is not recommended"
    )
}

/// Options of `crossover decide`.
#[derive(Debug, Args)]
pub struct DecideOptions {
    /// Spark event logs (a file, or the folder of a rolling log), outputs of Spark's EXPLAIN, or plans of DuckDB
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// Decides about this query only, e.g. 3
    #[arg(long, value_name = "ID")]
    query: Option<String>,
    /// Another GPU cluster, in addition to 2, 4 and 8 × g6.2xlarge, e.g. 1xg6.2xlarge; may be repeated. A price may follow, US
    /// dollars per hour and machine (4xg6.2xlarge@0.40) or GPU (4xg6.2xlarge@0.40/gpu), with its basis as in --price-today
    /// (4xg6.2xlarge@0.40/gpu:spot)
    #[arg(long = "on", value_name = "COUNTxMACHINE[@USD]")]
    clusters: Vec<String>,
    /// What to minimise
    #[arg(long, value_enum, default_value = "cost")]
    least: Least,
    /// With --least cost: longest time of a run, such as 10s or 5min, or as a factor of today's time, such as 1.2x; default: 1x. Each query of
    /// the list is decided alone, with this limit
    #[arg(long, value_name = "LIMIT", value_parser = limit)]
    within: Option<TimeLimit>,
    /// With --least time: largest cost of one run of the application, or with --query of this query, US dollars; default: its cost
    /// today. Each query of the list is decided alone, with this limit
    #[arg(long, value_name = "USD", value_parser = positive)]
    budget: Option<f64>,
    /// Runs per month, or their range such as 2000..4000, for the expected saving per month; default: as often as the application ran
    /// in these logs, if they cover a week
    #[arg(long, value_name = "COUNT", value_parser = runs)]
    runs_per_month: Option<Runs>,
    #[arg(long, value_name = "USD|HOURS", value_parser = Effort::parse, help = effort_help())]
    effort: Option<Effort>,
    /// With --effort in hours: cost of an hour of work, US dollars
    #[arg(long, value_name = "USD", value_parser = positive)]
    hourly_rate: Option<f64>,
    /// Today's machines, if the log names none or wrong ones, e.g. 8xc5d.12xlarge; default: those of the log. A price may follow as in --on
    /// (8xc5d.12xlarge@1.80); default: that of the catalogue
    #[arg(long, value_name = "COUNTxMACHINE[@USD]")]
    today: Option<String>,
    /// Price of one of today's machines (0.20) or cores (0.05/core), US dollars per hour; its basis and date may follow
    /// (0.12:spot:2026-11-26). Default: the price of --today, else the on-demand
    /// price of a vCPU of c5d.12xlarge for each core
    #[arg(long, value_name = "USD", value_parser = price)]
    price_today: Option<EnteredPrice>,
    /// Price of one machine (0.40:spot) or GPU (0.80/gpu) of the GPU clusters without a price in --on, US dollars per hour
    #[arg(long, value_name = "USD", value_parser = price)]
    price_gpu: Option<EnteredPrice>,
    /// Scenario with the engines of the GPU cluster; default: the shipped ones
    #[arg(long, value_name = "SCENARIO")]
    base: Option<PathBuf>,
    /// Profile written by `crossover learn` or `crossover fit`. A GPU engine in it, with its machines, replaces that of --base.
    /// An engine for today's machines (Gluten, Comet) replaces the shipped one of the same name
    #[arg(long, value_name = "PROFILE", conflicts_with = "base")]
    profile: Option<PathBuf>,
    /// Date of the decision, for the age of measurements, e.g. 2026-11-26; default: today
    #[arg(long, value_name = "DATE")]
    date: Option<Date>,
    /// Event log of a trial: the same queries, run with one of the options; its times replace the predicted ones
    #[arg(long, value_name = "LOG")]
    trial: Option<PathBuf>,
    /// Format of the decision
    #[arg(long, value_enum, default_value = "table")]
    format: DecideFormat,
}

/// What should be least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Least {
    /// The cost of a run, within the time limit
    Cost,
    /// The time of a run, within the budget
    Time,
    /// Time and cost: lists the non-dominated options, without choosing one
    ParetoFront,
}

/// What a decision is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DecideFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// For documents
    Markdown,
    /// One file for a browser
    Html,
}

impl DecideOptions {
    /// What shapes the decision beside the log and the trial.
    fn arguments(&self) -> DecideArguments {
        DecideArguments {
            query: self.query.clone(),
            on: self.clusters.clone(),
            goal: match self.least {
                Least::Cost => Goal::Cost,
                Least::Time => Goal::Time,
                Least::ParetoFront => Goal::ParetoFront,
            },
            within: self.within,
            budget: self.budget,
            runs_per_month: self.runs_per_month,
            effort: self.effort,
            hourly_rate: self.hourly_rate,
            today: self.today.clone(),
            price_today: self.price_today,
            price_gpu: self.price_gpu,
            base: self.base.clone(),
            profile: self.profile.clone(),
            date: self.date,
            left_out: Vec::new(),
        }
    }
}

/// Prints what should run each workload.
///
/// # Errors
/// A wrong use, an unreadable log, or an unknown query.
pub fn decide(options: &DecideOptions) -> Result<()> {
    let base = match (&options.base, &options.profile) {
        (None, None) => shipped::base().map_err(|problem| anyhow!(problem))?,
        (Some(path), _) => {
            let scenario = scenario_of(Some(path), None)?;
            base_of(std::slice::from_ref(&scenario), std::slice::from_ref(path))?
        }
        (None, Some(path)) => shipped::with_profile(open_profile(path).map_err(|problem| anyhow!(problem))?)
            .map_err(|problem| anyhow!("--profile {}: {problem}", path.display()))?,
    };
    match options.least {
        Least::Cost | Least::ParetoFront if options.budget.is_some() => {
            return Err(wrong_usage_of("decide", "--budget: only with --least time").into());
        }
        Least::Time | Least::ParetoFront if options.within.is_some() => {
            return Err(wrong_usage_of("decide", "--within: only with --least cost").into());
        }
        _ if options.trial.is_some() && options.logs.len() > 1 => {
            return Err(wrong_usage_of("decide", "--trial: only with one LOG").into());
        }
        _ => {}
    }
    let effort = entered_effort(options.effort, options.hourly_rate);
    effort.map_err(|problem| wrong_usage_of("decide", problem))?;
    let arguments = options.arguments();
    let question = Question {
        trial: options.trial.as_deref(),
        // Only the form for programs has comparisons of the options of each query.
        compares_queries: options.format == DecideFormat::Json,
        ..Question::new(&arguments)
    };
    let decided = match options.logs.as_slice() {
        [log] => vec![decide_log(&read(log)?, &base, &question, &Histories::default())?],
        logs => {
            let imports = logs.iter().map(|log| read(log)).collect::<Result<Vec<Import>>>()?;
            let histories = Histories::new(&imports);
            let contradictions = histories.contradictions();
            let runs = RunsInLogs::new(&imports);
            let decided = imports.into_iter().map(|import| -> Result<DecidedWorkload> {
                let in_logs = if arguments.runs_per_month.is_none() && arguments.goal != Goal::Time {
                    runs.of(&import.application)
                } else {
                    None
                };
                let of_logs = in_logs.as_ref().map(|(count, _)| Runs { count: *count, range: None });
                let with_runs =
                    DecideArguments { runs_per_month: arguments.runs_per_month.or(of_logs), ..arguments.clone() };
                let question = Question { arguments: &with_runs, ..question };
                let mut decided = decide_log(&import, &base, &question, &histories)?;
                decided.remarks.notes.extend(in_logs.map(|(_, note)| note));
                let of_file = contradictions.iter().filter(|found| found.files.contains(&decided.file));
                let sentences: Vec<String> = of_file.map(|found| found.sentence.clone()).collect();
                decided.remarks.warnings.extend(sentences);
                Ok(decided)
            });
            decided.collect::<Result<Vec<DecidedWorkload>>>()?
        }
    };
    print(&match options.format {
        DecideFormat::Table => terminal(&decided),
        DecideFormat::Json => decisions_json(&decided),
        DecideFormat::Markdown => markdown(&decided),
        DecideFormat::Html => html(&decided),
    })
}

/// The decision about a log, or about this query of it, by the default options, also with these clusters such as `4xg6.2xlarge`, for the
/// terminal.
///
/// # Errors
/// The log cannot be read, no shipped engine is its own, or a query or a cluster is not known.
pub fn answer_of(log: &Path, query: Option<&str>, clusters: &[String]) -> Result<String> {
    let base = shipped::base().map_err(|problem| anyhow!(problem))?;
    let arguments =
        DecideArguments { query: query.map(str::to_owned), on: clusters.to_vec(), ..DecideArguments::default() };
    let question = Question::new(&arguments);
    Ok(terminal(&[decide_log(&read(log)?, &base, &question, &Histories::default())?]))
}

/// What is decided about each file.
#[derive(Debug, Clone, Copy)]
struct Question<'a> {
    /// What shapes the decision.
    arguments: &'a DecideArguments,
    /// The log of a trial.
    trial: Option<&'a Path>,
    /// Whether the options of each query of an application are compared with each other.
    compares_queries: bool,
}

impl<'a> Question<'a> {
    /// The question with these arguments, without a trial and without comparisons of each query.
    fn new(arguments: &'a DecideArguments) -> Self {
        Self { arguments, trial: None, compares_queries: false }
    }
}

/// The decision about one file, with its arguments; a query that has several runs in `histories` takes their median today.
fn decide_log(import: &Import, base: &Base, question: &Question<'_>, histories: &Histories) -> Result<DecidedWorkload> {
    let mut decided = decide_import(import, base, question, histories)?;
    decided.arguments = question.arguments.clone();
    Ok(decided)
}

/// The decision about one file.
fn decide_import(
    import: &Import,
    base: &Base,
    question: &Question<'_>,
    histories: &Histories,
) -> Result<DecidedWorkload> {
    let Question { arguments, trial, compares_queries } = *question;
    let DecideArguments { on: clusters, price_today, date, .. } = arguments;
    let (query, today) = (arguments.query.as_deref(), arguments.today.as_deref());
    let (file, engine) = (import.file.clone(), import.engine.clone());
    let own = base.of_engine(&engine).with_context(|| {
        let named = if engine.is_empty() { "of this file" } else { engine.as_str() };
        format!("{file}: no base has the CPU engine {named}; name one with --base")
    })?;
    let measured = own.gpu_engine().clone();
    let machines = if clusters.is_empty() && today.is_none() { None } else { Some(catalogue()?) };
    let of_clusters = machines.as_ref().filter(|_| !clusters.is_empty());
    let on_named = of_clusters.map(|machines| on_clusters(own.clone(), arguments, machines)).transpose()?;
    let todays = today.zip(machines.as_ref());
    let todays = todays.map(|(text, machines)| TodaysMachines::new(text, *price_today, machines)).transpose()?;
    let own = on_named.as_ref().unwrap_or(own);
    let on_todays = todays.as_ref().and_then(|todays| todays.enter(own, import));
    let own = on_todays.as_ref().unwrap_or(own);
    if has_no_run(import) {
        let (catalogue, todays) = (machines.as_ref(), todays.as_ref());
        return Plans { import, base: own, measured: &measured, catalogue, todays, question }.decide();
    }
    let trial = trial.map(|path| Trial::read(path, import)).transpose()?;
    let mut beside = BesideOptions::new(own, import, query);
    let mut application = answer_with(own, import, false, histories);
    // Decisions copy the differences and warnings of their options.
    let summary = &mut application.summary;
    let cores = summary.cores_per_machine.map(|cores| cores as f64);
    let priced = (summary.baseline.as_mut(), summary.candidates.as_mut_slice());
    enter_prices(priced, cores, own, arguments, todays.as_ref())?;
    let region = beside.cluster.settings.region();
    let region_difference = name_region(summary.baseline.as_ref(), &mut summary.candidates, region);
    beside.assume(region_difference);
    if on_todays.is_none() {
        beside.assume(unnamed_machines(&import.cluster));
    }
    let date = date.unwrap_or_else(|| Zoned::now().date());
    for candidate in &mut application.summary.candidates {
        candidate.warn_of_age(date);
    }
    warn_of_clusters(&mut application.summary.candidates, &measured, machines.as_ref());
    let only = query.map(|id| wanted(import, id).with_context(|| file.clone())).transpose()?;
    let objective = arguments.objective();
    let mut decided = match only {
        Some(place) => of_query(&application, &application.queries[place], file, objective),
        None => of_application(&application, file, objective, compares_queries),
    };
    if let Some(trial) = trial {
        trial.decide(&mut decided, &application, only)?;
    }
    let note = match only {
        None => note_of_application(&decided, &application),
        // A trial of one query says nothing about the application.
        Some(_) if question.trial.is_some() => None,
        Some(_) => decided.decision.as_ref().and_then(|decision| note_of_query(decision, &application)),
    };
    beside.add_to(&mut decided, note, own, &application, only);
    Ok(decided)
}

/// A warning if a file does not say which machines ran it.
fn unnamed_machines(cluster: &Cluster) -> Option<String> {
    assumed_machines([cluster.machines.is_some(), cluster.cores_per_machine.is_some()])
}

/// Takes the prices of the user into what runs a workload today, on machines with so many cores, and into its options; clusters that
/// the user named have theirs.
fn enter_prices(
    (baseline, candidates): (Option<&mut Baseline>, &mut [Candidate]),
    cores: Option<f64>,
    base: &Base,
    arguments: &DecideArguments,
    todays: Option<&TodaysMachines<'_>>,
) -> Result<()> {
    let wrong = |flag: &str, problem: &str| wrong_usage_of("decide", &format!("{flag}: {problem}"));
    let price_today = arguments.price_today.or_else(|| todays.and_then(TodaysMachines::price));
    if let (Some(price), Some(baseline)) = (price_today, baseline) {
        let cores = todays.map(TodaysMachines::cores).or(cores);
        let price = price.of_machine(cores, 0.0).map_err(|problem| wrong("--price-today", &problem))?;
        set_price_today(baseline, candidates, Some(&price));
    }
    let Some(price) = arguments.price_gpu else { return Ok(()) };
    let named: Vec<String> = base.alternatives().clusters.iter().map(|(cluster, _)| cluster.title()).collect();
    let gpu = &base.gpu_engine().name;
    let others = candidates.iter_mut();
    let others = others.filter(|candidate| candidate.engine == *gpu && !named.contains(&candidate.title));
    for candidate in others {
        let Some(machines) = candidate.machines else { continue };
        let price = price.of_machine(None, candidate.lanes.unwrap_or(0.0));
        candidate.price = Some(price.map_err(|problem| wrong("--price-gpu", &problem))?.times(machines));
    }
    Ok(())
}

/// Reads one file, with its progress.
///
/// # Errors
/// It cannot be read; if it is a folder of logs, the error names the command for many.
pub(super) fn read(path: &Path) -> Result<Import> {
    let read = || {
        let format = Format::of(path).map_err(|error| anyhow!("{error}"))?;
        watched(format, path)
    };
    read().map_err(|error| {
        let hint = if path.is_dir() {
            format!("; if it has the logs of several applications: crossover fleet {}", path.display())
        } else {
            String::new()
        };
        anyhow!("{error}{hint}")
    })
}

/// Place of the query with this id in a file.
fn wanted(import: &Import, id: &str) -> Result<usize> {
    let ids: Vec<&str> = import.queries.iter().map(|query| query.id.as_str()).collect();
    ids.iter().position(|known| *known == id).with_context(|| {
        let hint = did_you_mean(id, &ids);
        format!(
            "--query: unknown query “{id}”{hint}; queries: {}",
            ids.iter().take(20).copied().collect::<Vec<_>>().join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use crossover_placement_page::enter_todays_machines;
    use crossover_plan::{Control, spark};

    use super::*;
    use crate::whole::DECIDE;

    /// The window has two fields for them: the type and the number. Eight are as many as those of the measurement.
    #[test]
    fn entered_machines_have_the_answer_of_the_window() {
        let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plan/samples/spark/shop-eventlog.zstd");
        let mut import = spark::read(Path::new(log), &Control::default()).expect("a log");
        let base = shipped::base().expect("shipped engines");
        let catalogue = catalogue().expect("a catalogue");
        let chosen = catalogue.instances.iter().find(|instance| instance.name == "c5d.12xlarge").expect("a machine");
        let own = base.of_engine(&import.engine).expect("Spark");
        let decide = |import: &Import, today: Option<&str>| {
            let arguments = DecideArguments { today: today.map(str::to_owned), ..DecideArguments::default() };
            decide_log(import, &base, &Question::new(&arguments), &Histories::default()).expect("a decision")
        };
        let says_assumed = |decided: &DecidedWorkload| {
            decided.remarks.warnings.iter().any(|warning| warning.starts_with("the file does not say how many"))
        };
        for is_named in [true, false] {
            if !is_named {
                import.cluster = Cluster::default();
            }
            assert_eq!(says_assumed(&decide(&import, None)), !is_named);
            let decided = decide(&import, Some("8xc5d.12xlarge"));
            assert!(!says_assumed(&decided), "{:?}", decided.remarks);
            let mut study =
                own.scenario_of(&import, &import.queries[0]).placement().expect("a placement study").clone();
            enter_todays_machines(&mut study, &catalogue, chosen, 8.0);
            let of_window = (DECIDE.report)(&import, &study).expect("a decision");
            assert_eq!(markdown(&[decided]), markdown(&[of_window]), "machines in the log: {is_named}");
        }
    }
}

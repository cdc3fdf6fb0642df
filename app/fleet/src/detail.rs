//! One application with its queries and the decision about it, read from the ledger on a thread of its own.

use std::sync::Arc;

use crossover_chart::bars::BarChart;
use crossover_decision::{Decision, MeasuredRuns, PriceBasis, Verdict};
use crossover_export::arguments::{DecideArguments, EnteredPrice};
use crossover_export::costs::costs;
use crossover_export::decision::{OptionsTable, warnings};
use crossover_fleet::application::{Application, Query, Range, Recommended, Summary};
use crossover_fleet::ledger::Outcome;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_placement::EnteredInputs;
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, predicted};
use egui::{Grid, Label, RichText, Ui};

use super::charts::{self, OptionTime};
use super::list::{dollars, likelihood, range, seconds};
use super::opening::Fleet;
use super::words;

/// An application to load.
#[derive(Debug, Clone)]
pub(super) struct LoadingApplication {
    pub(super) fleet: Arc<Result<Fleet, String>>,
    /// Path of its log.
    pub(super) log: String,
}

/// An application, and the decision about it.
#[derive(Debug)]
pub(super) struct LoadedApplication {
    pub(super) application: Application,
    /// `None` without a prediction.
    pub(super) decided: Option<DecidedApplication>,
}

/// The decision about an application in words.
#[derive(Debug)]
pub(super) struct DecidedApplication {
    pub(super) sentence: String,
    /// What to do, if that is not to stay.
    pub(super) next_step: Option<String>,
    /// What runs cost today and with the best option.
    pub(super) costs: Vec<Fact>,
    pub(super) options: OptionsTable,
    /// Warnings about the measurements of the options.
    pub(super) warnings: Vec<String>,
}

/// A name with its value.
pub(super) type Fact = (&'static str, String);

/// The chart and the facts of an open application or of an open query, made once.
#[derive(Debug)]
pub(super) struct DetailTexts {
    /// Its times; `None` without a prediction.
    pub(super) chart: Option<BarChart>,
    pub(super) facts: Vec<Fact>,
}

impl LoadedApplication {
    fn new(application: Application, inputs: EnteredInputs) -> Self {
        let objective = inputs.objective();
        let mut arguments = DecideArguments::of_objective(&objective);
        arguments.take_effort(inputs.effort_usd, inputs.effort_hours, inputs.hourly_rate_usd);
        arguments.price_today = inputs.price_today.map(|usd| EnteredPrice::per_machine(usd, PriceBasis::Own, None));
        let decision = application.summary.decision(objective);
        let decided = decision.map(|decision| DecidedApplication::new(&decision, &arguments));
        Self { application, decided }
    }
}

impl DecidedApplication {
    fn new(decision: &Decision, arguments: &DecideArguments) -> Self {
        let compare = arguments.compare_command();
        let next_step = decision.recommended_title(" and ").map(|titles| {
            if !decision.near_ties.is_empty() {
                // Of options that cost about the same, a run of each decides.
                let [_, better] = decision.tie_words();
                return format!(
                    "Next step: run it once with each of {titles}, and keep the {better}. Compare each log: {compare}"
                );
            }
            let what = if decision.verdict == Verdict::Move { "run it on" } else { "run it once on" };
            format!("Next step: {what} {titles}, then compare its log: {compare}")
        });
        Self {
            sentence: decision.sentence(),
            next_step,
            costs: costs(decision),
            options: OptionsTable::new(decision),
            warnings: warnings(decision),
        }
    }
}

impl Work for LoadingApplication {
    type Outcome = Result<LoadedApplication, String>;
    const NAME: &'static str = "loading";
    const AGAIN: &'static str = "Load";

    fn milliseconds(&self) -> f64 {
        // A file is read: never within a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        format!("Loading {}", self.log)
    }

    fn compute(&self, _: Option<&Self::Outcome>, _: &Ticket) -> Option<Self::Outcome> {
        let Ok(fleet) = self.fleet.as_ref() else { return None };
        let ledger = &fleet.opened.outcomes.ledger;
        let again = "Read the fleet again.";
        let Some(known) = ledger.entries().get(&self.log) else {
            return Some(Err(format!("{}: it is no longer in the results. {again}", self.log)));
        };
        Some(match ledger.log(known) {
            Ok(record) => match record.outcome {
                Outcome::Application(mut application) => {
                    let inputs = fleet.recurrence.inputs_of(fleet.inputs, &application.summary);
                    application.decide_again(inputs);
                    Ok(LoadedApplication::new(*application, inputs))
                }
                Outcome::LeftOut(why) => Err(format!("{}: {}", self.log, why.text())),
            },
            Err(error) => Err(format!("{error} {again}")),
        })
    }
}

impl DetailTexts {
    /// Those of an application.
    pub(super) fn of_application(log: &str, summary: &Summary) -> Self {
        Self { chart: times(summary), facts: facts_of_application(log, summary) }
    }

    /// Those of a query; `runs`: all its runs in the fleet, if there are several.
    pub(super) fn of_query(query: &Query, runs: Option<MeasuredRuns>) -> Self {
        let chart = query.predicted.as_ref().zip(query.seconds).map(|(predicted, today)| {
            let cluster = OptionTime {
                name: "on GPUs".to_owned(),
                seconds: predicted.gpu.value,
                interval: Some([predicted.gpu.low, predicted.gpu.high]),
            };
            charts::parts(today, 0.0, Some((&cluster, &predicted.parts)), None)
        });
        Self { chart, facts: facts_of_query(query, runs) }
    }
}

/// The times of an application today, with its option, and on the GPU cluster that its parts are of; `None` without a prediction.
fn times(summary: &Summary) -> Option<BarChart> {
    let (option, today) = summary.option_time.zip(summary.seconds)?;
    // Of several recommended options the time is that of the first.
    let shown = summary.option_place.and_then(|place| summary.candidates.get(place));
    let name = shown.map_or(&summary.option, |candidate| &candidate.title).clone();
    let option = OptionTime { name, seconds: option.value, interval: Some([option.low, option.high]) };
    let is_of_option = summary.base_place == summary.option_place;
    let cluster = summary.base_place.filter(|_| !is_of_option).and_then(|place| {
        let candidate = summary.candidates.get(place)?;
        let time = candidate.time.as_ref()?;
        Some(OptionTime { name: candidate.title.clone(), seconds: time.value(), interval: time.interval() })
    });
    let (on_cluster, other) = if is_of_option { (Some(&option), None) } else { (cluster.as_ref(), Some(&option)) };
    let on_cluster = on_cluster.map(|cluster| (cluster, &summary.parts));
    Some(charts::parts(today, summary.staying_seconds, on_cluster, other))
}

/// The facts of an application.
fn facts_of_application(log: &str, summary: &Summary) -> Vec<Fact> {
    let count = |count: u64| Unit::Count.format(count as f64);
    let cluster = summary.machines.map(|machines| {
        let cores = summary
            .cores_per_machine
            .map(|cores| format!(", {} each", counted(cores as f64, "core")))
            .unwrap_or_default();
        counted(machines as f64, "machine") + &cores
    });
    let apart = [
        (summary.distinct_queries, "distinct"),
        (summary.failed_queries, "failed"),
        (summary.predicted_queries, "predicted"),
    ];
    let apart: Vec<String> = apart
        .into_iter()
        .filter(|(some, _)| *some > 0 && *some < summary.queries)
        .map(|(some, what)| format!("{} {what}", count(some)))
        .collect();
    let apart = if apart.is_empty() { String::new() } else { format!("; {}", apart.join(", ")) };
    let queries = format!("{}{apart}", count(summary.queries));
    let times = [
        (summary.startup_seconds, "start-up"),
        (summary.gap_seconds, "gaps"),
        (summary.other_job_seconds, "of these in jobs without a query"),
    ];
    let times = times.into_iter().filter(|(time, _)| *time > 0.0);
    let outside = times.map(|(time, when)| format!("{} {when}", seconds(Some(time)))).collect::<Vec<_>>().join(", ");
    let limits: Vec<&str> = summary.limits().iter().map(|blocker| blocker.explanation()).collect();
    let end = if summary.ended { "" } else { "; its end is not in the log" };
    vec![
        ("id", summary.id.clone()),
        ("log", log.to_owned()),
        (
            "engine",
            [Some(summary.engine.clone()).filter(|engine| !engine.is_empty()), cluster]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" · "),
        ),
        ("started", summary.start_ms.map(|at| moment(at) + end).unwrap_or_default()),
        ("queries", queries),
        ("outside queries", outside),
        ("option", summary.option.clone()),
        ("with option", there(summary.option_time, summary.faster)),
        ("tie", summary.tie.as_ref().map(words::tie).unwrap_or_default()),
        ("saving per run", saves(summary.saved_seconds(), summary.saved_usd())),
        ("what limits it", limits.join(" ")),
        ("without a GPU version", summary.unsupported.join(", ")),
    ]
}

/// The facts of a query; `runs`: all its runs in the fleet, if there are several.
fn facts_of_query(query: &Query, runs: Option<MeasuredRuns>) -> Vec<Fact> {
    let option = query.option.as_ref();
    let today = format!(
        "{} from start to end; {} of the application's time (shared where queries overlap); state: {}",
        seconds(query.seconds),
        seconds(Some(query.share_seconds)),
        query.state.label()
    );
    // The parts below are those of the GPU cluster, whatever the option.
    let on_gpus =
        query.predicted.as_ref().filter(|found| option.is_none_or(|option| option.time.value != found.gpu.value));
    vec![
        ("started", query.start_ms.map(moment).unwrap_or_default()),
        ("today", today),
        ("all runs", runs.map(|runs| runs.sentence()).unwrap_or_default()),
        ("option", option.map(|option| option.title.clone()).unwrap_or_default()),
        ("with option", there(option.map(|option| option.time), option.and_then(|option| option.faster))),
        ("tie", option.and_then(|option| option.tie.as_ref()).map(words::tie).unwrap_or_default()),
        ("likelihood", option.and_then(|option| option.likelihood).map(likelihood).unwrap_or_default()),
        ("expected saving per run", query.recommended.as_ref().map(expected_saving).unwrap_or_default()),
        ("on GPUs", on_gpus.map(|found| there(Some(found.gpu), found.likelihood)).unwrap_or_default()),
        ("what limits it", query.limit().map(|blocker| blocker.explanation().to_owned()).unwrap_or_default()),
    ]
}

/// Names and values; an empty value has no line.
pub(super) fn facts(ui: &mut Ui, id: &str, facts: &[Fact]) {
    let width = ui.available_width();
    Grid::new(id).num_columns(2).spacing([12.0, 3.0]).min_col_width(0.0).show(ui, |ui| {
        for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            ui.label(RichText::new(*name).weak());
            ui.scope(|ui| {
                ui.set_max_width((width - 150.0).max(120.0));
                ui.add(Label::new(value).truncate().show_tooltip_when_elided(false)).on_hover_text(value);
            });
            ui.end_row();
        }
    });
}

/// "41.2 s (90 % interval: 30 s … 60 s), 84 % likely to be faster".
fn there(gpu: Option<Range>, likely: Option<f64>) -> String {
    let Some(gpu) = gpu else { return "not available".to_owned() };
    let likely = likely.map(|likely| format!(", {} likely to be faster", likelihood(likely))).unwrap_or_default();
    let [value, low, high] = [gpu.value, gpu.low, gpu.high].map(predicted);
    format!("{} (90 % interval: {}){likely}", seconds(Some(value)), range(Range { value, low, high }))
}

fn saves(time: Option<f64>, usd: Option<f64>) -> String {
    let usd = usd.map(|usd| format!(", {}", dollars(Some(usd)))).unwrap_or_default();
    time.map(|time| seconds(Some(time)) + &usd).unwrap_or_default()
}

/// What a run is expected to save: dollars, or seconds without prices.
fn expected_saving(best: &Recommended) -> String {
    match (best.expected_saving_usd, best.expected_saving_seconds) {
        (Some(usd), _) => dollars(Some(usd)),
        (None, Some(saved)) => seconds(Some(saved)),
        (None, None) => String::new(),
    }
}

/// "2026-11-21 20:19:33 UTC".
fn moment(milliseconds: u64) -> String {
    let at = i64::try_from(milliseconds).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    at.map_or_else(|| "–".to_owned(), |at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

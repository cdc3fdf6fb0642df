//! Decisions about workloads: what runs them today, what else could, and what to do.

mod choice;
pub mod dependence;
mod next_steps;
mod options;
mod trial_log;

pub use choice::NextStep;
pub use next_steps::{Trial, trial};
pub use options::{OptionColumn, OptionRow, OptionsTable};
pub use trial_log::DecidedTrial;

use crossover_chart::Chart;
use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Labelled, LineChart, Marker, Samples, Series};
use crossover_chart::theme::Token;
use crossover_decision::growth::GrowthChange;
use crossover_decision::words::{cost, dollars, likely, price_dollars, price_limit, seconds, time};
use crossover_decision::{Decision, DecisionOption, Dependence, PriceChange, PricedMachines};
use crossover_quantity::spread::Z_90;
use crossover_quantity::text::{Column, Document, Table, counted, shortened};
use crossover_quantity::unit::{Unit, predicted};
use crossover_query::SparkSettings;
use serde::Serialize;

use crate::costs::{DecidedCosts, costs};
use crate::decided::today;
use crate::json;
use crate::report::{Block, Report, ReportFormat};

/// Queries of an application that a report lists.
const QUERIES_SHOWN: usize = 20;
/// Room around the points of a chart, as a factor.
const ROOM: f64 = 1.4;
/// Longest description in a list, characters.
const LONGEST: usize = 60;

/// A decision about an application or a query, and what it is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedWorkload {
    /// Name of the application or the query.
    pub name: String,
    /// The file.
    pub file: String,
    /// The decision in words.
    pub sentence: String,
    /// The decision; none if nothing can be predicted.
    pub decision: Option<Decision>,
    /// What runs cost today, and with the recommended option or else the likeliest one; none without a price.
    pub costs: Option<DecidedCosts>,
    /// What the decision depends on most.
    pub depends_on: Option<Dependence>,
    /// Prices at which the recommendation is another one.
    pub price_changes: Vec<PriceChange>,
    /// A trial of one of the options.
    pub trial: Option<DecidedTrial>,
    /// The growth of the data that changes the recommendation; none if none up to a hundred times does, or it is not known.
    pub growth: Option<GrowthChange>,
    /// What to change on today’s machines, whatever the decision; none if nothing in the log asks for it.
    pub without_a_move: Option<String>,
    /// Settings of Spark in the log, which a trial starts from.
    #[serde(skip)]
    pub settings: SparkSettings,
    /// Why nothing can be predicted, and other warnings about the file.
    pub notes: Vec<String>,
    /// The queries of an application.
    pub queries: Vec<DecidedQuery>,
}

/// A query of an application.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecidedQuery {
    /// The engine's id.
    pub id: String,
    /// In words or in SQL.
    pub description: String,
    /// From start to end as recorded, seconds.
    pub seconds: Option<f64>,
    /// Why nothing is predicted, if so.
    pub blocked_by: Option<String>,
    /// The decision about it alone.
    pub decision: Option<Decision>,
}

impl DecidedWorkload {
    /// A decision, with its sentence; `why_not` says why there is none.
    #[must_use]
    pub fn new(name: String, file: String, decision: Option<Decision>, why_not: &str) -> Self {
        let mut decided = Self {
            name,
            file,
            sentence: format!("Cannot be judged: {why_not}."),
            decision: None,
            costs: None,
            depends_on: None,
            price_changes: Vec::new(),
            trial: None,
            growth: None,
            without_a_move: None,
            settings: SparkSettings::default(),
            notes: Vec::new(),
            queries: Vec::new(),
        };
        if let Some(decision) = decision {
            decided.take_decision(decision);
        }
        decided
    }

    /// Takes a decision, with everything that follows from it.
    pub fn take_decision(&mut self, decision: Decision) {
        self.sentence = decision.sentence();
        self.costs = DecidedCosts::of(&decision);
        self.depends_on = decision.depends_on();
        self.price_changes = decision.prices_of_a_change();
        self.decision = Some(decision);
    }

    /// "shop (shop.zstd)".
    fn title(&self) -> String {
        format!("{} ({})", self.name, self.file)
    }

    /// As a report.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut document = Document::titled(self.title());
        document.paragraph(self.sentence.clone()).append(self.details());
        document
    }

    /// Everything after the sentence.
    fn details(&self) -> Document {
        let mut document = Document::default();
        if let Some(trial) = &self.trial {
            document.append(trial.section());
        }
        if let Some(decision) = &self.decision {
            document.append(self.decided(decision));
        }
        if let Some(step) = &self.without_a_move {
            document.heading("Next step on today’s machines").paragraph(step.clone());
        }
        if !self.queries.is_empty() {
            document.heading("Queries").table(queries(&self.queries));
            let more = self.queries.len().saturating_sub(QUERIES_SHOWN);
            document.footnote((more > 0).then(|| format!("{more} more queries; --query ID decides about one of them")));
        }
        document.notes(&self.notes);
        document
    }

    /// The decision as a report without a title.
    fn decided(&self, decision: &Decision) -> Document {
        let mut document = Document::default();
        let baseline = &decision.baseline;
        let price = match &baseline.price {
            Some(price) => format!("{} per hour ({})", price_dollars(price.usd_per_hour), price.origin()),
            None => "none; enter one with --price-today".to_owned(),
        };
        let mut facts = vec![("Today", today(decision))];
        facts.extend(costs(decision));
        facts.push(("Price of today’s machines", price));
        facts.push(("Goal", format!("{}, at least 90 % likely", decision.wanted())));
        document.facts(facts);
        document.heading("Options").table(OptionsTable::new(decision).table());
        document.footnote(Some(
            "Time and cost: medians; 90 % interval: of the time; saving: mean, as the expected saving above, negative if the option is \
             worse than today; regret: mean of what a run costs more, where runs that cost less count as 0; likelihoods and \
             intervals: from the measured errors of predicted times, with prices taken as exact; Pareto front: no other row is both faster and cheaper; \
             measured: date of the runs that the engine is fitted to"
                .to_owned(),
        ));
        document.paragraph(without_data(decision).unwrap_or_default());
        if let Some(found) = &self.depends_on {
            document.append(dependence::section(decision, found));
        }
        let mut changes = what_changes_it(decision, &self.price_changes);
        changes.extend(self.growth.as_ref().map(|change| growth_sentence(decision, change)));
        if !changes.is_empty() {
            document.heading("What would change it");
            for sentence in changes {
                document.paragraph(sentence);
            }
        }
        if let Some(next) = NextStep::new(decision, &self.settings) {
            document.append(next.section());
        }
        let recommended: Vec<&DecisionOption> = decision.recommended().map(|place| &decision.options[place]).collect();
        let shown = if recommended.is_empty() { decision.likeliest().into_iter().collect() } else { recommended };
        if !shown.is_empty() {
            document.heading("Evidence");
        }
        for option in shown {
            document.facts(evidence(option));
        }
        document.warnings(warnings(decision));
        document
    }
}

/// Several decisions as text for a terminal.
#[must_use]
pub fn terminal(decided: &[DecidedWorkload]) -> String {
    decided.iter().map(|workload| workload.document().terminal()).collect::<Vec<String>>().join("\n")
}

/// Several decisions as Markdown.
#[must_use]
pub fn markdown(decided: &[DecidedWorkload]) -> String {
    decided.iter().map(|workload| workload.document().markdown()).collect::<Vec<String>>().join("\n")
}

/// Several decisions for programs.
#[must_use]
pub fn decisions_json(decided: &[DecidedWorkload]) -> String {
    json(&decided)
}

/// Several decisions as one HTML file.
#[must_use]
pub fn html(decided: &[DecidedWorkload]) -> String {
    let blocks = decided.iter().flat_map(|workload| {
        // The title names a workload that is alone.
        let name = (decided.len() > 1).then(|| Block::Text(workload.title()));
        let mut blocks: Vec<Block> = name.into_iter().collect();
        blocks.extend([Block::Lead(workload.sentence.clone()), Block::Document(workload.details())]);
        // The answer stands above.
        let lines =
            workload.decision.as_ref().and_then(chart).map(|lines| LineChart { answer: String::new(), ..lines });
        blocks.extend(lines.map(|lines| Block::Chart(Box::new(Chart::Lines(lines)))));
        let found = workload.decision.as_ref().zip(workload.depends_on.as_ref());
        let bars = found.and_then(|(decision, found)| dependence::chart(decision, found));
        blocks.extend(bars.map(|bars| Block::Chart(Box::new(Chart::Bars(bars)))));
        blocks
    });
    let title = match decided {
        [only] => only.title(),
        several => counted(several.len() as f64, "application"),
    };
    Report { title, question: "What should run this workload?", blocks: blocks.collect() }.write(ReportFormat::Html)
}

/// What the prediction of an option is based on: labels with their values, empty where nothing is known.
#[must_use]
pub fn evidence(option: &DecisionOption) -> Vec<(&'static str, String)> {
    let evidence = &option.candidate.evidence;
    let runs = if evidence.runs.is_empty() { "no measured runs".to_owned() } else { evidence.runs.clone() };
    let support = evidence.support.as_ref();
    vec![
        ("Option", option.candidate.title.clone()),
        ("Fitted to", runs),
        ("Measured", evidence.date.clone()),
        ("Predicted from", evidence.basis.clone()),
        ("Error factor", error_factor(option).unwrap_or_default()),
        ("Version of Spark", support.map(|of| format!("{} ({})", of.sentence, of.source)).unwrap_or_default()),
        ("Differences", evidence.distance.join("; ")),
    ]
}

/// "2.8 (90 %) for each query: the larger of two …; 1.9 for their sum, in which errors of different queries partly cancel out".
fn error_factor(option: &DecisionOption) -> Option<String> {
    let error = option.candidate.evidence.error.as_ref()?;
    let factor = |factor: f64| Unit::Ratio.format(predicted(factor));
    let of_query = factor(error.factor_90);
    let of_sum = option.candidate.deviation_of_ratio.map(|deviation| factor((Z_90 * deviation).exp()));
    Some(match of_sum.filter(|of_sum| *of_sum != of_query) {
        None => format!("{of_query} (90 %): {}", error.why),
        Some(of_sum) => format!(
            "{of_query} (90 %) for each query: {}; {of_sum} for their sum, in which errors of different queries partly cancel out",
            error.why
        ),
    })
}

/// "No measured data: Photon (…)."; `None` if all options have some.
#[must_use]
pub fn without_data(decision: &Decision) -> Option<String> {
    let without = decision.options.iter().filter(|option| option.candidate.time.is_none());
    let named = without.map(|option| {
        let why = option.candidate.blocked_by.as_deref().unwrap_or_default();
        let why = why.strip_prefix("no measured data: ").unwrap_or(why);
        format!("{} ({why})", option.candidate.title)
    });
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("No measured data: {}.", named.join("; ")))
}

/// Warnings about the evidence of each engine with a time: "RAPIDS 25.12 (L4): measured on …".
#[must_use]
pub fn warnings(decision: &Decision) -> Vec<String> {
    let mut of_engines: Vec<(&str, &str)> = Vec::new();
    for option in decision.options.iter().filter(|option| option.candidate.time.is_some()) {
        let engine = option.candidate.engine.as_str();
        for warning in option.candidate.evidence.warnings.iter().map(String::as_str) {
            if !of_engines.contains(&(engine, warning)) {
                of_engines.push((engine, warning));
            }
        }
    }
    let of_engines = of_engines.into_iter().map(|(engine, warning)| format!("{engine}: {warning}"));
    of_engines.chain(decision.dates_of_prices()).collect()
}

/// What would change the verdict, a sentence each; `prices`: its prices of a change.
#[must_use]
pub fn what_changes_it(decision: &Decision, prices: &[PriceChange]) -> Vec<String> {
    let mut changes = Vec::new();
    if let Some((limit, place)) = decision.limit_of_a_move() {
        changes.push(format!(
            "With a time limit of {} today’s time: move to {}.",
            Unit::Factor.format(limit),
            decision.options[place].candidate.title
        ));
    }
    let of_today = |change: &&PriceChange| change.of == PricedMachines::Today;
    // Of the options' machines, those whose price is nearest; of a choice they have two.
    let nearest = prices.iter().find(|change| !of_today(change)).map(|change| change.of);
    let others = prices.iter().filter(|change| Some(change.of) == nearest);
    changes.extend(prices.iter().filter(of_today).chain(others).map(|change| price_sentence(decision, change)));
    changes
}

/// "If the machines of RAPIDS 25.12 (L4), 2 × g6.2xlarge cost less than $1.6 per hour together, $0.8 each (price used: $1.96): …".
fn price_sentence(decision: &Decision, change: &PriceChange) -> String {
    let now = change.usd_per_hour / change.factor;
    let machines = match change.of {
        PricedMachines::Today => "today’s machines".to_owned(),
        PricedMachines::OfOption(place) => format!("the machines of {}", decision.options[place].candidate.title),
    };
    let each = if change.machines > 1.0 {
        format!(" together, {} each", price_limit(change.usd_per_hour / change.machines, now / change.machines))
    } else {
        String::new()
    };
    let than = if change.factor > 1.0 { "more" } else { "less" };
    let then = change.best.map_or("today’s engine", |best| decision.options[best].candidate.title.as_str());
    let only = if change.is_alone { "only " } else { "" };
    // Rounded away from the present price, so that the recommendation has changed there.
    format!(
        "If {machines} cost {than} than {} per hour{each} (price used: {}): {only}{then}.",
        price_limit(change.usd_per_hour, now),
        price_dollars(now)
    )
}

/// "If the data grows to 3.3 times its size: RAPIDS 25.12 (L4), 4 × g6.2xlarge."
#[must_use]
pub fn growth_sentence(decision: &Decision, change: &GrowthChange) -> String {
    let then = change.best.map_or("today’s engine", |best| decision.options[best].candidate.title.as_str());
    let growth = match Unit::Ratio.format(predicted(change.growth)) {
        two if two == "2" => "twice".to_owned(),
        times => format!("{times} times"),
    };
    format!("If the data grows to {growth} its size: {then}. All rows, bytes and CPU times are assumed to grow alike.")
}

/// Time against cost of every option, with its name; a line is the 90 % interval of its time, a dashed one joins the options of the
/// Pareto front. `None` without prices.
#[must_use]
pub fn chart(decision: &Decision) -> Option<LineChart> {
    let today_usd = decision.today_usd()?.value;
    let now = [decision.baseline.time.value(), today_usd];
    let mut intervals = Vec::new();
    let (mut best, mut others) = (Vec::new(), Vec::new());
    for (place, option) in decision.options.iter().enumerate() {
        let Some((time, usd)) = option.candidate.time.zip(option.usd) else { continue };
        let point = labelled(decision, Some(place), &option.candidate.title, [time.value(), usd.value]);
        if decision.recommends(Some(place)) {
            best.push(Labelled { token: Token::Text, ..point });
        } else {
            others.push(Labelled { token: Token::Gpu, ..point });
        }
        // At one cost: time and cost change together, so that options on the same machines would share one line.
        if let Some([low, high]) = time.interval() {
            intervals.extend([[low, usd.value], [high, usd.value], [f64::NAN; 2]]);
        }
    }
    if best.is_empty() && others.is_empty() {
        return None;
    }
    let of_today = labelled(decision, None, &decision.baseline.title, now);
    // Where there is no room for all names, the first ones stay; the others have the numbers of their rows.
    let points: Vec<Labelled> = best.iter().chain([&of_today]).chain(&others).cloned().collect();
    let places = points.iter().map(|point| [point.x, point.y]);
    let every: Vec<[f64; 2]> = places.chain(intervals.iter().copied()).collect();
    let marks = |name: &str, token: Token, marker: Marker, points: Vec<Labelled>| {
        let (places, names) = points.into_iter().map(|point| ([point.x, point.y], point.label)).unzip();
        Series::marks(name, token, Samples { marker, places, left_out: Vec::new(), names })
    };
    let mut series = vec![Series::line("90 % interval of the time", Token::TextWeak, intervals)];
    let front = front(decision, now);
    if front.len() > 1 {
        series.push(Series { dashed: true, ..Series::line("Pareto front", Token::Accent, front) });
    }
    series.push(marks("today", Token::Cpu, Marker::Diamond, vec![of_today]));
    if !best.is_empty() {
        series.push(marks("recommended", Token::Text, Marker::Diamond, best));
    }
    series.push(marks("other options", Token::Gpu, Marker::Down, others));
    let range = |at: usize| {
        let values = every.iter().map(|place| place[at]).filter(|value| *value > 0.0 && value.is_finite());
        let [low, high] =
            values.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], value| [value.min(low), value.max(high)]);
        [low / ROOM, high * ROOM]
    };
    Some(LineChart {
        title: "How long does each option take, and what does it cost?".to_owned(),
        subtitle: decision.baseline.title.clone(),
        answer: decision.sentence(),
        x: Axis { label: "time of a run".to_owned(), format: seconds, scale: Scale::Log, range: range(0) },
        y: Axis { label: "cost of a run, US dollars".to_owned(), format: dollars, scale: Scale::Log, range: range(1) },
        bands: Vec::new(),
        series,
        threshold: None,
        points,
        breakevens: Vec::new(),
        is_editable: false,
    })
}

/// The point of an option with its title and, where that has no room, the number of its row; `None`: of today.
fn labelled(decision: &Decision, place: Option<usize>, title: &str, [x, y]: [f64; 2]) -> Labelled {
    let short = options::row_number(decision, place).to_string();
    Labelled { label: title.to_owned(), short, x, y, token: Token::Cpu }
}

/// Times and costs of what is on the Pareto front, the fastest first; `now`: those of today.
fn front(decision: &Decision, now: [f64; 2]) -> Vec<[f64; 2]> {
    let efficient = decision.options.iter().filter(|option| option.is_efficient);
    let places = efficient.filter_map(|option| Some([option.candidate.time?.value(), option.usd?.value]));
    let today = (decision.is_today_efficient() == Some(true)).then_some(now);
    let mut front: Vec<[f64; 2]> = places.chain(today).collect();
    front.sort_by(|a, b| a[0].total_cmp(&b[0]));
    front
}

fn queries(queries: &[DecidedQuery]) -> Table {
    let row = |query: &DecidedQuery| {
        // Without a recommendation, the option that is most likely to meet the goal, and why it is not recommended.
        let place = query.decision.as_ref().and_then(|decision| decision.best.or_else(|| decision.likeliest_place()));
        let shown =
            query.decision.as_ref().zip(place).map(|(decision, place)| (decision, place, &decision.options[place]));
        let best = shown.map(|(.., option)| option);
        vec![
            query.id.clone(),
            shortened(&query.description, LONGEST),
            query.seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default(),
            best.and_then(|best| best.candidate.time.as_ref().map(time)).unwrap_or_default(),
            best.and_then(|best| best.usd.as_ref().map(cost)).unwrap_or_default(),
            best.and_then(|best| best.better.map(likely)).unwrap_or_default(),
            query.decision.as_ref().map_or("cannot be judged", |decision| decision.verdict.label()).to_owned(),
            match (shown, &query.decision) {
                (Some((decision, place, best)), _) if decision.best == Some(place) => {
                    decision.recommended_title(" or ").unwrap_or_else(|| best.candidate.title.clone())
                }
                (Some((decision, place, best)), _) => format!("{}: {}", best.candidate.title, decision.why(place)),
                (None, Some(_)) => "no option can meet the goal".to_owned(),
                (None, None) => query.blocked_by.clone().unwrap_or_default(),
            },
        ]
    };
    let table = Table {
        columns: vec![
            Column::text("query"),
            Column::text("description"),
            Column::number("today"),
            Column::number("with option"),
            Column::number("cost with option"),
            Column::number("likely to meet goal"),
            Column::text("verdict"),
            Column::text("option, and why not"),
        ],
        rows: queries.iter().take(QUERIES_SHOWN).map(row).collect(),
    };
    table.without_empty_columns()
}

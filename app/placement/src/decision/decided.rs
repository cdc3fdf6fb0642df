//! A decision with everything that the page draws of it, made once.

use std::cell::OnceCell;
use std::sync::Arc;

use crossover_chart::Chart;
use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_chart::screen;
use crossover_decision::{Decision, Objective, words};
use crossover_export::arguments::DecideArguments;
use crossover_export::costs::costs;
use crossover_export::decision::{
    EVEN_TASKS, NextStep, OptionsTable, WithoutAMove, chart, data_csv, dependence as of_dependence,
    evidence as evidence_of, warnings, what_changes_it, without_data,
};
use crossover_page::command::Command;
use crossover_page::compute::computed::Computed;
use crossover_page::headline::SteadyStrip;
use crossover_page::lazy_text::LazyText;
use crossover_page::widgets::chart_tabs::{self, DrawnParts};
use crossover_quantity::text::shortened;
use crossover_query::SparkSettings;
use egui::{CollapsingHeader, Label, Rect, RichText, TextStyle, TextWrapMode, Ui, UiBuilder, WidgetText, pos2, vec2};

use super::super::Mode;
use super::growing::Growing;
use super::headline::{self, Headline, Likelihood, Subject};
use super::learned_texts::LearnedTexts;
use super::next_steps::{self, NextTexts};
use super::objective::Unmet;
use super::trial_texts::TrialTexts;
use super::{dependence, missing, table};

/// Height of the chart with the costs below it, in points.
const CHART: f32 = 190.0;
/// Least height of the chart with the costs beside it, in points: the title of its axis fits.
const LEAST: f32 = 150.0;
/// Height of the heading and the first row of the table below the chart, in points.
const TABLE_BEGIN: f32 = 126.0;
/// Width from which the costs are beside the chart instead of below it, in points: 1280 with the inspector has it.
const BESIDE: f32 = 860.0;
/// Shares of that width which the chart may take.
const CHART_SHARES: [f32; 3] = [0.6, 0.5, 0.4];
/// Tabs of the charts in a small window.
const OPTIONS: &str = "Time and cost";
const DEPENDENCE: &str = "Dependence";
/// Runs of a month by which a sentence without them has its room.
const USUAL_RUNS: f64 = 10_000.0;
/// Most characters of a name in the title of an exported chart: names in files have any length.
const LONGEST_NAME: usize = 60;

/// A decision with its charts, tables and texts.
pub(super) struct Decided {
    pub(super) decision: Arc<Decision>,
    /// All of it in words.
    pub(super) sentence: String,
    /// What to do, in which time, and how likely that is better.
    pub(super) recommendation: String,
    /// What it costs and saves; empty if nothing is recommended.
    details: String,
    /// The same with runs per month, if none are entered: the details have the room of these.
    details_with_runs: Option<String>,
    /// Why no option can be judged; empty if one can be.
    pub(super) not_judged: Vec<String>,
    /// The strip about it for each subject, made when it is first shown: it decides anew at other prices and limits.
    strips: [OnceCell<SteadyStrip>; Subject::COUNT],
    /// That no option is likely to keep the limit.
    pub(super) unmet: Option<Unmet>,
    /// The same of the other options, a sentence each: the recommendation has the first one.
    pub(super) others_not_judged: Vec<String>,
    /// The trial of one of its options.
    pub(super) trial: Option<TrialTexts>,
    /// What was learned from it.
    pub(super) learned: Option<LearnedTexts>,
    /// What to change on today’s machines, whatever the decision.
    pub(super) without_a_move: Option<WithoutAMove>,
    /// What runs cost today and with each recommended option.
    costs: Vec<String>,
    /// Time against cost of every option.
    options: Option<LineChart>,
    /// The options, and why each is recommended or not.
    table: OptionsTable,
    /// That the log ran in another region than that of the prices; the step *Where* says it at the field of the region.
    other_region: Option<String>,
    /// About the dates of the prices, and about each engine.
    pub(super) warnings: Vec<String>,
    /// Options that nothing was measured of.
    without_data: Option<String>,
    /// What it depends on most.
    dependence: Option<BarChart>,
    /// What these bars are; empty without them.
    bars_in_words: String,
    /// Prices at which another option is recommended, a sentence each.
    changes: Vec<String>,
    next: Option<NextTexts>,
    /// Arguments of `crossover decide` that repeat it.
    arguments: DecideArguments,
    /// What the price of today's machines is based on, in words.
    price: String,
    /// What the time of each option is predicted from: its title first.
    evidence: Vec<Vec<(&'static str, String)>>,
}

impl Decided {
    /// Everything of a decision; `region_difference`: "the log ran in eu-west-1; prices are those of us-east-1", `settings`: those of the log, which a trial starts from.
    pub(super) fn new(decision: Decision, region_difference: Option<&str>, settings: &SparkSettings) -> Self {
        let found = decision.depends_on();
        let not_judged = decision.reasons_not_judged();
        let timed = decision.options.iter().filter(|option| option.candidate.time.is_some());
        let [recommendation, details] = decision.recommendation_and_details();
        Self {
            sentence: decision.sentence(),
            recommendation,
            details,
            details_with_runs: details_with_runs(&decision),
            others_not_judged: not_judged.iter().skip(1).map(|why| format!("Other options: {why}.")).collect(),
            not_judged,
            strips: std::array::from_fn(|_| OnceCell::new()),
            unmet: Unmet::of(&decision),
            trial: None,
            learned: None,
            without_a_move: None,
            costs: costs(&decision).into_iter().map(|(what, usd)| format!("{what}: {usd}")).collect(),
            options: chart(&decision),
            table: OptionsTable::new(&decision),
            other_region: region_difference.map(|difference| {
                missing::region(difference, Some(&decision.baseline), settings.region(), "under 2 Where")
            }),
            warnings: with_remedy(warnings(&decision), decision.dates_of_prices().as_deref()),
            without_data: without_data(&decision),
            bars_in_words: found
                .as_ref()
                .map(|found| of_dependence::bars_in_words(&decision, found))
                .unwrap_or_default(),
            dependence: found.and_then(|found| of_dependence::chart(&decision, &found)),
            changes: what_changes_it(&decision, &decision.prices_of_a_change()),
            next: NextStep::new(&decision, settings).map(NextTexts::new),
            arguments: DecideArguments::default(),
            price: price(&decision),
            evidence: timed.map(evidence_of).collect(),
            decision: Arc::new(decision),
        }
    }

    /// The command that compares the log of a trial has these arguments.
    pub(super) fn compare_with(&mut self, arguments: DecideArguments) {
        if let Some(next) = &mut self.next {
            next.compare_with(&arguments);
        }
        self.arguments = arguments;
    }

    /// Arguments of `crossover decide` that repeat it.
    pub(super) fn arguments(&self) -> &DecideArguments {
        &self.arguments
    }

    /// The strip about it.
    pub(super) fn strip(&self, subject: Subject) -> &SteadyStrip {
        self.strips[subject as usize].get_or_init(|| {
            let Self { decision, sentence, not_judged, .. } = self;
            let likelihood = &Likelihood::of(decision);
            headline::strip(&Headline { decision, sentence, likelihood, not_judged, subject })
        })
    }

    /// The title and the subtitle of each chart.
    pub(super) fn captions(&self) -> Vec<[&str; 2]> {
        let options = self.options.iter().map(LineChart::captions);
        options.chain(self.dependence.iter().map(|chart| [chart.title.as_str(), chart.subtitle.as_str()])).collect()
    }

    /// The charts.
    pub(super) fn charts(&self) -> Vec<Chart> {
        let options = self.options.iter().cloned().map(Chart::Lines);
        options.chain(self.dependence.iter().cloned().map(Chart::Bars)).collect()
    }

    /// The same with the name of the application or the query in their titles, as they are exported.
    pub(super) fn named_charts(&self, name: &str) -> Vec<Chart> {
        let name = shortened(name, LONGEST_NAME);
        let titled = |title: &str| if name.is_empty() { title.to_owned() } else { format!("{name}: {title}") };
        let options = self.options.iter();
        let options = options.map(|chart| LineChart { title: titled(&chart.title), ..chart.clone() });
        let dependence = self.dependence.iter();
        let dependence = dependence.map(|chart| BarChart { title: titled(&chart.title), ..chart.clone() });
        options.map(Chart::Lines).chain(dependence.map(Chart::Bars)).collect()
    }

    /// The numbers behind the charts as CSV.
    pub(super) fn data_csv(&self) -> LazyText {
        let decision = Arc::clone(&self.decision);
        LazyText::new(move || data_csv(&decision))
    }
}

/// The details of a decision as they are after runs per month are entered; `None` if they are.
fn details_with_runs(decision: &Decision) -> Option<String> {
    let Objective { runs_per_month: None, .. } = decision.objective else { return None };
    let objective = Objective { runs_per_month: Some(USUAL_RUNS), ..decision.objective };
    let [_, details] = Decision { objective, ..decision.clone() }.recommendation_and_details();
    Some(details)
}

/// Warnings, of which that about the dates of prices says where they are entered.
fn with_remedy(mut warnings: Vec<String>, dates: Option<&str>) -> Vec<String> {
    for warning in warnings.iter_mut().filter(|warning| Some(warning.as_str()) == dates) {
        warning.push_str(". Enter prices of one date under 2 Where.");
    }
    warnings
}

/// "Price of today’s machines: $3.91 per hour (…)."
fn price(decision: &Decision) -> String {
    match &decision.baseline.price {
        Some(price) => {
            let usd = words::price_dollars(price.usd_per_hour);
            format!("Price of today’s machines: {usd} per hour ({}).", price.origin())
        }
        None => "Today’s machines have no price: enter one under 2 Where.".to_owned(),
    }
}

/// What of a decision is above its table.
pub(super) struct AboveTable {
    charts: DrawnParts,
    sought: Option<Sought>,
}

/// What the page scrolls to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    /// The settings of a trial run.
    NextStep,
    /// What to change on today's machines.
    WithoutAMove,
}

/// Draws the chart of the options, and beside or below it what the recommendation costs and saves, with the ways to the operators and to
/// the next step: the recommendation and this chart are on the first screen.
pub(super) fn chart_and_costs(ui: &mut Ui, decided: &Decided, mode: &mut Option<Mode>) -> AboveTable {
    let parts = [(OPTIONS, decided.options.is_some()), (DEPENDENCE, decided.dependence.is_some())];
    let charts = chart_tabs::choose_of(ui, "answer", &parts);
    // The room of a small window is for the chart.
    if charts.are_all() {
        ui.add_space(4.0);
    }
    if !charts.are_all()
        && charts.has(DEPENDENCE)
        && let Some(chart) = &decided.dependence
    {
        dependence::show(ui, chart, &decided.bars_in_words);
    }
    let sought = match decided.options.as_ref().filter(|_| charts.has(OPTIONS)) {
        Some(chart) => {
            ui.strong(&chart.title);
            screen::legend(ui, chart);
            if ui.available_width() >= BESIDE {
                side_by_side(ui, decided, chart, mode)
            } else {
                screen::lines(ui, "options", chart, None, CHART);
                ui.add_space(6.0);
                texts_of_costs(ui, decided, mode)
            }
        }
        None => texts_of_costs(ui, decided, mode),
    };
    ui.add_space(6.0);
    AboveTable { charts, sought }
}

/// Draws the chart with the costs beside it, both as high as the costs: these are visible as a whole. The costs take more of the width if
/// that leaves room for the beginning of the table on the first screen. Returns what to scroll to.
fn side_by_side(ui: &mut Ui, decided: &Decided, chart: &LineChart, mode: &mut Option<Mode>) -> Option<Sought> {
    let area = ui.available_rect_before_wrap();
    let first_screen = ui.clip_rect().height() - (area.top() - ui.min_rect().top());
    let most = (first_screen - TABLE_BEGIN).max(LEAST);
    let gap = ui.spacing().item_spacing.x;
    let beside = |share: f32| area.width() - share * area.width() - gap;
    let fits = |share: &&f32| height_of_costs(ui, decided, beside(**share)) <= most;
    let share = CHART_SHARES.iter().find(fits).or(CHART_SHARES.last()).copied().unwrap_or(0.5);
    let width = beside(share);
    let left = area.right() - width;
    let place = Rect::from_min_size(pos2(left, area.top()), vec2(width, most));
    let mut column = ui.new_child(UiBuilder::new().id_salt("costs").max_rect(place));
    let sought = texts_of_costs(&mut column, decided, mode);
    let height = column.min_rect().height().max(CHART.min(most));
    let place = Rect::from_min_size(area.min, vec2(area.width() - width - gap, height));
    let mut place = ui.new_child(UiBuilder::new().id_salt("options").max_rect(place));
    screen::lines(&mut place, "options", chart, None, height);
    ui.advance_cursor_after_rect(Rect::from_min_size(area.min, vec2(area.width(), height)));
    sought
}

/// The height of [`texts_of_costs`] at a width.
fn height_of_costs(ui: &Ui, decided: &Decided, width: f32) -> f32 {
    let details = decided.details_with_runs.as_deref().unwrap_or(&decided.details);
    let texts = decided.costs.iter().map(String::as_str).chain(Some(details).filter(|details| !details.is_empty()));
    let height = |text: &str| {
        let galley = WidgetText::from(text).into_galley(ui, Some(TextWrapMode::Wrap), width, TextStyle::Body);
        galley.size().y + ui.spacing().item_spacing.y
    };
    ui.spacing().interact_size.y + texts.map(height).sum::<f32>()
}

/// Links to the operators, to the next step and to what saves without a move, and what the recommendation costs and saves; returns what to
/// scroll to.
fn texts_of_costs(ui: &mut Ui, decided: &Decided, mode: &mut Option<Mode>) -> Option<Sought> {
    let sought = ui.horizontal_wrapped(|ui| {
        // Their pages give no verdict.
        let operators = ui.link("Explore operators");
        let meaning = "Opens the plan of this query, operator by operator; its title names the model";
        if operators.on_hover_text(meaning).clicked() {
            *mode = Some(Mode::Plan);
        }
        let mut sought = None;
        let trial = "Scrolls to the settings of a trial run";
        if decided.next.is_some() && ui.link("Go to the next step").on_hover_text(trial).clicked() {
            sought = Some(Sought::NextStep);
        }
        if let Some(step) = &decided.without_a_move
            && ui.link("Save without a move").on_hover_text(step.line()).clicked()
        {
            sought = Some(Sought::WithoutAMove);
        }
        sought
    });
    for cost in &decided.costs {
        ui.add(Label::new(cost).wrap());
    }
    if !decided.details.is_empty() {
        with_room_of(ui, &decided.details, decided.details_with_runs.as_deref());
    }
    sought.inner
}

/// Draws a text with the room of another one, so that what is below stays in place when that one takes its place.
fn with_room_of(ui: &mut Ui, text: &str, other: Option<&str>) {
    ui.scope(|ui| {
        if let Some(other) = other {
            let other = WidgetText::from(other);
            let galley = other.into_galley(ui, Some(TextWrapMode::Wrap), ui.available_width(), TextStyle::Body);
            ui.set_min_height(galley.size().y);
        }
        ui.add(Label::new(text).wrap());
    });
}

/// Draws a decision from the table of its options to the next step; `tried`: the option whose settings are shown.
pub(super) fn show(
    ui: &mut Ui,
    decided: &Decided,
    above: &AboveTable,
    growing: &mut Computed<Growing>,
    tried: &mut usize,
    commands: &mut Vec<Command>,
) {
    ui.strong("Options");
    table::show(ui, &decided.table);
    missing::about_options(ui, decided.other_region.iter().chain(&decided.warnings), true);
    let even_tasks = decided.without_a_move.as_ref().map(|_| EVEN_TASKS);
    for without in decided.without_data.as_deref().into_iter().chain(even_tasks) {
        ui.add(Label::new(RichText::new(without).weak()).wrap());
    }
    if let Some(chart) = decided.dependence.as_ref().filter(|_| above.charts.are_all()) {
        dependence::show(ui, chart, &decided.bars_in_words);
    }
    changes(ui, &decided.changes, growing);
    if let Some(next) = &decided.next {
        next_steps::show(ui, next, tried, above.sought == Some(Sought::NextStep), commands);
    }
    if let Some(step) = &decided.without_a_move {
        next_steps::show_without_a_move(ui, &step.step, above.sought == Some(Sought::WithoutAMove));
    }
}

/// What would change the recommendation: a limit, a price, and the growth of the data.
fn changes(ui: &mut Ui, changes: &[String], growing: &mut Computed<Growing>) {
    // The growth of an earlier decision may name another option.
    let growth = growing.shown().filter(|_| !growing.is_stale());
    let growth: &[String] = growth.map_or(&[], |sentences| sentences.as_slice());
    if !changes.is_empty() || !growth.is_empty() {
        ui.add_space(8.0);
        ui.strong("What would change it");
        for sentence in changes.iter().chain(growth) {
            ui.add(Label::new(sentence).wrap());
        }
    }
    growing.state(ui);
}

/// What the prediction is based on, opened on request.
pub(super) fn evidence(ui: &mut Ui, decided: &Decided) {
    ui.add_space(8.0);
    CollapsingHeader::new("Evidence").show(ui, |ui| {
        ui.add(Label::new(&decided.price).wrap());
        for option in &decided.evidence {
            let [(_, title), others @ ..] = &option[..] else { continue };
            ui.add(Label::new(title).wrap());
            for (name, text) in others.iter().filter(|(_, text)| !text.is_empty()) {
                ui.add(Label::new(RichText::new(format!("    {name}: {text}")).weak()).wrap());
            }
        }
        ui.weak("docs/FIDELITY.md shows how accurate these predictions are.");
    });
}

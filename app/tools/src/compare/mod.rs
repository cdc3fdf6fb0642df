//! The Compare page: open scenarios of one kind side by side, the first of them the baseline.

mod curves;
mod others;
mod request;
mod tables;

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_export::compare::{Named, csv, curves_csv, markdown, numbers_that_differ};
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::Computed;
use crossover_page::lazy_text::LazyText;
use crossover_page::terminal::called;
use crossover_page::tool::{PageContext, ToolKind, ToolPage};
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::{drawer, empty, focus};
use crossover_scenario::views::{CompareView, OtherScenario};
use crossover_scenario::{Kind, Study};
use crossover_study::{number_at, numbers};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::compare::MOST;
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Range, Sweep, sweep};
use egui::{RichText, ScrollArea, Ui};

use super::curves::CurvesRequest;
use super::kept::{self, Kept};
use super::pick::{self, Number, Target, around};
use crossover_chart::theme::Token;
use others::{Others, named_now, show_left_out};
use request::{Along, CompareRequest, Found, Likelihood};

/// Compares scenarios of one kind.
pub const TOOL: Tool = Tool {
    title: "Compare",
    tooltip: "See what differs between scenarios, and which of them is better",
    help: "TOOLS.md#compare-scenarios",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(Page::default()) };

/// The question of the page.
const QUESTION: &str = "What differs, and which scenario is better?";
/// What answers it.
const ANSWER: &str =
    "Compare lists the numbers and figures that differ between scenarios, and marks the better figures.";
/// Names of the scenarios by their order.
const PLACES: [&str; MOST] = ["baseline", "second scenario", "third scenario", "fourth scenario"];

/// The page.
#[derive(Debug)]
pub struct Page {
    /// Ids of the chosen documents as the page was last drawn, the baseline first. The baseline keeps the others.
    picked: Vec<String>,
    kept: Kept<CompareView>,
    /// Filter of the list of numbers.
    filter: String,
    /// The number of the curves, once chosen; else the first that differs.
    along: Option<Range>,
    compared: Computed<CompareRequest>,
    curves: Computed<Along>,
    /// The charts on the screen, and the names of their scenarios.
    drawn: (Vec<LineChart>, Vec<String>),
}

impl Default for Page {
    fn default() -> Self {
        Self {
            picked: Vec::new(),
            kept: Kept::default(),
            filter: String::new(),
            along: None,
            compared: Computed::new(),
            curves: Computed::new(),
            drawn: (Vec::new(), Vec::new()),
        }
    }
}

/// Values of the number along which figures go.
const POINTS: usize = sweep::POINTS;

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.compared.shown().map(AsRef::as_ref) {
            Some(Ok(found)) => numbers_that_differ(&found.comparison),
            _ => "no comparison".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        let is_busy = self.compared.is_busy() || self.curves.is_busy();
        is_busy.then_some("the figures of a comparison")
    }

    fn target(&self) -> Option<&str> {
        self.picked.first().map(String::as_str)
    }

    fn set_target(&mut self, document: &str) {
        // A comparison is opened from each of its scenarios.
        if self.picked.iter().all(|id| id != document) {
            self.picked = vec![document.to_owned()];
        }
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.0.iter().cloned().map(Chart::Lines).collect()
    }

    fn data_csv(&self) -> Option<LazyText> {
        let Some(Ok(curves)) = self.curves.shown().map(AsRef::as_ref) else { return None };
        let (charts, names) = &self.drawn;
        let text = (!charts.is_empty()).then(|| curves_csv(names, &curves.swept))?;
        Some(LazyText::new(move || text.clone()))
    }

    fn ui(&mut self, ui: &mut Ui, around: &mut PageContext<'_>) {
        self.drawn = (Vec::new(), Vec::new());
        let targets: Vec<Target<'_>> = around.documents.iter().map(Target::new).collect();
        self.draw(ui, &targets, around.last, around.commands);
    }
}

impl Page {
    /// Draws the page; `last`: the document that was on screen last.
    fn draw(&mut self, ui: &mut Ui, targets: &[Target<'_>], last: Option<&str>, commands: &mut Vec<Command>) {
        // A document may have been closed.
        self.picked.retain(|id| targets.iter().any(|target| target.id == id));
        let mut first = self.picked.first().cloned();
        let Some(baseline) = Target::find(targets, &mut first, last) else {
            self.compared.forget();
            self.curves.forget();
            empty::no_scenario(ui, TOOL, [QUESTION, ANSWER, "Open two scenarios of one kind."], commands);
            return;
        };
        let of_document = baseline.scenario.views.compare.as_ref();
        if self.kept.is_new(baseline.id, of_document) {
            let x = of_document.and_then(|view| view.x.as_ref());
            self.along = x.map(|x| kept::range(x, &baseline.scenario.study));
        }
        let x_before = self.along.as_ref().map(kept::view_of);
        let alike: Vec<Target<'_>> =
            targets.iter().filter(|target| kind(target) == kind(baseline)).map(Target::clone).collect();
        let kept_with = of_document.map_or(&[][..], |view| &view.with);
        let Others { open, mut left_out } = Others::of(kept_with, &alike, baseline);
        let drawn: Vec<String> = std::iter::once(baseline.id.to_owned()).chain(open).collect();
        self.picked.clone_from(&drawn);
        let left_out_before = left_out.len();
        let chosen = chosen(&alike, &drawn);
        // Another scenario may lack the number, or it may have gone with an operator, and come back with it.
        let is_of_all = |x: &Range| chosen.iter().all(|one| pick::has_number(&one.scenario.study, &x.path));
        let gone_along = self.along.take_if(|x| !is_of_all(x));
        let along = self.along.clone().or_else(|| usual(&chosen));
        drawer::left(ui, "compare", ["Compare", "compared scenarios"], true, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.choose(ui, targets, &alike, &chosen);
                if chosen.len() > 1 {
                    self.choose_number(ui, baseline, along.as_ref(), commands);
                }
            });
        });
        egui::CentralPanel::default().show(ui, |ui| {
            ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                ui.heading(QUESTION);
                show_left_out(ui, &mut left_out, targets, baseline, commands);
                self.answer(ui, &alike, &chosen, along.as_ref(), commands);
            });
        });
        self.along = self.along.take().or(gone_along);
        let x = self.along.as_ref().map(kept::view_of);
        let references = |ids: &[String]| -> Vec<OtherScenario> {
            let find = |id: &String| targets.iter().find(|target| target.id == id);
            ids.iter().filter_map(find).map(|target| target.document.reference()).collect()
        };
        let is_same_baseline = self.picked.first() == drawn.first();
        let with: Vec<OtherScenario> =
            if is_same_baseline && (self.picked != drawn || left_out.len() != left_out_before) {
                references(&self.picked[1..]).into_iter().chain(left_out).collect()
            } else {
                named_now(kept_with, targets)
            };
        if x != x_before || with != kept_with {
            let view = CompareView { x, with };
            kept::keep(baseline, commands, |views| {
                views.compare = Some(view).filter(|view| *view != CompareView::default());
            });
        }
        // Another baseline of the same scenarios keeps them, too.
        if !is_same_baseline
            && let [first, others @ ..] = &*self.picked
            && !others.is_empty()
            && let Some(target) = targets.iter().find(|target| target.id == first)
        {
            let with = references(others);
            kept::keep(target, commands, |views| views.compare.get_or_insert_default().with = with);
        }
    }

    /// Along which number figures go.
    fn choose_number(
        &mut self,
        ui: &mut Ui,
        baseline: &Target<'_>,
        along: Option<&Range>,
        commands: &mut Vec<Command>,
    ) {
        let study = &baseline.scenario.study;
        ui.add_space(8.0);
        ui.heading("Number of the curves");
        if let Some(along) = along {
            pick::named(ui, study, &along.path);
            let mut range = along.clone();
            pick::range(ui, "compare", study, &mut range, commands);
            if range != *along {
                self.along = Some(range);
            }
        }
        let picked = pick::number(ui, study, &mut self.filter, along.map(|range| range.path.as_str()), None);
        if let Some(number) = picked {
            self.along = Some(range_of(number));
        }
    }

    /// Every figure along a number.
    fn along_a_number(
        &mut self,
        ui: &mut Ui,
        chosen: &[&Target<'_>],
        names: &[String],
        along: Option<&Range>,
        commands: &mut Vec<Command>,
    ) {
        ui.label(RichText::new("Along a number").heading());
        let Some(along) = along else {
            self.curves.forget();
            ui.label("Choose a number on the left to draw every figure along it, with a curve for each scenario.");
            return;
        };
        let is_same = |Along(request): &Along| {
            let both = request.studies.iter().zip(chosen);
            request.sweep.x == *along
                && request.studies.len() == chosen.len()
                && both.into_iter().all(|(request, now)| *request == now.scenario.study)
        };
        let ask = || {
            let sweep = Sweep { x: along.clone(), figures: Vec::new() };
            Along(CurvesRequest { studies: studies(chosen), sweep })
        };
        self.curves.refresh(ui.ctx(), is_same, ask);
        self.curves.state(ui);
        let Some(shown) = self.curves.shown().cloned() else { return };
        self.curves.dim(ui);
        match &*shown {
            // For a moment, there may be one scenario more or less.
            Ok(curves) if curves.swept.len() == names.len() => {
                self.drawn = (curves::show(ui, names, along, curves, commands), names.to_vec());
            }
            Ok(_) => {}
            Err(problem) => {
                ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
            }
        }
    }

    /// Which scenarios, the baseline first.
    fn choose(&mut self, ui: &mut Ui, all: &[Target<'_>], alike: &[Target<'_>], chosen: &[&Target<'_>]) {
        ui.heading("Scenarios");
        let ids: Vec<String> = chosen.iter().map(|target| target.id.to_owned()).collect();
        for (place, name) in PLACES.into_iter().enumerate() {
            if place > chosen.len() || place >= alike.len() {
                break;
            }
            ui.label(name);
            let now = chosen.get(place).copied();
            ui.horizontal(|ui| {
                if place > 0 && now.is_some() {
                    let button = ui.button("×").on_hover_text("Remove this scenario");
                    let remove = format!("remove the {name}");
                    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &remove));
                    if button.clicked() {
                        self.picked.clone_from(&ids);
                        self.picked.remove(place);
                    }
                }
                if let Some(id) = pick::scenario(ui, name, if place == 0 { all } else { alike }, now) {
                    self.picked = with_picked(&ids, place, id, all);
                }
            });
        }
        if alike.len() > chosen.len() || alike.len() < all.len() {
            ui.add_space(6.0);
            ui.label(RichText::new("Scenarios of one kind can be compared, up to four of them.").weak());
        }
    }

    /// The scenarios that the baseline can be compared with.
    fn choose_second(&mut self, ui: &mut Ui, alike: &[Target<'_>], baseline: &Target<'_>, commands: &mut Vec<Command>) {
        if alike.len() < 2 {
            let kind = called(kind(baseline));
            let text = "and no other one of this kind is open. Open one to compare them.";
            ui.label(ANSWER);
            ui.label(format!("“{}” is {kind}, {text}", baseline.title));
            empty::steps(ui, &[Command::Open, Command::ShowStart], commands);
            return;
        }
        ui.label(ANSWER);
        ui.label(format!("The baseline is “{}”. Choose a second scenario:", baseline.title));
        for other in alike.iter().filter(|other| other.id != baseline.id) {
            let button = egui::Button::new(format!("Compare with {}", other.title)).truncate();
            if ui.add(button).clicked() {
                self.picked = vec![baseline.id.to_owned(), other.id.to_owned()];
            }
        }
    }

    /// What differs, and which scenario is better.
    fn answer(
        &mut self,
        ui: &mut Ui,
        alike: &[Target<'_>],
        chosen: &[&Target<'_>],
        along: Option<&Range>,
        commands: &mut Vec<Command>,
    ) {
        if chosen.len() < 2 {
            self.compared.forget();
            self.curves.forget();
            if let Some(baseline) = chosen.first() {
                self.choose_second(ui, alike, baseline, commands);
            }
            return;
        }
        let is_same = |request: &CompareRequest| {
            let both = request.studies.iter().zip(chosen);
            request.studies.len() == chosen.len()
                && both.into_iter().all(|(request, now)| *request == now.scenario.study)
        };
        let ask = || CompareRequest { studies: studies(chosen) };
        self.compared.refresh(ui.ctx(), is_same, ask);
        self.compared.state(ui);
        let Some(shown) = self.compared.shown().cloned() else { return };
        self.compared.dim(ui);
        let found = match &*shown {
            Ok(found) => found,
            Err(problem) => {
                ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
                return;
            }
        };
        let Found { comparison, likelihood, decisions, .. } = found;
        // For a moment, the result may have one scenario more or less.
        if comparison.differs_otherwise.len() != chosen.len() {
            return;
        }
        let names = names(chosen);
        let paired = if let Likelihood::Sampled(paired) = likelihood { Some(paired) } else { None };
        let named = Named { names: &names, comparison, paired, decisions };
        ui.label(named.answer());
        if let Some(otherwise) = named.otherwise() {
            ui.label(otherwise);
        }
        for sentence in named.sentences() {
            ui.label(sentence);
        }
        ui.horizontal_wrapped(|ui| {
            if ui.button("Copy as Markdown").on_hover_text("Both tables, for a document").clicked() {
                copy(ui, commands, markdown(&named), "both tables as Markdown");
            }
            if ui.button("Copy as CSV").on_hover_text("Every number and figure, for a spreadsheet").clicked() {
                copy(ui, commands, csv(&named), "all numbers and figures as CSV");
            }
            let line = format!("crossover compare{}", " FILE".repeat(names.len()));
            ui.label(RichText::new(line).monospace().weak());
        });
        ui.add_space(8.0);
        tables::figures(ui, &named);
        match likelihood {
            Likelihood::Exact => {}
            Likelihood::Sampled(_) => {
                ui.weak(found.so_far(&names).unwrap_or_default());
            }
            Likelihood::NotSampled if found.is_refinable() => {
                ui.weak("90 % intervals follow once the first samples are drawn.");
            }
            Likelihood::NotSampled => {
                let line = format!("crossover compare{} --samples {LEAST_SAMPLES}", " FILE".repeat(names.len()));
                ui.weak(format!("Computing 90 % intervals of these figures takes longer; run {line}"));
            }
            Likelihood::Failed(problem) => {
                ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), problem);
            }
        }
        ui.add_space(12.0);
        self.along_a_number(ui, chosen, &names, along, commands);
        ui.add_space(12.0);
        tables::numbers(ui, &named);
    }
}

fn studies(chosen: &[&Target<'_>]) -> Vec<Study> {
    chosen.iter().map(|target| target.scenario.study.clone()).collect()
}

/// The first number that differs, and that all scenarios have; `None` where curves take long, until the user chooses a number.
fn usual(chosen: &[&Target<'_>]) -> Option<Range> {
    let (baseline, others) = chosen.split_first()?;
    let study = &baseline.scenario.study;
    if !chosen.iter().all(|one| is_of_formulas(one.scenario.study.subject())) {
        return None;
    }
    let differs = |(path, _, value): &(String, _, f64)| {
        let of_others = others.iter().map(|other| number_at(other.scenario.study.subject(), path)?.1);
        let of_others: Option<Vec<f64>> = of_others.collect();
        of_others.is_some_and(|values| values.iter().any(|other| other != value))
    };
    let numbers =
        numbers(study.subject()).into_iter().map(|(path, quantity, value)| (path.to_string(), quantity, value));
    let (path, quantity, value) = numbers.into_iter().find(differs)?;
    Some(range_of(Number { path, quantity, value }))
}

/// A range around the value of the baseline.
fn range_of(Number { path, quantity, value }: Number) -> Range {
    let (ends, is_logarithmic) = around(quantity, value);
    Range { path, ends, points: POINTS, is_logarithmic }
}

fn kind(target: &Target<'_>) -> Kind {
    target.scenario.study.kind()
}

/// The compared scenarios.
fn chosen<'t, 'a>(alike: &'t [Target<'a>], picked: &[String]) -> Vec<&'t Target<'a>> {
    picked.iter().filter_map(|id| alike.iter().find(|target| target.id == id)).take(MOST).collect()
}

/// The ids with another one at a position; an id that is elsewhere already swaps with it. A baseline of another kind is
/// alone.
fn with_picked(ids: &[String], place: usize, id: String, all: &[Target<'_>]) -> Vec<String> {
    let kind_of = |id: &String| all.iter().find(|target| target.id == id).map(kind);
    if ids.first().and_then(kind_of) != kind_of(&id) {
        return vec![id];
    }
    let mut ids = ids.to_vec();
    match (ids.iter().position(|other| *other == id), ids.len() > place) {
        (Some(elsewhere), true) => ids.swap(elsewhere, place),
        (Some(_), false) => {}
        (None, true) => ids[place] = id,
        (None, false) => ids.push(id),
    }
    ids
}

/// Names of the scenarios: their titles, of which no two are the same.
fn names(chosen: &[&Target<'_>]) -> Vec<String> {
    chosen.iter().map(|target| target.title.clone()).collect()
}

//! The Compare page: open scenarios of one kind side by side, the first of them the baseline.

mod answer;
mod curves;
mod others;
mod request;
mod tables;

use crossover_chart::Chart;
use crossover_chart::lines::LineChart;
use crossover_export::compare::{curves_csv, numbers_that_differ};
use crossover_page::application::AnswerApplication;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::Computed;
use crossover_page::lazy_text::LazyText;
use crossover_page::tool::{PageContext, ToolKind, ToolPage};
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::{drawer, empty, focus};
use crossover_scenario::views::{CompareView, OtherScenario};
use crossover_scenario::{Kind, Study};
use crossover_study::sources::set_numbers;
use crossover_study::{Watch, number_at, numbers};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::compare::MOST;
use crossover_tools::{Range, Sweep, Swept, sweep};
use egui::{RichText, ScrollArea, Ui};

use super::curves::CurvesRequest;
use super::kept::{self, Kept};
use super::pick::{self, Number, Target};
use super::sample;
use super::usual_range::around;
use others::{Others, named_now, show_left_out};
use request::CompareRequest;

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

/// The second scenario of the picture of the page without a scenario: its name, and the number in which it differs.
const SAMPLE: (&str, &str, f64) = ("16 × the GPU’s parallelism", "gpu.gpu_parallelism", 1024.0);

/// The picture of the page without a scenario.
fn picture() -> Option<Chart> {
    let baseline = sample::study()?;
    let (name, path, value) = SAMPLE;
    let mut second = baseline.clone();
    if !set_numbers(second.subject_mut(), &[(path.to_owned(), value)]) {
        return None;
    }
    let request = Sweep { x: sample::machines(&baseline)?, figures: vec![sample::FIGURE.to_owned()] };
    let swept = |study: &Study| Watch::uncancellable(|watch| sweep(study.subject(), &request, watch)).ok().flatten();
    let curves: Vec<Swept> = [&baseline, &second].into_iter().filter_map(swept).collect();
    let names = ["Published setting", name].map(str::to_owned);
    let chart = curves::chart(&names, &curves, &[], sample::FIGURE, request.x.is_logarithmic)?;
    Some(Chart::Lines(chart))
}

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
    curves: Computed<CurvesRequest>,
    /// The charts on the screen, and the names of their scenarios.
    drawn: (Vec<LineChart>, Vec<String>),
    /// The picture of the page without a scenario.
    sample: SamplePicture,
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
            sample: SamplePicture::new(picture),
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
        let is_busy = self.compared.is_busy() || self.curves.is_busy() || self.sample.is_busy();
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
        let text = (!charts.is_empty()).then(|| curves_csv(names, &curves.swept, &curves.known_bands()))?;
        Some(LazyText::new(move || text.clone()))
    }

    fn ui(&mut self, ui: &mut Ui, around: &mut PageContext<'_>) {
        self.drawn = (Vec::new(), Vec::new());
        let targets: Vec<Target<'_>> = around.documents.iter().map(Target::new).collect();
        self.draw(ui, &targets, around.last, around.cache.get::<AnswerApplication>().copied(), around.commands);
    }
}

impl Page {
    /// Draws the page; `last`: the document that was on screen last, `of_application`: what finds the answers about applications.
    fn draw(
        &mut self,
        ui: &mut Ui,
        targets: &[Target<'_>],
        last: Option<&str>,
        of_application: Option<AnswerApplication>,
        commands: &mut Vec<Command>,
    ) {
        // A document may have been closed.
        self.picked.retain(|id| targets.iter().any(|target| target.id == id));
        let mut first = self.picked.first().cloned();
        let Some(baseline) = Target::find(targets, &mut first, last) else {
            self.compared.forget();
            self.curves.forget();
            let texts = [QUESTION, ANSWER, "Open two scenarios of one kind."];
            empty::no_scenario(ui, TOOL, texts, &mut self.sample, commands);
            return;
        };
        self.sample.forget();
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
                self.answer(ui, &alike, &chosen, along.as_ref(), of_application, commands);
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
                if let Some(id) = pick::scenario_list(ui, name, if place == 0 { all } else { alike }, now) {
                    self.picked = with_picked(&ids, place, id, all);
                }
            });
        }
        if alike.len() > chosen.len() || alike.len() < all.len() {
            ui.add_space(6.0);
            ui.label(RichText::new("Scenarios of one kind can be compared, up to four of them.").weak());
        }
    }
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

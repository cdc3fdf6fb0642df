//! The Uncertainty page: 90 % intervals of the figures of an open scenario, and the numbers that they depend on most.

pub(super) mod charts;
mod picture;
mod refining;
mod spreads;

use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_chart::theme::Token;
use crossover_chart::{Chart, screen};
use crossover_export as export;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::export_menu;
use crossover_page::lazy_text::LazyText;
use crossover_page::tool::{PageContext, ToolKind, ToolPage};
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::form::{self, quantity};
use crossover_page::widgets::{chart_tabs, drawer, empty, focus, text_table};
use crossover_quantity::quantity::Quantity;
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::Unit;
use crossover_scenario::Study;
use crossover_scenario::views::UncertaintyView;
use crossover_tools as tools;
use crossover_tools::{Sampling, Sensitivity, Uncertain, UncertaintyError, Unknowns};
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use super::kept::{self, Kept};
use super::pick::{self, Target};
use refining::{Refining, Round, SENSITIVE_SAMPLES};

/// Samples the uncertain numbers of a scenario.
pub const TOOL: Tool = Tool {
    title: "Uncertainty and sensitivity",
    tooltip: "90 % intervals of figures, and the influence of each number on them, with a tornado chart",
    help: "TOOLS.md#quantify-uncertainty",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(Page::default()) };

/// Assumed uncertainty of every number where none has a distribution, ± share of its value.
const DEFAULT_SPREAD: f64 = 0.1;
/// That share as a field of the form.
const SPREAD_ALL: Quantity = Quantity::new("spread_all", "", "all others within ±", "chosen here")
    .unit(Unit::Share, 0.0, 0.9)
    .meaning("Uncertainty of every number without a distribution, as a share of its value. Numbers that you decide, such as weights, stay exact. 0: all stay exact.");
/// Height of charts, in points.
const HEIGHT: f32 = 230.0;

/// The page.
#[derive(Debug)]
pub struct Page {
    /// The document that it is about, by its id.
    picked: Option<String>,
    kept: Kept<UncertaintyView>,
    /// Uncertainty of numbers without a distribution; `None`: the default of the scenario.
    spread_all: Option<f64>,
    /// Key of the drawn figure; `None`: the first.
    figure: Option<String>,
    numbers: spreads::State,
    sampled: Computed<UncertaintyRequest>,
    /// The charts on the screen.
    drawn: Vec<Chart>,
    /// The picture of the page without a scenario.
    sample: SamplePicture,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            picked: None,
            kept: Kept::default(),
            spread_all: None,
            figure: None,
            numbers: spreads::State::default(),
            sampled: Computed::new(),
            drawn: Vec::new(),
            sample: SamplePicture::new(picture::picture),
        }
    }
}

/// The parts of the page with a chart each.
const DISTRIBUTION: &str = "Distribution";
const SENSITIVITY: &str = "Sensitivity";
const TORNADO: &str = "Tornado";

/// What figures depend on.
#[derive(Debug, Clone)]
struct UncertaintyRequest {
    study: Study,
    spread_all: f64,
}

/// The result of sampling.
type Found = Result<Sampled, String>;

/// Samples of the figures, and the decision, which is not sampled.
#[derive(Debug)]
struct Sampled {
    /// What was requested.
    of: UncertaintyRequest,
    refining: Refining,
    uncertain: Uncertain,
    sensitivity: Option<Sensitivity>,
    /// What should run the query in whole engines, and what samples vary; empty without engines and a query.
    decision: Vec<String>,
}

impl UncertaintyRequest {
    fn is_same(&self, other: &Self) -> bool {
        self.spread_all == other.spread_all && self.study == other.study
    }

    fn sampling(&self) -> Sampling {
        let spread_all = (self.spread_all > 0.0).then_some(self.spread_all);
        Sampling { spread_all, ..Sampling::default() }
    }

    /// The uncertain numbers.
    fn unknowns(&self) -> Unknowns {
        match self.spread_all {
            spread_all if spread_all > 0.0 => Unknowns::with_spread_all(self.study.subject(), spread_all),
            _ => Unknowns::of(self.study.subject()),
        }
    }
}

impl Work for UncertaintyRequest {
    type Outcome = Found;
    const NAME: &'static str = "uncertainty";
    const AGAIN: &'static str = "Sample";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        "Sampling the uncertain numbers".to_owned()
    }

    fn compute(&self, before: Option<&Found>, ticket: &Ticket) -> Option<Found> {
        let before = before.and_then(|found| found.as_ref().ok());
        let before = before.filter(|before| before.of.is_same(self) && before.refining.is_refinable());
        let mut refining = match before {
            Some(before) => before.refining.clone(),
            None => Refining::new(&self.study, &self.unknowns()),
        };
        let Round { intervals, sensitivities } = match refining.round(&self.study, &self.sampling(), ticket)? {
            Ok(round) => round,
            // What is there stays.
            Err(_) if before.is_some() => {
                refining.stop();
                Round::default()
            }
            Err(error) => return Some(Err(error.to_string())),
        };
        // A round without samples of one of them keeps those of the round before.
        let Some(uncertain) = intervals.or_else(|| before.map(|before| before.uncertain.clone())) else {
            return Some(Err(UncertaintyError::Nothing.to_string()));
        };
        let sensitivity = sensitivities.or_else(|| before.and_then(|before| before.sensitivity.clone()));
        let decision = export::decided::beside_samples(&self.study);
        Some(Ok(Sampled { of: self.clone(), refining, uncertain, sensitivity, decision }))
    }

    fn is_refinable(&self, outcome: &Found) -> bool {
        outcome.as_ref().is_ok_and(|found| found.refining.is_refinable())
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.sampled.shown().map(AsRef::as_ref) {
            Some(Ok(Sampled { uncertain, .. })) => counted(uncertain.unknowns.numbers.len() as f64, "uncertain number"),
            Some(Err(_)) | None => "no samples".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        (self.sampled.is_busy() || self.sample.is_busy()).then_some("samples of figures")
    }

    fn target(&self) -> Option<&str> {
        self.picked.as_deref()
    }

    fn set_target(&mut self, document: &str) {
        self.picked = Some(document.to_owned());
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.clone()
    }

    fn data_csv(&self) -> Option<LazyText> {
        let Some(Ok(Sampled { uncertain, .. })) = self.sampled.shown().map(AsRef::as_ref) else { return None };
        let text = export::uncertainty::csv(uncertain);
        (!self.drawn.is_empty()).then(|| LazyText::new(move || text.clone()))
    }

    fn ui(&mut self, ui: &mut Ui, around: &mut PageContext<'_>) {
        self.drawn.clear();
        let targets: Vec<Target<'_>> = around.documents.iter().map(Target::new).collect();
        let Some(target) = Target::find(&targets, &mut self.picked, around.last) else {
            self.sampled.forget();
            let answer =
                "Uncertainty samples the uncertain numbers of a scenario, and draws the distribution of each figure.";
            let missing = "Open a scenario to sample its numbers.";
            let texts = ["How certain are the figures?", answer, missing];
            empty::no_scenario(ui, TOOL, texts, &mut self.sample, around.commands);
            return;
        };
        self.sample.forget();
        let study = &target.scenario.study;
        let of_document = target.scenario.views.uncertainty.as_ref();
        if self.kept.is_of_another(target.id) {
            self.sampled.forget();
        }
        if self.kept.is_new(target.id, of_document) {
            let share = of_document.and_then(|view| view.spread_all);
            self.spread_all = share.map(|share| share.clamp(SPREAD_ALL.min, SPREAD_ALL.max));
            self.figure = of_document.and_then(|view| view.figure.clone());
        }
        let before = self.view();
        let spread_all = self
            .spread_all
            .unwrap_or_else(|| if Unknowns::of(study.subject()).is_empty() { DEFAULT_SPREAD } else { 0.0 });
        if let Some(id) = pick::scenario(ui, &targets, target, around.commands) {
            self.picked = Some(id);
        }
        drawer::left(ui, "uncertainty", [TOOL.title, "uncertain numbers"], true, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                // Room for the scroll bar.
                ui.set_max_width(ui.available_width() - 12.0);
                self.choose(ui, target, spread_all, around.commands);
            });
        });
        CentralPanel::default().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, study, spread_all, around.commands);
            });
        });
        let now = self.view();
        if now != before {
            kept::keep(target, around.commands, |views| views.uncertainty = Some(now));
        }
    }
}

impl Page {
    /// What the document keeps.
    fn view(&self) -> UncertaintyView {
        UncertaintyView { spread_all: self.spread_all, figure: self.figure.clone() }
    }

    /// The uncertainty of the numbers.
    fn choose(&mut self, ui: &mut Ui, target: &Target<'_>, spread_all: f64, commands: &mut Vec<Command>) {
        ui.heading("Uncertain numbers");
        form::grid(ui, "spread_all", |ui| {
            let mut share = spread_all;
            match quantity::row(ui, &SPREAD_ALL, "all others within", &mut share, None) {
                Some(quantity::Edit::Changed) => self.spread_all = Some(share),
                Some(quantity::Edit::Reset) => self.spread_all = None,
                Some(quantity::Edit::Refused(text)) => commands.push(Command::Notify(text)),
                None => {}
            }
        });
        spreads::show(ui, &mut self.numbers, target, commands);
    }

    /// Distributions and effects.
    fn answer(&mut self, ui: &mut Ui, study: &Study, spread_all: f64, commands: &mut Vec<Command>) {
        let is_same = |request: &UncertaintyRequest| request.spread_all == spread_all && request.study == *study;
        self.sampled.refresh(ui.ctx(), is_same, || UncertaintyRequest { study: study.clone(), spread_all });
        let Some(shown) = self.sampled.outcome(ui) else { return };
        let Ok(found) = &*shown else { return };
        let Sampled { refining, uncertain: sampled, sensitivity: sensitive, decision, .. } = found;
        if spread_all > 0.0 && self.spread_all.is_none() {
            let share = Unit::Share.format(spread_all);
            let text = "No number of this scenario has a distribution, so each is assumed to be within";
            ui.label(RichText::new(format!("{text} ± {share}. Enter distributions on the left.")).weak());
        }
        for sentence in decision {
            ui.label(sentence);
        }
        let is_decided = !decision.is_empty();
        if let Some(not_allowed) = &sampled.not_allowed {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), not_allowed.to_string());
        }
        let place = self.figure.as_ref().and_then(|key| sampled.figures.iter().position(|of| of.selected.key == *key));
        let place = place.unwrap_or(0);
        ui.horizontal_wrapped(|ui| {
            for (index, figure) in sampled.figures.iter().enumerate() {
                let button = ui.selectable_label(index == place, &figure.selected.label);
                if button.on_hover_text(figure.selected.figure.meaning).clicked() {
                    self.figure = Some(figure.selected.key.clone());
                }
            }
        });
        let distribution = sampled.figures.get(place).and_then(|figure| charts::distribution(figure, is_decided));
        let of_figure = sensitive.as_ref().and_then(|found| Some((found, found.figures.get(place)?)));
        let of_samples = of_figure.filter(|(found, _)| found.samples > 0);
        let effects = of_samples.map(|(found, figure)| charts::effects(found, figure));
        let tornado = of_figure.and_then(|(found, figure)| charts::tornado(found, figure));
        let is_drawn = |chart: &&BarChart| !chart.rows.is_empty();
        let bars: Vec<&BarChart> = effects.iter().chain(&tornado).filter(is_drawn).collect();
        let captions = bars.iter().map(|chart| [chart.title.as_str(), chart.subtitle.as_str()]);
        export_menu::of_tool(ui, commands, distribution.iter().map(LineChart::captions).chain(captions));
        let charts = distribution.iter().cloned().map(Chart::Lines);
        self.drawn = charts.chain(bars.into_iter().cloned().map(Chart::Bars)).collect();
        let parts =
            [(DISTRIBUTION, distribution.is_some()), (SENSITIVITY, effects.is_some()), (TORNADO, tornado.is_some())];
        let drawn = chart_tabs::choose_of(ui, "uncertainty", &parts);
        if let Some(chart) = distribution.as_ref().filter(|_| drawn.has(DISTRIBUTION)) {
            ui.heading(&chart.title);
            ui.label(&chart.answer);
            _ = screen::lines(ui, ("uncertainty", place), chart, None, HEIGHT);
        }
        if let Some(figure) = sampled.figures.get(place) {
            ui.weak(state_of_samples(refining, sampled, figure));
        }
        if of_samples.is_none() && !refining.is_refinable() {
            ui.add_space(8.0);
            ui.heading("What do the figures depend on most?");
            ui.label("This scenario is large, so computing sensitivities takes longer. Run:");
            ui.monospace("crossover sensitivity FILE --time 1min");
        }
        if let Some(chart) = effects.as_ref().filter(|_| drawn.has(SENSITIVITY)) {
            ui.add_space(8.0);
            ui.heading(&chart.title);
            ui.label(&chart.answer);
            if !chart.rows.is_empty() {
                ui.label(RichText::new(&chart.subtitle).weak());
                screen::bars(ui, chart);
            }
            let samples = sensitive.as_ref().map_or(0, |found| found.samples);
            ui.weak(format!("{} of the sensitivities", samples_of(samples, SENSITIVE_SAMPLES)));
        }
        if let Some(chart) = tornado.as_ref().filter(|_| drawn.has(TORNADO)) {
            ui.add_space(8.0);
            ui.heading(&chart.title);
            ui.label(&chart.answer);
            ui.label(RichText::new(&chart.subtitle).weak());
            screen::bars(ui, chart);
            if let Some((found, _)) = of_figure.filter(|_| of_samples.is_none()) {
                ui.weak(export::sensitivity::moved_so_far(found));
            }
        }
        let decisions = export::uncertainty::decisions(sampled);
        if !decisions.is_empty() {
            ui.add_space(8.0);
            ui.heading("Which decisions are certain?");
            ui.label(decisions);
        }
        ui.add_space(8.0);
        ui.heading("Figures");
        text_table::show(ui, "figures", &export::uncertainty::figures(sampled, is_decided), &[]);
        command_line(ui, spread_all, sampled.samples);
    }
}

/// "256 of 4,096 samples; each end of the interval ± 0.02": how far sampling is, and its error so far.
fn state_of_samples(refining: &Refining, sampled: &Uncertain, figure: &tools::uncertainty::Distributed) -> String {
    let samples = samples_of(sampled.samples, refining.all());
    match export::uncertainty::error_of_ends(figure) {
        Some(error) => format!("{samples}; each end of the interval {error}"),
        None => samples,
    }
}

/// "256 of 4,096 samples", or "4,096 samples" of as many.
fn samples_of(samples: usize, all: usize) -> String {
    let [samples, all] = [samples, all].map(|count| count as f64);
    if samples >= all { counted(samples, "sample") } else { counted_of(samples, all, "sample") }
}

/// The same on the command line.
fn command_line(ui: &mut Ui, spread_all: f64, samples: usize) {
    let samples = if samples == tools::uncertainty::SAMPLES { String::new() } else { format!(" --samples {samples}") };
    let spread_all = if spread_all > 0.0 { format!(" --spread-all {}%", spread_all * 100.0) } else { String::new() };
    let line = format!("crossover uncertainty FILE{spread_all}{samples}");
    ui.add_space(6.0);
    ui.add(egui::Label::new(RichText::new(&line).monospace().weak()).truncate().show_tooltip_when_elided(false))
        .on_hover_text(line);
}

//! The Sweep page: figures of an open scenario along one of its numbers, its own value marked.

mod chart;

use std::collections::BTreeSet;

use crossover_export::sweep::sweep_csv;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::Computed;
use crossover_page::export_menu;
use crossover_page::lazy_text::LazyText;
use crossover_page::tool::{PageContext, ShownTool, ToolKind, ToolPage};
use crossover_page::widgets::chart_tabs::{self, ChartTab};
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::form::switch;
use crossover_page::widgets::{drawer, empty, focus};
use crossover_quantity::text::counted;
use crossover_scenario::views::SweepView;
use crossover_scenario::{Study, Views};
use crossover_study::Watch;
use crossover_tools::selected::EVERY;
use crossover_tools::sweep::FigureCurve;
use crossover_tools::titles::{title, title_at};
use crossover_tools::{Range, Sweep, sweep};
use egui::{RichText, ScrollArea, Ui};

use super::curves::{Curves, CurvesRequest};
use super::influence::{Influence, Ranking};
use super::kept::{self, Kept, LastWindow};
use super::pick::{self, Number, Target};
use super::sample;
use super::usual_range::around;

use crossover_chart::lines::LineChart;
use crossover_chart::theme::Token;
use crossover_chart::{Chart, screen};

/// Draws figures of a study along one of its numbers.
pub const TOOL: Tool = Tool {
    title: "Sweep",
    tooltip: "Draw results (figures) of a scenario along one of its inputs (numbers)",
    help: "TOOLS.md#sweep-one-number",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(Page::default()) };

/// The question of the page.
const QUESTION: &str = "How do the figures change with a number?";
/// What answers it.
const ANSWER: &str = "Sweep draws every figure of a scenario along one of its numbers, with the present value marked.";
/// Points of each curve.
const POINTS: usize = 201;
/// Height of a chart above or below others, in points.
const HEIGHT: f32 = 190.0;

/// The page.
#[derive(Debug)]
pub struct Page {
    /// The document that it is about, by its id.
    picked: Option<String>,
    /// Filter of the list of numbers.
    filter: String,
    kept: Kept<SweepView>,
    last_window: LastWindow,
    influence: Influence,
    /// The sweep: of the chosen number, else of that which the study depends on most, once it is known.
    requested: Option<Sweep>,
    /// The title of its number.
    title: String,
    /// Figures that are not shown.
    hidden: BTreeSet<String>,
    swept: Computed<CurvesRequest>,
    /// The charts on the screen.
    drawn: Vec<LineChart>,
    /// The picture of the page without a scenario.
    sample: SamplePicture,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            picked: None,
            filter: String::new(),
            kept: Kept::default(),
            last_window: LastWindow::default(),
            influence: Influence::default(),
            requested: None,
            title: String::new(),
            hidden: BTreeSet::new(),
            swept: Computed::new(),
            drawn: Vec::new(),
            sample: SamplePicture::new(picture),
        }
    }
}

/// The picture of the page without a scenario.
pub(crate) fn picture() -> Option<Chart> {
    let study = sample::study()?;
    let request = Sweep { x: sample::machines(&study)?, figures: vec![sample::FIGURE.to_owned()] };
    let swept = Watch::uncancellable(|watch| sweep(study.subject(), &request, watch)).ok()??;
    let curve = swept.curves.first()?;
    Some(Chart::Lines(chart::chart(&swept, curve, None, request.x.is_logarithmic)))
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        let found = self.swept.shown().and_then(|shown| (**shown).as_ref().ok()).and_then(Curves::first);
        match (&self.requested, found) {
            (Some(_), Some((swept, _))) => {
                format!("{} along {}", title(swept.quantity, &swept.path), counted(swept.values.len() as f64, "value"))
            }
            (Some(_), _) => self.title.clone(),
            (None, _) => "no number chosen".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        (self.swept.is_busy() || self.influence.is_busy() || self.sample.is_busy()).then_some("the figures of a sweep")
    }

    fn target(&self) -> Option<&str> {
        self.picked.as_deref()
    }

    fn set_target(&mut self, document: &str) {
        self.picked = Some(document.to_owned());
    }

    fn shown(&self) -> Option<ShownTool> {
        if let Some(pending) = self.last_window.pending() {
            return Some(pending.clone());
        }
        Some(ShownTool { views: Views { sweep: Some(self.view()?), ..Views::default() }, points: 0 })
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.iter().cloned().map(Chart::Lines).collect()
    }

    fn data_csv(&self) -> Option<LazyText> {
        let curves = self.swept.shown().and_then(|shown| (**shown).as_ref().ok())?;
        let (swept, bands) = curves.first()?;
        let text = sweep_csv(swept, bands.ok().flatten());
        (!self.drawn.is_empty()).then(|| LazyText::new(move || text.clone()))
    }

    fn begin_with(&mut self, shown: ShownTool) {
        self.last_window = LastWindow::of(self.picked.as_deref(), shown);
    }

    fn ui(&mut self, ui: &mut Ui, around: &mut PageContext<'_>) {
        let targets: Vec<Target<'_>> = around.documents.iter().map(Target::new).collect();
        self.draw(ui, &targets, around.last, around.commands);
    }
}

impl Page {
    /// Draws the page; `last`: the document that was on screen last.
    fn draw(&mut self, ui: &mut Ui, targets: &[Target<'_>], last: Option<&str>, commands: &mut Vec<Command>) {
        self.drawn.clear();
        let Some(target) = Target::find(targets, &mut self.picked, last) else {
            self.swept.forget();
            let texts = [QUESTION, ANSWER, "Open a scenario to sweep its numbers."];
            empty::no_scenario(ui, TOOL, texts, &mut self.sample, commands);
            return;
        };
        self.sample.forget();
        let study = &target.scenario.study;
        let of_document = target.scenario.views.sweep.as_ref();
        if self.kept.is_of_another(target.id) {
            self.swept.forget();
        }
        if self.kept.is_new(target.id, of_document) {
            let before = self.last_window.take(target.id);
            self.read(of_document.or(before.views.sweep.as_ref()), study);
        }
        self.influence.refresh(ui.ctx(), study);
        let ranking = self.influence.ranking();
        let ranking = ranking.as_deref();
        if self.requested.is_none() {
            let x = ranking.and_then(Ranking::first).and_then(|path| pick::range_at(study, path, POINTS));
            self.requested = x.map(|x| Sweep { x, figures: Vec::new() });
        }
        let titled = self.requested.as_ref().map(|sweep| title_at(study.subject(), &sweep.x.path));
        self.title = titled.unwrap_or_default();
        let before = self.view();
        // The number may have gone with an operator, and come back with it.
        let gone = self.requested.take_if(|sweep| !pick::has_number(study, &sweep.x.path));
        if let Some(id) = pick::scenario(ui, targets, target, commands) {
            self.picked = Some(id);
        }
        drawer::left(ui, "sweep", ["Sweep", "sweep settings"], true, |ui| {
            self.choose(ui, target, ranking, commands);
        });
        egui::CentralPanel::default().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, target, ranking, gone.as_ref(), commands);
            });
        });
        self.requested = self.requested.take().or(gone);
        let now = self.view();
        if now != before {
            kept::keep(target, commands, |views| views.sweep = now);
        }
    }

    /// Begins with what the document keeps.
    fn read(&mut self, view: Option<&SweepView>, study: &Study) {
        self.requested = view.map(|view| Sweep {
            x: kept::range(&view.x, study),
            figures: if view.parts { vec![EVERY.to_owned()] } else { Vec::new() },
        });
        self.hidden = view.map(|view| view.hidden.iter().cloned().collect()).unwrap_or_default();
    }

    /// What the document keeps.
    fn view(&self) -> Option<SweepView> {
        let Sweep { x, figures } = self.requested.as_ref()?;
        let hidden = self.hidden.iter().cloned().collect();
        Some(SweepView { x: kept::view_of(x), parts: !figures.is_empty(), hidden })
    }

    /// Number, range and figures.
    fn choose(&mut self, ui: &mut Ui, target: &Target<'_>, ranking: Option<&Ranking>, commands: &mut Vec<Command>) {
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            focus::follow(ui);
            self.range(ui, &target.scenario.study, commands);
            self.figures(ui);
            ui.heading("Number");
            let now = self.requested.as_ref().map(|sweep| sweep.x.path.clone());
            let picked = pick::number(ui, &target.scenario.study, &mut self.filter, now.as_deref(), ranking);
            if let Some(Number { path, quantity, value }) = picked {
                let (ends, is_logarithmic) = around(quantity, value);
                let x = Range { path, ends, points: POINTS, is_logarithmic };
                self.requested = Some(Sweep { x, figures: Vec::new() });
            }
        });
    }

    /// The range.
    fn range(&mut self, ui: &mut Ui, study: &Study, commands: &mut Vec<Command>) {
        let Some(sweep) = &mut self.requested else { return };
        ui.heading("Range");
        pick::named(ui, study, &sweep.x.path);
        pick::range(ui, "sweep", study, &mut sweep.x, commands);
        ui.add_space(8.0);
    }

    /// Which of the figures are shown.
    fn figures(&mut self, ui: &mut Ui) {
        let (Some(sweep), Some(shown)) = (&mut self.requested, self.swept.shown()) else { return };
        let Some((swept, _)) = (**shown).as_ref().ok().and_then(Curves::first) else { return };
        ui.heading("Figures");
        for curve in &swept.curves {
            let is_shown = !self.hidden.contains(&curve.key);
            if let Some(is_on) = switch(ui, &curve.label, curve.figure.meaning, &curve.key, is_shown) {
                if is_on {
                    self.hidden.remove(&curve.key)
                } else {
                    self.hidden.insert(curve.key.clone())
                };
            }
        }
        let mut of_parts = !sweep.figures.is_empty();
        if ui
            .checkbox(&mut of_parts, "Figures of parts")
            .on_hover_text("Figures of operators, clusters and other parts")
            .changed()
        {
            sweep.figures = if of_parts { vec![EVERY.to_owned()] } else { Vec::new() };
        }
        ui.add_space(8.0);
    }

    /// The curves; `gone`: the sweep of a number that the scenario lacks.
    fn answer(
        &mut self,
        ui: &mut Ui,
        target: &Target<'_>,
        ranking: Option<&Ranking>,
        gone: Option<&Sweep>,
        commands: &mut Vec<Command>,
    ) {
        let Some(sweep) = self.requested.clone() else {
            self.swept.forget();
            ui.heading(QUESTION);
            ui.label(ANSWER);
            if let Some(gone) = gone {
                ui.label(kept::lacks(&gone.x.path));
            }
            ui.label("Choose a number on the left.");
            match pick::first_number(&target.scenario.study, ranking) {
                Some(Number { path, quantity, value }) => {
                    if ui.button(format!("Sweep {}", title(quantity, &path))).clicked() {
                        let (ends, is_logarithmic) = around(quantity, value);
                        let x = Range { path, ends, points: POINTS, is_logarithmic };
                        self.requested = Some(Sweep { x, figures: Vec::new() });
                    }
                }
                None if self.influence.is_busy() => {
                    ui.label("Finding the number that the figures depend on most.");
                }
                None => {
                    ui.label("No number was found that changes a figure here.");
                    empty::steps(ui, &[Command::Open, Command::ShowStart], commands);
                }
            }
            return;
        };
        let study = &target.scenario.study;
        let is_same = |request: &CurvesRequest| request.is_of([study], &sweep);
        let ask = || CurvesRequest { studies: vec![study.clone()], sweep: sweep.clone() };
        self.swept.refresh(ui.ctx(), is_same, ask);
        let Some(shown) = self.swept.outcome(ui) else { return };
        let Ok(curves) = &*shown else { return };
        let Some((swept, bands)) = curves.first() else { return };
        let no_bands = bands.err();
        let (bands, about_bands, lacks_bands) = (bands.ok().flatten(), curves.about_bands(), curves.lacks_bands());
        let curves: Vec<&FigureCurve> = swept.curves.iter().filter(|curve| !self.hidden.contains(&curve.key)).collect();
        let charts: Vec<LineChart> =
            curves.iter().map(|curve| chart::chart(swept, curve, bands, sweep.x.is_logarithmic)).collect();
        ui.horizontal_wrapped(|ui| {
            export_menu::of_tool(ui, commands, charts.iter().map(LineChart::captions));
            if ui.button("Copy as CSV").on_hover_text("The values of every figure, for a spreadsheet").clicked() {
                copy(ui, commands, sweep_csv(swept, bands), "the curves as CSV");
            }
            let line = chart::command_line(&sweep, bands.is_some());
            ui.add(
                egui::Label::new(RichText::new(&line).monospace().weak()).truncate().show_tooltip_when_elided(false),
            )
            .on_hover_text(line);
        });
        if let Some(left_out) = &swept.left_out {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), left_out.to_string());
        }
        if swept.is_flat() {
            ui.label("None of these figures depends on this number in this range.");
        }
        if let Some(bands) = bands {
            ui.weak(about_bands.unwrap_or_default());
            if let Some(not_allowed) = &bands.not_allowed {
                ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), not_allowed.to_string());
            }
        } else if let Some(problem) = no_bands {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), format!("No bands: {problem}"));
        } else if lacks_bands {
            let line = chart::command_line(&sweep, true);
            ui.weak(format!("Other numbers are uncertain. Computing bands takes longer; run {line}"));
        }
        let tabs: Vec<ChartTab<'_>> = curves.iter().map(|curve| ChartTab::new(&curve.label)).collect();
        let on_screen = chart_tabs::choose(ui, "sweep", 0, &tabs);
        let drawn = curves.iter().zip(&charts).enumerate().filter(|(place, _)| on_screen.has(*place));
        let drawn: Vec<_> = drawn.map(|(_, drawn)| drawn).collect();
        for (curve, chart) in &drawn {
            ui.add_space(6.0);
            let about = format!("{}\n{}", curve.figure.meaning, swept.path);
            ui.label(RichText::new(&chart.title).heading()).on_hover_text(about);
            ui.label(&chart.answer);
            // Gestures are ignored: this page changes no study.
            let height = chart_tabs::height(ui, HEIGHT, drawn.len() == 1);
            _ = screen::stacked_lines(ui, ("sweep", &curve.key), chart, None, height);
        }
        self.drawn = charts;
    }
}

//! The Map page: a figure of an open scenario over two of its numbers, where it reaches a level, and where the scenario is.

mod begin;
mod cells;
mod chart;
mod picture;
mod present;
mod request;

use crossover_export::map::map_csv;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::Computed;
use crossover_page::export_menu;
use crossover_page::lazy_text::LazyText;
use crossover_page::tool::{PageContext, ShownTool, ToolKind, ToolPage};
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::{drawer, empty, focus};
use crossover_scenario::views::MapView;
use crossover_scenario::{Study, Views};
use crossover_study::number_at;
use crossover_tools::Range;
use crossover_tools::titles::title_at;
use egui::{ComboBox, RichText, Role, ScrollArea, TextEdit, Ui, WidgetInfo};

use super::influence::{Influence, Ranking};
use super::kept::{self, Kept, LastWindow};
use super::pick::{self, Number, Target};
use super::usual_range::around;
use begin::{Begin, most_effect, range_at};
use crossover_chart::map::MapChart;
use crossover_chart::theme::Token;
use crossover_chart::{Chart, screen};
use present::PresentRequest;
use request::{Found, MapRequest, apart};

/// Maps a figure of a study over two of its numbers.
pub const TOOL: Tool = Tool {
    title: "Map",
    tooltip: "See a figure of a scenario over two of its numbers, and where a decision flips",
    help: "TOOLS.md#map-two-numbers",
};
/// How its page is opened.
pub const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(Page::default()) };

/// The question of the page.
const QUESTION: &str = "How does a figure change with two numbers?";
/// What answers it.
const ANSWER: &str = "Map draws a figure over two numbers of a scenario, with the line where a decision changes.";

/// Names of the two axes.
const AXES: [&str; 2] = ["x", "y"];

/// The page.
#[derive(Debug)]
pub struct Page {
    /// The document that it is about, by its id.
    picked: Option<String>,
    kept: Kept<MapView>,
    last_window: LastWindow,
    /// Settings with which the last window evaluated so many values of each number.
    reached: Option<(MapView, usize)>,
    influence: Influence,
    /// The ranges of both numbers.
    ranges: Option<[Range; 2]>,
    /// The number that the user picked first, where no two were found to begin with.
    first: Option<Range>,
    /// The titles of both numbers.
    titles: Option<[String; 2]>,
    /// Those of numbers that the scenario lacks now.
    gone: Option<[Range; 2]>,
    /// Whether the user chose the number of cells.
    is_exact: bool,
    /// Which of them the list sets.
    choosing: usize,
    /// Filter of the list of numbers.
    filter: String,
    /// Key of the chosen figure; `None`, or one that the study lacks: the first at which a decision flips.
    figure: Option<String>,
    /// The level as it was typed; empty: the usual one of the figure.
    level: String,
    /// Where the pointer holds the present values, until it is released.
    held: Option<[f64; 2]>,
    mapped: Computed<MapRequest>,
    /// The figures at the present values.
    present: Computed<PresentRequest>,
    /// The chart on the screen.
    drawn: Option<MapChart>,
    /// The picture of the page without a scenario.
    sample: SamplePicture,
}

impl Default for Page {
    fn default() -> Self {
        Self {
            picked: None,
            kept: Kept::default(),
            last_window: LastWindow::default(),
            reached: None,
            influence: Influence::default(),
            ranges: None,
            first: None,
            titles: None,
            gone: None,
            is_exact: false,
            choosing: 0,
            filter: String::new(),
            figure: None,
            level: String::new(),
            held: None,
            mapped: Computed::new(),
            present: Computed::new(),
            drawn: None,
            sample: SamplePicture::new(picture::picture),
        }
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match &self.titles {
            Some([x, y]) => format!("{x} and {y}"),
            None => "no numbers chosen".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        (self.mapped.is_busy() || self.present.is_busy() || self.influence.is_busy() || self.sample.is_busy())
            .then_some("the figures of a map")
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
        let points = match self.mapped.shown().map(AsRef::as_ref) {
            Some(Ok(found)) if !self.mapped.is_stale() && !self.mapped.is_busy() => found.points,
            _ => self.reached.as_ref().map_or(0, |(_, points)| *points),
        };
        Some(ShownTool { views: Views { map: Some(self.view()?), ..Views::default() }, points })
    }

    fn charts(&self) -> Vec<Chart> {
        self.drawn.iter().cloned().map(Chart::Map).collect()
    }

    fn data_csv(&self) -> Option<LazyText> {
        let Some(Ok(found)) = self.mapped.shown().map(AsRef::as_ref) else { return None };
        let text = map_csv(&found.mapped);
        self.drawn.is_some().then(|| LazyText::new(move || text.clone()))
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
        self.drawn = None;
        let Some(target) = Target::find(targets, &mut self.picked, last) else {
            self.mapped.forget();
            self.present.forget();
            let texts = [QUESTION, ANSWER, "Open a scenario to map its numbers."];
            empty::no_scenario(ui, TOOL, texts, &mut self.sample, commands);
            return;
        };
        self.sample.forget();
        let study = &target.scenario.study;
        let of_document = target.scenario.views.map.as_ref();
        if self.kept.is_of_another(target.id) {
            self.mapped.forget();
            self.present.forget();
        }
        if self.kept.is_new(target.id, of_document) {
            let ShownTool { views, points } = self.last_window.take(target.id);
            let view = of_document.or(views.map.as_ref());
            self.read(view, study);
            self.reached = view.filter(|view| views.map.as_ref() == Some(*view)).map(|view| (view.clone(), points));
        }
        // A number may have gone with an operator, and come back with it.
        let has_both = |ranges: &mut [Range; 2]| ranges.iter().all(|range| pick::has_number(study, &range.path));
        let is_back = self.gone.take_if(has_both);
        self.ranges = is_back.or(self.ranges.take());
        let gone = self.ranges.take_if(|ranges| !has_both(ranges));
        self.gone = gone.or(self.gone.take());
        self.influence.refresh(ui.ctx(), study);
        let ranking = self.influence.ranking();
        if self.ranges.is_none()
            && let Some(Begin { ranges, figure }) = ranking.as_ref().and_then(|ranking| most_effect(study, ranking))
        {
            self.ranges = Some(ranges);
            self.figure = self.figure.take().or(figure);
        }
        let titled = |range: &Range| title_at(study.subject(), &range.path);
        self.titles = self.ranges.as_ref().map(|ranges| ranges.each_ref().map(titled));
        let before = self.view();
        if let Some(id) = pick::scenario(ui, targets, target, commands) {
            self.picked = Some(id);
        }
        drawer::left(ui, "map", ["Map", "map settings"], true, |ui| {
            self.choose(ui, target, ranking.as_deref(), commands);
        });
        egui::CentralPanel::default().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.answer(ui, target, commands);
            });
        });
        let now = self.view();
        if now != before {
            self.gone = None;
            kept::keep(target, commands, |views| views.map = now);
        }
    }

    /// Begins with what the document keeps.
    fn read(&mut self, view: Option<&MapView>, study: &Study) {
        self.gone = None;
        self.first = None;
        self.ranges = view.map(|view| [&view.x, &view.y].map(|range| kept::range(range, study)));
        self.is_exact = view.is_some_and(|view| view.exact);
        self.figure = view.and_then(|view| view.figure.clone());
        self.level = view.map(|view| view.level.clone()).unwrap_or_default();
    }

    /// What the document keeps once the user changes something.
    fn view(&self) -> Option<MapView> {
        let [x, y] = self.ranges.as_ref()?;
        Some(MapView {
            x: kept::view_of(x),
            y: kept::view_of(y),
            exact: self.is_exact,
            figure: self.figure.clone(),
            level: self.level.clone(),
        })
    }

    /// Figure, level, numbers and their ranges.
    fn choose(&mut self, ui: &mut Ui, target: &Target<'_>, ranking: Option<&Ranking>, commands: &mut Vec<Command>) {
        let study = &target.scenario.study;
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            focus::follow(ui);
            self.figure(ui);
            let gone = self.gone.iter().flatten().find(|range| !pick::has_number(study, &range.path));
            if let Some(gone) = gone {
                ui.label(kept::lacks(&gone.path));
                ui.add_space(8.0);
            }
            let found = self.mapped.shown().and_then(|shown| (**shown).as_ref().ok());
            let is_partial = found.is_some_and(|found| found.cells() != found.of.all_cells());
            if let Some(ranges) = &mut self.ranges {
                ui.heading("Ranges");
                for (range, name) in ranges.iter_mut().zip(AXES) {
                    ui.horizontal(|ui| {
                        ui.strong(format!("{name}:"));
                        pick::named(ui, study, &range.path);
                    });
                    pick::range(ui, &format!("map {name}"), study, range, commands);
                }
                self.is_exact |= cells::choose(ui, ranges, is_partial && !self.is_exact);
                ui.add_space(8.0);
            }
            ui.heading("Numbers");
            ui.horizontal(|ui| {
                for (place, name) in AXES.into_iter().enumerate() {
                    let text = format!("along {name}");
                    ui.selectable_value(&mut self.choosing, place, text).on_hover_text("The list below sets this axis");
                }
                if ui.button("Swap").on_hover_text("Swaps x and y").clicked()
                    && let Some(ranges) = &mut self.ranges
                {
                    ranges.swap(0, 1);
                }
            });
            let now = self.ranges.as_ref().map(|ranges| ranges[self.choosing].path.clone());
            let picked = pick::number(ui, study, &mut self.filter, now.as_deref(), ranking);
            if let Some(number) = picked {
                self.pick(study, number);
            }
        });
    }

    /// Sets the chosen axis; where there are no axes yet, the second number that is picked makes them.
    fn pick(&mut self, study: &Study, Number { path, quantity, value }: Number) {
        let Some(ranges) = &mut self.ranges else {
            let Some(range) = range_at(study, &path) else { return };
            self.ranges = match self.first.take_if(|first| first.path != path) {
                Some(first) if self.choosing == 0 => Some([range, first]),
                Some(first) => Some([first, range]),
                None => {
                    self.first = Some(range);
                    None
                }
            };
            self.choosing = 1 - self.choosing;
            return;
        };
        if ranges[1 - self.choosing].path == path {
            ranges.swap(0, 1);
        } else {
            let (ends, is_logarithmic) = around(quantity, value);
            let points = ranges[self.choosing].points;
            ranges[self.choosing] = Range { path, ends, points, is_logarithmic };
        }
    }

    /// The figure, and the level of its contour.
    fn figure(&mut self, ui: &mut Ui) {
        let Some(shown) = self.mapped.shown().cloned() else { return };
        let Ok(Found { mapped, figures, .. }) = &*shown else { return };
        let Some(now) = mapped.figures.first() else { return };
        ui.heading("Figure");
        let combo = ComboBox::from_id_salt("figure").selected_text(&now.label).truncate();
        let combo = combo.width(ui.available_width() - 8.0).show_ui(ui, |ui| {
            for figure in figures {
                let entry = ui.selectable_label(figure.key == now.key, &figure.label);
                if entry.on_hover_text(figure.figure.meaning).clicked() {
                    self.figure = Some(figure.key.clone());
                    self.level.clear();
                }
            }
        });
        combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, "figure"));
        ui.horizontal(|ui| {
            let label = ui.label("contour at");
            let usual = now.usual_level().map_or_else(|| "none".to_owned(), |level| now.figure.unit.format(level));
            let field = TextEdit::singleline(&mut self.level).hint_text(usual).desired_width(90.0);
            let field = ui.add(field).labelled_by(label.id);
            field.on_hover_text("Value of the figure on the contour, with or without a unit");
        });
        if let Err(problem) = self.level_of(now) {
            ui.add(egui::Label::new(RichText::new(problem).color(Token::Error.color(ui.visuals().dark_mode)).small()));
        }
        ui.add_space(8.0);
    }

    /// The level that was typed, or the usual one.
    fn level_of(&self, figure: &crossover_tools::map::FigureMap) -> Result<Option<f64>, String> {
        if self.level.trim().is_empty() {
            return Ok(figure.usual_level());
        }
        figure.read_level(&self.level).map(Some).map_err(|error| error.to_string())
    }

    /// The map.
    fn answer(&mut self, ui: &mut Ui, target: &Target<'_>, commands: &mut Vec<Command>) {
        let study = &target.scenario.study;
        let Some(ranges) = self.ranges.clone().map(|ranges| ranges.map(ascending)) else {
            self.mapped.forget();
            self.present.forget();
            ui.heading(QUESTION);
            ui.label(ANSWER);
            ui.label(match &self.first {
                Some(_) => "Choose the second number on the left.",
                None if self.influence.is_busy() => "Finding the two numbers that the figure depends on most.",
                None => "Fewer than two numbers were found that change a figure here. Choose two numbers on the left.",
            });
            return;
        };
        let apart = apart(study, &ranges);
        let is_exact = self.is_exact;
        let now = self.view();
        let reached = self.reached.as_ref().filter(|(view, _)| now.as_ref() == Some(view));
        let reached = reached.map_or(0, |(_, points)| *points);
        let is_same = |request: &MapRequest| request.is_of(&apart, &ranges, self.figure.as_ref(), is_exact);
        let ask = || MapRequest {
            study: study.clone(),
            apart: apart.clone(),
            ranges: ranges.clone(),
            figure: self.figure.clone(),
            is_exact,
            reached,
        };
        self.mapped.refresh(ui.ctx(), is_same, ask);
        let Some(shown) = self.mapped.outcome(ui) else { return };
        let Ok(found) = &*shown else { return };
        let mapped = &found.mapped;
        let Some(of) = mapped.figures.first() else { return };
        let paths = [&mapped.x.path, &mapped.y.path];
        let value = |path: &String| number_at(study.subject(), path).and_then(|(_, value)| value);
        let present = self.held.or_else(|| Some([value(paths[0])?, value(paths[1])?]));
        // The form shows the error of a level that is no number.
        let level = self.level_of(of).unwrap_or_default();
        let now = self.now(ui, study, paths, &of.key);
        let chart = chart::chart(mapped, of, level, present, now);
        ui.horizontal_wrapped(|ui| {
            export_menu::of_tool(ui, commands, [[chart.title.as_str(), chart.subtitle.as_str()]]);
            if ui.button("Copy as CSV").on_hover_text("The figure at each pair of numbers, for a spreadsheet").clicked()
            {
                copy(ui, commands, map_csv(mapped), "the map as CSV");
            }
            let line = chart::command_line(&ranges, &of.key, &self.level);
            ui.add(
                egui::Label::new(RichText::new(&line).monospace().weak()).truncate().show_tooltip_when_elided(false),
            )
            .on_hover_text(line);
        });
        if let Some(progress) = cells::progress(found.cells(), found.of.all_cells(), self.mapped.is_busy()) {
            ui.weak(progress);
        }
        if let Some(left_out) = &mapped.left_out {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), left_out.to_string());
        }
        ui.add_space(6.0);
        ui.label(RichText::new(&chart.title).heading()).on_hover_text(format!("{}\n{}", paths[0], paths[1]));
        ui.label(&chart.answer);
        let height = (ui.available_height() - 40.0).clamp(280.0, 640.0);
        let read = |cell| chart::read(mapped, of, cell);
        let moved = screen::map(ui, ("map", &of.key), &chart, height, read);
        self.held = moved.or(self.held);
        if !ui.ctx().egui_is_using_pointer()
            && let Some(held) = self.held.take()
        {
            let numbers = paths.into_iter().cloned().zip(held).collect();
            commands.push(Command::SetNumbers { document: target.id.to_owned(), numbers });
        }
        self.drawn = Some(chart);
    }

    /// A figure at the values that the pointer holds, else at those of the scenario; `None` until it is known.
    fn now(&mut self, ui: &Ui, study: &Study, paths: [&String; 2], figure: &str) -> Option<f64> {
        let [x, y] = paths;
        let held = self.held.map(|[at_x, at_y]| [(x.clone(), at_x), (y.clone(), at_y)]);
        let is_same = |request: &PresentRequest| request.held == held && request.study == *study;
        self.present.refresh(ui.ctx(), is_same, || PresentRequest { study: study.clone(), held: held.clone() });
        let figures = self.present.shown().filter(|_| !self.present.is_stale())?;
        figures.iter().find(|one| one.key() == figure)?.value
    }
}

/// A range from its lower end up, as axes of charts go.
fn ascending(range: Range) -> Range {
    let [from, to] = range.ends;
    Range { ends: [from.min(to), from.max(to)], ..range }
}

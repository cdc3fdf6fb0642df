//! The page of a fleet: all applications, one of them, or one of its queries.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crossover_chart::theme::Token;
use crossover_fleet::application::Application;
use crossover_fleet::listed::{Arrangement, Filter, Row};
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::{Computed, Work as _};
use crossover_page::tool::{PageContext, ToolPage};
use crossover_page::widgets::{drawer, focus};
use crossover_placement_page::import::EnteredInputs;
use crossover_quantity::text::counted;
use egui::{Align, CentralPanel, Key, Layout, Modifiers, ScrollArea, Ui};

use super::arranging::{Arranging, Shown};
use super::detail::{LoadedApplication, LoadingApplication};
use super::inside::{self, Sort};
use super::list::{self, Line, TableAction};
use super::opening::{Fleet, Opening};
use super::{FleetSource, FleetState, TOOL, above, buttons, inputs, portfolio};

/// Least height of the table, in points.
const TABLE: f32 = 130.0;
/// Height of the area above it in a low window: the answer, the inputs, the filter and a chart, in points.
const ABOVE: f32 = 404.0;
/// A page that is lower than this is that of a low window, in points.
const LOW: f32 = 600.0;
/// Height of the area below the charts and of the margins, in points.
const BELOW: f32 = 26.0;
/// Usual share of the page's height.
const SHARE: f32 = 0.5;

/// What the page shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Level {
    /// All applications.
    #[default]
    All,
    /// One of them, by its place among all rows.
    Application(usize),
    /// One of its queries, by their places.
    Query(usize, usize),
}

/// The page.
#[derive(Debug)]
pub(super) struct Page {
    opened: Computed<Opening>,
    arranged: Computed<Arranging>,
    details: Computed<LoadingApplication>,
    wanted: Arrangement,
    /// Most GPU machines at a time; `None`: no limit.
    machines: Option<u32>,
    /// What the user entered.
    inputs: EnteredInputs,
    /// Number of the request whose inputs were taken last.
    taken: Option<u64>,
    /// Whether the next fleet opens at its only application, which was asked for from one of its queries.
    opens_only: bool,
    /// The folder of results.
    folder: PathBuf,
    view: ViewState,
}

/// State of the view of one fleet; another fleet starts anew.
#[derive(Debug, Default)]
struct ViewState {
    /// Which fleet it is, by the number of the outcome.
    of: u64,
    /// Number of the request.
    times: u64,
    level: Level,
    /// The application that was selected last, by its place among all rows.
    picked: Option<usize>,
    /// All selected applications.
    chosen: BTreeSet<usize>,
    /// Groups that are open.
    open: BTreeSet<String>,
    /// The lines of the table, and of which outcome they are.
    lines: Vec<Line>,
    lines_of: Option<u64>,
    /// Whether to scroll to the last selected one.
    scroll: bool,
    /// How queries are sorted, their order, and of which outcome it is.
    sort: Sort,
    order: Vec<usize>,
    order_of: Option<(u64, Sort)>,
}

impl Page {
    /// The page as it is first shown.
    pub(super) fn new() -> Self {
        Self {
            opened: Computed::new(),
            arranged: Computed::new(),
            details: Computed::new(),
            wanted: Arrangement::default(),
            machines: None,
            inputs: EnteredInputs::default(),
            taken: None,
            opens_only: false,
            folder: PathBuf::new(),
            view: ViewState::default(),
        }
    }
}

impl ViewState {
    /// Selects an application: alone, with others, or with the range from the last one; a second click clears it.
    fn pick(&mut self, at: usize, modifiers: Modifiers) {
        let place = |at: usize| self.lines.iter().position(|line| *line == Line::Application(at));
        let range = self.picked.filter(|_| modifiers.shift).and_then(|from| Some((place(from)?, place(at)?)));
        if let Some((from, to)) = range {
            let between = &self.lines[from.min(to)..=from.max(to)];
            let of = |line: &Line| if let Line::Application(at) = line { Some(*at) } else { None };
            self.chosen.extend(between.iter().filter_map(of));
        } else if modifiers.command {
            if !self.chosen.remove(&at) {
                self.chosen.insert(at);
            }
        } else if self.chosen.len() == 1 && self.chosen.contains(&at) {
            self.chosen.clear();
        } else {
            self.chosen = BTreeSet::from([at]);
        }
        self.picked = if self.chosen.contains(&at) { Some(at) } else { self.chosen.last().copied() };
    }

    /// Deselects hidden applications.
    fn keep_shown(&mut self, shown: &[usize]) {
        if !self.chosen.is_empty() {
            let shown: BTreeSet<usize> = shown.iter().copied().collect();
            self.chosen.retain(|at| shown.contains(at));
            self.picked = self.picked.filter(|at| self.chosen.contains(at));
        }
    }
}

impl ToolPage for Page {
    fn tool(&self) -> Tool {
        TOOL
    }

    fn status(&self) -> String {
        match self.opened.shown().map(AsRef::as_ref) {
            _ if self.opened.is_busy() => "reading".to_owned(),
            Some(Ok(fleet)) => counted(fleet.rows.len() as f64, "application"),
            Some(Err(_)) => "the fleet cannot be read".to_owned(),
            None => "no fleet is open".to_owned(),
        }
    }

    fn waits_for(&self) -> Option<&'static str> {
        [
            (self.opened.is_busy(), Opening::NAME),
            (self.arranged.is_busy(), Arranging::NAME),
            (self.details.is_busy(), LoadingApplication::NAME),
        ]
        .into_iter()
        .find_map(|(is_busy, name)| is_busy.then_some(name))
    }

    fn is_at_work(&self) -> bool {
        self.opened.is_busy()
    }

    fn cancel_prompt(&self) -> [&'static str; 4] {
        [
            "Cancel reading logs?",
            "Logs are being read. Logs already read are kept: reading again continues from there.",
            "Cancel and close",
            "Keep reading",
        ]
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        let kept = context.cache.get::<FleetState>();
        let Some((wanted, times)) = kept.and_then(|kept| kept.shown.clone()) else {
            CentralPanel::default_margins().show(ui, |ui| above::first_visit(ui, context.commands));
            return;
        };
        self.leave(&wanted);
        if let Some((of, entered)) = kept.and_then(|kept| kept.entered).filter(|(of, _)| self.taken != Some(*of)) {
            self.taken = Some(of);
            self.inputs = entered;
            self.opens_only = true;
        }
        let inputs = self.inputs;
        let is_same =
            |computing: &Opening| computing.times == times && computing.wanted == wanted && computing.inputs == inputs;
        self.opened.refresh(ui.ctx(), is_same, || Opening::new(wanted.clone(), times, inputs));
        let opened = self.opened.shown().cloned();
        if let Some(opened) = &opened
            && let Ok(fleet) = opened.as_ref()
        {
            self.arrange(ui, opened, fleet);
            self.fleet(ui, &wanted, opened, fleet, context);
        } else {
            let problem = opened.as_deref().and_then(|opened| opened.as_ref().err());
            CentralPanel::default_margins().show(ui, |ui| self.nothing(ui, &wanted, problem, context.commands));
        }
    }
}

impl Page {
    /// Clears the view when another fleet is opened.
    fn leave(&mut self, wanted: &FleetSource) {
        if self.folder != wanted.folder() {
            wanted.folder().clone_into(&mut self.folder);
            self.opened.forget();
            self.arranged.forget();
            self.details.forget();
            self.view = ViewState::default();
            self.inputs = EnteredInputs::default();
            self.wanted.filter = Filter::default();
        }
    }

    /// The page without a fleet: progress, or the error.
    fn nothing(&mut self, ui: &mut Ui, wanted: &FleetSource, problem: Option<&String>, commands: &mut Vec<Command>) {
        above::head(ui, wanted, self.opened.is_busy(), commands);
        ui.add_space(6.0);
        self.state(ui, wanted);
        if let Some(problem) = problem.filter(|_| !self.opened.is_busy()) {
            let dark = ui.visuals().dark_mode;
            ui.add(egui::Label::new(egui::RichText::new(problem).color(Token::Error.color(dark))).wrap());
        }
    }

    /// Progress of the reading, and what to do after it was cancelled.
    fn state(&mut self, ui: &mut Ui, wanted: &FleetSource) {
        self.opened.state(ui);
        if !matches!(wanted, FleetSource::Logs { .. }) {
            return;
        }
        if self.opened.is_busy() {
            ui.weak(
                "Logs already read are kept, and reading again continues from there. You can use other tabs meanwhile.",
            );
        } else if self.opened.is_stale() {
            ui.weak("Logs already read are kept; “Continue” reads the rest.");
        }
    }

    /// Arranges a new fleet.
    fn arrange(&mut self, ui: &Ui, opened: &Arc<Result<Fleet, String>>, fleet: &Fleet) {
        if self.view.of != self.opened.number() {
            let (of, times) = (self.opened.number(), fleet.times);
            let before = std::mem::take(&mut self.view);
            self.view = if before.of > 0 && before.times == times {
                // The same applications, decided with other inputs.
                ViewState { of, lines_of: None, order_of: None, ..before }
            } else {
                // A place in one fleet is another application in the next.
                self.wanted.filter.blocker = None;
                self.details.forget();
                let is_only = std::mem::take(&mut self.opens_only) && fleet.rows.len() == 1;
                let level = if is_only { Level::Application(0) } else { Level::All };
                ViewState { of, times, level, open: before.open, ..ViewState::default() }
            };
        }
        let (wanted, machines) = (&self.wanted, self.machines);
        let is_same = |computing: &Arranging| {
            Arc::ptr_eq(&computing.fleet, opened) && computing.wanted == *wanted && computing.machines == machines
        };
        let arranging = || Arranging { fleet: Arc::clone(opened), wanted: wanted.clone(), machines };
        self.arranged.refresh(ui.ctx(), is_same, arranging);
        if let Level::Application(at) | Level::Query(at, _) = self.view.level
            && let Some(row) = fleet.rows.get(at)
        {
            let is_same =
                |computing: &LoadingApplication| Arc::ptr_eq(&computing.fleet, opened) && computing.log == row.log;
            self.details
                .refresh(ui.ctx(), is_same, || LoadingApplication { fleet: Arc::clone(opened), log: row.log.clone() });
        }
    }

    fn fleet(
        &mut self,
        ui: &mut Ui,
        wanted: &FleetSource,
        opened: &Arc<Result<Fleet, String>>,
        fleet: &Fleet,
        context: &mut PageContext<'_>,
    ) {
        // The shown list may be of the previous fleet, with other places.
        let shown = self.arranged.shown().filter(|shown| Arc::ptr_eq(&shown.of, opened)).cloned();
        let height = ui.available_height();
        // In a low window the table leaves room for a chart; the user's height is kept for each kind of window.
        let usual = (height - ABOVE).min(SHARE * height).max(TABLE);
        let name = if height < LOW { "fleet-low" } else { "fleet" };
        let below = drawer::below(ui, name, "All applications", [TABLE, usual]);
        let room = ui.available_height();
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                let top = ui.cursor().top();
                above::head(ui, wanted, self.opened.is_busy(), context.commands);
                self.state(ui, wanted);
                match self.view.level {
                    Level::All => {
                        above::answer(ui, fleet, shown.as_deref(), context);
                        portfolio::chosen(ui, shown.as_deref().filter(|_| self.machines.is_some()));
                        ui.horizontal_wrapped(|ui| inputs::show(ui, &mut self.inputs));
                        above::filter(ui, fleet, shown.as_deref(), &mut self.wanted);
                        // Above the charts, which leave it room when it is open.
                        above::left_out(ui, fleet);
                        ui.add_space(4.0);
                        // An empty list has no charts.
                        if let Some(shown) = shown.as_ref().filter(|shown| !shown.arranged.shown.is_empty()) {
                            self.arranged.dim(ui);
                            let room = room - (ui.cursor().top() - top) - BELOW;
                            let picked = above::charts(ui, fleet, shown, &mut self.wanted, self.view.picked, room);
                            if let Some(picked) = picked {
                                self.pick_in_chart(picked, shown);
                            }
                        }
                    }
                    Level::Application(at) => {
                        ui.horizontal_wrapped(|ui| inputs::show(ui, &mut self.inputs));
                        self.inside(ui, fleet, at, None, context);
                    }
                    Level::Query(at, query) => self.inside(ui, fleet, at, Some(query), context),
                }
            });
        });
        below.show(ui, |ui| {
            self.path(ui, fleet, shown.as_deref(), context);
            match self.view.level {
                Level::All => {
                    if let Some(shown) = &shown {
                        self.list(ui, fleet, shown);
                    }
                }
                Level::Application(_) => self.queries(ui),
                Level::Query(_, query) => {
                    if let Some(query) = self.application().and_then(|details| details.queries.get(query)) {
                        inside::operators(ui, &query.classes);
                    }
                }
            }
        });
        let is_typing = ui.ctx().memory(|memory| memory.focused().is_some());
        if !is_typing && ui.input(|input| input.key_pressed(Key::Escape)) {
            self.up();
        }
    }

    fn up(&mut self) {
        self.view.level = match self.view.level {
            Level::All | Level::Application(_) => Level::All,
            Level::Query(at, _) => Level::Application(at),
        };
        self.view.scroll = true;
    }

    /// The open application, once it is loaded.
    fn application(&self) -> Option<&Application> {
        let details = self.details.shown().filter(|_| !self.details.is_stale())?;
        details.as_ref().as_ref().ok().map(|loaded| &loaded.application)
    }

    /// The details of an application, or of one of its queries.
    fn inside(&mut self, ui: &mut Ui, fleet: &Fleet, at: usize, query: Option<usize>, context: &mut PageContext<'_>) {
        self.details.state(ui);
        let Some(row) = fleet.rows.get(at) else { return };
        let details = self.details.shown().filter(|_| !self.details.is_stale()).cloned();
        match details.as_deref() {
            None => {}
            Some(Err(problem)) => drop(ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem)),
            Some(Ok(loaded)) => match query.and_then(|query| loaded.application.queries.get(query)) {
                Some(query) => {
                    let run = loaded.application.summary.runs.iter().find(|run| run.query == query.id);
                    let runs = run.and_then(|run| fleet.histories.of_run(run));
                    above::query(ui, fleet, (&row.log, &loaded.application.summary.engine), (query, runs), context);
                }
                None => above::application(ui, fleet, &row.log, loaded, context),
            },
        }
    }

    /// The current level, and the way back.
    fn path(&mut self, ui: &mut Ui, fleet: &Fleet, shown: Option<&Shown>, context: &mut PageContext<'_>) {
        let name = |at: usize| fleet.rows.get(at).map_or("", |row| row.name.as_str());
        let mut go = None;
        ui.horizontal(|ui| match self.view.level {
            Level::All => {
                let picked = self.view.picked.and_then(|at| Some((at, fleet.rows.get(at)?)));
                // The text takes the width that the button leaves.
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    if let Some(shown) = shown {
                        buttons::of_list(ui, fleet, &self.view.chosen, shown, context);
                    }
                    portfolio::controls(ui, fleet, &mut self.machines, context.commands);
                    ui.with_layout(Layout::left_to_right(Align::Center), |ui| match (picked, self.view.chosen.len()) {
                        (_, several @ 2..) => {
                            let rows = self.view.chosen.iter().filter_map(|at| fleet.rows.get(*at));
                            ui.add(egui::Label::new(buttons::in_words(several, rows)).truncate());
                        }
                        (Some((at, row)), _) => {
                            if ui.button("Open application").clicked() {
                                go = Some(Level::Application(at));
                            }
                            ui.add(egui::Label::new(in_words(row)).truncate());
                        }
                        (None, _) => {
                            let text = "Click an application to see it in the chart, double-click to open it, \
                                        Ctrl-click or Shift-click to select several";
                            ui.add(egui::Label::new(egui::RichText::new(text).weak()).truncate());
                        }
                    });
                });
            }
            Level::Application(at) => {
                if ui.button("◀ All applications").clicked() {
                    go = Some(Level::All);
                }
                ui.strong(format!("Queries of {}", name(at)));
                ui.weak("click a query to open it");
            }
            Level::Query(at, query) => {
                if ui.button("◀ All applications").clicked() {
                    go = Some(Level::All);
                }
                if ui.button(name(at)).clicked() {
                    go = Some(Level::Application(at));
                }
                let id = self
                    .application()
                    .and_then(|details| details.queries.get(query))
                    .map_or("", |query| query.id.as_str());
                ui.strong(format!("Operators of query {id}"));
            }
        });
        if let Some(level) = go {
            ui.ctx().request_repaint();
            self.view.level = level;
            self.view.scroll = level == Level::All;
        }
    }

    /// Picks an application, and opens its group.
    fn pick_in_chart(&mut self, at: usize, shown: &Shown) {
        self.view.picked = Some(at);
        self.view.chosen = BTreeSet::from([at]);
        self.view.scroll = true;
        if let Some(group) = shown.arranged.groups.iter().find(|group| group.rows.contains(&at)) {
            self.view.open.insert(group.name.clone());
            self.view.lines_of = None;
        }
    }

    fn list(&mut self, ui: &mut Ui, fleet: &Fleet, shown: &Shown) {
        let view = &mut self.view;
        if view.lines_of != Some(self.arranged.number()) {
            view.lines = list::lines(&shown.arranged, &view.open);
            view.lines_of = Some(self.arranged.number());
            view.keep_shown(&shown.arranged.shown);
        }
        if view.lines.is_empty() {
            ui.weak("No application matches the filter; choose “Show all”");
            return;
        }
        let scroll = std::mem::take(&mut view.scroll);
        let place = view.picked.filter(|_| scroll);
        let place = place.and_then(|picked| view.lines.iter().position(|line| *line == Line::Application(picked)));
        let action = list::show(
            ui,
            (&fleet.rows, &shown.arranged.groups, &view.lines),
            self.wanted.order,
            &view.chosen,
            &view.open,
            place,
        );
        if action.is_some() {
            ui.ctx().request_repaint();
        }
        match action {
            None => {}
            Some(TableAction::Sort(column)) => self.wanted.order = self.wanted.order.by(column),
            Some(TableAction::Pick(at)) => view.pick(at, ui.input(|input| input.modifiers)),
            Some(TableAction::Enter(at)) => {
                view.picked = Some(at);
                view.chosen = BTreeSet::from([at]);
                view.level = Level::Application(at);
            }
            Some(TableAction::Toggle(group)) => {
                if !view.open.remove(&group) {
                    view.open.insert(group);
                }
                view.lines_of = None;
            }
        }
    }

    fn queries(&mut self, ui: &mut Ui) {
        let Some(details) = self.details.shown().filter(|_| !self.details.is_stale()).cloned() else { return };
        let Ok(LoadedApplication { application, .. }) = details.as_ref() else { return };
        let of = Some((self.details.number(), self.view.sort));
        if self.view.order_of != of {
            self.view.order = inside::order(&application.queries, self.view.sort);
            self.view.order_of = of;
        }
        if application.queries.is_empty() {
            ui.weak("The application has no queries");
            return;
        }
        let seconds = application.summary.seconds;
        let action = inside::queries(ui, &application.queries, seconds, &self.view.order, self.view.sort);
        if action.is_some() {
            ui.ctx().request_repaint();
        }
        match action {
            None => {}
            Some(inside::QueryAction::Sort(sort)) => self.view.sort = sort,
            Some(inside::QueryAction::Enter(query)) => {
                if let Level::Application(at) = self.view.level {
                    self.view.level = Level::Query(at, query);
                }
            }
        }
    }
}

/// "load-7 of ada in nightly: 12 queries".
fn in_words(row: &Row) -> String {
    let user = if row.user.is_empty() { String::new() } else { format!(" of {}", row.user) };
    let queue = if row.queue.is_empty() { String::new() } else { format!(" in {}", row.queue) };
    let queries = counted(row.queries as f64, "query");
    format!("{}{user}{queue}: {queries}", row.name)
}

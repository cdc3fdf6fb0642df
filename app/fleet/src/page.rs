//! The page of a fleet: all applications, one of them, or one of its queries.

mod below;
mod view;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crossover_chart::Chart;
use crossover_chart::theme::Token;
use crossover_fleet::application::Application;
use crossover_fleet::listed::{Arrangement, Filter};
use crossover_page::cache::Cache;
use crossover_page::command::{Command, Tool};
use crossover_page::compute::computed::{Computed, Work as _};
use crossover_page::storage::kept;
use crossover_page::tool::{PageContext, ToolPage};
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::{drawer, focus};
use crossover_placement::EnteredInputs;
use crossover_quantity::text::counted;
use egui::{CentralPanel, Key, Popup, ScrollArea, Ui};

use self::view::{Level, ViewState};
use super::arranging::{Arranging, Shown};
use super::detail::{DetailTexts, LoadingApplication};
use super::inside;
use super::kept::KeptFleet;
use super::opening::{Fleet, Opening};
use super::{FleetSource, FleetState, Request, TOOL, above, exported, inputs, portfolio, sample};

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

/// The page.
#[derive(Debug)]
pub(super) struct Page {
    opened: Computed<Opening>,
    arranged: Computed<Arranging>,
    details: Computed<LoadingApplication>,
    wanted: Arrangement,
    /// Most GPU machines at a time; `None`: no limit.
    machines: Option<u32>,
    /// What the user entered; `None`: what the command was given last.
    inputs: Option<EnteredInputs>,
    /// Number of the request whose inputs were taken last.
    taken: Option<u64>,
    /// Whether the next fleet opens at its only application, which was asked for from one of its queries.
    opens_only: bool,
    /// The folder of results.
    folder: PathBuf,
    view: ViewState,
    /// The chart and the facts of the application or of the query on the screen, and of which outcome they are.
    inside: Option<((u64, Level), DetailTexts)>,
    /// The picture of the page without a fleet.
    sample: SamplePicture,
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
            inputs: None,
            taken: None,
            opens_only: false,
            folder: PathBuf::new(),
            view: ViewState::default(),
            inside: None,
            sample: SamplePicture::new(sample::picture),
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
            (self.sample.is_busy(), "the picture of a sample"),
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

    fn charts(&self) -> Vec<Chart> {
        match self.view.level {
            Level::All => {
                let is_of_fleet =
                    |shown: &&Arc<Shown>| self.opened.shown().is_some_and(|opened| Arc::ptr_eq(&shown.of, opened));
                let Some(shown) = self.arranged.shown().filter(is_of_fleet) else { return Vec::new() };
                shown.of.as_ref().as_ref().map_or_else(|_| Vec::new(), |fleet| exported::charts(&fleet.rows, shown))
            }
            Level::Application(_) | Level::Query(..) => {
                let chart = self.inside.as_ref().and_then(|(_, texts)| texts.chart.clone());
                chart.map(Chart::Bars).into_iter().collect()
            }
        }
    }

    fn kept(&self, cache: &Cache) -> Option<String> {
        let (source, _) = cache.get::<FleetState>()?.shown.as_ref()?;
        kept::write(&KeptFleet::new(source, self.inputs, self.machines))
    }

    fn restore(&mut self, kept: &str, cache: &mut Cache) -> Result<(), String> {
        let kept = kept::read::<KeptFleet>(kept)?;
        let Some(state) = cache.get_mut::<FleetState>() else { return Ok(()) };
        if state.shown.is_none() {
            state.want(kept.source());
        }
        // Another fleet, which the user has opened meanwhile, stays.
        if let Some((source, _)) = state.shown.as_ref().filter(|(source, _)| kept.is_of(source)) {
            source.folder().clone_into(&mut self.folder);
            (self.inputs, self.machines) = (kept.inputs, kept.machines);
            self.taken = state.entered.map(|(of, _)| of);
        }
        Ok(())
    }

    fn ui(&mut self, ui: &mut Ui, context: &mut PageContext<'_>) {
        let kept = context.cache.get::<FleetState>();
        let Some((wanted, times)) = kept.and_then(|kept| kept.shown.clone()) else {
            CentralPanel::default_margins().show(ui, |ui| {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    above::first_visit(ui, &mut self.sample, context.commands);
                });
            });
            return;
        };
        self.sample.forget();
        self.leave(&wanted);
        if let Some((of, entered)) = kept.and_then(|kept| kept.entered).filter(|(of, _)| self.taken != Some(*of)) {
            self.taken = Some(of);
            self.inputs = Some(entered);
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
            self.inputs = None;
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
            let another = if matches!(wanted, FleetSource::Results(_)) { Request::Open } else { Request::Read };
            above::choose_another(ui, &another, commands);
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
        // Escape closes a menu first.
        let has_menu = Popup::is_any_open(ui.ctx());
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
                above::gone(ui, fleet, context.commands);
                match self.view.level {
                    Level::All => {
                        above::answer(ui, fleet, shown.as_deref(), context);
                        portfolio::chosen(ui, shown.as_deref().filter(|_| self.machines.is_some()));
                        self.enter(ui, fleet);
                        above::filter(ui, fleet, shown.as_deref(), &mut self.wanted, context.commands);
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
                        self.enter(ui, fleet);
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
        if !is_typing && !has_menu && ui.input(|input| input.key_pressed(Key::Escape)) {
            self.up();
        }
    }

    /// Draws what the user entered, and edits it.
    fn enter(&mut self, ui: &mut Ui, fleet: &Fleet) {
        let before = self.inputs.unwrap_or(fleet.inputs);
        let mut inputs = before;
        ui.horizontal_wrapped(|ui| inputs::show(ui, &mut inputs, fleet.used_price.as_ref()));
        if inputs != before {
            self.inputs = Some(inputs);
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
        let before = self.inside.take();
        let details = self.details.shown().filter(|_| !self.details.is_stale()).cloned();
        let Some((row, details)) = fleet.rows.get(at).zip(details) else { return };
        let loaded = match details.as_ref() {
            Ok(loaded) => loaded,
            Err(problem) => {
                ui.colored_label(Token::Error.color(ui.visuals().dark_mode), problem);
                return;
            }
        };
        let summary = &loaded.application.summary;
        let query = query.and_then(|query| loaded.application.queries.get(query));
        let texts = || match query {
            Some(query) => {
                let run = summary.runs.iter().find(|run| run.query == query.id);
                DetailTexts::of_query(query, run.and_then(|run| fleet.histories.of_run(run)))
            }
            None => DetailTexts::of_application(&row.log, summary),
        };
        let of = (self.details.number(), self.view.level);
        let (_, texts) =
            self.inside.insert(before.filter(|(before, _)| *before == of).unwrap_or_else(|| (of, texts())));
        match query {
            Some(query) => above::query(ui, fleet, (&row.log, &summary.engine), query, texts, context),
            None => above::application(ui, fleet, &row.log, loaded, texts, context),
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
}

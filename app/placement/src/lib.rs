//! The placement page: which operators are faster on GPUs?

mod answer;
mod bands;
mod bars;
mod board;
mod charts;
mod cli;
mod curves;
mod decision;
mod engine_groups;
pub mod engines;
pub mod examples;
mod findings;
pub mod import;
mod inspector;
mod module;
pub mod offers;
mod page;
pub mod plan;
mod presets;
pub mod request;
mod reset;
mod scoreboard;
mod side;
pub mod steps;
mod summary;
mod table;
mod tour;
pub mod truth;
mod view_options;

use std::sync::Arc;

use crossover_chart::Chart;
use crossover_export::placement::plan::PlanFormat;
use crossover_page::compute::computed::{Computed, Evaluations};
use crossover_page::headline;
use crossover_page::lazy_text::LazyText;
use crossover_page::page::Env;
use crossover_page::services::Services;
use crossover_page::tour::{STRIP, mark, part};
use crossover_page::widgets::chart_tabs::{self, ChartTab};
use crossover_page::widgets::{drawer, focus};
use crossover_placement::Placement;

pub use board::Board;
use board::BoardInput;
use view_options::ViewOptions;

pub use cli::watched;
pub use decision::{decide_arguments, show_options};
pub use import::lists::List;
pub(crate) use import::{hardware_for_queries, hardware_model, machines_for};
pub use module::Module;
pub use presets::{enter_todays_machines, on_instance};

/// The view of a placement study.
pub struct View {
    /// Axis, scales, hidden curves and the picked operator.
    pub look: ViewOptions,
    /// How the table is sorted.
    pub sort: table::Sort,
    /// Position at which the crosshair is pinned, in the unit of the axis.
    pub pinned_x: Option<f64>,
    /// The view of the query's plan.
    pub plan: plan::State,
    /// The decision about the query.
    decision: decision::State,
    /// The chosen content of the middle.
    mode: Option<Mode>,
    /// Everything that is derived from the study.
    board: Computed<BoardInput>,
    inspector: inspector::State,
}

/// Content of the middle of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// What should run the query, if the study has engines.
    Answer,
    /// On which machines the query runs today, and could run.
    Where,
    /// The plan of the query.
    Plan,
    /// Where the GPU is faster, for each operator of the study or for the query.
    Curves,
    /// The measured run of the query.
    Run,
}

impl Mode {
    /// The name of its tab.
    fn label(self) -> &'static str {
        match self {
            // The machines are a step to the answer, without a tab of their own.
            Self::Answer | Self::Where => "Answer",
            Self::Plan => "Plan",
            Self::Curves => "Curves",
            Self::Run => "Run",
        }
    }
}

/// The contents that not every query has.
#[derive(Debug, Clone, Copy)]
struct Modes {
    /// Whether the study has engines.
    answer: bool,
    /// Whether the query ran.
    run: bool,
}

impl Modes {
    fn of(plan: &plan::PlanBoard) -> Self {
        Self { answer: plan.workload().is_some(), run: plan.run().is_some() }
    }
}

impl View {
    /// The initial view of a placement study.
    #[must_use]
    pub fn new(study: &Placement) -> Self {
        let look = ViewOptions::default();
        Self {
            board: Computed::of(BoardInput { study: study.clone(), look: look.clone() }),
            look,
            sort: table::Sort::default(),
            pinned_x: None,
            plan: plan::State::default(),
            decision: decision::State::default(),
            mode: None,
            inspector: inspector::State::default(),
        }
    }

    /// How often the study was evaluated, and on which thread; unchanged input is not evaluated again.
    #[must_use]
    pub fn evaluations(&self) -> Evaluations {
        self.board.evaluations()
    }

    /// The outcome on screen; nothing before the first one.
    #[must_use]
    pub fn board(&self) -> Option<&Board> {
        self.board.shown().map(AsRef::as_ref)
    }

    /// Content of the middle of the page: the plan by default, if there is one.
    #[must_use]
    pub fn mode(&self) -> Mode {
        match self.board().and_then(Board::plan) {
            Some(plan) => {
                let usual = if plan.workload().is_some() { Mode::Answer } else { Mode::Plan };
                match self.mode.unwrap_or(usual) {
                    Mode::Run if plan.run().is_none() => usual,
                    Mode::Answer if plan.workload().is_none() => Mode::Plan,
                    mode => mode,
                }
            }
            None => Mode::Curves,
        }
    }

    /// Shows the machines of the query first, before the answer.
    pub(crate) fn begin_with_machines(&mut self) {
        self.mode = Some(Mode::Where);
    }

    /// Sets the whole application of the query, as it was found when the query opened.
    pub(crate) fn set_application(&mut self, application: &import::OpenedApplication) {
        self.decision.set_application(application);
    }

    /// Shows the answer.
    pub(crate) fn begin_with_answer(&mut self) {
        self.mode = Some(Mode::Answer);
    }

    /// Whether the whole application of the query is known.
    pub(crate) fn has_application(&self) -> bool {
        self.decision.has_application()
    }

    /// Whether the answer is about the application, as far as that has one.
    pub(crate) fn shows_application(&self) -> bool {
        self.decision.shows_application()
    }

    /// Shows the answer about the application.
    pub(crate) fn begin_with_application(&mut self) {
        self.begin_with_answer();
        self.decision.show_application();
    }

    /// Shows the answer about the query, although its application has one.
    pub(crate) fn begin_with_query(&mut self) {
        self.begin_with_answer();
        self.show_query();
    }

    /// Shows the plan. The answer is about the query then, too.
    pub(crate) fn begin_with_plan(&mut self) {
        self.mode = Some(Mode::Plan);
        self.show_query();
    }

    /// Makes the answer one about the query, although its application has one.
    pub(crate) fn show_query(&mut self) {
        self.decision.show_query();
    }

    /// The same as [`Self::begin_with_machines`] if the file lacks the machines or their price.
    pub(crate) fn begin_with_missing_machines(&mut self, study: &Placement) {
        if decision::lacks_machines(study) {
            self.begin_with_machines();
        }
    }

    /// The charts of the view that come from no board.
    fn curves(&self) -> Vec<Chart> {
        match self.mode() {
            Mode::Answer => self.decision.charts(),
            // The machines have none.
            Mode::Where => Vec::new(),
            Mode::Plan | Mode::Curves | Mode::Run => {
                self.plan.along.charts().iter().cloned().map(Chart::Lines).collect()
            }
        }
    }

    fn draw(&mut self, ui: &mut egui::Ui, study: &mut Placement, env: &mut Env<'_>) {
        self.decision.decide_with(env.cache.get::<import::DecideApplication>().copied());
        self.refresh(ui.ctx(), study);
        // The table spans the window, so that its reasons are not cut off.
        let mode = self.mode();
        // The answer is about whole engines; the operators are one click away.
        let has_operators = !matches!(mode, Mode::Answer | Mode::Where);
        let below = self.board.shown().map(Arc::clone).filter(|_| has_operators).map(|board| {
            // The inspector comes before the table, and may change what it shows.
            let (name, heights) = if board.plan().is_some() {
                // The tree needs the height.
                ("plan nodes", [60.0, (ui.available_height() * 0.18).clamp(76.0, 260.0)])
            } else {
                let usual = 78.0 + 24.0 * board.study().operators.len().min(6) as f32;
                ("recommendations", drawer::below_charts(ui, [90.0, usual]))
            };
            drawer::below(ui, name, "Operator placement", heights)
        });
        let board = self.board.shown().map(Arc::clone);
        if let Some(plan) = board.as_deref().and_then(Board::plan) {
            self.decision.refresh(ui.ctx(), plan, study);
        }
        let other_pairs = self.decision.other_pairs();
        let work = board.as_deref().and_then(Board::plan).and_then(|plan| plan.whole().work);
        // The machines of the second step have the numbers of the inspector.
        if mode != Mode::Where {
            drawer::inspector(ui, env.inspector_open, |ui| {
                let other_pair = other_pairs.in_inspector(mode == Mode::Answer && self.decision.is_about_application());
                inspector::show(ui, &mut self.inspector, study, other_pair, work.as_ref(), env);
            });
        }
        self.refresh(ui.ctx(), study);
        let Some(board) = self.board.shown().map(Arc::clone) else {
            egui::CentralPanel::default_margins().show(ui, |ui| self.board.state(ui));
            return;
        };
        if let Some(plan) = board.plan() {
            self.decision.refresh(ui.ctx(), plan, study);
        }
        let id = if board.plan().is_some() { "plan summary" } else { "summary" };
        let strip = egui::Panel::top(id).resizable(false).show(ui, |ui| {
            ui.add_space(4.0);
            ui.scope(|ui| {
                self.board.dim(ui);
                if let Some(plan) = board.plan() {
                    if let Some(strip) = self.decision.strip() {
                        strip.show(ui);
                    } else if let Some(verdict) = plan.hardware_verdict() {
                        // No page but the answer judges what whole engines run.
                        plan::figures(ui, plan, verdict);
                    }
                } else {
                    summary::figures(ui, &board);
                    headline::answer_of_chart(ui, || curves::sentence(&board));
                }
            });
            summary::network(ui, study, strip_warnings(&board));
            self.board.state(ui);
            ui.add_space(2.0);
        });
        mark(ui, STRIP, strip.response.rect);
        egui::CentralPanel::default_margins().show(ui, |ui| {
            self.board.dim(ui);
            if let Some(plan) = board.plan() {
                let shown = self.mode();
                // The other pages have the steps too, so that the tabs below them stay in place.
                if !matches!(shown, Mode::Answer | Mode::Where) && Modes::of(plan).answer {
                    let picked = steps::header(ui, steps::Step::Answer, steps::Step::Answer);
                    decision::go_to(picked, &mut self.mode, env);
                }
                match (shown, plan.run()) {
                    (Mode::Answer, _) => decision::show(ui, &mut self.decision, &mut self.mode, plan, study, env),
                    (Mode::Where, _) => decision::show_where(ui, &mut self.decision, &mut self.mode, plan, study, env),
                    (Mode::Plan, _) => plan::show(ui, self, plan, study, other_pairs.pages.as_deref(), env),
                    (Mode::Run, Some(run)) => {
                        let warnings = |ui: &mut egui::Ui| plan::query_warnings(ui, plan);
                        plan::run::show(ui, run, Modes::of(plan), warnings, &mut self.mode, env);
                    }
                    _ => {
                        let other_pair = other_pairs.pages.as_deref();
                        plan::along::show(ui, &mut self.plan.along, &mut self.mode, plan, study, other_pair, env);
                    }
                }
                return;
            }
            egui::ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                let tabs = [
                    ChartTab { name: "Speedup", parts: &[tour::CURVES] },
                    ChartTab { name: "Time", parts: &[tour::BARS] },
                ];
                let on_screen = chart_tabs::choose(ui, "placement", 0, &tabs);
                if on_screen.has(0) {
                    part(ui, tour::CURVES, |ui| curves::show(ui, self, &board, study, env));
                    ui.add_space(6.0);
                }
                if on_screen.has(1) {
                    part(ui, tour::BARS, |ui| bars::show(ui, board.bars(), board.classes().len(), env));
                }
            });
        });
        if let Some(below) = below {
            below.show(ui, |ui| {
                self.board.dim(ui);
                match board.plan() {
                    Some(plan) => plan::table(ui, self, plan, env),
                    None => table::show(ui, self, &board, env),
                }
            });
        }
    }

    fn refresh(&mut self, ctx: &egui::Context, study: &Placement) {
        let look = &self.look;
        let is_same = |input: &BoardInput| input.look == *look && input.study == *study;
        self.board.refresh(ctx, is_same, || BoardInput { study: study.clone(), look: look.clone() });
    }
}

/// The warnings of the strip. For a query with an answer, each page has warnings of its own. It lists them below the tabs, so that the
/// tabs have the same place on all pages.
fn strip_warnings(board: &Board) -> &[String] {
    match board.plan() {
        Some(plan) if plan.workload().is_some() => &[],
        Some(plan) => &plan.whole().warnings,
        None => &board.outcome().warnings,
    }
}

/// The charts of the page; `along`: those that come from no board.
fn charts_of(board: &Board, mode: Mode, along: &[Chart]) -> Vec<Chart> {
    match (board.plan(), mode) {
        (Some(plan), Mode::Plan) => vec![Chart::Plan(plan.chart().clone()), Chart::Bars(plan.totals().clone())],
        (Some(plan), Mode::Run) => plan.run().cloned().map(Chart::Bars).into_iter().collect(),
        (Some(_), Mode::Curves | Mode::Answer | Mode::Where) => along.to_vec(),
        (None, _) => {
            let lines = board.charts().iter().cloned().map(Chart::Lines);
            lines.chain([Chart::Bars(board.bars().clone())]).collect()
        }
    }
}

/// The switch between the answer, the plan, curves and the measured run, as far as there are these.
fn mode_switch(ui: &mut egui::Ui, mode: &mut Option<Mode>, shown: Mode, there: Modes) {
    let choices = [
        (Mode::Answer, "What should run this query, in which time and for which cost"),
        (Mode::Plan, "The operators of the query, placed together"),
        (Mode::Curves, "When the GPU is faster for this query, along any number"),
        (Mode::Run, "Where the time of the measured run went, stage by stage"),
    ];
    let is_there = |mode: Mode| match mode {
        Mode::Answer => there.answer,
        Mode::Run => there.run,
        Mode::Plan | Mode::Curves => true,
        // A step to the answer, with a header of its own.
        Mode::Where => false,
    };
    for (choice, meaning) in choices.into_iter().filter(|(choice, _)| is_there(*choice)) {
        if ui.selectable_label(shown == choice, choice.label()).on_hover_text(meaning).clicked() {
            *mode = Some(choice);
        }
    }
}

/// Prompts for a file and writes the placement of the plan on screen for other programs.
fn export_plan(services: &mut Services<'_>, format: PlanFormat) {
    let Some(scenario) = services.on_screen().map(|document| &*document.scenario) else { return };
    let study = scenario.placement().ok_or("only placement scenarios have query plans");
    let checked = study.and_then(|study| format.check(study).map(|()| study.clone()));
    match (checked, scenario.name.clone()) {
        (Ok(study), name) => {
            let text = LazyText::fallible(move || format.write(&name, &study).map_err(str::to_owned));
            services.save("Export", format.what(), format.extension(), text);
        }
        (Err(why), _) => services.notify_error(format!("Nothing to export: {why}")),
    }
}

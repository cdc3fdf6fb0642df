//! The allocation page: which node and which GPUs does a task get?

mod board;
mod charts;
mod cli;
pub mod examples;
mod findings;
pub mod history;
pub mod importing;
mod inspector;
mod module;
mod recorded;
mod sample_files;
mod serving;
mod submitting;
mod table;
mod timeline;
mod timeline_view;
mod tour;
pub mod training;

use std::sync::Arc;

use crossover_allocation::{Allocation, Policy, Served};
use crossover_chart::{Chart, screen};
use crossover_export::{self as export, Format};
use crossover_page::compute::computed::Computed;
use crossover_page::lazy_text::LazyText;
use crossover_page::page::{Env, Page};
use crossover_page::tour::{Step, part};
use crossover_page::widgets::chart_tabs::{self, ChartTab, OnScreen};
use crossover_page::widgets::table::height_of_picked_text;
use crossover_page::widgets::{beside, drawer, focus};
use crossover_page::{export_menu, headline};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, elapsed};
use crossover_scenario::glossary::Meaning;
use crossover_scenario::{Scenario, Study};
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use board::{EvaluationInput, Shown};
pub use module::Module;

/// Charts of a narrower page are below each other, in points.
const NARROW: f32 = 760.0;
/// Most groups of rejected tasks that are listed.
const NAMED: usize = 12;

/// The page of an allocation study.
pub struct View {
    board: Computed<EvaluationInput>,
    inspector: inspector::State,
    timeline: timeline_view::TimelineState,
}

impl View {
    /// The page before the first change.
    #[must_use]
    pub fn new(study: &Allocation) -> Self {
        Self {
            board: Computed::of(EvaluationInput(study.clone())),
            inspector: inspector::State::default(),
            timeline: timeline_view::TimelineState::default(),
        }
    }

    fn draw(&mut self, ui: &mut Ui, study: &mut Allocation, env: &mut Env<'_>) {
        let rows = Policy::ALL.len() as f32;
        self.refresh(ui, study);
        let usual = 76.0 + height_of_picked_text(ui) + (table::ROW + 3.0) * rows;
        let heights = drawer::below_charts(ui, [90.0, usual]);
        let below = drawer::below(ui, "policies", "Which policy allocates most?", heights);
        drawer::inspector(ui, env.inspector_open, |ui| inspector::show(ui, &mut self.inspector, study, env));
        self.refresh(ui, study);
        self.strip(ui);
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.board.dim(ui);
                if let Some(shown) = self.board.shown().map(Arc::clone) {
                    let tabs = [
                        ChartTab { name: "Allocated", parts: &[tour::CHARTS] },
                        ChartTab::new("Fragments"),
                        ChartTab::new(timeline_view::TITLE),
                    ];
                    let on_screen = chart_tabs::choose(ui, "allocation", 0, &tabs);
                    let Shown { outcome, described, timeline, .. } = &*shown;
                    let drawn = timeline_view::Replayed { outcome, described, timeline };
                    if on_screen == OnScreen::One(2) {
                        timeline_view::show(ui, &mut self.timeline, &drawn);
                    } else {
                        part(ui, tour::CHARTS, |ui| plots(ui, &shown, on_screen, env));
                    }
                    part(ui, tour::REJECTED, |ui| rejected_tasks(ui, &shown));
                    waits(ui, &shown);
                    if on_screen == OnScreen::All {
                        timeline_view::show(ui, &mut self.timeline, &drawn);
                    }
                }
            });
        });
        let shown = self.board.shown().map(Arc::clone);
        table::show(ui, below, shown.as_deref(), study, env);
    }

    fn refresh(&mut self, ui: &Ui, study: &Allocation) {
        let is_same = |EvaluationInput(input): &EvaluationInput| input == study;
        self.board.refresh(ui.ctx(), is_same, || EvaluationInput(study.clone()));
    }

    fn strip(&mut self, ui: &mut Ui) {
        headline::panel(ui, &mut self.board, |ui, shown| {
            headline::strip(ui, |ui| figures(ui, shown));
            headline::answer_of_chart(ui, || shown.outcome.sentence());
            headline::warnings(ui, &shown.outcome.warnings);
        });
    }

    fn current(&self, study: &Study) -> Option<Arc<Shown>> {
        let study = study.allocation()?;
        self.board.shown().filter(|shown| shown.study == *study).map(Arc::clone)
    }
}

fn figures(ui: &mut Ui, shown: &Shown) {
    let (study, outcome) = (&shown.study, &shown.outcome);
    let own = outcome.own();
    let share = |percent: f64| Unit::Share.format(percent / 100.0);
    let demand = Unit::Share.format(study.arrivals.demand);
    headline::headline(
        ui,
        &share(own.end().allocated_percent),
        &format!("of all GPUs allocated by {}", own.policy.label()),
        &format!("Allocated GPUs when {demand} of all GPUs are requested; mean over the arrival orders."),
    );
    headline::headline(
        ui,
        &share(own.end().fragmented_percent),
        "of all GPUs in fragments",
        &Meaning::own("As a share of all GPUs").and_term("fragment").text(),
    );
    headline::headline(
        ui,
        &Unit::Share.format(own.rejected),
        "of the tasks rejected",
        &Meaning::own("On arrival").and_term("rejected").text(),
    );
    let (figure, meaning) = match outcome.nodes_to_add {
        Some(0) => ("none".to_owned(), "nodes to add: the target is met".to_owned()),
        Some(nodes) => (
            format!("+{}", Unit::Count.format(nodes as f64)),
            format!("nodes to add to group “{}”", study.policy.growing_nodes),
        ),
        None => ("–".to_owned(), "target not reached even with 8 × the nodes".to_owned()),
    };
    headline::headline(
        ui,
        &figure,
        &meaning,
        &format!(
            "Nodes to add until {} of the requested GPUs are allocated, in arrival order 1.",
            Unit::Share.format(study.arrivals.target)
        ),
    );
    if let Some(watts) = outcome.watts {
        headline::headline(
            ui,
            &Unit::Watts.format(watts),
            "power of allocated GPUs",
            "Power of the GPUs that are allocated at the end of arrival order 1.",
        );
    }
}

fn plots(ui: &mut Ui, shown: &Shown, on_screen: OnScreen, env: &mut Env<'_>) {
    let charts = [&shown.charts.allocated, &shown.charts.fragments];
    let columns = on_screen.columns(if ui.available_width() < NARROW { 1 } else { 2 });
    screen::legend(ui, charts[0]);
    let height = (ui.available_height() - 120.0).clamp(170.0, 380.0);
    let charts: Vec<_> = charts.into_iter().enumerate().filter(|(index, _)| on_screen.has(*index)).collect();
    for row in charts.chunks(columns) {
        beside::show(ui, columns, |columns| {
            for (ui, (index, chart)) in columns.iter_mut().zip(row) {
                let index = *index;
                ui.horizontal_wrapped(|ui| {
                    ui.heading(&chart.title);
                    export_menu::show(ui, env, index, index == 0);
                });
                screen::lines(ui, ("allocation", index), chart, None, height);
                ui.label(&chart.answer);
            }
        });
    }
}

/// Tasks of a replay by kind, in the order of its results.
const KINDS: [&str; 2] = ["latency-sensitive", "other"];

/// Waits in the replay with the study's own policy.
fn waits(ui: &mut Ui, shown: &Shown) {
    let (study, outcome) = (&shown.study, &shown.outcome);
    let Some(replayed) = outcome.replayed.get(outcome.chosen) else { return };
    ui.add_space(8.0);
    ui.heading("How long do tasks wait?");
    let arrivals = match &study.replay.trace {
        Some(named) => format!("Tasks of {} arrive at their recorded times", named.name()),
        None if study.replay.seconds == 0.0 => "All tasks arrive at the start".to_owned(),
        None => format!("Tasks arrive at random for {} and run for random times", elapsed(study.replay.seconds)),
    };
    let policy = outcome.own().policy.label();
    let runs = if study.replay.runs == 1.0 {
        "one replay".to_owned()
    } else {
        format!("mean over {} replays", Unit::Count.format(study.replay.runs))
    };
    ui.label(RichText::new(format!("{arrivals}; policy {policy}, {runs}")).weak());
    for (kind, name) in KINDS.into_iter().enumerate() {
        let deviation = (study.replay.runs > 1.0).then_some(replayed.standard_deviation[kind]);
        if let Some(sentence) = replayed_sentence(&replayed.served[kind], deviation, name) {
            ui.label(sentence);
        }
    }
    let used = |kwh: &f64| format!("tasks used {} and ", Unit::KilowattHours.format(*kwh));
    let energy = outcome.kwh.get(outcome.chosen).map(used).unwrap_or_default();
    let until = if replayed.arrival_seconds < replayed.makespan { "last arrival" } else { "end of the last task" };
    ui.label(format!(
        "{} of the GPU time until the {until} was allocated to tasks. In the whole replay, {energy}at most {} waited at once.",
        Unit::Share.format(replayed.utilisation),
        counted(replayed.longest_queue.round(), "task"),
    ));
}

/// "2,301 other tasks waited 13 min on average (standard deviation over replays 2 min) …"; `None` if no task ended. `deviation`: `None`
/// for one replay.
fn replayed_sentence(served: &Served, deviation: Option<f64>, name: &str) -> Option<String> {
    let slowdown = served.mean_slowdown?;
    let deviation = deviation.map(|deviation| format!(" (standard deviation over replays {})", elapsed(deviation)));
    let mut text = format!(
        "{} waited {} on average{}; p99 wait {}; mean slowdown {}",
        counted(served.ended.round(), &format!("{name} task")),
        elapsed(served.mean_wait),
        deviation.unwrap_or_default(),
        elapsed(served.p99_wait),
        Unit::Factor.format(slowdown),
    );
    // Other tasks have no SLO.
    if name == KINDS[0] {
        let share = served.slo_violation_share.unwrap_or(0.0);
        text.push_str(&format!("; SLO violations {}", Unit::Share.format(share)));
    }
    let times = [
        (served.preempted, "preemption", " for latency-sensitive tasks"),
        (served.share_increases, "increase", " of the GPU share to meet the SLO"),
        (served.share_reductions, "reduction", " of the GPU share"),
        (served.throttled, "task", " throttled to the GPU share"),
    ];
    for (often, what, why) in times.into_iter().filter(|(often, ..)| *often >= 0.5) {
        text.push_str(&format!("; {}{why}", counted(often.round(), what)));
    }
    Some(format!("{text}."))
}

/// Rejected tasks of the first arrival order, with reasons.
fn rejected_tasks(ui: &mut Ui, shown: &Shown) {
    let (study, outcome) = (&shown.study, &shown.outcome);
    ui.add_space(8.0);
    ui.heading("Which tasks are rejected, and why?");
    if outcome.rejections.is_empty() {
        ui.label("No task is rejected in arrival order 1.");
        return;
    }
    let when = "In arrival order 1. Each reason describes the nodes when the first task of its group was rejected";
    ui.label(RichText::new(when).weak());
    for rejected in outcome.rejections.iter().take(NAMED) {
        let name = &study.tasks[rejected.request].name;
        let why = rejected.reason.sentence(|node| outcome.nodes[node].clone());
        let count = Unit::Count.format(rejected.count as f64);
        ui.horizontal_wrapped(|ui| {
            ui.strong(format!("{count} × {name}:"));
            ui.label(why);
        });
    }
    if outcome.rejections.len() > NAMED {
        let more = counted((outcome.rejections.len() - NAMED) as f64, "more group");
        ui.label(RichText::new(format!("and {more}")).weak());
    }
}

impl Page for View {
    fn help(&self) -> &'static str {
        "SHARE-GPUS.md#in-the-window"
    }

    fn tour(&self) -> &'static [Step] {
        &tour::STEPS
    }

    fn ui(&mut self, ui: &mut Ui, study: &mut Study, env: &mut Env<'_>) {
        if let Some(study) = study.allocation_mut() {
            self.draw(ui, study, env);
        }
    }

    fn status(&self, warnings: &str) -> String {
        let Some(shown) = self.board.shown() else { return "evaluating".to_owned() };
        let nodes: f64 = shown.study.nodes.iter().map(|group| group.nodes).sum();
        let nodes = counted(nodes, "node");
        format!("policy {}  ·  {nodes}  ·  {warnings}", shown.outcome.own().policy.label())
    }

    fn is_busy(&self) -> bool {
        self.board.is_busy()
    }

    fn charts(&self) -> Vec<Chart> {
        let shown = self.board.shown().into_iter();
        shown
            .flat_map(|shown| {
                [&shown.charts.allocated, &shown.charts.fragments].map(|chart| Chart::Lines(chart.clone()))
            })
            .collect()
    }

    fn data_csv(&self, study: &Study) -> Result<LazyText, String> {
        let shown = self.current(study).ok_or("No result yet; export when the evaluation has finished")?;
        Ok(LazyText::new(move || export::allocation::curves_csv(&shown.outcome)))
    }

    fn results(&self, scenario: &Scenario, format: Format) -> Option<LazyText> {
        let (name, shown) = (scenario.name.clone(), self.current(&scenario.study)?);
        Some(LazyText::new(move || export::allocation::results(&name, &shown.study, &shown.outcome).write(format)))
    }

    fn reset_layout(&mut self, study: &Study) {
        if let Some(study) = study.allocation() {
            *self = Self::new(study);
        }
    }
}

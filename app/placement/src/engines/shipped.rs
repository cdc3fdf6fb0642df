//! The measured queries that come with the program: the figures of each set, a chart of one, and its queries.

use crossover_chart::lines::LineChart;
use crossover_chart::{Chart, screen};
use crossover_export::placement::truth::{
    decided_queries, decision_facts, decision_rules, decisions_how, decisions_title, scoreboard_csv, scoreboard_json,
    scoreboard_table, scoreboard_text_report, scored_chart, scored_figures, scored_queries, scored_title,
    worse_than_constant,
};
use crossover_page::command::Command;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_page::export_menu;
use crossover_page::tool::PageContext;
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::{drawer, focus};
use crossover_plan::shipped::{SETS, Scoreboard, ScoredDecisions, ScoredSet};
use crossover_quantity::text::counted;
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use super::{Request, choose};
use crate::grid;
use crate::scoreboard::scoreboard;

/// Writes the predictions and decisions in a format.
type Write = fn(&Scoreboard) -> String;

/// Height of the chart.
const CHART: f32 = 300.0;
/// Least and usual height of the list.
const LIST: [f32; 2] = [110.0, 210.0];

/// The predictions of all sets, which depend on nothing but the program.
#[derive(Debug, Clone)]
struct ScoreInput;

impl Work for ScoreInput {
    type Outcome = Result<Scoreboard, String>;
    const NAME: &'static str = "scores";
    const AGAIN: &'static str = "Compute";

    fn milliseconds(&self) -> f64 {
        // Hundreds of fits: never within a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        "Predicting the shipped queries by fits that did not see them".to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        watched(ticket, SETS, |watch| scoreboard(&watch)).transpose()
    }
}

/// The part of the page about shipped measurements.
#[derive(Debug)]
pub(super) struct Shipped {
    found: Computed<ScoreInput>,
    /// The set on screen.
    picked: usize,
    /// Its chart, with the number of the outcome and its position.
    chart: Option<((u64, usize), LineChart)>,
}

impl Shipped {
    /// Without an outcome yet.
    pub(super) fn new() -> Self {
        Self { found: Computed::new(), picked: 0, chart: None }
    }

    /// One line for the status bar.
    pub(super) fn status(&self) -> String {
        match self.found.shown().map(AsRef::as_ref) {
            Some(Ok(Scoreboard { sets, .. })) => {
                let queries: usize = sets.iter().map(|set| set.queries.len()).sum();
                format!("{} of shipped measurements", counted(queries as f64, "prediction"))
            }
            Some(Err(_)) => "the shipped measurements cannot be read".to_owned(),
            None => "predicting the shipped measurements".to_owned(),
        }
    }

    /// What it waits for, if a result will arrive soon.
    pub(super) fn waits_for(&self) -> Option<&'static str> {
        self.found.is_busy().then_some(ScoreInput::NAME)
    }

    /// The chart on the screen.
    pub(super) fn charts(&self) -> Vec<Chart> {
        self.chart.iter().map(|(_, chart)| Chart::Lines(chart.clone())).collect()
    }

    /// Draws it; `has_own`: cases of a file can be shown instead, and `question` with `what_for` is the title and the purpose of those.
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        [question, what_for]: [&str; 2],
        has_own: bool,
        context: &mut PageContext<'_>,
    ) {
        self.found.refresh(ui.ctx(), |_| true, || ScoreInput);
        let outcome = self.found.shown().cloned();
        let board = outcome.as_deref().and_then(|found| found.as_ref().ok());
        let sets: &[ScoredSet] = board.map_or(&[], |board| board.sets.as_slice());
        self.refresh(sets);
        let below = sets.get(self.picked).map(|set| (drawer::below(ui, "shipped", "All queries", LIST), set));
        drawer::left(ui, "shipped-sets", ["Measurements", "the measured queries"], true, |ui| {
            ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.choose(ui, board, context.commands);
                ui.add_space(12.0);
                ui.heading("Your measurements");
                if has_own {
                    choose::ask(ui, Request::ShowOwn, "Show my cases", context.commands);
                }
                ui.label(what_for);
                choose::of_file(ui, context.commands);
            });
        });
        CentralPanel::default_margins().show(ui, |ui| {
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                ui.heading(question);
                self.found.state(ui);
                self.found.dim(ui);
                match outcome.as_deref() {
                    None => {}
                    Some(Err(problem)) => choose::problem(ui, problem),
                    Some(Ok(board)) => self.answer(ui, board, context.commands),
                }
            });
        });
        if let Some((below, set)) = below {
            below.show(ui, |ui| {
                ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    grid::show(ui, "shipped-queries", &scored_queries(set));
                });
            });
        }
    }

    /// Makes the chart of the set on screen, unless it is up to date.
    fn refresh(&mut self, sets: &[ScoredSet]) {
        let of = (self.found.number(), self.picked);
        if self.chart.as_ref().is_none_or(|(made_of, _)| *made_of != of) {
            self.chart = sets.get(self.picked).map(|set| (of, scored_chart(set)));
        }
    }

    /// The choice of the set on screen.
    fn choose(&mut self, ui: &mut Ui, board: Option<&Scoreboard>, commands: &mut Vec<Command>) {
        ui.heading("Which measurements?");
        let Some(board) = board else { return };
        for (place, set) in board.sets.iter().enumerate() {
            let text = format!("{}, {} left out", set.name, set.left_out.label());
            if ui.radio(self.picked == place, text).on_hover_text(set.benchmark).clicked() {
                self.picked = place;
            }
        }
        ui.horizontal_wrapped(|ui| {
            let formats: [(&str, Write); 3] = [
                ("Markdown", |board| scoreboard_text_report(board).markdown()),
                ("CSV", scoreboard_csv),
                ("JSON", scoreboard_json),
            ];
            for (format, write) in formats {
                if ui.button(format!("Copy as {format}")).clicked() {
                    copy(ui, commands, write(board), &format!("the figures of all measurements as {format}"));
                }
            }
        });
    }

    /// The figures of all sets, the chart of one, and the decisions.
    fn answer(&self, ui: &mut Ui, Scoreboard { sets, decisions }: &Scoreboard, commands: &mut Vec<Command>) {
        ScrollArea::horizontal().id_salt("figures").show(ui, |ui| {
            grid::show(ui, "shipped-figures", &scoreboard_table(sets));
        });
        for (name, meaning) in scored_figures() {
            ui.label(RichText::new(format!("{name}: {meaning}.")).weak());
        }
        let worse: Vec<String> = worse_than_constant(sets).collect();
        choose::notes(ui, &worse);
        if let Some((_, chart)) = &self.chart {
            ui.add_space(8.0);
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(&chart.title).heading());
                export_menu::of_tool(ui, commands, [chart.captions()]);
            });
            if let Some(set) = sets.get(self.picked) {
                ui.weak(scored_title(set));
                ui.weak(format!("Predicted from: {}.", set.form));
            }
            ui.label(&chart.answer);
            screen::legend(ui, chart);
            screen::lines(ui, ("shipped", self.picked), chart, None, CHART);
        }
        ui.add_space(8.0);
        decided(ui, decisions);
    }
}

/// The decisions about the queries that ran in three engines: what each rule costs, and every query when opened.
fn decided(ui: &mut Ui, decisions: &ScoredDecisions) {
    ui.label(RichText::new(decisions_title(decisions)).heading());
    ui.weak(decisions_how(decisions));
    ScrollArea::horizontal().id_salt("decision rules").show(ui, |ui| {
        grid::show(ui, "decision-rules", &decision_rules(decisions));
    });
    for (name, meaning) in decision_facts(decisions) {
        ui.label(RichText::new(format!("{name}: {meaning}.")).weak());
    }
    ui.collapsing("All decisions", |ui| {
        ScrollArea::horizontal().id_salt("decisions").show(ui, |ui| {
            grid::show(ui, "decided-queries", &decided_queries(decisions));
        });
    });
}

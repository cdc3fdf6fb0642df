//! The measured queries that come with the program: what a page finds of each set, a chart of one, and its queries.

use std::fmt::Debug;
use std::marker::PhantomData;

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
use crossover_page::widgets::{drawer, focus, text_table};
use crossover_plan::shipped::{SETS, Scoreboard, ScoredDecisions, ScoredSet};
use crossover_quantity::text::counted;
use crossover_study::Watch;
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use super::{Request, choose};
use crate::scoreboard::scoreboard;

/// Writes the predictions and decisions in a format.
type Write = fn(&Scoreboard) -> String;

/// Height of the chart.
const CHART: f32 = 300.0;
/// Least and usual height of the list.
const LIST: [f32; 2] = [110.0, 210.0];

/// What a page finds of the shipped sets.
pub(super) trait ShippedFinding: Debug + Send + Sync + Sized + 'static {
    /// Name in threads, in errors and on the button that cancels.
    const NAME: &'static str;
    /// Text of the button that starts a cancelled computation again.
    const AGAIN: &'static str;
    /// What is done to all sets, which depends on nothing but the program.
    const IN_WORDS: &'static str;

    /// The outcome. Nothing if it was cancelled.
    ///
    /// # Errors
    /// A file of the program cannot be read.
    fn find(watch: &Watch<'_>) -> Result<Option<Self>, String>;

    /// The queries of each set with their predictions, and the decisions from them.
    fn scoreboard(&self) -> &Scoreboard;

    /// Name of a set in the choice of sets.
    fn label(set: &ScoredSet) -> String;

    /// One line for the status bar.
    fn status(&self) -> String;

    /// The part of the page above the chart; `picked` is the position of the set on the screen.
    fn head(&self, ui: &mut Ui, picked: usize);
}

impl ShippedFinding for Scoreboard {
    const NAME: &'static str = "scores";
    const AGAIN: &'static str = "Compute";
    const IN_WORDS: &'static str = "Predicting the shipped queries by fits that did not see them";

    fn find(watch: &Watch<'_>) -> Result<Option<Self>, String> {
        scoreboard(watch)
    }

    fn scoreboard(&self) -> &Scoreboard {
        self
    }

    fn label(set: &ScoredSet) -> String {
        format!("{}, {} left out", set.name, set.left_out.label())
    }

    fn status(&self) -> String {
        let queries: usize = self.sets.iter().map(|set| set.queries.len()).sum();
        format!("{} of shipped measurements", counted(queries as f64, "prediction"))
    }

    fn head(&self, ui: &mut Ui, _: usize) {
        text_table::show(ui, "shipped-figures", &scoreboard_table(&self.sets), &[]);
        for (name, meaning) in scored_figures() {
            ui.label(RichText::new(format!("{name}: {meaning}.")).weak());
        }
        let worse: Vec<String> = worse_than_constant(&self.sets).collect();
        choose::notes(ui, &worse);
    }
}

/// All sets.
#[derive(Debug)]
struct SetsInput<S>(PhantomData<fn() -> S>);

impl<S> Clone for SetsInput<S> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<S: ShippedFinding> Work for SetsInput<S> {
    type Outcome = Result<S, String>;
    const NAME: &'static str = S::NAME;
    const AGAIN: &'static str = S::AGAIN;

    fn milliseconds(&self) -> f64 {
        // Hundreds of fits: never within a frame.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        S::IN_WORDS.to_owned()
    }

    fn compute(&self, _: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        watched(ticket, SETS, |watch| S::find(&watch)).transpose()
    }
}

/// The part of the page about shipped measurements.
#[derive(Debug)]
pub(super) struct Shipped<S: ShippedFinding> {
    found: Computed<SetsInput<S>>,
    /// The set on screen.
    picked: usize,
    /// Its chart, with the number of the outcome and its position.
    chart: Option<((u64, usize), LineChart)>,
}

impl<S: ShippedFinding> Shipped<S> {
    /// Without an outcome yet.
    pub(super) fn new() -> Self {
        Self { found: Computed::new(), picked: 0, chart: None }
    }

    /// One line for the status bar.
    pub(super) fn status(&self) -> String {
        match self.found.shown().map(AsRef::as_ref) {
            Some(Ok(found)) => found.status(),
            Some(Err(_)) => "the shipped measurements cannot be read".to_owned(),
            None => "reading the shipped measurements".to_owned(),
        }
    }

    /// What it waits for, if a result will arrive soon.
    pub(super) fn waits_for(&self) -> Option<&'static str> {
        self.found.is_busy().then_some(S::NAME)
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
        self.found.refresh(ui.ctx(), |_| true, || SetsInput(PhantomData));
        let outcome = self.found.shown().cloned();
        let found = outcome.as_deref().and_then(|found| found.as_ref().ok());
        let board = found.map(S::scoreboard);
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
                    Some(Ok(found)) => self.answer(ui, found, context.commands),
                }
            });
        });
        if let Some((below, set)) = below {
            below.show(ui, |ui| {
                ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    text_table::show(ui, "shipped-queries", &scored_queries(set), &[]);
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
            if ui.radio(self.picked == place, S::label(set)).on_hover_text(set.benchmark).clicked() {
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

    /// What is found of the sets, the chart of one, and the decisions.
    fn answer(&self, ui: &mut Ui, found: &S, commands: &mut Vec<Command>) {
        let Scoreboard { sets, decisions } = found.scoreboard();
        found.head(ui, self.picked);
        if let (Some(set), Some((_, chart))) = (sets.get(self.picked), &self.chart) {
            ui.add_space(8.0);
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new(&chart.title).heading());
                export_menu::of_tool(ui, commands, [chart.captions()]);
            });
            ui.weak(scored_title(set));
            ui.weak(format!("Predicted from: {}.", set.form));
            ui.label(&chart.answer);
            screen::legend(ui, chart);
            screen::lines(ui, ("shipped", self.picked), chart, None, CHART);
        }
        if let Some(decisions) = decisions {
            ui.add_space(8.0);
            decided(ui, decisions);
        }
    }
}

/// The decisions about the queries that ran in three engines: what each rule costs, and every query when opened.
fn decided(ui: &mut Ui, decisions: &ScoredDecisions) {
    ui.label(RichText::new(decisions_title(decisions)).heading());
    ui.weak(decisions_how(decisions));
    text_table::show(ui, "decision-rules", &decision_rules(decisions), &[]);
    for (name, meaning) in decision_facts(decisions) {
        ui.label(RichText::new(format!("{name}: {meaning}.")).weak());
    }
    ui.collapsing("All decisions", |ui| {
        text_table::show(ui, "decided-queries", &decided_queries(decisions), &[]);
    });
}

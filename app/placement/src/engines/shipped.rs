//! The measured queries that come with the program: what a page finds of each set, a chart of one, and its queries.

use std::fmt::Debug;
use std::marker::PhantomData;

use crossover_chart::lines::LineChart;
use crossover_chart::screen;
use crossover_export::placement::truth::{
    scoreboard_csv, scoreboard_json, scoreboard_table, scoreboard_text_report, scored_chart, scored_figures,
    scored_queries, scored_title, worse_than_constant,
};
use crossover_page::command::Command;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{Computed, IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_page::tool::PageContext;
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::{drawer, focus};
use crossover_plan::shipped::{SETS, ScoredSet};
use crossover_quantity::text::counted;
use crossover_study::Watch;
use egui::{CentralPanel, RichText, ScrollArea, Ui};

use super::{Request, choose};
use crate::grid;
use crate::scoreboard::scoreboard;

/// Writes the sets in a format.
type Write = fn(&[ScoredSet]) -> String;

/// Height of the chart.
const CHART: f32 = 300.0;
/// Least and usual height of the list.
const LIST: [f32; 2] = [110.0, 210.0];

/// What a page finds of a shipped set.
pub(super) trait ShippedSet: Debug + Send + Sync + Sized + 'static {
    /// Name in threads, in errors and on the button that cancels.
    const NAME: &'static str;
    /// Text of the button that starts a cancelled computation again.
    const AGAIN: &'static str;
    /// What is done to all sets, which depends on nothing but the program.
    const IN_WORDS: &'static str;

    /// What is found of all sets. Nothing if it was cancelled.
    ///
    /// # Errors
    /// A file of the program cannot be read.
    fn find(watch: &Watch<'_>) -> Result<Option<Vec<Self>>, String>;

    /// Its queries with their predictions.
    fn scored(&self) -> &ScoredSet;

    /// Its name in the choice of sets.
    fn label(&self) -> String;

    /// One line for the status bar.
    fn status(sets: &[Self]) -> String;

    /// The part of the page above the chart.
    fn head(ui: &mut Ui, sets: &[Self], picked: &Self);
}

impl ShippedSet for ScoredSet {
    const NAME: &'static str = "scores";
    const AGAIN: &'static str = "Compute";
    const IN_WORDS: &'static str = "Predicting the shipped queries by fits that did not see them";

    fn find(watch: &Watch<'_>) -> Result<Option<Vec<Self>>, String> {
        scoreboard(watch)
    }

    fn scored(&self) -> &ScoredSet {
        self
    }

    fn label(&self) -> String {
        format!("{}, {} left out", self.name, self.left_out.label())
    }

    fn status(sets: &[Self]) -> String {
        let queries: usize = sets.iter().map(|set| set.queries.len()).sum();
        format!("{} of shipped measurements", counted(queries as f64, "prediction"))
    }

    fn head(ui: &mut Ui, sets: &[Self], _: &Self) {
        ScrollArea::horizontal().id_salt("figures").show(ui, |ui| {
            grid::show(ui, "shipped-figures", &scoreboard_table(sets));
        });
        for (name, meaning) in scored_figures() {
            ui.label(RichText::new(format!("{name}: {meaning}.")).weak());
        }
        let worse: Vec<String> = worse_than_constant(sets).collect();
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

impl<S: ShippedSet> Work for SetsInput<S> {
    type Outcome = Result<Vec<S>, String>;
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
pub(super) struct Shipped<S: ShippedSet> {
    found: Computed<SetsInput<S>>,
    /// The set on screen.
    picked: usize,
    /// Its chart, with the number of the outcome and its position.
    chart: Option<((u64, usize), LineChart)>,
}

impl<S: ShippedSet> Shipped<S> {
    /// Without an outcome yet.
    pub(super) fn new() -> Self {
        Self { found: Computed::new(), picked: 0, chart: None }
    }

    /// One line for the status bar.
    pub(super) fn status(&self) -> String {
        match self.found.shown().map(AsRef::as_ref) {
            Some(Ok(sets)) => S::status(sets),
            Some(Err(_)) => "the shipped measurements cannot be read".to_owned(),
            None => "reading the shipped measurements".to_owned(),
        }
    }

    /// What it waits for, if a result will arrive soon.
    pub(super) fn waits_for(&self) -> Option<&'static str> {
        self.found.is_busy().then_some(S::NAME)
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
        let sets = match outcome.as_deref() {
            Some(Ok(sets)) => sets.as_slice(),
            Some(Err(_)) | None => &[],
        };
        self.refresh(sets);
        let below = sets.get(self.picked).map(|set| (drawer::below(ui, "shipped", "All queries", LIST), set));
        drawer::left(ui, "shipped-sets", ["Measurements", "the measured queries"], true, |ui| {
            ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                focus::follow(ui);
                self.choose(ui, sets, context.commands);
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
                    Some(Ok(sets)) => self.answer(ui, sets),
                }
            });
        });
        if let Some((below, set)) = below {
            below.show(ui, |ui| {
                ScrollArea::both().auto_shrink(false).show(ui, |ui| {
                    focus::follow(ui);
                    grid::show(ui, "shipped-queries", &scored_queries(set.scored()));
                });
            });
        }
    }

    /// Makes the chart of the set on screen, unless it is up to date.
    fn refresh(&mut self, sets: &[S]) {
        let of = (self.found.number(), self.picked);
        if self.chart.as_ref().is_none_or(|(made_of, _)| *made_of != of) {
            self.chart = sets.get(self.picked).map(|set| (of, scored_chart(set.scored())));
        }
    }

    /// The choice of the set on screen.
    fn choose(&mut self, ui: &mut Ui, sets: &[S], commands: &mut Vec<Command>) {
        ui.heading("Which measurements?");
        for (place, set) in sets.iter().enumerate() {
            let benchmark = set.scored().benchmark;
            if ui.radio(self.picked == place, set.label()).on_hover_text(benchmark).clicked() {
                self.picked = place;
            }
        }
        ui.horizontal_wrapped(|ui| {
            let formats: [(&str, Write); 3] = [
                ("Markdown", |sets| scoreboard_text_report(sets).markdown()),
                ("CSV", scoreboard_csv),
                ("JSON", scoreboard_json),
            ];
            for (format, write) in formats {
                if ui.button(format!("Copy as {format}")).clicked() {
                    let scored: Vec<ScoredSet> = sets.iter().map(|set| set.scored().clone()).collect();
                    copy(ui, commands, write(&scored), &format!("the figures of all measurements as {format}"));
                }
            }
        });
    }

    /// What is found of the sets, and the chart of one.
    fn answer(&self, ui: &mut Ui, sets: &[S]) {
        let (Some(picked), Some((_, chart))) = (sets.get(self.picked), &self.chart) else { return };
        S::head(ui, sets, picked);
        let set = picked.scored();
        ui.add_space(8.0);
        ui.label(RichText::new(&chart.title).heading());
        ui.weak(scored_title(set));
        ui.weak(format!("Predicted from: {}.", set.form));
        ui.label(&chart.answer);
        screen::legend(ui, chart);
        screen::lines(ui, ("shipped", self.picked), chart, None, CHART);
    }
}

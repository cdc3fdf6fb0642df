//! The answer of the Compare page: which scenario is better, what differs, and the figures along a number.

use crossover_chart::theme::Token;
use crossover_export::compare::{Named, csv, markdown};
use crossover_page::application::AnswerApplication;
use crossover_page::command::Command;
use crossover_page::terminal::called;
use crossover_page::widgets::copied::copy;
use crossover_page::widgets::empty;
use crossover_scenario::Study;
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Range, Sweep};
use egui::{RichText, Ui};

use super::request::{CompareRequest, Found, Likelihood};
use super::{ANSWER, Page, curves, kind, tables};
use crate::curves::CurvesRequest;
use crate::pick::Target;

impl Page {
    /// What differs, and which scenario is better.
    pub(super) fn answer(
        &mut self,
        ui: &mut Ui,
        alike: &[Target<'_>],
        chosen: &[&Target<'_>],
        along: Option<&Range>,
        of_application: Option<AnswerApplication>,
        commands: &mut Vec<Command>,
    ) {
        if chosen.len() < 2 {
            self.compared.forget();
            self.curves.forget();
            if let Some(baseline) = chosen.first() {
                self.choose_second(ui, alike, baseline, commands);
            }
            return;
        }
        let is_same = |request: &CompareRequest| request.studies.iter().eq(studies(chosen));
        let ask = || CompareRequest { studies: studies(chosen).cloned().collect(), answer: of_application };
        self.compared.refresh(ui.ctx(), is_same, ask);
        let Some(shown) = self.compared.outcome(ui) else { return };
        let Ok(found) = &*shown else { return };
        let Found { comparison, likelihood, decisions, .. } = found;
        // For a moment, the result may have one scenario more or less.
        if comparison.differs_otherwise.len() != chosen.len() {
            return;
        }
        let names = names(chosen);
        let paired = if let Likelihood::Sampled(paired) = likelihood { Some(paired) } else { None };
        let named = Named { names: &names, comparison, paired, decisions };
        // They take one id of this `ui`, however many there are: the buttons keep theirs, and with it the focus, between rounds.
        ui.vertical(|ui| {
            for statement in named.statements() {
                ui.weak(statement);
            }
            ui.label(named.answer());
            if let Some(otherwise) = named.otherwise() {
                ui.label(otherwise);
            }
            for sentence in named.sentences() {
                ui.label(sentence);
            }
        });
        ui.horizontal_wrapped(|ui| {
            if ui.button("Copy as Markdown").on_hover_text("Both tables, for a document").clicked() {
                copy(ui, commands, markdown(&named), "both tables as Markdown");
            }
            if ui.button("Copy as CSV").on_hover_text("Every number and figure, for a spreadsheet").clicked() {
                copy(ui, commands, csv(&named), "all numbers and figures as CSV");
            }
            let line = format!("crossover compare{}", " FILE".repeat(names.len()));
            ui.label(RichText::new(line).monospace().weak());
        });
        ui.add_space(8.0);
        tables::figures(ui, &named);
        match likelihood {
            Likelihood::Exact => {}
            Likelihood::Sampled(_) => {
                ui.weak(found.so_far(&names).unwrap_or_default());
            }
            Likelihood::NotSampled if found.is_refinable() => {
                ui.weak("90 % intervals follow once the first samples are drawn.");
            }
            Likelihood::NotSampled => {
                let line = format!("crossover compare{} --samples {LEAST_SAMPLES}", " FILE".repeat(names.len()));
                ui.weak(format!("Computing 90 % intervals of these figures takes longer; run {line}"));
            }
            Likelihood::Failed(problem) => {
                ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), problem);
            }
        }
        ui.add_space(12.0);
        self.along_a_number(ui, chosen, &names, along, commands);
        ui.add_space(12.0);
        tables::numbers(ui, &named);
    }

    /// The scenarios that the baseline can be compared with.
    fn choose_second(&mut self, ui: &mut Ui, alike: &[Target<'_>], baseline: &Target<'_>, commands: &mut Vec<Command>) {
        if alike.len() < 2 {
            let kind = called(kind(baseline));
            let text = "and no other one of this kind is open. Open one to compare them.";
            ui.label(ANSWER);
            ui.label(format!("“{}” is {kind}, {text}", baseline.title));
            empty::steps(ui, &[Command::Open, Command::ShowStart], commands);
            return;
        }
        ui.label(ANSWER);
        ui.label(format!("The baseline is “{}”. Choose a second scenario:", baseline.title));
        for other in alike.iter().filter(|other| other.id != baseline.id) {
            let button = egui::Button::new(format!("Compare with {}", other.title)).truncate();
            if ui.add(button).clicked() {
                self.picked = vec![baseline.id.to_owned(), other.id.to_owned()];
            }
        }
    }

    /// Every figure along a number.
    fn along_a_number(
        &mut self,
        ui: &mut Ui,
        chosen: &[&Target<'_>],
        names: &[String],
        along: Option<&Range>,
        commands: &mut Vec<Command>,
    ) {
        ui.label(RichText::new("Along a number").heading());
        let Some(along) = along else {
            self.curves.forget();
            ui.label("Choose a number on the left to draw every figure along it, with a curve for each scenario.");
            return;
        };
        let sweep = Sweep { x: along.clone(), figures: Vec::new() };
        let is_same = |request: &CurvesRequest| request.is_of(studies(chosen), &sweep);
        let ask = || CurvesRequest { studies: studies(chosen).cloned().collect(), sweep: sweep.clone() };
        self.curves.refresh(ui.ctx(), is_same, ask);
        let Some(shown) = self.curves.outcome(ui) else { return };
        let Ok(found) = &*shown else { return };
        // For a moment, there may be one scenario more or less.
        if found.swept.len() == names.len() {
            self.drawn = (curves::show(ui, names, along, found, commands), names.to_vec());
        }
    }
}

fn studies<'t>(chosen: &'t [&Target<'_>]) -> impl Iterator<Item = &'t Study> {
    chosen.iter().map(|target| &target.scenario.study)
}

/// Names of the scenarios: their titles, of which no two are the same.
fn names(chosen: &[&Target<'_>]) -> Vec<String> {
    chosen.iter().map(|target| target.title.clone()).collect()
}

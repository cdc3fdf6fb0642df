//! "Fit engines": fits the numbers of two engines to measured runs.

use std::sync::Arc;

use crossover_engine::Profile;
use crossover_export::placement::truth::{side, undetermined};
use crossover_page::command::{Command, Tool};
use crossover_page::tool::{PageContext, ToolKind};
use crossover_page::widgets::cell::right;
use crossover_plan::cases::Compared;
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_study::Watch;
use egui::{Grid, ProgressBar, RichText, Ui};

use super::cases_page::CasesPage;
use super::fitted_sets::FittedSets;
use super::page::Finding;
use super::{Cases, Origin, Request, truth};
use crate::truth::{Fitted, fit_cases};

/// Fits engines to measured runs.
pub const TOOL: Tool = Tool {
    title: "Fit engines",
    tooltip: "Fit the engines of a cluster to measured runs of whole queries",
    help: "CALIBRATE.md#fit-your-own-engines",
};
/// How its page is opened.
pub(super) const KIND: ToolKind = ToolKind { tool: TOOL, open: |_| Box::new(CasesPage::<Fitted, FittedSets>::new()) };

/// The columns of the numbers, and what they mean.
const COLUMNS: [(&str, &str); 4] = [
    ("engine", "Engine, and the part of its time"),
    ("factor", "Factor by which the fit multiplies the time of this part"),
    ("± 1 σ", "± one standard deviation: about 68 % of such fits lie within it"),
    ("determined by runs", "Share of the number that the runs determine; the rest is its value before the fit"),
];

impl Finding for Fitted {
    const TOOL: Tool = TOOL;
    const NAME: &'static str = "fit";
    const AGAIN: &'static str = "Fit";
    const FIRST_VISIT: [&'static str; 2] = [
        "How fast are your engines?",
        "A file of cases lists queries, where they ran, and their times. A few runs are enough to fit the engines of your \
         cluster. Numbers that the runs do not determine keep their values.",
    ];
    const WHICH_ENGINES: &'static str = "Which engines does the fit start from?";
    const TAKES_FITS: bool = false;

    fn find(cases: &Cases, engines: Option<&Profile>, watch: &Watch<'_>) -> Result<Option<Self>, String> {
        fit_cases(&cases.file, engines, watch)
    }

    fn compared(&self) -> &[Compared] {
        &self.left_out
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn status(&self) -> String {
        let numbers = counted(self.fit.numbers.len() as f64, "number");
        format!("{numbers} fitted to {}", counted(self.left_out.len() as f64, "case"))
    }

    fn head(&self, ui: &mut Ui, cases: &Cases, context: &mut PageContext<'_>) {
        what_to_do(ui, self, cases, context);
        numbers(ui, self);
        ui.add_space(12.0);
        ui.label("Leave-one-out cross-validation: each query is predicted by a fit to all others.");
    }

    fn engines(&self, _: Option<Arc<Profile>>) -> Option<Arc<Profile>> {
        Some(Arc::new(self.profile.clone()))
    }
}

/// Actions for the fitted profile.
fn what_to_do(ui: &mut Ui, fitted: &Fitted, cases: &Cases, context: &mut PageContext<'_>) {
    ui.heading("Fit results");
    ui.label(answer(fitted));
    let profile = || Arc::new(fitted.profile.clone());
    ui.horizontal_wrapped(|ui| {
        if ui.button("Save the profile…").on_hover_text("For the command line, and for other scenarios").clicked() {
            context.commands.push(Command::ask(Request::SaveProfile(profile())));
        }
        ui.menu_button("Use in a scenario", |ui| {
            let mut documents = context.documents.iter().filter(|document| document.scenario.placement().is_some());
            let mut is_empty = true;
            for document in &mut documents {
                is_empty = false;
                if ui.button(document.label()).clicked() {
                    context.commands.push(Command::ask(Request::Give(document.id.clone(), profile())));
                }
            }
            if is_empty {
                ui.weak("No placement scenario is open");
                let open = Command::Open;
                if ui.button(open.text()).on_hover_text(open.tooltip()).clicked() {
                    context.commands.push(open);
                }
            }
        });
        let check = ui.button("Check on other cases").on_hover_text("Opens the page “Prediction accuracy”");
        if check.clicked() {
            let origin = Origin::FittedTo(cases.file.clone());
            context.commands.push(Command::ask(Request::Offer(origin, profile())));
            context.commands.push(Command::ShowTool(truth::TOOL));
        }
    });
    ui.add_space(4.0);
}

/// "Numbers determined mainly by the runs, not by their starting values: 9 of 14. Best determined: …."
fn answer(fitted: &Fitted) -> String {
    let numbers = &fitted.fit.numbers;
    let determined = numbers.iter().filter(|number| number.determined_share() > 0.5).count();
    let known = numbers.iter().filter(|number| number.determined_share() > 0.0);
    let best = known.max_by(|a, b| a.determined_share().total_cmp(&b.determined_share()));
    let best = best.map(|number| {
        let share = Unit::Share.format(number.determined_share());
        let engine = match side(&fitted.fit, number.side) {
            label if label == number.side.to_uppercase() => format!("the {label} engine"),
            name => name,
        };
        format!(
            " Best determined: “{}” of {engine}, {share} by the runs and the rest by its starting value.",
            number.part.label()
        )
    });
    format!(
        "Numbers determined mainly by the runs, not by their starting values: {determined} of {}.{}",
        numbers.len(),
        best.unwrap_or_default()
    )
}

/// Every number with its factor, its interval, and the share that the runs determine.
fn numbers(ui: &mut Ui, fitted: &Fitted) {
    let factor = |value: f64| Unit::Factor.format(value);
    Grid::new("numbers").striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
        for (at, (title, meaning)) in COLUMNS.into_iter().enumerate() {
            let title = RichText::new(title).strong();
            let shown = if at == 1 { right(ui, title) } else { ui.label(title) };
            shown.on_hover_text(meaning);
        }
        ui.end_row();
        for number in &fitted.fit.numbers {
            ui.label(format!("{} {}", side(&fitted.fit, number.side), number.part.label()));
            right(ui, RichText::new(factor(number.factor)));
            let [low, high] = number.one_sigma();
            ui.label(format!("{} … {}", factor(low), factor(high)));
            #[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1")]
            let share = number.determined_share() as f32;
            ui.add(ProgressBar::new(share).desired_width(110.0).text(Unit::Share.format(number.determined_share())));
            ui.end_row();
        }
    });
    for sentence in undetermined(&fitted.fit) {
        ui.label(sentence);
    }
}

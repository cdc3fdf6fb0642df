//! What a study lacks for a decision, each with the field that adds it.

use crossover_chart::theme::Token;
use crossover_decision::Baseline;
use crossover_engine::Engines;
use crossover_page::command::Command;
use crossover_page::widgets::{form, preset, warning};
use crossover_placement::Placement;
use crossover_plan::remarks::{Remarks, are_machines_known, unknown_machines};
use crossover_plan::today::entered_instead;
use crossover_quantity::text::counted;
use crossover_study::sources;
use egui::{CollapsingHeader, Label, RichText, Ui};

use super::super::steps;
use super::super::{Env, Mode, presets};

/// Warnings and notes about the file, with notes about the decision.
pub(super) fn remarks(ui: &mut Ui, Remarks { warnings, notes }: &Remarks, of_decision: &[&str]) {
    let warnings: Vec<&str> = warnings.iter().map(String::as_str).collect();
    let notes: Vec<&str> = of_decision.iter().copied().chain(notes.iter().map(String::as_str)).collect();
    folded(ui, "About the log", [&warnings, &notes], false);
}

/// The warnings about the options of a decision; `is_open`: the list is open at first.
pub(super) fn about_options<'a>(ui: &mut Ui, warnings: impl Iterator<Item = &'a String>, is_open: bool) {
    let warnings: Vec<&str> = warnings.map(String::as_str).collect();
    folded(ui, "About the options", [&warnings, &[]], is_open);
}

/// Warnings and notes about something. Several are folded into a line with their numbers, so that the content below it stays on the
/// first screen.
fn folded(ui: &mut Ui, about: &str, [warnings, notes]: [&[&str]; 2], is_open: bool) {
    let dark = ui.visuals().dark_mode;
    let kinds = [(warnings, "warning", "Warning", Token::Warning), (notes, "note", "Note", Token::TextWeak)];
    let kinds = kinds.iter().filter(|(texts, ..)| !texts.is_empty());
    let list = |ui: &mut Ui| {
        for (texts, _, word, token) in kinds.clone() {
            for text in *texts {
                ui.colored_label(token.color(dark), format!("{word}: {}.", text.trim_end_matches('.')));
            }
        }
    };
    warning::count(ui, warnings.len());
    if warnings.len() + notes.len() < 2 {
        list(ui);
        return;
    }
    let numbers = kinds.clone().map(|(texts, noun, ..)| counted(texts.len() as f64, noun));
    let title = RichText::new(format!("{about}: {}", numbers.collect::<Vec<String>>().join(", ")));
    let token = if warnings.is_empty() { Token::TextWeak } else { Token::Warning };
    // Closed on one page, the list of another one is still open at first.
    let id = (about, is_open);
    CollapsingHeader::new(title.color(token.color(dark))).id_salt(id).default_open(is_open).show(ui, list);
}

/// Says that no engine was measured against that of the query, and offers those that were.
pub(super) fn engines(ui: &mut Ui, study: &mut Placement, mode: &mut Option<Mode>, env: &mut Env<'_>) {
    let engine = study.query.as_deref().map_or("", |query| query.plan.engine.as_str());
    let why = match engine {
        "" => "No engine was measured against this engine".to_owned(),
        sql if sql.starts_with("SQL") => "SQL names no engine".to_owned(),
        engine => format!("No engine was measured against {engine}"),
    };
    let text = format!(
        "{why}, so there is no answer about time and cost. Choose measured engines to compare with, or look at each operator."
    );
    warning::show(ui, text);
    ui.set_max_width(420.0);
    if let Some(picked) = preset::picker(ui, "engines", "", presets::engines()) {
        env.commands.extend(presets::fill_engines(study, picked).map(Command::Notify));
    }
    if ui.button("Show operators").clicked() {
        *mode = Some(Mode::Plan);
    }
}

/// "Query 6 alone:", in step 2, where the strip is about the application.
fn query_alone(study: &Placement) -> String {
    match study.query.as_deref().map(|query| query.plan.query.as_str()) {
        None | Some("") => "This query alone:".to_owned(),
        Some(id) => format!("Query {id} alone:"),
    }
}

/// The measured time of the query, or why there is none, with the button that adds one; `whole`: its application with its time, if the
/// strip is about that.
pub(super) fn run(
    ui: &mut Ui,
    study: &mut Placement,
    baseline: Option<&Baseline>,
    whole: Option<&str>,
    env: &mut Env<'_>,
) {
    if let Some(whole) = whole {
        ui.add(Label::new(whole).wrap());
        ui.strong(query_alone(study));
    }
    match MissingRun::of(study) {
        None if study.engines.is_some() => {
            form::numbers(ui, study, "engines", &[&Engines::MEASURED_SECONDS], env.commands);
        }
        None => {}
        Some(missing) => {
            warning::show(ui, missing.text());
            if !ui.button(missing.remedy()).clicked() {
                return;
            }
            match missing {
                MissingRun::OnGpus => env.commands.push(Command::ShowTool(steps::WHAT)),
                MissingRun::Unmeasured => {
                    let seconds = baseline.map_or(1.0, |baseline| baseline.time.value());
                    enter(study, |engines| engines.measured_seconds = Some(seconds.clamp(1e-6, 1e9)));
                }
            }
        }
    }
}

/// Why a query has no measured time to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MissingRun {
    /// A run on GPUs has no time on CPUs to compare with.
    OnGpus,
    /// The file has no time.
    Unmeasured,
}

impl MissingRun {
    /// `None` if there is a measured time, or no engine to compare with.
    fn of(study: &Placement) -> Option<Self> {
        let engines = study.engines.as_deref()?;
        if study.query.as_deref().is_some_and(|query| query.plan.nodes.iter().any(|node| node.ran_on_gpu)) {
            return Some(Self::OnGpus);
        }
        engines.measured_seconds.is_none().then_some(Self::Unmeasured)
    }

    fn text(self) -> &'static str {
        match self {
            Self::OnGpus => "This query ran on GPUs, so the file has no time on CPUs to compare with.",
            Self::Unmeasured => {
                "No measured time: the file has none, its end is missing, or the query failed. The time is predicted."
            }
        }
    }

    /// The button.
    fn remedy(self) -> &'static str {
        match self {
            Self::OnGpus => "Choose a run on CPUs",
            Self::Unmeasured => "Enter the measured time",
        }
    }
}

/// Says what the file does not name of the machines.
pub(super) fn machines(ui: &mut Ui, study: &Placement) {
    if let Some(unknown) = unknown_machines(are_machines_known(study)) {
        let text = format!(
            "The file does not say {unknown} ran the query. The numbers of the measured cluster are shown: check them."
        );
        warning::show(ui, text);
    }
}

/// Says beside an answer what its file lacks of today's machines, and with `of_query` of the run of the query; each has a button that leads
/// to the field.
pub(super) fn beside_answer(
    ui: &mut Ui,
    study: &Placement,
    of_query: bool,
    mode: &mut Option<Mode>,
    env: &mut Env<'_>,
) {
    let unknown = unknown_machines(are_machines_known(study)).map(|unknown| {
        format!("The file does not say {unknown} ran the query: those of the measured cluster are assumed.")
    });
    if let Some(text) = unknown.or_else(|| entered_machines(study))
        && with_button(ui, &text, "Check the machines")
    {
        *mode = Some(Mode::Where);
    }
    if let Some(missing) = MissingRun::of(study).filter(|_| of_query)
        && with_button(ui, missing.text(), missing.remedy())
    {
        match missing {
            MissingRun::OnGpus => env.commands.push(Command::ShowTool(steps::WHAT)),
            MissingRun::Unmeasured => *mode = Some(Mode::Where),
        }
    }
}

/// A warning with a button behind it; true if it is clicked.
pub(super) fn with_button(ui: &mut Ui, text: &str, button: &str) -> bool {
    ui.horizontal_wrapped(|ui| {
        warning::show(ui, text);
        ui.button(button).clicked()
    })
    .inner
}

/// A warning that the log ran in another region than that of the prices; `of_log`: that region, `here`: where the price of today's machines
/// is entered, if it is one of another region.
pub(super) fn region(difference: &str, today: Option<&Baseline>, of_log: Option<&str>, here: &str) -> String {
    let of_price = today.and_then(|today| today.price.as_ref()?.region.as_deref());
    let of_today = match of_price.filter(|region| Some(*region) != of_log) {
        Some(_) => format!("for today’s machines {here}, "),
        None => String::new(),
    };
    format!(
        "{difference}. Enter the prices of your region: {of_today}for the measured GPU cluster in the inspector of the page Answer, \
         under Engines."
    )
}

/// Whether a study with engines lacks today's machines or their price.
pub(in super::super) fn lacks_machines(study: &Placement) -> bool {
    let lacks = |engines: &Engines| engines.cpu.usd_per_hour.is_none() || are_machines_known(study) != [true; 2];
    study.engines.as_deref().is_some_and(lacks)
}

/// That the user entered other machines than those of the file, whose time is measured; `None` if the file's are unknown, or the same.
fn entered_machines(study: &Placement) -> Option<String> {
    let of_file = &study.query.as_deref()?.application.as_deref()?.cluster;
    let sentence = entered_instead(&study.engines.as_deref()?.cpu, of_file)?;
    Some(format!("{sentence}."))
}

/// Edits the engines; numbers that change count as entered.
pub(super) fn enter(study: &mut Placement, edit: impl FnOnce(&mut Engines)) {
    sources::enter(study, |study| {
        if let Some(engines) = study.engines.as_deref_mut() {
            edit(engines);
        }
    });
}

//! The whole plan in numbers: other placements, terms, switches of classes, and the origin of the plan.

use crossover_chart::screen::{self, Swatch};
use crossover_export::decided::engine_titles;
use crossover_export::placement::plan::is_of_spark;
use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::export_menu;
use crossover_placement::{Placement, Query, Side, Term};
use crossover_quantity::text::counted;
use crossover_quantity::unit::{Unit, share_of_time};
use egui::{Align, Grid, Layout, RichText, Ui};

use super::super::bars::term_token;
use super::super::import::lists::List;
use super::super::request::Request;
use super::super::side;
use super::text::factor;
use super::{Env, PlanBoard, State};

/// Most classes that are listed.
const LISTED: usize = 6;

/// Draws the panel.
pub(super) fn show(ui: &mut Ui, plan: &PlanBoard, state: &mut State, study: &mut Placement, env: &mut Env<'_>) {
    let counts = plan.counts();
    ui.horizontal_wrapped(|ui| {
        ui.strong(&plan.totals().title);
        export_menu::show(ui, env, 1, false);
    });
    if let Some(measured) = study.query.as_ref().and_then(|query| query.plan.duration_seconds) {
        let ran_on_gpu = plan.plan().nodes.iter().any(|node| node.ran_on_gpu);
        let place = if ran_on_gpu { " with GPUs" } else { "" };
        let seconds = Unit::Seconds.format(measured);
        // Of engines that were measured, the time of today's is that of the run.
        let engines = study.engines.as_deref().map(engine_titles);
        let is_measured = Unit::Seconds.format(plan.whole().baselines.all_cpu) == seconds;
        let [text, explanation] = match engines.filter(|_| is_measured && !ran_on_gpu) {
            Some([today, _]) => [
                format!("the time of {today} is the measured {seconds}"),
                "The time of the other engine is predicted".to_owned(),
            ],
            None => [
                format!(
                    "modelled work of operators only: not comparable with the measured {seconds}{place}, which include waiting"
                ),
                "The engine's duration includes waiting: compare the model's times with each other only".to_owned(),
            ],
        };
        ui.label(RichText::new(text).weak()).on_hover_text(explanation);
    }
    screen::bars(ui, plan.totals());
    let verdict = plan.hardware_verdict();
    let mut note = String::new();
    if verdict.is_some() {
        note += "Speedups relative to all-CPU. ";
    }
    note += "All placements respect pins and the support list.";
    if counts.ties > 0 {
        note += " Per-operator greedy can separate operators that the GPU engine must run on the same side.";
    }
    ui.label(RichText::new(note).weak().small());
    if let Some(unpinned) = &plan.whole().unpinned {
        ui.label(first_up(&unpinned.sentence(plan.whole().seconds)));
    }
    ui.add_space(6.0);
    if verdict.is_some() {
        let transfers = match counts.transfers {
            1 => "1 transfer".to_owned(),
            count => format!("{count} transfers"),
        };
        ui.label(format!("{} on GPU · {} on CPU · {transfers}", counts.on_gpu, counts.on_cpu));
    }

    ui.add_space(8.0);
    ui.strong("Which operators take most time?");
    if let Some(node) = longest(ui, plan) {
        state.pick(node);
    }
    if verdict.is_some() {
        classes(ui, plan, study.query.as_deref());
    }

    ui.add_space(8.0);
    ui.strong("Where does the time go?");
    terms(ui, plan);

    if let Some(query) = &mut study.query {
        rules(ui, plan, query, env);
        ui.add_space(8.0);
        ui.strong("Where does the plan come from?");
        origin(ui, query);
        ask(ui, env, Request::Import);
    }
    ui.add_space(8.0);
    ui.label(RichText::new("Click an operator to see its numbers and to choose its side").weak());
}

/// The best placement for RAPIDS, which has one switch for each class of operators.
fn classes(ui: &mut Ui, plan: &PlanBoard, query: Option<&Query>) {
    let by_class = plan.by_class();
    let mixed: Vec<_> = by_class.sides.iter().filter(|(_, choice)| choice.is_mixed()).collect();
    if mixed.is_empty() || !query.is_some_and(is_of_spark) {
        return;
    }
    let speedup = factor(plan.whole().baselines.all_cpu / by_class.seconds);
    ui.add_space(4.0);
    let seconds = Unit::Seconds.format(by_class.seconds);
    ui.label(format!("RAPIDS has one switch per class of operators. With one side per class: {seconds}, {speedup}."));
    for (class, choice) in mixed.iter().take(LISTED) {
        ui.label(
            RichText::new(format!(
                "{class}: {} placed on CPU and {} on GPU; as one class, faster on {}",
                choice.on_cpu,
                choice.on_gpu,
                choice.side.label()
            ))
            .weak(),
        );
    }
    if mixed.len() > LISTED {
        ui.label(RichText::new(format!("and {} more classes", mixed.len() - LISTED)).weak());
    }
}

/// The operators that take most time; returns the one that was clicked.
fn longest(ui: &mut Ui, plan: &PlanBoard) -> Option<usize> {
    let total = plan.whole().seconds;
    let mut picked = None;
    for (rank, decided) in plan.longest().enumerate() {
        let seconds = decided.breakdown().total();
        let node = &plan.plan().nodes[decided.node];
        let hint = format!("{}\n{}", node.title(), decided.reason);
        // In a narrow column, names of one engine look alike.
        let name = node.subject().map_or_else(|| node.title(), |subject| format!("{} {subject}", node.kind.label()));
        let name = RichText::new(format!("{}  {name}", rank + 1));
        ui.horizontal(|ui| {
            let kind = if decided.side == Side::Cpu { Swatch::Hollow } else { Swatch::Square };
            screen::swatch(ui, side::token(decided.side), kind);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                cell(ui, share_of_time(seconds / total));
                cell(ui, Unit::Seconds.format(seconds));
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let shown = name.clone().color(ui.visuals().hyperlink_color);
                    let link = ui.add(egui::Label::new(shown).truncate().sense(egui::Sense::click()));
                    link.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Link, true, name.text()));
                    // The text is the name, not a value beside it.
                    ui.ctx().accesskit_node_builder(link.id, egui::accesskit::Node::clear_value);
                    let name = link.on_hover_cursor(egui::CursorIcon::PointingHand);
                    if name.on_hover_text(hint).clicked() {
                        picked = Some(decided.node);
                    }
                });
            });
        });
    }
    picked
}

fn terms(ui: &mut Ui, plan: &PlanBoard) {
    let breakdown = plan.breakdown();
    let total = breakdown.total();
    Grid::new("plan terms").num_columns(4).min_col_width(0.0).spacing([8.0, 2.0]).show(ui, |ui| {
        for term in Term::ALL.into_iter().filter(|term| breakdown.get(*term) > 0.0) {
            screen::swatch(ui, term_token(term), Swatch::Square);
            ui.label(term.label());
            cell(ui, Unit::Seconds.format(breakdown.get(term)));
            cell(ui, share_of_time(breakdown.get(term) / total));
            ui.end_row();
        }
    });
}

/// Support list and scores.
fn rules(ui: &mut Ui, plan: &PlanBoard, query: &mut Query, env: &mut Env<'_>) {
    ui.add_space(8.0);
    ui.strong("What can run on the GPU?");
    let operators = |count: usize| counted(count as f64, "operator");
    if query.unsupported.is_empty() {
        ui.label(RichText::new("No support list: every operator that Crossover models may run on GPUs").weak());
        ask(ui, env, Request::Use(List::Support));
    } else {
        let text = format!(
            "Support list: {} without a GPU version, {} here",
            counted(query.unsupported.len() as f64, "class"),
            operators(plan.counts().listed),
        );
        ui.label(text).on_hover_ui(|ui| {
            for (class, note) in query.unsupported.iter().take(4 * LISTED) {
                ui.label(if note.is_empty() { class.clone() } else { format!("{class}: {note}") });
            }
        });
        ask(ui, env, Request::Remove(List::Support));
    }
    if query.scores.is_empty() {
        ask(ui, env, Request::Use(List::Scores));
    } else {
        let scored = operators(plan.counts().scored);
        ui.checkbox(&mut query.use_scores, "Use the imported scores")
            .on_hover_text("GPU compute time is CPU compute time ÷ score of the class, instead of the model's time");
        ui.label(RichText::new(format!("Scores for {scored}")).weak());
        ask(ui, env, Request::Remove(List::Scores));
    }
}

fn ask(ui: &mut Ui, env: &mut Env<'_>, request: Request) {
    if ui.small_button(request.text()).on_hover_text(request.tooltip()).clicked() {
        env.commands.push(Command::ask(request));
    }
}

fn origin(ui: &mut Ui, query: &Query) {
    let plan = &query.plan;
    let duration = plan.duration_seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default();
    let rows = [
        ("engine", plan.engine.as_str()),
        ("file", &plan.file),
        ("query", &plan.query),
        ("measured duration", &duration),
    ];
    Grid::new("plan origin").num_columns(2).spacing([8.0, 2.0]).show(ui, |ui| {
        for (name, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
            ui.label(RichText::new(name).weak());
            ui.add(egui::Label::new(value).wrap());
            ui.end_row();
        }
    });
    if !plan.description.is_empty() {
        ui.add(egui::Label::new(RichText::new(&plan.description).monospace().weak()).wrap());
    }
}

/// The text as a sentence, with a capital letter and a full stop.
pub(super) fn first_up(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect()) + "."
}

/// A number in a column of a grid, right-aligned.
pub(super) fn cell(ui: &mut Ui, text: impl Into<egui::WidgetText>) {
    let size = egui::vec2(70.0, ui.text_style_height(&egui::TextStyle::Body));
    ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
        ui.set_min_width(size.x);
        ui.label(text);
    });
}

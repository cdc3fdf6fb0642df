//! The area above the list when an application or a query is open: its answer, its times, and where it goes from here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_chart::bars::BarChart;
use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_fleet::application::Query;
use crossover_fleet::{Base, LogStores};
use crossover_page::command::Command;
use crossover_page::export_menu;
use crossover_page::tool::PageContext;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::{beside, drawer};
use crossover_placement_page::show_options;
use crossover_plan::today::is_spark;
use egui::{Align, Button, CollapsingHeader, Grid, Label, Layout, RichText, Ui, vec2};

use super::NARROW;
use crate::detail::{self, DetailTexts, LoadedApplication};
use crate::opening::Fleet;
use crate::plan::{LogApplication, LogQuery};
use crate::{FleetState, Request, SelectedApplications, buttons};

/// Width of a number beside its name, in points.
const VALUE: f32 = 84.0;
/// Buttons from an application or a query to its answer and to Search, and from a query to its plan.
const ANSWER: &str = "Open the answer";
const SEARCH: &str = "Find a cluster for it";
const OPEN: &str = "Open its plan";
/// Why a query of a log on another machine cannot be opened.
const IS_REMOTE: &str =
    "The log is in a bucket or on a server, and plans are read only from this machine: copy the log here and import it";
/// Tooltip of Search for a query.
const OF_QUERY: &str =
    "Read the log again and open this query with the fleet's engines in Search, to find machines and their number";
/// Tooltip for the answer about an application or a query.
const OF_ANSWER: &str =
    "Read the log again: the answer lists the options, what would change it, and the settings of a trial";
/// Tooltip for the plan of a query.
const OF_PLAN: &str = "Read the log again and open this query with the fleet's engines as a new scenario";
/// Why an application that is a plan of another engine than Spark is not searched as a whole.
const IS_PLAN: &str = "Only Spark applications can be combined: open a query of this plan and find a cluster for it";

/// The details of an open application.
pub(in super::super) fn application(
    ui: &mut Ui,
    fleet: &Fleet,
    log: &str,
    loaded: &LoadedApplication,
    DetailTexts { chart, facts }: &DetailTexts,
    context: &mut PageContext<'_>,
) {
    let summary = &loaded.application.summary;
    let name = if summary.name.is_empty() { &summary.id } else { &summary.name };
    titled(
        ui,
        |ui| {
            if !is_spark(&summary.engine) {
                ui.add_enabled(false, Button::new(SEARCH)).on_disabled_hover_text(IS_PLAN);
                return;
            }
            let (with, is_predicted) = (fleet.measured.logs(), summary.predicted_queries > 0);
            let kept = context.cache.get::<FleetState>();
            if let Some(base) = buttons::plan(ui, with, kept, (SEARCH, buttons::OF_MANY), is_predicted) {
                let chosen = SelectedApplications { folder: fleet.folder.clone(), logs: vec![log.to_owned()], base };
                context.commands.push(Command::ask(Request::SearchFor(chosen)));
            }
            buttons::name(ui, with, context);
        },
        |ui| _ = ui.add(Label::new(RichText::new(name).heading()).truncate()),
    );
    if let Some(decided) = &loaded.decided {
        ui.add(Label::new(RichText::new(&decided.sentence).strong()).wrap());
        if let Some(next_step) = &decided.next_step {
            ui.add(Label::new(next_step).wrap());
        }
        ui.horizontal_wrapped(|ui| {
            let with = fleet.measured.of_engine(&summary.engine);
            if LogStores::is_remote(Path::new(log)) {
                ui.add_enabled(false, Button::new(ANSWER)).on_disabled_hover_text(IS_REMOTE);
            } else if let Some(base) =
                buttons::plan(ui, with, context.cache.get::<FleetState>(), (ANSWER, OF_ANSWER), true)
            {
                context.commands.push(Command::ask(Request::OpenApplication(of_log(fleet, log, base))));
            }
            if decided.next_step.is_some() {
                ui.weak("The answer lists the settings of a trial.");
            }
        });
    }
    // In a short window it comes before the texts.
    let is_first = drawer::is_short(ui);
    if let Some(chart) = chart.as_ref().filter(|_| is_first) {
        parts(ui, chart, context.commands);
    }
    if let Some(decided) = &loaded.decided {
        detail::facts(ui, "costs", &decided.costs);
        CollapsingHeader::new("Options").default_open(true).show(ui, |ui| {
            show_options(ui, &decided.options);
            for warning in &decided.warnings {
                let color = Token::Warning.color(ui.visuals().dark_mode);
                ui.add(Label::new(RichText::new(format!("Warning: {warning}")).color(color)).wrap());
            }
        });
        ui.add_space(4.0);
    }
    halves(
        ui,
        |ui| detail::facts(ui, "application facts", facts),
        |ui| {
            if let Some(chart) = chart.as_ref().filter(|_| !is_first) {
                parts(ui, chart, context.commands);
            }
            for warning in &summary.warnings {
                let color = Token::Warning.color(ui.visuals().dark_mode);
                ui.add(Label::new(RichText::new(format!("Warning: {warning}")).color(color)).wrap());
            }
        },
    );
}

/// An application of the fleet with what the user entered, whose log is read again.
fn of_log(fleet: &Fleet, log: &str, base: Arc<Base>) -> LogApplication {
    let summary = fleet.opened.outcomes.ledger.entries().get(log).and_then(|known| known.outcome.as_ref().ok());
    let inputs = summary.map_or(fleet.inputs, |summary| fleet.recurrence.inputs_of(fleet.inputs, summary));
    LogApplication { folder: fleet.folder.clone(), log: PathBuf::from(log), base, inputs }
}

/// The details of an open query. `log`: the path of its log, and the engine that wrote it.
pub(in super::super) fn query(
    ui: &mut Ui,
    fleet: &Fleet,
    (log, engine): (&str, &str),
    query: &Query,
    DetailTexts { chart, facts }: &DetailTexts,
    context: &mut PageContext<'_>,
) {
    titled(
        ui,
        |ui| {
            if LogStores::is_remote(Path::new(log)) {
                for text in [SEARCH, OPEN, ANSWER] {
                    ui.add_enabled(false, Button::new(text)).on_disabled_hover_text(IS_REMOTE);
                }
                return;
            }
            let with = fleet.measured.of_engine(engine);
            let mut offer = |ui: &mut Ui, text, hint, request: fn(LogQuery) -> Request| {
                if let Some(base) = buttons::plan(ui, with, context.cache.get::<FleetState>(), (text, hint), true) {
                    let of = LogQuery { of: of_log(fleet, log, base), query: query.id.clone() };
                    context.commands.push(Command::ask(request(of)));
                }
            };
            offer(ui, SEARCH, OF_QUERY, Request::SizeFor);
            offer(ui, OPEN, OF_PLAN, Request::OpenQuery);
            offer(ui, ANSWER, OF_ANSWER, Request::OpenAnswer);
            buttons::name(ui, with, context);
        },
        |ui| {
            let line: String = query.description.split_whitespace().collect::<Vec<_>>().join(" ");
            ui.add(Label::new(RichText::new(&line).heading().size(15.0)).truncate().show_tooltip_when_elided(false))
                .on_hover_text(&query.description);
        },
    );
    if LogStores::is_remote(Path::new(log)) {
        ui.weak(IS_REMOTE);
    }
    halves(
        ui,
        |ui| detail::facts(ui, "query facts", facts),
        |ui| {
            if let Some(chart) = chart {
                parts(ui, chart, context.commands);
            }
        },
    );
}

fn parts(ui: &mut Ui, chart: &BarChart, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.strong(&chart.title);
        export_menu::of_tool(ui, commands, [[chart.title.as_str(), chart.subtitle.as_str()]]);
    });
    screen::bars(ui, chart);
    ui.add_space(4.0);
    Grid::new("parts").num_columns(2).spacing([24.0, 2.0]).show(ui, |ui| {
        let Some(there) = chart.rows.last() else { return };
        for segment in there.segments.iter().filter(|segment| segment.value > 0.0) {
            ui.horizontal(|ui| {
                screen::swatch(ui, segment.token, Swatch::Square);
                ui.label(&segment.name);
            });
            ui.allocate_ui(vec2(VALUE, ui.spacing().interact_size.y), |ui| {
                ui.set_width(VALUE);
                right(ui, (chart.unit_format)(segment.value));
            });
            ui.end_row();
        }
    });
}

/// A title with buttons on its right; the title takes the remaining width.
fn titled(ui: &mut Ui, buttons: impl FnOnce(&mut Ui), title: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            buttons(ui);
            ui.with_layout(Layout::left_to_right(Align::Center), title);
        });
    });
}

/// Facts beside a chart, or above it in a narrow page; where that is short too, the chart comes first.
fn halves(ui: &mut Ui, left: impl FnOnce(&mut Ui), right: impl FnOnce(&mut Ui)) {
    if ui.available_width() < NARROW {
        if drawer::is_short(ui) {
            right(ui);
            left(ui);
        } else {
            left(ui);
            right(ui);
        }
    } else {
        beside::show(ui, 2, |columns| {
            left(&mut columns[0]);
            right(&mut columns[1]);
        });
    }
}

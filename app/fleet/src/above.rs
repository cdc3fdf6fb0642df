//! The area above the list: the sum of all applications, the filter, and the charts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_chart::bars::BarChart;
use crossover_chart::screen::{self, Key, Swatch};
use crossover_chart::theme::Token;
use crossover_decision::MeasuredRuns;
use crossover_fleet::application::{Query, Summary, Verdict};
use crossover_fleet::listed::{Arrangement, By};
use crossover_fleet::{Base, LogStores};
use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::services::name_of;
use crossover_page::tool::PageContext;
use crossover_page::widgets::cell::right;
use crossover_page::widgets::drawer;
use crossover_placement_page::show_options;
use crossover_plan::today::is_spark;
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::Unit;
use egui::{
    Align, Button, CollapsingHeader, ComboBox, Grid, Label, Layout, RichText, ScrollArea, TextEdit, TextStyle, Ui, vec2,
};

use super::arranging::Shown;
use super::charts::OptionTime;
use super::detail::LoadedApplication;
use super::opening::Fleet;
use super::plan::{LogApplication, LogQuery};
use super::{FleetSource, FleetState, Request, SelectedApplications, blocked, buttons, charts, detail, money};

/// Height of the title of a chart with its answer and what is around them, in points.
const TITLE: f32 = 62.0;
/// Least and largest height of a chart, in points.
const CHART: [f32; 2] = [158.0, 420.0];
/// Width below which charts stand one above the other, in points.
const NARROW: f32 = 900.0;
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
    "Read the log again: the answer has the options, what would change it, and the settings of a trial";
/// Tooltip for the plan of a query.
const OF_PLAN: &str = "Read the log again and open this query with the fleet's engines as a new scenario";
/// Why an application that is a plan of another engine than Spark is not searched as a whole.
const IS_PLAN: &str = "Only Spark applications can be combined: open a query of this plan and find a cluster for it";
/// Left-out files that are listed; the table has all.
const NAMED: usize = 200;
/// Largest height of their list, in points.
const LEFT_OUT: f32 = 120.0;

/// The page without a fleet.
pub(super) fn first_visit(ui: &mut Ui, commands: &mut Vec<Command>) {
    ui.heading("Which applications gain?");
    ui.add(
        Label::new(
            "Spark writes an event log for every application. Fleet reads these logs and predicts the time of each application on \
             a GPU cluster, with a 90 % interval. It shows what moving saves, and why other applications do not move.",
        )
        .wrap(),
    );
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        for request in [Request::Read, Request::ReadAddress, Request::Open] {
            if ui.button(request.text()).on_hover_text(request.tooltip()).clicked() {
                commands.push(request.command());
            }
        }
    });
    ui.add_space(8.0);
    ui.label("Choose “Read logs…” and select the folder that spark.eventLog.dir names, or a subfolder.");
    ui.label("“Read logs by address…” reads from a bucket (s3://…, gs://…, az://…) or a Spark History Server (http://host:18080).");
    ui.label("“Open fleet…” shows results that were made elsewhere, for example on the cluster:");
    ui.label(RichText::new("crossover fleet /var/log/spark-history --out fleet").monospace());
}

/// Title, folder of the fleet, and buttons.
pub(super) fn head(ui: &mut Ui, wanted: &FleetSource, is_busy: bool, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.heading("Which applications gain?");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let mut button = |ui: &mut Ui, request: Request, text: Option<&str>| {
                let text = text.map_or_else(|| request.text(), str::to_owned);
                if ui.add_enabled(!is_busy, egui::Button::new(text)).on_hover_text(request.tooltip()).clicked() {
                    commands.push(request.command());
                }
            };
            button(ui, Request::Open, None);
            button(ui, Request::Read, None);
            let again = match wanted {
                FleetSource::Results(folder) => Request::OpenFolder(folder.clone()),
                FleetSource::Logs { .. } => {
                    button(ui, Request::Add, None);
                    button(ui, Request::KeepElsewhere, None);
                    Request::ReadAgain
                }
            };
            button(ui, again, Some("Read again"));
            let where_from = |write: fn(&Path) -> String| {
                let folder = write(wanted.folder());
                match wanted {
                    FleetSource::Results(_) => folder,
                    FleetSource::Logs { paths, .. } => {
                        let paths: Vec<String> = paths.iter().map(|path| write(path)).collect();
                        format!("logs in {}, results in {folder}", paths.join(", "))
                    }
                }
            };
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let whole = where_from(|path| path.display().to_string());
                ui.add(
                    Label::new(RichText::new(where_from(name_of)).weak()).truncate().show_tooltip_when_elided(false),
                )
                .on_hover_text(whole);
            });
        });
    });
}

/// The sum of all applications, or of those that the filter shows, with notes.
pub(super) fn answer(ui: &mut Ui, fleet: &Fleet, shown: Option<&Shown>, context: &PageContext<'_>) {
    let dark = ui.visuals().dark_mode;
    let sentence = shown.and_then(|shown| shown.sentence.as_ref()).unwrap_or(&fleet.sentence);
    // Costs are of all applications.
    let costs = fleet.costs.as_ref().filter(|_| shown.is_none_or(|shown| shown.sentence.is_none()));
    ui.scope(|ui| {
        // Two lines, so that nothing moves while numbers are entered below; where there is little height, the chart needs it.
        if !drawer::is_low(ui) {
            ui.set_min_height(2.0 * ui.text_style_height(&TextStyle::Body));
        }
        match costs {
            Some(costs) => {
                let runs = money::runs(fleet.frequency);
                ui.add(Label::new(format!("{sentence} {costs}")).wrap()).on_hover_text(runs);
            }
            None => _ = ui.add(Label::new(sentence).wrap()),
        }
    });
    let (clusters, problems) = fleet.measured.in_words(context.cache.get::<FleetState>());
    for text in std::iter::once(clusters).chain(problems).filter(|text| !text.is_empty()) {
        ui.add(Label::new(RichText::new(text).weak()).wrap());
    }
    for note in &fleet.notes {
        ui.colored_label(Token::Warning.color(dark), note);
    }
}

/// The left-out files, collapsed.
pub(super) fn left_out(ui: &mut Ui, fleet: &Fleet) {
    let count = fleet.left_out.len();
    if count == 0 {
        return;
    }
    let title = match count {
        1 => "1 file or folder is left out".to_owned(),
        count => format!("{} files and folders are left out", Unit::Count.format(count as f64)),
    };
    egui::CollapsingHeader::new(RichText::new(title).weak()).id_salt("left out").show(ui, |ui| {
        ScrollArea::vertical().id_salt("left out").min_scrolled_height(LEFT_OUT).max_height(LEFT_OUT).show(ui, |ui| {
            for line in fleet.left_out.iter().take(NAMED) {
                ui.label(RichText::new(line).weak());
            }
            if count > NAMED {
                ui.weak(format!("All are in {}", fleet.folder.join("left_out.csv").display()));
            }
        });
    });
}

/// The filter and the grouping.
pub(super) fn filter(ui: &mut Ui, fleet: &Fleet, shown: Option<&Shown>, wanted: &mut Arrangement) {
    ui.horizontal_wrapped(|ui| {
        let label = ui.label("Filter");
        let edit = TextEdit::singleline(&mut wanted.filter.text)
            .desired_width(210.0)
            .hint_text("name, user, queue, or load-*");
        ui.add(edit).labelled_by(label.id);
        ui.add_space(6.0);
        for verdict in charts::VERDICTS {
            let count = fleet.verdicts.get(&verdict).copied().unwrap_or(0);
            let shown = &wanted.filter.verdicts;
            let is_hidden = !shown.is_empty() && !shown.contains(&verdict);
            let text = format!("{} {}", verdict.label(), Unit::Count.format(count as f64));
            let key = Key { token: charts::token(verdict), kind: Swatch::Square, text, is_hidden };
            if key.ui(ui).on_hover_text("Click to hide or show these applications").clicked() {
                toggle(&mut wanted.filter.verdicts, verdict);
            }
        }
        ui.add_space(6.0);
        let text = wanted.by.map_or_else(|| "not grouped".to_owned(), |by| format!("by {}", by.label()));
        let combo = ComboBox::from_id_salt("group by").selected_text(text).show_ui(ui, |ui| {
            ui.selectable_value(&mut wanted.by, None, "not grouped");
            for by in By::ALL {
                ui.selectable_value(&mut wanted.by, Some(by), format!("by {}", by.label()));
            }
        });
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Group by"));
        let all = fleet.rows.len();
        if wanted.filter.is_set() {
            if ui.button("Show all").clicked() {
                wanted.filter = crossover_fleet::listed::Filter::default();
            }
            if let Some(shown) = shown {
                ui.weak(counted_of(shown.arranged.shown.len() as f64, all as f64, "application"));
            }
        }
    });
}

/// Hides a verdict, or shows it again; hiding the last one shows all.
fn toggle(shown: &mut std::collections::BTreeSet<Verdict>, verdict: Verdict) {
    if shown.is_empty() {
        shown.extend(charts::VERDICTS);
    }
    if !shown.remove(&verdict) {
        shown.insert(verdict);
    }
    if shown.len() == charts::VERDICTS.len() {
        shown.clear();
    }
}

/// The charts of the shown applications; returns the clicked application by its place among all rows.
pub(super) fn charts(
    ui: &mut Ui,
    fleet: &Fleet,
    shown: &Shown,
    wanted: &mut Arrangement,
    picked: Option<usize>,
    room: f32,
) -> Option<usize> {
    let mut clicked = None;
    let is_narrow = ui.available_width() < NARROW;
    let height = (room - TITLE).clamp(CHART[0], CHART[1]);
    // Nothing blocks where all move, or are to be tried.
    let has_blockers = !shown.arranged.blocked.is_empty();
    // Without a saving and without blockers all are to be tried, which the answer says.
    let has_saving = shown.cumulative.is_some() || has_blockers;
    let columns = if is_narrow { 1 } else { 1 + usize::from(has_saving) + usize::from(has_blockers) };
    ui.columns(columns, |columns| {
        let last = columns.len() - 1;
        let ui = &mut columns[0];
        title(ui, &shown.scatter.title, &shown.scatter.answer);
        let places = &shown.arranged.shown;
        let dot = picked.and_then(|picked| places.iter().position(|at| *at == picked));
        let read = |dot: usize| {
            let Some(row) = places.get(dot).and_then(|at| fleet.rows.get(*at)) else { return String::new() };
            let (today, saved) = (row.seconds.unwrap_or(f64::NAN), row.saved_seconds);
            let saves = saved.map_or_else(|| "not available".to_owned(), |saved| Unit::Seconds.format(saved));
            format!("{}\n{} today, saves {saves}\n{}", row.name, Unit::Seconds.format(today), row.verdict.label())
        };
        if let Some(dot) = screen::scatter(ui, &shown.scatter, dot, read, height) {
            clicked = places.get(dot).copied();
        }
        let ui = &mut columns[last.min(1)];
        if let Some(chart) = &shown.cumulative {
            title(ui, &chart.title, &chart.answer);
            match &shown.few {
                Some(few) => {
                    ScrollArea::vertical().id_salt("few").max_height(height).show(ui, |ui| screen::bars(ui, few));
                }
                None => _ = screen::lines(ui, "cumulative", chart, None, height),
            }
        } else if has_blockers {
            let why = if is_narrow { "The blockers are shown below." } else { "The blockers are shown beside it." };
            let trials = charts::trials(&fleet.rows, &shown.arranged);
            title(ui, &charts::top_title(&shown.arranged.cumulative, trials), why);
        }
        if let Some(first) = shown.arranged.blocked.first() {
            let ui = &mut columns[last.min(2)];
            let answer = format!("Most common blocker by time: {}.", first.blocker.label());
            title(ui, "Why do applications not move?", &answer);
            blocked::show(ui, &shown.arranged.blocked, &mut wanted.filter.blocker, height);
        }
    });
    clicked
}

fn title(ui: &mut Ui, title: &str, answer: &str) {
    ui.add(Label::new(RichText::new(title).heading().size(15.0)).truncate());
    ui.add(Label::new(answer).truncate());
    ui.add_space(4.0);
}

/// The details of an open application.
pub(super) fn application(
    ui: &mut Ui,
    fleet: &Fleet,
    log: &str,
    loaded: &LoadedApplication,
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
                context.commands.push(Request::SearchFor(chosen).command());
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
                context.commands.push(Request::OpenApplication(of_log(fleet, log, base)).command());
            }
            ui.weak("It has the settings of a trial.");
        });
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
        |ui| detail::application(ui, log, summary),
        |ui| {
            if let Some(chart) = times(summary) {
                parts(ui, &chart);
            }
            for note in &summary.notes {
                ui.add(Label::new(RichText::new(note).color(Token::Warning.color(ui.visuals().dark_mode))).wrap());
            }
        },
    );
}

/// An application of the fleet with what the user entered, whose log is read again.
fn of_log(fleet: &Fleet, log: &str, base: Arc<Base>) -> LogApplication {
    LogApplication { folder: fleet.folder.clone(), log: PathBuf::from(log), base, inputs: fleet.inputs }
}

/// The times of an application today, with its option, and on the GPU cluster that its parts are of; `None` without a prediction.
fn times(summary: &Summary) -> Option<BarChart> {
    let (option, today) = summary.option_time.zip(summary.seconds)?;
    // Of several recommended options the time is that of the first.
    let shown = summary.option_place.and_then(|place| summary.candidates.get(place));
    let name = shown.map_or(&summary.option, |candidate| &candidate.title).clone();
    let option = OptionTime { name, seconds: option.value, interval: Some([option.low, option.high]) };
    let is_of_option = summary.base_place == summary.option_place;
    let cluster = summary.base_place.filter(|_| !is_of_option).and_then(|place| {
        let candidate = summary.candidates.get(place)?;
        let time = candidate.time.as_ref()?;
        Some(OptionTime { name: candidate.title.clone(), seconds: time.value(), interval: time.interval() })
    });
    let (on_cluster, other) = if is_of_option { (Some(&option), None) } else { (cluster.as_ref(), Some(&option)) };
    let on_cluster = on_cluster.map(|cluster| (cluster, &summary.parts));
    Some(charts::parts(today, summary.staying_seconds, on_cluster, other))
}

/// The details of an open query, with its runs if there are several; `log`: the path of its log, and the engine that wrote it.
pub(super) fn query(
    ui: &mut Ui,
    fleet: &Fleet,
    (log, engine): (&str, &str),
    (query, runs): (&Query, Option<MeasuredRuns>),
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
                    context.commands.push(request(of).command());
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
        |ui| detail::query(ui, query, runs),
        |ui| {
            if let Some((predicted, today)) = query.predicted.as_ref().zip(query.seconds) {
                let cluster = OptionTime {
                    name: "on GPUs".to_owned(),
                    seconds: predicted.gpu.value,
                    interval: Some([predicted.gpu.low, predicted.gpu.high]),
                };
                parts(ui, &charts::parts(today, 0.0, Some((&cluster, &predicted.parts)), None));
            }
        },
    );
}

fn parts(ui: &mut Ui, chart: &BarChart) {
    ui.strong(&chart.title);
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

/// Two columns, or one above the other in a narrow page.
fn halves(ui: &mut Ui, left: impl FnOnce(&mut Ui), right: impl FnOnce(&mut Ui)) {
    if ui.available_width() < NARROW {
        left(ui);
        right(ui);
    } else {
        ui.columns(2, |columns| {
            left(&mut columns[0]);
            right(&mut columns[1]);
        });
    }
}

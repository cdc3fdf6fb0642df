//! The area above the list: the sum of all applications, the filter, and the charts.

mod details;

use std::path::Path;

use crossover_chart::screen::{self, Key, Swatch};
use crossover_chart::theme::Token;
use crossover_fleet::application::Verdict;
use crossover_fleet::listed::{Arrangement, By};
use crossover_page::ask::Ask as _;
use crossover_page::command::Command;
use crossover_page::export_menu;
use crossover_page::services::name_of;
use crossover_page::tool::PageContext;
use crossover_page::widgets::chart_tabs::{self, ChartTab, OnScreen};
use crossover_page::widgets::empty::SamplePicture;
use crossover_page::widgets::{beside, drawer};
use crossover_quantity::text::counted_of;
use crossover_quantity::unit::Unit;
use egui::{Align, ComboBox, Label, Layout, RichText, ScrollArea, TextEdit, TextStyle, Ui};

use super::arranging::Shown;
use super::opening::Fleet;
use super::{FleetSource, FleetState, Request, blocked, charts, exported, money, sample};
pub(super) use details::{application, query};

/// Height of the title of a chart with its answer and what is around them, in points.
const TITLE: f32 = 62.0;
/// Least and largest height of a chart, in points.
const CHART: [f32; 2] = [158.0, 420.0];
/// Width below which charts stand one above the other, in points.
const NARROW: f32 = 900.0;
/// Left-out files that are listed; the table has all.
const NAMED: usize = 200;
/// Largest height of their list, in points.
const LEFT_OUT: f32 = 120.0;

/// The page without a fleet; `picture` is that of its sample.
pub(super) fn first_visit(ui: &mut Ui, picture: &mut SamplePicture, commands: &mut Vec<Command>) {
    ui.heading("Which applications gain?");
    ui.add(
        Label::new(
            "Fleet reads Spark event logs and plans of DuckDB. It compares today’s engine with others, such as Gluten, Comet and \
             RAPIDS, in time and money. It ranks applications by their saving, with 90 % intervals, and names what blocks a move.",
        )
        .wrap(),
    );
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        for request in [Request::Read, Request::ReadAddress, Request::Open] {
            if ui.button(request.text()).on_hover_text(request.tooltip()).clicked() {
                commands.push(Command::ask(request));
            }
        }
    });
    ui.add_space(8.0);
    ui.label("Choose “Read logs…” and select the folder that spark.eventLog.dir names, or a subfolder.");
    ui.label("“Read logs by address…” reads from a bucket (s3://…, gs://…, az://…) or a Spark History Server (http://host:18080).");
    ui.label("“Open fleet…” shows results that were made elsewhere, for example on the cluster:");
    ui.label(RichText::new("crossover fleet /var/log/spark-history --out fleet").monospace());
    ui.add_space(12.0);
    sample::show(ui, picture, &[Command::ask(Request::ReadSample)], commands);
}

/// Title, folder of the fleet, and buttons.
pub(super) fn head(ui: &mut Ui, wanted: &FleetSource, is_busy: bool, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.heading("Which applications gain?");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let mut button = |ui: &mut Ui, request: Request, text: Option<&str>| {
                let text = text.map_or_else(|| request.text(), str::to_owned);
                if ui.add_enabled(!is_busy, egui::Button::new(text)).on_hover_text(request.tooltip()).clicked() {
                    commands.push(Command::ask(request));
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

/// Logs of the fleet that do not exist, with a button to choose others.
pub(super) fn gone(ui: &mut Ui, fleet: &Fleet, commands: &mut Vec<Command>) {
    if fleet.gone.is_empty() {
        return;
    }
    let paths: Vec<String> = fleet.gone.iter().map(|path| path.display().to_string()).collect();
    let text = format!("{}: there is no such folder. These are the last results.", paths.join(", "));
    let color = Token::Warning.color(ui.visuals().dark_mode);
    ui.add(Label::new(RichText::new(text).color(color)).wrap());
    choose_another(ui, &Request::Read, commands);
}

/// A button to choose a folder with this request.
pub(super) fn choose_another(ui: &mut Ui, request: &Request, commands: &mut Vec<Command>) {
    if ui.button("Choose another folder…").on_hover_text(request.tooltip()).clicked() {
        commands.push(Command::ask(request.clone()));
    }
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

/// The filter, the grouping, and the export of the charts.
pub(super) fn filter(
    ui: &mut Ui,
    fleet: &Fleet,
    shown: Option<&Shown>,
    wanted: &mut Arrangement,
    commands: &mut Vec<Command>,
) {
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
        export_menu::of_tool(ui, commands, shown.map(exported::captions).unwrap_or_default());
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
    let tabs = ["Saved time", "Applications", "Blockers"].map(ChartTab::new);
    let count = 1 + usize::from(has_saving) + usize::from(has_blockers);
    let on_screen = chart_tabs::choose(ui, "fleet", 0, &tabs[..count]);
    let columns = on_screen.columns(if is_narrow { 1 } else { count });
    // A tab takes the place of the title.
    let title = |ui: &mut Ui, title: &str, answer: &str| {
        heading(ui, Some(title).filter(|_| on_screen == OnScreen::All), answer);
    };
    beside::show(ui, columns, |columns| {
        let last = columns.len() - 1;
        if on_screen.has(0) {
            let ui = &mut columns[0];
            title(ui, &shown.scatter.title, &shown.scatter.answer);
            clicked = dots(ui, fleet, shown, picked, height);
        }
        if on_screen.has(1) {
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
                let why = match (on_screen, is_narrow) {
                    (OnScreen::One(_), _) => "See Blockers.",
                    (OnScreen::All, true) => "The blockers are shown below.",
                    (OnScreen::All, false) => "The blockers are shown beside it.",
                };
                let trials = charts::trials(&fleet.rows, &shown.arranged);
                title(ui, &charts::top_title(&shown.arranged.cumulative, trials), why);
            }
        }
        if has_blockers && on_screen.has(2) {
            let ui = &mut columns[last.min(2)];
            let first = shown.arranged.blocked.first().map(|first| first.blocker.label());
            title(ui, charts::WHY_NOT, &charts::most_common(first));
            blocked::show(ui, &shown.arranged.blocked, &mut wanted.filter.blocker, height);
        }
    });
    clicked
}

/// A dot for each application; returns the clicked one by its place among all rows.
fn dots(ui: &mut Ui, fleet: &Fleet, shown: &Shown, picked: Option<usize>, height: f32) -> Option<usize> {
    let places = &shown.arranged.shown;
    let dot = picked.and_then(|picked| places.iter().position(|at| *at == picked));
    let read = |dot: usize| {
        let Some(row) = places.get(dot).and_then(|at| fleet.rows.get(*at)) else { return String::new() };
        let (today, saved) = (row.seconds.unwrap_or(f64::NAN), row.saved_seconds);
        let saves = saved.map_or_else(|| "not available".to_owned(), |saved| Unit::Seconds.format(saved));
        format!("{}\n{} today, saves {saves}\n{}", row.name, Unit::Seconds.format(today), row.verdict.label())
    };
    let dot = screen::scatter(ui, &shown.scatter, dot, read, height)?;
    places.get(dot).copied()
}

fn heading(ui: &mut Ui, title: Option<&str>, answer: &str) {
    if let Some(title) = title {
        ui.add(Label::new(RichText::new(title).heading().size(15.0)).truncate());
    }
    ui.add(Label::new(answer).truncate());
    ui.add_space(4.0);
}

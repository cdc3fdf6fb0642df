//! What the pages of tools share: picking a scenario and a number of it, and its range.

use crossover_export::about::{QueryOfApplication, combined, figures_of};
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::widgets::form::{grid, quantity, switch};
use crossover_quantity::quantity::Quantity;
use crossover_scenario::{Scenario, Study};
use crossover_study::{Subject, number_at, numbers};
use crossover_tools::Range;
use crossover_tools::titles::{part, title};
use egui::{Button, ComboBox, Label, Panel, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::influence::Ranking;
use super::usual_range::around;

/// Width of the list of scenarios, in points.
const LIST: f32 = 360.0;

/// A scenario that a tool can act on.
#[derive(Clone)]
pub(super) struct Target<'a> {
    pub(super) id: &'a str,
    pub(super) title: String,
    pub(super) scenario: &'a Scenario,
    pub(super) document: &'a Document,
}

impl<'a> Target<'a> {
    /// The scenario of a document.
    pub(super) fn new(document: &'a Document) -> Self {
        Self { id: &document.id, title: document.label().to_owned(), scenario: &document.scenario, document }
    }

    /// The chosen scenario; if it is closed, the one that was last on screen, else the first, which is the chosen one then.
    pub(super) fn find<'t>(all: &'t [Self], picked: &mut Option<String>, last: Option<&str>) -> Option<&'t Self> {
        let find = |id: Option<&str>| all.iter().find(|target| Some(target.id) == id);
        let found = find(picked.as_deref()).or_else(|| find(last)).or(all.first())?;
        if picked.as_deref() != Some(found.id) {
            *picked = Some(found.id.to_owned());
        }
        Some(found)
    }
}

/// Draws the lines at the top of the page of a tool: the scenario that the page is about, in a list to choose another one, the query if
/// the scenario also has the application of its query, and the engines and machines of the figures. Returns the id of a newly chosen one.
pub(super) fn scenario(
    ui: &mut Ui,
    all: &[Target<'_>],
    now: &Target<'_>,
    commands: &mut Vec<Command>,
) -> Option<String> {
    let bar = Panel::top("scenario of the tool").resizable(false).show(ui, |ui| {
        let list = ui.horizontal(|ui| {
            ui.label("Scenario");
            ui.scope(|ui| {
                ui.set_max_width(LIST.min(ui.available_width()));
                scenario_list(ui, "scenario", all, Some(now))
            })
        });
        if let Some(query) = QueryOfApplication::of(&now.scenario.study) {
            ui.horizontal_wrapped(|ui| {
                ui.label(query.alone());
                let show =
                    ui.button("Show the scenario").on_hover_text("Its page has the answer about the application");
                let place = all.iter().position(|target| target.id == now.id);
                if let Some(place) = place.filter(|_| show.clicked()) {
                    commands.push(Command::SelectTab(place));
                }
            });
        }
        if let Some(combined) = combined(&now.scenario.study) {
            ui.label(combined);
        }
        if let Some(clusters) = figures_of(&now.scenario.study) {
            ui.add(Label::new(RichText::new(&clusters).weak()).truncate().show_tooltip_when_elided(false))
                .on_hover_text(clusters);
        }
        list.inner.inner
    });
    bar.inner
}

/// The scenarios to choose from; returns the id of a newly chosen one. `name` is the accessible name.
pub(super) fn scenario_list(ui: &mut Ui, name: &str, all: &[Target<'_>], now: Option<&Target<'_>>) -> Option<String> {
    let mut picked = None;
    let title = now.map_or("–", |target| target.title.as_str());
    let combo = ComboBox::from_id_salt(name).selected_text(title).truncate();
    let combo = combo.width(ui.available_width() - 8.0).show_ui(ui, |ui| {
        for other in all {
            let is_now = now.is_some_and(|now| now.id == other.id);
            if ui.selectable_label(is_now, &other.title).clicked() {
                picked = Some(other.id.to_owned());
            }
        }
    });
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, name));
    picked
}

/// A number of a study.
pub(super) struct Number {
    pub(super) path: String,
    pub(super) quantity: &'static Quantity,
    pub(super) value: f64,
}

/// Whether the study has the number at a path now.
pub(super) fn has_number(study: &Study, path: &str) -> bool {
    matches!(number_at(study.subject(), path), Some((_, Some(_))))
}

/// The numbers of the study that match the filter, to choose from; returns the chosen one. Those without effect are last, and grey.
pub(super) fn number(
    ui: &mut Ui,
    study: &Study,
    filter: &mut String,
    now: Option<&str>,
    ranking: Option<&Ranking>,
) -> Option<Number> {
    number_of(ui, study.subject(), filter, now, |path, quantity| Some(shade(ranking, path, quantity)))
}

/// The same in two groups: decision variables, then all other numbers.
pub(super) fn number_by_role(
    ui: &mut Ui,
    study: &Study,
    filter: &mut String,
    ranking: Option<&Ranking>,
) -> Option<Number> {
    field(ui, filter);
    let (mut picked, mut has_any) = (None, false);
    for (group, is_decision) in [("Decision variables", true), ("Estimates and facts", false)] {
        let of_group = |path: &str, quantity: &Quantity| {
            (quantity.is_decision() == is_decision).then(|| shade(ranking, path, quantity))
        };
        let title = |ui: &mut Ui| {
            ui.add_space(4.0);
            ui.strong(group).on_hover_text(if is_decision {
                "Numbers that you can choose, such as machines and prices"
            } else {
                "Numbers of the workload, the hardware and the model; a search does not suggest them"
            });
        };
        let listed = list(ui, study.subject(), filter, None, title, of_group);
        has_any |= listed.has_any;
        picked = listed.picked.or(picked);
    }
    if !has_any {
        nothing_matches(ui, filter);
    }
    picked
}

/// Grey for a number without effect.
fn shade(ranking: Option<&Ranking>, path: &str, quantity: &Quantity) -> Shade {
    let reason = ranking.and_then(|ranking| ranking.why_idle(quantity, path));
    reason.map_or(Shade::Full, Shade::Grey)
}

/// How a number of a list is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shade {
    Full,
    /// With the reason in its tooltip.
    Grey(String),
}

/// The same, but only the numbers to which `shade` gives a shade.
pub(super) fn number_of(
    ui: &mut Ui,
    subject: &dyn Subject,
    filter: &mut String,
    now: Option<&str>,
    shade: impl Fn(&str, &Quantity) -> Option<Shade>,
) -> Option<Number> {
    field(ui, filter);
    let Listed { picked, has_any } = list(ui, subject, filter, now, |_| {}, shade);
    if !has_any {
        nothing_matches(ui, filter);
    }
    picked
}

/// Says that the filter matches no number, with a button that clears it; nothing without a filter. The filter stays when another scenario
/// is chosen, which may lack the number.
fn nothing_matches(ui: &mut Ui, filter: &mut String) {
    if filter.is_empty() {
        return;
    }
    ui.label(format!("No number matches “{filter}”."));
    if ui.button("Clear the filter").clicked() {
        filter.clear();
    }
}

/// The field with the filter of a list.
fn field(ui: &mut Ui, filter: &mut String) {
    let field = TextEdit::singleline(filter).hint_text("Search by name or path").desired_width(f32::INFINITY);
    ui.add(field).widget_info(|| WidgetInfo::labeled(Role::SearchInput, true, "search a number"));
}

/// What a list has shown.
struct Listed {
    picked: Option<Number>,
    /// Whether a number matched the filter.
    has_any: bool,
}

/// The numbers that match the filter and have a shade, below a title if there are any; the grey ones are last, below a title that says why.
fn list(
    ui: &mut Ui,
    subject: &dyn Subject,
    filter: &str,
    now: Option<&str>,
    title: impl FnOnce(&mut Ui),
    shade: impl Fn(&str, &Quantity) -> Option<Shade>,
) -> Listed {
    let filter = filter.to_lowercase();
    let matching = numbers(subject).into_iter().filter_map(|(path, quantity, value)| {
        let path = path.to_string();
        let text = format!("{} · {}", quantity.label, quantity.unit.format(value));
        let named = format!("{text} ({path})");
        let is_wanted = filter.is_empty() || named.to_lowercase().contains(&filter);
        let shade = is_wanted.then(|| shade(&path, quantity)).flatten()?;
        Some((Number { path, quantity, value }, text, named, shade))
    });
    let (full, grey): (Vec<_>, Vec<_>) = matching.partition(|(.., shade)| *shade == Shade::Full);
    let has_any = !full.is_empty() || !grey.is_empty();
    if has_any {
        title(ui);
    }
    let mut picked = None;
    let mut heading = None;
    let first_grey = full.len();
    for (place, (number, text, named, shade)) in full.into_iter().chain(grey).enumerate() {
        let Number { path, quantity, .. } = &number;
        if place == first_grey {
            ui.add_space(4.0);
            ui.weak("Without effect on any figure");
            heading = None;
        }
        let group = part(path);
        if heading.as_deref() != Some(group.as_str()) {
            ui.add_space(4.0);
            ui.label(RichText::new(&group).small().weak());
            heading = Some(group);
        }
        let is_now = now == Some(path.as_str());
        let about = about(quantity, path);
        // Assistive technologies read the name, so it also states what the grey colour means.
        let (text, named, about) = match shade {
            Shade::Full => (RichText::new(text), named, about),
            Shade::Grey(reason) => {
                (RichText::new(text).weak(), format!("no effect: {named}"), format!("{reason}.\n{about}"))
            }
        };
        let entry = ui.add(Button::selectable(is_now, text).truncate());
        entry.widget_info(|| WidgetInfo::selected(Role::Button, true, is_now, &named));
        if entry.on_hover_text(about).clicked() && !is_now {
            picked = Some(number);
        }
    }
    Listed { picked, has_any }
}

/// A number to begin with: that of most effect, else one that changes a figure; none while none is known to.
pub(super) fn first_number(study: &Study, ranking: Option<&Ranking>) -> Option<Number> {
    let ranking = ranking?;
    let path = ranking.first().or_else(|| ranking.with_effect().next())?;
    let (quantity, value) = number_at(study.subject(), path)?;
    Some(Number { path: path.to_owned(), quantity, value: value? })
}

/// The meaning of a number, and the path that commands know it by: the tooltip of its title.
pub(super) fn about(quantity: &Quantity, path: &str) -> String {
    format!("{}: {}\n{path}", quantity.label, quantity.meaning)
}

/// A number by its title; its path is in the tooltip.
pub(super) fn named(ui: &mut Ui, study: &Study, path: &str) {
    let Some((quantity, _)) = number_at(study.subject(), path) else { return };
    let label = Label::new(RichText::new(title(quantity, path)).strong()).truncate();
    ui.add(label).on_hover_text(about(quantity, path));
}

/// The range of a number; `name` begins the accessible names.
pub(super) fn range(ui: &mut Ui, name: &str, study: &Study, range: &mut Range, commands: &mut Vec<Command>) {
    let Some((quantity, Some(present))) = number_at(study.subject(), &range.path) else { return };
    grid(ui, format!("{name} range"), |ui| {
        for (end, label) in [(0, "from"), (1, "to")] {
            let quantity = Quantity { label, ..*quantity };
            match quantity::row(ui, &quantity, &format!("{name} {label}"), &mut range.ends[end], None) {
                Some(quantity::Edit::Refused(text)) => commands.push(Command::Notify(text)),
                // Back to the range around the present value.
                Some(quantity::Edit::Reset) => (range.ends, range.is_logarithmic) = around(&quantity, present),
                Some(quantity::Edit::Changed) | None => {}
            }
        }
    });
    let can_be_log = range.ends.iter().all(|end| *end > 0.0);
    range.is_logarithmic &= can_be_log;
    if can_be_log {
        let explanation = "Values evenly spaced in their logarithm";
        if let Some(is_on) = switch(ui, "logarithmic", explanation, &format!("{name} log"), range.is_logarithmic) {
            range.is_logarithmic = is_on;
        }
    }
}

/// The range of a number around its present value; none if the study lacks the number.
pub(super) fn range_at(study: &Study, path: &str, points: usize) -> Option<Range> {
    let (quantity, Some(value)) = number_at(study.subject(), path)? else { return None };
    let (ends, is_logarithmic) = around(quantity, value);
    Some(Range { path: path.to_owned(), ends, points, is_logarithmic })
}

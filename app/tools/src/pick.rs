//! What the pages of tools share: picking a scenario and a number of it, and its range.

use crossover_export::about::QueryOfApplication;
use crossover_page::command::Command;
use crossover_page::document::Document;
use crossover_page::widgets::form::{grid, quantity, switch};
use crossover_quantity::quantity::Quantity;
use crossover_scenario::{Scenario, Study};
use crossover_study::{Subject, number_at, numbers};
use crossover_tools::Range;
use crossover_tools::unknowns::part;
use egui::{Button, ComboBox, Label, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::influence::{Ranking, WITHOUT_EFFECT};

/// How far a range reaches beyond the present value, each way, where the number spans decades.
const DECADES: f64 = 100.0;

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

/// The scenarios to choose from, and the query that the chosen one is about if it also has the application of it; returns the id of a newly
/// chosen one. `name` is the accessible name.
pub(super) fn scenario(ui: &mut Ui, name: &str, all: &[Target<'_>], now: Option<&Target<'_>>) -> Option<String> {
    let picked = scenario_list(ui, name, all, now);
    if let Some(query) = now.and_then(|target| QueryOfApplication::of(&target.scenario.study)) {
        ui.weak(format!("About {}", query.title()));
    }
    picked
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

/// The numbers of the study that match the filter, to choose from; returns the chosen one. Those without effect are grey.
pub(super) fn number(
    ui: &mut Ui,
    study: &Study,
    filter: &mut String,
    now: Option<&str>,
    ranking: Option<&Ranking>,
) -> Option<Number> {
    let is_grey = |path: &str| ranking.is_some_and(|ranking| ranking.is_without_effect(path));
    number_of(ui, study.subject(), filter, now, |path| Some(if is_grey(path) { Shade::Grey } else { Shade::Full }))
}

/// How a number of a list is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shade {
    Full,
    /// With the reason in its tooltip: no figure depends on it.
    Grey,
}

/// The same of those numbers whose paths have a shade.
pub(super) fn number_of(
    ui: &mut Ui,
    subject: &dyn Subject,
    filter: &mut String,
    now: Option<&str>,
    shade: impl Fn(&str) -> Option<Shade>,
) -> Option<Number> {
    let field = TextEdit::singleline(filter).hint_text("Search by name or path").desired_width(f32::INFINITY);
    ui.add(field).widget_info(|| WidgetInfo::labeled(Role::SearchInput, true, "search a number"));
    let filter = filter.to_lowercase();
    let mut picked = None;
    let mut heading = None;
    for (path, quantity, value) in numbers(subject) {
        let path = path.to_string();
        let text = format!("{} · {}", quantity.label, quantity.unit.format(value));
        let named = format!("{text} ({path})");
        if !filter.is_empty() && !named.to_lowercase().contains(&filter) {
            continue;
        }
        let Some(shade) = shade(&path) else { continue };
        let group = part(&path);
        if heading.as_deref() != Some(group.as_str()) {
            ui.add_space(4.0);
            ui.label(RichText::new(&group).small().weak());
            heading = Some(group);
        }
        let is_now = now == Some(path.as_str());
        let (text, about) = match shade {
            Shade::Full => (RichText::new(text), about(quantity, &path)),
            Shade::Grey => (RichText::new(text).weak(), format!("{WITHOUT_EFFECT}.\n{}", about(quantity, &path))),
        };
        let entry = ui.add(Button::selectable(is_now, text).truncate());
        entry.widget_info(|| WidgetInfo::selected(Role::Button, true, is_now, &named));
        if entry.on_hover_text(about).clicked() && !is_now {
            picked = Some(Number { path, quantity, value });
        }
    }
    picked
}

/// A number to begin with: that of most effect, or the first; none if the study has no numbers.
pub(super) fn first_number(study: &Study, ranking: Option<&Ranking>) -> Option<Number> {
    let of_most_effect = ranking.and_then(Ranking::first);
    let mut all =
        numbers(study.subject()).into_iter().map(|(path, quantity, value)| (path.to_string(), quantity, value));
    let first = match of_most_effect {
        Some(first) => all.find(|(path, ..)| path == first),
        None => all.next(),
    };
    first.map(|(path, quantity, value)| Number { path, quantity, value })
}

/// The meaning of a number, and the path that commands know it by.
fn about(quantity: &Quantity, path: &str) -> String {
    format!("{}: {}\n{path}", quantity.label, quantity.meaning)
}

/// A number by its label and the part that it is in, such as "CPU time of 100 MB, operators · join"; its path is in the tooltip.
pub(super) fn named(ui: &mut Ui, study: &Study, path: &str) {
    let Some((quantity, _)) = number_at(study.subject(), path) else { return };
    let label = Label::new(RichText::new(title(quantity, path)).strong()).truncate();
    ui.add(label).on_hover_text(about(quantity, path));
}

/// The label of a number, and the part that it is in.
pub(super) fn title(quantity: &Quantity, path: &str) -> String {
    format!("{}, {}", quantity.label, part(path))
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

/// A range around the present value, and whether it is better seen in the logarithm.
pub(super) fn around(quantity: &Quantity, value: f64) -> ([f64; 2], bool) {
    let (min, max) = (quantity.min, quantity.max);
    if quantity.is_wide() && value > 0.0 {
        let ends = [(value / DECADES).max(min), (value * DECADES).min(max)];
        return (if quantity.whole { ends.map(f64::round) } else { ends }, true);
    }
    let reach = if value == 0.0 { 1.0 } else { 2.0 * value.abs() };
    let ends = [(value - reach).max(min), (value + reach).min(max)];
    (if quantity.whole { ends.map(f64::round) } else { ends }, false)
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn a_number_is_grouped_by_the_part_that_it_is_in() {
        assert_eq!(part("operators.sort-merge join.rows_out"), "operators · sort-merge join");
        assert_eq!(part("bill.items.GPU.usd_per_hour"), "bill · items · GPU");
        assert_eq!(part("seed"), "study");
    }
}

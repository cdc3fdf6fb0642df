//! The applications as a table; only the rows in view are laid out.

use std::collections::BTreeSet;

use crossover_chart::screen::{self, Swatch};
use crossover_decision::words::dollars as in_dollars;
use crossover_fleet::application::Range;
use crossover_fleet::listed::{Arranged, Column, Group, Order, Row};
use crossover_page::widgets::table::{self, CELLS, Sorted};
use crossover_quantity::unit::{Unit, chance};
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, Role, Ui, WidgetInfo};
use egui_extras::{Column as Width, TableBuilder, TableRow};

use super::charts::token;
use super::words;

const ROW: f32 = 22.0;
/// Least and largest width of a name, in points; the last column takes the rest.
const NAME: [f32; 2] = [134.0, 330.0];
/// Room between a number and a text after it, in points.
const APART: f32 = 10.0;
/// Width of a verdict with its square, in points: that of "cannot be judged".
pub(super) const VERDICT: f32 = 134.0;

/// Which option a row shows, of an application or of a query.
pub(super) const OPTION_SHOWN: &str = "The recommended option with the first word of its engine. If several cost about the same: their engines; the next columns \
                                       describe the first, and the verdict says “tie”. Without a recommendation: the \
                                       option most likely to meet the goal. Hover over it for its full name";

/// A column with its title, width in points and meaning.
type Head = (Column, &'static str, f32, Meaning);

/// All columns.
const COLUMNS: [Head; 12] = [
    (
        Column::Name,
        "application",
        NAME[0],
        Meaning::own("Its name, or its id if it has no name").and_term("application"),
    ),
    (Column::User, "user", 84.0, Meaning::own("User who ran it")),
    (Column::Queue, "queue", 84.0, Meaning::term("queue")),
    (Column::Today, "today", 78.0, Meaning::own("Time from start to end")),
    (Column::Option, "option", 166.0, Meaning::own(OPTION_SHOWN).and_term("option")),
    (
        Column::OptionTime,
        "with option",
        78.0,
        Meaning::own("Median of the predicted time with the option; of a group: total after the recommended moves"),
    ),
    (Column::Interval, "90 % interval", 122.0, Meaning::own("Of the predicted time").and_term("90 % interval")),
    (Column::Saves, "saved time", 84.0, Meaning::own("Of a group: by the applications to move").and_term("saving")),
    (
        Column::SavesUsd,
        "saving per run",
        96.0,
        Meaning::own("US dollars; negative: expected extra cost; of a group: of one run of each application to move")
            .and_term("expected saving"),
    ),
    (Column::Likelihood, "likelihood", 78.0, Meaning::term("likelihood")),
    (
        Column::Verdict,
        "verdict",
        VERDICT,
        Meaning::own(
            "About the option of the row. Move: at least 90 % likely to meet the goal. Try: at least 50 %, and the saving exceeds the \
             regret. Stay: neither",
        )
        .and_term("verdict of a fleet"),
    ),
    (
        Column::BlockedBy,
        "blocked by",
        132.0,
        Meaning::own(
            "What keeps applications that stay or cannot be judged from moving, most important first. Of a group: the most frequent \
             blocker",
        )
        .and_term("blocker"),
    ),
];

/// A line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// A group, by its place.
    Group(usize),
    /// An application, by its place among all rows.
    Application(usize),
}

/// The lines of a list: of groups, the applications of those that are open follow.
pub(super) fn lines(arranged: &Arranged, open: &BTreeSet<String>) -> Vec<Line> {
    if arranged.groups.is_empty() {
        return arranged.shown.iter().map(|at| Line::Application(*at)).collect();
    }
    let mut lines = Vec::new();
    for (place, group) in arranged.groups.iter().enumerate() {
        lines.push(Line::Group(place));
        if open.contains(&group.name) {
            lines.extend(group.rows.iter().map(|at| Line::Application(*at)));
        }
    }
    lines
}

/// A user's action in the table of applications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TableAction {
    /// Sort by this column.
    Sort(Column),
    /// Pick this application, alone or besides others.
    Pick(usize),
    /// Open this application.
    Enter(usize),
    /// Open or close this group.
    Toggle(String),
}

/// Draws the table; `scroll_to` brings a line into view.
pub(super) fn show(
    ui: &mut Ui,
    (rows, groups, lines): (&[Row], &[Group], &[Line]),
    order: Order,
    chosen: &BTreeSet<usize>,
    open: &BTreeSet<String>,
    scroll_to: Option<usize>,
) -> Option<TableAction> {
    let gap = ui.spacing().item_spacing.x;
    let columns: Vec<Head> = COLUMNS.into_iter().filter(|(column, ..)| is_filled(rows, *column)).collect();
    let columns = with_verdict_in_view(columns, ui.available_width(), gap);
    let others: f32 = columns[1..].iter().map(|(_, _, width, _)| width + gap).sum();
    let room = ui.available_width() - others - 12.0;
    let name = room.clamp(NAME[0], NAME[1]);
    let rest = (room - NAME[1]).max(0.0);
    let mut action = None;
    egui::ScrollArea::horizontal().id_salt("fleet").auto_shrink(false).show(ui, |ui| {
        table::mark_picked(ui);
        let mut table = TableBuilder::new(ui)
            .id_salt("applications")
            .striped(true)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink(false)
            .animate_scrolling(false);
        for (column, _, width, _) in &columns {
            let width = match column {
                Column::Name => name,
                Column::BlockedBy => width + rest,
                _ => *width,
            };
            table = table.column(Width::exact(width).clip(true));
        }
        if let Some(line) = scroll_to {
            table = table.scroll_to_row(line, None);
        }
        table
            .header(24.0, |mut header| {
                for (column, title, _, meaning) in &columns {
                    header.col(|ui| {
                        let sorted = Sorted::new(order.column == *column, order.is_descending);
                        if aligned(ui, *column, |ui| table::title(ui, title, sorted, *meaning)) {
                            action = Some(TableAction::Sort(*column));
                        }
                    });
                }
            })
            .body(|body| {
                body.rows(ROW, lines.len(), |mut row| {
                    let done = match lines[row.index()] {
                        Line::Group(place) => {
                            let group = groups.get(place);
                            group.and_then(|group| show_group(&mut row, &columns, group, open.contains(&group.name)))
                        }
                        Line::Application(at) => {
                            let is_inside = !groups.is_empty();
                            let is_chosen = chosen.contains(&at);
                            rows.get(at).and_then(|one| show_row(&mut row, &columns, one, (at, is_chosen, is_inside)))
                        }
                    };
                    action = done.or(action.take());
                });
            });
    });
    action
}

/// The columns, with the verdict beside the name if it would be out of view at this width; `gap`: room between two columns. Points.
fn with_verdict_in_view(mut columns: Vec<Head>, width: f32, gap: f32) -> Vec<Head> {
    if let Some(place) = columns.iter().position(|(column, ..)| *column == Column::Verdict) {
        let right: f32 = columns[..=place].iter().map(|(_, _, width, _)| width + gap).sum();
        if right > width {
            columns[1..=place].rotate_right(1);
        }
    }
    columns
}

/// Whether a column has something to show: logs may have no users or queues.
fn is_filled(rows: &[Row], column: Column) -> bool {
    match column {
        Column::User => rows.iter().any(|row| !row.user.is_empty()),
        Column::Queue => rows.iter().any(|row| !row.queue.is_empty()),
        _ => true,
    }
}

/// Draws an application: its place, whether it is picked, and whether it is inside of a group.
fn show_row(
    row: &mut TableRow<'_, '_>,
    columns: &[Head],
    of: &Row,
    (at, is_picked, is_inside): (usize, bool, bool),
) -> Option<TableAction> {
    row.set_selected(is_picked);
    let described = format!("application {}", of.name);
    let mut is_entered = false;
    for (column, ..) in columns.iter().copied() {
        row.col(|ui| {
            if column == Column::Name {
                is_entered = table::stop(ui, is_picked, &described);
                if is_inside {
                    ui.add_space(18.0);
                }
            }
            let text = RichText::new(cell(of, column));
            aligned(ui, column, |ui| {
                if column == Column::Verdict {
                    screen::swatch(ui, token(of.verdict), Swatch::Square);
                }
                let label = Label::new(text).truncate().selectable(false);
                match hint(of, column) {
                    Some(hint) => drop(ui.add(label.show_tooltip_when_elided(false)).on_hover_text(hint)),
                    None => drop(ui.add(label)),
                }
            });
        });
    }
    let response = row.response();
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_picked, described.clone()));
    let why: Vec<&str> = of.limits().iter().map(|blocker| blocker.explanation()).collect();
    let response = if why.is_empty() { response } else { response.on_hover_text(why.join("\n")) };
    // Ctrl and the keyboard select several, too.
    let is_several = response.ctx.input(|input| input.modifiers.command);
    match (response.double_clicked() || is_entered, response.clicked() || is_entered) {
        (true, _) if !is_several => Some(TableAction::Enter(at)),
        (_, true) => Some(TableAction::Pick(at)),
        _ => None,
    }
}

fn show_group(row: &mut TableRow<'_, '_>, columns: &[Head], group: &Group, is_open: bool) -> Option<TableAction> {
    let name = if group.name.is_empty() { "not available" } else { &group.name };
    let described = format!("group {name}");
    let mut is_pressed = false;
    for (column, ..) in columns.iter().copied() {
        row.col(|ui| {
            if column == Column::Name {
                is_pressed = table::stop(ui, is_open, &described);
            }
            let text = match column {
                Column::Name => {
                    let count = Unit::Count.format(group.total.applications as f64);
                    format!("{} {name}  ({count})", if is_open { "▼" } else { "▶" })
                }
                column => group_cell(group, column),
            };
            aligned(ui, column, |ui| ui.add(Label::new(RichText::new(text).strong()).truncate().selectable(false)));
        });
    }
    let response = row.response();
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, is_open, described.clone()));
    (is_pressed || response.clicked()).then(|| TableAction::Toggle(group.name.clone()))
}

/// What a cell of an application shows under the pointer: of several options that are as good all, with their times.
fn hint(row: &Row, column: Column) -> Option<String> {
    let tie = row.tie.as_ref().map(words::tie);
    match column {
        Column::Option => Some(tie.map_or_else(|| row.option.clone(), |tie| format!("{}\n{tie}", row.option))),
        Column::OptionTime => tie,
        Column::Verdict => tie.or_else(|| (!row.option.is_empty()).then(|| words::verdict_about(&row.option))),
        _ => None,
    }
}

/// The text of a cell of an application.
fn cell(row: &Row, column: Column) -> String {
    match column {
        Column::Name => row.name.clone(),
        Column::User => row.user.clone(),
        Column::Queue => row.queue.clone(),
        Column::Today => seconds(row.seconds),
        Column::Option => row.short_option.clone(),
        Column::OptionTime => seconds(row.option_time.map(|time| time.value)),
        Column::Interval => row.option_time.map_or_else(unknown, range),
        Column::Saves => seconds(row.saved_seconds),
        Column::SavesUsd => dollars(row.saved_usd),
        Column::Likelihood => row.likelihood.map_or_else(unknown, likelihood),
        Column::Verdict => words::verdict(row.verdict, row.tie.as_ref()),
        Column::BlockedBy => row.blockers().iter().map(|blocker| blocker.label()).collect::<Vec<_>>().join("; "),
    }
}

/// The text of a cell of a group.
fn group_cell(group: &Group, column: Column) -> String {
    let total = &group.total;
    let is_moving = total.moving > 0;
    match column {
        Column::Name | Column::User | Column::Queue | Column::Option | Column::Likelihood => String::new(),
        Column::Today => seconds(Some(total.seconds)),
        Column::OptionTime => seconds(Some(total.moved.value).filter(|_| is_moving)),
        Column::Interval => {
            if is_moving {
                range(total.moved)
            } else {
                unknown()
            }
        }
        Column::Saves => seconds(Some(total.saved().value).filter(|_| is_moving)),
        Column::SavesUsd => dollars(total.saved_usd),
        Column::Verdict => format!("{} move", Unit::Count.format(total.moving as f64)),
        Column::BlockedBy => group.blocker.map(|blocker| blocker.label().to_owned()).unwrap_or_default(),
    }
}

fn unknown() -> String {
    "–".to_owned()
}

pub(super) fn seconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(unknown, |seconds| Unit::Seconds.format(seconds))
}

/// "12.3 s … 45.6 s".
pub(super) fn range(range: Range) -> String {
    format!("{} … {}", Unit::Seconds.format(range.low), Unit::Seconds.format(range.high))
}

pub(super) fn likelihood(likelihood: f64) -> String {
    chance(likelihood)
}

pub(super) fn dollars(usd: Option<f64>) -> String {
    usd.map_or_else(unknown, in_dollars)
}

/// Text on the left, numbers on the right.
fn aligned<T>(ui: &mut Ui, column: Column, add: impl FnOnce(&mut Ui) -> T) -> T {
    if matches!(column, Column::Verdict | Column::Option) {
        ui.add_space(APART);
    }
    if column.is_number() { ui.with_layout(Layout::right_to_left(Align::Center), add).inner } else { add(ui) }
}

#[cfg(test)]
mod tests {
    use crossover_fleet::application::{Summary, Tie, TiedOption, Verdict};
    use crossover_fleet::blocker::Blocker;

    use super::*;

    /// The page of a window of 1280 points is 16 points narrower, and the table has a scroll bar.
    #[test]
    fn without_queues_every_column_fits_a_window_of_1280_points() {
        let widths = COLUMNS.iter().filter(|(column, ..)| *column != Column::Queue).map(|(_, _, width, _)| width + 7.0);
        let all: f32 = widths.sum();
        assert!(all <= 1280.0 - 16.0, "{all}");
    }

    /// The columns as far as the verdict are 134 + 84 + 84 + 78 + 166 + 78 + 122 + 84 + 96 + 78 + 134 = 1138 points wide, with 11 gaps of 7
    /// points 1215.
    #[test]
    fn a_verdict_that_would_be_out_of_view_is_beside_the_name() {
        let order = |width| with_verdict_in_view(COLUMNS.to_vec(), width, 7.0).into_iter().map(|(column, ..)| column);
        let all = COLUMNS.into_iter().map(|(column, ..)| column);
        assert!(order(1215.0).eq(all.clone()));
        for width in [1214.0, 784.0] {
            assert!(order(width).take(3).eq([Column::Name, Column::Verdict, Column::User]), "{width}");
            assert!(
                order(width).skip(2).eq(all.clone().skip(1).filter(|column| *column != Column::Verdict)),
                "{width}"
            );
        }
    }

    #[test]
    fn of_a_tie_the_verdict_says_so_and_names_the_other_option() {
        let time = Range { value: 12.0, low: 10.0, high: 14.0 };
        let others = vec![TiedOption { title: "Gluten, same machines".to_owned(), time }];
        let tie = Some(Tie { sentence: "They cost about the same.".to_owned(), others });
        let option = "RAPIDS or Gluten, same machines".to_owned();
        let row = Row::new("log", &Summary { verdict: Verdict::Try, option, tie, ..Summary::default() });
        assert_eq!(cell(&row, Column::Verdict), "try, tie");
        for column in [Column::Option, Column::OptionTime, Column::Verdict] {
            let hint = hint(&row, column).expect("a hint");
            assert!(hint.ends_with("Gluten, same machines: 12 s (10 s … 14 s, 90 % interval)."), "{hint}");
        }
    }

    #[test]
    fn a_verdict_names_the_option_that_it_is_about() {
        let option = "Gluten (Velox) on Spark 3.5.3, same machines".to_owned();
        let row = Row::new("log", &Summary { verdict: Verdict::Try, option, ..Summary::default() });
        let expected = "The verdict is about Gluten (Velox) on Spark 3.5.3, same machines.";
        assert_eq!(hint(&row, Column::Verdict).as_deref(), Some(expected));
        let without = Row::new("log", &Summary { verdict: Verdict::CannotJudge, ..Summary::default() });
        assert_eq!(hint(&without, Column::Verdict), None);
    }

    #[test]
    fn a_column_without_values_is_left_out_and_what_moves_or_is_tried_has_no_blocker() {
        let row = |verdict| {
            let blocked_by = vec![Blocker::TooShort];
            Row::new("log", &Summary { user: "ada".to_owned(), verdict, blocked_by, ..Summary::default() })
        };
        let rows = [row(Verdict::Move), row(Verdict::Try), row(Verdict::Stay), row(Verdict::CannotJudge)];
        assert!(is_filled(&rows, Column::User) && !is_filled(&rows, Column::Queue));
        assert_eq!(rows.map(|row| cell(&row, Column::BlockedBy)), ["", "", "too short", "too short"]);
    }
}

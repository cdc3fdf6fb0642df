//! The queries of an application, and the classes of operators of a query, as tables.

use std::cmp::Ordering;

use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_fleet::application::{OperatorClass, Query};
use crossover_fleet::blocker::Blocker;
use crossover_page::widgets::table::{self, CELLS, Sorted};
use crossover_placement_page::import::SHARE_OF_APPLICATION;
use crossover_plan::timeline::share_of_application;
use crossover_quantity::unit::{Unit, share_of_time};
use crossover_scenario::glossary::Meaning;
use egui::{Align, Label, Layout, RichText, Role, ScrollArea, Ui, WidgetInfo};
use egui_extras::{Column as Width, TableBuilder};

use super::charts::token;
use super::list::{self, likelihood, range, seconds};
use super::words;

const ROW: f32 = 22.0;
/// Room between a number and a text after it, in points.
const APART: f32 = 10.0;

/// How a table is sorted: by which column, and whether descending. `None`: as in the log.
pub(super) type Sort = Option<(usize, bool)>;

/// A column: its title, its width in points (0: the rest), its meaning.
type Column = (&'static str, f32, Meaning);

const QUERIES: [Column; 10] = [
    ("query", 64.0, Meaning::own("The engine's id")),
    ("description", 0.0, Meaning::own("In words or in SQL")),
    ("today", 84.0, Meaning::own("Time from start to end")),
    ("share", 84.0, SHARE_OF_APPLICATION),
    ("option", 160.0, Meaning::own(list::OPTION_SHOWN).and_term("option")),
    ("with option", 84.0, Meaning::own("Predicted time with the option")),
    ("90 % interval", 146.0, Meaning::own("Of the predicted time").and_term("90 % interval")),
    ("likelihood", 84.0, Meaning::term("likelihood")),
    ("verdict", list::VERDICT, Meaning::own("About the option of the row: move, try, stay or cannot be judged")),
    ("blocked by", 150.0, Meaning::term("blocker")),
];
/// Which of them are numbers.
const NUMBERS: [usize; 5] = [2, 3, 5, 6, 7];
/// The column of the option.
const OPTION: usize = 4;
/// The column of the time with the option.
const OPTION_TIME: usize = 5;
/// The column of the verdict.
const VERDICT: usize = 8;
/// The column of the blocker.
const BLOCKED_BY: usize = 9;

const OPERATORS: [Column; 7] = [
    ("class", 190.0, Meaning::term("class of operators")),
    ("kind", 120.0, Meaning::own("What operators of the class do")),
    ("operators", 84.0, Meaning::own("Number of operators")),
    ("core time", 104.0, Meaning::own("Time of one core, from the log")),
    ("today", 84.0, Meaning::own("Their share of the query's time today")),
    ("on GPUs", 84.0, Meaning::own("Their share of its time on the GPU cluster")),
    ("reason for CPUs", 0.0, Meaning::own("Why the operators stay on CPUs")),
];
const OPERATOR_NUMBERS: [usize; 4] = [2, 3, 4, 5];

/// The queries in the order of the table.
pub(super) fn order(queries: &[Query], sort: Sort) -> Vec<usize> {
    let mut order: Vec<usize> = (0..queries.len()).collect();
    if let Some((column, is_descending)) = sort {
        order.sort_by(|a, b| compare(&queries[*a], &queries[*b], column, is_descending));
    }
    order
}

/// Unknown values come last in both directions.
fn compare(a: &Query, b: &Query, column: usize, is_descending: bool) -> Ordering {
    let directed = |order: Ordering| if is_descending { order.reverse() } else { order };
    let number = |query: &Query| {
        let option = query.option.as_ref();
        match column {
            0 => query.id.parse().ok(),
            2 => query.seconds,
            3 => Some(query.share_seconds),
            OPTION_TIME => option.map(|option| option.time.value),
            6 => option.map(|option| option.time.high / option.time.low),
            7 => option.and_then(|option| option.likelihood),
            _ => None,
        }
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => directed(a.total_cmp(&b)),
        (None, None) => {
            let text = |query: &'_ Query| match column {
                0 => query.id.clone(),
                1 => query.description.clone(),
                OPTION => query.option.as_ref().map(|option| option.title.clone()).unwrap_or_default(),
                VERDICT => query.verdict.label().to_owned(),
                _ => query.blocker().map_or("", Blocker::label).to_owned(),
            };
            directed(text(a).cmp(&text(b)))
        }
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// A user's action in the table of queries.
pub(super) enum QueryAction {
    /// Sort by this column.
    Sort(Sort),
    /// Open this query.
    Enter(usize),
}

/// A query's share of the time of its application, which takes so many seconds.
fn share(query: &Query, application: Option<f64>) -> String {
    let share = share_of_application(query.share_seconds, application);
    share.map_or_else(|| "–".to_owned(), share_of_time)
}

/// Draws the queries in this order; `application`: its time, seconds.
pub(super) fn queries(
    ui: &mut Ui,
    queries: &[Query],
    application: Option<f64>,
    order: &[usize],
    sort: Sort,
) -> Option<QueryAction> {
    let mut action = None;
    let cell = |query: &Query, column: usize| {
        let option = query.option.as_ref();
        match column {
            0 => query.id.clone(),
            1 => query.description.split_whitespace().collect::<Vec<_>>().join(" "),
            2 => seconds(query.seconds),
            3 => share(query, application),
            OPTION => option.map(|option| option.short_title.clone()).unwrap_or_default(),
            OPTION_TIME => seconds(option.map(|option| option.time.value)),
            6 => option.map_or_else(|| "–".to_owned(), |option| range(option.time)),
            7 => option.and_then(|option| option.likelihood).map_or_else(|| "–".to_owned(), likelihood),
            VERDICT => words::verdict(query.verdict, option.and_then(|option| option.tie.as_ref())),
            _ => query.blocker().map_or("", Blocker::label).to_owned(),
        }
    };
    grid(
        ui,
        "queries",
        &QUERIES,
        &NUMBERS,
        order.len(),
        Some((sort, &mut action)),
        |place, column| {
            let query = &queries[order[place]];
            Cell {
                text: RichText::new(cell(query, column)),
                token: (column == VERDICT).then(|| token(query.verdict)),
                whole: hint(query, column),
            }
        },
        |place| format!("query {}", queries[order[place]].id),
    )
    .map(|place| QueryAction::Enter(order[place]))
    .or(action.map(QueryAction::Sort))
}

/// What a cell of a query shows under the pointer: of several options that are as good all, with their times.
fn hint(query: &Query, column: usize) -> Option<String> {
    let option = query.option.as_ref();
    let tie = || option.and_then(|option| option.tie.as_ref()).map(words::tie);
    match column {
        OPTION => option.map(|option| match tie() {
            Some(tie) => format!("{}\n{tie}", option.title),
            None => option.title.clone(),
        }),
        OPTION_TIME => tie(),
        VERDICT => tie().or_else(|| option.map(|option| words::verdict_about(&option.title))),
        BLOCKED_BY => query.blocker().map(|blocker| blocker.explanation().to_owned()),
        _ => None,
    }
}

/// Draws the classes of operators of a query.
pub(super) fn operators(ui: &mut Ui, classes: &[OperatorClass]) {
    let dark = ui.visuals().dark_mode;
    let cell = |class: &OperatorClass, column: usize| match column {
        0 => class.class.clone(),
        1 => class.kind.clone(),
        2 => Unit::Count.format(class.operators as f64),
        3 => seconds(class.core_seconds),
        4 => seconds(Some(class.today_seconds)),
        5 => seconds(Some(class.gpu_seconds)),
        _ => class.unsupported.clone().unwrap_or_default(),
    };
    _ = grid(
        ui,
        "operators",
        &OPERATORS,
        &OPERATOR_NUMBERS,
        classes.len(),
        None,
        |place, column| {
            let text = RichText::new(cell(&classes[place], column));
            let text = if column == 6 { text.color(Token::Warning.color(dark)) } else { text };
            Cell { text, token: None, whole: None }
        },
        |place| format!("class {}", classes[place].class),
    );
}

/// A cell of a table.
struct Cell {
    text: RichText,
    /// Colour of the square before it.
    token: Option<Token>,
    /// What it shows under the pointer, if it shows a part of that.
    whole: Option<String>,
}

/// A table that lays out only the rows in view; returns the clicked row, if rows can be clicked.
#[expect(clippy::too_many_arguments, reason = "the columns, their cells and the sorting of one table")]
fn grid(
    ui: &mut Ui,
    id: &str,
    columns: &[Column],
    numbers: &[usize],
    rows: usize,
    sorting: Option<(Sort, &mut Option<Sort>)>,
    cell: impl Fn(usize, usize) -> Cell,
    name: impl Fn(usize) -> String,
) -> Option<usize> {
    let fixed: f32 = columns.iter().map(|(_, width, _)| width + ui.spacing().item_spacing.x).sum();
    let rest = (ui.available_width() - fixed - 12.0).max(160.0);
    let is_number = |column: usize| numbers.contains(&column);
    let (sort, mut wish) = sorting.unzip();
    let mut pressed = None;
    ScrollArea::horizontal().id_salt(id).auto_shrink(false).show(ui, |ui| {
        let mut table = TableBuilder::new(ui)
            .id_salt(id)
            .striped(true)
            .sense(CELLS)
            .cell_layout(Layout::left_to_right(Align::Center))
            .auto_shrink(false);
        for (_, width, _) in columns {
            table = table.column(Width::exact(if *width > 0.0 { *width } else { rest }).clip(true));
        }
        table
            .header(24.0, |mut header| {
                for (column, (title, _, meaning)) in columns.iter().enumerate() {
                    header.col(|ui| {
                        let sorted = sort.flatten();
                        let shown = Sorted::new(
                            sorted.is_some_and(|(by, _)| by == column),
                            sorted.is_some_and(|(_, is_descending)| is_descending),
                        );
                        let is_asked = aligned(ui, column, numbers, |ui| {
                            if wish.is_some() {
                                return table::title(ui, title, shown, *meaning);
                            }
                            table::fixed_title(ui, title, false, *meaning);
                            false
                        });
                        if let Some(wish) = wish.as_mut().filter(|_| is_asked) {
                            let is_descending = match sorted {
                                Some((by, is_descending)) if by == column => !is_descending,
                                _ => is_number(column),
                            };
                            **wish = Some(Some((column, is_descending)));
                        }
                    });
                }
            })
            .body(|body| {
                body.rows(ROW, rows, |mut row| {
                    let place = row.index();
                    let described = name(place);
                    for column in 0..columns.len() {
                        row.col(|ui| {
                            if column == 0 && wish.is_some() && table::stop(ui, false, &described) {
                                pressed = Some(place);
                            }
                            let Cell { text, token, whole } = cell(place, column);
                            aligned(ui, column, numbers, |ui| {
                                if let Some(token) = token {
                                    screen::swatch(ui, token, Swatch::Square);
                                }
                                let label = Label::new(text).truncate().selectable(false);
                                match whole {
                                    Some(whole) => {
                                        ui.add(label.show_tooltip_when_elided(false)).on_hover_text(whole);
                                    }
                                    None => drop(ui.add(label)),
                                }
                            });
                        });
                    }
                    let response = row.response();
                    response.widget_info(|| WidgetInfo::selected(Role::Row, true, false, described.clone()));
                    if wish.is_some() && response.clicked() {
                        pressed = Some(place);
                    }
                });
            });
    });
    pressed
}

/// Text on the left, numbers on the right, with a gap between a number and a text after it.
fn aligned<T>(ui: &mut Ui, column: usize, numbers: &[usize], add: impl FnOnce(&mut Ui) -> T) -> T {
    let is_number = numbers.contains(&column);
    if !is_number && column.checked_sub(1).is_some_and(|before| numbers.contains(&before)) {
        ui.add_space(APART);
    }
    if is_number { ui.with_layout(Layout::right_to_left(Align::Center), add).inner } else { add(ui) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_that_of_the_application() {
        let query = Query { share_seconds: 25.0, ..Query::default() };
        assert_eq!(share(&query, Some(50.0)), "50 %");
        assert_eq!(share(&query, None), "–");
    }

    #[test]
    fn ids_are_sorted_as_numbers_and_unknown_values_are_last() {
        let query = |id: &str, seconds| Query { id: id.to_owned(), seconds, ..Query::default() };
        let queries = [query("10", Some(3.0)), query("9", None), query("2", Some(7.0))];
        assert_eq!(order(&queries, None), [0, 1, 2]);
        assert_eq!(order(&queries, Some((0, false))), [2, 1, 0]);
        assert_eq!(order(&queries, Some((2, true))), [2, 0, 1]);
        assert_eq!(order(&queries, Some((2, false))), [0, 2, 1]);
    }
}

//! The queries of a file, as a list that can be sorted, filtered and navigated.

use std::cmp::Ordering;
use std::path::PathBuf;

use crossover_page::compute::background_drop::BackgroundDrop;
use crossover_plan::timeline::{Timeline, share_of_application, timeline};
use crossover_plan::{Import, Query};
use crossover_query::{Kind, Plan};

/// Most characters of a description in a row.
const LINE: usize = 300;
/// Characters of a description that the filter searches.
const SEARCHED: usize = 4_000;

/// A file that was read, with a row for each query.
pub(super) struct Found {
    pub(super) import: BackgroundDrop<Import>,
    /// Warnings about the file and its queries.
    pub(super) notes: Vec<String>,
    /// One for each query, in the file's order.
    pub(super) rows: Vec<Row>,
    /// Nodes of all plans.
    pub(super) nodes: usize,
    /// Where it was read; none for a text that was pasted.
    pub(super) path: Option<PathBuf>,
    /// What a query opens with.
    pub(super) first: FirstPage,
}

/// What a query opens with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum FirstPage {
    /// Its answer, or its plan if it has none.
    #[default]
    Answer,
    /// Its machines.
    Machines,
    /// Its machines if they or their price are not known; else as [`Self::Answer`].
    MissingMachines,
    /// From a link of a fleet: the answer about its application.
    Application,
    /// The same: the answer about the query, although its application has one.
    QueryAnswer,
    /// The same: its plan.
    Plan,
}

impl FirstPage {
    /// Whether a link leads there, so that the query is not opened twice. An import makes a new document each time.
    pub(super) fn is_linked(self) -> bool {
        match self {
            Self::Application | Self::QueryAnswer | Self::Plan => true,
            Self::Answer | Self::Machines | Self::MissingMachines => false,
        }
    }
}

/// The row of a query.
pub(super) struct Row {
    /// The description on one line.
    pub(super) line: String,
    /// Number of operators.
    pub(super) operators: usize,
    /// Its share of the application's time from start to end; none if not known.
    pub(super) share: Option<f64>,
    /// The id as a number, if it is one.
    number: Option<u64>,
    /// Id and description in lower case.
    searched: String,
}

impl Found {
    pub(super) fn new(import: Import) -> Self {
        let Timeline { seconds, shares, .. } = timeline(&import.run, &import.queries);
        let row = |(query, share): (&Query, &f64)| Row::new(query, share_of_application(*share, seconds));
        let rows = import.queries.iter().zip(&shares).map(row).collect();
        let nodes = import.queries.iter().map(|query| query.plan.nodes.len()).sum();
        let notes = import.notes_with(&import.queries).into_iter().map(str::to_owned).collect();
        Self { import: BackgroundDrop::new(import), notes, rows, nodes, path: None, first: FirstPage::default() }
    }

    /// The query at this place of the file.
    pub(super) fn query(&self, index: usize) -> Option<&Query> {
        self.import.queries.get(index)
    }
}

impl Row {
    /// `share`: that of the application's time.
    fn new(query: &Query, share: Option<f64>) -> Self {
        let searched: String = query.description.chars().take(SEARCHED).collect();
        let words: Vec<&str> = searched.split_whitespace().take(LINE).collect();
        Self {
            line: words.join(" ").chars().take(LINE).collect(),
            operators: operators(&query.plan),
            // A query without an end has no time.
            share: query.duration_seconds.and(share),
            number: query.id.parse().ok(),
            searched: format!("{} {}", query.id, searched).to_lowercase(),
        }
    }
}

/// How many nodes of a plan do work of their own.
pub(super) fn operators(plan: &Plan) -> usize {
    plan.nodes.iter().filter(|node| node.kind != Kind::Wrapper && node.reuses.is_none()).count()
}

/// Why a query cannot be opened; `None` if it can.
pub(super) fn obstacle(query: &Query) -> Option<&'static str> {
    query.plan.nodes.is_empty().then_some("The file has no plan for this query")
}

/// A column of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Id,
    Description,
    Duration,
    Share,
    Stages,
    Operators,
}

/// Which rows are shown, in which order, and which one is selected.
pub(super) struct Listing {
    /// The filter.
    pub(super) filter: String,
    pub(super) key: Key,
    pub(super) ascending: bool,
    /// Places of the queries in the file, in the order shown.
    pub(super) shown: Vec<usize>,
    /// Index of the selected query in the file.
    pub(super) selected: Option<usize>,
}

impl Listing {
    /// All queries, the longest first where their durations are known; the first that can be opened is selected.
    pub(super) fn new(found: &Found) -> Self {
        let is_timed = found.import.queries.iter().any(|query| query.duration_seconds.is_some());
        let key = if is_timed { Key::Duration } else { Key::Id };
        let mut listing = Self { filter: String::new(), key, ascending: !is_timed, shown: Vec::new(), selected: None };
        listing.refresh(found);
        listing
    }

    /// Filters and sorts again; the selection stays if it is still shown.
    pub(super) fn refresh(&mut self, found: &Found) {
        let wanted = self.filter.trim().to_lowercase();
        self.shown = (0..found.rows.len()).filter(|index| found.rows[*index].searched.contains(&wanted)).collect();
        self.shown.sort_by(|a, b| compare(found, self.key, self.ascending, *a, *b));
        if self.place().is_none() {
            let can_open = |index: &&usize| found.query(**index).is_some_and(|query| obstacle(query).is_none());
            self.selected = self.shown.iter().find(can_open).or(self.shown.first()).copied();
        }
    }

    /// Sorts by a column; by the same one again: the other way round. Numbers start with the largest.
    pub(super) fn sort_by(&mut self, found: &Found, key: Key) {
        self.ascending = if self.key == key { !self.ascending } else { matches!(key, Key::Id | Key::Description) };
        self.key = key;
        self.refresh(found);
    }

    /// Where the selected query is shown.
    pub(super) fn place(&self) -> Option<usize> {
        let selected = self.selected?;
        self.shown.iter().position(|index| *index == selected)
    }

    /// Moves the selection by so many rows, to the first or last at most.
    pub(super) fn step(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        let place = self.place().map_or(0, |place| place.saturating_add_signed(by).min(last));
        self.selected = self.shown.get(place).copied();
    }
}

/// The order of two queries. Missing values are last in both directions, and the file's order decides a tie.
fn compare(found: &Found, key: Key, ascending: bool, a: usize, b: usize) -> Ordering {
    let directed = |order: Ordering| if ascending { order } else { order.reverse() };
    let (row_a, row_b) = (&found.rows[a], &found.rows[b]);
    let (query_a, query_b) = (&found.import.queries[a], &found.import.queries[b]);
    let order = match key {
        Key::Id => match (row_a.number, row_b.number) {
            (Some(one), Some(other)) => directed(one.cmp(&other)),
            _ => directed(query_a.id.cmp(&query_b.id)),
        },
        Key::Description => directed(row_a.line.cmp(&row_b.line)),
        Key::Duration => compare_known(query_a.duration_seconds, query_b.duration_seconds, directed),
        Key::Share => compare_known(row_a.share, row_b.share, directed),
        Key::Stages => directed(query_a.stages.cmp(&query_b.stages)),
        Key::Operators => directed(row_a.operators.cmp(&row_b.operators)),
    };
    order.then(a.cmp(&b))
}

/// The order of two numbers, the one that is not known last.
fn compare_known(one: Option<f64>, other: Option<f64>, directed: impl Fn(Ordering) -> Ordering) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => directed(one.total_cmp(&other)),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

#[cfg(test)]
mod tests {
    use crossover_plan::Run;
    use crossover_query::Node;

    use super::*;

    fn query(id: &str, description: &str, duration_seconds: Option<f64>, operators: usize) -> Query {
        let plan = Plan { nodes: vec![Node::new("Filter", Kind::Filter); operators], ..Plan::default() };
        Query {
            id: id.into(),
            description: description.into(),
            duration_seconds,
            plan: plan.into(),
            ..Query::default()
        }
    }

    fn found() -> Found {
        let queries = vec![
            query("0", "create view", None, 0),
            query("2", "SELECT *\n  FROM nation", Some(2.5), 3),
            query("10", "select count(*) from lineitem", Some(40.0), 7),
            query("9", "insert", Some(2.5), 5),
        ];
        Found::new(Import { queries, ..Import::default() })
    }

    #[test]
    fn the_longest_query_is_first_and_selected_and_those_without_an_end_are_last() {
        let listing = Listing::new(&found());
        assert_eq!(listing.shown, [2, 1, 3, 0]);
        assert_eq!(listing.selected, Some(2));
    }

    #[test]
    fn ids_are_sorted_as_numbers_and_a_second_click_turns_the_order() {
        let found = found();
        let mut listing = Listing::new(&found);
        listing.sort_by(&found, Key::Id);
        assert_eq!(listing.shown, [0, 1, 3, 2]);
        listing.sort_by(&found, Key::Id);
        assert_eq!(listing.shown, [2, 3, 1, 0]);
        listing.sort_by(&found, Key::Duration);
        listing.sort_by(&found, Key::Duration);
        assert_eq!(listing.shown, [1, 3, 2, 0], "a missing duration is last either way");
    }

    #[test]
    fn the_filter_looks_at_ids_and_descriptions_whatever_their_case() {
        let found = found();
        let mut listing = Listing::new(&found);
        for (filter, shown) in [("Select", &[2, 1][..]), ("10", &[2]), ("nothing", &[]), (" insert ", &[3])] {
            listing.filter = filter.into();
            listing.refresh(&found);
            assert_eq!(listing.shown, shown, "{filter}");
            assert_eq!(listing.selected, shown.first().copied(), "{filter}");
        }
    }

    #[test]
    fn the_selection_stops_at_the_ends() {
        let found = found();
        let mut listing = Listing::new(&found);
        listing.step(-1);
        assert_eq!(listing.place(), Some(0));
        listing.step(2);
        assert_eq!(listing.selected, Some(3));
        listing.step(100);
        assert_eq!(listing.place(), Some(3));
    }

    #[test]
    fn a_share_is_that_of_the_application_from_start_to_end() {
        let shares = |found: &Found| found.rows.iter().map(|row| row.share).collect::<Vec<_>>();
        // Without start times, 2.5 s, 40 s and 2.5 s are 45 s.
        assert_eq!(shares(&found()), [None, Some(2.5 / 45.0), Some(40.0 / 45.0), Some(2.5 / 45.0)]);
        // Of 10 s of an application, a query has 4 s, of which one that it started has 2 s.
        let inner = Query { within: Some("2".into()), start_ms: Some(3_000), ..query("3", "a part", Some(2.0), 1) };
        let outer = Query { start_ms: Some(2_000), ..query("2", "all", Some(4.0), 1) };
        let run = Run { start_ms: Some(0), end_ms: Some(10_000), ..Run::default() };
        let nested = Found::new(Import { run, queries: vec![outer, inner], ..Import::default() });
        assert_eq!(shares(&nested), [Some(0.2), Some(0.2)]);
        let untimed = Found::new(Import { queries: vec![query("0", "", None, 1)], ..Import::default() });
        assert_eq!(shares(&untimed), [None]);
    }

    #[test]
    fn a_description_of_many_lines_is_shown_on_one() {
        assert_eq!(found().rows[1].line, "SELECT * FROM nation");
    }
}

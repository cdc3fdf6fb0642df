//! Tables of a plan: rows, partitions, calendars, and how many different values their columns have.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::Plan;
use super::super::kind::Kind;
use super::super::node::{Node, Source};

/// Days of a calendar where no table has more partitions than those of a year: five years.
const DAYS: f64 = 1826.0;
const YEAR: f64 = 365.25;
const LEAST_DAYS: f64 = 366.0;
/// Rows of a table of which nothing is known.
const USUAL_ROWS: f64 = 1e6;
/// Bytes of a row in the files of a table of which only the size is known, and not the columns.
const BYTES_OF_ROW: f64 = 100.0;
/// Most rows of a calendar: a day each of four centuries.
const MOST_DAYS: f64 = 150_000.0;
/// Values of a column about which nothing is known.
pub(super) const UNKNOWN_VALUES: f64 = 100.0;
/// Values of a key of a partitioned table, if the query does not read the table that the key belongs to.
const UNKNOWN_KEYS: f64 = 1000.0;
/// What names of keys end with.
const KEYS: [&str; 4] = ["_sk", "_id", "key", "number"];
/// What names of columns end with that usually differ in each row of their table.
const NAMES: [&str; 5] = ["_id", "_name", "_desc", "_description", "_address"];
/// Ends of names of groups among them.
const GROUPS: [&str; 4] = ["brand_id", "class_id", "category_id", "manufact_id"];
/// Names that a column has one after the other at most.
const RENAMINGS: usize = 8;

/// A table that a plan reads.
#[derive(Debug, Clone, Default)]
struct Table {
    rows: f64,
    /// Whether rows, and the number of partitions, are in the plan.
    has_rows: bool,
    has_folders: bool,
    /// Partitions; `None` if it has none.
    folders: Option<f64>,
    partition_columns: Vec<String>,
    /// Whether it has the days by which other tables are partitioned.
    is_calendar: bool,
}

/// The tables of a plan and their columns.
#[derive(Debug, Default)]
pub(super) struct Tables {
    by_name: BTreeMap<String, Table>,
    /// The table of each column; of several with this name the first.
    owner: BTreeMap<String, String>,
    /// All tables that have a column of this name.
    with_column: BTreeMap<String, BTreeSet<String>>,
    /// Columns that only have another name.
    renamed: BTreeMap<String, String>,
    /// Values of the columns that joins compare.
    values: BTreeMap<String, f64>,
    /// Most different values of columns of whole numbers, where the files state them; of several tables with this column in any of them.
    most_values: BTreeMap<String, f64>,
    /// Different values of columns, where the dictionaries of the files list them.
    different_values: BTreeMap<String, f64>,
    /// Tables without partitions whose columns joins compare with a column; columns that are compared with each other share them.
    compared_with: BTreeMap<String, Rc<BTreeSet<String>>>,
    /// Days of the calendars.
    pub(super) days: f64,
}

impl Tables {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut tables = Self::default();
        for node in &plan.nodes {
            match &node.source {
                Some(source) if node.works() => tables.add(node, source),
                _ if node.kind == Kind::Project => tables.rename(&node.detail),
                _ => {}
            }
        }
        let most = tables.by_name.values().filter_map(|table| table.folders).fold(0.0, f64::max);
        tables.days = if most > LEAST_DAYS { most } else { DAYS };
        tables.find_values(plan);
        let calendars = tables.by_name.values().filter(|table| table.is_calendar && table.has_rows);
        if let Some(rows) = calendars.map(|table| table.rows).reduce(f64::max).filter(|_| most <= LEAST_DAYS) {
            // A short calendar has all days.
            tables.days = rows.min(DAYS).max(most).max(1.0);
            tables.find_values(plan);
        }
        for table in tables.by_name.values_mut().filter(|table| !table.partition_columns.is_empty()) {
            table.folders.get_or_insert(tables.days);
        }
        tables
    }

    fn add(&mut self, node: &Node, source: &Source) {
        let stated = source.table_rows.or(node.rows_in.map(|rows| rows.value));
        let rows = stated.or(source.file_bytes.map(|bytes| rows_in_files(bytes, source)));
        let table = self.by_name.entry(source.table.clone()).or_default();
        table.rows = match rows {
            Some(rows) if table.has_rows => table.rows.max(rows),
            Some(rows) => rows,
            None if table.has_rows => table.rows,
            None => USUAL_ROWS,
        };
        table.has_rows |= rows.is_some();
        if !source.partition_columns.is_empty() {
            // "InMemoryFileIndex" lists one folder where it has not found the partitions yet.
            let folders = source.folders.filter(|count| *count > 1).map(|count| count as f64);
            table.has_folders |= folders.is_some();
            table.folders = table.folders.into_iter().chain(folders).reduce(f64::max);
            table.partition_columns.clone_from(&source.partition_columns);
        }
        for (known, counts) in
            [(&mut self.most_values, &source.most_values), (&mut self.different_values, &source.different_values)]
        {
            for (column, count) in
                source.columns.iter().zip(counts).filter_map(|(column, count)| Some((column, (*count)?)))
            {
                let most = known.entry(column.clone()).or_insert(count);
                *most = most.max(count);
            }
        }
        for column in &source.columns {
            self.owner.entry(column.clone()).or_insert_with(|| source.table.clone());
            self.with_column.entry(column.clone()).or_default().insert(source.table.clone());
        }
    }

    /// Notes the new names in a projection: "[`ss_store_sk` AS `store_sk`, 0.00 AS `return_amt`]".
    fn rename(&mut self, detail: &str) {
        let list = detail.trim_start_matches('[').trim_end_matches(']');
        for (column, name) in list.split(", ").filter_map(|part| part.split_once(" AS ")) {
            if is_name(column) && is_name(name) {
                self.renamed.entry(name.to_owned()).or_insert_with(|| column.to_owned());
            }
        }
    }

    /// The column of a table that a name stands for.
    pub(super) fn real<'n>(&'n self, name: &'n str) -> &'n str {
        let mut name = name;
        for _ in 0..RENAMINGS {
            match self.renamed.get(name) {
                Some(before) if !self.owner.contains_key(name) => name = before,
                _ => break,
            }
        }
        name
    }

    /// Whether a name is that of a column of a table.
    pub(super) fn has(&self, name: &str) -> bool {
        self.owner.contains_key(self.real(name))
    }

    fn table_of(&self, name: &str) -> Option<&Table> {
        self.by_name.get(self.owner.get(name)?)
    }

    /// Columns that joins compare have the values of the smallest of their tables; days have those of the calendar.
    fn find_values(&mut self, plan: &Plan) {
        let mut above: BTreeMap<String, String> = BTreeMap::new();
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        let mut compared: BTreeSet<String> = BTreeSet::new();
        for node in plan.nodes.iter().filter(|node| node.kind == Kind::Join && node.works()) {
            for key in node.keys.iter().filter(|key| key.len() <= 2) {
                let names: Vec<String> = key.iter().map(|name| self.real(name).to_owned()).collect();
                if node.keys.len() == 1 {
                    compared.extend(names.iter().cloned());
                }
                let owned = names.into_iter().filter(|name| self.owner.contains_key(name));
                let tops: Vec<String> = owned.map(|name| top(&above, name)).collect();
                let [one, other] = &tops[..] else { continue };
                if one == other {
                    continue;
                }
                // The larger group keeps its name, so that names stay near to it.
                let size = |name: &String| sizes.get(name).copied().unwrap_or(1);
                let (below, kept) = if size(one) > size(other) { (other, one) } else { (one, other) };
                let both = size(one) + size(other);
                sizes.insert(kept.clone(), both);
                above.insert(below.clone(), kept.clone());
            }
        }
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in self.owner.keys() {
            groups.entry(top(&above, name.clone())).or_default().push(name.clone());
        }
        let calendars = self.calendars_by_name(&compared);
        for group in groups.values() {
            self.take_values(group, &compared, &calendars);
        }
    }

    /// Keys of days with the tables that they are of, of a plan without partitioned tables: joins compare a column with "date" or "day"
    /// in its name, and its table has as many rows as a calendar, and a year, a month or another part of a date. Sales are of few of
    /// these days; a planner that takes them for equally likely finds too few sales in a year.
    fn calendars_by_name(&self, compared: &BTreeSet<String>) -> BTreeMap<String, String> {
        if self.by_name.values().any(|table| !table.partition_columns.is_empty()) {
            return BTreeMap::new();
        }
        let has_periods: BTreeSet<&String> = self
            .owner
            .iter()
            .filter(|(name, _)| share_of_period(name, DAYS).is_some())
            .map(|(_, table)| table)
            .collect();
        let is_of_days = |name: &str| ["date", "day"].iter().any(|word| name.to_ascii_lowercase().contains(word));
        let is_calendar = |table: &String| {
            has_periods.contains(table)
                && self.all_rows(table).is_some_and(|rows| (LEAST_DAYS..=MOST_DAYS).contains(&rows))
        };
        let keys = self
            .owner
            .iter()
            .filter(|(name, table)| compared.contains(*name) && is_of_days(name) && is_calendar(table));
        keys.map(|(name, table)| (name.clone(), table.clone())).collect()
    }

    /// The values of columns that joins compare with each other; `by_key` has the calendars that are known by their keys.
    fn take_values(&mut self, group: &[String], compared: &BTreeSet<String>, by_key: &BTreeMap<String, String>) {
        let columns: Vec<(&String, &String)> = group
            .iter()
            .flat_map(|name| self.with_column.get(name).into_iter().flatten().map(move |table| (name, table)))
            .collect();
        let named: BTreeSet<String> = group.iter().filter_map(|name| by_key.get(name)).cloned().collect();
        let is_day = !named.is_empty() || columns.iter().any(|&(name, table)| self.partitions(table).contains(name));
        let rows = columns.iter().filter_map(|&(_, table)| self.all_rows(table));
        let fewest = rows.fold(f64::INFINITY, f64::min);
        let without = columns.iter().filter(|&&(_, table)| self.partitions(table).is_empty());
        let whole: Rc<BTreeSet<String>> = Rc::new(without.map(|&(_, table)| table.clone()).collect());
        let is_shared = columns.len() > 1 && group.iter().any(|name| compared.contains(name));
        if is_day {
            let calendars = if named.is_empty() { &*whole } else { &named };
            for table in calendars {
                if let Some(table) = self.by_name.get_mut(table) {
                    table.is_calendar = true;
                }
            }
        }
        for name in group {
            let is_key = compared.contains(name) && self.owner.get(name).is_some_and(|table| whole.contains(table));
            if is_day || group.len() > 1 || is_shared || is_key {
                self.values.insert(name.clone(), if is_day { self.days } else { fewest });
            }
            self.compared_with.insert(name.clone(), Rc::clone(&whole));
        }
    }

    /// Columns by whose values a table is stored.
    fn partitions(&self, table: &str) -> &[String] {
        self.by_name.get(table).map_or(&[][..], |table| table.partition_columns.as_slice())
    }

    /// Rows of the table of a scan that a query can meet: of a calendar those of the days that tables have.
    pub(super) fn rows_in(&self, source: &Source) -> f64 {
        self.by_name
            .get(&source.table)
            .map_or(USUAL_ROWS, |table| if table.is_calendar { table.rows.min(self.days) } else { table.rows })
    }

    /// Whether the table of a scan has the days of other tables.
    pub(super) fn is_calendar(&self, source: &Source) -> bool {
        self.by_name.get(&source.table).is_some_and(|table| table.is_calendar)
    }

    /// Rows of a table.
    pub(super) fn all_rows(&self, table: &str) -> Option<f64> {
        self.by_name.get(table).map(|table| table.rows)
    }

    /// Partitions of the table of a scan; `None` if it has none.
    pub(super) fn folders(&self, source: &Source) -> Option<f64> {
        self.by_name.get(&source.table)?.folders
    }

    /// Whether a column has days, or is one of a calendar.
    pub(super) fn is_of_days(&self, name: &str) -> bool {
        let name = self.real(name);
        self.table_of(name)
            .is_some_and(|table| table.is_calendar || table.partition_columns.iter().any(|column| column == name))
    }

    /// The table without partitions that a column belongs to.
    pub(super) fn whole_table(&self, name: &str) -> Option<&str> {
        let name = self.real(name);
        self.table_of(name).filter(|table| table.folders.is_none())?;
        self.owner.get(name).map(String::as_str)
    }

    /// Whether a group by these columns has one value of this column only: it is one of them, or a key of one of their tables.
    pub(super) fn depends_on(&self, name: &str, columns: &BTreeSet<&str>) -> bool {
        let name = self.real(name);
        let is_of_table = |column: &&str| {
            self.compared_with
                .get(name)
                .zip(self.owner.get(*column))
                .is_some_and(|(tables, owner)| tables.contains(owner))
        };
        columns.contains(name) || columns.iter().any(is_of_table)
    }

    /// Different values of a column; `None` if nothing is known.
    pub(super) fn compared_values(&self, name: &str) -> Option<f64> {
        self.values.get(self.real(name)).copied()
    }

    /// Different values of a column.
    pub(super) fn values(&self, name: &str) -> f64 {
        let name = self.real(name);
        if let Some(values) = self.values.get(name) {
            return *values;
        }
        let Some(table) = self.table_of(name) else { return UNKNOWN_VALUES };
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if table.is_calendar {
            self.share_of_days(name).map_or(UNKNOWN_VALUES, f64::recip)
        } else if let Some(count) = self.different_values.get(name).or_else(|| self.most_values.get(name)) {
            *count
        } else if table.folders.is_some() {
            if ends(&KEYS) { UNKNOWN_KEYS } else { UNKNOWN_VALUES }
        } else if ends(&NAMES) && !ends(&GROUPS) {
            table.rows
        } else {
            UNKNOWN_VALUES
        }
    }

    /// Most different values of a column of whole numbers; `None` if the files do not state it.
    pub(super) fn most_values(&self, name: &str) -> Option<f64> {
        self.most_values.get(self.real(name)).copied()
    }

    /// Share of the days that have one value of a column of a calendar, by its name; `None` for other columns.
    pub(super) fn share_of_days(&self, name: &str) -> Option<f64> {
        let name = self.real(name);
        if !self.table_of(name)?.is_calendar {
            return None;
        }
        share_of_period(name, self.days)
    }

    /// Whether the plan states the rows or the bytes of all.
    pub(super) fn have_sizes(&self) -> bool {
        self.by_name.values().all(|table| table.has_rows)
    }

    /// What the plan does not state of its tables.
    pub(super) fn assumed(&self) -> Vec<String> {
        let named = |is: &dyn Fn(&Table) -> bool| {
            let names: Vec<&str> =
                self.by_name.iter().filter(|(_, table)| is(table)).map(|(name, _)| name.as_str()).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        let rows = named(&|table| !table.has_rows)
            .map(|names| format!("the plan has no size of {names}: a million rows are assumed"));
        let folders = named(&|table| table.folders.is_some() && !table.has_folders).map(|names| {
            format!("the plan does not list the partitions of {names}: {:.0} are assumed, a day each", self.days)
        });
        rows.into_iter().chain(folders).collect()
    }
}

/// Share of so many days that have one value of a column of a calendar, by the column's name; `None` for other names.
fn share_of_period(name: &str, days: f64) -> Option<f64> {
    let last = name.split_once('_').map_or(name, |(_, last)| last);
    Some(match last {
        "year" => YEAR / days,
        "moy" | "month" => 1.0 / 12.0,
        "qoy" | "quarter" => 0.25,
        "dom" => 1.0 / 30.4,
        "dow" | "day_name" => 1.0 / 7.0,
        "month_seq" => 30.4 / days,
        "week_seq" => 7.0 / days,
        "quarter_name" => 91.3 / days,
        "date" => 1.0 / days,
        _ => return None,
    })
}

/// Rows of a table by the bytes of its files: its columns are as wide as those that are read, on average.
fn rows_in_files(bytes: f64, source: &Source) -> f64 {
    let row = bytes_of_columns(source);
    let share = share_of_columns(source).filter(|share| *share > 0.0 && row > 0.0);
    share.map_or(bytes / BYTES_OF_ROW, |share| bytes * share / row)
}

/// Share of the columns in the files of a table that a scan reads; `None` if the plan does not list all columns.
pub(super) fn share_of_columns(source: &Source) -> Option<f64> {
    let stored = source.table_columns? - source.partition_columns.len() as f64;
    (stored >= 1.0).then(|| (stored_columns(source).count() as f64 / stored).min(1.0))
}

/// Bytes of a row of the columns that a scan reads, in Parquet with Snappy.
pub(super) fn bytes_of_columns(source: &Source) -> f64 {
    let type_of = |place: usize| source.types.get(place).map_or("", String::as_str);
    stored_columns(source).map(|place| bytes_in_files(type_of(place))).sum()
}

/// Places of the columns that a scan reads from files.
fn stored_columns(source: &Source) -> impl Iterator<Item = usize> + '_ {
    let columns = source.columns.iter().enumerate();
    columns.filter(|(_, name)| !source.partition_columns.contains(name)).map(|(place, _)| place)
}

/// Bytes of a value in Parquet with Snappy: means of the columns that TPC-DS reads.
fn bytes_in_files(data_type: &str) -> f64 {
    match data_type.split('(').next().unwrap_or_default() {
        "int" | "bigint" | "date" => 2.0,
        "decimal" => 2.5,
        "double" => 8.0,
        _ => 4.0,
    }
}

/// The name that stands for a group of names.
fn top(above: &BTreeMap<String, String>, name: String) -> String {
    let mut name = name;
    while let Some(next) = above.get(&name) {
        name.clone_from(next);
    }
    name
}

/// Whether a text is a name and no expression.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
}

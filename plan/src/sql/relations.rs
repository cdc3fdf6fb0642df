//! What a query reads, before it is planned: every table must be known, and named subqueries must not multiply into
//! more columns than anybody can plan.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{ObjectName, Query, Spanned, Visit, Visitor, visit_relations};

use super::problem::{Problem, nearest, offer};
use super::table::{Tables, name_of};

/// Most columns that the tables of a query have together, a table counted as often as it is read.
const MOST_COLUMNS: u64 = 100_000;

/// Checks what a query reads.
pub(super) fn check(query: &Query, tables: &Tables) -> Result<(), Problem> {
    let mut named = Named::default();
    let _: ControlFlow<()> = query.visit(&mut named);
    let mut unknown = None;
    let _: ControlFlow<()> = visit_relations(query, |relation| {
        let name = name_of(relation);
        if !tables.contains_key(&name) && !named.reads.contains_key(&name) {
            unknown = Some(unknown_table(relation, &name, tables));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    if let Some(problem) = unknown {
        return Err(problem);
    }
    let mut known = BTreeMap::new();
    let read = relations(query);
    let columns = read.iter().map(|name| columns(name, tables, &named, &mut known)).fold(0, u64::saturating_add);
    if columns > MOST_COLUMNS {
        let problem = format!(
            "the query reads {columns} columns when its named subqueries are put in their places; at most \
             {MOST_COLUMNS} are planned"
        );
        return Err(Problem::at(query.span().start, problem));
    }
    Ok(())
}

/// Named subqueries of a query at any depth and what each reads. Two of one name count as one that reads both.
#[derive(Default)]
struct Named {
    reads: BTreeMap<String, Vec<String>>,
}

impl Visitor for Named {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for named in query.with.iter().flat_map(|with| &with.cte_tables) {
            let name = &named.alias.name;
            let spelt = if name.quote_style.is_some() { name.value.clone() } else { name.value.to_ascii_lowercase() };
            self.reads.entry(spelt).or_default().extend(relations(&named.query));
        }
        ControlFlow::Continue(())
    }
}

/// Names of all relations in a query.
fn relations(query: &Query) -> Vec<String> {
    let mut names = Vec::new();
    let _: ControlFlow<()> = visit_relations(query, |relation| {
        names.push(name_of(relation));
        ControlFlow::Continue(())
    });
    names
}

/// Columns that a relation brings with it. Each name is worked out once; one that needs itself brings one column.
fn columns(name: &str, tables: &Tables, named: &Named, known: &mut BTreeMap<String, u64>) -> u64 {
    if let Some(columns) = known.get(name) {
        return *columns;
    }
    known.insert(name.to_owned(), 1);
    let total = match named.reads.get(name) {
        Some(reads) => reads.iter().map(|name| columns(name, tables, named, known)).fold(1, u64::saturating_add),
        None => tables.get(name).map_or(1, |table| table.schema.fields().len() as u64),
    };
    known.insert(name.to_owned(), total);
    total
}

fn unknown_table(relation: &ObjectName, name: &str, tables: &Tables) -> Problem {
    let names: Vec<String> = tables.keys().cloned().collect();
    let near = nearest(name, names.iter().map(String::as_str));
    let what = if names.is_empty() {
        format!("there is no table “{name}”; a CREATE TABLE statement with its columns must stand before the query")
    } else {
        format!("there is no table “{name}”{}", offer(near, "the tables are", &names))
    };
    Problem::at(relation.span().start, what)
}

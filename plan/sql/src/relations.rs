//! Checks a query before it is planned: every table must exist, and the number of tables, columns and expressions after
//! substitution of subqueries is limited.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use datafusion_sql::sqlparser::ast::{
    Expr, ObjectName, Query, Select, SelectItem, SetExpr, SetOperator, Spanned, TableFactor, TableWithJoins, Visit,
    Visitor, visit_relations,
};

use super::parts::{column_name, each_part, factors, spelt};
use super::planner::Catalog;
use super::problem::{Problem, nearest, offer};
use super::table::{Load, Tables, name_of};

/// Most columns that the tables of a query have together, a table counted as often as it is read.
const MOST_COLUMNS: u64 = 100_000;

/// Most tables that a query joins with one another: the time to plan joins grows with their cube.
pub(super) const MOST_JOINED: u64 = 100;
/// Most tables that a query reads, each counted as often as it is read.
pub(super) const MOST_RELATIONS: u64 = 500;
/// Most copies of a column in one expression, after substitution of subqueries.
const MOST_COPIES: u64 = 100_000;

/// Checks what a query reads, and says how much that is.
pub(super) fn check(query: &Query, catalog: &Catalog) -> Result<Load, Problem> {
    let tables = &catalog.tables;
    let mut named = Named::default();
    let _: ControlFlow<()> = query.visit(&mut named);
    let mut unknown = None;
    let _: ControlFlow<()> = visit_relations(query, |relation| {
        let name = name_of(relation);
        let is_known =
            tables.contains_key(&name) || named.queries.contains_key(&name) || catalog.generated.contains_key(&name);
        if !is_known {
            unknown = Some(unknown_table(relation, &name, catalog));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    if let Some(problem) = unknown {
        return Err(problem);
    }
    let read = relations(query);
    let sum = |weight: &dyn Fn(&str) -> u64| {
        let mut known = BTreeMap::new();
        read.iter().map(|name| weighed(name, weight, &named, &mut known)).fold(0, u64::saturating_add)
    };
    let columns = sum(&|name| tables.get(name).map_or(1, |table| table.load.columns));
    let count = sum(&|name| tables.get(name).map_or(1, |table| table.load.relations));
    let Size { copies, joined } = Sizes { named: &named, tables, known: BTreeMap::new() }.of(query);
    let refused = |amount: u64, what: &str, most: u64| {
        let places = "after substitution of its named subqueries";
        Problem::at(query.span().start, format!("the query {what} {amount} {places}; at most {most} are supported"))
    };
    let amounts = [
        (columns, "has columns of tables:", MOST_COLUMNS),
        (count, "reads tables:", MOST_RELATIONS),
        (joined, "joins tables:", MOST_JOINED),
        (copies, "has copies of a column in one expression:", MOST_COPIES),
    ];
    let too_many = amounts.into_iter().find(|(amount, _, most)| amount > most);
    too_many.map_or(Ok(Load { columns, relations: count, joined, copies }), |(amount, what, most)| {
        Err(refused(amount, what, most))
    })
}

/// Names of the named subqueries of a query at any depth.
pub(super) fn named(query: &Query) -> BTreeSet<String> {
    let mut named = Named::default();
    let _: ControlFlow<()> = query.visit(&mut named);
    named.queries.into_keys().collect()
}

/// What a query brings with it, after substitution of subqueries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    /// Most copies of one column in an expression.
    copies: u64,
    /// Tables that are joined with one another.
    joined: u64,
}

impl Size {
    const ONE: Self = Self { copies: 1, joined: 1 };

    /// Of two that are joined.
    fn beside(self, other: Self) -> Self {
        Self { copies: self.copies.max(other.copies), joined: self.joined.saturating_add(other.joined) }
    }
}

/// Works out what queries bring with them.
struct Sizes<'a> {
    named: &'a Named,
    tables: &'a Tables,
    known: BTreeMap<String, Size>,
}

impl Sizes<'_> {
    fn of(&mut self, query: &Query) -> Size {
        self.of_body(&query.body)
    }

    fn of_body(&mut self, body: &SetExpr) -> Size {
        match body {
            SetExpr::Select(select) => self.of_select(select),
            SetExpr::Query(query) => self.of(query),
            SetExpr::SetOperation { op, left, right, .. } => {
                let (left, right) = (self.of_body(left), self.of_body(right));
                let all = left.beside(right);
                // INTERSECT and EXCEPT are joins.
                let joined = if *op == SetOperator::Union { left.joined.max(right.joined) } else { all.joined };
                Size { joined, ..all }
            }
            _ => Size::ONE,
        }
    }

    fn of_select(&mut self, select: &Select) -> Size {
        let items = select.projection.iter().filter_map(|item| match item {
            SelectItem::UnnamedExpr(expression) | SelectItem::ExprWithAlias { expr: expression, .. } => {
                Some(expression)
            }
            _ => None,
        });
        let conditions = || select.selection.iter().chain(&select.having).chain(&select.qualify);
        let own = items.clone().chain(conditions()).map(copies_in).max().unwrap_or(1);
        let below = select.from.iter().map(|from| self.of_joined(from)).reduce(Size::beside).unwrap_or(Size::ONE);
        let size = Size { copies: own.max(1).saturating_mul(below.copies), ..below };
        // Subqueries of expressions are joined, too.
        let mut subqueries = Subqueries::default();
        for expression in items.chain(conditions()) {
            let _: ControlFlow<()> = expression.visit(&mut subqueries);
        }
        let joined = subqueries.found.iter().map(|query| self.of(query).joined);
        Size { joined: joined.fold(size.joined, u64::saturating_add), ..size }
    }

    fn of_joined(&mut self, from: &TableWithJoins) -> Size {
        factors(from).map(|factor| self.of_factor(factor)).reduce(Size::beside).unwrap_or(Size::ONE)
    }

    fn of_factor(&mut self, factor: &TableFactor) -> Size {
        match factor {
            TableFactor::Derived { subquery, .. } => self.of(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => self.of_joined(table_with_joins),
            TableFactor::Table { name, .. } => self.of_named(&name_of(name)),
            _ => Size::ONE,
        }
    }

    /// Each name is worked out once; one that needs itself counts once.
    fn of_named(&mut self, name: &str) -> Size {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        self.known.insert(name.to_owned(), Size::ONE);
        let named = self.named;
        let queries = named.queries.get(name).map_or(&[][..], Vec::as_slice);
        let of_view = self.tables.get(name).filter(|_| queries.is_empty());
        let of_view = of_view.map_or(Size::ONE, |table| Size { copies: table.load.copies, joined: table.load.joined });
        // Two queries of one name count as one that has the larger figures.
        let sizes = queries.iter().map(|query| self.of(query));
        let larger = |one: Size, other: Size| Size { joined: one.joined.max(other.joined), ..one.beside(other) };
        let size = sizes.reduce(larger).unwrap_or(of_view);
        self.known.insert(name.to_owned(), size);
        size
    }
}

/// Queries within an expression, without those within them.
#[derive(Default)]
struct Subqueries {
    depth: usize,
    found: Vec<Query>,
}

impl Visitor for Subqueries {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if self.depth == 0 {
            self.found.push(query.clone());
        }
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}

/// Copies of the most frequent column in an expression.
fn copies_in(expression: &Expr) -> u64 {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    each_part(expression, |part| {
        if let Some(name) = column_name(part) {
            *counts.entry(name.value.to_ascii_lowercase()).or_default() += 1;
        }
    });
    counts.into_values().max().unwrap_or(0)
}

/// Named subqueries of a query at any depth. Two of one name count as one that reads both.
#[derive(Default)]
struct Named {
    queries: BTreeMap<String, Vec<Query>>,
}

impl Visitor for Named {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        for named in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.queries.entry(spelt(&named.alias.name)).or_default().push((*named.query).clone());
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

/// What a relation brings with it, each table weighing so much. Each name is worked out once; one that needs itself weighs 1.
fn weighed(name: &str, weight: &dyn Fn(&str) -> u64, named: &Named, known: &mut BTreeMap<String, u64>) -> u64 {
    if let Some(weight) = known.get(name) {
        return *weight;
    }
    known.insert(name.to_owned(), 1);
    let total = match named.queries.get(name) {
        Some(queries) => {
            let reads = queries.iter().flat_map(relations);
            reads.map(|name| weighed(&name, weight, named, known)).fold(0, u64::saturating_add)
        }
        None => weight(name),
    };
    known.insert(name.to_owned(), total);
    total
}

/// There is no such table.
pub(super) fn unknown_table(relation: &ObjectName, name: &str, catalog: &Catalog) -> Problem {
    let place = relation.span().start;
    if let Some(line) = catalog.left_out.get(name) {
        return Problem::at(place, format!("table “{name}” was left out in line {line}"));
    }
    let names: Vec<String> = catalog.tables.keys().cloned().collect();
    let near = nearest(name, names.iter().map(String::as_str));
    let what = if names.is_empty() {
        format!("there is no table “{name}”; write a CREATE TABLE statement with its columns before the query")
    } else {
        format!("there is no table “{name}”{}", offer(near, "the tables are", &names))
    };
    Problem::at(place, what)
}

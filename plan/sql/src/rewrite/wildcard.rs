//! `BigQuery`'s wildcard tables: ``FROM `events_*` `` reads all tables whose names begin with `events_`, and the column
//! `_TABLE_SUFFIX` has the rest of their names. It becomes the union of these tables; the optimiser drops those that a condition on
//! the suffix excludes.

use std::collections::BTreeSet;

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::{
    ExcludeSelectItem, Ident, ObjectName, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, TableAlias,
    TableFactor,
};

use super::{Rewriter, label, quoted, quoted_name, spelt, start, template};
use crate::parts::{column_name, factors, has_part};
use crate::problem::Problem;
use crate::relations::MOST_RELATIONS;
use crate::table::name_of;

/// The column with the rest of the name of a table.
const SUFFIX: &str = "_table_suffix";

/// Whether a query names that column.
pub(super) fn reads_suffix(query: &Query) -> bool {
    has_part(query, |part| column_name(part).is_some_and(|name| spelt(name) == SUFFIX))
}

impl Rewriter<'_> {
    /// Replaces a wildcard table by the union of the tables that it matches. If no table matches, it stays, and is reported as an unknown
    /// table.
    pub(super) fn tables_of_pattern(&mut self, factor: &mut TableFactor) -> Result<(), Problem> {
        let place = start(factor);
        let found = self.matching(factor);
        let TableFactor::Table { name, alias, sample, .. } = factor else { return Ok(()) };
        if found.is_empty() {
            return Ok(());
        }
        self.wildcards += found.len();
        if self.wildcards as u64 > MOST_RELATIONS {
            let most = format!("the query reads more than {MOST_RELATIONS} tables through wildcards");
            return Err(Problem::at(place, format!("{most}; use longer prefixes")));
        }
        let columns = found.iter().map(|(table, _)| {
            let fields = self.catalog.tables.get(table).map(|table| table.schema.fields());
            fields.into_iter().flatten().map(|field| field.name().as_str()).collect::<Vec<_>>()
        });
        let has_same_columns = columns.collect::<BTreeSet<_>>().len() == 1;
        let parts = found.iter().map(|(table, suffix)| {
            let name = table.split('.').map(quoted_name).collect::<Vec<_>>().join(".");
            let column = if self.reads_suffix { format!(", {} AS {SUFFIX}", quoted(suffix)) } else { String::new() };
            format!("SELECT *{column} FROM {name}")
        });
        let union = if has_same_columns { " UNION ALL " } else { " UNION ALL BY NAME " };
        let subquery = template(&parts.collect::<Vec<_>>().join(union))?;
        let own = name.0.last().and_then(|part| part.as_ident()).cloned();
        let own = own.map(|name| TableAlias { explicit: true, name, columns: Vec::new(), at: None });
        let (alias, sample) = (alias.take().or(own), sample.take());
        *factor = TableFactor::Derived { lateral: false, subquery, alias, sample };
        Ok(())
    }

    /// Leaves `_TABLE_SUFFIX` out of `*`.
    pub(super) fn hide_suffix(&self, select: &mut Select) {
        if !self.reads_suffix {
            return;
        }
        let read = select.from.iter().flat_map(factors).filter(|factor| !self.matching(factor).is_empty());
        let labels: BTreeSet<String> = read.filter_map(label).collect();
        if labels.is_empty() {
            return;
        }
        for item in &mut select.projection {
            let options = match item {
                SelectItem::Wildcard(options) => options,
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(table), options)
                    if labels.contains(&name_of(table)) =>
                {
                    options
                }
                _ => continue,
            };
            let suffix = ObjectName::from(Ident::with_quote('"', SUFFIX));
            options.opt_exclude.get_or_insert(ExcludeSelectItem::Single(suffix));
        }
    }

    /// The tables that a wildcard table matches, in the order of their names, with the rest of their names.
    fn matching(&self, factor: &TableFactor) -> Vec<(String, String)> {
        let TableFactor::Table { name, args: None, .. } = factor else { return Vec::new() };
        let full = name_of(name);
        let pattern = full.strip_suffix('*').filter(|_| self.dialect == Some(SqlDialect::BigQuery));
        let Some(pattern) = pattern.filter(|_| !self.catalog.tables.contains_key(&full)) else { return Vec::new() };
        let (schema, prefix) = split(pattern);
        let tables = self.catalog.tables.iter().filter(|(_, table)| table.view.is_none());
        let found = tables.filter_map(|(known, _)| {
            let (of, last) = split(known);
            let suffix = last.strip_prefix(prefix)?;
            is_same(schema, of).then(|| (known.clone(), suffix.to_owned()))
        });
        found.collect()
    }
}

/// The schema of a name, empty without one, and its last part.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// Whether two schemas may be the same: one may have no name, or the name of its project before it.
fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    short.is_empty() || long.strip_suffix(short).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_the_same_with_and_without_its_project() {
        for (one, other, expected) in [
            ("shop.sales", "sales", true),
            ("sales", "shop.sales", true),
            ("", "shop.sales", true),
            ("sales", "sales", true),
            ("shop.sales", "old.sales", false),
            ("sales", "presales", false),
        ] {
            assert_eq!(is_same(one, other), expected, "{one} and {other}");
        }
    }
}

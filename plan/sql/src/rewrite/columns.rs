//! The columns that `*` gives: `EXCLUDE` behind a list, `RENAME`, `COLUMNS(*)`; and the names that columns of a subquery have.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::{
    ExcludeSelectItem, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, IdentWithAlias, ObjectName, Query,
    RenameSelectItem, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableFactor, TableWithJoins,
    WildcardAdditionalOptions, visit_expressions, visit_expressions_mut,
};

use super::{Rewriter, label, spelt, start};
use crate::parts::factors;
use crate::problem::Problem;
use crate::table::name_of;

impl Rewriter<'_> {
    /// `COLUMNS(*)` is `*`, and `max(COLUMNS(*))` a maximum of each column.
    pub(super) fn each_column(&self, select: &mut Select) -> Result<(), Problem> {
        if !matches!(self.dialect, Some(SqlDialect::DuckDb | SqlDialect::ClickHouse)) {
            return Ok(());
        }
        let mut items = Vec::with_capacity(select.projection.len());
        for item in std::mem::take(&mut select.projection) {
            let call = match &item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                    chosen(expr).map(|chosen| (expr.clone(), chosen))
                }
                _ => None,
            };
            let Some((expr, chosen)) = call else {
                items.push(item);
                continue;
            };
            let options = match chosen {
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) => WildcardAdditionalOptions::default(),
                FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options)) => options,
                _ => return Err(Problem::at(start(&expr), "COLUMNS is supported with * only; list the columns")),
            };
            if is_columns(&expr) {
                items.push(SelectItem::Wildcard(options));
                continue;
            }
            let unknown = || Problem::at(start(&expr), "COLUMNS(*) of a subquery is not supported; list the columns");
            let names = self.columns_of(&select.from).ok_or_else(unknown)?;
            let excluded: BTreeSet<String> = match &options.opt_exclude {
                None => BTreeSet::new(),
                Some(ExcludeSelectItem::Single(name)) => [name_of(name)].into(),
                Some(ExcludeSelectItem::Multiple(names)) => names.iter().map(name_of).collect(),
            };
            for name in names.into_iter().filter(|name| !excluded.contains(name)) {
                let mut of_one = expr.clone();
                let _: ControlFlow<()> = visit_expressions_mut(&mut of_one, |part| {
                    if is_columns(part) {
                        *part = Expr::Identifier(Ident::with_quote('"', name.clone()));
                    }
                    ControlFlow::Continue(())
                });
                items.push(SelectItem::UnnamedExpr(of_one));
            }
        }
        select.projection = items;
        Ok(())
    }

    /// The columns of tables; `None`: not all of them are tables of the file.
    fn columns_of(&self, from: &[TableWithJoins]) -> Option<Vec<String>> {
        let mut columns = Vec::new();
        for factor in from.iter().flat_map(factors) {
            let TableFactor::Table { name, args: None, .. } = factor else { return None };
            let fields = self.catalog.tables.get(&name_of(name))?.schema.fields();
            columns.extend(fields.iter().map(|field| field.name().clone()));
        }
        Some(columns)
    }

    /// ClickHouse calls a column of a join as it is written: with `WITH v AS (SELECT a.x FROM a, b)`, `v` may be read as
    /// `SELECT * FROM v ORDER BY a.x`.
    pub(super) fn written_names(&self, query: &mut Query) {
        let (Some(SqlDialect::ClickHouse), Some(with)) = (self.dialect, &query.with) else { return };
        let SetExpr::Select(select) = query.body.as_ref() else { return };
        let labels: BTreeSet<String> = select.from.iter().flat_map(factors).filter_map(label).collect();
        let read: BTreeSet<String> = select
            .from
            .iter()
            .flat_map(factors)
            .filter_map(|factor| match factor {
                TableFactor::Table { name, .. } => Some(name_of(name)),
                _ => None,
            })
            .collect();
        let mut names: BTreeSet<(String, String)> = BTreeSet::new();
        for named in with.cte_tables.iter().filter(|named| read.contains(&spelt(&named.alias.name))) {
            let SetExpr::Select(inner) = named.query.body.as_ref() else { continue };
            for item in &inner.projection {
                if let SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) = item
                    && let [table, column] = parts.as_slice()
                    && !labels.contains(&spelt(table))
                {
                    names.insert((spelt(table), spelt(column)));
                }
            }
        }
        if names.is_empty() {
            return;
        }
        let mut rename = |part: &mut Expr| {
            let column = match &*part {
                Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                    [table, column] if names.contains(&(spelt(table), spelt(column))) => Some(column.clone()),
                    _ => None,
                },
                _ => None,
            };
            if let Some(column) = column {
                *part = Expr::Identifier(column);
            }
            ControlFlow::Continue(())
        };
        let _: ControlFlow<()> = visit_expressions_mut(&mut query.body, &mut rename);
        let _: ControlFlow<()> = visit_expressions_mut(&mut query.order_by, &mut rename);
    }
}

/// What a call of `COLUMNS` in an expression chooses.
fn chosen(expr: &Expr) -> Option<FunctionArg> {
    let found = visit_expressions(expr, |part| match part {
        Expr::Function(function) if is_columns(part) => {
            let argument = match &function.args {
                FunctionArguments::List(list) => list.args.first().cloned(),
                FunctionArguments::None | FunctionArguments::Subquery(_) => None,
            };
            ControlFlow::Break(argument)
        }
        _ => ControlFlow::Continue(()),
    });
    match found {
        ControlFlow::Break(argument) => argument,
        ControlFlow::Continue(()) => None,
    }
}

fn is_columns(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if name_of(&function.name) == "columns")
}

/// `SELECT *, a EXCLUDE (b)`: columns that `*` does not give, and that are no item of their own.
pub(super) fn exclude(select: &mut Select) {
    let Some(excluded) = select.exclude.take() else { return };
    let names: BTreeSet<String> = match &excluded {
        ExcludeSelectItem::Single(name) => [name_of(name)].into(),
        ExcludeSelectItem::Multiple(names) => names.iter().map(name_of).collect(),
    };
    let is_named = |name: &Ident| names.contains(&spelt(name));
    select.projection.retain_mut(|item| match item {
        SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
            options.opt_exclude.get_or_insert_with(|| excluded.clone());
            true
        }
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => !is_named(name),
        SelectItem::ExprWithAlias { alias, .. } => !is_named(alias),
        _ => true,
    });
}

/// `* RENAME (a AS b)` is `* EXCLUDE (a), a AS b`; a name for `*` itself changes nothing.
pub(super) fn renamed(mut item: SelectItem) -> Vec<SelectItem> {
    let (qualifier, options) = match &mut item {
        SelectItem::Wildcard(options) => (None, options),
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
            (name.0.last().and_then(|part| part.as_ident()).cloned(), options)
        }
        _ => return vec![item],
    };
    options.opt_alias = None;
    let pairs = match options.opt_rename.take() {
        None => return vec![item],
        Some(RenameSelectItem::Single(pair)) => vec![pair],
        Some(RenameSelectItem::Multiple(pairs)) => pairs,
    };
    let mut excluded: Vec<ObjectName> = match options.opt_exclude.take() {
        None => Vec::new(),
        Some(ExcludeSelectItem::Single(name)) => vec![name],
        Some(ExcludeSelectItem::Multiple(names)) => names,
    };
    excluded.extend(pairs.iter().map(|pair| ObjectName::from(pair.ident.clone())));
    options.opt_exclude = Some(ExcludeSelectItem::Multiple(excluded));
    let named = pairs.into_iter().map(|IdentWithAlias { ident, alias }| {
        let expr = match &qualifier {
            Some(table) => Expr::CompoundIdentifier(vec![table.clone(), ident]),
            None => Expr::Identifier(ident),
        };
        SelectItem::ExprWithAlias { expr, alias }
    });
    let named: Vec<SelectItem> = named.collect();
    std::iter::once(item).chain(named).collect()
}

//! The columns that `*` gives: `EXCLUDE` behind a list, `RENAME`.

use std::collections::BTreeSet;

use datafusion_sql::sqlparser::ast::{
    ExcludeSelectItem, Expr, Ident, IdentWithAlias, ObjectName, RenameSelectItem, Select, SelectItem,
    SelectItemQualifiedWildcardKind,
};

use super::spelt;
use crate::table::name_of;

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

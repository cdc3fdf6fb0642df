//! What a scan reads: table, columns with types, partitions and conditions; and the size of its table where the planner states
//! it.

use std::collections::BTreeMap;

use crossover_query::Source;

use super::super::columns::{column, left_out, list_behind, parts, without_numbers};
use super::super::raw::RawNode;
use super::super::width::{columns_of, schema};
use super::statistics::Statistics;

/// Names of what lists the files of a table that is stored in folders of its partitions.
const LISTS_OF_FOLDERS: [&str; 2] = ["InMemoryFileIndex", "PrunedInMemoryFileIndex"];
/// What tables of a logical plan are called.
const RELATIONS: [&str; 3] = ["Relation", "RelationV2", "HiveTableRelation"];

/// A table of the optimized logical plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Relation {
    /// Numbers of its columns.
    columns: Vec<u64>,
    /// Bytes of its files.
    pub(super) bytes: Option<f64>,
    /// Its rows.
    pub(super) rows: Option<f64>,
    /// Rows that pass the filter above it.
    pub(super) filtered_rows: Option<f64>,
}

impl Relation {
    /// The table of an operator of a logical plan, without its statistics; `None` for other operators.
    pub(super) fn new(text: &str, statistics: Statistics) -> Option<Self> {
        let name = text.split([' ', '[']).next()?;
        if !RELATIONS.contains(&name) {
            return None;
        }
        let columns = parts(list_behind(text, "")?).filter_map(|part| column(part).map(|(_, number, _)| number));
        let Statistics { bytes, rows } = statistics;
        Some(Self { columns: columns.collect(), bytes, rows, filtered_rows: None })
    }
}

/// Tables by the numbers of their columns.
pub(super) struct Relations<'r>(BTreeMap<u64, &'r Relation>);

impl<'r> Relations<'r> {
    pub(super) fn new(relations: &'r [Relation]) -> Self {
        Self(relations.iter().flat_map(|relation| relation.columns.iter().map(move |id| (*id, relation))).collect())
    }
}

/// What a scan reads; `None` if neither its table nor a column is known.
pub(super) fn source(node: &RawNode, relations: &Relations<'_>) -> Option<Source> {
    let fields = fields(node);
    let is_cut = fields.is_none() || schema(node).is_some_and(|schema| schema.contains("..."));
    let mut source = named(node);
    let mut relation = None;
    let list = list_behind(&node.simple_string, "").unwrap_or_default();
    for part in parts(list).filter(|part| left_out(part).is_none()) {
        let Some((name, number, _)) = column(part) else { continue };
        relation = relation.or_else(|| relations.0.get(&number).copied());
        let data_type = fields.as_ref().and_then(|fields| fields.get(&name.to_lowercase()));
        if data_type.is_none() && !is_cut {
            source.partition_columns.push(name.to_owned());
        }
        source.columns.push(name.to_owned());
        source.types.push(data_type.cloned().unwrap_or_default());
    }
    if source.types.iter().all(String::is_empty) {
        source.types.clear();
    }
    source.partition_filters = conditions(node, "PartitionFilters").map(without_numbers).collect();
    // These name columns without numbers.
    source.filters = conditions(node, "PushedFilters").collect::<Vec<&str>>().join(", ");
    source.folders = node.metadata.get("Location").and_then(|location| folders(location));
    if let Some(relation) = relation {
        source.file_bytes = relation.bytes;
        source.table_rows = relation.rows;
        source.expected_rows = relation.filtered_rows;
    }
    (!source.table.is_empty() || !source.columns.is_empty()).then_some(source)
}

/// Table and format of a scan: "Scan parquet shop.sales", "`BatchScan` lake.shop.sales", or the folder of its files.
fn named(node: &RawNode) -> Source {
    let mut words = node.name.split_whitespace().skip(1);
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_word = !first.contains(['.', '/', '(']) && !node.name.starts_with("BatchScan");
    let is_format = is_word || second.is_some();
    let (format, name) = if is_format { (first, second.unwrap_or_default()) } else { ("", first) };
    let of_folder = || node.metadata.get("Location").and_then(|location| folder_of_table(location));
    let table = match name {
        "" => of_folder().unwrap_or_default(),
        path if path.contains('/') => last_folder(path).unwrap_or_default(),
        name => name.rsplit('.').next().unwrap_or(name),
    };
    let format = node.metadata.get("Format").map_or(format, String::as_str);
    Source { table: table.trim_matches('`').to_owned(), format: format.to_ascii_lowercase(), ..Source::default() }
}

/// Types of the columns in the files by their names in small letters; `None` if there is no schema.
fn fields(node: &RawNode) -> Option<BTreeMap<String, String>> {
    let columns = columns_of(schema(node)?)?;
    let fields = columns.iter().filter_map(|column| column.split_once(':'));
    Some(fields.map(|(name, data_type)| (name.trim().to_lowercase(), data_type.trim().to_owned())).collect())
}

/// The conditions of a fact of a scan.
fn conditions<'n>(node: &'n RawNode, key: &str) -> impl Iterator<Item = &'n str> + use<'n> {
    let list = node.metadata.get(key).and_then(|list| list.strip_prefix('[')).unwrap_or_default();
    parts(list.strip_suffix(']').unwrap_or(list))
}

/// The paths of a location, and how many more are left out: `InMemoryFileIndex [file:/t/p=1, ... 9 entries]`.
fn paths(location: &str) -> Option<(Vec<&str>, u64)> {
    let list = list_behind(location, "")?;
    let mut rest = 0;
    let mut paths = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix("...") {
            Some(note) => rest = note.split_whitespace().next().and_then(|count| count.parse().ok()).unwrap_or(0),
            None => paths.push(part),
        }
    }
    Some((paths, rest))
}

/// Number of folders that a location lists.
fn folders(location: &str) -> Option<u64> {
    let name = location.split([' ', '(', '[']).next().unwrap_or_default();
    if !LISTS_OF_FOLDERS.contains(&name) {
        return None;
    }
    // "InMemoryFileIndex(3 paths)[file:/t/p=1, file:..."
    if let Some((count, _)) = location[name.len()..].strip_prefix('(').and_then(|rest| rest.split_once(" path")) {
        return count.trim().parse().ok();
    }
    let (paths, rest) = paths(location)?;
    Some(rest.saturating_add(paths.len() as u64))
}

/// The folder of a table by the first path of a location, which may be that of a partition.
fn folder_of_table(location: &str) -> Option<&str> {
    let (paths, _) = paths(location)?;
    last_folder(paths.first()?)
}

/// The last folder of a path that is not one of a partition.
fn last_folder(path: &str) -> Option<&str> {
    path.split('/').rev().find(|folder| !folder.is_empty() && !folder.contains(['=', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(name: &str, text: &str, metadata: &[(&str, &str)]) -> RawNode {
        let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        RawNode { name: name.to_owned(), simple_string: text.to_owned(), metadata, ..RawNode::default() }
    }

    #[test]
    fn a_scan_names_table_columns_types_and_partitions() {
        let node = scan(
            "Scan parquet spark_catalog.shop.sales",
            "FileScan parquet spark_catalog.shop.sales[item#1, price#2, day#3]",
            &[
                ("Location", "InMemoryFileIndex [file:/shop/sales/day=1, ... 8 entries]"),
                ("PartitionFilters", "[isnotnull(day#3), dynamicpruningexpression(day#3 IN dynamicpruning#7)]"),
                ("PushedFilters", "[IsNotNull(item), GreaterThan(price,1.00)]"),
                ("ReadSchema", "struct<item:int,price:decimal(7,2)>"),
            ],
        );
        let relation = Relation { columns: vec![1, 2, 3], bytes: Some(4e9), rows: Some(1e8), filtered_rows: Some(5e7) };
        let source = source(&node, &Relations::new(&[relation])).expect("a source");
        assert_eq!((source.table.as_str(), source.format.as_str()), ("sales", "parquet"));
        assert_eq!(source.columns, ["item", "price", "day"]);
        assert_eq!(source.types, ["int", "decimal(7,2)", ""]);
        assert_eq!(source.partition_columns, ["day"]);
        assert_eq!(source.partition_filters[1], "dynamicpruningexpression(day IN dynamicpruning)");
        assert_eq!(source.filters, "IsNotNull(item), GreaterThan(price,1.00)");
        assert_eq!(source.folders, Some(9));
        assert_eq!((source.table_rows, source.expected_rows, source.file_bytes), (Some(1e8), Some(5e7), Some(4e9)));
    }

    #[test]
    fn tables_are_named_in_every_form() {
        for (name, location, table, format) in [
            ("Scan parquet", "InMemoryFileIndex(2 paths)[s3://b/shop/sales/day=1, s3://b...", "sales", "parquet"),
            ("Scan orc db.`items`", "", "items", "orc"),
            ("BatchScan lake.db.items", "", "items", ""),
            ("BatchScan parquet file:/tmp/items", "", "items", "parquet"),
            ("Scan csv", "", "", "csv"),
        ] {
            let node = scan(name, "x[a#1]", &[("Location", location)]);
            let source = source(&node, &Relations::new(&[])).expect("a source");
            assert_eq!((source.table.as_str(), source.format.as_str()), (table, format), "{name}");
        }
    }

    #[test]
    fn locations_have_a_number_of_folders() {
        for (location, count) in [
            ("InMemoryFileIndex [file:/t]", Some(1)),
            ("InMemoryFileIndex(1823 paths)[file:/t/d=1, file:...", Some(1823)),
            ("CatalogFileIndex [file:/t]", None),
            ("[not included in comparison]/t]", None),
        ] {
            assert_eq!(folders(location), count, "{location}");
        }
    }
}

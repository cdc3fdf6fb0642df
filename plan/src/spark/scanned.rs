//! What a scan reads: table, columns with types, partitions and conditions.
//!
//! A log has these facts as metadata of the scan, of engines that replace Spark's scan only in its text. There Spark cuts values after
//! 100 letters and ends them with "...".

use std::collections::BTreeMap;

use crossover_query::Source;

use super::lists::{column, left_out, list_behind, parts, without_numbers};
use super::raw::RawNode;
use super::width::{columns_of, schema};

/// Names of what lists the files of a table that is stored in folders of its partitions.
const LISTS_OF_FOLDERS: [&str; 2] = ["InMemoryFileIndex", "PrunedInMemoryFileIndex"];
/// Names of the facts behind a scan.
pub(super) const FACTS: [&str; 13] = [
    "Batched",
    "Bucketed",
    "DataFilters",
    "DictionaryFilters",
    "Format",
    "Location",
    "OptionalDataFilters",
    "PartitionFilters",
    "PushedAggregation",
    "PushedFilters",
    "PushedGroupBy",
    "ReadSchema",
    "SelectedBucketsCount",
];
/// End of a value that Spark cut.
const CUT: &str = "...";

/// What a scan reads; `None` if neither its table nor a column is known. A log does not have the size of the table.
pub(super) fn source(node: &RawNode) -> Option<Source> {
    let fields = fields(node);
    let is_cut = fields.is_none() || schema(node).is_some_and(|schema| schema.contains(CUT));
    let mut source = named(node);
    source.partition_filters = conditions(node, "PartitionFilters").map(without_numbers).collect();
    for (name, _) in columns_read(node) {
        let data_type = fields.as_ref().and_then(|fields| fields.get(&name.to_lowercase()));
        let is_pruned_by = || source.partition_filters.iter().any(|condition| mentions(condition, name));
        if data_type.is_none() && (!is_cut || is_pruned_by()) {
            source.partition_columns.push(name.to_owned());
        }
        source.columns.push(name.to_owned());
        source.types.push(data_type.cloned().unwrap_or_default());
    }
    if source.types.iter().all(String::is_empty) {
        source.types.clear();
    }
    // These name columns without numbers.
    source.filters = conditions(node, "PushedFilters").collect::<Vec<&str>>().join(", ");
    source.folders = fact(node, "Location").and_then(folders);
    (!source.table.is_empty() || !source.columns.is_empty()).then_some(source)
}

/// Names of the columns that a scan reads, with their numbers.
pub(super) fn columns_read(node: &RawNode) -> impl Iterator<Item = (&str, u64)> {
    let list = list_of_columns(&node.simple_string).unwrap_or_default();
    parts(list).filter(|part| left_out(part).is_none()).filter_map(|part| column(part).map(|(name, id, _)| (name, id)))
}

/// The list of the columns. A list before it is part of the name: "Scan JDBCRelation(people) [numPartitions=1] [id#1]".
fn list_of_columns(text: &str) -> Option<&str> {
    let first = list_behind(text, "")?;
    let is_of_name = !first.is_empty() && !first.contains('#');
    let second = || list_behind(&text[text.find('[')? + 1..], "").filter(|list| list.contains('#'));
    if is_of_name { second() } else { Some(first) }
}

/// A fact of a scan by its name: of the metadata, else of the text.
fn fact<'n>(node: &'n RawNode, key: &str) -> Option<&'n str> {
    node.metadata.get(key).map(String::as_str).or_else(|| fact_in(&node.simple_string, key))
}

/// A fact in the text of a scan: "true" of "Batched: true, Format: Parquet". Long ones are cut with "...".
pub(super) fn fact_in<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mark = format!(" {key}: ");
    let start = text.find(&mark)? + mark.len();
    let rest = &text[start..];
    let ends = FACTS.iter().filter_map(|next| rest.find(&format!(", {next}: ")));
    Some(rest[..ends.min().unwrap_or(rest.len())].trim())
}

/// The description of the source of a `BatchScan`, which follows its columns (`BatchScanExec.simpleString`): “class …” with its class,
/// unless the source has a text of its own (`Scan.description`).
pub(super) fn described(simple_string: &str) -> Option<&str> {
    simple_string.split_once("] ").map(|(_, described)| described)
}

/// Table and format of a scan: "Scan parquet shop.sales", "`BatchScan` lake.shop.sales", "Scan `JDBCRelation`(shop.people)", or the
/// folder of its files.
fn named(node: &RawNode) -> Source {
    // Notes of an engine, "[numPartitions=1]", are no name.
    let mut words = node.name.split_whitespace().skip(1).filter(|word| !word.starts_with('['));
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let is_word = !first.contains(['.', '/', '(']) && !node.name.starts_with("BatchScan");
    let is_format = is_word || second.is_some();
    let (format, name) = if is_format { (first, second.unwrap_or_default()) } else { ("", first) };
    let of_folder = || fact(node, "Location").and_then(folder_of_table);
    let name = name.split_once('(').map_or(name, |(_, inner)| inner.trim_end_matches(')'));
    let table = match name {
        "" => of_folder().unwrap_or_default(),
        path if path.contains('/') => last_folder(path).unwrap_or_default(),
        name => name.rsplit('.').next().unwrap_or(name),
    };
    let format = fact(node, "Format").unwrap_or(format);
    Source { table: table.trim_matches('`').to_owned(), format: format.to_ascii_lowercase(), ..Source::default() }
}

/// Types of the columns in the files by their names in small letters; `None` if there is no schema.
fn fields(node: &RawNode) -> Option<BTreeMap<String, String>> {
    let columns = columns_of(schema(node)?)?;
    // Of a cut type only a part is there.
    let fields = columns.iter().filter_map(|column| column.split_once(':')).filter(|(_, of)| !of.contains(CUT));
    Some(fields.map(|(name, data_type)| (name.trim().to_lowercase(), data_type.trim().to_owned())).collect())
}

/// The conditions of a fact of a scan.
fn conditions<'n>(node: &'n RawNode, key: &str) -> impl Iterator<Item = &'n str> + use<'n> {
    let list = fact(node, key).and_then(|list| list.strip_prefix('[')).unwrap_or_default();
    parts(list.strip_suffix(']').unwrap_or(list))
}

/// Whether a condition is about a column.
fn mentions(condition: &str, column: &str) -> bool {
    condition.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).any(|word| word == column)
}

/// The paths of a location, and how many more are left out: `InMemoryFileIndex [file:/t/p=1, ... 9 entries]`.
fn paths(location: &str) -> Option<(Vec<&str>, u64)> {
    let list = list_behind(location, "")?;
    let mut rest = 0;
    let mut paths = Vec::new();
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.strip_prefix(CUT) {
            Some(note) => rest = note.split_whitespace().next().and_then(|count| count.parse().ok()).unwrap_or(0),
            None => paths.push(part),
        }
    }
    Some((paths, rest))
}

/// Number of folders that a location lists; `None` if the list is cut.
fn folders(location: &str) -> Option<u64> {
    let name = location.split([' ', '(', '[']).next().unwrap_or_default();
    if !LISTS_OF_FOLDERS.contains(&name) {
        return None;
    }
    // "InMemoryFileIndex(3 paths)[file:/t/p=1, file:..."
    if let Some((count, _)) = location[name.len()..].strip_prefix('(').and_then(|rest| rest.split_once(" path")) {
        return count.trim().parse().ok();
    }
    let (paths, rest) = paths(location).filter(|_| location.ends_with(']'))?;
    Some(rest.saturating_add(paths.len() as u64))
}

/// The folder of a table by the first path of a location, which may be that of a partition.
fn folder_of_table(location: &str) -> Option<&str> {
    let (paths, _) = paths(location)?;
    last_folder(paths.first().filter(|path| !path.ends_with(CUT))?)
}

/// The last folder of a path that is no partition and no date.
fn last_folder(path: &str) -> Option<&str> {
    path.split('/').rfind(|folder| folder.contains(char::is_alphabetic) && !folder.contains(['=', ':']))
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
        let source = source(&node).expect("a source");
        assert_eq!((source.table.as_str(), source.format.as_str()), ("sales", "parquet"));
        assert_eq!(source.columns, ["item", "price", "day"]);
        assert_eq!(source.types, ["int", "decimal(7,2)", ""]);
        assert_eq!(source.partition_columns, ["day"]);
        assert_eq!(source.partition_filters[1], "dynamicpruningexpression(day IN dynamicpruning)");
        assert_eq!(source.filters, "IsNotNull(item), GreaterThan(price,1.00)");
        assert_eq!(source.folders, Some(9));
        assert_eq!((source.table_rows, source.expected_rows, source.file_bytes), (None, None, None));
    }

    #[test]
    fn tables_are_named_in_every_form() {
        for (name, location, table, format) in [
            ("Scan parquet", "InMemoryFileIndex(2 paths)[s3://b/shop/sales/day=1, s3://b...", "sales", "parquet"),
            ("Scan orc db.`items`", "", "items", "orc"),
            ("BatchScan lake.db.items", "", "items", ""),
            ("BatchScan parquet file:/tmp/items", "", "items", "parquet"),
            ("Scan csv", "", "", "csv"),
            ("Scan json", "InMemoryFileIndex(1 paths)[s3://b/events/2026/11/day=25]", "events", "json"),
            ("Scan parquet", "InMemoryFileIndex(1 paths)[s3://b/eve...", "", "parquet"),
            ("Scan JDBCRelation(shop.people) [numPartitions=1]", "", "people", ""),
        ] {
            let node = scan(name, "x[a#1]", &[("Location", location)]);
            let source = source(&node).expect("a source");
            assert_eq!((source.table.as_str(), source.format.as_str()), (table, format), "{name}");
        }
    }

    #[test]
    fn locations_have_a_number_of_folders() {
        for (location, count) in [
            ("InMemoryFileIndex [file:/t]", Some(1)),
            ("InMemoryFileIndex(1823 paths)[file:/t/d=1, file:...", Some(1823)),
            ("InMemoryFileIndex[file:/t/d=1, file:/t/d...", None),
            ("CatalogFileIndex [file:/t]", None),
            ("[not included in comparison]/t]", None),
        ] {
            assert_eq!(folders(location), count, "{location}");
        }
    }

    /// RAPIDS' scans have no metadata, and Spark cuts the values in their texts.
    #[test]
    fn facts_come_from_the_text_where_a_scan_has_no_metadata() {
        let text = "GpuFileGpuScan parquet [ws_item_sk#3,ws_quantity#4,ws_sold_date_sk#5] Batched: true, DataFilters: \
                    [isnotnull(ws_item_sk#3)], Format: Parquet, Location: InMemoryFileIndex[gs://tpcds/web_sales], \
                    PartitionFilters: [isnotnull(ws_sold_date_sk#5), dynamicpruningexp..., PushedFilters: \
                    [IsNotNull(ws_item_sk)], ReadSchema: struct<ws_item_sk:int,ws_quantity:in...";
        let source = source(&scan("GpuScan parquet ", text, &[])).expect("a source");
        assert_eq!((source.table.as_str(), source.format.as_str()), ("web_sales", "parquet"));
        assert_eq!(source.columns, ["ws_item_sk", "ws_quantity", "ws_sold_date_sk"]);
        assert_eq!(source.types, ["int", "", ""], "the second type is cut");
        assert_eq!(source.partition_columns, ["ws_sold_date_sk"], "the schema is cut, and a condition names it");
        assert_eq!(source.partition_filters[0], "isnotnull(ws_sold_date_sk)");
        assert_eq!(source.filters, "IsNotNull(ws_item_sk)");
        assert_eq!(source.folders, Some(1));
    }

    #[test]
    fn a_note_of_the_name_is_no_list_of_columns() {
        let text = "Scan JDBCRelation(shop.people) [numPartitions=1] [id#1,name#2] PushedFilters: [], ReadSchema: \
                    struct<id:int,name:string>";
        let source = source(&scan("Scan JDBCRelation(shop.people) [numPartitions=1] ", text, &[])).expect("a source");
        assert_eq!((source.table.as_str(), source.columns.len()), ("people", 2));
        let counted =
            "FileScan parquet shop.sales[] Batched: true, DataFilters: [isnotnull(a#1)], ReadSchema: struct<>";
        let source = super::source(&scan("Scan parquet shop.sales", counted, &[])).expect("a source");
        assert!(source.columns.is_empty(), "{source:?}");
    }
}

//! What an event log says of an operator, `nodeName` and `simpleString`, from a line of a tree and its numbered details. So the
//! same code reads logs and texts.

use std::collections::BTreeMap;

use super::super::columns::RESULTS;
use super::super::lists::parts;
use super::super::native::head;
use super::super::scanned::{FACTS, fact_in};
use super::sections::Detail;

/// Build sides of joins as a tree writes them.
const BUILD_SIDES: [&str; 2] = ["BuildLeft", "BuildRight"];

/// An operator as an event log has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Simple {
    /// Spark's `nodeName`.
    pub(super) name: String,
    /// Spark's `simpleString`.
    pub(super) text: String,
    /// Facts about a scan by their names; of an aggregate the columns that it gives.
    pub(super) metadata: BTreeMap<String, String>,
}

impl Simple {
    /// An operator whose line has all that is known.
    pub(super) fn of_line(text: &str) -> Self {
        let name = name(text);
        let mut metadata = BTreeMap::new();
        if is_scan(&name) {
            for key in FACTS {
                if let Some(value) = fact_in(text, key) {
                    metadata.insert(key.to_owned(), value.to_owned());
                }
            }
        }
        Self { name, text: text.to_owned(), metadata }
    }

    /// An operator with details; `line` is that of the tree, without its number.
    pub(super) fn of_detail(line: &str, detail: &Detail) -> Self {
        let name = detail.name.clone();
        let field = |key: &str| detail.field(key).filter(|value| !value.is_empty());
        let mut metadata = BTreeMap::new();
        let text = if is_scan(&name) {
            for key in FACTS {
                if let Some(value) = field(key) {
                    metadata.insert(key.to_owned(), value.to_owned());
                }
            }
            scan(&name, &field, &metadata)
        } else {
            // A log does not list them.
            let results = field(RESULTS).map(|results| (RESULTS.to_owned(), results.to_owned()));
            metadata.extend(results);
            text(&name, line, &field)
        };
        Self { name, text, metadata }
    }
}

/// Whether an operator reads a source that has facts of its own.
fn is_scan(name: &str) -> bool {
    let head = head(name);
    (head.contains("Scan") || head.contains("FileSource")) && !matches!(head, "LocalTableScan" | "InMemoryTableScan")
}

/// The `nodeName` of an operator in a line without details.
fn name(text: &str) -> String {
    let head = head(text);
    if head == "Execute" {
        return text.split_whitespace().take(2).collect::<Vec<&str>>().join(" ");
    }
    if !is_scan(head) {
        return head.to_owned();
    }
    // "FileScan parquet shop.sales[id#1] Batched: true": the name ends at the columns.
    let name = text.split('[').next().unwrap_or(text).trim_end();
    name.strip_prefix("File").filter(|_| head == "FileScan").unwrap_or(name).to_owned()
}

/// A scan: its columns stand behind its name.
fn scan<'d>(name: &str, field: &impl Fn(&str) -> Option<&'d str>, metadata: &BTreeMap<String, String>) -> String {
    // Sources that are not files have the name of a class: "Scan JDBCRelation(people)".
    let is_of_files =
        name.strip_prefix("Scan ").is_some_and(|of| of.starts_with(|letter: char| letter.is_ascii_lowercase()));
    let file = if is_of_files { "File" } else { "" };
    let mut text = format!("{file}{name}{}", field("Output").unwrap_or("[]"));
    for (place, (key, value)) in metadata.iter().enumerate() {
        text += if place == 0 { " " } else { ", " };
        text += &format!("{key}: {value}");
    }
    text
}

/// Any other operator.
fn text<'d>(name: &str, line: &str, field: &impl Fn(&str) -> Option<&'d str>) -> String {
    let head = head(name);
    if head.contains("Aggregate")
        && let (Some(keys), Some(functions)) = (field("Keys"), field("Functions"))
    {
        return format!("{head}(keys={keys}, functions={functions})");
    }
    if head.contains("Join") || head.starts_with("CartesianProduct") {
        return join(head, line, field);
    }
    if let Some(condition) = field("Condition") {
        return format!("{head} {condition}");
    }
    if let Some(arguments) = field("Arguments") {
        let of_top: Vec<&str> = parts(arguments).take(3).collect();
        return match of_top[..] {
            [limit, order, output] if head.contains("TakeOrdered") => {
                format!("{head}(limit={limit}, orderBy={order}, output={output})")
            }
            _ => format!("{head} {arguments}"),
        };
    }
    // What a tree says beside the name: "AQEShuffleRead coalesced".
    let said = line.strip_prefix(head).unwrap_or_default().trim();
    match field("Output").filter(|_| said.is_empty()) {
        Some(output) => format!("{head} {output}"),
        None if said.is_empty() => name.to_owned(),
        None => format!("{head} {said}"),
    }
}

/// A join: its keys or build side, its kind, and its condition.
fn join<'d>(head: &str, line: &str, field: &impl Fn(&str) -> Option<&'d str>) -> String {
    let mut words = line.split_whitespace().skip(1);
    let side = line.split_whitespace().find(|word| BUILD_SIDES.contains(word));
    let rows = field("Join type").or_else(|| words.find(|word| !BUILD_SIDES.contains(word)));
    let condition = field("Join condition").filter(|condition| *condition != "None");
    let items = match (field("Left keys"), field("Right keys")) {
        (Some(left), Some(right)) => [Some(left), Some(right), rows, side, condition],
        _ => [side, rows, condition, None, None],
    };
    let items: Vec<&str> = items.into_iter().flatten().collect();
    format!("{head} {}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_plain_tree_have_the_names_of_a_log() {
        for (text, name) in [
            ("FileScan parquet shop.sales[id#1] Batched: true, Format: Parquet", "Scan parquet shop.sales"),
            ("FileScan orc [id#1] Batched: true", "Scan orc"),
            ("BatchScan lake.db.t[id#1] lake.db.t (branch=null) [filters=]", "BatchScan lake.db.t"),
            ("Scan ExistingRDD[id#1]", "Scan ExistingRDD"),
            ("LocalTableScan [id#1]", "LocalTableScan"),
            ("InMemoryTableScan [id#1], [(id#1 > 2)]", "InMemoryTableScan"),
            ("HashAggregate(keys=[id#1], functions=[])", "HashAggregate"),
            ("ShuffleQueryStage 0", "ShuffleQueryStage"),
            ("SortMergeJoin(skew=true) [a#1], [b#2], Inner", "SortMergeJoin"),
            (
                "Execute InsertIntoHadoopFsRelationCommand file:/out, false, Parquet",
                "Execute InsertIntoHadoopFsRelationCommand",
            ),
        ] {
            assert_eq!(Simple::of_line(text).name, name, "{text}");
        }
    }

    #[test]
    fn facts_of_a_scan_end_where_the_next_begins() {
        let text = "FileScan parquet t[a#1,p#2] Batched: true, DataFilters: [(a#1 > 2)], Format: Parquet, Location: \
                    InMemoryFileIndex(3 paths)[file:/t/p=1, file:..., PartitionFilters: [dynamicpruningexpression(p#2 \
                    IN dynamicp..., PushedFilters: [], ReadSchema: struct<a:int>";
        let metadata = Simple::of_line(text).metadata;
        assert_eq!(metadata["DataFilters"], "[(a#1 > 2)]");
        assert_eq!(metadata["PartitionFilters"], "[dynamicpruningexpression(p#2 IN dynamicp...");
        assert_eq!(metadata["PushedFilters"], "[]");
        assert_eq!(metadata["ReadSchema"], "struct<a:int>");
    }
}

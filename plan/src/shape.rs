//! The logical shape of a plan: what a query asks for, whatever engine ran it and however it placed its operators.
//!
//! Two plans have the same shape if they scan the same columns of the same tables, filter by the same columns with the same
//! comparisons, join by the same keys, and group by the same columns with the same functions. Literals do not count, so that a
//! query that runs each day with another date is the same query. Names of operators, exchanges, sorts of joins, and the number of
//! times that a part occurs do not count: engines differ in them.

use std::collections::BTreeSet;

use crossover_files::digest::of_text;
use crossover_query::{JoinRows, Kind, Node, Operation, Plan};

/// Hexadecimal digits of a digest.
const DIGITS: usize = 16;
/// Formats of files in the names of scans.
const FORMATS: [&str; 10] = ["parquet", "orc", "csv", "json", "text", "avro", "hive", "delta", "iceberg", "binaryfile"];
/// Beginnings of the names of functions in the plans of engines: of partial aggregates, and of RAPIDS.
const PREFIXES: [&str; 5] = ["partial_", "merge_", "gpu", "basic", "decimal128"];
/// Words of conditions that count beside columns and comparisons.
const WORDS: [&str; 6] = ["in", "inset", "like", "rlike", "or", "not"];
/// Ends of the names of join types.
const JOIN_TYPES: [(&str, &str); 5] =
    [("Semi", "semi"), ("Anti", "anti"), ("ExistenceJoin", "existence"), ("Outer", "outer"), ("Cross", "cross")];
/// What stands before the paths of a scan.
const LOCATION: &str = "Location: ";
/// What stands before the conditions of a scan in Spark. A filter above the scan has them as well.
const DATA_FILTERS: &str = "DataFilters: [";

/// Digest of the logical shape of a plan; `None` if no scan names a table or a column, because then too little is known.
#[must_use]
pub fn digest(plan: &Plan) -> Option<String> {
    let facts: Vec<String> = facts(plan)?.into_iter().collect();
    let mut digest = of_text(&facts.join("\n"));
    digest.truncate(DIGITS);
    Some(digest)
}

/// Names of the tables that a plan reads, as far as its engine names them.
#[must_use]
pub fn tables(plan: &Plan) -> BTreeSet<String> {
    scans(plan).map(table).filter(|table| !table.is_empty()).collect()
}

/// Whether two plans may read the same tables: a plan may lack the names of some.
#[must_use]
pub fn may_read_the_same(one: &Plan, other: &Plan) -> bool {
    let [one, other] = [one, other].map(tables);
    one.is_subset(&other) || other.is_subset(&one)
}

/// Bytes that the scans of a plan read; `None` if its engine reports none.
#[must_use]
pub fn bytes_read(plan: &Plan) -> Option<f64> {
    let bytes = scans(plan).filter_map(|node| node.bytes_in).map(|amount| amount.value);
    bytes.fold(None, |sum, bytes| Some(sum.unwrap_or(0.0) + bytes))
}

/// The scans of a plan.
fn scans(plan: &Plan) -> impl Iterator<Item = &Node> {
    plan.nodes.iter().filter(|node| node.kind == Kind::Scan && node.works())
}

/// What a plan asks for, one fact each.
fn facts(plan: &Plan) -> Option<BTreeSet<String>> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut facts: BTreeSet<String> = BTreeSet::new();
    for node in scans(plan) {
        let (table, columns) = (table(node), columns(node));
        if !table.is_empty() || !columns.is_empty() {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            facts.insert(format!("scan {table} ({})", columns.join(", ")));
        }
        known.extend(columns);
    }
    if facts.is_empty() {
        return None;
    }
    for node in plan.nodes.iter().filter(|node| node.works()) {
        match node.kind {
            Kind::Scan => add_conditions(&conditions_of_scan(node), &known, &mut facts),
            Kind::Filter => add_conditions(&node.detail, &known, &mut facts),
            Kind::Join => add_join(node, &known, &mut facts),
            Kind::Aggregate => add_aggregate(node, &known, &mut facts),
            Kind::Window | Kind::Expand | Kind::Union | Kind::Write => {
                facts.insert(node.kind.label().to_owned());
            }
            _ => {}
        }
    }
    Some(facts)
}

/// Name of the table of a scan, in lower case and without those of catalogue and database: from the plan, from the name of the
/// operator ("Scan parquet shop.sales"), or from the folder that it reads. Empty if none has it.
fn table(node: &Node) -> String {
    // Spark cuts a long path in the plans of some engines only.
    let is_cut = node.detail.contains(LOCATION) && location(&node.detail).is_none();
    if let Some(source) = node.source.as_ref().filter(|source| !source.table.is_empty() && !is_cut) {
        return source.table.to_lowercase();
    }
    let named = node.name.split_whitespace().skip(1).last().unwrap_or_default();
    let is_format = FORMATS.iter().any(|format| named.eq_ignore_ascii_case(format));
    if !named.is_empty() && !is_format && !named.contains('/') {
        return named.rsplit('.').next().unwrap_or_default().to_lowercase();
    }
    let path = if named.contains('/') { Some(named) } else { location(&node.detail) };
    path.and_then(folder).unwrap_or_default().to_lowercase()
}

/// The first path in `Location: InMemoryFileIndex(1 paths)[file:/data/shop/sales], …`; `None` if the text is cut in it.
fn location(detail: &str) -> Option<&str> {
    let (_, behind) = detail.split_once(LOCATION)?;
    let (_, paths) = behind.split_once('[')?;
    let end = paths.find([',', ']'])?;
    // Spark ends what it cuts with three dots.
    Some(&paths[..end]).filter(|path| !path.ends_with("..."))
}

/// The last folder of a path that is no partition and no date.
fn folder(path: &str) -> Option<&str> {
    let is_name = |part: &&str| !part.contains('=') && part.contains(char::is_alphabetic);
    path.split('/').rfind(is_name)
}

/// Columns that a scan reads, in lower case.
fn columns(node: &Node) -> BTreeSet<String> {
    if let Some(source) = &node.source {
        return source.read().map(str::to_lowercase).collect();
    }
    let before = node.detail.split(": ").next().unwrap_or_default();
    let Some((list, _)) = list(before) else { return BTreeSet::new() };
    list.into_iter().filter(|part| is_name(part)).map(str::to_lowercase).collect()
}

/// The conditions that a scan checks.
fn conditions_of_scan(node: &Node) -> String {
    match (node.detail.split_once(DATA_FILTERS), &node.source) {
        (Some((_, behind)), _) => behind.split("], ").next().unwrap_or_default().to_owned(),
        (None, Some(source)) => source.filters.clone(),
        (None, None) => String::new(),
    }
}

/// Adds the columns that a condition names, each with its comparisons. Checks for null come from joins and are left out.
fn add_conditions(text: &str, known: &BTreeSet<String>, facts: &mut BTreeSet<String>) {
    let (mut column, mut is_null_check) = (None, false);
    for word in words(text) {
        let word = word.to_lowercase();
        if word.ends_with("isnotnull") {
            is_null_check = true;
        } else if word.starts_with(['=', '<', '>', '!']) {
            facts.extend(column.as_ref().map(|column| format!("filter {column} {word}")));
        } else if known.contains(&word) {
            if !std::mem::take(&mut is_null_check) {
                facts.insert(format!("filter {word}"));
                column = Some(word);
            }
        } else if WORDS.contains(&word.as_str()) {
            let word = if word == "inset" { "in" } else { word.as_str() };
            facts.extend(column.as_ref().map(|column| format!("filter {column} {word}")));
        }
    }
}

/// Adds the keys and the type of a join.
fn add_join(node: &Node, known: &BTreeSet<String>, facts: &mut BTreeSet<String>) {
    facts.insert("join".to_owned());
    if let Some(Operation::Join { rows, .. }) = node.operation {
        facts.extend(kind_of_join(rows).map(|kind| format!("join {kind}")));
    }
    for names in &node.keys {
        let names: BTreeSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        facts.insert(format!("join {}", joined(&names)));
    }
    let Some((left, behind)) = list(&node.detail).filter(|_| node.keys.is_empty()) else { return };
    let Some((right, behind)) = list(behind) else { return };
    for (one, other) in left.into_iter().zip(right) {
        let names = BTreeSet::from([name_of(one, known), name_of(other, known)]);
        facts.insert(format!("join {}", joined(&names)));
    }
    let kind = JOIN_TYPES.iter().find(|(end, _)| behind.contains(end));
    facts.extend(kind.map(|(_, kind)| format!("join {kind}")));
}

/// What distinguishes a join from one that gives the pairs that match, as in [`JOIN_TYPES`].
fn kind_of_join(rows: JoinRows) -> Option<&'static str> {
    match rows {
        JoinRows::Inner => None,
        JoinRows::Cross => Some("cross"),
        JoinRows::LeftOuter | JoinRows::RightOuter | JoinRows::FullOuter => Some("outer"),
        JoinRows::LeftSemi => Some("semi"),
        JoinRows::LeftAnti => Some("anti"),
        JoinRows::Existence => Some("existence"),
    }
}

/// Adds the groups and the functions of an aggregate.
fn add_aggregate(node: &Node, known: &BTreeSet<String>, facts: &mut BTreeSet<String>) {
    facts.insert("aggregate".to_owned());
    let behind = |word: &str| node.detail.split_once(word).map(|(_, behind)| behind);
    let groups: Option<BTreeSet<String>> = if node.keys.is_empty() {
        let keys = behind("keys=").and_then(list);
        keys.map(|(keys, _)| keys.into_iter().map(|key| name_of(key, known)).collect())
    } else {
        Some(node.keys.iter().filter_map(|names| names.first()).map(|name| name.to_lowercase()).collect())
    };
    facts.extend(groups.filter(|groups| !groups.is_empty()).map(|groups| format!("group by {}", joined(&groups))));
    // A list that is cut ends in a function of which only a part is there.
    let functions = behind("functions=").map(|text| list(text).map_or_else(|| cut_list(text), |(list, _)| list));
    for function in functions.unwrap_or_default() {
        facts.insert(format!("aggregate {}", function_name(function)));
    }
}

/// "sum" of "`partial_gpudecimal128sum`(…)".
fn function_name(call: &str) -> String {
    let mut name = call.split('(').next().unwrap_or_default().to_lowercase();
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        name = rest.to_string();
    }
    if name == "average" { "avg".to_owned() } else { name }
}

/// The column of an expression, or the known columns in it: of "cast(customer as bigint)" customer.
fn name_of(expression: &str, known: &BTreeSet<String>) -> String {
    let expression = expression.trim();
    if is_name(expression) {
        return expression.to_lowercase();
    }
    let columns = words(expression).map(str::to_lowercase).filter(|word| known.contains(word));
    joined(&columns.collect())
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<&str>>().join(", ")
}

/// Whether a text is the name of a column alone.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_name)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// Names, numbers and comparisons of an expression, in order.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_of_comparison = |letter: char| "=<>!".contains(letter);
        let start = rest.find(|letter: char| is_of_name(letter) || is_of_comparison(letter))?;
        let word = &rest[start..];
        let is_comparison = word.starts_with(is_of_comparison);
        let is_inside = |letter: char| if is_comparison { is_of_comparison(letter) } else { is_of_name(letter) };
        let end = word.find(|letter: char| !is_inside(letter)).unwrap_or(word.len());
        rest = &word[end..];
        Some(&word[..end])
    })
}

/// The parts of the first list in brackets, and what follows it; `None` if there is none or it has no end.
fn list(text: &str) -> Option<(Vec<&str>, &str)> {
    let start = text.find('[')?;
    let mut depth = 0_usize;
    for (at, letter) in text[start..].char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some((parts(&text[start + 1..start + at]).collect(), &text[start + at + 1..]));
        }
    }
    None
}

/// The whole parts of a list without its end.
fn cut_list(text: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = parts(text.trim_start_matches('[')).collect();
    parts.pop();
    parts
}

/// The parts of a list between its commas, without those of calls inside it.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let is_comma = move |letter: char| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    list.split(is_comma).map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use crossover_query::{JoinMethod, Source};

    use super::*;

    fn node(name: &str, kind: Kind, detail: &str) -> Node {
        Node { detail: detail.to_owned(), ..Node::new(name, kind) }
    }

    fn plan(nodes: Vec<Node>) -> Plan {
        Plan { nodes, ..Plan::default() }
    }

    /// A query as Spark plans it, with this date and this limit of the amount.
    fn on_cpus(day: &str, amount: &str) -> Plan {
        let filter = format!("((isnotnull(day) AND (day >= {day})) AND (amount > {amount}))");
        let scan = format!(
            "FileScan parquet [customer,day,amount] Batched: true, DataFilters: [isnotnull(day), (day >= {day}), (amount > \
             {amount})], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/shop/sales], PartitionFilters: []"
        );
        plan(vec![
            node("HashAggregate", Kind::Aggregate, "(keys=[region], functions=[count(1), avg(amount)])"),
            node("Exchange", Kind::Shuffle, "hashpartitioning(region, 200)"),
            node(
                "HashAggregate",
                Kind::Aggregate,
                "(keys=[region], functions=[partial_count(1), partial_avg(amount)])",
            ),
            node("SortMergeJoin", Kind::Join, "[customer], [id], Inner"),
            node("Sort", Kind::Sort, "[customer ASC NULLS FIRST], false, 0"),
            node("Filter", Kind::Filter, &filter),
            node("Scan parquet", Kind::Scan, &scan),
            node("Sort", Kind::Sort, "[id ASC NULLS FIRST], false, 0"),
            node("Filter", Kind::Filter, "isnotnull(id)"),
            node("Scan parquet spark_catalog.shop.customers", Kind::Scan, "FileScan parquet shop.customers[id,region]"),
        ])
    }

    /// The same query as RAPIDS plans it: other names, a join by a copy, and no sorts.
    fn on_gpus() -> Plan {
        let filter = "((gpuisnotnull(day) AND (day >= 2026-01-01)) AND (amount > 10))";
        let scan = "GpuFileGpuScan parquet [customer,day,amount] Batched: true, DataFilters: [isnotnull(day)], Format: Parquet, \
                    Location: InMemoryFileIndex[gs://other/shop/sales], PartitionFilters: []";
        plan(vec![
            node("GpuColumnarToRow", Kind::Wrapper, "false"),
            node(
                "GpuHashAggregate",
                Kind::Aggregate,
                "(keys=[region], functions=[gpucount(1, true), gpubasicaverage(amount)])",
            ),
            node(
                "GpuHashAggregate",
                Kind::Aggregate,
                "(keys=[region], functions=[partial_gpucount(1), partial_gpubasicaverage(amount)])",
            ),
            node("GpuBroadcastHashJoin", Kind::Join, "[customer], [id], Inner, GpuBuildRight"),
            node("GpuFilter", Kind::Filter, filter),
            node("GpuScan parquet", Kind::Scan, scan),
            node("GpuFilter", Kind::Filter, "gpuisnotnull(id)"),
            node(
                "GpuScan parquet spark_catalog.shop.customers",
                Kind::Scan,
                "GpuFileGpuScan parquet shop.customers[id,region]",
            ),
        ])
    }

    #[test]
    fn a_plan_of_spark_and_its_twin_on_gpus_have_the_same_shape() {
        assert_eq!(facts(&on_cpus("2026-01-01", "10")), facts(&on_gpus()));
        assert!(digest(&on_gpus()).is_some_and(|digest| digest.len() == DIGITS));
    }

    #[test]
    fn literals_do_not_count() {
        assert_eq!(digest(&on_cpus("2026-01-01", "10")), digest(&on_cpus("2025-06-30", "99.5")));
    }

    #[test]
    fn other_columns_comparisons_keys_groups_functions_and_tables_count() {
        let own = on_cpus("2026-01-01", "10");
        let with = |place: usize, from: &str, to: &str| {
            let mut plan = own.clone();
            let detail = plan.nodes[place].detail.replace(from, to);
            assert_ne!(detail, plan.nodes[place].detail);
            plan.nodes[place].detail = detail;
            digest(&plan)
        };
        for (place, from, to) in [
            (5, "amount > 10", "customer > 10"),
            (5, "amount > 10", "amount < 10"),
            (3, "[id]", "[region]"),
            (3, "Inner", "LeftOuter"),
            (0, "keys=[region]", "keys=[region, day]"),
            (0, "avg", "sum"),
            (6, "shop/sales", "shop/returns"),
            (6, "customer,day", "customer,hour,day"),
        ] {
            assert_ne!(with(place, from, to), digest(&own), "{to} instead of {from}");
        }
    }

    #[test]
    fn keys_and_operations_say_the_same_as_the_text() {
        for (text, kind) in
            [("Inner", JoinRows::Inner), ("LeftOuter", JoinRows::LeftOuter), ("LeftAnti", JoinRows::LeftAnti)]
        {
            let mut of_text = on_cpus("2026-01-01", "10");
            of_text.nodes[3].detail = format!("[customer], [id], {text}");
            let mut stated = of_text.clone();
            let keys = |keys: &[&str]| vec![keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>()];
            let join = Operation::Join { rows: kind, method: JoinMethod::SortMerge, build: None };
            (stated.nodes[3].operation, stated.nodes[3].keys) = (Some(join), keys(&["customer", "id"]));
            for place in [0, 2] {
                stated.nodes[place].keys = keys(&["region"]);
            }
            assert_eq!(facts(&stated), facts(&of_text), "{text}");
        }
    }

    /// Spark cuts the path in the text of a scan; a log of CPUs has the whole one beside it, one of RAPIDS has not.
    #[test]
    fn a_path_that_is_cut_in_the_text_names_no_table() {
        let cut = "FileScan parquet [a] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[s3://b/shop/sal…";
        let source = Source { table: "sales".to_owned(), columns: vec!["a".to_owned()], ..Source::default() };
        let one = Node { source: Some(Box::new(source)), ..node("Scan parquet", Kind::Scan, cut) };
        let other = node("GpuScan parquet", Kind::Scan, &cut.replace("sal…", "s..., PartitionFilters: []"));
        assert_eq!(facts(&plan(vec![one])), facts(&plan(vec![other])));
    }

    #[test]
    fn a_plan_without_tables_and_columns_has_no_digest() {
        assert_eq!(digest(&Plan::default()), None);
        assert_eq!(digest(&plan(vec![node("Range", Kind::Values, "(0, 100)")])), None);
        assert_eq!(digest(&plan(vec![node("FileSourceScanExecTransformer parquet", Kind::Scan, "")])), None);
    }

    #[test]
    fn tables_come_from_the_plan_the_operator_or_the_folder() {
        let scan = |name: &str, detail: &str| table(&node(name, Kind::Scan, detail));
        assert_eq!(scan("Scan parquet spark_catalog.default.Web_Sales", ""), "web_sales");
        assert_eq!(scan("BatchScan shop.sales", ""), "sales");
        assert_eq!(scan("FileSourceScanExecTransformer parquet db.t", ""), "t");
        let dated = "[a] Batched: true, Location: InMemoryFileIndex[s3://b/events/2026/11/day=25, ... 9 entries], Format: Parquet";
        assert_eq!(scan("Scan parquet", dated), "events");
        assert_eq!(scan("Scan parquet", "[a] Batched: true, Location: InMemoryFileIndex[s3://b/eve…"), "", "cut");
        let source = Source { table: "Lineitem".to_owned(), ..Source::default() };
        let scan = Node { source: Some(Box::new(source)), ..Node::new("SEQ_SCAN", Kind::Scan) };
        assert_eq!(tables(&plan(vec![scan])), BTreeSet::from(["lineitem".to_owned()]));
    }

    #[test]
    fn odd_texts_do_no_harm() {
        for text in [
            "",
            "[",
            "]",
            "[](",
            "(keys=[",
            "(keys=[a], functions=[sum(b), cou…",
            "[ä], [ö]",
            ")(][",
            "a<=>b",
            "DataFilters: [",
        ] {
            for kind in Kind::ALL {
                _ = digest(&plan(vec![node("Scan parquet a.b", Kind::Scan, text), node("x", kind, text)]));
            }
        }
    }
}

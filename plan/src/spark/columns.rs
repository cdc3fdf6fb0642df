//! Width of the rows of every operator, from the types of the columns that it gives.
//!
//! Spark names a column by a number, `price#12`, with an `L` behind it if it is a `bigint`. A scan has the types of its
//! columns; later operators show which of them they keep, and by which expressions they make others.

mod expressions;
mod row;

use std::collections::BTreeMap;

use crossover_query::{Kind, Node, RowColumn};

use self::expressions::{TEXT, Types, functions, of_expression, of_result};
use self::row::{Column, Columns, USUAL};
use super::lists::{column, left_out, list_behind, parts};
use super::raw::{RawNode, RawQuery};
use super::width::{fields, schema};

/// Bytes of a value by which files are parted: a day, as Spark numbers it.
const PARTITION: f64 = 4.0;
/// What `EXPLAIN FORMATTED` calls the columns that an aggregate gives.
pub(super) const RESULTS: &str = "Results";

/// Bytes of a text in a row of Spark where nothing is known: it guesses 20, which take three words.
const GUESSED_TEXT: f64 = 24.0;

/// Columns that are held at most, over all nodes: those of a plan of 10,000 nodes with 1,000 columns each.
const MOST_COLUMNS: usize = 10_000_000;

/// Bytes of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowBytes {
    /// The sum over its columns, by their types.
    pub(super) by_types: f64,
    /// In Spark's own format.
    pub(super) in_spark: f64,
    /// Columns of the row of an exchange; the length of its texts in `in_spark` is a guess.
    pub(super) columns: Vec<RowColumn>,
}

/// Bytes of a row that each node gives, where its columns are known; `nodes` are those of `raw`.
pub(super) fn widths(raw: &RawQuery, nodes: &[Node]) -> Vec<Option<f64>> {
    // Inputs stand behind the nodes that read them.
    widths_in(raw, nodes, (0..nodes.len()).rev()).into_iter().map(|row| row.map(|row| row.by_types)).collect()
}

/// As [`widths()`], also in Spark's own format, with the nodes in an order in which each stands behind its inputs and the node that it reuses.
pub(super) fn widths_in(raw: &RawQuery, nodes: &[Node], order: impl Iterator<Item = usize>) -> Vec<Option<RowBytes>> {
    let mut types = Types::default();
    let mut given: Vec<Option<Columns>> = vec![None; nodes.len()];
    let mut held = 0;
    for id in order {
        if held > MOST_COLUMNS {
            break;
        }
        let raw = &raw.nodes[id];
        given[id] = if let Some(original) = nodes[id].reuses {
            given[original].as_ref().and_then(|original| reused(raw, original, &mut types))
        } else {
            let inputs: Vec<_> = raw.children.iter().map(|child| given.get(*child)?.as_ref()).collect();
            of_node(raw, nodes[id].kind, &inputs, &mut types)
        };
        held += given[id].as_ref().map_or(0, |columns| columns.known.len());
    }
    let of_row = |(columns, node): (Option<Columns>, &Node)| {
        let columns = columns?;
        let is_exchange = matches!(node.kind, Kind::Shuffle | Kind::Gather);
        let row = RowBytes {
            by_types: columns.width(),
            in_spark: columns.spark_row(),
            columns: if is_exchange { row_columns(&columns, &types) } else { Vec::new() },
        };
        (row.by_types > 0.0).then_some(row)
    };
    given.into_iter().zip(nodes).map(of_row).collect()
}

/// The columns of a row by their names in the tables. Computed columns have no name. All columns that the text of the plan leaves out are
/// one column without a name.
fn row_columns(columns: &Columns, types: &Types) -> Vec<RowColumn> {
    let named = columns.known.iter().map(|(number, width)| {
        let name = types.names.get(number).cloned().unwrap_or_default();
        // The files state nothing about a computed text.
        let text_bytes = (*width == TEXT && !name.is_empty()).then_some(GUESSED_TEXT);
        RowColumn { name, text_bytes, stored: None }
    });
    named.chain((columns.left_out > 0.0).then(RowColumn::default)).collect()
}

/// The columns of a part that is used again, which have numbers of their own, as in `ReusedExchange [id#7]`.
fn reused(raw: &RawNode, original: &Columns, types: &mut Types) -> Option<Columns> {
    let numbers: Option<Vec<u64>> =
        parts(list_behind(&raw.simple_string, "")?).map(|part| column(part).map(|(_, number, _)| number)).collect();
    let numbers = numbers.filter(|numbers| numbers.len() == original.known.len() && original.left_out == 0.0)?;
    let known: Vec<Column> =
        numbers.into_iter().zip(&original.known).map(|(number, (_, width))| (number, *width)).collect();
    types.by_number.extend(known.iter().copied());
    for ((number, _), (original, _)) in known.iter().zip(&original.known) {
        types.renumber(*original, *number);
    }
    Some(Columns { known, left_out: 0.0 })
}

/// The columns of a node, and the types of those that it makes.
fn of_node(raw: &RawNode, kind: Kind, inputs: &[Option<&Columns>], types: &mut Types) -> Option<Columns> {
    let text = raw.simple_string.trim();
    let name = raw.name.trim().trim_start_matches("Gpu");
    let first = || inputs.first().copied().flatten().cloned();
    match kind {
        Kind::Scan => scan(raw, types),
        Kind::Sort | Kind::Limit if text.contains("output=[") => Some(columns(list_behind(text, "output=")?, types)),
        Kind::Project if name.starts_with("Project") => {
            list_behind(text, "").map_or(Some(Columns::default()), |list| Some(columns(list, types)))
        }
        Kind::Aggregate => aggregate(raw, types),
        Kind::Join => {
            let [left, right] = inputs else { return None };
            let is_one_sided = ["LeftSemi", "LeftAnti", "ExistenceJoin"].iter().any(|word| text.contains(word));
            if is_one_sided { (*left).cloned() } else { Some((*left)?.clone().and((*right)?)) }
        }
        Kind::Expand => expand(text, types),
        Kind::Window => Some(first()?.and(&columns(list_behind(text, "")?, types))),
        Kind::Filter | Kind::Sort | Kind::Limit | Kind::Union | Kind::Wrapper => first(),
        _ if kind.is_exchange() => first(),
        Kind::UserCode if name.starts_with("SerializeFromObject") => Some(columns(list_behind(text, "")?, types)),
        Kind::Values if name.starts_with("Range") => Some(Columns { known: vec![(u64::MAX, 8.0)], left_out: 0.0 }),
        _ => None,
    }
}

/// The columns of a scan: those of its list, of the types of its schema; a column that is not in the files is one by
/// whose values they are parted.
fn scan(raw: &RawNode, types: &mut Types) -> Option<Columns> {
    let schema = schema(raw)?;
    let fields: BTreeMap<String, f64> = fields(schema).collect();
    // What a schema without its end does not name may be of any type.
    let missing = if schema.contains("...") { USUAL } else { PARTITION };
    let list = list_behind(&raw.simple_string, "")?;
    let mut found = Columns::default();
    for part in parts(list) {
        if let Some(count) = left_out(part) {
            found.left_out += count;
        } else if let Some((name, id, is_long)) = column(part) {
            let usual = if is_long { USUAL } else { missing };
            let width = fields.get(&name.to_lowercase()).copied().unwrap_or(usual);
            types.by_number.insert(id, width);
            types.names.insert(id, name.to_owned());
            found.known.push((id, width));
        }
    }
    (!found.known.is_empty()).then_some(found)
}

/// The columns of an aggregate: its keys, and what its functions give. `EXPLAIN FORMATTED` lists them: results under new names, and
/// the states of functions that are not done, of which the functions alone do not show all: the sum of a decimal has two.
fn aggregate(raw: &RawNode, types: &mut Types) -> Option<Columns> {
    let text = raw.simple_string.trim();
    let listed = list_behind(text, "functions=")?;
    let keys = columns(list_behind(text, "keys=")?, types);
    let mut given = keys.and(&functions(listed, types));
    let Some(results) = raw.metadata.get(RESULTS).and_then(|results| list_behind(results, "")) else {
        return Some(given);
    };
    if !parts(listed).any(|call| ["partial_", "merge_"].iter().any(|prefix| call.starts_with(prefix))) {
        return Some(columns(results, types));
    }
    if given.left_out == 0.0 && !parts(results).any(|part| left_out(part).is_some()) {
        let more = parts(results).count().saturating_sub(given.known.len());
        given.known.extend(std::iter::repeat_n((u64::MAX, USUAL), more));
    }
    Some(given)
}

/// The columns of an expand, "Expand [[a#1, null, 0], [null, b#2, 1]], [a#3, b#4, gid#5]": those of the second list. A column of a new
/// number has the type of the one that a copy has in its place.
fn expand(text: &str, types: &mut Types) -> Option<Columns> {
    let (copies, given) = text.split_once("]], ")?;
    let given = list_behind(given, "")?;
    let is_listed = |part: &&str| left_out(part).is_none();
    for copy in parts(list_behind(copies, "")?) {
        let copied = parts(copy.strip_prefix('[').unwrap_or(copy).trim_end_matches(']')).take_while(is_listed);
        for (one, (_, id, _)) in
            copied.zip(parts(given).take_while(is_listed)).filter_map(|(from, to)| Some((from, column(to)?)))
        {
            let Some((name, number, is_long)) = column(one) else { continue };
            types.renumber(number, id);
            let width = if is_long { Some(USUAL) } else { types.of(name, number) };
            if let Some(width) = width {
                types.by_number.entry(id).or_insert(width);
            }
        }
    }
    Some(columns(given, types))
}

/// The columns of a list of columns and of expressions with names.
fn columns(list: &str, types: &mut Types) -> Columns {
    let mut found = Columns::default();
    for part in parts(list) {
        if let Some(count) = left_out(part) {
            found.left_out += count;
            continue;
        }
        let (expression, name) =
            part.rsplit_once(" AS ").map_or((None, part), |(expression, name)| (Some(expression), name));
        let Some((name, id, is_long)) = column(name) else {
            found.known.extend(of_result(part, types).map(|width| (u64::MAX, width)));
            continue;
        };
        let width = match expression {
            _ if is_long => Some(USUAL),
            Some(expression) => Some(of_expression(expression, types)),
            None => types.of(name, id),
        };
        if let Some(width) = width {
            types.by_number.insert(id, width);
        }
        if let Some((_, number, _)) = expression.and_then(column) {
            types.renumber(number, id);
        }
        found.known.push((id, width.unwrap_or(USUAL)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(name: &str, text: &str, children: &[usize]) -> RawNode {
        RawNode {
            name: name.to_owned(),
            simple_string: text.to_owned(),
            metadata: BTreeMap::new(),
            children: children.to_vec(),
            depth: 0,
            metrics: Vec::new(),
            stages: Vec::new(),
        }
    }

    fn found(nodes: Vec<(RawNode, Kind)>) -> Vec<Option<f64>> {
        let kinds: Vec<Node> = nodes.iter().map(|(raw, kind)| Node::new(&raw.name, *kind)).collect();
        let nodes = nodes.into_iter().map(|(raw, _)| raw).collect();
        widths(&RawQuery { nodes, ..RawQuery::default() }, &kinds)
    }

    fn scan(columns: &str, schema: &str) -> (RawNode, Kind) {
        let text =
            format!("FileScan parquet shop.sales[{columns}] Batched: true, Format: Parquet, ReadSchema: {schema}");
        (raw("Scan parquet shop.sales", &text, &[]), Kind::Scan)
    }

    #[test]
    fn types_are_followed_through_the_plan() {
        let schema = "struct<id:int,price:decimal(38,2),name:string>";
        let widths = found(vec![
            // Keys as they are; a sum of a wide decimal is counted as the plugin counts it, a plain count as a long.
            (
                raw("HashAggregate", "HashAggregate(keys=[name#3], functions=[count(1), max(total#9)])", &[1]),
                Kind::Aggregate,
            ),
            (
                raw("Project", "Project [name#3, cast(price#2 as int) AS total#9, upper(name#3) AS up#10]", &[2]),
                Kind::Project,
            ),
            (raw("BroadcastHashJoin", "BroadcastHashJoin [id#1], [key#7L], Inner, BuildRight", &[3, 5]), Kind::Join),
            (raw("Filter", "Filter isnotnull(id#1)", &[4]), Kind::Filter),
            scan("id#1,price#2,name#3", schema),
            (
                raw(
                    "BroadcastExchange",
                    "BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, true]))",
                    &[6],
                ),
                Kind::Broadcast,
            ),
            scan("key#7L,day#8", "struct<key:bigint>"),
        ]);
        // The day parts the files: it is in their names, not in the schema, and taken for an int.
        let (left, right) = (4.0 + 16.0 + 20.0, 8.0 + 4.0);
        let expected = [20.0 + 8.0 + 4.0, 20.0 + 4.0 + 20.0, left + right, left, left, right, right];
        assert_eq!(widths, expected.map(Some));
    }

    /// A renamed text of a table is followed to the exchange; a text that is computed is of no table.
    #[test]
    fn an_exchange_knows_the_columns_of_its_rows() {
        let nodes = vec![
            (raw("Exchange", "Exchange hashpartitioning(label#9, 200)", &[1]), Kind::Shuffle),
            (raw("Project", "Project [id#1, name#3 AS label#9, upper(city#4) AS up#10]", &[2]), Kind::Project),
            scan("id#1,name#3,city#4", "struct<id:int,name:string,city:string>"),
        ];
        let kinds: Vec<Node> = nodes.iter().map(|(raw, kind)| Node::new(&raw.name, *kind)).collect();
        let nodes = nodes.into_iter().map(|(raw, _)| raw).collect();
        let rows = widths_in(&RawQuery { nodes, ..RawQuery::default() }, &kinds, (0..3).rev());
        // 8 bytes of null bits, three words, and three words for each text, as Spark guesses 20 bytes.
        let of = |name: &str, text_bytes| RowColumn { name: name.to_owned(), text_bytes, stored: None };
        let columns = vec![of("id", None), of("name", Some(24.0)), of("", None)];
        assert_eq!(rows[0], Some(RowBytes { by_types: 44.0, in_spark: 8.0 + 24.0 + 48.0, columns }));
        assert_eq!(rows[2].as_ref().map(|row| row.columns.len()), Some(0), "of exchanges only");
    }

    #[test]
    fn what_the_log_left_out_is_as_wide_as_the_rest() {
        let text = "Project [a#1, b#2L, ... 2 more fields]";
        let widths =
            found(vec![(raw("Project", text, &[1]), Kind::Project), scan("a#1,b#2L", "struct<a:int,b:bigint>")]);
        assert_eq!(widths[0], Some(24.0));
    }

    #[test]
    fn a_semi_join_gives_its_left_side_and_an_expand_its_second_list() {
        let widths = found(vec![
            (raw("SortMergeJoin", "SortMergeJoin [a#1], [b#2], LeftSemi", &[1, 3]), Kind::Join),
            (raw("Expand", "Expand [[a#1, null, 0], [null, b#5, 1]], [a#1, b#5, gid#6]", &[2]), Kind::Expand),
            scan("a#1,b#5", "struct<a:int,b:string>"),
            scan("b#2", "struct<b:bigint>"),
        ]);
        assert_eq!(widths[1], Some(4.0 + 20.0 + 8.0));
        assert_eq!(widths[0], widths[1]);
    }

    #[test]
    fn copies_of_an_expand_have_the_types_of_what_they_copy() {
        // As in TPC-DS q67: all columns of grouping sets have new numbers. A text, an int, and the set's own number.
        let text = "Expand [[b#5, a#1, 0], [b#5, null, 1], [null, null, 3]], [b#7, a#8, gid#9L]";
        let widths = found(vec![
            (raw("HashAggregate", "HashAggregate(keys=[b#7, a#8, gid#9L], functions=[])", &[1]), Kind::Aggregate),
            (raw("Expand", text, &[2]), Kind::Expand),
            scan("a#1,b#5", "struct<a:int,b:string>"),
        ]);
        assert_eq!(widths[..2], [Some(20.0 + 4.0 + 8.0); 2]);
    }

    #[test]
    fn listed_results_of_an_aggregate_are_its_columns() {
        let of = |functions: &str, results: &str| {
            let text = format!("HashAggregate(keys=[name#3], functions=[{functions}])");
            let mut aggregate = raw("HashAggregate", &text, &[1]);
            aggregate.metadata.insert(RESULTS.to_owned(), results.to_owned());
            found(vec![(aggregate, Kind::Aggregate), scan("price#2,name#3", "struct<price:decimal(7,2),name:string>")])
                [0]
        };
        // The key under a new name, a text that is not renamed, and a sum; a key that nothing reads is not given.
        assert_eq!(
            of("max(name#3), sum(price#2)", "[name#3 AS n#8, max(name#3)#9, sum(price#2)#10 AS s#11]"),
            Some(20.0 + 20.0 + 8.0)
        );
        assert_eq!(of("sum(price#2)", "[sum(price#2)#10 AS s#11]"), Some(8.0));
        // Before its exchange the sum of a decimal is a sum and whether there is one, a largest text is a text.
        assert_eq!(of("partial_sum(price#2)", "[name#3, sum#12, isEmpty#13]"), Some(20.0 + 8.0 + 8.0));
        assert_eq!(of("partial_max(name#3)", "[name#3, max#14]"), Some(20.0 + 20.0));
        assert_eq!(
            of(
                "partial_stddev_samp(price#2), partial_avg(price#2)",
                "[name#3, n#15, avg#16, m2#17, sum#18, count#19L]"
            ),
            Some(20.0 + 40.0)
        );
    }

    #[test]
    fn comparisons_are_no_brackets() {
        // As in TPC-DS q50: sums over how many days passed.
        let (less, more) = (
            "partial_sum(CASE WHEN ((a#1 - b#2) <= 30) THEN 1 ELSE 0 END)",
            "partial_sum(CASE WHEN ((a#1 - b#2) > 60) THEN 1 ELSE 0 END)",
        );
        let sums = format!("HashAggregate(keys=[name#3], functions=[{less}, {more}, partial_count(1)])");
        let project = "Project [a#1, (b#2 <= 30) AS early#5, coalesce((b#2 > 5), true) AS late#6, name#3]";
        let widths = found(vec![
            (raw("HashAggregate", &sums, &[1]), Kind::Aggregate),
            (raw("Project", project, &[2]), Kind::Project),
            scan("a#1,b#2,name#3", "struct<a:int,b:int,name:string>"),
        ]);
        assert_eq!(widths[0], Some(20.0 + 3.0 * 8.0));
        assert_eq!(widths[1], Some(4.0 + 8.0 + 8.0 + 20.0));
    }

    #[test]
    fn what_an_aggregate_works_out_keeps_its_type_under_the_number_of_who_reads_it() {
        let widths = found(vec![
            (
                raw(
                    "TakeOrderedAndProject",
                    "TakeOrderedAndProject(limit=9, output=[last#9,count(1)#40L,avg(a)#41])",
                    &[1],
                ),
                Kind::Limit,
            ),
            (raw("Project", "Project [max(name)#33 AS last#9, count(1)#40L, avg(a)#41]", &[2]), Kind::Project),
            (
                raw("HashAggregate", "HashAggregate(keys=[], functions=[max(name#3), count(1), avg(a#1)])", &[3]),
                Kind::Aggregate,
            ),
            (
                raw(
                    "HashAggregate",
                    "HashAggregate(keys=[], functions=[partial_gpubasicmax(name#3), partial_count(1), partial_avg(a#1)])",
                    &[4],
                ),
                Kind::Aggregate,
            ),
            scan("a#1,name#3", "struct<a:int,name:string>"),
        ]);
        assert_eq!(widths[..4], [36.0, 36.0, 36.0, 44.0].map(Some));
    }

    #[test]
    fn a_reused_exchange_has_the_columns_of_the_original_under_numbers_of_its_own() {
        let reused =
            raw("ReusedExchange", "ReusedExchange [day#7, name#8], BroadcastExchange HashedRelationBroadcastMode", &[]);
        let nodes = vec![
            (raw("Project", "Project [name#8]", &[1]), Kind::Project),
            (reused, Kind::Broadcast),
            (raw("BroadcastExchange", "BroadcastExchange HashedRelationBroadcastMode", &[3]), Kind::Broadcast),
            scan("day#1,name#3", "struct<day:int,name:string>"),
        ];
        let mut kinds: Vec<Node> = nodes.iter().map(|(raw, kind)| Node::new(&raw.name, *kind)).collect();
        kinds[1].reuses = Some(2);
        let raws = nodes.into_iter().map(|(raw, _)| raw).collect();
        let found = widths(&RawQuery { nodes: raws, ..RawQuery::default() }, &kinds);
        assert_eq!(found, [20.0, 24.0, 24.0, 24.0].map(Some));
    }

    #[test]
    fn a_column_that_a_cut_schema_does_not_name_is_of_no_known_type() {
        let widths = found(vec![scan("a#1,b#2", "struct<a:int,... 1 more field>")]);
        assert_eq!(widths, [Some(4.0 + 8.0)]);
    }

    #[test]
    fn odd_texts_have_no_width_and_do_no_harm() {
        for text in
            ["Project", "Project [", "Project []", "Project [#]", "Project [a#99999999999999999999]", "Project [)(]"]
        {
            assert_eq!(found(vec![(raw("Project", text, &[]), Kind::Project)]), [None], "{text}");
        }
    }
}

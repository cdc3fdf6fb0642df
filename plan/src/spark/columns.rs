//! Width of the rows of every operator, from the types of the columns that it gives.
//!
//! Spark names a column by a number, `price#12`, with an `L` behind it if it is a `bigint`. A scan tells the types of its
//! columns; what follows tells which of them it keeps, and by which expressions it makes others.

use std::collections::BTreeMap;

use crossover_model::plan::{Kind, Node};

use super::raw::{RawNode, RawQuery};
use super::width::{fields, type_width};

/// Bytes of a value of which nothing is known: a number.
const USUAL: f64 = 8.0;
/// Bytes of a text of which nothing is known, as Spark guesses.
const TEXT: f64 = 20.0;
/// What a function that gives a text begins with.
const TEXTS: [&str; 12] = [
    "concat",
    "substr",
    "substring",
    "upper",
    "lower",
    "trim",
    "ltrim",
    "rtrim",
    "date_format",
    "regexp",
    "lpad",
    "rpad",
];

/// A column by its number, and bytes of one value.
type Column = (u64, f64);

/// The columns that an operator gives.
#[derive(Debug, Clone, Default, PartialEq)]
struct Columns {
    known: Vec<Column>,
    /// How many more the log left out of a long list ("... 3 more fields").
    left_out: f64,
}

impl Columns {
    /// Bytes of a row: what was left out is as wide as the rest on average.
    fn width(&self) -> f64 {
        let sum: f64 = self.known.iter().map(|(_, width)| width).sum();
        let count = self.known.len() as f64;
        if count > 0.0 { sum * (1.0 + self.left_out / count) } else { self.left_out * USUAL }
    }

    fn and(mut self, other: &Self) -> Self {
        self.known.extend(&other.known);
        self.left_out += other.left_out;
        self
    }
}

/// Bytes of a row that each node gives, where its columns are known; `nodes` are those of `raw`.
pub(super) fn widths(raw: &RawQuery, nodes: &[Node]) -> Vec<Option<f64>> {
    let mut types = BTreeMap::new();
    let mut given: Vec<Option<Columns>> = vec![None; nodes.len()];
    // Inputs stand behind the nodes that read them.
    for id in (0..nodes.len()).rev() {
        let raw = &raw.nodes[id];
        let inputs: Vec<Option<&Columns>> = raw.children.iter().map(|child| given.get(*child)?.as_ref()).collect();
        let found = of_node(raw, nodes[id].kind, &inputs, &mut types);
        given[id] = found;
    }
    given.into_iter().map(|columns| columns.map(|columns| columns.width()).filter(|width| *width > 0.0)).collect()
}

/// The columns of a node, and the types of those that it makes.
fn of_node(raw: &RawNode, kind: Kind, inputs: &[Option<&Columns>], types: &mut BTreeMap<u64, f64>) -> Option<Columns> {
    let text = raw.simple_string.trim();
    let name = raw.name.trim().trim_start_matches("Gpu");
    let first = || inputs.first().copied().flatten().cloned();
    match kind {
        Kind::Scan => scan(raw, types),
        _ if name.starts_with("Reused") => Some(columns(list_behind(text, "")?, types)),
        Kind::Sort | Kind::Limit if text.contains("output=[") => Some(columns(list_behind(text, "output=")?, types)),
        Kind::Project if name.starts_with("Project") => {
            list_behind(text, "").map_or(Some(Columns::default()), |list| Some(columns(list, types)))
        }
        Kind::Aggregate => {
            let keys = columns(list_behind(text, "keys=")?, types);
            Some(keys.and(&functions(list_behind(text, "functions=")?, types)))
        }
        Kind::Join => {
            let [left, right] = inputs else { return None };
            let is_one_sided = ["LeftSemi", "LeftAnti", "ExistenceJoin"].iter().any(|word| text.contains(word));
            if is_one_sided { (*left).cloned() } else { Some((*left)?.clone().and((*right)?)) }
        }
        Kind::Expand => {
            // "Expand [[a, null], [null, b]], [a#1, b#2]": the second list is what it gives.
            let behind = text.split_once("]], ").map(|(_, behind)| behind)?;
            Some(columns(list_behind(behind, "")?, types))
        }
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
fn scan(raw: &RawNode, types: &mut BTreeMap<u64, f64>) -> Option<Columns> {
    let behind = raw.simple_string.split_once("ReadSchema: ").map(|(_, schema)| schema);
    let schema = raw.metadata.get("ReadSchema").map(String::as_str).or(behind)?;
    let fields: BTreeMap<String, f64> = fields(schema).collect();
    let list = list_behind(&raw.simple_string, "")?;
    let mut found = Columns::default();
    for part in parts(list) {
        if let Some(count) = left_out(part) {
            found.left_out += count;
        } else if let Some((name, id, is_long)) = column(part) {
            let usual = if is_long { USUAL } else { 4.0 };
            let width = fields.get(&name.to_lowercase()).copied().unwrap_or(usual);
            types.insert(id, width);
            found.known.push((id, width));
        }
    }
    (!found.known.is_empty()).then_some(found)
}

/// The columns of a list of columns and of expressions with names.
fn columns(list: &str, types: &mut BTreeMap<u64, f64>) -> Columns {
    let mut found = Columns::default();
    for part in parts(list) {
        if let Some(count) = left_out(part) {
            found.left_out += count;
            continue;
        }
        let (expression, name) =
            part.rsplit_once(" AS ").map_or((None, part), |(expression, name)| (Some(expression), name));
        let Some((_, id, is_long)) = column(name) else { continue };
        let width = match expression {
            _ if is_long => USUAL,
            Some(expression) => of_expression(expression, types),
            None => types.get(&id).copied().unwrap_or(USUAL),
        };
        types.insert(id, width);
        found.known.push((id, width));
    }
    found
}

/// What aggregate functions give, or keep while they are not done.
fn functions(list: &str, types: &BTreeMap<u64, f64>) -> Columns {
    let mut found = Columns::default();
    for part in parts(list) {
        if let Some(count) = left_out(part) {
            found.left_out += count;
            continue;
        }
        let name = part.trim_start_matches("gpu").trim_start_matches("partial_").trim_start_matches("merge_");
        let width = match name.split('(').next().unwrap_or_default() {
            "avg" => 16.0,
            "min" | "max" | "first" | "last" | "any_value" => of_expression(argument(part), types),
            name if name.contains("decimal128") => 16.0,
            _ => USUAL,
        };
        found.known.push((u64::MAX, width));
    }
    found
}

/// What stands in the outermost parentheses.
fn argument(call: &str) -> &str {
    let inner = call.split_once('(').map_or(call, |(_, inner)| inner);
    inner.rsplit_once(')').map_or(inner, |(inner, _)| inner)
}

/// Bytes of what an expression gives.
fn of_expression(expression: &str, types: &BTreeMap<u64, f64>) -> f64 {
    let expression = expression.trim();
    if let Some((_, id, is_long)) = column(expression) {
        return if is_long { USUAL } else { types.get(&id).copied().unwrap_or(USUAL) };
    }
    let cast_to =
        |text: &str| text.strip_suffix(')').and_then(|text| text.rsplit_once(" as ")).map(|(_, to)| to.to_owned());
    if expression.starts_with("cast(")
        && let Some(to) = cast_to(expression)
    {
        return type_width(&to);
    }
    let call = expression.trim_start_matches("gpu").to_ascii_lowercase();
    if TEXTS.iter().any(|name| call.starts_with(name)) { TEXT } else { USUAL }
}

/// The list in brackets behind a word, or the first one: "a, b" of "Project [a, b]".
fn list_behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = if word.is_empty() { text.find('[')? } else { text.find(&format!("{word}["))? + word.len() };
    let mut depth = 0_usize;
    for (at, letter) in text[start..].char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(start + 1..start + at);
                }
            }
            _ => {}
        }
    }
    // Cut off.
    text.get(start + 1..)
}

/// The parts of a list between its commas, without those of lists and calls inside it.
fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let comma = move |letter: char| {
        match letter {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    list.split(comma).map(str::trim).filter(|part| !part.is_empty())
}

/// How many columns the note stands for that the log put in their place.
fn left_out(part: &str) -> Option<f64> {
    let note = part.strip_prefix("...")?;
    note.split_whitespace().next()?.parse().ok()
}

/// Name and number of a column, and whether it is a `bigint`; `None` if the text is no column alone.
fn column(text: &str) -> Option<(&str, u64, bool)> {
    let (name, number) = text.rsplit_once('#')?;
    let (digits, is_long) = number.strip_suffix('L').map_or((number, false), |digits| (digits, true));
    let is_alone = !name.is_empty() && !name.contains(['(', ')', '#']);
    Some((name, digits.parse().ok().filter(|_| is_alone)?, is_long))
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
    fn odd_texts_have_no_width_and_do_no_harm() {
        for text in
            ["Project", "Project [", "Project []", "Project [#]", "Project [a#99999999999999999999]", "Project [)(]"]
        {
            assert_eq!(found(vec![(raw("Project", text, &[]), Kind::Project)]), [None], "{text}");
        }
    }
}

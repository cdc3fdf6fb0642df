//! What an operator of Spark does in particular, and the columns that it compares or groups by.

use crossover_query::{AggregateStep, JoinMethod, JoinRows, JoinSide, Kind, Node, Operation, Partitioning};

use super::lists::{left_out, list_behind, parts, without_numbers};
use super::native::head;
use super::raw::RawNode;

/// Columns that one key is made of.
const MOST_NAMES: usize = 64;
/// Operators between an aggregate and the next one that are looked at.
pub(super) const NEAR: usize = 20;

/// Sets what an operator does in particular, and its keys; `parents` as [`parents()`] gives them.
pub(super) fn add(raw: &[RawNode], nodes: &mut [Node], parents: &[Option<usize>], id: usize) {
    let kind = nodes[id].kind;
    let operation = operation(kind, &raw[id], || step_by_place(raw, nodes, parents, id));
    nodes[id].operation = operation;
    nodes[id].keys = keys(kind, &raw[id]);
}

/// The operator that reads each operator's rows.
pub(super) fn parents(raw: &[RawNode]) -> Vec<Option<usize>> {
    let mut parents = vec![None; raw.len()];
    for (id, node) in raw.iter().enumerate() {
        for child in &node.children {
            parents[*child] = Some(id);
        }
    }
    parents
}

/// The step of an aggregate without functions, as of `DISTINCT`: before its exchange it is partial.
fn step_by_place(raw: &[RawNode], nodes: &[Node], parents: &[Option<usize>], id: usize) -> AggregateStep {
    let below = |id: usize| match raw[id].children[..] {
        [only] => Some(only),
        _ => None,
    };
    let passes = |id: &usize| nodes[*id].reuses.is_none() && matches!(nodes[*id].kind, Kind::Wrapper | Kind::Sort);
    let below = std::iter::successors(below(id), |id| below(*id)).take(NEAR).find(|id| !passes(id));
    let above = std::iter::successors(parents[id], |id| parents[*id]).take(NEAR).find(|id| !passes(id));
    // Rows of a reused part come from an exchange.
    let is_next = |found: Option<usize>| {
        let node = found.map(|id| &nodes[id]);
        node.is_some_and(|node| {
            node.reuses.is_some() || matches!(node.kind, Kind::Shuffle | Kind::Gather | Kind::Aggregate)
        })
    };
    if !is_next(below) && is_next(above) { AggregateStep::Partial } else { AggregateStep::Final }
}

/// What an operator does; `by_place` is its step of an aggregation by the operators around it.
fn operation(kind: Kind, node: &RawNode, by_place: impl FnOnce() -> AggregateStep) -> Option<Operation> {
    let text = behind_name(node);
    match kind {
        Kind::Join => join(head(&node.name), text),
        Kind::Shuffle | Kind::Gather | Kind::Broadcast => exchange(kind, text),
        Kind::Aggregate => {
            let functions = list_behind(&node.simple_string, "functions=")?;
            Some(Operation::Aggregate { step: step(functions).unwrap_or_else(by_place) })
        }
        Kind::Window => {
            let functions = list_behind(text, "")?;
            let has_own_frame = |function: &&str| {
                function.contains("specifiedwindowframe(") && !function.contains("unboundedpreceding")
            };
            Some(Operation::Window {
                functions: count(parts(functions)),
                moving: count(parts(functions).filter(has_own_frame)),
            })
        }
        Kind::Expand if node.name.contains("Expand") => {
            Some(Operation::Expand { copies: count(parts(list_behind(text, "")?)).max(1) })
        }
        _ => None,
    }
}

/// The keys of a join or an aggregate, each with the names of its columns.
fn keys(kind: Kind, node: &RawNode) -> Vec<Vec<String>> {
    match kind {
        Kind::Join => {
            let mut items = parts(behind_name(node));
            let mut list = || items.next().and_then(|item| item.strip_prefix('[')).map(inner);
            let (Some(left), Some(right)) = (list(), list()) else { return Vec::new() };
            parts(left).zip(parts(right)).map(|(left, right)| names(&[left, right])).collect()
        }
        Kind::Aggregate => {
            let keys = list_behind(&node.simple_string, "keys=").unwrap_or_default();
            parts(keys).filter(|key| left_out(key).is_none()).map(|key| names(&[key])).collect()
        }
        _ => Vec::new(),
    }
}

/// The text of an operator without its name.
fn behind_name(node: &RawNode) -> &str {
    let text = node.simple_string.trim();
    let behind = text.strip_prefix(head(&node.name)).unwrap_or(text).trim_start();
    behind.strip_prefix("(skew=true)").unwrap_or(behind).trim_start()
}

/// A list without its last bracket.
fn inner(list: &str) -> &str {
    list.strip_suffix(']').unwrap_or(list)
}

fn count<'t>(items: impl Iterator<Item = &'t str>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

fn join(name: &str, text: &str) -> Option<Operation> {
    let method = if name.contains("BroadcastHashJoin") || name.contains("BroadcastJoin") {
        JoinMethod::BroadcastHash
    } else if name.contains("BroadcastNestedLoopJoin") {
        JoinMethod::BroadcastNestedLoop
    } else if name.contains("SortMergeJoin") {
        JoinMethod::SortMerge
    } else if name.contains("CartesianProduct") {
        JoinMethod::Cartesian
    } else if name.contains("HashJoin") {
        JoinMethod::ShuffledHash
    } else {
        return None;
    };
    let mut build = None;
    let mut rows = None;
    let mut has_condition = false;
    for item in parts(text) {
        match item.trim_start_matches("Gpu") {
            "BuildLeft" => build = Some(JoinSide::Left),
            "BuildRight" => build = Some(JoinSide::Right),
            _ if item.starts_with('[') => {}
            _ => match join_rows(item) {
                Some(found) => rows = rows.or(Some(found)),
                None => has_condition = true,
            },
        }
    }
    // A product does not name its kind.
    let of_product = if has_condition { JoinRows::Inner } else { JoinRows::Cross };
    let rows = rows.or((method == JoinMethod::Cartesian).then_some(of_product))?;
    Some(Operation::Join { rows, method, build })
}

fn join_rows(word: &str) -> Option<JoinRows> {
    Some(match word {
        "Inner" => JoinRows::Inner,
        "Cross" => JoinRows::Cross,
        "LeftOuter" => JoinRows::LeftOuter,
        "RightOuter" => JoinRows::RightOuter,
        "FullOuter" => JoinRows::FullOuter,
        "LeftSemi" => JoinRows::LeftSemi,
        "LeftAnti" => JoinRows::LeftAnti,
        _ if word.starts_with("ExistenceJoin") => JoinRows::Existence,
        _ => return None,
    })
}

fn exchange(kind: Kind, text: &str) -> Option<Operation> {
    const BY: [(&str, Partitioning); 3] = [
        ("roundrobinpartitioning(", Partitioning::RoundRobin),
        ("hashpartitioning(", Partitioning::Hash),
        ("rangepartitioning(", Partitioning::Range),
    ];
    let partitioning = match kind {
        Kind::Broadcast => Some((Partitioning::Broadcast, None)),
        Kind::Gather => Some((Partitioning::Single, Some(1))),
        _ => {
            let lower = text.to_ascii_lowercase();
            BY.iter().find_map(|(name, partitioning)| {
                let (_, behind) = lower.split_once(name)?;
                Some((*partitioning, parts(in_call(behind)).last().and_then(|last| last.parse().ok())))
            })
        }
    };
    partitioning.map(|(partitioning, partitions)| Operation::Exchange { partitioning, partitions })
}

/// The arguments of a call whose opening bracket stands before the text.
fn in_call(text: &str) -> &str {
    let mut depth = 0_usize;
    let end = text.find(|letter: char| match letter {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    &text[..end.unwrap_or(text.len())]
}

/// The step of an aggregation by its functions; `None` if it has none.
fn step(functions: &str) -> Option<AggregateStep> {
    let has = |prefix: &str| parts(functions).any(|function| function.trim_start_matches("gpu").starts_with(prefix));
    if functions.trim().is_empty() {
        None
    } else if has("merge_") {
        Some(AggregateStep::Merge)
    } else if has("partial_") {
        Some(AggregateStep::Partial)
    } else {
        Some(AggregateStep::Final)
    }
}

/// The columns in expressions, each once: "a" and "b" of `cast(a#1 as bigint)` and `b#2L`. An expression without one is a name
/// itself.
fn names(expressions: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for expression in expressions {
        let mut is_named = false;
        for (at, _) in expression.match_indices('#') {
            let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
            let has_number = expression[at + 1..].starts_with(|letter: char| letter.is_ascii_digit());
            let name = expression[..at].rsplit(|letter| !is_of_name(letter)).next().unwrap_or_default();
            if !has_number || name.is_empty() {
                continue;
            }
            is_named = true;
            if found.len() < MOST_NAMES && !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
        if !is_named {
            found.push(without_numbers(expression));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, text: &str) -> RawNode {
        RawNode { name: name.to_owned(), simple_string: text.to_owned(), ..RawNode::default() }
    }

    fn of(kind: Kind, name: &str, text: &str) -> Option<Operation> {
        operation(kind, &node(name, text), || AggregateStep::Final)
    }

    #[test]
    fn joins_say_what_they_keep_and_how() {
        let join = |rows, method, build| Some(Operation::Join { rows, method, build });
        for (name, text, expected) in [
            (
                "SortMergeJoin",
                "SortMergeJoin [a#51], [b#53L], LeftAnti, (c#1 < d#2)",
                join(JoinRows::LeftAnti, JoinMethod::SortMerge, None),
            ),
            (
                "BroadcastHashJoin",
                "BroadcastHashJoin [cast(a#1 as bigint)], [b#2L], Inner, BuildRight, false",
                join(JoinRows::Inner, JoinMethod::BroadcastHash, Some(JoinSide::Right)),
            ),
            (
                "BroadcastHashJoin",
                "BroadcastHashJoin [a#1], [b#2], ExistenceJoin(exists#3), BuildLeft, false",
                join(JoinRows::Existence, JoinMethod::BroadcastHash, Some(JoinSide::Left)),
            ),
            (
                "BroadcastNestedLoopJoin",
                "BroadcastNestedLoopJoin BuildRight, Cross",
                join(JoinRows::Cross, JoinMethod::BroadcastNestedLoop, Some(JoinSide::Right)),
            ),
            ("CartesianProduct", "CartesianProduct", join(JoinRows::Cross, JoinMethod::Cartesian, None)),
            ("CartesianProduct", "CartesianProduct (a#1 < b#2)", join(JoinRows::Inner, JoinMethod::Cartesian, None)),
            (
                "ShuffledHashJoinExecTransformer",
                "ShuffledHashJoinExecTransformer [a#1], [b#2], LeftOuter, BuildRight",
                join(JoinRows::LeftOuter, JoinMethod::ShuffledHash, Some(JoinSide::Right)),
            ),
            (
                "GpuBroadcastHashJoin",
                "GpuBroadcastHashJoin [a#1], [b#2], LeftSemi, GpuBuildRight",
                join(JoinRows::LeftSemi, JoinMethod::BroadcastHash, Some(JoinSide::Right)),
            ),
        ] {
            assert_eq!(of(Kind::Join, name, text), expected, "{text}");
        }
    }

    #[test]
    fn exchanges_say_how_they_distribute_rows() {
        let exchange = |partitioning, partitions| Some(Operation::Exchange { partitioning, partitions });
        for (kind, text, expected) in [
            (
                Kind::Shuffle,
                "Exchange hashpartitioning(a#1, coalesce(b#2, 0), 200), ENSURE_REQUIREMENTS, [plan_id=1]",
                exchange(Partitioning::Hash, Some(200)),
            ),
            (
                Kind::Shuffle,
                "Exchange rangepartitioning(a#1 ASC NULLS FIRST, 8), true, [id=#2]",
                exchange(Partitioning::Range, Some(8)),
            ),
            (
                Kind::Shuffle,
                "Exchange RoundRobinPartitioning(16), REPARTITION_BY_NUM",
                exchange(Partitioning::RoundRobin, Some(16)),
            ),
            (Kind::Gather, "Exchange SinglePartition", exchange(Partitioning::Single, Some(1))),
            (Kind::Broadcast, "BroadcastExchange IdentityBroadcastMode", exchange(Partitioning::Broadcast, None)),
            (Kind::Shuffle, "Exchange", None),
        ] {
            assert_eq!(of(kind, "Exchange", text), expected, "{text}");
        }
    }

    #[test]
    fn aggregates_windows_and_expands_are_counted() {
        let aggregate = |step| Some(Operation::Aggregate { step });
        for (functions, step) in [
            ("partial_sum(a#1), partial_count(1)", AggregateStep::Partial),
            ("merge_sum(a#1), partial_count(distinct b#2)", AggregateStep::Merge),
            ("sum(a#1)", AggregateStep::Final),
        ] {
            let text = format!("HashAggregate(keys=[k#1], functions=[{functions}])");
            assert_eq!(of(Kind::Aggregate, "HashAggregate", &text), aggregate(step), "{text}");
        }
        let window = "Window [rank(a#1) windowspecdefinition(b#2, a#1 ASC NULLS FIRST, specifiedwindowframe(RowFrame, \
                      unboundedpreceding$(), currentrow$())) AS r#3, avg(a#1) windowspecdefinition(b#2, \
                      specifiedwindowframe(RowFrame, -1, 1)) AS m#4], [b#2], [a#1 ASC NULLS FIRST]";
        assert_eq!(of(Kind::Window, "Window", window), Some(Operation::Window { functions: 2, moving: 1 }));
        let expand = "Expand [[a#1, b#2, 0], [a#1, null, 1], [null, null, 3]], [a#4, b#5, gid#6]";
        assert_eq!(of(Kind::Expand, "Expand", expand), Some(Operation::Expand { copies: 3 }));
    }

    #[test]
    fn keys_are_the_columns_of_both_sides() {
        let join = node("SortMergeJoin", "SortMergeJoin [cast(a#1 as bigint), x#2], [b#3L, x#4], Inner");
        assert_eq!(keys(Kind::Join, &join), [vec!["a", "b"], vec!["x"]]);
        let product = node("BroadcastNestedLoopJoin", "BroadcastNestedLoopJoin BuildRight, Inner, (a#1 < b#2)");
        assert!(keys(Kind::Join, &product).is_empty());
        let aggregate = node("HashAggregate", "HashAggregate(keys=[year#1, (m#2 + n#3) AS q#4], functions=[])");
        assert_eq!(keys(Kind::Aggregate, &aggregate), [vec!["year"], vec!["m", "n", "q"]]);
        let many = node("HashAggregate", "HashAggregate(keys=[a#1, b#2, ... 24 more fields], functions=[])");
        assert_eq!(keys(Kind::Aggregate, &many), [["a"], ["b"]], "fields that Spark left out are no key");
    }
}

//! Which operators give the result of another one again: reused exchanges and subqueries.
//!
//! A text with details names the number of the other operator. A tree without details repeats its text, with the number that
//! Spark gave it when it planned (`[plan_id=78]`). A subquery has a name (`scalar-subquery#5`, `dynamicpruning#7`).

use std::collections::BTreeMap;

use super::tree::Tree;

/// What a number of a plan is written behind, in the versions of Spark.
const PLAN_IDS: [&str; 2] = ["plan_id=", "id=#"];
/// What names of subqueries begin with.
const SUBQUERIES: [&str; 3] = ["dynamicpruning#", "scalar-subquery#", "subquery#"];

/// For each operator the one whose result it gives again, and the number of those that give one which is not in the plan.
pub(super) fn reuses(tree: &Tree) -> (Vec<Option<usize>>, usize) {
    let mut by_plan_id: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_text: BTreeMap<&str, usize> = BTreeMap::new();
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, node) in tree.raw().iter().enumerate() {
        let text = node.simple_string.as_str();
        if node.name.starts_with("Reused") {
            continue;
        }
        if node.name.contains("Exchange") {
            by_text.entry(text).or_insert(id);
            if let Some(number) = plan_id(text) {
                by_plan_id.entry(number).or_insert(id);
            }
        }
        if node.name.contains("Subquery")
            && let Some(name) = subquery(text)
        {
            by_name.entry(name).or_insert(id);
        }
    }
    let mut missing = 0;
    let targets = tree.raw().iter().zip(&tree.beside).enumerate().map(|(id, (node, beside))| {
        if !node.name.starts_with("Reused") {
            return None;
        }
        let text = node.simple_string.as_str();
        let numbered = beside.reuses.and_then(|number| tree.by_number.get(&number));
        let found = numbered.or_else(|| {
            if node.name == "ReusedSubquery" {
                return subquery(text).and_then(|name| by_name.get(name));
            }
            let (_, exchange) = text.split_once("], ")?;
            plan_id(exchange).and_then(|number| by_plan_id.get(number)).or_else(|| by_text.get(exchange))
        });
        let found = found.copied().filter(|target| *target != id);
        missing += usize::from(found.is_none());
        found
    });
    let targets: Vec<Option<usize>> = targets.collect();
    (targets, missing)
}

/// The number at the end of an exchange: 78 of `[plan_id=78]` and of `[id=#78]`.
fn plan_id(text: &str) -> Option<&str> {
    let (_, mark) = text.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    let number = PLAN_IDS.iter().find_map(|before| mark.strip_prefix(before))?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// The name of the subquery in a text: `scalar-subquery#5`.
fn subquery(text: &str) -> Option<&str> {
    let start = SUBQUERIES.iter().find_map(|name| text.find(name))?;
    let name = &text[start..];
    let hash = name.find('#')? + 1;
    let end = name[hash..].find(|letter: char| !letter.is_ascii_alphanumeric()).map_or(name.len(), |end| hash + end);
    Some(&name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_found() {
        assert_eq!(plan_id("Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=42]"), Some("42"));
        assert_eq!(plan_id("BroadcastExchange IdentityBroadcastMode, [id=#7]"), Some("7"));
        assert_eq!(plan_id("Exchange SinglePartition, true, [id=#x]"), None);
        assert_eq!(subquery("ReusedSubquery Subquery scalar-subquery#4761, [id=#21295]"), Some("scalar-subquery#4761"));
        assert_eq!(subquery("SubqueryBroadcast d#1 IN dynamicpruning#7138"), Some("dynamicpruning#7138"));
        assert_eq!(subquery("Subquery subquery#3"), Some("subquery#3"));
        assert_eq!(subquery("Subquery"), None);
    }
}

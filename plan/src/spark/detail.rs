//! What an operator works on, short enough to read.

/// Letters of a detail.
const MOST: usize = 300;
/// Letters of the condition of a filter: what a query moves that never ran follows from all of it.
const MOST_OF_CONDITION: usize = 1_000;

/// Spark's `simpleString` without the operator's own name and without expression ids (`price#12L`, `[id=#78]`), cut
/// after 300 letters, of a filter after 1,000.
#[must_use]
pub(super) fn shorten(node_name: &str, simple_string: &str) -> String {
    let text = simple_string.trim();
    let behind_name = text.strip_prefix(node_name.trim()).unwrap_or(text).trim();
    let most = if node_name.contains("Filter") { MOST_OF_CONDITION } else { MOST };
    let mut short = String::new();
    let mut count = 0;
    let mut rest = behind_name;
    while let Some(letter) = rest.chars().next() {
        if let Some(behind) = behind_plan_id(rest).or_else(|| behind_expression_id(&short, rest)) {
            rest = behind;
            continue;
        }
        if count == most {
            short.push('…');
            break;
        }
        short.push(letter);
        count += 1;
        rest = &rest[letter.len_utf8()..];
    }
    short.trim_end_matches([' ', ',']).to_owned()
}

/// What follows `, [id=#78]` or `, [plan_id=78]`.
fn behind_plan_id(text: &str) -> Option<&str> {
    let id = text.strip_prefix(", [id=#").or_else(|| text.strip_prefix(", [plan_id="))?;
    let behind = id.trim_start_matches(|letter: char| letter.is_ascii_digit());
    behind.strip_prefix(']').filter(|_| behind.len() < id.len())
}

/// What follows "#12" or "#12L" where a name stands before it.
fn behind_expression_id<'a>(before: &str, text: &'a str) -> Option<&'a str> {
    let is_named = before.ends_with(|letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '`' | ')' | '-'));
    let id = text.strip_prefix('#').filter(|_| is_named)?;
    let behind = id.trim_start_matches(|letter: char| letter.is_ascii_digit());
    (behind.len() < id.len()).then(|| behind.strip_prefix('L').unwrap_or(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_expression_ids_stay_out_of_the_way() {
        for (name, text, short) in [
            ("SortMergeJoin", "SortMergeJoin [a#51], [b#53L], Inner", "[a], [b], Inner"),
            (
                "Exchange",
                "Exchange hashpartitioning(a#12, 200), ENSURE_REQUIREMENTS, [id=#78]",
                "hashpartitioning(a, 200), ENSURE_REQUIREMENTS",
            ),
            (
                "Exchange",
                "Exchange SinglePartition, ENSURE_REQUIREMENTS, [plan_id=42]",
                "SinglePartition, ENSURE_REQUIREMENTS",
            ),
            ("Project", "Project", ""),
            ("Filter", "Filter (tag#3 = #12)", "(tag = #12)"),
            ("HashAggregate", "HashAggregate(keys=[], functions=[count(1)#7L])", "(keys=[], functions=[count(1)])"),
        ] {
            assert_eq!(shorten(name, text), short);
        }
    }

    #[test]
    fn a_long_text_is_cut_between_letters() {
        for (name, most) in [("Project", 300), ("Filter", 1_000), ("GpuFilter", 1_000)] {
            let short = shorten(name, &format!("{name} {}", "ä".repeat(most + 100)));
            assert_eq!(short.chars().count(), most + 1, "{name}");
            assert!(short.ends_with('…'));
            assert_eq!(shorten(name, &"ä".repeat(most)), "ä".repeat(most));
        }
    }
}

//! Texts that lack parts of a plan or have none, are very deep, or are damaged.

use crossover_plan::Format;
use crossover_query::validate::validate;
use crossover_query::{Kind, fill};
use proptest::prelude::*;

use super::super::sample;
use super::{COST, FINAL, SAMPLE, import_text, named, of, only};

#[test]
fn a_missing_part_is_said() {
    let text = "\
== Physical Plan ==
* BroadcastHashJoin Inner BuildRight (3)
:- Scan parquet shop.t (1)
+- ReusedExchange (2)


(1) Scan parquet shop.t
Output [1]: [a#1]
ReadSchema: struct<a:int>

(2) ReusedExchange [Reuses operator id: 99]
Output [1]: [a#2]

(3) BroadcastHashJoin
Left keys [1]: [a#1]
Right keys [1]: [a#2]

===== Subqueries =====

Subquery:1 Hosting operator id = 77 Hosting Expression = Subquery scalar-subquery#3
* Range (4)

... 1234 more characters
";
    let import = of(text);
    let notes = import.queries[0].warnings.join("\n");
    for part in ["cut the text", "1 reused part is not in the text", "1 subquery is left out"] {
        assert!(notes.contains(part), "“{part}” is not in: {notes}");
    }
    // Rows that are there already.
    assert_eq!(named(&import.queries[0].plan, "ReusedExchange")[0].1.kind, Kind::Values);
}

#[test]
fn an_operator_that_reuses_itself_is_refused() {
    let circle = "\
== Physical Plan ==
Exchange (2)
+- ReusedExchange (1)


(1) ReusedExchange [Reuses operator id: 2]
Output [1]: [a#2]

(2) Exchange
Arguments: SinglePartition
";
    let problem = import_text(Format::SparkPlan, circle).expect_err("a circle");
    assert!(problem.contains("begins on line 2") && problem.contains("depends on its own result"), "{problem}");
    // Beside another plan it is left out.
    let import = of(&format!("{circle}\n{COST}"));
    assert_eq!(import.queries.len(), 1);
    assert!(import.warnings[0].starts_with("plan 1 cannot be used and was left out"), "{:?}", import.warnings);
}

#[test]
fn texts_without_a_plan_say_what_was_expected() {
    for (text, expected) in [
        ("", "empty"),
        ("hello", "no plan of Spark"),
        ("== Physical Plan ==\n", "the plan is empty"),
        ("== Optimized Logical Plan ==\nRange (0, 1)\n", "no plan of Spark"),
    ] {
        let problem = import_text(Format::SparkPlan, text).expect_err("no plan");
        assert!(problem.contains(expected), "{text}: {problem}");
    }
}

#[test]
fn a_plan_may_be_deep() {
    let depth = 20_000;
    let mut text = "== Physical Plan ==\nProject [a#1]\n".to_owned();
    for level in 0..depth {
        text += &format!("{}+- Project [a#1]\n", " ".repeat(level % 200 * 3));
    }
    // Lines of 200 levels, one below the other again and again.
    assert_eq!(only(&text).nodes.len(), depth + 1);
    let deep: Vec<String> = (0..3_000).map(|level| format!("{}+- Project [a#1]\n", "   ".repeat(level))).collect();
    let plan = only(&format!("== Physical Plan ==\nProject [a#1]\n{}", deep.concat()));
    assert_eq!(plan.nodes.len(), 3_001);
    assert_eq!(plan.nodes[2_999].inputs, [3_000]);
}

/// What takes the place of a piece of a text.
const PIECES: [&str; 16] = [
    "",
    "\n",
    "   ",
    "+- ",
    ":  ",
    "(1) ",
    "[",
    ")",
    "#",
    ", Statistics(",
    "== Physical Plan ==\n",
    "== Initial Plan ==",
    "Subquery:1 Hosting operator id = 1 Hosting Expression = ",
    "ReusedExchange [Reuses operator id: 1]",
    "9999999999999999999999",
    "\u{1F980}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn texts_with_pieces_replaced_never_panic(
        which in 0..3_usize,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0_usize..40, 0..PIECES.len()), 1..8),
    ) {
        let formatted = std::fs::read_to_string(sample(SAMPLE)).unwrap();
        let mut content = [formatted.as_str(), FINAL, COST][which].as_bytes().to_vec();
        for (place, length, piece) in edits {
            let start = place.index(content.len());
            let end = (start + length).min(content.len());
            content.splice(start..end, PIECES[piece].bytes());
        }
        if let Ok(import) = import_text(Format::SparkPlan, &content) {
            for query in &import.queries {
                validate(&query.plan, "plan").expect("a usable plan");
                prop_assert_eq!(fill(&query.plan).len(), query.plan.nodes.len());
            }
        }
    }
}

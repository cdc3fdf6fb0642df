//! Damaged samples: an error or a plan that can be used, never a panic.

use crossover_plan::Format;
use crossover_query::{fill, validate::validate};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{import_text, sample};

const SAMPLES: [(&str, Format); 8] = [
    ("duckdb-cte.json", Format::DuckDb),
    ("duckdb-1.4-subquery.json", Format::DuckDb),
    ("duckdb-0.10-profile.json", Format::DuckDb),
    ("duckdb-estimate.json", Format::DuckDb),
    ("postgres-cte.json", Format::Postgres),
    ("postgres-parallel-estimate.json", Format::Postgres),
    ("postgres-subquery.json", Format::Postgres),
    ("postgres-several.txt", Format::Postgres),
];

/// What takes the place of a piece of a file.
const PIECES: [&str; 18] = [
    "",
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    "\n",
    "0",
    "-1",
    "1e18",
    "1e308",
    "null",
    "true",
    "[]",
    "{}",
    "\"CTE\"",
    "\u{1F980}",
];

fn usable(format: Format, content: &[u8]) {
    if let Ok(import) = import_text(format, content) {
        assert!(!import.queries.is_empty());
        for query in &import.queries {
            validate(&query.plan, "plan").expect("a usable plan");
            assert_eq!(fill(&query.plan).len(), query.plan.nodes.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_with_pieces_replaced_never_panic(
        which in 0..SAMPLES.len(),
        edits in vec((any::<prop::sample::Index>(), 0_usize..30, 0..PIECES.len()), 1..6),
    ) {
        let (name, format) = SAMPLES[which];
        let mut content = std::fs::read(sample(name)).unwrap();
        for (place, length, piece) in edits {
            let start = place.index(content.len());
            let end = (start + length).min(content.len());
            content.splice(start..end, PIECES[piece].bytes());
        }
        usable(format, &content);
    }

    /// Values change and the JSON stays JSON, so that what lies behind the parser is reached.
    #[test]
    fn samples_with_values_replaced_never_panic(
        which in 0..SAMPLES.len() - 1,
        edits in vec((any::<prop::sample::Index>(), 0_usize..9), 1..8),
    ) {
        let (name, format) = SAMPLES[which];
        let text = std::fs::read_to_string(sample(name)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let fields: Vec<usize> = (0..lines.len())
            .filter(|line| lines[*line].contains("\":") && !lines[*line].trim_end().ends_with(['[', '{']))
            .collect();
        for (place, value) in edits {
            let line = &mut lines[fields[place.index(fields.len())]];
            let comma = if line.trim_end().ends_with(',') { "," } else { "" };
            let (key, _) = line.split_once("\":").unwrap();
            let value = ["0", "1e18", "7", "null", "\"0\"", "\"CTE\"", "\"CTE Scan\"", "\"InitPlan\"", "\"$1\""][value];
            *line = format!("{key}\": {value}{comma}");
        }
        usable(format, lines.join("\n").as_bytes());
    }

    #[test]
    fn cut_samples_never_panic(which in 0..SAMPLES.len(), place in any::<prop::sample::Index>()) {
        let (name, format) = SAMPLES[which];
        let content = std::fs::read(sample(name)).unwrap();
        usable(format, &content[..place.index(content.len())]);
    }
}

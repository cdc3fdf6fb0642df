//! What shells and notebooks put around the lines of a plan, and whether a text has a plan of Spark at all.

use std::borrow::Cow;

/// Begins a physical plan.
pub(super) const HEADER: &str = "== Physical Plan ==";
/// The same in a text in which line ends are escaped, as Python and JSON print one.
const ESCAPED: &str = "== Physical Plan ==\\n";
/// What notebooks of Databricks that are kept as source files begin lines of other languages with.
const MAGIC: [&str; 3] = ["-- MAGIC", "# MAGIC", "// MAGIC"];
/// Begins an operator below another one.
const BELOW: [&str; 2] = ["+- ", ":- "];
/// What stands before a plan in a printed row.
const PRINTED: [&str; 2] = ["plan='", "plan=\""];
/// What only operators of Spark are called or say.
const MARKS: [&str; 10] = [
    "AdaptiveSparkPlan",
    "ENSURE_REQUIREMENTS",
    "FileScan ",
    "Scan parquet ",
    "Scan orc ",
    "BatchScan ",
    "ColumnarToRow",
    "hashpartitioning(",
    "HashAggregate(keys=",
    "LocalTableScan [",
];

/// Whether a text, which may be cut off anywhere, has a plan of Spark: its header at the beginning of a line, or a tree of
/// operators with names that only Spark has.
pub(crate) fn is_plan(text: &str) -> bool {
    // Only the first header of a line can begin it, so each line is read once, however long it is.
    let begins = |line: &str| {
        let before = line.find(HEADER).map(|at| without_magic(&line[..at]));
        before.is_some_and(|before| before.trim_start().trim_matches(['|', '"', '\'', ' ']).is_empty())
    };
    let is_printed = |(at, _): (usize, &str)| PRINTED.iter().any(|before| text[..at].ends_with(before));
    if text.lines().any(begins) || text.match_indices(HEADER).any(is_printed) {
        return true;
    }
    let is_below = |line: &str| {
        let inside = line.trim_start_matches([' ', ':', '|']);
        BELOW.iter().any(|mark| line.trim_start().starts_with(mark) || inside.starts_with(mark))
    };
    !text.trim_start().starts_with(['{', '[', '<'])
        && text.lines().any(is_below)
        && MARKS.iter().any(|mark| text.contains(mark))
}

/// The lines of a text without what a notebook's file or a printed string has around them.
pub(super) fn bare(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') && text.contains("\"cells\"") {
        return Cow::Owned(text.lines().map(of_notebook).collect::<Vec<String>>().join("\n"));
    }
    if text.lines().any(|line| without_magic(line).len() < line.len()) {
        return Cow::Owned(text.lines().map(without_magic).collect::<Vec<&str>>().join("\n"));
    }
    if text.contains(ESCAPED) { Cow::Owned(unescaped(text)) } else { Cow::Borrowed(text) }
}

/// A line without the mark of a notebook of Databricks and the blank behind it.
fn without_magic(line: &str) -> &str {
    let behind = MAGIC.iter().find_map(|mark| line.strip_prefix(mark));
    behind.map_or(line, |rest| rest.strip_prefix(' ').unwrap_or(rest))
}

/// A line of a notebook's file: the text in its quotes, if it is a line of an output; else nothing.
fn of_notebook(line: &str) -> String {
    let inside = line.trim().trim_end_matches(',').strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inside = inside.map(|inside| inside.strip_suffix("\\n").unwrap_or(inside));
    inside.map(unescaped).unwrap_or_default()
}

/// A text without escapes.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => {}
            Some(other) => plain.push(other),
            None => plain.push('\\'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_recognised_in_every_frame() {
        for text in [
            "== Physical Plan ==\n* Range (1)\n",
            "  \n  == Physical Plan ==\n",
            "|== Physical Plan ==\n* Range (1)\n|",
            "plan\n\"== Physical Plan ==\n",
            "[Row(plan='== Physical Plan ==\\n* Range (1)')]",
            "-- MAGIC ```\n-- MAGIC == Physical Plan ==\n-- MAGIC * Range (1)",
            "== Optimized Logical Plan ==\nRange\n\n== Physical Plan ==\n",
            "*(1) Filter (id#1L > 5)\n+- *(1) ColumnarToRow\n   +- FileScan parquet t[id#1L]\n",
        ] {
            assert!(is_plan(text), "{text}");
        }
    }

    #[test]
    fn other_texts_have_no_plan_of_spark() {
        for text in [
            "",
            "-- == Physical Plan ==\nSELECT 1",
            "see the section == Physical Plan == below",
            "org.example:app:1.0\n+- org.example:library:2.0",
            "Calc(select=[a])\n+- TableSourceScan(table=[[t]])",
            "{\"Event\": \"x\", \"physicalPlanDescription\": \"== Physical Plan ==\"}",
        ] {
            assert!(!is_plan(text), "{text}");
        }
    }

    /// To read the line anew for each header would take hours.
    #[test]
    fn a_line_of_many_headers_is_read_once() {
        let line = "see == Physical Plan == ".repeat(200_000);
        assert!(!is_plan(&line));
        assert!(is_plan(&(line + "[Row(plan='== Physical Plan ==\\n')]")));
    }

    #[test]
    fn escapes_of_a_printed_row_are_taken_off() {
        let row = "[Row(plan='== Physical Plan ==\\n* Project (2)\\n+- Scan (1)\\n')]";
        assert_eq!(bare(row), "[Row(plan='== Physical Plan ==\n* Project (2)\n+- Scan (1)\n')]");
        let notebook =
            "{\n \"cells\": [\n  \"== Physical Plan ==\\n\",\n  \"Filter (a = \\\"b\\\")\\n\",\n  \"+- Range\"\n ]\n}";
        let lines: Vec<String> = bare(notebook).lines().map(str::to_owned).collect();
        assert_eq!(lines[2..5], ["== Physical Plan ==", "Filter (a = \"b\")", "+- Range"]);
    }
}

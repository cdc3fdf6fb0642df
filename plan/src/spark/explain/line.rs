//! One line of a tree of operators: how deep it stands, and its text without marks.

/// What stands before an operator, once for each operator above it.
const STEPS: [&str; 4] = ["   ", ":  ", ":- ", "+- "];

/// A line of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeLine {
    /// Steps from the root of the tree.
    pub(super) depth: usize,
    /// The operator as its engine writes it, without marks of code generation.
    pub(super) text: String,
}

impl TreeLine {
    /// Reads a line of a text that is indented by so many blanks; `None`: there is no operator in it.
    pub(super) fn new(line: &str, indent: usize) -> Option<Self> {
        let blanks = line.bytes().take(indent).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let mut rest = &line[blanks..];
        let mut depth = 0;
        while let Some(behind) = STEPS.iter().find_map(|step| rest.strip_prefix(step)) {
            rest = behind;
            depth += 1;
        }
        let text = without_marks(rest.trim());
        let is_mark = text.is_empty() || text.chars().all(|letter| matches!(letter, ':' | '|' | ' '));
        (!is_mark).then(|| Self { depth, text: text.to_owned() })
    }
}

/// Number of blanks before a line.
pub(super) fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Whether a line is that of an operator below another one.
pub(super) fn is_below(line: &str) -> bool {
    let inside = line.trim_start_matches([' ', '\t']);
    let inside = inside.strip_prefix(":  ").map_or(inside, |rest| rest.trim_start_matches([' ', ':']));
    [":- ", "+- "].iter().any(|step| inside.starts_with(step))
}

/// The text of an operator without the marks of a missing input (`!`), of code generation (`* `, `*(2) `) and of Gluten
/// (`^ `, `^(2) `).
fn without_marks(text: &str) -> &str {
    let text = text.strip_prefix('!').unwrap_or(text);
    let Some(rest) = text.strip_prefix(['*', '^']) else { return text };
    let numbered = rest.strip_prefix('(').and_then(|inside| inside.split_once(')'));
    let behind = numbered.filter(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    behind.map_or(rest, |(_, behind)| behind).trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_deep_they_stand() {
        for (line, depth, text) in [
            ("*(5) HashAggregate(keys=[], functions=[count(1)])", 0, "HashAggregate(keys=[], functions=[count(1)])"),
            ("+- Exchange (38)", 1, "Exchange (38)"),
            ("   :  :- ^ FilterExecTransformer (4)", 3, "FilterExecTransformer (4)"),
            (":     +- *Project [a#1]", 3, "Project [a#1]"),
            ("   +- == Final Plan ==", 2, "== Final Plan =="),
            ("+- !Project [b#2]", 1, "Project [b#2]"),
            ("+- *(x) Sort", 1, "(x) Sort"),
        ] {
            assert_eq!(TreeLine::new(line, 0), Some(TreeLine { depth, text: text.to_owned() }), "{line}");
        }
        assert_eq!(TreeLine::new("      +- Sort (1)", 6).map(|line| line.depth), Some(1));
        for line in ["", "   ", ":  :", "|", "+- "] {
            assert_eq!(TreeLine::new(line, 0), None, "{line}");
        }
    }

    #[test]
    fn operators_below_others_are_known_by_their_mark() {
        for (line, below) in
            [("   +- Sort", true), (":  :  +- Sort", true), (":- Sort", true), ("Sort", false), ("-- Sort", false)]
        {
            assert_eq!(is_below(line), below, "{line}");
        }
    }
}

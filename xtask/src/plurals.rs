//! Counts with their nouns: the one function that forms plurals writes them, so that no text has “1 operators”.

/// Nouns of which the program counts any number.
const NOUNS: [&str; 19] = [
    "operators",
    "executions",
    "queries",
    "runs",
    "nodes",
    "tasks",
    "applications",
    "stages",
    "executors",
    "warnings",
    "logs",
    "launches",
    "simulations",
    "GPUs",
    "fields",
    "numbers",
    "candidates",
    "scenarios",
    "groups",
];
/// Words between a number and its noun.
const BETWEEN: [&str; 8] = ["uncertain", "other", "more", "duplicate", "failed", "measured", "recorded", "unmeasured"];
/// What a line says where its number is beyond a limit, and so is more than one.
const BEYOND_A_LIMIT: [&str; 4] = ["allowed: ", "at most ", "are allowed", "more than {"];

/// Lines of a Rust file, from 1, in which a placeholder is followed by a noun in the plural, although its number may be 1. Comments
/// and the tests at the end of a file are not read.
pub(crate) fn complaints(source: &str) -> Vec<(usize, String)> {
    let lines = source.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let code = lines.filter(|(_, line)| {
        let line = line.trim_start();
        !line.starts_with("//") && !BEYOND_A_LIMIT.iter().any(|part| line.contains(part))
    });
    let complaint = |noun: &str| {
        format!("a number before “{noun}” may be 1: use `counted` or `counted_of` of crossover_quantity::text")
    };
    code.filter_map(|(index, line)| counted_noun(line).map(|noun| (index + 1, complaint(noun)))).collect()
}

/// The noun in the plural after a placeholder of a line.
fn counted_noun(line: &str) -> Option<&'static str> {
    line.match_indices("} ").find_map(|(at, end)| {
        let after = &line[at + end.len()..];
        let mut words = after.split(' ').skip_while(|word| BETWEEN.contains(word));
        let word = words.next()?.split(|letter: char| !letter.is_alphabetic()).next().unwrap_or_default();
        let noun = NOUNS.into_iter().find(|noun| *noun == word)?;
        let (_, placeholder) = line[..at].rsplit_once('{')?;
        // A constant is a limit.
        let is_constant = placeholder.starts_with(char::is_uppercase);
        let is_placeholder = placeholder.chars().all(|letter| letter.is_alphanumeric() || "_:.".contains(letter));
        (is_placeholder && !is_constant).then_some(noun)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_may_be_one_is_found_before_its_noun() {
        let source = "//! Counts {n} runs.\nfn text() {\n    format!(\"{} of {all} operators with {}\", 1, 2);\n    \
                      format!(\"{done:.0} runs left\");\n}\n#[cfg(test)]\nmod tests { \"{n} runs\" }\n";
        let lines: Vec<usize> = complaints(source).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [3, 4]);
    }

    #[test]
    fn words_between_a_number_and_its_noun_do_not_hide_it() {
        for text in ["format!(\"{} uncertain numbers\", count)", "format!(\"and {more} more recorded tasks\")"] {
            assert_eq!(complaints(text).len(), 1, "{text}");
        }
        assert!(complaints("format!(\"{queries} have several runs\")").is_empty());
    }

    #[test]
    fn limits_and_other_nouns_are_no_counts() {
        for text in [
            "format!(\"more than {MOST_RUNS} runs\")",
            "format!(\"{nodes} nodes; at most {MOST_NODES} fit\")",
            "format!(\"{left} kinds of operators\")",
            "format!(\"All {} stay\", counted(all, \"operator\"))",
        ] {
            assert!(complaints(text).is_empty(), "{text}");
        }
    }
}

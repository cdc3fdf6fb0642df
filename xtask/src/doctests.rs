//! Examples in documentation that rustdoc would run as tests. There are none, so no test run looks for them.
//!
//! Documentation is found where it begins a line, as `///` or `//!`; attributes and block comments are not used for it here.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// Extensions of Markdown that rustdoc reads (`main_body_opts` in its `html/markdown.rs`) and that change what is code.
const EXTENSIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES).union(Options::ENABLE_TASKLISTS);

/// The lines, from 1, at which an example begins that rustdoc would run.
pub(crate) fn lines(source: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (first, documentation) in documentation(source) {
        for (event, range) in Parser::new_ext(&documentation, EXTENSIONS).into_offset_iter() {
            let Event::Start(Tag::CodeBlock(kind)) = event else { continue };
            let is_run = match kind {
                CodeBlockKind::Indented => true,
                CodeBlockKind::Fenced(words) => is_run(&words),
            };
            if is_run {
                found.push(first + documentation[..range.start].matches('\n').count());
            }
        }
    }
    found
}

/// Each documentation comment without its marks, and the number of its first line.
fn documentation(source: &str) -> Vec<(usize, String)> {
    let mut comments: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    let mut last = None;
    for (number, line) in (1..).zip(source.lines()) {
        let line = line.trim_start();
        let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(*mark) && !line.starts_with("////"));
        if let Some(mark) = mark {
            if last != Some(mark) {
                comments.push((number, mark, Vec::new()));
            }
            if let Some((_, _, text)) = comments.last_mut() {
                text.push(&line[mark.len()..]);
            }
        }
        last = mark;
    }
    comments.into_iter().map(|(number, _, text)| (number, without_indent(&text))).collect()
}

/// The lines without the spaces that all of them begin with.
fn without_indent(lines: &[&str]) -> String {
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = filled.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or_default()).collect();
    lines.join("\n")
}

/// Whether rustdoc takes a code block with these words behind its fence for Rust, and runs it. See "Attributes" in
/// <https://doc.rust-lang.org/rustdoc/write-documentation/documentation-tests.html>.
fn is_run(words: &str) -> bool {
    let (mut is_rust, mut is_other) = (false, false);
    for word in words.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
        match word {
            "ignore" | "no_run" | "custom" => return false,
            "rust" => is_rust = true,
            "should_panic" | "compile_fail" | "test_harness" | "standalone_crate" => is_rust |= !is_other,
            // On other machines it runs; the edition and a class of HTML say nothing of the language.
            _ if ["ignore-", "edition", "{"].iter().any(|start| word.starts_with(*start)) => {}
            _ => is_other = true,
        }
    }
    is_rust || !is_other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_rustdoc_would_run_are_told_from_those_that_it_shows() {
        for words in
            ["", "rust", "rust,should_panic", "should_panic", "edition2024", "compile_fail,E0277", "ignore-wasm"]
        {
            assert!(is_run(words), "{words}");
        }
        for words in ["text", "sql", "rust,ignore", "ignore", "no_run", "ron", "toml,rust2", "custom,rust"] {
            assert!(!is_run(words), "{words}");
        }
    }

    #[test]
    fn an_example_is_found_at_its_line() {
        let check = |source: &str, expected: &[usize]| assert_eq!(lines(source), expected, "{source}");
        check("//! Purpose.\n//!\n//! ```text\n//! a ─▶ b\n//! ```\nfn main() {}\n", &[]);
        check("//! Purpose.\n//!\n//! ```\n//! f();\n//! ```\n", &[3]);
        check(
            "//! Purpose.\n\nmod a {\n    /// Does it:\n    /// ~~~rust\n    /// f();\n    /// ~~~\n    fn f() {}\n}\n",
            &[5],
        );
        // Four spaces after an empty line are code as well, but not in a list.
        check("/// Does it:\n///\n///     f();\nfn f() {}\n", &[3]);
        check("/// - one\n///\n///     still one\nfn f() {}\n", &[]);
        check("// ```\n// f();\n// ```\n//// ```\nlet text = \"/// ```\";\n", &[]);
        // A fence that ends with its comment does not reach into the next one.
        check("/// ```text\nfn f() {}\n/// ```\nfn g() {}\n", &[3]);
    }
}

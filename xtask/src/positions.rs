//! The lines of string literals and doc comments of a Rust source.
//!
//! proc-macro2 says where a token is only with its feature `span-locations`, with which the whole workspace would compile
//! it, syn and quote twice.

/// The line of every string literal and doc comment, in their order: one for each string literal of the token stream.
pub(crate) fn lines_of_texts(source: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    let (mut line, mut rest) = (1, source);
    while !rest.is_empty() {
        let (length, is_text) = first(rest);
        if is_text {
            lines.push(line);
        }
        let (piece, after) = rest.split_at(length);
        line += piece.matches('\n').count();
        rest = after;
    }
    lines
}

/// The length of the comment, literal, name or other character at the beginning of a source that is not empty, and whether
/// it is a string literal or doc comment.
fn first(source: &str) -> (usize, bool) {
    let starts = |prefix: &str| source.starts_with(prefix);
    if starts("//") {
        let is_doc = starts("//!") || starts("///") && !starts("////");
        return (source.find('\n').unwrap_or(source.len()), is_doc);
    }
    if starts("/*") {
        let is_doc = starts("/*!") || starts("/**") && !starts("/***") && !starts("/**/");
        return (block_comment(source), is_doc);
    }
    if starts("\"") {
        return (quoted(source, '"'), true);
    }
    if starts("'") {
        return (if is_character(source) { quoted(source, '\'') } else { 1 }, false);
    }
    let name = source.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(source.len());
    if ["r", "br", "cr"].contains(&&source[..name])
        && let Some(length) = raw(&source[name..])
    {
        return (name + length, true);
    }
    // The prefix of another literal is read as a name.
    let other = source.chars().next().map_or(0, char::len_utf8);
    (name.max(other), false)
}

/// The length of a comment between `/*` and `*/`, which may hold others.
fn block_comment(source: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        let rest = &source[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            match rest.chars().next() {
                Some(c) => at += c.len_utf8(),
                None => return at,
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

/// The length of a literal from its first quote to its last, in which `\` escapes the next character.
fn quoted(source: &str, quote: char) -> usize {
    let mut characters = source.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == '\\' {
            characters.next();
        } else if c == quote {
            return at + 1;
        }
    }
    source.len()
}

/// Whether a quote begins a character, not the name of a lifetime.
fn is_character(source: &str) -> bool {
    let mut characters = source.chars().skip(1);
    characters.next() == Some('\\') || characters.next() == Some('\'')
}

/// The length of a raw string literal after its prefix; nothing where a raw name follows.
fn raw(source: &str) -> Option<usize> {
    let hashes = source.len() - source.trim_start_matches('#').len();
    let content = source[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    content.find(&end).map(|at| hashes + 1 + at + end.len())
}

#[cfg(test)]
mod tests {
    use super::lines_of_texts;

    #[test]
    fn equal_literals_have_lines_of_their_own() {
        assert_eq!(lines_of_texts("f(\"a b\");\n// \"a b\"\ng();\nh(\"a b\", \"a b\");\n"), [1, 4, 4]);
    }

    #[test]
    fn doc_comments_are_texts_and_other_comments_are_not() {
        let source = "//! a\n/// b\n//// c\n// d\n/* e /* \"f\" */ \n*/\n/** g\n h */\n/**/\n/*** i */\nstruct A;";
        assert_eq!(lines_of_texts(source), [1, 2, 7]);
    }

    #[test]
    fn quotes_in_other_literals_begin_no_string() {
        for source in ["'\"'\n\"a\"", "b'\"'\n\"a\"", "'\\''\n\"a\"", "<'a, 'b>\n\"a\"", "r#type\n\"a\"", "'ä'\n\"a\""]
        {
            assert_eq!(lines_of_texts(source), [2], "{source}");
        }
    }

    #[test]
    fn raw_and_escaped_strings_end_at_their_own_quote() {
        for source in ["r#\"\n\"\n\"#\n\"a\"", "br\"\n\n\\\"\n\"a\"", "\"\\\"\n\\\\\n\"\n\"a\"", "c\"\n\n\"\n\"a\""] {
            assert_eq!(lines_of_texts(source), [1, 4], "{source}");
        }
    }
}

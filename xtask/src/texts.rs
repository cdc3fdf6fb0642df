//! The texts of the program and of its documentation: string literals that read as text, doc comments, paragraphs of Markdown.

use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::vec;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree, token_stream};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::positions::lines_of_texts;

/// A text and the line in which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) kind: Kind,
    /// Without markup and escapes; a placeholder is `{}`.
    pub(crate) content: String,
}

/// Who reads a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Users: a string literal, or the doc comment of a command-line option.
    Program,
    /// Users: documentation.
    Page,
    /// Developers: a doc comment.
    Comment,
}

/// Crates whose strings no user meets.
const NOT_SHOWN: [&str; 3] = ["xtask", "needs", "features"];

/// Every text of these files, in their order.
pub(crate) fn collect(root: &Path, files: &[PathBuf]) -> Result<Vec<Text>> {
    let mut texts = Vec::new();
    for path in files {
        let name = path.strip_prefix(root).unwrap_or(path);
        let is_shown = is_shown(name);
        let extension = name.extension().and_then(|extension| extension.to_str());
        let read = || fs::read_to_string(path).with_context(|| format!("{}", path.display()));
        let name = name.display().to_string();
        match extension {
            Some("rs") if is_shown => of_rust(&name, &read()?, &mut texts)?,
            Some("md") if name == "CHANGELOG.md" => of_markdown(&name, newest(&read()?), &mut texts),
            Some("md") => of_markdown(&name, &read()?, &mut texts),
            _ => {}
        }
    }
    Ok(texts)
}

/// Whether users meet the strings of a source file at this path in the repository.
pub(crate) fn is_shown(path: &Path) -> bool {
    let folders = ["tests", "benches", "fuzz"];
    let is_test = path.components().any(|part| folders.contains(&&*part.as_os_str().to_string_lossy()))
        || path.file_name().is_some_and(|file| file == "tests.rs");
    !is_test && !NOT_SHOWN.iter().any(|folder| path.starts_with(folder))
}

/// The newest part of a change log: its first section.
fn newest(log: &str) -> &str {
    log.match_indices("\n## ").nth(1).map_or(log, |(end, _)| &log[..end])
}

fn of_rust(file: &str, source: &str, texts: &mut Vec<Text>) -> Result<()> {
    let stream: TokenStream = source.parse().map_err(|error| anyhow::anyhow!("{file}: {error}"))?;
    let mut walk = Walk { file, lines: lines_of_texts(source).into_iter(), texts };
    walk.tokens(stream.into_iter().peekable());
    ensure!(walk.lines.next().is_none(), "{file}: not every string literal was read");
    Ok(())
}

/// Collects texts of a source file in its order.
struct Walk<'a> {
    file: &'a str,
    /// Of the string literals and doc comments that follow.
    lines: vec::IntoIter<usize>,
    texts: &'a mut Vec<Text>,
}

impl Walk<'_> {
    fn tokens(&mut self, mut tokens: Peekable<token_stream::IntoIter>) {
        let mut docs = String::new();
        let (mut first_line, mut was_inner) = (0, false);
        while let Some(token) = tokens.next() {
            if let Some((attribute, rest, is_inner)) = attribute(&token, &mut tokens) {
                if let Some(line) = doc(&attribute) {
                    if is_inner != was_inner && !docs.is_empty() {
                        self.comment(&std::mem::take(&mut docs), first_line);
                    }
                    was_inner = is_inner;
                    let at = self.next_line();
                    if docs.is_empty() {
                        first_line = at;
                    }
                    docs.push_str(line.trim());
                    docs.push('\n');
                } else if attribute.to_string().replace(' ', "") == "cfg(test)" {
                    self.skip_item(&mut tokens);
                } else {
                    self.tokens(rest);
                }
                continue;
            }
            if !docs.is_empty() {
                self.comment(&std::mem::take(&mut docs), first_line);
            }
            match token {
                TokenTree::Group(group) => self.tokens(group.stream().into_iter().peekable()),
                TokenTree::Literal(literal) => self.literal(&literal.to_string()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
        if !docs.is_empty() {
            self.comment(&docs, first_line);
        }
    }

    /// A doc comment, a text for each of its paragraphs.
    fn comment(&mut self, docs: &str, line: usize) {
        let mut found = Vec::new();
        of_markdown(self.file, docs, &mut found);
        // The doc comments of options and commands are their help.
        let kind = if self.file.contains("/cli/") { Kind::Program } else { Kind::Comment };
        let found = found.into_iter().map(|text| Text { line: line + text.line - 1, kind, ..text });
        self.texts.extend(found);
    }

    fn literal(&mut self, token: &str) {
        if !is_string(token) {
            return;
        }
        let line = self.next_line();
        // Bytes are no text.
        let Ok(literal) = syn::parse_str::<syn::LitStr>(token) else { return };
        let text = literal.value();
        if is_text(&text) {
            self.texts.push(Text {
                file: self.file.to_owned(),
                line,
                kind: Kind::Program,
                content: without_names(&text),
            });
        }
    }

    fn next_line(&mut self) -> usize {
        self.lines.next().unwrap_or_default()
    }

    /// Skips what an attribute is on: up to its block or semicolon.
    fn skip_item(&mut self, tokens: &mut Peekable<token_stream::IntoIter>) {
        for token in tokens.by_ref() {
            let is_end = match &token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                TokenTree::Ident(_) | TokenTree::Literal(_) => false,
            };
            self.lines.by_ref().take(strings(token)).for_each(drop);
            if is_end {
                return;
            }
        }
    }
}

/// The number of string literals and doc comments in a token.
fn strings(token: TokenTree) -> usize {
    match token {
        TokenTree::Group(group) => group.stream().into_iter().map(strings).sum(),
        TokenTree::Literal(literal) => usize::from(is_string(&literal.to_string())),
        TokenTree::Ident(_) | TokenTree::Punct(_) => 0,
    }
}

/// Whether a literal is a string, of characters or bytes, with or without a prefix.
fn is_string(literal: &str) -> bool {
    literal.trim_start_matches(char::is_alphabetic).trim_start_matches('#').starts_with('"')
}

/// The content of an attribute that begins with this token, twice, and whether it is one of the item around it.
fn attribute(
    token: &TokenTree,
    tokens: &mut Peekable<token_stream::IntoIter>,
) -> Option<(TokenStream, Peekable<token_stream::IntoIter>, bool)> {
    if !matches!(token, TokenTree::Punct(punct) if punct.as_char() == '#') {
        return None;
    }
    let is_inner = matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!');
    if is_inner {
        tokens.next();
    }
    match tokens.peek() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            let stream = group.stream();
            tokens.next();
            Some((stream.clone(), stream.into_iter().peekable(), is_inner))
        }
        _ => None,
    }
}

/// The line of a doc comment.
fn doc(attribute: &TokenStream) -> Option<String> {
    let mut tokens = attribute.clone().into_iter();
    let name = tokens.next()?.to_string();
    let equals = tokens.next()?.to_string();
    let Some(TokenTree::Literal(literal)) = tokens.next() else { return None };
    (name == "doc" && equals == "=")
        .then(|| syn::parse_str::<syn::LitStr>(&literal.to_string()).ok())
        .flatten()
        .map(|line| line.value())
}

/// Whether a string reads as text: two words with a space between them, and no shader or file of another program.
fn is_text(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.len() > 1 && word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'')
    };
    let words = text.split_whitespace().filter(|word| is_word(word)).count();
    words >= 2 && text.lines().count() < 30
}

/// The text with `{}` for each of its placeholders.
fn without_names(text: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' => {
                depth += 1;
                plain.push(c);
            }
            '}' => {
                depth = depth.saturating_sub(1);
                plain.push(c);
            }
            _ if depth > 0 => {}
            _ => plain.push(c),
        }
    }
    plain
}

/// Headings, paragraphs, items and cells, without code.
fn of_markdown(file: &str, source: &str, texts: &mut Vec<Text>) {
    let mut open: Option<(usize, String)> = None;
    let mut in_code = false;
    let mut close = |open: &mut Option<(usize, String)>| {
        if let Some((at, text)) = open.take().filter(|(_, text)| text.contains(' ')) {
            let line = source[..at].matches('\n').count() + 1;
            texts.push(Text { file: file.to_owned(), line, kind: Kind::Page, content: text.trim().to_owned() });
        }
    };
    for (event, range) in Parser::new_ext(source, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::TableCell) => {
                close(&mut open);
                open = Some((range.start, String::new()));
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell) => close(&mut open),
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if !in_code => {
                if let Some((_, open)) = &mut open {
                    open.push_str(&text);
                }
            }
            // A name of the program is one word, whatever it reads.
            Event::Code(_) => {
                if let Some((_, open)) = &mut open {
                    open.push_str("{}");
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, open)) = &mut open {
                    open.push(' ');
                }
            }
            _ => {}
        }
    }
    close(&mut open);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<(usize, Kind, String)> {
        let mut texts = Vec::new();
        of_rust("a.rs", source, &mut texts).expect("Rust");
        texts.into_iter().map(|text| (text.line, text.kind, text.content)).collect()
    }

    #[test]
    fn strings_and_doc_comments_are_found_with_their_lines() {
        let source = "//! Reads files\n//! of `any` size.\n\n/// Opens one.\nfn open() {\n    let key = \"open\";\n    \
                      warn!(\"cannot open {name:?}: \\\n        no file\");\n}\n\n#[cfg(test)]\nmod tests {\n    \
                      const A: &str = \"not this one\";\n}\n";
        let expected = [
            (1, Kind::Comment, "Reads files of {} size."),
            (4, Kind::Comment, "Opens one."),
            (7, Kind::Program, "cannot open {}: no file"),
        ];
        assert_eq!(found(source), expected.map(|(line, kind, text)| (line, kind, text.to_owned())));
    }

    #[test]
    fn what_follows_a_test_module_is_read_too() {
        let source = "#[cfg(test)]\nmod tests;\n\n#[error(\"two words\")]\nenum Error {}\n";
        assert_eq!(found(source), [(4, Kind::Program, "two words".to_owned())]);
    }

    #[test]
    fn repeated_texts_are_found_in_their_own_lines() {
        let source = "#[cfg(test)]\nmod tests {\n    const A: &str = \"two words\";\n}\n\n// two words\nconst B: &str = \
                      \"two words\";\nconst C: &[u8] = b\"two words\";\nconst D: [&str; 2] = [\n    \"two words\",\n    \
                      \"two words\",\n];\n";
        assert_eq!(found(source), [7, 10, 11].map(|line| (line, Kind::Program, "two words".to_owned())));
    }

    #[test]
    fn paragraphs_items_and_cells_of_markdown_are_texts_of_their_own() {
        let mut texts = Vec::new();
        of_markdown(
            "a.md",
            "# One title\n\nA paragraph\nof two lines.\n\n- an item\n\n```\nno text\n```\n\n| a b | c |\n|--|--|\n| d | e f |\n",
            &mut texts,
        );
        let texts: Vec<_> = texts.iter().map(|text| (text.line, text.content.as_str())).collect();
        let expected = [(1, "One title"), (3, "A paragraph of two lines."), (6, "an item"), (12, "a b"), (14, "e f")];
        assert_eq!(texts, expected);
    }

    #[test]
    fn only_the_first_section_of_a_change_log_is_read() {
        assert_eq!(newest("# Changes\n\n## 2\n\nnew\n\n## 1\n\nold\n"), "# Changes\n\n## 2\n\nnew\n");
        assert_eq!(newest("# Changes\n"), "# Changes\n");
    }
}

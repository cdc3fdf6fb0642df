//! Finds where the value of a field is in a RON text, so that an error can name line and column.
//!
//! The text may be broken further on: this scanner only has to find its way, and it never fails.

/// Most brackets around a value.
pub(super) const DEEPEST: usize = 64;

/// A place in a text, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Position {
    /// The position of a byte of the text, which must begin a character.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// Segment of a path that looks into the brackets of a value: `class.()` is the 1.5 of `Power(1.5)`.
pub(super) const INSIDE: &str = "()";

/// A value in a text.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    /// The segments of the path that led here, entries of lists by their name where they have one.
    pub(super) segments: Vec<String>,
    text: &'a str,
    value: Scanner<'a>,
    /// The key of a map entry; errors point at it instead of the value.
    key: Option<&'a str>,
}

/// A path that leads nowhere: how far it leads, and what could follow there.
#[derive(Debug)]
pub(super) struct Astray<'a> {
    pub(super) nearest: Place<'a>,
    /// The rest of the path.
    pub(super) rest: String,
    /// Segments that exist there.
    pub(super) known: Vec<String>,
}

/// The value at `path`. Segments are field names, list indices, or the `name` of a list entry; names
/// and keys of maps may contain dots, then the longest one that fits is meant.
///
/// # Errors
/// [`Astray`] if a segment does not exist.
pub(super) fn find<'a>(text: &'a str, path: &str) -> Result<Place<'a>, Astray<'a>> {
    let mut place = Place::root(text);
    let mut rest = path;
    while !rest.is_empty() {
        let children = place.children(rest);
        // A name takes precedence over an index.
        let fits = |child: &Child<'a>| {
            let names = child.names.iter().enumerate();
            names.filter_map(|(rank, name)| Some((after_segment(rest, name)?, rank))).min_by_key(|(rest, _)| rest.len())
        };
        let longest = children
            .iter()
            .filter_map(|child| Some((child, fits(child)?)))
            .min_by_key(|(_, (rest, rank))| (rest.len(), *rank));
        let Some((child, (left, _))) = longest else {
            let known = children.into_iter().filter_map(|child| child.names.into_iter().next()).collect();
            return Err(Astray { nearest: place, rest: rest.to_owned(), known });
        };
        let mut segments = place.segments;
        segments.push(child.names[0].clone());
        (place, rest) = (Place { segments, text, value: child.value, key: child.key }, left);
    }
    Ok(place)
}

/// The value at `path`, or at the last part of it that exists.
pub(super) fn nearest<'a>(text: &'a str, path: &str) -> Place<'a> {
    find(text, path).unwrap_or_else(|astray| astray.nearest)
}

/// The value that the rest of a text begins with, as it is written.
pub(super) fn first_value(rest: &str) -> &str {
    Place::root(rest).written()
}

/// The position of the last quoted text that begins before byte `end`, and that text as written.
pub(super) fn last_text(text: &str, end: usize) -> Option<(usize, &str)> {
    let mut scanner = Scanner { rest: text };
    let mut last = None;
    loop {
        scanner.skip_blank();
        let start = text.len() - scanner.rest.len();
        if scanner.rest.is_empty() || start >= end {
            return last;
        }
        if scanner.skip_string().is_some() {
            last = Some((start, &text[start..text.len() - scanner.rest.len()]));
        } else if scanner.skip_ident().is_empty() && !scanner.skip_character() {
            scanner.skip_char();
        }
    }
}

/// Where the first bracket stands that is inside so many others.
pub(super) fn too_deep(text: &str, deepest: usize) -> Option<usize> {
    let mut scanner = Scanner { rest: text };
    let mut depth = 0_usize;
    loop {
        scanner.skip_blank();
        match scanner.rest.chars().next()? {
            '(' | '[' | '{' if depth == deepest => return Some(text.len() - scanner.rest.len()),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if scanner.skip_string().is_none() && scanner.skip_ident().is_empty() && !scanner.skip_character() {
            scanner.skip_char();
        }
    }
}

/// What follows the first segment of a path, if that segment is `segment`.
fn after_segment<'p>(path: &'p str, segment: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(segment)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// A value inside another one, and the segments that lead to it, the preferred one first.
struct Child<'a> {
    names: Vec<String>,
    value: Scanner<'a>,
    key: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn root(text: &'a str) -> Self {
        Self { segments: Vec::new(), text, value: Scanner { rest: text }.at_value(), key: None }
    }

    /// The path that led here, below the study.
    pub(super) fn path(&self) -> String {
        self.below_study().join(".")
    }

    /// The segments that led here, below the study.
    pub(super) fn below_study(&self) -> &[String] {
        match &self.segments[..] {
            [first, below @ ..] if first == "study" => below,
            all => all,
        }
    }

    /// The position of the value.
    pub(super) fn position(&self) -> Position {
        Position::of(self.text, self.text.len() - self.key.unwrap_or(self.value.rest).len())
    }

    /// The text of the value as it was written.
    pub(super) fn written(&self) -> &'a str {
        let mut end = self.value;
        end.skip_value();
        self.value.rest[..self.value.rest.len() - end.rest.len()].trim_end()
    }

    /// The `name` field of the struct.
    pub(super) fn name(&self) -> Option<String> {
        self.value.name_of_struct()
    }

    /// The text with this value replaced.
    pub(super) fn replaced_by(&self, value: &str) -> String {
        let start = self.text.len() - self.value.rest.len();
        format!("{}{value}{}", &self.text[..start], &self.value.rest[self.written().len()..])
    }

    /// The values inside this one. A newtype such as `Placement((…))` is looked through unless `path`
    /// asks for its inside.
    fn children(&self, path: &str) -> Vec<Child<'a>> {
        let asks_inside = after_segment(path, INSIDE).is_some();
        let mut value = self.value;
        // The time grows with the depth and the length of the text: what is deeper is refused before anything is read.
        for _ in 0..DEEPEST {
            let Some(opened) = value.opened() else { return Vec::new() };
            let (is_list, is_map) = (opened.rest.starts_with('['), opened.rest.starts_with('{'));
            let entries = opened.entries();
            let newtype = match entries[..] {
                [Entry { key: None, value, .. }] if !is_list => Some(value),
                _ => None,
            };
            if asks_inside {
                return vec![Child { names: vec![INSIDE.to_owned()], value: newtype.unwrap_or(value), key: None }];
            }
            if let Some(inside) = newtype {
                value = inside;
                continue;
            }
            let child = |(index, entry): (usize, Entry<'a>)| {
                let names = match entry.key {
                    Some(key) => vec![unescaped(key).unwrap_or_else(|| key.to_owned())],
                    None => entry.value.name_of_struct().into_iter().chain([index.to_string()]).collect(),
                };
                Child { names, value: entry.value, key: is_map.then_some(entry.start) }
            };
            return entries.into_iter().enumerate().map(child).collect();
        }
        Vec::new()
    }
}

/// One entry of a bracket.
#[derive(Clone, Copy)]
struct Entry<'a> {
    /// The text from the entry on.
    start: &'a str,
    /// Field name, or key of a map as it is written.
    key: Option<&'a str>,
    value: Scanner<'a>,
}

#[derive(Debug, Clone, Copy)]
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn at_value(mut self) -> Self {
        self.skip_blank();
        self
    }

    /// At the opening bracket of the value.
    fn opened(mut self) -> Option<Self> {
        if self.skip_string().is_some() {
            return None;
        }
        self.skip_ident();
        self.skip_blank();
        self.rest.starts_with(['(', '[', '{']).then_some(self)
    }

    /// White space and comments.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.starts_with("//") {
                self.rest = self.rest.find('\n').map_or("", |end| &self.rest[end..]);
            } else if self.rest.starts_with("/*") {
                self.skip_block_comment();
            } else if self.rest.starts_with("#!") {
                self.rest = self.rest.find(']').map_or("", |end| &self.rest[end + 1..]);
            } else {
                return;
            }
        }
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.rest = &self.rest[2..];
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.rest = &self.rest[2..];
                if depth == 0 {
                    return;
                }
            } else {
                self.skip_char();
            }
        }
    }

    fn skip_char(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    fn skip_ident(&mut self) -> &'a str {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (ident, rest) = self.rest.split_at(end);
        self.rest = rest;
        ident
    }

    /// A string, plain or raw; gives its text without escapes being resolved. One that is not closed
    /// reaches to the end.
    fn skip_string(&mut self) -> Option<&'a str> {
        if let Some(raw) = self.rest.strip_prefix('r') {
            let hashes = raw.len() - raw.trim_start_matches('#').len();
            let body = raw[hashes..].strip_prefix('"')?;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = body.find(&close).unwrap_or(body.len());
            self.rest = body.get(end + close.len()..).unwrap_or("");
            return Some(&body[..end]);
        }
        let body = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        for (index, c) in body.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => {
                    self.rest = &body[index + 1..];
                    return Some(&body[..index]);
                }
                _ => {}
            }
        }
        self.rest = "";
        Some(body)
    }

    /// Skips one value.
    fn skip_value(&mut self) {
        self.skip_blank();
        if self.skip_string().is_some() || self.skip_character() {
            return;
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || ",:()[]{}/\"".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        let mut ahead = *self;
        ahead.skip_blank();
        // A name may precede a bracket, a number may not.
        if word.starts_with(|c: char| !c.is_alphabetic()) || !ahead.rest.starts_with(['(', '[', '{']) {
            return;
        }
        *self = ahead;
        let mut depth = 0usize;
        while !self.rest.is_empty() {
            self.skip_blank();
            if self.skip_string().is_some() || self.skip_character() {
                continue;
            }
            match self.rest.chars().next() {
                Some('(' | '[' | '{') => depth += 1,
                Some(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.skip_char();
            if depth == 0 {
                return;
            }
        }
    }

    /// A character in single quotes, 'x' or '\x'.
    fn skip_character(&mut self) -> bool {
        if !self.rest.starts_with('\'') {
            return false;
        }
        // The closing quote is at least two characters further.
        let closing = self.rest.char_indices().skip(2).take(12).find(|(_, c)| *c == '\'');
        self.rest = closing.map_or("", |(index, _)| &self.rest[index + 1..]);
        true
    }

    /// Entries of the bracket at the position of the scanner.
    fn entries(mut self) -> Vec<Entry<'a>> {
        let mut entries = Vec::new();
        self.skip_char();
        loop {
            self.skip_blank();
            while self.rest.starts_with(',') {
                self.skip_char();
                self.skip_blank();
            }
            if self.rest.is_empty() || self.rest.starts_with([')', ']', '}']) {
                return entries;
            }
            let start = self.rest;
            let mut ahead = self;
            if ahead.skip_string().is_none() {
                ahead.skip_ident();
            }
            let key = &start[..start.len() - ahead.rest.len()];
            ahead.skip_blank();
            let key = (!key.is_empty() && ahead.rest.starts_with(':')).then_some(key);
            if key.is_some() {
                ahead.skip_char();
                ahead.skip_blank();
                self = ahead;
            }
            entries.push(Entry { start, key, value: self });
            self.skip_value();
            if self.rest.len() == start.len() {
                return entries; // no progress: the text is broken here
            }
        }
    }

    /// The text of the `name` field of the struct at the position of the scanner.
    fn name_of_struct(mut self) -> Option<String> {
        self.skip_ident();
        self.skip_blank();
        self.rest.starts_with('(').then_some(())?;
        let start = self.entries().into_iter().find(|entry| entry.key == Some("name"))?.value;
        let mut end = start;
        end.skip_string()?;
        unescaped(&start.rest[..start.rest.len() - end.rest.len()])
    }
}

/// The text of a string, with quotes and escapes resolved.
fn unescaped(written: &str) -> Option<String> {
    ron::from_str(written).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"// a comment with (brackets]
(
    version: 1, /* and /* a */ nested one */
    study: Placement((
        list: [(name: "a.b", t: 0.1), (t: 5, name: "say \"c\"", deep: Some((x: -1))), 3],
        map: { "k)": 1, "k.l": Power(1.5) },
        pair: (1, 'c'),
        end: 7,
    )),
)
"#;

    #[test]
    fn a_value_is_found_through_newtypes_lists_names_maps_strings_and_comments() {
        let check = |path: &str, expected: (usize, usize), written: &str| {
            let found = find(TEXT, path).unwrap_or_else(|astray| panic!("{path}: {astray:?}"));
            let position = found.position();
            assert_eq!(((position.line, position.column), found.written()), (expected, written), "{path}");
        };
        check("version", (3, 14), "1");
        check("study.list.0.t", (5, 33), "0.1");
        check("study.list.a.b.t", (5, 33), "0.1");
        check("study.list.1.t", (5, 43), "5");
        check("study.list.say \"c\".deep.x", (5, 80), "-1");
        check("study.list.2", (5, 87), "3");
        check("study.map.k)", (6, 16), "1");
        check("study.map.k.l", (6, 25), "Power(1.5)");
        check("study.map.k.l.()", (6, 38), "1.5");
        check("study.().end", (8, 14), "7");
        check("study.pair.1", (7, 19), "'c'");
        check("study.end", (8, 14), "7");
    }

    #[test]
    fn brackets_count_only_where_they_open_something() {
        assert_eq!(too_deep(TEXT, 7), None, "( Placement( ( [ ( Some( (");
        assert_eq!(too_deep(TEXT, 6), TEXT.find("(x: -1"));
        let written = "/* (((( */ ( \"((((\", r#\"((\"((\"#, '(', x: 1) // ((((";
        assert_eq!(too_deep(written, 1), None);
        assert_eq!(too_deep("()()()", 1), None);
        assert_eq!(too_deep("([{é(", 3), Some("([{é".len()));
    }

    #[test]
    fn a_path_that_leads_nowhere_says_what_there_is() {
        let check = |path: &str, expected: (usize, usize), rest: &str, known: &[&str]| {
            let astray = find(TEXT, path).expect_err(path);
            let position = astray.nearest.position();
            assert_eq!((position.line, position.column), expected, "{path}");
            assert_eq!((astray.rest.as_str(), astray.known), (rest, known.iter().map(ToString::to_string).collect()));
        };
        check("study.list.nobody.t", (5, 15), "nobody.t", &["a.b", "say \"c\"", "2"]);
        check("nothing", (2, 1), "nothing", &["version", "study"]);
        check("study.end.t", (8, 14), "t", &[]);
    }

    #[test]
    fn a_value_is_replaced_in_place() {
        let text = find(TEXT, "study.list.a.b.t").expect("found").replaced_by("Some(9)");
        assert_eq!(text, TEXT.replace("t: 0.1", "t: Some(9)"));
    }
}

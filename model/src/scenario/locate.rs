//! Finds where the value of a field stands in a RON text, so that an error can name line and column.
//!
//! The text has been read by the real parser before; this scanner only has to find its way.

/// A place in a text, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Position of the value at `path`, or of the last part of the path that exists.
///
/// Segments are field names, list indices, or the `name` field of a list entry; names may contain dots.
pub(super) fn locate(text: &str, path: &str) -> Position {
    let mut scanner = Scanner { rest: text };
    scanner.skip_blank();
    let mut found = scanner.rest;
    descend(scanner, path, &mut found);
    let before = &text[..text.len() - found.len()];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
}

/// Follows `path` from the value that the scanner stands at.
fn descend<'a>(mut scanner: Scanner<'a>, path: &str, found: &mut &'a str) {
    scanner.skip_blank();
    *found = scanner.rest;
    if path.is_empty() {
        return;
    }
    scanner.skip_ident();
    scanner.skip_blank();
    match scanner.rest.chars().next() {
        Some('(') => {
            for (key, value) in scanner.entries() {
                match key {
                    Some(key) => {
                        if let Some(rest) = after_segment(path, key) {
                            return descend(value, rest, found);
                        }
                    }
                    // A newtype such as Placement((…)): look through it.
                    None => return descend(value, path, found),
                }
            }
        }
        Some('[') => {
            for (index, (_, value)) in scanner.entries().into_iter().enumerate() {
                let by_name = value.name_of_struct().and_then(|name| after_segment(path, &name));
                if let Some(rest) = after_segment(path, &index.to_string()).or(by_name) {
                    return descend(value, rest, found);
                }
            }
        }
        _ => {}
    }
}

/// What follows the first segment of a path, if that segment is `segment`.
fn after_segment<'p>(path: &'p str, segment: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(segment)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

#[derive(Clone, Copy)]
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    /// White space, commas and comments.
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

    /// A string, plain or raw; gives its text without escapes being resolved.
    fn skip_string(&mut self) -> Option<&'a str> {
        if let Some(raw) = self.rest.strip_prefix('r') {
            let hashes = raw.len() - raw.trim_start_matches('#').len();
            let body = raw[hashes..].strip_prefix('"')?;
            let close = format!("\"{}", "#".repeat(hashes));
            let end = body.find(&close)?;
            self.rest = &body[end + close.len()..];
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
        None
    }

    /// Skips one value.
    fn skip_value(&mut self) {
        self.skip_blank();
        if self.skip_string().is_some() {
            return;
        }
        if self.rest.starts_with('\'') {
            // 'x' or '\x': the closing quote is at least two characters further.
            let end = self
                .rest
                .char_indices()
                .skip(2)
                .find(|(_, c)| *c == '\'')
                .map_or(self.rest.len(), |(index, _)| index + 1);
            self.rest = &self.rest[end..];
            return;
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || ",:()[]{}/\"".contains(c)).unwrap_or(self.rest.len());
        self.rest = &self.rest[end..];
        self.skip_blank();
        if self.rest.starts_with(['(', '[', '{']) {
            let mut depth = 0usize;
            while !self.rest.is_empty() {
                self.skip_blank();
                if self.skip_string().is_some() {
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
    }

    /// Entries of the bracket that the scanner stands at: key if there is one, and the value.
    fn entries(mut self) -> Vec<(Option<&'a str>, Self)> {
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
            let before = self.rest;
            let mut ahead = self;
            let key = ahead.skip_ident();
            ahead.skip_blank();
            let key = (!key.is_empty() && ahead.rest.starts_with(':')).then_some(key);
            if key.is_some() {
                ahead.skip_char();
                ahead.skip_blank();
                self = ahead;
            }
            entries.push((key, self));
            self.skip_value();
            if self.rest.len() == before.len() {
                return entries; // no progress: not the RON that was read
            }
        }
    }

    /// The text of the `name` field of the struct that the scanner stands at.
    fn name_of_struct(mut self) -> Option<String> {
        self.skip_ident();
        self.skip_blank();
        self.rest.starts_with('(').then_some(())?;
        let (_, mut value) = self.entries().into_iter().find(|(key, _)| *key == Some("name"))?;
        let text = value.skip_string()?;
        Some(text.replace("\\\"", "\"").replace("\\\\", "\\"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: (usize, usize)) {
        let text = "// a comment with (brackets]\n(\n    version: 1, /* and /* a */ nested one */\n    study: Placement((\n        list: [(name: \"a.b\", t: 0.1), (t: 5, name: \"say \\\"c\\\"\", deep: Some((x: -1)))],\n        map: { \"k)\": 1 },\n        last: 'c',\n        end: 7,\n    )),\n)\n";
        let found = locate(text, path);
        assert_eq!((found.line, found.column), expected, "{path}");
    }

    #[test]
    fn a_value_is_found_through_newtypes_lists_names_strings_and_comments() {
        check("version", (3, 14));
        check("study.list", (5, 15));
        check("study.list.0.t", (5, 33));
        check("study.list.a.b.t", (5, 33));
        check("study.list.1.t", (5, 43));
        check("study.list.say \"c\".deep.x", (5, 84));
        check("study.end", (8, 14));
    }

    #[test]
    fn the_nearest_existing_part_of_a_path_is_found() {
        check("study.list.nobody.t", (5, 15));
        check("nothing", (2, 1));
    }
}

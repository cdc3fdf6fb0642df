//! Safe text for a line of a terminal or of Markdown.

use std::borrow::Cow;

/// The text with its line breaks, and control characters as their pictures: no name from a file or a driver can steer a
/// terminal, or reorder what stands beside it.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| pictured(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(pictured).collect())
}

/// Replacement of a character: the picture of a control character (block U+2400 of Unicode), the replacement
/// character for those without one and for those that change the direction of the text.
fn pictured(c: char) -> char {
    match c {
        '\t' | '\n' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

/// The text on one line, so that no name from a file or a driver can break it: line breaks are spaces, other control
/// characters their pictures.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if matches!(c, '\t' | '\n' | '\r') { ' ' } else { pictured(c) }).collect()
}

/// The text on one line without its middle, if it has more characters than this.
#[must_use]
pub fn shortened(text: &str, longest: usize) -> String {
    let line = one_line(text);
    let length = line.chars().count();
    if length <= longest {
        return line;
    }
    let start = line.chars().take(longest / 2);
    let end = line.chars().skip(length - longest / 2);
    start.chain(['…']).chain(end).collect()
}

/// The text on one line, with Markdown markup escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if "\\`*_<|[".contains(c) {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

/// A text as a paragraph of Markdown: on one line, and no heading, list or quotation.
#[must_use]
pub fn paragraph(text: &str) -> String {
    let text = escaped(text);
    let line = text.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if line.starts_with(['#', '>', '-', '+', '=', '~', '!']) {
        format!("\\{line}")
    } else if digits > 0 && line[digits..].starts_with(['.', ')']) {
        format!("{}\\{}", &line[..digits], &line[digits..])
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_steer_a_terminal_is_seen() {
        // ECMA-48: ESC and CSI begin sequences. UAX 9: U+202E turns round what follows.
        let text = "a\u{1b}[31mb\u{9b}0m\u{202e}c\u{7f}\r\n\td";
        assert_eq!(visible(text), "a␛[31mb\u{fffd}0m\u{fffd}c␡␍\n\td");
        assert_eq!(one_line(text), "a␛[31mb\u{fffd}0m\u{fffd}c␡  \u{20}d");
        assert!(matches!(visible("Überlauf\n\tαβγ"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_long_text_loses_its_middle() {
        assert_eq!(shortened("abcdefghij", 10), "abcdefghij");
        assert_eq!(shortened("abcdefghijk", 10), "abcde…ghijk");
        assert_eq!(shortened("äöüß€", 4), "äö…ß€");
    }
}

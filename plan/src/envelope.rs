//! What clients put around a plan: psql's frames in all its styles, quotes of CSV, prefixes of a server's log. Also YAML, XML and text
//! of PostgreSQL, as the JSON that they would have been.

mod markup;
mod output;
mod text;

use std::borrow::Cow;

use serde_json::Number;

pub(crate) use self::markup::{xml, yaml};
pub(crate) use self::output::aligned;
pub(crate) use self::text::{is_text, text};

/// Lines and corners of frames, by psql's styles `ascii`, `old-ascii` and `unicode`.
const FRAME: &str = "─═━│║┃┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╪╫╞╡╤╧╟╢╥╨╒╕╘╛╓╖╙╜-+|= ";
/// Sides of cells.
const SIDES: [char; 4] = ['│', '║', '┃', '|'];
/// Marks at the end of a line that goes on in the next.
const GOES_ON: [char; 3] = ['↵', '+', '¶'];
/// The column of EXPLAIN's only row.
const COLUMN: &str = "QUERY PLAN";

/// A text without what clients put around its lines. Line numbers stay what they are.
pub(crate) fn bare(text: String) -> String {
    let text =
        if text.contains("\"\"Plan\"\"") || text.contains("\"\"Query Text\"\"") { unquoted(&text) } else { text };
    let is_framed = |line: &str| {
        let (begin, end) = (line.trim_start(), line.trim_end());
        begin.starts_with(SIDES) || end.ends_with(GOES_ON) || end.ends_with(SIDES) || begin.starts_with('"')
    };
    let is_logged = text.lines().any(|line| line.contains("postgres[") && line.contains("]: ["));
    if !is_logged && !text.lines().any(is_framed) {
        return text;
    }
    let lines = text.split('\n').map(|line| {
        let line = if is_logged { without_prefix(line) } else { Cow::Borrowed(line) };
        without_frame(&line).unwrap_or_else(|| line.into_owned())
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// A number as JSON would have it: one that is written without decimals is whole.
fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<u64>().ok().map(Number::from);
    whole.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64))
}

/// The inside of a line of a frame; `None`: it has none.
fn without_frame(line: &str) -> Option<String> {
    let whole = line.trim_end();
    if !whole.is_empty() && whole.chars().all(|letter| FRAME.contains(letter)) {
        return Some(String::new());
    }
    let mut inside = whole;
    // A side, then the mark; psql without a frame writes the mark alone.
    if let Some(before) = inside.strip_suffix(SIDES) {
        inside = before.trim_end();
    }
    if let Some(before) = inside.strip_suffix(GOES_ON) {
        inside = before;
    }
    let mut cell = inside.trim_start();
    let mut is_framed = inside.len() < whole.len();
    loop {
        // \x writes the name of the column before the first line of its value.
        let named = cell.strip_prefix(COLUMN).map(str::trim_start).filter(|rest| rest.starts_with(SIDES));
        let Some(rest) = named.unwrap_or(cell).strip_prefix(SIDES) else { break };
        cell = rest.trim_start();
        is_framed = true;
    }
    // A quote of pgAdmin before a document that it does not quote inside.
    if let Some(rest) = cell.strip_prefix('"')
        && matches!(rest.trim_end(), "[" | "{")
    {
        return Some(format!(" {rest}"));
    }
    // Places of errors stay near: what is inside keeps its own indentation.
    is_framed.then(|| if cell.len() == inside.trim_start().len() { format!("{inside} ") } else { cell.to_owned() })
}

/// A line of syslog without what stands before the message; `#011` is a tab.
fn without_prefix(line: &str) -> Cow<'_, str> {
    let Some(begin) = line.find("]: [") else { return Cow::Borrowed(line) };
    let message = line[begin + 4..].split_once("] ").filter(|(count, _)| {
        count.split('-').all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    });
    message.map_or(Cow::Borrowed(line), |(_, message)| Cow::Owned(message.replace("#011", " ")))
}

/// The fields of CSV in which quotes are doubled, each on lines of its own.
fn unquoted(text: &str) -> String {
    let mut inside = false;
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                plain.push('"');
            }
            '"' => {
                inside = !inside;
                // A field begins a line, so that a document in it does.
                if inside && !plain.ends_with('\n') && !plain.is_empty() {
                    plain.push('\n');
                }
            }
            ',' | ';' | '\t' if !inside => plain.push(' '),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_psql_are_taken_off() {
        for (line, expected) in [
            ("   {                              ↵", "{"),
            ("│   \"Plan\": {       ↵│", "\"Plan\": {"),
            ("| [      +|", "["),
            ("QUERY PLAN | [            +", "["),
            ("           |   {          +", "{"),
            ("│ QUERY PLAN │ [          ↵│", "["),
            ("├───────────────────┤", ""),
            ("+-------+", ""),
            ("│ ]                 │", "]"),
        ] {
            let inside = without_frame(line).expect("a frame");
            assert_eq!(inside.trim(), expected, "{line}");
        }
        for line in ["  \"Filter\": \"(a | b)\",", "{", "] }", "(1 row)", ""] {
            assert_eq!(without_frame(line), None, "{line}");
        }
    }

    #[test]
    fn quotes_of_csv_are_taken_off() {
        assert_eq!(unquoted("QUERY PLAN\n\"[{\"\"Plan\"\": {}}]\"\n"), "QUERY PLAN\n[{\"Plan\": {}}]\n");
        let logged = "2026-01-02,\"db\",\"duration: 1 ms  plan:\n{\"\"Query Text\"\": 1}\",,\n";
        assert_eq!(unquoted(logged), "2026-01-02 \ndb \nduration: 1 ms  plan:\n{\"Query Text\": 1}  \n");
    }

    #[test]
    fn lines_of_syslog_lose_their_prefix() {
        assert_eq!(without_prefix("Jan  2 03:04:05 db postgres[77]: [5-2] #011{"), " {");
        assert_eq!(without_prefix("{\"a\": [1]}"), "{\"a\": [1]}");
    }
}

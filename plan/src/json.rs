//! Reads JSON documents from a file of an engine or its client: bounded in size and depth, with the position of errors.
//!
//! Clients print more than the document: psql a header, a frame and `(1 row)`, DuckDB's shell a box with a title, a
//! server's log what came before. Frames and quotes are taken off first ([`envelope`]). Then documents are looked for: one
//! begins where a line begins with `{` or `[`, and ends where that closes.

use std::io::Read;
use std::path::Path;
use std::thread;

use serde::Deserialize;
use serde_json::Value;

use crate::control::Control;
use crate::envelope;
use crate::error::ImportError;
use crate::foreign;

/// Largest file. JSON takes up to thirty times as much in memory as on disk.
const LARGEST_BYTES: u64 = 32 << 20;
/// Most statements of a file.
const MOST_STATEMENTS: usize = 10_000;
/// Deepest nesting: an operator is two levels deeper than the one that reads it.
const DEEPEST: usize = 1_000;
/// Nesting that is safe on any thread's stack.
const SHALLOW: usize = 100;
/// Stack size, many times that of the deepest nesting.
const STACK_BYTES: usize = 64 << 20;
/// Bytes read between checks for cancellation.
const CHUNK_BYTES: usize = 1 << 20;

/// All JSON documents of a file, in order; `path` is its name. `expected` ends the message for a file without documents.
///
/// # Errors
/// [`ImportError`]: unreadable, empty, too large, no text, no document, or a damaged one; with line and column.
pub(crate) fn documents(
    file: &mut dyn Read,
    path: &Path,
    expected: &str,
    control: &Control,
) -> Result<Vec<Value>, ImportError> {
    let unusable = |problem: String| ImportError::unusable(path, problem);
    let text = envelope::aligned(whole_text(file, path, expected, control)?);
    if let Some(problem) = foreign::problem(&text) {
        return Err(unusable(problem));
    }
    if envelope::is_text(&text)
        && let Some(found) = envelope::text(&text).map_err(unusable)?
    {
        return Ok(found);
    }
    let text = envelope::bare(text);
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(begin) = next_document(text.as_bytes(), start) {
        control.check()?;
        let end = end_of(&text, begin).map_err(unusable)?;
        let depth_is_usual = end.deepest <= SHALLOW;
        let document = &text[begin..end.offset];
        let parsed = if depth_is_usual { parse(document) } else { parse_deep(document, path)? };
        found.push(parsed.map_err(|error| unusable(explain(&text, begin, &error)))?);
        start = end.offset;
    }
    if !found.is_empty() {
        return Ok(found);
    }
    if let Some(found) = envelope::yaml(&text).map_err(unusable)? {
        return Ok(found);
    }
    if let Some(found) = envelope::xml(&text).map_err(unusable)? {
        return Ok(found);
    }
    Err(unusable(format!("no JSON in it; expected {expected}")))
}

/// Rejects a file with too many statements.
///
/// # Errors
/// There are more than 10,000.
pub(crate) fn check_count(statements: usize) -> Result<(), String> {
    if statements > MOST_STATEMENTS {
        return Err(format!("more than {MOST_STATEMENTS} statements; split the file"));
    }
    Ok(())
}

/// The document in a string of another document.
///
/// # Errors
/// What is wrong, with line and column inside the string.
pub(crate) fn nested(text: &str) -> Result<Value, String> {
    let begin = text.len() - text.trim_start().len();
    let end = end_of(text, begin)?;
    if end.deepest > SHALLOW {
        return Err(format!("JSON inside a string may nest {SHALLOW} levels; save it as a file of its own"));
    }
    parse(text).map_err(|error| explain(text, 0, &error))
}

/// A file's text as it is. `expected` ends the message for a file that is none.
///
/// # Errors
/// [`ImportError`]: unreadable, empty, too large or no text, or the user cancelled.
pub(crate) fn whole_text(
    file: &mut dyn Read,
    path: &Path,
    expected: &str,
    control: &Control,
) -> Result<String, ImportError> {
    let unusable = |problem: String| Err(ImportError::unusable(path, problem));
    let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        control.check()?;
        let read = file.read(&mut chunk).map_err(failed)?;
        if read == 0 {
            break;
        }
        control.add(read as u64);
        bytes.extend_from_slice(&chunk[..read]);
        if bytes.len() as u64 > LARGEST_BYTES {
            return unusable(format!("larger than {} MiB; a file of plans is smaller", LARGEST_BYTES >> 20));
        }
    }
    let decoded = match bytes.strip_prefix(b"\xEF\xBB\xBF".as_slice()).unwrap_or(&bytes) {
        // PowerShell writes UTF-16 when it redirects a client's output.
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        rest => std::str::from_utf8(rest).ok().map(str::to_owned),
    };
    match decoded.filter(|text| !text.contains('\0')) {
        None => unusable(format!("not a text file; expected {expected}")),
        Some(text) if text.trim().is_empty() => unusable(format!("the file is empty; expected {expected}")),
        Some(text) => Ok(text),
    }
}

fn utf16(bytes: &[u8], decode: fn([u8; 2]) -> u16) -> Option<String> {
    let units: Vec<u16> = bytes.chunks(2).map(|pair| decode([pair[0], pair.get(1).copied().unwrap_or(0)])).collect();
    String::from_utf16(&units).ok()
}

/// Where the next document begins: at the first `{` or `[` that opens a line and is followed by what JSON allows there.
fn next_document(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    let mut is_first = start == 0;
    let mut at_line_start = true;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => at_line_start = true,
            b'{' | b'[' if at_line_start => {
                let follows = text[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
                // A file that opens with a bracket is meant as JSON, whatever follows.
                if is_first || matches!(follows, Some(b'"' | b'{' | b'[' | b'}' | b']')) {
                    return Some(at);
                }
                (at_line_start, is_first) = (false, false);
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => (at_line_start, is_first) = (false, false),
        }
        at += 1;
    }
    None
}

/// Where a document ends, and how deep it nests.
struct End {
    offset: usize,
    deepest: usize,
}

/// The end of the document that begins at `begin`, found without recursion.
fn end_of(text: &str, begin: usize) -> Result<End, String> {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for (offset, byte) in text.bytes().enumerate().skip(begin) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
                if depth > DEEPEST {
                    let (line, column) = place(text, offset);
                    return Err(format!(
                        "line {line}, column {column}: nested deeper than {DEEPEST} levels; no plan is as deep"
                    ));
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Ok(End { offset: offset + 1, deepest });
                }
            }
            _ => {}
        }
    }
    // Something may be wrong before the end; the parser says what and where.
    Ok(End { offset: text.len(), deepest })
}

fn parse(document: &str) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(document);
    reader.disable_recursion_limit(); // `end_of` has counted.
    let value = Value::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Parses on a stack of its own.
fn parse_deep(document: &str, path: &Path) -> Result<Result<Value, serde_json::Error>, ImportError> {
    let failed = |cause| ImportError::Read { path: path.to_owned(), cause };
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("deep JSON".to_owned()).stack_size(STACK_BYTES);
        let parser = builder.spawn_scoped(scope, || parse(document)).map_err(failed)?;
        parser.join().map_err(|_| ImportError::unusable(path, "the plan is nested too deep"))
    })
}

/// The error of the document that begins at `begin`, with its position in the whole text.
fn explain(text: &str, begin: usize, error: &serde_json::Error) -> String {
    let (first_line, first_column) = place(text, begin);
    let line = first_line + error.line().saturating_sub(1);
    let column = if error.line() <= 1 { first_column - 1 + error.column() } else { error.column() };
    let whole = error.to_string();
    let reason = whole.split(" at line ").next().unwrap_or(&whole);
    if error.is_eof() {
        return format!("line {line}, column {column}: the file ends inside the plan that begins on line {first_line}");
    }
    format!("line {line}, column {column}: {reason}")
}

/// Line and column of a place, from 1.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset];
    let lines_before = before.split(|byte| *byte == b'\n');
    let (line, last) = lines_before.enumerate().last().unwrap_or_default();
    (line + 1, last.len() + 1)
}

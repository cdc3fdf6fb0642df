//! What may stand in a line, and in one of Markdown.

/// The text without control characters, so that no name from a file or a driver can break a line or steer the
/// terminal.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The text on one line, with what Markdown would take for markup escaped.
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

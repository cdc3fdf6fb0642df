//! Lists of columns and expressions in the texts of Spark's operators: "Project [price#12, (a#1 + b#2) AS sum#3]".

/// The list in brackets behind a word, or the first one: "a, b" of "Project [a, b]".
pub(super) fn list_behind<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let start = if word.is_empty() { text.find('[')? } else { text.find(&format!("{word}["))? + word.len() };
    let mut depth = 0_usize;
    for (at, letter) in text[start..].char_indices() {
        match letter {
            '[' | '(' => depth += 1,
            ']' | ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return text.get(start + 1..start + at);
                }
            }
            _ => {}
        }
    }
    // Cut off.
    text.get(start + 1..)
}

/// The parts of a list between its commas, without those of lists and calls inside it. Angle brackets are comparisons
/// here: types with them stand inside calls of `cast`.
pub(super) fn parts(list: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let comma = move |letter: char| {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    };
    list.split(comma).map(str::trim).filter(|part| !part.is_empty())
}

/// Number of columns that the log replaced by a note.
pub(super) fn left_out(part: &str) -> Option<f64> {
    let note = part.strip_prefix("...")?;
    note.split_whitespace().next()?.parse().ok()
}

/// Name and number of a column, and whether it is a `bigint`; `None` if the text is no column alone.
pub(super) fn column(text: &str) -> Option<(&str, u64, bool)> {
    let (name, number) = text.rsplit_once('#')?;
    let (digits, is_long) = number.strip_suffix('L').map_or((number, false), |digits| (digits, true));
    let is_one_column = !name.is_empty() && !name.contains('#');
    Some((name, digits.parse().ok().filter(|_| is_one_column)?, is_long))
}

/// An expression as Spark calls its result: "max(name)" for "max(name#3)".
pub(super) fn without_numbers(expression: &str) -> String {
    let mut parts = expression.split('#');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let behind = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        text + behind.strip_prefix('L').unwrap_or(behind)
    })
}

/// The text in the outermost parentheses.
pub(super) fn argument(call: &str) -> &str {
    let inner = call.split_once('(').map_or(call, |(_, inner)| inner);
    inner.rsplit_once(')').map_or(inner, |(inner, _)| inner)
}

//! A command line as words. No shell reads it: quotes and backslashes group words, and nothing is expanded.

/// Why a command line cannot be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// It has no words.
    #[error("the command line is empty; expected a program and its arguments")]
    Empty,
    /// A quote without its end.
    #[error("a quotation mark ({0}) is not closed")]
    OpenQuote(char),
    /// A backslash with nothing behind it.
    #[error("the backslash at the end escapes nothing")]
    Backslash,
}

/// The words of a command line, by the quoting rules of POSIX shells: all is literal between single quotes; between double quotes a
/// backslash quotes `"`, `\`, `$` and a backquote; outside of quotes it quotes any character.
///
/// # Errors
/// There is no word, or a quote has no end.
pub fn words(line: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            _ if character.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(literal) => word.push(literal),
                        None => return Err(WordsError::OpenQuote('\'')),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('"') => break,
                        Some('\\') => {
                            let quoted = characters.next_if(|next| matches!(next, '"' | '\\' | '$' | '`'));
                            word.push(quoted.unwrap_or('\\'));
                        }
                        Some(literal) => word.push(literal),
                        None => return Err(WordsError::OpenQuote('"')),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next().ok_or(WordsError::Backslash)?),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    if words.is_empty() { Err(WordsError::Empty) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `sh -c 'printf "[%s]" …'` splits them (dash 0.5.12), where it expands nothing.
    #[test]
    fn words_are_those_of_a_shell() {
        for (line, expected) in [
            ("  a  b\tc ", &["a", "b", "c"][..]),
            ("python3 'my file.py' --n=3", &["python3", "my file.py", "--n=3"]),
            (
                r#"sh -c "i=0; while [ \$i -lt 9 ]; do i=\$((i+1)); done""#,
                &["sh", "-c", "i=0; while [ $i -lt 9 ]; do i=$((i+1)); done"],
            ),
            (r#"a'b'"c"d"#, &["abcd"]),
            (r#"'' "" x"#, &["", "", "x"]),
            (r"a\ b \'", &["a b", "'"]),
            (r#""a\b\\""#, &[r"a\b\"]),
        ] {
            assert_eq!(words(line).expect(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_command_line_is_named() {
        assert_eq!(words("  "), Err(WordsError::Empty));
        assert_eq!(words("a 'b"), Err(WordsError::OpenQuote('\'')));
        assert_eq!(words("a \"b"), Err(WordsError::OpenQuote('"')));
        assert_eq!(words("a \\"), Err(WordsError::Backslash));
        assert_eq!(words("''"), Ok(vec![String::new()]));
    }
}

//! Words for a shell: everything that one interprets is quoted.

/// A word quoted for a POSIX shell. A word with an equals sign is quoted too, because a first one would set a variable.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Words quoted for a shell, with spaces between them.
pub(crate) fn line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    words.into_iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Words that would start a program, set a variable or expand, if they were not quoted.
#[cfg(all(test, unix))]
pub(crate) const HOSTILE: [&str; 9] =
    ["a b", "", "$(touch x)", "`touch x`", "it's", "a=b", "* ? ~", "x\ny; touch x", "--option && touch x"];

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_shell_takes_every_word_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        for word in HOSTILE {
            let script = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").arg("-c").arg(&script).current_dir(&folder).output();
            let output = output.expect("a shell");
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{script}");
        }
        assert_eq!(std::fs::read_dir(&folder).expect("listed").count(), 0, "nothing was started");
    }
}

//! Words of command lines. Who reads a line decides its form: a POSIX shell ([`quoted`], [`line()`]), a person who decides whether
//! a program may start ([`shown`]), or a field of the window, which no shell reads ([`literal`]).

use std::ops::RangeInclusive;

/// Letters, marks and a symbol without a picture: those that Unicode ignores by default (`Default_Ignorable_Code_Point` of
/// `DerivedCoreProperties.txt`) and that are no format characters, and the empty pattern of Braille.
const BLANK: [RangeInclusive<char>; 9] = [
    '\u{34f}'..='\u{34f}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{e0100}'..='\u{e01ef}',
];

/// A word as a POSIX shell reads it: bare if all its characters are safe, else in single quotes, between which only a single
/// quote has a meaning (POSIX.1-2024, Shell Command Language, 2.2 Quoting).
///
/// An equals sign is safe only in an option: the first words of a command would set a variable, and zsh replaces `=name`. A word
/// that begins with a dash stays an option, quoted or not: whoever runs a command keeps names and options apart by `--`.
#[must_use]
pub fn quoted(word: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./:,@+".contains(c) || (c == '=' && word.starts_with('-'));
    if !word.is_empty() && word.chars().all(is_safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Words for a POSIX shell, each [`quoted`], with spaces between them.
#[must_use]
pub fn line(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    joined(words, quoted)
}

/// Words for a person who decides whether a program may start: what [`line()`] gives, but nothing in it is invisible. A line break
/// would look like the end of the command, a control character could overwrite it in a terminal, and others turn text around or
/// have no width.
///
/// A word with such a character is in dollar-single-quotes (POSIX.1-2024, 2.2.4), in which it is a `\n`, `\r`, `\t` or the octal
/// numbers of its bytes. Not every shell that scripts run in has these quotes, dash for example: a shell gets [`line()`].
#[must_use]
pub fn shown(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    joined(words, |word| if word.chars().any(is_invisible) { in_dollar_quotes(word) } else { quoted(word) })
}

/// Words of a line that no shell reads, in which quotation marks only keep words together. A backslash, `$`, `*` and `~` are
/// themselves, so that `C:\tools\solve.exe` is seen as it was typed; and a single quote stands in double quotes, because a
/// backslash does not escape it.
#[must_use]
pub fn literal(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    joined(words, |word| {
        if word.is_empty() || word.contains(|c: char| c.is_whitespace() || c == '"' || c == '\'') {
            format!("'{}'", word.replace('\'', r#"'"'"'"#))
        } else {
            word.to_owned()
        }
    })
}

/// Words with spaces between them, each in a form.
fn joined(words: impl IntoIterator<Item = impl AsRef<str>>, form: impl Fn(&str) -> String) -> String {
    words.into_iter().map(|word| form(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// A word in dollar-single-quotes.
fn in_dollar_quotes(word: &str) -> String {
    let mut text = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\n' => text.push_str(r"\n"),
            '\r' => text.push_str(r"\r"),
            '\t' => text.push_str(r"\t"),
            '\'' | '\\' => text.extend(['\\', c]),
            c if is_invisible(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    text += &format!("\\{byte:03o}");
                }
            }
            c => text.push(c),
        }
    }
    text.push('\'');
    text
}

/// Whether a character has no picture of its own: those that Rust escapes in texts for debugging, i.e. control and format
/// characters, separators except the space, private and unassigned ones; and letters and marks that are [`BLANK`].
fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    if BLANK.iter().any(|blank| blank.contains(&c)) {
        return true;
    }
    // Behind a letter: a mark that combines with it is visible, and escaped only at the beginning of a text.
    format!("a{c}").escape_debug().count() > 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words that would start a program, set a variable, expand or end, if they were not quoted.
    const HOSTILE: [&str; 19] = [
        "a b",
        "",
        "$(touch x)",
        "`touch x`",
        "it's",
        "'",
        "say \"no\"",
        r"a\",
        "a=b",
        "=ls",
        "* ? [a] {a,b} ~",
        "x\ny; touch x",
        "--option && touch x",
        "-rf",
        "#no comment",
        "!!",
        "%1",
        "ü\tß",
        "\u{a0}",
    ];

    #[test]
    fn words_of_safe_characters_are_bare_and_all_others_in_single_quotes() {
        for (word, expected) in [
            ("run.sbatch", "run.sbatch"),
            ("me@north:/a-b_c/d+e,f", "me@north:/a-b_c/d+e,f"),
            ("--gres=shard:2", "--gres=shard:2"),
            ("-rf", "-rf"),
            ("", "''"),
            ("a b", "'a b'"),
            ("a=b", "'a=b'"),
            ("it's", r"'it'\''s'"),
            ("--x=$(touch x)", "'--x=$(touch x)'"),
            ("`x`", "'`x`'"),
            ("x\ny", "'x\ny'"),
            ("größe", "'größe'"),
            ("50%", "'50%'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
        assert_eq!(line(["sbatch", "--gres=shard:2", "a=b"]), "sbatch --gres=shard:2 'a=b'");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_takes_every_word_as_it_is_and_starts_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = format!("printf '%s\\0' {}", line(HOSTILE));
        let output = std::process::Command::new("sh").arg("-c").arg(&script).current_dir(&folder).output();
        let output = String::from_utf8(output.expect("a shell").stdout).expect("what was passed");
        let seen: Vec<&str> = output.split_terminator('\0').collect();
        assert_eq!(seen, HOSTILE, "{script}");
        assert_eq!(std::fs::read_dir(&folder).expect("listed").count(), 0, "nothing was started");
    }

    #[test]
    fn a_person_sees_every_character() {
        assert_eq!(shown(["sh", "-c", "touch it", "größe", "e\u{301}"]), "sh -c 'touch it' 'größe' 'e\u{301}'");
        for (word, expected) in [
            ("a\nprogram: harmless", r"$'a\nprogram: harmless'"),
            ("harmless\rrm\t-rf", r"$'harmless\rrm\t-rf'"),
            ("\u{1b}[2K", r"$'\033[2K'"),
            // UTF-8 of U+202E, which turns text around, is E2 80 AE; of U+200B, which has no width, E2 80 8B.
            ("a\u{202e}b", r"$'a\342\200\256b'"),
            ("\u{200b}", r"$'\342\200\213'"),
            // A space that does not end a word: C2 A0.
            ("a\u{a0}b", r"$'a\302\240b'"),
            ("it's a \\ \u{7}", r"$'it\'s a \\ \007'"),
            // A letter of Korean that is a blank: E3 85 A4; a mark that chooses a form of the character before it: EF B8 8F.
            ("a\u{3164}b\u{fe0f}", r"$'a\343\205\244b\357\270\217'"),
        ] {
            assert_eq!(shown([word]), expected);
        }
    }

    #[test]
    fn a_line_that_no_shell_reads_keeps_backslashes_and_dollars() {
        let words = [r"C:\tools\solve.exe", "$HOME", "a b", "", "it's"];
        assert_eq!(literal(words), r#"C:\tools\solve.exe $HOME 'a b' '' 'it'"'"'s'"#);
    }

    proptest! {
        /// Read back by another implementation of the rules of a shell.
        #[test]
        fn any_words_are_read_back(words in prop::collection::vec(any::<String>(), 0..8)) {
            prop_assert_eq!(shlex::split(&line(&words)), Some(words));
        }

        #[test]
        fn no_text_that_is_shown_has_a_control_character(word in any::<String>(), c in any::<char>()) {
            let shown = shown([format!("{word}{c}\u{1b}\n")]);
            prop_assert!(!shown.contains(char::is_control), "{shown:?}");
        }
    }
}

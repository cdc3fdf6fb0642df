//! Text that may be written to a terminal: the only one that the printing functions of the programs take.

use std::fmt;

use super::visible;

/// Most characters of a message; it may quote a file, whose texts have any length.
pub const LONGEST_MESSAGE: usize = 4_000;

/// A text without characters that command a terminal or turn text around, whatever it was made from: names come from files of
/// unknown origin. Line breaks and tabs stay, all other control characters are [made visible](visible).
///
/// It is no `AsRef<str>`, so that every text becomes one by `into()`, and nothing is printed that was not escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printable(String);

impl<T: AsRef<str>> From<T> for Printable {
    fn from(text: T) -> Self {
        // The line ends of CSV stay; a carriage return alone would overwrite its line.
        let lines: Vec<_> = text.as_ref().split("\r\n").map(visible).collect();
        Self(lines.join("\r\n"))
    }
}

impl Printable {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text as a message: without its middle if it has more characters than [`LONGEST_MESSAGE`].
    #[must_use]
    pub fn message(self) -> Self {
        let length = self.0.chars().count();
        if length <= LONGEST_MESSAGE {
            return self;
        }
        let (start, end) = (LONGEST_MESSAGE * 3 / 4, LONGEST_MESSAGE / 4);
        let mut text: String = self.0.chars().take(start).collect();
        text.push_str(&format!(" … ({} characters are not shown) … ", length - start - end));
        text.extend(self.0.chars().skip(length - end));
        Self(text)
    }
}

impl fmt::Display for Printable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// ECMA-48: C0 and C1 control characters, DEL. Unicode, UAX 9, table 1: characters that set the direction of text.
    fn commands(c: char) -> bool {
        let turns = ['\u{61c}', '\u{200e}', '\u{200f}'].contains(&c)
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c);
        (c.is_control() && !['\t', '\n', '\r'].contains(&c)) || turns
    }

    #[test]
    fn line_ends_of_csv_stay_and_a_carriage_return_alone_is_seen() {
        assert_eq!(Printable::from("a,b\r\n1,2\r\n").as_str(), "a,b\r\n1,2\r\n");
        assert_eq!(Printable::from("harmless\rrm -rf").as_str(), "harmless␍rm -rf");
        assert_eq!(Printable::from("\u{1b}]0;owned\u{7}\u{85}\u{202e}").as_str(), "␛]0;owned␇\u{fffd}\u{fffd}");
        assert_eq!(Printable::from("Überlauf\n\tαβγ".to_owned()).as_str(), "Überlauf\n\tαβγ");
    }

    #[test]
    fn a_long_message_loses_its_middle_and_says_how_much() {
        let long = Printable::from(format!("begin{}end", "x".repeat(1_800_000))).message();
        assert!(long.as_str().starts_with("beginx") && long.as_str().ends_with("xend"));
        assert!(long.as_str().contains("(1796008 characters are not shown)"), "1,800,008 without 4,000");
        assert!(long.as_str().chars().count() < LONGEST_MESSAGE + 60);
        let most = "é".repeat(LONGEST_MESSAGE);
        assert_eq!(Printable::from(&most).message().as_str(), most);
    }

    proptest! {
        #[test]
        fn nothing_printable_commands_a_terminal(text in any::<String>(), c in any::<char>()) {
            let printable = Printable::from(format!("{text}{c}\u{1b}{text}\r{c}\u{9b}"));
            prop_assert!(!printable.as_str().chars().any(commands), "{printable:?}");
            let alone = printable.as_str().replace("\r\n", "");
            prop_assert!(!alone.contains('\r'));
            // What is harmless stays as it is.
            prop_assert_eq!(Printable::from(printable.as_str()), printable);
        }
    }
}

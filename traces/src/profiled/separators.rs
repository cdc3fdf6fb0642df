//! Separators of the numbers of a file: programs write decimals and thousands as the language of the system has them, so a single number
//! such as 1,024 does not tell which it is. All numbers of the file together do.

use super::number::number;

/// Separators between thousands that no language uses for decimals: spaces and apostrophes. Spaces that do not break are often
/// plain ones after a file was copied.
const OTHERS: [char; 5] = [' ', '\u{a0}', '\u{202f}', '’', '\''];

/// How a file writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separators {
    /// 1,024.5 or 1024.5.
    Point,
    /// 1.024,5 or 1024,5.
    Comma,
}

impl Separators {
    /// Those of a text whose fields stand in quotation marks.
    pub(super) fn of(text: &str) -> Self {
        Self::of_fields(text.split('"'))
    }

    /// Those of all fields of a table.
    pub(super) fn of_fields<'a>(fields: impl Iterator<Item = &'a str>) -> Self {
        let mut commas = 0_usize;
        for field in fields.map(str::trim).filter(|field| is_number(field)) {
            match (field.rfind('.'), field.rfind(',')) {
                (Some(point), Some(comma)) if point > comma => return Self::Point,
                (Some(_), Some(_)) => commas += 1,
                // Three digits behind it may be thousands, but not behind a zero.
                (None, Some(comma)) => {
                    let may_be_thousands = field.len() - comma - 1 == 3 && !is_zero(&field[..comma]);
                    commas += usize::from(field.matches(',').count() == 1 && !may_be_thousands);
                }
                (Some(_), None) => commas += usize::from(is_grouped(field)),
                (None, None) => {}
            }
        }
        if commas > 0 { Self::Comma } else { Self::Point }
    }

    /// A finite number; `None` where its separators are others.
    pub(super) fn number(self, text: &str) -> Option<f64> {
        let text = text.trim();
        if !are_thousands(text) {
            return None;
        }
        let text: String = text.chars().filter(|letter| !OTHERS.contains(letter)).collect();
        match self {
            Self::Point => number(&text),
            Self::Comma => {
                let turned = text.chars().map(|letter| match letter {
                    '.' => ',',
                    ',' => '.',
                    other => other,
                });
                number(&turned.collect::<String>())
            }
        }
    }
}

/// Whether spaces and apostrophes in a number stand before groups of three digits: "12 34" is no number.
fn are_thousands(text: &str) -> bool {
    text.split(OTHERS).skip(1).all(|group| {
        let digits = group.bytes().take_while(u8::is_ascii_digit).count();
        digits == 3 && group[digits..].chars().all(|letter| letter.is_ascii_digit() || ".,".contains(letter))
    })
}

/// Whether the digits before a separator are those of zero: no thousands follow.
fn is_zero(whole: &str) -> bool {
    whole.strip_prefix('-').unwrap_or(whole) == "0"
}

/// Whether points in a number stand between thousands. Three of them may be those of an address.
fn is_grouped(field: &str) -> bool {
    let points = field.matches('.').count();
    points > 1 && points != 3 && field.split('.').skip(1).all(|group| group.len() == 3)
}

/// Whether a field is a number with separators, whatever they mean.
fn is_number(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    field.len() <= 40
        && digits.starts_with(|letter: char| letter.is_ascii_digit())
        && digits.chars().all(|letter| letter.is_ascii_digit() || ".,".contains(letter) || OTHERS.contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_file_tells_its_decimals() {
        let of = |fields: &[&str]| {
            Separators::of(&fields.iter().map(|field| format!("\"{field}\",")).collect::<Vec<_>>().concat())
        };
        // A version such as 8.0 has a point in every language.
        assert_eq!(of(&["1.024", "46,47", "8.0"]), Separators::Comma);
        assert_eq!(of(&["88.000.000", "1.024"]), Separators::Comma);
        assert_eq!(of(&["1.024,5"]), Separators::Comma);
        assert_eq!(of(&["1,024", "46.47"]), Separators::Point);
        assert_eq!(of(&["1,024.5", "(16, 16, 1)", "12,5 apples"]), Separators::Point);
        assert_eq!(of(&["1,024"]), Separators::Point);
        assert_eq!(of(&["0,125", "1.024"]), Separators::Comma, "no thousands follow a zero");
        assert_eq!(of(&["1 234 567", "12,34"]), Separators::Comma);
        assert_eq!(of(&["127.0.0.1", "192.168.100.200", "9.0"]), Separators::Point, "addresses are no numbers");
    }

    #[test]
    fn numbers_are_read_as_their_file_writes_them() {
        assert_eq!(Separators::Comma.number("1.024,5"), Some(1_024.5));
        assert_eq!(Separators::Comma.number("46,47"), Some(46.47));
        assert_eq!(Separators::Comma.number("88\u{202f}000\u{202f}000,5"), Some(88_000_000.5));
        assert_eq!(Separators::Point.number("88’000.5"), Some(88_000.5));
        assert_eq!(Separators::Point.number("1,024"), Some(1_024.0));
        assert_eq!(Separators::Comma.number("1 234 567,5"), Some(1_234_567.5));
        assert_eq!(Separators::Point.number("45 678"), Some(45_678.0));
        assert_eq!(Separators::Point.number("12 34"), None, "two numbers are not one");
        assert_eq!(Separators::Comma.number("46.47"), None, "no group of thousands has two digits");
        assert_eq!(Separators::Comma.number("3,5e8"), Some(3.5e8));
        assert_eq!(Separators::Comma.number("0.125"), None, "no thousands follow a zero");
    }
}

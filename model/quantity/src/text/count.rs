//! Counts with their nouns.

use crate::unit::Unit;

/// A count with its noun, which is given as of one: “1 run”, “2,000 runs”, “3 queries”.
#[must_use]
pub fn counted(count: f64, one: &str) -> String {
    let number = Unit::Count.format(count);
    if count.abs() == 1.0 { format!("{number} {one}") } else { format!("{number} {}", plural(one)) }
}

/// A part of a count with its noun: “13 of 21 operators”, “1 of 1 operator”.
#[must_use]
pub fn counted_of(part: f64, all: f64, one: &str) -> String {
    format!("{} of {}", Unit::Count.format(part), counted(all, one))
}

/// The regular plural of an English noun: “runs”, “queries”, “classes”.
fn plural(one: &str) -> String {
    let is_consonant = |before: &str| before.ends_with(|letter: char| !"aeiou".contains(letter));
    match one.strip_suffix('y') {
        Some(before) if is_consonant(before) => format!("{before}ies"),
        _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| one.ends_with(end)) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, counted_of};

    #[test]
    fn only_one_is_singular() {
        for (count, expected) in
            [(0.0, "0 runs"), (1.0, "1 run"), (-1.0, "−1 run"), (1.5, "1.5 runs"), (2e3, "2,000 runs")]
        {
            assert_eq!(counted(count, "run"), expected);
        }
    }

    #[test]
    fn regular_plurals_follow_the_last_letters() {
        let nouns =
            [("query", "queries"), ("day", "days"), ("class", "classes"), ("launch", "launches"), ("GPU", "GPUs")];
        for (one, several) in nouns {
            assert_eq!(counted(1.0, one), format!("1 {one}"));
            assert_eq!(counted(2.0, one), format!("2 {several}"));
        }
    }

    #[test]
    fn the_noun_of_a_part_follows_the_whole() {
        assert_eq!(counted_of(1.0, 21.0, "operator"), "1 of 21 operators");
        assert_eq!(counted_of(0.0, 1.0, "operator"), "0 of 1 operator");
        assert_eq!(counted_of(9e3, 1e4, "operator"), "9,000 of 10,000 operators");
    }
}

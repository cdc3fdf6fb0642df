//! Which applications of the list are shown.

use std::collections::BTreeSet;

use super::row::Row;
use crate::application::Verdict;
use crate::blocker::Blocker;

/// Which applications are shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// A part of name, id, user or queue, whatever its case; with `*` or `?` a pattern of the whole name.
    pub text: String,
    /// The verdicts that are shown; empty: all.
    pub verdicts: BTreeSet<Verdict>,
    /// What keeps them from moving; `None`: any.
    pub blocker: Option<Blocker>,
}

impl Filter {
    /// Whether it can leave applications out.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !self.text.trim().is_empty() || !self.verdicts.is_empty() || self.blocker.is_some()
    }

    /// The predicate for text and verdict, without the blocker.
    pub(super) fn without_blocker(&self) -> impl Fn(&Row) -> bool + use<'_> {
        let text = self.text.trim().to_lowercase();
        let glob: Option<Vec<char>> = text.contains(['*', '?']).then(|| text.chars().collect());
        move |row| {
            let has_verdict = self.verdicts.is_empty() || self.verdicts.contains(&row.verdict);
            has_verdict
                && match &glob {
                    Some(glob) => fits(glob, &row.name.to_lowercase()),
                    None => text.is_empty() || row.searched.contains(&text),
                }
        }
    }

    /// Whether an application has the filter's blocker.
    pub(super) fn has_blocker(&self, row: &Row) -> bool {
        self.blocker.is_none() || row.blocker() == self.blocker
    }
}

/// Whether a text matches a pattern with `*` for any characters and `?` for one. The time is at most the product of both
/// lengths.
fn fits(pattern: &[char], text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut in_text) = (0, 0);
    // The last star, and the end of the text that it matches.
    let mut star: Option<(usize, usize)> = None;
    while in_text < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_text));
                at += 1;
            }
            Some(c) if *c == '?' || *c == text[in_text] => {
                at += 1;
                in_text += 1;
            }
            _ => {
                let Some((place, taken)) = &mut star else { return false };
                *taken += 1;
                (at, in_text) = (*place + 1, *taken);
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_any_letters_and_question_marks_for_one() {
        for (pattern, text, expected) in [
            ("load-*", "load-2026", true),
            ("load-*", "reload-2026", false),
            ("*load*", "reload-2026", true),
            ("l??d*", "load", true),
            ("l??d", "load-1", false),
            ("*a*b*c", "xxaxxbxxbc", true),
            ("*a*b*c", "xxaxxcxxb", false),
            ("**", "", true),
            ("?", "ä", true),
        ] {
            let glob: Vec<char> = pattern.chars().collect();
            assert_eq!(fits(&glob, text), expected, "{pattern} of {text}");
        }
    }

    #[test]
    fn a_pattern_that_could_try_everything_is_decided_at_once() {
        let glob: Vec<char> = "*a".repeat(200).chars().chain(['b']).collect();
        assert!(!fits(&glob, &"a".repeat(5_000)));
    }
}

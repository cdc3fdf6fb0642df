//! Entries that are left out or rounded: counted and named for the user instead of rejecting the file.

use std::path::Path;

use crossover_quantity::balance::{Balance, BalanceOf, Tally};

/// Entries that are named; the others are counted.
const NAMED: usize = 3;
/// Characters of a name or field that a message shows.
const SHOWN: usize = 40;

/// Entries of a file that are left out.
pub(crate) struct LeftOut {
    /// Name of an entry, singular and plural.
    what: [&'static str; 2],
    problems: Vec<String>,
    count: usize,
    /// Parts of the import that the entries would have been, such as runs.
    parts: usize,
}

impl LeftOut {
    /// None yet.
    pub(crate) fn new(one: &'static str, several: &'static str) -> Self {
        Self { what: [one, several], problems: Vec::new(), count: 0, parts: 0 }
    }

    /// Adds an entry: its place, and the problem.
    pub(crate) fn add(&mut self, place: impl FnOnce() -> String, problem: &str) {
        self.add_several(1, place, problem);
    }

    /// Adds an entry of several parts, such as a line with several measurements.
    pub(crate) fn add_several(&mut self, parts: usize, place: impl FnOnce() -> String, problem: &str) {
        self.count += 1;
        self.parts += parts;
        if self.problems.len() < NAMED {
            self.problems.push(format!("{}: {problem}", place()));
        }
    }

    /// Parts that the entries would have been.
    pub(crate) fn parts(&self) -> usize {
        self.parts
    }

    /// The error without any usable entry, with the first problem.
    pub(crate) fn nothing_of(&self, expected: &str) -> String {
        let first = self.problems.first().map(|problem| format!("; {problem}")).unwrap_or_default();
        format!("no valid {expected}{first}")
    }

    /// Adds a note with the count and the first problems; none if nothing was left out.
    pub(crate) fn note(&self, path: &Path, notes: &mut Vec<String>) {
        self.note_of(path, None, notes);
    }

    /// The same, with what the entries are of a total: "5 lines were left out (5 of 125 runs): …".
    pub(crate) fn note_of(&self, path: &Path, total: Option<&Balance>, notes: &mut Vec<String>) {
        if self.count == 0 {
            return;
        }
        let (count, [one, several]) = (self.count, self.what);
        let entries = if count == 1 { format!("1 {one} was") } else { format!("{count} {several} were") };
        let part = total.and_then(|total| total.part(self.parts as f64));
        let part = part.map(|part| format!(" ({part})")).unwrap_or_default();
        notes.push(format!("{}: {entries} left out{part}: {}", path.display(), self.reason()));
    }

    /// What is wrong with the first entries, and how many more there are.
    fn reason(&self) -> String {
        let more = self.count - self.problems.len();
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("{}{rest}", self.problems.join("; "))
    }

    /// What is left out, and the parts that are kept.
    pub(crate) fn total(&self, quantity: BalanceOf, kept: usize) -> Tally {
        let mut tally = self.tally(quantity);
        tally.keep(kept as f64);
        tally
    }

    /// What is left out, for a balance; the caller adds what is kept.
    pub(crate) fn tally(&self, quantity: BalanceOf) -> Tally {
        let mut tally = Tally::new(quantity);
        tally.lose(self.parts as f64, &self.reason());
        tally
    }
}

/// Names of entries that a note is about: the first few are kept, all are counted.
#[derive(Default)]
pub(crate) struct Named {
    first: Vec<String>,
    count: usize,
}

impl Named {
    /// How many.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// One more.
    pub(crate) fn add(&mut self, name: &str) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(shown(name));
        }
    }

    /// Adds a note, if there are any: their count and names, and the text.
    pub(crate) fn note(&self, notes: &mut Vec<String>, [one, several]: [&str; 2], remark: &str) {
        if self.count == 0 {
            return;
        }
        let what = if self.count == 1 { one } else { several };
        let more = self.count - self.first.len();
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!("{} {what} ({}{rest}): {remark}", self.count, self.first.join(", ")));
    }
}

/// Contradictions within entries: the first few are kept, all are counted.
#[derive(Default)]
pub(crate) struct Contradictions {
    first: Vec<String>,
    count: usize,
}

impl Contradictions {
    /// One more: the name of the entry, and what contradicts what.
    pub(crate) fn add(&mut self, name: &str, what: &str) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push(format!("{}: {what}", shown(name)));
        }
    }

    /// Adds a note, if there are any.
    pub(crate) fn note(&self, notes: &mut Vec<String>, [one, several]: [&str; 2]) {
        if self.count == 0 {
            return;
        }
        let what = if self.count == 1 { one } else { several };
        let more = self.count - self.first.len();
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        notes.push(format!("{} {what} with contradicting counts of GPUs: {}{rest}", self.count, self.first.join("; ")));
    }
}

/// As much of a text as fits into a sentence.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_are_named_and_the_others_counted() {
        let mut out = LeftOut::new("line", "lines");
        for line in 2..7 {
            out.add(|| format!("line {line}"), "no number");
        }
        let mut notes = Vec::new();
        out.note(Path::new("a.csv"), &mut notes);
        let expected =
            "a.csv: 5 lines were left out: line 2: no number; line 3: no number; line 4: no number; and 2 more";
        assert_eq!(notes, [expected]);
        assert_eq!(out.nothing_of("job"), "no valid job; line 2: no number");
    }

    #[test]
    fn what_is_left_out_stands_beside_the_total() {
        let mut out = LeftOut::new("line", "lines");
        out.add(|| "line 2".to_owned(), "no number");
        out.add_several(3, || "line 4".to_owned(), "too short");
        let balance = out.total(BalanceOf::Runs, 6).balance().expect("runs");
        assert_eq!((balance.total, balance.accounted, balance.missing()), (10.0, 6.0, 4.0));
        let mut notes = Vec::new();
        out.note_of(Path::new("a.csv"), Some(&balance), &mut notes);
        assert_eq!(notes, ["a.csv: 2 lines were left out (4 of 10 runs): line 2: no number; line 4: too short"]);
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        let mut notes = Vec::new();
        LeftOut::new("line", "lines").note(Path::new("a.csv"), &mut notes);
        Named::default().note(&mut notes, ["node", "nodes"], "cordoned");
        assert!(notes.is_empty());
        let mut named = Named::default();
        named.add("n1");
        named.note(&mut notes, ["node", "nodes"], "cordoned");
        assert_eq!(notes, ["1 node (n1): cordoned"]);
    }
}

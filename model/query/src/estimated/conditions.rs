//! Share of the rows that a condition passes, by its text.

use std::collections::BTreeMap;

use super::tables::{Tables, UNKNOWN_VALUES, is_name};

/// Shares of conditions whose columns are not known: one bound, two bounds, an equality with an expression, a pattern, not equal,
/// null, any other.
pub(super) const ONE_BOUND: f64 = 0.33;
const TWO_BOUNDS: f64 = 0.25;
const EQUAL: f64 = 0.1;
const PATTERN: f64 = 0.1;
const NOT_EQUAL: f64 = 0.9;
const NULL: f64 = 0.03;
const OTHER: f64 = 0.5;
/// Letters of a condition that are read, also anew for each pair of brackets: an importer keeps as many, a scenario may have any.
const MOST_LETTERS: usize = 1_000;
/// Conditions inside each other that are read.
const DEEPEST: usize = 32;
/// Days of a year and of a month.
const YEAR: f64 = 365.25;
const MONTH: f64 = 30.44;
/// Comparisons, the longer ones first.
const SIGNS: [&str; 7] = [" <=> ", " >= ", " <= ", " != ", " = ", " > ", " < "];

/// What a condition is about: the rows of an operator.
pub(super) struct Conditions<'a> {
    pub(super) tables: &'a Tables,
    /// Different values of a column in these rows.
    pub(super) values: &'a dyn Fn(&str) -> f64,
    /// Share of these rows that have no value of a column; `None` if that is not known.
    pub(super) nulls: &'a dyn Fn(&str) -> Option<f64>,
    /// Shares of the rows that the bloom filters of the condition pass, in their order.
    pub(super) blooms: Vec<f64>,
    /// Values that columns are limited to by the condition.
    pub(super) limits: BTreeMap<String, f64>,
}

/// A bound of a column: its sign and its value.
type Bound<'t> = (&'t str, &'t str);

impl Conditions<'_> {
    /// Share of the rows that pass; `text` may be cut off at its end.
    pub(super) fn share(&mut self, text: &str) -> f64 {
        let text: String = text.trim_end_matches('…').chars().take(MOST_LETTERS).collect();
        let open = text.matches('(').count().saturating_sub(text.matches(')').count());
        let whole = format!("{text}{}", ")".repeat(open));
        self.of(&whole, true, 0).clamp(0.0, 1.0)
    }

    /// `is_needed`: whether all rows have to pass it.
    fn of(&mut self, text: &str, is_needed: bool, depth: usize) -> f64 {
        if depth > DEEPEST {
            return OTHER;
        }
        let any_of = parts(text, " OR ");
        if any_of.len() > 1 {
            return 1.0 - any_of.into_iter().map(|part| 1.0 - self.of(part, false, depth + 1)).product::<f64>();
        }
        let mut ranges: BTreeMap<&str, Vec<Bound<'_>>> = BTreeMap::new();
        let mut share = 1.0;
        for part in parts(text, " AND ") {
            if let Some((name, bound)) = bound(part) {
                ranges.entry(name).or_default().push(bound);
            } else if parts(part, " OR ").len() > 1 {
                share *= self.of(part, false, depth + 1);
            } else {
                share *= self.of_clause(part, is_needed, depth);
            }
        }
        share * ranges.into_iter().map(|(name, bounds)| self.of_range(name, &bounds)).product::<f64>()
    }

    /// Share of a condition without AND and OR.
    fn of_clause(&mut self, text: &str, is_needed: bool, depth: usize) -> f64 {
        if let Some(rest) = text.strip_prefix("NOT ") {
            return 1.0 - self.of(rest, false, depth + 1);
        }
        if text.starts_with("might_contain(") {
            return if self.blooms.is_empty() { 1.0 } else { self.blooms.remove(0) };
        }
        let starts = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
        if starts(&["isnotnull("]) {
            return 1.0 - argument(text, "isnotnull").and_then(self.nulls).unwrap_or(0.0);
        }
        if starts(&["isnull("]) {
            return argument(text, "isnull").and_then(self.nulls).unwrap_or(NULL);
        }
        if starts(&["StartsWith(", "EndsWith(", "Contains("]) || text.contains(" LIKE ") {
            return PATTERN;
        }
        if let Some((left, list)) = text.split_once(" IN (").or_else(|| text.split_once(" INSET ")) {
            return self.of_list(left, list, is_needed);
        }
        let compared = SIGNS.iter().find_map(|sign| Some((*sign, text.split_once(*sign)?)));
        match compared {
            Some((" != ", _)) => NOT_EQUAL,
            Some((" = " | " <=> ", (left, right))) => self.of_equality(left, right, is_needed),
            Some(_) => ONE_BOUND,
            None => OTHER,
        }
    }

    fn of_list(&mut self, name: &str, list: &str, is_needed: bool) -> f64 {
        let name = name.trim_start_matches('(');
        if !is_name(name) {
            return OTHER;
        }
        let count = list.matches(',').count() as f64 + 1.0;
        if is_needed {
            self.limit(name, count);
        }
        let each = self.tables.share_of_days(name).unwrap_or_else(|| 1.0 / (self.values)(name));
        (count * each).min(1.0)
    }

    fn of_equality(&mut self, left: &str, right: &str, is_needed: bool) -> f64 {
        let is_column = |text: &str| is_name(text) && self.tables.has(text);
        // "(5 = quantity)"
        let (name, other) = if !is_name(left) && is_column(right) { (right, left) } else { (left, right) };
        if !is_name(name) {
            return EQUAL;
        }
        let other = is_column(other).then_some(other);
        if is_needed && other.is_none() {
            self.limit(name, 1.0);
        }
        self.tables.share_of_days(name).unwrap_or_else(|| {
            let of_other = other.map_or(0.0, |other| (self.values)(other));
            1.0 / (self.values)(name).max(of_other)
        })
    }

    fn limit(&mut self, name: &str, count: f64) {
        self.limits.insert(self.tables.real(name).to_owned(), count);
    }

    /// Share of the rows between bounds: of a calendar its days, of whole numbers theirs among the usual ones, else a guess.
    fn of_range(&self, name: &str, bounds: &[Bound<'_>]) -> f64 {
        let of = |sign: char| bounds.iter().find(|(found, _)| found.starts_with(sign)).map(|(_, value)| *value);
        let (Some(low), Some(high)) = (of('>'), of('<')) else { return ONE_BOUND };
        if let (Some(first), Some(last)) = (day(low), day(high)) {
            return ((last - first + 1.0) / self.tables.days).clamp(0.0, 1.0);
        }
        let (Ok(low), Ok(high)) = (low.parse::<i64>(), high.parse::<i64>()) else { return TWO_BOUNDS };
        let count = high.saturating_sub(low).max(0) as f64 + 1.0;
        let is_unknown = self.tables.compared_values(name).is_none() && count <= UNKNOWN_VALUES;
        let of_files = self.tables.most_values(name).map(f64::recip);
        let each = self.tables.share_of_days(name).or(of_files).or(is_unknown.then_some(1.0 / UNKNOWN_VALUES));
        each.map_or(TWO_BOUNDS, |each| (count * each).min(1.0))
    }
}

/// The argument of a call of a function: "item" of "isnotnull(item)".
fn argument<'t>(text: &'t str, function: &str) -> Option<&'t str> {
    text.strip_prefix(function)?.strip_prefix('(')?.strip_suffix(')')
}

/// A column with a number or a date as its bound: "`d_month_seq` >= 1200".
fn bound(text: &str) -> Option<(&str, Bound<'_>)> {
    let mut words = text.split(' ');
    let (name, sign, value) = (words.next()?, words.next()?, words.next()?);
    let is_bound = words.next().is_none() && is_name(name) && matches!(sign, ">" | ">=" | "<" | "<=");
    let is_value = value.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
        && value.chars().all(|letter| letter.is_ascii_digit() || matches!(letter, '-' | '.'));
    (is_bound && is_value).then_some((name, (sign, value)))
}

/// A date "2001-02-28" as a number of days.
fn day(text: &str) -> Option<f64> {
    let mut parts = text.split('-').map(str::parse::<u16>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    parts.next().is_none().then(|| f64::from(year) * YEAR + f64::from(month) * MONTH + f64::from(day))
}

/// A condition without brackets around all of it.
fn bare(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
        let mut depth = 1_usize;
        for letter in inner.chars() {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                // The first bracket ends before the last one.
                return text;
            }
        }
        text = inner.trim();
    }
}

/// The conditions that a word connects, also in brackets within each other.
fn parts<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut waiting = vec![bare(text)];
    while let Some(text) = waiting.pop() {
        let mut own = Vec::new();
        let (mut depth, mut start) = (0_usize, 0);
        for (at, letter) in text.char_indices() {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ' ' if depth == 0 && at >= start && text[at..].starts_with(word) => {
                    own.push(&text[start..at]);
                    start = at + word.len();
                }
                _ => {}
            }
        }
        if own.is_empty() {
            found.push(text);
        } else {
            own.push(&text[start..]);
            waiting.extend(own.into_iter().rev().map(bare));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_taken_apart_at_their_words() {
        assert_eq!(parts("((a AND (b OR c)) AND d)", " AND "), ["a", "b OR c", "d"]);
        assert_eq!(parts("(a = 1)", " AND "), ["a = 1"]);
        assert_eq!(parts("((a) OR (b))", " OR "), ["a", "b"]);
        assert_eq!(bare("((a) AND (b))"), "(a) AND (b)");
    }

    #[test]
    fn bounds_are_columns_with_a_number_or_a_date() {
        assert_eq!(bound("d_month_seq >= 1200"), Some(("d_month_seq", (">=", "1200"))));
        assert_eq!(bound("d_date <= 2001-02-28"), Some(("d_date", ("<=", "2001-02-28"))));
        assert_eq!(bound("price > cost"), None);
        assert_eq!(bound("(a + b) > 3"), None);
        // 59 days by months of 30.44 days: 30.44 + 28 from 1 January to 29 February.
        let days = day("2000-02-29").zip(day("2000-01-01")).map(|(last, first)| last - first);
        assert!(days.is_some_and(|days| (days - 58.44).abs() < 1e-6), "{days:?}");
    }

    /// Conditions on columns with fifty values.
    fn conditions<'a>(tables: &'a Tables, nulls: &'a dyn Fn(&str) -> Option<f64>) -> Conditions<'a> {
        const FIFTY: fn(&str) -> f64 = |_| 50.0;
        Conditions { tables, values: &FIFTY, nulls, blooms: Vec::new(), limits: BTreeMap::new() }
    }

    #[test]
    fn a_condition_that_is_cut_off_keeps_what_it_has() {
        let tables = Tables::default();
        let mut conditions = conditions(&tables, &|_| None);
        // One of fifty values, and a half for what nothing is known of.
        let share = conditions.share("((isnotnull(a) AND (a = 3)) AND abs(b…");
        assert!((share - 0.01).abs() < 1e-12, "{share}");
        assert_eq!(conditions.limits.get("a"), Some(&1.0));
    }

    #[test]
    fn null_values_that_are_known_do_not_pass() {
        let tables = Tables::default();
        let nulls = |name: &str| (name == "a").then_some(0.04);
        let mut conditions = conditions(&tables, &nulls);
        for (text, expected) in [("((isnotnull(a) AND isnotnull(b)) AND (a = 3))", 0.96 / 50.0), ("isnull(a)", 0.04)] {
            let share = conditions.share(text);
            assert!((share - expected).abs() < 1e-12, "{text}: {share}");
        }
    }

    #[test]
    fn a_condition_without_end_is_read_at_its_beginning() {
        let tables = Tables::default();
        let mut conditions = conditions(&tables, &|_| None);
        assert_eq!(conditions.share(&"(".repeat(5_000_000)), OTHER);
    }

    #[test]
    fn either_of_two_conditions_passes_more_than_one() {
        let tables = Tables::default();
        let mut conditions = Conditions {
            tables: &tables,
            values: &|_| 10.0,
            nulls: &|_| None,
            blooms: vec![0.25],
            limits: BTreeMap::new(),
        };
        // 1 − 0.9 · 0.8; a condition that not all rows have to pass limits no column.
        let share = conditions.share("((a = x) OR a IN (y,z))");
        assert!((share - 0.28).abs() < 1e-12, "{share}");
        assert!(conditions.limits.is_empty());
        let share = conditions.share("(might_contain(Subquery scalar-subquery, xxhash64(a, 42)) AND NOT (a = x))");
        assert!((share - 0.25 * 0.9).abs() < 1e-12, "{share}");
    }
}

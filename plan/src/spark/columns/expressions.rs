//! Bytes of what expressions and aggregate functions give, from the types of the columns that they read.

use std::collections::BTreeMap;

use super::super::lists::{argument, column, left_out, parts, without_numbers};
use super::super::width::type_width;
use super::row::{Columns, USUAL};

/// Bytes of a text of which nothing is known, as Spark guesses.
pub(super) const TEXT: f64 = 20.0;
/// What a function that gives a text begins with.
const TEXTS: [&str; 11] =
    ["concat", "substr", "upper", "lower", "trim", "ltrim", "rtrim", "date_format", "regexp", "lpad", "rpad"];

/// Bytes of one value of each column that is known.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub(super) by_number: BTreeMap<u64, f64>,
    /// Of what an aggregate works out, by its text: "max(name)" of "max(name#3)". Who reads it gives it a number.
    by_text: BTreeMap<String, f64>,
    /// Columns of tables by their names there, also under the numbers that they get later.
    pub(super) names: BTreeMap<u64, String>,
}

impl Types {
    /// Notes that a column gets another number.
    pub(super) fn renumber(&mut self, from: u64, to: u64) {
        if let Some(name) = self.names.get(&from).cloned() {
            self.names.insert(to, name);
        }
    }

    pub(super) fn of(&self, name: &str, number: u64) -> Option<f64> {
        self.by_number.get(&number).or_else(|| self.by_text.get(name)).copied()
    }
}

/// What aggregate functions give, or keep while they are not done.
pub(super) fn functions(list: &str, types: &mut Types) -> Columns {
    let mut found = Columns::default();
    for part in parts(list) {
        if let Some(count) = left_out(part) {
            found.left_out += count;
            continue;
        }
        let (mut call, mut is_partial) = (part, false);
        loop {
            let before = call;
            for (prefix, is_of_state) in [("gpu", false), ("basic", false), ("partial_", true), ("merge_", true)] {
                if let Some(rest) = call.strip_prefix(prefix) {
                    (call, is_partial) = (rest, is_partial || is_of_state);
                }
            }
            if call == before {
                break;
            }
        }
        let width = match call.split('(').next().unwrap_or_default() {
            // A sum and a count.
            "avg" | "average" if is_partial => {
                found.known.push((u64::MAX, USUAL));
                USUAL
            }
            // A count, a mean and a second moment.
            "stddev" | "stddev_samp" | "stddev_pop" | "variance" | "var_samp" | "var_pop" if is_partial => {
                found.known.extend([(u64::MAX, USUAL); 2]);
                USUAL
            }
            "min" | "max" | "first" | "last" | "any_value" => of_expression(argument(call), types),
            name if name.contains("decimal128") => 16.0,
            _ => USUAL,
        };
        if !is_partial {
            types.by_text.insert(without_numbers(call), width);
        }
        found.known.push((u64::MAX, width));
    }
    found
}

/// Bytes of what a function gives, by its call with the number of its result: "max(name#3)#9".
pub(super) fn of_result(text: &str, types: &Types) -> Option<f64> {
    let (call, number) = text.rsplit_once('#')?;
    let is_number = number.trim_end_matches('L').bytes().all(|letter| letter.is_ascii_digit());
    let is_result = is_number && call.ends_with(')');
    is_result.then(|| types.by_text.get(&without_numbers(call)).copied().unwrap_or(USUAL))
}

/// Bytes of what an expression gives.
pub(super) fn of_expression(expression: &str, types: &Types) -> f64 {
    let expression = expression.trim();
    if let Some((name, id, is_long)) = column(expression) {
        return if is_long { USUAL } else { types.of(name, id).unwrap_or(USUAL) };
    }
    if let Some(width) = of_result(expression, types) {
        return width;
    }
    let cast_to =
        |text: &str| text.strip_suffix(')').and_then(|text| text.rsplit_once(" as ")).map(|(_, to)| to.to_owned());
    if expression.starts_with("cast(")
        && let Some(to) = cast_to(expression)
    {
        return type_width(&to);
    }
    let call = expression.trim_start_matches("gpu").to_ascii_lowercase();
    if TEXTS.iter().any(|name| call.starts_with(name)) { TEXT } else { USUAL }
}

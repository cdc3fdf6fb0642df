//! What people call a number: its label, the part that it is in, and its unit. Its path is for files, options and tooltips.

use crossover_quantity::quantity::Quantity;
use crossover_study::{Subject, number_at};

/// The label of a number with the part that it is in: "CPU time per 100 MB (operators · join)".
#[must_use]
pub fn title(quantity: &Quantity, path: &str) -> String {
    format!("{} ({})", quantity.label, part(path))
}

/// The same with its unit: "CPU time per 100 MB (operators · join), s/100 MB".
#[must_use]
pub fn title_with_unit(quantity: &Quantity, path: &str) -> String {
    let (title, unit) = (title(quantity, path), quantity.unit.symbol());
    if unit.is_empty() { title } else { format!("{title}, {unit}") }
}

/// The title of the number at a path; the path itself if the study has no such number.
#[must_use]
pub fn title_at(study: &dyn Subject, path: &str) -> String {
    number_at(study, path).map_or_else(|| path.to_owned(), |(quantity, _)| title(quantity, path))
}

/// The part of a study that a number is in: of "operators.join.rows", "operators · join".
#[must_use]
pub fn part(path: &str) -> String {
    let part = path.rsplit_once('.').map_or("study", |(part, _)| part);
    part.replace('.', " · ").replace('_', " ")
}

#[cfg(test)]
mod tests {
    use crossover_quantity::unit::Unit;

    use super::*;

    #[test]
    fn a_number_is_called_by_its_label_its_part_and_its_unit() {
        let time = Quantity::new("seconds", "t", "time", "").unit(Unit::Seconds, 0.0, 1.0);
        let count = Quantity::new("machines", "M", "machines", "").unit(Unit::Count, 1.0, 9.0);
        assert_eq!(title(&time, "operators.sort-merge join.seconds"), "time (operators · sort-merge join)");
        assert_eq!(title_with_unit(&time, "bill.items.GPU.seconds"), "time (bill · items · GPU), s");
        assert_eq!(title_with_unit(&count, "seed"), "machines (study)", "a count has no unit");
    }
}

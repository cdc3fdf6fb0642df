//! Likelihoods and shares of samples: one function each writes them, so that no two texts have the same one with other digits.

/// What writes any share with four digits.
const ANY: &str = "Unit::Share.format(";
/// Parts of the names of likelihoods and of shares of samples.
const LIKELIHOODS: [&str; 6] = ["likelihood", "chance", "at_least(", "better.value", "feasible.value", "missing"];

/// Lines of a Rust file, from 1, that write a likelihood as any other share. Comments and the tests at the end of a file are not read.
pub(crate) fn complaints(source: &str) -> Vec<(usize, String)> {
    let lines = source.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    let is_wrong = |line: &str| {
        let is_code = !line.trim_start().starts_with("//");
        is_code && line.contains(ANY) && LIKELIHOODS.iter().any(|part| line.contains(part))
    };
    let wrong = lines.filter(|(_, line)| is_wrong(line));
    let complaint = "a likelihood: use `chance` or `share_of_samples` of crossover_quantity::unit";
    wrong.map(|(index, _)| (index + 1, complaint.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_likelihood_that_is_written_as_any_share_is_found() {
        let wrong = "let text = Unit::Share.format(figure.at_least(1.0));\nlet other = Unit::Share.format(demand);\n\
                     // Unit::Share.format(likelihood)\n.map(|likelihood| Unit::Share.format(likelihood))\nchance(likelihood)\n";
        let lines: Vec<usize> = complaints(wrong).into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 4]);
    }
}

//! Ranges as text.

/// Both ends of a range, or one of them where they read the same: “$13 … $26”, “$13”.
#[must_use]
pub fn between([low, high]: [String; 2]) -> String {
    if low == high { low } else { format!("{low} … {high}") }
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn ends_that_read_the_same_are_written_once() {
        assert_eq!(between(["$13", "$26"].map(str::to_owned)), "$13 … $26");
        assert_eq!(between(["$13", "$13"].map(str::to_owned)), "$13");
    }
}

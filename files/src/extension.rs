//! Extensions of file names.

use std::path::Path;

/// Whether a file has one of these extensions, in upper or lower case.
#[must_use]
pub fn is_one_of(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|found| extensions.iter().any(|extension| found.eq_ignore_ascii_case(extension)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter_and_a_name_alone_has_no_extension() {
        let is_table = |name: &str| is_one_of(Path::new(name), &["csv", "json"]);
        assert_eq!(["a.CSV", "a.b.Json", "csv", ".csv", "a.csv.gz"].map(is_table), [true, true, false, false, false]);
    }
}

//! The version of Spark, where a shell wrote it beside the plan.

/// Longest line that is looked at, bytes: a shell's greeting is short.
const LONGEST: usize = 200;

/// The version in a text: of a line such as "Spark version 3.5.3", or of the picture that greets ("/_/\_\   version 3.5.3").
pub(super) fn of(text: &str) -> Option<&str> {
    text.lines().filter(|line| line.len() <= LONGEST).find_map(of_line)
}

fn of_line(line: &str) -> Option<&str> {
    let (before, behind) = line.split_once("version ")?;
    let is_spark = before.trim_end().ends_with("Spark") || before.trim_end().ends_with("/_/\\_\\");
    let end = behind.find(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '.' | '-'));
    let version = behind[..end.unwrap_or(behind.len())].trim_end_matches('.');
    let is_version = version.starts_with(|letter: char| letter.is_ascii_digit()) && version.contains('.');
    Some(version).filter(|_| is_spark && is_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_tell_the_version() {
        for (text, version) in [
            ("   /___/ .__/\\_,_/_/ /_/\\_\\   version 3.5.3\n", Some("3.5.3")),
            ("Spark version 4.0.0-preview2.\n", Some("4.0.0-preview2")),
            ("Using Scala version 2.12.18\n", None),
            ("Spark version unknown\n", None),
            ("", None),
        ] {
            assert_eq!(of(text), version, "{text}");
        }
    }
}

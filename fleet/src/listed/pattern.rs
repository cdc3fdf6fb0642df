//! Patterns of application names that differ only in numbers.

/// Least length of a hexadecimal word with a digit that counts as a random number.
const RANDOM: usize = 8;

/// A name with `#` in place of every number, date and random number: `load-2026-11-25` is `load-#`.
#[must_use]
pub fn pattern(name: &str) -> String {
    let mut pattern = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let word = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).len();
        if word == 0 {
            pattern.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (piece, after) = rest.split_at(word);
        let is_random = piece.len() >= RANDOM
            && piece.bytes().all(|byte| byte.is_ascii_hexdigit())
            && piece.bytes().any(|byte| byte.is_ascii_digit());
        if is_random {
            push_number(&mut pattern);
        } else {
            for c in piece.chars() {
                if c.is_ascii_digit() { push_number(&mut pattern) } else { pattern.push(c) }
            }
        }
        rest = after;
    }
    pattern
}

/// Adds a number; parts of one number, such as a date, are merged.
fn push_number(pattern: &mut String) {
    let before = pattern.trim_end_matches(['-', '_', ':', '.', '/']);
    if before.ends_with('#') {
        pattern.truncate(before.len());
    } else {
        pattern.push('#');
    }
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn runs_of_one_job_have_one_pattern() {
        for (name, expected) in [
            ("load-2026-11-25", "load-#"),
            ("load-2026-11-26", "load-#"),
            ("etl_v2 step 3", "etl_v# step #"),
            ("report 2026/11/25 04:00:00.5", "report # #"),
            ("job 7f3a9c1d2e of ada", "job # of ada"),
            ("facade deadbeef", "facade deadbeef"),
            ("orders", "orders"),
            ("Größe 12 € für 3", "Größe # € für #"),
            ("", ""),
        ] {
            assert_eq!(pattern(name), expected, "{name}");
        }
    }
}

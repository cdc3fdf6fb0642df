//! File names from names in logs: none leads out of its folder, none is that of a device, and no two are the same.

use std::collections::BTreeSet;

use crossover_files::digest::hex;
use sha2::{Digest as _, Sha256};

/// Longest name, bytes; with its end it stays below the 255 of common file systems.
const LONGEST: usize = 120;
/// Names that Windows gives to devices, whatever they end in.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// The names in use.
#[derive(Debug, Default)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// The file name for this text, without its extension. Letters, digits, `-`, `_` and dots between them stay; if anything
    /// else was replaced, or the name is in use, it ends in the beginning of the text's SHA-256.
    pub fn of(&mut self, text: &str) -> String {
        let plain: String = text
            .chars()
            .take(LONGEST)
            .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' })
            .collect();
        let plain = plain.trim_matches('.');
        let plain = if plain.is_empty() { "unnamed" } else { plain };
        let device = plain.split('.').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
        let is_usual = plain == text && !DEVICES.contains(&device.to_ascii_lowercase().as_str());
        // Some file systems ignore case.
        let is_taken = |name: &str| self.0.contains(&name.to_ascii_lowercase());
        let mut name = plain.to_owned();
        let mut salt = 0_u32;
        while !is_usual && salt == 0 || is_taken(&name) {
            let mut digest = Sha256::new();
            digest.update(text);
            if salt > 0 {
                digest.update(salt.to_le_bytes());
            }
            name = format!("{plain}-{}", hex(&digest.finalize()[..6]));
            salt += 1;
        }
        self.0.insert(name.to_ascii_lowercase());
        name
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use super::*;

    #[test]
    fn usual_names_stay_and_others_are_told_apart() {
        let mut names = Names::default();
        assert_eq!(names.of("application_1724877841851_0016"), "application_1724877841851_0016");
        assert_eq!(names.of("app-20261121201933-0000"), "app-20261121201933-0000");
        let hostile = [
            "../../x",
            "..\\..\\x",
            "",
            ".",
            "..",
            "/etc/passwd",
            "a\nb",
            "a\rb",
            "CON",
            "lpt1.conf",
            "=1",
            "ü",
            "a/b",
            "a_b",
            "A_B",
            "a:b",
        ];
        let mut seen = BTreeSet::new();
        for text in hostile {
            let name = names.of(text);
            let parts: Vec<Component<'_>> = Path::new(&name).components().collect();
            assert!(matches!(parts[..], [Component::Normal(_)]), "{text:?} became {name:?}");
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)), "{name}");
            assert!(!name.starts_with('.') && name.len() < 200, "{name}");
            assert!(!["con", "lpt1.conf"].contains(&name.to_ascii_lowercase().as_str()), "{name}");
            assert!(seen.insert(name.to_ascii_lowercase()), "{text:?} became {name}, which was there");
        }
    }

    #[test]
    fn dots_stay_between_other_characters_and_lead_nowhere() {
        let mut names = Names::default();
        assert_eq!(names.of("fleet.2026.11"), "fleet.2026.11");
        assert_eq!(names.of("a..b"), "a..b");
        // By hand: the first six bytes of `printf TEXT | sha256sum`.
        for (text, expected) in [
            (".", "unnamed-cdb4ee2aea69"),
            ("..", "unnamed-5ec1f7e700f3"),
            (".hidden", "hidden-1692419006a8"),
            ("end.", "end-2e18562d37c3"),
            ("../../x", "_.._x-9cdf6a50100a"),
        ] {
            assert_eq!(names.of(text), expected, "{text}");
        }
    }

    #[test]
    fn long_names_and_the_same_one_twice_stay_apart() {
        let mut names = Names::default();
        let long = |end: &str| format!("{}{end}", "x".repeat(5000));
        let all = [
            names.of(&long("a")),
            names.of(&long("b")),
            names.of("app"),
            names.of("app"),
            names.of("app"),
            names.of("APP"),
        ];
        let different: BTreeSet<String> = all.iter().map(|name| name.to_ascii_lowercase()).collect();
        assert_eq!(different.len(), all.len(), "{all:?}");
        assert!(all.iter().all(|name| name.len() < 200));
    }
}

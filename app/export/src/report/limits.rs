//! Sections of the documents of the formulas that list what the models leave out.

use crossover_scenario::FORMULAS;

/// The section with this title, without the title; none if there is no such section.
#[must_use]
pub fn limits(title: &str) -> Option<&'static str> {
    let heading = format!("# {title}\n");
    let rest = FORMULAS.into_iter().find_map(|(_, text)| text.split_once(&heading)).map(|(_, rest)| rest)?;
    let end = rest.find("\n#").unwrap_or(rest.len());
    Some(rest[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_one_begins() {
        let limits = limits("What the model does not contain").expect("a section");
        assert!(limits.starts_with("Read this before") && limits.ends_with("is no figure."), "{limits}");
        assert_eq!(super::limits("What nobody wrote"), None);
    }
}

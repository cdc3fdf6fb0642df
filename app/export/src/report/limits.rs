//! What models leave out, as the document of the formulas says it.

/// The document, as it is in the repository.
const MODEL: &str = include_str!("../../../../docs/MODEL.md");

/// The section with this title, without the title; none if there is no such section.
#[must_use]
pub fn limits(title: &str) -> Option<&'static str> {
    let begin = MODEL.find(&format!("\n### {title}\n"))? + "\n### \n".len() + title.len();
    let rest = &MODEL[begin..];
    let end = [rest.find("\n## "), rest.find("\n### ")].into_iter().flatten().min().unwrap_or(rest.len());
    Some(rest[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_one_begins() {
        let limits = limits("What the model does not contain").expect("a section");
        assert!(limits.starts_with("Read this before") && limits.ends_with("is none."), "{limits}");
        assert_eq!(super::limits("What nobody wrote"), None);
    }
}

//! Lines of a CSV file as RFC 4180 defines it.

/// Appends one record; a field is quoted where it has to be.
pub fn push_record<F: AsRef<str>>(text: &mut String, fields: impl IntoIterator<Item = F>) {
    for (index, field) in fields.into_iter().enumerate() {
        let field = field.as_ref();
        if index > 0 {
            text.push(',');
        }
        if field.contains(['"', ',', '\r', '\n']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(field);
        }
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_quotes_and_line_ends_are_quoted() {
        let check = |fields: &[&str], expected: &str| {
            let mut text = String::new();
            push_record(&mut text, fields);
            assert_eq!(text, expected);
        };
        // The examples of RFC 4180, section 2, and an empty field.
        check(&["aaa", "bbb", "ccc"], "aaa,bbb,ccc\r\n");
        check(&["aaa", "b \r\nbb", "ccc"], "aaa,\"b \r\nbb\",ccc\r\n");
        check(&["aaa", "b\"bb", "ccc"], "aaa,\"b\"\"bb\",ccc\r\n");
        check(&["a,b", "", "c"], "\"a,b\",,c\r\n");
    }
}

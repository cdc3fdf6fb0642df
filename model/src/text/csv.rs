//! Lines of a CSV file as RFC 4180 defines it.

use std::borrow::Cow;

/// Appends one record; a field is quoted where it has to be. Text that a spreadsheet would take for a formula gets
/// an apostrophe in front (OWASP, “CSV injection”): names come from files that anybody may have written.
pub fn push_record<F: AsRef<str>>(text: &mut String, fields: impl IntoIterator<Item = F>) {
    for (index, field) in fields.into_iter().enumerate() {
        let field = harmless(field.as_ref());
        if index > 0 {
            text.push(',');
        }
        if field.contains(['"', ',', '\r', '\n']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&field);
        }
    }
    text.push_str("\r\n");
}

fn harmless(field: &str) -> Cow<'_, str> {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
    if is_formula { Cow::Owned(format!("'{field}")) } else { Cow::Borrowed(field) }
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

    #[test]
    fn text_that_looks_like_a_formula_is_text_and_a_negative_number_a_number() {
        let mut text = String::new();
        push_record(&mut text, ["=1+1", "-cmd", "+a", "@sum", "-0.5", "+1", "-1e-9", "a=b", "−1 %"]);
        assert_eq!(text, "'=1+1,'-cmd,'+a,'@sum,-0.5,+1,-1e-9,a=b,−1 %\r\n");
    }
}

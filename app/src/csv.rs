//! Lines of a CSV file as RFC 4180 defines it.

/// Appends one record; a field is quoted where it has to be.
pub(crate) fn push_record<F: AsRef<str>>(text: &mut String, fields: impl IntoIterator<Item = F>) {
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

/// Reads a CSV text back, by the grammar of RFC 4180 section 2.
#[cfg(test)]
pub(crate) fn parse(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut field = String::new();
        if let Some(mut quoted) = rest.strip_prefix('"') {
            loop {
                let (part, after) = quoted.split_once('"').expect("a quoted field ends");
                field.push_str(part);
                let Some(more) = after.strip_prefix('"') else {
                    rest = after;
                    break;
                };
                field.push('"');
                quoted = more;
            }
        } else {
            let end = rest.find([',', '\r']).expect("a record ends with CRLF");
            field.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        record.push(field);
        if let Some(next) = rest.strip_prefix(',') {
            rest = next;
        } else {
            rest = rest.strip_prefix("\r\n").expect("a record ends with CRLF");
            records.push(std::mem::take(&mut record));
        }
    }
    records
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
            assert_eq!(parse(&text), [fields]);
        };
        // The examples of RFC 4180, section 2, and an empty field.
        check(&["aaa", "bbb", "ccc"], "aaa,bbb,ccc\r\n");
        check(&["aaa", "b \r\nbb", "ccc"], "aaa,\"b \r\nbb\",ccc\r\n");
        check(&["aaa", "b\"bb", "ccc"], "aaa,\"b\"\"bb\",ccc\r\n");
        check(&["a,b", "", "c"], "\"a,b\",,c\r\n");
    }
}

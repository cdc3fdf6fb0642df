//! Reads CSV files back, for tests of what is exported.

/// Reads a CSV text back, by the grammar of RFC 4180 section 2.
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

#[test]
fn fields_are_read_as_they_were_written() {
    // The examples of RFC 4180, section 2, and an empty field.
    for fields in [["aaa", "bbb", "ccc"], ["aaa", "b \r\nbb", "ccc"], ["aaa", "b\"bb", "ccc"], ["a,b", "", "c"]] {
        let mut text = String::new();
        crossover_model::text::csv::push_record(&mut text, fields);
        assert_eq!(parse(&text), [fields]);
    }
}

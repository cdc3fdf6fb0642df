//! CSV files as RFC 4180 defines them.

use std::borrow::Cow;

use csv::{Terminator, Writer, WriterBuilder};

use super::visible;

/// A CSV text that is being written, record by record; a field is quoted where it has to be. Text that a spreadsheet
/// would take for a formula gets an apostrophe in front (OWASP, “CSV injection”): names come from files of unknown
/// origin. For the same reason control characters are [made visible](visible).
#[derive(Debug)]
pub struct Records(Writer<Vec<u8>>);

impl Default for Records {
    fn default() -> Self {
        Self(WriterBuilder::new().terminator(Terminator::CRLF).flexible(true).from_writer(Vec::new()))
    }
}

#[expect(clippy::missing_panics_doc, reason = "writing to memory does not fail")]
impl Records {
    /// Appends a record.
    pub fn push<F: AsRef<str>>(&mut self, fields: impl IntoIterator<Item = F>) {
        for field in fields {
            self.0.write_field(harmless(field.as_ref()).as_bytes()).expect("memory takes every field");
        }
        self.0.write_record(None::<&[u8]>).expect("memory takes every record");
    }

    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        let bytes = self.0.into_inner().expect("memory takes every record");
        String::from_utf8(bytes).expect("records of text are text")
    }
}

/// A value in a field; empty: there is none.
#[must_use]
pub fn cell(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A number in a field; empty: it is not finite.
#[must_use]
pub fn finite(value: f64) -> String {
    cell(value.is_finite().then_some(value))
}

fn harmless(field: &str) -> Cow<'_, str> {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
    let field = visible(field);
    if is_formula { Cow::Owned(format!("'{field}")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &[&str]) -> String {
        let mut records = Records::default();
        records.push(fields);
        records.into_text()
    }

    #[test]
    fn fields_with_commas_quotes_and_line_ends_are_quoted() {
        // The examples of RFC 4180, section 2, and an empty field.
        assert_eq!(record(&["aaa", "bbb", "ccc"]), "aaa,bbb,ccc\r\n");
        assert_eq!(record(&["aaa", "b \nbb", "ccc"]), "aaa,\"b \nbb\",ccc\r\n");
        assert_eq!(record(&["aaa", "b\"bb", "ccc"]), "aaa,\"b\"\"bb\",ccc\r\n");
        assert_eq!(record(&["a,b", "", "c"]), "\"a,b\",,c\r\n");
    }

    #[test]
    fn a_field_without_a_value_is_empty() {
        assert_eq!([cell(Some(2.5)), cell(Some(true)), cell(None::<f64>)], ["2.5", "true", ""]);
        assert_eq!([finite(-1.0), finite(f64::NAN), finite(f64::INFINITY)], ["-1", "", ""]);
    }

    #[test]
    fn text_that_looks_like_a_formula_is_text_and_a_negative_number_a_number() {
        let fields = ["=1+1", "-cmd", "+a", "@sum", "-0.5", "+1", "-1e-9", "a=b", "−1 %"];
        assert_eq!(record(&fields), "'=1+1,'-cmd,'+a,'@sum,-0.5,+1,-1e-9,a=b,−1 %\r\n");
    }
}

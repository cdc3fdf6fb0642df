//! Tables as CSV and as JSON.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use crossover_quantity::text::csv::Records;

use super::column::{Cell, Column};

/// The output of rows.
type Out = BufWriter<File>;

/// A table as CSV, with a header. Formulas of spreadsheets are escaped.
pub(super) struct CsvRows(Out);

impl CsvRows {
    pub(super) fn begin(mut out: Out, columns: &[Column]) -> io::Result<Self> {
        write_record(&mut out, columns.iter().map(|column| column.name))?;
        Ok(Self(out))
    }

    pub(super) fn add(&mut self, row: &[Cell<'_>]) -> io::Result<()> {
        write_record(&mut self.0, row.iter().map(Cell::written))
    }

    pub(super) fn end(self) -> Out {
        self.0
    }
}

fn write_record<F: AsRef<str>>(out: &mut Out, fields: impl IntoIterator<Item = F>) -> io::Result<()> {
    let mut records = Records::default();
    records.push(fields);
    out.write_all(records.into_text().as_bytes())
}

/// A table as a JSON array of objects, one a line. Unknown values are null.
pub(super) struct JsonRows {
    out: Out,
    names: Vec<&'static str>,
    is_first: bool,
}

impl JsonRows {
    pub(super) fn begin(mut out: Out, columns: &'static [Column]) -> io::Result<Self> {
        out.write_all(b"[")?;
        Ok(Self { out, names: columns.iter().map(|column| column.name).collect(), is_first: true })
    }

    pub(super) fn add(&mut self, row: &[Cell<'_>]) -> io::Result<()> {
        self.out.write_all(if self.is_first { b"\n" } else { b",\n" })?;
        self.is_first = false;
        let mut line = String::from("{");
        for (name, cell) in self.names.iter().zip(row) {
            if line.len() > 1 {
                line.push(',');
            }
            line.push_str(&format!("\"{name}\":"));
            match cell {
                Cell::Nothing => line.push_str("null"),
                Cell::Text(text) => push_text(&mut line, text)?,
                Cell::Time(_) => push_text(&mut line, &cell.written())?,
                Cell::Number(_) | Cell::Count(_) | Cell::Flag(_) => line.push_str(&cell.written()),
            }
        }
        line.push('}');
        self.out.write_all(line.as_bytes())
    }

    pub(super) fn end(mut self) -> io::Result<Out> {
        self.out.write_all(b"\n]\n")?;
        Ok(self.out)
    }
}

/// Text in JSON; terminal control characters and changes of text direction are escaped.
fn push_text(line: &mut String, text: &str) -> io::Result<()> {
    for c in serde_json::to_string(text)?.chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                // Writing to a string cannot fail.
                _ = write!(line, "\\u{:04x}", u32::from(c));
            }
            c => line.push(c),
        }
    }
    Ok(())
}

//! Crossover's own recordings: CSV as RFC 4180 defines it, with a header.

use std::borrow::Cow;

use super::column::{COUNT, GPU, SECONDS};
use super::gather::{self, Place, Row};
use super::{Column, Recording, RecordingError};
use crate::invalid::did_you_mean;
use crate::text::csv::push_record;

/// Reads a recording.
pub(super) fn read(text: &str) -> Result<Recording, RecordingError> {
    let mut records = Records { rest: text, place: Place { line: 1, column: 1 } };
    let Some(names) = records.next()? else { return Ok(Recording::default()) };
    let (header, left_out) = header(&names)?;
    let mut tracks: Vec<(String, Vec<Row>)> = Vec::new();
    while let Some(fields) = records.next()? {
        let place = fields[0].place;
        if fields.len() != names.len() {
            return Err(wrong_length(&names, &fields));
        }
        let seconds = &fields[header.seconds];
        let Some(time) = number(seconds, SECONDS)? else {
            return Err(seconds.place.error(Some(SECONDS), "the time is missing"));
        };
        if !(0.0..=1e12).contains(&time) {
            let problem = format!("{time} cannot be; 0 … 1e12 s is allowed");
            return Err(seconds.place.error(Some(SECONDS), problem));
        }
        let mut row = Row { seconds: time, place: seconds.place, cells: [(None, place); COUNT] };
        for (column, index) in &header.columns {
            let field = &fields[*index];
            let value = number(field, column.key())?;
            if let Some(problem) = value.and_then(|value| column.problem(value, 1.0)) {
                return Err(field.place.error(Some(column.key()), problem));
            }
            row.cells[*column as usize] = (value, field.place);
        }
        let gpu = header.gpu.map_or("", |index| fields[index].text.as_ref());
        let known = tracks.iter().position(|(name, _)| name == gpu);
        let index = known.unwrap_or_else(|| {
            tracks.push((gpu.to_owned(), Vec::new()));
            tracks.len() - 1
        });
        tracks[index].1.push(row);
        gather::within_limits(place, tracks.len(), tracks[index].1.len())?;
    }
    if tracks.is_empty() {
        return Err(records.place.error(None, "there is a header but no row; at least one reading is needed"));
    }
    check_not_all_empty(&header, &tracks)?;
    gather::finish(tracks, left_out, Column::key)
}

/// A GPU without any value is a hole in every column.
fn check_not_all_empty(header: &Header, tracks: &[(String, Vec<Row>)]) -> Result<(), RecordingError> {
    for (_, rows) in tracks {
        if rows.iter().all(|row| row.cells.iter().all(|(value, _)| value.is_none())) {
            let (column, _) = header.columns[0];
            return Err(rows[0].cells[column as usize].1.error(Some(column.key()), "the value is missing"));
        }
    }
    Ok(())
}

/// Where the columns stand.
struct Header {
    seconds: usize,
    gpu: Option<usize>,
    columns: Vec<(Column, usize)>,
}

fn header(names: &[Field<'_>]) -> Result<(Header, Vec<String>), RecordingError> {
    let first = names[0].place;
    if let [only] = names
        && let Some((separator, word)) =
            [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|(separator, _)| only.text.contains(*separator))
    {
        let before = only.text.chars().take_while(|c| *c != separator).count();
        let place = Place { column: first.column + before, ..first };
        let problem = format!("fields are separated by {word}; commas are expected, and a point in decimal numbers");
        return Err(place.error(None, problem));
    }
    let (mut seconds, mut gpu, mut columns, mut left_out) = (None, None, Vec::new(), Vec::new());
    let known = || [SECONDS, GPU].into_iter().chain(Column::ALL.map(Column::key));
    for (index, field) in names.iter().enumerate() {
        let name = field.text.as_ref();
        if names[..index].iter().any(|before| before.text == field.text) && known().any(|known| known == name) {
            return Err(field.place.error(Some(name), "the column is there twice"));
        }
        match (name, Column::ALL.into_iter().find(|column| column.key() == name)) {
            (SECONDS, _) => seconds = Some(index),
            (GPU, _) => gpu = Some(index),
            (_, Some(column)) => columns.push((column, index)),
            (_, None) => left_out.push(format!("Column “{name}” is not known{}", did_you_mean(name, known()))),
        }
    }
    let list = || known().collect::<Vec<_>>().join(", ");
    let Some(seconds) = seconds else {
        let hint = names.iter().map(|field| did_you_mean(&field.text, [SECONDS])).find(|hint| !hint.is_empty());
        let problem = format!("there is no such column{}; known columns: {}", hint.unwrap_or_default(), list());
        return Err(first.error(Some(SECONDS), problem));
    };
    if columns.is_empty() {
        return Err(first.error(None, format!("no column has a value; known columns: {}", list())));
    }
    let demand = columns.iter().find(|(column, _)| *column == Column::DemandTops);
    if let Some((column, index)) = demand.filter(|_| columns.len() > 1) {
        let problem = "demand stands without readings of GPUs: which of the two is to be replayed?";
        return Err(names[*index].place.error(Some(column.key()), problem));
    }
    columns.sort_unstable();
    Ok((Header { seconds, gpu, columns }, left_out))
}

fn wrong_length(names: &[Field<'_>], fields: &[Field<'_>]) -> RecordingError {
    let (found, expected) = (fields.len(), names.len());
    let last = &fields[found - 1];
    let field = names.get(found).map(|name| name.text.as_ref());
    let hint = if found > expected { "; numbers have a decimal point, not a comma" } else { "" };
    last.place.error(field, format!("the row has {found} fields, the header {expected}{hint}"))
}

/// The number in a field; `None` in an empty one.
fn number(field: &Field<'_>, name: &str) -> Result<Option<f64>, RecordingError> {
    if field.text.is_empty() {
        return Ok(None);
    }
    match field.text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        _ => {
            let problem = format!("“{}” is not a finite number; one such as 12.5 is expected", field.text);
            Err(field.place.error(Some(name), problem))
        }
    }
}

struct Field<'a> {
    text: Cow<'a, str>,
    place: Place,
}

/// The records of a text, one after another; blank lines are none.
struct Records<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Records<'a> {
    fn next(&mut self) -> Result<Option<Vec<Field<'a>>>, RecordingError> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let mut fields = Vec::new();
            while self.push_field(&mut fields)? {}
            if fields.iter().any(|field| !field.text.is_empty()) || fields.len() > 1 {
                return Ok(Some(fields));
            }
        }
    }

    /// Takes one field; whether another one of the same record follows.
    fn push_field(&mut self, fields: &mut Vec<Field<'a>>) -> Result<bool, RecordingError> {
        let place = self.place;
        let quoted = if self.rest.starts_with('"') { Some(self.take_quoted()?) } else { None };
        let end = self.rest.find([',', '\n']).unwrap_or(self.rest.len());
        let plain = self.rest[..end].trim();
        let text = match quoted {
            None => Cow::Borrowed(plain),
            Some(text) if plain.is_empty() => Cow::Owned(text),
            Some(_) => return Err(self.place.error(None, format!("“{plain}” follows a closing quotation mark"))),
        };
        fields.push(Field { text, place });
        let goes_on = self.rest[end..].starts_with(',');
        self.advance(end + usize::from(end < self.rest.len()));
        Ok(goes_on)
    }

    /// Takes a field in quotation marks; a doubled one stands for one.
    fn take_quoted(&mut self) -> Result<String, RecordingError> {
        let opened = self.place;
        let mut text = String::new();
        self.advance(1);
        loop {
            let Some(end) = self.rest.find('"') else {
                return Err(opened.error(None, "the quotation mark is never closed"));
            };
            text.push_str(&self.rest[..end]);
            self.advance(end + 1);
            if !self.rest.starts_with('"') {
                return Ok(text);
            }
            text.push('"');
            self.advance(1);
        }
    }

    fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for character in passed.chars() {
            if character == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
    }
}

/// A recording as CSV: one GPU after another, each in the order of time.
pub(super) fn write(recording: &Recording) -> String {
    let has_names = recording.tracks.len() > 1 || recording.tracks.iter().any(|track| !track.gpu.is_empty());
    let is_used = |column: &Column| recording.tracks.iter().any(|track| track.values.contains_key(column));
    let columns: Vec<Column> = Column::ALL.into_iter().filter(is_used).collect();
    let mut text = String::new();
    let names = [SECONDS].into_iter().chain(has_names.then_some(GPU)).chain(columns.iter().map(|column| column.key()));
    push_record(&mut text, names);
    for track in &recording.tracks {
        for (index, seconds) in track.seconds.iter().enumerate() {
            let value = |column: &Column| track.values.get(column).map(|values| values[index].to_string());
            let values = columns.iter().map(|column| value(column).unwrap_or_default());
            let fields = [seconds.to_string()].into_iter().chain(has_names.then(|| track.gpu.clone())).chain(values);
            push_record(&mut text, fields);
        }
    }
    text
}

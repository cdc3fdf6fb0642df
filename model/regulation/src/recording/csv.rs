//! Crossover's own recordings: CSV as RFC 4180 defines it, with a header.

use csv_core::{ReadFieldResult, Reader};

use super::column::{COUNT, GPU, SECONDS};
use super::gather::{self, Position, Row};
use super::{Column, Recording, RecordingError};
use crossover_quantity::invalid::did_you_mean;
use crossover_quantity::text::{counted, csv};

/// Most columns of a header: what has more is another kind of file.
const MOST_COLUMNS: usize = 1_000;

/// Reads a recording.
pub(super) fn read(text: &str) -> Result<Recording, RecordingError> {
    let mut records = Records::new(text);
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
            let problem = format!("{time} is out of range; allowed: 0 … 1e12 s");
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
        let gpu = header.gpu.map_or("", |index| fields[index].text.as_str());
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

/// Positions of the columns.
struct Header {
    seconds: usize,
    gpu: Option<usize>,
    columns: Vec<(Column, usize)>,
}

fn header(names: &[Field]) -> Result<(Header, Vec<String>), RecordingError> {
    let first = names[0].place;
    if names.len() > MOST_COLUMNS {
        let problem = format!("{} columns; a recording has at most {MOST_COLUMNS}", names.len());
        return Err(names[MOST_COLUMNS].place.error(None, problem));
    }
    if let [only] = names
        && let Some((separator, word)) =
            [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|(separator, _)| only.text.contains(*separator))
    {
        let before = only.text.chars().take_while(|c| *c != separator).count();
        let place = Position { column: first.column + before, ..first };
        let problem = format!("fields are separated by {word}; commas are expected, and a point in decimal numbers");
        return Err(place.error(None, problem));
    }
    let (mut seconds, mut gpu, mut columns, mut left_out) = (None, None, Vec::new(), Vec::new());
    let known = || [SECONDS, GPU].into_iter().chain(Column::ALL.map(Column::key));
    for (index, field) in names.iter().enumerate() {
        let name = field.text.as_str();
        if known().any(|known| known == name) && names[..index].iter().any(|before| before.text == field.text) {
            return Err(field.place.error(Some(name), "the column appears twice"));
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
        let problem = format!("the column is missing{}; known columns: {}", hint.unwrap_or_default(), list());
        return Err(first.error(Some(SECONDS), problem));
    };
    if columns.is_empty() {
        return Err(first.error(None, format!("no column has a value; known columns: {}", list())));
    }
    let demand = columns.iter().find(|(column, _)| *column == Column::DemandTops);
    if let Some((column, index)) = demand.filter(|_| columns.len() > 1) {
        let problem = "a recording has either demand or GPU readings, not both; remove one of them";
        return Err(names[*index].place.error(Some(column.key()), problem));
    }
    columns.sort_unstable();
    Ok((Header { seconds, gpu, columns }, left_out))
}

fn wrong_length(names: &[Field], fields: &[Field]) -> RecordingError {
    let (found, expected) = (fields.len(), names.len());
    let last = &fields[found - 1];
    let field = names.get(found).map(|name| name.text.as_str());
    let hint = if found > expected { "; numbers have a decimal point, not a comma" } else { "" };
    last.place.error(field, format!("the row has {}, the header {expected}{hint}", counted(found as f64, "field")))
}

/// The number in a field; `None` in an empty one.
fn number(field: &Field, name: &str) -> Result<Option<f64>, RecordingError> {
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

struct Field {
    text: String,
    place: Position,
}

/// The records of a text, one after another; blank lines are none.
struct Records<'a> {
    reader: Reader,
    rest: &'a str,
    place: Position,
    /// Buffer for a field.
    buffer: Vec<u8>,
}

impl<'a> Records<'a> {
    fn new(text: &'a str) -> Self {
        Self { reader: Reader::new(), rest: text, place: Position { line: 1, column: 1 }, buffer: vec![0; 256] }
    }

    fn next(&mut self) -> Result<Option<Vec<Field>>, RecordingError> {
        let mut fields = Vec::new();
        while let Some((field, is_last)) = self.field(fields.is_empty())? {
            let is_blank = fields.is_empty() && field.text.is_empty();
            match (is_last, is_blank) {
                (true, true) => {}
                (true, false) => {
                    fields.push(field);
                    return Ok(Some(fields));
                }
                (false, _) => fields.push(field),
            }
        }
        Ok(None)
    }

    /// The next field, the first of a record or not, and whether it is the last.
    fn field(&mut self, is_first: bool) -> Result<Option<(Field, bool)>, RecordingError> {
        let input = self.rest.as_bytes();
        let (mut read, mut written) = (0, 0);
        let is_last = loop {
            // That nothing is left tells the reader that the text has ended.
            let (result, taken, put) = self.reader.read_field(&input[read..], &mut self.buffer[written..]);
            (read, written) = (read + taken, written + put);
            match result {
                ReadFieldResult::InputEmpty => {}
                ReadFieldResult::OutputFull => self.buffer.resize(2 * self.buffer.len(), 0),
                ReadFieldResult::Field { record_end } => break record_end,
                ReadFieldResult::End => {
                    self.place = self.place.after(self.rest);
                    self.rest = "";
                    return Ok(None);
                }
            }
        };
        // The reader takes the second half of a line's end with the next field.
        let has_half = self.rest[..read].ends_with('\r') && self.rest[read..].starts_with('\n');
        let (mut raw, rest) = self.rest.split_at(read + usize::from(has_half));
        if is_first {
            // The end of the line before, and blank lines.
            let field = raw.trim_start_matches(['\r', '\n']);
            self.place = self.place.after(&raw[..raw.len() - field.len()]);
            raw = field;
        }
        let place = self.place;
        (self.rest, self.place) = (rest, place.after(raw));
        let text = String::from_utf8_lossy(&self.buffer[..written]);
        let text = match blanks_behind_quotes(raw, place)? {
            Some(blanks) => text[..text.len() - blanks].to_owned(),
            None => text.trim().to_owned(),
        };
        Ok(Some((Field { text, place }, is_last)))
    }
}

/// How many bytes of blanks stand behind a field in quotation marks, as it was written up to the next field; `None` if it
/// has no such marks. Nothing else may stand there.
fn blanks_behind_quotes(raw: &str, place: Position) -> Result<Option<usize>, RecordingError> {
    if !raw.starts_with('"') {
        return Ok(None);
    }
    let mut end = 1;
    loop {
        // A doubled mark stands for one.
        match raw[end..].find('"') {
            Some(at) if raw[end + at + 1..].starts_with('"') => end += at + 2,
            Some(at) => {
                end += at + 1;
                break;
            }
            None => return Err(place.error(None, "the quotation mark is never closed")),
        }
    }
    let (quoted, after) = raw.split_at(end);
    let behind = after.strip_suffix(',').unwrap_or_else(|| after.trim_end_matches(['\r', '\n']));
    if behind.trim().is_empty() {
        return Ok(Some(behind.len()));
    }
    Err(place.after(quoted).error(None, format!("“{}” follows a closing quotation mark", behind.trim())))
}

/// A recording as CSV: one GPU after another, each in the order of time.
pub(super) fn write(recording: &Recording) -> String {
    let has_names = recording.tracks.len() > 1 || recording.tracks.iter().any(|track| !track.gpu.is_empty());
    let is_used = |column: &Column| recording.tracks.iter().any(|track| track.values.contains_key(column));
    let columns: Vec<Column> = Column::ALL.into_iter().filter(is_used).collect();
    let mut csv = csv::Records::default();
    let names = [SECONDS].into_iter().chain(has_names.then_some(GPU)).chain(columns.iter().map(|column| column.key()));
    csv.push(names);
    for track in &recording.tracks {
        for (index, seconds) in track.seconds.iter().enumerate() {
            let value = |column: &Column| track.values.get(column).map(|values| values[index].to_string());
            let values = columns.iter().map(|column| value(column).unwrap_or_default());
            let fields = [seconds.to_string()].into_iter().chain(has_names.then(|| track.gpu.clone())).chain(values);
            csv.push(fields);
        }
    }
    csv.into_text()
}

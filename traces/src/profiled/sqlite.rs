//! Tables of an `SQLite` database, read only: <https://www.sqlite.org/fileformat2.html>. Indices, other journals and texts in UTF-16 are
//! not read.

/// The first bytes of a database.
pub(super) const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Deepest tree of pages: each has at least two below it.
const DEEPEST: usize = 32;
/// Most columns of a table.
const MOST_COLUMNS: usize = 2_000;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// None.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
    /// Other bytes.
    Bytes,
}

impl Value {
    /// A number, if it is one.
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            // Times of a recording: their differences are far below 2⁵³.
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            Self::Null | Self::Text(_) | Self::Bytes => None,
        }
    }

    /// A whole number, if it is one.
    pub(super) fn integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }
}

/// A table: the first page of its tree, and the names of its columns.
#[derive(Debug)]
pub(super) struct Table {
    root: usize,
    columns: Vec<String>,
    /// The column that is the number of the row and has no value of its own.
    key: Option<usize>,
}

impl Table {
    /// The place of a column.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// The names of its columns.
    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }
}

/// A database.
pub(super) struct Database<'a> {
    bytes: &'a [u8],
    page: usize,
    /// Bytes of a page that may be used.
    usable: usize,
}

impl<'a> Database<'a> {
    /// The database of the bytes of a file.
    ///
    /// # Errors
    /// They are none, or it has texts in UTF-16.
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, String> {
        let header =
            bytes.get(..100).filter(|header| header.starts_with(MAGIC)).ok_or("not an SQLite database, or cut off")?;
        let page = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            size => usize::from(size),
        };
        if !page.is_power_of_two() || page < 512 {
            return Err(format!("pages of {page} bytes; expected a power of two from 512 to 65536: damaged"));
        }
        if header[59] > 1 {
            return Err("texts of the database are in UTF-16; expected UTF-8".to_owned());
        }
        let usable = page.checked_sub(usize::from(header[20])).filter(|usable| *usable >= 480);
        Ok(Self { bytes, page, usable: usable.ok_or("too few bytes of a page are used: damaged")? })
    }

    /// A table by its name.
    ///
    /// # Errors
    /// The database is damaged.
    pub(super) fn table(&self, name: &str) -> Result<Option<Table>, String> {
        let found = self.tables()?.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        Ok(found.map(|(_, table)| table))
    }

    /// All tables with their names, but for virtual ones, which have no pages.
    ///
    /// # Errors
    /// The database is damaged.
    pub(super) fn tables(&self) -> Result<Vec<(String, Table)>, String> {
        let schema = Table { root: 1, columns: Vec::new(), key: None };
        let mut found = Vec::new();
        self.each(&schema, |_, row| {
            if let [Value::Text(kind), Value::Text(own), _, Value::Integer(root), Value::Text(sql), ..] = row
                && kind == "table"
                && let Ok(root @ 1..) = usize::try_from(*root)
            {
                let (columns, key) = columns(sql);
                found.push((own.clone(), Table { root, columns, key }));
            }
        })?;
        Ok(found)
    }

    /// Calls `see` with the number and the values of every row. A column that is the number of the row has it as its value.
    ///
    /// # Errors
    /// The database is damaged.
    pub(super) fn each(&self, table: &Table, mut see: impl FnMut(i64, &[Value])) -> Result<(), String> {
        // Every page and every byte of a row is seen once; in a damaged file a circle would have no end.
        let pages = self.bytes.len() / self.page + 1;
        let (mut left, mut bytes_left) = (pages, self.bytes.len());
        let mut waiting = vec![(table.root, 0_usize)];
        while let Some((number, depth)) = waiting.pop() {
            left = left.checked_sub(1).filter(|_| depth <= DEEPEST).ok_or("its pages form a cycle: damaged")?;
            if waiting.len() > pages {
                return Err("its pages form a cycle: damaged".to_owned());
            }
            let page = self.page(number)?;
            let at = if number == 1 { 100 } else { 0 };
            let kind = *page.get(at).ok_or_else(cut)?;
            let count = usize::from(short(page, at + 3)?);
            let cells = at + if kind == 5 { 12 } else { 8 };
            let cell = |place: usize| short(page, cells + 2 * place).map(usize::from);
            match kind {
                5 => {
                    // The last one is the first to be taken from the stack.
                    waiting.push((long(page, at + 8)?, depth + 1));
                    for place in (0..count).rev() {
                        waiting.push((long(page, cell(place)?)?, depth + 1));
                    }
                }
                13 => {
                    for place in 0..count {
                        let (row, mut values) = self.row(page, cell(place)?, &mut bytes_left)?;
                        if let Some(value) = table.key.and_then(|key| values.get_mut(key)) {
                            *value = Value::Integer(row);
                        }
                        see(row, &values);
                    }
                }
                _ => return Err(format!("page {number} is of kind {kind}; expected a page of a table: damaged")),
            }
        }
        Ok(())
    }

    fn page(&self, number: usize) -> Result<&'a [u8], String> {
        let begin = number.checked_sub(1).and_then(|before| before.checked_mul(self.page)).ok_or_else(cut)?;
        self.bytes.get(begin..begin.checked_add(self.page).ok_or_else(cut)?).ok_or_else(cut)
    }

    /// The number and the values of a row whose cell begins at a place of a page.
    fn row(&self, page: &[u8], at: usize, bytes_left: &mut usize) -> Result<(i64, Vec<Value>), String> {
        let mut at = at;
        let size = usize::try_from(varint(page, &mut at)?).map_err(|_| cut())?;
        let number = varint(page, &mut at)?;
        *bytes_left = bytes_left.checked_sub(size).ok_or_else(cut)?;
        // How much of a row is on its page: section 1.6 of the format.
        let most = self.usable - 35;
        let least = (self.usable - 12) * 32 / 255 - 23;
        let local = if size <= most {
            size
        } else {
            let kept = least + (size - least) % (self.usable - 4);
            if kept <= most { kept } else { least }
        };
        let mut record = page.get(at..at + local).ok_or_else(cut)?.to_vec();
        let mut next = if local < size { long(page, at + local)? } else { 0 };
        while record.len() < size {
            let page = self.page(next)?;
            let more = (size - record.len()).min(self.usable - 4);
            record.extend_from_slice(page.get(4..4 + more).ok_or_else(cut)?);
            next = long(page, 0)?;
        }
        Ok((number.cast_signed(), values(&record)?))
    }
}

/// The values of a record.
fn values(record: &[u8]) -> Result<Vec<Value>, String> {
    let mut at = 0;
    let header = usize::try_from(varint(record, &mut at)?).map_err(|_| cut())?;
    let mut kinds = Vec::new();
    while at < header {
        kinds.push(varint(record, &mut at)?);
        if kinds.len() > MOST_COLUMNS {
            return Err(format!("a row of more than {MOST_COLUMNS} values: damaged"));
        }
    }
    at = header;
    let mut values = Vec::with_capacity(kinds.len());
    for kind in kinds {
        let size = match kind {
            0 | 8 | 9 => 0,
            1..=4 => usize::try_from(kind).unwrap_or(0),
            5 => 6,
            6 | 7 => 8,
            12.. => usize::try_from((kind - 12) / 2).map_err(|_| cut())?,
            _ => return Err(format!("a value of kind {kind}, which SQLite does not use: damaged")),
        };
        let end = at.checked_add(size).ok_or_else(cut)?;
        let bytes = record.get(at..end).ok_or_else(cut)?;
        at = end;
        values.push(match kind {
            0 => Value::Null,
            8 => Value::Integer(0),
            9 => Value::Integer(1),
            1..=6 => Value::Integer(signed(bytes)),
            7 => Value::Real(f64::from_be_bytes(bytes.try_into().map_err(|_| cut())?)),
            kind if kind % 2 == 1 => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
            _ => Value::Bytes,
        });
    }
    Ok(values)
}

/// A whole number of up to eight bytes, the highest first.
fn signed(bytes: &[u8]) -> i64 {
    let first = if bytes.first().is_some_and(|byte| *byte > 127) { -1 } else { 0 };
    bytes.iter().fold(first, |number: i64, byte| (number << 8) | i64::from(*byte))
}

/// The names of the columns of `CREATE TABLE`, and the place of the one that is the number of the row.
fn columns(sql: &str) -> (Vec<String>, Option<usize>) {
    let inner = sql.split_once('(').map_or("", |(_, inner)| inner);
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    for letter in inner.chars() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    let (mut names, mut key) = (Vec::new(), None);
    for part in parts.iter().map(|part| part.split("--").next().unwrap_or_default().trim()) {
        let words: Vec<String> = part.split_whitespace().map(str::to_uppercase).collect();
        let first = words.first().map(String::as_str).unwrap_or_default();
        if matches!(first, "" | "PRIMARY" | "FOREIGN" | "UNIQUE" | "CHECK" | "CONSTRAINT") {
            continue;
        }
        let is_key =
            words.get(1).is_some_and(|kind| kind == "INTEGER") && words.windows(2).any(|two| two == ["PRIMARY", "KEY"]);
        if is_key {
            key = Some(names.len());
        }
        let name = part.split_whitespace().next().unwrap_or_default();
        names.push(name.trim_matches(['"', '`', '[', ']', '\'']).to_owned());
    }
    (names, key)
}

fn cut() -> String {
    "it is cut off or damaged".to_owned()
}

fn short(bytes: &[u8], at: usize) -> Result<u16, String> {
    let two = bytes.get(at..at + 2).and_then(|bytes| bytes.try_into().ok()).ok_or_else(cut)?;
    Ok(u16::from_be_bytes(two))
}

fn long(bytes: &[u8], at: usize) -> Result<usize, String> {
    let four = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).ok_or_else(cut)?;
    usize::try_from(u32::from_be_bytes(four)).map_err(|_| cut())
}

/// A number of one to nine bytes, seven bits in each but the ninth, the highest first.
fn varint(bytes: &[u8], at: &mut usize) -> Result<u64, String> {
    let mut number = 0_u64;
    for place in 0..9 {
        let byte = *bytes.get(*at).ok_or_else(cut)?;
        *at += 1;
        if place == 8 {
            return Ok((number << 8) | u64::from(byte));
        }
        number = (number << 7) | u64::from(byte & 127);
        if byte < 128 {
            break;
        }
    }
    Ok(number)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Bytes of a page of a test database.
    const PAGE: usize = 4_096;

    /// A varint of up to two bytes.
    fn small(number: usize) -> Vec<u8> {
        let low = u8::try_from(number & 127).expect("7 bits");
        if number < 128 { vec![low] } else { vec![u8::try_from(number >> 7).expect("14 bits") | 128, low] }
    }

    /// A row: texts, and whole numbers of eight bytes.
    fn cell(row: usize, values: &[Value]) -> Vec<u8> {
        let (mut kinds, mut body) = (Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Integer(number) => {
                    kinds.extend(small(6));
                    body.extend(number.to_be_bytes());
                }
                Value::Text(text) => {
                    kinds.extend(small(13 + 2 * text.len()));
                    body.extend(text.bytes());
                }
                _ => kinds.extend(small(0)),
            }
        }
        let header = small(kinds.len() + 1);
        [small(header.len() + kinds.len() + body.len()), small(row), header, kinds, body].concat()
    }

    /// A leaf with these rows, numbered from 1; the first page has the header of the file before it.
    fn leaf(rows: &[Vec<Value>], is_first: bool) -> Vec<u8> {
        let mut page = vec![0; PAGE];
        let at = if is_first { 100 } else { 0 };
        page[at] = 13;
        page[at + 3..at + 5].copy_from_slice(&u16::try_from(rows.len()).expect("few").to_be_bytes());
        let mut end = PAGE;
        for (place, values) in rows.iter().enumerate() {
            let bytes = cell(place + 1, values);
            end -= bytes.len();
            page[end..end + bytes.len()].copy_from_slice(&bytes);
            let pointer = u16::try_from(end).expect("within a page").to_be_bytes();
            page[at + 8 + 2 * place..][..2].copy_from_slice(&pointer);
        }
        if is_first {
            page[..16].copy_from_slice(MAGIC);
            page[16..18].copy_from_slice(&u16::try_from(PAGE).expect("small").to_be_bytes());
            page[59] = 1;
        }
        page
    }

    /// A database of tables of one page each.
    pub(in super::super) fn database(tables: &[(&str, &str, Vec<Vec<Value>>)]) -> Vec<u8> {
        let text = |text: &str| Value::Text(text.to_owned());
        let schema: Vec<Vec<Value>> = tables
            .iter()
            .enumerate()
            .map(|(place, (name, sql, _))| {
                vec![
                    text("table"),
                    text(name),
                    text(name),
                    Value::Integer(i64::try_from(place + 2).expect("few")),
                    text(sql),
                ]
            })
            .collect();
        let mut bytes = leaf(&schema, true);
        for (_, _, rows) in tables {
            bytes.extend(leaf(rows, false));
        }
        bytes
    }

    #[test]
    fn rows_of_a_table_are_read_with_their_columns_and_key() {
        let rows = vec![vec![Value::Null, Value::Text("a".into())], vec![Value::Null, Value::Text("é".into())]];
        let bytes =
            database(&[("Names", "CREATE TABLE Names (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)", rows)]);
        let database = Database::of(&bytes).expect("a database");
        let table = database.table("names").expect("undamaged").expect("the table");
        assert_eq!((table.place("ID"), table.place("value"), table.place("other")), (Some(0), Some(1), None));
        let mut seen = Vec::new();
        database.each(&table, |row, values| seen.push((row, values.to_vec()))).expect("undamaged");
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(seen, [(1, vec![Value::Integer(1), text("a")]), (2, vec![Value::Integer(2), text("é")])]);
        assert!(database.table("none").expect("undamaged").is_none());
    }

    #[test]
    fn a_damaged_database_is_refused_and_never_read_without_end() {
        let rows = vec![vec![Value::Integer(-7), Value::Text("a".into())]; 20];
        let bytes = database(&[("T", "CREATE TABLE T (a INTEGER, b TEXT, FOREIGN KEY (a) REFERENCES U (b))", rows)]);
        let read = |bytes: &[u8]| {
            let database = Database::of(bytes)?;
            let table = database.table("T")?.ok_or("no table")?;
            let mut count = 0;
            database.each(&table, |_, values| count += values.len())?;
            Ok::<usize, String>(count)
        };
        assert_eq!(read(&bytes), Ok(40));
        for end in (0..bytes.len()).step_by(97) {
            assert!(read(&bytes[..end]).is_err(), "{end}");
        }
        for place in (0..bytes.len()).step_by(3) {
            for byte in [0, 5, 13, 255] {
                let mut changed = bytes.clone();
                changed[place] = byte;
                // Whatever it is, it ends.
                drop(read(&changed));
            }
        }
    }

    #[test]
    fn numbers_are_of_one_to_eight_bytes() {
        assert_eq!((signed(&[255]), signed(&[0, 128]), signed(&[128, 0])), (-1, 128, -32_768));
        assert_eq!(varint(&[0x81, 0x00], &mut 0), Ok(128));
        assert_eq!(columns("CREATE TABLE \"x\" (\"a b\" INT, c DECIMAL(3, 4), PRIMARY KEY (c))").0, ["a", "c"]);
    }
}

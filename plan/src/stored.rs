//! Sizes of tables from the footers of their Parquet files.
//!
//! A folder has a folder for each table, as Spark and Hive store them, or a file for each table, as DuckDB exports them. Folders of
//! Hive's databases (“shop.db”) are searched for tables as well. As in Spark, names that begin with “_” or “.” do not count.
//!
//! - `footer`: checked before the library reads it
//! - `dictionary`: different values of a column in a row group
//! - `values`: the same of a table, and how long its texts are
//! - `thrift`: the numbers of footers and dictionaries

mod dictionary;
mod footer;
mod thrift;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use crossover_query::{StoredColumn, StoredTables, TableFiles};
use parquet::basic::ConvertedType;
use parquet::errors::ParquetError;
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{
    ColumnChunkMetaData, FooterTail, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::statistics::Statistics;

use self::values::Values;
use crate::store::{Entry, Folders, Sort, Store as _};

/// Largest footer, bytes. A column of a row group takes about a hundred of them.
const LARGEST_FOOTER: usize = 256_000_000;
/// Row groups of a table whose dictionaries are read: files behind them are like those before.
const DICTIONARIES: f64 = 64.0;

/// Why the sizes of tables cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// A file or a folder cannot be read.
    #[error("{}: {cause}", path.display())]
    Read {
        /// The file or the folder.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A file is no Parquet file.
    #[error("{}: its footer cannot be read: {cause}; expected a Parquet file", path.display())]
    Footer {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: ParquetError,
    },
    /// A footer would fill the memory.
    #[error("{}: its footer would have {bytes} bytes; expected a Parquet file with at most {}", path.display(), LARGEST_FOOTER)]
    LargeFooter {
        /// The file.
        path: PathBuf,
        /// What the file says of its footer.
        bytes: usize,
    },
    /// There is no table.
    #[error("{} has no Parquet files; expected a folder with a folder for each table, such as {}", .0.display(), .0.join("store_sales").display())]
    Empty(PathBuf),
}

/// The tables in a folder, by their names. Files that do not end in “.parquet” are ignored.
///
/// # Errors
/// A folder or a footer cannot be read, or there is no Parquet file.
pub fn tables(folder: &Path) -> Result<StoredTables, StoredError> {
    let mut found = StoredTables::new();
    let mut databases = vec![folder.to_owned()];
    while let Some(database) = databases.pop() {
        for entry in entries(&database)? {
            let name = if entry.sort == Sort::Folder { entry.path.file_name() } else { entry.path.file_stem() };
            let name = name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_database = entry.sort == Sort::Folder && extension(&entry.path) == "db";
            if is_database && database == folder {
                databases.push(entry.path);
                continue;
            }
            let table = table(entry)?;
            if table.files > 0.0 {
                found.insert(name, table);
            }
        }
    }
    if found.is_empty() { Err(StoredError::Empty(folder.to_owned())) } else { Ok(found) }
}

/// The files of a table in a folder with its partitions, or the one file.
fn table(entry: Entry) -> Result<TableFiles, StoredError> {
    let mut table = TableFiles::default();
    let (mut folders, mut places, mut values) = (BTreeSet::new(), BTreeMap::new(), Vec::new());
    let mut waiting = vec![entry];
    while let Some(entry) = waiting.pop() {
        match entry.sort {
            // A link could lead back.
            Sort::Folder => waiting.extend(
                entries(&entry.path)?.into_iter().filter(|inner| !(inner.is_link && inner.sort == Sort::Folder)),
            ),
            Sort::File if extension(&entry.path) == "parquet" => {
                add(&mut table, &mut places, &mut values, &entry.path)?;
                folders.extend(entry.path.parent().map(Path::to_owned));
            }
            Sort::File | Sort::Other => {}
        }
    }
    table.folders = folders.len() as u64;
    for (column, values) in table.columns.iter_mut().zip(&values) {
        column.values = values.different(table.row_groups);
        column.text_bytes = values.text_bytes();
    }
    Ok(table)
}

/// Adds what a file says of itself; `places`: those of the columns, by their names; `values`: theirs, in the same places.
fn add(
    table: &mut TableFiles,
    places: &mut BTreeMap<String, usize>,
    values: &mut Vec<Values>,
    path: &Path,
) -> Result<(), StoredError> {
    let read = |cause| StoredError::Read { path: path.to_owned(), cause };
    let file = File::open(path).map_err(read)?;
    let bytes = file.metadata().map_err(read)?.len();
    let footer = footer(&file, bytes, path)?;
    table.files += 1.0;
    table.bytes += bytes as f64;
    table.rows += footer.file_metadata().num_rows().max(0) as f64;
    let has_dictionaries = table.row_groups < DICTIONARIES;
    table.row_groups += footer.row_groups().len() as f64;
    let mut end_of_data = 0_i64;
    for column in footer.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        // Not `byte_range`, which panics if a broken file states a negative one. Some writers state a dictionary at 0 that is not
        // there (parquet-java, `ColumnChunkMetaData.getStartingPos`).
        let data = column.data_page_offset();
        let dictionary = column.dictionary_page_offset().filter(|start| (1..data).contains(start));
        let start = dictionary.unwrap_or(data);
        let length = column.compressed_size().max(0);
        end_of_data = end_of_data.max(start.saturating_add(length));
        let name = column.column_path().parts().first().map_or("", String::as_str);
        let place = *places.entry(name.to_owned()).or_insert_with(|| {
            let bounds = Some([f64::INFINITY, f64::NEG_INFINITY]);
            let name = name.to_owned();
            table.columns.push(StoredColumn { name, nulls: Some(0.0), bounds, ..StoredColumn::default() });
            values.push(Values::default());
            table.columns.len() - 1
        });
        let is_nested = column.column_path().parts().len() > 1;
        let nulls = column.statistics().and_then(Statistics::null_count_opt).filter(|_| !is_nested);
        let known = &mut table.columns[place];
        known.bytes += length as f64;
        known.nulls = known.nulls.zip(nulls).map(|(sum, nulls)| sum + nulls as f64);
        let bounds = bounds(column).filter(|_| !is_nested);
        known.bounds = known.bounds.zip(bounds).map(|(all, own)| [all[0].min(own[0]), all[1].max(own[1])]);
        if has_dictionaries && !is_nested {
            values[place].add(&file, column, dictionary.map(i64::unsigned_abs)).map_err(read)?;
        }
    }
    table.footer_bytes += (bytes as f64 - end_of_data as f64).max(0.0);
    Ok(())
}

/// The footer of a file of so many bytes. It is read as a whole, so its length is looked at first, and then what it states.
fn footer(mut file: &File, bytes: u64, path: &Path) -> Result<ParquetMetaData, StoredError> {
    let unreadable = |cause| StoredError::Read { path: path.to_owned(), cause };
    let refused = |cause| StoredError::Footer { path: path.to_owned(), cause };
    let too_short = || refused(ParquetError::EOF(format!("the file has {bytes} bytes")));

    let mut end = [0; FOOTER_SIZE];
    let end_at = bytes.checked_sub(FOOTER_SIZE as u64).ok_or_else(too_short)?;
    file.seek(SeekFrom::Start(end_at)).and_then(|_| file.read_exact(&mut end)).map_err(unreadable)?;
    let tail = FooterTail::try_new(&end).map_err(refused)?;
    if tail.is_encrypted_footer() {
        return Err(refused(ParquetError::NYI("it is encrypted".to_owned())));
    }
    let length = tail.metadata_length();
    if length > LARGEST_FOOTER {
        return Err(StoredError::LargeFooter { path: path.to_owned(), bytes: length });
    }
    let footer_at = end_at.checked_sub(length as u64).ok_or_else(too_short)?;
    let mut footer = vec![0; length];
    file.seek(SeekFrom::Start(footer_at)).and_then(|_| file.read_exact(&mut footer)).map_err(unreadable)?;
    footer::check(&footer).and_then(|()| ParquetMetaDataReader::decode_metadata(&footer)).map_err(refused)
}

/// Least and largest value of a column of whole numbers or dates in a row group.
fn bounds(column: &ColumnChunkMetaData) -> Option<[f64; 2]> {
    use ConvertedType::{DATE, INT_8, INT_16, INT_32, INT_64, NONE};
    if !matches!(column.column_descr().converted_type(), NONE | INT_8 | INT_16 | INT_32 | INT_64 | DATE) {
        return None;
    }
    match column.statistics()? {
        Statistics::Int32(found) => Some([f64::from(*found.min_opt()?), f64::from(*found.max_opt()?)]),
        Statistics::Int64(found) => Some([*found.min_opt()? as f64, *found.max_opt()? as f64]),
        _ => None,
    }
}

/// What counts in a folder, by name.
fn entries(folder: &Path) -> Result<Vec<Entry>, StoredError> {
    let read = |cause| StoredError::Read { path: folder.to_owned(), cause };
    let mut entries = Folders.list(folder).map_err(read)?;
    // Of a folder of a partition the name of its column may begin with “_”.
    let is_hidden = |name: &str| name.starts_with('.') || (name.starts_with('_') && !name.contains('='));
    entries.retain(|entry| entry.path.file_name().and_then(OsStr::to_str).is_some_and(|name| !is_hidden(name)));
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(OsStr::to_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crossover_query::{Kind, Node, Plan, Source};

    use super::*;
    use crate::cases::Scale;

    /// Files of `PyArrow`, whose `make.py` prints the numbers here.
    fn samples() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/parquet")
    }

    fn column(name: &str, bytes: f64, nulls: Option<f64>, bounds: Option<[f64; 2]>) -> StoredColumn {
        StoredColumn { name: name.to_owned(), bytes, nulls, bounds, ..StoredColumn::default() }
    }

    #[test]
    fn footers_state_rows_and_bytes_of_all_partitions() {
        let found = tables(&samples()).expect("three tables");
        assert_eq!(found.keys().collect::<Vec<_>>(), ["customer", "item", "sales"]);
        let sales = TableFiles {
            rows: 4000.0,
            files: 2.0,
            folders: 2,
            row_groups: 3.0,
            bytes: 20_276.0 + 7_151.0,
            // Behind the last column, which ends at 14,109 + 5,361 and at 1,285 + 5,286.
            footer_bytes: 806.0 + 580.0,
            columns: vec![
                // The dictionary of each row group has 97 items, for 900 rows or more. A price differs in each row, so a row group does
                // not have those of the table.
                StoredColumn {
                    values: Some(97.0),
                    ..column("item", 2049.0 + 1281.0 + 1281.0, Some(400.0), Some([0.0, 96.0]))
                },
                column("price", 10_775.0 + 5_361.0 + 5_286.0, Some(0.0), None),
            ],
        };
        assert_eq!(found["sales"], sales);
        // Fields of a structure are one column, of whose nulls they say nothing.
        assert_eq!(
            found["item"].columns,
            [
                StoredColumn { values: Some(97.0), ..column("id", 587.0, Some(0.0), Some([0.0, 96.0])) },
                column("name", 568.0 + 76.0, None, None)
            ]
        );
        assert_eq!((found["item"].files, found["item"].folders, found["item"].rows), (1.0, 1, 97.0));
    }

    /// All identifiers have 16 letters, two words; they have no dictionary, because each is of one customer. Three names have 3, 10 and
    /// 2 letters, as often as each other: 5, and half a word more.
    #[test]
    fn texts_have_their_bytes_in_rows_of_spark() {
        let found = tables(&samples()).expect("three tables");
        let texts: Vec<_> = found["customer"].columns.iter().map(|column| (column.values, column.text_bytes)).collect();
        assert_eq!(texts, [(None, Some(16.0)), (Some(3.0), Some(5.0 + 3.5))]);
    }

    #[test]
    fn a_folder_of_tables_scales_a_plan_to_them() {
        let source = Source { table: "sales".to_owned(), columns: vec!["item".to_owned()], ..Source::default() };
        let scan = Node { source: Some(Box::new(source)), ..Node::new("Scan parquet shop.sales", Kind::Scan) };
        let plan = Plan { engine: "Spark 3.5.3".to_owned(), nodes: vec![scan], ..Plan::default() };
        let (plan, unchanged) = Scale::Sizes(samples()).apply(&plan).expect("the table is there");
        let source = plan.nodes[0].source.as_deref().expect("a table");
        assert_eq!((source.table_rows, source.files, unchanged.len()), (Some(4000.0), Some(2.0), 0));
        // One value of ten is unknown.
        assert_eq!(source.null_shares, [Some(0.1)]);
    }

    #[test]
    fn what_is_no_table_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let empty = tables(folder.path()).expect_err("nothing there").to_string();
        assert!(empty.contains("has no Parquet files; expected a folder with a folder for each table"), "{empty}");
        std::fs::create_dir(folder.path().join("_temporary")).expect("created");
        std::fs::write(folder.path().join("_temporary/a.parquet"), "x").expect("written");
        assert!(matches!(tables(folder.path()), Err(StoredError::Empty(_))), "Spark ignores it");
        std::fs::write(folder.path().join("a.parquet"), "no table, only a text").expect("written");
        let broken = tables(folder.path()).expect_err("no footer").to_string();
        assert!(broken.contains("a.parquet") && broken.ends_with("expected a Parquet file"), "{broken}");
        // The length of a footer is in the four bytes before the last ones.
        std::fs::write(folder.path().join("a.parquet"), b"PAR1\xff\xff\xff\xffPAR1").expect("written");
        let large = tables(folder.path()).expect_err("a footer of 4 GB").to_string();
        assert!(large.contains("a.parquet: its footer would have 4294967295 bytes"), "{large}");
        // Version 1, a table without columns and rows, and 2³¹ − 1 row groups (fields 1 to 4).
        let footer = b"\x15\x02\x19\x1c\x48\x01r\x15\x00\x00\x16\x00\x19\xfc\xff\xff\xff\xff\x07\x00";
        let file = [&b"PAR1"[..], footer, &[20, 0, 0, 0], b"PAR1"].concat();
        std::fs::write(folder.path().join("a.parquet"), file).expect("written");
        let many = tables(folder.path()).expect_err("more row groups than bytes").to_string();
        assert!(many.contains("a.parquet: its footer cannot be read") && many.contains("2147483647"), "{many}");
    }
}

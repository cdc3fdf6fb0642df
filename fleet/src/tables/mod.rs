//! The results as tables, in three formats. They are sorted, so that they are equal byte for byte for any number of threads
//! or machines.

pub mod column;
mod parquet;
pub mod rows;
mod text;

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crossover_files::atomic::Replacement;
use crossover_files::digest::hex;
use flate2::Crc;
use sha2::{Digest as _, Sha256};

use self::column::Cell;
use self::parquet::ParquetRows;
use self::rows::Table;
use self::text::{CsvRows, JsonRows};
use crate::application::Application;
use crate::error::FleetError;
use crate::found::LeftOut;
use crate::ledger::{LogRecord, Outcome};
use crate::outcomes::Outcomes;
use crate::selection::{Selection, select};

/// Version of the columns; changed with them, so that older files are rewritten.
const VERSION: &str = "tables 3";

/// Bytes of a file that are read at once.
const CHUNK_BYTES: usize = 1 << 16;

/// File extensions of tables.
pub const FORMATS: [&str; 3] = ["parquet", "csv", "json"];

/// The files of all tables in a folder of results.
pub fn files(out: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let out = out.to_owned();
    Table::ALL.into_iter().flat_map(move |table| {
        let out = out.clone();
        FORMATS.map(|format| out.join(format!("{}.{format}", table.name())))
    })
}

/// Lengths and checksums of all tables in a folder of results; `None` if one is missing or cannot be read.
pub(crate) fn checksums(out: &Path) -> Option<String> {
    let all = files(out).map(|file| checksum(&file).ok().flatten());
    all.collect::<Option<Vec<String>>>().map(|all| all.join(" "))
}

/// Length and checksum of a file; `None` if it is something else, whose reading may never end.
fn checksum(path: &Path) -> io::Result<Option<String>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let (mut crc, mut length, mut buffer) = (Crc::new(), 0_u64, vec![0; CHUNK_BYTES]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(Some(format!("{length}:{:08x}", crc.sum())));
        }
        length += read as u64;
        crc.update(&buffer[..read]);
    }
}

/// Everything that is left out: files that are not logs, and logs that do not count.
pub(crate) fn all_left_out(outcomes: &Outcomes, selection: &Selection<'_>) -> Vec<LeftOut> {
    let mut all: Vec<LeftOut> = outcomes.left_out.iter().chain(&selection.left_out).cloned().collect();
    all.sort();
    all.dedup();
    all
}

/// Digest of the tables' inputs.
pub(crate) fn digest(outcomes: &Outcomes) -> String {
    let mut digest = Sha256::new();
    digest.update(VERSION);
    for log in outcomes.logs() {
        digest.update(&log.head.key);
        digest.update(log.check.to_le_bytes());
    }
    for (key, why) in &outcomes.kept {
        digest.update([1]);
        digest.update(key);
        digest.update([0]);
        digest.update(why);
    }
    for left_out in &outcomes.left_out {
        digest.update([0]);
        digest.update(&left_out.path);
        digest.update([0]);
        digest.update(&left_out.reason);
    }
    hex(&digest.finalize()[..16])
}

/// Writes all tables, with one application in memory at a time. They replace older ones when all are complete.
pub(crate) fn write(out: &Path, outcomes: &Outcomes) -> Result<(), FleetError> {
    let selection = select(outcomes.logs());
    let mut tables = Vec::new();
    for table in Table::ALL {
        tables.push(Formats::begin(out, table)?);
    }
    let [applications, queries, operators, left_out] = &mut tables[..] else { return Ok(()) };
    for (known, _) in &selection.applications {
        let LogRecord { head, outcome } = outcomes.ledger.log(known)?;
        let Outcome::Application(application) = outcome else { continue };
        let Application { mut summary, queries: answered } = *application;
        summary.warnings.extend(outcomes.kept.get(&head.key).cloned());
        let id = rows::id_of(&head.key, &summary);
        applications.add(&rows::application(id, &head.key, &summary))?;
        let repetitions = rows::repetitions(&answered);
        for query in &answered {
            let count = repetitions.get(query.repetition.as_str()).copied().unwrap_or(1);
            queries.add(&rows::query(id, query, count))?;
            for row in rows::operators(id, query) {
                operators.add(&row)?;
            }
        }
    }
    for entry in all_left_out(outcomes, &selection) {
        left_out.add(&rows::left_out(&entry))?;
    }
    let mut whole = Vec::new();
    for table in tables {
        whole.extend(table.end()?);
    }
    for file in whole {
        file.save()?;
    }
    Ok(())
}

/// A table that is being written in all formats.
struct Formats {
    parquet: ParquetRows,
    csv: CsvRows,
    json: JsonRows,
    /// In the order of [`FORMATS`].
    files: [Replacement; 3],
}

impl Formats {
    fn begin(out: &Path, table: Table) -> Result<Self, FleetError> {
        let file = |format: &str| Replacement::of(&out.join(format!("{}.{format}", table.name())));
        let mut files = [file(FORMATS[0])?, file(FORMATS[1])?, file(FORMATS[2])?];
        let mut writer = |place: usize| -> Result<_, FleetError> {
            let file = files[place].file().try_clone();
            Ok(BufWriter::new(file.map_err(|cause| files[place].failed(cause))?))
        };
        let (parquet, csv, json) = (writer(0)?, writer(1)?, writer(2)?);
        let columns = table.columns();
        let failed = |place: usize| move |cause: io::Error, files: &[Replacement; 3]| files[place].failed(cause);
        let parquet = ParquetRows::begin(parquet, table.name(), columns).map_err(|cause| failed(0)(cause, &files))?;
        let csv = CsvRows::begin(csv, columns).map_err(|cause| failed(1)(cause, &files))?;
        let json = JsonRows::begin(json, columns).map_err(|cause| failed(2)(cause, &files))?;
        Ok(Self { parquet, csv, json, files })
    }

    fn add(&mut self, row: &[Cell<'_>]) -> Result<(), FleetError> {
        let Self { parquet, csv, json, files } = self;
        parquet.add(row).map_err(|cause| files[0].failed(cause))?;
        csv.add(row).map_err(|cause| files[1].failed(cause))?;
        json.add(row).map_err(|cause| files[2].failed(cause))?;
        Ok(())
    }

    fn end(self) -> Result<[Replacement; 3], FleetError> {
        let Self { parquet, csv, json, files } = self;
        parquet.end().map_err(|cause| files[0].failed(cause))?;
        csv.end().flush().map_err(|cause| files[1].failed(cause))?;
        json.end().and_then(|mut file| file.flush()).map_err(|cause| files[2].failed(cause))?;
        Ok(files)
    }
}

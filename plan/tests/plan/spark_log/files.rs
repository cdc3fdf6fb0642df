//! A log in one file or several, compressed or not, is the same log.

use std::fs;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crossover_plan::spark::{Cores, Source, read_from};
use crossover_plan::store::{Entry, Folders, Store};
use crossover_plan::{Control, Import, ImportError, spark};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::synthetic::{Synthetic, Task, node};
use super::{folder, import, problem, read, write};

/// A log of three queries.
fn log() -> String {
    let mut log = Synthetic::begin();
    for query in 0..3 {
        log.query(query, &node("Scan parquet ", &[("number of output rows", 10, "sum")], &[]));
        log.job(query, query, &[query]);
        log.submit(query, 0, 40);
        for index in 0..40 {
            log.task(Task { stage: query, index, updates: &[(10, 7)], ..Task::default() });
        }
        log.end(query);
    }
    log.close();
    log.0
}

/// A log cut into three at ends of lines.
fn parts(log: &str) -> [&str; 3] {
    let cut = |near: usize| near + log[near..].find('\n').map_or(0, |end| end + 1);
    let (first, second) = (cut(log.len() / 3), cut(log.len() * 2 / 3));
    [&log[..first], &log[first..second], &log[second..]]
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 1).expect("memory takes everything")
}

/// The import without the names of its file.
fn nameless(mut import: Import) -> Import {
    import.file.clear();
    for query in &mut import.queries {
        query.plan.file.clear();
    }
    import
}

/// Reads a folder with these files.
fn read_folder(files: &[(&str, &[u8])]) -> Result<Import, ImportError> {
    let folder = folder();
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    read(folder.path()).map(nameless)
}

#[test]
fn plain_gzip_and_zstd_give_the_same_import() {
    let log = log();
    let plain = nameless(import(&log));
    assert_eq!(plain.queries.len(), 3);
    assert_eq!(plain.queries[2].plan.nodes[0].metric("number of output rows"), Some(840.0));
    assert!(plain.warnings.is_empty(), "{:?}", plain.warnings);
    let [a, b, c] = parts(&log);
    let members: Vec<u8> = [gzip(a), gzip(b), gzip(c)].concat();
    // A skippable frame of four bytes, then three frames.
    let frames: Vec<u8> = [b"\x50\x2a\x4d\x18\x04\0\0\0skip".to_vec(), zstd(a), zstd(b), zstd(c)].concat();
    for compressed in [gzip(&log), zstd(&log), members, frames] {
        assert_eq!(nameless(import(compressed)), plain);
    }
}

#[test]
fn a_rolling_log_is_read_in_the_order_of_its_numbers() {
    let log = log();
    let plain = nameless(import(&log));
    let [a, b, c] = parts(&log);
    let rolling = read_folder(&[
        ("appstatus_app-1", b"not an event log"),
        ("events_10_app-1", c.as_bytes()),
        ("events_8_app-1.zstd", &zstd(a)),
        ("events_9_app-1.gz", &gzip(b)),
    ]);
    let mut rolling = rolling.expect("the folder is read");
    assert_eq!(rolling.warnings, ["the log begins with part 8; earlier events are missing"]);
    rolling.warnings.clear();
    assert_eq!(rolling, plain);
}

#[test]
fn a_compacted_part_stands_for_all_before_it() {
    let log = log();
    let [a, b, c] = parts(&log);
    let both = format!("{a}{b}");
    let rolling = read_folder(&[
        ("events_1_app-1.zstd", &zstd(a)),
        ("events_2_app-1.zstd", &zstd(b)),
        ("events_2_app-1.zstd.compact", &zstd(&both)),
        ("events_3_app-1.zstd", &zstd(c)),
    ]);
    assert_eq!(rolling.expect("the folder is read"), nameless(import(&log)));
}

#[test]
fn a_rolling_log_with_a_hole_is_refused() {
    let error =
        read_folder(&[("events_1_a", b"{}"), ("events_3_a", b"{}")]).expect_err("part 2 is missing").to_string();
    assert!(error.contains("events_2_… is missing between parts 1 and 3"), "{error}");
}

#[test]
fn parts_of_databricks_are_read_by_time_and_the_plain_one_last() {
    let log = log();
    let [a, b, c] = parts(&log);
    let parts = read_folder(&[
        ("eventlog", c.as_bytes()),
        ("eventlog-2024-01-02--10-00.gz", &gzip(b)),
        ("eventlog-2024-01-02--09-30.gz", &gzip(a)),
        ("stdout", b"hello"),
    ]);
    assert_eq!(parts.expect("the folder is read"), nameless(import(&log)));
}

#[test]
fn one_part_of_a_rolling_log_says_so() {
    let folder = folder();
    let part = write(folder.path(), "events_1_app-1", log());
    let notes = read(&part).expect("the part is read").warnings;
    assert_eq!(notes, ["this is one part of a log; import its folder to read all parts"]);
}

#[test]
fn a_folder_of_many_logs_says_how_they_are_read() {
    let logs: [(&str, &[u8]); 3] = [("application_1_1", b"{}"), ("application_1_2", b"{}"), ("notes.txt", b"hello")];
    let error = read_folder(&logs).expect_err("there is no single log").to_string();
    assert!(error.contains("logs of 2 applications") && error.contains("such as application_1_1"), "{error}");
}

#[test]
fn a_folder_without_a_log_says_what_is_expected() {
    let error = read_folder(&[("notes.txt", b"hello")]).expect_err("there is no log").to_string();
    assert!(error.contains("no event log in this folder") && error.contains("events_1_"), "{error}");
}

#[test]
fn codecs_that_are_not_read_are_named_with_the_way_out() {
    for (start, codec) in [(&b"BZh91AY"[..], "bzip2"), (b"\xfd7zXZ\0\0", "xz"), (b"PK\x03\x04\x14", "zip")] {
        let error = problem(start);
        assert!(error.contains(codec) && error.contains("decompress it first"), "{error}");
    }
}

#[test]
fn blocks_of_sparks_own_codecs_give_the_same_import() {
    let log = log();
    let size = u32::try_from(log.len()).expect("a small log");
    // Blocks that are not compressed, as these codecs write what does not shrink.
    let lz4 =
        [b"LZ4Block\x16".to_vec(), [size, size, 0].map(u32::to_le_bytes).concat(), log.clone().into_bytes()].concat();
    let chunks = log.as_bytes().chunks(60_000).map(|chunk| {
        let size = u16::try_from(chunk.len()).expect("a short block").to_be_bytes();
        [&b"ZV\0"[..], &size, chunk].concat()
    });
    let expected = nameless(import(&log));
    for compressed in [lz4, chunks.collect::<Vec<_>>().concat()] {
        assert_eq!(nameless(import(compressed)), expected);
    }
}

#[test]
fn progress_reaches_the_size_of_the_compressed_file() {
    let folder = folder();
    let content = zstd(&log());
    let path = write(folder.path(), "log.zstd", &content);
    let control = Control::default();
    spark::read(&path, &control).expect("the log is read");
    assert_eq!(control.progress(), (content.len() as u64, content.len() as u64));
}

#[test]
fn a_cancelled_import_ends() {
    let folder = folder();
    let path = write(folder.path(), "log", log());
    let control = Control::default();
    control.cancel();
    assert!(matches!(spark::read(&path, &control), Err(ImportError::Cancelled)));
}

/// A log of several megabytes: of so many batches that several threads have some.
fn large() -> String {
    let mut log = Synthetic::begin();
    for query in 0..3 {
        log.query(query, &node("Scan parquet ", &[("number of output rows", 10, "sum")], &[]));
        log.job(query, query, &[query]);
        log.submit(query, 0, 1_500);
        for index in 0..1_500 {
            log.task(Task { stage: query, index, updates: &[(10, 7)], ..Task::default() });
        }
        log.end(query);
    }
    log.close();
    assert!(log.0.len() > 4 << 20, "{}", log.0.len());
    log.0
}

/// What comes of a file, read on so many cores.
fn on(cores: usize, path: &Path) -> Result<Import, String> {
    let source = Source::find(&Folders, path).expect("it is there");
    read_from(&Folders, path, source, Cores(cores), &Control::default()).map_err(|error| error.to_string())
}

#[test]
fn on_any_number_of_cores_it_is_the_same_log() {
    let log = large();
    let middle = log[log.len() / 2..].find('\n').map_or(0, |end| log.len() / 2 + end + 1);
    let with = |line: &str| format!("{}{line}\n{}", &log[..middle], &log[middle..]);
    let second =
        "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"other\",\"App ID\":\"app-2\",\"Timestamp\":1}";
    let (packed, zipped) = (zstd(&log), gzip(&log));
    let logs: [(&str, Vec<u8>); 8] = [
        ("plain", log.clone().into()),
        ("zstd", packed.clone()),
        ("cut zstd", packed[..packed.len() / 2].to_vec()),
        ("cut gzip", zipped[..zipped.len() / 2].to_vec()),
        ("open end", log[..log.len() - 40].into()),
        ("strange lines", with("{\"Event\":\"SparkListenerTaskEnd\"}\n\nno event").into()),
        ("second application", with(second).into()),
        ("damage", zipped.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == zipped.len() / 2)).collect()),
    ];
    for (name, content) in logs {
        let folder = folder();
        let path = write(folder.path(), "log", content);
        let one = on(1, &path);
        for cores in [2, 3, 8] {
            assert!(on(cores, &path) == one, "{name} on {cores} cores");
        }
    }
}

/// A file that calls its import off while it is read.
struct CallsOff {
    file: Box<dyn Read + Send>,
    left: usize,
    control: Arc<Control>,
}

impl Read for CallsOff {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.left = self.left.saturating_sub(count);
        if self.left == 0 {
            self.control.cancel();
        }
        Ok(count)
    }
}

/// Folders in which every file calls off.
struct CallingOff(Arc<Control>);

impl Store for CallingOff {
    fn entry(&self, path: &Path) -> io::Result<Entry> {
        Folders.entry(path)
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        Folders.real(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        Folders.list(folder)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(CallsOff { file: Folders.open(file)?, left: 3 << 20, control: Arc::clone(&self.0) }))
    }
}

#[test]
fn an_import_that_is_called_off_midway_ends() {
    let folder = folder();
    let path = write(folder.path(), "log", large());
    for cores in [1, 2, 8] {
        let control = Arc::new(Control::default());
        let store = CallingOff(Arc::clone(&control));
        let source = Source::find(&store, &path).expect("it is there");
        let read = read_from(&store, &path, source, Cores(cores), &control);
        assert!(matches!(read, Err(ImportError::Cancelled)), "{cores} cores");
        let (done, _) = control.progress();
        assert!(done >= 3 << 20, "{done} bytes on {cores} cores");
    }
}

#[test]
fn a_file_that_does_not_exist_is_named() {
    let folder = folder();
    let path = folder.path().join("missing");
    assert!(!fs::exists(&path).expect("the folder can be read"));
    assert!(matches!(read(&path), Err(ImportError::Read { path: named, .. }) if named == path));
}

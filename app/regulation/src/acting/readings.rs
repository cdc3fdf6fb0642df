//! Readings of a cluster as they arrive: rows that another program appends to a CSV file, NVIDIA's driver, or pages by HTTP.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use crossover_files::read;
use crossover_quantity::text::counted;
use crossover_telemetry::{Opener, Watch};

use super::scraped::{Polled, Poller};

/// Most bytes that are taken from a file at once.
const MOST_BYTES: u64 = 1 << 20;
/// Largest recording.
const LARGEST_BYTES: u64 = 64_000_000;
/// Columns of PCIe occupancy and compute load: as a controller reads them, in the CSV of `crossover evaluate`, and plain.
const COLUMNS: [[&str; 2]; 2] = [["read_pcie_occupancy", "read_load"], ["pcie_occupancy", "load"]];

/// Where readings come from.
pub(crate) enum Readings {
    /// Rows of a file.
    Rows(Rows),
    /// A GPU of this machine.
    Driver(Driver),
    /// GPUs of several machines, by HTTP.
    Pages(Poller),
}

/// What has arrived.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Arrived {
    /// PCIe occupancy and compute load, 0 … 1.
    Reading([f64; 2]),
    /// Nothing yet.
    Nothing,
    /// A row that is no reading, with the reason.
    Bad(String),
}

impl Readings {
    /// What has arrived since the last call: the newest reading.
    ///
    /// # Errors
    /// No more readings can arrive.
    pub(crate) fn poll(&mut self) -> Result<Arrived> {
        match self {
            Self::Rows(rows) => Ok(rows.poll()),
            Self::Driver(driver) => driver.poll(),
            Self::Pages(poller) => Ok(match poller.poll() {
                Polled::Mean(read) => Arrived::Reading(read),
                Polled::Nothing => Arrived::Nothing,
                Polled::Unreadable => Arrived::Bad("no address has readings".to_owned()),
            }),
        }
    }

    /// What the user should know beside the readings, each once.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        match self {
            Self::Rows(_) | Self::Driver(_) => Vec::new(),
            Self::Pages(poller) => poller.notes(),
        }
    }
}

/// A file with a header to which rows are appended.
#[derive(Debug)]
pub(crate) struct Rows {
    path: PathBuf,
    /// Rows of other clusters are skipped where the file has a column for them.
    cluster: String,
    columns: Columns,
    /// Bytes that were taken.
    taken: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Columns {
    read: [usize; 2],
    cluster: Option<usize>,
}

impl Rows {
    /// The rows that are appended from now on.
    ///
    /// # Errors
    /// The file cannot be read, or its first line has no columns of occupancies.
    pub(crate) fn open(path: &Path, cluster: &str) -> Result<Self> {
        let mut rows = Self::anew(path, cluster)?;
        let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        rows.taken = metadata.len().max(rows.taken);
        Ok(rows)
    }

    /// All rows after the header.
    fn anew(path: &Path, cluster: &str) -> Result<Self> {
        let shown = path.display();
        let metadata = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
        // A pipe would hold the loop up.
        ensure!(metadata.is_file(), "{shown}: this is not a file; rows are appended to a file");
        let bytes = taken_from(path, 0).with_context(|| format!("cannot read {shown}"))?;
        let header = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
        let columns = columns(&String::from_utf8_lossy(header)).map_err(|problem| anyhow!("{shown}:1: {problem}"))?;
        Ok(Self { path: path.to_owned(), cluster: cluster.to_owned(), columns, taken: header.len() as u64 })
    }

    fn poll(&mut self) -> Arrived {
        let unreadable =
            |path: &Path, error: std::io::Error| Arrived::Bad(format!("cannot read {}: {error}", path.display()));
        let size = match std::fs::metadata(&self.path) {
            Ok(metadata) => metadata.len(),
            Err(error) => return unreadable(&self.path, error),
        };
        if size < self.taken {
            // It was written anew.
            match Self::anew(&self.path, &self.cluster) {
                Ok(anew) => *self = anew,
                Err(problem) => return Arrived::Bad(format!("{problem:#}")),
            }
        }
        let bytes = match taken_from(&self.path, self.taken) {
            Ok(bytes) => bytes,
            Err(error) => return unreadable(&self.path, error),
        };
        let mut arrived = Arrived::Nothing;
        // The rest of a line that is still written stays.
        for line in bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            self.taken += line.len() as u64;
            match self.columns.reading(&String::from_utf8_lossy(line), &self.cluster) {
                Ok(None) => {}
                Ok(Some(read)) => arrived = Arrived::Reading(read),
                Err(problem) => arrived = Arrived::Bad(format!("{}: {problem}", self.path.display())),
            }
        }
        arrived
    }
}

/// The readings of a cluster in a file, one for each period.
///
/// # Errors
/// The file cannot be read, its first line has no columns of occupancies, or a row is no reading; with its line.
pub(crate) fn recorded(path: &Path, cluster: &str) -> Result<Vec<[f64; 2]>> {
    let shown = path.display();
    let text = read::text(path, LARGEST_BYTES).with_context(|| format!("cannot read {shown}"))?;
    let columns = columns(text.lines().next().unwrap_or_default()).map_err(|why| anyhow!("{shown}:1: {why}"))?;
    let mut readings = Vec::new();
    for (index, line) in text.lines().enumerate().skip(1) {
        let reading = columns.reading(line, cluster).map_err(|problem| anyhow!("{shown}:{}: {problem}", index + 1))?;
        readings.extend(reading);
    }
    ensure!(!readings.is_empty(), "{shown}: no row is a reading of {cluster}");
    Ok(readings)
}

impl Columns {
    /// The reading of a row; none of an empty row, or one of another cluster.
    fn reading(self, line: &str, cluster: &str) -> Result<Option<[f64; 2]>, String> {
        let fields = fields(line);
        if fields.iter().all(|field| field.trim().is_empty()) {
            return Ok(None);
        }
        let field = |index: usize| fields.get(index).map(|field| field.trim());
        if self.cluster.is_some_and(|index| field(index) != Some(cluster)) {
            return Ok(None);
        }
        let mut read = [0.0; 2];
        for (value, index) in read.iter_mut().zip(self.read) {
            let number = field(index).and_then(|text| text.parse::<f64>().ok());
            let share = number.filter(|number| (0.0..=1.0).contains(number));
            *value = share.ok_or_else(|| {
                let shown: String = line.trim().chars().take(80).collect();
                format!("“{shown}” is not a reading; expected two numbers from 0 to 1")
            })?;
        }
        Ok(Some(read))
    }
}

/// At most so much of a file as is taken at once, from a position on.
fn taken_from(path: &Path, position: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(position))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn columns(header: &str) -> Result<Columns, String> {
    let names: Vec<String> = fields(header).iter().map(|name| name.trim().to_owned()).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    let read = COLUMNS.iter().find_map(|[pcie, load]| Some([place(pcie)?, place(load)?]));
    let read = read.ok_or_else(|| {
        let [_, [pcie, load]] = COLUMNS;
        format!("the columns {pcie} and {load} are missing; the first line names the columns")
    })?;
    Ok(Columns { read, cluster: place("cluster") })
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok);
    record.map(|record| record.iter().map(str::to_owned).collect()).unwrap_or_default()
}

/// A GPU of this machine, read on a thread, so that a driver that hangs does not stop the loop.
#[derive(Debug)]
pub(crate) struct Driver {
    watch: Watch,
    gpu: usize,
    seen: Option<f64>,
}

impl Driver {
    /// Begins to read a GPU, by its index.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(gpu: usize, period: Duration) -> Result<Self> {
        let watch = Watch::start(Opener::default().open(), period, 1, Box::new(|_| {}));
        Ok(Self { watch: watch.context("cannot start the sampling thread")?, gpu, seen: None })
    }

    fn poll(&mut self) -> Result<Arrived> {
        self.watch.update();
        if let Some(reason) = self.watch.ended() {
            bail!("{reason}");
        }
        let gpus = self.watch.devices().len();
        let has = counted(gpus as f64, "GPU");
        ensure!(gpus == 0 || self.gpu < gpus, "--gpu {}: this machine has {has}, numbered from 0", self.gpu);
        let Some(sample) = self.watch.samples().back() else { return Ok(Arrived::Nothing) };
        if self.seen.replace(sample.seconds) == Some(sample.seconds) {
            return Ok(Arrived::Nothing);
        }
        let Some(reading) = sample.readings.iter().find(|reading| reading.device == self.gpu) else {
            return Ok(Arrived::Nothing);
        };
        Ok(match reading.pcie_occupancy().zip(reading.load()) {
            Some((pcie, load)) => Arrived::Reading([pcie, load]),
            None => Arrived::Bad(reading.missing.join("; ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use crossover_needs::wait_until;
    use crossover_telemetry::scripted::{Scripted, Step, device, reading, vanished};
    use crossover_telemetry::{Sample, SourceError};

    use super::*;

    fn append(path: &Path, text: &str) {
        let mut file = File::options().append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn only_rows_that_are_appended_are_readings_and_the_newest_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("readings.csv");
        fs::write(&path, "seconds,pcie_occupancy,load\n1,0.1,0.2\n").unwrap();
        let mut rows = Rows::open(&path, "I").unwrap();
        assert_eq!(rows.poll(), Arrived::Nothing, "what was there is old");
        append(&path, "2,0.3,0.4\n3,0.5,0.6\n4,0.7");
        assert_eq!(rows.poll(), Arrived::Reading([0.5, 0.6]));
        assert_eq!(rows.poll(), Arrived::Nothing, "a line that is not complete");
        append(&path, ",0.8\n");
        assert_eq!(rows.poll(), Arrived::Reading([0.7, 0.8]));
        append(&path, "5,1.5,0.6\n");
        let Arrived::Bad(problem) = rows.poll() else { panic!("1.5 is no share") };
        assert!(problem.contains("“5,1.5,0.6” is not a reading"), "{problem}");
        fs::write(&path, "pcie_occupancy,load\n0,1\n").unwrap();
        assert_eq!(rows.poll(), Arrived::Reading([0.0, 1.0]), "a file that was written anew");
        fs::remove_file(&path).unwrap();
        assert!(matches!(rows.poll(), Arrived::Bad(_)));
    }

    /// A byte that is no text spoils its own row: rows after it are readings, and each byte is taken once.
    #[test]
    fn a_row_that_is_no_text_is_named_and_those_after_it_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("readings.csv");
        fs::write(&path, "pcie_occupancy,load\n").unwrap();
        let mut rows = Rows::open(&path, "I").unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"0.1,\xff\xfe\n").unwrap();
        assert!(matches!(rows.poll(), Arrived::Bad(_)));
        assert_eq!(rows.poll(), Arrived::Nothing);
        append(&path, "0.3,0.4\n");
        assert_eq!(rows.poll(), Arrived::Reading([0.3, 0.4]));
    }

    #[test]
    fn a_recording_gives_each_row_of_its_cluster() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recorded.csv");
        let text = "cluster,pcie_occupancy,load,read_pcie_occupancy,read_load\n\
                    \"a, b\",0,0,0.1,0.2\nII,0,0,0.9,0.9\n\"a, b\",0,0,0.3,0.4";
        fs::write(&path, text).unwrap();
        assert_eq!(recorded(&path, "a, b").unwrap(), [[0.1, 0.2], [0.3, 0.4]]);
        let problem = recorded(&path, "III").unwrap_err().to_string();
        assert!(problem.ends_with("recorded.csv: no row is a reading of III"), "{problem}");
        fs::write(&path, format!("{text}\nII,0,0,0.9,much\n")).unwrap();
        let problem = recorded(&path, "II").unwrap_err().to_string();
        assert!(problem.contains("recorded.csv:5: “II,0,0,0.9,much” is not a reading"), "{problem}");
    }

    #[test]
    fn a_file_without_the_columns_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("readings.csv");
        for text in ["", "load\n", "0.5,0.5\n"] {
            fs::write(&path, text).unwrap();
            let problem = format!("{:#}", Rows::open(&path, "I").unwrap_err());
            assert!(problem.contains("readings.csv:1: the columns pcie_occupancy and load are missing"), "{problem}");
        }
    }

    /// A driver whose only GPU gives this, and which then does not return.
    fn driver(step: Step) -> Driver {
        let script = Scripted::new(vec![device("A")], [step, Step::Hang]);
        let watch = Watch::start(Box::new(|| Ok(Box::new(script))), Duration::ZERO, 1, Box::new(|_| {})).unwrap();
        Driver { watch, gpu: 0, seen: None }
    }

    /// Without readings a loop ends after some time, and restores its settings.
    #[test]
    fn a_gpu_that_vanishes_gives_no_reading_and_a_driver_that_fails_ends_the_loop() {
        let arrived = |read| {
            let mut driver = driver(Step::Sample(Sample { seconds: 0.0, readings: vec![read] }));
            let mut arrived = Arrived::Nothing;
            wait_until("a sample", || {
                arrived = driver.poll().unwrap();
                arrived != Arrived::Nothing
            });
            assert_eq!(driver.poll().unwrap(), Arrived::Nothing, "a sample counts once");
            arrived
        };
        assert_eq!(arrived(reading(0, 0.25, 0.5)), Arrived::Reading([0.25, 0.5]));
        assert_eq!(arrived(vanished(0)), Arrived::Bad("The GPU does not respond".to_owned()));

        let mut failing = driver(Step::Fail(SourceError::new("The driver was unloaded", "Load it again.")));
        let mut problem = None;
        wait_until("the end", || {
            problem = failing.poll().err();
            problem.is_some()
        });
        assert_eq!(problem.unwrap().to_string(), "The driver was unloaded. Load it again.");
    }
}

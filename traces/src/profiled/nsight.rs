//! What `ncu --csv` prints, between lines of a log that begin with “==” and what the program itself prints: page `raw`, a line
//! for each launch with a row of units behind the header, and page `details`, or chosen metrics, a line for each launch and
//! metric. The window exports the raw page with units in the header: `gpu__time_duration.sum [us]`. True samples:
//! <https://github.com/microsoft/superbenchmark> (`tests/benchmarks/micro_benchmarks/test_cublaslt_function.py`: details),
//! <https://github.com/AndrewXu22/optimal_unified_memory> (`readme.md`: details of version 2019). Metrics:
//! <https://docs.nvidia.com/nsight-compute/ProfilingGuide/>.

mod metrics;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crossover_quantity::text::counted;

use self::metrics::{DETAILS, Metric, PartialLaunch, is_unread_time, seconds_of_row};
use super::columns::{Columns, field, fields};
use super::found::KernelCollector;
use super::gathered::Launch;
use super::number::number;
use super::separators::Separators;
use crate::error::TraceError;
use crate::unread::UnreadColumns;

/// Most launches of a file.
const MOST_LAUNCHES: usize = 500_000;

/// Whether a line is the header of the page `raw`.
pub(super) fn is_wide_header(columns: &Columns) -> bool {
    name(columns).is_some() && columns.has(&["id"]) && columns.names().iter().any(|name| name.contains("__"))
}

/// Whether a line is the header of a table of metrics.
pub(super) fn is_long_header(columns: &Columns) -> bool {
    columns.has(&["id", "kernel name", "metric name", "metric value"])
}

/// Position of the name of the kernel.
fn name(columns: &Columns) -> Option<usize> {
    columns.place("kernel name").or_else(|| columns.place("function name"))
}

/// Threads or blocks of a column like “(16, 16, 1)”.
fn product(text: &str) -> Option<f64> {
    let text = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let sizes: Option<Vec<f64>> = text.split([',', 'x', ' ']).filter(|part| !part.is_empty()).map(number).collect();
    sizes.filter(|sizes| !sizes.is_empty()).map(|sizes| sizes.iter().product())
}

/// Positions of the columns that identify a launch.
struct Places {
    id: usize,
    process: Option<usize>,
    name: usize,
    device: Option<usize>,
    sizes: [Option<usize>; 2],
}

impl Places {
    fn of(columns: &Columns) -> Option<Self> {
        let place = |name: &str| {
            // In an export of the window names have their units behind them.
            columns.place(name).or_else(|| columns.names().iter().position(|known| bare(known).0 == name))
        };
        Some(Self {
            id: place("id")?,
            process: place("process id"),
            name: name(columns)?,
            device: place("device__attribute_display_name").or_else(|| place("device name")),
            sizes: ["block size", "grid size"].map(place),
        })
    }

    /// A launch of which nothing is measured yet.
    fn seen(&self, row: &[String]) -> Result<PartialLaunch, String> {
        let text = |place: Option<usize>| place.and_then(|place| row.get(place)).map_or("", String::as_str);
        let device = Some(text(self.device).to_owned()).filter(|name| !name.is_empty());
        let sizes = self.sizes.map(|place| product(text(place)));
        Ok(PartialLaunch::new(field(row, self.name)?.to_owned(), device, sizes))
    }
}

/// A name and its unit in square brackets behind it, if it has one.
fn bare(name: &str) -> (&str, Option<&str>) {
    match name.strip_suffix(']').and_then(|name| name.rsplit_once(" [")) {
        Some((bare, unit)) => (bare, Some(unit)),
        None => (name, None),
    }
}

/// Reads the page `raw`.
///
/// # Errors
/// [`TraceError`]: there are too many kernels.
pub(super) fn read_wide(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let separators = Separators::of(text);
    let mut table: Option<(Places, Vec<String>)> = None;
    let mut metrics: Option<Vec<(usize, Metric)>> = None;
    let mut unread = UnreadColumns::default();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with("==") {
            continue;
        }
        let row = fields(text);
        let columns = Columns::of(&row);
        if is_wide_header(&columns) {
            table = Places::of(&columns).map(|places| (places, row));
            metrics = None;
            found.take_unread(&mut unread);
            continue;
        }
        let Some((places, header)) = &table else { continue };
        let known = metrics.get_or_insert_with(|| {
            unread = UnreadColumns::at(unread_times(header, &row, places.id));
            resolve(header, &row, places.id, found)
        });
        if row.get(places.id).is_some_and(String::is_empty) {
            continue;
        }
        match wide(&row, header, places, (known.as_slice(), separators)) {
            Ok(launch) => {
                unread.count_row(&row);
                found.add(launch)?;
            }
            Err(problem) => found.leave_out(line, seconds_of_row(known, &row, separators), &problem),
        }
    }
    found.take_unread(&mut unread);
    Ok(())
}

/// The unit of a column of a header that has none behind its name: in the row that follows, which has no ID.
fn unit_below(row: &[String], id: usize, place: usize) -> &str {
    let has_units = row.get(id).is_some_and(String::is_empty);
    row.get(place).filter(|_| has_units).map_or("", String::as_str)
}

/// Columns of a header with times that are not used.
fn unread_times<'a>(header: &'a [String], row: &'a [String], id: usize) -> impl Iterator<Item = (usize, String)> + 'a {
    let columns = header.iter().enumerate().filter(move |(place, name)| {
        let (bare, unit) = bare(name);
        // Columns that describe the launch have no unit, and names without these signs.
        bare.contains("__") && is_unread_time(bare, unit.unwrap_or_else(|| unit_below(row, id, *place)))
    });
    columns.map(|(place, name)| (place, name.clone()))
}

/// The metrics of a header: their units stand behind them, or in the row that follows, which has no ID.
fn resolve(header: &[String], row: &[String], id: usize, found: &mut KernelCollector<'_>) -> Vec<(usize, Metric)> {
    let unit_of = |place| unit_below(row, id, place);
    let metrics = header.iter().enumerate().filter_map(|(place, name)| {
        let (bare, unit) = bare(name);
        // Columns of three numbers, with units of their own.
        let is_of_details = DETAILS.iter().any(|(known, ..)| *known == bare.to_lowercase());
        let metric = if is_of_details { None } else { Metric::of(bare, unit.unwrap_or_else(|| unit_of(place)), found) };
        metric.map(|metric| (place, metric))
    });
    metrics.collect()
}

fn wide(
    row: &[String],
    header: &[String],
    places: &Places,
    (metrics, separators): (&[(usize, Metric)], Separators),
) -> Result<Launch, String> {
    if row.len() < header.len() {
        let found = counted(row.len() as f64, "field");
        return Err(format!("{found}; expected {}, as many as the header has", header.len()));
    }
    let mut seen = places.seen(row)?;
    for (place, metric) in metrics {
        seen.take(*metric, field(header, *place)?, field(row, *place)?, separators)?;
    }
    seen.launch()
}

/// Reads the page `details`.
///
/// # Errors
/// [`TraceError`]: there are too many kernels or launches.
pub(super) fn read_long(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let separators = Separators::of(text);
    let mut table: Option<Long> = None;
    let mut launches: BTreeMap<(usize, String, String), (u64, PartialLaunch)> = BTreeMap::new();
    let mut tables = 0;
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with("==") {
            continue;
        }
        let row = fields(text);
        let columns = Columns::of(&row);
        if is_long_header(&columns) {
            table = Long::of(&columns, separators);
            tables += 1;
            continue;
        }
        let Some(long) = &table else { continue };
        let mut take = || {
            let key = (tables, long.process(&row), field(&row, long.places.id)?.to_owned());
            let (_, seen) = match launches.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert((line, long.places.seen(&row)?)),
            };
            long.take(&row, seen, found)
        };
        // The launch stays, with what its other lines state.
        if let Err(problem) = take() {
            found.leave_out(line, None, &problem);
        }
        if launches.len() > MOST_LAUNCHES {
            let problem = format!("more than {MOST_LAUNCHES} launches; split the file");
            return Err(TraceError::unusable(found.path(), problem));
        }
    }
    let mut launches: Vec<(u64, PartialLaunch)> = launches.into_values().collect();
    launches.sort_by_key(|(line, _)| *line);
    for (line, seen) in launches {
        let seconds = seen.seconds();
        match seen.launch() {
            Ok(launch) => found.add(launch)?,
            Err(problem) => found.leave_out(line, seconds, &problem),
        }
    }
    Ok(())
}

/// The columns of the page `details`.
struct Long {
    places: Places,
    metric: usize,
    unit: Option<usize>,
    value: usize,
    separators: Separators,
}

impl Long {
    fn of(columns: &Columns, separators: Separators) -> Option<Self> {
        Some(Self {
            separators,
            places: Places::of(columns)?,
            metric: columns.place("metric name")?,
            unit: columns.place("metric unit"),
            value: columns.place("metric value")?,
        })
    }

    fn process(&self, row: &[String]) -> String {
        self.places.process.and_then(|place| row.get(place)).cloned().unwrap_or_default()
    }

    fn take(&self, row: &[String], seen: &mut PartialLaunch, found: &mut KernelCollector<'_>) -> Result<(), String> {
        let value = field(row, self.value)?;
        let name = field(row, self.metric)?;
        let unit = self.unit.map_or(Ok(""), |place| field(row, place))?;
        match Metric::of(name, unit, found) {
            Some(metric) => seen.take(metric, name, value, self.separators),
            None if is_unread_time(name, unit) => {
                found.add_unread_time(name, &seen.name);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::tests::read_as;
    use super::super::{ProfileFormat, ReadKernels};
    use crossover_measured::kernels::Class;

    const RAW: &str = r#"==PROF== Connected to process 4711 (/opt/app)
hello from the program, 1, 2
==PROF== Disconnected from process 4711
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","device__attribute_multiprocessor_count","gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum","launch__block_size","launch__grid_size","launch__registers_per_thread","launch__shared_mem_per_block_dynamic","launch__shared_mem_per_block_static","lts__t_sector_hit_rate.pct","sm__cycles_elapsed.max","sm__throughput.avg.pct_of_peak_sustained_elapsed","smsp__inst_executed.sum"
"","","","","","","","block","grid","","","","%","us","","","register/thread","byte/block","Kbyte/block","%","cycle","%","inst"
"0","4711","app","127.0.0.1","gemm(float *, int)","1","7","(128, 1, 1)","(64, 18, 1)","0","9.0","132","25.0","244.544","128","1,152","158","0","4.096","99.5","400,000","75.5","88,000,000"
"1","4711","app","127.0.0.1","copy(float *)","1","7","(256, 1, 1)","(8, 5, 1)","0","9.0","132","90.0","3.2","256","40","32","0","1.024","n/a","5,000","8.4","1,000,000"
"2","4711","app","127.0.0.1","gemm(float *, int)","1","7","(128, 1, 1)","(64, 18, 1)","0","9.0","132","25.0","255.456","128","1,152","158","0","4.096","98.5","400,000","75.5","88,000,000"
"#;
    const DETAILS: &str = r##"==PROF== Connected to process 4712
the program says 1 2 3
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","GPU Speed Of Light Throughput","SM Frequency","hz","1250000000.00",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","GPU Speed Of Light Throughput","Elapsed Cycles","cycle","500000",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","GPU Speed Of Light Throughput","Memory Throughput","%","40.25",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","GPU Speed Of Light Throughput","Duration","ns","400000",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","GPU Speed Of Light Throughput","Compute (SM) Throughput","%","60.50",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","SpeedOfLight","","","","SOLBottleneck","OPT","Look at one thing, and at another."
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","Block Size","","384",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","Function Cache Configuration","","CachePreferNone",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","Grid Size","","288",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","Registers Per Thread","register/thread","168",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","Dynamic Shared Memory Per Block","byte/block","16384",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","Static Shared Memory Per Block","byte/block","0",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Launch Statistics","# SMs","SM","152",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Memory Workload Analysis","Memory Throughput","Gbyte/s","477.2",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Memory Workload Analysis","L2 Hit Rate","%","90.00",
"0","4712","app","127.0.0.1","gemm","1","7","(384, 1, 1)","(9, 32, 1)","0","10.0","Instruction Statistics","Executed Instructions","inst","12,345,678",
"##;

    fn raw(text: &str) -> ReadKernels {
        read_as(text, super::read_wide, ProfileFormat::NsightRaw).expect("kernels")
    }

    fn details(text: &str) -> ReadKernels {
        read_as(text, super::read_long, ProfileFormat::NsightDetails).expect("kernels")
    }

    #[test]
    fn times_that_are_not_used_are_named_with_their_count() {
        let named = |read: &ReadKernels| -> Vec<(String, usize)> {
            read.unread.names().map(|name| (name.name.to_owned(), name.count)).collect()
        };
        // The same columns, with a time in the place of the static shared memory.
        let text = RAW.replace("launch__shared_mem_per_block_static", "smsp__stall_wait.sum");
        let text = text.replace("Kbyte/block", "us");
        assert_eq!(named(&raw(&text)), [("smsp__stall_wait.sum".to_owned(), 3)]);
        let text = DETAILS.replace("\"SM Frequency\",\"hz\"", "\"Stall Wait\",\"ms\"");
        assert_eq!(named(&details(&text)), [("Stall Wait".to_owned(), 1)]);
        assert!(raw(RAW).unread.is_empty() && details(DETAILS).unread.is_empty());
    }

    #[test]
    fn a_page_in_the_language_of_another_country_has_the_same_numbers() {
        // As a system in German writes them: points between thousands, commas before decimals.
        let turned = |text: &str| {
            let value = |field: &str| field.chars().all(|letter| letter.is_ascii_digit() || ".,".contains(letter));
            let field = |field: &str| match field {
                // Versions and addresses are texts.
                "9.0" | "10.0" | "127.0.0.1" => field.to_owned(),
                _ if field.starts_with(|letter: char| letter.is_ascii_digit()) && value(field) => {
                    let turned = |letter| {
                        if letter == '.' {
                            ','
                        } else if letter == ',' {
                            '.'
                        } else {
                            letter
                        }
                    };
                    field.chars().map(turned).collect()
                }
                _ => field.to_owned(),
            };
            text.split('"').map(field).collect::<Vec<_>>().join("\"")
        };
        let (german, english) = (turned(RAW), raw(RAW));
        assert!(german.contains("\"88.000.000\"") && german.contains("\"244,544\""), "{german}");
        assert_eq!(raw(&german), english);
        assert_eq!(details(&turned(DETAILS)), details(DETAILS));
    }

    #[test]
    fn a_raw_page_is_read_with_its_units() {
        let read = raw(RAW);
        let [gemm, copy] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((&*gemm.name, gemm.launches, gemm.class), ("gemm(float *, int)", 2, Some(Class::Compute)));
        assert_eq!((gemm.instructions, gemm.cycles, gemm.multiprocessors), (Some(8.8e7), Some(4e5), Some(132.0)));
        assert_eq!((gemm.threads, gemm.blocks), (Some(128.0), Some(1_152.0)));
        assert_eq!((gemm.register_bytes, gemm.shared_bytes), (Some(80_896.0), Some(4_096.0)));
        assert!(gemm.seconds.is_some_and(|seconds| (seconds - 250e-6).abs() < 1e-12), "{gemm:?}");
        assert!(gemm.miss_rate.is_some_and(|rate| (rate - 0.01).abs() < 1e-12), "{gemm:?}");
        assert_eq!((copy.class, copy.miss_rate), (Some(Class::Memory), None));
        assert!(read.notes.is_empty() && read.left_out.is_empty(), "{:?} {:?}", read.notes, read.left_out);
    }

    #[test]
    fn a_page_of_details_is_read_with_its_units() {
        let read = details(DETAILS);
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((&*kernel.name, kernel.launches, kernel.class), ("gemm", 1, Some(Class::Compute)));
        assert_eq!((kernel.instructions, kernel.cycles), (Some(12_345_678.0), Some(500_000.0)));
        assert_eq!((kernel.threads, kernel.blocks, kernel.multiprocessors), (Some(384.0), Some(288.0), Some(152.0)));
        assert_eq!((kernel.register_bytes, kernel.shared_bytes), (Some(258_048.0), Some(16_384.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 400e-6).abs() < 1e-12), "{kernel:?}");
        assert!(read.notes.is_empty() && read.left_out.is_empty(), "{:?} {:?}", read.notes, read.left_out);
    }

    #[test]
    fn the_same_metrics_by_their_raw_names_a_line_each() {
        let text = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
                    \"0\",\"k\",\"gpu__time_duration.sum\",\"nsecond\",\"3,080,000\"\n\
                    \"0\",\"k\",\"launch__block_size\",\"thread\",\"192\"\n\"1\",\"k\",\"gpu__time_duration.sum\",\"msecond\",\"1.08\"\n";
        let kernel = &details(text).kernels[0];
        assert_eq!((kernel.launches, kernel.threads), (2, Some(192.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 2.08e-3).abs() < 1e-12), "{kernel:?}");
    }

    #[test]
    fn an_export_of_the_window_has_units_in_its_header() {
        let text = "\"ID\",\"Function Name\",\"Device Name\",\"Block Size [block]\",\"Grid Size\",\"gpu__time_duration.sum [us]\",\
                    \"launch__registers_per_thread [register/thread]\"\n0,k,H100,\"(16, 16, 1)\",\"(4, 2, 1)\",20,32\n";
        let kernel = &raw(text).kernels[0];
        assert_eq!((kernel.device.as_deref(), kernel.threads, kernel.blocks), (Some("H100"), Some(256.0), Some(8.0)));
        assert_eq!(kernel.register_bytes, Some(32_768.0));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 2e-5).abs() < 1e-15), "{kernel:?}");
    }

    #[test]
    fn another_unit_is_named_and_its_column_not_read() {
        let read = raw(&RAW.replace("\"%\",\"us\"", "\"%\",\"fortnight\"").replace("Kbyte/block", "Kbit"));
        assert_eq!((read.kernels[0].seconds, read.kernels[0].shared_bytes), (None, None));
        for expected in [
            "gpu__time_duration.sum: its unit is “fortnight”; expected s, ms, us or ns: ignored",
            "launch__shared_mem_per_block_static: its unit is “Kbit”",
        ] {
            assert!(read.notes.iter().any(|note| note.contains(expected)), "{:?}", read.notes);
        }
        let read = details(&DETAILS.replace("\"Duration\",\"ns\"", "\"Duration\",\"\""));
        assert_eq!((read.kernels[0].seconds, read.notes.len()), (None, 1));
    }

    #[test]
    fn bad_lines_are_left_out_with_the_reason() {
        let text = RAW.replace("\"244.544\"", "\"NaN s\"").replace("\"5,000\"", "\"5,00\"");
        let cut = &text[..text.len() - 30];
        let left_out =
            read_as(cut, super::read_wide, ProfileFormat::NsightRaw).expect_err("no line is whole").to_string();
        assert!(left_out.contains("no valid kernel; line 6: ") && left_out.contains("expected a number"), "{left_out}");
        let text = format!("{DETAILS}\"1\",\"4712\",\"app\",\"127.0.0.1\",\"cut");
        let left_out = details(&text).left_out.join("");
        assert!(left_out.contains("1 line was left out: line 20: 5 fields; expected 15 or more"), "{left_out}");
    }

    proptest::proptest! {
        /// A launch without threads is left out; its time is in the file all the same, on either page.
        #[test]
        fn the_time_of_all_launches_comes_out_or_is_named(
            launches in proptest::collection::vec((1_u32..1_000_000, proptest::bool::weighted(0.3)), 1..20),
        ) {
            let mut wide = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"launch__block_size\"\n\"\",\"\",\"ns\",\"\"\n".to_owned();
            let mut long = "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n".to_owned();
            let [mut kept, mut lost] = [0.0; 2];
            // The first one is a kernel in every case.
            for (id, (nanoseconds, is_bad)) in [(500, false)].into_iter().chain(launches).enumerate() {
                let threads = if is_bad { "0" } else { "128" };
                wide += &format!("\"{id}\",\"k\",\"{nanoseconds}\",\"{threads}\"\n");
                long += &format!("\"{id}\",\"k\",\"Duration\",\"ns\",\"{nanoseconds}\"\n\"{id}\",\"k\",\"Block Size\",\"\",\"{threads}\"\n");
                *(if is_bad { &mut lost } else { &mut kept }) += f64::from(nanoseconds);
            }
            for read in [raw(&wide), details(&long)] {
                let [time] = &read.balances[..] else { panic!("{:?}", read.balances) };
                for (found, stated) in [(time.total, kept + lost), (time.accounted, kept), (time.missing(), lost)] {
                    proptest::prop_assert!((found * 1e9 - stated).abs() < 1e-6 * (kept + lost), "{:?}: {}", time, stated);
                }
            }
        }
    }
}

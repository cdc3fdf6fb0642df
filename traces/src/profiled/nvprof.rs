//! What `nvprof --csv` prints, between lines of a log that begin with “==”: traces of launches (`--print-gpu-trace`), with a row
//! of units behind the header, and metrics (`--metrics`), a line for each kernel and metric. True samples:
//! <https://github.com/leimingyu/magus> (`00_featSel/13app_trace`, `00_featSel/metrics`: names of launches have a number behind
//! them there), <https://github.com/UofT-EcoSystem/rlscope>, <https://github.com/ekondis/gpumembench/files/1480162/v100_all.txt>.
//! What the metrics count: <https://docs.nvidia.com/cuda/profiler-users-guide/#metrics-reference>. `inst_executed` is of the GPU
//! (in the first of these, instructions of a warp times warps of the grid), and `ipc` of a multiprocessor while it has work.

use crossover_quantity::unread::suggests_time;

use super::columns::{Columns, field, fields, other_unit};
use super::found::KernelCollector;
use super::gathered::Launch;
use super::number::{KILO_OF_NVPROF, bytes_of, number, percentage, seconds_of, within};
use super::{ProfiledKernel, found};
use crate::error::TraceError;
use crate::left_out::shown;
use crate::unread::UnreadColumns;

/// Bytes of a register.
pub(super) const REGISTER_BYTES: f64 = 4.0;
/// Columns that a trace must have.
const TRACE: [&str; 3] = ["name", "grid x", "block x"];
/// Its columns of times that are used, or whose meaning does not matter.
const TRACE_TIMES: [&str; 2] = ["start", "duration"];
/// Columns that a table of metrics must have.
const METRICS: [&str; 4] = ["kernel", "metric name", "invocations", "avg"];
/// Columns of other tables: summaries, events, API calls.
const OTHERS: [&[&str]; 4] =
    [&["time(%)", "name"], &["event name"], &["start", "duration", "name"], &["name", "calls"]];

/// Whether a line is the header of such a table.
pub(super) fn is_header(columns: &Columns) -> bool {
    columns.has(&TRACE) || columns.has(&METRICS)
}

/// The table of which the lines are.
enum Table {
    /// None, or another one.
    None,
    /// A trace, whose units come with the next line.
    Units(Trace),
    Trace(Trace),
    Metrics(Metrics),
}

/// Reads all tables of a text.
///
/// # Errors
/// [`TraceError`]: there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let mut table = Table::None;
    let mut copies = 0_usize;
    let mut unread = UnreadColumns::default();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with("==") {
            continue;
        }
        let row = fields(text);
        let columns = Columns::of(&row);
        if columns.has(&TRACE) {
            table = Table::Units(Trace::of(&columns));
            found.take_unread(&mut unread);
            unread = UnreadColumns::of_time(&row, &TRACE_TIMES);
            continue;
        }
        if columns.has(&METRICS) {
            table = Table::Metrics(Metrics::of(&columns));
            continue;
        }
        if OTHERS.iter().any(|names| columns.has(names)) {
            table = Table::None;
            continue;
        }
        if let Table::Units(mut trace) = table {
            let has_units = trace.take_units(&row, found);
            table = Table::Trace(trace);
            if has_units {
                continue;
            }
        }
        let launch = match &table {
            Table::Trace(trace) => trace.launch(&row),
            Table::Metrics(metrics) => metrics.launch(&row),
            Table::None | Table::Units(_) => continue,
        };
        match launch {
            Ok(Some(launch)) => {
                if matches!(table, Table::Trace(_)) {
                    unread.count_row(&row);
                }
                found.add(launch)?;
            }
            Ok(None) => match &table {
                Table::Metrics(metrics) => metrics.name_unread(&row, found),
                _ => copies += 1,
            },
            Err(problem) => {
                let seconds = if let Table::Trace(trace) = &table { trace.seconds_of_row(&row) } else { None };
                found.leave_out(line, seconds, &problem);
            }
        }
    }
    found.take_unread(&mut unread);
    found.note_copies(copies);
    Ok(())
}

/// The columns of a trace.
struct Trace {
    name: Option<usize>,
    device: Option<usize>,
    grid: [Option<usize>; 3],
    block: [Option<usize>; 3],
    registers: Option<usize>,
    duration: Option<usize>,
    shared: [Option<usize>; 2],
    /// Seconds of the unit of the duration.
    seconds: Option<f64>,
    /// Bytes of the units of static and of dynamic shared memory.
    bytes: [Option<f64>; 2],
}

impl Trace {
    fn of(columns: &Columns) -> Self {
        Self {
            name: columns.place("name"),
            device: columns.place("device"),
            grid: ["grid x", "grid y", "grid z"].map(|name| columns.place(name)),
            block: ["block x", "block y", "block z"].map(|name| columns.place(name)),
            registers: columns.place("registers per thread"),
            duration: columns.place("duration"),
            shared: ["static smem", "dynamic smem"].map(|name| columns.place(name)),
            seconds: None,
            bytes: [None; 2],
        }
    }

    /// Takes the units of a row, if it is one of units.
    fn take_units(&mut self, row: &[String], found: &mut KernelCollector<'_>) -> bool {
        let unit = |place: Option<usize>| place.and_then(|place| row.get(place)).map_or("", String::as_str);
        let is_of_units = unit(self.name).is_empty() && number(unit(self.duration)).is_none();
        let unit = |place| if is_of_units { unit(place) } else { "" };
        if let Some(place) = self.duration {
            self.seconds = seconds_of(unit(Some(place)));
            found.note_if(self.seconds.is_none(), || other_unit("Duration", unit(Some(place)), "s, ms, us or ns"));
        }
        for ((bytes, place), column) in self.bytes.iter_mut().zip(self.shared).zip(["Static SMem", "Dynamic SMem"]) {
            *bytes = bytes_of(unit(place), KILO_OF_NVPROF);
            found.note_if(place.is_some() && bytes.is_none(), || other_unit(column, unit(place), "B, KB or MB"));
        }
        is_of_units
    }

    /// Run time of a launch that cannot be read, seconds, if its line states it and is not one of a memory copy, which has no grid.
    fn seconds_of_row(&self, row: &[String]) -> Option<f64> {
        let [grid_x, ..] = self.grid;
        row.get(grid_x?).filter(|grid| !grid.is_empty())?;
        Some(number(row.get(self.duration?)?)? * self.seconds?)
    }

    /// A launch; none for a memory copy, which has no grid.
    fn launch(&self, row: &[String]) -> Result<Option<Launch>, String> {
        let text = |place: Option<usize>| place.map_or(Ok(""), |place| field(row, place));
        let optional = |what: &str, place, most: f64| match text(place)? {
            "" => Ok(None),
            text => within(what, text, 0.0..=most).map(Some),
        };
        let name = text(self.name)?;
        let [grid_x, grid_y, grid_z] = self.grid;
        let Some(grid_x) = optional("Grid X", grid_x, found::MOST_BLOCKS)? else { return Ok(None) };
        if name.is_empty() {
            return Err("Name is empty".to_owned());
        }
        let [block_x, block_y, block_z] = self.block;
        let threads = within("Block X", text(block_x)?, 1.0..=found::MOST_THREADS)?
            * optional("Block Y", block_y, found::MOST_THREADS)?.unwrap_or(1.0)
            * optional("Block Z", block_z, found::MOST_THREADS)?.unwrap_or(1.0);
        let blocks = grid_x
            * optional("Grid Y", grid_y, found::MOST_BLOCKS)?.unwrap_or(1.0)
            * optional("Grid Z", grid_z, found::MOST_BLOCKS)?.unwrap_or(1.0);
        let registers = optional("Registers Per Thread", self.registers, 1e4)?;
        let mut shared = [None; 2];
        for ((bytes, place), unit) in shared.iter_mut().zip(self.shared).zip(self.bytes) {
            *bytes = optional("shared memory", place, 1e9)?.zip(unit).map(|(value, unit)| value * unit);
        }
        let seconds = match self.seconds {
            Some(unit) => Some(within("Duration", text(self.duration)?, 0.0..=1e12)? * unit),
            None => None,
        };
        let kernel = ProfiledKernel {
            name: without_number(name, '[', ']').to_owned(),
            device: device(text(self.device)?),
            launches: 1,
            seconds: seconds.filter(|seconds| *seconds > 0.0),
            threads: Some(threads),
            blocks: Some(blocks),
            register_bytes: registers.map(|registers| registers * threads * REGISTER_BYTES),
            shared_bytes: match shared {
                [Some(fixed), Some(of_launch)] => Some(fixed + of_launch),
                [one, other] => one.or(other).filter(|_| self.shared.contains(&None)),
            },
            ..ProfiledKernel::default()
        };
        found::check(&kernel)?;
        Ok(Some(Launch { kernel, ..Launch::default() }))
    }
}

/// The columns of metrics.
struct Metrics {
    kernel: Option<usize>,
    device: Option<usize>,
    invocations: Option<usize>,
    metric: Option<usize>,
    mean: Option<usize>,
}

impl Metrics {
    fn of(columns: &Columns) -> Self {
        let place = |name| columns.place(name);
        Self {
            kernel: place("kernel"),
            device: place("device"),
            invocations: place("invocations"),
            metric: place("metric name"),
            mean: place("avg"),
        }
    }

    /// Names an unused metric if it is a time.
    fn name_unread(&self, row: &[String], found: &mut KernelCollector<'_>) {
        let text = |place: Option<usize>| place.and_then(|place| row.get(place)).map_or("", String::as_str);
        let metric = text(self.metric);
        if suggests_time(metric) && !metric.contains("cycles") {
            found.add_unread_time(metric, without_number(text(self.kernel), '[', ']'));
        }
    }

    /// One metric of a kernel; none for an unused metric.
    fn launch(&self, row: &[String]) -> Result<Option<Launch>, String> {
        let text = |place: Option<usize>| place.map_or(Ok(""), |place| field(row, place));
        // The last column first: it shows whether the line is complete.
        let mean = text(self.mean)?;
        let name = without_number(text(self.kernel)?, '[', ']');
        let mut launch = Launch::default();
        let metric = text(self.metric)?;
        let kernel = &mut launch.kernel;
        let counted = |most| within(metric, mean, 0.0..=most).map(Some);
        let share = || {
            let expected = || format!("{metric} is “{}”; expected 0 % to 100 %", shown(mean));
            percentage(mean).ok_or_else(expected)
        };
        match metric {
            // Before CUDA 9 it was called so.
            "ipc" | "executed_ipc" => kernel.multiprocessor_ipc = counted(1e3)?,
            "inst_executed" => kernel.instructions = counted(found::MOST_COUNTED)?,
            "dram_read_transactions" => launch.memory_reads = counted(found::MOST_COUNTED)?,
            "l2_read_transactions" => launch.cache_reads = counted(found::MOST_COUNTED)?,
            "l2_tex_read_hit_rate" => kernel.miss_rate = Some(1.0 - share()?),
            "sm_efficiency" | "sm_activity" => launch.active = Some(share()?),
            _ => return Ok(None),
        }
        if name.is_empty() {
            return Err("Kernel is empty".to_owned());
        }
        let launches = within("Invocations", text(self.invocations)?, 1.0..=1e12)?;
        name.clone_into(&mut kernel.name);
        kernel.device = device(text(self.device)?);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10¹²")]
        (kernel.launches = launches as u64);
        found::check(kernel)?;
        Ok(Some(launch))
    }
}

/// A GPU without the number that it has in its machine: “Tesla K20c (0)”.
pub(super) fn device(text: &str) -> Option<String> {
    Some(without_number(text, '(', ')').to_owned()).filter(|name| !name.is_empty())
}

/// A name without a number in brackets behind it, which is that of a launch or of a GPU.
fn without_number(text: &str, open: char, close: char) -> &str {
    let number = text.strip_suffix(close).and_then(|text| text.rsplit_once(open));
    let number = number.filter(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    number.and_then(|(name, _)| name.strip_suffix(' ')).unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::super::found::tests::read_as;
    use super::super::{ProfileFormat, ReadKernels};

    const TRACE: &str = r#"==15562== NVPROF is profiling process 15562, command: ./app
==15562== Profiling application: ./app
==15562== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name","Correlation_ID"
us,us,,,,,,,,KB,B,KB,GB/s,,,,,,,
0.000000,1.888000,,,,,,,,,,1.003906,0.507097,"Device",,"GeForce RTX 2080 Ti (0)","1","7","[CUDA memset]",272
4643.346000,1.536000,,,,,,,,,,0.125000,0.077610,"Pinned","Device","GeForce RTX 2080 Ti (0)","1","22","[CUDA memcpy HtoD]",316
5000.000000,20.000000,64,2,1,16,16,1,21,1.500000,512,,,,,"GeForce RTX 2080 Ti (0)","1","7","void add<int>(int*, int)",400
5100.000000,40.000000,64,2,1,16,16,1,21,1.500000,512,,,,,"GeForce RTX 2080 Ti (0)","1","7","void add<int>(int*, int)",401
"#;
    const METRICS: &str = r#"==22725== NVPROF is profiling process 22725, command: ./app
==22725== Metric result:
"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
"GeForce RTX 2080 Ti (0)","void add<int>(int*, int)",2,"branch_efficiency","Branch Efficiency",100.000000%,100.000000%,100.000000%
"GeForce RTX 2080 Ti (0)","void add<int>(int*, int)",2,"dram_utilization","Device Memory Utilization","Low (1)","High (7)","Mid (4)"
"GeForce RTX 2080 Ti (0)","void add<int>(int*, int)",2,"inst_executed","Instructions Executed",212000,214000,213000
"GeForce RTX 2080 Ti (0)","void add<int>(int*, int)",2,"ipc","Executed IPC",0.500000,0.700000,0.600000
"GeForce RTX 2080 Ti (0)","void add<int>(int*, int)",2,"l2_tex_read_hit_rate","L2 Hit Rate (Texture Reads)",75.200000%,75.200000%,75.200000%
"#;

    fn read(text: &str) -> ReadKernels {
        read_as(text, super::read, ProfileFormat::Nvprof).expect("kernels")
    }

    #[test]
    fn a_trace_tells_time_and_blocks_and_copies_are_no_kernels() {
        let read = read(TRACE);
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!(
            (&*kernel.name, kernel.device.as_deref()),
            ("void add<int>(int*, int)", Some("GeForce RTX 2080 Ti"))
        );
        assert_eq!((kernel.launches, kernel.threads, kernel.blocks), (2, Some(256.0), Some(128.0)));
        // A register has 4 bytes, and a kilobyte of nvprof 1,024.
        assert_eq!((kernel.register_bytes, kernel.shared_bytes), (Some(21_504.0), Some(2_048.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 30e-6).abs() < 1e-12), "{kernel:?}");
        assert_eq!(kernel.time_share, Some(1.0));
        assert_eq!(read.notes, ["a.csv: 2 lines of memory copies and sets: not kernels"]);
        assert!(read.left_out.is_empty());
    }

    #[test]
    fn metrics_tell_instructions_and_misses_and_join_the_trace() {
        let both = read(&format!("{TRACE}{METRICS}"));
        let [kernel] = &both.kernels[..] else { panic!("{:?}", both.kernels) };
        assert_eq!((kernel.instructions, kernel.multiprocessor_ipc), (Some(213_000.0), Some(0.6)));
        assert!(kernel.miss_rate.is_some_and(|rate| (rate - 0.248).abs() < 1e-12), "{kernel:?}");
        assert_eq!((kernel.launches, kernel.threads), (2, Some(256.0)));
    }

    #[test]
    fn cycles_without_work_count_where_it_is_told_how_many_there_were() {
        let text = METRICS.replace("branch_efficiency", "sm_efficiency").replace("100.000000%", "50.000000%");
        let kernel = &read(&text.replace("\"ipc\"", "\"executed_ipc\"")).kernels[0];
        assert_eq!(kernel.multiprocessor_ipc, Some(0.3));
    }

    #[test]
    fn transactions_of_all_reads_count_before_the_hits_of_some() {
        let text = METRICS.replace("branch_efficiency", "l2_read_transactions").replace("100.000000%", "40").replace(
            "\"dram_utilization\",\"Device Memory Utilization\",\"Low (1)\",\"High (7)\",\"Mid (4)\"",
            "\"dram_read_transactions\",\"\",10,10,10",
        );
        assert_eq!(read(&text).kernels[0].miss_rate, Some(0.25));
    }

    #[test]
    fn a_column_with_another_unit_is_not_read_and_named() {
        let read = read(&TRACE.replace("us,us,,,,,,,,KB,B", "us,min,,,,,,,,KB,bit"));
        let kernel = &read.kernels[0];
        assert_eq!((kernel.seconds, kernel.shared_bytes, kernel.threads), (None, None, Some(256.0)));
        for expected in [
            "Duration: its unit is “min”; expected s, ms, us or ns: ignored",
            "Dynamic SMem: its unit is “bit”; expected B, KB or MB: ignored",
        ] {
            assert!(read.notes.iter().any(|note| note.ends_with(expected)), "{:?}", read.notes);
        }
    }

    #[test]
    fn without_a_row_of_units_numbers_with_units_are_not_read() {
        let read = read(&TRACE.replace("us,us,,,,,,,,KB,B,KB,GB/s,,,,,,,\n", ""));
        assert_eq!((read.kernels[0].launches, read.kernels[0].seconds, read.notes.len()), (2, None, 4));
    }

    #[test]
    fn bad_lines_are_left_out_with_the_reason() {
        let text = format!(
            "{METRICS}\"G (0)\",\"k\",1,\"ipc\",\"Executed IPC\",1,1,<OVERFLOW>\n\"G (0)\",\"k\",NaN,\"ipc\",\"\",1,1,1\n\
             \"G (0)\",\"k\",1,\"inst_executed\",\"\",1,1,1e300\n\"G (0)\",\"k\",1,\"ip"
        );
        let left_out = read(&text).left_out.join("");
        let expected = "4 lines were left out: line 9: ipc is “<OVERFLOW>”; allowed: a number from 0 to 1000; line 10: \
                        Invocations is “NaN”; allowed: a number from 1 to 1000000000000; line 11: inst_executed is “1e300”";
        assert!(left_out.contains(expected) && left_out.ends_with("and 1 more"), "{left_out}");
    }

    proptest::proptest! {
        /// A launch without threads is left out; its time is in the file all the same. That of copies is no time of kernels.
        #[test]
        fn the_time_of_all_launches_comes_out_or_is_named(
            launches in proptest::collection::vec((1_u32..1_000_000, proptest::bool::weighted(0.3)), 1..20),
        ) {
            let mut text = TRACE.to_owned();
            // 20 and 40 µs of the sample.
            let [mut kept_us, mut lost_us] = [60.0, 0.0];
            for (microseconds, is_bad) in launches {
                let threads = if is_bad { "none" } else { "16" };
                text += &format!("1,{microseconds},64,2,1,{threads},16,1,21,0,0,,,,,\"G (0)\",\"1\",\"7\",\"k\",1\n");
                *(if is_bad { &mut lost_us } else { &mut kept_us }) += f64::from(microseconds);
            }
            let read = read(&text);
            let [time] = &read.balances[..] else { panic!("{:?}", read.balances) };
            let all = kept_us + lost_us;
            for (found, stated) in [(time.total, all), (time.accounted, kept_us), (time.missing(), lost_us)] {
                proptest::prop_assert!((found * 1e6 - stated).abs() < 1e-6 * all, "{:?}: {}", time, stated);
            }
        }
    }

    #[test]
    fn other_tables_of_nvprof_are_passed_over() {
        let summary = "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,us,,us,us,us,\n\
                       \"GPU activities\",29.8,6659.6,510,13.0,10.9,22.0,\"volta_sgemm\"\n";
        let read = read(&format!("{TRACE}{summary}"));
        assert_eq!((read.kernels.len(), read.left_out.len()), (1, 0));
    }
}

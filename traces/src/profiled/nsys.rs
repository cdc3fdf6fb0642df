//! What `nsys stats --format csv` prints of a recording of Nsight Systems, between lines of its log: `cuda_gpu_trace`, a line for
//! every launch, and `cuda_gpu_kern_sum` or `cuda_gpu_kern_gb_sum`, a line for every kernel. Columns have their units behind them in
//! round brackets. Reports: <https://docs.nvidia.com/nsight-systems/UserGuide/index.html#report-scripts>.

use super::ProfiledKernel;
use super::columns::{Columns, field, fields, other_unit};
use super::found::{self, KernelCollector};
use super::gathered::Launch;
use super::number::{KILO_OF_NSIGHT, bytes_of, number, seconds_of, within};
use super::nvprof::{REGISTER_BYTES, device};
use crate::error::TraceError;
use crate::unread::UnreadColumns;

/// Columns of launches, besides registers or duration.
const TRACE: [&str; 3] = ["grdx", "blkx", "name"];
/// Columns of sums, besides those with units.
const SUMS: [&str; 2] = ["instances", "name"];

/// Columns of times of launches that are used, or whose meaning does not matter.
const TRACE_TIMES: [&str; 2] = ["start", "duration"];
/// Those of sums; all but the mean say the same of the same launches.
const SUM_TIMES: [&str; 7] = ["time", "total time", "avg", "med", "min", "max", "stddev"];

/// Whether a line is the header of such a table.
pub(super) fn is_header(columns: &Columns) -> bool {
    is_of_launches(columns) || is_of_sums(columns)
}

/// Whether a line is the header of launches.
fn is_of_launches(columns: &Columns) -> bool {
    columns.has(&TRACE) && (columns.place("reg/trd").is_some() || with_unit(columns, "duration").is_some())
}

/// Whether a line is the header of sums of kernels; those of API calls and copies have other columns.
fn is_of_sums(columns: &Columns) -> bool {
    columns.has(&SUMS) && ["avg", "total time"].iter().any(|name| with_unit(columns, name).is_some())
}

/// The place of a column and its unit, in small letters.
fn with_unit<'a>(columns: &'a Columns, name: &str) -> Option<(usize, &'a str)> {
    columns.names().iter().enumerate().find_map(|(place, known)| {
        let unit = known.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some((place, unit))
    })
}

/// The table of which the lines are.
enum Table {
    None,
    Trace(Trace),
    Sums(Sums),
}

/// Reads all tables of a text.
///
/// # Errors
/// [`TraceError`]: there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let (mut table, mut copies) = (Table::None, 0_usize);
    let mut unread = UnreadColumns::default();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            // A table ends with an empty line; behind it the log goes on.
            table = Table::None;
            continue;
        }
        let row = fields(text);
        let columns = Columns::of(&row);
        if is_of_launches(&columns) {
            table = Table::Trace(Trace::of(&columns, found));
            found.take_unread(&mut unread);
            unread = UnreadColumns::of_time(&row, &TRACE_TIMES);
            continue;
        }
        if is_of_sums(&columns) {
            table = Table::Sums(Sums::of(&columns, found));
            found.take_unread(&mut unread);
            unread = UnreadColumns::of_time(&row, &SUM_TIMES);
            continue;
        }
        let launch = match &table {
            Table::Trace(trace) => trace.launch(&row),
            Table::Sums(sums) => sums.launch(&row).map(Some),
            Table::None => continue,
        };
        match launch {
            Ok(Some(launch)) => {
                unread.count_row(&row);
                found.add(launch)?;
            }
            Ok(None) => copies += 1,
            Err(problem) => found.leave_out(line, table.seconds(&row), &problem),
        }
    }
    found.take_unread(&mut unread);
    found.note_copies(copies);
    Ok(())
}

impl Table {
    /// Run time of the launches of a line that cannot be read, seconds, if the line states it.
    fn seconds(&self, row: &[String]) -> Option<f64> {
        let of_row = |(place, unit): (usize, f64)| Some(number(row.get(place)?)? * unit);
        match self {
            Self::None => None,
            // A line without a grid is a memory copy.
            Self::Trace(trace) => row.get(trace.grid[0]?).filter(|grid| !grid.is_empty()).and(of_row(trace.seconds?)),
            Self::Sums(sums) => sums.total.and_then(of_row).or_else(|| {
                let launches = of_row((sums.instances?, 1.0))?;
                Some(of_row(sums.seconds?)? * launches)
            }),
        }
    }
}

/// Places of a launch's columns, with factors of their units.
struct Trace {
    name: Option<usize>,
    device: Option<usize>,
    grid: [Option<usize>; 3],
    block: [Option<usize>; 3],
    registers: Option<usize>,
    seconds: Option<(usize, f64)>,
    shared: [Option<(usize, f64)>; 2],
}

/// The place of a time, with the seconds of its unit.
fn time(columns: &Columns, name: &str, found: &mut KernelCollector<'_>) -> Option<(usize, f64)> {
    let (place, unit) = with_unit(columns, name)?;
    let seconds = seconds_of(unit);
    found.note_if(seconds.is_none(), || other_unit(name, unit, "s, ms, us or ns"));
    Some((place, seconds?))
}

/// The place of an amount of memory, with the bytes of its unit.
fn memory(columns: &Columns, name: &str, found: &mut KernelCollector<'_>) -> Option<(usize, f64)> {
    let (place, unit) = with_unit(columns, name)?;
    let bytes = bytes_of(&unit.to_uppercase(), KILO_OF_NSIGHT);
    found.note_if(bytes.is_none(), || other_unit(name, unit, "B, KB or MB"));
    found.note_if(bytes.is_some_and(|bytes| bytes > KILO_OF_NSIGHT), || {
        "shared memory is rounded to a thousandth of a megabyte; `nsys stats --format csv:mem=B` has the bytes"
            .to_owned()
    });
    Some((place, bytes?))
}

impl Trace {
    fn of(columns: &Columns, found: &mut KernelCollector<'_>) -> Self {
        let place = |name: &str| columns.place(name);
        Self {
            name: place("name"),
            device: place("device"),
            grid: ["grdx", "grdy", "grdz"].map(place),
            block: ["blkx", "blky", "blkz"].map(place),
            registers: place("reg/trd"),
            seconds: time(columns, "duration", found),
            shared: ["stcsmem", "dymsmem"].map(|name| memory(columns, name, found)),
        }
    }

    /// A launch; none for a memory copy, which has no grid.
    fn launch(&self, row: &[String]) -> Result<Option<Launch>, String> {
        let text = |place: Option<usize>| place.map_or(Ok(""), |place| field(row, place));
        let number_of = |what: &str, place, most: f64| match text(place)? {
            "" => Ok(None),
            text => within(what, text, 0.0..=most).map(Some),
        };
        let [grid_x, grid_y, grid_z] = self.grid;
        // The last column first: it shows whether the line is complete.
        let name = text(self.name)?;
        let Some(blocks) = number_of("GrdX", grid_x, found::MOST_BLOCKS)? else { return Ok(None) };
        if name.is_empty() {
            return Err("Name is empty".to_owned());
        }
        let blocks = blocks
            * number_of("GrdY", grid_y, found::MOST_BLOCKS)?.unwrap_or(1.0)
            * number_of("GrdZ", grid_z, found::MOST_BLOCKS)?.unwrap_or(1.0);
        let [block_x, block_y, block_z] = self.block;
        let threads = within("BlkX", text(block_x)?, 1.0..=found::MOST_THREADS)?
            * number_of("BlkY", block_y, found::MOST_THREADS)?.unwrap_or(1.0)
            * number_of("BlkZ", block_z, found::MOST_THREADS)?.unwrap_or(1.0);
        let registers = number_of("Reg/Trd", self.registers, 1e4)?;
        let mut shared = [None; 2];
        for (bytes, column) in shared.iter_mut().zip(self.shared) {
            if let Some((place, unit)) = column {
                *bytes = number_of("shared memory", Some(place), 1e9)?.map(|value| value * unit);
            }
        }
        let seconds = match self.seconds {
            Some((place, unit)) => number_of("Duration", Some(place), 1e18)?.map(|value| value * unit),
            None => None,
        };
        let kernel = ProfiledKernel {
            name: name.to_owned(),
            device: device(text(self.device)?),
            launches: 1,
            seconds: seconds.filter(|seconds| *seconds > 0.0),
            threads: Some(threads),
            blocks: Some(blocks),
            register_bytes: registers.map(|registers| registers * threads * REGISTER_BYTES),
            shared_bytes: match shared {
                [Some(fixed), Some(of_launch)] => Some(fixed + of_launch),
                _ => None,
            },
            ..ProfiledKernel::default()
        };
        found::check(&kernel)?;
        Ok(Some(Launch { kernel, ..Launch::default() }))
    }
}

/// Places of the columns of sums.
struct Sums {
    name: Option<usize>,
    instances: Option<usize>,
    seconds: Option<(usize, f64)>,
    /// The time of all launches of a line.
    total: Option<(usize, f64)>,
    /// Of grids and blocks, which `cuda_gpu_kern_gb_sum` has.
    sizes: [Option<usize>; 2],
}

impl Sums {
    fn of(columns: &Columns, found: &mut KernelCollector<'_>) -> Self {
        Self {
            name: columns.place("name"),
            instances: columns.place("instances"),
            seconds: time(columns, "avg", found),
            total: with_unit(columns, "total time").and_then(|(place, unit)| Some((place, seconds_of(unit)?))),
            sizes: ["gridxyz", "blockxyz"].map(|name| columns.place(name)),
        }
    }

    fn launch(&self, row: &[String]) -> Result<Launch, String> {
        let text = |place: Option<usize>| place.map_or(Ok(""), |place| field(row, place));
        let name = text(self.name)?;
        if name.is_empty() {
            return Err("Name is empty".to_owned());
        }
        let launches = within("Instances", text(self.instances)?, 1.0..=1e12)?;
        let seconds = match (self.seconds, self.total) {
            (Some((place, unit)), _) => Some(within("Avg", field(row, place)?, 0.0..=1e18)? * unit),
            (None, Some((place, unit))) => {
                Some(within("Total Time", field(row, place)?, 0.0..=1e18)? * unit / launches)
            }
            (None, None) => None,
        };
        // “80 1 1”.
        let product = |text: &str| {
            let sizes: Option<Vec<f64>> = text.split_whitespace().map(number).collect();
            sizes.filter(|sizes| !sizes.is_empty()).map(|sizes| sizes.iter().product::<f64>())
        };
        let [grid, block] = self.sizes;
        let mut kernel = ProfiledKernel {
            name: name.to_owned(),
            seconds: seconds.filter(|seconds| *seconds > 0.0),
            blocks: product(text(grid)?),
            threads: product(text(block)?),
            ..ProfiledKernel::default()
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10¹²")]
        (kernel.launches = launches as u64);
        found::check(&kernel)?;
        Ok(Launch { kernel, ..Launch::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::found::tests::read_as;
    use super::super::{ProfileFormat, ReadKernels};

    const TRACE: &str = "\
Processing [run.sqlite] with [cuda_gpu_trace.py]...

Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
100,2000,10,,,,,,,,,,4.2,2100,Pageable,Device,NVIDIA L4 (0),1,,7,[CUDA memcpy Host-to-Device]
3000,45000,11,80,2,1,128,1,1,64,1024,2048,,,,,NVIDIA L4 (0),1,,7,main_kernel
90000,55000,12,80,2,1,128,1,1,64,1024,2048,,,,,NVIDIA L4 (0),1,,7,main_kernel
";
    const SUMS: &str = "\
Generating SQLite file run.sqlite from run.nsys-rep

Time (%),Total Time (us),Instances,Avg (us),Med (us),Min (us),Max (us),StdDev (us),Name
90.0,180.0,4,45.0,45.0,44.0,46.0,0.6,main_kernel
10.0,20.0,4,5.0,5.0,5.0,5.0,0.1,\"void reduce<float>(float*, int)\"

Time (%),Total Time (us),Num Calls,Avg (us),Name
99.0,1000.0,3,333.0,cudaLaunchKernel
";

    fn read(text: &str) -> ReadKernels {
        read_as(text, super::read, ProfileFormat::Nsys).expect("kernels")
    }

    #[test]
    fn a_trace_has_time_blocks_threads_registers_and_shared_memory() {
        let read = read(TRACE);
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((&*kernel.name, kernel.device.as_deref(), kernel.launches), ("main_kernel", Some("NVIDIA L4"), 2));
        assert_eq!((kernel.threads, kernel.blocks), (Some(128.0), Some(160.0)));
        // 64 registers of 4 bytes for each of 128 threads; both kinds of shared memory.
        assert_eq!((kernel.register_bytes, kernel.shared_bytes), (Some(32_768.0), Some(3_072.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 50e-6).abs() < 1e-15), "{kernel:?}");
        assert_eq!(read.notes, ["a.csv: 1 line of memory copies and sets: not kernels"]);
    }

    /// Shared memory in megabytes, as `nsys stats` writes it unless told otherwise.
    #[test]
    fn launches_of_a_trace_are_joined_and_copies_are_none() {
        let text = "Processing [a.sqlite] with [cuda_gpu_trace.py]...\n\n\
                    Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),\
                    Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n\
                    100,2000,1,10,2,1,64,2,1,32,0.002,0.010,,,,,NVIDIA L4 (0),1,,7,\"void add<float>(float*, int)\"\n\
                    900,4000,2,10,2,1,64,2,1,32,0.002,0.010,,,,,NVIDIA L4 (0),1,,7,\"void add<float>(float*, int)\"\n\
                    950,100,3,,,,,,,,,,1.000,9.0,Pageable,Device,NVIDIA L4 (0),1,,7,[CUDA memcpy Host-to-Device]\n";
        let read = read(text);
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!(
            (kernel.name.as_str(), kernel.device.as_deref()),
            ("void add<float>(float*, int)", Some("NVIDIA L4"))
        );
        assert_eq!((kernel.launches, kernel.blocks, kernel.threads), (2, Some(20.0), Some(128.0)));
        // 32 registers of 4 bytes for 128 threads.
        assert_eq!(kernel.register_bytes, Some(16_384.0));
        let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value / expected - 1.0).abs() < 1e-9);
        assert!(near(kernel.seconds, 3e-6) && near(kernel.shared_bytes, 12_000.0), "{kernel:?}");
        let [rounded, copies] = &read.notes[..] else { panic!("{:?}", read.notes) };
        assert!(rounded.contains("rounded to a thousandth of a megabyte"), "{rounded}");
        assert_eq!(copies, "a.csv: 1 line of memory copies and sets: not kernels");
    }

    proptest::proptest! {
        /// A line without threads is left out; its time is in the file all the same.
        #[test]
        fn the_time_of_all_launches_comes_out_or_is_named(
            launches in proptest::collection::vec((0_u32..4, 1_u32..1_000_000, proptest::bool::weighted(0.2)), 1..20),
        ) {
            let mut text = TRACE.lines().take(3).collect::<Vec<_>>().join("\n") + "\n";
            let [mut kept, mut lost] = [0.0; 2];
            // The first one is a kernel in every case.
            for (kernel, nanoseconds, is_bad) in [(0, 500, false)].into_iter().chain(launches) {
                let threads = if is_bad { "" } else { "128" };
                text += &format!("1,{nanoseconds},1,8,2,1,{threads},1,1,64,0,0,,,,,L4 (0),1,,7,k{kernel}\n");
                *(if is_bad { &mut lost } else { &mut kept }) += f64::from(nanoseconds);
            }
            let read = read(&text);
            let out = read.kernels.iter().map(|kernel| kernel.seconds.unwrap_or(0.0) * kernel.launches as f64);
            let out = out.sum::<f64>() * 1e9;
            proptest::prop_assert!((out / kept - 1.0).abs() < 1e-9, "{} of {}", out, kept);
            // Shares that round to 0 % are not named.
            let share = lost / (kept + lost);
            let is_named = read.notes.iter().any(|note| note.contains("belongs to no kernel: "));
            proptest::prop_assert!((0.004..0.006).contains(&share) || is_named == (share > 0.005), "{:?}", read.notes);
        }
    }

    #[test]
    fn time_of_sums_that_cannot_be_read_is_that_of_all_launches_of_the_line() {
        let balance = |text: &str| read(text).balances.pop().expect("times");
        // The second line has 20 of 200 µs.
        let lost = balance(&SUMS.replace("20.0,4,5.0", "20.0,,5.0"));
        assert!((lost.total / 200e-6 - 1.0).abs() < 1e-9 && (lost.missing() / 20e-6 - 1.0).abs() < 1e-9, "{lost:?}");
        // A memory copy that cannot be read is no kernel.
        let rest_of_copy = ",,,,,,4.2,2100,Pageable,Device,NVIDIA L4 (0),1,,7,[CUDA memcpy Host-to-Device]";
        let of_trace = balance(&TRACE.replace(rest_of_copy, "").replace("11,80,2,1,128", "11,80,2,1,"));
        // Of two launches, that of 45 µs has no threads.
        assert!((of_trace.total / 100e-6 - 1.0).abs() < 1e-9, "{of_trace:?}");
        assert!((of_trace.missing() / 45e-6 - 1.0).abs() < 1e-9, "{of_trace:?}");
    }

    #[test]
    fn sums_alone_say_which_report_has_blocks_and_threads() {
        let text = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
                    100.0,9000,3,3000.0,3000.0,2000,4000,500.0,copy_kernel\n";
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("space");
        let read = super::super::kernels(file.path()).expect("a kernel");
        assert_eq!((read.kernels[0].launches, read.kernels[0].blocks), (3, None));
        assert!(read.kernels[0].seconds.is_some_and(|seconds| (seconds - 3e-6).abs() < 1e-15));
        assert!(read.notes.iter().any(|note| note.contains("--report cuda_gpu_trace")), "{:?}", read.notes);
    }

    #[test]
    fn other_times_of_a_launch_are_named_with_their_count() {
        let text = TRACE.replace("Strm,Name", "Strm,Queue Dur (ns),Name").replace(",7,main", ",7,900,main");
        let text = text.replace(",7,[CUDA", ",7,,[CUDA");
        let unread = read(&text).unread;
        let named: Vec<_> = unread.names().map(|name| (name.name, name.count, name.first)).collect();
        assert_eq!(named, [("Queue Dur (ns)", 2, "a.csv")]);
        assert!(read(TRACE).unread.is_empty() && read(SUMS).unread.is_empty());
    }

    #[test]
    fn sums_have_launches_and_mean_times_and_other_tables_are_passed_over() {
        let read = read(SUMS);
        let seen: Vec<_> = read.kernels.iter().map(|kernel| (&*kernel.name, kernel.launches, kernel.threads)).collect();
        assert_eq!(seen, [("main_kernel", 4, None), ("void reduce<float>(float*, int)", 4, None)]);
        assert!((read.kernels[0].seconds.expect("a time") - 45e-6).abs() < 1e-15);
        assert!((read.kernels[0].time_share.expect("times") - 0.9).abs() < 1e-12);
        // 180 µs of 4 launches, without the column of means.
        let without_means = super::super::found::tests::read_as(
            "Time (%),Total Time (us),Instances,Name\n100.0,180.0,4,main_kernel\n",
            super::read,
            ProfileFormat::Nsys,
        );
        let seconds = without_means.expect("a kernel").kernels[0].seconds.expect("a time");
        assert!((seconds - 45e-6).abs() < 1e-15, "{seconds}");
        let by_shape = SUMS
            .replace("StdDev (us),Name", "StdDev (us),GridXYZ,BlockXYZ,Name")
            .replace("0.6,main_kernel", "0.6,  80    2    1, 128    1    1,main_kernel");
        let read = super::super::found::tests::read_as(&by_shape, super::read, ProfileFormat::Nsys).expect("kernels");
        assert_eq!((read.kernels[0].blocks, read.kernels[0].threads), (Some(160.0), Some(128.0)));
    }

    #[test]
    fn a_unit_that_is_not_known_is_named_and_a_cut_line_left_out() {
        let read = read(
            &TRACE
                .replace("Duration (ns)", "Duration (ticks)")
                .replace("7,main_kernel\n90000", "7,main_kernel\n9,9\n90000"),
        );
        assert_eq!(read.kernels[0].seconds, None);
        assert!(read.notes.iter().any(|note| note.contains("duration: its unit is “ticks”")), "{:?}", read.notes);
        assert!(read.left_out.join("").contains("line 6: 2 fields; expected"), "{:?}", read.left_out);
    }
}

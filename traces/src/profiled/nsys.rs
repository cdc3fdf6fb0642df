//! What `nsys stats --format csv` prints of Nsight Systems: `cuda_gpu_trace`, a line for each launch, and `cuda_gpu_kern_sum`, a
//! line for each kernel with its mean duration. Units stand in the names of columns: "Duration (ns)", "`StcSMem` (MB)". Lines of
//! progress may stand before.
//! <https://docs.nvidia.com/nsight-systems/UserGuide/index.html#report-scripts>

use super::ProfiledKernel;
use super::columns::{Columns, field, fields, other_unit};
use super::found::{self, KernelCollector};
use super::gathered::Launch;
use super::number::{bytes_of, seconds_of, within};
use super::nvprof::{REGISTER_BYTES, device};
use crate::error::TraceError;

/// Columns of a trace, besides those with units.
const TRACE: [&str; 3] = ["grdx", "blkx", "name"];
/// Columns of a summary, besides those with units.
const SUMMARY: [&str; 2] = ["instances", "name"];
/// Bytes of a kilobyte in these tables.
const KILO: f64 = 1e3;

/// Whether a line is the header of such a table.
pub(super) fn is_header(columns: &Columns) -> bool {
    columns.has(&TRACE) && with_unit(columns, "duration").is_some()
        || columns.has(&SUMMARY) && with_unit(columns, "avg").is_some()
}

/// Position and unit of a column, such as `duration (ns)`.
fn with_unit(columns: &Columns, name: &str) -> Option<(usize, String)> {
    columns.names().iter().enumerate().find_map(|(place, known)| {
        let unit = known.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')')?;
        Some((place, unit.to_owned()))
    })
}

/// The columns of a table.
struct Table {
    name: Option<usize>,
    /// Launches of a line; none: one.
    instances: Option<usize>,
    device: Option<usize>,
    grid: [Option<usize>; 3],
    block: [Option<usize>; 3],
    registers: Option<usize>,
    /// Position and seconds of the unit.
    duration: Option<(usize, f64)>,
    /// Position and bytes of the unit of static and of dynamic shared memory.
    shared: [Option<(usize, f64)>; 2],
}

impl Table {
    fn of(columns: &Columns, found: &mut KernelCollector<'_>) -> Self {
        let is_trace = columns.has(&TRACE);
        let duration = with_unit(columns, if is_trace { "duration" } else { "avg" });
        let duration = duration.and_then(|(place, unit)| {
            let seconds = seconds_of(&unit);
            found.note_if(seconds.is_none(), || other_unit("Duration", &unit, "s, ms, us or ns"));
            Some((place, seconds?))
        });
        let shared = ["stcsmem", "dymsmem"].map(|name| {
            let (place, unit) = with_unit(columns, name)?;
            let bytes = bytes_of(&unit.to_uppercase(), KILO);
            found.note_if(bytes.is_none(), || other_unit(name, &unit, "B, KB or MB"));
            Some((place, bytes?))
        });
        if !is_trace {
            found.note(
                "a summary has no grid, registers or shared memory; add what “nsys stats --report cuda_gpu_trace --format csv” prints",
            );
        }
        Self {
            name: columns.place("name"),
            instances: columns.place("instances").filter(|_| !is_trace),
            device: columns.place("device"),
            grid: ["grdx", "grdy", "grdz"].map(|name| columns.place(name)),
            block: ["blkx", "blky", "blkz"].map(|name| columns.place(name)),
            registers: columns.place("reg/trd"),
            duration,
            shared,
        }
    }

    /// A launch, or several; none for a memory copy, which has no grid.
    fn launch(&self, row: &[String]) -> Result<Option<Launch>, String> {
        let text = |place: Option<usize>| place.map_or(Ok(""), |place| field(row, place));
        let optional = |what: &str, place, most: f64| match text(place)? {
            "" => Ok(None),
            text => within(what, text, 0.0..=most).map(Some),
        };
        let name = text(self.name)?;
        let is_copy = self.instances.is_none() && text(self.grid[0])?.is_empty();
        if is_copy {
            return Ok(None);
        }
        if name.is_empty() {
            return Err("Name is empty".to_owned());
        }
        let product = |what: [&str; 3], places: [Option<usize>; 3], most: f64| -> Result<Option<f64>, String> {
            let mut all = None;
            for (what, place) in what.into_iter().zip(places) {
                if let Some(value) = optional(what, place, most)? {
                    all = Some(all.unwrap_or(1.0) * value);
                }
            }
            Ok(all)
        };
        let blocks = product(["GrdX", "GrdY", "GrdZ"], self.grid, found::MOST_BLOCKS)?;
        let threads = product(["BlkX", "BlkY", "BlkZ"], self.block, found::MOST_THREADS)?;
        let registers = optional("Reg/Trd", self.registers, 1e4)?;
        let mut shared = None;
        for (place, unit) in self.shared.iter().flatten() {
            if let Some(value) = optional("shared memory", Some(*place), 1e9)? {
                shared = Some(shared.unwrap_or(0.0) + value * unit);
            }
        }
        let seconds = match self.duration {
            Some((place, unit)) => optional("Duration", Some(place), 1e15)?.map(|value| value * unit),
            None => None,
        };
        let launches = optional("Instances", self.instances, 1e12)?.unwrap_or(1.0).max(1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked: 1 to 10¹²")]
        let launches = launches as u64;
        let kernel = ProfiledKernel {
            name: name.to_owned(),
            device: device(text(self.device)?),
            launches,
            seconds: seconds.filter(|seconds| *seconds > 0.0),
            threads,
            blocks,
            register_bytes: registers.zip(threads).map(|(registers, threads)| registers * threads * REGISTER_BYTES),
            shared_bytes: shared,
            ..ProfiledKernel::default()
        };
        found::check(&kernel)?;
        Ok(Some(Launch { kernel, ..Launch::default() }))
    }
}

/// Reads all tables of a text.
///
/// # Errors
/// [`TraceError`]: there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let mut table: Option<Table> = None;
    let mut copies = 0_usize;
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() {
            // Several reports are printed one after the other.
            table = None;
            continue;
        }
        let row = fields(text);
        let columns = Columns::of(&row);
        if is_header(&columns) {
            table = Some(Table::of(&columns, found));
            continue;
        }
        let Some(table) = &table else { continue };
        match table.launch(&row) {
            Ok(Some(launch)) => found.add(launch)?,
            Ok(None) => copies += 1,
            Err(problem) => found.leave_out(line, &problem),
        }
    }
    if copies > 0 {
        let lines = found::counted(copies, ["line", "lines"]);
        found.note(&format!("{lines} of memory copies and sets: not kernels"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::ProfileFormat;
    use super::super::found::tests::read_as;
    use super::read;

    /// Columns of `cuda_gpu_trace`: two launches of a kernel and a copy.
    #[test]
    fn launches_of_a_trace_are_joined_and_copies_are_none() {
        let text = "Processing [a.sqlite] with [cuda_gpu_trace.py]...\n\n\
                    Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),\
                    Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n\
                    100,2000,1,10,2,1,64,2,1,32,0.002,0.010,,,,,NVIDIA L4 (0),1,,7,\"void add<float>(float*, int)\"\n\
                    900,4000,2,10,2,1,64,2,1,32,0.002,0.010,,,,,NVIDIA L4 (0),1,,7,\"void add<float>(float*, int)\"\n\
                    950,100,3,,,,,,,,,,1.000,9.0,Pageable,Device,NVIDIA L4 (0),1,,7,[CUDA memcpy Host-to-Device]\n";
        let found = read_as(text, read, ProfileFormat::Nsys).expect("a kernel");
        let [kernel] = &found.kernels[..] else { panic!("{:?}", found.kernels) };
        assert_eq!(
            (kernel.name.as_str(), kernel.device.as_deref()),
            ("void add<float>(float*, int)", Some("NVIDIA L4"))
        );
        assert_eq!((kernel.launches, kernel.blocks, kernel.threads), (2, Some(20.0), Some(128.0)));
        // 32 registers of 4 bytes for 128 threads.
        assert_eq!(kernel.register_bytes, Some(16_384.0));
        let near = |value: Option<f64>, expected: f64| value.is_some_and(|value| (value / expected - 1.0).abs() < 1e-9);
        assert!(near(kernel.seconds, 3e-6) && near(kernel.shared_bytes, 12_000.0), "{kernel:?}");
        assert_eq!(found.notes, ["a.csv: 1 line of memory copies and sets: not kernels"]);
    }

    #[test]
    fn a_summary_has_means_and_says_what_to_add() {
        let text = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
                    100.0,9000,3,3000.0,3000.0,2000,4000,500.0,copy_kernel\n";
        let found = read_as(text, read, ProfileFormat::Nsys).expect("a kernel");
        assert_eq!((found.kernels[0].launches, found.kernels[0].blocks), (3, None));
        assert!(found.kernels[0].seconds.is_some_and(|seconds| (seconds - 3e-6).abs() < 1e-15));
        assert!(found.notes[0].contains("cuda_gpu_trace"), "{:?}", found.notes);
    }
}

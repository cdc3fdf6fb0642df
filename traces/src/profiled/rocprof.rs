//! What AMD's profilers write: `rocprofv3 --kernel-trace --output-format csv` and `rocpd convert --output-format csv` (a line for every
//! launch), `rocprof --timestamp on` (the same with other names), and the sums of `rocprof --stats` and `rocprofv3 --stats`.
//! Columns: <https://rocm.docs.amd.com/projects/rocprofiler-sdk/en/latest/how-to/using-rocprofv3.html> and
//! <https://rocm.docs.amd.com/projects/rocprofiler/en/latest/how-to/using-rocprof.html>.

use super::ProfiledKernel;
use super::columns::{Columns, field, fields};
use super::found::{self, KernelCollector};
use super::gathered::Launch;
use super::number::{number, within};
use super::nvprof::REGISTER_BYTES;
use crate::error::TraceError;
use crate::unread::UnreadColumns;

/// Seconds of the times, all in nanoseconds.
const NANOSECOND: f64 = 1e-9;
/// Largest number of a timestamp.
const MOST_TIME: f64 = 1e19;
/// Columns of launches of version 3, of launches of version 1, and of sums.
const FORMS: [&[&str]; 3] = [
    &["kernel_name", "start_timestamp", "end_timestamp", "workgroup_size_x", "grid_size_x"],
    &["kernelname", "grd", "wgr", "durationns"],
    &["name", "calls", "totaldurationns"],
];

/// Times that are used, that sum up the same launches, or that are moments of the same clock.
const TIMES: [&str; 11] = [
    "durationns",
    "totaldurationns",
    "averagens",
    "average",
    "minns",
    "maxns",
    "stddev",
    "dispatchns",
    "beginns",
    "endns",
    "completens",
];

/// Whether a line is the header of such a table.
pub(super) fn is_header(columns: &Columns) -> bool {
    FORMS.iter().any(|names| columns.has(names))
}

/// Places of the columns, where a table has them.
struct Places {
    name: Option<usize>,
    agent: Option<usize>,
    launches: Option<usize>,
    /// Begin and end of a launch.
    times: [Option<usize>; 2],
    /// Mean or only duration, nanoseconds.
    duration: Option<usize>,
    /// Duration of all launches of a line of sums, nanoseconds.
    total: Option<usize>,
    /// Work items of a launch, in all dimensions.
    grid: [Option<usize>; 3],
    /// Work items of a group.
    group: [Option<usize>; 3],
    registers: [Option<usize>; 2],
    shared: Option<usize>,
}

impl Places {
    fn of(columns: &Columns) -> Self {
        let any = |names: &[&str]| names.iter().find_map(|name| columns.place(name));
        let axes = |name: &str, short: &str| {
            let long = ["x", "y", "z"].map(|axis| columns.place(&format!("{name}_{axis}")));
            if long[0].is_some() { long } else { [columns.place(short), None, None] }
        };
        let is_of_launches = !columns.has(FORMS[2]);
        Self {
            name: any(&["kernel_name", "kernelname", "name"]),
            agent: any(&["agent_id", "gpu-id"]),
            launches: columns.place("calls"),
            times: ["start_timestamp", "end_timestamp"].map(|name| columns.place(name)),
            duration: if is_of_launches { columns.place("durationns") } else { any(&["averagens", "average"]) },
            total: columns.place("totaldurationns"),
            grid: axes("grid_size", "grd"),
            group: axes("workgroup_size", "wgr"),
            registers: [any(&["vgpr_count", "arch_vgpr"]), any(&["accum_vgpr_count", "accum_vgpr"])],
            shared: any(&["lds_block_size", "group_segment_size", "lds"]),
        }
    }

    /// Run time of the launches of a line that cannot be read, seconds, if the line states it.
    fn seconds(&self, row: &[String]) -> Option<f64> {
        let of_row = |place: Option<usize>| number(row.get(place?)?);
        let [begin, end] = self.times;
        let span = of_row(begin).zip(of_row(end)).map(|(begin, end)| end - begin);
        let of_launch = span.or_else(|| of_row(self.duration).filter(|_| self.launches.is_none()));
        Some(of_row(self.total).or(of_launch)? * NANOSECOND)
    }

    fn launch(&self, row: &[String]) -> Result<Launch, String> {
        let text = |place: Option<usize>| place.map_or(Ok(""), |place| field(row, place));
        let number = |what: &str, place: Option<usize>, most: f64| match text(place)? {
            "" => Ok(None),
            text => within(what, text, 0.0..=most).map(Some),
        };
        let items = |what: &str, places: [Option<usize>; 3]| -> Result<Option<f64>, String> {
            let mut product = None;
            for place in places {
                if let Some(size) = number(what, place, found::MOST_BLOCKS)? {
                    product = Some(product.unwrap_or(1.0) * size);
                }
            }
            Ok(product)
        };
        let name = text(self.name)?;
        if name.is_empty() {
            return Err("the name of the kernel is empty".to_owned());
        }
        let threads = items("work items of a group", self.group)?.filter(|threads| *threads > 0.0);
        let all = items("work items", self.grid)?;
        let [begin, end] = self.times;
        let span =
            number("begin", begin, MOST_TIME)?.zip(number("end", end, MOST_TIME)?).map(|(begin, end)| end - begin);
        let seconds = span.or(number("duration", self.duration, MOST_TIME)?).map(|span| span * NANOSECOND);
        let [vector, accumulating] = self.registers;
        let registers = number("VGPRs", vector, 1e4)?.map(|count| (count, accumulating));
        let registers = match registers {
            Some((count, other)) => Some(count + number("accumulation VGPRs", other, 1e4)?.unwrap_or(0.0)),
            None => None,
        };
        let launches = number("Calls", self.launches, 1e12)?.unwrap_or(1.0).max(1.0);
        let mut kernel = ProfiledKernel {
            name: name.to_owned(),
            device: Some(text(self.agent)?.to_owned())
                .filter(|agent| !agent.is_empty())
                .map(|agent| format!("AMD {agent}")),
            seconds: seconds.filter(|seconds| *seconds > 0.0),
            threads,
            blocks: all.zip(threads).map(|(all, threads)| (all / threads).ceil()),
            register_bytes: registers.zip(threads).map(|(count, threads)| count * threads * REGISTER_BYTES),
            shared_bytes: number("LDS", self.shared, found::MOST_BYTES)?,
            ..ProfiledKernel::default()
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10¹²")]
        (kernel.launches = launches as u64);
        found::check(&kernel)?;
        Ok(Launch { kernel, ..Launch::default() })
    }
}

/// Reads all tables of a text.
///
/// # Errors
/// [`TraceError`]: there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let mut places: Option<Places> = None;
    let mut unread = UnreadColumns::default();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let row = fields(text);
        let columns = Columns::of(&row);
        if is_header(&columns) {
            places = Some(Places::of(&columns));
            found.take_unread(&mut unread);
            unread = UnreadColumns::of_time(&row, &TIMES);
            continue;
        }
        let Some(places) = &places else { continue };
        match places.launch(&row) {
            Ok(launch) => {
                unread.count_row(&row);
                found.add(launch)?;
            }
            Err(problem) => found.leave_out(line, places.seconds(&row), &problem),
        }
    }
    found.take_unread(&mut unread);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::ProfileFormat;
    use super::super::found::tests::read_as;

    #[test]
    fn launches_of_version_3_have_groups_registers_and_local_memory() {
        let text = "\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"VGPR_Count\",\
                    \"Accum_VGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\
                    \"Grid_Size_Z\"\n\
                    \"KERNEL_DISPATCH\",\"Agent 4\",\"vadd(int*)\",1000,21000,512,24,8,64,2,1,6400,4,1\n\
                    \"KERNEL_DISPATCH\",\"Agent 4\",\"vadd(int*)\",31000,71000,512,24,8,64,2,1,6400,4,1\n";
        let read = read_as(text, super::read, ProfileFormat::Rocprof).expect("kernels");
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((&*kernel.name, kernel.device.as_deref(), kernel.launches), ("vadd(int*)", Some("AMD Agent 4"), 2));
        // 25,600 work items in groups of 128; 32 registers of 4 bytes for each.
        assert_eq!((kernel.threads, kernel.blocks), (Some(128.0), Some(200.0)));
        assert_eq!((kernel.register_bytes, kernel.shared_bytes), (Some(16_384.0), Some(512.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 30e-6).abs() < 1e-15), "{kernel:?}");
    }

    /// The header is that of `kernel_trace.csv` in rocpd's `csv.cpp`.
    #[test]
    fn launches_of_a_converted_rocpd_database_are_read() {
        let text = "\"Guid\",\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\
                    \"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"Scratch_Size\",\"VGPR_Count\",\
                    \"Accum_VGPR_Count\",\"SGPR_Count\",\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\
                    \"Grid_Size_Y\",\"Grid_Size_Z\"\n\
                    \"00001a2b\",\"KERNEL_DISPATCH\",\"Agent 4\",1,0,7,1,10,\"vadd(int*)\",3,1000,21000,512,0,24,8,32,64,1,1,6400,1,1\n";
        let read = read_as(text, super::read, ProfileFormat::Rocprof).expect("kernels");
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        // 6,400 work items in groups of 64.
        assert_eq!((&*kernel.name, kernel.threads, kernel.blocks), ("vadd(int*)", Some(64.0), Some(100.0)));
        assert!(kernel.seconds.is_some_and(|seconds| (seconds - 20e-6).abs() < 1e-15), "{kernel:?}");
    }

    #[test]
    fn launches_of_version_1_and_sums_are_read() {
        let text = "Index,KernelName,gpu-id,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,DurationNs\n\
                    0,\"gemm(float*, int)\",1,8192,256,0,0,16,0,32,5000\n";
        let read = read_as(text, super::read, ProfileFormat::Rocprof).expect("kernels");
        let kernel = &read.kernels[0];
        assert_eq!((kernel.threads, kernel.blocks, kernel.seconds), (Some(256.0), Some(32.0), Some(5e-6)));
        let sums = "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"gemm\",4,20000,5000,100.0\n";
        let read = read_as(sums, super::read, ProfileFormat::Rocprof).expect("kernels");
        assert_eq!((read.kernels[0].launches, read.kernels[0].seconds, read.kernels[0].threads), (4, Some(5e-6), None));
    }

    #[test]
    fn other_times_are_named_with_their_count() {
        let text = "Index,KernelName,gpu-id,grd,wgr,DispatchNs,DurationNs,WaitNs\n\
                    0,gemm,1,8192,256,1,5000,70\n1,gemm,1,8192,256,1,5000,80\n2,gemm,1,8192,256,1,5000,\n";
        let unread = read_as(text, super::read, ProfileFormat::Rocprof).expect("kernels").unread;
        let named: Vec<_> = unread.names().map(|name| (name.name, name.count)).collect();
        assert_eq!(named, [("WaitNs", 2)]);
    }

    #[test]
    fn a_bad_line_is_left_out_with_its_reason() {
        let text = "Name,Calls,TotalDurationNs,AverageNs\n,4,20000,5000\nk,many,1,1\nk,1,5,5\n";
        let read = read_as(text, super::read, ProfileFormat::Rocprof).expect("kernels");
        let left_out = read.left_out.join("");
        assert!(
            left_out.contains("line 2: the name of the kernel is empty")
                && left_out.contains("line 3: Calls is “many”"),
            "{left_out}"
        );
        // 20,001 of 20,006 ns, where the file states the sum of each line.
        let [time] = &read.balances[..] else { panic!("{:?}", read.balances) };
        assert!((time.total / 20_006e-9 - 1.0).abs() < 1e-9, "{time:?}");
        assert!((time.missing() / 20_001e-9 - 1.0).abs() < 1e-9, "{time:?}");
    }

    proptest::proptest! {
        /// A line without the name of its kernel is left out; its time is in the file all the same.
        #[test]
        fn the_time_of_all_launches_comes_out_or_is_named(
            launches in proptest::collection::vec((1_u32..1_000_000, proptest::bool::weighted(0.3)), 1..20),
        ) {
            let traced = "Kernel_Name,Start_Timestamp,End_Timestamp,Workgroup_Size_X,Grid_Size_X\nk,1,501,64,640\n";
            let summed = "Name,Calls,TotalDurationNs,AverageNs\nk,5,500,100\n";
            let [mut traced, mut summed] = [traced, summed].map(str::to_owned);
            let [mut kept, mut lost] = [500.0, 0.0];
            for (nanoseconds, is_bad) in launches {
                let name = if is_bad { "" } else { "k" };
                traced += &format!("{name},1000,{},64,640\n", 1_000 + nanoseconds);
                summed += &format!("{name},1,{nanoseconds},{nanoseconds}\n");
                *(if is_bad { &mut lost } else { &mut kept }) += f64::from(nanoseconds);
            }
            for text in [traced, summed] {
                let read = read_as(&text, super::read, ProfileFormat::Rocprof).expect("kernels");
                let [time] = &read.balances[..] else { panic!("{:?}", read.balances) };
                for (found, stated) in [(time.total, kept + lost), (time.accounted, kept), (time.missing(), lost)] {
                    proptest::prop_assert!((found * 1e9 - stated).abs() < 1e-6 * (kept + lost), "{:?}: {}", time, stated);
                }
            }
        }
    }
}

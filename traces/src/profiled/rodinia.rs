//! Counters of Rodinia's kernels on nine GPUs at many sizes of input, as `nvprof` took them:
//! <https://github.com/marcosamaris/gpuperfpredict>, with columns for a block of threads beside them.
//!
//! The table does not state whether a counter is of a multiprocessor or of the GPU; its numbers show it. `inst_executed` is of the GPU:
//! over the warps launched it is the same on GPUs with 8 and with 56 multiprocessors (52 to 59 of `bpnn_adjust_weights_cuda`).
//! `elapsed_cycles_sm` is summed over all multiprocessors: over the duration it is the number of multiprocessors times the
//! clock (11.2 GHz of a Tesla K40: 15 times 745 MHz). `executed_ipc` is of a multiprocessor, and only of those that have work:
//! times `active_cycles`, which is summed too, it is `inst_executed` (medians within 1 %), but on the Tesla P100 it is so times
//! `elapsed_cycles_sm`. What a kernel does in a cycle of the GPU is therefore taken from instructions and elapsed cycles.

use std::collections::BTreeMap;

use crossover_quantity::text::counted;

use super::ProfiledKernel;
use super::columns::Columns;
use super::found::{self, KernelCollector};
use super::gathered::Launch;
use crate::error::TraceError;
use crate::table::{Row, Table};

/// Columns that are needed.
const COLUMNS: [&str; 7] =
    ["gpu_name", "name", "input.size.1", "inst_executed", "executed_ipc", "n_tb", "threads_per_tb"];
/// Multiprocessors of the GPUs by their names in the table, from NVIDIA's data sheets; “Quadro” is a K5200.
const MULTIPROCESSORS: [(&str, f64); 9] = [
    ("GTX-680", 8.0),
    ("GTX-970", 13.0),
    ("GTX-980", 16.0),
    ("Quadro", 12.0),
    ("Tesla-K20", 13.0),
    ("Tesla-K40", 15.0),
    ("Tesla-P100", 56.0),
    ("Titan", 14.0),
    ("TitanX", 24.0),
];

/// A line: a kernel on a GPU at a size of its input.
pub(super) struct Sample {
    /// Size of the input, and the number of launches where the table has it.
    pub(super) size: [f64; 2],
    /// Its counters; all kernels have the same weight.
    pub(super) kernel: ProfiledKernel,
}

/// Whether a header is that of the table, or of one from which something is missing.
pub(super) fn is_header(columns: &Columns) -> bool {
    columns.has(&["gpu_name", "inst_executed"]) || columns.has(&["gpu_name", "executed_ipc"])
}

/// Visits every line with its number, and the run time of its launches if it states one, seconds; or its problem.
///
/// # Errors
/// [`TraceError`]: columns are missing.
pub(super) fn each(
    path: &std::path::Path,
    text: &str,
    mut visit: impl FnMut(u64, Option<f64>, Result<Sample, String>),
) -> Result<(), TraceError> {
    let table = Table::of(path, text, &[])?;
    let columns = Columns::of_table(&table);
    columns.need(path, &COLUMNS)?;
    table.each(|line, row| {
        let seconds = row.as_ref().ok().and_then(|row| seconds(&columns, row));
        visit(line, seconds, row.and_then(|row| sample(&columns, &row)));
    });
    Ok(())
}

/// Run time of the launches of a row, seconds, if it states it.
fn seconds(columns: &Columns, row: &Row<'_>) -> Option<f64> {
    let of_launch = columns.optional(row, "duration", 0.0..=found::MOST_SECONDS).ok()??;
    Some(of_launch * launches(columns, row).ok()?)
}

/// Launches of a row.
fn launches(columns: &Columns, row: &Row<'_>) -> Result<f64, String> {
    Ok(columns.optional(row, "n_rows", 0.0..=1e9)?.unwrap_or(1.0).max(1.0))
}

/// Reads the kernels at their largest input.
///
/// # Errors
/// [`TraceError`]: columns are missing, or there are too many kernels.
pub(super) fn read(text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    let mut samples: Vec<Sample> = Vec::new();
    each(found.path(), text, |line, seconds, sample| match sample {
        Ok(sample) => samples.push(sample),
        Err(problem) => found.leave_out(line, seconds, &problem),
    })?;
    let key = |sample: &Sample| (sample.kernel.device.clone(), sample.kernel.name.clone());
    let mut largest: BTreeMap<_, [f64; 2]> = BTreeMap::new();
    for sample in &samples {
        let size = largest.entry(key(sample)).or_insert(sample.size);
        if *size < sample.size {
            *size = sample.size;
        }
    }
    let smaller = samples.len();
    samples.retain(|sample| largest.get(&key(sample)) == Some(&sample.size));
    let smaller = smaller - samples.len();
    found.note_if(smaller > 0, || {
        let lines = counted(smaller as f64, "line");
        format!("{lines} of smaller inputs not read: the largest input of each kernel is used")
    });
    samples.into_iter().try_for_each(|sample| found.add(Launch { kernel: sample.kernel, ..Launch::default() }))
}

fn sample(columns: &Columns, row: &Row<'_>) -> Result<Sample, String> {
    let number = |name: &str, most: f64| columns.number(row, name, 0.0..=most);
    let optional = |name: &str, most: f64| columns.optional(row, name, 0.0..=most);
    let gpu = columns.named(row, "gpu_name")?;
    let multiprocessors = MULTIPROCESSORS.iter().find(|(name, _)| *name == gpu).map(|(_, count)| *count);
    let cycles = optional("elapsed_cycles_sm", found::MOST_COUNTED)?.zip(multiprocessors);
    let launches = launches(columns, row)?;
    let kernel = ProfiledKernel {
        name: name(&columns.named(row, "name")?, columns.text(row, "benchmark")),
        device: Some(gpu),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 10⁹")]
        launches: launches as u64,
        instructions: Some(number("inst_executed", found::MOST_COUNTED)?),
        multiprocessor_ipc: Some(number("executed_ipc", 1e3)?),
        multiprocessors,
        cycles: cycles.map(|(summed, count)| summed / count).filter(|cycles| *cycles > 0.0),
        seconds: optional("duration", found::MOST_SECONDS)?.filter(|seconds| *seconds > 0.0),
        register_bytes: optional("reg_bytes_per_tb", found::MOST_BYTES)?,
        shared_bytes: optional("smem_bytes_per_tb", found::MOST_BYTES)?,
        threads: Some(number("threads_per_tb", found::MOST_THREADS)?),
        blocks: Some(number("n_tb", found::MOST_BLOCKS)?),
        miss_rate: optional("l2_read_miss_proxy", 1.0)?,
        // Its benchmarks are separate programs; their relative frequency is unknown.
        weight: Some(1.0),
        ..ProfiledKernel::default()
    };
    found::check(&kernel)?;
    let size = [number("input.size.1", 1e15)?, optional("input.size.2", 1e15)?.unwrap_or(0.0)];
    Ok(Sample { size, kernel })
}

/// A kernel is called by its benchmark too: one is just “kernel”.
fn name(kernel: &str, benchmark: &str) -> String {
    if kernel.starts_with(benchmark) { kernel.to_owned() } else { format!("{benchmark} {kernel}") }
}

#[cfg(test)]
mod tests {
    use super::super::ProfileFormat;
    use super::super::found::tests::read_as;
    use super::*;
    use crossover_needs::test_data;

    const TABLE: &str = "file,gpu_name,name,input.size.1,input.size.2,duration,elapsed_cycles_sm,inst_executed,executed_ipc,\
                         n_rows,n_tb,threads_per_tb,reg_bytes_per_tb,smem_bytes_per_tb,l2_read_miss_proxy,benchmark\n\
                         k,Tesla-K40,kernel,9,0,1e-4,750000,1e6,0.5,3,51,256,32768,11872,0.04,heartwall\n\
                         k,Tesla-K40,kernel,20,0,2e-4,1500000,3e6,1.0,20,51,256,32768,11872,0.05,heartwall\n\
                         l,Fast,lud_perimeter,8192,0,6e-5,,2659,0.1,1,1,32,5888,3072,0.2,lud\n\
                         l,Fast,lud_perimeter,8192,0,6e-5,,5319,0.3,1,3,32,5888,3072,0.4,lud\n";

    fn median(mut values: Vec<f64>) -> f64 {
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        if values.len().is_multiple_of(2) { f64::midpoint(values[middle - 1], values[middle]) } else { values[middle] }
    }

    #[test]
    fn a_kernel_is_what_it_is_at_its_largest_input() {
        let read = read_as(TABLE, read, ProfileFormat::Rodinia).expect("kernels");
        let [heart, lud] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((&*heart.name, heart.device.as_deref()), ("heartwall kernel", Some("Tesla-K40")));
        assert_eq!((heart.instructions, heart.cycles, heart.multiprocessors), (Some(3e6), Some(1e5), Some(15.0)));
        assert_eq!((heart.multiprocessor_ipc, heart.launches, heart.weight), (Some(1.0), 20, Some(1.0)));
        // Two lines of one size are one kernel; of a GPU that nobody knows, cycles cannot be told.
        assert_eq!((&*lud.name, lud.instructions, lud.cycles), ("lud_perimeter", Some(3_989.0), None));
        assert_eq!(read.notes, ["a.csv: 1 line of smaller inputs not read: the largest input of each kernel is used"]);
    }

    #[test]
    fn missing_columns_and_bad_lines_are_named() {
        let problem =
            read_as("gpu_name,inst_executed\n", read, ProfileFormat::Rodinia).expect_err("columns").to_string();
        assert!(problem.contains("no columns “name”, “input.size.1”, “executed_ipc”"), "{problem}");
        let text = TABLE.replace("0.04,heartwall", "1.5,heartwall").replace(",20,0,", ",x,0,");
        let left_out = read_as(&text, read, ProfileFormat::Rodinia).expect("kernels").left_out.join("");
        let expected = "2 lines were left out: line 2: l2_read_miss_proxy is “1.5”; allowed: a number from 0 to 1; line 3: \
                        input.size.1 is “x”";
        assert!(left_out.contains(expected), "{left_out}");
    }

    /// Medians over all sizes, computed apart from this program.
    #[test]
    fn the_published_table_has_the_medians_that_are_known_of_it() {
        let Some(file) = test_data("kernels/rodinia_kernels.csv") else { return };
        let text = std::fs::read_to_string(&file).expect("a text");
        let mut samples = Vec::new();
        each(&file, &text, |line, _, sample| {
            samples.push(sample.unwrap_or_else(|problem| panic!("{line}: {problem}")));
        })
        .expect("the table");
        assert_eq!(samples.len(), 3_155);
        let of = |value: fn(&ProfiledKernel) -> Option<f64>| {
            let kernels = samples.iter().map(|sample| &sample.kernel);
            let kernels = kernels.filter(|kernel| kernel.device.as_deref() == Some("Tesla-K40"));
            let kernels = kernels.filter(|kernel| kernel.name == "hotspot calculate_temp");
            median(kernels.filter_map(value).collect())
        };
        assert!((of(|kernel| kernel.multiprocessor_ipc) - 2.74).abs() < 0.01);
        assert!((of(|kernel| kernel.miss_rate) - 0.006).abs() < 0.001);
        assert_eq!(of(|kernel| Some(kernel.register_bytes? + kernel.shared_bytes?)), 41_984.0);
        // What this module says of the counters.
        for (gpu, multiprocessors) in MULTIPROCESSORS {
            let of_gpu = |value: fn(&ProfiledKernel) -> Option<f64>| {
                let kernels = samples.iter().map(|sample| &sample.kernel);
                median(kernels.filter(|kernel| kernel.device.as_deref() == Some(gpu)).filter_map(value).collect())
            };
            let clock = of_gpu(|kernel| Some(kernel.cycles? / kernel.seconds? / 1e9));
            assert!((0.6..1.4).contains(&clock), "{gpu} with {multiprocessors}: {clock} GHz");
            let of_warp = of_gpu(|kernel| {
                let warps = kernel.blocks? * (kernel.threads? / 32.0).ceil();
                kernel.name.starts_with("backprop bpnn_adjust").then_some(kernel.instructions? / warps)
            });
            assert!((51.0..60.0).contains(&of_warp), "{gpu}: {of_warp} instructions of a warp");
        }
    }
}

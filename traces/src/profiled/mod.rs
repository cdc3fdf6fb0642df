//! Profiled kernels, measured pairs and recorded requests: the inputs of a preemption study.
//!
//! - `kernel`: a profiled kernel, and its conversion to a kernel of a study
//! - `nvprof`, `nsight`, `nsys`: what NVIDIA's profilers print; `rocprof`: AMD's
//! - `nsys_export`: the database of Nsight Systems; `sqlite` reads its tables
//! - `separators`: decimals and thousands of the numbers of a file
//! - `orion`, `rodinia`: profiles that were published
//! - `plain`: a plain table of kernels
//! - `form`: the format of a file, by its content
//! - `found`, `gathered`: results of a reader, and launches joined to kernels
//! - `sizes`: instructions at several sizes of the input
//! - `pairs`: measured pairs; `gavel` and `bench` read two of its formats
//! - `arrivals`: recorded requests
//! - `columns`, `number`: names, numbers and units in these files

mod arrivals;
mod bench;
mod collected;
mod columns;
mod detect;
mod form;
mod found;
mod gathered;
mod gavel;
mod kernel;
mod nsight;
mod nsys;
mod nsys_export;
mod number;
mod nvprof;
mod orion;
mod pairs;
mod plain;
mod rocprof;
mod rodinia;
mod separators;
mod sizes;
mod sqlite;

use std::path::Path;

use crossover_measured::kernels::Class;
use crossover_preemption::Recorded;
use crossover_quantity::balance::{Balance, BalanceOf, Tally};
use crossover_quantity::unread::Unread;

use self::found::KernelCollector;
use self::gathered::Gathered;
use crate::error::{self, TraceError};

pub use self::form::ProfileFormat;
pub use self::kernel::{Assumptions, ConvertedKernel, MEMORY_MISS_RATE, ProfiledKernel, is_same_device};

/// Largest profile: a raw page of Nsight Compute has some 20 kB for each launch.
const LARGEST_BYTES: u64 = 256 << 20;

/// Kernels of profiles.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadKernels {
    /// Format; of several files that of the first.
    pub form: ProfileFormat,
    /// Kernels in the order of the files, launches of one name joined; at least one.
    pub kernels: Vec<ProfiledKernel>,
    /// For each file from which something was left out: how many lines, and what is wrong with the first three.
    pub left_out: Vec<String>,
    /// What else the user should know, each with its file: columns with units that are not known, launches that are passed over.
    pub notes: Vec<String>,
    /// Metrics of time that were not used; the notes name them too.
    pub unread: Unread,
    /// The run time of all launches in all files, and how much of it the kernels have; empty where the files state none.
    pub balances: Vec<Balance>,
}

/// A kernel at one size of its input.
#[derive(Debug, Clone, PartialEq)]
pub struct SizedRun {
    /// Which kernel or application.
    pub kernel: String,
    /// GPU, if the file names it.
    pub gpu: Option<String>,
    /// Size of the input, in any unit, 10⁻⁹ to 10¹⁵.
    pub size: f64,
    /// Instructions of one launch, all multiprocessors together, 1 to 10¹⁸.
    pub instructions: f64,
}

/// Kernels at several sizes of their input.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSizes {
    /// In the order of the file; at least one.
    pub runs: Vec<SizedRun>,
    /// How many lines were left out, and what is wrong with the first three; empty: none was.
    pub left_out: Vec<String>,
    /// What else the user should know.
    pub notes: Vec<String>,
}

/// Two kernels, or the same one twice, on one GPU together.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredPair {
    /// One of them.
    pub first: String,
    /// The other one.
    pub second: String,
    /// Speed of the first beside the second over its speed alone, 0.001 to 2.
    pub first_normalised: f64,
    /// Speed of the second beside the first over its speed alone, 0.001 to 2.
    pub second_normalised: f64,
    /// Class of the first, if the file has it.
    pub first_class: Option<Class>,
    /// Class of the second, if the file has it.
    pub second_class: Option<Class>,
}

/// Pairs of one GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredOn {
    /// The GPU, as the file calls it; empty: not in the file.
    pub device: String,
    /// Its pairs, each once; at least one.
    pub pairs: Vec<MeasuredPair>,
}

/// Pairs of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadPairs {
    /// By GPU; at least one.
    pub devices: Vec<MeasuredOn>,
    /// How many entries were left out, and what is wrong with the first three; empty: none was.
    pub left_out: Vec<String>,
    /// What else the user should know: pairs that could not run together, pairs measured twice with different results.
    pub notes: Vec<String>,
    /// Number of pair measurements in the file, and how many of them became pairs.
    pub balances: Vec<Balance>,
}

/// Requests of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadArrivals {
    /// Arrival times, ascending from 0, and sizes if the file has them.
    pub recorded: Recorded,
    /// How many lines were left out, and what is wrong with the first three; empty: none was.
    pub left_out: Vec<String>,
    /// What else the user should know.
    pub notes: Vec<String>,
    /// The number of requests in the file, and how many of them are read.
    pub balances: Vec<Balance>,
}

/// The kernels of a profile. Its format follows from its content, not from its name.
///
/// # Errors
/// [`TraceError`]: unreadable, larger than 256 MiB, of no form that is known, without a column that is needed, without a usable
/// kernel, or with more than 20,000.
pub fn kernels(path: &Path) -> Result<ReadKernels, TraceError> {
    joined(&[path])
}

/// The kernels of several profiles of one profiler, joined by GPU and name: of one run the trace, and of the next one the metrics.
/// Files that tell the same of a kernel count as more of its launches.
///
/// # Errors
/// As [`kernels`]; also: there is no file, or one is of another profiler than the first.
pub fn joined(paths: &[&Path]) -> Result<ReadKernels, TraceError> {
    let (mut gathered, mut time) = (Gathered::default(), Tally::new(BalanceOf::KernelSeconds));
    let mut read: Option<ReadKernels> = None;
    for path in paths {
        let bytes = error::bytes(path, LARGEST_BYTES)?;
        let content = if bytes.starts_with(sqlite::MAGIC) {
            Content::Database(bytes)
        } else {
            Content::Text(error::text_of(path, bytes)?)
        };
        let form = match &content {
            Content::Database(_) => ProfileFormat::Nsys,
            Content::Text(text) => ProfileFormat::of(text).map_err(|problem| TraceError::unusable(path, problem))?,
        };
        let read = read.get_or_insert_with(|| ReadKernels::new(form));
        if form != read.form {
            let problem = format!("its format is {}, that of the first file {}", form.label(), read.form.label());
            return Err(TraceError::unusable(path, format!("{problem}; expected files of one profiler")));
        }
        let mut found = KernelCollector::new(path, &mut gathered);
        match &content {
            Content::Database(bytes) => nsys_export::read(bytes, &mut found),
            Content::Text(text) => read_text(form, text, &mut found),
        }?;
        found.end(read, &mut time)?;
    }
    let mut read = read.ok_or_else(|| TraceError::unusable(Path::new(""), "no file"))?;
    read.kernels = gathered.end();
    read.balances.extend(time.balance());
    read.notes.extend(read.unread.sentences());
    if let Some(advice) = read.form.advice().filter(|_| read.kernels.iter().all(|kernel| kernel.threads.is_none())) {
        read.notes.push(advice.to_owned());
    }
    Ok(read)
}

/// Content of a profile.
enum Content {
    Database(Vec<u8>),
    Text(String),
}

fn read_text(form: ProfileFormat, text: &str, found: &mut KernelCollector<'_>) -> Result<(), TraceError> {
    match form {
        ProfileFormat::Nvprof => nvprof::read(text, found),
        ProfileFormat::NsightRaw => nsight::read_wide(text, found),
        ProfileFormat::NsightDetails => nsight::read_long(text, found),
        ProfileFormat::Nsys => nsys::read(text, found),
        ProfileFormat::Rocprof => rocprof::read(text, found),
        ProfileFormat::Orion => orion::read(text, found),
        ProfileFormat::Rodinia => rodinia::read(text, found),
        ProfileFormat::Plain => plain::read(text, found),
    }
}

/// Instructions of kernels at several sizes of their input: Rodinia's counters, all lines of them, or a table with the columns
/// `application,size,instructions` and perhaps `gpu`.
///
/// # Errors
/// [`TraceError`]: unreadable, larger than 64 MiB, another table, without a usable line, or with more than 200,000.
pub fn sizes(path: &Path) -> Result<ReadSizes, TraceError> {
    sizes::read(path)
}

/// Pairs that were measured: Gavel's table of throughputs, what `gpu-bench pairs --json` writes, or a table with the columns
/// `first,second,first_normalised,second_normalised` or `first,second,first_alone,second_alone,first_shared,second_shared`, and
/// perhaps `device,first_class,second_class`. A pair that was measured several times, in either order, is its mean.
///
/// # Errors
/// [`TraceError`]: unreadable, larger than 32 MiB, another file, or without a usable pair. What goes beyond 200,000 pairs is
/// left out.
pub fn pairs(path: &Path) -> Result<ReadPairs, TraceError> {
    pairs::read(path)
}

/// Recorded requests: Azure's traces of language models, or a table with the column `seconds` and perhaps `size`.
///
/// # Errors
/// [`TraceError`]: unreadable, larger than 256 MiB, another table, without a usable line, or with more than a million.
pub fn arrivals(path: &Path) -> Result<ReadArrivals, TraceError> {
    arrivals::read(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossover_needs::test_data;

    fn file(text: impl AsRef<[u8]>) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("space");
        file
    }

    #[test]
    fn a_trace_and_metrics_of_two_files_are_joined_by_name() {
        let trace = file(
            "==1== Profiling result:\n\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Block X\",\"Device\",\"Name\"\n\
             ms,ms,,,,,\n0,2,8,2,64,\"K40 (0)\",\"k(int)\"\n",
        );
        let metrics = file(
            "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
             \"K40 (0)\",\"k(int)\",1,\"inst_executed\",\"Instructions Executed\",500,500,500\n",
        );
        let read = joined(&[trace.path(), metrics.path()]).expect("one kernel");
        let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
        assert_eq!((kernel.seconds, kernel.instructions, kernel.blocks), (Some(0.002), Some(500.0), Some(16.0)));
        assert_eq!(read.form, ProfileFormat::Nvprof);
        let plain = file("name,instructions,ipc,threads,blocks\nk,1,1,1,1\n");
        let problem = joined(&[trace.path(), plain.path()]).expect_err("two profilers").to_string();
        assert!(problem.ends_with(
            "its format is a table of kernels, that of the first file nvprof; expected files of one profiler"
        ));
        assert!(joined(&[]).is_err());
    }

    proptest::proptest! {
        /// Each line is good, bad, or of two kernels that could not run together: what is not read is counted.
        #[test]
        fn every_pair_run_and_request_is_read_or_counted(lines in proptest::collection::vec(0_usize..3, 0..20)) {
            let mut of_pairs = "first,second,first_normalised,second_normalised\na,b,0.5,0.5\n".to_owned();
            let mut of_sizes = "application,size,instructions\na,1,1e6\n".to_owned();
            let mut of_requests = "seconds,size\n0,1\n".to_owned();
            let mut counts = [1, 0, 0];
            for (place, kind) in lines.into_iter().enumerate() {
                counts[kind] += 1;
                let speed = ["0.5", "9", "0"][kind];
                of_pairs += &format!("a,b{place},{speed},{speed}\n");
                of_sizes += &format!("a,{},1e6\n", ["2", "none", "4"][kind]);
                of_requests += &format!("{},1\n", ["7", "later", "9"][kind]);
            }
            let [good, bad, apart] = counts;
            let all = good + bad + apart;
            let counted = |left_out: &[String], what: &str| match left_out {
                [] => bad == 0,
                [note] => note.contains(&format!(" left out ({bad} of {all} {what}s): ")),
                _ => false,
            };
            let balanced = |balances: &[Balance], kept: usize| {
                let [balance] = balances else { panic!("{balances:?}") };
                let found = [balance.total, balance.accounted, balance.missing()];
                found == [all, kept, all - kept].map(|count| count as f64)
            };
            let read = pairs(file(&of_pairs).path()).expect("a pair");
            proptest::prop_assert_eq!(read.devices[0].pairs.len(), good);
            proptest::prop_assert!(counted(&read.left_out, "pair"), "{:?}", read.left_out);
            proptest::prop_assert!(balanced(&read.balances, good), "{:?}", read.balances);
            let read = sizes(file(&of_sizes).path()).expect("a run");
            proptest::prop_assert_eq!(read.runs.len(), good + apart);
            proptest::prop_assert!(counted(&read.left_out, "run"), "{:?}", read.left_out);
            let read = arrivals(file(&of_requests).path()).expect("a request");
            proptest::prop_assert_eq!(read.recorded.seconds.len(), good + apart);
            proptest::prop_assert!(counted(&read.left_out, "request"), "{:?}", read.left_out);
            proptest::prop_assert!(balanced(&read.balances, good + apart), "{:?}", read.balances);
        }
    }

    #[test]
    fn what_is_no_profile_is_refused_with_the_reason() {
        let cases: [(&[u8], &str); 5] = [
            (b"", "it is empty"),
            (b"a,b,c\n1,2,3\n", "the first line, “a,b,c”"),
            (b"{}", "the first line"),
            (b"\x00\x01\x02", "the first line"),
            (b"\xff\xfe\x00", "not UTF-8 text"),
        ];
        for (text, why) in cases {
            let problem = kernels(file(text).path()).expect_err(why).to_string();
            assert!(problem.contains(why), "{problem}");
        }
        assert!(kernels(Path::new("/no/such.csv")).is_err());
    }

    #[test]
    fn a_profile_of_orion_is_read_whole() {
        let Some(file) = test_data("kernels/prof_resnet50_4_fwd_new.csv") else { return };
        let read = kernels(&file).expect("the profile");
        let launches = |class| {
            let of_class = read.kernels.iter().filter(|kernel| kernel.class == Some(class));
            of_class.map(|kernel| kernel.launches).sum::<u64>()
        };
        assert_eq!((read.form, launches(Class::Compute), launches(Class::Memory)), (ProfileFormat::Orion, 54, 80));
        assert!(read.notes[0].contains(": 41 launches too small"), "{:?}", read.notes);
        assert!(read.left_out.is_empty(), "{:?}", read.left_out);
    }

    #[test]
    fn the_published_counters_make_kernels_of_a_study() {
        let Some(file) = test_data("kernels/rodinia_kernels.csv") else { return };
        let read = kernels(&file).expect("the table");
        // Six kernels on nine GPUs, of which two lack one.
        assert_eq!((read.kernels.len(), read.left_out.len()), (52, 0));
        let mut assumed = Assumptions::default();
        for kernel in &read.kernels {
            let made = kernel.kernel(None, &mut assumed).expect("all is reported").kernel;
            let cycles = kernel.cycles.expect("a known GPU");
            assert!((made.alone_cycles() / cycles - 1.0).abs() < 1e-9, "{kernel:?}");
        }
        assert_eq!(assumed.notes().len(), 1, "only their classes are assumed: {:?}", assumed.notes());
    }
}

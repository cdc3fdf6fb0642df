//! Whatever a file holds, kernels, pairs and arrivals are read of it or it is refused in a sentence: any bytes, samples of all
//! forms that are cut and mixed, and numbers and units that no tool writes.

use std::path::Path;

use crossover_preemption::Gpu;
use crossover_traces::TraceError;
use crossover_traces::profiled::{Assumptions, ConvertedKernel, ReadKernels, arrivals, joined, kernels, pairs, sizes};
use proptest::prelude::*;

/// A sample of each form, one after the other.
const SAMPLES: [&str; 11] = [
    "==7== NVPROF is profiling process 7, command: ./app\n==7== Profiling result:\n\
     \"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\
     \"Dynamic SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\"\nus,us,,,,,,,,KB,B,KB,GB/s,,,,\n\
     0.0,1.8,,,,,,,,,,1.003906,0.507097,\"K40 (0)\",\"1\",\"7\",\"[CUDA memset]\"\n\
     5.0,20.0,64,2,1,16,16,1,21,1.5,512,,,\"K40 (0)\",\"1\",\"7\",\"void add<int>(int*, int) [42]\"\n",
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\",\"Min\",\"Max\",\"Avg\"\n\
     \"K40 (0)\",\"void add<int>(int*, int)\",2,\"inst_executed\",\"Instructions Executed\",2,2,213000\n\
     \"K40 (0)\",\"void add<int>(int*, int)\",2,\"ipc\",\"Executed IPC\",0.5,0.7,0.6\n\
     \"K40 (0)\",\"void add<int>(int*, int)\",2,\"l2_tex_read_hit_rate\",\"L2 Hit Rate\",75.2%,75.2%,75.2%\n",
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\",\"launch__registers_per_thread\",\
     \"launch__shared_mem_per_block_static\",\"launch__shared_mem_per_block_dynamic\",\"smsp__inst_executed.sum\",\
     \"sm__cycles_elapsed.max\"\n\"\",\"\",\"\",\"block\",\"\",\"us\",\"register/thread\",\"Kbyte/block\",\"byte/block\",\"inst\",\"cycle\"\n\
     \"0\",\"7\",\"gemm(float *, int)\",\"(128, 1, 1)\",\"(64, 18, 1)\",\"244.5\",\"158\",\"4.096\",\"0\",\"88,000,000\",\"400,000\"\n",
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\
     \"0\",\"7\",\"k\",\"GPU Speed Of Light\",\"Memory Throughput\",\"%\",\"46.47\"\n\
     \"0\",\"7\",\"k\",\"GPU Speed Of Light\",\"Compute (SM) Throughput\",\"%\",\"22.5\"\n\
     \"0\",\"7\",\"k\",\"GPU Speed Of Light\",\"Duration\",\"nsecond\",\"8,992\"\n\
     \"0\",\"7\",\"k\",\"Launch Statistics\",\"Block Size\",\"\",\"192\"\n\"0\",\"7\",\"k\",\"Launch Statistics\",\"Grid Size\",\"\",\"506\"\n",
    "Name,Profile,Memory_footprint,SM_usage,Duration\nConv,1,0,98,100480\nConv,0,0,98,480\nNorm,-1,0,64,40480\n",
    "gpu_name,name,input.size.1,input.size.2,duration,elapsed_cycles_sm,inst_executed,executed_ipc,n_rows,n_tb,threads_per_tb,\
     l2_read_miss_proxy,benchmark\nTesla-K40,kernel,9,0,1e-4,750000,1e6,0.5,3,51,256,0.04,heartwall\n",
    "name,instructions,ipc,register_bytes,shared_bytes,threads,blocks,miss_rate,class,is_idempotent,weight\n\
     gemm,3e8,300,32768,6144,256,120,0.3,memory,true,2\n",
    "application,size,instructions\nsort,1024,1e6\nsort,2048,2e6\n",
    "first,second,first_normalised,second_normalised,device\na,b,0.7,0.8,K40\nb,a,0.9,0.7,K40\n",
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n2023-11-16 18:17:04.0319600,3180,8\n",
    "{\"version\":1,\"device\":\"H100\",\"is_software\":true,\"kernels\":[{\"name\":\"a\",\"class\":\"Memory\",\
     \"alone_per_second\":[9.0]}],\"pairs\":[{\"first\":\"a\",\"second\":\"a\",\"first_per_second\":[4.0],\
     \"second_per_second\":[4.5]}]}",
];
/// Gavel's table.
const GAVEL: &str = "{\"k80\":{\"('A', 1)\":{\"null\":4.0,\"('B', 1)\":[2.0,6.0]},\"('B', 1)\":{\"null\":8.0}},\
                     \"k80_unconsolidated\":{\"('A', 1)\":{\"null\":4.0,\"('B', 1)\":[2.0,6.0]},\"('B', 1)\":{\"null\":8.0}}}";
/// What no tool writes, or seldom.
const ODD: [&str; 26] = [
    "",
    "-1",
    "0",
    "1e308",
    "1e999",
    "NaN",
    "inf",
    "18446744073709551616",
    "1,000",
    "1,0",
    "-0.0",
    "5e-324",
    "null",
    "[]",
    "{}",
    "\"",
    "\"\"",
    "n/a",
    "%",
    "=",
    "==",
    "½",
    "\u{feff}",
    "Kbyte",
    "fortnight",
    "\n\n",
];

fn all() -> Vec<&'static str> {
    SAMPLES.into_iter().chain([GAVEL]).collect()
}

fn with_file<T>(bytes: &[u8], read: impl FnOnce(&Path) -> T) -> T {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("space");
    read(file.path())
}

fn sentence<T>(outcome: Result<T, TraceError>) -> Option<T> {
    outcome.map_err(|error| assert!(error.to_string().len() < 2_000, "{error}")).ok()
}

fn short(notes: &[String]) {
    assert!(notes.iter().all(|note| note.len() < 2_000), "{notes:?}");
}

/// All numbers of kernels are such as can be, and a study takes what is made of them.
fn check_kernels(read: &ReadKernels) {
    short(&read.left_out);
    short(&read.notes);
    assert!(!read.kernels.is_empty());
    let gpu = Gpu {
        model: "K40".to_owned(),
        clock_mhz: 745.0,
        multiprocessors: 15.0,
        register_bytes: 262_144.0,
        shared_bytes: 49_152.0,
        threads: 2_048.0,
        blocks: 16.0,
    };
    let mut assumed = Assumptions::default();
    for kernel in &read.kernels {
        assert!(!kernel.name.is_empty() && kernel.launches >= 1, "{kernel:?}");
        for value in [
            kernel.instructions,
            kernel.ipc,
            kernel.multiprocessor_ipc,
            kernel.multiprocessors,
            kernel.cycles,
            kernel.seconds,
            kernel.register_bytes,
            kernel.shared_bytes,
            kernel.threads,
            kernel.blocks,
            kernel.filled,
            kernel.weight,
        ] {
            assert!(value.is_none_or(|value| value.is_finite() && value >= 0.0), "{kernel:?}");
        }
        for share in [kernel.miss_rate, kernel.time_share] {
            assert!(share.is_none_or(|share| (0.0..=1.000_001).contains(&share)), "{kernel:?}");
        }
        for device in [None, Some(&gpu)] {
            match kernel.kernel(device, &mut assumed) {
                Ok(ConvertedKernel { kernel: made, reported }) => {
                    assert!(reported.contains(&"weight") && reported.len() <= 8, "{reported:?}");
                    assert!((1.0..=1e18).contains(&made.instructions) && (1e-6..=1e9).contains(&made.ipc), "{made:?}");
                    assert!((1.0..=1e6).contains(&made.threads) && made.threads.fract() == 0.0, "{made:?}");
                    assert!((1.0..=1e12).contains(&made.blocks) && made.blocks.fract() == 0.0, "{made:?}");
                    assert!(made.register_bytes <= 1e9 && made.shared_bytes <= 1e9 && made.weight <= 1e9, "{made:?}");
                }
                Err(missing) => assert!(!missing.is_empty()),
            }
        }
    }
    short(&assumed.notes());
}

/// Reads a file as each of the four, and tells how often it was one.
fn check(bytes: &[u8]) -> usize {
    with_file(bytes, |path| {
        let mut count = 0;
        if let Some(read) = sentence(kernels(path)) {
            check_kernels(&read);
            count += 1;
        }
        if let Some(read) = sentence(sizes(path)) {
            short(&read.left_out);
            assert!(read.runs.iter().all(|run| run.size > 0.0 && (1.0..=1e18).contains(&run.instructions)));
            count += 1;
        }
        if let Some(read) = sentence(pairs(path)) {
            short(&read.left_out);
            short(&read.notes);
            for pair in read.devices.iter().flat_map(|of| &of.pairs) {
                for value in [pair.first_normalised, pair.second_normalised] {
                    assert!((0.001..=2.0).contains(&value), "{pair:?}");
                }
            }
            count += 1;
        }
        if let Some(read) = sentence(arrivals(path)) {
            short(&read.left_out);
            let (seconds, sizes) = (&read.recorded.seconds, &read.recorded.sizes);
            assert!(seconds.is_sorted() && seconds.first() == Some(&0.0) && seconds.iter().all(|at| *at <= 1e10));
            assert!(sizes.is_empty() || sizes.len() == seconds.len());
            assert!(sizes.iter().all(|size| (1e-9..=1e12).contains(size)));
            count += 1;
        }
        count
    })
}

#[test]
fn every_sample_is_read() {
    for sample in all() {
        assert!(check(sample.as_bytes()) >= 1, "{sample}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn changed_samples_are_read_or_refused(
        sample in 0..all().len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..6_usize, 0..ODD.len()), 1..5),
    ) {
        let mut text: Vec<char> = all()[sample].chars().collect();
        for (place, change, odd) in changes {
            let at = place.index(text.len() + 1);
            match change {
                0 => text.truncate(at),
                1 => drop(text.splice(at..(at + 9).min(text.len()), [])),
                2 => {
                    let line: Vec<char> = text[at..].iter().copied().take_while(|sign| *sign != '\n').collect();
                    drop(text.splice(at..at, line));
                }
                // In the place of a word or number.
                _ => {
                    let is_end = |sign: &char| "\",:{}[]\n%".contains(*sign);
                    let end = text[at..].iter().position(is_end).map_or(text.len(), |length| at + length);
                    let begin = text[..at].iter().rposition(is_end).map_or(0, |place| place + 1);
                    drop(text.splice(begin..end, ODD[odd].chars()));
                }
            }
        }
        check(text.iter().collect::<String>().as_bytes());
    }

    #[test]
    fn lines_of_all_samples_together_are_read_or_refused(
        lines in proptest::collection::vec((0..SAMPLES.len(), 0..8_usize), 1..20),
    ) {
        let line = |(sample, line): (usize, usize)| SAMPLES[sample].lines().nth(line).unwrap_or_default();
        let text: Vec<&str> = lines.into_iter().map(line).collect();
        check(text.join("\n").as_bytes());
    }
}

#[test]
fn two_files_of_one_profiler_are_one_profile() {
    with_file(SAMPLES[0].as_bytes(), |trace| {
        with_file(SAMPLES[1].as_bytes(), |metrics| {
            let read = joined(&[trace, metrics]).expect("a trace and metrics");
            check_kernels(&read);
            let [kernel] = &read.kernels[..] else { panic!("{:?}", read.kernels) };
            assert_eq!((&*kernel.name, kernel.threads), ("void add<int>(int*, int)", Some(256.0)));
            assert_eq!((kernel.instructions, kernel.multiprocessor_ipc), (Some(213_000.0), Some(0.6)));
        });
    });
}

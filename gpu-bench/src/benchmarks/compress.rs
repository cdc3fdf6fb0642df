//! Codecs of columns: speed each way and the ratio, by kind of data. Speeds count uncompressed bytes.
//!
//! Dictionaries are built before the clock starts, on both sides: a column store builds one per file and uses it for
//! many pages. LZ4 blocks are compressed on the CPU only.

use crossover_harness::generator::Generator;

use super::bench::{Bench, Outcome, Timed, verify_exact, verify_sum};
use super::case::{Case, Scale, Suite};
use super::{Benchmark, Roof};
use crate::cpu::compress::data::Kind;
use crate::cpu::compress::delta::Delta;
use crate::cpu::compress::dictionary::Dictionary;
use crate::cpu::compress::frame_of_reference::{self, FrameOfReference};
use crate::cpu::compress::lz4::Lz4;
use crate::cpu::compress::run_length::RunLength;
use crate::cpu::compress::{Codec, Damaged};
use crate::failure::Failure;
use crate::kernels::compress::{Decode, Encode, column, data, frame_of_reference as on_gpu};
use crate::report::{Side, Verified};

const TRAFFIC: &str = "V + r·V: the column on one side, the stream on the other; r is compressed / raw";

/// The benchmarks of this module.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark {
        id: "compress.for.encode",
        explains: "Frame of reference: finds the smallest value of each 4096 and bit-packs the distances from it, each \
                   block as wide as it needs.",
        traffic: TRAFFIC,
        roof: Roof::Copy,
        cases: |scale| calibrating(cases(scale, FOR_KINDS, BOTH)),
        measure: |bench, case| encode(bench, case, |_| Ok(FrameOfReference)),
    },
    Benchmark {
        id: "compress.for.decode",
        explains: "Unpacks a frame of reference into a column in memory.",
        traffic: TRAFFIC,
        roof: Roof::Copy,
        cases: |scale| calibrating(cases(scale, FOR_KINDS, BOTH)),
        measure: |bench, case| decode(bench, case, |_| Ok(FrameOfReference)),
    },
    Benchmark {
        id: "compress.for.fused_sum",
        explains: "Unpacks a frame of reference and adds the values up without writing them: the cost of a query that \
                   reads compressed data directly.",
        traffic: "r·V: the stream is read",
        roof: Roof::Read,
        cases: |scale| cases(scale, FOR_KINDS, BOTH),
        measure: fused_sum,
    },
    Benchmark {
        id: "compress.delta.encode",
        explains: "Delta: bit-packs the differences between neighbours, less the smallest of each 4096.",
        traffic: TRAFFIC,
        roof: Roof::Copy,
        cases: |scale| cases(scale, DELTA_KINDS, BOTH),
        measure: |bench, case| encode(bench, case, |_| Ok(Delta)),
    },
    Benchmark {
        id: "compress.delta.decode",
        explains: "Unpacks differences and adds them up within each block.",
        traffic: TRAFFIC,
        // Nearly nothing is read for the column that is written, and writing alone can be faster than copying.
        roof: Roof::Copy,
        cases: |scale| cases(scale, DELTA_KINDS, BOTH),
        measure: |bench, case| decode(bench, case, |_| Ok(Delta)),
    },
    Benchmark {
        id: "compress.rle.encode",
        explains: "Run-length: value and end of each run, runs cut every 4096 values.",
        traffic: TRAFFIC,
        roof: Roof::Copy,
        cases: |scale| cases(scale, RUN_KINDS, BOTH),
        measure: |bench, case| encode(bench, case, |_| Ok(RunLength)),
    },
    Benchmark {
        id: "compress.rle.decode",
        explains: "Writes the value of each run, repeated for its length.",
        traffic: TRAFFIC,
        // As for delta.
        roof: Roof::Copy,
        cases: |scale| cases(scale, RUN_KINDS, BOTH),
        measure: |bench, case| decode(bench, case, |_| Ok(RunLength)),
    },
    Benchmark {
        id: "compress.dictionary.encode",
        explains: "Dictionary: finds each value among the distinct ones and bit-packs its index; by binary search on \
                   the GPU, by a hash table on the CPU. Building the dictionary is not counted.",
        traffic: TRAFFIC,
        roof: Roof::Copy,
        cases: |scale| cases(scale, DICTIONARY_KINDS, BOTH),
        measure: |bench, case| encode(bench, case, dictionary),
    },
    Benchmark {
        id: "compress.dictionary.decode",
        explains: "Unpacks codes and looks them up.",
        traffic: TRAFFIC,
        // As for delta.
        roof: Roof::Copy,
        cases: |scale| cases(scale, DICTIONARY_KINDS, BOTH),
        measure: |bench, case| decode(bench, case, dictionary),
    },
    Benchmark {
        id: "compress.lz4.encode",
        explains: "LZ4 in independent blocks of 16 KiB by lz4_flex, on the CPU.",
        traffic: TRAFFIC,
        roof: Roof::Unbounded,
        cases: |scale| cases(scale, LZ4_KINDS, &[Side::Cpu]),
        measure: |bench, case| encode_on_cpu(bench, case, |_| Ok(Lz4)),
    },
    Benchmark {
        id: "compress.lz4.decode",
        explains: "LZ4 blocks of 16 KiB: sequentially on a core, one workgroup per block on the GPU.",
        traffic: TRAFFIC,
        roof: Roof::Copy,
        cases: |scale| cases(scale, LZ4_KINDS, BOTH),
        measure: |bench, case| decode(bench, case, |_| Ok(Lz4)),
    },
];

const BOTH: &[Side] = &[Side::Gpu, Side::Cpu];

// What suits the codec best comes first: smaller suites take fewer.
const FOR_KINDS: &[Kind] = &[Kind::Narrow, Kind::Random, Kind::Timestamps, Kind::Runs];
const DELTA_KINDS: &[Kind] = &[Kind::Timestamps, Kind::Random, Kind::Narrow, Kind::Runs];
const RUN_KINDS: &[Kind] = &[Kind::Runs, Kind::Random, Kind::Narrow];
const DICTIONARY_KINDS: &[Kind] = &[Kind::Runs, Kind::Narrow];
const LZ4_KINDS: &[Kind] = &[Kind::Text, Kind::Runs, Kind::Random, Kind::Narrow, Kind::Timestamps];

/// The stream that all columns are made of.
fn generator() -> Generator {
    Generator::new(51)
}

fn cases(scale: &Scale, kinds: &[Kind], sides: &[Side]) -> Vec<Case> {
    let kinds = match scale.suite {
        Suite::Ci => &kinds[..1],
        Suite::Quick => &kinds[..2],
        Suite::Full => kinds,
    };
    let mut cases = Vec::new();
    for kind in kinds {
        for side in sides {
            cases.extend(scale.single(*side, 4).into_iter().map(|case| case.variant(kind.name())));
        }
    }
    cases
}

/// Calibration needs the kind that suits the codec.
fn calibrating(cases: Vec<Case>) -> Vec<Case> {
    let narrow = Kind::Narrow.name();
    cases.into_iter().map(|case| if case.variant == narrow { case.calibrating() } else { case }).collect()
}

fn dictionary(values: &[u32]) -> Result<Dictionary, Failure> {
    Dictionary::of(values).map_err(|damaged| Failure::Unsupported(damaged.to_string()))
}

fn wrong(damaged: Damaged) -> Failure {
    Failure::WrongResult(damaged.to_string())
}

/// The column of a case, on the CPU.
fn input(case: &Case) -> Result<(Kind, u32, Vec<u32>), Failure> {
    let kind = Kind::named(case.variant).ok_or_else(|| Failure::Unsupported(format!("data “{}”", case.variant)))?;
    let count = case.row_count()?;
    Ok((kind, count, kind.words(generator(), count)))
}

fn outcome(case: &Case, stream_bytes: u64, verified: Verified, timed: Timed) -> Outcome {
    let (raw, compressed) = (case.rows as f64 * 4.0, stream_bytes as f64);
    Outcome { ratio: Some(compressed / raw), ..Outcome::of(timed, verified, raw, raw + compressed) }
}

/// Times work that may fail on the CPU; the last error counts.
fn time_cpu(
    bench: &Bench<'_>,
    threads: usize,
    mut work: impl FnMut() -> Result<(), Damaged> + Send,
) -> Result<Timed, Failure> {
    let mut result = Ok(());
    let timed = bench.time_cpu(threads, || result = work())?;
    result.map_err(wrong)?;
    Ok(timed)
}

fn encode<C: Encode>(
    bench: &Bench<'_>,
    case: &Case,
    codec: impl Fn(&[u32]) -> Result<C, Failure>,
) -> Result<Outcome, Failure> {
    if case.side == Side::Cpu {
        return encode_on_cpu(bench, case, codec);
    }
    let (kind, count, values) = input(case)?;
    let codec = codec(&values)?;
    let gpu = bench.gpu()?;
    let resident = data::words(gpu, kind, generator(), count)?;
    let (program, encoded) = codec.encode_program(gpu, &resident, count)?;
    gpu.run(&program)?;
    codec.check(gpu, &encoded)?;
    let stream = codec.download(gpu, &encoded)?;
    let mut decoded = vec![0; values.len()];
    bench.pool.install(|| codec.decode_parallel(&stream, &mut decoded)).map_err(wrong)?;
    let verified = verify_exact("decoded by the CPU", &decoded, &values)?;
    Ok(outcome(case, codec.bytes(&stream), verified, bench.time_program(&program)?))
}

fn encode_on_cpu<C: Codec>(
    bench: &Bench<'_>,
    case: &Case,
    codec: impl Fn(&[u32]) -> Result<C, Failure>,
) -> Result<Outcome, Failure> {
    let (_, _, values) = input(case)?;
    let codec = codec(&values)?;
    let mut stream = C::Stream::default();
    let timed = time_cpu(bench, case.threads, || {
        if case.threads > 1 { codec.encode_parallel(&values, &mut stream) } else { codec.encode(&values, &mut stream) }
    })?;
    let mut decoded = vec![0; values.len()];
    codec.decode(&stream, &mut decoded).map_err(wrong)?;
    let verified = verify_exact("decoded again", &decoded, &values)?;
    Ok(outcome(case, codec.bytes(&stream), verified, timed))
}

fn decode<C: Decode>(
    bench: &Bench<'_>,
    case: &Case,
    codec: impl Fn(&[u32]) -> Result<C, Failure>,
) -> Result<Outcome, Failure> {
    let (_, count, values) = input(case)?;
    let codec = codec(&values)?;
    let mut stream = C::Stream::default();
    bench.pool.install(|| codec.encode_parallel(&values, &mut stream)).map_err(wrong)?;
    let (decoded, timed) = if case.side == Side::Cpu {
        let mut decoded = vec![0; values.len()];
        let timed = time_cpu(bench, case.threads, || {
            if case.threads > 1 {
                codec.decode_parallel(&stream, &mut decoded)
            } else {
                codec.decode(&stream, &mut decoded)
            }
        })?;
        (decoded, timed)
    } else {
        let gpu = bench.gpu()?;
        let resident = codec.upload(gpu, &stream)?;
        let to = column(gpu, "decoded", count)?;
        let program = codec.decode_program(gpu, &resident, &to)?;
        gpu.run(&program)?;
        codec.check(gpu, &resident)?;
        (gpu.download(&to, u64::from(count))?, bench.time_program(&program)?)
    };
    let verified = verify_exact("decoded", &decoded, &values)?;
    Ok(outcome(case, codec.bytes(&stream), verified, timed))
}

fn fused_sum(bench: &Bench<'_>, case: &Case) -> Result<Outcome, Failure> {
    let (_, _, values) = input(case)?;
    let mut stream = frame_of_reference::Stream::default();
    bench.pool.install(|| FrameOfReference.encode_parallel(&values, &mut stream)).map_err(wrong)?;
    let expected: u64 = values.iter().map(|value| u64::from(*value)).sum();
    let (found, timed) = if case.side == Side::Cpu {
        let mut found = 0;
        let timed = time_cpu(bench, case.threads, || {
            found = if case.threads > 1 {
                frame_of_reference::sum_parallel(&stream)?
            } else {
                frame_of_reference::sum(&stream)?
            };
            Ok(())
        })?;
        (found, timed)
    } else {
        let gpu = bench.gpu()?;
        let (program, sum) = on_gpu::sum(gpu, &FrameOfReference.upload(gpu, &stream)?)?;
        let timed = bench.time_program(&program)?;
        // The timed runs started from zero each, so the last one is as good as the first.
        let words = gpu.download(&sum, 2)?;
        (u64::from(words[0]) | (u64::from(words[1]) << 32), timed)
    };
    let outcome = outcome(case, FrameOfReference.bytes(&stream), verify_sum(found, expected)?, timed);
    Ok(Outcome { bytes_traffic: outcome.bytes_traffic - outcome.bytes_logical, ..outcome })
}

//! Codecs: what the CPU compresses the GPU decompresses, and the other way round; both write the same stream.

mod damaged;

use crossover_gpu_bench::benchmarks::case::Suite;
use crossover_gpu_bench::cpu::compress::Codec;
use crossover_gpu_bench::cpu::compress::data::Kind;
use crossover_gpu_bench::cpu::compress::delta::Delta;
use crossover_gpu_bench::cpu::compress::dictionary::{self, Dictionary};
use crossover_gpu_bench::cpu::compress::frame_of_reference::{self as coded, FrameOfReference};
use crossover_gpu_bench::cpu::compress::lz4::Lz4;
use crossover_gpu_bench::cpu::compress::run_length::RunLength;
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::kernels::compress::{Decode, Encode, data, frame_of_reference};
use crossover_gpu_bench::report::Verified;
use crossover_gpu_bench::runner::{self, Plan};
use crossover_harness::Cancel;
use crossover_harness::generator::Generator;

use super::{SIZES, gpu};

/// The value at a place of a column.
type At = fn(u32) -> u32;

/// Shapes of columns by place; each is the worst or the best for one of the codecs.
const SHAPES: [(&str, At); 9] = [
    ("all equal", |_| 7),
    ("all the largest word", |_| u32::MAX),
    ("the smallest and the largest word", |place| if place % 1000 == 999 { u32::MAX } else { 0 }),
    ("random", |place| Generator::new(1).at(u64::from(place))),
    ("narrow", |place| Kind::Narrow.at(Generator::new(2), place)),
    ("sorted", |place| Kind::Timestamps.at(Generator::new(3), place)),
    ("descending", |place| u32::MAX - place * 3),
    ("runs", |place| Kind::Runs.at(Generator::new(4), place)),
    ("runs of one", |place| place % 2),
];

/// All shapes side by side, 20 000 values each, so that blocks of every kind and their borders are in one column.
fn mixture(count: u32) -> Vec<u32> {
    (0..count).map(|place| SHAPES[place as usize / 20_000 % SHAPES.len()].1(place)).collect()
}

/// The columns to check at all sizes: every shape around a whole block, and side by side in the largest column.
fn columns() -> impl Iterator<Item = (String, Vec<u32>)> {
    SIZES.into_iter().flat_map(|count| {
        let made = |(name, at): (&str, At)| (format!("{count} values, {name}"), (0..count).map(at).collect());
        match count {
            4095..=4097 => SHAPES.map(made).to_vec(),
            0..4095 => [SHAPES[2], SHAPES[7]].map(made).to_vec(),
            _ => vec![(format!("{count} values, a mixture"), mixture(count))],
        }
    })
}

/// Decodes on the GPU and checks the values, and that what follows them is untouched.
fn check_decoded<C: Decode>(gpu: &Gpu, codec: &C, stream: &C::Resident, values: &[u32], what: &str) {
    let room = values.len().next_multiple_of(4);
    let to = gpu.upload("decoded", &vec![7; room + 8]).expect("uploaded");
    gpu.run(&codec.decode_program(gpu, stream, &to).expect("prepared")).expect("ran");
    codec.check(gpu, stream).expect("sound");
    let found = gpu.download(&to, room as u64 + 8).expect("downloaded");
    assert!(found[..values.len()] == *values, "{what}");
    assert_eq!(found[room..], [7; 8], "{what}: nothing beyond the last vector is touched");
}

/// Compresses on the CPU and decompresses on both sides.
fn check_cpu_stream<C: Decode>(gpu: &Gpu, codec: &C, values: &[u32], what: &str) -> C::Stream {
    let mut stream = C::Stream::default();
    codec.encode(values, &mut stream).expect("encoded");
    let mut decoded = vec![1; values.len()];
    codec.decode(&stream, &mut decoded).expect("decoded");
    assert!(decoded == values, "{what}, CPU to CPU");
    decoded.fill(1);
    codec.decode_parallel(&stream, &mut decoded).expect("decoded");
    assert!(decoded == values, "{what}, CPU to CPU on all cores");
    let mut parallel = C::Stream::default();
    codec.encode_parallel(values, &mut parallel).expect("encoded");
    assert!(parallel == stream, "{what}: all cores write the stream of one");
    check_decoded(gpu, codec, &codec.upload(gpu, &stream).expect("uploaded"), values, &format!("{what}, CPU to GPU"));
    stream
}

/// All four directions; the GPU's stream is the CPU's, word for word.
fn check<C: Encode>(gpu: &Gpu, codec: &C, values: &[u32], what: &str) {
    let expected = check_cpu_stream(gpu, codec, values, what);
    let mut padded = values.to_vec();
    // What follows the column must not matter.
    padded.resize(values.len().next_multiple_of(4), 0x5555_5555);
    let column = gpu.upload("values", &padded).expect("uploaded");
    let count = u32::try_from(values.len()).expect("small");
    let (program, resident) = codec.encode_program(gpu, &column, count).expect("prepared");
    // Twice, because measurements repeat it: nothing may be left over from the first time.
    gpu.run(&program).expect("ran");
    gpu.run(&program).expect("ran");
    codec.check(gpu, &resident).expect("sound");
    let stream = codec.download(gpu, &resident).expect("downloaded");
    assert!(stream == expected, "{what}: the GPU writes the stream of the CPU");
    let mut decoded = vec![1; values.len()];
    codec.decode(&stream, &mut decoded).expect("decoded");
    assert!(decoded == values, "{what}, GPU to CPU");
    check_decoded(gpu, codec, &resident, values, &format!("{what}, GPU to GPU"));
}

#[test]
fn frames_of_reference_are_the_same_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    for (name, values) in columns() {
        check(&gpu, &FrameOfReference, &values, &name);
    }
}

#[test]
fn differences_are_the_same_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    for (name, values) in columns() {
        check(&gpu, &Delta, &values, &name);
    }
}

#[test]
fn runs_are_the_same_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    for (name, values) in columns() {
        check(&gpu, &RunLength, &values, &name);
    }
}

#[test]
fn dictionary_codes_are_the_same_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    for (name, values) in columns() {
        // The mixture has more distinct values than a dictionary holds.
        let values = if values.len() > 4097 { values.iter().map(|value| value >> 16).collect() } else { values };
        let dictionary = Dictionary::of(&values).expect("few values");
        check(&gpu, &dictionary, &values, &name);
    }
}

#[test]
fn a_value_that_the_dictionary_lacks_is_reported_by_both_sides() {
    let Some(gpu) = gpu() else { return };
    let dictionary = Dictionary::of(&[2, 4, 6]).expect("few values");
    for stranger in [0, 5, 7, u32::MAX] {
        let values = [2, 4, 6, stranger];
        assert!(dictionary.encode(&values, &mut dictionary::Stream::default()).is_err(), "{stranger}");
        let column = gpu.upload("values", &values).expect("uploaded");
        let (program, stream) = dictionary.encode_program(&gpu, &column, 4).expect("prepared");
        gpu.run(&program).expect("ran");
        assert!(dictionary.check(&gpu, &stream).is_err(), "{stranger}");
    }
}

#[test]
fn lz4_blocks_of_the_cpu_are_decompressed_by_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let text = |place| Kind::Text.at(Generator::new(6), place);
    for count in SIZES {
        check_cpu_stream(&gpu, &Lz4, &(0..count).map(text).collect::<Vec<_>>(), &format!("{count} words of text"));
    }
    check_cpu_stream(&gpu, &Lz4, &mixture(200_000), "a mixture");
    check_cpu_stream(&gpu, &Lz4, &vec![0; 50_000], "zeros: matches that run into themselves");
    // Periods of 1 to 40 bytes that are not whole words: every alignment of source and destination.
    let bytes: Vec<u8> = (0..40_u32 * 16_384)
        .map(|place| Generator::new(8).at(u64::from(place % (1 + place / 16_384))).to_le_bytes()[0])
        .collect();
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    check_cpu_stream(&gpu, &Lz4, &words, "short periods");
}

#[test]
fn a_compressed_column_is_summed_without_being_written() {
    let Some(gpu) = gpu() else { return };
    for count in SIZES {
        let values = mixture(count);
        let mut stream = coded::Stream::default();
        FrameOfReference.encode(&values, &mut stream).expect("encoded");
        let resident = FrameOfReference.upload(&gpu, &stream).expect("uploaded");
        let (program, sum) = frame_of_reference::sum(&gpu, &resident).expect("prepared");
        gpu.run(&program).expect("ran");
        gpu.run(&program).expect("ran");
        let expected: u64 = values.iter().map(|value| u64::from(*value)).sum();
        let [low, high] = gpu.download(&sum, 2).expect("downloaded")[..] else { panic!("two words") };
        assert_eq!(u64::from(low) | (u64::from(high) << 32), expected, "{count} values");
        assert_eq!(coded::sum(&stream), Ok(expected));
        assert_eq!(coded::sum_parallel(&stream), Ok(expected));
    }
}

#[test]
fn the_gpu_makes_the_columns_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for kind in Kind::ALL {
        let generator = Generator::new(9);
        let column = data::words(&gpu, kind, generator, 100_001).expect("generated");
        assert!(gpu.download(&column, 100_001).expect("downloaded") == kind.words(generator, 100_001), "{kind:?}");
    }
}

#[test]
fn every_case_of_the_small_suite_is_measured_and_verified() {
    let Some(gpu) = gpu() else { return };
    let plan = Plan { suite: Suite::Ci, budget_seconds: 60.0, only: vec!["compress".to_owned()] };
    let report = runner::run(&plan, Ok(&gpu), &Cancel::default(), &mut |_| ());
    let sides = |id: &str| report.results.iter().filter(|measured| measured.id == id).count();
    assert_eq!(sides("compress.for.decode"), 1 + if report.host.logical_cores > 1 { 2 } else { 1 });
    for measured in &report.results {
        let what = format!("{} {:?} {} threads: {:?}", measured.id, measured.side, measured.threads, measured.reason);
        assert_eq!(measured.verified, Verified::Exact, "{what}");
        let ratio = measured.ratio.expect("a ratio");
        let raw = measured.bytes_logical;
        assert_eq!(raw, 1_048_576.0, "{what}");
        let least = if measured.id.ends_with("fused_sum") { 0.0 } else { raw };
        assert_eq!(measured.bytes_traffic, least + ratio * raw, "{what}");
    }
    let ratio = |id: &str| report.results.iter().find(|measured| measured.id == id).and_then(|measured| measured.ratio);
    // 12 of 32 bits, and two words of directory per 4096 values.
    let narrow = ratio("compress.for.decode").expect("a ratio");
    assert!((0.3750..0.3765).contains(&narrow), "{narrow}");
    // Steps of 1 to 15: 4 of 32 bits.
    let timestamps = ratio("compress.delta.encode").expect("a ratio");
    assert!((0.1250..0.1265).contains(&timestamps), "{timestamps}");
}

//! Every codec gives back what it got, and refuses streams that contradict themselves.

use crossover_harness::generator::Generator;
use proptest::prelude::*;

use super::bitpack::{LANES, pack, unpack, width};
use super::delta::Delta;
use super::dictionary::Dictionary;
use super::frame_of_reference::FrameOfReference;
use super::lz4::Lz4;
use super::run_length::RunLength;
use super::{BLOCK, Codec, Damaged};

/// The layout bit by bit, straight from its definition.
fn pack_naively(values: &[u32; BLOCK], reference: u32, width: u32) -> Vec<u32> {
    let mut packed = vec![0; width as usize * LANES];
    for (place, value) in values.iter().enumerate() {
        let (row, lane) = (place / LANES, place % LANES);
        for bit in 0..width as usize {
            let to = row * width as usize + bit;
            packed[to / 32 * LANES + lane] |= ((value.wrapping_sub(reference) >> bit) & 1) << (to % 32);
        }
    }
    packed
}

#[test]
fn every_width_is_packed_as_the_layout_says() {
    let words = Generator::new(1).words(BLOCK);
    for width in 0..=32 {
        let reference = 0xFFFF_FF00;
        let values: Vec<u32> =
            words.iter().map(|word| word.checked_shr(32 - width).unwrap_or(0).wrapping_add(reference)).collect();
        let values: &[u32; BLOCK] = values[..].try_into().expect("a block");
        // Not zeros: what was there before must not matter.
        let mut packed = vec![0xAAAA_AAAA; width as usize * LANES];
        pack(values, reference, width, &mut packed);
        assert!(packed == pack_naively(values, reference, width), "width {width}");
        let mut unpacked = [1; BLOCK];
        unpack(&packed, width, reference, &mut unpacked);
        assert!(unpacked == *values, "width {width}");
    }
}

#[test]
fn a_width_is_the_place_of_the_highest_bit() {
    assert_eq!([0, 1, 2, 3, 4, 255, 256, u32::MAX].map(width), [0, 1, 2, 2, 3, 8, 9, 32]);
}

#[test]
fn a_column_costs_what_its_spread_costs() {
    let mut stream = <FrameOfReference as Codec>::Stream::default();
    let values: Vec<u32> = (0..2 * 4096).map(|place| if place < 4096 { 9 } else { 100 + place % 16 }).collect();
    FrameOfReference.encode(&values, &mut stream).expect("encoded");
    assert_eq!((stream.references.as_slice(), stream.offsets.as_slice()), ([9, 100].as_slice(), [0, 0, 4].as_slice()));
    let mut stream = <Delta as Codec>::Stream::default();
    let even: Vec<u32> = (0..4096).map(|place| 50 + 7 * place).collect();
    Delta.encode(&even, &mut stream).expect("encoded");
    assert!(stream.differences.words.is_empty(), "even steps need no bits");
    assert_eq!((stream.starts[0], stream.differences.references[0]), (43, 7));
    let mut stream = <RunLength as Codec>::Stream::default();
    RunLength.encode(&[5, 5, 5, 8, 8, 1], &mut stream).expect("encoded");
    assert_eq!(
        (stream.values.as_slice(), stream.ends.as_slice()),
        ([5, 8, 1, 1].as_slice(), [3 | (5 << 16), 6 | (6 << 16)].as_slice())
    );
}

/// Both ways on one core and on all; into memory that held something else.
fn check<C: Codec>(codec: &C, values: &[u32]) -> Result<(), TestCaseError> {
    let (mut stream, mut parallel) = (C::Stream::default(), C::Stream::default());
    for used in [&mut stream, &mut parallel] {
        codec.encode(&values[values.len() / 3..], used).expect("encoded");
    }
    codec.encode(values, &mut stream).expect("encoded");
    codec.encode_parallel(values, &mut parallel).expect("encoded");
    prop_assert!(stream == parallel, "one core and all cores");
    let mut decoded = vec![1; values.len()];
    prop_assert_eq!(codec.decode(&stream, &mut decoded), Ok(()));
    prop_assert!(decoded == values, "one core");
    decoded.fill(1);
    prop_assert_eq!(codec.decode_parallel(&stream, &mut decoded), Ok(()));
    prop_assert!(decoded == values, "all cores");
    prop_assert!(codec.decode(&stream, &mut vec![0; values.len() + 1]).is_err(), "a slice of another length");
    Ok(())
}

/// Columns of runs: lengths and values from one to many, narrow and wide.
fn columns() -> impl Strategy<Value = Vec<u32>> {
    let value = prop_oneof![any::<u32>(), 0..4_u32, Just(u32::MAX), 1_000_000..1_000_100_u32];
    prop::collection::vec((value, prop_oneof![1..3_usize, 1..5000_usize]), 0..60)
        .prop_map(|runs| runs.into_iter().flat_map(|(value, length)| vec![value; length]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_codec_gives_back_what_it_got(values in columns()) {
        check(&FrameOfReference, &values)?;
        check(&Delta, &values)?;
        check(&RunLength, &values)?;
        check(&Dictionary::of(&values).expect("few values"), &values)?;
        check(&Lz4, &values)?;
    }
}

#[test]
fn streams_that_contradict_themselves_are_refused() {
    let values: Vec<u32> = (0..5000).map(|place| place / 3).collect();
    let refused = |result: Result<(), Damaged>, what: &str| assert!(result.is_err(), "{what}");
    let mut to = vec![0; values.len()];

    let mut good = <FrameOfReference as Codec>::Stream::default();
    FrameOfReference.encode(&values, &mut good).expect("encoded");
    for (what, damage) in [
        ("a word is missing", (|stream| _ = stream.words.pop()) as fn(&mut <FrameOfReference as Codec>::Stream)),
        ("a reference is missing", |stream| _ = stream.references.pop()),
        ("an offset is missing", |stream| _ = stream.offsets.pop()),
        ("a width of more than 32", |stream| stream.offsets[1] = 40),
        ("a descending directory", |stream| stream.offsets[1] = u32::MAX),
    ] {
        let mut stream = good.clone();
        damage(&mut stream);
        refused(FrameOfReference.decode(&stream, &mut to), what);
    }

    let mut good = <RunLength as Codec>::Stream::default();
    RunLength.encode(&values, &mut good).expect("encoded");
    for (what, damage) in [
        ("a run that ends before it begins", (|stream| stream.ends[3] = 1) as fn(&mut <RunLength as Codec>::Stream)),
        ("a run beyond the block", |stream| stream.ends[3] = 0xffff_ffff),
        ("the last run is missing", |stream| *stream.ends.last_mut().expect("ends") = 0),
        ("ends are missing", |stream| _ = stream.ends.pop()),
        ("an odd number of entries", |stream| stream.offsets[1] += 1),
    ] {
        let mut stream = good.clone();
        damage(&mut stream);
        refused(RunLength.decode(&stream, &mut to), what);
    }

    let dictionary = Dictionary::of(&values).expect("few values");
    let mut stream = <Dictionary as Codec>::Stream::default();
    dictionary.encode(&values, &mut stream).expect("encoded");
    stream.words.fill(u32::MAX);
    refused(dictionary.decode(&stream, &mut to), "a code beyond the dictionary");
    refused(dictionary.encode(&[u32::MAX], &mut stream), "a value that is not in the dictionary");
    let many: Vec<u32> = (0..65_537).collect();
    assert!(Dictionary::of(&many).is_err() && Dictionary::of(&many[1..]).is_ok(), "65 536 values at most");
}

//! Damaged streams end with an error on both sides, and never outside the buffers.

use crossover_gpu_bench::cpu::compress::Codec;
use crossover_gpu_bench::cpu::compress::data::Kind;
use crossover_gpu_bench::cpu::compress::lz4::{Lz4, Stream};
use crossover_gpu_bench::gpu::Gpu;
use crossover_gpu_bench::kernels::compress::Decode;
use crossover_harness::generator::Generator;

use super::super::gpu;

/// Values of a whole block.
const BLOCK: usize = 4096;

/// A stream that claims a whole block of values for each of these.
fn stream(blocks: &[Vec<u8>]) -> Stream {
    let mut stream = Stream { count: u32::try_from(blocks.len() * BLOCK).expect("small"), ..Stream::default() };
    stream.offsets.push(0);
    for block in blocks {
        stream.bytes.extend(block);
        stream.offsets.push(u32::try_from(stream.bytes.len()).expect("small"));
    }
    stream
}

/// What the GPU makes of each block: its values if it finds the block sound.
fn on_gpu(gpu: &Gpu, stream: &Stream) -> Vec<Option<Vec<u32>>> {
    let resident = Lz4.upload(gpu, stream).expect("uploaded");
    let to = gpu.upload("decoded", &vec![7; stream.count as usize + 8]).expect("uploaded");
    gpu.run(&Lz4.decode_program(gpu, &resident, &to).expect("prepared")).expect("ran");
    let statuses = gpu.download(&resident.statuses, u64::from(stream.count) / BLOCK as u64).expect("downloaded");
    let sound = statuses.iter().all(|status| *status == 0);
    assert_eq!(Lz4.check(gpu, &resident).is_ok(), sound, "one bad block condemns the stream");
    let values = gpu.download(&to, u64::from(stream.count) + 8).expect("downloaded");
    assert_eq!(values[stream.count as usize..], [7; 8], "nothing beyond the column is touched");
    let blocks = values.chunks_exact(BLOCK).zip(statuses);
    blocks.map(|(block, status)| (status == 0).then(|| block.to_vec())).collect()
}

/// What the CPU makes of one block.
fn on_cpu(block: &[u8]) -> Option<Vec<u32>> {
    let mut values = vec![0; BLOCK];
    Lz4.decode(&stream(&[block.to_vec()]), &mut values).ok().map(|()| values)
}

/// A sound block.
fn text() -> Vec<u8> {
    let mut stream = Stream::default();
    Lz4.encode(&Kind::Text.words(Generator::new(3), 4096), &mut stream).expect("encoded");
    stream.bytes
}

/// A literal of `length` bytes as the format writes it, with the low half of the token for what follows.
fn literal(length: usize, follows: u8) -> Vec<u8> {
    let mut bytes = vec![0xf0 | follows];
    bytes.extend(vec![255; (length - 15) / 255]);
    bytes.push(u8::try_from((length - 15) % 255).expect("a remainder"));
    bytes.extend(vec![b'x'; length]);
    bytes
}

/// A block of 100 literals, a match of `length` bytes, and 5 literals; sound if `offset` is 1 to 100 and `length` 16 279.
fn with_match(offset: u16, length: usize) -> Vec<u8> {
    let mut bytes = literal(100, 15);
    bytes.extend(offset.to_le_bytes());
    bytes.extend(vec![255; (length - 19) / 255]);
    bytes.push(u8::try_from((length - 19) % 255).expect("a remainder"));
    bytes.extend([0x50, b'e', b'n', b'd', b'e', b'd']);
    bytes
}

#[test]
fn blocks_that_break_the_format_are_refused() {
    let Some(gpu) = gpu() else { return };
    let mut blocks = vec![
        ("nothing", vec![]),
        ("a token alone that promises literals", vec![0x50]),
        ("a length without end", vec![255; 3000]),
        ("one literal too many", literal(16_385, 0)),
        ("one literal too few", literal(16_383, 0)),
        ("a match with offset 0", with_match(0, 16_279)),
        ("a match from just before the block", with_match(101, 16_279)),
        ("a match from far before the block", with_match(u16::MAX, 16_279)),
        ("a match that leaves too little room", with_match(1, 16_280)),
        ("a match that leaves a byte of room", with_match(1, 16_278)),
        ("a match over the end", with_match(1, 16_285)),
        ("half an offset", [literal(100, 0), vec![1]].concat()),
        ("a match whose length does not end", [literal(100, 15), vec![1, 0], vec![255; 50]].concat()),
        ("a match much too long", [literal(100, 15), vec![1, 0], vec![255; 90], vec![0, 0]].concat()),
        ("more bytes than any block has", [literal(16_384, 0), vec![0; 200]].concat()),
    ];
    let whole = text();
    blocks.extend((1..40).map(|part| ("a truncated block", whole[..whole.len() * part / 40].to_vec())));
    blocks.push(("a block without its last byte", whole[..whole.len() - 1].to_vec()));
    let bytes: Vec<Vec<u8>> = blocks.iter().map(|(_, bytes)| bytes.clone()).collect();
    let found = on_gpu(&gpu, &stream(&bytes));
    assert_eq!(found.len(), blocks.len());
    for ((what, bytes), found) in blocks.iter().zip(found) {
        assert!(found.is_none(), "GPU: {what}");
        assert!(on_cpu(bytes).is_none(), "CPU: {what}");
    }
    // The same bytes are fine where they are right, so the refusals above have their reasons.
    let fine = [literal(16_384, 0), with_match(1, 16_279), with_match(100, 16_279), whole];
    for (found, bytes) in on_gpu(&gpu, &stream(&fine)).into_iter().zip(fine) {
        assert!(found.is_some() && found == on_cpu(&bytes));
    }
}

#[test]
fn a_changed_byte_has_the_same_effect_on_both_sides() {
    let Some(gpu) = gpu() else { return };
    let (whole, generator) = (text(), Generator::new(12));
    let blocks: Vec<Vec<u8>> = (0..120)
        .map(|change| {
            let mut block = whole.clone();
            let place = usize::try_from(generator.below(2 * change, block.len() as u64)).expect("a place");
            block[place] = generator.at(2 * change + 1).to_le_bytes()[0];
            block
        })
        .collect();
    let found = on_gpu(&gpu, &stream(&blocks));
    let refused = found.iter().filter(|found| found.is_none()).count();
    assert!((10..110).contains(&refused), "{refused} of 120: both outcomes must occur");
    for (found, block) in found.into_iter().zip(blocks) {
        assert!(found == on_cpu(&block), "GPU sound: {}, CPU sound: {}", found.is_some(), on_cpu(&block).is_some());
    }
}

#[test]
fn a_directory_that_points_elsewhere_is_refused() {
    let Some(gpu) = gpu() else { return };
    let sound = stream(&[text(), text()]);
    assert!(on_gpu(&gpu, &sound).iter().all(Option::is_some));
    let end = sound.offsets[2];
    for offsets in [[0, end + 1, end], [0, end, end], [0, end / 2, end + 400], [end, 0, end], [0, u32::MAX, end]] {
        let damaged = Stream { offsets: offsets.to_vec(), ..sound.clone() };
        assert!(on_gpu(&gpu, &damaged).iter().any(Option::is_none), "{offsets:?}");
        assert!(Lz4.decode(&damaged, &mut vec![0; 2 * BLOCK]).is_err(), "{offsets:?}");
    }
}

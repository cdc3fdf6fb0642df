// LZ4 blocks of 16 KiB, a workgroup of 32 lanes each. Every lane parses the same sequence (equal addresses are one
// access, and nothing has to be broadcast), all lanes copy. The block is put together in workgroup memory, where
// matches are found again without going to memory, and is written out once. Lanes may share a word there, so
// they join their bytes to zeroed words by atomics.
//
// Whatever the input, every round consumes a byte, all copies end within the block, and the status tells.

struct Parameters {
    // Values of the column.
    count: u32,
    // Blocks of the column.
    blocks: u32,
    // Bytes of the compressed column.
    bytes: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
// A word of no meaning, then the blocks one after the other.
@group(0) @binding(1) var<storage, read> compressed: array<u32>;
// Where each block begins, and the end, bytes.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> decoded: array<u32>;
@group(0) @binding(4) var<storage, read_write> statuses: array<u32>;

// Here too a word before the block, so that a word that straddles its beginning has an address.
var<workgroup> window: array<atomic<u32>, 4097>;

const LANES = 32u;
const FIRST = 4u;
// Bytes of the longest compressed block: 16384 + 16384 / 255 + 16 (LZ4_COMPRESSBOUND).
const LONGEST = 16464u;
// More than any block holds.
const ENDLESS = 0x7fffffffu;

const SOUND = 0u;
const BAD_DIRECTORY = 1u;
const TRUNCATED = 2u;
const OVERRUN = 3u;
const BAD_OFFSET = 4u;
const SHORT = 5u;
const UNFINISHED = 6u;

fn byte_at(place: u32) -> u32 {
    return (compressed[place >> 2u] >> ((place & 3u) * 8u)) & 0xffu;
}

// A length that goes on after the token: the place behind it, and the length.
fn extended(place: u32, end: u32, begun: u32) -> vec2<u32> {
    var length = begun;
    for (var i = place; i < end; i += 1u) {
        let more = byte_at(i);
        length += more;
        if more != 255u {
            return vec2(i + 1u, length);
        }
    }
    return vec2(end, ENDLESS);
}

// The bytes of a word of the window that lie in from..end.
fn mask(word: u32, from_byte: u32, end: u32) -> u32 {
    let start = max(from_byte, word * 4u) - word * 4u;
    let stop = min(end, word * 4u + 4u) - word * 4u;
    return (0xffffffffu << (start * 8u)) & (0xffffffffu >> (32u - stop * 8u));
}

fn copy_literals(place: u32, to: u32, length: u32, lane: u32) {
    let end = to + length;
    for (var word = (to >> 2u) + lane; word * 4u < end; word += LANES) {
        let source = place + word * 4u - to;
        let shift = (source & 3u) * 8u;
        var four = compressed[source >> 2u] >> shift;
        if shift != 0u {
            four |= compressed[(source >> 2u) + 1u] << (32u - shift);
        }
        atomicOr(&window[word], four & mask(word, to, end));
    }
}

fn copy_match(offset: u32, to: u32, length: u32, lane: u32) {
    let end = to + length;
    for (var word = (to >> 2u) + lane; word * 4u < end; word += LANES) {
        var four = 0u;
        if offset >= length {
            let source = word * 4u - offset;
            let shift = (source & 3u) * 8u;
            four = atomicLoad(&window[source >> 2u]) >> shift;
            if shift != 0u {
                four |= atomicLoad(&window[(source >> 2u) + 1u]) << (32u - shift);
            }
            four &= mask(word, to, end);
        } else {
            // The match runs into itself: the bytes from `to - offset` to `to` again and again.
            let start = max(word * 4u, to);
            var step = (start - to) % offset;
            for (var place = start; place < min(word * 4u + 4u, end); place += 1u) {
                let source = to - offset + step;
                let byte = (atomicLoad(&window[source >> 2u]) >> ((source & 3u) * 8u)) & 0xffu;
                four |= byte << ((place & 3u) * 8u);
                step = select(step + 1u, 0u, step + 1u == offset);
            }
        }
        atomicOr(&window[word], four);
    }
}

@compute @workgroup_size(32)
fn decode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if block >= parameters.blocks {
        return;
    }
    for (var word = lane; word < 4097u; word += LANES) {
        atomicStore(&window[word], 0u);
    }
    let words = min(parameters.count - block * 4096u, 4096u);
    let to_end = FIRST + words * 4u;
    var to = FIRST;
    var place = offsets[block] + FIRST;
    let end = offsets[block + 1u] + FIRST;
    var status = UNFINISHED;
    if end < place || end - place > LONGEST || end - FIRST > parameters.bytes {
        status = BAD_DIRECTORY;
    }
    workgroupBarrier();
    for (var round = 0u; round < LONGEST; round += 1u) {
        if status != UNFINISHED {
            break;
        }
        if place >= end {
            status = TRUNCATED;
            break;
        }
        let token = byte_at(place);
        place += 1u;
        var literals = token >> 4u;
        if literals == 15u {
            let longer = extended(place, end, literals);
            place = longer.x;
            literals = longer.y;
        }
        if literals > end - place {
            status = TRUNCATED;
            break;
        }
        if literals > to_end - to {
            status = OVERRUN;
            break;
        }
        copy_literals(place, to, literals, lane);
        place += literals;
        to += literals;
        if place == end {
            // The last sequence has no match.
            status = select(SHORT, SOUND, to == to_end);
            break;
        }
        if end - place < 2u {
            status = TRUNCATED;
            break;
        }
        let offset = byte_at(place) | (byte_at(place + 1u) << 8u);
        place += 2u;
        var length = token & 15u;
        if length == 15u {
            let longer = extended(place, end, length);
            place = longer.x;
            length = longer.y;
        }
        length += 4u;
        if offset == 0u || offset > to - FIRST {
            status = BAD_OFFSET;
            break;
        }
        if length > to_end - to {
            status = OVERRUN;
            break;
        }
        // What other lanes wrote since the last match is there now.
        workgroupBarrier();
        copy_match(offset, to, length, lane);
        to += length;
    }
    workgroupBarrier();
    for (var word = lane; word < words; word += LANES) {
        decoded[block * 4096u + word] = atomicLoad(&window[word + 1u]);
    }
    if lane == 0u {
        statuses[block] = status;
    }
}

// Bit-packing of a block in the vertical layout of `cpu/compress/bitpack.rs`: 32 rows of 128 values; word k of
// all 128 lanes is one row of the packed block. An invocation handles four neighbouring lanes as a vector, so
// 32 invocations read and write 512 contiguous bytes, and all of them take the same branch.

@group(0) @binding(1) var<storage, read> values: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> decoded: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> packed: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> packing: array<vec4<u32>>;

// The block before it is packed. The gathering below reads every value at most twice, from here.
var<workgroup> stage: array<vec4<u32>, 1024>;

// Four values of a row. `first` is where the block begins, in rows of 128 words. A word that holds bits of two
// rows is read twice; the second read comes from the cache, and all reads are independent of each other.
fn unpack(first: u32, width: u32, row: u32, column: u32) -> vec4<u32> {
    if width == 0u {
        return vec4(0u);
    }
    let bit = row * width;
    let shift = bit & 31u;
    let place = (first + (bit >> 5u)) * 32u + column;
    var bits = packed[place] >> vec4(shift);
    if shift + width > 32u {
        bits |= packed[place + 32u] << vec4(32u - shift);
    }
    return bits & vec4(0xffffffffu >> (32u - width));
}

// Four neighbouring rows of four lanes: what an invocation unpacks of a block.
struct Rows {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

// Written out so that all loads are issued before the first store.
fn unpack_rows(first: u32, width: u32, lane: u32) -> Rows {
    let column = lane & 31u;
    let row = (lane >> 5u) * 4u;
    return Rows(
        unpack(first, width, row, column),
        unpack(first, width, row + 1u, column),
        unpack(first, width, row + 2u, column),
        unpack(first, width, row + 3u, column),
    );
}

// Position of the first of these rows in a block, in vectors; the others follow 32 apart.
fn first_vector(lane: u32) -> u32 {
    return (lane >> 5u) * 128u + (lane & 31u);
}

fn write_rows(place: u32, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) {
    write(place, a);
    write(place + 32u, b);
    write(place + 64u, c);
    write(place + 96u, d);
}

fn write(place: u32, four: vec4<u32>) {
    if place * 4u < parameters.count {
        decoded[place] = four;
    }
}

// Packs the staged block; every row of the result is written once.
fn pack(first: u32, width: u32, lane: u32) {
    let column = lane & 31u;
    for (var word = lane >> 5u; word < min(width, 32u); word += 8u) {
        let bit = word * 32u;
        let last = min((bit + 31u) / width, 31u);
        var row = bit / width;
        var bits = stage[row * 32u + column] >> vec4(bit - row * width);
        for (row += 1u; row <= last; row += 1u) {
            bits |= stage[row * 32u + column] << vec4(row * width - bit);
        }
        packing[(first + word) * 32u + column] = bits;
    }
}

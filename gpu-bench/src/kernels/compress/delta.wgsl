// Delta: per block the differences between neighbours, bit-packed above the smallest of them. Decoding unpacks four rows
// per invocation as a frame of reference does and adds a prefix sum over the block in workgroup memory, so
// memory is read and written once, coalesced.

@group(0) @binding(2) var<storage, read> references: array<u32>;
@group(0) @binding(2) var<storage, read_write> found_references: array<u32>;
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> widths: array<u32>;
@group(0) @binding(4) var<storage, read_write> found_starts: array<u32>;
@group(0) @binding(5) var<storage, read> starts: array<u32>;

// Sum of each vector, then of all vectors before it.
var<workgroup> sums: array<u32, 1024>;

// Differences of the values of a vector from those before them; the first of a block has none.
fn differences(place: u32) -> vec4<u32> {
    let four = values[place];
    var before = four.x;
    if place % 1024u != 0u {
        before = values[place - 1u].w;
    }
    return four - vec4(before, four.xyz);
}

// Which values of a vector have a difference.
fn differ(place: u32) -> vec4<bool> {
    return inside(place) & (vec4(place % 1024u) + vec4(0u, 1u, 2u, 3u) > vec4(0u));
}

// First pass of encoding. Flipping the upper bit turns the order of signed numbers into that of unsigned ones.
@compute @workgroup_size(256)
fn frame(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if block >= parameters.blocks {
        return;
    }
    var low = vec4(0xffffffffu);
    var high = vec4(0u);
    for (var i = 0u; i < 4u; i += 1u) {
        let place = block * 1024u + i * 256u + lane;
        if place * 4u < parameters.count {
            let steps = differences(place) ^ vec4(0x80000000u);
            low = min(low, select(vec4(0xffffffffu), steps, differ(place)));
            high = max(high, select(vec4(0u), steps, differ(place)));
        }
    }
    let found = extremes(lane, low, high);
    if lane == 0u {
        // A block of one value has no differences.
        let none = found.x > found.y;
        let reference = select(found.x ^ 0x80000000u, 0u, none);
        found_references[block] = reference;
        widths[block] = select(32u - countLeadingZeros(found.y - found.x), 0u, none);
        found_starts[block] = values[block * 1024u].x - reference;
    }
}

// Second pass of encoding, after the widths were added up.
@compute @workgroup_size(256)
fn encode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if block >= parameters.blocks {
        return;
    }
    let reference = vec4(references[block]);
    let first = offsets[block];
    let width = offsets[block + 1u] - first;
    for (var i = 0u; i < 4u; i += 1u) {
        let place = block * 1024u + i * 256u + lane;
        var four = vec4(0u);
        if place * 4u < parameters.count {
            four = select(vec4(0u), differences(place) - reference, differ(place));
        }
        stage[i * 256u + lane] = four;
    }
    workgroupBarrier();
    pack(first, width, lane);
}

@compute @workgroup_size(256)
fn decode(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if block >= parameters.blocks {
        return;
    }
    let reference = vec4(references[block]);
    let start = starts[block];
    let first = offsets[block];
    let width = min(offsets[block + 1u] - first, 32u);
    let rows = unpack_rows(first, width, lane);
    let a = running(rows.a + reference);
    let b = running(rows.b + reference);
    let c = running(rows.c + reference);
    let d = running(rows.d + reference);
    let vector = first_vector(lane);
    sums[vector] = a.w;
    sums[vector + 32u] = b.w;
    sums[vector + 64u] = c.w;
    sums[vector + 96u] = d.w;
    workgroupBarrier();
    let four = vec4(sums[lane * 4u], sums[lane * 4u + 1u], sums[lane * 4u + 2u], sums[lane * 4u + 3u]);
    let inclusive = running(four);
    let before = start + sum_before(lane, inclusive.w);
    sums[lane * 4u] = before;
    sums[lane * 4u + 1u] = before + inclusive.x;
    sums[lane * 4u + 2u] = before + inclusive.y;
    sums[lane * 4u + 3u] = before + inclusive.z;
    workgroupBarrier();
    write_rows(
        block * 1024u + vector,
        a + vec4(sums[vector]),
        b + vec4(sums[vector + 32u]),
        c + vec4(sums[vector + 64u]),
        d + vec4(sums[vector + 96u]),
    );
}

// Inclusive prefix sum of a vector.
fn running(four: vec4<u32>) -> vec4<u32> {
    let pair = four.x + four.y;
    return vec4(four.x, pair, pair + four.z, pair + four.z + four.w);
}

// Frame of reference: smallest value per block and bit-packed distances from it. Decoding reads each packed word and
// writes each value once, coalesced; encoding reads the values twice because a block's place depends on the
// widths of all blocks before it.

@group(0) @binding(1) var<storage, read_write> sum: array<atomic<u32>, 2>;
@group(0) @binding(2) var<storage, read> references: array<u32>;
@group(0) @binding(2) var<storage, read_write> found_references: array<u32>;
@group(0) @binding(3) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> widths: array<u32>;

// First pass of encoding: reference and width of a block.
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
            let four = values[place];
            low = min(low, select(vec4(0xffffffffu), four, inside(place)));
            high = max(high, select(vec4(0u), four, inside(place)));
        }
    }
    let found = extremes(lane, low, high);
    if lane == 0u {
        found_references[block] = found.x;
        widths[block] = 32u - countLeadingZeros(found.y - found.x);
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
        var four = reference;
        if place * 4u < parameters.count {
            four = select(reference, values[place], inside(place));
        }
        stage[i * 256u + lane] = four - reference;
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
    let first = offsets[block];
    let width = min(offsets[block + 1u] - first, 32u);
    let rows = unpack_rows(first, width, lane);
    let place = block * 1024u + first_vector(lane);
    write_rows(place, rows.a + reference, rows.b + reference, rows.c + reference, rows.d + reference);
}

@compute @workgroup_size(1)
fn clear_sum(@builtin(workgroup_id) group: vec3<u32>) {
    if group.x == 0u && parameters.count > 0u {
        atomicStore(&sum[0], 0u);
        atomicStore(&sum[1], 0u);
    }
}

// Decoding into a sum: what a query that needs no copy of the column pays. One pair of atomics per block; the
// carry is exact because every addition sees the number before it.
@compute @workgroup_size(256)
fn add_up(
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
    let width = min(offsets[block + 1u] - first, 32u);
    let rows = unpack_rows(first, width, lane);
    let place = block * 1024u + first_vector(lane);
    let lower = add(halves(place, rows.a + reference), halves(place + 32u, rows.b + reference));
    let upper = add(halves(place + 64u, rows.c + reference), halves(place + 96u, rows.d + reference));
    let all = total(lane, add(lower, upper));
    if lane == 0u {
        let before = atomicAdd(&sum[0], all.x);
        atomicAdd(&sum[1], all.y + select(0u, 1u, before + all.x < before));
    }
}

// The 64-bit sum of a vector, added up in halves of 16 bits.
fn halves(place: u32, four: vec4<u32>) -> vec2<u32> {
    let counted = select(vec4(0u), four, inside(place));
    let low = dot(counted & vec4(0xffffu), vec4(1u));
    let high = dot(counted >> vec4(16u), vec4(1u));
    return add(vec2(low, 0u), vec2(high << 16u, high >> 16u));
}

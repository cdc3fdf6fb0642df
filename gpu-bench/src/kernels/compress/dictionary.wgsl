// Dictionary coding: a binary search per value when encoding, a gather per value when decoding. The dictionary, 256 KiB
// at most, stays in the caches.

// Ascending, without repetition, not empty.
@group(0) @binding(2) var<storage, read> dictionary: array<u32>;
// Set where a value or a code is not in the dictionary.
@group(0) @binding(3) var<storage, read_write> missing: array<atomic<u32>>;

override WIDTH: u32;
override ENTRIES: u32;

fn look_up(codes: vec4<u32>) -> vec4<u32> {
    return vec4(dictionary[codes.x], dictionary[codes.y], dictionary[codes.z], dictionary[codes.w]);
}

// The last entries that are not greater than the values; four searches at once hide each other's latency.
fn search(four: vec4<u32>) -> vec4<u32> {
    var codes = vec4(0u);
    for (var bit = WIDTH; bit > 0u; bit -= 1u) {
        let next = codes + vec4(1u << (bit - 1u));
        let found = look_up(min(next, vec4(ENTRIES - 1u)));
        codes = select(codes, next, (next < vec4(ENTRIES)) & (found <= four));
    }
    return codes;
}

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
    for (var i = 0u; i < 4u; i += 1u) {
        let place = block * 1024u + i * 256u + lane;
        var codes = vec4(0u);
        if place * 4u < parameters.count {
            let four = values[place];
            codes = search(four);
            if any((look_up(codes) != four) & inside(place)) {
                atomicOr(&missing[0], 1u);
            }
            codes = select(vec4(0u), codes, inside(place));
        }
        stage[i * 256u + lane] = codes;
    }
    workgroupBarrier();
    pack(block * WIDTH, WIDTH, lane);
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
    let rows = unpack_rows(block * WIDTH, WIDTH, lane);
    let last = vec4(ENTRIES - 1u);
    if any(max(max(rows.a, rows.b), max(rows.c, rows.d)) > last) {
        atomicOr(&missing[0], 1u);
    }
    let place = block * 1024u + first_vector(lane);
    let a = look_up(min(rows.a, last));
    let b = look_up(min(rows.b, last));
    let c = look_up(min(rows.c, last));
    let d = look_up(min(rows.d, last));
    write_rows(place, a, b, c, d);
}

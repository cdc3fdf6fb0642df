// Streaming through memory, four words at a time: copying, reading, writing.
//
// An invocation has several vectors in flight, and those of a workgroup at one time are neighbours. A GPU with
// 5 TB/s and 0.6 µs of latency needs 3 MB in flight; 4 vectors in each of 2048 invocations per processor are
// several times that.

struct Parameters {
    // Vectors of four words.
    vectors: u32,
    // What `fill` begins with.
    value: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> to: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> source: array<vec4<u32>>;

const STRIDE = 256u;
// Vectors of one workgroup of `copy` and `fill`.
const COPIED = 4u * STRIDE;
// Vectors that an invocation of `add_up` has in flight, and how often, for a whole workgroup.
const IN_FLIGHT = 8u * STRIDE;
const READ = 2u * IN_FLIGHT;

@compute @workgroup_size(256)
fn copy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = (group.y * groups.x + group.x) * COPIED;
    let start = tile + lane;
    if tile + COPIED <= parameters.vectors {
        // All loads before the first store: no compiler may move a load over a store that could hit it.
        let a = source[start];
        let b = source[start + STRIDE];
        let c = source[start + 2u * STRIDE];
        let d = source[start + 3u * STRIDE];
        to[start] = a;
        to[start + STRIDE] = b;
        to[start + 2u * STRIDE] = c;
        to[start + 3u * STRIDE] = d;
        return;
    }
    for (var i = 0u; i < COPIED; i += STRIDE) {
        if start + i < parameters.vectors {
            to[start + i] = source[start + i];
        }
    }
}

// Words that differ from place to place: memory that compresses would write equal ones faster.
fn written(place: u32) -> vec4<u32> {
    return vec4<u32>(0u, 1u, 2u, 3u) + (place * 4u + parameters.value);
}

@compute @workgroup_size(256)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = (group.y * groups.x + group.x) * COPIED + lane;
    for (var i = 0u; i < COPIED; i += STRIDE) {
        if start + i < parameters.vectors {
            to[start + i] = written(start + i);
        }
    }
}

// One sum per invocation, a 64th of what it reads: no load can be left out, and no invocation waits for others, which
// would cost more than writing.
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(256)
fn add_up(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    let tile = index * READ;
    if tile >= parameters.vectors {
        return;
    }
    var sum = vec4<u32>();
    if tile + READ <= parameters.vectors {
        for (var start = tile + lane; start < tile + READ; start += IN_FLIGHT) {
            sum += source[start] + source[start + STRIDE] + source[start + 2u * STRIDE] + source[start + 3u * STRIDE]
                + source[start + 4u * STRIDE] + source[start + 5u * STRIDE] + source[start + 6u * STRIDE]
                + source[start + 7u * STRIDE];
        }
    } else {
        for (var place = tile + lane; place < parameters.vectors; place += STRIDE) {
            sum += source[place];
        }
    }
    sums[index * STRIDE + lane] = sum.x + sum.y + sum.z + sum.w;
}

// Counts and adds up values by dictionary code: `private` where accumulators of all groups fit workgroup
// memory, `shared_by_all` otherwise. `clear` begins each repetition.
//
// A group in memory is four words side by side, so that a row touches one 32-byte sector: count, lower and
// upper half of the sum, and one that stays 0. A row whose code is too large is left out; the count shows it.

struct Parameters {
    rows: u32,
    groups: u32,
    // Rows of a workgroup: a multiple of 1024, 65 536 at most.
    rows_per_workgroup: u32,
    // Accumulators per group in workgroup memory, a power of two: lanes next to each other use different ones.
    replicas: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> cleared: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> result: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> codes: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<u32>;

// 3 × 4 × 1365 bytes: what fits 16 KiB.
const PLACES = 1365u;

// Groups between the ones that a workgroup and the next begin with.
const ROTATION = 32u;

// Groups that an invocation clears.
const PER_INVOCATION = 4u;

var<workgroup> counts: array<atomic<u32>, PLACES>;
// Sums of the lower and the upper 16 bits: of 65 536 rows each fits 32 bits, so no addition has to carry.
var<workgroup> low_sums: array<atomic<u32>, PLACES>;
var<workgroup> high_sums: array<atomic<u32>, PLACES>;

// Adds to a group in memory. Whoever makes the lower half wrap carries, so every wrap is counted once.
fn add(code: u32, count: u32, low: u32, high: u32) {
    atomicAdd(&result[code * 4u], count);
    let before = atomicAdd(&result[code * 4u + 1u], low);
    let carried = high + u32(before + low < before);
    if carried != 0u {
        atomicAdd(&result[code * 4u + 2u], carried);
    }
}

@compute @workgroup_size(256)
fn clear(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var i = 0u; i < PER_INVOCATION; i++) {
        let code = ((group.y * groups.x + group.x) * PER_INVOCATION + i) * 256u + lane;
        if code < parameters.groups {
            cleared[code] = vec4<u32>(0u);
        }
    }
}

fn accumulate(row: u32, code: u32, value: u32, lane: u32) {
    if row < parameters.rows && code < parameters.groups {
        let place = code * parameters.replicas + (lane & (parameters.replicas - 1u));
        atomicAdd(&counts[place], 1u);
        atomicAdd(&low_sums[place], value & 0xffffu);
        atomicAdd(&high_sums[place], value >> 16u);
    }
}

@compute @workgroup_size(256)
fn private(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = (group.y * groups.x + group.x) * parameters.rows_per_workgroup;
    if start >= parameters.rows {
        return;
    }
    for (var place = lane; place < min(parameters.groups * parameters.replicas, PLACES); place += 256u) {
        atomicStore(&counts[place], 0u);
        atomicStore(&low_sums[place], 0u);
        atomicStore(&high_sums[place], 0u);
    }
    workgroupBarrier();
    for (var offset = 0u; offset < parameters.rows_per_workgroup; offset += 1024u) {
        // Four rows are requested before the first is added.
        let row = vec4<u32>(0u, 256u, 512u, 768u) + (start + offset + lane);
        let at = min(row, vec4<u32>(parameters.rows - 1u));
        let code = vec4<u32>(codes[at.x], codes[at.y], codes[at.z], codes[at.w]);
        let value = vec4<u32>(values[at.x], values[at.y], values[at.z], values[at.w]);
        accumulate(row.x, code.x, value.x, lane);
        accumulate(row.y, code.y, value.y, lane);
        accumulate(row.z, code.z, value.z, lane);
        accumulate(row.w, code.w, value.w, lane);
    }
    workgroupBarrier();
    // Every workgroup begins with another group, so that they do not all wait for the same one.
    let rotation = (group.y * groups.x + group.x) * ROTATION;
    for (var nth = lane; nth < parameters.groups; nth += 256u) {
        let code = (nth + rotation) % parameters.groups;
        var count = 0u;
        var low = 0u;
        var high = 0u;
        for (var replica = 0u; replica < parameters.replicas; replica++) {
            let place = code * parameters.replicas + replica;
            count += atomicLoad(&counts[place]);
            low += atomicLoad(&low_sums[place]);
            high += atomicLoad(&high_sums[place]);
        }
        if count != 0u {
            let sum = low + (high << 16u);
            add(code, count, sum, (high >> 16u) + u32(sum < low));
        }
    }
}

@compute @workgroup_size(256)
fn shared_by_all(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if row < parameters.rows {
        let code = codes[row];
        if code < parameters.groups {
            add(code, 1u, values[row], 0u);
        }
    }
}

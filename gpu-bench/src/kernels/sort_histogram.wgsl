// How many keys of each digit a column holds, and where the keys of each digit and column begin.

@group(0) @binding(1) var<storage, read> vectors: array<vec4<u32>>;
// The same buffer: its last words may not fill a vector.
@group(0) @binding(2) var<storage, read> words: array<u32>;
// Counts by digit, then column: the order of the sorted keys.
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

// Four copies: equal digits of neighbouring invocations do not wait for each other.
var<workgroup> bins: array<atomic<u32>, 1024>;

fn count_key(key: u32, copy: u32) {
    atomicAdd(&bins[copy + digit(key)], 1u);
}

@compute @workgroup_size(256)
fn histogram(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let column = group.y * groups.x + group.x;
    if column >= parameters.columns {
        return;
    }
    for (var i = 0u; i < 4u; i++) {
        atomicStore(&bins[i * BINS + thread], 0u);
    }
    workgroupBarrier();
    let copy = (thread & 3u) * BINS;
    let end = end_of_column(column);
    for (var tile = column * parameters.tiles_per_column; tile < end; tile++) {
        for (var i = 0u; i < 4u; i++) {
            let place = tile * TILE + (i * THREADS + thread) * 4u;
            if place + 4u <= parameters.count {
                let keys = vectors[place / 4u];
                count_key(keys.x, copy);
                count_key(keys.y, copy);
                count_key(keys.z, copy);
                count_key(keys.w, copy);
            } else {
                for (var rest = place; rest < parameters.count; rest++) {
                    count_key(words[rest], copy);
                }
            }
        }
    }
    workgroupBarrier();
    var sum = 0u;
    for (var i = 0u; i < 4u; i++) {
        sum += atomicLoad(&bins[i * BINS + thread]);
    }
    counts[thread * parameters.columns + column] = sum;
}

@group(0) @binding(1) var<storage, read_write> rows: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

// At most 2048 columns for the 256 invocations of a workgroup.
const COLUMNS_PER_THREAD = 8u;

// By row of the workgroup: sum of the rows before.
var<workgroup> row_starts: array<u32, 256>;

// Counts become sums over the columns before. Short rows share a workgroup. The sum over the digits before is
// left to the scatter, which needs all 256 of them anyway and so saves a dispatch.
@compute @workgroup_size(256)
fn scan_rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first_bin = (group.y * groups.x + group.x) * (THREADS / parameters.threads_per_row);
    if first_bin >= BINS {
        return;
    }
    let row = thread / parameters.threads_per_row;
    let part = thread % parameters.threads_per_row;
    let first_column = part * COLUMNS_PER_THREAD;
    let first = (first_bin + row) * parameters.columns + first_column;
    var own = 0u;
    for (var i = 0u; i < COLUMNS_PER_THREAD; i++) {
        if first_column + i < parameters.columns {
            own += rows[first + i];
        }
    }
    let before = scan(own, thread).before;
    if part == 0u {
        row_starts[row] = before;
    }
    workgroupBarrier();
    var sum = before - row_starts[row];
    for (var i = 0u; i < COLUMNS_PER_THREAD; i++) {
        if first_column + i < parameters.columns {
            let count = rows[first + i];
            rows[first + i] = sum;
            sum += count;
        }
    }
    if part + 1u == parameters.threads_per_row {
        totals[first_bin + row] = sum;
    }
}

// Adding up over a workgroup of 256 invocations, through workgroup memory alone. `scan_subgroups.wgsl` offers the
// same with subgroup operations. The file that uses this declares `alias Value`, the type that `scan_workgroup` adds.
//
// The values form 16 rows of 16. A lane adds the values before it in its row, then the rows before its own: two
// barriers instead of the eight of a doubling scan, and lanes of a row read the same word, which is a broadcast.
// Between two calls of a function the kernel has a barrier.

struct Invocation {
    @builtin(local_invocation_index) index: u32,
}

struct Scanned {
    // Sum over the lanes before this one.
    before: Value,
    // Sum over all lanes.
    total: Value,
}

// Written in full before anything is read: workgroup memory may hold anything at first.
var<workgroup> lane_values: array<Value, 256>;
var<workgroup> row_totals: array<Value, 16>;
var<workgroup> lane_sums: array<u32, 256>;
var<workgroup> column_sums: array<u32, 16>;

// The place of an invocation among the 256.
fn lane_of(invocation: Invocation) -> u32 {
    return invocation.index;
}

fn scan_workgroup(invocation: Invocation, value: Value) -> Scanned {
    let lane = lane_of(invocation);
    let row = lane / 16u;
    lane_values[lane] = value;
    workgroupBarrier();
    var before = Value();
    for (var place = row * 16u; place < lane; place++) {
        before += lane_values[place];
    }
    if lane % 16u == 15u {
        row_totals[row] = before + value;
    }
    workgroupBarrier();
    var total = Value();
    for (var other = 0u; other < 16u; other++) {
        if other == row {
            before += total;
        }
        total += row_totals[other];
    }
    return Scanned(before, total);
}

// The sum over all lanes; only lane 0 receives it.
fn sum_workgroup(invocation: Invocation, value: u32) -> u32 {
    let lane = lane_of(invocation);
    lane_sums[lane] = value;
    workgroupBarrier();
    if lane < 16u {
        var sum = 0u;
        for (var row = 0u; row < 16u; row++) {
            sum += lane_sums[row * 16u + lane];
        }
        column_sums[lane] = sum;
    }
    workgroupBarrier();
    var sum = 0u;
    if lane == 0u {
        for (var column = 0u; column < 16u; column++) {
            sum += column_sums[column];
        }
    }
    return sum;
}

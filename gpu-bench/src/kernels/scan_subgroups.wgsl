// Adding up over a workgroup of 256 invocations with subgroup operations: one barrier, and nearly no workgroup
// memory. `scan_portable.wgsl` offers the same without them. The file that uses this declares `alias Value`, the type
// that `scan_workgroup` adds.
//
// A subgroup may have 4 to 128 lanes. Nothing guarantees that its lanes are neighbours by `local_invocation_index`, so lanes
// are counted by subgroup and by place in it. The size is counted too: some drivers name a size other than the one
// they run.

struct Invocation {
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) place: u32,
}

struct Scanned {
    // Sum over the lanes before this one.
    before: Value,
    // Sum over all lanes.
    total: Value,
}

// One entry per subgroup, written before any is read: workgroup memory may hold anything at first.
var<workgroup> subgroup_totals: array<Value, 64>;
var<workgroup> subgroup_sums: array<u32, 64>;

fn lanes_per_subgroup() -> u32 {
    return subgroupAdd(1u);
}

// The place of an invocation among the 256.
fn lane_of(invocation: Invocation) -> u32 {
    return invocation.subgroup * lanes_per_subgroup() + invocation.place;
}

fn scan_workgroup(invocation: Invocation, value: Value) -> Scanned {
    let lanes = lanes_per_subgroup();
    var before = subgroupExclusiveAdd(value);
    if invocation.place == lanes - 1u {
        subgroup_totals[invocation.subgroup] = before + value;
    }
    workgroupBarrier();
    let subgroups = 256u / lanes;
    if lanes >= subgroups {
        // Each subgroup adds the totals up again, one per lane.
        let own = select(Value(), subgroup_totals[min(invocation.place, subgroups - 1u)], invocation.place < subgroups);
        let others = subgroupExclusiveAdd(own);
        before += subgroupShuffle(others, invocation.subgroup);
        return Scanned(before, subgroupShuffle(others + own, subgroups - 1u));
    }
    var total = Value();
    for (var other = 0u; other < subgroups; other++) {
        if other == invocation.subgroup {
            before += total;
        }
        total += subgroup_totals[other];
    }
    return Scanned(before, total);
}

// The sum over all lanes; only lane 0 receives it.
fn sum_workgroup(invocation: Invocation, value: u32) -> u32 {
    let lanes = lanes_per_subgroup();
    let sum_of_subgroup = subgroupAdd(value);
    if invocation.place == 0u {
        subgroup_sums[invocation.subgroup] = sum_of_subgroup;
    }
    workgroupBarrier();
    var sum = 0u;
    if lane_of(invocation) == 0u {
        for (var other = 0u; other < 256u / lanes; other++) {
            sum += subgroup_sums[other];
        }
    }
    return sum;
}

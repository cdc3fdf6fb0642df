// Prefix sum over a workgroup of 256 lanes in two steps of 16: three barriers, no subgroups.

// One word of padding after each 16, so that the 16 lanes of the second step meet different banks.
var<workgroup> totals: array<u32, 272>;
var<workgroup> group_totals: array<u32, 16>;

// The sum of what the lanes before this one have. May be called again at once.
fn sum_before(lane: u32, own: u32) -> u32 {
    let place = lane + (lane >> 4u);
    totals[place] = own;
    workgroupBarrier();
    if lane < 16u {
        var running = 0u;
        for (var i = lane * 17u; i < lane * 17u + 16u; i += 1u) {
            let next = running + totals[i];
            totals[i] = running;
            running = next;
        }
        group_totals[lane] = running;
    }
    workgroupBarrier();
    var before = totals[place];
    for (var group = 0u; group < (lane >> 4u); group += 1u) {
        before += group_totals[group];
    }
    workgroupBarrier();
    return before;
}

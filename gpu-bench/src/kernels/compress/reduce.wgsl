// Reductions over a workgroup of 256 lanes in two steps of 16: two barriers instead of eight.

var<workgroup> parts: array<vec2<u32>, 256>;

// Smallest of the first and largest of the second numbers; right in lane 0 only.
fn extremes(lane: u32, low: vec4<u32>, high: vec4<u32>) -> vec2<u32> {
    var found = vec2(min(min(low.x, low.y), min(low.z, low.w)), max(max(high.x, high.y), max(high.z, high.w)));
    parts[lane] = found;
    workgroupBarrier();
    if lane < 16u {
        for (var other = lane + 16u; other < 256u; other += 16u) {
            found = vec2(min(found.x, parts[other].x), max(found.y, parts[other].y));
        }
        parts[lane] = found;
    }
    workgroupBarrier();
    if lane == 0u {
        for (var other = 1u; other < 16u; other += 1u) {
            found = vec2(min(found.x, parts[other].x), max(found.y, parts[other].y));
        }
    }
    return found;
}

// Sum of 64-bit numbers, lower half first.
fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// Sum of 64-bit numbers over the workgroup; right in lane 0 only.
fn total(lane: u32, own: vec2<u32>) -> vec2<u32> {
    parts[lane] = own;
    workgroupBarrier();
    var sum = own;
    if lane < 16u {
        for (var other = lane + 16u; other < 256u; other += 16u) {
            sum = add(sum, parts[other]);
        }
        parts[lane] = sum;
    }
    workgroupBarrier();
    if lane == 0u {
        for (var other = 1u; other < 16u; other += 1u) {
            sum = add(sum, parts[other]);
        }
    }
    return sum;
}

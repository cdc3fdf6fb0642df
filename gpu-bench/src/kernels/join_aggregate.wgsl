// Probes the hash table and adds up what matches: pairs, and their payloads modulo 2^64.
//
// A workgroup probes 4096 rows, each invocation four at a time: the four home buckets are requested before the
// first is looked at, because waiting for them is all that a probe does. A workgroup adds to memory once.

@group(0) @binding(1) var<storage, read_write> result: array<atomic<u32>, 4>;
@group(0) @binding(3) var<storage, read> keys: array<u32>;

const ROUNDS = 4u;

// Of one invocation: pairs, and the two halves of the sum.
var<private> matches: u32;
var<private> sum_low: u32;
var<private> sum_high: u32;

// The same of a workgroup; 4096 rows times 4096 matches each fit 32 bits.
var<workgroup> totals: array<atomic<u32>, 3>;

// Adds a slot if its tag is the one that is looked for.
fn add_if(is_match: bool, payload: u32) {
    if is_match {
        matches += 1u;
        sum_low += payload;
        sum_high += u32(sum_low < payload);
    }
}

// Visits buckets up to one with an empty slot, or up to the last one that may have a row of this key.
fn follow(hashed: u32, first: Bucket) {
    var bucket = first;
    var place = home(hashed);
    var tag = tag_at_home(hashed);
    for (var distance = 0u; distance <= parameters.longest; distance++) {
        let equal = bucket.tags == vec4<u32>(tag);
        add_if(equal.x, bucket.payloads.x);
        add_if(equal.y, bucket.payloads.y);
        add_if(equal.z, bucket.payloads.z);
        add_if(equal.w, bucket.payloads.w);
        if has_empty_slot(bucket) {
            return;
        }
        tag++;
        place = (place + 1u) & parameters.bucket_mask;
        bucket = bucket_at(place);
    }
}

@compute @workgroup_size(256)
fn aggregate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = (group.y * groups.x + group.x) * (1024u * ROUNDS);
    if start >= parameters.rows {
        return;
    }
    if lane < 3u {
        atomicStore(&totals[lane], 0u);
    }
    workgroupBarrier();
    matches = 0u;
    sum_low = 0u;
    sum_high = 0u;
    for (var round = 0u; round < ROUNDS; round++) {
        let row = vec4<u32>(0u, 256u, 512u, 768u) + (start + round * 1024u + lane);
        // Beyond the last row any key will do: `first_bucket` does not look.
        let at = min(row, vec4<u32>(parameters.rows - 1u));
        let hashed = vec4<u32>(hash(keys[at.x]), hash(keys[at.y]), hash(keys[at.z]), hash(keys[at.w]));
        let bucket_x = first_bucket(hashed.x, row.x);
        let bucket_y = first_bucket(hashed.y, row.y);
        let bucket_z = first_bucket(hashed.z, row.z);
        let bucket_w = first_bucket(hashed.w, row.w);
        follow(hashed.x, bucket_x);
        follow(hashed.y, bucket_y);
        follow(hashed.z, bucket_z);
        follow(hashed.w, bucket_w);
    }
    // Whoever makes the lower half wrap carries into the upper one, so every wrap is counted once.
    atomicAdd(&totals[0], matches);
    let before = atomicAdd(&totals[1], sum_low);
    atomicAdd(&totals[2], sum_high + u32(before + sum_low < before));
    workgroupBarrier();
    if lane == 0u {
        let group_matches = atomicLoad(&totals[0]);
        let matches_before = atomicAdd(&result[0], group_matches);
        atomicAdd(&result[1], u32(matches_before + group_matches < matches_before));
        let group_low = atomicLoad(&totals[1]);
        let low_before = atomicAdd(&result[2], group_low);
        atomicAdd(&result[3], atomicLoad(&totals[2]) + u32(low_before + group_low < low_before));
    }
}

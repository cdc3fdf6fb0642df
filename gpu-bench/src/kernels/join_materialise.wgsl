// Probes the hash table and writes a pair for each match: the row that probed, and the payload. Unordered.
//
// A workgroup probes 1024 rows, counts their matches, and takes as much of the output as it needs by one atomic
// addition to memory. Rows take their places one instruction at a time, so that lanes next to each other write
// next to each other without being sorted first. A row keeps its first match; with more it visits the buckets
// again, which are in the cache by then.

@group(0) @binding(1) var<storage, read_write> counters: array<atomic<u32>, 2>;
@group(0) @binding(3) var<storage, read> keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> rows: array<u32>;
@group(0) @binding(5) var<storage, read_write> payloads: array<u32>;

// Matches of a workgroup; 1024 rows times 4096 matches each fit 32 bits.
var<workgroup> found: atomic<u32>;
var<workgroup> first_place: u32;

// Matches of one row: how many, and the payload of the first.
struct Matches {
    count: u32,
    payload: u32,
}

// Visits buckets up to one with an empty slot, or up to the last one that may have a row of this key.
fn follow(hashed: u32, first: Bucket) -> Matches {
    var matches = Matches(0u, 0u);
    var bucket = first;
    var place = home(hashed);
    var tag = tag_at_home(hashed);
    for (var distance = 0u; distance <= parameters.longest; distance++) {
        let equal = bucket.tags == vec4<u32>(tag);
        if any(equal) {
            if matches.count == 0u {
                let behind_x = select(select(bucket.payloads.w, bucket.payloads.z, equal.z), bucket.payloads.y, equal.y);
                matches.payload = select(behind_x, bucket.payloads.x, equal.x);
            }
            let ones = select(vec4<u32>(0u), vec4<u32>(1u), equal);
            matches.count += ones.x + ones.y + ones.z + ones.w;
        }
        if has_empty_slot(bucket) {
            break;
        }
        tag++;
        place = (place + 1u) & parameters.bucket_mask;
        bucket = bucket_at(place);
    }
    return matches;
}

fn write_pair(place: u32, row: u32, payload: u32) {
    if place < parameters.capacity {
        rows[place] = row;
        payloads[place] = payload;
    } else {
        // The count alone would not tell: it may wrap.
        atomicStore(&counters[1], 1u);
    }
}

// Writes a pair if its slot has the tag that is looked for; the place of the next pair.
fn write_pair_if(is_match: bool, place: u32, row: u32, payload: u32) -> u32 {
    if is_match {
        write_pair(place, row, payload);
        return place + 1u;
    }
    return place;
}

// Writes the matches of a row from a place on.
fn write(matches: Matches, start: u32, row: u32, hashed: u32) {
    if matches.count == 1u {
        write_pair(start, row, matches.payload);
    }
    if matches.count < 2u {
        return;
    }
    var place = start;
    let end = start + matches.count;
    for (var distance = 0u; distance <= parameters.longest && place < end; distance++) {
        let bucket = bucket_at((home(hashed) + distance) & parameters.bucket_mask);
        let equal = bucket.tags == vec4<u32>(tag_at_home(hashed) + distance);
        place = write_pair_if(equal.x, place, row, bucket.payloads.x);
        place = write_pair_if(equal.y, place, row, bucket.payloads.y);
        place = write_pair_if(equal.z, place, row, bucket.payloads.z);
        place = write_pair_if(equal.w, place, row, bucket.payloads.w);
    }
}

@compute @workgroup_size(256)
fn materialise(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = (group.y * groups.x + group.x) * 1024u;
    if start >= parameters.rows {
        return;
    }
    if lane == 0u {
        atomicStore(&found, 0u);
    }
    workgroupBarrier();
    // Four home buckets are requested before the first is looked at: waiting for them is all that a probe does.
    let row = vec4<u32>(0u, 256u, 512u, 768u) + (start + lane);
    // Beyond the last row any key will do: `first_bucket` does not look.
    let at = min(row, vec4<u32>(parameters.rows - 1u));
    let hashed = vec4<u32>(hash(keys[at.x]), hash(keys[at.y]), hash(keys[at.z]), hash(keys[at.w]));
    let bucket_x = first_bucket(hashed.x, row.x);
    let bucket_y = first_bucket(hashed.y, row.y);
    let bucket_z = first_bucket(hashed.z, row.z);
    let bucket_w = first_bucket(hashed.w, row.w);
    let matches_x = follow(hashed.x, bucket_x);
    let matches_y = follow(hashed.y, bucket_y);
    let matches_z = follow(hashed.z, bucket_z);
    let matches_w = follow(hashed.w, bucket_w);
    let place_x = atomicAdd(&found, matches_x.count);
    let place_y = atomicAdd(&found, matches_y.count);
    let place_z = atomicAdd(&found, matches_z.count);
    let place_w = atomicAdd(&found, matches_w.count);
    workgroupBarrier();
    if lane == 0u {
        first_place = atomicAdd(&counters[0], atomicLoad(&found));
    }
    workgroupBarrier();
    write(matches_x, first_place + place_x, row.x, hashed.x);
    write(matches_y, first_place + place_y, row.y, hashed.y);
    write(matches_z, first_place + place_z, row.z, hashed.z);
    write(matches_w, first_place + place_w, row.w, hashed.w);
}

// Run-length coding. Which run a value belongs to is the number of borders up to it; a block's 4096 borders are a
// bitmap of 128 words in workgroup memory, so that number is a prefix sum over words plus a count of bits. No
// search, no branch on data, and all writes are coalesced.

@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> decoded: array<vec4<u32>>;
// Entries before each block, and all.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> sizes: array<u32>;
@group(0) @binding(3) var<storage, read> run_values: array<u32>;
@group(0) @binding(3) var<storage, read_write> found_values: array<u32>;
@group(0) @binding(4) var<storage, read> run_ends: array<u32>;
@group(0) @binding(4) var<storage, read_write> found_ends: array<u32>;

// A bit where a run other than the first begins.
var<workgroup> borders: array<atomic<u32>, 128>;
// Borders in the words before.
var<workgroup> before: array<u32, 128>;
// Ends of runs, two to a word.
var<workgroup> ends: array<atomic<u32>, 2048>;

// Whether a run begins at this place, and not at the beginning of a block.
fn is_border(place: u32) -> bool {
    return place < parameters.count && place % 4096u != 0u && values[place] != values[max(place, 1u) - 1u];
}

// Counts the borders before each word of the bitmap; returns all of them in lane 255.
fn count_borders(lane: u32) -> u32 {
    workgroupBarrier();
    var own = 0u;
    if lane < 128u {
        own = countOneBits(atomicLoad(&borders[lane]));
    }
    let earlier = sum_before(lane, own);
    if lane < 128u {
        before[lane] = earlier;
    }
    workgroupBarrier();
    return earlier + own;
}

// Borders up to a place, that one included.
fn runs_before(local: u32) -> u32 {
    let word = local >> 5u;
    return before[word] + countOneBits(atomicLoad(&borders[word]) & ((2u << (local & 31u)) - 1u));
}

// First pass of encoding: entries of a block, an even number.
@compute @workgroup_size(256)
fn measure(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    if block >= parameters.blocks {
        return;
    }
    var own = 0u;
    for (var i = 0u; i < 16u; i += 1u) {
        own += select(0u, 1u, is_border(block * 4096u + i * 256u + lane));
    }
    let earlier = sum_before(lane, own);
    if lane == 255u {
        sizes[block] = (earlier + own + 2u) & ~1u;
    }
}

fn set_end(run: u32, end: u32) {
    atomicOr(&ends[run >> 1u], end << ((run & 1u) * 16u));
}

// Second pass of encoding, after the entries were added up.
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
    if lane < 128u {
        atomicStore(&borders[lane], 0u);
    }
    for (var i = lane; i < 2048u; i += 256u) {
        atomicStore(&ends[i], 0u);
    }
    workgroupBarrier();
    for (var i = 0u; i < 16u; i += 1u) {
        let local = i * 256u + lane;
        if is_border(block * 4096u + local) {
            atomicOr(&borders[local >> 5u], 1u << (local & 31u));
        }
    }
    let all = count_borders(lane);
    let first = offsets[block];
    let length = min(parameters.count - block * 4096u, 4096u);
    for (var i = 0u; i < 16u; i += 1u) {
        let local = i * 256u + lane;
        if local == 0u {
            found_values[first] = values[block * 4096u];
        } else if (atomicLoad(&borders[local >> 5u]) & (1u << (local & 31u))) != 0u {
            let run = runs_before(local);
            found_values[first + run] = values[block * 4096u + local];
            set_end(run - 1u, local);
        }
    }
    if lane == 255u {
        set_end(all, length);
        if all % 2u == 0u {
            found_values[first + all + 1u] = values[block * 4096u + length - 1u];
            set_end(all + 1u, length);
        }
    }
    workgroupBarrier();
    let pairs = min((offsets[block + 1u] - first) / 2u, 2048u);
    for (var i = lane; i < pairs; i += 256u) {
        found_ends[first / 2u + i] = atomicLoad(&ends[i]);
    }
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
    if lane < 128u {
        atomicStore(&borders[lane], 0u);
    }
    workgroupBarrier();
    let first = offsets[block];
    let entries = min(offsets[block + 1u] - first, 4096u);
    for (var i = lane; i < entries / 2u; i += 256u) {
        let pair = run_ends[first / 2u + i];
        set_border(pair & 0xffffu);
        set_border(pair >> 16u);
    }
    _ = count_borders(lane);
    let last = max(entries, 1u) - 1u;
    for (var i = 0u; i < 4u; i += 1u) {
        let local = i * 1024u + lane * 4u;
        let place = block * 4096u + local;
        if place < parameters.count {
            decoded[place / 4u] = vec4(
                run_values[first + min(runs_before(local), last)],
                run_values[first + min(runs_before(local + 1u), last)],
                run_values[first + min(runs_before(local + 2u), last)],
                run_values[first + min(runs_before(local + 3u), last)],
            );
        }
    }
}

// The end of the last run is not within the block.
fn set_border(local: u32) {
    if local < 4096u {
        atomicOr(&borders[local >> 5u], 1u << (local & 31u));
    }
}

// The stable scatter with subgroups of 4 to 128 lanes. A tile is sorted by its 8-bit digit at once: the lanes
// of a subgroup that hold equal digits find each other by eight votes, and count themselves together
// ("warp-level multi-split", Ashkiani et al., "GPU Multisplit", PPoPP 2016). Then it is written: neighbours in
// the tile have the same digit and go to neighbouring places.

@group(0) @binding(4) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(5) var<storage, read> payloads: array<u32>;
@group(0) @binding(6) var<storage, read_write> sorted_payloads: array<u32>;

// Histograms of a tile; each belongs to one subgroup, or to several in a row if there are more than 8. Those
// take turns, which keeps the memory of a workgroup independent of the size of subgroups.
const HISTOGRAMS = 8u;

// Counters while keys are ranked, items while they change places: both at once would halve the workgroups that a
// processor holds.
var<workgroup> memory: array<atomic<u32>, 4096>;

// One entry per subgroup.
var<workgroup> subgroup_totals: array<u32, 64>;

// Position of an invocation. Its number is made of the subgroup's and the lane's: nothing guarantees that
// local_invocation_index numbers lanes in this order. The subgroup and the number of its lanes are no members: votes and
// barriers depend on them, and if one member differs between invocations, WGSL takes none for the same in all.
struct Lane {
    thread: u32,
    below: vec4<u32>,
}

fn lane_of(subgroup: u32, lanes: u32, lane: u32) -> Lane {
    let bits = vec4(lane) - min(vec4(lane), vec4(0u, 32u, 64u, 96u));
    // A shift by 32 is not defined.
    let below = select((vec4(1u) << (bits & vec4(31u))) - 1u, vec4(0xffffffffu), bits >= vec4(32u));
    return Lane(subgroup * lanes + lane, below);
}

fn load_keys4(place: u32, lanes: u32) -> vec4<u32> {
    return vec4(key_at(place), key_at(place + lanes), key_at(place + 2u * lanes), key_at(place + 3u * lanes));
}

// A subgroup has a part of the tile in a row and reads it lane by lane: coalesced, and the order of votes is the
// order of keys. Vectors would be wider, but put four keys in a row on one lane.
fn load_keys(place: u32, lanes: u32) -> Items {
    return Items(
        load_keys4(place, lanes),
        load_keys4(place + 4u * lanes, lanes),
        load_keys4(place + 8u * lanes, lanes),
        load_keys4(place + 12u * lanes, lanes),
    );
}

fn load_payloads4(place: u32, lanes: u32) -> vec4<u32> {
    return vec4(
        payload_at(place),
        payload_at(place + lanes),
        payload_at(place + 2u * lanes),
        payload_at(place + 3u * lanes),
    );
}

fn load_payloads(place: u32, lanes: u32) -> Items {
    return Items(
        load_payloads4(place, lanes),
        load_payloads4(place + 4u * lanes, lanes),
        load_payloads4(place + 8u * lanes, lanes),
        load_payloads4(place + 12u * lanes, lanes),
    );
}

// Lanes that vote as this one does.
fn agreeing(bit: u32) -> vec4<u32> {
    return subgroupBallot(bit != 0u) ^ vec4(bit - 1u);
}

fn ones(mask: vec4<u32>) -> u32 {
    let ones = countOneBits(mask);
    return ones.x + ones.y + ones.z + ones.w;
}

fn lowest(mask: vec4<u32>) -> u32 {
    let ones = firstTrailingBit(mask);
    let upper = select(96u + ones.w, 64u + ones.z, mask.z != 0u);
    return select(select(upper, 32u + ones.y, mask.y != 0u), ones.x, mask.x != 0u);
}

// Counts a key of every lane; how many of the same digit the histogram had before this lane's. The first of
// equal lanes counts for all. The next count of the subgroup comes after the shuffle, which waits for this one.
// Control flow before a vote has no early return: all lanes must be there.
fn count(key: u32, histogram: u32, below: vec4<u32>) -> u32 {
    let own = digit(key);
    // Where subgroups have up to 32 lanes, three of the four words are known to be zero from here on.
    var equal = subgroupBallot(true);
    equal &= agreeing(own & 1u);
    equal &= agreeing((own >> 1u) & 1u);
    equal &= agreeing((own >> 2u) & 1u);
    equal &= agreeing((own >> 3u) & 1u);
    equal &= agreeing((own >> 4u) & 1u);
    equal &= agreeing((own >> 5u) & 1u);
    equal &= agreeing((own >> 6u) & 1u);
    equal &= agreeing((own >> 7u) & 1u);
    let before = ones(equal & below);
    var counted = 0u;
    if before == 0u {
        counted = atomicAdd(&memory[histogram + own], ones(equal));
    }
    return subgroupShuffle(counted, lowest(equal)) + before;
}

fn count4(items: vec4<u32>, histogram: u32, below: vec4<u32>) -> vec4<u32> {
    let x = count(items.x, histogram, below);
    let y = count(items.y, histogram, below);
    let z = count(items.z, histogram, below);
    let w = count(items.w, histogram, below);
    return vec4(x, y, z, w);
}

fn items_before4(items: vec4<u32>, histogram: u32) -> vec4<u32> {
    return vec4(
        atomicLoad(&memory[histogram + digit(items.x)]),
        atomicLoad(&memory[histogram + digit(items.y)]),
        atomicLoad(&memory[histogram + digit(items.z)]),
        atomicLoad(&memory[histogram + digit(items.w)]),
    );
}

// Sum of the values of the threads before.
fn sum_before(value: u32, thread: u32, subgroup: u32, lanes: u32) -> u32 {
    var before = subgroupExclusiveAdd(value);
    if thread % lanes == lanes - 1u {
        subgroup_totals[subgroup] = before + value;
    }
    workgroupBarrier();
    for (var other = 0u; other < THREADS / lanes; other++) {
        before += select(0u, subgroup_totals[other], other < subgroup);
    }
    return before;
}

// The places of keys in the sorted tile. `base` is where the next key of the digit that this thread looks after
// goes; it moves on behind the tile's keys.
fn rank(items: Items, lane: Lane, subgroup: u32, lanes: u32, base: ptr<function, u32>) -> Items {
    let thread = lane.thread;
    for (var i = 0u; i < HISTOGRAMS; i++) {
        atomicStore(&memory[i * BINS + thread], 0u);
    }
    workgroupBarrier();
    let turns = max(THREADS / lanes / HISTOGRAMS, 1u);
    let histogram = subgroup / turns * BINS;
    var own = Items(vec4(0u), vec4(0u), vec4(0u), vec4(0u));
    for (var turn = 0u; turn < turns; turn++) {
        if subgroup % turns == turn {
            own.a = count4(items.a, histogram, lane.below);
            own.b = count4(items.b, histogram, lane.below);
            own.c = count4(items.c, histogram, lane.below);
            own.d = count4(items.d, histogram, lane.below);
        }
        workgroupBarrier();
    }
    var total = 0u;
    for (var i = 0u; i < HISTOGRAMS; i++) {
        total += atomicLoad(&memory[i * BINS + thread]);
    }
    var sum = sum_before(total, thread, subgroup, lanes);
    offsets[thread] = *base - sum;
    *base += total;
    for (var i = 0u; i < HISTOGRAMS; i++) {
        let counted = atomicLoad(&memory[i * BINS + thread]);
        atomicStore(&memory[i * BINS + thread], sum);
        sum += counted;
    }
    workgroupBarrier();
    return Items(
        items_before4(items.a, histogram) + own.a,
        items_before4(items.b, histogram) + own.b,
        items_before4(items.c, histogram) + own.c,
        items_before4(items.d, histogram) + own.d,
    );
}

fn item_at(place: u32) -> u32 {
    return atomicLoad(&memory[place]);
}

fn put4(items: vec4<u32>, places: vec4<u32>) {
    atomicStore(&memory[places.x], items.x);
    atomicStore(&memory[places.y], items.y);
    atomicStore(&memory[places.z], items.z);
    atomicStore(&memory[places.w], items.w);
}

@compute @workgroup_size(256)
fn scatter_keys(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) lanes: u32,
    @builtin(subgroup_invocation_id) lane_in_subgroup: u32,
) {
    let column = group.y * groups.x + group.x;
    if column >= parameters.columns {
        return;
    }
    let lane = lane_of(subgroup, lanes, lane_in_subgroup);
    var base = first_offset(column, lane.thread);
    let end = end_of_column(column);
    for (var tile = column * parameters.tiles_per_column; tile < end; tile++) {
        let valid = min(parameters.count - tile * TILE, TILE);
        let items = load_keys(tile * TILE + subgroup * lanes * 16u + lane_in_subgroup, lanes);
        workgroupBarrier();
        put(items, rank(items, lane, subgroup, lanes, &base));
        write_keys(lane.thread, valid);
    }
}

@compute @workgroup_size(256)
fn scatter_pairs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_size) lanes: u32,
    @builtin(subgroup_invocation_id) lane_in_subgroup: u32,
) {
    let column = group.y * groups.x + group.x;
    if column >= parameters.columns {
        return;
    }
    let lane = lane_of(subgroup, lanes, lane_in_subgroup);
    var base = first_offset(column, lane.thread);
    let end = end_of_column(column);
    for (var tile = column * parameters.tiles_per_column; tile < end; tile++) {
        let valid = min(parameters.count - tile * TILE, TILE);
        let first = tile * TILE + subgroup * lanes * 16u + lane_in_subgroup;
        let items = load_keys(first, lanes);
        let partners = load_payloads(first, lanes);
        workgroupBarrier();
        let places = rank(items, lane, subgroup, lanes, &base);
        put(items, places);
        let targets = write_keys(lane.thread, valid);
        put(partners, places);
        write_payloads(lane.thread, targets, valid);
    }
}

// The stable scatter without subgroups. A tile is sorted by its 8-bit digit in workgroup memory, by two
// splits of 4 bits, and then written: neighbours in the tile have the same digit and go to neighbouring
// places. Two local splits per pass instead of one halve the passes over memory, 12 bytes per key each.

// The same buffer as `keys`.
@group(0) @binding(4) var<storage, read> key_vectors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> sorted_keys: array<u32>;
@group(0) @binding(6) var<storage, read> payloads: array<u32>;
// The same buffer as `payloads`.
@group(0) @binding(7) var<storage, read> payload_vectors: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> sorted_payloads: array<u32>;

// Counters while keys are ranked, items while they change places; both at once would halve the workgroups
// that a processor holds. Every function that writes it begins with a barrier.
var<workgroup> memory: array<u32, 4352>;

fn load_keys4(place: u32) -> vec4<u32> {
    if place + 4u <= parameters.count {
        return key_vectors[place / 4u];
    }
    return vec4(key_at(place), key_at(place + 1u), key_at(place + 2u), key_at(place + 3u));
}

// 16 keys in a row: the order of invocations is the order of keys. What the first vector leaves of a
// cache line the next ones take from the first-level cache.
fn load_keys(place: u32) -> Items {
    return Items(load_keys4(place), load_keys4(place + 4u), load_keys4(place + 8u), load_keys4(place + 12u));
}

fn load_payloads4(place: u32) -> vec4<u32> {
    if place + 4u <= parameters.count {
        return payload_vectors[place / 4u];
    }
    return vec4(payload_at(place), payload_at(place + 1u), payload_at(place + 2u), payload_at(place + 3u));
}

fn load_payloads(place: u32) -> Items {
    return Items(
        load_payloads4(place),
        load_payloads4(place + 4u),
        load_payloads4(place + 8u),
        load_payloads4(place + 12u),
    );
}

// Counters: 8 rows of 256, one column per invocation, so that no other invocation accesses them. A counter is half a
// word; row r has nibble r in the lower half and r + 8 in the upper one. One word of padding in 33 keeps
// the banks apart when an invocation reads eight in a row.
const COUNTER_ROW = 264u;

fn counter(nibble: u32, thread: u32) -> u32 {
    return (nibble & 7u) * COUNTER_ROW + thread + (thread >> 5u);
}

fn half_of(nibble: u32) -> u32 {
    return (nibble & 8u) << 1u;
}

// Counts an item; how many the invocation had counted of the same nibble.
fn count(nibble: u32, thread: u32) -> u32 {
    let place = counter(nibble, thread);
    let half = half_of(nibble);
    let word = memory[place];
    memory[place] = word + (1u << half);
    return (word >> half) & 0xffffu;
}

fn count4(nibbles: vec4<u32>, thread: u32) -> vec4<u32> {
    let x = count(nibbles.x, thread);
    let y = count(nibbles.y, thread);
    let z = count(nibbles.z, thread);
    let w = count(nibbles.w, thread);
    return vec4(x, y, z, w);
}

fn items_before(nibble: u32, thread: u32) -> u32 {
    return (memory[counter(nibble, thread)] >> half_of(nibble)) & 0xffffu;
}

fn items_before4(nibbles: vec4<u32>, thread: u32) -> vec4<u32> {
    return vec4(
        items_before(nibbles.x, thread),
        items_before(nibbles.y, thread),
        items_before(nibbles.z, thread),
        items_before(nibbles.w, thread),
    );
}

fn nibbles4(keys: vec4<u32>, shift: u32) -> vec4<u32> {
    return (keys >> vec4(shift)) & vec4(15u);
}

// The places of keys in the tile stably sorted by four bits (as the counters of CUB's BlockRadixRank do it).
fn rank(items: Items, shift: u32, thread: u32) -> Items {
    let a = nibbles4(items.a, shift);
    let b = nibbles4(items.b, shift);
    let c = nibbles4(items.c, shift);
    let d = nibbles4(items.d, shift);
    workgroupBarrier();
    for (var row = 0u; row < 8u; row++) {
        memory[counter(row, thread)] = 0u;
    }
    let own_a = count4(a, thread);
    let own_b = count4(b, thread);
    let own_c = count4(c, thread);
    let own_d = count4(d, thread);
    workgroupBarrier();
    let first = thread * 8u + (thread >> 2u);
    var own = 0u;
    for (var i = 0u; i < 8u; i++) {
        own += memory[first + i];
    }
    let scanned = scan(own, thread);
    // All keys of the lower nibbles are before those of the upper ones.
    var sum = scanned.before + (scanned.total << 16u);
    for (var i = 0u; i < 8u; i++) {
        let word = memory[first + i];
        memory[first + i] = sum;
        sum += word;
    }
    workgroupBarrier();
    return Items(
        items_before4(a, thread) + own_a,
        items_before4(b, thread) + own_b,
        items_before4(c, thread) + own_c,
        items_before4(d, thread) + own_d,
    );
}

// One word of padding in 17 keeps the banks apart when an invocation reads 16 in a row.
fn padded(place: u32) -> u32 {
    return place + (place >> 4u);
}

fn item_at(place: u32) -> u32 {
    return memory[padded(place)];
}

fn put4(items: vec4<u32>, places: vec4<u32>) {
    memory[padded(places.x)] = items.x;
    memory[padded(places.y)] = items.y;
    memory[padded(places.z)] = items.z;
    memory[padded(places.w)] = items.w;
}

fn take4(first: u32) -> vec4<u32> {
    return vec4(memory[first], memory[first + 1u], memory[first + 2u], memory[first + 3u]);
}

// The 16 items in a row that an invocation has after the exchange.
fn take(thread: u32) -> Items {
    let first = thread * 17u;
    return Items(take4(first), take4(first + 4u), take4(first + 8u), take4(first + 12u));
}

// Whether a run of equal digits begins at a place of the sorted tile.
fn begins_run(place: u32) -> bool {
    return place == 0u || digit(item_at(place)) != digit(item_at(place - 1u));
}

fn open_runs(valid: u32, thread: u32) {
    for (var place = thread; place < valid; place += THREADS) {
        if begins_run(place) {
            offsets[digit(item_at(place))] -= place;
        }
    }
    workgroupBarrier();
}

// Offsets become where the next tile's keys go.
fn close_runs(valid: u32, thread: u32) {
    workgroupBarrier();
    for (var place = thread; place < valid; place += THREADS) {
        if place > 0u && begins_run(place) {
            offsets[digit(item_at(place - 1u))] += place;
        }
        if place + 1u == valid {
            offsets[digit(item_at(place))] += valid;
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(256)
fn scatter_keys(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let column = group.y * groups.x + group.x;
    if column >= parameters.columns {
        return;
    }
    offsets[thread] = first_offset(column, thread);
    let end = end_of_column(column);
    for (var tile = column * parameters.tiles_per_column; tile < end; tile++) {
        let valid = min(parameters.count - tile * TILE, TILE);
        var items = load_keys(tile * TILE + thread * 16u);
        put(items, rank(items, parameters.shift, thread));
        items = take(thread);
        put(items, rank(items, parameters.shift + 4u, thread));
        open_runs(valid, thread);
        write_keys(thread, valid);
        if tile + 1u < end {
            close_runs(valid, thread);
        }
    }
}

@compute @workgroup_size(256)
fn scatter_pairs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let column = group.y * groups.x + group.x;
    if column >= parameters.columns {
        return;
    }
    offsets[thread] = first_offset(column, thread);
    let end = end_of_column(column);
    for (var tile = column * parameters.tiles_per_column; tile < end; tile++) {
        let valid = min(parameters.count - tile * TILE, TILE);
        var items = load_keys(tile * TILE + thread * 16u);
        var partners = load_payloads(tile * TILE + thread * 16u);
        var places = rank(items, parameters.shift, thread);
        put(items, places);
        items = take(thread);
        put(partners, places);
        partners = take(thread);
        places = rank(items, parameters.shift + 4u, thread);
        put(items, places);
        open_runs(valid, thread);
        let targets = write_keys(thread, valid);
        if tile + 1u < end {
            close_runs(valid, thread);
        }
        put(partners, places);
        write_payloads(thread, targets, valid);
    }
}

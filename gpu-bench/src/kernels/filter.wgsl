// Filter: the words below a bound, closed up. `count` and `scatter` keep the order of the words, with a scan of the
// tiles' counts between them; `reset` and `append` read once and leave the order of the tiles open.
//
// What tiles of 4096 words keep is closed up in workgroup memory first, so that neighbouring lanes also write
// neighbouring words. That takes 16 KiB and a little more, which every desktop GPU has.

struct Parameters {
    words: u32,
    // The last vector that holds a word; 0 if there is none.
    last: u32,
    bound: u32,
    // Consecutive tiles of one workgroup of `append`.
    tiles_per_workgroup: u32,
}

// How many words each of the four rows of a tile keeps: rows 0 and 1 in x, 2 and 3 in y, 16 bits each. A row has
// 1024 words, so sums over a tile fit.
alias Value = vec2<u32>;

@group(0) @binding(0) var<uniform> parameters: Parameters;

// `count`: the words that each tile keeps.
@group(0) @binding(2) var<storage, read_write> tile_counts: array<u32>;

// `scatter` and `append`: the result, and its number of words.
@group(0) @binding(2) var<storage, read_write> kept: array<u32>;
@group(0) @binding(3) var<storage, read_write> kept_count: u32;
@group(0) @binding(3) var<storage, read_write> appended: atomic<u32>;

// `scatter`: where the words of each tile begin.
@group(0) @binding(4) var<storage, read> offsets: array<u32>;

// `reset`: the counter.
@group(0) @binding(0) var<storage, read_write> counter: u32;

// Stands for places beyond the end: a word of all ones is never below a bound.
const NEVER_KEPT = 0xffffffffu;

// The words that are kept; only what was written is read.
const CLOSED_UP = 4096u;
var<workgroup> closed_up: array<u32, CLOSED_UP>;
var<workgroup> base: u32;

fn count_kept(words: vec4<u32>) -> u32 {
    let ones = select(vec4<u32>(), vec4<u32>(1u), words < vec4<u32>(parameters.bound));
    return ones.x + ones.y + ones.z + ones.w;
}

fn count_rows(words: Words) -> Value {
    return vec2<u32>(
        count_kept(words.a) | (count_kept(words.b) << 16u),
        count_kept(words.c) | (count_kept(words.d) << 16u),
    );
}

// The number of words that a tile keeps.
fn total_kept(counts: Value) -> u32 {
    return (counts.x & 0xffffu) + (counts.x >> 16u) + (counts.y & 0xffffu) + (counts.y >> 16u);
}

// Writes a word if it is kept; the place of the next one.
fn close_up_word(word: u32, place: u32) -> u32 {
    if word < parameters.bound {
        closed_up[place] = word;
        return place + 1u;
    }
    return place;
}

// Writes the words that are kept from `first` on.
fn close_up(words: vec4<u32>, first: u32) {
    let second = close_up_word(words.x, first);
    let third = close_up_word(words.y, second);
    let fourth = close_up_word(words.z, third);
    close_up_word(words.w, fourth);
}

// The words that a tile keeps, from `start` on.
fn close_up_rows(words: Words, counts: Scanned, start: u32) {
    let before = counts.before;
    let total = counts.total;
    let row_1 = start + (total.x & 0xffffu);
    let row_2 = row_1 + (total.x >> 16u);
    let row_3 = row_2 + (total.y & 0xffffu);
    close_up(words.a, start + (before.x & 0xffffu));
    close_up(words.b, row_1 + (before.x >> 16u));
    close_up(words.c, row_2 + (before.y & 0xffffu));
    close_up(words.d, row_3 + (before.y >> 16u));
}

// Places are counted from a multiple of 32, so that a subgroup writes whole lines of the cache. At most 17 rounds.
fn write_out(lane: u32, start: u32, count: u32) {
    let skipped = start % 32u;
    for (var place = lane; place < skipped + count; place += 256u) {
        if place >= skipped {
            kept[start - skipped + place] = closed_up[place - skipped];
        }
    }
}

@compute @workgroup_size(256)
fn count(group: Group, invocation: Invocation) {
    let tile = tile_of(group);
    let lane = lane_of(invocation);
    let words = load_words(tile, lane, NEVER_KEPT);
    let total = sum_workgroup(invocation, total_kept(count_rows(words)));
    if lane == 0u && tile <= last_tile() {
        tile_counts[tile] = total;
    }
}

@compute @workgroup_size(256)
fn scatter(group: Group, invocation: Invocation) {
    // From the last tile to the first: what `count` read last may still be in the cache.
    let place = tile_of(group);
    let tile = select(place, last_tile() - place, place <= last_tile());
    let lane = lane_of(invocation);
    let words = load_words(tile, lane, NEVER_KEPT);
    let start = offsets[min(tile, last_tile())];
    let counts = scan_workgroup(invocation, count_rows(words));
    let total = total_kept(counts.total);
    close_up_rows(words, counts, 0u);
    if lane == 0u && tile == last_tile() {
        kept_count = start + total;
    }
    workgroupBarrier();
    write_out(lane, start, total);
}

@compute @workgroup_size(1)
fn reset() {
    counter = 0u;
}

// Writes the first words that are closed up, in a place that one atomic operation reserves. All invocations of a workgroup
// call it, also for no words, because of its barriers.
fn flush(lane: u32, words: u32) {
    if lane == 0u && words > 0u {
        base = atomicAdd(&appended, words);
    }
    workgroupBarrier();
    if words > 0u {
        write_out(lane, base, words);
    }
    workgroupBarrier();
}

// Consecutive tiles of a workgroup are closed up together until the next one might not fit: if few words are kept, few
// atomic operations wait for each other. The next tile is loaded before this one is looked at. Barriers depend on the
// number of tiles alone: sums come from workgroup memory, which WGSL does not take for the same in all invocations.
@compute @workgroup_size(256)
fn append(group: Group, invocation: Invocation) {
    let lane = lane_of(invocation);
    let first = tile_of(group) * parameters.tiles_per_workgroup;
    let end = min(first + parameters.tiles_per_workgroup, last_tile() + 1u);
    var next = load_words(first, lane, NEVER_KEPT);
    var filled = 0u;
    for (var tile = first; tile < end; tile++) {
        let words = next;
        if tile + 1u < end {
            next = load_words(tile + 1u, lane, NEVER_KEPT);
        }
        let counts = scan_workgroup(invocation, count_rows(words));
        let total = total_kept(counts.total);
        let flushed = select(0u, filled, filled + total > CLOSED_UP);
        flush(lane, flushed);
        filled -= flushed;
        close_up_rows(words, counts, filled);
        filled += total;
    }
    flush(lane, filled);
}

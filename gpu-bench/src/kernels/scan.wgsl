// Reduce-then-scan: `reduce` adds up each tile of 4096 words, the sums are scanned, `scan` reads the tiles again and
// writes the sums before each word. No workgroup waits for another one.
//
// An invocation reads four vectors that lie 1024 words apart, so that neighbouring lanes read neighbouring vectors.
// One scan over vectors of four sums, one per row of 1024 words, then serves all 16 words of an invocation.

struct Parameters {
    words: u32,
    // The last vector that holds a word; 0 if there is none.
    last: u32,
}

alias Value = vec4<u32>;

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> source: array<vec4<u32>>;

// `reduce`: the sum of each tile.
@group(0) @binding(2) var<storage, read_write> tile_sums: array<u32>;

// `scan`: what comes before each tile, and the result.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec4<u32>>;

// Vectors in a row of a tile; a tile has four rows.
const ROW = 256u;
const TILE = 1024u;

fn last_tile() -> u32 {
    return parameters.last / TILE;
}

// Dispatches over two dimensions may run a few workgroups more than there are tiles; theirs lie beyond the end.
fn tile_of(invocation: Invocation) -> u32 {
    return invocation.group.y * invocation.groups.x + invocation.group.x;
}

fn inside(vector: u32) -> vec4<bool> {
    return vector * 4u + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(parameters.words);
}

// Words beyond the end count as 0. There is no branch, so that the four loads of an invocation are under way at once.
fn load(vector: u32) -> vec4<u32> {
    return select(vec4<u32>(), source[min(vector, parameters.last)], inside(vector));
}

// Words beyond the end stay as they are; one invocation alone has the last vector.
fn store(vector: u32, value: vec4<u32>) {
    let within = inside(vector);
    if within.w {
        sums[vector] = value;
    } else if within.x {
        sums[vector] = select(sums[vector], value, within);
    }
}

fn sum(vector: vec4<u32>) -> u32 {
    return vector.x + vector.y + vector.z + vector.w;
}

// What comes before each of the four words.
fn exclusive(vector: vec4<u32>, before: u32) -> vec4<u32> {
    let second = before + vector.x;
    let third = second + vector.y;
    return vec4<u32>(before, second, third, third + vector.z);
}

@compute @workgroup_size(256)
fn reduce(invocation: Invocation) {
    let tile = tile_of(invocation);
    let lane = lane_of(invocation);
    let first = tile * TILE + lane;
    let a = load(first);
    let b = load(first + ROW);
    let c = load(first + 2u * ROW);
    let d = load(first + 3u * ROW);
    let total = sum_workgroup(invocation, sum(a + b + c + d));
    if lane == 0u && tile <= last_tile() {
        tile_sums[tile] = total;
    }
}

@compute @workgroup_size(256)
fn scan(invocation: Invocation) {
    // From the last tile to the first: what `reduce` read last may still be in the cache.
    let place = tile_of(invocation);
    let tile = select(place, last_tile() - place, place <= last_tile());
    let first = tile * TILE + lane_of(invocation);
    let a = load(first);
    let b = load(first + ROW);
    let c = load(first + 2u * ROW);
    let d = load(first + 3u * ROW);
    let offset = offsets[min(tile, last_tile())];
    let scanned = scan_workgroup(invocation, vec4<u32>(sum(a), sum(b), sum(c), sum(d)));
    let rows = exclusive(scanned.total, offset) + scanned.before;
    store(first, exclusive(a, rows.x));
    store(first + ROW, exclusive(b, rows.y));
    store(first + 2u * ROW, exclusive(c, rows.z));
    store(first + 3u * ROW, exclusive(d, rows.w));
}

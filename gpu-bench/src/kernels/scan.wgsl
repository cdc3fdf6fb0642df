// Reduce-then-scan: `reduce` adds up each tile of 4096 words, the sums are scanned, `scan` reads the tiles again and
// writes the sums before each word. No workgroup waits for another one.
//
// The 16 words of an invocation lie in four rows of 1024 words (`tile.wgsl`). One scan over vectors of four sums, one
// per row, serves all of them.

struct Parameters {
    words: u32,
    // The last vector that holds a word; 0 if there is none.
    last: u32,
}

alias Value = vec4<u32>;

@group(0) @binding(0) var<uniform> parameters: Parameters;

// `reduce`: the sum of each tile.
@group(0) @binding(2) var<storage, read_write> tile_sums: array<u32>;

// `scan`: what comes before each tile, and the result.
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<vec4<u32>>;

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
fn reduce(group: Group, invocation: Invocation) {
    let tile = tile_of(group);
    let lane = lane_of(invocation);
    let words = load_words(tile, lane, 0u);
    let total = sum_workgroup(invocation, sum(words.a + words.b + words.c + words.d));
    if lane == 0u && tile <= last_tile() {
        tile_sums[tile] = total;
    }
}

@compute @workgroup_size(256)
fn scan(group: Group, invocation: Invocation) {
    // From the last tile to the first: what `reduce` read last may still be in the cache.
    let place = tile_of(group);
    let tile = select(place, last_tile() - place, place <= last_tile());
    let lane = lane_of(invocation);
    let words = load_words(tile, lane, 0u);
    let offset = offsets[min(tile, last_tile())];
    let scanned = scan_workgroup(invocation, vec4<u32>(sum(words.a), sum(words.b), sum(words.c), sum(words.d)));
    let rows = exclusive(scanned.total, offset) + scanned.before;
    let first = tile * TILE + lane;
    store(first, exclusive(words.a, rows.x));
    store(first + ROW, exclusive(words.b, rows.y));
    store(first + 2u * ROW, exclusive(words.c, rows.z));
    store(first + 3u * ROW, exclusive(words.d, rows.w));
}

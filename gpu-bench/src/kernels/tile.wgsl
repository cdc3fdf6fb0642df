// How the workgroups of scan and filter read their input: a tile of 4096 words each, 16 words per invocation. The file
// that uses this declares the uniform `parameters` with `words`, the length, and `last`, the last vector that holds a
// word (0 if there is none).
//
// An invocation reads four vectors that lie 1024 words apart, so that neighbouring lanes read neighbouring vectors.

@group(0) @binding(1) var<storage, read> source: array<vec4<u32>>;

// Vectors in a row of a tile; a tile has four rows.
const ROW = 256u;
const TILE = 1024u;

// The 16 words of an invocation.
struct Words {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

fn last_tile() -> u32 {
    return parameters.last / TILE;
}

// Which workgroup this is, and how many there are: the same for all invocations of a workgroup. Apart from `Invocation`,
// because WGSL takes no member of a parameter for uniform if another one differs between invocations.
struct Group {
    @builtin(workgroup_id) place: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
}

// Dispatches over two dimensions may run a few workgroups more than there are tiles; theirs lie beyond the end.
fn tile_of(group: Group) -> u32 {
    return group.place.y * group.groups.x + group.place.x;
}

fn inside(vector: u32) -> vec4<bool> {
    return vector * 4u + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(parameters.words);
}

// There is no branch, so that the four loads of an invocation are under way at once.
fn load(vector: u32, beyond: u32) -> vec4<u32> {
    return select(vec4<u32>(beyond), source[min(vector, parameters.last)], inside(vector));
}

// The words of an invocation; `beyond` replaces those beyond the end. Tiles before the last one do not reach it.
fn load_words(tile: u32, lane: u32, beyond: u32) -> Words {
    let first = tile * TILE + lane;
    if tile < last_tile() {
        return Words(source[first], source[first + ROW], source[first + 2u * ROW], source[first + 3u * ROW]);
    }
    return Words(
        load(first, beyond),
        load(first + ROW, beyond),
        load(first + 2u * ROW, beyond),
        load(first + 3u * ROW, beyond),
    );
}

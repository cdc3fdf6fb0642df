// Columns to compress: the words of `cpu/compress/data.rs` at the same places, one entry point per kind.

struct Parameters {
    count: u32,
    // The seed, already mixed.
    stream: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

fn at(place: u32) -> u32 {
    return mix(place + parameters.stream);
}

fn write(place: u32, word: u32) {
    if place < parameters.count {
        words[place] = word;
    }
}

fn letter(letters: u32, index: u32) -> u32 {
    let five = (letters >> (5u * index)) & 31u;
    return select(0x20u, 0x61u + five, five < 26u);
}

@compute @workgroup_size(256)
fn narrow(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    write(place, at(place) >> 20u);
}

@compute @workgroup_size(256)
fn timestamps(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    write(place, 0x5f000000u + place * 8u + (at(place) >> 29u));
}

@compute @workgroup_size(256)
fn runs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    let cell = place / 64u;
    let border = at(cell) >> 26u;
    let run = cell + select(0u, 1u, place % 64u >= border);
    write(place, mix(mix(run) >> 24u));
}

@compute @workgroup_size(256)
fn random(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    write(place, at(place));
}

@compute @workgroup_size(256)
fn text(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    let choice = at(place / 4u);
    let phrase = ((choice & 0xffu) * ((choice >> 8u) & 0xffu)) >> 8u;
    let word = at(place);
    let letters = select(mix(phrase * 4u + place % 4u), word, word >> 30u == 0u);
    write(place, letter(letters, 0u) | (letter(letters, 1u) << 8u) | (letter(letters, 2u) << 16u)
        | (letter(letters, 3u) << 24u));
}

// The stream of `generator.rs`: the same words at the same places.

struct Parameters {
    count: u32,
    // The seed, already mixed.
    stream: u32,
    // Numbers below this; 0: all words.
    bound: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

fn mix(word: u32) -> u32 {
    var x = word;
    x ^= x >> 16u;
    x *= 0x7feb352du;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}

// The upper half of a 64-bit product, by 16-bit halves.
fn multiply_high(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle_a = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let middle_b = (a & 0xffffu) * (b >> 16u) + (middle_a & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (middle_a >> 16u) + (middle_b >> 16u);
}

@compute @workgroup_size(256)
fn generate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    if place >= parameters.count {
        return;
    }
    let word = mix(place + parameters.stream);
    words[place] = select(multiply_high(word, parameters.bound), word, parameters.bound == 0u);
}

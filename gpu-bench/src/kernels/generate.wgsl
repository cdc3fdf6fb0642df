// The stream of crossover-harness (`generator.rs`): the same words at the same places.

struct Parameters {
    count: u32,
    // The seed, already mixed.
    stream: u32,
    // Numbers below this; 0: all words.
    bound: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

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

// Reads all over a table, each of which has the position of the next one: a chain for each invocation. Appended to
// `generator.wgsl`.

struct Parameters {
    chains: u32,
    // Reads of a chain.
    steps: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
// What is added up, and where to go on; as many as a power of two.
@group(0) @binding(2) var<storage, read> table: array<vec2<u32>>;

@compute @workgroup_size(256)
fn walk(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let chain = (group.y * groups.x + group.x) * 256u + lane;
    if chain >= parameters.chains {
        return;
    }
    let last = arrayLength(&table) - 1u;
    var at = mix(chain) & last;
    var sum = 0u;
    for (var step = 0u; step < parameters.steps; step += 1u) {
        let word = table[at];
        sum += word.x >> 8u;
        at = (word.y + step) & last;
    }
    sums[chain] = sum;
}

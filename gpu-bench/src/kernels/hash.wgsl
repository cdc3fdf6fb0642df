// Words mixed again and again in registers: how fast the GPU computes with whole numbers where memory does not matter. Stands
// behind `generator.wgsl`.

struct Parameters {
    // Invocations.
    rows: u32,
    // Times that each chain is mixed.
    rounds: u32,
    // Added before each mixing.
    addend: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> words: array<u32>;

@compute @workgroup_size(256)
fn hash(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if row >= parameters.rows {
        return;
    }
    // Chains that do not depend on each other hide the latency of an operation.
    var a = row * 4u;
    var b = a + 1u;
    var c = a + 2u;
    var d = a + 3u;
    for (var round = 0u; round < parameters.rounds; round += 1u) {
        a = mix(a + parameters.addend);
        b = mix(b + parameters.addend);
        c = mix(c + parameters.addend);
        d = mix(d + parameters.addend);
    }
    words[row] = a ^ b ^ c ^ d;
}

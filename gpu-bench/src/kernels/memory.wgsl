// Streaming through memory, four words at a time.

struct Parameters {
    // Vectors of four words.
    vectors: u32,
    value: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> to: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> source: array<vec4<u32>>;

const STRIDE = 256u;
const PER_INVOCATION = 4u;

fn first(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return (group.y * groups.x + group.x) * (STRIDE * PER_INVOCATION) + lane;
}

@compute @workgroup_size(256)
fn copy(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = first(group, groups, lane);
    for (var i = 0u; i < PER_INVOCATION; i++) {
        let place = start + i * STRIDE;
        if place < parameters.vectors {
            to[place] = source[place];
        }
    }
}

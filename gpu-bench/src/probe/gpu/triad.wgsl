// Sum of one vector and three times another.

struct Parameters {
    scale: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> sum: array<f32>;
@group(0) @binding(2) var<storage, read> one: array<f32>;
@group(0) @binding(3) var<storage, read> other: array<f32>;

const COUNT: u32 = 4194304u;

@compute @workgroup_size(256)
fn triad(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    if place < COUNT {
        sum[place] = parameters.scale * one[place] + 3.0 * parameters.scale * other[place];
    }
}

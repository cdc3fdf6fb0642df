// Two sines and a cosine of each angle.

struct Parameters {
    scale: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> mixed: array<f32>;
@group(0) @binding(2) var<storage, read> angles: array<f32>;

const COUNT: u32 = 1048576u;

@compute @workgroup_size(256)
fn sines(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let place = (group.y * groups.x + group.x) * 256u + lane;
    if place < COUNT {
        mixed[place] = parameters.scale * (2.0 * sin(angles[place]) + cos(angles[place]));
    }
}

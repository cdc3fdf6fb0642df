// Convolution of images of 16 channels with filters of 3 × 3 points: a point of the result for each invocation.

struct Parameters {
    scale: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> results: array<f32>;
@group(0) @binding(2) var<storage, read> images: array<f32>;
@group(0) @binding(3) var<storage, read> filters: array<f32>;

const IMAGES: u32 = 32u;
const CHANNELS: u32 = 16u;
const SIDE: u32 = 64u;
const PADDED: u32 = 66u;

@compute @workgroup_size(256)
fn convolve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let point = (group.y * groups.x + group.x) * 256u + lane;
    if point >= IMAGES * CHANNELS * SIDE * SIDE {
        return;
    }
    let x = point % SIDE;
    let y = point / SIDE % SIDE;
    let plane = point / (SIDE * SIDE);
    var image = plane / CHANNELS * CHANNELS * PADDED * PADDED + y * PADDED + x;
    var filter_place = plane % CHANNELS * CHANNELS * 9u;
    var sum = 0.0;
    for (var channel = 0u; channel < CHANNELS; channel += 1u) {
        for (var dy = 0u; dy < 3u; dy += 1u) {
            for (var dx = 0u; dx < 3u; dx += 1u) {
                sum += filters[filter_place + dy * 3u + dx] * images[image + dy * PADDED + dx];
            }
        }
        image += PADDED * PADDED;
        filter_place += 9u;
    }
    results[point] = parameters.scale * sum;
}

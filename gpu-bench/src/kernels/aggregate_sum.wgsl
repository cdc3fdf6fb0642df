// Adds up words modulo 2^64.
//
// A workgroup reads 16 384 words, each invocation 16 vectors, four of them requested at once. It adds the lower
// and upper 16 bits of words apart: both sums of a workgroup fit 32 bits, so nothing carries until the end,
// where a workgroup adds to memory once.

struct Parameters {
    // Whole vectors of four words.
    vectors: u32,
    words: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> total: array<atomic<u32>, 4>;
@group(0) @binding(2) var<storage, read> vectors: array<vec4<u32>>;
// The same buffer: words behind the last whole vector.
@group(0) @binding(3) var<storage, read> words: array<u32>;

const ROUNDS = 4u;

var<workgroup> low_sum: atomic<u32>;
var<workgroup> high_sum: atomic<u32>;

fn vector(place: u32) -> vec4<u32> {
    if place < parameters.vectors {
        return vectors[place];
    }
    return vec4<u32>(0u);
}

@compute @workgroup_size(256)
fn sum(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    if lane == 0u {
        atomicStore(&low_sum, 0u);
        atomicStore(&high_sum, 0u);
    }
    workgroupBarrier();
    var low = vec4<u32>(0u);
    var high = vec4<u32>(0u);
    for (var round = 0u; round < ROUNDS; round++) {
        let place = (index * ROUNDS + round) * 1024u + lane;
        let a = vector(place);
        let b = vector(place + 256u);
        let c = vector(place + 512u);
        let d = vector(place + 768u);
        low += (a & vec4<u32>(0xffffu)) + (b & vec4<u32>(0xffffu)) + (c & vec4<u32>(0xffffu)) + (d & vec4<u32>(0xffffu));
        high += (a >> vec4<u32>(16u)) + (b >> vec4<u32>(16u)) + (c >> vec4<u32>(16u)) + (d >> vec4<u32>(16u));
    }
    let rest = parameters.vectors * 4u + lane;
    if index == 0u && rest < parameters.words {
        low.x += words[rest] & 0xffffu;
        high.x += words[rest] >> 16u;
    }
    atomicAdd(&low_sum, low.x + low.y + low.z + low.w);
    atomicAdd(&high_sum, high.x + high.y + high.z + high.w);
    workgroupBarrier();
    if lane == 0u {
        let upper = atomicLoad(&high_sum);
        let lower = atomicLoad(&low_sum);
        let group_low = lower + (upper << 16u);
        let group_high = (upper >> 16u) + u32(group_low < lower);
        // Whoever makes the lower half wrap carries into the upper one, so every wrap is counted once.
        let before = atomicAdd(&total[0], group_low);
        atomicAdd(&total[1], group_high + u32(before + group_low < before));
    }
}

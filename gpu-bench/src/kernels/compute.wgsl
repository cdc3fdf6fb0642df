// Multiply-adds on values in registers: how fast the GPU computes where memory does not matter.
//
// Two vectors make eight chains that do not depend on each other, enough to hide the latency of an operation together with
// the other invocations of a processor. Factor and addend come from outside, so that no compiler can work out the result.
// All values are whole and far below 2^24: exact, whether or not the hardware rounds in between.

struct Parameters {
    // Invocations.
    rows: u32,
    // Rounds of eight multiply-adds for each chain.
    rounds: u32,
    // 1.0, as bits.
    factor: u32,
    // 1.0, as bits.
    addend: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(256)
fn multiply_add(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if row >= parameters.rows {
        return;
    }
    let f = vec4<f32>(bitcast<f32>(parameters.factor));
    let c = vec4<f32>(bitcast<f32>(parameters.addend));
    var a = vec4<f32>(0.0, 1.0, 2.0, 3.0) + f32(row % 1024u);
    var b = a + 4.0;
    for (var round = 0u; round < parameters.rounds; round += 1u) {
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
        a = fma(a, f, c);
        b = fma(b, f, c);
    }
    let sum = a + b;
    sums[row] = u32(sum.x + sum.y + sum.z + sum.w);
}

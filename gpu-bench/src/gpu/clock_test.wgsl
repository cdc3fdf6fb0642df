// Arithmetic that takes a while, for timing the same work by two clocks.

@group(0) @binding(0) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(256)
fn spin(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x;
    for (var i = 0u; i < 4096u; i++) {
        x = x * 1664525u + 1013904223u;
    }
    if id.x < arrayLength(&result) {
        result[id.x] = x;
    }
}

// Counts its own launches. The addition is not atomic: it comes out right only if each dispatch sees what
// the one before it wrote, as batches of programs rely on.

@group(0) @binding(0) var<storage, read_write> counter: array<u32>;

@compute @workgroup_size(1)
fn count() {
    counter[0] += 1u;
}

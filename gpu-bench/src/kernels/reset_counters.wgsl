// Sets the first four words of a buffer, counters or sums, to 0: each repetition begins with it.

@group(0) @binding(0) var<storage, read_write> counters: array<u32>;

@compute @workgroup_size(4)
fn reset_counters(@builtin(local_invocation_index) lane: u32) {
    counters[lane] = 0u;
}

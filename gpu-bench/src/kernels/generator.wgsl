// The counter-based generator of crossover-harness (`generator.rs`), prepended to every source that makes words or places of its own.

fn mix(word: u32) -> u32 {
    var x = word;
    x ^= x >> 16u;
    x *= 0x7feb352du;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}

// The upper half of a 64-bit product, by 16-bit halves.
fn multiply_high(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let middle_a = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let middle_b = (a & 0xffffu) * (b >> 16u) + (middle_a & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (middle_a >> 16u) + (middle_b >> 16u);
}


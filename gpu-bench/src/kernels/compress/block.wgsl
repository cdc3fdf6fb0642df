// What the kernels of all codecs share: a workgroup of 256 lanes works on a block of 4096 values, which is
// 1024 vectors of four.

struct Parameters {
    // Values of the column.
    count: u32,
    // Blocks of the column.
    blocks: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;

// Which values of a vector are not beyond the end of the column.
fn inside(place: u32) -> vec4<bool> {
    return vec4(place * 4u) + vec4(0u, 1u, 2u, 3u) < vec4(parameters.count);
}

// Foreign keys of a join, the same as `ForeignKeys` of `zipf.rs` computes: which rows match, and whom.

struct Parameters {
    count: u32,
    build_rows: u32,
    // Rows whose word is below this match, after a shift to 31 bits: so that 2^31 means all.
    matching: u32,
    // Bounds between the ranks of Zipf's law; 0: all ranks are equally frequent.
    thresholds: u32,
    // Seeds, already mixed: of the keys, of the choice who matches, of the choice whom.
    keys_stream: u32,
    matching_stream: u32,
    ranks_stream: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> thresholds: array<u32>;
@group(0) @binding(2) var<storage, read_write> keys: array<u32>;

// How many thresholds are not above the word.
fn rank(word: u32) -> u32 {
    if parameters.thresholds == 0u {
        return multiply_high(word, parameters.build_rows);
    }
    var first = 0u;
    var last = parameters.thresholds;
    for (var step = 0u; step < 32u && first < last; step++) {
        let middle = first + (last - first) / 2u;
        if thresholds[middle] <= word {
            first = middle + 1u;
        } else {
            last = middle;
        }
    }
    return first;
}

@compute @workgroup_size(256)
fn foreign_keys(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if row >= parameters.count {
        return;
    }
    let matches = (mix(row + parameters.matching_stream) >> 1u) < parameters.matching;
    var place = parameters.build_rows + row;
    if matches {
        place = rank(mix(row + parameters.ranks_stream));
    }
    keys[row] = mix(place + parameters.keys_stream);
}

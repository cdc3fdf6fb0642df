// Random reads from a table, added up. The places are those of `Generator::below`, computed here: a stream
// of indices would cost bandwidth of its own.

struct Parameters {
    // How many words are read.
    accesses: u32,
    // The seed of the places, already mixed.
    stream: u32,
    // Words of the table.
    table: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
// One sum per invocation; it costs less than 1 % of the sectors that it is the sum of.
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<u32>;

const STRIDE = 256u;
// Reads of a workgroup: 8 in flight per invocation, none waiting for another, twice.
const IN_FLIGHT = 8u * STRIDE;
const READ = 2u * IN_FLIGHT;

fn fetch(access: u32) -> u32 {
    return table[multiply_high(mix(access + parameters.stream), parameters.table)];
}

@compute @workgroup_size(256)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    let tile = index * READ;
    if tile >= parameters.accesses {
        return;
    }
    var sum = 0u;
    if tile + READ <= parameters.accesses {
        for (var start = tile + lane; start < tile + READ; start += IN_FLIGHT) {
            sum += fetch(start) + fetch(start + STRIDE) + fetch(start + 2u * STRIDE) + fetch(start + 3u * STRIDE)
                + fetch(start + 4u * STRIDE) + fetch(start + 5u * STRIDE) + fetch(start + 6u * STRIDE)
                + fetch(start + 7u * STRIDE);
        }
    } else {
        for (var access = tile + lane; access < parameters.accesses; access += STRIDE) {
            sum += fetch(access);
        }
    }
    sums[index * STRIDE + lane] = sum;
}

// Product of a sparse matrix in compressed rows and a vector: a row for each invocation.

struct Parameters {
    scale: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
// Where the entries of a row begin; one more than there are rows.
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> columns: array<u32>;
@group(0) @binding(4) var<storage, read> entries: array<f32>;
@group(0) @binding(5) var<storage, read> vector: array<f32>;

const ROWS: u32 = 262144u;

@compute @workgroup_size(256)
fn product(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if row >= ROWS {
        return;
    }
    var sum = 0.0;
    let end = starts[row + 1u];
    for (var place = starts[row]; place < end; place += 1u) {
        sum += entries[place] * vector[columns[place]];
    }
    sums[row] = parameters.scale * sum;
}

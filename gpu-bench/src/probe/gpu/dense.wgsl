// Product of two square matrices of 768 rows, column by column: a workgroup makes a tile of 64 × 64, an invocation 4 × 4 of it.

struct Parameters {
    scale: f32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> product_of_both: array<f32>;
@group(0) @binding(2) var<storage, read> left: array<f32>;
@group(0) @binding(3) var<storage, read> right: array<f32>;

const SIDE: u32 = 768u;
const TILE: u32 = 64u;
const DEPTH: u32 = 16u;

// By depth, then by row or column. All of them are written before they are read.
var<workgroup> left_tile: array<f32, 1024>;
var<workgroup> right_tile: array<f32, 1024>;

@compute @workgroup_size(256)
fn product(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = group.y * groups.x + group.x;
    if tile >= (SIDE / TILE) * (SIDE / TILE) {
        return;
    }
    let first_row = tile % (SIDE / TILE) * TILE;
    let first_column = tile / (SIDE / TILE) * TILE;
    let row = lane % 16u * 4u;
    let column = lane / 16u * 4u;
    var sum_0 = vec4<f32>();
    var sum_1 = vec4<f32>();
    var sum_2 = vec4<f32>();
    var sum_3 = vec4<f32>();
    for (var depth = 0u; depth < SIDE; depth += DEPTH) {
        for (var part = 0u; part < 4u; part += 1u) {
            let place = part * 256u + lane;
            left_tile[place] = left[(depth + place / TILE) * SIDE + first_row + place % TILE];
            right_tile[place % DEPTH * TILE + place / DEPTH] =
                right[(first_column + place / DEPTH) * SIDE + depth + place % DEPTH];
        }
        workgroupBarrier();
        for (var k = 0u; k < DEPTH; k += 1u) {
            let a = k * TILE + row;
            let b = k * TILE + column;
            let l = vec4<f32>(left_tile[a], left_tile[a + 1u], left_tile[a + 2u], left_tile[a + 3u]);
            sum_0 += l * right_tile[b];
            sum_1 += l * right_tile[b + 1u];
            sum_2 += l * right_tile[b + 2u];
            sum_3 += l * right_tile[b + 3u];
        }
        workgroupBarrier();
    }
    write(first_row + row, first_column + column, sum_0);
    write(first_row + row, first_column + column + 1u, sum_1);
    write(first_row + row, first_column + column + 2u, sum_2);
    write(first_row + row, first_column + column + 3u, sum_3);
}

fn write(row: u32, column: u32, sum: vec4<f32>) {
    let place = column * SIDE + row;
    let scaled = parameters.scale * sum;
    product_of_both[place] = scaled.x;
    product_of_both[place + 1u] = scaled.y;
    product_of_both[place + 2u] = scaled.z;
    product_of_both[place + 3u] = scaled.w;
}

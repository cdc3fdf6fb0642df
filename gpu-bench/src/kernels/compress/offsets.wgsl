// Where blocks of different sizes begin: the prefix sum of the sizes, in one dispatch. A workgroup scans a tile of
// 4096 sizes and adds up all tiles before it on its own. That is quadratic in the tiles, but a tile of sizes covers
// 64 MiB of values: 16 tiles at 1 GiB, of which the last workgroup reads 240 KiB.

@group(0) @binding(1) var<storage, read> sizes: array<u32>;
// One more than blocks: the end.
@group(0) @binding(2) var<storage, read_write> offsets: array<u32>;

var<workgroup> base: u32;

@compute @workgroup_size(256)
fn scan(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let tile = (group.y * groups.x + group.x) * 4096u;
    if tile > parameters.blocks {
        return;
    }
    var earlier = 0u;
    for (var i = lane; i < tile; i += 256u) {
        earlier += sizes[i];
    }
    let earlier_before = sum_before(lane, earlier);
    if lane == 255u {
        base = earlier_before + earlier;
    }
    workgroupBarrier();
    let first = tile + lane * 16u;
    let end = min(first + 16u, parameters.blocks);
    var own = 0u;
    for (var i = first; i < end; i += 1u) {
        own += sizes[i];
    }
    var running = base + sum_before(lane, own);
    for (var i = first; i < min(first + 16u, parameters.blocks + 1u); i += 1u) {
        offsets[i] = running;
        if i < parameters.blocks {
            running += sizes[i];
        }
    }
}

// Probes the hash table and writes a pair for each match: the row that probed, and the payload. Unordered.
//
// A workgroup probes 1024 rows and collects their pairs in workgroup memory, takes as much of the output as it
// needs by one atomic addition, and writes pairs side by side. Where rows match more than once, the pairs that
// do not fit the collection go straight to memory.

@group(0) @binding(1) var<storage, read_write> counters: array<atomic<u32>, 2>;
@group(0) @binding(2) var<storage, read> slots: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> rows: array<u32>;
@group(0) @binding(5) var<storage, read_write> payloads: array<u32>;

const COLLECTED = 1024u;

var<workgroup> collected: atomic<u32>;
var<workgroup> collected_rows: array<u32, COLLECTED>;
var<workgroup> collected_payloads: array<u32, COLLECTED>;
var<workgroup> first_place: u32;

fn write(place: u32, row: u32, payload: u32) {
    if place < parameters.capacity {
        rows[place] = row;
        payloads[place] = payload;
    } else {
        // The count alone would not tell: it may wrap.
        atomicStore(&counters[1], 1u);
    }
}

fn keep(row: u32, payload: u32) {
    let place = atomicAdd(&collected, 1u);
    if place < COLLECTED {
        collected_rows[place] = row;
        collected_payloads[place] = payload;
    } else {
        write(atomicAdd(&counters[0], 1u), row, payload);
    }
}

// The first slot of a row; an empty one beyond the last row.
fn first_slot(hashed: u32, row: u32) -> vec2<u32> {
    if row >= parameters.rows {
        return vec2<u32>(0u);
    }
    return slots[home(hashed)];
}

// Visits slots up to an empty one, or up to where no row of this key can stand.
fn follow(hashed: u32, first: vec2<u32>, row: u32) {
    var slot = first;
    var place = home(hashed);
    var tag = tag_at_home(hashed);
    for (var distance = 0u; distance <= parameters.longest; distance++) {
        if slot.x == 0u {
            return;
        }
        if slot.x == tag {
            keep(row, slot.y);
        }
        tag++;
        place = (place + 1u) & parameters.slot_mask;
        slot = slots[place];
    }
}

@compute @workgroup_size(256)
fn materialise(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let start = (group.y * groups.x + group.x) * 1024u;
    if start >= parameters.rows {
        return;
    }
    if lane == 0u {
        atomicStore(&collected, 0u);
    }
    workgroupBarrier();
    // Four first slots are requested before the first is looked at: waiting for them is all that a probe does.
    let row = vec4<u32>(0u, 256u, 512u, 768u) + (start + lane);
    // Beyond the last row any key will do: `first_slot` does not look.
    let at = min(row, vec4<u32>(parameters.rows - 1u));
    let hashed = vec4<u32>(hash(keys[at.x]), hash(keys[at.y]), hash(keys[at.z]), hash(keys[at.w]));
    let slot_x = first_slot(hashed.x, row.x);
    let slot_y = first_slot(hashed.y, row.y);
    let slot_z = first_slot(hashed.z, row.z);
    let slot_w = first_slot(hashed.w, row.w);
    follow(hashed.x, slot_x, row.x);
    follow(hashed.y, slot_y, row.y);
    follow(hashed.z, slot_z, row.z);
    follow(hashed.w, slot_w, row.w);
    workgroupBarrier();
    let count = min(atomicLoad(&collected), COLLECTED);
    if lane == 0u {
        first_place = atomicAdd(&counters[0], count);
    }
    workgroupBarrier();
    for (var i = lane; i < count; i += 256u) {
        write(first_place + i, collected_rows[i], collected_payloads[i]);
    }
}

// Builds the hash table: `clear` empties it, `build` inserts one row per invocation.
//
// Rows are never compared with each other, so equal keys take a slot each and nothing is read that another
// invocation writes except tags. Payloads are read by later dispatches only.

struct Slot {
    tag: atomic<u32>,
    payload: u32,
}

@group(0) @binding(1) var<storage, read_write> status: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> cleared: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> slots: array<Slot>;
@group(0) @binding(3) var<storage, read> keys: array<u32>;
@group(0) @binding(4) var<storage, read> payloads: array<u32>;

// Vectors of two slots that an invocation clears. Whole vectors: writing the tags alone would be as many sectors.
const PER_INVOCATION = 4u;

// After so many slots one is read before it is claimed: in a long run most slots are taken, and reads of
// one address are served together where exchanges queue up.
const CROWDED = 16u;

// Exchanges that may fail although the slot is empty, before the row counts as not inserted.
const SPURIOUS = 64u;

@compute @workgroup_size(256)
fn clear(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group.y * groups.x + group.x;
    let vectors = (parameters.bucket_mask + 1u) * (BUCKET / 2u);
    for (var i = 0u; i < PER_INVOCATION; i++) {
        let place = (index * PER_INVOCATION + i) * 256u + lane;
        if place < vectors {
            cleared[place] = vec4<u32>(0u);
        }
    }
    if index == 0u && lane == 0u {
        atomicStore(&status, 0u);
    }
}

@compute @workgroup_size(256)
fn build(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row = (group.y * groups.x + group.x) * 256u + lane;
    if row >= parameters.rows {
        return;
    }
    let hashed = hash(keys[row]);
    let payload = payloads[row];
    // Rows of a bucket begin with different slots, so that few want the same one.
    let start = hashed >> 30u;
    var tried = 0u;
    for (var step = 0u; step < (parameters.longest + 1u) * BUCKET + SPURIOUS; step++) {
        let distance = tried / BUCKET;
        if distance > parameters.longest {
            break;
        }
        let place = ((home(hashed) + distance) & parameters.bucket_mask) * BUCKET + (start + tried) % BUCKET;
        var seen = 0u;
        if tried >= CROWDED {
            seen = atomicLoad(&slots[place].tag);
            // Once a row has failed the table is useless; the others need not fail one after the other.
            if tried % 64u == CROWDED && atomicLoad(&status) != 0u {
                return;
            }
        }
        if seen == 0u {
            let claim = atomicCompareExchangeWeak(&slots[place].tag, 0u, tag_at_home(hashed) + distance);
            if claim.exchanged {
                slots[place].payload = payload;
                return;
            }
            // Still 0 if the exchange failed for no reason: the same slot is tried again.
            seen = claim.old_value;
        }
        if seen != 0u {
            tried++;
        }
    }
    atomicStore(&status, 1u);
}

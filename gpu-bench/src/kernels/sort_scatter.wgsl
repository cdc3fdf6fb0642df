// What both forms of the scatter share: items, the exchange through workgroup memory, and writing a sorted tile. The
// form that is appended declares the other buffers, and `put4` and `item_at`, which write and read its workgroup memory.

@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read> totals: array<u32>;
@group(0) @binding(3) var<storage, read> keys: array<u32>;

// By digit: where the tile's first key of it goes, less that key's place in the tile.
var<workgroup> offsets: array<u32, 256>;

// The 16 items of an invocation. By name and not by index, so that they are in registers.
struct Items {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

fn key_at(place: u32) -> u32 {
    var key = PAD;
    if place < parameters.count {
        key = keys[place];
    }
    return key;
}

fn payload_at(place: u32) -> u32 {
    var payload = 0u;
    if place < parameters.count {
        payload = payloads[place];
    }
    return payload;
}

// Items to their places in workgroup memory.
fn put(items: Items, places: Items) {
    workgroupBarrier();
    put4(items.a, places.a);
    put4(items.b, places.b);
    put4(items.c, places.c);
    put4(items.d, places.d);
    workgroupBarrier();
}

// Writes the key at a place of the sorted tile; where to.
fn write_key(place: u32, valid: u32) -> u32 {
    var target_place = 0u;
    if place < valid {
        let key = item_at(place);
        target_place = offsets[digit(key)] + place;
        sorted_keys[target_place] = key;
    }
    return target_place;
}

fn write_keys4(place: u32, valid: u32) -> vec4<u32> {
    let x = write_key(place, valid);
    let y = write_key(place + THREADS, valid);
    let z = write_key(place + 2u * THREADS, valid);
    let w = write_key(place + 3u * THREADS, valid);
    return vec4(x, y, z, w);
}

fn write_keys(thread: u32, valid: u32) -> Items {
    let a = write_keys4(thread, valid);
    let b = write_keys4(thread + 4u * THREADS, valid);
    let c = write_keys4(thread + 8u * THREADS, valid);
    let d = write_keys4(thread + 12u * THREADS, valid);
    return Items(a, b, c, d);
}

fn write_payload(place: u32, target_place: u32, valid: u32) {
    if place < valid {
        sorted_payloads[target_place] = item_at(place);
    }
}

fn write_payloads4(place: u32, targets: vec4<u32>, valid: u32) {
    write_payload(place, targets.x, valid);
    write_payload(place + THREADS, targets.y, valid);
    write_payload(place + 2u * THREADS, targets.z, valid);
    write_payload(place + 3u * THREADS, targets.w, valid);
}

fn write_payloads(thread: u32, targets: Items, valid: u32) {
    write_payloads4(thread, targets.a, valid);
    write_payloads4(thread + 4u * THREADS, targets.b, valid);
    write_payloads4(thread + 8u * THREADS, targets.c, valid);
    write_payloads4(thread + 12u * THREADS, targets.d, valid);
}

fn first_offset(column: u32, thread: u32) -> u32 {
    return scan(totals[thread], thread).before + rows[thread * parameters.columns + column];
}


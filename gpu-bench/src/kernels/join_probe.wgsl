// How both probes look at the hash table: a bucket at a time.

// Two slots each: tag, payload, tag, payload.
@group(0) @binding(2) var<storage, read> slots: array<vec4<u32>>;

struct Bucket {
    tags: vec4<u32>,
    payloads: vec4<u32>,
}

fn bucket_at(place: u32) -> Bucket {
    let a = slots[place * 2u];
    let b = slots[place * 2u + 1u];
    return Bucket(vec4<u32>(a.x, a.z, b.x, b.z), vec4<u32>(a.y, a.w, b.y, b.w));
}

// The home bucket of a row; an empty one beyond the last row.
fn first_bucket(hashed: u32, row: u32) -> Bucket {
    if row >= parameters.rows {
        return Bucket(vec4<u32>(0u), vec4<u32>(0u));
    }
    return bucket_at(home(hashed));
}

fn has_empty_slot(bucket: Bucket) -> bool {
    return any(bucket.tags == vec4<u32>(0u));
}

// The hash table of the join: shared by building and probing, prepended to both sources.
//
// Slots of 8 bytes, tag and payload side by side, in buckets of four: 32 bytes, which is what memory delivers at least.
// A row takes an empty slot of its home bucket, or of the next bucket that has one. So a search ends at the first bucket
// with an empty slot, which is the home bucket of most keys.
//
// A tag is 0 in an empty slot. Otherwise its upper bits are those of the key's hash, and its lower bits, which follow
// from the home bucket, hold the distance from home plus 1, in buckets. Hashing is a bijection, so tag and bucket
// together are the key: all 2^32 keys are valid, none is reserved, and occupancy costs no memory (quotienting; Knuth,
// The Art of Computer Programming 3, exercise 6.4-13).

struct Parameters {
    // Rows of the input that is inserted or probed.
    rows: u32,
    // Buckets - 1; buckets are a power of two.
    bucket_mask: u32,
    // Largest distance of a row from its home bucket; less than bucket_mask.
    longest: u32,
    // Pairs that fit the output.
    capacity: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;

// Slots of a bucket.
const BUCKET = 4u;

// The finaliser of MurmurHash3 (Appleby 2011), a bijection; not the one that makes the benchmarks' keys.
fn hash(key: u32) -> u32 {
    var x = key;
    x ^= x >> 16u;
    x *= 0x85ebca6bu;
    x ^= x >> 13u;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16u);
}

// The bucket where the search begins.
fn home(hashed: u32) -> u32 {
    return hashed & parameters.bucket_mask;
}

// The tag of this hash in its home bucket; one more for each bucket after it.
fn tag_at_home(hashed: u32) -> u32 {
    return (hashed & ~parameters.bucket_mask) + 1u;
}

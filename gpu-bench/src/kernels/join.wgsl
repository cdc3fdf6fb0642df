// The hash table of the join: shared by building and probing, prepended to both sources.
//
// Linear probing over slots of 8 bytes, tag and payload side by side: a probe that ends near its home touches
// one 32-byte sector. A tag is 0 in an empty slot. Otherwise its upper bits are those of the key's hash, and
// its lower bits, which follow from the home slot, hold the distance from home plus 1.
// Hashing is a bijection, so tag and place together are the key: all 2^32 keys are valid, none is reserved,
// and occupancy costs no memory (quotienting; Knuth, The Art of Computer Programming 3, exercise 6.4-13).

struct Parameters {
    // Rows of the input that is inserted or probed.
    rows: u32,
    // Slots - 1; slots are a power of two.
    slot_mask: u32,
    // Largest distance of a row from its home slot; less than slot_mask.
    longest: u32,
    // Pairs that fit the output.
    capacity: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;

// The finaliser of MurmurHash3 (Appleby 2011), a bijection; not the one that makes the benchmarks' keys.
fn hash(key: u32) -> u32 {
    var x = key;
    x ^= x >> 16u;
    x *= 0x85ebca6bu;
    x ^= x >> 13u;
    x *= 0xc2b2ae35u;
    return x ^ (x >> 16u);
}

// The slot where the search begins.
fn home(hashed: u32) -> u32 {
    return hashed & parameters.slot_mask;
}

// The tag of this hash in its home slot; one more for each slot after it.
fn tag_at_home(hashed: u32) -> u32 {
    return (hashed & ~parameters.slot_mask) + 1u;
}

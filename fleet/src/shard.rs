//! Which of several machines reads a log: a function of its path only.

use crossover_tools::Shard;
use sha2::{Digest as _, Sha256};

/// Whether a shard reads the log with this key; `None` reads all.
#[must_use]
pub fn reads(shard: Option<Shard>, key: &str) -> bool {
    shard.is_none_or(|shard| place(shard.of(), key) == shard.place())
}

/// The shard, counted from 1, of `of` shards that reads the log with this key.
#[must_use]
pub fn place(of: usize, key: &str) -> usize {
    let digest = Sha256::digest(key.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    // Less than `of`.
    usize::try_from(number % of.max(1) as u64).unwrap_or(0) + 1
}

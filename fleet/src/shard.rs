//! Which of several machines reads a log: it follows from its path alone.

use crossover_model::tools::Shard;
use sha2::{Digest as _, Sha256};

/// Whether a shard reads the log with this key; `None` reads all.
#[must_use]
pub fn reads(shard: Option<Shard>, key: &str) -> bool {
    let Some(shard) = shard else { return true };
    let digest = Sha256::digest(key.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    number % shard.of() as u64 == shard.place() as u64 - 1
}

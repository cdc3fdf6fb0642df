//! Files as every part of Crossover reads and writes them: read up to a size, whatever the directory says of it; replaced in
//! one step, so that a crash or a full disk loses nothing.

pub mod atomic;
pub mod digest;
pub mod read;

//! Files as every part of Crossover reads and writes them: read up to a size, whatever the directory says of it; replaced in
//! one step, so that a crash or a full disk loses nothing; and the programs that a file names, which only the user allows, and
//! which end with their own children; and command lines, as a shell or a person reads them.

pub mod atomic;
pub mod digest;
pub mod extension;
pub mod process;
pub mod process_group;
pub mod programs;
pub mod read;
pub mod shell;

//! Codecs on the CPU.

//! Codecs on the GPU.

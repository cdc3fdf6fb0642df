//! Prefix sums on the GPU.

//! Sums, and group-by on the GPU.

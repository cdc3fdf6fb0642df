//! Radix sort on the GPU.

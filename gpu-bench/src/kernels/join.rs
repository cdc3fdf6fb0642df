//! Hash join on the GPU.

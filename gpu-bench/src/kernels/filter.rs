//! Filter on the GPU.

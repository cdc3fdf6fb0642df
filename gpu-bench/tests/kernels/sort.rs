//! Sort: kernels against their twins.

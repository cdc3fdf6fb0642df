//! Compress: kernels against their twins.

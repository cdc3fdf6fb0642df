//! Scan: kernels against their twins.

//! Filter: kernels against their twins.

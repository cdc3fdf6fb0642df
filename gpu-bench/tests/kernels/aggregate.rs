//! Aggregate: kernels against their twins.

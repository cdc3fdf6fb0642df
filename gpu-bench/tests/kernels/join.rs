//! Join: kernels against their twins.

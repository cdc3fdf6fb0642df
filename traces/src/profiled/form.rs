//! Which profiler wrote a file.

/// Format of a profile of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileFormat {
    /// `nvprof --csv`, with `--print-gpu-trace` or `--metrics`.
    Nvprof,
    /// `ncu --csv`, page `raw`: a line for each launch.
    NsightRaw,
    /// `ncu --csv`, page `details`: a line for each metric.
    NsightDetails,
    /// `nsys stats --format csv`, the reports `cuda_gpu_trace` and `cuda_gpu_kern_sum`.
    Nsys,
    /// Orion's table of launches.
    Orion,
    /// Counters of Rodinia's kernels on several GPUs.
    Rodinia,
    /// A plain table of kernels.
    Plain,
}

impl ProfileFormat {
    /// Name of the profiler, for a sentence.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Nvprof => "nvprof",
            Self::NsightRaw => "Nsight Compute (raw page)",
            Self::NsightDetails => "Nsight Compute (details page)",
            Self::Nsys => "Nsight Systems",
            Self::Orion => "Orion",
            Self::Rodinia => "Rodinia's counters",
            Self::Plain => "a table of kernels",
        }
    }
}

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
    /// `nsys stats --format csv`: launches, or sums of kernels.
    Nsys,
    /// `rocprof` and `rocprofv3`: launches, or sums of kernels.
    Rocprof,
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
            Self::Rocprof => "rocprof",
            Self::Orion => "Orion",
            Self::Rodinia => "Rodinia's counters",
            Self::Plain => "a table of kernels",
        }
    }

    /// What to add to profiles that have no launches, for a sentence; `None` for formats that always have them.
    pub(super) fn advice(self) -> Option<&'static str> {
        let command = match self {
            Self::Nvprof => {
                "the profile has metrics and no launches, so threads, blocks and times are missing; add the output of \
                 `nvprof --csv --print-gpu-trace` of the same program as another file"
            }
            Self::Nsys => {
                "the profile has sums and no launches, so threads and blocks are missing; import the output of \
                 `nsys stats --report cuda_gpu_trace --format csv` of the same recording instead"
            }
            Self::Rocprof => {
                "the profile has sums and no launches, so threads and blocks are missing; import the output of \
                 `rocprofv3 --kernel-trace --output-format csv` instead"
            }
            Self::NsightRaw | Self::NsightDetails | Self::Orion | Self::Rodinia | Self::Plain => return None,
        };
        Some(command)
    }
}

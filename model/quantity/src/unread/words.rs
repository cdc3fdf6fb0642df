//! What a name suggests by its words.

/// Beginnings of words that suggest an accelerator, in small letters.
const BEGINNINGS: &[&str] = &[
    "gpu",
    "vgpu",
    "cuda",
    "nvidia",
    "rocm",
    "rocr",
    "gaudi",
    "habana",
    "ascend",
    "npu",
    "tpu",
    "mlu",
    "dcu",
    "gcu",
    "xpu",
    "neuron",
    "accelerator",
    "mps",
    "vram",
    "mig",
];

/// Words that suggest an accelerator if nothing follows them, in small letters: kinds, and interfaces whose environment variables choose
/// devices, such as `HIP_VISIBLE_DEVICES` (AMD), `ZE_AFFINITY_MASK` and `ONEAPI_DEVICE_SELECTOR` (Intel), `MUSA_VISIBLE_DEVICES`.
const WHOLE: &[&str] = &["fpga", "hip", "hpu", "ipu", "maca", "musa", "oneapi", "qaic", "sycl", "ze"];

/// Parts of words that speak of a time, in small letters.
const OF_TIME: [&str; 5] = ["duration", "elapsed", "latency", "seconds", "walltime"];
/// Words that speak of a time, in small letters.
const TIMES: [&str; 8] = ["time", "timing", "timings", "sec", "secs", "ms", "us", "ns"];

/// Whether a name suggests an accelerator: by its words, so that "input" is no NPU.
#[must_use]
pub fn suggests_accelerator(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let is_one = BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
        let is_named = is_one && !word.starts_with("migrat") || WHOLE.contains(&word);
        is_named || word.ends_with("gpu") || word.ends_with("gpus")
    })
}

/// Whether a name suggests how long something took: by its words, also those of `camelCase`; a "timestamp" does not.
#[must_use]
pub fn suggests_time(name: &str) -> bool {
    words(name).iter().any(|word| {
        let ends = word.ends_with("time") && word != "lifetime";
        ends || TIMES.contains(&word.as_str()) || OF_TIME.iter().any(|part| word.contains(part))
    })
}

/// The words of a name in small letters: `GpuTimeNs` has three of them, as `gpu_time_ns` has.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_after_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && is_after_small {
            words.push(String::new());
        }
        is_after_small = !letter.is_uppercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_decide_what_speaks_of_accelerators() {
        for name in ["nvidia.com/gpu.count", "example.com/vGPU", "furiosa.ai/npu", "CUDA_VISIBLE_DEVICES", "qgpu-core"]
        {
            assert!(suggests_accelerator(name), "{name}");
        }
        for name in ["HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "ONEAPI_DEVICE_SELECTOR", "example.com/fpga-u250"] {
            assert!(suggests_accelerator(name), "{name}");
        }
        for name in ["input", "example.com/output", "topology.kubernetes.io/zone", "migration", "disk", "hipaa", "size"]
        {
            assert!(!suggests_accelerator(name), "{name}");
        }
    }

    #[test]
    fn words_decide_what_speaks_of_time() {
        for name in [
            "time to build hash map",
            "I/O Read Time",
            "gpu_time",
            "TotalDurationNs",
            "Elapsed time",
            "GPUTime",
            "wait (ms)",
            "queue_seconds",
            "runtime",
            "commit_latency",
        ] {
            assert!(suggests_time(name), "{name}");
        }
        for name in [
            "timestamp",
            "timeout",
            "column_lifetime",
            "number of output rows",
            "columns",
            "Grid X",
            "sentiment",
            "items",
            "",
        ] {
            assert!(!suggests_time(name), "{name}");
        }
    }
}

//! The annotations by which a pod, or what starts it, learns its GPUs and its share of them.
//!
//! The API server copies the annotations of a `Binding` to the pod in the same step in which it sets the node
//! (`BindingREST.setPodNodeAndMetadata`, `pkg/registry/core/pod/storage/storage.go`).

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::ValueEnum;
use crossover_allocation::{THOUSANDTH, WHOLE};

use super::decision::Decision;

/// The annotation by which GPUs are read again, see `crossover_traces::manifest`.
const GPU_INDEX: &str = "alibabacloud.com/gpu-index";

/// For whom annotations are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotationStyle {
    /// Annotations that a pod reads as environment variables of CUDA and MPS
    Crossover,
    /// Annotations for the device plugin of `HAMi`
    Hami,
    /// Annotations for the services of KAI that count GPUs
    Kai,
}

/// The annotations of a decision at a time.
///
/// # Errors
/// What the style needs is not known of the node or the pod: in one line.
pub(super) fn annotations(
    decision: &Decision,
    policy: &str,
    style: AnnotationStyle,
    now: SystemTime,
) -> Result<BTreeMap<String, String>, String> {
    let mut all = BTreeMap::from([("crossover/policy".to_owned(), policy.to_owned())]);
    if decision.gpus.is_empty() {
        return Ok(all);
    }
    let indices: Vec<String> = decision.gpus.iter().map(ToString::to_string).collect();
    all.insert(GPU_INDEX.to_owned(), indices.join("-"));
    let of_style = match style {
        AnnotationStyle::Crossover => variables(decision, &indices),
        AnnotationStyle::Hami => of_hami(decision, now)?,
        AnnotationStyle::Kai => of_kai(decision),
    };
    all.extend(of_style.into_iter().map(|(key, value)| (key.to_owned(), value)));
    Ok(all)
}

/// Whole percents of a GPU, rounded down, so that all shares of a GPU together are not more than it.
fn percent(share: u16) -> u32 {
    (u32::from(share) * 100 / u32::from(WHOLE)).max(1)
}

/// Values of variables of CUDA and MPS. The environment of a pod cannot change after it was created, but annotations can until its
/// containers start. So the pod reads them by the downward API
/// (`fieldRef: metadata.annotations['crossover/cuda-visible-devices']`).
fn variables(decision: &Decision, indices: &[String]) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("crossover/cuda-visible-devices", indices.join(",")),
        ("crossover/cuda-mps-active-thread-percentage", percent(decision.share).to_string()),
    ];
    if let Some(memory) = decision.memory_mib {
        // Ordinals are those of the visible devices (MPS, 4.2.7).
        let limits: Vec<String> = (0..decision.gpus.len()).map(|ordinal| format!("{ordinal}={memory}M")).collect();
        all.push(("crossover/cuda-mps-pinned-device-mem-limit", limits.join(",")));
    }
    all
}

/// What the scheduler of `HAMi` writes and its device plugin reads. The plugin takes the pod that is `allocating` on its node
/// (`GetPendingPod`, `pkg/util/util.go`; keys: `pkg/util/types.go` and `pkg/device/nvidia/device.go`; form of the GPUs:
/// `EncodePodSingleDevice`, `pkg/device/devices.go`; <https://github.com/Project-HAMi/HAMi>).
///
/// # Errors
/// The GPUs have no identifiers or no known memory, or not one container alone requests them. Versions of `HAMi` count init
/// containers differently.
fn of_hami(decision: &Decision, now: SystemTime) -> Result<Vec<(&'static str, String)>, String> {
    let node = &decision.node;
    let unknown = || {
        format!(
            "--annotations hami: node {node} has no annotation hami.io/node-nvidia-register for its GPUs; run HAMi’s device plugin there"
        )
    };
    let memory = decision.memory_mib.ok_or_else(unknown)?;
    if decision.gpu_identifiers.len() != decision.gpus.len() {
        return Err(unknown());
    }
    if decision.containers_with_gpus.iter().filter(|has_gpus| **has_gpus).count() != 1 {
        return Err(format!(
            "--annotations hami: pod {}: expected one container that requests nvidia.com/gpu, and no init container",
            decision.pod
        ));
    }
    let percent = percent(decision.share);
    let of_gpu = |identifier: &String| format!("{identifier},NVIDIA,{memory},{percent}:");
    let gpus: String = decision.gpu_identifiers.iter().map(of_gpu).collect();
    let of_container = |has_gpus: &bool| if *has_gpus { format!("{gpus};") } else { ";".to_owned() };
    let devices: String = decision.containers_with_gpus.iter().map(of_container).collect();
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
    Ok(vec![
        ("hami.io/vgpu-node", node.clone()),
        ("hami.io/vgpu-time", seconds.clone()),
        ("hami.io/bind-time", seconds),
        ("hami.io/bind-phase", "allocating".to_owned()),
        ("hami.io/vgpu-devices-to-allocate", devices.clone()),
        ("hami.io/vgpu-devices-allocated", devices),
    ])
}

/// What KAI reads of a pod: its share of each GPU, their number, and that it received it (`pkg/common/constants/constants.go` and
/// `pkg/binder/binding/binder.go`; <https://github.com/NVIDIA/KAI-Scheduler>). Which GPU it is, KAI knows from the label
/// `runai-gpu-group` alone, which a binding cannot set.
fn of_kai(decision: &Decision) -> Vec<(&'static str, String)> {
    if decision.share >= WHOLE {
        return vec![("received-resource-type", "Regular".to_owned())];
    }
    let thousandths = (decision.share / THOUSANDTH).max(1);
    let fraction = format!("{:.3}", f64::from(thousandths) / 1_000.0);
    let mut all = vec![
        ("received-resource-type", "Fraction".to_owned()),
        ("gpu-fraction", fraction.trim_end_matches('0').to_owned()),
    ];
    if decision.gpus.len() > 1 {
        all.push(("gpu-fraction-num-devices", decision.gpus.len().to_string()));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::decision::tests::decision;
    use super::*;

    fn written(decision: &Decision, style: AnnotationStyle) -> Result<BTreeMap<String, String>, String> {
        annotations(decision, "FGD", style, UNIX_EPOCH + Duration::from_secs(1_732_072_495))
    }

    fn pairs(all: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
        all.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
    }

    /// 333 thousandths are 33 whole percents; 333 thousandths of 15,360 MiB are 5,114.88.
    #[test]
    fn a_share_becomes_limits_of_mps() {
        let share = 333 * THOUSANDTH;
        let style = AnnotationStyle::Crossover;
        let all = written(&decision("ns/a", &[2], share, Some(5_114)), style).expect("all is known");
        let expected = [
            ("alibabacloud.com/gpu-index", "2"),
            ("crossover/cuda-mps-active-thread-percentage", "33"),
            ("crossover/cuda-mps-pinned-device-mem-limit", "0=5114M"),
            ("crossover/cuda-visible-devices", "2"),
            ("crossover/policy", "FGD"),
        ];
        assert_eq!(pairs(&all), expected);
        let all = written(&decision("ns/a", &[0, 3], WHOLE, None), style).expect("all is known");
        assert_eq!(all["crossover/cuda-visible-devices"], "0,3");
        assert_eq!(all["alibabacloud.com/gpu-index"], "0-3");
        assert_eq!(all["crossover/cuda-mps-active-thread-percentage"], "100");
        assert!(!all.contains_key("crossover/cuda-mps-pinned-device-mem-limit"));
        assert_eq!(written(&decision("ns/a", &[], 0, None), style).expect("nothing is needed").len(), 1);
    }

    /// The annotations of a pod with 20,000 MiB and 30 % of a GPU, as a description of `HAMi` shows them
    /// (`EncodeContainerDevices` ends a GPU with “:”, `EncodePodSingleDevice` a container with “;”).
    #[test]
    fn the_device_plugin_of_hami_gets_the_keys_of_its_own_scheduler() {
        let style = AnnotationStyle::Hami;
        let mut pod = decision("ns/a", &[1], 300 * THOUSANDTH, Some(20_000));
        pod.gpu_identifiers = vec!["GPU-1afede84-4e70-2174-49af-f07ebb94d1ae".to_owned()];
        pod.containers_with_gpus = vec![true];
        let expected = [
            ("alibabacloud.com/gpu-index", "1"),
            ("crossover/policy", "FGD"),
            ("hami.io/bind-phase", "allocating"),
            ("hami.io/bind-time", "1732072495"),
            ("hami.io/vgpu-devices-allocated", "GPU-1afede84-4e70-2174-49af-f07ebb94d1ae,NVIDIA,20000,30:;"),
            ("hami.io/vgpu-devices-to-allocate", "GPU-1afede84-4e70-2174-49af-f07ebb94d1ae,NVIDIA,20000,30:;"),
            ("hami.io/vgpu-node", "node-a"),
            ("hami.io/vgpu-time", "1732072495"),
        ];
        assert_eq!(pairs(&written(&pod, style).expect("all is known")), expected);

        // Two GPUs of the second of three containers.
        pod.gpus = vec![0, 1];
        pod.gpu_identifiers = vec!["GPU-a".to_owned(), "GPU-b".to_owned()];
        pod.containers_with_gpus = vec![false, true, false];
        let all = written(&pod, style).expect("all is known");
        assert_eq!(all["hami.io/vgpu-devices-allocated"], ";GPU-a,NVIDIA,20000,30:GPU-b,NVIDIA,20000,30:;;");

        pod.containers_with_gpus = vec![true, true];
        let why = written(&pod, style).expect_err("two containers");
        assert!(why.contains("expected one container that requests nvidia.com/gpu"), "{why}");
        pod.gpu_identifiers.clear();
        let why = written(&pod, style).expect_err("no identifiers");
        assert!(why.contains("node node-a has no annotation hami.io/node-nvidia-register"), "{why}");
        assert_eq!(written(&decision("ns/a", &[], 0, None), style).expect("nothing is needed").len(), 1);
    }

    /// Keys of `constants.go`; `Fraction` and `Regular` as KAI's binder writes them.
    #[test]
    fn kai_gets_the_fraction_that_a_pod_received() {
        let of = |gpus: &[usize], share: u16| {
            let all = written(&decision("ns/a", gpus, share, None), AnnotationStyle::Kai).expect("nothing is needed");
            all.into_iter().filter(|(key, _)| !key.contains('/')).collect::<Vec<(String, String)>>()
        };
        let expected = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        let half = [("gpu-fraction", "0.5"), ("received-resource-type", "Fraction")];
        assert_eq!(of(&[2], 500 * THOUSANDTH), expected(&half));
        let thirds =
            [("gpu-fraction", "0.333"), ("gpu-fraction-num-devices", "2"), ("received-resource-type", "Fraction")];
        assert_eq!(of(&[0, 1], WHOLE / 3), expected(&thirds));
        assert_eq!(of(&[0, 1], WHOLE), expected(&[("received-resource-type", "Regular")]));
    }
}

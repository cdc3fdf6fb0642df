//! The conventions by which nodes offer GPUs and pods request them, each with its source: resources, labels, annotations.
//!
//! What is not in these tables is reported as not used. So that no accelerator is missed, that is every extended resource, and
//! every label, annotation and environment variable whose name suggests an accelerator.

use crate::mig::Profile;
use crossover_allocation::Part;
use crossover_quantity::unread::suggests_accelerator;

/// What one of a resource means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A GPU, or the part into which a node cuts it.
    Gpu,
    /// An instance of MIG; its profile follows the prefix.
    Instance,
    /// A percent of a GPU.
    PercentOfOne,
    /// As much of a GPU as a node has of it for each of its GPUs.
    OfNode,
    /// A place on a shared GPU. How many GPUs a node has is in an annotation, or follows from its cores.
    Slot,
    /// Compute of each requested GPU, or of all of them together, of which `whole` are a GPU.
    Cores { whole: u32, of_all: bool },
    /// Percent of the memory of each requested GPU.
    MemoryPercent,
    /// Memory of each requested GPU, or of all of them together, in units of so many MiB.
    Memory { mib: u32, of_all: bool },
    /// GiB of the memory of each requested GPU; bytes where a unit stands behind.
    MemoryGib,
    /// A count, a sum or a monitor that says nothing further of the GPUs that another resource names.
    Beside,
}

/// Percent of the compute of each requested GPU.
const CORE_PERCENT: Meaning = Meaning::Cores { whole: 100, of_all: false };
/// MiB of the memory of each requested GPU.
const MIB: Meaning = Meaning::Memory { mib: 1, of_all: false };
/// Cambricon and Iluvatar count memory in blocks of 256 MiB.
const BLOCKS: Meaning = Meaning::Memory { mib: 256, of_all: false };
/// `HAMi` sets 100 for each requested GPU of Iluvatar where a task has several.
const ILUVATAR_CORES: Meaning = Meaning::Cores { whole: 100, of_all: true };

/// A resource: its name, the name of its GPUs where no label has one, its meaning, and its source.
pub(super) struct Convention {
    pub(super) resource: &'static str,
    pub(super) product: &'static str,
    pub(super) meaning: Meaning,
    /// Where this is documented.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers, and checked by a test"))]
    pub(super) source: &'static str,
}

const fn convention(
    resource: &'static str,
    product: &'static str,
    meaning: Meaning,
    source: &'static str,
) -> Convention {
    Convention { resource, product, meaning, source }
}

const NVIDIA_PLUGIN: &str = "https://github.com/NVIDIA/k8s-device-plugin";
const HAMI: &str = "https://github.com/Project-HAMi/HAMi/blob/master/docs/config.md";
const VOLCANO: &str = "https://github.com/Project-HAMi/volcano-vgpu-device-plugin";
const OPEN_SIMULATOR: &str = "https://github.com/alibaba/open-simulator";
const GPUSHARE: &str = "https://github.com/AliyunContainerService/gpushare-scheduler-extender";
const KOORDINATOR: &str = "https://koordinator.sh/docs/user-manuals/device-scheduling-gpu-share";
const GPU_MANAGER: &str = "https://github.com/tkestack/gpu-manager";
const AMD: &str = "https://github.com/ROCm/k8s-device-plugin";
const INTEL: &str = "https://intel.github.io/intel-device-plugins-for-kubernetes/cmd/gpu_plugin/README.html";
const HABANA: &str =
    "https://docs.habana.ai/en/latest/Installation_Guide/Additional_Installation/Kubernetes_Installation";
const ASCEND: &str = "https://gitee.com/ascend/ascend-device-plugin";
const NEURON: &str =
    "https://awsdocs-neuron.readthedocs-hosted.com/en/latest/containers/kubernetes-getting-started.html";
const CAMBRICON: &str = "https://github.com/Cambricon/cambricon-k8s-device-plugin";
const METAX: &str = "https://github.com/Project-HAMi/HAMi/blob/master/docs/metax-support.md";
const ENFLAME: &str = "https://github.com/Project-HAMi/HAMi/blob/master/docs/enflame-vgcu-support.md";
const HYGON: &str = "https://github.com/Project-HAMi/HAMi/blob/master/docs/hygon-dcu-support.md";
const ILUVATAR: &str = "https://github.com/Project-HAMi/HAMi/blob/master/docs/iluvatar-gpu-support.md";
const SHARED_MLU: &str = "https://github.com/Project-HAMi/HAMi/blob/master/docs/cambricon-mlu-support.md";
const MTHREADS: &str = "https://github.com/Project-HAMi/HAMi/blob/master/pkg/device/mthreads/device.go";
const HAMI_CHART: &str = "https://github.com/Project-HAMi/HAMi/blob/master/charts/hami/values.yaml";
const TPU: &str = "https://cloud.google.com/kubernetes-engine/docs/how-to/tpus";

/// All resources that are known by their whole name.
pub(super) const RESOURCES: &[Convention] = &[
    convention("nvidia.com/gpu", "GPU", Meaning::Gpu, NVIDIA_PLUGIN),
    convention("nvidia.com/gpu.shared", "GPU", Meaning::Gpu, NVIDIA_PLUGIN),
    convention("nvidia.com/gpumem", "GPU", MIB, HAMI),
    convention("nvidia.com/gpumem-percentage", "GPU", Meaning::MemoryPercent, HAMI),
    convention("nvidia.com/gpucores", "GPU", CORE_PERCENT, HAMI),
    convention("volcano.sh/vgpu-number", "GPU", Meaning::Gpu, VOLCANO),
    convention("volcano.sh/vgpu-memory", "GPU", MIB, VOLCANO),
    convention("volcano.sh/vgpu-memory-percentage", "GPU", Meaning::MemoryPercent, VOLCANO),
    convention("volcano.sh/vgpu-cores", "GPU", CORE_PERCENT, VOLCANO),
    convention("alibabacloud.com/gpu-count", "GPU", Meaning::Beside, OPEN_SIMULATOR),
    convention("alibabacloud.com/gpu-milli", "GPU", Meaning::Beside, OPEN_SIMULATOR),
    convention("alibabacloud.com/gpu-mem", "GPU", Meaning::Beside, OPEN_SIMULATOR),
    convention("aliyun.com/gpu-mem", "GPU", Meaning::OfNode, GPUSHARE),
    convention("aliyun.com/gpu-count", "GPU", Meaning::Beside, GPUSHARE),
    convention("koordinator.sh/gpu", "GPU", Meaning::PercentOfOne, KOORDINATOR),
    convention("koordinator.sh/gpu-core", "GPU", Meaning::PercentOfOne, KOORDINATOR),
    convention("koordinator.sh/gpu-memory-ratio", "GPU", Meaning::PercentOfOne, KOORDINATOR),
    convention("tencent.com/vcuda-core", "GPU", Meaning::PercentOfOne, GPU_MANAGER),
    convention("amd.com/gpu", "AMD GPU", Meaning::Gpu, AMD),
    convention("gpu.intel.com/i915", "Intel GPU", Meaning::Gpu, INTEL),
    convention("gpu.intel.com/xe", "Intel GPU", Meaning::Gpu, INTEL),
    convention("gpu.intel.com/i915_monitoring", "Intel GPU", Meaning::Beside, INTEL),
    convention("gpu.intel.com/xe_monitoring", "Intel GPU", Meaning::Beside, INTEL),
    convention("habana.ai/gaudi", "Gaudi", Meaning::Gpu, HABANA),
    convention("huawei.com/Ascend310", "Ascend 310", Meaning::Gpu, ASCEND),
    convention("huawei.com/Ascend310P", "Ascend 310P", Meaning::Gpu, ASCEND),
    convention("huawei.com/Ascend910", "Ascend 910", Meaning::Gpu, ASCEND),
    convention("cambricon.com/mlu", "Cambricon MLU", Meaning::Gpu, CAMBRICON),
    convention("cambricon.com/vmlu", "Cambricon MLU", Meaning::Slot, HAMI_CHART),
    convention("cambricon.com/mlunum", "Cambricon MLU", Meaning::Slot, SHARED_MLU),
    convention("cambricon.com/mlumem", "Cambricon MLU", MIB, SHARED_MLU),
    convention("metax-tech.com/gpu", "MetaX GPU", Meaning::Gpu, METAX),
    convention("metax-tech.com/sgpu", "MetaX GPU", Meaning::Slot, METAX),
    convention("metax-tech.com/vcore", "MetaX GPU", CORE_PERCENT, METAX),
    convention("metax-tech.com/vmemory", "MetaX GPU", Meaning::MemoryGib, METAX),
    convention("enflame.com/gcu", "Enflame GCU", Meaning::Gpu, ENFLAME),
    convention("enflame.com/drs-gcu", "Enflame GCU", Meaning::Slot, ENFLAME),
    convention("enflame.com/gcu-core", "Enflame GCU", CORE_PERCENT, ENFLAME),
    convention("enflame.com/gcu-memory", "Enflame GCU", MIB, ENFLAME),
    convention("hygon.com/dcu", "Hygon DCU", Meaning::Gpu, HYGON),
    convention("hygon.com/dcunum", "Hygon DCU", Meaning::Slot, HYGON),
    convention("hygon.com/dcucores", "Hygon DCU", CORE_PERCENT, HYGON),
    convention("hygon.com/dcumem", "Hygon DCU", MIB, HYGON),
    convention("iluvatar.ai/gpu", "Iluvatar GPU", Meaning::Gpu, ILUVATAR),
    convention("iluvatar.ai/vgpu", "Iluvatar GPU", Meaning::Slot, ILUVATAR),
    convention("iluvatar.ai/vcuda-core", "Iluvatar GPU", ILUVATAR_CORES, ILUVATAR),
    convention("iluvatar.ai/vcuda-memory", "Iluvatar GPU", BLOCKS, ILUVATAR),
    convention("mthreads.com/vgpu", "Moore Threads GPU", Meaning::Slot, MTHREADS),
    convention("mthreads.com/sgpu-core", "Moore Threads GPU", Meaning::Cores { whole: 16, of_all: true }, MTHREADS),
    convention("mthreads.com/sgpu-memory", "Moore Threads GPU", Meaning::Memory { mib: 512, of_all: true }, MTHREADS),
    convention("birentech.com/gpu", "Biren GPU", Meaning::Gpu, HAMI_CHART),
    convention("kunlunxin.com/xpu", "Kunlunxin XPU", Meaning::Gpu, HAMI_CHART),
    convention("vastaitech.com/va", "Vastai GPU", Meaning::Gpu, HAMI_CHART),
    convention("aws.amazon.com/neuron", "Neuron device", Meaning::Gpu, NEURON),
    convention("google.com/tpu", "TPU", Meaning::Gpu, TPU),
];

/// The convention of a resource; `None` if it is not known.
pub(super) fn of(resource: &str) -> Option<(Meaning, &'static str)> {
    let exact = RESOURCES.iter().find(|known| known.resource == resource);
    let by_prefix = || {
        let mig = resource.starts_with(super::MIG).then_some("GPU");
        let amd = || amd_partitions(resource).map(|_| "AMD GPU");
        let ascend = || ascend_cores(resource).map(|(chip, ..)| chip);
        let instance = mig.or_else(amd).or_else(ascend).map(|product| (Meaning::Instance, product));
        instance.or_else(|| of_model(resource))
    };
    exact.map(|known| (known.meaning, known.product)).or_else(by_prefix)
}

/// The meaning of a resource whose name holds a model: `iluvatar.ai/BI-V150-vgpu`, `iluvatar.ai/BI-V150.vCore`,
/// `iluvatar.ai/BI-V150.vMem`, `cambricon.com/mlu370.smlu.vcore`, `cambricon.com/mlu370.smlu.vmemory`.
fn of_model(resource: &str) -> Option<(Meaning, &'static str)> {
    let ends = |name: &str, known: &[(&str, Meaning)]| {
        known.iter().find_map(|(end, meaning)| name.ends_with(end).then_some(*meaning))
    };
    if let Some(name) = resource.strip_prefix("iluvatar.ai/") {
        let known = [("-vgpu", Meaning::Slot), (".vCore", ILUVATAR_CORES), (".vMem", BLOCKS)];
        return ends(name, &known).map(|meaning| (meaning, "Iluvatar GPU"));
    }
    let name = resource.strip_prefix("cambricon.com/mlu")?;
    let known = [(".smlu.vcore", CORE_PERCENT), (".smlu.vmemory", BLOCKS)];
    ends(name, &known).map(|meaning| (meaning, "Cambricon MLU"))
}

/// The resource by which the one GPU is counted of which a task requests cores or memory alone; where no other counts it, nodes
/// offer it by the same name.
pub(super) fn counted_by(resource: &str) -> &str {
    match resource.split('/').next() {
        Some("nvidia.com") => super::GPU,
        Some("volcano.sh") => "volcano.sh/vgpu-number",
        _ => resource,
    }
}

/// Whether a task that names memory of a GPU of this product, and no cores, takes all cores of the GPU.
pub(super) fn takes_all_cores(product: &str) -> bool {
    ["Cambricon MLU", "Hygon DCU", "MetaX GPU"].contains(&product)
}

/// Whether a request of cores and memory by this resource takes the smallest partition that has both.
pub(super) fn is_partitioned(resource: &str) -> bool {
    ["enflame.com/gcu-core", "enflame.com/gcu-memory"].contains(&resource)
}

/// The part of a GPU that one of a resource is, by its name alone.
pub(super) fn part(resource: &str) -> Part {
    let name = resource.strip_suffix(".shared").unwrap_or(resource);
    let profile = name.strip_prefix(super::MIG).and_then(Profile::parse);
    let of_mig = profile.map(|profile| profile.part(""));
    let of_amd = || amd_partitions(resource).map(Part::one_of);
    let of_ascend = || ascend_cores(resource).map(|(_, cores, all)| Part::slices(cores, all));
    of_mig.or_else(of_amd).or_else(of_ascend).unwrap_or(Part::ONE)
}

/// Partitions of a GPU of AMD in a mode: `amd.com/cpx_nps4` is one of eight. MI300X: eight compute dies.
/// <https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/gpu-partitioning/mi300x/overview.html>
pub(super) fn amd_partitions(resource: &str) -> Option<u32> {
    let mode = resource.strip_prefix("amd.com/")?;
    mode_partitions(mode.split_once("_nps").map_or("", |(mode, _)| mode))
}

/// Partitions of a mode: `SPX`, `DPX`, `TPX`, `QPX`, `CPX`.
pub(super) fn mode_partitions(mode: &str) -> Option<u32> {
    match mode.to_ascii_lowercase().as_str() {
        "spx" => Some(1),
        "dpx" => Some(2),
        "tpx" => Some(3),
        "qpx" => Some(4),
        "cpx" => Some(8),
        _ => None,
    }
}

/// A virtual NPU by its template, such as `huawei.com/Ascend910-8c` or `huawei.com/Ascend310P-2c.1cpu`: its chip, its AI cores
/// and those of the chip. The templates of a 910 with 32, 24 or 20 cores have other sizes.
/// <https://www.hiascend.com/document/detail/en/mindx-dl/500/AVI/cpaug/cpaug_003.html>
pub(super) fn ascend_cores(resource: &str) -> Option<(&'static str, u32, u32)> {
    let name = resource.strip_prefix("huawei.com/")?;
    let (chip, template) = name.split_once('-')?;
    let cores: u32 = template.split('.').next()?.strip_suffix('c')?.parse().ok()?;
    match (chip, cores) {
        ("Ascend310P", 1 | 2 | 4) => Some(("Ascend 310P", cores, 8)),
        ("Ascend910", 2 | 4 | 8 | 16) => Some(("Ascend 910", cores, 32)),
        ("Ascend910", 6 | 12) => Some(("Ascend 910", cores, 24)),
        ("Ascend910", 5 | 10) => Some(("Ascend 910", cores, 20)),
        _ => None,
    }
}

/// Labels that name the product of a node's GPUs.
pub(super) const PRODUCTS: [&str; 11] = [
    super::PRODUCT,
    super::CARD_MODEL,
    super::GKE_ACCELERATOR,
    "aliyun.accelerator/nvidia_name",
    "karpenter.k8s.aws/instance-gpu-name",
    "eks.amazonaws.com/instance-gpu-name",
    "amd.com/gpu.product-name",
    "beta.amd.com/gpu.product-name",
    "gpu.intel.com/product",
    "node.kubernetes.io/npu.chip.name",
    "cloud.google.com/gke-tpu-accelerator",
];

/// Labels with the number of physical GPUs of a node. With the single strategy of MIG the first one counts instances.
pub(super) const COUNTS: [&str; 5] = [
    "nvidia.com/gpu.count",
    "cloud.google.com/gke-accelerator-count",
    "aliyun.accelerator/nvidia_count",
    "karpenter.k8s.aws/instance-gpu-count",
    "eks.amazonaws.com/instance-gpu-count",
];

/// Labels with the memory of each GPU, MiB.
pub(super) const MEMORIES: [&str; 3] =
    ["nvidia.com/gpu.memory", "karpenter.k8s.aws/instance-gpu-memory", "eks.amazonaws.com/instance-gpu-memory"];

/// Labels with the number of tasks that share a GPU.
/// <https://cloud.google.com/kubernetes-engine/docs/concepts/timesharing-gpus>
pub(super) const REPLICAS: [&str; 2] = ["nvidia.com/gpu.replicas", "cloud.google.com/gke-max-shared-clients-per-gpu"];

/// Label with the profile into which all GPUs of a node are cut.
/// <https://cloud.google.com/kubernetes-engine/docs/how-to/gpus-multi>
pub(super) const GKE_PARTITION: &str = "cloud.google.com/gke-gpu-partition-size";

/// Labels with the partition mode of GPUs of AMD.
pub(super) const AMD_MODES: [&str; 3] = [
    "amd.com/gpu.compute-memory-partition",
    "amd.com/gpu.compute-partition",
    "beta.amd.com/gpu.compute-memory-partition",
];

/// Labels with the numbers of the GPUs of a node with GPUs of Intel: "0.1.2".
pub(super) const INTEL_NUMBERS: [&str; 2] = ["gpu.intel.com/gpu-numbers", "gpu.intel.com/cards"];

/// Annotations in which `HAMi` and Volcano register the GPUs of a node.
pub(super) const REGISTERS: [&str; 3] =
    ["hami.io/node-nvidia-register", "4pd.io/node-nvidia-register", "volcano.sh/node-vgpu-register"];

/// Annotation in which `MetaX` registers the GPUs of a node: a list with their model, number of places, and memory in MiB.
pub(super) const METAX_REGISTER: &str = "metax-tech.com/node-gpu-devices";
/// The same of Enflame: GPUs, and the profiles into which each can be cut, such as `3g.20gb`.
pub(super) const ENFLAME_REGISTER: &str = "enflame.com/gcu-drs-capacity";

/// Share of a GPU, memory in MiB, and number of GPUs that a pod requests of KAI or Run:ai, as annotations or labels.
/// <https://github.com/NVIDIA/KAI-Scheduler/blob/main/docs/gpu-sharing/README.md>
pub(super) const KAI_FRACTION: [&str; 2] = ["gpu-fraction", "runai/gpu-fraction"];
pub(super) const KAI_MEMORY: [&str; 2] = ["gpu-memory", "runai/gpu-memory"];
pub(super) const KAI_DEVICES: [&str; 2] = ["gpu-fraction-num-devices", "runai/gpu-fraction-num-devices"];
/// Namespaces of the pods by which KAI and Run:ai hold the GPUs that others use in fractions.
pub(super) const KAI_RESERVATIONS: [&str; 2] = ["kai-resource-reservation", "runai-reservation"];

/// Annotation with the GPU memory that a pod requests of the simulator of Alibaba, as a quantity.
pub(super) const SIMULATOR_MEMORY: &str = "alibabacloud.com/gpu-mem";

/// Beginnings of labels and annotations that are known and leave counts of GPUs as they are.
const DESCRIPTIONS: &[&str] = &[
    "nvidia.com/cuda.",
    "nvidia.com/gfd.",
    "nvidia.com/gpu-driver-upgrade",
    "nvidia.com/gpu.compute.",
    "nvidia.com/gpu.deploy.",
    "nvidia.com/gpu.engines.",
    "nvidia.com/gpu.family",
    "nvidia.com/gpu.machine",
    "nvidia.com/gpu.mode",
    "nvidia.com/gpu.multiprocessors",
    "nvidia.com/gpu.present",
    "nvidia.com/gpu.sharing-strategy",
    "nvidia.com/gpu.slices.",
    "nvidia.com/gpu.imex-domain",
    "nvidia.com/gpu.clique",
    "nvidia.com/mig-",
    "nvidia.com/mig.",
    "nvidia.com/mps.capable",
    "nvidia.com/vgpu.",
    "cloud.google.com/gke-gpu-driver-version",
    "cloud.google.com/gke-gpu-sharing-strategy",
    "cloud.google.com/gke-tpu-topology",
    "karpenter.k8s.aws/instance-gpu-manufacturer",
    "eks.amazonaws.com/instance-gpu-manufacturer",
    "amd.com/gpu.cu-count",
    "amd.com/gpu.device-id",
    "amd.com/gpu.driver-",
    "amd.com/gpu.family",
    "amd.com/gpu.firmware",
    "amd.com/gpu.simd-count",
    "amd.com/gpu.vram",
    "beta.amd.com/gpu.cu-count",
    "beta.amd.com/gpu.device-id",
    "beta.amd.com/gpu.family",
    "beta.amd.com/gpu.simd-count",
    "beta.amd.com/gpu.vram",
    "gpu.intel.com/device-id.",
    "gpu.intel.com/family",
    "gpu.intel.com/memory.max",
    "gpu.intel.com/millicores",
    "gpu.intel.com/platform",
    "gpu.intel.com/tiles",
    "enflame.com/gcu-assigned",
    "enflame.com/gcu-request-size",
    "hami.io/cambricon-mlu-devices-",
    "hami.io/dcu-devices-",
    "hami.io/enflame-vgpu-devices-",
    "hami.io/metax-gpu-devices-",
    "hami.io/metax-sgpu-devices-",
    "hami.io/mthreads-vgpu-devices-",
    "hami.io/node-dcu-register",
    "hami.io/node-handshake",
    "metax-tech.com/gpu-devices-allocated",
    "metax-tech.com/gpu.topology.",
    "metax-tech.com/sgpu-qos-policy",
    "mthreads.com/gpu-index",
    "mthreads.com/request-gpu-num",
    METAX_REGISTER,
    ENFLAME_REGISTER,
    "hami.io/vgpu-devices-",
    "hami.io/vgpu-node",
    "hami.io/vgpu-time",
    "4pd.io/vgpu-",
    "volcano.sh/node-vgpu-handshake",
    "volcano.sh/vgpu-ids",
    "volcano.sh/vgpu-node",
    "volcano.sh/vgpu-time",
    super::GPU_INDEX,
    "aliyun.accelerator/nvidia_mem",
];

/// Environment variables that images set and that leave counts of GPUs as they are.
const SETTINGS: &[&str] = &[
    "NVIDIA_DRIVER_CAPABILITIES",
    "NVIDIA_REQUIRE_",
    "NVIDIA_DISABLE_REQUIRE",
    "NVIDIA_PRODUCT_NAME",
    "CUDA_VERSION",
    "CUDA_HOME",
    "CUDA_DEVICE_ORDER",
    "NVIDIA_CUDA_END_OF_LIFE",
];

/// Whether a resource is none of Kubernetes' own.
pub(super) fn is_extended(resource: &str) -> bool {
    let own = ["requests.", "limits.", "hugepages-", "attachable-volumes-"];
    let domain = resource.split_once('/').map(|(domain, _)| domain);
    let is_own = domain.is_none_or(|domain| domain == "kubernetes.io" && !suggests_accelerator(resource));
    !is_own && !own.iter().any(|beginning| resource.starts_with(beginning))
}

/// Whether a label or annotation is in none of the tables and suggests an accelerator.
pub(super) fn is_unread(name: &str) -> bool {
    let used: [&[&str]; 12] = [
        &PRODUCTS,
        &COUNTS,
        &MEMORIES,
        &REPLICAS,
        &[GKE_PARTITION],
        &AMD_MODES,
        &INTEL_NUMBERS,
        &REGISTERS,
        &KAI_FRACTION,
        &KAI_MEMORY,
        &KAI_DEVICES,
        &[super::GPU_COUNT, super::GPU_MILLI, SIMULATOR_MEMORY, "cloud.google.com/gke-gpu", "gpu"],
    ];
    suggests_accelerator(name)
        && !used.iter().any(|names| names.contains(&name))
        && !DESCRIPTIONS.iter().any(|known| name.starts_with(known))
}

/// Whether an environment variable suggests an accelerator and may change which GPUs a task uses, or how much of them.
pub(super) fn is_unread_variable(name: &str) -> bool {
    suggests_accelerator(name) && !SETTINGS.iter().any(|known| name.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resource_has_one_meaning_and_a_source() {
        for (place, known) in RESOURCES.iter().enumerate() {
            assert!(known.source.starts_with("https://"), "{}", known.resource);
            assert!(!known.product.is_empty() && is_extended(known.resource), "{}", known.resource);
            assert!(RESOURCES[..place].iter().all(|other| other.resource != known.resource), "{}", known.resource);
        }
    }

    #[test]
    fn partitions_and_templates_are_parts_by_their_names() {
        assert_eq!(part("amd.com/cpx_nps4"), Part::one_of(8));
        assert_eq!(part("huawei.com/Ascend910-8c"), Part::slices(8, 32));
        assert_eq!(part("huawei.com/Ascend310P-2c.1cpu"), Part::slices(2, 8));
        assert_eq!(part("nvidia.com/mig-3g.20gb"), Part::slices(3, 7));
        assert_eq!((of("amd.com/zpx_nps1"), of("huawei.com/Ascend910-7c")), (None, None));
    }

    #[test]
    fn names_in_no_table_that_suggest_accelerators_are_unread() {
        assert!(is_unread("example.com/gpu-slots") && !is_unread("nvidia.com/gpu.count"));
        assert!(is_unread_variable("NVIDIA_VISIBLE_DEVICES") && !is_unread_variable("NVIDIA_DRIVER_CAPABILITIES"));
        assert!(is_extended("example.com/fpga") && !is_extended("hugepages-1Gi") && !is_extended("cpu"));
    }
}

//! Tests of the catalogue.

use super::*;

const GPUS: &str = include_str!("../../../../assets/gpus.ron");
const NETWORKS: &str = include_str!("../../../../assets/networks.ron");
const NODES: &str = include_str!("../../../../assets/nodes.ron");
const CODECS: &str = include_str!("../../../../assets/codecs.ron");
const INSTANCES: &str = include_str!("../../../../assets/instances.ron");

fn shipped() -> Catalogue {
    Catalogue::parse([GPUS, NETWORKS, NODES, CODECS, INSTANCES]).expect("the shipped catalogue is well formed")
}

#[test]
fn shipped_catalogue_is_large_and_its_names_are_unique() {
    fn check<'a>(names: impl Iterator<Item = &'a String>, at_least: usize) {
        let names: Vec<&String> = names.collect();
        let unique: BTreeSet<&String> = names.iter().copied().collect();
        assert_eq!(unique.len(), names.len());
        assert!(names.len() >= at_least, "{} of {at_least}", names.len());
    }
    let catalogue = shipped();
    check(catalogue.gpus.iter().map(|gpu| &gpu.name), 20);
    check(catalogue.networks.iter().map(|network| &network.name), 12);
    check(catalogue.nodes.iter().map(|node| &node.name), 8);
    check(catalogue.codecs.iter().map(|codec| &codec.name), 9);
}

#[test]
fn every_shipped_figure_is_positive_and_sourced() {
    // Counted in the text, so that the check does not lean on the reader it checks.
    for text in [GPUS, NETWORKS, NODES, CODECS] {
        let figures: Vec<&str> = text.split("(value: ").skip(1).collect();
        assert!(figures.len() >= 20);
        for figure in figures {
            let (value, rest) = figure.split_once(", confidence: ").expect("a confidence follows");
            let value: f64 = value.parse().expect("a number");
            assert!(value.is_finite() && value > 0.0, "{figure}");
            let (_, source) = rest.split_once(", source: \"").expect("a source follows");
            assert!(source.find('"').is_some_and(|length| length >= 10), "{figure}");
        }
    }
}

#[test]
fn every_instance_says_whose_it_is_and_what_its_gpus_are() {
    let instances = shipped().instances;
    assert!(instances.len() >= 30);
    for instance in &instances {
        assert_eq!(instance.gpus > 0, !instance.gpu.is_empty(), "{}", instance.name);
        assert!(["AWS", "Azure", "GCP"].contains(&instance.provider.as_str()), "{}", instance.name);
        assert!(instance.region.is_some() || instance.usd_per_hour.is_none(), "{}", instance.name);
    }
    // The cluster of the public comparison of Spark and RAPIDS: 8 × 2.304 $ against 4 × 0.9776 $.
    let usd = |name: &str| {
        let found = instances.iter().find(|instance| instance.name == name).expect("an instance");
        found.usd_per_hour.expect("a price")
    };
    assert!((8.0 * usd("c5d.12xlarge") - 18.432).abs() < 1e-9 && (4.0 * usd("g6.2xlarge") - 3.9104).abs() < 1e-9);
    let negative = "[(name: \"x\", provider: \"AWS\", vcpus: 4, memory_gib: 8, usd_per_hour: Some(-1), source: \"s\")]";
    let error = Catalogue::parse([GPUS, NETWORKS, NODES, CODECS, negative]).expect_err("a negative price");
    assert!(error.to_string().contains("instances.ron, line 1"), "{error}");
}

/// Amazon's price list has one price per vCPU for all sizes of a family, in us-east-1 (2026-07-20): $0.048 of m5 and m6i, $0.063 of r5 and
/// r6i, $0.0425 of c5 and c6i. The families have 4, 8 and 2 GiB per vCPU.
#[test]
fn usual_workers_of_spark_have_the_price_and_memory_of_their_family() {
    let instances = shipped().instances;
    for (families, usd_per_vcpu, gib_per_vcpu) in
        [(["m5.", "m6i."], 0.048, 4.0), (["r5.", "r6i."], 0.063, 8.0), (["c5.", "c6i."], 0.042_5, 2.0)]
    {
        for family in families {
            let sizes: Vec<&Instance> = instances.iter().filter(|instance| instance.name.starts_with(family)).collect();
            assert!(sizes.len() >= 5, "{family}: {}", sizes.len());
            for Instance { name, vcpus, memory_gib, usd_per_hour, .. } in sizes {
                let usd = usd_per_hour.expect("a price");
                assert!((usd - usd_per_vcpu * vcpus).abs() < 1e-9, "{name}: {usd}");
                assert!((memory_gib - gib_per_vcpu * vcpus).abs() < 1e-9, "{name}: {memory_gib}");
            }
        }
    }
    let named = instances.iter().find(|instance| instance.name == "m5.2xlarge").expect("m5.2xlarge");
    assert_eq!((named.vcpus, named.usd_per_hour), (8.0, Some(0.384)));
}

#[test]
fn no_codec_inflates_data_much() {
    for codec in shipped().codecs {
        assert!(codec.ratio.value < 1.5, "{}", codec.name);
    }
}

#[test]
fn no_network_is_faster_than_its_line() {
    for network in shipped().networks {
        assert!(network.effective_gbit_per_s.value <= network.line_gbit_per_s.value, "{}", network.name);
    }
}

/// GB/s of a link such as `PCIe 4.0 ×16`, from the transfer rates and line codes of the PCI Express standards.
fn pcie_limit_gb_per_s(host_link: &str) -> Option<f64> {
    let (generation, lanes) = host_link.strip_prefix("PCIe ")?.split_once(" ×").expect("PCIe <generation> ×<lanes>");
    let gigatransfers_per_s = match generation {
        "3.0" => 8.0,
        "4.0" => 16.0,
        "5.0" => 32.0,
        other => panic!("no limit known for PCIe {other}"),
    };
    let lanes: f64 = lanes.parse().expect("lanes are a number");
    Some(lanes * gigatransfers_per_s * 128.0 / 130.0 / 8.0)
}

#[test]
fn no_bus_is_faster_than_its_link() {
    let catalogue = shipped();
    let links: Vec<_> =
        catalogue.gpus.iter().filter_map(|gpu| Some((gpu, pcie_limit_gb_per_s(&gpu.host_link)?))).collect();
    assert!(links.len() >= 20, "most GPUs hang on PCIe");
    for (gpu, limit_gb_per_s) in links {
        for speed in [&gpu.to_gpu_gb_per_s, &gpu.from_gpu_gb_per_s] {
            assert!(speed.value <= limit_gb_per_s, "{}: {} of {limit_gb_per_s} GB/s", gpu.name, speed.value);
        }
    }
}

#[test]
fn gpu_parallelism_needs_no_more_than_the_stated_memory_bandwidth() {
    let catalogue = shipped();
    let estimated = catalogue.gpus.iter().filter(|gpu| gpu.parallelism.confidence != Confidence::Published);
    assert!(estimated.clone().count() >= 20, "one GPU is the published one");
    for gpu in estimated {
        let share = gpu.parallelism.value * 12.0 / gpu.memory_gb_per_s.value;
        assert!((0.7..=1.0).contains(&share), "{} uses {share} of its bandwidth", gpu.name);
    }
}

/// The compute capability that a source names.
fn capability(source: &str) -> &str {
    let (_, rest) = source.split_once(", compute capability ").expect("the source names it");
    rest.split(':').next().unwrap_or(rest)
}

#[test]
fn multiprocessors_of_one_compute_capability_are_alike() {
    /// Kibibytes of shared memory, threads, blocks.
    const LIMITS: [(&str, [f64; 3]); 11] = [
        ("3.5", [48.0, 2048.0, 16.0]),
        ("6.0", [64.0, 2048.0, 32.0]),
        ("6.1", [96.0, 2048.0, 32.0]),
        ("7.0", [96.0, 2048.0, 32.0]),
        ("7.5", [64.0, 1024.0, 16.0]),
        ("8.0", [164.0, 2048.0, 32.0]),
        ("8.6", [100.0, 1536.0, 16.0]),
        ("8.9", [100.0, 1536.0, 24.0]),
        ("9.0", [228.0, 2048.0, 32.0]),
        ("10.0", [228.0, 2048.0, 32.0]),
        ("12.0", [100.0, 1536.0, 24.0]),
    ];
    let mut seen = BTreeSet::new();
    for gpu in shipped().gpus {
        assert_eq!(gpu.multiprocessor.is_some(), gpu.name.starts_with("NVIDIA "), "{}", gpu.name);
        let Some(one) = gpu.multiprocessor else { continue };
        assert!(gpu.compute_units.is_some(), "{}: how many there are is known", gpu.name);
        let [of, others @ ..] = [&one.register_bytes, &one.shared_bytes, &one.threads, &one.blocks]
            .map(|figure| capability(&figure.source).to_owned());
        assert_eq!(others, [of.clone(), of.clone(), of.clone()], "{}", gpu.name);
        let (_, limits) = LIMITS.iter().find(|(known, _)| *known == of).expect("a known compute capability");
        let found = [one.shared_bytes.value / 1024.0, one.threads.value, one.blocks.value];
        assert_eq!((found, one.register_bytes.value), (*limits, 65_536.0 * 4.0), "{}", gpu.name);
        assert!((700.0..3_000.0).contains(&one.clock_mhz.value), "{}: in MHz", gpu.name);
        seen.insert(of);
    }
    assert_eq!(seen.len(), LIMITS.len(), "every known compute capability is in the catalogue: {seen:?}");
}

#[test]
fn the_gpu_of_studies_from_2013_is_there() {
    let catalogue = shipped();
    let gpu = catalogue.gpu("NVIDIA Tesla K40").expect("GPU");
    assert_eq!((gpu.memory_gb.value, gpu.memory_gb_per_s.value), (12.0, 288.0));
    let multiprocessor = gpu.multiprocessor.as_ref().expect("known");
    assert_eq!(multiprocessor.clock_mhz.value, 745.0);
    assert_eq!(gpu.compute_units.as_ref().map(|units| units.value), Some(15.0));
}

#[test]
fn a_node_reads_no_more_than_its_memory_delivers() {
    for node in shipped().nodes {
        let Some(effective) = &node.effective_memory_gb_per_s else {
            assert_eq!(node.cores.value, 1.0, "{}: only the yardstick of one core is without", node.name);
            continue;
        };
        let share = effective.value / node.memory_gb_per_s.value;
        assert!((0.7..=0.95).contains(&share), "{} reads {share} of its bandwidth", node.name);
    }
}

#[test]
fn published_setting_is_in_the_catalogue() {
    fn check(figure: &Datum, value: f64) {
        assert_eq!((figure.value, figure.confidence), (value, Confidence::Published), "{}", figure.source);
    }
    let catalogue = shipped();
    let gpu = catalogue.gpu("NVIDIA GTX 1080 Ti (published setting)").expect("GPU");
    check(&gpu.parallelism, 64.0);
    check(&gpu.to_gpu_gb_per_s, 12.8);
    check(&gpu.from_gpu_gb_per_s, 12.8);
    assert_eq!((gpu.memory_gb.value, gpu.memory_gb_per_s.value), (11.0, 484.0));
    let ethernet = catalogue.network("10 Gb Ethernet (published setting)").expect("Ethernet");
    assert_eq!(ethernet.family, NetworkFamily::Ethernet);
    check(&ethernet.line_gbit_per_s, 10.0);
    check(&ethernet.effective_gbit_per_s, 1.0);
    let infiniband = catalogue.network("100 Gb InfiniBand (published setting)").expect("InfiniBand");
    assert_eq!(infiniband.family, NetworkFamily::InfiniBand);
    check(&infiniband.line_gbit_per_s, 100.0);
    check(&infiniband.effective_gbit_per_s, 80.0);
    check(&catalogue.node("1 core (published setting)").expect("node").cores, 1.0);
    let codec = catalogue.codec("Published setting").expect("codec");
    check(&codec.ratio, 0.3);
    check(&codec.compress_gb_per_s, 0.1);
    check(&codec.decompress_gb_per_s, 0.1);
    assert_eq!(catalogue.gpu("no such GPU"), None);
}

#[test]
fn bad_entries_are_refused_with_the_place_and_the_remedy() {
    fn check(networks: &str, expected: &str) {
        let error = Catalogue::parse([GPUS, networks, NODES, CODECS, INSTANCES]).expect_err(networks).to_string();
        assert!(error.contains(expected), "{error:?} should say {expected:?}");
    }
    let entry = |name: &str, line: &str, effective: &str, source: &str, more: &str| {
        format!(
            "(name: \"{name}\", family: Other, {more}\n line_gbit_per_s: (value: {line}, confidence: Spec, source: \"s\"), \
             effective_gbit_per_s: (value: {effective}, confidence: Derived, source: \"{source}\")),\n"
        )
    };
    let good = entry("a", "10", "9", "s", "");
    Catalogue::parse([GPUS, &format!("[{good}]"), NODES, CODECS, INSTANCES]).expect("the good entry is accepted");

    check(&format!("[{good}{}]", entry("b", "1", "1", "s", "colour: 3,")), "networks.ron, line 3, column");
    check(&format!("[{}]", entry("b", "1", "1", "s", "colour: 3,")), "`colour`");
    check(&format!("[{good}{good}]"), "two entries are called \"a\"");
    check(&format!("[{}]", entry("a", "10", "0", "s", "")), "0 is not a finite number above 0");
    check(&format!("[{}]", entry("a", "inf", "9", "s", "")), "inf is not a finite number above 0");
    check(&format!("[{}]", entry("a", "10", "9", " ", "")), "say where the value comes from");
    check(&format!("[{}]", entry("a", "10", "11", "s", "")), "11 Gbit/s on a line of 10 Gbit/s");
}

//! `--set`: one field replaced by path.

use crossover_placement::{Class, Overlap, Side, Variant, evaluate};
use crossover_quantity::provenance::Provenance;
use crossover_scenario::{Scenario, SetError};
use crossover_study::sources;

use super::{placement, published};

/// The published scenario with its join called "a.b = c (d)".
fn renamed() -> Scenario {
    published().with("operators.join.name=a.b = c (d)").expect("a valid name")
}

#[test]
fn fields_of_every_kind_can_be_set() {
    let set = |assignment: &str| {
        let changed = published().with(assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"));
        placement(&changed).clone()
    };
    assert_eq!(set("cluster.machines=200").cluster.machines, 200.0);
    assert_eq!(set(" cluster.machines = 2e2 ").cluster.machines, 200.0);
    assert_eq!(set("node.scan_gb_per_s=5").node.scan_gb_per_s, Some(5.0));
    assert_eq!(set("node.scan_gb_per_s=500 MB/s").node.scan_gb_per_s, Some(0.5));
    assert_eq!(set("networks.0.effective_gbit_per_s=20Gbit/s").networks[0].effective_gbit_per_s, 20.0);
    assert_eq!(set("operators.join.input_gb=1.5 TB").operators[1].input_gb, 1500.0);
    assert_eq!(set("operators.join.cpu_seconds_per_100mb=5 ms").operators[1].cpu_seconds_per_100mb, 0.005);
    assert_eq!(set("operators.join.output_ratio=30 %").operators[1].output_ratio, 0.3);
    assert_eq!(set("node.scan_gb_per_s=Some(5)").node.scan_gb_per_s, Some(5.0));
    assert_eq!(set("node.scan_gb_per_s=None").node.scan_gb_per_s, None);
    assert_eq!(set("node.name=None").node.name, "None");
    assert_eq!(set("node.name=").node.name, "");
    assert_eq!(set("gpu.name=\"H200 (SXM)\"").gpu.name, "H200 (SXM)");
    assert_eq!(set("gpu.name=say \"hi\" \\ é").gpu.name, "say \"hi\" \\ é");
    assert_eq!(set("policy.network=10 Gb Ethernet").policy.network, "10 Gb Ethernet");
    assert_eq!(set("policy.overlap=Everything").policy.overlap, Overlap::Everything);
    assert!(set("policy.compression=true").policy.compression);
    assert_eq!(set("operators.filter.class=Quadratic").operators[0].class, Class::Quadratic);
    assert_eq!(set("operators.filter.class=Power(1.5)").operators[0].class, Class::Power(1.5));
    assert_eq!(set("operators.join.pin=Gpu").operators[1].pin, Some(Side::Gpu));
    assert_eq!(set("operators.1.input_gb=4").operators[1].input_gb, 4.0);
    assert_eq!(set("networks.100 Gb InfiniBand.effective_gbit_per_s=90").networks[1].effective_gbit_per_s, 90.0);
    let curve = set("operators.join.gpu_curve=(fixed_seconds: 0.001, gb_per_s: 80)").operators[1].gpu_curve;
    assert_eq!(curve.map(|curve| curve.gb_per_s), Some(80.0));
    assert_eq!(set("cluster=(machines: 8, fan_in: 2)").cluster.fan_in, 2.0);
}

#[test]
fn names_with_dots_spaces_brackets_and_equals_signs_can_be_set() {
    let changed = renamed().with("operators.a.b = c (d).input_gb=4").expect("the operator exists");
    assert_eq!(placement(&changed).operators[1].input_gb, 4.0);
}

#[test]
fn a_new_name_takes_its_sources_and_the_policy_along() {
    let renamed = renamed();
    let study = placement(&renamed);
    assert_eq!(study.sources.len(), placement(&published()).sources.len());
    assert!(study.sources.contains_key("operators.a.b = c (d).cpu_seconds_per_100mb"));
    let renamed = published().with("networks.100 Gb InfiniBand.name=IB").expect("a valid name");
    let study = placement(&renamed);
    assert_eq!(study.policy.network, "IB");
    assert!(study.sources.contains_key("networks.IB.effective_gbit_per_s"));
}

#[test]
fn what_was_set_takes_no_source_of_a_name_that_begins_alike() {
    let mut scenario = published();
    let study = scenario.study.placement_mut().expect("a placement study");
    study.sources.clear();
    sources::rename(study, "operators", 0, "a");
    sources::rename(study, "operators", 1, "a.cpu_curve");
    for field in ["a.input_gb", "a.cpu_curve.input_gb"] {
        let path = format!("operators.{field}");
        study.sources.insert(path, Provenance::Published("anywhere".to_owned()));
    }
    let curve = "(fixed_seconds: 0.01, gb_per_s: 3.0)";
    for (assignment, kept) in [
        (format!("operators.0.cpu_curve={curve}"), &["operators.a.cpu_curve.input_gb", "operators.a.input_gb"][..]),
        ("operators.a.input_gb=4".to_owned(), &["operators.a.cpu_curve.input_gb"]),
        ("operators.a.cpu_curve.input_gb=4".to_owned(), &["operators.a.input_gb"]),
    ] {
        let changed = scenario.with(&assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"));
        assert_eq!(changed.study.sources().keys().collect::<Vec<_>>(), kept, "{assignment}");
    }
}

#[test]
fn a_field_that_was_set_counts_as_entered_and_no_other_does() {
    let before = published();
    for path in ["cluster.machines", "networks.100 Gb InfiniBand.effective_gbit_per_s", "operators.join.output_ratio"] {
        assert!(placement(&before).sources.contains_key(path));
        let changed = before.with(&format!("{path}=2")).expect("valid");
        let mut expected = placement(&before).sources.clone();
        expected.remove(path);
        assert_eq!(placement(&changed).sources, expected, "{path}");
    }
    let changed = before.with("operators.1.output_ratio=2").expect("valid");
    assert!(!placement(&changed).sources.contains_key("operators.join.output_ratio"), "by place instead of name");
    let changed = before.with("cluster=(machines: 5, fan_in: 5)").expect("valid");
    let is_of_cluster = |path: &String| path.starts_with("cluster.");
    let mut expected = placement(&before).sources.clone();
    assert!(expected.keys().any(is_of_cluster));
    expected.retain(|path, _| !is_of_cluster(path));
    assert_eq!(placement(&changed).sources, expected);
}

#[test]
fn setting_one_field_keeps_every_bit_of_the_others() {
    let mut before = published();
    let study = before.study.placement_mut().expect("a placement study");
    study.operators[0].input_gb = 0.1 + 0.2;
    let after = before.with("cluster.machines=1000").expect("valid");
    assert_eq!(placement(&after).operators, placement(&before).operators);
    let speedup = |scenario: &Scenario| {
        evaluate(placement(scenario))
            .row(0, Variant { network: 0, compression: false })
            .map(|row| row.speedup().to_bits())
    };
    assert_eq!(speedup(&before), speedup(&after));
}

#[test]
fn a_field_that_cannot_be_set_says_why() {
    let check = |assignment: &str, expected: &str| {
        let error: SetError = published().with(assignment).expect_err(assignment);
        assert_eq!(error.to_string(), expected, "{assignment}");
    };
    check("cluster.machines", "“cluster.machines” is not of the form PATH=VALUE, e.g. cluster.machines=200");
    check("=5", "“=5” is not of the form PATH=VALUE, e.g. cluster.machines=200");
    check("", "“” is not of the form PATH=VALUE, e.g. cluster.machines=200");
    check(
        "cluster.machine=5",
        "cluster.machine: unknown field “machine”, did you mean “machines”?; expected one of: machines, fan_in, aggregation",
    );
    check(
        "operators.joint.input_gb=5",
        "operators.joint.input_gb: unknown field “joint”, did you mean “join”?; expected one of: filter, join",
    );
    check("cluster.machines.x=5", "cluster.machines.x: unknown field “x”");
    check(
        "operators.join.gpu_curve.gb_per_s=5",
        "operators.join.gpu_curve.gb_per_s: unknown field “gb_per_s”, the curve is None; give all of it: \
         operators.join.gpu_curve=(fixed_seconds: 0.01, gb_per_s: 3)",
    );
    check("cluster.machines=0", "cluster.machines: 0 is out of range; allowed: 1 … 1,000,000, whole");
    check("cluster.machines=2.5", "cluster.machines: 2.5 is not a whole number; allowed: 1 … 1,000,000, whole");
    check("cluster.machines=NaN", "cluster.machines: NaN is not a finite number; allowed: 1 … 1,000,000, whole");
    check("cluster.machines=many", "cluster.machines: many is not a number; allowed: 1 … 1,000,000, whole");
    check("cluster.machines=None", "cluster.machines: None is not a number; allowed: 1 … 1,000,000, whole");
    check("cluster.machines=", "cluster.machines: a value is missing after “=”");
    check(
        "cluster.machines=1,000",
        "cluster.machines: “1,000” is not one value; write numbers without commas and spaces",
    );
    check("cluster.machines=5 ms", "cluster.machines: expected a number such as \"1,000\" or \"1k\", found \"5 ms\"");
    check(
        "operators.join.input_gb=5 ms",
        "operators.join.input_gb: expected an amount of data such as \"1.5 TB\" or \"64 GB\", found \"5 ms\"",
    );
    check("operators.join.pin=gpu", "operators.join.pin: “gpu” is not allowed, did you mean “Gpu”?; allowed: Cpu, Gpu");
    check(
        "policy.network=10Gb ethernet",
        "policy.network: no network is called “10Gb ethernet”; allowed: 10 Gb Ethernet, 100 Gb InfiniBand; did you \
         mean “10 Gb Ethernet”?",
    );
    let groups = "expected one of: cluster, node, networks, bus, gpu, compression, operators, policy, sources";
    check("machines=5", &format!("machines: unknown field “machines”, did you mean “cluster.machines”?; {groups}"));
    check(
        "input_gb=5",
        &format!("input_gb: unknown field “input_gb”, did you mean “operators.filter.input_gb”?; {groups}"),
    );
    check(
        "study.cluster.machines=5",
        &format!(
            "study.cluster.machines: unknown field “study”, paths begin below the study: cluster.machines; {groups}"
        ),
    );
    check(
        "cluster.machines=5), node: (name: \"x\"",
        "cluster.machines: “5), node: (name: \"x\"” is not one value; write numbers without commas and spaces",
    );
    check(
        "node.scan_gb_per_s=fast",
        "node.scan_gb_per_s: fast is not a number; allowed: 1 MB/s … 100 TB/s (0.001 … 100,000 GB/s), or None",
    );
    check(
        "operators.join.class=Cubic",
        "operators.join.class: “Cubic” is not allowed; allowed: Linear, Quadratic, Power",
    );
    check("operators.join.class=Power(9)", "operators.join.class: 9 is out of range; allowed: 0.1 … 4");
    check("operators.join.pin=GPU", "operators.join.pin: “GPU” is not allowed, did you mean “Gpu”?; allowed: Cpu, Gpu");
    check(
        "operators.join.name=filter",
        "operators.join.name: “filter” is used twice; every name in operators must be unique",
    );
    check(
        "policy.network=LAN",
        "policy.network: no network is called “LAN”; allowed: 10 Gb Ethernet, 100 Gb InfiniBand",
    );
    check("policy.compression=1", "policy.compression: 1 is not allowed; allowed: true, false");
    check("operators=[]", "operators: the list is empty; at least one entry is needed");
}

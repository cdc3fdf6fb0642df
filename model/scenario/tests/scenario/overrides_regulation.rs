//! `--set` on a regulation study.

use crossover_quantity::provenance::Provenance;
use crossover_regulation::{Form, PowerLaw, Regulation};
use crossover_scenario::Scenario;

use super::regulation;

fn study(scenario: &Scenario) -> &Regulation {
    scenario.regulation().expect("a regulation study")
}

fn set(assignment: &str) -> Regulation {
    let changed = regulation().with(assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"));
    study(&changed).clone()
}

#[test]
fn fields_of_every_kind_can_be_set() {
    assert_eq!(set("clusters.I.vgpus=80").clusters[0].vgpus, 80.0);
    assert_eq!(set("clusters.1.vgpus=80").clusters[1].vgpus, 80.0);
    assert_eq!(set("run.period_seconds=500 ms").run.period_seconds, 0.5);
    assert_eq!(set("clusters.II.max_ghz=1.2 GHz").clusters[1].max_ghz, 1.2);
    assert_eq!(set("clusters.II.max_ghz=1200 MHz").clusters[1].max_ghz, 1.2);
    assert_eq!(set("clusters.I.demand.high_tops=4000 TOPS").clusters[0].demand.high_tops, 4000.0);
    assert_eq!(set("controllers.PI.kp=0.5").controllers[2].kp, 0.5);
    assert_eq!(set("controllers.PI.form=PID").controllers[2].form, Form::PID);
    assert_eq!(set("table.0.frequency_mhz=250 MHz").table[0].frequency_mhz, 250.0);
    assert_eq!(set("precisions.int4.compute_factor=1.8x").precisions[0].compute_factor, 1.8);
    assert_eq!(set("manager.delay_periods=3").manager.delay_periods, 3.0);
    assert_eq!(set("measurement.noise_share=2 %").measurement.noise_share, 0.02);
    assert_eq!(set("power.law=Cube").power.law, PowerLaw::Cube);
    assert_eq!(set("policy.controller=P").policy.controller, "P");
    let fuzzy =
        "controllers.PI.fuzzy=(error_range: 0.5, change_range: 0.1, kp_range: 0.3, ki_range: 0.1, kd_range: 0.2)";
    assert_eq!(set(fuzzy).controllers[2].fuzzy.as_ref().map(|fuzzy| fuzzy.ki_range), Some(0.1));
}

#[test]
fn a_new_name_takes_its_sources_and_what_refers_to_it_along() {
    let before = study(&regulation()).clone();
    let renamed = set("clusters.I.name=a.b");
    assert_eq!(renamed.sources.len(), before.sources.len());
    assert!(renamed.sources.contains_key("clusters.a.b.vgpus") && !renamed.sources.contains_key("clusters.I.vgpus"));
    let renamed = set("controllers.PID.name=full");
    assert_eq!(renamed.policy.controller, "full");
    let renamed = set("precisions.int8.name=i8");
    let cluster = &renamed.clusters[0];
    assert_eq!([&cluster.precision, &cluster.lowest_precision, &cluster.highest_precision], ["i8", "i8", "i8"]);
}

/// "a", "a.b" and "a.demand" are all names, and their paths begin alike.
#[test]
fn what_was_set_takes_no_source_of_a_name_that_begins_alike() {
    let mut scenario = regulation();
    let of = |place: &str| Provenance::Published(place.to_owned());
    let study = scenario.study.regulation_mut().expect("a regulation study");
    study.sources.clear();
    study.clusters.push(study.clusters[0].clone());
    for (cluster, name) in study.clusters.iter_mut().zip(["a", "a.b", "a.demand"]) {
        name.clone_into(&mut cluster.name);
    }
    let fields = ["a.vgpus", "a.demand.high_tops", "a.b.vgpus", "a.demand.vgpus", "a.demand.demand.high_tops"];
    study.sources = fields.map(|field| (format!("clusters.{field}"), of("anywhere"))).into_iter().collect();
    study.sources.insert("clusters.a.b.demand.series".to_owned(), of("anywhere"));
    study.clusters[1].demand.series = vec![1.0, 2.0].into();
    let sources = |assignment: &str| {
        let changed = scenario.with(assignment).unwrap_or_else(|error| panic!("{assignment}: {error}"));
        changed.study.sources().keys().cloned().collect::<Vec<_>>()
    };
    let without = |gone: &[&str]| -> Vec<String> {
        let all = scenario.study.sources().keys();
        all.filter(|path| !gone.iter().any(|gone| *path == &format!("clusters.{gone}"))).cloned().collect()
    };
    let cluster = "(name: \"a\", vgpus: 90, min_vgpus: 10, max_vgpus: 200, tops_per_vgpu: 100, base_ghz: 1, start_ghz: 1, \
         min_ghz: 0.8, max_ghz: 1.1, step_ghz: 0.1, precision: \"int8\", lowest_precision: \"int8\", \
         highest_precision: \"int8\", pcie_tops: 5000, demand: (shape: Constant, high_tops: 5000))";
    assert_eq!(sources(&format!("clusters.a={cluster}")), without(&["a.vgpus", "a.demand.high_tops"]));
    let demand = "(shape: Constant, high_tops: 5)";
    assert_eq!(sources(&format!("clusters.0.demand={demand}")), without(&["a.demand.high_tops"]));
    assert_eq!(sources(&format!("clusters.2.demand={demand}")), without(&["a.demand.demand.high_tops"]));
    assert_eq!(sources("clusters.a.demand.vgpus=77"), without(&["a.demand.vgpus"]));
    assert_eq!(sources("clusters.a.b.demand.series.1=7"), without(&["a.b.demand.series"]), "one of its values");
}

#[test]
fn a_field_that_was_set_counts_as_entered_and_no_other_does() {
    let before = study(&regulation()).sources.clone();
    let mut expected = before.clone();
    assert!(expected.remove("clusters.I.vgpus").is_some());
    assert_eq!(set("clusters.I.vgpus=80").sources, expected);
}

#[test]
fn a_field_that_cannot_be_set_says_why() {
    let check = |assignment: &str, expected: &str| {
        let error = regulation().with(assignment).expect_err(assignment);
        assert_eq!(error.to_string(), expected);
    };
    check("clusters.I.vgpus=300", "clusters.I.max_vgpus: vgpus 300 is above max_vgpus 200");
    check(
        "run.period_seconds=0 s",
        "run.period_seconds: 0 is out of range; allowed: 1 ms … 86,400 s (0.001 … 86,400 s)",
    );
    check(
        "controllers.PIT.kp=1",
        "controllers.PIT.kp: unknown field “PIT”, did you mean “PI”?; expected one of: P, PD, PI, PID",
    );
    check(
        "controllers.PI.schedule.kp1=1",
        "controllers.PI.schedule.kp1: unknown field “kp1”, the schedule is None; give all of it: \
         controllers.PI.schedule=(large_error: 0.4, small_error: 0.2, …)",
    );
    check(
        "policy.controller=pid",
        "policy.controller: no controller is called “pid”; allowed: P, PD, PI, PID; did you mean “PID”?",
    );
}

/// One field of another scenario, with its source, as a merge or a comparison takes it over.
#[test]
fn fields_that_limit_each_other_are_set_in_any_order() {
    let grown = regulation().with_all(&["clusters.I.vgpus=300", "clusters.I.max_vgpus=400"]).expect("together valid");
    assert_eq!((study(&grown).clusters[0].vgpus, study(&grown).clusters[0].max_vgpus), (300.0, 400.0));
    let wider = regulation().with_all(&["table.3.to=-0.2", "table.4.from=-0.2"]).expect("both ends of the dead zone");
    assert_eq!((study(&wider).table[3].to, study(&wider).table[4].from), (-0.2, -0.2));
    let refused = regulation().with_all(&["table.3.to=-0.2", "clusters.I.vgpus=50"]).expect_err("a gap");
    assert!(refused.to_string().starts_with("table.4.from: "), "{refused}");
    let unknown = regulation().with_all(&["clusters.I.vgpus=50", "clusters.I.vgpu=1"]).expect_err("no such field");
    assert!(unknown.to_string().contains("unknown field “vgpu”"), "{unknown}");
}

#[test]
fn one_field_of_another_scenario_can_be_taken_over() {
    let mut other = regulation();
    let theirs = other.study.regulation_mut().expect("a regulation study");
    theirs.clusters[0].vgpus = 120.0;
    theirs.controllers[2].ki = 0.7;
    let measured = Provenance::Imported { file: "inventory.csv".to_owned() };
    theirs.sources.insert("clusters.I.vgpus".to_owned(), measured.clone());
    let taken = regulation().with_field_of(&other, "clusters.I.vgpus").expect("the field exists");
    assert_eq!((study(&taken).clusters[0].vgpus, study(&taken).controllers[2].ki), (120.0, 0.3));
    assert_eq!(study(&taken).sources.get("clusters.I.vgpus"), Some(&measured));
    // A field that only one of them has gives nothing.
    assert!(regulation().with_field_of(&other, "clusters.III.vgpus").is_none());
    let mut narrow = regulation();
    narrow.study.regulation_mut().expect("one").clusters[0].max_vgpus = 110.0;
    let widened = narrow.with_field_of(&other, "clusters.I.vgpus").expect("limits follow");
    let cluster = &study(&widened).clusters[0];
    assert_eq!((cluster.vgpus, cluster.max_vgpus), (120.0, 120.0));
    assert!(super::published().with_field_of(&other, "clusters.I.vgpus").is_none(), "another kind of study");
}

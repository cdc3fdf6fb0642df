//! The scenario files that come with the program.

use std::path::Path;

use crossover_allocation as allocation;
use crossover_placement::evaluate;
use crossover_preemption as preemption;
use crossover_probe as probe;
use crossover_quantity::provenance::Provenance;
use crossover_regulation::recording::{self, Column, Gpus, to_demand};
use crossover_regulation::{self as regulation, Regulation};
use crossover_scenario::{SetError, Study, read};

use super::placement;

/// Name and text of every scenario file.
#[expect(clippy::disallowed_methods, reason = "the model does no I/O, this test looks at the files that come with it")]
fn shipped() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let paths = std::fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("readable").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "ron")).map(|path| {
        let text = std::fs::read_to_string(&path).expect("a text file");
        (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
    });
    texts.collect()
}

/// Tools know a study by its trait alone.
#[test]
fn a_study_of_any_kind_has_its_name_and_is_cloned_and_compared() {
    let scenarios: Vec<_> = shipped().iter().map(|(_, text)| read(text).expect("a shipped scenario")).collect();
    for scenario in &scenarios {
        let study = scenario.study.subject();
        assert_eq!(study.kind(), scenario.study.kind().key());
        let mut copy = study.to_owned();
        assert!(*copy == *study, "{}", scenario.name);
        copy.sources_mut().insert("elsewhere".to_owned(), Provenance::Entered);
        assert!(*copy != *study, "{}", scenario.name);
        let other = scenarios.iter().find(|other| other.study.kind() != scenario.study.kind());
        assert!(other.is_some_and(|other| *other.study.subject() != *study), "{}", scenario.name);
    }
}

#[test]
fn every_shipped_scenario_opens_evaluates_and_survives_being_written() {
    let files = shipped();
    assert!(files.len() >= 6, "{files:?}");
    for (name, text) in files {
        let scenario = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = scenario.to_ron();
        let again = read(&written).unwrap_or_else(|error| panic!("{name}, written again: {error}"));
        assert_eq!(again, scenario, "{name}");
        assert_eq!(again.to_ron(), written, "{name}");
        assert!(!scenario.name.is_empty() && !scenario.notes.is_empty(), "{name} says what it is about");
        match &scenario.study {
            Study::Placement(study) => {
                let outcome = evaluate(study);
                assert!(outcome.rows.iter().all(|row| row.speedup().is_finite() && !row.reason.is_empty()), "{name}");
                let summary = outcome.summary;
                let has_both = summary.on_cpu > 0 && summary.on_gpu > 0;
                // The published filter does not pay over InfiniBand, and its plan has nothing else. Scenarios with engines
                // are clusters to plan queries for.
                let may_have_one = name == "placement-query-filter.ron" || study.engines.is_some();
                assert!(has_both || may_have_one, "{name} places operators on either side");
            }
            Study::Regulation(study) => {
                let outcome = regulation::evaluate(study);
                assert!(outcome.after().tops > outcome.before().tops, "{name} gains throughput");
            }
            Study::Probe(study) => {
                let outcome = probe::evaluate(study);
                assert_eq!(outcome.built.probes.len(), 1, "{name} becomes a probe");
            }
            Study::Preemption(study) => {
                let outcome = preemption::evaluate(study);
                let alone = outcome.of(preemption::Policy::Exclusive).means.throughput.mean;
                assert!(outcome.chosen(study).means.throughput.mean > alone, "{name} gains by sharing");
            }
            Study::Allocation(study) => {
                let outcome = allocation::evaluate(study);
                assert!(outcome.own().end().allocated_percent > 5.0, "{name} gives GPUs away");
            }
        }
    }
}

/// The figures that a shipped scenario takes from the catalogue are the catalogue's.
#[test]
fn preset_numbers_of_shipped_scenarios_stand_in_the_catalogue() {
    let catalogue = crossover_quantity::catalogue::Catalogue::parse([
        include_str!("../../../../assets/gpus.ron"),
        include_str!("../../../../assets/networks.ron"),
        include_str!("../../../../assets/nodes.ron"),
        include_str!("../../../../assets/codecs.ron"),
        include_str!("../../../../assets/instances.ron"),
    ])
    .expect("the catalogue is valid");
    let mut checked = 0;
    for (file, text) in shipped() {
        let scenario = read(&text).expect("valid");
        let Some(study) = scenario.placement() else { continue };
        for (path, source) in &study.sources {
            let Provenance::Preset { entry, .. } = source else { continue };
            let gpu = catalogue.gpu(entry);
            let network = catalogue.network(entry);
            let here =
                |network: &str| study.networks.iter().find(|other| path.contains(network) && other.name == network);
            let links = study.gpu.gpus_per_machine;
            if path == "bill.items.GPU.usd_per_hour" {
                let price = gpu.and_then(|gpu| gpu.price.as_ref()).expect("a price");
                assert_eq!(price.per, crossover_quantity::catalogue::PricedPer::Hour);
                assert_eq!(study.bill.as_deref().expect("a bill").items[0].usd_per_hour, price.usd);
                continue;
            }
            let (value, figure) = match path.rsplit('.').next().expect("not empty") {
                "cpu_parallelism" => (study.node.cpu_parallelism, catalogue.node(entry).map(|node| &node.cores)),
                "memory_gb_per_s" => (
                    study.node.memory_gb_per_s.expect("present"),
                    catalogue.node(entry).and_then(|node| node.effective_memory_gb_per_s.as_ref()),
                ),
                "gpu_parallelism" => (study.gpu.gpu_parallelism, gpu.map(|gpu| &gpu.parallelism)),
                "gpu_memory_gb" => (study.gpu.gpu_memory_gb.expect("present"), gpu.map(|gpu| &gpu.memory_gb)),
                // One link for each GPU.
                "to_gpu_gb_per_s" => (study.bus.to_gpu_gb_per_s / links, gpu.map(|gpu| &gpu.to_gpu_gb_per_s)),
                "from_gpu_gb_per_s" => (study.bus.from_gpu_gb_per_s / links, gpu.map(|gpu| &gpu.from_gpu_gb_per_s)),
                "line_gbit_per_s" => {
                    (here(entry).expect(path).line_gbit_per_s, network.map(|network| &network.line_gbit_per_s))
                }
                "effective_gbit_per_s" => (
                    here(entry).expect(path).effective_gbit_per_s,
                    network.map(|network| &network.effective_gbit_per_s),
                ),
                "compress_gb_per_s" => {
                    (study.compression.compress_gb_per_s, catalogue.codec(entry).map(|codec| &codec.compress_gb_per_s))
                }
                "decompress_gb_per_s" => (
                    study.compression.decompress_gb_per_s,
                    catalogue.codec(entry).map(|codec| &codec.decompress_gb_per_s),
                ),
                other => panic!("{file}: {other} is no figure of the catalogue"),
            };
            let figure = figure.unwrap_or_else(|| panic!("{file}: the catalogue has no “{entry}”"));
            assert_eq!(value, figure.value, "{file}: {path}");
            checked += 1;
        }
    }
    assert!(checked >= 20, "{checked}");
}

#[test]
fn the_shipped_clusters_answer_in_words() {
    let reasons = |file: &str| {
        let (_, text) = shipped().into_iter().find(|(name, _)| name == file).expect(file);
        let scenario = read(&text).expect("valid");
        let study = placement(&scenario);
        let outcome = evaluate(study);
        let lines = outcome.chosen().map(|row| format!("{}: {}", study.operators[row.operator].name, row.reason));
        lines.chain(outcome.warnings.iter().cloned()).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("modern", reasons("placement-modern.ron"));
    insta::assert_snapshot!("small", reasons("placement-small.ron"));
}

fn regulation_of(file: &str) -> Regulation {
    let (_, text) = shipped().into_iter().find(|(name, _)| name == file).expect(file);
    read(&text).expect("valid").regulation().expect("a regulation study").clone()
}

/// The second day, by hand. A whole day of a cosine has the mean of its ends: Video (500 + 5,000)/2 = 2,750, Training
/// (2,000 + 16,000)/2 = 9,000 TOPS. Without control Training is cut at 10,000: with θ = acos(1/7) its mean is
/// 9,000 − (7,000·sin θ − 1,000·θ)/π = 7,249. With 150 vGPUs at 1.1 GHz it has 16,500, more than its peak.
#[test]
fn two_opposite_days_serve_in_the_second_night_what_the_first_rejected() {
    let outcome = regulation::evaluate(&regulation_of("regulation-day.ron"));
    let theta = (1.0f64 / 7.0).acos();
    let cut = 9000.0 - (7000.0 * theta.sin() - 1000.0 * theta) / std::f64::consts::PI;
    assert!((outcome.before().tops - (2750.0 + cut)).abs() < 1.0, "{}", outcome.before().tops);
    assert!((outcome.after().tops - 11_750.0).abs() < 1e-6, "{}", outcome.after().tops);
    let after = &outcome.after().clusters;
    assert_eq!([after[0].vgpus, after[1].vgpus, after[1].frequency_ghz], [50.0, 150.0, 1.1]);
    // All that is turned away is turned away in the first night.
    let last_day = outcome.chosen().steps.iter().filter(|step| step.period >= 288);
    assert!(last_day.into_iter().all(|step| (step.demand - step.tops).abs() < 1e-9));
    assert!(after[1].rejected > 0.0 && after[1].rejected < outcome.before().clusters[1].rejected / 4.0);
    assert_eq!(outcome.controllers.len(), 4);
    assert!(outcome.controllers.iter().all(|run| run.figures.settling_periods.is_none()), "demand never rests");
    assert!(outcome.after().cost > 0.0, "energy has a price");
}

/// PI ends where the published example does, in spite of noise and late readings: 5,000 + 16,500 TOPS. Noise of 2 % has
/// a standard deviation of √2·0.02 = 0.028 in e: with Kp = 1 the dead zone is 3.5 of them wide, with Kp = 3 only 1.2.
#[test]
fn noisy_readings_need_a_dead_zone_and_an_integral() {
    let outcome = regulation::evaluate(&regulation_of("regulation-noisy.ron"));
    let run = |name: &str| outcome.controllers.iter().find(|run| run.name == name).expect(name);
    let vgpus = |name: &str| run(name).figures.state.clusters[0].vgpus;
    assert_eq!((vgpus("PI"), outcome.after().clusters[1].vgpus), (50.0, 150.0));
    assert!((outcome.after().tops - 21_500.0).abs() < 1e-6, "{}", outcome.after().tops);
    assert!(vgpus("P") > 50.0, "the dead zone hides the last vGPUs from P: {}", vgpus("P"));
    assert!(run("P").figures.state.tops < outcome.after().tops);
    let lost = |name: &str| run(name).figures.state.clusters[0].rejected;
    assert_eq!([lost("P"), lost("PI")], [0.0, 0.0]);
    for hasty in ["P, Kp = 3", "PD"] {
        assert!(vgpus(hasty) < 50.0, "{hasty} takes vGPUs from I: {}", vgpus(hasty));
        assert!(lost(hasty) > 0.0, "I needs them: it turns work away with {hasty}");
        assert!(
            outcome.every_warning().iter().any(|warning| warning.starts_with(&format!("{hasty}: noise"))),
            "{hasty}"
        );
    }
    assert!(!outcome.every_warning().iter().any(|warning| warning.starts_with("P:") || warning.starts_with("PI:")));
}

/// SM activity × 10,000 TOPS, those of 100 vGPUs. Without control the 80 vGPUs serve at most 8,000 TOPS of them, with control all. The
/// ceiling is that of `crossover replay` at the recorded link, 63.0154 GB/s.
#[test]
fn a_recorded_load_is_served_in_full_once_vgpus_have_moved() {
    let text = include_str!("../../../../gpu-bench/results/nvidia-h100-80gb-hbm3-2026-11-26-readings.csv");
    let recording = recording::read(text, 1.0).expect("a recording");
    let activity = &recording.tracks[0].values[&Column::SmActive];
    let study = regulation_of("regulation-recorded.ron");
    let cluster = &study.clusters[1];
    assert_eq!(cluster.demand.series.len(), activity.len());
    let is_same = |(tops, share): (&f64, &f64)| (tops - 10_000.0 * share).abs() < 0.05;
    assert!(cluster.demand.series.iter().zip(activity).all(is_same), "{:?}", cluster.demand.series);
    let mut of_100 = study.clone();
    of_100.clusters[1].vgpus = 100.0;
    let replay = to_demand(&recording, Gpus::One(0), &of_100, 1, 63.0154, None).expect("a demand");
    assert!((cluster.pcie_tops - replay.pcie_tops.expect("a ceiling")).abs() < 0.1, "{}", cluster.pcie_tops);
    let mean =
        |most: f64| activity.iter().map(|share| (10_000.0 * share).min(most)).sum::<f64>() / activity.len() as f64;
    let outcome = regulation::evaluate(&study);
    let [before, after] = [outcome.before().tops, outcome.after().tops];
    assert!((before - (5000.0 + mean(8000.0))).abs() < 1.0, "{before}");
    assert!((after - (5000.0 + mean(10_000.0))).abs() < 1.0, "{after}");
}

/// What the published simulator allocates of the whole cluster at a demand of 130 %, means of its ten runs
/// (docs/model/allocation.md). Means of ten orders of a cluster that is 20 times smaller vary by some tenths of a per cent.
#[test]
fn a_twentieth_of_the_cluster_of_alibaba_allocates_as_much_as_the_whole() {
    let (_, text) = shipped().into_iter().find(|(name, _)| name == "allocation-openb.ron").expect("the file");
    let scenario = read(&text).expect("valid");
    let outcome = allocation::evaluate(scenario.allocation().expect("an allocation study"));
    for (policy, percent) in [
        (allocation::Policy::Random, 87.47),
        (allocation::Policy::DotProduct, 90.85),
        (allocation::Policy::Clustering, 91.88),
        (allocation::Policy::Packing, 92.00),
        (allocation::Policy::BestFit, 93.08),
        (allocation::Policy::Fgd, 95.39),
    ] {
        let found = outcome.policies.iter().find(|found| found.policy == policy).expect("every policy");
        let allocated = found.end().allocated_percent;
        assert!((allocated - percent).abs() < 1.0, "{policy:?}: {allocated} instead of {percent}");
    }
}

/// Every number of the published example that the document states says where.
#[test]
fn published_numbers_of_regulation_say_where_they_stand() {
    let study = regulation_of("regulation-published.ron");
    for path in ["clusters.I.vgpus", "clusters.II.pcie_tops", "clusters.II.max_ghz", "table.0.vgpus", "table.8.from"] {
        assert!(matches!(study.sources.get(path), Some(Provenance::Published(place)) if place.contains("paragraph")));
    }
}

#[test]
fn a_number_that_a_file_leaves_out_while_it_is_absent_can_be_set() {
    let scenario = read(include_str!("../../../../scenarios/placement-truth-aws-l4.ron")).expect("a scenario");
    let measured = |text: &str| {
        let set = scenario.with(&format!("engines.measured_seconds={text}"))?;
        Ok(set.placement().expect("a placement").engines.as_ref().expect("engines").measured_seconds)
    };
    assert_eq!(measured("4.3"), Ok(Some(4.3)));
    assert_eq!(measured("250 ms"), Ok(Some(0.25)));
    let refused = |text: &str| measured(text).map_err(|error: SetError| error.to_string()).expect_err("a refusal");
    assert!(refused("-1").contains("engines.measured_seconds"), "{}", refused("-1"));
    assert!(refused("soon").contains("engines.measured_seconds"), "{}", refused("soon"));
    // One more digit in a name is still no field.
    assert!(scenario.with("engines.measured_second=4.3").is_err());
}

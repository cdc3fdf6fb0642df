//! The scenario files that come with the program.

use std::path::Path;

use crossover_model::placement::evaluate;
use crossover_model::provenance::Provenance;
use crossover_model::scenario::read;

use super::placement;

/// Name and text of every scenario file.
#[expect(clippy::disallowed_methods, reason = "the model does no I/O, this test looks at the files that come with it")]
fn shipped() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let paths = std::fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("readable").path());
    let texts = paths.map(|path| {
        let text = std::fs::read_to_string(&path).expect("a text file");
        (path.file_name().expect("a file").to_string_lossy().into_owned(), text)
    });
    texts.collect()
}

#[test]
fn every_shipped_scenario_opens_evaluates_and_survives_being_written() {
    let files = shipped();
    assert!(files.len() >= 3, "{files:?}");
    for (name, text) in files {
        let scenario = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = scenario.to_ron();
        let again = read(&written).unwrap_or_else(|error| panic!("{name}, written again: {error}"));
        assert_eq!(again, scenario, "{name}");
        assert_eq!(again.to_ron(), written, "{name}");
        assert!(!scenario.name.is_empty() && !scenario.notes.is_empty(), "{name} says what it is about");
        let outcome = evaluate(placement(&scenario));
        assert!(outcome.rows.iter().all(|row| row.speedup().is_finite() && !row.reason.is_empty()), "{name}");
        let summary = outcome.summary;
        assert!(summary.on_cpu > 0 && summary.on_gpu > 0, "{name} places operators on either side");
    }
}

/// The figures that a shipped scenario takes from the catalogue are the catalogue's.
#[test]
fn preset_numbers_of_shipped_scenarios_stand_in_the_catalogue() {
    let catalogue = crossover_model::catalogue::Catalogue::parse(
        include_str!("../../../assets/gpus.ron"),
        include_str!("../../../assets/networks.ron"),
        include_str!("../../../assets/nodes.ron"),
        include_str!("../../../assets/codecs.ron"),
    )
    .expect("the catalogue is valid");
    let mut checked = 0;
    for (file, text) in shipped() {
        let scenario = read(&text).expect("valid");
        let study = placement(&scenario);
        for (path, source) in &study.sources {
            let Provenance::Preset { entry, .. } = source else { continue };
            let gpu = catalogue.gpu(entry);
            let network = catalogue.network(entry);
            let here =
                |network: &str| study.networks.iter().find(|other| path.contains(network) && other.name == network);
            let links = study.gpu.gpus_per_machine;
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

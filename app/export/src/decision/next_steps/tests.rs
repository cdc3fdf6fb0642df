//! Settings of trials, as the documents of the engines have them.

use crossover_decision::evidence::{VersionDifference, VersionSupport};
use crossover_decision::{Baseline, Candidate, Evidence, Objective, PredictedTime, Price, decide};
use crossover_query::settings::{DRIVER_MEMORY, EXECUTOR_MEMORY};

use super::*;

fn option(engine: &str, machine: &str, version: Option<VersionDifference>) -> DecisionOption {
    let baseline = Baseline::measured("today", 20.0, Some(Price::entered(1.0)));
    let time = PredictedTime::within(10.0, 1.5);
    let candidate = Candidate {
        title: format!("{engine}, 4 × {machine}"),
        machines: Some(4.0),
        lanes: Some(2.0),
        evidence: Evidence { version, ..Evidence::default() },
        ..Candidate::predicted(engine, time, Some(Price::entered(1.0)))
    };
    decide(baseline, vec![candidate], Objective::default()).options.remove(0)
}

/// An executor of RAPIDS has one GPU.
#[test]
fn rapids_has_an_executor_for_each_gpu_and_a_script_that_finds_it() {
    let found = trial(&option("RAPIDS 25.12 (L4)", "g6.2xlarge", None), Verdict::Move, &SparkSettings::default())
        .expect("settings");
    for expected in [
        "spark.executor.instances=8",
        "spark.executor.resource.gpu.amount=1",
        "spark.executor.resource.gpu.discoveryScript=./getGpusResources.sh",
        "spark.executor.cores=4",
    ] {
        assert!(found.settings.iter().any(|setting| setting == expected), "{expected}: {found:?}");
    }
    assert!(found.needs.iter().any(|need| need.contains("rapids-4-spark_2.12:25.12.0")), "{found:?}");
    let text = found.text_with(&DecideArguments::default());
    assert!(text.ends_with("then compare its log: crossover decide LOG --trial TRIAL_LOG"), "{text}");
    // The kind of a price changes no size.
    let spot = trial(
        &option("RAPIDS 25.12 (L4)", "g6.2xlarge (spot, eu-west-1)", None),
        Verdict::Move,
        &SparkSettings::default(),
    );
    assert_eq!(spot.expect("settings").settings, found.settings);
    // Sizes of another machine are not known.
    let other = trial(&option("RAPIDS 25.12 (L4)", "g6.4xlarge", None), Verdict::Move, &SparkSettings::default())
        .expect("settings");
    assert!(!other.settings.iter().any(|setting| setting.starts_with("spark.executor.cores")), "{other:?}");
}

#[test]
fn another_version_of_spark_is_to_be_checked_before_a_trial() {
    let difference =
        VersionDifference { measured: "Spark 3.5.8".to_owned(), today: "Spark 4.3.0".to_owned(), is_major: true };
    let comet = option("Comet 0.17.0 on Spark 3.5.8", "r8gd", Some(difference));
    let found = trial(&comet, Verdict::Try, &SparkSettings::default()).expect("settings");
    let said = "Spark 4.3.0 differs in the major version from Spark 3.5.8, which was measured";
    assert!(found.needs.iter().any(|need| need.contains(said) && need.starts_with("Check")), "{found:?}");
    assert!(found.settings.contains(&"spark.plugins=org.apache.spark.CometPlugin".to_owned()), "{found:?}");
    let same = trial(&option("Gluten (Velox) on Spark 3.5.3", "c5d", None), Verdict::Try, &SparkSettings::default())
        .expect("settings");
    assert!(!same.needs.iter().any(|need| need.starts_with("Check")), "{same:?}");
    assert_eq!(trial(&option("Sirius", "GH200", None), Verdict::Try, &SparkSettings::default()), None);
}

fn of_log(settings: &[(&str, &str)]) -> SparkSettings {
    let mut found = SparkSettings::default();
    found.take(&settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect());
    found
}

/// MiB of a setting.
fn mib(trial: &Trial, name: &str) -> f64 {
    let found = trial.settings.iter().find_map(|setting| setting.strip_prefix(name)?.strip_prefix('='));
    let found = found.and_then(|size| size.strip_suffix('m')).expect(name);
    found.parse().expect("a number")
}

#[test]
fn heap_and_off_heap_memory_are_together_what_an_executor_has_today() {
    for engine in ["Gluten (Velox) on Spark 3.5.3", "Comet 0.17.0 on Spark 3.5.8"] {
        let of_log = of_log(&[(EXECUTOR_MEMORY, "9397M")]);
        let found = trial(&option(engine, "c5d", None), Verdict::Try, &of_log).expect("settings");
        let (heap, off_heap) = (mib(&found, EXECUTOR_MEMORY), mib(&found, OFF_HEAP_SIZE));
        assert!((heap + off_heap - 9397.0).abs() < 1e-9 && (off_heap / 9397.0 - 0.7).abs() < 1e-3, "{found:?}");
    }
    // Spark refuses executors whose heap is below 450 MiB.
    for unknown in [of_log(&[]), of_log(&[(EXECUTOR_MEMORY, "512m")])] {
        let found = trial(&option("Gluten (Velox)", "c5d", None), Verdict::Try, &unknown).expect("settings");
        assert!(!found.settings.iter().any(|setting| setting.starts_with(OFF_HEAP_SIZE)), "{found:?}");
        assert!(found.needs.iter().any(|need| need.contains("70 %") && need.contains(OFF_HEAP_SIZE)), "{found:?}");
    }
}

#[test]
fn a_class_path_of_the_log_is_kept() {
    let of_log = of_log(&[("spark.executor.extraClassPath", "/opt/lzo/*:/opt/s3.jar")]);
    let found = trial(&option("Gluten (Velox)", "c5d", None), Verdict::Try, &of_log).expect("settings");
    let expected = "spark.executor.extraClassPath=/path/to/gluten-velox-bundle.jar:/opt/lzo/*:/opt/s3.jar";
    assert!(found.settings.iter().any(|setting| setting == expected), "{found:?}");
    assert!(found.needs.iter().any(|need| need.starts_with("spark.executor.extraClassPath")), "{found:?}");
}

/// The commands of the pages of NVIDIA about YARN, Spark's own manager, Kubernetes, Amazon EMR and Databricks, and of the script of
/// Dataproc: where each has the JAR and the script.
#[test]
fn the_jar_and_the_script_of_rapids_reach_the_machines_of_each_cluster_manager() {
    const JAR: &str = "rapids-4-spark_2.12-25.12.0.jar";
    const DISCOVERY: &str = "spark.executor.resource.gpu.discoveryScript=";
    const OF_SERVICE: &str = "/usr/lib/spark/scripts/gpu/getGpusResources.sh";
    let local = format!("/path/to/{JAR}");
    let local = local.as_str();
    for (name, value, jars, files, script) in [
        ("spark.master", "yarn", Some(local), Some("/path/to/getGpusResources.sh"), Some("./getGpusResources.sh")),
        ("spark.app.name", "unknown", Some(local), Some("/path/to/getGpusResources.sh"), Some("./getGpusResources.sh")),
        ("spark.master", "spark://host:7077", Some(local), None, None),
        ("spark.master", "k8s://host", None, None, Some("/opt/sparkRapidsPlugin/getGpusResources.sh")),
        ("spark.emr.default.executor.cores", "4", None, None, Some(OF_SERVICE)),
        ("spark.dataproc.engine", "default", None, None, Some(OF_SERVICE)),
        ("spark.databricks.clusterUsageTags.sparkVersion", "13.3.x-scala2.12", None, None, None),
    ] {
        let rapids = option("RAPIDS 25.12 (L4)", "g6.2xlarge", None);
        let found = trial(&rapids, Verdict::Move, &of_log(&[(name, value)])).expect("settings");
        let command = found.command();
        let argument = |option: &str| {
            let line = command.iter().find_map(|line| line.trim_start().strip_prefix(option)?.strip_suffix(" \\"));
            line.map(|value| value.trim().trim_matches('\'').to_owned())
        };
        assert_eq!(argument("--jars").as_deref(), jars, "{value}: {found:?}");
        assert_eq!(argument("--files").as_deref(), files, "{value}: {found:?}");
        let found_script = found.settings.iter().find_map(|setting| setting.strip_prefix(DISCOVERY));
        assert_eq!(found_script, script, "{value}: {found:?}");
        // Releases of Amazon EMR have the JAR, and the initialization action of Dataproc installs it.
        let brings_jar = found.needs.iter().any(|need| need.starts_with("The JAR of RAPIDS"));
        assert_eq!(brings_jar, script != Some(OF_SERVICE), "{value}: {found:?}");
    }
    let of = |manager: &str| {
        let rapids = option("RAPIDS 25.12 (L4)", "g6.2xlarge", None);
        trial(&rapids, Verdict::Move, &of_log(&[("spark.master", manager)])).expect("settings")
    };
    let has = |found: &Trial, part: &str| found.needs.iter().any(|need| need.contains(part));
    assert!(
        has(&of("spark://host:7077"), "spark.worker.resource.gpu.discoveryScript"),
        "{:?}",
        of("spark://host:7077")
    );
    let inside = format!("spark.executor.extraClassPath=/opt/sparkRapidsPlugin/{JAR}");
    assert!(of("k8s://host").settings.contains(&inside), "{:?}", of("k8s://host"));
}

/// Spark's page “Running on YARN”: files of --jars are in the working directory of each container.
#[test]
fn a_jar_of_the_class_path_is_where_the_cluster_manager_puts_it() {
    for (engine, jar) in
        [("Gluten (Velox)", "gluten-velox-bundle.jar"), ("Comet 0.17.0 on Spark 3.5.8", "comet-spark.jar")]
    {
        for (master, executor, is_copied) in [
            ("yarn", format!("./{jar}"), true),
            ("k8s://host", format!("/opt/spark/jars/{jar}"), false),
            ("spark://host:7077", format!("/path/to/{jar}"), true),
        ] {
            let of_log = of_log(&[("spark.master", master)]);
            let found = trial(&option(engine, "c5d", None), Verdict::Try, &of_log).expect("settings");
            let expected = format!("spark.executor.extraClassPath={executor}");
            assert!(found.settings.contains(&expected), "{master}: {found:?}");
            assert_eq!(
                found.settings.contains(&format!("spark.jars=/path/to/{jar}")),
                is_copied,
                "{master}: {found:?}"
            );
        }
    }
}

#[test]
fn a_number_of_executors_ends_dynamic_allocation() {
    let of_log = of_log(&[(DYNAMIC_ALLOCATION, "true")]);
    let found = trial(&option("RAPIDS 25.12 (L4)", "g6.2xlarge", None), Verdict::Try, &of_log).expect("settings");
    assert!(found.settings.iter().any(|setting| setting == "spark.dynamicAllocation.enabled=false"), "{found:?}");
    let fixed = trial(&option("RAPIDS 25.12 (L4)", "g6.2xlarge", None), Verdict::Try, &SparkSettings::default());
    assert!(!fixed.expect("settings").settings.iter().any(|setting| setting.contains("dynamic")));
}

/// The words of a command as a POSIX shell reads them (IEEE 1003.1, Shell Command Language, 2.2 Quoting and 2.3 Token
/// Recognition): a backslash before a line end continues the line, and single quotes keep everything up to the next one.
fn shell_words(text: &str) -> Vec<String> {
    let (mut words, mut word): (Vec<String>, Option<String>) = (Vec::new(), None);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('\n') => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
                None => panic!("nothing is escaped"),
            },
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(quoted) => word.push(quoted),
                        None => panic!("a quotation without its end"),
                    }
                }
            }
            '\n' => panic!("a second command"),
            c if c.is_whitespace() => words.extend(word.take()),
            // What a shell would expand or interpret.
            c => {
                assert!(!"*?[]$`\"&|;<>(){}~#!".contains(c), "{c} without quotes");
                word.get_or_insert_default().push(c);
            }
        }
    }
    words.extend(word);
    words
}

#[test]
fn the_settings_are_one_command_of_a_shell() {
    let path = "/opt/lzo/*:/opt/it's here.jar;$HOME";
    let of_log = of_log(&[("spark.executor.extraClassPath", path), (EXECUTOR_MEMORY, "8g")]);
    for engine in ["Gluten (Velox)", "Comet 0.17.0 on Spark 3.5.8", "RAPIDS 25.12 (L4)"] {
        let found = trial(&option(engine, "g6.2xlarge", None), Verdict::Move, &of_log).expect("settings");
        let words = shell_words(&found.command().join("\n"));
        let (first, rest) = words.split_first().expect("a command");
        let (last, pairs) = rest.split_last().expect("an application");
        assert_eq!((first.as_str(), last.as_str()), ("spark-submit", "APPLICATION"));
        let mut settings = Vec::new();
        for pair in pairs.chunks(2) {
            // spark-submit takes --jars and --files for these settings.
            settings.push(match pair[0].as_str() {
                "--conf" => pair[1].clone(),
                "--jars" => format!("spark.jars={}", pair[1]),
                "--files" => format!("spark.files={}", pair[1]),
                "--master" => format!("spark.master={}", pair[1]),
                other => panic!("{other}"),
            });
        }
        assert_eq!(settings, found.settings, "{engine}");
    }
}

/// java.util.Properties, load: the first space ends the name, a backslash escapes the next character, and a line ends at a line break.
#[test]
fn the_settings_are_lines_of_a_properties_file() {
    let bundle = "/path/to/gluten-velox-bundle.jar";
    // A value with a line break, which would begin another setting, is not taken from a log.
    for (path, class_path) in [
        (r"C:\jars\lzo.jar", format!(r"{bundle}:C:\\jars\\lzo.jar")),
        ("lzo.jar\r\nspark.jars x.jar", bundle.to_owned()),
    ] {
        let of_log = of_log(&[("spark.executor.extraClassPath", path)]);
        let found = trial(&option("Gluten (Velox)", "c5d", None), Verdict::Try, &of_log).expect("settings");
        let lines = found.defaults();
        assert_eq!(lines.len(), found.settings.len());
        assert_eq!(lines[0], "spark.plugins org.apache.gluten.GlutenPlugin");
        assert!(lines.contains(&format!("spark.executor.extraClassPath {class_path}")), "{lines:?}");
    }
}

#[test]
fn in_local_mode_the_memory_is_the_drivers() {
    let local = |memory: &[(&str, &str)]| {
        let of_log = of_log(&[&[("spark.master", "local[*]")][..], memory].concat());
        trial(&option("Gluten (Velox)", "c5d", None), Verdict::Try, &of_log).expect("settings")
    };
    let known = local(&[(DRIVER_MEMORY, "30g")]);
    assert!((mib(&known, DRIVER_MEMORY) + mib(&known, OFF_HEAP_SIZE) - 30.0 * 1024.0).abs() < 1e-9, "{known:?}");
    assert!(!known.settings.iter().any(|setting| setting.starts_with(EXECUTOR_MEMORY)), "{known:?}");
    assert!(known.needs.iter().any(|need| need.contains("local mode")), "{known:?}");
    let unknown = local(&[]);
    assert!(unknown.needs.iter().any(|need| need.contains("today’s spark.driver.memory")), "{unknown:?}");
}

/// NVIDIA/spark-rapids, discussion 8094: in local mode, Spark hangs where GPUs are requested, and it uses one GPU at most. Spark's page
/// “Submitting Applications”: `--master local[*]` runs Spark in the driver, `spark://HOST:PORT` on a standalone cluster.
#[test]
fn after_local_mode_a_trial_on_the_same_machines_is_local_and_one_on_several_machines_has_a_cluster() {
    let of_log = of_log(&[("spark.master", "local[*]")]);
    let of = |engine: &str, is_on_same_machines: bool, machines: f64, lanes: f64| {
        let mut tried = option(engine, "g6.2xlarge", None);
        let of_option = &mut tried.candidate;
        of_option.is_on_same_machines = is_on_same_machines;
        (of_option.machines, of_option.lanes) = (Some(machines), Some(lanes));
        trial(&tried, Verdict::Try, &of_log).expect("settings")
    };
    let local = [
        of("Gluten (Velox)", true, 1.0, 8.0),
        of("Comet 0.17.0 on Spark 3.5.8", true, 1.0, 8.0),
        of("RAPIDS 25.12 (L4)", false, 1.0, 1.0),
    ];
    for found in local {
        assert_eq!(found.command()[1], "  --master 'local[*]' \\", "{found:?}");
        assert!(!found.settings.iter().any(|setting| setting.starts_with("spark.executor.")), "{found:?}");
        assert!(found.needs.iter().any(|need| need.contains("local mode (spark.master=local[*])")), "{found:?}");
        assert!(!found.needs.iter().any(|need| need.contains("YARN")), "{found:?}");
    }
    for (machines, gpus) in [(4.0, 1.0), (1.0, 4.0)] {
        let found = of("RAPIDS 25.12 (L4)", false, machines, gpus);
        assert_eq!(found.command()[1], "  --master spark://HOST:7077 \\", "{found:?}");
        assert!(found.settings.contains(&"spark.executor.instances=4".to_owned()), "{found:?}");
        let has = |part: &str| found.needs.iter().any(|need| need.contains(part));
        assert!(has("sbin/start-master.sh") && has("spark.worker.resource.gpu.discoveryScript"), "{found:?}");
        assert!(!has("names no cluster manager"), "{found:?}");
    }
}

#[test]
fn what_the_documents_of_an_engine_say_of_the_version_comes_first() {
    let of = |is_supported: Option<bool>| {
        let mut tried = option("Gluten (Velox)", "c5d", None);
        let (sentence, source) = ("what they say".to_owned(), "their page".to_owned());
        tried.candidate.evidence.support = Some(VersionSupport { is_supported, sentence, source });
        trial(&tried, Verdict::Try, &SparkSettings::default()).expect("settings").needs
    };
    assert!(of(Some(false))[0].starts_with("Change the version of Spark first: what they say (their page)"));
    assert!(of(None)[0].starts_with("Check that the engine supports your build of Spark: what they say"));
    assert!(!of(Some(true)).iter().any(|need| need.contains("what they say")));
}

/// The versions are those of `docs/get-started/Velox.md` of apache/gluten, branch-1.4 and branch-1.6, and of
/// `docs/source/user-guide/latest/installation.md` of apache/datafusion-comet 0.17.0.
#[test]
fn the_release_to_install_is_named_with_the_versions_of_spark_that_it_supports() {
    let of = |engine: &str| {
        let tried = option(engine, "c5d", None);
        trial(&tried, Verdict::Try, &SparkSettings::default()).expect("settings").needs
    };
    for (engine, jar, versions) in [
        (
            "Gluten (Velox) on Spark 3.5.3",
            "The bundle of Gluten 1.4 with Velox ",
            "Gluten 1.4 supports Spark 3.2, 3.3, 3.4 and 3.5 (docs/get-started/Velox.md of apache/gluten, branch-1.4, 2025-06-06). \
             The measured runs do not name their release; this was the newest one at their date.",
        ),
        (
            "Gluten 1.6.0 (Velox) on Spark 3.5.8",
            "The bundle of Gluten 1.6 with Velox ",
            "Gluten 1.6 supports Spark 3.2, 3.3, 3.4 and 3.5 (docs/get-started/Velox.md of apache/gluten, branch-1.6, 2026-03-04).",
        ),
        (
            "Comet 0.17.0 on Spark 3.5.8",
            "The JAR of Comet 0.17.0 (org.apache.datafusion:",
            "Comet 0.17.0 supports Spark 3.4, 3.5, 4.0 and 4.1 (docs/source/user-guide/latest/installation.md of \
             apache/datafusion-comet 0.17.0, 2026-06-16).",
        ),
    ] {
        let needs = of(engine);
        assert!(needs.iter().any(|need| need.starts_with(jar)), "{engine}: {needs:?}");
        assert!(needs.iter().any(|need| need == versions), "{engine}: {needs:?}");
    }
    // Nothing is known of what a release without documents supports.
    let other = of("Comet 0.9.0 on Spark 3.5.3");
    assert!(other.iter().any(|need| need.starts_with("The JAR of Comet 0.9.0 (")), "{other:?}");
    assert!(!other.iter().any(|need| need.contains(" supports Spark ")), "{other:?}");
}

/// A trial of an engine that does not support the version of the log names no version to run but what the documents say.
#[test]
fn on_an_unsupported_version_the_measured_one_is_named_as_such_and_not_as_that_of_the_trial() {
    let difference =
        VersionDifference { measured: "Spark 3.5.3".to_owned(), today: "Spark 3.1.1".to_owned(), is_major: false };
    let mut tried = option("Gluten (Velox) on Spark 3.5.3", "c5d", Some(difference));
    let of = |tried: &DecisionOption| trial(tried, Verdict::Try, &SparkSettings::default()).expect("settings");
    assert!(of(&tried).text.starts_with("Run it once on Gluten (Velox) on Spark 3.5.3, 4 × c5d with"));
    let (sentence, source) = ("the nearest is Spark 3.2".to_owned(), "their page".to_owned());
    tried.candidate.evidence.support = Some(VersionSupport { is_supported: Some(false), sentence, source });
    let found = of(&tried);
    let start = "Run it once on Gluten (Velox), 4 × c5d, on a supported version of Spark, with these settings, ";
    assert!(found.text.starts_with(start), "{found:?}");
    let first = "Change the version of Spark first: the nearest is Spark 3.2 (their page). The prediction is from runs with Spark 3.5.3; \
                 with the supported version, the time may differ.";
    assert_eq!(found.needs[0], first);
    assert_eq!(found.option, "Gluten (Velox) on Spark 3.5.3, 4 × c5d");
}

//! How an option is tried, and how its log is compared.

mod files;

use crossover_decision::{Candidate, DecisionOption, Verdict};
use crossover_files::shell::quoted;
use crossover_plan::options::support::{ListedVersions, listed_versions};
use crossover_query::settings::{
    ClusterManager, DYNAMIC_ALLOCATION, MASTER, OFF_HEAP_ENABLED, OFF_HEAP_SIZE, SparkSettings,
};

use crate::arguments::DecideArguments;
use files::{CLASS_PATHS, EngineFiles, FILES, JARS, Runner, of_class_path, of_rapids};

/// How an option is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The option.
    pub option: String,
    /// What to do, in a sentence without the command that compares the log.
    pub text: String,
    /// Settings of Spark that it needs, each "key=value".
    pub settings: Vec<String>,
    /// What else it needs: files, versions, sizes; a sentence each.
    pub needs: Vec<String>,
}

impl Trial {
    /// What to do, in a sentence whose command has these arguments.
    #[must_use]
    pub fn text_with(&self, arguments: &DecideArguments) -> String {
        format!("{}: {}", self.text, arguments.compare_command())
    }
}

/// An engine that a setting loads into Spark.
struct Setup {
    /// Beginning of its name.
    engine: &'static str,
    /// Settings, each "key=value".
    settings: &'static [&'static str],
    /// Its JAR, where that is on the class path.
    jar: Option<&'static str>,
    /// Sizes of an executor on a type of machine, as in the measured runs.
    sizes: Option<(&'static str, &'static [&'static str])>,
    /// What else it needs; RELEASE stands for the engine with its version.
    needs: &'static [&'static str],
}

/// Settings that load each engine into Spark. Sources: the configuration and installation pages of apache/gluten,
/// apache/datafusion-comet and NVIDIA/spark-rapids, and Spark's configuration page, 2026-11; sizes: awslabs/data-on-eks.
const SETUPS: [Setup; 4] = [
    Setup {
        engine: "Spark",
        settings: &[],
        jar: None,
        sizes: None,
        needs: &["The same version of Spark and the same settings as today, on this number of machines."],
    },
    Setup {
        engine: "Gluten",
        settings: &[
            "spark.plugins=org.apache.gluten.GlutenPlugin",
            "spark.memory.offHeap.enabled=true",
            "spark.shuffle.manager=org.apache.spark.shuffle.sort.ColumnarShuffleManager",
        ],
        jar: Some("gluten-velox-bundle.jar"),
        sizes: None,
        needs: &["The bundle of RELEASE with Velox for your versions of Spark and Scala, as gluten-velox-bundle.jar."],
    },
    Setup {
        engine: "Comet",
        settings: &[
            "spark.plugins=org.apache.spark.CometPlugin",
            "spark.memory.offHeap.enabled=true",
            "spark.comet.exec.shuffle.enabled=true",
            "spark.shuffle.manager=org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
        ],
        jar: Some("comet-spark.jar"),
        sizes: None,
        needs: &[
            "The JAR of RELEASE (org.apache.datafusion:comet-spark-spark…) for your versions of Spark and Scala, as comet-spark.jar.",
        ],
    },
    Setup {
        engine: "RAPIDS",
        settings: &[
            "spark.plugins=com.nvidia.spark.SQLPlugin",
            "spark.executor.resource.gpu.amount=1",
            "spark.rapids.sql.concurrentGpuTasks=1",
        ],
        jar: None,
        sizes: Some((
            "g6.2xlarge",
            &[
                "spark.executor.cores=4",
                "spark.task.resource.gpu.amount=0.25",
                "spark.executor.memory=16g",
                "spark.executor.memoryOverhead=12g",
                "spark.rapids.memory.pinnedPool.size=2g",
            ],
        )),
        needs: &["NVIDIA's driver on every machine with a GPU."],
    },
];

/// Settings that are lists: the values of the log are kept behind the new one, with what separates them.
const LISTS: [(&str, char); 3] = [("spark.plugins", ','), (CLASS_PATHS[0], ':'), (CLASS_PATHS[1], ':')];
/// Settings that have an option of `spark-submit`.
const OPTIONS: [(&str, &str); 3] = [(MASTER, "--master"), (JARS, "--jars"), (FILES, "--files")];
/// Beginning of the settings that request GPUs for executors.
const RESOURCES: &str = "spark.executor.resource.";
/// Master of Spark's own cluster manager, with a host that the user replaces.
const STANDALONE: &str = "spark://HOST:7077";
/// Setting of the number of executors.
const INSTANCES: &str = "spark.executor.instances";
/// Share of an executor's memory that a native engine takes outside of the heap: apache/gluten, issue 8018, where a user
/// gives 70 % of the memory that an executor had to the native engine. Used for Comet too.
const OFF_HEAP_SHARE: f64 = 0.7;
/// Smallest heap, and smallest memory outside of it, that a trial begins with, MiB.
const SMALLEST_MIB: f64 = 1024.0;

/// How an option is tried instead of a run with these settings; `None` for an engine without known settings.
#[must_use]
pub fn trial(option: &DecisionOption, verdict: Verdict, today: &SparkSettings) -> Option<Trial> {
    let candidate = &option.candidate;
    let setup = SETUPS.iter().find(|setup| candidate.engine.starts_with(setup.engine))?;
    let what = match verdict {
        Verdict::Move => "Run it on",
        _ => "Run it once on",
    };
    let Master { runner, name: master, need: of_master } = Master::new(candidate, today);
    let is_local = matches!(runner, Runner::Local);
    let mut settings: Vec<String> = master.iter().map(|master| format!("{MASTER}={master}")).collect();
    // Spark does not schedule GPUs in local mode: with requests for them its tasks hang (NVIDIA/spark-rapids, discussion 8094).
    let of_setup = setup.settings.iter().filter(|setting| !(is_local && setting.starts_with(RESOURCES)));
    settings.extend(of_setup.map(|setting| (*setting).to_owned()));
    // A version that the engine does not support makes every other step useless.
    let mut needs: Vec<String> = version_change(option).into_iter().chain(of_master).collect();
    let files = if setup.engine == "RAPIDS" {
        let (jar, need) = jar_of_rapids(&candidate.engine);
        let files = of_rapids(&jar, runner);
        // The clusters of Amazon EMR and Dataproc have a JAR of their own.
        if files.settings.iter().chain(&files.needs).any(|text| text.contains(&jar)) {
            needs.push(need);
            needs.extend(versions_of_spark(&candidate.engine));
        }
        files
    } else {
        setup.jar.map_or_else(EngineFiles::default, |jar| of_class_path(jar, runner))
    };
    settings.extend(files.settings);
    if setup.engine == "RAPIDS" && !is_local {
        // Spark starts an executor for each GPU.
        if let Some((machines, gpus)) = candidate.machines.zip(candidate.lanes) {
            settings.push(format!("{INSTANCES}={}", (machines * gpus).round()));
            if today.is_on(DYNAMIC_ALLOCATION) {
                settings.push(format!("{DYNAMIC_ALLOCATION}=false"));
                needs.push(format!(
                    "Dynamic allocation is on in the log. The trial turns it off, so that {INSTANCES} sets the number of executors."
                ));
            }
        }
    }
    let of_off_heap = format!("{OFF_HEAP_ENABLED}=true");
    if settings.contains(&of_off_heap) {
        needs.push(split_memory(&mut settings, today));
    }
    needs.extend(keep_lists(&mut settings, today));
    let release = release_of(&candidate.engine);
    needs.extend(setup.needs.iter().map(|need| need.replace("RELEASE", release)));
    if setup.jar.is_some() {
        needs.extend(versions_of_spark(&candidate.engine));
    }
    needs.extend(files.needs);
    let sizes = setup.sizes.filter(|(machine, _)| !is_local && machine_of(&candidate.title) == Some(*machine));
    if let Some((machine, sizes)) = sizes {
        settings.extend(sizes.iter().map(|size| (*size).to_owned()));
        needs.push(format!("The sizes of executors are those of the measured runs on {machine}."));
    }
    // Without a log, nothing can be compared.
    settings.push("spark.eventLog.enabled=true".to_owned());
    // The version of the measured runs is not the one to run.
    let on = if is_unsupported(candidate) {
        let title = candidate.title_and_host().map_or_else(|| candidate.title.clone(), |(title, _)| title);
        format!("{title}, on a supported version of Spark,")
    } else {
        candidate.title.clone()
    };
    Some(Trial {
        option: candidate.title.clone(),
        text: format!("{what} {on} with these settings, then compare its log"),
        settings,
        needs,
    })
}

/// What runs the processes of a trial.
struct Master<'a> {
    runner: Runner,
    /// The master that the command names; `None`: that of the user's configuration, as today.
    name: Option<&'a str>,
    /// What it needs.
    need: Option<String>,
}

impl<'a> Master<'a> {
    /// As in the log. Local mode has one process, which uses one GPU at most: an option with several executors needs a cluster.
    fn new(candidate: &Candidate, today: &'a SparkSettings) -> Self {
        let manager = today.manager();
        let Some(local) = today.local_master().filter(|_| manager.is_none()) else {
            return Self { runner: manager.map_or(Runner::Unknown, Runner::Cluster), name: None, need: None };
        };
        let is_one = |count: Option<f64>| count.is_none_or(|count| count <= 1.0);
        if candidate.is_on_same_machines || is_one(candidate.machines) && is_one(candidate.lanes) {
            let need =
                format!("Spark ran in local mode ({MASTER}={local}): the driver runs the tasks, in the trial too.");
            return Self { runner: Runner::Local, name: Some(local), need: Some(need) };
        }
        let need = format!(
            "Spark ran in local mode ({MASTER}={local}), which has one process on one machine. This option needs a cluster: HOST stands \
             for the machine on which Spark’s sbin/start-master.sh runs; sbin/start-worker.sh {STANDALONE} starts each worker. On \
             YARN or Kubernetes, name that master instead."
        );
        Self { runner: Runner::Cluster(ClusterManager::Standalone), name: Some(STANDALONE), need: Some(need) }
    }
}

/// The type of machine in "RAPIDS 25.12 (L4), 4 × g6.2xlarge (spot, eu-west-1)".
fn machine_of(title: &str) -> Option<&str> {
    title.rsplit_once(" × ")?.1.split_whitespace().next()
}

impl Trial {
    /// The settings as one command for a shell, a line each: quoted, because a value may have a `*`, a `;` or a space, and continued
    /// by a backslash.
    #[must_use]
    pub fn command(&self) -> Vec<String> {
        let settings = self.settings.iter().map(|setting| {
            let option = setting.split_once('=').and_then(|(name, value)| {
                let (_, option) = OPTIONS.iter().find(|(of_option, _)| *of_option == name)?;
                Some((*option, value))
            });
            let (option, value) = option.unwrap_or(("--conf", setting.as_str()));
            format!("  {option} {} \\", quoted(value))
        });
        std::iter::once("spark-submit \\".to_owned()).chain(settings).chain(["  APPLICATION".to_owned()]).collect()
    }

    /// The settings as lines of spark-defaults.conf, which Spark reads as a properties file of Java: a name, a space, and a value in
    /// which a backslash is written as two. A line break, which a log may have in a value, would begin another setting: it is escaped.
    #[must_use]
    pub fn defaults(&self) -> Vec<String> {
        let line = |setting: &String| {
            let (name, value) = setting.split_once('=').unwrap_or((setting.as_str(), ""));
            format!("{name} {}", value.replace('\\', r"\\"))
        };
        self.settings.iter().map(line).collect()
    }
}

/// Divides the memory of today's executors between the heap and the native engine, and returns how; the rule where that is not
/// possible.
fn split_memory(settings: &mut Vec<String>, today: &SparkSettings) -> String {
    let memory = today.task_memory();
    // In local mode the driver runs the tasks.
    let [process, processes] = if today.is_local() {
        ["the driver, which runs the tasks in local mode,", "a driver"]
    } else {
        ["an executor", "executors"]
    };
    let Some(all) = today.executor_mib() else {
        return format!(
            "Memory: set {OFF_HEAP_SIZE} to 70 % of today’s {memory}, and {memory} to the other 30 %. Then {process} takes as much of \
             its machine as today."
        );
    };
    let heap = (all * (1.0 - OFF_HEAP_SHARE)).ceil().max(SMALLEST_MIB);
    let off_heap = all - heap;
    if off_heap < SMALLEST_MIB {
        return format!(
            "Memory: {processes} of {all:.0} MiB cannot have a heap and off-heap memory of 1 GiB each. Use more memory, 70 % of it in \
             {OFF_HEAP_SIZE} and 30 % in {memory}."
        );
    }
    settings.push(format!("{memory}={heap:.0}m"));
    settings.push(format!("{OFF_HEAP_SIZE}={off_heap:.0}m"));
    format!(
        "Memory: in the log {process} has {all:.0} MiB. Here {heap:.0} MiB ({:.0} %) are heap and {off_heap:.0} MiB off-heap memory, \
         together as much as today. If tasks run out of memory, change the shares first.",
        heap / all * 100.0
    )
}

/// Adds what the log sets already to settings that are lists, and says so.
fn keep_lists(settings: &mut [String], today: &SparkSettings) -> Vec<String> {
    let mut needs = Vec::new();
    for (name, separator) in LISTS {
        let prefix = format!("{name}=");
        let Some(setting) = settings.iter_mut().find(|setting| setting.starts_with(&prefix)) else { continue };
        if let Some(present) = today.get(name) {
            setting.push(separator);
            setting.push_str(present);
            needs.push(format!("{name}: the new value is put before the value in the log."));
        } else if separator == ':' {
            needs.push(format!("{name}: if it has a value today, add that after a colon."));
        }
    }
    needs
}

/// The name of the JAR of a release, "rapids-4-spark_2.12-25.12.0.jar", and what it is: "The JAR of RAPIDS 25.12
/// (com.nvidia:rapids-4-spark_2.12:25.12.0, or _2.13 for Scala 2.13; change its name wherever these steps have it)."
fn jar_of_rapids(engine: &str) -> (String, String) {
    let version = engine.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    match version {
        Some(version) => (
            format!("rapids-4-spark_2.12-{version}.0.jar"),
            format!(
                "The JAR of RAPIDS {version} (com.nvidia:rapids-4-spark_2.12:{version}.0, or _2.13 for Scala 2.13; change its name \
                 wherever these steps have it)."
            ),
        ),
        None => (
            "rapids-4-spark.jar".to_owned(),
            "The JAR of the RAPIDS Accelerator for your version of Scala, as rapids-4-spark.jar.".to_owned(),
        ),
    }
}

/// An engine with the version that was measured: "Comet 0.17.0".
fn release_of(engine: &str) -> &str {
    let name = || {
        let own = engine.split_once(" on ").map_or(engine, |(own, _)| own);
        own.split_once(" (").map_or(own, |(own, _)| own)
    };
    listed_versions(engine).map_or_else(name, |listed| listed.release)
}

/// "Gluten 1.4 supports Spark 3.2, 3.3, 3.4 and 3.5 (docs/get-started/Velox.md …). …"; `None` for a release without known documents.
fn versions_of_spark(engine: &str) -> Option<String> {
    let ListedVersions { release, is_release_named, spark, source } = listed_versions(engine)?;
    let unnamed = if is_release_named {
        ""
    } else {
        " The measured runs do not name their release; this was the newest one at their date."
    };
    Some(format!("{release} supports Spark {spark} ({source}).{unnamed}"))
}

/// Whether the engine does not support the version of the log, as its documents say.
fn is_unsupported(candidate: &Candidate) -> bool {
    candidate.evidence.support.as_ref().is_some_and(|support| support.is_supported == Some(false))
}

/// What to check or change of the version of Spark: what the documents of the engine say, or that the log is of another version
/// than the measured runs.
fn version_change(option: &DecisionOption) -> Option<String> {
    let evidence = &option.candidate.evidence;
    let said = evidence.support.as_ref().map(|support| (support.is_supported, &support.sentence, &support.source));
    match (said, &evidence.version) {
        (Some((Some(true), ..)), _) | (None, None) => None,
        (Some((Some(false), sentence, source)), _) => {
            let measured = evidence.version.as_ref();
            let measured = measured.map(|version| {
                format!(
                    " The prediction is from runs with {}; with the supported version, the time may differ.",
                    version.measured
                )
            });
            Some(format!("Change the version of Spark first: {sentence} ({source}).{}", measured.unwrap_or_default()))
        }
        (Some((None, sentence, source)), _) => {
            Some(format!("Check that the engine supports your build of Spark: {sentence} ({source})."))
        }
        (None, Some(difference)) => Some(format!(
            "Check that the engine supports your version of Spark, or change it for the trial: {difference}."
        )),
    }
}

#[cfg(test)]
mod tests;

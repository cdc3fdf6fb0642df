//! How the files of an engine reach the machines of a trial, for each cluster manager.
//!
//! Sources, 2026-11: NVIDIA's getting-started pages of the RAPIDS Accelerator (on premises, Kubernetes, Amazon EMR, Dataproc,
//! Databricks), the script spark-rapids.sh of GoogleCloudDataproc/initialization-actions, the installation pages of
//! apache/datafusion-comet and apache/gluten, and Spark's pages “Running on YARN” and “Spark Standalone Mode”.

use crossover_query::settings::ClusterManager;

/// JARs that are copied to the machines: `--jars`.
pub(super) const JARS: &str = "spark.jars";
/// Files that are copied to the machines: `--files`.
pub(super) const FILES: &str = "spark.files";
/// Class path of the driver, and of executors.
pub(super) const CLASS_PATHS: [&str; 2] = ["spark.driver.extraClassPath", "spark.executor.extraClassPath"];
/// Where the program finds the GPUs of an executor.
const DISCOVERY: &str = "spark.executor.resource.gpu.discoveryScript";
/// Spark's script that lists the GPUs of a machine.
const SCRIPT: &str = "getGpusResources.sh";
/// Where that script is on the machines of Amazon EMR and of Dataproc.
const SCRIPT_OF_SERVICE: &str = "/usr/lib/spark/scripts/gpu/getGpusResources.sh";
/// Folder of the JARs of a runtime of Databricks.
const JARS_OF_DATABRICKS: &str = "/databricks/jars";
/// Folder that the user replaces.
const FOLDER: &str = "/path/to";
/// Setting of the image of a container, which the user replaces.
const IMAGE: &str = "spark.kubernetes.container.image=IMAGE";
/// What a user whose command has such options does.
const MERGE: &str = "If your command has --jars or --files today, join the values with commas: the last option of a name replaces \
                     the others.";

/// What starts the processes of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    /// None: in local mode the driver runs the tasks.
    Local,
    /// A cluster manager.
    Cluster(ClusterManager),
    /// The log does not say it.
    Unknown,
}

/// Settings that bring the files of an engine to the machines, and what they need.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct EngineFiles {
    /// Settings, each "key=value".
    pub(super) settings: Vec<String>,
    /// What they need, a sentence each.
    pub(super) needs: Vec<String>,
}

impl EngineFiles {
    fn new<const N: usize>(settings: &[String], needs: [String; N]) -> Self {
        Self { settings: settings.to_vec(), needs: needs.into() }
    }
}

/// Those of an engine that is a JAR on the class path, as Gluten and Comet are.
pub(super) fn of_class_path(jar: &str, runner: Runner) -> EngineFiles {
    let class_paths = |paths: [&str; 2]| {
        let [driver, executor] = CLASS_PATHS;
        [format!("{driver}={}", paths[0]), format!("{executor}={}", paths[1])]
    };
    let local = format!("{FOLDER}/{jar}");
    let copied = format!("{JARS}={local}");
    let replace = format!("Put the path of the JAR in place of {local}.");
    match runner {
        Runner::Local => {
            let [driver, _] = class_paths([&local, &local]);
            EngineFiles::new(&[copied, driver], [replace, MERGE.to_owned()])
        }
        Runner::Cluster(ClusterManager::Yarn | ClusterManager::Emr | ClusterManager::Dataproc) => {
            // In cluster mode the driver runs in a container, in client mode beside the JAR. Java leaves out what is not there.
            let [driver, executor] = class_paths([&format!("{local}:./{jar}"), &format!("./{jar}")]);
            let need = "YARN copies the JAR of --jars into the folder of each container, where ./ finds it.";
            EngineFiles::new(&[copied, driver, executor], [replace, need.to_owned(), MERGE.to_owned()])
        }
        Runner::Cluster(ClusterManager::Kubernetes) => {
            let inside = format!("/opt/spark/jars/{jar}");
            let [driver, executor] = class_paths([&inside, &inside]);
            let need = format!("IMAGE stands for your image of Spark, with the JAR at {inside}.");
            EngineFiles::new(&[IMAGE.to_owned(), driver, executor], [need])
        }
        Runner::Cluster(ClusterManager::Databricks) => {
            let inside = format!("{JARS_OF_DATABRICKS}/{jar}");
            let [driver, executor] = class_paths([&inside, &inside]);
            EngineFiles::new(&[driver, executor], [of_databricks(&inside)])
        }
        Runner::Cluster(ClusterManager::Standalone) | Runner::Unknown => {
            let [driver, executor] = class_paths([&local, &local]);
            let need = format!("The JAR at {local} on every machine: the class path of executors names it.");
            EngineFiles::new(&[copied, driver, executor], [replace, need, MERGE.to_owned()])
        }
    }
}

/// Those of the RAPIDS Accelerator with this JAR, and the script that finds the GPUs.
pub(super) fn of_rapids(jar: &str, runner: Runner) -> EngineFiles {
    let copied = format!("{JARS}={FOLDER}/{jar}");
    let replace = format!("Put the paths of the files in place of {FOLDER}.");
    let script_of_service = format!("{DISCOVERY}={SCRIPT_OF_SERVICE}");
    match runner {
        Runner::Local => EngineFiles::new(&[copied], [replace, MERGE.to_owned()]),
        Runner::Cluster(ClusterManager::Standalone) => {
            let need = format!(
                "On each worker, spark-env.sh has in SPARK_WORKER_OPTS: -Dspark.worker.resource.gpu.amount=GPUS \
                 -Dspark.worker.resource.gpu.discoveryScript={FOLDER}/{SCRIPT}. GPUS stands for the GPUs of the machine."
            );
            EngineFiles::new(&[copied], [replace, need, MERGE.to_owned()])
        }
        Runner::Cluster(ClusterManager::Kubernetes) => {
            let inside = "/opt/sparkRapidsPlugin";
            let [driver, executor] = CLASS_PATHS.map(|name| format!("{name}={inside}/{jar}"));
            let settings = [
                IMAGE.to_owned(),
                driver,
                executor,
                format!("{DISCOVERY}={inside}/{SCRIPT}"),
                "spark.executor.resource.gpu.vendor=nvidia.com".to_owned(),
            ];
            let need = format!(
                "IMAGE stands for an image with Spark and CUDA, and with the JAR and Spark’s script {SCRIPT} in {inside}; NVIDIA’s \
                 page about Kubernetes has its Dockerfile."
            );
            EngineFiles::new(&settings, [need])
        }
        Runner::Cluster(ClusterManager::Emr) => {
            let need = "A cluster of Amazon EMR with enableSparkRapids=true in its classification spark, and GPUs as a resource of \
                        YARN. The release has the JAR and the script; its version of RAPIDS may differ from the measured one.";
            EngineFiles::new(&[script_of_service], [need.to_owned()])
        }
        Runner::Cluster(ClusterManager::Dataproc) => {
            let need = "A cluster of Dataproc with the initialization action spark-rapids/spark-rapids.sh: it installs the driver, the \
                        JAR and the script. Its metadata spark-rapids-version sets the version of the JAR.";
            EngineFiles::new(&[script_of_service], [need.to_owned()])
        }
        Runner::Cluster(ClusterManager::Databricks) => {
            EngineFiles::new(&[], [of_databricks(&format!("{JARS_OF_DATABRICKS}/{jar}"))])
        }
        Runner::Cluster(ClusterManager::Yarn) | Runner::Unknown => {
            let settings = [copied, format!("{FILES}={FOLDER}/{SCRIPT}"), format!("{DISCOVERY}=./{SCRIPT}")];
            let script = format!(
                "Spark’s script {SCRIPT} (examples/src/main/scripts) lists the GPUs of a machine. --files copies it to the \
                 executors."
            );
            let resource = match runner {
                Runner::Cluster(_) => "YARN that schedules GPUs: the resource type yarn.io/gpu.",
                Runner::Local | Runner::Unknown => {
                    "The log names no cluster manager: this is the command for YARN. On Kubernetes, the image has both files."
                }
            };
            EngineFiles::new(&settings, [replace, script, resource.to_owned(), MERGE.to_owned()])
        }
    }
}

/// What a cluster of Databricks needs, whose JAR is at this path.
fn of_databricks(jar: &str) -> String {
    format!(
        "Databricks: put the settings into the Spark config of the cluster, instead of spark-submit. An initialization script copies \
         the JAR to {jar}."
    )
}

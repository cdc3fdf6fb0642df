//! A Spark cluster on the machines of a network, and its applications.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use super::network::{address, on};
use crate::process::{OwnedChild, run, succeeds};

/// The version of pyspark that is installed; its event logs are those of Spark 4.0.
const PYSPARK: &str = "pyspark==4.0.1";
/// Machines that work.
pub(super) const WORKERS: usize = 2;
/// Cores of each.
const CORES: &str = "1";
/// How long the cluster may take to start, and an application to end.
const STARTING: Duration = Duration::from_mins(1);
const LONGEST: Duration = Duration::from_mins(15);

/// Spark as it was installed.
pub(super) struct Spark {
    home: PathBuf,
    python: PathBuf,
}

impl Spark {
    /// Installs it in this folder, unless it is there.
    pub(super) fn install(folder: &Path) -> Result<Self> {
        let python = folder.join("venv/bin/python");
        let (_, version) = PYSPARK.split_once("==").context("a version")?;
        let is_it = format!("import pyspark; assert pyspark.__version__ == '{version}'");
        if !succeeds(Command::new(&python).args(["-c", &is_it])) {
            run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
            run(Command::new(&python).args(["-m", "pip", "install", "--quiet", PYSPARK]))?;
        }
        let home = Command::new(&python).args(["-c", "import pyspark; print(pyspark.__path__[0])"]).output()?;
        Ok(Self { home: String::from_utf8(home.stdout)?.trim().into(), python })
    }

    /// Runs a script without a cluster.
    pub(super) fn run_here(&self, script: &Path, arguments: &[&str], log: &Path) -> Result<()> {
        let mut command = Command::new(&self.python);
        command.arg(script).args(arguments).stderr(File::create(log)?);
        run(self.apply(&mut command)).with_context(|| format!("{} says why", log.display()))
    }

    fn apply<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("SPARK_HOME", &self.home).env("PYSPARK_PYTHON", &self.python)
    }

    fn program(&self, name: &str) -> String {
        self.home.join("bin").join(name).display().to_string()
    }
}

/// A cluster that runs until it is dropped.
pub(super) struct Cluster<'s> {
    spark: &'s Spark,
    url: String,
    _processes: Vec<OwnedChild>,
}

impl<'s> Cluster<'s> {
    /// A coordinator on the first machine and a worker on each of the others; they write to this folder.
    pub(super) fn start(spark: &'s Spark, folder: &Path) -> Result<Self> {
        let url = format!("spark://{}:7077", address(0));
        let (master, worker) = ("org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker");
        let start = |machine: usize, class: &str, arguments: &[&str]| -> Result<OwnedChild> {
            let log = File::create(folder.join(format!("machine-{machine}.log")))?;
            let mut command = on(machine, &spark.program("spark-class"));
            command.arg(class).args(arguments).stdout(Stdio::null()).stderr(log);
            OwnedChild::start(spark.apply(&mut command))
        };
        let mut processes = vec![start(0, master, &["--host", &address(0), "--port", "7077"])?];
        for machine in 1..=WORKERS {
            let work = folder.join(format!("work-{machine}")).display().to_string();
            let arguments =
                ["--host", &address(machine), "--cores", CORES, "--memory", "2g", "--work-dir", &work, &url];
            processes.push(start(machine, worker, &arguments)?);
        }
        let end = Instant::now() + STARTING;
        while fs::read_to_string(folder.join("machine-0.log"))?.matches("Registering worker").count() < WORKERS {
            if Instant::now() > end {
                bail!(
                    "no worker registered within {} s; machine-*.log in {} say why",
                    STARTING.as_secs(),
                    folder.display()
                );
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(Self { spark, url, _processes: processes })
    }

    /// Runs an application, whose event log is the only one in its folder then.
    pub(super) fn run(&self, script: &Path, arguments: &[&str], logs: &Path) -> Result<()> {
        if logs.exists() {
            fs::remove_dir_all(logs)?;
        }
        fs::create_dir_all(logs)?;
        let mut command = on(0, &self.spark.program("spark-submit"));
        let (host, folder) = (address(0), format!("file://{}", logs.display()));
        let settings = [
            ("spark.driver.host", host.as_str()),
            ("spark.executor.cores", CORES),
            ("spark.executor.memory", "1500m"),
            ("spark.eventLog.enabled", "true"),
            ("spark.eventLog.compress", "false"),
            ("spark.eventLog.dir", &folder),
            ("spark.sql.autoBroadcastJoinThreshold", "-1"),
            ("spark.sql.shuffle.partitions", "8"),
            ("spark.ui.enabled", "false"),
        ];
        command.args(["--master", &self.url]);
        for (key, value) in settings {
            command.args(["--conf", &format!("{key}={value}")]);
        }
        command.arg(script).args(arguments).env("SPARK_LOCAL_IP", &host);
        let messages = logs.with_extension("log");
        command.stdout(Stdio::null()).stderr(File::create(&messages)?);
        let mut application = OwnedChild::start(self.spark.apply(&mut command))?;
        let ended = application.wait_until(Instant::now() + LONGEST);
        ended.with_context(|| format!("the application failed; {} says why", messages.display()))
    }
}

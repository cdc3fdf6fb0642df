//! The History Server of Spark itself answers as its folder does.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use crossover_needs::{not_run, wait_until_ok};
use crossover_plan::Control;

use super::history::without_paths;
use super::{of_folder, places, read, texts, try_read};

/// Environment variable: a Python in which `pyspark` is installed; Java must be there, too.
const PYTHON: &str = "CROSSOVER_PYSPARK_PYTHON";
/// A real log, and its id.
const LOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../plan/samples/spark/shop-eventlog.zstd");
const ID: &str = "app-20261121201933-0000";

/// A server on this machine; it ends with its value.
struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// Where Spark is.
fn spark() -> Option<PathBuf> {
    let named = std::env::var_os(PYTHON);
    let python = named.map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let home = Command::new(python).args(["-c", "import pyspark; print(pyspark.__path__[0])"]).output();
    let java = Command::new("java").arg("-version").stderr(Stdio::null()).status();
    match (home, java) {
        (Ok(home), Ok(java)) if home.status.success() && java.success() => {
            Some(PathBuf::from(String::from_utf8(home.stdout).expect("as the test made it").trim()))
        }
        _ => {
            not_run(&format!("no Spark: pip install pyspark, name that Python in {PYTHON}, and install Java"));
            None
        }
    }
}

fn start(spark: &Path, logs: &Path) -> Server {
    let port = TcpListener::bind("127.0.0.1:0")
        .expect("as the test made it")
        .local_addr()
        .expect("as the test made it")
        .port();
    let options = format!(
        "-Dspark.history.fs.logDirectory=file://{} -Dspark.history.ui.port={port} -Dspark.history.fs.update.interval=1s \
         -Dspark.history.fs.cleaner.enabled=false",
        logs.display()
    );
    let process = Command::new(spark.join("bin/spark-class"))
        .arg("org.apache.spark.deploy.history.HistoryServer")
        .env("SPARK_HOME", spark)
        .env("SPARK_LOCAL_IP", "127.0.0.1")
        .env("SPARK_PUBLIC_DNS", "127.0.0.1")
        .env("SPARK_DAEMON_MEMORY", "512m")
        .env("SPARK_HISTORY_OPTS", options)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("as the test made it");
    Server { process, address: format!("http://127.0.0.1:{port}") }
}

#[test]
fn sparks_own_history_server_answers_as_its_folder() {
    let Some(spark) = spark() else { return };
    let folder = tempfile::tempdir().expect("as the test made it");
    let log = String::from_utf8(
        zstd::decode_all(&fs::read(LOG).expect("as the test made it")[..]).expect("as the test made it"),
    )
    .expect("as the test made it");
    // The sample lacks what the server demands of this event.
    let [event, parts] = [
        "\"SparkListenerEnvironmentUpdate\",",
        "\"JVM Information\":{},\"Hadoop Properties\":{},\"System Properties\":{},\"Metrics Properties\":{},\"Classpath Entries\":{},",
    ];
    let log = log.replace(event, &format!("{event}{parts}"));
    let packed = |text: &str| zstd::encode_all(text.as_bytes(), 1).expect("as the test made it");
    for number in 1..=5 {
        let id = format!("app-20261121201933-000{number}");
        fs::write(folder.path().join(format!("{id}.zstd")), packed(&log.replace(ID, &id)))
            .expect("as the test made it");
    }
    // A rolling log of twelve parts.
    let id = "app-20261121201933-0006";
    let rolling = folder.path().join(format!("eventlog_v2_{id}"));
    fs::create_dir(&rolling).expect("as the test made it");
    let text = log.replace(ID, id);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (lines, number) in lines.chunks(lines.len().div_ceil(12)).zip(1..) {
        fs::write(rolling.join(format!("events_{number}_{id}.zstd")), packed(&lines.concat()))
            .expect("as the test made it");
    }
    fs::write(rolling.join(format!("appstatus_{id}")), "").expect("as the test made it");
    let server = start(&spark, folder.path());
    let out = wait_until_ok("all logs", || {
        let out = tempfile::tempdir().expect("as the test made it");
        let control = Arc::new(Control::default());
        // Until it is up, nothing can be read there.
        let outcomes = try_read(&places(&[], &control), &[&server.address], out.path(), &control);
        let read = outcomes.map_err(|error| error.to_string())?.read;
        if read == 6 { Ok(out) } else { Err(format!("{read} logs were read")) }
    });
    let came = texts(out.path());
    assert_eq!(read(&[], &[&server.address], out.path()).unchanged, 6, "{came:?}");
    // The status beside a rolling log is no file that the server gives.
    assert_eq!(without_paths(&came)[..3], without_paths(&of_folder(folder.path(), ""))[..3]);
}

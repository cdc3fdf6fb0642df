//! A fleet on several machines: Slurm, Kubernetes and Spark write the tables that one machine writes, to the byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{TEMPLATES, outcome_of, path_with_program, run};

/// A real log of three queries.
const LOG: &[u8] = include_bytes!("../../../plan/samples/spark/shop-eventlog.zstd");
/// The name of its application, and the last four digits, which each copy has its own of.
const ID: &str = "app-20261121201933-0000";
/// Environment variable: the Python that has `pyspark`.
const PYSPARK: &str = "CROSSOVER_PYSPARK";

/// So many logs of different applications, and a file that is none.
fn logs(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = String::from_utf8(zstd::decode_all(LOG).expect("a sample")).expect("text");
    for number in 0..count {
        let id = format!("{}{number:04}", &ID[..ID.len() - 4]);
        fs::write(folder.path().join(&id), text.replace(ID, &id)).expect("written");
    }
    fs::write(folder.path().join("README"), "nothing\n").expect("written");
    folder
}

/// All tables of a folder of results.
fn tables(out: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = crossover_fleet::tables::files(out);
    files.map(|file| (file.file_name().expect("a name").into(), fs::read(&file).expect("a table"))).collect()
}

/// The tables that one machine writes.
fn expected(logs: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let out = tempfile::tempdir().expect("a folder");
    let (code, _, messages) = run(&["fleet", text(logs), "--out", text(out.path())]);
    assert_eq!(code, Some(0), "{messages}");
    tables(out.path())
}

/// The tables of all shards together.
fn merged(shards: &[PathBuf]) -> Vec<(PathBuf, Vec<u8>)> {
    let out = tempfile::tempdir().expect("a folder");
    let mut arguments = vec!["fleet", "--merge", "--out", text(out.path())];
    arguments.extend(shards.iter().map(|shard| text(shard)));
    let (code, _, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    tables(out.path())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What the pods of the template run is run here, pod by pod.
#[cfg(unix)]
#[test]
fn the_template_of_a_kubernetes_job_reads_every_shard_of_a_fleet() {
    let template = fs::read_to_string(Path::new(TEMPLATES).join("kubernetes-fleet.yaml")).expect("the template");
    let job: serde_json::Value = serde_saphyr::from_str(&template).expect("YAML");
    let spec = &job["spec"];
    assert_eq!(
        (&job["apiVersion"], &job["kind"], &spec["completionMode"]),
        (&"batch/v1".into(), &"Job".into(), &"Indexed".into())
    );
    let container = &spec["template"]["spec"]["containers"][0];
    let script = container["args"][0].as_str().expect("a script");
    let (logs, folder) = (logs(3), tempfile::tempdir().expect("a folder"));
    let shards = folder.path().join("shards");
    let script = script.replace("/shards/", &format!("{}/", shards.display())).replace("/logs/", text(logs.path()));
    let count = spec["completions"].as_u64().expect("a number");
    for index in 0..count {
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("PATH", path_with_program()).env("JOB_COMPLETION_INDEX", index.to_string());
        let (code, _, messages) = outcome_of(shell.output().expect("a shell"));
        assert_eq!(code, Some(0), "{messages}");
    }
    let parts: Vec<PathBuf> = (1..=count).map(|place| shards.join(place.to_string())).collect();
    assert!(expected(logs.path()) == merged(&parts));
}

/// The template for Slurm in a cluster that the test starts.
#[cfg(target_os = "linux")]
#[test]
fn the_template_of_a_slurm_array_reads_every_shard_of_a_fleet() {
    let Some(cluster) = super::slurm::Cluster::start() else { return };
    let (logs, folder) = (logs(5), tempfile::Builder::new().prefix("array").tempdir_in("/tmp").expect("a folder"));
    let template = Path::new(TEMPLATES).join("slurm-fleet.sbatch").display().to_string();
    let mut sbatch = Command::new("sbatch");
    // One core for each task: the cluster of the test has few.
    sbatch.args(["--wait", "--array", "1-3", "--cpus-per-task", "1", "--mem", "100M", &template, text(logs.path())]);
    sbatch
        .current_dir(folder.path())
        .env("SLURM_CONF", &cluster.conf)
        .env("PATH", path_with_program())
        .env("SHARDS", "3");
    let (code, out, messages) = outcome_of(sbatch.output().expect("sbatch"));
    assert_eq!(code, Some(0), "{out}{messages}");
    let parts: Vec<PathBuf> = (1..=3).map(|place| folder.path().join(format!("fleet-shards/{place}"))).collect();
    assert!(expected(logs.path()) == merged(&parts));
}

#[test]
fn a_job_for_spark_is_written_and_its_command_printed() {
    let (logs, out) = (logs(1), tempfile::tempdir().expect("a folder"));
    let arguments = [
        "fleet",
        text(logs.path()),
        "--out",
        text(out.path()),
        "--spark-submit",
        "--parts",
        "3",
        "--",
        "--master",
        "yarn",
    ];
    let (code, command, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    let file = |name: &str| out.path().join("spark").join(name);
    assert_eq!(
        command,
        format!("spark-submit --master yarn {} {}\n", file("job.py").display(), file("job.json").display())
    );
    let job: serde_json::Value = serde_json::from_slice(&fs::read(file("job.json")).expect("a job")).expect("JSON");
    assert_eq!((&job["shards"], &job["paths"][0]), (&3.into(), &text(logs.path()).into()));
    assert!(file("base.ron").is_file());
    // A program for another system does not merge the shards here.
    let own = job["own_path"].clone();
    let other = logs.path().join("crossover-for-another-system");
    fs::write(&other, "no program of this system").expect("the disk has room");
    let arguments =
        ["fleet", text(logs.path()), "--out", text(out.path()), "--spark-submit", "--program", text(&other)];
    assert_eq!(run(&arguments).0, Some(0));
    let job: serde_json::Value = serde_json::from_slice(&fs::read(file("job.json")).expect("a job")).expect("JSON");
    assert_eq!((&job["program_path"], &job["own_path"]), (&text(&other).into(), &own));
    let (code, _, messages) = outcome_of(
        super::crossover(&["fleet", text(logs.path()), "--out", text(out.path()), "--spark-submit", "--start"])
            .env("SPARK_HOME", "/no/such/spark")
            .output()
            .expect("it starts"),
    );
    assert!(code == Some(1) && messages.contains("cannot find /no/such/spark/bin/spark-submit"), "{messages}");
    let message = super::refusal(2, &["fleet", text(logs.path()), "--out", text(out.path()), "--start"]);
    assert!(message.contains("--spark-submit"), "{message}");
}

/// A folder of Spark whose executors work in a folder of the test, and the Python that has it.
#[cfg(target_os = "linux")]
fn spark() -> Option<(tempfile::TempDir, PathBuf)> {
    let Some(python) = std::env::var_os(PYSPARK).map(PathBuf::from) else {
        crossover_needs::not_run(&format!("{PYSPARK} does not name a Python with pyspark"));
        return None;
    };
    if !Command::new("java").arg("-version").output().is_ok_and(|output| output.status.success()) {
        crossover_needs::not_run("no Java for Spark");
        return None;
    }
    let located =
        Command::new(&python).args(["-c", "import pyspark, os; print(os.path.dirname(pyspark.__file__))"]).output();
    let (code, place, messages) =
        outcome_of(located.unwrap_or_else(|error| panic!("{PYSPARK}={}: {error}", python.display())));
    assert_eq!(code, Some(0), "{messages}");
    let home = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(place.trim()).expect("pyspark") {
        let entry = entry.expect("an entry");
        if entry.file_name() != "work" {
            std::os::unix::fs::symlink(entry.path(), home.path().join(entry.file_name())).expect("a link");
        }
    }
    Some((home, python))
}

/// The command that starts a job of so many shards on two executors of one core each, which run this program.
#[cfg(target_os = "linux")]
fn submitted(spark: &(tempfile::TempDir, PathBuf), logs: &Path, out: &Path, program: &Path, parts: &str) -> Command {
    let (home, python) = spark;
    let mut arguments = vec!["fleet", text(logs), "--out", text(out), "--spark-submit", "--start"];
    arguments.extend(["--parts", parts, "--program", text(program), "--", "--master", "local-cluster[2,1,512]"]);
    for option in ["spark.ui.enabled=false", "spark.executor.memory=512m", "spark.executor.cores=1"] {
        arguments.extend(["--conf", option]);
    }
    let mut command = super::crossover(&arguments);
    command.env("SPARK_HOME", home.path()).env("SPARK_LOCAL_IP", "127.0.0.1").env("PYSPARK_PYTHON", python);
    command.env("PYSPARK_DRIVER_PYTHON", python);
    command
}

/// A shell script that stands before the program.
#[cfg(target_os = "linux")]
fn script(path: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::write(path, format!("#!/bin/sh\n{lines}")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("may be run");
}

/// The first executor that descends from this process.
#[cfg(target_os = "linux")]
fn executor_of(root: u32) -> Option<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(") ").next()?.split_whitespace().nth(1)?.parse().ok()
    };
    let descends = |pid: u32| std::iter::successors(Some(pid), |pid| parent(*pid)).take(20).any(|pid| pid == root);
    let processes =
        fs::read_dir("/proc").expect("processes").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut executors: Vec<u32> = processes
        .filter(|pid: &u32| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let is_java = line.split(|byte| *byte == 0).next().is_some_and(|program| program.ends_with(b"java"));
            is_java && String::from_utf8_lossy(&line).contains("CoarseGrainedExecutorBackend") && descends(*pid)
        })
        .collect();
    executors.sort_unstable();
    executors.first().copied()
}

/// Ends with its test, also with a failed one.
#[cfg(target_os = "linux")]
struct Running(Child);

#[cfg(target_os = "linux")]
impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended is no failure.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Two executors of one core each; one of them is killed when three shards were begun. A shell script stands before the
/// program, which tells that it was started and from the third shard on waits until that is done.
#[cfg(target_os = "linux")]
#[test]
fn spark_writes_the_tables_of_one_machine_though_an_executor_is_killed() {
    use crossover_needs::wait_until_ok;

    let Some(spark) = spark() else { return };
    let home = &spark.0;
    let (logs, out) = (logs(8), tempfile::tempdir().expect("a folder"));
    let [started, killed, stderr_file, waiting] =
        ["started", "killed", "said", "waiting-crossover"].map(|name| home.path().join(name));
    let lines = format!(
        "case \" $* \" in\n\
         *' --merge '*) ;;\n\
         *) echo x >> '{started}'; [ $(wc -l < '{started}') -lt 3 ] || until [ -e '{killed}' ]; do sleep 0.05; done ;;\n\
         esac\n\
         exec '{crossover}' \"$@\"\n",
        started = started.display(),
        killed = killed.display(),
        crossover = env!("CARGO_BIN_EXE_crossover"),
    );
    script(&waiting, &lines);
    let mut command = submitted(&spark, logs.path(), out.path(), &waiting, "6");
    command.stdout(Stdio::null()).stderr(fs::File::create(&stderr_file).expect("a file"));
    let mut job = Running(command.spawn().expect("it starts"));
    let messages = || fs::read_to_string(&stderr_file).unwrap_or_default();
    wait_until_ok("three shards", || {
        let ended = job.0.try_wait().expect("a child");
        assert!(ended.is_none(), "no three shards were begun: {ended:?} {}", messages());
        let begun = fs::read_to_string(&started).unwrap_or_default().lines().count();
        if begun < 3 { Err(messages()) } else { Ok(()) }
    });
    let executor = executor_of(job.0.id()).expect("an executor");
    assert!(Command::new("kill").args(["-9", &executor.to_string()]).status().expect("kill").success());
    fs::write(&killed, "").expect("written");
    let ended = wait_until_ok("the end of the job", || job.0.try_wait().expect("a child").ok_or_else(messages));
    let messages = messages();
    assert_eq!(ended.code(), Some(0), "{messages}");
    assert!(messages.contains("Lost executor"), "{messages}");
    assert!(expected(logs.path()) == tables(out.path()), "{messages}");
}

/// The second of three shards fails after its first log; the next run goes on from there.
#[cfg(target_os = "linux")]
#[test]
fn a_shard_that_fails_on_spark_costs_no_other_one_and_keeps_what_it_has_read() {
    let Some(spark) = spark() else { return };
    let out = tempfile::tempdir().expect("a folder");
    // The shard of a log depends on its path: for some folders, the second shard has no log.
    let has_several = |logs: &tempfile::TempDir| {
        let found = crossover_fleet::find::find(&crossover_plan::Folders, &[logs.path().to_owned()], out.path()).logs;
        found.iter().filter(|log| crossover_fleet::shard::place(3, &log.key) == 2).count() > 1
    };
    let logs = std::iter::repeat_with(|| logs(8)).take(100).find(has_several).expect("a folder");
    let (fails, program) = (spark.0.path().join("fails"), spark.0.path().join("failing-crossover"));
    let lines = format!(
        "'{crossover}' \"$@\" || exit\n\
         case \" $* \" in *' --shard 2/3 '*) ;; *) exit 0 ;; esac\n\
         [ -e '{fails}' ] || exit 0\n\
         while [ \"$1\" != --out ]; do shift; done\n\
         head -n 1 \"$2/ledger.jsonl\" > \"$2/first\" && mv \"$2/first\" \"$2/ledger.jsonl\"\n\
         echo 'the disk is full' >&2\nexit 3\n",
        crossover = env!("CARGO_BIN_EXE_crossover"),
        fails = fails.display(),
    );
    script(&program, &lines);
    fs::write(&fails, "").expect("written");
    let run = || {
        let ended = submitted(&spark, logs.path(), out.path(), &program, "3").output();
        let (code, out, messages) = outcome_of(ended.expect("it starts"));
        // spark-submit gives what a job says on standard error to standard output.
        (code, out + &messages)
    };
    let (code, messages) = run();
    assert_eq!(code, Some(1), "{messages}");
    for sentence in
        ["1 of 3 shards failed, such as: shard 2 failed: the disk is full", "run the same command to continue"]
    {
        assert!(messages.contains(sentence), "{sentence}: {messages}");
    }
    let ledger = |number: usize| {
        fs::read_to_string(out.path().join(format!("spark/shards-3/{number}/ledger.jsonl"))).expect("a ledger")
    };
    let partial = ledger(2);
    assert_eq!(partial.lines().count(), 1, "{partial}");
    let counts = [1, 3].map(|number| ledger(number).lines().filter(|line| line.contains("\"application\"")).count());
    let applications = || -> Vec<serde_json::Value> {
        serde_json::from_slice(&fs::read(out.path().join("applications.json")).expect("a table")).expect("JSON")
    };
    let first = usize::from(partial.contains("\"application\""));
    assert_eq!(applications().len(), counts[0] + counts[1] + first, "{messages}");
    let left_out = fs::read_to_string(out.path().join("left_out.json")).expect("a table");
    assert!(left_out.contains("this shard has not ended"), "{left_out}");

    fs::remove_file(&fails).expect("removed");
    let (code, messages) = run();
    assert_eq!(code, Some(0), "{messages}");
    assert!(ledger(2).starts_with(&partial), "what it had read was read again");
    assert!(expected(logs.path()) == tables(out.path()), "{messages}");
}

//! `--shard` and `crossover merge`: what several machines evaluate is printed as one of them would.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{
    PUBLISHED as PLACEMENT, REGULATION, TEMPLATES, crossover, outcome_of, path_with_program, refusal, result as output,
    run,
};

const MODERN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/placement-modern.ron");
const UNCERTAINTY: [&str; 6] = ["uncertainty", PLACEMENT, "--spread-all", "10%", "--samples", "100"];

/// Files of all shards of a command.
fn shards(folder: &Path, arguments: &[&str], of: usize) -> Vec<PathBuf> {
    let one = |place: usize| {
        let shard = format!("{place}/{of}");
        let path = folder.join(format!("{place} of {of}.json"));
        std::fs::write(&path, output(&[arguments, &["--shard", &shard]].concat())).expect("written");
        path
    };
    (1..=of).map(one).collect()
}

fn merge<'a>(files: &'a [PathBuf], more: &[&'a str]) -> Vec<&'a str> {
    let files = files.iter().map(|path| path.to_str().expect("UTF-8"));
    ["merge"].into_iter().chain(files).chain(more.iter().copied()).collect()
}

/// Byte for byte, messages too.
#[track_caller]
fn check(arguments: &[&str], of: usize, formats: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = shards(folder.path(), arguments, of);
    files.reverse();
    assert_eq!(run(&merge(&files, &[])), run(arguments), "{arguments:?}");
    for format in formats {
        let format = ["--format", format];
        assert_eq!(run(&merge(&files, &format)), run(&[arguments, &format[..]].concat()), "{arguments:?} {format:?}");
    }
}

#[test]
fn samples_of_shards_are_printed_as_those_of_one_machine() {
    check(&UNCERTAINTY, 3, &["json", "csv", "markdown", "ron"]);
    let spread = "operators.join.cpu_seconds_per_100mb=uniform:100 ms..300 ms";
    let set = "cluster.machines=77";
    let more = ["--set", set, "--spread", spread, "--seed", "9", "--figure", "*", "--samples", "64"];
    check(&[&["uncertainty", PLACEMENT][..], &more].concat(), 2, &["json"]);
}

#[test]
fn what_figures_hang_on_is_printed_of_shards_as_of_one_machine() {
    let arguments = ["sensitivity", PLACEMENT, "--spread-all", "20%", "--samples", "64", "--figure", "speedup"];
    check(&arguments, 4, &["json", "csv"]);
}

#[test]
fn a_map_of_shards_is_that_of_one_machine_with_its_contour_and_what_is_left_out() {
    let map = |x, y, figure, level| ["map", REGULATION, "--x", x, "--y", y, "--figure", figure, "--level", level];
    check(&map("clusters.I.max_vgpus=50..150:3", "controllers.PID.ki=0..0.2:2", "tops", "1e9 TOPS"), 4, &["json"]);
    check(&map("controllers.PID.kp=0..1:4", "controllers.PID.ki=0..0.2:3", "tops", "700"), 5, &["json"]);
    let x = "operators.join.cpu_seconds_per_100mb=20 ms..40 ms:9:log";
    let y = "gpu.gpu_parallelism=32..128:5";
    check(&["map", PLACEMENT, "--x", x, "--y", y, "--figure", "operators.join.speedup"], 2, &["csv", "json"]);
}

#[test]
fn a_search_of_shards_is_that_of_one_machine() {
    let free = ["search", MODERN, "--free", "cluster.machines=4..64:6", "--free", "gpu.gpu_parallelism=100..900:5"];
    let wanted = ["--constraint", "seconds<=2 min", "--minimise", "run_usd", "--minimise", "seconds"];
    check(&[&free[..], &wanted].concat(), 4, &["json", "csv", "markdown"]);
    // What nothing keeps is said of shards, too.
    check(&[&free[..], &["--constraint", "seconds<=1 us", "--minimise", "run_usd"]].concat(), 2, &["json"]);
}

#[test]
fn a_search_that_cannot_try_all_candidates_cannot_be_divided() {
    let free = ["--free", "cluster.machines=4..64:40", "--free", "gpu.gpu_parallelism=1..64:40"];
    let budget = ["--minimise", "seconds", "--budget", "100", "--shard", "1/2"];
    let message = refusal(2, &[&["search", MODERN][..], &free, &budget].concat());
    assert!(message.contains("1,600 candidates exceed the budget of 100"), "{message}");
}

#[test]
fn a_report_of_shards_is_that_of_one_machine() {
    let arguments = ["report", PLACEMENT, "--spread-all", "10%", "--samples", "256"];
    check(&arguments, 3, &["markdown"]);
    let message = refusal(2, &["report", PLACEMENT, "--shard", "1/2"]);
    assert!(message.contains("no number of this scenario has an uncertainty"), "{message}");
}

#[test]
fn a_comparison_of_shards_is_that_of_one_machine() {
    check(&["compare", PLACEMENT, MODERN, "--spread-all", "10%", "--samples", "200"], 3, &["json", "csv", "markdown"]);
}

#[test]
fn shards_that_make_no_whole_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        path
    };
    let files = shards(&place("one"), &UNCERTAINTY, 3);
    let with = |arguments: &[&str], name: &str| shards(&place(name), arguments, 3);
    let refused = |files: &[PathBuf]| refusal(1, &merge(files, &[]));
    let named = |path: &Path| path.display().to_string();

    assert_eq!(refused(&files[..2]), "crossover: of 3 shards 3 is missing\n");
    assert_eq!(refused(&files[1..2]), "crossover: of 3 shards 1 and 3 are missing\n");
    let twice = [&files[..], &files[..1]].concat();
    assert!(refused(&twice).contains("shard 1 of 3 is already in "), "{}", refused(&twice));
    let two = shards(&place("two"), &UNCERTAINTY, 2);
    assert!(
        refused(&[&files[..1], &two[1..]].concat())
            .contains("shard 1 of 3 and shard 2 of 2 are from different divisions")
    );

    let others = [
        (
            with(&["uncertainty", MODERN, "--spread-all", "10%", "--samples", "100"], "other"),
            "its scenario differs from that of",
        ),
        (
            with(&[&UNCERTAINTY[..], &["--set", "cluster.machines=9"]].concat(), "set"),
            "its scenario differs from that of",
        ),
        (with(&[&UNCERTAINTY[..], &["--seed", "2"]].concat(), "seed"), "its arguments differ from those of"),
        (
            with(&["sensitivity", PLACEMENT, "--spread-all", "10%", "--samples", "100"], "tool"),
            "shard of `crossover sensitivity`; expected ",
        ),
    ];
    for (other, expected) in others {
        let message = refused(&[&files[..2], &other[2..]].concat());
        assert!(message.contains(expected), "{message}");
        assert!(message.contains(&named(&other[2])) && message.contains(&named(&files[0])), "{message}");
    }
}

#[test]
fn files_that_are_no_shards_are_refused_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = shards(folder.path(), &UNCERTAINTY, 2);
    let whole = std::fs::read_to_string(&files[1]).expect("a shard");
    let bad = folder.path().join("bad.json");
    let changed = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from} in {}", &whole[..300]);
        whole.replacen(from, to, 1)
    };
    let version = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
    for (text, expected) in [
        (whole[..whole.len() / 2].to_owned(), "the file ends too early"),
        (String::new(), "the file ends too early"),
        (
            output(&["uncertainty", PLACEMENT, "--spread-all", "10%", "--samples", "64", "--format", "json"]),
            "not a file that --shard printed",
        ),
        ("(version: 1)".to_owned(), "not a file that --shard printed"),
        (changed(version, "\"0.0.1\""), "made by Crossover 0.0.1"),
        (changed("\"shard\":[2,2]", "\"shard\":[3,2]"), "is not of the form I/N"),
        (changed("\"values\":[[", "\"values\":[[1.5,"), "its values were changed or damaged"),
        (changed("\"values\":[", "\"values\":[[],"), "its values were changed or damaged"),
        // One digit.
        (changed("\"values\":[[", "\"values\":[[1"), "its values were changed or damaged"),
    ] {
        std::fs::write(&bad, text).expect("written");
        let message = refusal(1, &merge(&[files[0].clone(), bad.clone()], &[]));
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let message = refusal(1, &["merge", "nowhere.json"]);
    assert!(message.contains("cannot read nowhere.json: "), "{message}");
    // A scenario that was changed by hand.
    for (place, file) in files.iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("a shard");
        std::fs::write(folder.path().join(format!("{place}.json")), text.replace("machines: 1000", "machines: 0"))
            .expect("written");
    }
    let changed = [0, 1].map(|place| folder.path().join(format!("{place}.json")));
    let message = refusal(1, &merge(&changed, &[]));
    assert!(message.contains("cannot read the scenario in ") && message.contains("cluster.machines"), "{message}");
}

#[test]
fn wrong_shards_and_formats_are_wrong_usage() {
    for (shard, expected) in
        [("0/3", "“0/3”"), ("4/3", "I/N with I from 1 to N"), ("2", "“2”"), ("1/9999999", "at most")]
    {
        let message = refusal(2, &[&UNCERTAINTY[..], &["--shard", shard]].concat());
        assert!(message.contains(expected), "{message}");
    }
    let message = refusal(2, &[&UNCERTAINTY[..], &["--shard", "1/3", "--format", "json"]].concat());
    assert!(message.contains("cannot be used with"), "{message}");
    assert!(refusal(2, &["merge"]).contains("<FILE>"));
    // What is wrong is said before anything is evaluated.
    let map =
        ["map", PLACEMENT, "--x", "cluster.machines=10..20:2", "--y", "cluster.fan_in=2..4:2", "--figure", "speedup"];
    let message = refusal(2, &[&map[..], &["--level", "much", "--shard", "1/2"]].concat());
    assert!(message.contains("speedup"), "{message}");
    let folder = tempfile::tempdir().expect("a folder");
    let files = shards(folder.path(), &map, 2);
    let message = refusal(2, &merge(&files, &["--format", "markdown"]));
    assert!(message.contains("a map is written as csv or json, not as Markdown"), "{message}");
}

/// What the pods of the template run is run here, pod by pod.
#[cfg(unix)]
#[test]
fn the_template_of_a_kubernetes_job_makes_every_shard_of_one_run() {
    let text = std::fs::read_to_string(Path::new(TEMPLATES).join("kubernetes-indexed-job.yaml")).expect("the template");
    let job: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
    let spec = &job["spec"];
    assert_eq!((&job["apiVersion"], &job["kind"]), (&"batch/v1".into(), &"Job".into()));
    assert_eq!(spec["completionMode"], "Indexed");
    let pod = &spec["template"]["spec"];
    let container = &pod["containers"][0];
    // Each folder of the command is a volume.
    let volumes: Vec<&str> =
        pod["volumes"].as_array().expect("volumes").iter().filter_map(|of| of["name"].as_str()).collect();
    for mount in container["volumeMounts"].as_array().expect("mounts") {
        let name = mount["name"].as_str().expect("a name");
        assert!(volumes.contains(&name) && mount["mountPath"] == format!("/{name}"), "{mount}");
    }
    assert_eq!(container["command"], serde_json::json!(["sh", "-c"]));
    let script = container["args"][0].as_str().expect("a script");

    let folder = tempfile::tempdir().expect("a folder");
    let [scenario, shards] = ["scenario", "shards"].map(|name| folder.path().join(name));
    std::fs::create_dir_all(&scenario).expect("a folder");
    std::fs::create_dir_all(&shards).expect("a folder");
    std::fs::copy(PLACEMENT, scenario.join("scenario.ron")).expect("a copy");
    // The folders stand elsewhere here, and a debug build takes its time.
    let script = script.replace("/shards/", &format!("{}/", shards.display()));
    let script = script.replace("/scenario/", &format!("{}/", scenario.display())).replace("10%", "10% --samples 64");
    let count = spec["completions"].as_u64().expect("a number");
    for index in 0..count {
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("PATH", path_with_program()).env("JOB_COMPLETION_INDEX", index.to_string());
        let (code, _, messages) = outcome_of(shell.output().expect("a shell"));
        assert_eq!(code, Some(0), "{messages}");
    }
    let files: Vec<PathBuf> = (1..=count).map(|place| shards.join(format!("{place}.json"))).collect();
    let expected = output(&["uncertainty", PLACEMENT, "--spread-all", "10%", "--samples", "64"]);
    assert_eq!(output(&merge(&files, &[])), expected);
}

/// The template for Slurm in a cluster that the test starts; a task that is made again alone has its place, too.
#[cfg(target_os = "linux")]
#[test]
fn the_template_of_a_slurm_array_makes_every_shard_of_one_run() {
    let Some(cluster) = super::slurm::Cluster::start() else { return };
    let folder = tempfile::Builder::new().prefix("array").tempdir_in("/tmp").expect("a folder");
    let template = Path::new(TEMPLATES).join("slurm-array.sbatch").display().to_string();
    let submit = |array: &str| {
        let mut sbatch = Command::new("sbatch");
        // One core for each task: the cluster of the test has few.
        sbatch.args(["--wait", "--array", array, "--cpus-per-task", "1", &template]).args(UNCERTAINTY);
        sbatch
            .current_dir(folder.path())
            .env("SLURM_CONF", &cluster.conf)
            .env("PATH", path_with_program())
            .env("SHARDS", "3");
        let (code, out, messages) = outcome_of(sbatch.output().expect("sbatch"));
        let logs = std::fs::read_dir(folder.path()).expect("a folder").filter_map(|entry| {
            let path = entry.expect("an entry").path();
            path.extension().is_some_and(|extension| extension == "log").then(|| std::fs::read_to_string(path))
        });
        assert_eq!(code, Some(0), "{out}{messages}{:?}", logs.collect::<Vec<_>>());
    };
    let files: Vec<PathBuf> = (1..=3).map(|place| folder.path().join(format!("shards/{place}.json"))).collect();
    submit("1-3");
    assert_eq!(output(&merge(&files, &[])), output(&UNCERTAINTY));
    std::fs::remove_file(&files[1]).expect("removed");
    assert!(
        outcome_of(crossover(&merge(&files[..1], &[])).output().expect("it starts"))
            .2
            .contains("of 3 shards 2 and 3 are missing")
    );
    submit("2");
    assert_eq!(
        output(&merge(&files, &["--format", "csv"])),
        output(&[&UNCERTAINTY[..], &["--format", "csv"]].concat())
    );
}

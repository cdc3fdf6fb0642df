//! Jobs for Slurm on the node that a policy chooses, through programs that stand in for the commands of Slurm.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

/// A cluster of four nodes with two A100 and four shards of each. Of n1, three shards of GPU 0 and all of GPU 1 are taken, n2 is
/// down, of n3 one shard of GPU 0 is taken, and n4 is idle, in another partition than the default one.
struct Slurm(tempfile::TempDir);

impl Slurm {
    fn new() -> Self {
        let slurm = Self(tempfile::tempdir().expect("a folder"));
        let node = |name: &str, state: &str, partition: &str| {
            format!(
                "NodeName={name} CPUEfctv=8 CPUTot=8 Gres=gpu:a100:2,shard:a100:8 RealMemory=4000 State={state} \
                 Partitions={partition}\n"
            )
        };
        let nodes = [
            node("n1", "MIXED", "main"),
            node("n2", "DOWN*", "main"),
            node("n3", "IDLE", "main"),
            node("n4", "IDLE", "long"),
        ];
        slurm.write("nodes.txt", &nodes.concat());
        let job = |id: u32, node: &str, gres: &str, on: &str| {
            json!({
                "job_id": id, "name": "wrap", "job_state": "RUNNING", "nodes": node, "gres_detail": [on], "cpus": 1,
                "tres_per_node": format!("gres:{gres}"), "tres_alloc_str": "cpu=1,node=1,billing=1"
            })
        };
        let jobs = [
            job(1, "n1", "shard:3", "shard:3(IDX:0)"),
            job(2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
            job(3, "n3", "shard:1", "shard:1(IDX:0)"),
        ];
        slurm.write("jobs.json", &json!({ "jobs": jobs }).to_string());
        slurm.write("run.sbatch", "#!/bin/sh\n#SBATCH --time=10\nsleep 1\n");
        for (name, script) in [
            ("scontrol", r#"[ "$*" = "--oneliner show node" ] && cat "$HERE/nodes.txt""#),
            ("squeue", r#"[ "$*" = --json ] && cat "$HERE/jobs.json""#),
            ("sinfo", "echo long; echo 'main*'"),
            ("sbatch", r#"for word; do printf '%s\n' "$word" >> "$HERE/sbatch.log"; done; echo 17"#),
        ] {
            use std::os::unix::fs::PermissionsExt as _;
            slurm.write(name, &format!("#!/bin/sh\nHERE='{}'\n{script}\n", slurm.0.path().display()));
            fs::set_permissions(slurm.path(name), fs::Permissions::from_mode(0o755)).expect("executable");
        }
        slurm
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    /// Submits the script; returns exit code, output and messages.
    fn submit(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let mut command = super::crossover(&["allocate", "submit", "run.sbatch"]);
        let path = format!("{}:{}", self.0.path().display(), std::env::var("PATH").unwrap_or_default());
        command.args(more).current_dir(self.0.path()).env("PATH", path);
        super::outcome_of(command.output().expect("the program starts"))
    }

    /// The arguments that sbatch got; `None` if it was not started.
    fn submitted(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.path("sbatch.log")).ok()?;
        Some(text.lines().map(str::to_owned).collect())
    }
}

#[test]
fn a_job_goes_to_the_only_node_of_its_partition_with_that_share_left() {
    let slurm = Slurm::new();
    let share = ["--share", "30", "--policy", "BestFit", "--cores", "2", "--", "a b", "$(touch x)"];
    let (code, output, messages) = slurm.submit(&share);
    assert_eq!(code, Some(0), "{messages}");
    // 30 % of a GPU are two of its four shards; of GPU 0 of n1 one is left.
    let command =
        "sbatch --parsable --nodes=1 --nodelist=n3 --gres=shard:2 --cpus-per-task=2 run.sbatch 'a b' '$(touch x)'";
    assert!(output.contains(&format!("command    {command}\n")), "{output}");
    assert!(output.contains("node       n3, by BestFit; the job fits 1 of 2 nodes\n"), "{output}");
    assert!(output.contains("GPUs       0 as shard:2, 50 % of it"), "{output}");
    assert!(output.contains("FGD n3"), "{output}");
    assert!(messages.contains("a dry run: nothing was submitted; add --apply"), "{messages}");
    assert_eq!(slurm.submitted(), None);

    let apply: Vec<&str> = ["--apply"].into_iter().chain(share).collect();
    let (code, output, messages) = slurm.submit(&apply);
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(output.ends_with("submitted  job 17\n"), "{output}");
    let words = [
        "--parsable",
        "--nodes=1",
        "--nodelist=n3",
        "--gres=shard:2",
        "--cpus-per-task=2",
        "run.sbatch",
        "a b",
        "$(touch x)",
    ];
    assert_eq!(slurm.submitted().expect("submitted"), words);
    assert!(!slurm.path("x").exists());
}

#[test]
fn another_partition_has_other_nodes() {
    let slurm = Slurm::new();
    let (code, output, messages) = slurm.submit(&["--gpus", "2", "--gpu-type", "a100", "--partition", "long"]);
    assert_eq!(code, Some(0), "{messages}");
    let command = "sbatch --parsable --nodes=1 --nodelist=n4 --gres=gpu:a100:2 --partition=long run.sbatch\n";
    assert!(output.contains(command), "{output}");
    // From files, nothing is asked of Slurm.
    slurm.write("scontrol", "#!/bin/sh\nexit 1\n");
    let (code, output, _) = slurm.submit(&["--gpus", "2", "--nodes", "nodes.txt", "--jobs", "jobs.json"]);
    assert!(code == Some(0) && output.contains("node       n4, by FGD; the job fits 1 of 3 nodes\n"), "{output}");
}

#[test]
fn a_job_that_fits_no_node_has_the_reasons() {
    let slurm = Slurm::new();
    let (code, output, messages) = slurm.submit(&["--gpus", "2", "--apply"]);
    assert_eq!((code, output.as_str()), (Some(1), ""));
    let expected = "the job fits no node now: 2 nodes: too little is left of its GPUs; not available: n2 (DOWN*)";
    assert!(messages.contains(expected), "{messages}");
    let (_, _, messages) = slurm.submit(&["--gpus", "1", "--gpu-type", "h100"]);
    assert!(messages.contains("no node that takes jobs has a GPU of type h100"), "{messages}");
    let (_, _, messages) = slurm.submit(&["--gpus", "1", "--partition", "nosuch"]);
    assert!(messages.contains("no node that takes jobs is in the partition nosuch"), "{messages}");
    slurm.write("squeue", "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1\n");
    let (code, _, messages) = slurm.submit(&["--gpus", "1"]);
    assert!(code == Some(1) && messages.contains("Unable to contact slurm controller"), "{messages}");
    assert_eq!(slurm.submitted(), None);
}

#[test]
fn what_would_replace_the_choice_is_refused() {
    let slurm = Slurm::new();
    for (arguments, expected) in [
        (&["--gpus", "1", "--sbatch=--gres=gpu:1"][..], "the policy chooses this"),
        (&["--gpus", "1", "--share", "10"][..], "cannot be used with"),
        (&[][..], "required"),
        (&["--share", "0"][..], "0"),
    ] {
        let (code, _, messages) = slurm.submit(arguments);
        assert!(code == Some(2) && messages.contains(expected), "{arguments:?}: {messages}");
    }
    slurm.write("run.sbatch", "#!/bin/sh\n#SBATCH --gpus-per-node=1\n");
    let (code, _, messages) = slurm.submit(&["--share", "10", "--apply"]);
    let expected = "run.sbatch:2: --gpus-per-node=1 requests GPUs beside those of --gres";
    assert!(code == Some(1) && messages.contains(expected), "{messages}");
    assert_eq!(slurm.submitted(), None);
}

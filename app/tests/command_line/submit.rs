//! Jobs for Slurm on the node that a policy chooses, through programs that stand in for the commands of Slurm.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crossover_needs::wait_until;
use serde_json::json;

/// A cluster of four nodes with two A100 and four shards of each. Of n1, three shards of GPU 0 and all of GPU 1 are taken, n2 is
/// down, of n3 one shard of GPU 0 is taken, and n4 is idle, in another partition than the default one.
struct Slurm(tempfile::TempDir);

/// Prints the nodes, and keeps what would change a job.
const SCONTROL: &str = r#"
[ "$*" = "--oneliner show node" ] && exec cat "$HERE/nodes.txt"
[ "$*" = "show config" ] && echo 'ClusterName             = loopback' && exit
[ "$*" = "--details --oneliner show job" ] && exec cat "$HERE/jobs.txt"
echo "$*" >> "$HERE/scontrol.log"
[ -e "$HERE/fails-$1" ] || exit 0
echo "slurm_update error: Requested operation is presently disabled" >&2; exit 1
"#;

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
        slurm.write_jobs(&[
            (1, "n1", "shard:3", "shard:3(IDX:0)"),
            (2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
            (3, "n3", "shard:1", "shard:1(IDX:0)"),
        ]);
        slurm.write("run.sbatch", "#!/bin/sh\n#SBATCH --time=10\nsleep 1\n");
        for (name, script) in [
            ("scontrol", SCONTROL),
            ("squeue", r#"case "$*" in --json) cat "$HERE/jobs.json" ;; *%P) echo main ;; *%T) echo PENDING ;; esac"#),
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

    /// Jobs that run: number, node, what each requests of it, and its GPU there.
    fn write_jobs(&self, jobs: &[(u32, &str, &str, &str)]) {
        let job = |(id, node, gres, on): &(u32, &str, &str, &str)| {
            json!({
                "job_id": id, "name": "wrap", "job_state": "RUNNING", "nodes": node, "gres_detail": [on], "cpus": 1,
                "tres_per_node": format!("gres:{gres}"), "tres_alloc_str": "cpu=1,node=1,billing=1"
            })
        };
        let jobs: Vec<serde_json::Value> = jobs.iter().map(job).collect();
        self.write("jobs.json", &json!({ "jobs": jobs }).to_string());
    }

    /// Submits the script; returns exit code, output and messages.
    fn submit(&self, more: &[&str]) -> (Option<i32>, String, String) {
        self.run(&["allocate", "submit", "run.sbatch"], more)
    }

    fn run(&self, arguments: &[&str], more: &[&str]) -> (Option<i32>, String, String) {
        super::outcome_of(self.command(arguments, more).output().expect("the program starts"))
    }

    fn command(&self, arguments: &[&str], more: &[&str]) -> Command {
        let mut command = super::crossover(arguments);
        let path = format!("{}:{}", self.0.path().display(), std::env::var("PATH").unwrap_or_default());
        command.args(more).current_dir(self.0.path()).env("PATH", path).env("XDG_DATA_HOME", self.path("data"));
        command
    }

    /// What scontrol was told to change.
    fn changes(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("scontrol.log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
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
    // The script names it, too; what stands behind its first command is no directive.
    slurm.write("run.sbatch", "#!/bin/sh\n#SBATCH -p long\n\n# A job.\nsleep 1\n#SBATCH --partition=main --gpus=1\n");
    let (code, output, messages) = slurm.submit(&["--gpus", "2", "--gpu-type", "a100"]);
    assert!(code == Some(0) && output.contains(command), "{output} {messages}");
    let (_, output, _) = slurm.submit(&["--share", "10", "--partition", "main,long"]);
    assert!(output.contains("of 3 nodes\n") && output.contains("--partition=main,long"), "{output}");
    slurm.write("run.sbatch", "#!/bin/sh\nsleep 1\n");
    // With files, no command of Slurm is started.
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
    assert!(messages.contains("no node that accepts jobs has a GPU of type h100"), "{messages}");
    let (_, _, messages) = slurm.submit(&["--gpus", "1", "--partition", "nosuch"]);
    assert!(messages.contains("no node that accepts jobs is in the partition nosuch"), "{messages}");
    slurm.write("squeue", "#!/bin/sh\necho 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1\n");
    let (code, _, messages) = slurm.submit(&["--gpus", "1"]);
    assert!(code == Some(1) && messages.contains("Unable to contact slurm controller"), "{messages}");
    assert_eq!(slurm.submitted(), None);
}

/// Before 21.08 squeue ends at `--json` with two lines of its own.
#[test]
fn a_slurm_without_json_is_read_as_text() {
    let slurm = Slurm::new();
    let squeue = "case \"$*\" in *%P) echo main; exit ;; esac\n\
                  echo \"squeue: unrecognized option '--json'\" >&2\n\
                  echo 'Try \"squeue --help\" for more information' >&2; exit 1";
    slurm.write("squeue", &format!("#!/bin/sh\n{squeue}\n"));
    let job = |id: u32, node: &str, gres: &str, on: &str| {
        format!(
            "JobId={id} JobName=wrap UserId=root(0) GroupId=root(0) MCS_label=N/A JobState=RUNNING Reason=None \
             BatchFlag=1 NodeList={node} NumNodes=1 NumCPUs=1 NumTasks=1 TRES=cpu=1,node=1,billing=1 \
             Nodes={node} CPU_IDs=0 Mem=0 GRES={on} MinCPUsNode=1 MinMemoryNode=0 TresPerNode={gres} \n"
        )
    };
    let jobs = [
        job(1, "n1", "shard:3", "shard:3(IDX:0)"),
        job(2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
        job(3, "n3", "shard:1", "shard:1(IDX:0)"),
    ];
    slurm.write("jobs.txt", &jobs.concat());
    let (code, output, messages) = slurm.submit(&["--share", "30", "--policy", "BestFit"]);
    assert_eq!(code, Some(0), "{messages}");
    // As with JSON: of GPU 0 of n1 one of four shards is left.
    assert!(output.contains("node       n3, by BestFit; the job fits 1 of 2 nodes\n"), "{output}");
    assert!(output.contains("GPUs       0 as shard:2, 50 % of it"), "{output}");
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
    let expected = "run.sbatch:2: --gpus-per-node=1 requests GPUs in addition to --gres";
    assert!(code == Some(1) && messages.contains(expected), "{messages}");
    assert_eq!(slurm.submitted(), None);
}

#[test]
fn a_running_job_is_requeued_with_another_share_after_its_checkpoint() {
    let slurm = Slurm::new();
    slurm.write("save", "#!/bin/sh\necho \"save $1\" >> scontrol.log\n[ ! -e fails-save ]\n");
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(slurm.path("save"), fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let resize = |more: &[&str]| slurm.run(&["allocate", "resize", "3", "--share", "75", "--policy", "BestFit"], more);
    let (code, output, messages) = resize(&[]);
    assert_eq!(code, Some(0), "{messages}");
    // Three of four shards; its own one counts as free.
    let expected = "command    scontrol requeuehold 3\n\
                    command    scontrol update 'JobId=3' 'Gres=shard:3' 'ReqNodeList=n3' 'StartTime=now'\n\
                    command    scontrol release 3\n";
    assert!(
        output.starts_with("job        3, now on n3\nnode       n3, by BestFit; the job fits 1 of 2 nodes\n"),
        "{output}"
    );
    assert!(output.ends_with(expected), "{output}");
    assert!(messages.contains("a dry run: nothing was changed; add --apply"), "{messages}");
    assert!(slurm.changes().is_empty());

    let (code, output, messages) = resize(&["--apply", "--checkpoint", "./save"]);
    assert!(code == Some(0) && output.ends_with("requeued   job 3\n"), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:3 ReqNodeList=n3 StartTime=now";
    assert_eq!(slurm.changes(), ["save 3", "requeuehold 3", update, "release 3"]);

    // Without a checkpoint the job goes on; without the other share it starts again.
    slurm.write("fails-save", "");
    let (code, _, messages) = resize(&["--apply", "--checkpoint", "./save"]);
    assert!(code == Some(1) && messages.contains("the checkpoint failed; job 3 continues unchanged"), "{messages}");
    assert_eq!(slurm.changes().len(), 5);
    slurm.write("fails-update", "");
    let (code, _, messages) = resize(&["--apply"]);
    let expected = "the share of job 3 is unchanged, and the job starts again";
    assert!(code == Some(1) && messages.contains(expected), "{messages}");
    assert_eq!(slurm.changes()[5..], ["requeuehold 3", update, "release 3"]);

    let (code, _, messages) = slurm.run(&["allocate", "resize", "99", "--share", "75"], &[]);
    assert!(code == Some(1) && messages.contains("job 99 is on no node that accepts jobs"), "{messages}");
}

/// Job 3 has one of four shards, and does one hundredth of its work a second.
#[test]
fn a_job_that_is_behind_gets_the_next_larger_share() {
    let slurm = Slurm::new();
    // Each question about the state is one more second.
    let squeue = r#"
case "$*" in
--json) cat "$HERE/jobs.json" ;;
*%P) echo main ;;
*%T)
    echo x >> "$HERE/seconds"; seconds=$(wc -l < "$HERE/seconds")
    echo "step $((seconds))/100" >> "$HERE/progress"
    if [ "$seconds" -lt 4 ]; then echo RUNNING; else echo COMPLETED; fi ;;
esac
"#;
    slurm.write("squeue", &format!("#!/bin/sh\nHERE='{}'\n{squeue}", slurm.0.path().display()));
    let watch = ["allocate", "watch", "3", "--progress", "progress", "--within", "30", "--share", "20", "--every", "1"];
    let (code, output, messages) = slurm.run(&watch, &[]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("job 3 is behind: 2 % done, expected to end after"), "{messages}");
    // 30 % of a GPU are two of its four shards.
    assert!(output.contains("scontrol update 'JobId=3' 'Gres=shard:2' 'ReqNodeList=n3' 'StartTime=now'"), "{output}");
    assert!(messages.contains("a dry run: nothing was changed"), "{messages}");
    assert!(output.contains("completed  job 3 after"), "{output}");
    assert!(slurm.changes().is_empty());
}

/// No node has room for a larger share of job 3: job 4 has the other three shards of its GPU, job 5 the other GPU of its node.
/// The states are lines of a script, after which job 3 runs and does one hundredth of its work a second.
fn without_room(states: &str) -> Slurm {
    let slurm = Slurm::new();
    slurm.write_jobs(&[
        (1, "n1", "shard:3", "shard:3(IDX:0)"),
        (2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
        (3, "n3", "shard:1", "shard:1(IDX:0)"),
        (4, "n3", "shard:3", "shard:3(IDX:0)"),
        (5, "n3", "gpu:1", "gpu:a100:1(IDX:1)"),
    ]);
    let squeue = format!(
        r#"#!/bin/sh
HERE='{}'
case "$*" in
--json) cat "$HERE/jobs.json"; exit ;;
*%P) echo main; exit ;;
esac
changed() {{ grep -qs "^$1" "$HERE/scontrol.log"; }}
is() {{ echo "$1"; exit; }}
{states}
echo x >> "$HERE/seconds"
echo "step $(wc -l < "$HERE/seconds" | tr -d ' ')/100" >> "$HERE/progress"
echo RUNNING
"#,
        slurm.0.path().display()
    );
    slurm.write("squeue", &squeue);
    slurm
}

const BEHIND: [&str; 9] =
    ["allocate", "watch", "3", "--progress", "progress", "--within", "30", "--share=20", "--every=1"];

#[test]
fn a_job_beside_one_that_is_behind_gets_a_smaller_share_if_no_node_has_room() {
    let states = r#"
case "$*" in *"--job 4 "*) is PENDING ;; esac
changed "release 3" && is COMPLETED
changed "requeuehold 3" && is PENDING
"#;
    let slurm = without_room(states);
    // Three of four shards are 75 %. In steps of 10 percentage points 45 % are the first share of fewer shards: two.
    let (code, output, messages) = slurm.run(&BEHIND, &["--shrink", "5,4=30", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let update = |job: u32| format!("update JobId={job} Gres=shard:2 ReqNodeList=n3 StartTime=now");
    let expected = ["requeuehold 4", update(4).as_str(), "release 4", "requeuehold 3", update(3).as_str(), "release 3"]
        .map(str::to_owned);
    assert_eq!(slurm.changes(), expected);
    assert!(output.starts_with("job        4, on n3 as shard:2\ncommand    scontrol requeuehold 4\n"), "{output}");
    assert!(messages.contains("“crossover allocate resize 4 --share 75 --apply” gives it 75 % again"), "{messages}");

    // A dry run shows the same commands. With all that it needs, it stays as it is.
    let slurm = without_room("[ -e \"$HERE/seconds\" ] && [ $(wc -l < \"$HERE/seconds\") -gt 2 ] && is COMPLETED");
    let (_, output, messages) = slurm.run(&BEHIND, &["--shrink", "4"]);
    assert!(output.contains("scontrol update 'JobId=4' 'Gres=shard:2' 'ReqNodeList=n3' 'StartTime=now'"), "{output}");
    assert!(output.contains("scontrol update 'JobId=3' 'Gres=shard:2' 'ReqNodeList=n3' 'StartTime=now'"), "{output}");
    assert!(messages.contains("a dry run: nothing was changed"), "{messages}");
    fs::remove_file(slurm.path("seconds")).expect("questions");
    fs::remove_file(slurm.path("progress")).expect("progress");
    let (_, output, messages) = slurm.run(&BEHIND, &["--shrink", "4=60"]);
    assert!(!output.contains("scontrol"), "{output}");
    assert!(messages.contains("the share of job 3 stays at 20 %: the job fits no node now"), "{messages}");
    assert!(slurm.changes().is_empty());
}

/// 60 % are three of four shards for job 3, so that one is left for job 4: two steps of 40 percentage points, by 35 % and two shards.
#[test]
fn a_job_that_makes_room_in_two_steps_is_requeued_once() {
    let states = r#"
case "$*" in *"--job 4 "*) is PENDING ;; esac
changed "release 3" && is COMPLETED
changed "requeuehold 3" && is PENDING
"#;
    let slurm = without_room(states);
    let (code, output, messages) = slurm.run(&BEHIND, &["--shrink", "4", "--step", "40", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let update = |job: u32, shards: u32| format!("update JobId={job} Gres=shard:{shards} ReqNodeList=n3 StartTime=now");
    let (smaller, larger) = (update(4, 1), update(3, 3));
    let expected = ["requeuehold 4", smaller.as_str(), "release 4", "requeuehold 3", larger.as_str(), "release 3"]
        .map(str::to_owned);
    assert_eq!(slurm.changes(), expected);
    assert!(messages.contains("“crossover allocate resize 4 --share 75 --apply” gives it 75 % again"), "{messages}");
}

#[test]
fn a_job_beside_one_that_is_behind_is_suspended_until_the_watch_ends() {
    let states = r#"
case "$*" in *"--job 4 "*)
    changed "resume 4" && is RUNNING
    changed "suspend 4" && is SUSPENDED
    is RUNNING ;;
esac
changed "suspend 4" && is COMPLETED
"#;
    let slurm = without_room(states);
    // Job 5 has another GPU.
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "5,4", "--no-requeue", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    assert_eq!(slurm.changes(), ["suspend 4", "resume 4"]);
    assert!(output.starts_with("command    scontrol suspend 4\nsuspended  job 4\ncompleted  job 3 after"), "{output}");
    assert!(output.ends_with("command    scontrol resume 4\nresumed    job 4\n"), "{output}");

    // Also if the watched job fails.
    let slurm = without_room(&states.replace("COMPLETED", "FAILED"));
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--no-requeue", "--apply"]);
    assert!(code == Some(1) && messages.contains("job 3 ended as FAILED"), "{output}{messages}");
    assert_eq!(slurm.changes(), ["suspend 4", "resume 4"]);

    // Without the rights of an operator nothing changes.
    let slurm = without_room("[ -e \"$HERE/seconds\" ] && [ $(wc -l < \"$HERE/seconds\") -gt 2 ] && is COMPLETED");
    slurm.write("fails-suspend", "");
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--no-requeue", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let expected = "job 4 was not suspended (Slurm suspends jobs for its operators and administrators only): scontrol";
    assert!(messages.contains(expected), "{messages}");
    assert!(slurm.changes().iter().all(|change| change == "suspend 4"), "{:?}", slurm.changes());

    let (code, _, messages) = slurm.run(&BEHIND, &["--suspend", "3"]);
    assert!(code == Some(1) && messages.contains("job 3 is the watched one"), "{messages}");
}

/// Once job 4 is suspended, job 1 ends: all of GPU 0 of n1 is then free for job 3.
#[test]
fn a_suspended_job_is_resumed_as_soon_as_the_watched_one_has_another_node() {
    let states = r#"
case "$*" in *"--job 4 "*)
    changed "resume 4" && is RUNNING
    changed "suspend 4" && is SUSPENDED
    is RUNNING ;;
esac
changed "release 3" && is COMPLETED
changed "requeuehold 3" && is PENDING
"#;
    let slurm = without_room(states);
    let present = fs::read_to_string(slurm.path("jobs.json")).expect("jobs");
    slurm.write_jobs(&[
        (2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
        (3, "n3", "shard:1", "shard:1(IDX:0)"),
        (4, "n3", "shard:3", "shard:3(IDX:0)"),
        (5, "n3", "gpu:1", "gpu:a100:1(IDX:1)"),
    ]);
    fs::rename(slurm.path("jobs.json"), slurm.path("later.json")).expect("renamed");
    slurm.write("jobs.json", &present);
    let scontrol = SCONTROL.replace(
        "[ -e \"$HERE/fails-$1\" ] || exit 0",
        "[ \"$1\" != suspend ] || cp \"$HERE/later.json\" \"$HERE/jobs.json\"; exit 0",
    );
    slurm.write("scontrol", &format!("#!/bin/sh\nHERE='{}'\n{scontrol}\n", slurm.0.path().display()));
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:2 ReqNodeList=n1 StartTime=now";
    assert_eq!(slurm.changes(), ["suspend 4", "requeuehold 3", update, "release 3", "resume 4"]);
    assert!(output.contains("resumed    job 4\ncompleted  job 3 after"), "{output}");
}

#[test]
fn an_interrupt_ends_a_watch_whose_checkpoint_lasts() {
    let slurm = without_room("");
    slurm.write("save", "#!/bin/sh\ntouch begun\nexec sleep 600\n");
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(slurm.path("save"), fs::Permissions::from_mode(0o755)).expect("executable");
    }
    let more = ["--shrink", "4", "--suspend", "5", "--checkpoint", "./save", "--apply"];
    let mut command = slurm.command(&BEHIND, &more);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("the checkpoint", || slurm.path("begun").exists());
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let (code, output, messages) = super::outcome_of(child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(1), "{output}{messages}");
    let expected = "the checkpoint failed; job 4 continues unchanged: ./save was interrupted";
    assert!(messages.contains(expected), "{messages}");
    assert!(messages.contains("interrupted; job 3 continues with its share"), "{messages}");
    assert!(slurm.changes().is_empty());
}

/// Elsewhere than on Linux the folder of the user's data is another one.
#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_watch_has_suspended_is_resumed_by_the_next_one() {
    let states = r#"
case "$*" in *"--job 4 "*) is SUSPENDED ;; *"--job 6 "*) is RUNNING ;; esac
is COMPLETED
"#;
    let slurm = without_room(states);
    let left = slurm.path("data/crossover/suspended-jobs/loopback-9.txt");
    fs::create_dir_all(left.parent().expect("a folder")).expect("created");
    fs::write(&left, "4\n6\n").expect("written");
    slurm.write("data/crossover/suspended-jobs/other-9.txt", "7\n");
    let (code, _, messages) = slurm.run(&BEHIND, &[]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("“scontrol resume 4,6” or --apply resumes them"), "{messages}");
    assert!(slurm.changes().is_empty() && left.exists());
    let (code, output, messages) = slurm.run(&BEHIND, &["--apply"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.contains("resumed    job 4\ncompleted  job 3"), "{output}");
    // Job 6 runs again already; job 7 is of another cluster.
    assert_eq!(slurm.changes(), ["resume 4"]);
    assert!(!left.exists());

    // A watch that suspends nothing does not need to know the cluster.
    slurm.write("scontrol", "#!/bin/sh\necho 'no configuration' >&2; exit 1\n");
    let (code, _, messages) = slurm.run(&BEHIND, &["--apply"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        messages.contains("note: jobs that another watch may have left suspended are not resumed: scontrol"),
        "{messages}"
    );
    let (code, _, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--apply"]);
    assert!(code == Some(1) && messages.contains("no configuration"), "{messages}");
}

/// Each state is what a script prints at this question of so many, by its number.
fn with_states(cases: &str) -> Slurm {
    let slurm = Slurm::new();
    let squeue = format!(
        r#"#!/bin/sh
HERE='{}'
case "$*" in
--json) cat "$HERE/jobs.json"; exit ;;
*%P) echo main; exit ;;
esac
fails() {{ echo "slurm_load_jobs error: $1" >&2; exit 1; }}
echo x >> "$HERE/questions"
case $(wc -l < "$HERE/questions" | tr -d ' ') in
{cases}
esac
"#,
        slurm.0.path().display()
    );
    slurm.write("squeue", &squeue);
    slurm.write("progress", "0.5\n");
    slurm
}

/// Watches job 3, with a sample each second.
fn watched(slurm: &Slurm, more: &[&str]) -> (Option<i32>, String, String) {
    let watch =
        ["allocate", "watch", "3", "--progress", "progress", "--within", "900", "--share", "20", "--every", "1"];
    slurm.run(&watch, more)
}

#[test]
fn a_watch_outlasts_a_controller_that_does_not_answer() {
    let slurm = with_states(
        "1) echo RUNNING ;;\n2) fails 'Unable to contact slurm controller' ;;\n3) echo '<html>' ;;\n\
         4) echo RUNNING ;;\n5) fails 'Socket timed out' ;;\n*) echo COMPLETED ;;",
    );
    // Two in a row are not three.
    let (code, output, messages) = watched(&slurm, &["--failures", "3"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(output.starts_with("completed  job 3 after"), "{output}");
    let first = "the state of job 3 is unknown: squeue (exit status: 1): slurm_load_jobs error: Unable to contact slurm \
                 controller; trying again until 2 more failures in a row";
    assert!(messages.contains(first), "{messages}");
    // Each row of failures has one line, and one after it.
    assert_eq!(messages.matches("the state of job 3 is unknown").count(), 2, "{messages}");
    assert!(messages.contains("squeue answers again after 2 failures\n"), "{messages}");
    assert!(messages.contains("squeue answers again after 1 failure\n"), "{messages}");
}

#[test]
fn a_watch_ends_after_as_many_failures_in_a_row_as_it_may_have() {
    let slurm = with_states("1) echo RUNNING ;;\n2) fails 'Socket timed out' ;;\n*) echo 'not a state' ;;");
    let (code, _, messages) = watched(&slurm, &["--failures", "2", "--apply"]);
    assert_eq!(code, Some(1), "{messages}");
    let expected = "the watch has ended; job 3 continues with 20 % of its GPU: squeue failed 2 times in a row: squeue printed \
                    “not a state”; expected the state of job 3";
    assert!(messages.contains(expected), "{messages}");
    assert_eq!(fs::read_to_string(slurm.path("questions")).expect("questions").lines().count(), 3);
    assert!(slurm.changes().is_empty());
}

#[test]
fn a_watch_ends_with_a_job_that_slurm_has_forgotten() {
    for forgotten in ["fails 'Invalid job id specified'", "true"] {
        let slurm = with_states(&format!("1) echo RUNNING ;;\n*) {forgotten} ;;"));
        let (code, _, messages) = watched(&slurm, &[]);
        let expected =
            "Slurm does not list job 3; if it has ended and Slurm records accounting, “sacct -j 3” shows its state";
        assert!(code == Some(1) && messages.contains(expected), "{forgotten}: {messages}");
    }
}

/// The first release fails while the processes of the job still end. Slurm carries out the second, and its answer is lost.
#[test]
fn a_job_that_runs_again_is_released_whatever_the_command_said() {
    let slurm = with_states("1) echo PENDING ;;\n2) echo COMPLETING ;;\n*) echo RUNNING ;;");
    slurm.write("fails-release", "");
    let resize = ["allocate", "resize", "3", "--share", "75", "--policy", "BestFit", "--apply"];
    let (code, output, messages) = slurm.run(&resize, &[]);
    assert!(code == Some(0) && output.ends_with("requeued   job 3\n"), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:3 ReqNodeList=n3 StartTime=now";
    assert_eq!(slurm.changes(), ["requeuehold 3", update, "release 3", "release 3"]);
    assert!(messages.contains("job 3 is released after 2 failures"), "{messages}");
}

#[test]
fn a_held_job_is_released_once_slurm_answers_again() {
    let slurm = Slurm::new();
    let scontrol = SCONTROL.replace(
        "[ -e \"$HERE/fails-$1\" ] || exit 0",
        "[ \"$1\" = release ] && [ $(grep -c release \"$HERE/scontrol.log\") -lt 3 ] || exit 0",
    );
    slurm.write("scontrol", &format!("#!/bin/sh\nHERE='{}'\n{scontrol}\n", slurm.0.path().display()));
    // Its state is not known meanwhile: once before it is held, and then once.
    let squeue = "case \"$*\" in --json) cat \"$HERE/jobs.json\" ;; *%P) echo main ;; *%T) echo x >> \"$HERE/questions\"\n\
                  [ $(wc -l < \"$HERE/questions\") = 2 ] && echo PENDING && exit 0\n\
                  echo 'slurm_load_jobs error: Socket timed out' >&2; exit 1 ;; esac";
    slurm.write("squeue", &format!("#!/bin/sh\nHERE='{}'\n{squeue}\n", slurm.0.path().display()));
    let resize = ["allocate", "resize", "3", "--share", "75", "--policy", "BestFit", "--apply"];
    let (code, output, messages) = slurm.run(&resize, &[]);
    assert!(code == Some(0) && output.ends_with("requeued   job 3\n"), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:3 ReqNodeList=n3 StartTime=now";
    assert_eq!(slurm.changes(), ["requeuehold 3", update, "release 3", "release 3", "release 3"]);
    assert_eq!(messages.matches("job 3 is still held").count(), 1, "{messages}");
    assert!(messages.contains("job 3 is released after 2 failures"), "{messages}");
}

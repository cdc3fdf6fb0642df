//! Jobs for Slurm on the node that a policy chooses, and shares that change, through programs that stand in for the commands of Slurm.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crossover_needs::wait_until;
use serde_json::json;

/// A cluster of four nodes with two A100 and four shards of each. Of n1, three shards of GPU 0 and all of GPU 1 are taken, n2 is
/// down, of n3 one shard of GPU 0 is taken, and n4 is idle, in another partition than the default one.
pub(super) struct Slurm(tempfile::TempDir);

/// Prints the nodes, and keeps what would change a job. After a change the jobs may be those of another file.
pub(super) const SCONTROL: &str = r#"
[ "$*" = "--oneliner show node" ] && exec cat "$HERE/nodes.txt"
[ "$*" = "show config" ] && echo 'ClusterName             = loopback' && exit
[ "$*" = "--details --oneliner show job" ] && exec cat "$HERE/jobs.txt"
echo "$*" >> "$HERE/scontrol.log"
[ ! -e "$HERE/after-$1.json" ] || cp "$HERE/after-$1.json" "$HERE/jobs.json"
[ -e "$HERE/fails-$1" ] || exit 0
echo "slurm_update error: Requested operation is presently disabled" >&2; exit 1
"#;

impl Slurm {
    pub(super) fn new() -> Self {
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
            slurm.write_program(name, script);
        }
        slurm
    }

    /// Writes a program that stands in for a command; `$HERE` is the folder.
    pub(super) fn write_program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, &format!("#!/bin/sh\nHERE='{}'\n{script}\n", self.0.path().display()));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("executable");
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    /// Jobs that run: number, node, what each requests of it, and its GPU there.
    pub(super) fn write_jobs(&self, jobs: &[(u32, &str, &str, &str)]) {
        self.write_jobs_as("jobs.json", jobs);
    }

    /// The same in another file, such as `after-suspend.json`: these run once a job is suspended.
    pub(super) fn write_jobs_as(&self, name: &str, jobs: &[(u32, &str, &str, &str)]) {
        let job = |(id, node, gres, on): &(u32, &str, &str, &str)| {
            json!({
                "job_id": id, "name": "wrap", "job_state": "RUNNING", "nodes": node, "gres_detail": [on], "cpus": 1,
                "tres_per_node": format!("gres:{gres}"), "tres_alloc_str": "cpu=1,node=1,billing=1"
            })
        };
        let jobs: Vec<serde_json::Value> = jobs.iter().map(job).collect();
        self.write(name, &json!({ "jobs": jobs }).to_string());
    }

    /// Submits the script; returns exit code, output and messages.
    fn submit(&self, more: &[&str]) -> (Option<i32>, String, String) {
        self.run(&["allocate", "submit", "run.sbatch"], more)
    }

    pub(super) fn run(&self, arguments: &[&str], more: &[&str]) -> (Option<i32>, String, String) {
        super::outcome_of(self.command(arguments, more).output().expect("the program starts"))
    }

    pub(super) fn command(&self, arguments: &[&str], more: &[&str]) -> Command {
        let mut command = super::crossover(arguments);
        let path = format!("{}:{}", self.0.path().display(), std::env::var("PATH").unwrap_or_default());
        command.args(more).current_dir(self.0.path()).env("PATH", path).env("XDG_DATA_HOME", self.path("data"));
        command
    }

    /// What scontrol was told to change.
    pub(super) fn changes(&self) -> Vec<String> {
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
    slurm.write_program("save", "echo \"save $1\" >> scontrol.log\n[ ! -e fails-save ]");
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

/// Each state is what a script prints at this question of so many, by its number.
pub(super) fn with_states(cases: &str) -> Slurm {
    let slurm = Slurm::new();
    let squeue = format!(
        r#"
case "$*" in
--json) cat "$HERE/jobs.json"; exit ;;
*%P) echo main; exit ;;
esac
fails() {{ echo "slurm_load_jobs error: $1" >&2; exit 1; }}
echo x >> "$HERE/questions"
case $(wc -l < "$HERE/questions" | tr -d ' ') in
{cases}
esac
"#
    );
    slurm.write_program("squeue", &squeue);
    slurm.write("progress", "0.5\n");
    slurm
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

/// Slurm fails a job that starts again in the second in which its run before has ended: “Job credential revoked”.
#[test]
fn a_requeued_job_starts_no_earlier_than_a_second_after_its_end() {
    let slurm = with_states("*) touch \"$HERE/ended\"; echo PENDING ;;");
    slurm.write_program("scontrol", &format!("touch \"$HERE/at-$1\"\n{SCONTROL}"));
    let resize = ["allocate", "resize", "3", "--share", "75", "--policy", "BestFit", "--apply"];
    let (code, output, messages) = slurm.run(&resize, &[]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let [ended, released] = ["ended", "at-release"]
        .map(|name| fs::metadata(slurm.path(name)).and_then(|file| file.modified()).expect("the time of a file"));
    // Times of files have the resolution of the system's clock tick, which is up to 10 ms.
    let between = released.duration_since(ended).expect("the release is later");
    assert!(between >= Duration::from_millis(990), "{between:?}");
}

/// The release of the job does not end. Further interrupts end the command, and the job is named.
#[test]
fn a_second_interrupt_ends_a_release_that_lasts() {
    let slurm = with_states("*) echo PENDING ;;");
    slurm.write_program(
        "scontrol",
        &format!("[ \"$1\" = release ] && touch \"$HERE/begun\" && exec sleep 600\n{SCONTROL}"),
    );
    let resize = ["allocate", "resize", "3", "--share", "75", "--policy", "BestFit", "--apply"];
    let mut command = slurm.command(&resize, &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("the release", || slurm.path("begun").exists());
    interrupt_until_it_ends(&mut child);
    let (code, output, messages) = super::outcome_of(child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(1), "{output}{messages}");
    assert!(messages.contains("job 3 is held; run “scontrol release 3”: scontrol was interrupted"), "{messages}");
    let update = "update JobId=3 Gres=shard:3 ReqNodeList=n3 StartTime=now";
    assert_eq!(slurm.changes(), ["requeuehold 3", update]);
}

/// As Ctrl-C does.
pub(super) fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// Several interrupts, as two that follow each other closely may count as one.
pub(super) fn interrupt_until_it_ends(child: &mut Child) {
    wait_until("its end after interrupts", || {
        let has_ended = child.try_wait().expect("a child").is_some();
        if !has_ended {
            interrupt(child);
        }
        has_ended
    });
}

#[test]
fn a_held_job_is_released_once_slurm_answers_again() {
    let slurm = Slurm::new();
    let scontrol = SCONTROL.replace(
        "[ -e \"$HERE/fails-$1\" ] || exit 0",
        "[ \"$1\" = release ] && [ $(grep -c release \"$HERE/scontrol.log\") -lt 3 ] || exit 0",
    );
    slurm.write_program("scontrol", &scontrol);
    // Its state is not known meanwhile: once before it is held, and then once.
    let squeue = "case \"$*\" in --json) cat \"$HERE/jobs.json\" ;; *%P) echo main ;; *%T) echo x >> \"$HERE/questions\"\n\
                  [ $(wc -l < \"$HERE/questions\") = 2 ] && echo PENDING && exit 0\n\
                  echo 'slurm_load_jobs error: Socket timed out' >&2; exit 1 ;; esac";
    slurm.write_program("squeue", squeue);
    let resize = ["allocate", "resize", "3", "--share", "75", "--policy", "BestFit", "--apply"];
    let (code, output, messages) = slurm.run(&resize, &[]);
    assert!(code == Some(0) && output.ends_with("requeued   job 3\n"), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:3 ReqNodeList=n3 StartTime=now";
    assert_eq!(slurm.changes(), ["requeuehold 3", update, "release 3", "release 3", "release 3"]);
    assert_eq!(messages.matches("job 3 is still held").count(), 1, "{messages}");
    assert!(messages.contains("job 3 is released after 2 failures"), "{messages}");
}

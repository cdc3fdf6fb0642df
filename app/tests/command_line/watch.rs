//! `crossover allocate watch`: jobs of Slurm that are behind, with programs that stand in for its commands.

use std::fs;
use std::process::Stdio;

use crossover_needs::{http_server, wait_until};

use super::submit::{Slurm, interrupt, with_states};

/// What stands in for squeue. The states are lines of a script, after which job 3 runs and does one hundredth of its work a second: each
/// query of its state is one more second.
fn squeue(states: &str) -> String {
    format!(
        r#"
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
"#
    )
}

/// The line of [`squeue`] after which a job is completed that has run for so many seconds.
fn completed_after(seconds: u32) -> String {
    format!("[ -e \"$HERE/seconds\" ] && [ $(wc -l < \"$HERE/seconds\") -ge {seconds} ] && is COMPLETED")
}

const BEHIND: [&str; 9] =
    ["allocate", "watch", "3", "--progress", "progress", "--within", "30", "--share=20", "--every=1"];

/// Job 3 has one of four shards, and does one hundredth of its work a second.
#[test]
fn a_job_that_is_behind_gets_the_next_larger_share() {
    let slurm = Slurm::new();
    slurm.write_program("squeue", &squeue(&completed_after(3)));
    let (code, output, messages) = slurm.run(&BEHIND, &[]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("job 3 is behind: 2 % done, expected to end after"), "{messages}");
    // 30 % of a GPU are two of its four shards.
    assert!(output.contains("scontrol update 'JobId=3' 'Gres=shard:2' 'ReqNodeList=n3' 'StartTime=now'"), "{output}");
    assert!(messages.contains("a dry run: nothing was changed"), "{messages}");
    assert!(output.contains("completed  job 3 after"), "{output}");
    assert!(slurm.changes().is_empty());
}

/// A server of Prometheus whose query has these answers, in turn, and then the last one again; its address.
fn prometheus(answers: &'static [&'static str]) -> String {
    http_server(move |count, request| {
        assert_eq!(request, "GET /api/v1/query?query=done%2Fsteps HTTP/1.1");
        let result = answers[count.min(answers.len() - 1)];
        format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{result}]}}}}")
    })
}

/// Samples as Prometheus writes them: <https://prometheus.io/docs/prometheus/latest/querying/api/#instant-vectors>.
#[test]
fn a_job_whose_metric_says_that_it_is_behind_gets_the_next_larger_share() {
    let slurm = Slurm::new();
    slurm.write_program("squeue", &squeue(&completed_after(4)));
    // No result yet; then two series, of which the mean counts: 1 %, 2 %, 3 %.
    let server = prometheus(&[
        "",
        r#"{"metric":{"rank":"0"},"value":[1,"0.005"]},{"metric":{"rank":"1"},"value":[1,"0.015"]}"#,
        r#"{"metric":{"rank":"0"},"value":[2,"0.02"]}"#,
        r#"{"metric":{"rank":"0"},"value":[3,"0.03"]}"#,
    ]);
    let watch = ["allocate", "watch", "3", "--within", "30", "--share", "20", "--every", "1", "--prometheus", &server];
    let (code, output, messages) = slurm.run(&watch, &["--progress-query", "done/steps"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        messages.contains(&format!("no progress: {server}/: the query “done/steps” has no result now")),
        "{messages}"
    );
    assert!(messages.contains("job 3 is behind: 2 % done, expected to end after"), "{messages}");
    assert!(output.contains("scontrol update 'JobId=3' 'Gres=shard:2' 'ReqNodeList=n3' 'StartTime=now'"), "{output}");
    assert!(slurm.changes().is_empty());

    let (code, _, messages) = slurm.run(&watch[..9], &["--progress-query", "x", "--prometheus", "https://p"]);
    assert!(code == Some(1) && messages.contains("--prometheus: “https://p”: only plain HTTP is read"), "{messages}");
    for wrong in [&["--prometheus", "http://p"][..], &["--progress-query", "x"], &[]] {
        let (code, _, messages) = slurm.run(&watch[..9], wrong);
        assert_eq!(code, Some(2), "{wrong:?}: {messages}");
    }
}

/// No node has room for a larger share of job 3: job 4 has the other three shards of its GPU, job 5 the other GPU of its node.
fn without_room(states: &str) -> Slurm {
    let slurm = Slurm::new();
    slurm.write_jobs(&[
        (1, "n1", "shard:3", "shard:3(IDX:0)"),
        (2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
        (3, "n3", "shard:1", "shard:1(IDX:0)"),
        (4, "n3", "shard:3", "shard:3(IDX:0)"),
        (5, "n3", "gpu:1", "gpu:a100:1(IDX:1)"),
    ]);
    slurm.write_program("squeue", &squeue(states));
    slurm
}

/// Jobs 3 and 4 wait once they are requeued, and job 3 ends once it is released.
const REQUEUED: &str = r#"
case "$*" in *"--job 4 "*) is PENDING ;; esac
changed "release 3" && is COMPLETED
changed "requeuehold 3" && is PENDING
"#;

#[test]
fn a_job_beside_one_that_is_behind_gets_a_smaller_share_if_no_node_has_room() {
    let slurm = without_room(REQUEUED);
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
    let slurm = without_room(&completed_after(3));
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
    let slurm = without_room(REQUEUED);
    let (code, output, messages) = slurm.run(&BEHIND, &["--shrink", "4", "--step", "40", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let update = |job: u32, shards: u32| format!("update JobId={job} Gres=shard:{shards} ReqNodeList=n3 StartTime=now");
    let (smaller, larger) = (update(4, 1), update(3, 3));
    let expected = ["requeuehold 4", smaller.as_str(), "release 4", "requeuehold 3", larger.as_str(), "release 3"]
        .map(str::to_owned);
    assert_eq!(slurm.changes(), expected);
    assert!(messages.contains("“crossover allocate resize 4 --share 75 --apply” gives it 75 % again"), "{messages}");
}

/// Job 4 runs, unless it is suspended and not yet resumed.
const SUSPENDABLE: &str = r#"
case "$*" in *"--job 4 "*)
    changed "resume 4" && is RUNNING
    changed "suspend 4" && is SUSPENDED
    is RUNNING ;;
esac
"#;

#[test]
fn a_job_beside_one_that_is_behind_is_suspended_until_the_watch_ends() {
    let states = SUSPENDABLE.to_owned()
        + r#"
changed "suspend 4" && is COMPLETED
"#;
    let slurm = without_room(&states);
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
    let slurm = without_room(&completed_after(3));
    slurm.write("fails-suspend", "");
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--no-requeue", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let expected = "job 4 was not suspended (only operators and administrators of Slurm may suspend jobs): scontrol";
    assert!(messages.contains(expected), "{messages}");
    assert!(slurm.changes().iter().all(|change| change == "suspend 4"), "{:?}", slurm.changes());

    let (code, _, messages) = slurm.run(&BEHIND, &["--suspend", "3"]);
    assert!(code == Some(1) && messages.contains("job 3 is the watched job"), "{messages}");
}

/// Once job 4 is suspended, job 1 ends: all of GPU 0 of n1 is then free for job 3.
#[test]
fn a_suspended_job_is_resumed_as_soon_as_the_watched_one_has_another_node() {
    let states = SUSPENDABLE.to_owned()
        + r#"
changed "release 3" && is COMPLETED
changed "requeuehold 3" && is PENDING
"#;
    let slurm = without_room(&states);
    let jobs = [
        (2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
        (3, "n3", "shard:1", "shard:1(IDX:0)"),
        (4, "n3", "shard:3", "shard:3(IDX:0)"),
        (5, "n3", "gpu:1", "gpu:a100:1(IDX:1)"),
    ];
    slurm.write_jobs_as("after-suspend.json", &jobs);
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:2 ReqNodeList=n1 StartTime=now";
    assert_eq!(slurm.changes(), ["suspend 4", "requeuehold 3", update, "release 3", "resume 4"]);
    assert!(output.contains("resumed    job 4\ncompleted  job 3 after"), "{output}");
}

/// Once job 4 is suspended, job 5 ends: the other GPU of the same node is then free for job 3. Slurm puts it there.
#[test]
fn a_suspended_job_is_resumed_as_soon_as_the_watched_one_has_another_gpu_of_its_node() {
    let states = SUSPENDABLE.to_owned()
        + r#"
changed "resume 4" && is COMPLETED
[ -e "$HERE/seconds" ] && [ $(wc -l < "$HERE/seconds") -gt 8 ] && is COMPLETED
changed "release 3" || { changed "requeuehold 3" && is PENDING; }
"#;
    let slurm = without_room(&states);
    let with_job_3 = |shards: &'static str, place: &'static str| {
        [
            (1, "n1", "shard:3", "shard:3(IDX:0)"),
            (2, "n1", "gpu:1", "gpu:a100:1(IDX:1)"),
            (3, "n3", shards, place),
            (4, "n3", "shard:3", "shard:3(IDX:0)"),
        ]
    };
    slurm.write_jobs_as("after-suspend.json", &with_job_3("shard:1", "shard:1(IDX:0)"));
    slurm.write_jobs_as("after-release.json", &with_job_3("shard:2", "shard:2(IDX:1)"));
    let (code, output, messages) = slurm.run(&BEHIND, &["--suspend", "4", "--apply"]);
    assert_eq!(code, Some(0), "{output}{messages}");
    let update = "update JobId=3 Gres=shard:2 ReqNodeList=n3 StartTime=now";
    assert_eq!(slurm.changes(), ["suspend 4", "requeuehold 3", update, "release 3", "resume 4"]);
    assert!(output.contains("resumed    job 4\ncompleted  job 3 after"), "{output}");
}

/// The first interrupt ends the watch, which resumes what it has suspended; Slurm does not answer. The second one ends that.
/// Elsewhere than on Linux the folder of the user's data is another one.
#[cfg(target_os = "linux")]
#[test]
fn a_second_interrupt_leaves_the_list_of_suspended_jobs_to_the_next_watch() {
    use super::submit::{SCONTROL, interrupt_until_it_ends};
    let states = SUSPENDABLE.to_owned()
        + r#"
[ -e "$HERE/ends" ] && is COMPLETED
"#;
    let slurm = without_room(&states);
    let silent = "[ \"$1\" = resume ] && touch \"$HERE/resuming\" && exec sleep 600";
    slurm.write_program("scontrol", &format!("{silent}\n{SCONTROL}"));
    let mut command = slurm.command(&BEHIND, &["--suspend", "4", "--no-requeue", "--apply"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("the suspended job", || slurm.changes() == ["suspend 4"]);
    interrupt(&child);
    wait_until("the attempt to resume it", || slurm.path("resuming").exists());
    interrupt_until_it_ends(&mut child);
    let (code, output, messages) = super::outcome_of(child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(1), "{output}{messages}");
    assert!(messages.contains("another Ctrl-C ends this command at once"), "{messages}");
    let expected = "job 4 may still be suspended (scontrol was interrupted); run “scontrol resume 4”, or “crossover allocate watch \
                    --apply” of any job, which resumes them too: interrupted; job 3 continues with its share";
    assert!(messages.contains(expected), "{messages}");
    let list = slurm.path("data/crossover/suspended-jobs/loopback-3.txt");
    assert_eq!(fs::read_to_string(&list).expect("the list"), "4\n");
    assert_eq!(slurm.changes(), ["suspend 4"]);

    slurm.write_program("scontrol", SCONTROL);
    slurm.write("ends", "");
    let (code, output, messages) = slurm.run(&BEHIND, &["--apply"]);
    assert!(code == Some(0) && output.contains("resumed    job 4\ncompleted  job 3"), "{output}{messages}");
    assert_eq!(slurm.changes(), ["suspend 4", "resume 4"]);
    assert!(!list.exists());
}

#[test]
fn an_interrupt_ends_a_watch_whose_checkpoint_lasts() {
    let slurm = without_room("");
    slurm.write_program("save", "touch begun\nexec sleep 600");
    let more = ["--shrink", "4", "--suspend", "5", "--checkpoint", "./save", "--apply"];
    let mut command = slurm.command(&BEHIND, &more);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("the checkpoint", || slurm.path("begun").exists());
    interrupt(&child);
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

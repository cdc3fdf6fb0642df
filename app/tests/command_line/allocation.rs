//! Allocation studies on the command line.

use std::fs;

use crossover_gpu_bench::report::SCHEMA;
use crossover_needs::test_data;

use super::{refusal, result, run};

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/allocation-shared.ron");

#[test]
fn every_format_names_every_rule() {
    for format in ["table", "csv", "json", "markdown", "ron"] {
        let text = result(&["evaluate", SHARED, "--format", format]);
        for policy in ["MostLeft", "Random", "DotProd", "Clustering", "Packing", "BestFit", "FGD", "vCUDA"] {
            assert!(text.contains(policy), "{format}: {policy}");
        }
    }
}

/// The JSON of a shipped example.
fn evaluated(name: &str) -> serde_json::Value {
    let file = format!("{}/../scenarios/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&result(&["evaluate", &file, "--format", "json"])).expect("JSON")
}

/// The published examples: after 1 min 30 s the share of the inference task grows from 40 % to 50 %, and it ends after 2 min 42 s. A
/// training task that is preempted at the start continues when the inference task has ended, after 2 min.
#[test]
fn an_evaluation_lists_which_task_ran_where_and_with_which_share() {
    let of_slo = evaluated("allocation-slo.ron");
    let inference = &of_slo["timeline"]["runs"][1];
    assert_eq!((&inference["tasks"], &inference["node"]), (&"inference".into(), &"C 1".into()), "{of_slo}");
    let gpu = serde_json::json!({ "gpu": 0, "compute_percent": 40.0, "memory_percent": null });
    assert_eq!(inference["gpus"], serde_json::json!([gpu]));
    let changes = serde_json::json!([{ "at_seconds": 90.0, "compute_percent": 50.0 }]);
    assert_eq!((&inference["share_changes"], &inference["is_preempted"]), (&changes, &false.into()));
    assert!((inference["until_seconds"].as_f64().expect("a time") - 162.0).abs() < 1e-9, "{inference}");

    let preempted = evaluated("allocation-preemption.ron");
    let runs = preempted["timeline"]["runs"].as_array().expect("runs").iter();
    let found: Vec<(&str, f64, f64, bool)> = runs
        .map(|run| {
            let time = |key: &str| run[key].as_f64().expect("a time");
            let name = run["tasks"].as_str().expect("a name");
            (name, time("from_seconds"), time("until_seconds"), run["is_preempted"] == true)
        })
        .collect();
    let expected = [("training", 0.0, 0.0, true), ("inference", 0.0, 120.0, false), ("training", 120.0, 750.0, false)];
    assert_eq!(found, expected);

    // CSV has a line for each interval with one share, in a second table.
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/allocation-slo.ron");
    let csv = result(&["evaluate", file, "--format", "csv"]);
    let (_, runs) = csv.split_once("\r\n\r\n").expect("two tables");
    let lines: Vec<Vec<&str>> = runs.lines().map(|line| line.split(',').collect()).collect();
    let titles = "task,tasks,is_latency_sensitive,arrived_seconds,from_seconds,until_seconds,node,gpu,compute_percent,\
                  memory_percent,end";
    assert_eq!(lines[0].join(","), titles);
    assert_eq!(lines[2], ["2", "inference", "true", "0", "0", "90", "C 1", "0", "40", "", "share changed"]);
    assert_eq!((lines[3][4], &lines[3][6..]), ("90", &["C 1", "0", "50", "", "ended"][..]));
    // The table of the report has both shares in one row.
    let text = result(&["evaluate", file]);
    let row = text.lines().find(|line| line.contains("50 % from 1 min 30 s")).expect("a row");
    assert!(row.contains("inference") && row.contains("40 %, 50 %") && row.contains("2 min 42 s"), "{row}");
    // The example of a day has thousands of runs, of which a table lists twenty.
    let shared = result(&["evaluate", SHARED]);
    let (_, timeline) = shared.split_once("Timeline of FGD: runs of tasks in the first replay\n").expect("a timeline");
    let (listed, more) = timeline.split_once("\nand ").expect("a remark");
    assert_eq!(listed.lines().count(), 21, "titles and twenty rows: {listed}");
    assert!(more.contains(" more runs; use --format json to list all\n"), "{more}");
}

#[test]
fn numbers_and_the_rule_are_overridden_and_swept() {
    let text = result(&["evaluate", SHARED, "--set", "policy.name=BestFit", "--set", "nodes.training.nodes=20"]);
    assert!(text.contains("24 nodes with 176 GPUs"), "{text}");
    assert!(text.contains("of all GPUs by BestFit"), "{text}");
    let curve = result(&["sweep", SHARED, "--x", "nodes.training.nodes=8..16:3"]);
    assert!(curve.lines().count() >= 4, "{curve}");
    let problem = refusal(2, &["evaluate", SHARED, "--set", "policy.growing_nodes=elsewhere"]);
    assert!(problem.contains("elsewhere") && problem.contains("training"), "{problem}");
}

/// The 10⁹ tasks are refused where they are set, and so is a sum of groups beyond the limit.
#[test]
fn more_tasks_than_can_be_studied_are_refused_with_the_limit() {
    let problem = refusal(2, &["evaluate", SHARED, "--set", "tasks.notebook.tasks=1000000000"]);
    assert!(problem.contains("tasks.notebook.tasks: ") && problem.contains("allowed: 0 … 1,000,000"), "{problem}");
    // 600,000 + 600,000 + 20 + 20 + 4 + 2 + 20.
    let (code, output, problem) =
        run(&["evaluate", SHARED, "--set", "tasks.0.tasks=600000", "--set", "tasks.1.tasks=600000"]);
    assert!(code != Some(0) && output.is_empty(), "{output}");
    assert!(problem.contains("1200066 tasks of all groups together; at most 1000000 are allowed"), "{problem}");
}

/// What the message about an idle cluster advises is what the command does then, and it is not advised where it would fail.
#[test]
fn an_idle_cluster_is_written_as_the_message_advises() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    let node = "NodeName=n1 Arch=x86_64 CPUTot=32 RealMemory=64000 State=IDLE";
    let nodes = file("nodes.txt", &format!("{node} Gres=gpu:a100:4\n"));
    let problem = refusal(1, &["import", "slurm", "--nodes", &nodes]);
    assert!(problem.contains("no task found") && problem.contains("--out alone writes a scenario"), "{problem}");
    let out = folder.path().join("idle.ron");
    let out = out.to_str().expect("text");
    for other in [&["--replay"][..], &["--manifests", "pods.json"]] {
        let problem = refusal(1, &[&["import", "slurm", "--nodes", &nodes, "--out", out][..], other].concat());
        assert!(problem.contains("--out alone writes a scenario"), "{problem}");
        assert!(!std::path::Path::new(out).exists());
    }
    let (code, _, messages) = run(&["import", "slurm", "--nodes", &nodes, "--out", out]);
    assert!(code == Some(0) && messages.contains("one task to replace with your own"), "{messages}");
    let text = result(&["evaluate", out]);
    assert!(text.contains("1 node with 4 GPUs"), "{text}");
    // Without a GPU no scenario can be written.
    let bare = file("bare.txt", &format!("{node} Gres=(null)\n"));
    for arguments in [&["import", "slurm", "--nodes", &bare][..], &["import", "slurm", "--nodes", &bare, "--out", out]]
    {
        let problem = refusal(1, arguments);
        assert!(problem.contains("no node has a GPU") && !problem.contains("--out alone"), "{problem}");
    }
}

/// A cluster of two nodes and three pods, one line of which is bad.
#[test]
fn a_trace_is_filled_told_and_made_a_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    };
    let nodes = file("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nb,8000,16384,1,T4\na,64000,262144,2,V100\n");
    let head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time,scheduled_time\n";
    let pods = file(
        "pods.csv",
        &format!(
            "{head}p1,4000,1024,1,500,,LS,0,10,0\np2,4000,1024,1,1000,V100,BE,0,5,7\np3,4000,1024,2,1000,V100,BE,0,9,1\n"
        ),
    );
    let out = folder.path().join("made.ron");
    let out = out.to_str().expect("text");
    let arguments =
        ["import", "openb", "--nodes", &nodes, "--pods", &pods, "--demand", "1", "--format", "json", "--out", out];
    let (code, text, messages) = run(&arguments);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        messages.contains("1 line was left out (1 of 3 jobs): line 3: it ends at 5, before it begins at 7"),
        "{messages}"
    );
    let record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&record["policy"], &record["seed"]), (&"FGD".into(), &42.into()));
    let curve = record["curve"].as_array().expect("a curve");
    assert_eq!((curve.len(), &curve[100]["demand_percent"]), (101, &100.into()));
    let report = result(&["evaluate", out]);
    assert!(report.contains("2 nodes with 3 GPUs") && report.contains("imported"), "{report}");

    let absent = refusal(1, &["import", "openb", "--nodes", &pods, "--pods", &pods]);
    assert!(absent.contains("no column “sn”"), "{absent}");
    let unknown = file("unknown.csv", &format!("{head}p,4000,1024,1,500,H100,LS,0,10,0\n"));
    let unknown = refusal(1, &["import", "openb", "--nodes", &nodes, "--pods", &unknown]);
    assert!(
        unknown.contains("no valid pod; line 2: gpu_spec is “H100”, which no node has; expected one of T4, V100"),
        "{unknown}"
    );
    let problem = refusal(2, &["import", "openb", "--nodes", &nodes, "--pods", &pods, "--policy", "Best"]);
    assert!(problem.contains("allowed: MostLeft, Random"), "{problem}");
}

#[test]
fn the_scenario_of_alibabas_trace_gives_as_much_away_as_the_trace() {
    let Some(folder) = test_data("openb") else { return };
    let file = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (nodes, pods) = (file("openb_node_list_gpu_node.csv"), file("openb_pod_list_default.csv"));
    let made = tempfile::tempdir().expect("a folder");
    let out = made.path().join("alibaba.ron");
    let out = out.to_str().expect("text");
    let (code, _, messages) = run(&["import", "openb", "--nodes", &nodes, "--pods", &pods, "--out", out]);
    assert_eq!(code, Some(0), "{messages}");
    let text = result(&["evaluate", out, "--set", "arrivals.orders=2", "--format", "csv"]);
    let fgd = text.lines().find(|line| line.starts_with("FGD,")).expect("a line");
    let given: f64 = fgd.split(',').nth(1).and_then(|number| number.parse().ok()).expect("a number");
    // 95.39 % in the published table; memory of tasks that are alike is a mean.
    assert!((given - 95.39).abs() < 0.5, "{given}");
}

/// A file of the test's own.
fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("written");
    path.to_str().expect("text").to_owned()
}

#[test]
fn jobs_of_several_machines_wait_at_their_recorded_times_and_make_a_scenario() {
    let folder = tempfile::tempdir().expect("a folder");
    // Two machines of four GPUs; the second job needs both, and waits until the first has ended.
    let jobs = written(
        &folder,
        "jobs.csv",
        "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration\n\
         0,0,1,vgg16,9999,32,1,100,100,1\n1,10,1,bert,9999,32,8,50,50,1\nbroken,line\n",
    );
    let (code, text, messages) = run(&["import", "philly", &jobs, "--nodes", "2", "--gpus", "4", "--replay"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("line 4"), "{messages}");
    assert!(text.contains("Waits of 2 tasks"), "{text}");
    // (0 s + 90 s) / 2.
    assert!(text.lines().any(|line| line.starts_with("FGD") && line.contains("45 s")), "{text}");
    // The second job begins after 100 s and runs for 50 s.
    let arguments = ["import", "philly", &jobs, "--nodes", "2", "--gpus", "4", "--replay", "--format", "json"];
    let (code, replayed, notes) = run(&arguments);
    assert_eq!(code, Some(0), "{notes}");
    let replayed: serde_json::Value = serde_json::from_str(&replayed).expect("JSON");
    assert_eq!((&replayed["tasks"], &replayed["seed"]), (&2.into(), &42.into()), "{replayed}");
    let policies = replayed["policies"].as_array().expect("a list");
    let fgd = policies.iter().find(|policy| policy["policy"] == "FGD").expect("a policy");
    let seconds =
        [&fgd["others"]["mean_wait_seconds"], &fgd["makespan_seconds"]].map(|of| of.as_f64().expect("a time"));
    assert!((seconds[0] - 45.0).abs() < 1e-6 && (seconds[1] - 150.0).abs() < 1e-6, "{fgd}");
    assert!(replayed["notes"].to_string().contains("line 4") && replayed["balances"].is_array(), "{replayed}");
    let out = folder.path().join("philly.ron");
    let out = out.to_str().expect("text");
    assert_eq!(
        run(&["import", "philly", &jobs, "--nodes", "2", "--gpus", "4", "--out", out, "--seed", "7"]).0,
        Some(0)
    );
    let made = fs::read_to_string(out).expect("a scenario");
    assert!(made.contains("pieces: 2") && made.contains("seed: 7"), "{made}");
    assert!(result(&["evaluate", out]).contains("2 nodes with 8 GPUs"));
    let problem = refusal(1, &["import", "philly", SHARED]);
    assert!(problem.contains("allocation-shared.ron: line 1"), "{problem}");
}

#[test]
fn a_kubernetes_cluster_is_read_and_its_tasks_are_written_as_pods() {
    let folder = tempfile::tempdir().expect("a folder");
    let node = |name: &str| {
        format!(
            r#"{{"kind":"Node","apiVersion":"v1","metadata":{{"name":"{name}","labels":{{"nvidia.com/gpu.product":"Tesla-T4"}}}},
            "status":{{"allocatable":{{"cpu":"16","memory":"64Gi","nvidia.com/gpu":"2"}}}}}}"#
        )
    };
    let pod = |name: &str, gpus: u8| {
        format!(
            r#"{{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"{name}","namespace":"default"}},"spec":{{"containers":[
            {{"name":"c","resources":{{"requests":{{"cpu":"2","memory":"4Gi"}},"limits":{{"nvidia.com/gpu":"{gpus}"}}}}}}]}},
            "status":{{"phase":"Running"}}}}"#
        )
    };
    let items = [node("a"), node("b"), pod("one", 1), pod("two", 2)].join(",");
    let dump = written(&folder, "dump.json", &format!(r#"{{"kind":"List","apiVersion":"v1","items":[{items}]}}"#));
    let out = folder.path().join("cluster.ron");
    let out = out.to_str().expect("text");
    let (_, text, _) = run(&["import", "kubectl", &dump, "--out", out]);
    assert!(text.contains("2 nodes with 4 GPUs, 2 tasks"), "{text}");
    let (code, pods, _) = run(&["manifests", out]);
    assert_eq!(code, Some(0));
    let list: serde_json::Value = serde_json::from_str(&pods).expect("JSON");
    let kept = folder.path().join("pods.json");
    assert_eq!(run(&["import", "kubectl", &dump, "--manifests", kept.to_str().expect("text")]).0, Some(0));
    let on_hosts = fs::read_to_string(&kept).expect("pods");
    assert!(on_hosts.contains(r#""kubernetes.io/hostname": "a""#), "{on_hosts}");
    let pods = list["items"].as_array().expect("pods");
    assert_eq!((list["kind"].as_str(), pods.len()), (Some("List"), 2));
    assert!(pods.iter().all(|pod| pod["spec"]["nodeSelector"]["kubernetes.io/hostname"].is_string()), "{list}");
    let empty = written(&folder, "none.json", r#"{"kind":"List","apiVersion":"v1","items":[]}"#);
    let problem = refusal(1, &["import", "kubectl", &empty]);
    assert!(problem.contains("none.json") && problem.contains("kubectl get nodes"), "{problem}");
}

#[test]
fn a_slurm_cluster_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = written(
        &folder,
        "nodes.txt",
        "NodeName=n1 Arch=x86_64 CoresPerSocket=16 CPUAlloc=0 CPUTot=32 RealMemory=256000 Gres=gpu:a100:4(S:0-1) State=IDLE\n",
    );
    let jobs = written(
        &folder,
        "jobs.json",
        r#"{"jobs":[{"job_id":7,"name":"train","tres_req_str":"cpu=8,mem=32G,node=1,gres/gpu=2","node_count":{"set":true,"infinite":false,"number":1},
        "cpus":{"set":true,"infinite":false,"number":8},"job_state":["PENDING"],"submit_time":{"set":true,"infinite":false,"number":1700000000}}]}"#,
    );
    let (_, text, _) = run(&["import", "slurm", "--nodes", &nodes, "--jobs", &jobs]);
    assert!(text.contains("1 node with 4 GPUs, 1 task") && !text.contains("1 tasks"), "{text}");
}

/// A node with two GPUs.
const NODE: &str = "NodeName=n1 CPUTot=32 RealMemory=256000 Gres=gpu:a100:2(S:0-1) State=IDLE\n";

/// Jobs as `sacct --json` of Slurm 24.05 lists them: number, state, GPUs, then submission, start and end.
fn accounting(jobs: &[(u32, &str, u32, [u32; 3])]) -> String {
    let entries = jobs.iter().map(|(id, state, gpus, [submission, start, end])| {
        let tres = serde_json::json!([
            { "type": "cpu", "name": "", "id": 1, "count": 4 }, { "type": "mem", "name": "", "id": 2, "count": 1024 },
            { "type": "node", "name": "", "id": 4, "count": 1 },
            { "type": "gres", "name": "gpu", "id": 1001, "count": gpus }
        ]);
        serde_json::json!({
            "job_id": id, "name": "train", "allocation_nodes": 1, "state": { "current": [state], "reason": "None" },
            "time": { "submission": submission, "eligible": submission, "start": start, "end": end,
                "limit": { "set": true, "infinite": false, "number": 60 } },
            "required": { "CPUs": 4 }, "tres": { "requested": tres, "allocated": tres },
            "nodes": "n1", "steps": [{ "step": { "id": { "job_id": id, "step_id": "batch" }, "name": "batch" } }]
        })
    });
    serde_json::json!({ "jobs": entries.collect::<Vec<_>>(), "meta": {}, "errors": [], "warnings": [] }).to_string()
}

#[test]
fn a_recorded_month_is_replayed_under_every_policy_beside_what_happened() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = written(&folder, "nodes.txt", NODE);
    // Job 1 has both GPUs for an hour. 2 and 3 could start then; the cluster left 3 waiting for half an hour more.
    let jobs = accounting(&[
        (1, "COMPLETED", 2, [1_000, 1_000, 4_600]),
        (2, "COMPLETED", 1, [1_600, 4_600, 6_400]),
        (3, "TIMEOUT", 1, [1_600, 6_400, 8_200]),
        (4, "CANCELLED", 1, [1_600, 0, 1_700]),
        (5, "PENDING", 1, [1_700, 0, 0]),
        (6, "COMPLETED", 0, [1_000, 1_000, 1_600]),
        (7, "COMPLETED", 3, [1_000, 1_000, 1_600]),
    ]);
    let jobs = written(&folder, "sacct.json", &jobs);
    let arguments = ["allocate", "replay", "--from", &jobs, "--cluster", &nodes, "--usd-per-gpu-hour", "2"];
    let replayed = |format: &str| result(&[&arguments[..], &["--format", format]].concat());

    let record: serde_json::Value = serde_json::from_str(&replayed("json")).expect("JSON");
    let counts = ["compared", "without_gpus", "rejected", "unknown"].map(|count| record[count].as_u64());
    assert_eq!(counts, [Some(3), Some(1), Some(1), Some(0)]);
    let number = |of: &serde_json::Value, name: &str| of[name].as_f64().expect("a number");
    // Waits of 0, 3,000 and 4,800 s. In 7,200 s of two GPUs, 4 hours, jobs had 2 + 0.5 + 0.5 hours.
    let happened = &record["recorded"];
    let names = ["median_wait_seconds", "used_gpu_hours", "idle_gpu_hours", "used_usd", "idle_usd", "last_end_seconds"];
    assert_eq!(names.map(|name| number(happened, name)), [3_000.0, 3.0, 1.0, 6.0, 2.0, 7_200.0]);
    let policies = record["policies"].as_array().expect("policies");
    assert_eq!(policies.len(), 8);
    for policy in policies.iter().chain([&record["single_queue"]]) {
        // Job 3 starts with job 2.
        assert_eq!(names.map(|name| number(policy, name)), [3_000.0, 3.0, 1.0, 6.0, 2.0, 5_400.0], "{policy}");
        assert_eq!(policy["slo_violation_percent"], serde_json::Value::Null);
    }
    // 0, 0 and 1,800 s beside 3,000, 0 and 1,800 s of a constant.
    let errors = &record["replayed_wait_errors"];
    let errors = ["median_seconds", "mean_seconds", "median_of_constant_seconds", "mean_of_constant_seconds"]
        .map(|name| number(errors, name));
    assert_eq!(errors, [0.0, 600.0, 1_800.0, 1_600.0]);
    let notes = record["notes"].to_string();
    for note in ["cancelled before they started; left out", "not started yet; left out"] {
        assert!(notes.contains(note), "{notes}");
    }

    for format in ["table", "markdown", "html"] {
        let text = replayed(format);
        for part in ["3 jobs with GPUs in 2 h on 2 GPUs", "Recorded", "FGD", "50 min", "fair share", "not started yet"]
        {
            assert!(text.contains(part), "{format}, {part}: {text}");
        }
    }
    // Without a file of nodes the node has the GPUs of jobs 1 and 7 together, and job 7 fits.
    let alone = result(&["allocate", "replay", "--from", &jobs]);
    for part in ["4 jobs with GPUs in 2 h on 5 GPUs", "no file of nodes: 1 node with 5 GPUs assumed"] {
        assert!(alone.contains(part), "{part}: {alone}");
    }
    let csv = [&arguments[..], &["--format", "csv", "--policies", "fgd,BestFit"]].concat();
    let (_, text, messages) = run(&csv);
    let rows: Vec<String> = super::records(&text).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(rows, ["policy", "Recorded", "One queue (Slurm)", "FGD", "BestFit"]);
    assert!(messages.contains("not started yet"), "{messages}");
}

#[test]
fn a_history_without_jobs_to_compare_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let nodes = written(&folder, "nodes.txt", NODE);
    let jobs = written(&folder, "sacct.json", &accounting(&[(5, "PENDING", 1, [1_700, 0, 0])]));
    let problem = refusal(1, &["allocate", "replay", "--from", &jobs, "--cluster", &nodes]);
    assert!(
        problem.contains("not started yet") && problem.contains("no job with GPUs started and fits a node"),
        "{problem}"
    );
    let without = written(&folder, "cpus.txt", "NodeName=n1 CPUTot=32 RealMemory=256000\n");
    let problem = refusal(1, &["allocate", "replay", "--from", &jobs, "--cluster", &without]);
    assert!(problem.contains("cpus.txt: no node has a GPU"), "{problem}");
    let common = ["allocate", "replay", "--from", &jobs, "--cluster", &nodes];
    for wrong in [["--usd-per-gpu-hour", "x"], ["--policies", "Best"]] {
        assert!(refusal(2, &[&common[..], &wrong].concat()).contains("allowed"), "{wrong:?}");
    }
}

#[test]
fn a_network_is_trained_and_predicts_and_says_where_it_guesses() {
    let folder = tempfile::tempdir().expect("a folder");
    // Use grows with the batch and with the largest product of matrices.
    let mut table = "batchsize,matmul,compute_percent\n".to_owned();
    for run in 0..200 {
        let (batch, matmul) = (1 + run % 20, 100 * (1 + run % 7));
        table.push_str(&format!("{batch},{matmul},{}\n", 0.02 * f64::from(batch * matmul) / 4.0 + 3.0));
    }
    let data = written(&folder, "runs.csv", &table);
    let out = folder.path().join("net.safetensors");
    let out = out.to_str().expect("text");
    let curve = folder.path().join("curve.csv");
    let arguments = ["train", "--data", &data, "--target", "compute", "--out", out, "--epochs", "60", "--curve"];
    let arguments: Vec<&str> = arguments.into_iter().chain([curve.to_str().expect("text")]).collect();
    let (_, report, _) = run(&arguments);
    assert!(report.contains("ridge regression") && report.contains("mean"), "{report}");
    assert!(fs::read_to_string(&curve).expect("a curve").lines().count() > 10);
    let layers = written(&folder, "layers.csv", "operator,input_size,output_size,parameters\nMatMul,400,100,40000\n");
    let (code, text, messages) = run(&["predict", &layers, "--batch", "10", "--model", out]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(text.contains("matmul") && text.contains("GPU compute utilisation on measured GPU:"), "{text}");
    assert!(!messages.contains("extrapolated"), "{messages}");
    let (_, guess, messages) = run(&["predict", &layers, "--batch", "5000", "--model", out]);
    assert!(guess.contains("extrapolated"), "{guess}");
    assert!(messages.contains("batchsize is 5000, outside the training range 1 to 20"), "{messages}");
    let estimated = result(&["predict", &layers, "--gflop-per-s", "8000", "--gb-per-s", "300"]);
    assert!(estimated.contains("estimated by a roofline"), "{estimated}");
    let problem = refusal(1, &["train", "--data", &data, "--target", "time"]);
    assert!(problem.contains("seconds"), "{problem}");
    let few = written(&folder, "few.csv", "batchsize,compute_percent\n1,2\n");
    assert!(refusal(1, &["train", "--data", &few, "--target", "compute"]).contains("few.csv"));
}

/// A report in which a GPU does 10⁹ operations and moves 0.5 GB in a millisecond each.
const REPORT: &str = r#"{"schema": SCHEMA, "tool": {}, "time": "2026-01-02T03:04:05Z", "suite": "full", "host": {}, "adapter": null,
"calibration": null, "notes": [], "results": [
{"id": "compute.multiply_add", "side": "gpu", "params": {"rows": 1, "flop": 1e9}, "verified": "exact", "time": {"median_s": 1e-3, "iqr_s": 0, "min_s": 1e-3, "ci95_s": [1e-3, 1e-3], "n": 12, "stop": "precise", "source": "gpu_timestamps"}},
{"id": "memory.copy", "side": "gpu", "params": {"rows": 1}, "bytes_logical": 2.5e8, "bytes_traffic": 5e8, "verified": "exact", "time": {"median_s": 1e-3, "iqr_s": 0, "min_s": 1e-3, "ci95_s": [1e-3, 1e-3], "n": 12, "stop": "precise", "source": "gpu_timestamps"}},
{"id": "memory.copy", "side": "gpu", "params": {"rows": 1}, "bytes_logical": 1e3, "bytes_traffic": 2e3, "verified": "exact", "time": {"median_s": 1e-9, "iqr_s": 0, "min_s": 1e-9, "ci95_s": [1e-9, 1e-9], "n": 12, "stop": "precise", "source": "gpu_timestamps"}}
]}"#;

#[test]
fn what_gpu_bench_measured_makes_the_roofline_and_a_group_asks_for_what_is_predicted() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = written(&folder, "report.json", &REPORT.replace("SCHEMA", &SCHEMA.to_string()));
    let layers =
        written(&folder, "layers.csv", "operator,input_size,output_size,parameters\nMatMul,4000,1000,4000000\n");
    let out = folder.path().join("applied.ron");
    let out = out.to_str().expect("text");
    let predicted = result(&[
        "predict",
        &layers,
        "--iterations",
        "1000",
        "--gflop-per-s",
        "1000",
        "--gb-per-s",
        "500",
        "--format",
        "json",
    ]);
    let predicted: serde_json::Value = serde_json::from_str(&predicted).expect("JSON");
    let to = ["--apply", SHARED, "--task", "small inference", "--out", out];
    let measured = ["predict", &layers, "--iterations", "1000", "--measured", &report, "--format", "json"];
    let (code, text, messages) = run(&[&measured[..], &to].concat());
    assert_eq!(code, Some(0), "{messages}");
    let measured: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(measured["predicted"], predicted["predicted"], "the largest copy counts, not that of a cache");
    assert!(measured["notes"][0].as_str().is_some_and(|note| note.contains("1,000 GFLOP/s, 500 GB/s")), "{measured}");
    let made = crossover_scenario::read(&fs::read_to_string(out).expect("written")).expect("a scenario");
    let study = made.allocation().expect("an allocation study");
    let group = study.tasks.iter().find(|group| group.name == "small inference").expect("the group");
    // By hand, with c = 0.67, e = −0.41, m = 0.86 and 9.3 µs of docs/model/allocation.md: 2 · 4,000,000 operations; weights,
    // input and output are 4 · (4,000,000 + 4,000 + 1,000) bytes, which take longer. The balance of 2 FLOP/B makes
    // peak · c larger than the peak.
    let [compute, memory] = [8e6 / 1e12, 4.0 * 4_005_000.0 / (500e9 * 0.86)];
    let seconds = memory + 9.3e-6;
    assert!(compute < memory);
    assert!((group.run_seconds / (1_000.0 * seconds) - 1.0).abs() < 1e-9, "{}", group.run_seconds);
    assert!((group.share / (memory / seconds) - 1.0).abs() < 1e-9, "{}", group.share);
    let source = &study.sources["tasks.small inference.share"];
    assert!(source.describe().contains("layers.csv, estimated by a roofline"), "{source:?}");

    let other = ["--apply", SHARED, "--task", "large", "--out", out];
    let problem = refusal(1, &[&["predict", &layers, "--measured", &report][..], &other].concat());
    assert!(problem.contains("no group of tasks “large”") && problem.contains("small inference"), "{problem}");
    let empty =
        written(&folder, "empty.json", &REPORT.replace("SCHEMA", &SCHEMA.to_string()).replace("compute.", "memory."));
    let problem = refusal(1, &["predict", &layers, "--measured", &empty]);
    assert!(problem.contains("empty.json: the roofline needs compute.multiply_add and memory.copy"), "{problem}");
    let both = ["predict", &layers, "--measured", &report, "--gflop-per-s", "1", "--gb-per-s", "1"];
    assert!(refusal(2, &both).contains("cannot be used with"));
}

#[test]
fn predictions_of_several_devices_set_the_types_of_the_study_and_say_what_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    // Twice as fast on an A100 as on a T4; a K80 that no node has.
    let mut table = "matmul,device,seconds\n".to_owned();
    for run in 0..120 {
        let matmul = 100 * (1 + run % 12);
        for (device, factor) in [("T4", 2.0), ("A100", 1.0), ("K80", 8.0)] {
            table.push_str(&format!("{matmul},{device},{}\n", factor * f64::from(matmul)));
        }
    }
    let data = written(&folder, "runs.csv", &table);
    let net = folder.path().join("time.safetensors");
    let net = net.to_str().expect("text");
    let (code, _, messages) = run(&["train", "--data", &data, "--target", "time", "--out", net, "--epochs", "200"]);
    assert_eq!(code, Some(0), "{messages}");
    let layers = written(&folder, "layers.csv", "operator,input_size,output_size,parameters\nMatMul,600,100,60000\n");
    let out = folder.path().join("applied.ron");
    let out = out.to_str().expect("text");
    let predict = ["predict", &layers, "--model", net, "--apply", SHARED, "--task", "small inference", "--out", out];
    let (code, _, messages) = run(&predict);
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("do not run there: K80"), "{messages}");
    let made = crossover_scenario::read(&fs::read_to_string(out).expect("written")).expect("a scenario");
    let study = made.allocation().expect("an allocation study");
    let group = study.tasks.iter().find(|group| group.name == "small inference").expect("the group");
    let speed = |name: &str| group.runs_on.iter().find(|on| on.gpu_type == name).expect("the type").speed;
    // What was learned from: within a tenth of 600 s and 1,200 s.
    assert!((speed("A100") / speed("T4") - 2.0).abs() < 0.2, "{group:?}");
    let of_a100 = group.run_seconds / speed("A100");
    assert!((of_a100 / 600.0 - 1.0).abs() < 0.1, "{group:?}");
    let source = &study.sources["tasks.small inference.run_seconds"];
    assert!(
        source.describe().starts_with("Fitted to runs.csv by time.safetensors, for layers.csv, 90 % interval"),
        "{source:?}"
    );
    let twice = [&predict[..], &["--gflop-per-s", "1000", "--gb-per-s", "500"]].concat();
    let (code, _, messages) = run(&twice);
    assert_eq!(code, Some(0), "a roofline is of no type: {messages}");
    let same = [&predict[..], &["--model", net]].concat();
    assert!(refusal(1, &same).contains("seconds is predicted twice"));
}

//! Nodes and jobs as Slurm prints them. Records of nodes follow `scontrol show node` of Slurm 22.05 and 23.11 (its
//! manual page and published outputs); jobs follow the replies that <https://github.com/rackslab/Slurm-web> keeps of
//! Slurm 23.11 to 24.11.

mod history;
mod live;
mod resources;
mod text;

use std::io::Write as _;

use crossover_allocation::{Request, THOUSANDTH, Trace};
use crossover_traces::TraceError;
use crossover_traces::slurm::{read, read_history};
use serde_json::{Value, json};

const TWO_NODES: &str = "\
NodeName=ia1 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=26 CPUEfctv=60 CPUTot=64 CPULoad=19.22
   AvailableFeatures=(null)
   ActiveFeatures=(null)
   Gres=gpu:a100:8(S:0-1)
   NodeAddr=ia1 NodeHostName=ia1 Version=23.11.10
   OS=Linux 5.15.0-58-generic #64-Ubuntu SMP Thu Jan 5 11:43:13 UTC 2023
   RealMemory=244698 AllocMem=147456 FreeMem=106771 Sockets=2 Boards=1
   State=MIXED ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=ia
   BootTime=2023-04-02T08:37:48 SlurmdStartTime=2023-04-02T08:38:18
   CfgTRES=cpu=60,mem=244698M,billing=64,gres/gpu=8,gres/gpu:a100=8
   AllocTRES=cpu=26,mem=144G,gres/gpu=4

NodeName=ia2 Arch=x86_64 CoresPerSocket=16
   CPUAlloc=0 CPUTot=64 CPULoad=0.01
   Gres=gpu:h100:2(S:0),gpu:h200:4(S:0,1)
   RealMemory=515610 MemSpecLimit=1024
   State=IDLE+DRAIN ThreadsPerCore=2
   Reason=Gres=gpu:99 CPUTot=1 [root@2023-04-02T08:37:48]
";

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("space");
    file
}

fn of(nodes: &str, jobs: &[Value]) -> Result<Trace, TraceError> {
    let meta = json!({ "plugin": { "data_parser": "data_parser/v0.0.40" } });
    let jobs = file(&json!({ "jobs": jobs, "meta": meta, "errors": [], "warnings": [] }).to_string());
    read(file(nodes).path(), Some(jobs.path()))
}

fn number(value: f64) -> Value {
    json!({ "set": true, "infinite": false, "number": value })
}

/// A job as v0.0.40 has it.
fn job(id: u32, more: &Value) -> Value {
    let mut job = json!({
        "job_id": id, "name": "wrap", "job_state": ["RUNNING"], "batch_flag": true,
        "array_task_id": { "set": false, "infinite": false, "number": 0 }, "array_task_string": "",
        "cpus": number(8.0), "node_count": number(1.0), "tasks": number(1.0),
        "memory_per_cpu": number(512.0), "memory_per_node": { "set": false, "infinite": false, "number": 0 },
        "submit_time": number(1_746_619_961.0), "start_time": number(1_746_619_961.0),
        "end_time": number(1_746_620_021.0), "time_limit": { "set": false, "infinite": true, "number": 0 },
        "tres_per_job": "", "tres_per_node": "", "tres_per_task": "", "tres_per_socket": "",
        "tres_req_str": "cpu=8,mem=4G,node=1,billing=8", "tres_alloc_str": ""
    });
    job.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    job
}

/// Shares of a request in thousandths, rounded down.
fn shares(request: &Request) -> Vec<Option<u16>> {
    request.shares.iter().map(|share| share.map(|units| units / THOUSANDTH)).collect()
}

/// Pieces, cores in thousandths, MiB, GPUs, shares.
fn requested(trace: &Trace, name: &str) -> (u32, u32, u32, u8, Vec<Option<u16>>) {
    let task = trace.tasks.iter().find(|task| task.name == name).expect("a task of that name");
    let request = &trace.requests[task.request];
    (task.pieces, request.cpu_milli, request.memory_mib, request.gpus, shares(request))
}

#[test]
fn nodes_are_read_from_many_lines_or_from_one_each() {
    let one_line: String = TWO_NODES.split("\n\n").map(|record| record.replace('\n', " ") + "\n").collect();
    for text in [TWO_NODES, &one_line, &TWO_NODES.replace('\n', "\r\n")] {
        let trace = read(file(text).path(), None).expect("two nodes");
        assert_eq!(trace.types, ["a100", "h100", "h200"]);
        let [one, two] = &trace.nodes[..] else { panic!("{:?}", trace.nodes) };
        assert_eq!((one.cpu_milli, one.memory_mib, &one.devices), (60_000, 244_698, &vec![0; 8]));
        assert_eq!((two.cpu_milli, two.memory_mib, &two.devices), (64_000, 514_586, &vec![1, 1, 2, 2, 2, 2]));
        assert_eq!(trace.notes, ["1 node (ia2): down, drained or reserved for maintenance; assumed available"]);
    }
}

#[test]
fn bad_nodes_and_repeated_ones_are_left_out_with_their_line() {
    let text = "\
NodeName=a CPUTot=4 RealMemory=1000 Gres=(null)
NodeName=a CPUTot=8 RealMemory=1000
NodeName=b CPUTot=4 RealMemory=lots
NodeName=c CPUTot=4 RealMemory=1000 Gres=gpu:t4:20
NodeName=d RealMemory=1000
";
    let trace = read(file(text).path(), None).expect("one node");
    assert_eq!((trace.nodes.len(), trace.nodes[0].cpu_milli), (1, 4_000));
    let expected = "4 nodes were left out: line 2 (a): duplicate node name; line 3 (b): \
                    RealMemory is “lots”; expected a whole number; line 4 (c): Gres: 20 GPUs; at most 16 per node are supported; and 1 more";
    assert!(trace.notes[0].ends_with(expected), "{:?}", trace.notes);
    let error = read(file("nothing here").path(), None).expect_err("no node").to_string();
    assert!(error.ends_with("no valid node (NodeName=…); run “scontrol show node > nodes.txt”"), "{error}");
}

#[test]
fn what_a_job_asks_of_nodes_tasks_or_altogether_is_the_same() {
    let plain = json!({
        "node_count": 2, "cpus": 8, "job_state": "RUNNING", "memory_per_cpu": 512, "tres_per_node": "gres:gpu:a100:2"
    });
    let ways = [
        job(1, &json!({ "node_count": number(2.0), "tres_per_node": "gres/gpu:a100:2" })),
        job(2, &json!({ "node_count": number(2.0), "tres_per_job": "gres/gpu:a100:4" })),
        job(3, &json!({ "node_count": number(2.0), "tasks": number(4.0), "tres_per_task": "gres/gpu:a100:1" })),
        job(4, &json!({ "node_count": number(2.0), "tres_req_str": "cpu=8,mem=4G,node=2,gres/gpu=4,gres/gpu:a100=4" })),
        // Written before nodes were chosen: for one of them.
        job(5, &json!({ "node_count": number(2.0), "tres_req_str": "cpu=4,mem=2G,node=1,gres/gpu:a100=2" })),
        // v0.0.37: numbers and states are plain.
        job(6, &plain),
    ];
    let trace = of(TWO_NODES, &ways).expect("six jobs");
    for id in 1..=6 {
        assert_eq!(
            requested(&trace, &format!("{id} wrap")),
            (2, 4_000, 2_048, 2, vec![Some(1000), None, None]),
            "{id}"
        );
    }
    assert_eq!(trace.notes.len(), 1, "{:?}", trace.notes);
}

/// Jobs 500 and 503 of Slurm-web's replies of Slurm 23.11.
#[test]
fn published_jobs_are_read() {
    let spread = json!({
        "cpus": number(2.0), "node_count": number(2.0), "tres_per_job": "gres/gpu:12",
        "tres_req_str": "cpu=1,mem=512M,node=1,billing=1", "tres_alloc_str": "cpu=2,mem=1G,node=2,billing=2"
    });
    let mixed = json!({ "cpus": number(1.0), "tres_per_node": "gres/gpu:h100:1,gres/gpu:h200:1" });
    let jobs = [job(500, &spread), job(503, &mixed)];
    let trace = of(TWO_NODES, &jobs).expect("a job");
    assert_eq!(requested(&trace, "500 wrap"), (2, 1_000, 512, 6, vec![Some(1000); 3]));
    let left_out = "1 job was left out: entry 2 (job 503): tres_per_node: it requests gpu:h100 and gpu:h200 at once; expected one kind of GPU";
    assert!(trace.notes[1].ends_with(left_out), "{:?}", trace.notes);
}

#[test]
fn a_job_ran_until_its_end_or_runs_as_long_as_it_may() {
    let unset = json!({ "set": false, "infinite": false, "number": 0 });
    let running = json!({ "submit_time": number(1000.0), "job_state": ["RUNNING"], "time_limit": number(90.0) });
    let ended = json!({
        "submit_time": number(1060.0), "start_time": number(2000.0), "end_time": number(2600.0),
        "job_state": ["COMPLETED"]
    });
    let waiting = json!({
        "submit_time": 1010, "job_state": "PENDING", "time_limit": 4_294_967_295_u32, "batch_flag": false
    });
    let cancelled = json!({ "submit_time": number(1020.0), "start_time": unset, "job_state": ["CANCELLED"] });
    let jobs = [job(1, &running), job(2, &ended), job(3, &waiting), job(4, &cancelled), job(2, &json!({}))];
    let trace = of(TWO_NODES, &jobs).expect("three jobs");
    let times: Vec<(&str, f64, Option<f64>, bool)> =
        trace.tasks.iter().map(|task| (task.name.as_str(), task.arrives, task.seconds, task.is_sensitive)).collect();
    let expected =
        [("1 wrap", 0.0, Some(5_400.0), false), ("2 wrap", 60.0, Some(600.0), false), ("3 wrap", 10.0, None, true)];
    assert_eq!(times, expected);
    let left_out = "1 job was left out: entry 5 (job 2): duplicate of entry 2";
    assert!(trace.notes[1].ends_with(left_out), "{:?}", trace.notes);
    assert_eq!(trace.notes[2], "1 job (1 wrap): not ended yet; their time limit is used as run time");
    assert_eq!(trace.notes.last().map(String::as_str), Some("1 job (4 wrap): cancelled before they started; left out"));
}

#[test]
fn an_array_that_waits_is_as_many_tasks() {
    let waiting =
        |text: &str| job(70, &json!({ "job_state": ["PENDING"], "array_task_string": text, "name": "sweep" }));
    let names = |text: &str| -> Vec<String> {
        let trace = of(TWO_NODES, &[waiting(text)]).expect("a job");
        trace.tasks.into_iter().map(|task| task.name).collect()
    };
    assert_eq!(names("1-3%2"), ["70_1 sweep", "70_2 sweep", "70_3 sweep"]);
    assert_eq!(names("0-6:3,9"), ["70_0 sweep", "70_3 sweep", "70_6 sweep", "70_9 sweep"]);
    // Accounting keeps the tasks as a bit mask.
    assert_eq!(names("0x1A%2"), ["70_1 sweep", "70_3 sweep", "70_4 sweep"]);
    assert_eq!(names("0x100000000000000001"), ["70_0 sweep", "70_68 sweep"]);
    // SLURM_BITSTR_LEN, by default 64 characters: what is longer ends in dots, which may stand within a number.
    for text in ["1,3,...%2", "1,3,5...", "1,3,7-..."] {
        let trace = of(TWO_NODES, &[waiting(text)]).expect("a job");
        assert_eq!(trace.tasks.len(), 2, "{text}");
        assert!(trace.notes.iter().any(|note| note.contains("SLURM_BITSTR_LEN=0")), "{:?}", trace.notes);
    }
    assert!(
        !of(TWO_NODES, &[waiting("1-3")]).expect("a job").notes.iter().any(|note| note.contains("SLURM_BITSTR_LEN"))
    );
    for text in ["0-4294967295", "x-y", "5-1", "-", "0x", "0x0", "0xG"] {
        let error = of(TWO_NODES, &[waiting(text)]).expect_err(text).to_string();
        assert!(error.contains("no valid job; entry 1 (job 70): a"), "{error}");
    }
}

/// <https://slurm.schedmd.com/gres.html#Sharding>: 4 GPUs with 16 shards are 4 for each GPU.
#[test]
fn shards_and_instances_are_parts_of_gpus() {
    let nodes = "\
NodeName=s CPUTot=64 RealMemory=1000 Gres=gpu:a100:4(S:0-1),shard:a100:16(S:0-1)
NodeName=m CPUTot=64 RealMemory=1000 Gres=gpu:a100_1g.5gb:14,gpu:a100_3g.20gb:2
NodeName=p CPUTot=64 RealMemory=1000 Gres=gpu:2,mps:200
";
    let jobs = [
        job(1, &json!({ "tres_per_node": "gres/shard:3" })),
        job(2, &json!({ "tres_per_node": "gres/gpu:a100_3g.20gb:1" })),
        job(3, &json!({ "tres_per_node": "gres/mps:40" })),
        job(4, &json!({ "tres_per_node": "gres/gpu:a100:2" })),
        job(5, &json!({ "tres_per_node": "gres/gpu:v100:2" })),
    ];
    let trace = of(nodes, &jobs).expect("jobs");
    assert_eq!(trace.types, ["GPU", "a100 (16 shard for 4)", "a100 (MIG 1g.5gb 3g.20gb)"]);
    // By slices of compute 14 × 1/7 + 2 × 3/7 are 2.9 GPUs, by those of memory 14/8 + 2 × 4/8 = 2.75.
    let gpus: Vec<usize> = trace.nodes.iter().map(|node| node.devices.len()).collect();
    assert_eq!(gpus, [3, 2, 4]);
    assert_eq!(requested(&trace, "1 wrap").4, [None, Some(750), None]);
    assert_eq!(requested(&trace, "2 wrap").4, [None, None, Some(428)]);
    assert_eq!(requested(&trace, "3 wrap").4, [Some(400), None, None]);
    assert_eq!((requested(&trace, "4 wrap").3, requested(&trace, "4 wrap").4), (2, vec![None, Some(1000), None]));
    assert!(trace.notes.iter().any(|note| note.ends_with("entry 5 (job 5): it requests gpu:v100; no node has that")));
}

/// Layout of `sacct --json` of Slurm 24.05: a job that ended, its resources in lists.
fn ended(id: u32, gpus: u32) -> Value {
    let tres = json!([
        { "type": "cpu", "name": "", "id": 1, "count": 16 }, { "type": "mem", "name": "", "id": 2, "count": 8192 },
        { "type": "node", "name": "", "id": 4, "count": 2 },
        { "type": "gres", "name": "gpu", "id": 1001, "count": gpus },
        { "type": "gres", "name": "gpu:a100", "id": 1002, "count": gpus }
    ]);
    let unset = json!({ "set": false, "infinite": false, "number": 0 });
    json!({
        "job_id": id, "name": "train", "allocation_nodes": 2, "state": { "current": ["COMPLETED"], "reason": "None" },
        "time": { "submission": 5_000, "start": 5_200, "end": 6_100, "elapsed": 900, "limit": number(60.0) },
        "required": { "CPUs": 16, "memory_per_cpu": unset, "memory_per_node": unset },
        "tres": { "requested": tres, "allocated": tres },
        "steps": [{ "step": { "id": { "job_id": id, "step_id": "batch" }, "name": "batch" } }]
    })
}

#[test]
fn jobs_of_the_accounting_are_read_as_those_of_the_queue() {
    let trace = of(TWO_NODES, &[ended(7, 8)]).expect("a job");
    // Of two nodes each: 8 cores, 4,096 MiB, four GPUs.
    assert_eq!(requested(&trace, "7 train"), (2, 8_000, 4_096, 4, vec![Some(1000), None, None]));
    let task = &trace.tasks[0];
    assert_eq!((task.arrives, task.seconds, task.is_sensitive), (0.0, Some(900.0), false));
}

#[test]
fn a_table_of_the_accounting_is_read_by_its_columns() {
    let text = "\
JobID|JobName|State|Submit|Start|End|NNodes|NCPUS|ReqTRES|AllocTRES|TimelimitRaw
8|train|COMPLETED|2024-06-10T08:00:00|2024-06-10T08:05:00|2024-06-10T09:05:00|1|4|cpu=4,mem=2G,node=1,gres/gpu=2|cpu=4,mem=2G,node=1,gres/gpu=2|120
8.batch|batch|COMPLETED|2024-06-10T08:05:00|2024-06-10T08:05:00|2024-06-10T09:05:00|1|4||cpu=4|
9_3|sweep|CANCELLED by 1000|2024-06-10T08:01:00|2024-06-10T08:02:00|2024-06-10T08:02:30|1|1|cpu=1,mem=1G,node=1,gres/gpu:a100=1||120
9_[4-5]|sweep|PENDING|2024-06-10T08:01:00|Unknown|Unknown|1|1|cpu=1,mem=1G,node=1,gres/gpu:a100=1||30
10|login|RUNNING|2024-06-10T07:59:00|2024-06-10T08:00:00|Unknown|1|2|cpu=2,mem=1G,node=1||30
10.0|bash|RUNNING|2024-06-10T08:00:00|2024-06-10T08:00:00|Unknown|1|2||cpu=2|
";
    let trace = read(file(TWO_NODES).path(), Some(file(text).path())).expect("jobs");
    let times: Vec<(&str, f64, Option<f64>, bool)> =
        trace.tasks.iter().map(|task| (task.name.as_str(), task.arrives, task.seconds, task.is_sensitive)).collect();
    let expected = [
        ("10 login", 0.0, Some(1_800.0), true),
        ("8 train", 60.0, Some(3_600.0), false),
        ("9_3 sweep", 120.0, Some(30.0), false),
        ("9_4 sweep", 120.0, Some(1_800.0), false),
        ("9_5 sweep", 120.0, Some(1_800.0), false),
    ];
    assert_eq!(times, expected);
    assert_eq!(requested(&trace, "8 train"), (1, 4_000, 2_048, 2, vec![Some(1000); 3]));
    let error = read(file(TWO_NODES).path(), Some(file("JobID|State|Start\n1|RUNNING|x\n").path()));
    let error = error.expect_err("no end").to_string();
    assert!(error.contains("no column end; run “sacct --allusers --parsable2"), "{error}");
}

/// From a real Slurm 22.05 with `SelectTypeParameters=CR_Core`: no job names memory, so each is listed with all that its node has.
#[test]
fn memory_that_slurm_does_not_allocate_is_not_requested() {
    let nodes = "NodeName=n1 CPUTot=8 RealMemory=4000 Gres=gpu:a100:2\n";
    let text = "\
JobID|JobName|State|Submit|Eligible|Start|End|ElapsedRaw|NodeList|NNodes|NCPUS|ReqTRES|AllocTRES|TimelimitRaw
3|one|COMPLETED|2026-11-26T19:32:24|2026-11-26T19:32:24|2026-11-26T19:32:24|2026-11-26T19:32:28|4|n1|1|1|billing=1,cpu=1,gres/gpu=1,mem=4000M,node=1|billing=1,cpu=1,gres/gpu=1,node=1|UNLIMITED
4|two|COMPLETED|2026-11-26T19:32:24|2026-11-26T19:32:24|2026-11-26T19:32:24|2026-11-26T19:32:32|8|n1|1|1|billing=1,cpu=1,gres/gpu=1,mem=4000M,node=1|billing=1,cpu=1,gres/gpu=1,node=1|UNLIMITED
";
    let trace = read_history(Some(file(nodes).path()), file(text).path()).expect("a history");
    for name in ["3 one", "4 two"] {
        assert_eq!(requested(&trace, name), (1, 1_000, 0, 1, vec![Some(1000)]), "{name}");
    }
    let note = "2 jobs (3 one, 4 two): this Slurm does not allocate memory; assumed 0";
    assert!(trace.notes.iter().any(|known| known == note), "{:?}", trace.notes);

    // A job that waits was given nothing yet: the others tell.
    let alike = json!({
        "memory_per_cpu": Value::Null, "memory_per_node": Value::Null, "tres_per_node": "gres:gpu:1", "cpus": 1,
        "tres_req_str": "cpu=1,mem=4000M,node=1,billing=1,gres/gpu=1"
    });
    let mut runs = job(5, &alike);
    runs["tres_alloc_str"] = json!("cpu=1,node=1,billing=1,gres/gpu=1");
    let mut waits = job(6, &alike);
    waits["job_state"] = json!("PENDING");
    let trace = of(nodes, &[waits.clone(), runs.clone()]).expect("two jobs");
    assert_eq!(requested(&trace, "6 wrap"), (1, 1_000, 0, 1, vec![Some(1000)]));
    runs["tres_alloc_str"] = json!("cpu=1,mem=4000M,node=1,billing=1,gres/gpu=1");
    let trace = of(nodes, &[waits, runs]).expect("two jobs");
    assert_eq!(requested(&trace, "6 wrap"), (1, 1_000, 4_000, 1, vec![Some(1000)]));
}

/// A task of an array has a number of its own in `sacct --json` (16), and another one in its tables (`11_2`).
#[test]
fn a_task_of_an_array_has_the_number_of_the_array() {
    let mut task = ended(16, 2);
    task["array"] =
        json!({ "job_id": 11, "limits": { "max": { "running": { "tasks": 2 } } }, "task": null, "task_id": 2 });
    let mut newer = ended(18, 2);
    newer["array"] = json!({ "job_id": 11, "task": "", "task_id": number(3.0) });
    let mut none = ended(17, 2);
    none["array"] = json!({ "job_id": 0, "task": null, "task_id": null });
    let trace = of(TWO_NODES, &[task, none, newer]).expect("jobs");
    let names: Vec<&str> = trace.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["11_2 train", "11_3 train", "17 train"]);
}

#[test]
fn cores_kept_for_the_system_are_left_out_where_json_has_only_the_configured_resources() {
    // As sinfo of 22.05 writes a node with CoreSpecCount=2.
    let node = json!({
        "name": "s1", "cpus": 32, "real_memory": 256_000, "gres": "gpu:a40:4", "state": "idle", "state_flags": [],
        "tres": "cpu=30,mem=250G,billing=30,gres/gpu=4"
    });
    let trace = of(&json!({ "nodes": [node], "errors": [] }).to_string(), &[job(1, &json!({}))]).expect("a node");
    assert_eq!(trace.nodes[0].cpu_milli, 30_000);
}

#[test]
fn nodes_of_json_and_of_sinfo_are_those_of_scontrol() {
    let node = json!({
        "name": "ia1", "cpus": 64, "effective_cpus": 60, "real_memory": 244_698, "specialized_memory": 0,
        "gres": "gpu:a100:8(S:0-1)", "gres_used": "gpu:a100:4", "state": ["MIXED"]
    });
    let scontrol = json!({ "nodes": [node], "meta": {}, "errors": [] }).to_string();
    let group = |partition: &str| {
        json!({
            "partition": { "name": partition }, "node": { "state": ["MIXED"] },
            "nodes": { "total": 1, "nodes": ["ia1"] }, "cpus": { "minimum": 60, "maximum": 60, "total": 60 },
            "memory": { "minimum": 244_698, "maximum": 244_698 }, "gres": { "total": "gpu:a100:8(S:0-1)", "used": "" }
        })
    };
    let sinfo = json!({ "sinfo": [group("long"), group("short")], "meta": {} }).to_string();
    let table = "NODELIST CPUS MEMORY GRES STATE\nia1 60 244698 gpu:a100:8(S:0-1) mixed\nia1 60 244698 gpu:a100:8(S:0-1) mixed\n";
    for text in [scontrol.as_str(), &sinfo, table] {
        let trace = read(file(text).path(), None).expect("a node");
        let [one] = &trace.nodes[..] else { panic!("{:?}", trace.nodes) };
        assert_eq!((one.name.as_str(), one.cpu_milli, one.memory_mib), ("ia1", 60_000, 244_698));
        assert_eq!((&one.devices, &trace.types[..]), (&vec![0; 8], &["a100".to_owned()][..]));
        assert!(trace.notes.is_empty(), "{:?}", trace.notes);
    }
}

//! A cluster that runs, as Slurm tells of it.

use crossover_allocation::Gpus;
use crossover_traces::slurm::live::{self, PlacedPiece, Wanted, WantedGpus};
use serde_json::{Value, json};

use super::{file, shares};

/// As a real Slurm 22.05 of four nodes printed them, with two A100 and four shards of each.
#[test]
fn a_running_cluster_has_its_jobs_on_their_gpus() {
    let node = |name: &str, state: &str| {
        format!(
            "NodeName={name} Arch=x86_64 CoresPerSocket=1\n   CPUAlloc=3 CPUEfctv=8 CPUTot=8 CPULoad=4.96\n   \
             Gres=gpu:a100:2,shard:a100:8\n   RealMemory=4000 AllocMem=0 FreeMem=11193\n   State={state} ThreadsPerCore=1\n   \
             Partitions=main,long\n\n"
        )
    };
    let nodes = file(&[node("n1", "MIXED"), node("n2", "DOWN*"), node("n3", "IDLE")].concat());
    let of = |id: u32, nodes: &str, gres: &str, details: &Value| {
        let tres = format!("cpu=1,node=1,billing=1,gres/{}", gres.replace(':', "="));
        json!({
            "job_id": id, "name": "wrap", "job_state": "RUNNING", "nodes": nodes, "gres_detail": details, "cpus": 1,
            "tres_per_node": format!("gres:{gres}"), "tres_alloc_str": tres, "memory_per_node": null, "memory_per_cpu": null
        })
    };
    let mut waits = of(30, "", "shard:2", &json!([]));
    waits["job_state"] = json!("PENDING");
    let jobs = [
        of(27, "n1", "shard:3", &json!(["shard:3(IDX:0)"])),
        of(28, "n1", "gpu:1", &json!(["gpu:a100:1(IDX:1)"])),
        of(29, "n[2-3]", "shard:1", &json!(["shard:1(IDX:0)", "shard:1(IDX:1)"])),
        waits,
    ];
    let jobs = file(&json!({ "jobs": jobs }).to_string());
    let cluster = live::read(nodes.path(), jobs.path()).expect("a cluster");
    assert_eq!(cluster.away, [("n2".to_owned(), "DOWN*".to_owned())]);
    assert_eq!(cluster.trace.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), ["n1", "n3"]);
    assert_eq!(cluster.partitions, [["main", "long"], ["main", "long"]]);
    assert_eq!(cluster.trace.tasks.len(), 4);
    let request = |name: &str| cluster.trace.tasks.iter().find(|task| task.name == name).expect("a task").request;
    let on = |job: &str, node: usize, gpus: u16| {
        let request = request(&format!("{job} wrap"));
        PlacedPiece { job: job.to_owned(), request, node, gpus: Some(Gpus(gpus)) }
    };
    assert_eq!(cluster.placed, [on("27", 0, 0b1), on("28", 0, 0b10), on("29", 1, 0b10)]);

    let wanted = |gpus, of: Option<&str>| Wanted { cores: 2, memory_mib: 0, gpus, gpu_type: of.map(str::to_owned) };
    // 30 % of a GPU are two of its four shards.
    let part = wanted(WantedGpus::Percent(30), None);
    let requested = cluster.request(&part).expect("shards");
    assert_eq!((requested.cpu_milli, requested.gpus, shares(&requested)), (2_000, 1, vec![Some(500)]));
    assert_eq!(cluster.gres(&part, 0).as_deref(), Some("shard:2"));
    assert_eq!(cluster.gres(&wanted(WantedGpus::Percent(25), None), 0).as_deref(), Some("shard:1"));
    let whole = wanted(WantedGpus::Whole(2), Some("a100"));
    assert_eq!(cluster.request(&whole).map(|request| (request.gpus, shares(&request))), Ok((2, vec![Some(1000)])));
    assert_eq!(cluster.gres(&whole, 0).as_deref(), Some("gpu:a100:2"));
    let missing = cluster.request(&wanted(WantedGpus::Whole(1), Some("h100")));
    assert_eq!(missing.unwrap_err(), "no node that accepts jobs has a GPU of type h100");

    let none = live::read(file(&node("n2", "IDLE+DRAIN")).path(), jobs.path()).err().expect("none").to_string();
    assert!(none.ends_with("no node accepts jobs now; n2 is IDLE+DRAIN"), "{none}");
}

//! Whatever a file holds, it is read or refused in a sentence: samples in which a seeded generator changes bytes,
//! drops, repeats and exchanges parts, and puts in numbers and texts that no tool writes.

use std::io::Write as _;
use std::path::Path;

use crossover_model::allocation::{Cluster, Trace, Workload};
use crossover_traces::{TraceError, kubernetes, openb, philly, slurm};

const KUBERNETES: &str = r#"{"apiVersion":"v1","items":[
{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","labels":{
  "nvidia.com/gpu.product":"A100-SXM4-40GB-MIG-1g.5gb-SHARED","nvidia.com/gpu.replicas":"2"}},"spec":{
  "unschedulable":true},"status":{"allocatable":{"cpu":"64","memory":"256Gi","nvidia.com/gpu":"28",
  "nvidia.com/mig-3g.20gb":"2"}}},
{"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]},
  "status":{"allocatable":{"cpu":"64000m","memory":"1e9","alibabacloud.com/gpu-count":"2"}}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"n",
  "creationTimestamp":"2024-05-01T10:00:00Z","annotations":{"alibabacloud.com/gpu-milli":"500",
  "alibabacloud.com/gpu-count":"1"}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"100n",
  "memory":"128M"}}}],"priority":-1},"status":{"phase":"Running"}},
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"q"},"spec":{"initContainers":[{"name":"i",
  "restartPolicy":"Always","resources":{"limits":{"nvidia.com/gpu":"3"}}}],"containers":[{"name":"c"}],
  "overhead":{"cpu":"1"}},"status":{"phase":"Succeeded","startTime":"2024-05-01T10:00:00Z",
  "containerStatuses":[{"name":"c","image":"","imageID":"","ready":false,"restartCount":0,"state":{
  "terminated":{"exitCode":0,"finishedAt":"2024-05-01T10:00:09Z"}}}]}}
],"kind":"List"}"#;
const NODES: &str = "NodeName=a CPUTot=64 RealMemory=1000 Gres=gpu:a100:4(S:0-1),shard:a100:16(S:0-1) State=DOWN*\n\
NodeName=m CPUTot=64\n   RealMemory=1000 MemSpecLimit=10 Gres=gpu:a100_1g.5gb:14,gpu:a100_3g.20gb:2\n\
NodeName=c CPUTot=8 RealMemory=100 Gres=gpu:1\n";
const JOBS: &str = r#"{"jobs":[
{"job_id":1,"name":"x","job_state":["RUNNING"],"cpus":{"set":true,"infinite":false,"number":8},"node_count":{
  "set":true,"infinite":false,"number":2},"memory_per_node":{"set":true,"infinite":false,"number":900},
  "submit_time":{"set":true,"infinite":false,"number":1000},"time_limit":{"set":true,"infinite":false,
  "number":9},"tres_per_job":"gres/gpu:a100:3"},
{"job_id":2,"name":"y","job_state":"PENDING","array_task_string":"1-9:2%3","cpus":4,"tasks":3,
  "tres_per_task":"gres/shard:2","submit_time":900},
{"job_id":3,"name":"z","job_state":["COMPLETED"],"start_time":5,"end_time":9,
  "tres_req_str":"cpu=8,mem=1.5G,node=2,gres/gpu=4"}
],"errors":[]}"#;
const PHILLY: &str = "job_id,submit_time,ddl,num_gpu,duration\n0,0,9,1,5\n1,3,9,16,7.5\n2,4,9,13,1e3\n";
const OPENB_NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\nn1,1000,20,2,T4\nn2,1000.5,20,8,V100\n";
const OPENB_PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,\
creation_time,deletion_time,scheduled_time\n\
p1,10,1,1,500,T4|V100,BE,0,9,1\np2,10,1,2,1000,,LS,3,,\n";
/// What no tool writes, or seldom.
const ODD: [&str; 24] = [
    "",
    "-1",
    "0",
    "1e308",
    "1e999",
    "NaN",
    "inf",
    "18446744073709551616",
    "4294967294",
    "999999999999999999999999Ei",
    "9e99",
    "null",
    "[]",
    "{}",
    "\"",
    "\\u0000",
    "½",
    "\u{feff}",
    "gpu:99999999999999999999",
    "1g.5gb",
    "-MIG-",
    "-SHARED",
    "=",
    "\n\n",
];

/// `SplitMix64`: <https://prng.di.unimi.it/splitmix64.c>.
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).expect("below a usize")
    }

    /// A sample with a few changes.
    fn changed(&mut self, sample: &str) -> Vec<u8> {
        let mut bytes = sample.as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            let (at, other) = (self.below(bytes.len()), self.below(bytes.len()));
            let (from, to) = (at.min(other), at.max(other));
            match self.below(7) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(from..to.min(from + 40))),
                2 => {
                    let part = bytes[from..to].to_vec();
                    drop(bytes.splice(at..at, part));
                }
                3 if !bytes.is_empty() => bytes[at] = u8::try_from(self.below(256)).expect("a byte"),
                4 if !bytes.is_empty() => bytes.swap(at, other),
                _ => {
                    // In the place of a word or number.
                    let is_end = |byte: &u8| b"\",:{}[]\n =|".contains(byte);
                    let end = bytes[at..].iter().position(is_end).map_or(bytes.len(), |length| at + length);
                    let begin = bytes[..at].iter().rposition(is_end).map_or(0, |place| place + 1);
                    let odd = ODD[self.below(ODD.len())];
                    drop(bytes.splice(begin..end, odd.bytes()));
                }
            }
        }
        bytes
    }
}

/// What was read can be worked with: places are within their lists, sums do not overflow, notes are short.
fn check(outcome: Result<Trace, TraceError>) -> bool {
    let trace = match outcome {
        Ok(trace) => trace,
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < 1_000, "{text}");
            return false;
        }
    };
    assert!(trace.notes.iter().all(|note| note.len() < 2_000), "{:?}", trace.notes);
    let cluster = Cluster::new(&trace.nodes);
    assert!(trace.nodes.is_sorted_by(|a, b| a.name < b.name) && trace.tasks.is_sorted_by(|a, b| a.name < b.name));
    assert!(trace.nodes.iter().flat_map(|node| &node.devices).all(|device| usize::from(*device) < trace.types.len()));
    for request in &trace.requests {
        assert_eq!(request.shares.len(), trace.types.len());
        assert!(request.gpus <= 16 && request.shares.iter().flatten().all(|share| *share <= 1000));
    }
    for task in &trace.tasks {
        assert!(task.request < trace.requests.len() && task.pieces >= 1);
        assert!(task.arrives >= 0.0 && task.arrives.is_finite());
        assert!(task.seconds.is_none_or(|seconds| seconds >= 0.0 && seconds.is_finite()));
    }
    let workload = Workload::new(&cluster, trace.requests.clone());
    assert_eq!(workload.requests().len(), trace.requests.len());
    true
}

/// Changes each sample so many times and reads it; how many were read all the same.
fn read_changed(
    seed: u64,
    samples: &[&str],
    times: usize,
    read: impl Fn(&[&Path]) -> Result<Trace, TraceError>,
) -> usize {
    let mut seeded = Seeded(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let paths: Vec<_> = (0..samples.len()).map(|place| folder.path().join(format!("sample-{place}"))).collect();
    let files: Vec<&Path> = paths.iter().map(|path| &**path).collect();
    let whole = |place: usize| std::fs::write(&paths[place], samples[place]).expect("space");
    (0..samples.len()).for_each(whole);
    assert!(check(read(&files)), "the sample itself is read");
    let mut usable = 0;
    for time in 0..times {
        let place = time % samples.len();
        let mut file = std::fs::File::create(&paths[place]).expect("a file");
        file.write_all(&seeded.changed(samples[place])).expect("space");
        usable += usize::from(check(read(&files)));
        whole(place);
    }
    usable
}

#[test]
fn changed_dumps_of_kubernetes_are_read_or_refused() {
    let usable = read_changed(1, &[KUBERNETES], 500, kubernetes::read);
    assert!((50..500).contains(&usable), "{usable} of 500 were read");
}

#[test]
fn changed_outputs_of_slurm_are_read_or_refused() {
    let usable = read_changed(2, &[NODES, JOBS], 600, |files| slurm::read(files[0], Some(files[1])));
    assert!((60..600).contains(&usable), "{usable} of 600 were read");
}

#[test]
fn changed_tables_are_read_or_refused() {
    let machines = philly::Machines { nodes: 3, gpus_of_node: 4 };
    let usable = read_changed(3, &[PHILLY], 400, |files| philly::read(files[0], machines));
    assert!((40..400).contains(&usable), "{usable} of 400 were read");
    let usable = read_changed(4, &[OPENB_NODES, OPENB_PODS], 400, |files| openb::read(files[0], files[1]));
    assert!((40..400).contains(&usable), "{usable} of 400 were read");
}

#[test]
fn bytes_without_sense_are_refused() {
    let mut seeded = Seeded(5);
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    let machines = philly::Machines::default();
    for _ in 0..200 {
        let length = seeded.below(300);
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(32 + seeded.below(95)).expect("a byte")).collect();
        file.as_file_mut().set_len(0).expect("space");
        std::fs::write(file.path(), bytes).expect("space");
        let path = file.path();
        assert!(!check(kubernetes::read(&[path])) && !check(slurm::read(path, None)));
        assert!(!check(philly::read(path, machines)) && !check(openb::read(path, path)));
    }
}

//! Whatever a file holds, it is read or refused in a sentence: samples in which a seeded generator changes bytes,
//! drops, repeats and exchanges parts, and puts in numbers and texts that no tool writes.

use std::io::Write as _;
use std::path::Path;

use crossover_allocation::{Cluster, Trace, Workload};
use crossover_traces::{TraceError, kubernetes, openb, philly, probed, slurm};

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
const REPORTS: &str = r#"started
{"report":"probe","library":1,"tool":"gpu-bench 0.1.0","began":"2026-11-02T14:00:00Z","processor":"Xeon","unit":"core","units":4,"threads":4,"task":{"name":"p","operators":[{"name":"a","runs":{"Library":"dgemm"},"executions":2,"in_target":9.0}]},"seconds":2.5,"operators":[{"name":"a","seconds":[0.5,1.5],"value":1.0,"true_value":1.0,"error":1e-9,"tolerance":1e-6}]}
[{"report":"probe","library":2,"tool":"gpu-bench 0.1.0","began":"2026-11-02T14:00:00+01:00","processor":"","unit":"H100","units":1,"threads":1,"task":{"name":"p","operators":[]},"seconds":1,"operators":[]}]
"#;
const REFRAME: &str = "result|job_completion_time|info|num_tasks|partition|bw_value|bw_unit|t_value|t_unit|system\n\
pass|2024-02-21T22:51:16|a /1f @s:p+e|8|p|21116.7|MB/s|14.5|ms|s\n\
fail|NA||null|p|null|MB/s|null|s|s\n\
2022-06-23T20:18:19+00:00|reframe 3.9.2|T on s:p using e|jobid=9|num_tasks=20|Copy=6606.1|ref=0 (l=null, u=null)|MB/s\n";
const OSU: &str = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7\n# [ pairs: 15 ] [ window size: 64 ]\n\
# Size                  MB/s        Messages/s\n1     6.39     6385003.80\n\n\
# OSU MPI Init Test v5.6.2\nnprocs: 4, min: 66 ms, max: 68 ms, avg: 67 ms\n\
# OSU MPI Barrier Latency Test v5.8\n# Avg Latency(us)\n   12.57\n";
const MLPERF: &str = "submitter,system,number_of_nodes,accelerator_model_name,# of accelerators,bert,gpt3\n\
A,a,1,H100,8,5.5,\nB,b,4,H100,\"1,024\",N/A,3.44\n";
const HYPERFINE: &str = r#"{"schema_version":2,"metadata":{"start_time":"2026-11-02T14:00:00Z"},"results":[
{"command":"./a -t 4","times":[1.5,2.5],"exit_codes":[0,null],"parameters":{"threads":"4"}},
{"command":"b","measurements":[{"time_wall_clock":{"value":8.5,"unit":"second"},"exit_code":1}]}]}"#;
const PLAIN: &str =
    "centre,unit_type,units,time,seconds,relative_error\nJ,A100,8,2026-11-02T14:00:00Z,3.5,1e-7\nJ,,,-1.5,7,\n";
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
        assert!(
            request.gpus <= 16 && request.shares.iter().flatten().all(|share| *share <= crossover_allocation::WHOLE)
        );
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

/// The same of measurements: all numbers are such as can be.
fn check_probed(outcome: Result<probed::Read, TraceError>) -> bool {
    let read = match outcome {
        Ok(read) => read,
        Err(error) => {
            let text = error.to_string();
            assert!(text.len() < 1_500, "{text}");
            return false;
        }
    };
    assert!(!read.runs.is_empty());
    assert!(read.notes.iter().chain(&read.left_out).all(|note| note.len() < 2_000), "{:?}", read.notes);
    let is_above_zero = |value: f64| value.is_finite() && value > 0.0;
    for run in &read.runs {
        assert!((1.0..=1e9).contains(&run.units), "{run:?}");
        assert!(run.seconds.is_none_or(is_above_zero) && run.target_seconds.is_none_or(is_above_zero), "{run:?}");
        assert!(run.rate.as_ref().is_none_or(|(rate, _)| is_above_zero(*rate)), "{run:?}");
        assert!(run.error.is_none_or(|error| error.is_finite() && error >= 0.0), "{run:?}");
        assert!(run.at_hours.is_none_or(|hours| hours.abs() < 1e6), "{run:?}");
        assert!(run.seconds.is_some() || run.rate.is_some() || run.failure.is_some(), "{run:?}");
    }
    true
}

/// Changes each sample so many times and reads it; how many were read all the same.
fn read_changed<T>(
    seed: u64,
    samples: &[&str],
    times: usize,
    read: impl Fn(&[&Path]) -> Result<T, TraceError>,
    check: impl Fn(Result<T, TraceError>) -> bool,
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
    let usable = read_changed(1, &[KUBERNETES], 500, kubernetes::read, check);
    assert!((50..500).contains(&usable), "{usable} of 500 were read");
}

#[test]
fn changed_outputs_of_slurm_are_read_or_refused() {
    let usable = read_changed(2, &[NODES, JOBS], 600, |files| slurm::read(files[0], Some(files[1])), check);
    assert!((60..600).contains(&usable), "{usable} of 600 were read");
}

#[test]
fn changed_tables_are_read_or_refused() {
    let machines = philly::Machines { nodes: 3, gpus_of_node: 4 };
    let usable = read_changed(3, &[PHILLY], 400, |files| philly::read(files[0], machines), check);
    assert!((40..400).contains(&usable), "{usable} of 400 were read");
    let usable = read_changed(4, &[OPENB_NODES, OPENB_PODS], 400, |files| openb::read(files[0], files[1]), check);
    assert!((40..400).contains(&usable), "{usable} of 400 were read");
}

#[test]
fn changed_measurements_are_read_or_refused() {
    for (seed, sample) in (6..).zip([REPORTS, REFRAME, OSU, MLPERF, HYPERFINE, PLAIN]) {
        let usable = read_changed(seed, &[sample], 400, |files| probed::read(files[0], Some(200_000.0)), check_probed);
        assert!((40..=400).contains(&usable), "{usable} of 400 were read: {sample}");
    }
}

#[test]
fn parts_of_all_measurements_together_are_read_or_refused() {
    let together = [REPORTS, REFRAME, OSU, MLPERF, HYPERFINE, PLAIN].concat();
    let mut seeded = Seeded(12);
    let mut lines: Vec<&str> = together.split_inclusive(['\n', ',', '|']).collect();
    let file = tempfile::NamedTempFile::new().expect("a file");
    for _ in 0..400 {
        for place in 0..lines.len() {
            lines.swap(place, seeded.below(together.len() % 977 + 1).min(place));
        }
        let length = seeded.below(lines.len());
        std::fs::write(file.path(), seeded.changed(&lines[..length].concat())).expect("space");
        check_probed(probed::read(file.path(), None));
    }
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
        assert!(!check_probed(probed::read(path, None)));
    }
}

//! Nodes and jobs as the text forms of Slurm 20.11, 22.05 and 23.11 have them. Fields and their order are those that
//! `src/api/node_info.c` and `src/api/job_info.c` of these versions print; resources are those of the manual's page on GRES.

use crossover_allocation::Gpus;
use crossover_traces::slurm::{live, read, read_history};

use super::{file, requested};

/// A node of Slurm 20.11, which has no `CPUEfctv`, with cores that are kept for the system.
const NODE_20_11: &str = "\
NodeName=tux1 Arch=x86_64 CoresPerSocket=8
   CPUAlloc=4 CPUTot=32 CPULoad=4.02
   AvailableFeatures=(null)
   ActiveFeatures=(null)
   Gres=gpu:tesla:4(S:0-1)
   GresDrain=N/A
   GresUsed=gpu:tesla:3(IDX:0-1,3)
   NodeAddr=tux1 NodeHostName=tux1 Version=20.11.9
   OS=Linux 3.10.0-1160.el7.x86_64 #1 SMP Mon Oct 19 16:18:59 UTC 2020
   RealMemory=64000 AllocMem=8192 FreeMem=50000 Sockets=2 Boards=1
   CoreSpecCount=2 CPUSpecList=0-1,16-17 MemSpecLimit=1024
   State=MIXED ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Partitions=debug
   BootTime=2021-03-01T08:00:00 SlurmdStartTime=2021-03-01T08:01:00
   CfgTRES=cpu=32,mem=62.50G,billing=32,gres/gpu=4,gres/gpu:tesla=4
   AllocTRES=cpu=4,mem=8G,gres/gpu=3,gres/gpu:tesla=3
   CapWatts=n/a
   CurrentWatts=0 AveWatts=0
   ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s

";

/// Two jobs that run and one that waits. One name has words that look like fields.
const JOBS_20_11: &str = "\
JobId=11 JobName=train NodeList=tux9 twice
   UserId=ana(1000) GroupId=ana(1000) MCS_label=N/A
   Priority=4294901758 Nice=0 Account=(null) QOS=(null)
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   DerivedExitCode=0:0
   RunTime=00:10:00 TimeLimit=1-02:00:00 TimeMin=N/A
   SubmitTime=2021-03-02T10:00:00 EligibleTime=2021-03-02T10:00:00
   AccrueTime=2021-03-02T10:00:00
   StartTime=2021-03-02T10:05:00 EndTime=2021-03-03T12:05:00 Deadline=N/A
   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2021-03-02T10:05:00
   Partition=debug AllocNode:Sid=tux0:2345
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=tux1
   BatchHost=tux1
   NumNodes=1 NumCPUs=4 NumTasks=1 CPUs/Task=4 ReqB:S:C:T=0:0:*:*
   TRES=cpu=4,mem=8G,node=1,billing=4,gres/gpu=2,gres/gpu:tesla=2
   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
   JOB_GRES=gpu:tesla:2
     Nodes=tux1 CPU_IDs=2-5 Mem=8192 GRES=gpu:tesla:2(IDX:0-1)
   MinCPUsNode=4 MinMemoryNode=8G MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=/home/ana/train.sh NodeList=tux9
   WorkDir=/home/ana
   Power=
   TresPerNode=gpu:tesla:2
   MailUser=(null) MailType=NONE

JobId=12 JobName=login
   UserId=ana(1000) GroupId=ana(1000) MCS_label=N/A
   JobState=SUSPENDED Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=0 Reboot=0 ExitCode=0:0
   RunTime=00:02:00 TimeLimit=UNLIMITED TimeMin=N/A
   SubmitTime=2021-03-02T10:10:00 EligibleTime=2021-03-02T10:10:00
   StartTime=2021-03-02T10:10:00 EndTime=Unknown Deadline=N/A
   NodeList=tux1
   NumNodes=1 NumCPUs=2 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   TRES=cpu=2,mem=1G,node=1,billing=2,gres/gpu=1,gres/gpu:tesla=1
     Nodes=tux1 CPU_IDs=6-7 Mem=1024 GRES=gpu:tesla:1(IDX:3)
   MinCPUsNode=1 MinMemoryCPU=512M MinTmpDiskNode=0
   TresPerNode=gpu:1

JobId=13 ArrayJobId=13 ArrayTaskId=2-4%2 ArrayTaskThrottle=2 JobName=sweep
   UserId=ana(1000) GroupId=ana(1000) MCS_label=N/A
   JobState=PENDING Reason=Resources Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=00:00:00 TimeLimit=00:30:00 TimeMin=N/A
   SubmitTime=2021-03-02T10:20:00 EligibleTime=2021-03-02T10:20:00
   StartTime=Unknown EndTime=Unknown Deadline=N/A
   NodeList=(null)
   NumNodes=1-2 NumCPUs=2 NumTasks=1 CPUs/Task=2 ReqB:S:C:T=0:0:*:*
   TRES=cpu=2,mem=2G,node=1,billing=2,gres/gpu=1
   MinCPUsNode=2 MinMemoryNode=2G MinTmpDiskNode=0
   TresPerNode=gpu:1

";

/// Jobs on one line each, as `--oneliner` has them.
fn one_line_each(text: &str) -> String {
    let records = text.trim_end().split("\n\n");
    records
        .map(|record| record.split('\n').map(|line| line.trim().to_owned() + " ").collect::<String>() + "\n")
        .collect()
}

#[test]
fn cores_kept_for_the_system_are_left_out_before_slurm_22_05() {
    // Four of 32 hardware threads: two cores of two, listed or, without the list, counted.
    let without_list = NODE_20_11.replace(" CPUSpecList=0-1,16-17", "");
    let newer = NODE_20_11.replace("CPUTot=32", "CPUEfctv=28 CPUTot=32");
    for text in [NODE_20_11, &without_list, &newer] {
        let trace = read(file(text).path(), None).expect("a node");
        let [node] = &trace.nodes[..] else { panic!("{:?}", trace.nodes) };
        assert_eq!((node.cpu_milli, node.memory_mib, node.devices.len()), (28_000, 62_976, 4));
        assert_eq!(trace.types, ["tesla"]);
        assert!(trace.notes.is_empty(), "{:?}", trace.notes);
    }
}

#[test]
fn jobs_of_scontrol_are_read_as_those_of_the_queue() {
    let newer = JOBS_20_11.replace("TresPerNode=gpu", "TresPerNode=gres/gpu").replace("   TRES=", "   ReqTRES=");
    let newer = newer.replace("   JOB_GRES=gpu:tesla:2\n", "   AllocTRES=cpu=4,mem=8G,node=1,billing=4,gres/gpu=2\n");
    for text in [JOBS_20_11, &one_line_each(JOBS_20_11), &newer] {
        let trace = read(file(NODE_20_11).path(), Some(file(text).path())).expect("jobs");
        let jobs: Vec<(&str, f64, Option<f64>, bool)> =
            trace.tasks.iter().map(|job| (job.name.as_str(), job.arrives, job.seconds, job.is_sensitive)).collect();
        let expected = [
            ("11 train NodeList=tux9 twice", 0.0, Some(93_600.0), false),
            ("12 login", 600.0, None, true),
            ("13_2 sweep", 1_200.0, Some(1_800.0), false),
            ("13_3 sweep", 1_200.0, Some(1_800.0), false),
            ("13_4 sweep", 1_200.0, Some(1_800.0), false),
        ];
        assert_eq!(jobs, expected);
        let [one, two, three] = ["11 train NodeList=tux9 twice", "12 login", "13_2 sweep"];
        assert_eq!(requested(&trace, one), (1, 4_000, 8_192, 2, vec![Some(1000)]));
        assert_eq!(requested(&trace, two), (1, 2_000, 1_024, 1, vec![Some(1000)]));
        assert_eq!(requested(&trace, three), (1, 2_000, 2_048, 1, vec![Some(1000)]));

        let cluster = live::read(file(NODE_20_11).path(), file(text).path()).expect("a cluster");
        let placed: Vec<(&str, Option<Gpus>)> =
            cluster.placed.iter().map(|piece| (piece.job.as_str(), piece.gpus)).collect();
        assert_eq!(placed, [("11", Some(Gpus(0b11))), ("12", Some(Gpus(0b1000)))]);
    }
}

#[test]
fn a_cluster_without_jobs_is_idle() {
    let jobs = file("No jobs in the system\n");
    let cluster = live::read(file(NODE_20_11).path(), jobs.path()).expect("a cluster");
    assert!(cluster.trace.tasks.is_empty() && cluster.placed.is_empty());
}

/// Each node of a job has its own GPUs.
#[test]
fn the_nodes_of_a_job_have_the_gpus_that_scontrol_names() {
    let nodes = NODE_20_11.to_owned() + &NODE_20_11.replace("tux1", "tux2") + &NODE_20_11.replace("tux1", "tux3");
    let jobs = "\
JobId=21 JobName=mpi
   UserId=ana(1000) GroupId=ana(1000) MCS_label=N/A
   JobState=RUNNING Reason=None Dependency=(null)
   NodeList=tux[1-3]
   NumNodes=3 NumCPUs=6 NumTasks=3 CPUs/Task=2 ReqB:S:C:T=0:0:*:*
   TRES=cpu=6,mem=3G,node=3,billing=6,gres/gpu=3
     Nodes=tux[1-2] CPU_IDs=2-3 Mem=1024 GRES=gpu:tesla:1(IDX:2)
     Nodes=tux3 CPU_IDs=2-3 Mem=1024 GRES=gpu:tesla:1(IDX:0)
   MinCPUsNode=2 MinMemoryNode=1G MinTmpDiskNode=0
   TresPerNode=gpu:1
";
    let cluster = live::read(file(&nodes).path(), file(jobs).path()).expect("a cluster");
    let placed: Vec<(usize, Option<Gpus>)> = cluster.placed.iter().map(|piece| (piece.node, piece.gpus)).collect();
    assert_eq!(placed, [(0, Some(Gpus(0b100))), (1, Some(Gpus(0b100))), (2, Some(Gpus(0b1)))]);
}

#[test]
fn resources_of_a_request_that_are_not_read_are_named_without_their_kind_too() {
    let jobs = JOBS_20_11.replace("TresPerNode=gpu:tesla:2", "TresPerNode=gpu:tesla:2,craynetwork:1");
    let trace = read(file(NODE_20_11).path(), Some(file(&jobs).path())).expect("jobs");
    let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
    assert_eq!(named, [("gres/craynetwork", 1)]);
}

/// <https://slurm.schedmd.com/gres.html>: the node's line of its first example.
#[test]
fn resources_of_the_manual_are_read() {
    let node = "NodeName=tux0 CPUTot=32 RealMemory=64000 Gres=gpu:tesla:2,gpu:kepler:2,mps:400,bandwidth:lustre:no_consume:4G\n";
    let trace = read(file(node).path(), None).expect("a node");
    assert_eq!(trace.nodes[0].devices.len(), 4);
    let named: Vec<(&str, usize)> = trace.unread.names().map(|name| (name.name, name.count)).collect();
    assert_eq!(named, [("gres/bandwidth", 1)]);
}

/// `sacct --parsable2` of 20.11 sorts resources by name, and `ReqMem` has a letter for each core or node.
#[test]
fn a_table_of_the_accounting_of_20_11_is_read() {
    let text = "\
JobID|JobName|State|Submit|Eligible|Start|End|ElapsedRaw|NodeList|NNodes|NCPUS|ReqMem|ReqTRES|AllocTRES|TimelimitRaw
31|train|COMPLETED|2021-03-02T10:00:00|2021-03-02T10:00:00|2021-03-02T10:05:00|2021-03-02T11:05:00|3600|tux1|1|4|2Gc|\
billing=4,cpu=4,gres/gpu=2,mem=8G,node=1|billing=4,cpu=4,gres/gpu:tesla=2,gres/gpu=2,mem=8G,node=1|120
31.batch|batch|COMPLETED|2021-03-02T10:05:00|2021-03-02T10:05:00|2021-03-02T10:05:00|2021-03-02T11:05:00|3600|tux1|1|4|2Gc||\
cpu=4,gres/gpu:tesla=2,gres/gpu=2,mem=8G,node=1|
31.extern|extern|COMPLETED|2021-03-02T10:05:00|2021-03-02T10:05:00|2021-03-02T10:05:00|2021-03-02T11:05:00|3600|tux1|1|4|2Gc||\
billing=4,cpu=4,gres/gpu:tesla=2,gres/gpu=2,mem=8G,node=1|
";
    let trace = read_history(Some(file(NODE_20_11).path()), file(text).path()).expect("a history");
    let jobs: Vec<(&str, Option<f64>, Option<f64>, bool)> =
        trace.tasks.iter().map(|job| (job.name.as_str(), job.waited, job.seconds, job.is_sensitive)).collect();
    assert_eq!(jobs, [("31 train", Some(300.0), Some(3_600.0), false)]);
    assert_eq!(requested(&trace, "31 train"), (1, 4_000, 8_192, 2, vec![Some(1000)]));
}

/// As a real Slurm 22.05 printed `sinfo --Format`: each column has 20 characters, and what is longer runs into the next one.
#[test]
fn a_table_of_sinfo_with_cut_values_is_refused() {
    let table = |rows: &[&[&str]]| {
        let row =
            |cells: &&[&str]| cells.iter().map(|cell| format!("{cell:<20.20}")).collect::<Vec<_>>().concat() + "\n";
        rows.iter().map(row).collect::<Vec<_>>().concat()
    };
    let shared = "gpu:a100:2,shard:a100:8";
    let before_others =
        table(&[&["NODELIST", "CPUS", "MEMORY", "GRES", "STATE"], &["n1", "4", "24105", shared, "mixed"]]);
    assert!(before_others.contains("gpu:a100:2,shard:a10mixed "), "{before_others}");
    let last = table(&[
        &["NODELIST", "CPUS", "MEMORY", "GRES"],
        &["n1", "4", "24105", "gpu:a100:2"],
        &["n2", "4", "24105", shared],
    ]);
    for (text, line) in [(before_others, 2), (last, 3)] {
        let problem = read(file(&text).path(), None).expect_err("a cut value").to_string();
        let expected = format!("line {line}: sinfo has cut a value; run “sinfo --Node --format=\"%N %c %m %G %T\"”");
        assert!(problem.contains(&expected), "{problem}");
    }
    let whole =
        table(&[&["NODELIST", "CPUS", "MEMORY", "GRES", "STATE"], &["n1", "4", "24105", "gpu:a100:2", "mixed"]]);
    assert_eq!(read(file(&whole).path(), None).expect("a node").nodes[0].devices.len(), 2);
}

//! A study of a recorded cluster, with groups of equal nodes and of tasks with equal requests.

use std::collections::BTreeMap;

use super::amount::WHOLE;
use super::policy::Policy;
use super::study::{
    Allocation, Arrivals, Board, GpuType, MOST_GROUPS, MOST_PIECES, NodeGroup, PolicyChoice, RunsOn, TaskGroup, Timing,
};
use super::trace::Trace;
use crossover_quantity::invalid::free_name;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::text::counted;
use crossover_study::numbers;

/// Gigabytes of a mebibyte.
const MIB_IN_GB: f64 = 1_048_576.0 / 1e9;

/// Names of the files of a trace.
#[derive(Debug, Clone, Copy)]
pub struct Files<'a> {
    /// Name of the file of nodes.
    pub nodes: &'a str,
    /// Name of the file of tasks.
    pub tasks: &'a str,
}

/// What tasks of a group have in common: pieces, GPUs, shares, cores, latency-sensitive.
type GroupKey<'a> = (u32, u8, &'a [Option<u16>], u32, bool);

/// A study of a trace, with groups of equal nodes and of tasks with equal requests. Memory and run times are means of a group.
/// Notes name what was left out.
#[must_use]
pub fn summarised(trace: &Trace, files: Files<'_>, policy: Policy, arrivals: Arrivals) -> (Allocation, Vec<String>) {
    let mut notes = Vec::new();
    let types = if trace.types.is_empty() { vec!["GPU".to_owned()] } else { trace.types.clone() };
    let nodes = node_groups(trace, &types, &mut notes);
    let mut tasks = task_groups(trace, &types, &mut notes);
    if trace.tasks.is_empty() {
        notes.push("no task found; one task of one GPU is in its place: replace it with your own".to_owned());
        tasks.push(TaskGroup { name: "1 GPU".to_owned(), ..TaskGroup::default() });
    }
    let largest = nodes.iter().max_by(|a, b| (a.nodes * a.all_gpus()).total_cmp(&(b.nodes * b.all_gpus())));
    let growing_nodes = largest.map(|group| group.name.clone()).unwrap_or_default();
    let mut study = Allocation {
        arrivals,
        types: types.into_iter().map(|name| GpuType { name, watts: 0.0 }).collect(),
        nodes,
        tasks,
        pairs: Vec::new(),
        replay: Timing::default(),
        policy: PolicyChoice { name: policy, growing_nodes },
        sources: BTreeMap::new(),
        bill: None,
        uncertain: BTreeMap::new(),
    };
    let paths: Vec<String> = numbers(&study).into_iter().map(|(path, ..)| path.to_string()).collect();
    for path in paths {
        let field = path.rsplit('.').next().unwrap_or_default();
        let file = match path.split('.').next() {
            Some("nodes") if ["nodes", "cores", "memory_gb", "gpus"].contains(&field) => files.nodes,
            Some("tasks")
                if !trace.tasks.is_empty()
                    && ["tasks", "cores", "memory_gb", "pieces", "gpus", "share"].contains(&field) =>
            {
                files.tasks
            }
            _ => continue,
        };
        study.sources.insert(path, Provenance::Imported { file: file.to_owned() });
    }
    (study, notes)
}

fn node_groups(trace: &Trace, types: &[String], notes: &mut Vec<String>) -> Vec<NodeGroup> {
    let mut alike: BTreeMap<(u32, u32, &[u16]), usize> = BTreeMap::new();
    for node in &trace.nodes {
        *alike.entry((node.cpu_milli, node.memory_mib, &node.devices)).or_default() += 1;
    }
    let mut alike: Vec<_> = alike.into_iter().collect();
    keep_most(&mut alike, |(_, count)| *count, "nodes", notes);
    let mut groups: Vec<NodeGroup> = Vec::new();
    for ((cpu_milli, memory_mib, devices), count) in alike {
        // GPUs of one type form one board.
        let mut boards: Vec<(&str, f64)> = Vec::new();
        for device in devices {
            let name = types.get(usize::from(*device)).map_or("GPU", String::as_str);
            match boards.iter_mut().find(|(other, _)| *other == name) {
                Some((_, gpus)) => *gpus += 1.0,
                None => boards.push((name, 1.0)),
            }
        }
        let named: Vec<String> = boards.iter().map(|(name, gpus)| format!("{gpus} × {name}")).collect();
        let gpus = if named.is_empty() { "no GPU".to_owned() } else { named.join(", ") };
        let name = format!("{gpus}, {} cores", f64::from(cpu_milli) / 1e3);
        let mut boards = boards.into_iter();
        let (gpu_type, gpus) = boards.next().unwrap_or((&types[0], 0.0));
        groups.push(NodeGroup {
            name: free_name(&name, groups.iter().map(|group| group.name.as_str())),
            nodes: count as f64,
            cores: f64::from(cpu_milli) / 1e3,
            memory_gb: f64::from(memory_mib) * MIB_IN_GB,
            gpus,
            gpu_type: gpu_type.to_owned(),
            left: 1.0,
            more: boards.map(|(name, gpus)| Board { gpu_type: name.to_owned(), gpus, left: 1.0 }).collect(),
        });
    }
    groups
}

fn task_groups(trace: &Trace, types: &[String], notes: &mut Vec<String>) -> Vec<TaskGroup> {
    // Count, sums of memory and time, and count of known times.
    let mut alike: BTreeMap<GroupKey<'_>, (usize, f64, f64, f64)> = BTreeMap::new();
    for task in &trace.tasks {
        let request = &trace.requests[task.request];
        let key = (task.pieces, request.gpus, request.shares.as_slice(), request.cpu_milli, task.is_sensitive);
        let (count, memory, seconds, timed) = alike.entry(key).or_default();
        *count += 1;
        *memory += f64::from(request.memory_mib) * MIB_IN_GB;
        *seconds += task.seconds.unwrap_or(0.0);
        *timed += f64::from(u8::from(task.seconds.is_some()));
    }
    let too_large: usize =
        alike.iter().filter(|((pieces, ..), _)| f64::from(*pieces) > MOST_PIECES).map(|(_, (count, ..))| *count).sum();
    if too_large > 0 {
        notes.push(format!("left out: {} of more than {MOST_PIECES} pods", counted(too_large as f64, "task")));
    }
    let mut alike: Vec<_> = alike.into_iter().filter(|((pieces, ..), _)| f64::from(*pieces) <= MOST_PIECES).collect();
    keep_most(&mut alike, |(_, (count, ..))| *count, "tasks", notes);
    let mut groups: Vec<TaskGroup> = Vec::new();
    for ((pieces, gpus, shares, cpu_milli, is_sensitive), (count, memory, seconds, timed)) in alike {
        let share_of = |share: Option<u16>| f64::from(share.unwrap_or(WHOLE)) / f64::from(WHOLE);
        let share = share_of(shares.iter().flatten().min().copied());
        let most = share_of(shares.iter().flatten().max().copied());
        let cores = f64::from(cpu_milli) / 1e3;
        let of_gpus = match gpus {
            0 => "no GPU".to_owned(),
            // Another part on each type.
            1 if share < most => format!("{:.1} to {:.1} % of a GPU", 100.0 * share, 100.0 * most),
            1 if share < 1.0 => format!("{:.1} % of a GPU", 100.0 * share),
            gpus => counted(f64::from(gpus), "GPU"),
        };
        let of_pieces = if pieces > 1 { format!("{pieces} × {of_gpus}") } else { of_gpus };
        let named = shares.iter().zip(types).filter_map(|(share, name)| Some((share.as_ref()?, name)));
        let runs_on: Vec<RunsOn> = named
            .map(|(of_type, name)| {
                let of_type = f64::from(*of_type) / f64::from(WHOLE);
                RunsOn {
                    gpu_type: name.clone(),
                    share: if of_type == share { 0.0 } else { of_type },
                    memory_share: 0.0,
                    speed: 1.0,
                }
            })
            .collect();
        let is_any = runs_on.len() == types.len() && runs_on.iter().all(|on| on.share == 0.0);
        let name = if cores > 0.0 { format!("{of_pieces}, {cores} cores") } else { of_pieces };
        let name = if is_sensitive { format!("{name}, sensitive") } else { name };
        groups.push(TaskGroup {
            name: free_name(&name, groups.iter().map(|group| group.name.as_str())),
            tasks: count as f64,
            cores,
            memory_gb: memory / count as f64,
            pieces: f64::from(pieces),
            gpus: f64::from(gpus),
            share: if gpus == 0 { 1.0 } else { share },
            run_seconds: if timed > 0.0 { (seconds / timed).clamp(1.0, 3e7) } else { 3_600.0 },
            is_sensitive,
            runs_on: if is_any { Vec::new() } else { runs_on },
            ..TaskGroup::default()
        });
    }
    groups
}

/// Keeps the largest groups up to the limit of a study, in their order.
fn keep_most<T>(groups: &mut Vec<T>, count: impl Fn(&T) -> usize, what: &str, notes: &mut Vec<String>) {
    if groups.len() <= MOST_GROUPS {
        return;
    }
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(count(&groups[*place])));
    let mut is_kept = vec![false; groups.len()];
    order[..MOST_GROUPS].iter().for_each(|place| is_kept[*place] = true);
    let left_out: usize = order[MOST_GROUPS..].iter().map(|place| count(&groups[*place])).sum();
    notes.push(format!(
        "{} kinds of {what} found; a scenario has at most {MOST_GROUPS}: {left_out} {what} of the rarest kinds are left out",
        groups.len()
    ));
    let mut kept = is_kept.into_iter();
    groups.retain(|_| kept.next().unwrap_or(false));
}

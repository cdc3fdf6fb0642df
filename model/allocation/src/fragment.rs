//! Fragments: idle GPU capacity that typical tasks cannot use.
//!
//! ```text
//! F(node) = Σ p(task) · ( idle                          where the task does not fit the node, or needs no GPU
//!                        Σ left over GPUs with less left than it needs     else )
//! ```
//! p is the frequency of tasks of this kind. Weng and others, “Beware of Fragmentation”, USENIX ATC 2023, §3.

use super::amount::thousandths;
use super::cluster::{Cluster, Lanes, MOST_GPUS, Node};
use super::workload::{Request, Workload};

/// Least share of all tasks that typical tasks are.
const TYPICAL: f64 = 0.95;

/// Needs of typical tasks on the nodes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Typical {
    /// Cores that typical tasks need, in thousandths, ascending, each once.
    cpus: Vec<u32>,
    /// Needs of each group of tasks with the same GPU request, for each combination of GPUs of nodes: share of every GPU, and
    /// number of GPUs.
    needs: Vec<Vec<(Lanes, u16)>>,
    /// Frequency of tasks of each group for which so many of `cpus` are enough: a row of groups for each number.
    fitting: Vec<f64>,
    /// Frequency of all other tasks, for each number: tasks that need more cores, or no GPU.
    others: Vec<f64>,
}

impl Typical {
    /// The typical tasks: the most frequent requests, until they are 95 % of all tasks. `counts`: tasks of each request.
    /// Memory does not count, as in the published method.
    #[must_use]
    pub fn new(cluster: &Cluster, workload: &Workload, counts: &[usize]) -> Self {
        let total: usize = counts.iter().sum();
        let mut specs: Vec<(usize, usize)> = Vec::new();
        // Requests that differ in memory alone are one kind.
        let kind = |request: &Request| (request.cpu_milli, request.shares.clone(), request.gpus);
        let mut known = std::collections::BTreeMap::new();
        for (request, count) in counts.iter().enumerate() {
            let place = *known.entry(kind(&workload.requests()[request])).or_insert_with(|| {
                specs.push((request, 0));
                specs.len() - 1
            });
            specs[place].1 += count;
        }
        specs.sort_by(|(a, often_a), (b, often_b)| {
            let by_kind = || kind(&workload.requests()[*b]).cmp(&kind(&workload.requests()[*a]));
            often_b.cmp(often_a).then_with(by_kind)
        });
        let mut taken = 0;
        let wanted = TYPICAL * total as f64;
        let typical: Vec<(usize, usize)> = specs
            .into_iter()
            .take_while(|(_, count)| {
                let is_wanted = (taken as f64) < wanted;
                taken += if is_wanted { *count } else { 0 };
                is_wanted
            })
            .collect();
        let popularity = |count: usize| count as f64 / taken.max(1) as f64;
        let requested = |request: usize| &workload.requests()[request];
        let mut cpus: Vec<u32> = typical.iter().map(|(request, _)| requested(*request).cpu_milli).collect();
        cpus.sort_unstable();
        cpus.dedup();
        // Groups of tasks with the same GPU request, each by one of them.
        let of_gpus = |request: usize| (&requested(request).shares, requested(request).gpus);
        let with_gpus = || typical.iter().filter(|(request, _)| requested(*request).gpus > 0);
        let mut groups: Vec<usize> = with_gpus().map(|(request, _)| *request).collect();
        groups.sort_unstable_by_key(|request| of_gpus(*request));
        groups.dedup_by_key(|request| of_gpus(*request));
        let all: f64 = typical.iter().map(|(_, count)| popularity(*count)).sum();
        let (mut fitting, mut others) = (Vec::new(), Vec::new());
        for suffice in 0..=cpus.len() {
            let mut row = vec![0.0; groups.len()];
            for (request, count) in with_gpus() {
                let is_enough = cpus[..suffice].last().is_some_and(|most| requested(*request).cpu_milli <= *most);
                if is_enough && let Ok(group) = groups.binary_search_by_key(&of_gpus(*request), |group| of_gpus(*group))
                {
                    row[group] += popularity(*count);
                }
            }
            others.push(all - row.iter().sum::<f64>());
            fitting.append(&mut row);
        }
        let of_shape = |shape| {
            let of_group =
                |request: &usize| (workload.needs_of_shape(*request, shape), u16::from(requested(*request).gpus));
            groups.iter().map(of_group).collect()
        };
        Self { needs: (0..cluster.shapes.len()).map(of_shape).collect(), cpus, fitting, others }
    }

    /// Fragment of a node: idle capacity that typical tasks cannot use, in thousandths of a GPU.
    #[must_use]
    pub fn fragment(&self, node: &Node) -> f64 {
        let idle = node.idle();
        if idle == 0 {
            return 0.0;
        }
        let suffice = self.cpus.partition_point(|needed| *needed <= node.cpu_milli);
        // Half the work for a node with up to eight GPUs.
        if usize::from(node.gpus) <= MOST_GPUS / 2 {
            self.of::<{ MOST_GPUS / 2 }>(node, idle, suffice)
        } else {
            self.of::<MOST_GPUS>(node, idle, suffice)
        }
    }

    /// The fragment of a node with at most `GPUS` GPUs, whose cores are enough for so many of [`Typical::cpus`].
    fn of<const GPUS: usize>(&self, node: &Node, idle: u32, suffice: usize) -> f64 {
        let groups = &self.needs[usize::from(node.shape)];
        let row = &self.fitting[suffice * groups.len()..][..groups.len()];
        let mut sum = self.others[suffice] * thousandths(idle);
        for ((needs, gpus), often) in groups.iter().zip(row) {
            let (count, too_little) = compared::<GPUS>(&node.left, needs);
            let lost = if count >= *gpus { too_little } else { idle };
            sum += often * thousandths(lost);
        }
        sum
    }
}

/// GPUs with enough capacity left, and the sum of what is left on the others.
fn compared<const GPUS: usize>(left: &Lanes, needs: &Lanes) -> (u16, u32) {
    // Without branches, so that all lanes are compared at once.
    let (mut count, mut sum) = (0, 0);
    for lane in 0..GPUS {
        let is_enough = left[lane] >= needs[lane];
        count += u16::from(is_enough);
        sum += u32::from(if is_enough { 0 } else { left[lane] });
    }
    (count, sum)
}

//! How much of what is left on GPUs typical tasks cannot use.
//!
//! ```text
//! F(node) = Σ p(task) · ( idle                          where the task does not fit the node, or needs no GPU
//!                        Σ left over GPUs with less left than it needs     else )
//! ```
//! p is how often a task of this kind comes. Weng and others, “Beware of Fragmentation”, USENIX ATC 2023, §3.

use super::cluster::{Cluster, Lanes, MOST_GPUS, Node};
use super::workload::{Request, Workload};

/// Part of all tasks that the typical ones are, at least.
const TYPICAL: f64 = 0.95;

/// What typical tasks need on the nodes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Typical {
    /// Cores that typical tasks need, in thousandths, ascending, each once.
    cpus: Vec<u32>,
    /// Tasks that need the same of GPUs are one group: what each needs of every GPU, for each combination of GPUs that nodes
    /// have, and of how many of them.
    needs: Vec<Vec<(Lanes, u16)>>,
    /// How often a task of each group comes that so many of `cpus` suffice for: a row of groups for each number.
    fitting: Vec<f64>,
    /// How often any other task comes, for each number: those that need more cores, or no GPU.
    others: Vec<f64>,
}

impl Typical {
    /// The typical ones among tasks: the requests that come most often, until they are 95 % of all tasks. `counts`: how
    /// often each request comes. Memory does not count, as in the published method.
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
        let asked = |request: usize| &workload.requests()[request];
        let mut cpus: Vec<u32> = typical.iter().map(|(request, _)| asked(*request).cpu_milli).collect();
        cpus.sort_unstable();
        cpus.dedup();
        // Tasks that need the same of GPUs, each by one of them.
        let of_gpus = |request: usize| (&asked(request).shares, asked(request).gpus);
        let with_gpus = || typical.iter().filter(|(request, _)| asked(*request).gpus > 0);
        let mut groups: Vec<usize> = with_gpus().map(|(request, _)| *request).collect();
        groups.sort_unstable_by_key(|request| of_gpus(*request));
        groups.dedup_by_key(|request| of_gpus(*request));
        let all: f64 = typical.iter().map(|(_, count)| popularity(*count)).sum();
        let (mut fitting, mut others) = (Vec::new(), Vec::new());
        for suffice in 0..=cpus.len() {
            let mut row = vec![0.0; groups.len()];
            for (request, count) in with_gpus() {
                let is_enough = cpus[..suffice].last().is_some_and(|most| asked(*request).cpu_milli <= *most);
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
                |request: &usize| (workload.needs_of_shape(*request, shape), u16::from(asked(*request).gpus));
            groups.iter().map(of_group).collect()
        };
        Self { needs: (0..cluster.shapes.len()).map(of_shape).collect(), cpus, fitting, others }
    }

    /// What typical tasks cannot use of what is left on a node, in thousandths of a GPU.
    #[must_use]
    pub fn fragment(&self, node: &Node) -> f64 {
        let idle = node.idle();
        if idle == 0 {
            return 0.0;
        }
        let suffice = self.cpus.partition_point(|needed| *needed <= node.cpu_milli);
        // Half the work on one board.
        if usize::from(node.gpus) <= MOST_GPUS / 2 {
            self.of::<{ MOST_GPUS / 2 }>(node, idle, suffice)
        } else {
            self.of::<MOST_GPUS>(node, idle, suffice)
        }
    }

    /// The fragment of a node with at most `GPUS` GPUs on which so many of [`Typical::cpus`] suffice.
    fn of<const GPUS: usize>(&self, node: &Node, idle: u32, suffice: usize) -> f64 {
        let groups = &self.needs[usize::from(node.shape)];
        let row = &self.fitting[suffice * groups.len()..][..groups.len()];
        let mut sum = self.others[suffice] * f64::from(idle);
        for ((needs, gpus), often) in groups.iter().zip(row) {
            let (count, too_little) = compared::<GPUS>(&node.left, needs);
            let lost = if count >= *gpus { u32::from(too_little) } else { idle };
            sum += often * f64::from(lost);
        }
        sum
    }
}

/// How many of the first GPUs have enough left, and what is left on the others.
fn compared<const GPUS: usize>(left: &Lanes, needs: &Lanes) -> (u16, u16) {
    // Without branches and in one width, so that all lanes are compared at once.
    let (mut count, mut sum) = (0, 0);
    for lane in 0..GPUS {
        let is_enough = left[lane] >= needs[lane];
        count += u16::from(is_enough);
        sum += if is_enough { 0 } else { left[lane] };
    }
    (count, sum)
}

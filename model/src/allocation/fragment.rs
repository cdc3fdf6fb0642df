//! How much of what is left on GPUs typical tasks cannot use.
//!
//! ```text
//! F(node) = Σ p(task) · ( idle                          where the task does not fit the node, or needs no GPU
//!                        Σ left over GPUs with less left than it needs     else )
//! ```
//! p is how often a task of this kind comes. Weng and others, “Beware of Fragmentation”, USENIX ATC 2023, §3.

use super::cluster::{Cluster, Lanes, Node};
use super::workload::{Request, Workload, enough};

/// Part of all tasks that the typical ones are, at least.
const TYPICAL: f64 = 0.95;

/// What typical tasks need on the nodes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Typical {
    /// How often tasks come that need no GPU, 0 … 1.
    without_gpu: f64,
    /// For each combination of GPUs: tasks that need the same of GPUs.
    shapes: Vec<Vec<Group>>,
}

/// Typical tasks that need the same of GPUs.
#[derive(Debug, Clone, PartialEq)]
struct Group {
    needs: Lanes,
    gpus: u32,
    /// Cores that they need, in thousandths, ascending, each with how often tasks come that need at most as many.
    by_cpu: Vec<(u32, f64)>,
}

impl Group {
    fn all(&self) -> f64 {
        self.by_cpu.last().map_or(0.0, |(_, popularity)| *popularity)
    }

    /// How often tasks come that these cores suffice for.
    fn with_cpu(&self, cpu_milli: u32) -> f64 {
        let after = self.by_cpu.partition_point(|(needed, _)| *needed <= cpu_milli);
        if after == 0 { 0.0 } else { self.by_cpu[after - 1].1 }
    }
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
        let needs_none = |request: usize| workload.requests()[request].gpus == 0;
        let shapes = (0..cluster.shapes.len()).map(|shape| {
            let mut groups: Vec<Group> = Vec::new();
            for (request, count) in typical.iter().filter(|(request, _)| !needs_none(*request)) {
                let asked = &workload.requests()[*request];
                let (needs, gpus) = (workload.needs_of_shape(*request, shape), u32::from(asked.gpus));
                let entry = (asked.cpu_milli, popularity(*count));
                match groups.iter_mut().find(|group| group.needs == needs && group.gpus == gpus) {
                    Some(group) => group.by_cpu.push(entry),
                    None => groups.push(Group { needs, gpus, by_cpu: vec![entry] }),
                }
            }
            for group in &mut groups {
                group.by_cpu.sort_by_key(|(cpu, _)| *cpu);
                let mut sum = 0.0;
                for (_, popularity) in &mut group.by_cpu {
                    sum += *popularity;
                    *popularity = sum;
                }
            }
            groups
        });
        Self {
            without_gpu: typical.iter().filter(|(request, _)| needs_none(*request)).map(|(_, n)| popularity(*n)).sum(),
            shapes: shapes.collect(),
        }
    }

    /// What typical tasks cannot use of what is left on a node, in thousandths of a GPU.
    #[must_use]
    pub fn fragment(&self, node: &Node) -> f64 {
        let idle = f64::from(node.idle());
        let mut sum = idle * self.without_gpu;
        for group in &self.shapes[usize::from(node.shape)] {
            let with_cpu = group.with_cpu(node.cpu_milli);
            let lost = if enough(&node.left, &group.needs) >= group.gpus {
                f64::from(too_little(&node.left, &group.needs))
            } else {
                idle
            };
            sum += with_cpu * lost + (group.all() - with_cpu) * idle;
        }
        sum
    }
}

/// What is left on GPUs that have less left than is needed.
fn too_little(left: &Lanes, needs: &Lanes) -> u16 {
    // Without branches, so that all lanes are compared at once.
    left.iter().zip(needs).map(|(left, need)| if left < need { *left } else { 0 }).sum()
}

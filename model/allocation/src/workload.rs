//! Requests of tasks; equal requests are held once.

use super::amount::{GpuAmount, WHOLE};
use super::cluster::{Cluster, Lanes, MOST_GPUS, Node};
use super::mix::Mix;

/// More than a whole GPU: the task cannot run on it.
pub(super) const NEVER: u16 = u16::MAX;

/// The request of a task: a share of one GPU, or several whole GPUs of one node, with cores and memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// CPU cores, in thousandths.
    pub cpu_milli: u32,
    /// Memory, MiB.
    pub memory_mib: u32,
    /// GPUs, all on one node; 0 for a task that needs none.
    pub gpus: u8,
    /// Share of each of these GPUs, in units of which [`WHOLE`] are one, for each type of GPU; `None` where it cannot run.
    pub shares: Vec<Option<u16>>,
}

impl Request {
    /// A request for the same share on every type of GPU.
    #[must_use]
    pub fn of_any(cpu_milli: u32, memory_mib: u32, gpus: u8, share: u16, types: usize) -> Self {
        Self { cpu_milli, memory_mib, gpus, shares: vec![Some(share); types] }
    }
}

/// Requests of tasks on the nodes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Distinct requests.
    requests: Vec<Request>,
    /// Share of every GPU that each request needs, for each combination of GPUs; [`NEVER`] where it cannot run.
    needs: Vec<Vec<Lanes>>,
    /// Share of the memory of every GPU that each request needs, for each combination of GPUs; empty where it needs none.
    memory: Vec<Vec<Lanes>>,
    /// Pieces of a task with each request.
    pieces: Vec<u32>,
    /// Run time of each on every type of GPU, seconds; empty where it does not decide the GPU.
    seconds: Vec<Vec<f64>>,
    /// GPUs that a piece with each request counts as.
    demands: Vec<GpuAmount>,
}

impl Workload {
    /// The workload of these requests on a cluster.
    #[must_use]
    pub fn new(cluster: &Cluster, requests: Vec<Request>) -> Self {
        let needs = requests.iter().map(|request| cluster.shapes.iter().map(|shape| lanes(request, shape)).collect());
        Self {
            needs: needs.collect(),
            memory: vec![Vec::new(); requests.len()],
            pieces: vec![1; requests.len()],
            seconds: vec![Vec::new(); requests.len()],
            demands: demands(&requests, &Mix::of_nodes(cluster, cluster.nodes.len())),
            requests,
        }
    }

    /// Adds a request for one piece, and returns its index.
    pub(super) fn add(&mut self, cluster: &Cluster, request: Request) -> usize {
        self.needs.push(cluster.shapes.iter().map(|shape| lanes(&request, shape)).collect());
        self.memory.push(Vec::new());
        self.pieces.push(1);
        self.seconds.push(Vec::new());
        self.demands.extend(demands(std::slice::from_ref(&request), &Mix::of_nodes(cluster, cluster.nodes.len())));
        self.requests.push(request);
        self.requests.len() - 1
    }

    /// The same with shares of the memory of a GPU, in units, for each request and each type of GPU; they are allocated beside
    /// the shares of the compute units.
    #[must_use]
    pub fn with_memory(mut self, cluster: &Cluster, shares: &[Vec<u16>]) -> Self {
        for (memory, shares) in
            self.memory.iter_mut().zip(shares).filter(|(_, shares)| shares.iter().any(|share| *share > 0))
        {
            let lanes = |shape: &Vec<u16>| {
                let mut lanes = [0; MOST_GPUS];
                for (lane, device) in lanes.iter_mut().zip(shape) {
                    *lane = shares.get(usize::from(*device)).copied().unwrap_or(0).min(WHOLE);
                }
                lanes
            };
            *memory = cluster.shapes.iter().map(lanes).collect();
        }
        self
    }

    /// The same on a cluster to which nodes were added behind the first ones: requests count as on the first ones alone.
    #[must_use]
    pub(super) fn with_first_nodes(mut self, cluster: &Cluster, nodes: usize) -> Self {
        self.demands = demands(&self.requests, &Mix::of_nodes(cluster, nodes));
        self
    }

    /// The same with tasks of several pieces that start together or not at all.
    #[must_use]
    pub fn with_pieces(mut self, pieces: Vec<u32>) -> Self {
        self.pieces = pieces;
        self
    }

    /// The same with run times on every type of GPU, seconds; empty where they do not decide the GPU.
    #[must_use]
    pub fn with_seconds(mut self, seconds: Vec<Vec<f64>>) -> Self {
        self.seconds = seconds;
        self
    }

    /// Pieces of a task with a request.
    #[must_use]
    pub fn pieces(&self, request: usize) -> u32 {
        self.pieces[request]
    }

    /// Run time of a request on a type of GPU, seconds; 0 where it does not decide the GPU.
    #[must_use]
    pub fn seconds(&self, request: usize, gpu_type: u16) -> f64 {
        self.seconds[request].get(usize::from(gpu_type)).copied().unwrap_or(0.0)
    }

    /// GPUs that all pieces of a task request: what they take on average over the types on which it can run. Many tasks that
    /// request all GPUs of a cluster fill it, if they fit.
    #[must_use]
    pub fn demand(&self, request: usize) -> GpuAmount {
        self.demands[request] * u64::from(self.pieces[request])
    }

    /// Distinct requests.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Share of every GPU of a node that a request needs.
    #[must_use]
    pub fn needs(&self, request: usize, node: &Node) -> &Lanes {
        &self.needs[request][usize::from(node.shape)]
    }

    /// Share of the memory of every GPU of a node that a request needs; `None` if it needs none.
    #[must_use]
    pub fn memory(&self, request: usize, node: &Node) -> Option<&Lanes> {
        self.memory[request].get(usize::from(node.shape))
    }

    /// Share of every GPU of a node that a request needs; [`NEVER`] where too little of the memory is left.
    #[must_use]
    pub(super) fn needs_left(&self, request: usize, node: &Node) -> Lanes {
        let mut needs = *self.needs(request, node);
        if let Some(memory) = self.memory(request, node) {
            for lane in 0..MOST_GPUS {
                if node.memory_left[lane] < memory[lane] {
                    needs[lane] = NEVER;
                }
            }
        }
        needs
    }

    /// Share of every GPU of a combination that a request needs.
    pub(super) fn needs_of_shape(&self, request: usize, shape: usize) -> Lanes {
        self.needs[request][shape]
    }

    /// Whether a node has enough capacity left for a request.
    #[must_use]
    pub fn fits(&self, request: usize, node: &Node) -> bool {
        let Request { cpu_milli, memory_mib, gpus, .. } = self.requests[request];
        node.cpu_milli >= cpu_milli
            && node.memory_mib >= memory_mib
            && (gpus == 0 || enough(&node.left, &self.needs_left(request, node)) >= u16::from(gpus))
    }
}

/// Share of every GPU of a combination that a request needs; [`NEVER`] where it cannot run.
fn lanes(request: &Request, shape: &[u16]) -> Lanes {
    let mut lanes = [NEVER; MOST_GPUS];
    for (lane, device) in lanes.iter_mut().zip(shape) {
        *lane = request.shares.get(usize::from(*device)).copied().flatten().unwrap_or(NEVER);
    }
    lanes
}

/// GPUs that a piece with each request counts as.
fn demands(requests: &[Request], mix: &Mix) -> Vec<GpuAmount> {
    let of_request = |request: &Request| {
        let share = mix.share(request.shares.iter().map(|share| share.map(f64::from)));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "16 GPUs of 0 … 42,000 at most")]
        let units = (share * f64::from(request.gpus)).round() as u64;
        // A request for GPUs is never nothing: arrivals would not end.
        let least = u64::from(request.gpus > 0 && share > 0.0);
        GpuAmount::from_units(units.max(least))
    };
    requests.iter().map(of_request).collect()
}

/// Number of GPUs with enough capacity left.
pub(super) fn enough(left: &Lanes, needs: &Lanes) -> u16 {
    // Without branches and in one width, so that all lanes are compared at once.
    let mut count = 0;
    for lane in 0..MOST_GPUS {
        count += u16::from(left[lane] >= needs[lane]);
    }
    count
}

/// Whether a request is for a share of one GPU.
pub(super) fn is_shared(request: &Request, needs: &Lanes) -> bool {
    request.gpus == 1 && needs.iter().any(|need| *need < WHOLE)
}

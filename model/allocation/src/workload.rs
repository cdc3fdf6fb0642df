//! What tasks ask for. Many ask for the same, so what they ask for stands once.

use super::cluster::{Cluster, Lanes, MOST_GPUS, Node, WHOLE};

/// More of a GPU than there is: a task cannot run on this one.
pub(super) const NEVER: u16 = u16::MAX;

/// What a task asks for: a part of one GPU, or several whole ones of one node, with cores and memory beside them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// CPU cores, in thousandths.
    pub cpu_milli: u32,
    /// Memory, MiB.
    pub memory_mib: u32,
    /// GPUs, all on one node; 0 for a task that needs none.
    pub gpus: u8,
    /// Of each of these GPUs, in thousandths, for each type of GPU; `None` where it cannot run.
    pub shares: Vec<Option<u16>>,
}

impl Request {
    /// The same part of every type of GPU.
    #[must_use]
    pub fn of_any(cpu_milli: u32, memory_mib: u32, gpus: u8, share: u16, types: usize) -> Self {
        Self { cpu_milli, memory_mib, gpus, shares: vec![Some(share); types] }
    }

    /// What it takes of GPUs, in thousandths: the least over the types on which it can run.
    #[must_use]
    pub fn demand(&self) -> u32 {
        let least = self.shares.iter().flatten().min().copied().unwrap_or(0);
        u32::from(self.gpus) * u32::from(least)
    }
}

/// What is asked for on the nodes of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// What may be asked for.
    requests: Vec<Request>,
    /// What each takes of every GPU, for each combination of GPUs; [`NEVER`] where it cannot run.
    needs: Vec<Vec<Lanes>>,
    /// How many times each is asked for at once.
    pieces: Vec<u32>,
    /// How long each takes on every type of GPU, seconds; empty where that does not decide on which GPU it runs.
    seconds: Vec<Vec<f64>>,
}

impl Workload {
    /// What may be asked for of this cluster.
    #[must_use]
    pub fn new(cluster: &Cluster, requests: Vec<Request>) -> Self {
        let lanes = |request: &Request, shape: &Vec<u16>| {
            let mut lanes = [NEVER; MOST_GPUS];
            for (lane, device) in lanes.iter_mut().zip(shape) {
                *lane = request.shares.get(usize::from(*device)).copied().flatten().unwrap_or(NEVER);
            }
            lanes
        };
        let needs = requests.iter().map(|request| cluster.shapes.iter().map(|shape| lanes(request, shape)).collect());
        Self {
            needs: needs.collect(),
            pieces: vec![1; requests.len()],
            seconds: vec![Vec::new(); requests.len()],
            requests,
        }
    }

    /// The same where tasks ask for several pieces at once: all of them, or nothing.
    #[must_use]
    pub fn with_pieces(mut self, pieces: Vec<u32>) -> Self {
        self.pieces = pieces;
        self
    }

    /// The same where it is known how long each takes on every type of GPU, seconds; empty where that does not decide.
    #[must_use]
    pub fn with_seconds(mut self, seconds: Vec<Vec<f64>>) -> Self {
        self.seconds = seconds;
        self
    }

    /// How many times a request is asked for at once.
    #[must_use]
    pub fn pieces(&self, request: usize) -> u32 {
        self.pieces[request]
    }

    /// How long a request takes on a type of GPU, seconds; 0 where that does not decide.
    #[must_use]
    pub fn seconds(&self, request: usize, gpu_type: u16) -> f64 {
        self.seconds[request].get(usize::from(gpu_type)).copied().unwrap_or(0.0)
    }

    /// What a task takes of GPUs, all its pieces together, in thousandths.
    #[must_use]
    pub fn demand(&self, request: usize) -> u64 {
        u64::from(self.pieces[request]) * u64::from(self.requests[request].demand())
    }

    /// What may be asked for.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// What a request takes of every GPU of a node.
    #[must_use]
    pub fn needs(&self, request: usize, node: &Node) -> &Lanes {
        &self.needs[request][usize::from(node.shape)]
    }

    /// What a request takes of every GPU of a combination.
    pub(super) fn needs_of_shape(&self, request: usize, shape: usize) -> Lanes {
        self.needs[request][shape]
    }

    /// Whether a node has enough left for a request.
    #[must_use]
    pub fn fits(&self, request: usize, node: &Node) -> bool {
        let Request { cpu_milli, memory_mib, gpus, .. } = self.requests[request];
        node.cpu_milli >= cpu_milli
            && node.memory_mib >= memory_mib
            && (gpus == 0 || enough(&node.left, self.needs(request, node)) >= u16::from(gpus))
    }
}

/// GPUs that have enough left.
pub(super) fn enough(left: &Lanes, needs: &Lanes) -> u16 {
    // Without branches and in one width, so that all lanes are compared at once.
    let mut count = 0;
    for lane in 0..MOST_GPUS {
        count += u16::from(left[lane] >= needs[lane]);
    }
    count
}

/// Whether a request is for a part of one GPU.
pub(super) fn is_shared(request: &Request, needs: &Lanes) -> bool {
    request.gpus == 1 && needs.iter().any(|need| *need < WHOLE)
}

//! Waiting launches: for every kernel a queue of new ones and one of preempted ones.

/// No launch.
const NONE: u32 = u32::MAX;

/// Kind of queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueKind {
    /// Preempted launches, which come first.
    Preempted,
    /// Launches that have not run yet.
    New,
}

/// A launch at the head of its queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    /// Its kernel.
    pub(super) kernel: usize,
    /// Its queue.
    pub(super) sort: QueueKind,
    /// Its place in the stream.
    pub(super) launch: u32,
}

#[derive(Debug, Clone, Copy)]
struct Queue {
    head: u32,
    tail: u32,
}

/// All waiting launches.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Two queues of each kernel: preempted, new.
    queues: Vec<[Queue; 2]>,
    /// The launch behind each.
    next: Vec<u32>,
    count: usize,
}

impl Waiting {
    pub(super) fn new(kernels: usize, launches: usize) -> Self {
        Self { queues: vec![[Queue { head: NONE, tail: NONE }; 2]; kernels], next: vec![NONE; launches], count: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Lets a launch wait behind the others of its queue.
    pub(super) fn push(&mut self, kernel: u32, sort: QueueKind, launch: u32) {
        let queue = &mut self.queues[kernel as usize][sort as usize];
        self.next[launch as usize] = NONE;
        if queue.head == NONE {
            queue.head = launch;
        } else {
            self.next[queue.tail as usize] = launch;
        }
        queue.tail = launch;
        self.count += 1;
    }

    /// The launch of a kernel that is next, preempted ones before new ones.
    pub(super) fn first(&self, kernel: usize) -> Option<Head> {
        let [preempted, new] = &self.queues[kernel];
        match (preempted.head, new.head) {
            (NONE, NONE) => None,
            (NONE, launch) => Some(Head { kernel, sort: QueueKind::New, launch }),
            (launch, _) => Some(Head { kernel, sort: QueueKind::Preempted, launch }),
        }
    }

    /// The launch that arrived first.
    pub(super) fn oldest(&self) -> Option<Head> {
        let mut oldest: Option<Head> = None;
        for (kernel, queues) in self.queues.iter().enumerate() {
            for (queue, sort) in queues.iter().zip([QueueKind::Preempted, QueueKind::New]) {
                if queue.head != NONE && oldest.is_none_or(|other| queue.head < other.launch) {
                    oldest = Some(Head { kernel, sort, launch: queue.head });
                }
            }
        }
        oldest
    }

    /// Takes the first of a queue out.
    pub(super) fn pop(&mut self, kernel: usize, sort: QueueKind) {
        let queue = &mut self.queues[kernel][sort as usize];
        if queue.head != NONE {
            queue.head = self.next[queue.head as usize];
            self.count -= 1;
        }
    }
}

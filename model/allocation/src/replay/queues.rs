//! Tasks wait in queues, and are placed when nodes have capacity again.

use super::log::Queued;
use super::state::{ReplayState, Task};

impl ReplayState<'_> {
    /// Puts a task into its queue, in the order of arrival.
    pub(super) fn enqueue(&mut self, task: Task) {
        let queue = &mut self.queues[task.kind()][task.arrival.request];
        let at = queue.partition_point(|other| other.number < task.number);
        queue.insert(at, task);
        self.waiting[task.kind()] += 1;
        self.longest_queue = self.longest_queue.max(self.waiting.iter().sum());
        self.log_queues();
    }

    fn log_queues(&mut self) {
        if self.replay.most_logged == 0 {
            return;
        }
        let queued = Queued { at: self.now, waiting: self.waiting };
        if let Some(last) = self.log.queues.last_mut().filter(|last| last.at == queued.at) {
            *last = queued;
        } else if self.log.queues.len() < self.replay.most_logged {
            self.log.queues.push(queued);
        } else {
            self.log.is_truncated = true;
        }
    }

    /// Places waiting tasks that fit these nodes now, with preemptions if needed. Nothing else has changed, so they run there or
    /// wait; but a task of several pieces may lack other nodes.
    pub(super) fn serve(&mut self, mut nodes: Vec<usize>) {
        nodes.reverse();
        while let Some(node) = nodes.pop() {
            self.serve_one(node, &mut nodes);
        }
    }

    /// The same for one node; `others`: nodes on which tasks were preempted.
    fn serve_one(&mut self, node: usize, others: &mut Vec<usize>) {
        for kind in 0..2 {
            let mut lacking = Vec::new();
            while self.waiting[kind] > 0 {
                let Some((request, slots)) = self.next_waiting(kind, node, &lacking) else { break };
                let Some(task) = self.queues[kind][request].pop_front() else { break };
                self.waiting[kind] -= 1;
                if !slots.is_empty() {
                    others.extend(self.preempt(task, &slots).into_iter().filter(|other| *other != node));
                } else if let Some(task) = self.try_to_run(task) {
                    lacking.push(request);
                    self.enqueue(task);
                }
                self.log_queues();
            }
        }
    }

    /// Request of the first waiting task that can run on a node now, and the slots of the tasks to preempt for it.
    fn next_waiting(&self, kind: usize, node: usize, lacking: &[usize]) -> Option<(usize, Vec<usize>)> {
        let queues = self.queues[kind].iter().enumerate();
        let mut heads: Vec<(u64, usize)> = queues
            .filter_map(|(request, queue)| Some((queue.front()?.number, request)))
            .filter(|(_, request)| !lacking.contains(request))
            .collect();
        heads.sort_unstable();
        let left = &self.placing.cluster().nodes[node];
        let fits = |request: usize| self.replay.workload.fits(request, left);
        if let Some((_, request)) = heads.iter().find(|(_, request)| fits(*request)) {
            return Some((*request, Vec::new()));
        }
        heads.into_iter().find_map(|(_, request)| Some((request, self.to_preempt(kind, request, node)?)))
    }
}

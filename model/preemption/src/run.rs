//! Result of a stream under one policy.

/// Result of a stream under one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// End of each launch, cycles, in the order of the stream.
    pub done: Vec<f64>,
    /// Preemptions.
    pub preemptions: u32,
    /// Cycles in which contexts were saved or loaded.
    pub context_switch_cycles: f64,
    /// Wasted work, cycles alone.
    pub wasted_work: f64,
    /// Cycles in which a kernel ran.
    pub busy: f64,
    /// Cycles in which a kernel ran or its context was saved or loaded.
    pub occupied: f64,
    /// Work done, including wasted work, cycles alone.
    pub worked: f64,
    /// Events: arrivals, ends, and ends of switches.
    pub events: u64,
    /// Work done until the last arrival without wasted work, cycles alone; and occupied cycles until then.
    pub until_last: [f64; 2],
}

impl Run {
    pub(super) fn of(launches: usize) -> Self {
        Self {
            done: vec![f64::NAN; launches],
            preemptions: 0,
            context_switch_cycles: 0.0,
            wasted_work: 0.0,
            busy: 0.0,
            occupied: 0.0,
            worked: 0.0,
            events: 0,
            until_last: [0.0; 2],
        }
    }

    /// The last launch has arrived.
    pub(super) fn last_arrival(&mut self) {
        self.until_last = [self.worked - self.wasted_work, self.occupied];
    }
}

//! What a run of a stream came to.

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// When each launch was done, cycles, in the order of the stream.
    pub done: Vec<f64>,
    /// How often a kernel left before it was done.
    pub preemptions: u32,
    /// Cycles in which the GPU switched.
    pub switching: f64,
    /// Work that was done and thrown away, cycles alone.
    pub lost: f64,
    /// Cycles in which a kernel ran.
    pub busy: f64,
    /// Cycles in which a kernel ran or was saved or loaded.
    pub occupied: f64,
    /// Work that was done, cycles alone, thrown away or not.
    pub worked: f64,
    /// Events: arrivals, ends, and ends of switches.
    pub events: u64,
    /// Work done until the last launch came, cycles alone, that was not thrown away; and cycles in which there was any.
    pub until_last: [f64; 2],
}

impl Run {
    pub(super) fn of(launches: usize) -> Self {
        Self {
            done: vec![f64::NAN; launches],
            preemptions: 0,
            switching: 0.0,
            lost: 0.0,
            busy: 0.0,
            occupied: 0.0,
            worked: 0.0,
            events: 0,
            until_last: [0.0; 2],
        }
    }

    /// The last launch has come.
    pub(super) fn last_comes(&mut self) {
        self.until_last = [self.worked - self.lost, self.occupied];
    }
}

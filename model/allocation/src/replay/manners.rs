//! What tasks do to each other on a GPU that they share, and what is done about it.

/// What tasks do to each other, and what is done about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manners {
    /// Whether latency-sensitive tasks take what others hold.
    pub does_release: bool,
    /// What saving and restoring a stopped task costs it, seconds.
    pub save_seconds: f64,
    /// Time between two looks at a sensitive task that is late, seconds; 0: nobody looks.
    pub monitor_seconds: f64,
    /// What it gets at each look, in thousandths of a GPU.
    pub step: u16,
    /// How much longer a task takes beside others that use a whole GPU, where that was not measured.
    pub interference: f64,
    /// How much longer a task takes beside another one, for each pair of requests, row by row; empty if nothing was measured.
    pub measured: Vec<Option<f64>>,
    /// What holds for each request.
    pub requests: Vec<OfRequest>,
}

/// What holds for tasks that ask for the same.
#[derive(Debug, Clone, PartialEq)]
pub struct OfRequest {
    /// How fast one runs on each type of GPU, times the speed for which its time is given.
    pub speeds: Vec<f64>,
    /// What it needs of what it asks for: 1, or less where its owner declares more.
    pub needs: f64,
    /// Of what it asks for, the part on which it still runs.
    pub least: f64,
    /// It is late if it ends later than so many times its time after it came.
    pub limit: f64,
}

impl Manners {
    /// Tasks that do nothing to each other, and of which nobody makes room for another.
    #[must_use]
    pub fn none(requests: usize, types: usize) -> Self {
        let of_request = OfRequest { speeds: vec![1.0; types], needs: 1.0, least: 1.0, limit: f64::INFINITY };
        Self {
            does_release: false,
            save_seconds: 0.0,
            monitor_seconds: 0.0,
            step: 100,
            interference: 0.0,
            measured: Vec::new(),
            requests: vec![of_request; requests],
        }
    }

    /// Whether tasks on one GPU hold each other up.
    pub(super) fn do_interfere(&self) -> bool {
        self.interference > 0.0 || !self.measured.is_empty()
    }

    /// How much longer a task takes beside one other, which uses so much of the GPU.
    pub(super) fn delay(&self, request: usize, other: usize, other_uses: f64) -> f64 {
        let measured = self.measured.get(request * self.requests.len() + other).copied().flatten();
        measured.unwrap_or(self.interference * other_uses)
    }
}

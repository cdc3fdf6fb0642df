//! The sharing policy: interference between tasks on a GPU, preemption, and monitoring.

use super::super::amount::THOUSANDTH;

/// The sharing policy: interference between tasks on a GPU, preemption, and monitoring.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingPolicy {
    /// Whether latency-sensitive tasks preempt others.
    pub preempts: bool,
    /// Time to checkpoint and restore a preempted task, seconds.
    pub checkpoint_seconds: f64,
    /// Polling interval of latency-sensitive tasks, seconds; 0: no monitoring.
    pub polling_seconds: f64,
    /// Share that a task gets at each sample that shows it behind, in units of which [`WHOLE`](crate::WHOLE) are a GPU.
    pub step: u16,
    /// Extra time of a task beside another one that uses a whole GPU, for pairs that were not measured.
    pub interference: f64,
    /// Measured extra time of a task beside another one, for each pair of requests, row by row; empty without measurements.
    pub measured: Vec<Option<f64>>,
    /// Properties of tasks of each request.
    pub requests: Vec<RequestProperties>,
}

/// Properties of tasks with one request.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestProperties {
    /// Speed on each type of GPU ÷ the speed for which the run time is given.
    pub speeds: Vec<f64>,
    /// Needed ÷ requested share: 1, or less where the owner declares more.
    pub needs: f64,
    /// Minimum part of its share on which a task still runs.
    pub min_share: f64,
    /// SLO factor: time from arrival to end ÷ time alone.
    pub slo_factor: f64,
}

impl SharingPolicy {
    /// No interference, no preemption and no monitoring.
    #[must_use]
    pub fn none(requests: usize, types: usize) -> Self {
        let of_request =
            RequestProperties { speeds: vec![1.0; types], needs: 1.0, min_share: 1.0, slo_factor: f64::INFINITY };
        Self {
            preempts: false,
            checkpoint_seconds: 0.0,
            polling_seconds: 0.0,
            step: 100 * THOUSANDTH,
            interference: 0.0,
            measured: Vec::new(),
            requests: vec![of_request; requests],
        }
    }

    /// Whether tasks on one GPU slow each other down.
    pub(super) fn do_interfere(&self) -> bool {
        self.interference > 0.0 || !self.measured.is_empty()
    }

    /// Extra time of a task beside another one, which uses so much of the GPU.
    pub(super) fn delay(&self, request: usize, other: usize, other_uses: f64) -> f64 {
        let measured = self.measured.get(request * self.requests.len() + other).copied().flatten();
        measured.unwrap_or(self.interference * other_uses)
    }
}

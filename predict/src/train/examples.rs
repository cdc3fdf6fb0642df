//! Runs scaled for a network: inputs, device and target.

/// Scaled runs of one set.
pub(super) struct Examples {
    /// Inputs of all runs, one after another.
    pub(super) inputs: Vec<f32>,
    /// Number of inputs of a run.
    pub(super) width: usize,
    /// Device of each run.
    pub(super) devices: Vec<usize>,
    /// Scaled target of each run.
    pub(super) values: Vec<f32>,
}

impl Examples {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn input(&self, run: usize) -> &[f32] {
        &self.inputs[run * self.width..(run + 1) * self.width]
    }
}

//! Runs scaled for a network: inputs, device and target.

/// Scaled runs of one part.
pub(super) struct Examples {
    /// Inputs of all runs, one after the other.
    pub(super) inputs: Vec<f32>,
    /// Inputs of one.
    pub(super) width: usize,
    /// Where each ran.
    pub(super) devices: Vec<usize>,
    /// What each took, scaled.
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

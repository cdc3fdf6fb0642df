//! Element sizes of the tensors of a layer.

/// Bits of the elements of several tensors.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits {
    sum: u64,
    elements: u64,
    /// Of the first tensor.
    first: Option<u32>,
}

impl Bits {
    /// Adds a tensor of so many elements.
    pub(super) fn add(&mut self, elements: Option<u64>, bits: u32) {
        self.first.get_or_insert(bits);
        let elements = elements.unwrap_or(0);
        self.elements = self.elements.saturating_add(elements);
        self.sum = self.sum.saturating_add(elements.saturating_mul(u64::from(bits)));
    }

    /// Bits of an element on average.
    pub(super) fn mean(self) -> u32 {
        let mean = self.sum.checked_div(self.elements).and_then(|mean| u32::try_from(mean).ok());
        mean.filter(|mean| (1..=128).contains(mean)).or(self.first).unwrap_or(32)
    }
}

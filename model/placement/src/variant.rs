//! A network with or without compression: what a study compares.

use super::study::Placement;

/// A network, with or without compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Index of the network in the study.
    pub network: usize,
    /// Whether the GPU side compresses.
    pub compression: bool,
}

impl Variant {
    /// Every network without and with compression, in the order of the study.
    pub fn all(study: &Placement) -> impl Iterator<Item = Self> + use<> {
        (0..study.networks.len()).flat_map(|network| [false, true].map(|compression| Self { network, compression }))
    }

    /// The variant that the policy chooses; the first network if its name is unknown.
    #[must_use]
    pub fn chosen(study: &Placement) -> Self {
        let network = study.networks.iter().position(|network| network.name == study.policy.network).unwrap_or(0);
        Self { network, compression: study.policy.compression }
    }

    /// "100 Gb InfiniBand, compressed".
    #[must_use]
    pub fn label(self, study: &Placement) -> String {
        let name = study.networks.get(self.network).map_or("", |network| network.name.as_str());
        if self.compression { format!("{name}, compressed") } else { name.to_owned() }
    }
}

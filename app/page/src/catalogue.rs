//! The hardware catalogue that is shipped with the program.

use crossover_quantity::catalogue::{Catalogue, CatalogueError};

/// Reads the shipped catalogue.
///
/// # Errors
/// If an asset is damaged; a test reads every one.
pub fn shipped() -> Result<Catalogue, CatalogueError> {
    Catalogue::parse([
        include_str!("../../../assets/gpus.ron"),
        include_str!("../../../assets/networks.ron"),
        include_str!("../../../assets/nodes.ron"),
        include_str!("../../../assets/codecs.ron"),
        include_str!("../../../assets/instances.ron"),
    ])
}

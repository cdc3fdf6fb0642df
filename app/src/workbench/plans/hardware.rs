//! Whose hardware an imported query is placed on.

use crossover_model::placement::Placement;
use crossover_model::scenario::Kind;
use crossover_plan::scenario::Machines;

use crate::document::Document;
use crate::examples::{Example, hardware_for_queries};

/// Whose hardware an imported query is placed on.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hardware {
    /// That of an open placement study, by the document's id.
    Document(String),
    /// That of a new placement study.
    Template,
}

/// A hardware with its name, as the user chooses it.
pub(super) struct Offered {
    pub(super) hardware: Hardware,
    pub(super) name: String,
}

/// What can be chosen, the best guess first: the template, which takes the machines of the file, then the study on
/// screen and other open ones, whose machines stay.
pub(super) fn offered(documents: &[Document], on_screen: usize) -> Vec<Offered> {
    let of = |document: &Document| {
        document.scenario.placement()?;
        Some(Offered { hardware: Hardware::Document(document.id.clone()), name: format!("“{}”", document.title()) })
    };
    let first = documents.get(on_screen).and_then(of);
    let template = Offered {
        hardware: Hardware::Template,
        name: format!("a new study ({})", Example::template(Kind::Placement).label()),
    };
    let others = documents.iter().enumerate().filter(|(index, _)| *index != on_screen);
    let others = others.filter_map(|(_, document)| of(document));
    [template].into_iter().chain(first).chain(others).collect()
}

/// The study that has this hardware, and whether its machines stay: those of a template are only a proposal.
///
/// # Errors
/// What is wrong with the template.
pub(super) fn base(hardware: &Hardware, documents: &[Document]) -> Result<(Placement, Machines), String> {
    if let Hardware::Document(id) = hardware {
        let document = documents.iter().find(|document| document.id == *id);
        if let Some(study) = document.and_then(|document| document.scenario.placement()) {
            return Ok((study.clone(), Machines::OfBase));
        }
    }
    Ok((hardware_for_queries()?, Machines::OfFile))
}

//! The hardware for an imported query.

use crossover_page::document::Document;
use crossover_page::services::Services;
use crossover_placement::{Overlap, Placement};
use crossover_plan::scenario::Machines;

use super::super::examples::TEMPLATE;

/// The hardware for an imported query.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hardware {
    /// That of an open placement study, by the document's id.
    Document(String),
    /// That of a new placement study.
    Template,
}

/// A choice of hardware with its name.
pub(super) struct HardwareChoice {
    pub(super) hardware: Hardware,
    pub(super) name: String,
}

/// The choices, the most likely first: the template, which takes the machines of the file, then the study on screen and
/// other open ones, whose machines stay.
pub(super) fn offered(services: &Services<'_>) -> Vec<HardwareChoice> {
    let (documents, on_screen) = (services.documents(), services.place_on_screen());
    let of = |document: &Document| {
        document.scenario.placement()?;
        Some(HardwareChoice {
            hardware: Hardware::Document(document.id.clone()),
            name: format!("“{}”", document.title()),
        })
    };
    let first = documents.get(on_screen).and_then(of);
    let name = format!("a new study ({})", TEMPLATE.example.label);
    let template = HardwareChoice { hardware: Hardware::Template, name };
    let others = documents.iter().enumerate().filter(|(index, _)| *index != on_screen);
    let others = others.filter_map(|(_, document)| of(document));
    [template].into_iter().chain(first).chain(others).collect()
}

/// The study with this hardware, and whether its machines stay: those of a template are only a proposal.
///
/// # Errors
/// The template is invalid.
pub(super) fn base(hardware: &Hardware, services: &Services<'_>) -> Result<(Placement, Machines), String> {
    if let Hardware::Document(id) = hardware
        && let Some(study) = services.document(id).and_then(|document| document.scenario.placement())
    {
        return Ok((study.clone(), Machines::OfBase));
    }
    Ok((hardware_for_queries()?, Machines::OfFile))
}

/// The default hardware: that of a new study, with a threshold of 1 and without overlap, as a whole plan has.
///
/// # Errors
/// The template is invalid.
pub(crate) fn hardware_for_queries() -> Result<Placement, String> {
    let template = crossover_scenario::read(TEMPLATE.example.text);
    let template = template.map_err(|error| format!("The template of a new scenario: {error}"))?;
    let mut study = template.placement().cloned().ok_or("The template of a new scenario is no placement study")?;
    study.policy.threshold = 1.0;
    study.policy.overlap = Overlap::Nothing;
    Ok(study)
}

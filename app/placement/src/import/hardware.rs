//! The engines or the hardware that an imported query is planned for.

use crossover_page::document::Document;
use crossover_page::services::Services;
use crossover_placement::{Overlap, Placement};
use crossover_plan::scenario::Machines;
use crossover_plan::today::is_same_engine;

use super::super::examples::{MEASURED, TEMPLATE};

/// What an imported query is planned for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Hardware {
    /// The shipped engines that were measured against the engine of the query.
    Engines(Box<Placement>),
    /// That of an open placement study, by the document's id.
    Document(String),
    /// That of a new placement study, without engines: each operator alone by the speeds of the hardware.
    Model,
}

impl Hardware {
    /// Whether the shipped engines decide: others would give another answer about the application than that about its query.
    pub(super) fn is_shipped(&self) -> bool {
        matches!(self, Self::Engines(_))
    }
}

/// A choice of hardware with its name.
pub(super) struct HardwareChoice {
    pub(super) hardware: Hardware,
    pub(super) name: String,
}

/// The choices for a query of an engine, the most likely first: engines that were measured against it, the hardware model, both on
/// the machines of the file; then the study on screen and other open ones.
pub(super) fn offered(services: &Services<'_>, engine: &str) -> Vec<HardwareChoice> {
    let (documents, on_screen) = (services.documents(), services.place_on_screen());
    let of = |document: &Document| {
        document.scenario.placement()?;
        Some(HardwareChoice {
            hardware: Hardware::Document(document.id.clone()),
            name: format!("“{}”", document.label()),
        })
    };
    let engines = shipped_engines(engine).map(|(label, study)| HardwareChoice {
        hardware: Hardware::Engines(Box::new(study)),
        name: format!("measured engines ({label})"),
    });
    let name = format!("hardware model ({})", TEMPLATE.example.label);
    let model = HardwareChoice { hardware: Hardware::Model, name };
    let first = documents.get(on_screen).and_then(of);
    let others = documents.iter().enumerate().filter(|(index, _)| *index != on_screen);
    let others = others.filter_map(|(_, document)| of(document));
    engines.into_iter().chain([model]).chain(first).chain(others).collect()
}

/// The study with this hardware, and whose machines count for a query of an engine.
///
/// # Errors
/// The template is invalid.
pub(super) fn base(
    hardware: &Hardware,
    engine: &str,
    services: &Services<'_>,
) -> Result<(Placement, Machines), String> {
    match hardware {
        Hardware::Engines(study) => return Ok(((**study).clone(), Machines::OfFile)),
        Hardware::Document(id) => {
            if let Some(study) = services.document(id).and_then(|document| document.scenario.placement()) {
                return Ok((study.clone(), machines_for(study, engine)));
            }
        }
        Hardware::Model => {}
    }
    Ok((hardware_model()?, Machines::OfFile))
}

/// Whose machines count if a study is the base for a query of an engine: those of the file for the study's CPU engine, which
/// then ran the query; else those of the study.
pub(crate) fn machines_for(study: &Placement, engine: &str) -> Machines {
    let ran = study.engines.as_deref().is_some_and(|engines| is_same_engine(engine, &engines.cpu.name));
    if ran { Machines::OfFile } else { Machines::OfBase }
}

/// The default for a query of an engine: the engines that were measured against it, else the hardware model.
///
/// # Errors
/// The template is invalid.
pub(crate) fn hardware_for_queries(engine: &str) -> Result<Placement, String> {
    match shipped_engines(engine) {
        Some((_, study)) => Ok(study),
        None => hardware_model(),
    }
}

/// The shipped engines that were measured against an engine, with their label.
fn shipped_engines(engine: &str) -> Option<(&'static str, Placement)> {
    let study = |text: &str| crossover_scenario::read(text).ok()?.placement().cloned();
    let mut shipped = MEASURED.into_iter().filter_map(|(_, example)| Some((example.label, study(example.text)?)));
    shipped.find(|(_, study)| machines_for(study, engine) == Machines::OfFile)
}

/// The hardware of a new study, with a threshold of 1 and without overlap, as a whole plan has.
///
/// # Errors
/// The template is invalid.
pub(crate) fn hardware_model() -> Result<Placement, String> {
    let template = crossover_scenario::read(TEMPLATE.example.text);
    let template = template.map_err(|error| format!("The template of a new scenario: {error}"))?;
    let mut study = template.placement().cloned().ok_or("The template of a new scenario is not a placement study")?;
    study.policy.threshold = 1.0;
    study.policy.overlap = Overlap::Nothing;
    Ok(study)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_planned_for_engines_that_were_measured_beside_its_own() {
        let of = |engine: &str| hardware_for_queries(engine).expect("a study").engines.map(|engines| engines.gpu.name);
        assert_eq!(of("Spark 3.3.0-amzn-0").as_deref(), Some("RAPIDS 25.12 (L4)"));
        assert!(of("DuckDB v1.5.5").is_some_and(|name| name.contains("Sirius")));
        assert_eq!((of("PostgreSQL 16"), of("")), (None, None));
    }
}

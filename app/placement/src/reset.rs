//! Resets a field to its saved value. The scenario is written and read for it, so the query is left out.

use crossover_scenario::Scenario;

/// The scenario with one field as it was saved; see [`Scenario::with_field_of`].
pub(super) fn with_saved_field(scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
    if path.split('.').next() == Some("query") {
        scenario.with_field_of(saved, path)
    } else {
        without_query(scenario, saved, path)
    }
}

fn without_query(scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
    let (mut scenario, mut saved) = (scenario.clone(), saved.clone());
    let query = scenario.study.placement_mut().and_then(|study| study.query.take());
    if let Some(study) = saved.study.placement_mut() {
        study.query = None;
    }
    let mut reset = scenario.with_field_of(&saved, path)?;
    if let Some(study) = reset.study.placement_mut() {
        study.query = query;
    }
    Some(reset)
}

#[cfg(test)]
mod tests {
    use crossover_scenario::read;

    use super::super::examples;
    use super::*;

    #[test]
    fn a_number_goes_back_and_the_plan_is_neither_written_nor_read() {
        let saved = read(examples::QUERY.text).expect("a valid example");
        let mut edited = saved.clone();
        let study = edited.study.placement_mut().expect("a placement study");
        study.cluster.machines = 7.0;
        study.pin_node(1, Some(crossover_placement::Side::Cpu));
        let pinned = study.query.clone().expect("a query");
        let reset = with_saved_field(&edited, &saved, "cluster.machines").expect("the field exists");
        let study = reset.placement().expect("a placement study");
        assert_eq!(study.cluster.machines, saved.placement().expect("a placement study").cluster.machines);
        let query = study.query.as_deref().expect("a query");
        assert_eq!(*query, *pinned);
        assert!(query.plan.is_same(&pinned.plan));
        assert!(with_saved_field(&edited, &saved, "cluster.nothing").is_none());
    }
}

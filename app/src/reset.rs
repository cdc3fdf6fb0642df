//! A field as it was saved. To find a field a scenario is written and read, so what is large stays out of it.

use crossover_model::scenario::{Scenario, Study};
use crossover_model::shared::Shared;

/// The scenario with one field as it was saved; see [`Scenario::with_field_of`].
pub(crate) fn with_saved_field(scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
    match (&scenario.study, &saved.study) {
        (Study::Placement(_), Study::Placement(_)) if path.split('.').next() != Some("query") => {
            without_query(scenario, saved, path)
        }
        (Study::Regulation(study), Study::Regulation(other)) => {
            let series = |of: &crossover_model::regulation::Regulation| -> Vec<(String, Shared<[f64]>)> {
                of.clusters.iter().map(|cluster| (cluster.name.clone(), cluster.demand.series.clone())).collect()
            };
            let all = series(study);
            // Else the field may be one of a series, or a whole cluster.
            if all == series(other) {
                with_short_series(scenario, saved, path, &all)
            } else {
                scenario.with_field_of(saved, path)
            }
        }
        _ => scenario.with_field_of(saved, path),
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

/// Each series is replaced by its first value, because one without any would be refused.
fn with_short_series(
    scenario: &Scenario,
    saved: &Scenario,
    path: &str,
    series: &[(String, Shared<[f64]>)],
) -> Option<Scenario> {
    let short = |scenario: &Scenario| {
        let mut scenario = scenario.clone();
        for cluster in scenario.study.regulation_mut().iter_mut().flat_map(|study| &mut study.clusters) {
            if let Some(first) = cluster.demand.series.first() {
                cluster.demand.series = vec![*first].into();
            }
        }
        scenario
    };
    let mut reset = short(scenario).with_field_of(&short(saved), path)?;
    let clusters = reset.study.regulation_mut().map(|study| &mut study.clusters)?;
    for (cluster, (_, series)) in clusters.iter_mut().zip(series) {
        cluster.demand.series = series.clone();
    }
    Some(reset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Example;
    use crate::studies::{placement, regulation};

    fn read(example: Example) -> Scenario {
        crossover_model::scenario::read(example.text).expect("a valid example")
    }

    #[test]
    fn a_number_goes_back_and_the_plan_is_neither_written_nor_read() {
        let saved = read(placement::examples::QUERY);
        let mut edited = saved.clone();
        let study = edited.study.placement_mut().expect("a placement study");
        study.cluster.machines = 7.0;
        study.pin_node(1, Some(crossover_model::placement::Side::Cpu));
        let pinned = study.query.clone().expect("a query");
        let reset = with_saved_field(&edited, &saved, "cluster.machines").expect("the field exists");
        let study = reset.placement().expect("a placement study");
        assert_eq!(study.cluster.machines, saved.placement().expect("a placement study").cluster.machines);
        let query = study.query.as_deref().expect("a query");
        assert_eq!(*query, *pinned);
        assert!(query.plan.is_same(&pinned.plan));
        assert!(with_saved_field(&edited, &saved, "cluster.nothing").is_none());
    }

    #[test]
    fn a_number_goes_back_and_a_recorded_series_stays() {
        let mut saved = read(regulation::examples::PUBLISHED);
        let study = saved.study.regulation_mut().expect("a regulation study");
        study.clusters[0].demand.series = vec![1000.0, 2000.0, 3000.0].into();
        study.set_shape(0, crossover_model::regulation::Shape::Recorded);
        let mut edited = saved.clone();
        edited.study.regulation_mut().expect("a regulation study").clusters[0].pcie_tops = 1234.0;
        let path = format!("clusters.{}.pcie_tops", saved.regulation().expect("a study").clusters[0].name);
        let reset = with_saved_field(&edited, &saved, &path).expect("the field exists");
        assert_eq!(reset, saved);
        let series = |scenario: &Scenario| scenario.regulation().expect("a study").clusters[0].demand.series.clone();
        assert!(series(&reset).is_same(&series(&saved)));
    }

    #[test]
    fn a_value_of_a_series_goes_back_too() {
        let mut saved = read(regulation::examples::PUBLISHED);
        let study = saved.study.regulation_mut().expect("a regulation study");
        study.clusters[0].demand.series = vec![1000.0, 2000.0].into();
        let mut edited = saved.clone();
        let study = edited.study.regulation_mut().expect("a regulation study");
        study.clusters[0].demand.series = vec![1000.0, 5.0].into();
        let path = format!("clusters.{}.demand.series.1", study.clusters[0].name);
        assert_eq!(with_saved_field(&edited, &saved, &path), Some(saved));
    }
}

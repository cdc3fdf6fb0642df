//! Resets a field to its saved value. A scenario is written and read to find the field, so long series are left out.

use crossover_quantity::shared::Shared;
use crossover_regulation::Regulation;
use crossover_scenario::Scenario;

/// The scenario with one field as it was saved; see [`Scenario::with_field_of`].
pub(super) fn with_saved_field(scenario: &Scenario, saved: &Scenario, path: &str) -> Option<Scenario> {
    let series = |of: &Regulation| -> Vec<(String, Shared<[f64]>)> {
        of.clusters.iter().map(|cluster| (cluster.name.clone(), cluster.demand.series.clone())).collect()
    };
    let (all, of_saved) = (series(scenario.regulation()?), series(saved.regulation()?));
    // Else the field may be one of a series, or a whole cluster.
    if all == of_saved { with_short_series(scenario, saved, path, &all) } else { scenario.with_field_of(saved, path) }
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
    use crossover_scenario::read;

    use super::super::examples;
    use super::*;

    #[test]
    fn a_number_goes_back_and_a_recorded_series_stays() {
        let mut saved = read(examples::PUBLISHED.text).expect("a valid example");
        let study = saved.study.regulation_mut().expect("a regulation study");
        study.clusters[0].demand.series = vec![1000.0, 2000.0, 3000.0].into();
        study.set_shape(0, crossover_regulation::Shape::Recorded);
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
        let mut saved = read(examples::PUBLISHED.text).expect("a valid example");
        let study = saved.study.regulation_mut().expect("a regulation study");
        study.clusters[0].demand.series = vec![1000.0, 2000.0].into();
        let mut edited = saved.clone();
        let study = edited.study.regulation_mut().expect("a regulation study");
        study.clusters[0].demand.series = vec![1000.0, 5.0].into();
        let path = format!("clusters.{}.demand.series.1", study.clusters[0].name);
        assert_eq!(with_saved_field(&edited, &saved, &path), Some(saved));
    }
}

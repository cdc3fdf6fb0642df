//! The growth of a log's data at which another option wins.

use crossover_decision::Decision;
use crossover_decision::growth::{GrowthChange, TimeGrowth};
use crossover_fleet::Base;
use crossover_fleet::application::Application;
use crossover_placement::Placement;
use crossover_plan::Import;
use crossover_plan::options::growth::GrowingQuery;
use crossover_plan::today::measured_seconds;

/// Queries of an application whose growth is computed: the longest ones. The others grow as these do on the average.
const QUERIES: usize = 5;

/// The longest queries of a log, or one of them.
pub(crate) struct Growing {
    /// Place in the log, and the study of each.
    studies: Vec<(usize, Placement)>,
}

impl Growing {
    /// The longest queries of a log, or the one with the id `only`.
    pub(crate) fn new(base: &Base, import: &Import, only: Option<&str>) -> Self {
        let wanted = import.queries.iter().enumerate().filter(|(_, query)| only.is_none_or(|id| query.id == id));
        let timed = wanted.filter_map(|(place, query)| Some((place, query, measured_seconds(query)?)));
        let mut timed: Vec<_> = timed.collect();
        timed.sort_by(|(.., a), (.., b)| b.total_cmp(a));
        timed.truncate(QUERIES);
        let study = |(place, query, _)| Some((place, base.scenario_of(import, query).placement()?.clone()));
        Self { studies: timed.into_iter().filter_map(study).collect() }
    }

    /// The growth that changes a decision about the application, or about the query at the place `only`; `None` if none does, or if it
    /// is cancelled.
    pub(crate) fn change(
        &self,
        base: &Base,
        application: &Application,
        decision: &Decision,
        only: Option<usize>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Option<GrowthChange> {
        let queries = self.studies.iter().filter_map(|(place, study)| {
            let weights = Weights::new(application, *place, decision.options.len())?;
            Some((weights, GrowingQuery::new(study, base.alternatives())?))
        });
        let queries: Vec<(Weights, GrowingQuery<'_>)> = queries.collect();
        let times = |growth: f64| {
            if is_cancelled() {
                return None;
            }
            let each = queries.iter().map(|(weights, query)| Some((weights, query.at(growth)?)));
            let each: Vec<(&Weights, TimeGrowth)> = each.collect::<Option<_>>()?;
            let today = mean(each.iter().map(|(weights, times)| (weights.today, times.today)))?;
            let of_option = |option: usize| {
                mean(each.iter().map(|(weights, times)| (weights.options[option], times.options[option])))
                    .unwrap_or(1.0)
            };
            Some(TimeGrowth { today, options: (0..decision.options.len()).map(of_option).collect() })
        };
        let known_seconds = if only.is_some() { 0.0 } else { application.summary.staying_seconds };
        decision.growth_of_a_change(known_seconds, times)
    }
}

/// Seconds of a query in the time of its application, today and with each option; 0 without a time.
struct Weights {
    today: f64,
    options: Vec<f64>,
}

impl Weights {
    fn new(application: &Application, place: usize, options: usize) -> Option<Self> {
        let query = application.queries.get(place).filter(|query| query.has_prediction())?;
        let share = query.share_seconds / query.seconds?;
        let of_option =
            |option: usize| query.options.get(option).copied().flatten().map_or(0.0, |time| time.value * share);
        Some(Self { today: query.share_seconds, options: (0..options).map(of_option).collect() })
    }
}

/// Mean of numbers with weights; `None` if all weights are 0.
fn mean(numbers: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (sum, weights) = numbers.fold((0.0, 0.0), |(sum, all), (weight, number)| (sum + weight * number, all + weight));
    (weights > 0.0).then(|| sum / weights)
}

//! Runs per month, as often as an application ran in the logs that the user named.

use std::collections::{BTreeMap, BTreeSet};

use crossover_fleet::Frequency;
use crossover_plan::Import;
use crossover_quantity::unit::Unit;

/// Starts and ends of the runs of each application, milliseconds since 1970.
#[derive(Debug, Default)]
pub(super) struct RunsInLogs {
    by_application: BTreeMap<String, Vec<(u64, u64)>>,
}

impl RunsInLogs {
    /// Those of some logs. A log that is named twice counts once.
    pub(super) fn new(logs: &[Import]) -> Self {
        let mut seen = BTreeSet::new();
        let mut by_application: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
        for log in logs.iter().filter(|log| !log.application.is_empty()) {
            let Some(run) = log.run.start_ms.zip(log.run.end_ms) else { continue };
            if log.run.id.is_empty() || seen.insert((log.run.id.as_str(), log.run.attempt.as_str())) {
                by_application.entry(log.application.clone()).or_default().push(run);
            }
        }
        Self { by_application }
    }

    /// Runs of a month of an application, with a note without a full stop; `None` if its runs are no history, as for a fleet.
    pub(super) fn of(&self, application: &str) -> Option<(f64, String)> {
        let runs = self.by_application.get(application)?;
        let frequency = Frequency::new(None, runs.iter().copied());
        let Frequency::History(days) = frequency else { return None };
        let of_month = (runs.len() as f64 * frequency.runs()).round().max(1.0);
        let note = format!(
            "runs per month: {}, as often as “{application}” ran in these logs, which cover {} days; --runs-per-month states another \
             number",
            Unit::Count.format(of_month),
            Unit::Count.format(days.round())
        );
        Some((of_month, note))
    }
}

#[cfg(test)]
mod tests {
    use crossover_plan::Run;

    use super::*;

    const DAY: u64 = 86_400_000;

    fn log(application: &str, id: &str, day: u64) -> Import {
        let run = Run { id: id.to_owned(), start_ms: Some(day * DAY), end_ms: Some((day + 1) * DAY), ..Run::default() };
        Import { application: application.to_owned(), run, ..Import::default() }
    }

    /// Ten runs in ten days are as many as a month has days: 365.25 ÷ 12 = 30.4.
    #[test]
    fn an_application_runs_as_often_as_in_logs_that_cover_a_week() {
        let mut logs: Vec<Import> = (0..10).map(|day| log("nightly", &format!("app-{day}"), day)).collect();
        logs.push(log("nightly", "app-3", 3));
        logs.push(log("other", "app-20", 20));
        let runs = RunsInLogs::new(&logs);
        let (of_month, note) = runs.of("nightly").expect("a history");
        assert_eq!(of_month, 30.0);
        assert!(
            note.starts_with("runs per month: 30, as often as “nightly” ran in these logs, which cover 10 days"),
            "{note}"
        );
        // One day, and a name that no log has.
        assert_eq!((runs.of("other"), runs.of("")), (None, None));
    }
}

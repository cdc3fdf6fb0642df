//! The whole application of the query of a scenario: what could run it, as `crossover decide` compares it.

use std::sync::LazyLock;

use crossover_decision::Decision;
use crossover_decision::growth::GrowthChange;
use crossover_export::decision::{ApplicationAnswer, DecidedWorkload};
use crossover_fleet::Base;
use crossover_fleet::answer::answer;
use crossover_fleet::application::Application;
use crossover_page::catalogue::shipped as catalogue;
use crossover_placement::Placement;
use crossover_placement_page::decide_arguments;
use crossover_placement_page::import::{ApplicationWorkload, DecideApplication, QueriesAlone};
use crossover_plan::Import;
use crossover_plan::decide::{Workload, objective, workload_of_application};
use crossover_plan::remarks::{are_machines_known, assumed_machines, remarks};
use crossover_plan::skew;
use crossover_quantity::catalogue::Catalogue;
use crossover_scenario::Study;
use jiff::Zoned;

use crate::deciding::beside::BesideOptions;
use crate::deciding::differ::note_of_application;
use crate::deciding::differences::warn_of_clusters;
use crate::deciding::growth::Growing;
use crate::deciding::{of_application, reason};
use crate::shipped;

/// What is decided about the application of a query.
pub(crate) const DECIDE: DecideApplication = DecideApplication { workload, growth, queries, report };

/// The answer about the whole application of the query of a study, as the window shows it where the study opens; `None` if the study has
/// no application that is more than its query.
#[must_use]
pub fn answer_of_application(study: &Study) -> Option<ApplicationAnswer> {
    DECIDE.answer(study.placement()?)
}

/// The shipped engines, read once: the page decides at each edit.
static SHIPPED: LazyLock<Option<Base>> = LazyLock::new(|| shipped::base().ok());
static CATALOGUE: LazyLock<Option<Catalogue>> = LazyLock::new(|| catalogue().ok());

/// The base of a file with what the user entered about one of its queries; `None` if no shipped engine is its own.
fn base(import: &Import, study: &Placement) -> Option<Base> {
    SHIPPED.as_ref()?.of_engine(&import.engine)?.as_entered(study)
}

/// The application of a file with the prices that the user entered and with its warnings; and how its region differs from that of
/// the prices.
fn as_entered(own: &Base, import: &Import, study: &Placement) -> (Application, Option<String>) {
    let mut application = answer(own, import, false);
    let summary = &mut application.summary;
    let mut region_difference = None;
    if let Some(today) = summary.baseline.take() {
        let candidates = std::mem::take(&mut summary.candidates);
        let workload = workload_of_application(study, today, candidates, import.cluster.settings.region());
        summary.baseline = Some(workload.baseline);
        summary.candidates = workload.candidates;
        region_difference = workload.region_difference;
    }
    let today = Zoned::now().date();
    for candidate in &mut summary.candidates {
        candidate.warn_of_age(today);
    }
    warn_of_clusters(&mut summary.candidates, own.gpu_engine(), CATALOGUE.as_ref());
    (application, region_difference)
}

/// What could run the application of a file, with what the user entered in the study of one of its queries.
fn workload(import: &Import, study: &Placement) -> Option<ApplicationWorkload> {
    let (Application { summary, .. }, region_difference) = as_entered(&base(import, study)?, import, study);
    let why_not = summary.blocked_by.first().copied().map_or("it has no prediction", reason);
    let candidates = summary.candidates;
    let workload = summary.baseline.map(|baseline| Workload { baseline, candidates, tried: None, region_difference });
    Some(ApplicationWorkload {
        name: summary.name,
        queries: import.queries.len(),
        seconds: summary.seconds,
        unchanged_seconds: summary.staying_seconds,
        remarks: remarks(import, None),
        of_query: study.query.as_deref().map(|query| remarks(import, Some(&query.plan.query))),
        without_a_move: skew::next_step(import, None),
        workload: workload.ok_or_else(|| why_not.to_owned()),
    })
}

/// The growth of the data that changes a decision about the application; `None` if none does, or if it is cancelled.
fn growth(
    import: &Import,
    study: &Placement,
    decision: &Decision,
    is_cancelled: &dyn Fn() -> bool,
) -> Option<GrowthChange> {
    let own = base(import, study)?;
    let growing = Growing::new(&own, import, None);
    let application = answer(&own, import, false);
    growing.change(&own, &application, decision, None, is_cancelled)
}

/// The queries of the application, each decided alone, with what the user entered.
fn queries(import: &Import, study: &Placement) -> Option<QueriesAlone> {
    let (application, decided, _) = as_decided(&base(import, study)?, import, study);
    Some(QueriesAlone {
        note: note_of_application(&decided, &application),
        table: decided.queries_table(),
        more: decided.more_queries(),
    })
}

/// The application as [`as_entered`], with the decision about it.
fn as_decided(own: &Base, import: &Import, study: &Placement) -> (Application, DecidedWorkload, Option<String>) {
    let (application, region_difference) = as_entered(own, import, study);
    let decided = of_application(&application, import.file.clone(), objective(study), false);
    (application, decided, region_difference)
}

/// The decision about the application as `crossover decide` reports it, with what the user entered.
fn report(import: &Import, study: &Placement) -> Option<DecidedWorkload> {
    let own = base(import, study)?;
    let mut beside = BesideOptions::new(&own, import, None);
    let (application, mut decided, region_difference) = as_decided(&own, import, study);
    beside.assume(region_difference);
    beside.assume(assumed_machines(are_machines_known(study)));
    let note = note_of_application(&decided, &application);
    beside.add_to(&mut decided, note, &own, &application, None);
    decided.arguments = decide_arguments(study, false);
    Some(decided)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crossover_export::decision::markdown;
    use crossover_plan::{Control, spark};
    use crossover_quantity::shared::Shared;
    use crossover_scenario::read;

    use super::*;

    #[test]
    fn a_saved_scenario_has_the_answer_of_the_log() {
        let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plan/samples/spark/shop-eventlog.zstd");
        let import = spark::read(Path::new(log), &Control::default()).expect("a log");
        let own = shipped::base().expect("shipped engines");
        let mut scenario = own.of_engine(&import.engine).expect("Spark").scenario_of(&import, &import.queries[0]);
        let query = scenario.study.placement_mut().and_then(|study| study.query.as_deref_mut()).expect("a query");
        query.application = Some(Shared::from(import.to_application()));

        let saved = read(&scenario.to_ron()).expect("a scenario");
        let study = saved.placement().expect("a placement study");
        let kept = study.query.as_deref().and_then(|query| query.application.as_ref()).expect("an application");
        let again = Import::from(&**kept);
        let before = scenario.placement().expect("a placement study");
        let of_log = workload(&import, before).expect("a decision");
        assert!(of_log.is_more_than_a_query() && of_log.workload.is_ok());
        assert_eq!(workload(&again, study), Some(of_log));
        let [of_log, of_file] =
            [(&import, before), (&again, study)].map(|(import, study)| markdown(report(import, study).as_slice()));
        assert_eq!(of_file, of_log);
    }

    /// 19 s outside of queries cost more on machines with a higher price, so that a query alone moves to them first.
    #[test]
    fn queries_with_another_recommendation_are_noted_as_in_the_report() {
        let log = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plan/samples/spark/shop-eventlog.zstd");
        let import = spark::read(Path::new(log), &Control::default()).expect("a log");
        let own = shipped::base().expect("shipped engines");
        let query = import.queries.iter().find(|query| query.id == "6").expect("query 6");
        let scenario = own.of_engine(&import.engine).expect("Spark").scenario_of(&import, query);
        let at_price = |usd_per_hour: f64| {
            let mut study = scenario.placement().expect("a placement study").clone();
            study.engines.as_mut().expect("engines").cpu.usd_per_hour = Some(usd_per_hour);
            study.sources.remove("engines.cpu.usd_per_hour");
            let found = queries(&import, &study).and_then(|queries| queries.note);
            let reported = report(&import, &study).expect("a report").remarks.notes;
            let of_report: Vec<&String> =
                reported.iter().filter(|text| text.contains(" recommendation when ")).collect();
            assert_eq!(of_report, found.iter().collect::<Vec<&String>>(), "{usd_per_hour}");
            found
        };
        assert!([0.2, 0.4, 0.6, 0.8, 1.2, 2.5].into_iter().filter_map(at_price).count() > 0);
    }
}

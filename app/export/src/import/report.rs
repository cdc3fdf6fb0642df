//! An import as a report: a list of queries, or the plan of one.

use crossover_decision::words::{cost, time};
use crossover_decision::{Decision, Verdict};
use crossover_plan::{Cluster, Import};
use crossover_quantity::text::{Column, Table, TextReport, counted, shortened};
use crossover_quantity::unit::{Unit, chance};
use crossover_query::Balance;

use super::{Imported, Placed};
use crate::placement::plan;

/// Characters of a description in a list.
const DESCRIPTION: usize = 60;
/// Characters of the description of a query that is shown alone.
const LONG_DESCRIPTION: usize = 1000;
/// The command for the whole application.
const WHOLE: &str = "crossover decide LOG answers about the whole application.";

pub(super) fn text_report(imported: &Imported) -> TextReport {
    let mut text_report = TextReport::titled(file(&imported.import));
    text_report.paragraph(cluster(&imported.import.cluster));
    match imported.queries.as_slice() {
        [] => _ = text_report.paragraph("The file has no executed query."),
        [placed] => one(&mut text_report, placed),
        queries => {
            let plan = "To see the plan of one query, add --query ID.";
            let alone = has_application(imported).then(|| format!("Each query is decided alone; {WHOLE} {plan}"));
            text_report.table(list(queries)).footnote(Some(alone.unwrap_or_else(|| plan.to_owned())));
        }
    }
    if matches!(imported.queries.as_slice(), [_]) && has_application(imported) {
        text_report.paragraph(format!("The answer is about this query alone; {WHOLE}"));
    }
    if let Some(placed) = imported.queries.first() {
        text_report.paragraph(plan::planned_for(&placed.shown, placed.whole.variant));
    }
    let is_shown = |warning: &&String| matches!(imported.queries.as_slice(), [placed] if is_of_plan(warning, placed));
    text_report.warnings(imported.warnings.iter().filter(|warning| !is_shown(warning)));
    // The others are in the warnings.
    for name in imported.import.unread.names().filter(|name| name.seconds.is_some()) {
        text_report.paragraph(format!("Not used: {}.", name.counted()));
    }
    text_report
}

/// Whether the file is the log of an application, which `decide` answers about, and its queries have answers.
fn has_application(imported: &Imported) -> bool {
    !imported.import.run.id.is_empty() && imported.queries.iter().any(|placed| placed.decision().is_some())
}

/// Whether the plan of a query, which is shown, has this warning already: about time that belongs to no operator.
fn is_of_plan(warning: &str, placed: &Placed) -> bool {
    let clause = warning.strip_prefix(&format!("query {}: ", placed.query.id));
    clause.is_some_and(|clause| placed.whole.warnings.iter().any(|of_plan| of_plan.contains(clause)))
}

/// "a.log, Spark 3.5.1, application".
fn file(import: &Import) -> String {
    let parts = [&import.file, &import.engine, &import.application];
    parts.into_iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", ")
}

/// "4 machines, 16 cores each".
fn cluster(cluster: &Cluster) -> String {
    let number = |count: Option<u64>, one: &str, each: &str| count.map(|count| counted(count as f64, one) + each);
    let parts = [
        number(cluster.machines, "machine", ""),
        number(cluster.cores_per_machine, "core", " each"),
        number(cluster.gpus_per_machine, "GPU", " each"),
        cluster.machine_type.clone(),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn list(queries: &[Placed]) -> Table {
    let decisions: Vec<Option<Decision>> = queries.iter().map(Placed::decision).collect();
    if decisions.iter().any(Option::is_some) { decided_list(queries, &decisions) } else { placed_list(queries) }
}

/// The queries with their decisions in whole engines.
fn decided_list(queries: &[Placed], decisions: &[Option<Decision>]) -> Table {
    let columns = vec![
        Column::number("Query"),
        Column::text("Description"),
        Column::number("Duration"),
        Column::number("Stages"),
        Column::number("Operators"),
        Column::text("Verdict"),
        Column::text("Option"),
        Column::number("Median time with option"),
        Column::number("Median cost with option"),
        Column::number("Likely to meet goal"),
        Column::text("Failed"),
    ];
    let rows = queries.iter().zip(decisions).map(|(Placed { query, whole, .. }, decision)| {
        let best = decision.as_ref().and_then(Decision::best_option);
        vec![
            query.id.clone(),
            shortened(&query.description, DESCRIPTION),
            query.duration_seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default(),
            query.stages.to_string(),
            whole.operators.len().to_string(),
            decision.as_ref().map_or(Verdict::CannotJudge, |decision| decision.verdict).label().to_owned(),
            best.map(|best| best.candidate.title.clone()).unwrap_or_default(),
            best.and_then(|best| best.candidate.time.as_ref().map(time)).unwrap_or_default(),
            best.and_then(|best| best.usd.as_ref().map(cost)).unwrap_or_default(),
            best.and_then(|best| best.better.map(chance)).unwrap_or_default(),
            shortened(query.failure.as_deref().unwrap_or_default(), DESCRIPTION),
        ]
    });
    Table { columns, rows: rows.collect() }.without_empty_columns()
}

/// The queries as the hardware model places them.
fn placed_list(queries: &[Placed]) -> Table {
    let columns = vec![
        Column::number("Query"),
        Column::text("Description"),
        Column::number("Duration"),
        Column::number("Stages"),
        Column::number("Operators"),
        Column::number("All CPU"),
        Column::number("As placed"),
        Column::number("On GPU"),
        Column::number("Without operator"),
        Column::text("Failed"),
    ];
    let seconds = |seconds| Unit::Seconds.format(seconds);
    let rows = queries.iter().map(|placed| {
        let Placed { query, whole, .. } = placed;
        let judged = |time: String| whole.not_judged.is_none().then_some(time);
        vec![
            query.id.clone(),
            shortened(&query.description, DESCRIPTION),
            query.duration_seconds.map(seconds).unwrap_or_default(),
            query.stages.to_string(),
            whole.operators.len().to_string(),
            judged(seconds(whole.baselines.all_cpu)).unwrap_or_default(),
            judged(seconds(whole.seconds)).unwrap_or_else(|| Verdict::CannotJudge.label().to_owned()),
            whole.count(crossover_placement::Side::Gpu).to_string(),
            without_operator(placed),
            shortened(query.failure.as_deref().unwrap_or_default(), DESCRIPTION),
        ]
    });
    Table { columns, rows: rows.collect() }.without_empty_columns()
}

/// The share of the query's time that belongs to no operator, if it is worth a word.
fn without_operator(placed: &Placed) -> String {
    let balances = placed.in_study().map(|query| query.plan.balances.as_slice()).unwrap_or_default();
    let times = balances.iter().filter(|balance| balance.quantity.is_time() && balance.is_mentioned());
    let most = times.map(Balance::share).max_by(f64::total_cmp);
    most.map(|share| Unit::Share.format((share * 1000.0).round() / 1000.0)).unwrap_or_default()
}

/// "5,777 s in the file, all of it in operators".
fn totals(placed: &Placed) -> String {
    let balances = placed.in_study().map(|query| query.plan.balances.as_slice()).unwrap_or_default();
    let Some(time) = balances.iter().find(|balance| balance.quantity.is_time()) else { return String::new() };
    let of_operators = Unit::Seconds.format(time.accounted);
    format!("{of_operators} of {} in the file ({})", Unit::Seconds.format(time.total), time.quantity.label())
}

fn one(text_report: &mut TextReport, placed: &Placed) {
    let Placed { query, whole, .. } = placed;
    let shuffled = |ratio| format!("compressed to {} of its size", Unit::Share.format(ratio));
    text_report.facts([
        ("Query", query.id.clone()),
        ("Description", shortened(&query.description, LONG_DESCRIPTION)),
        ("Duration", query.duration_seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default()),
        ("Stages", if query.stages == 0 { String::new() } else { query.stages.to_string() }),
        ("Shuffled", query.compression_ratio.map(shuffled).unwrap_or_default()),
        ("In operators", totals(placed)),
        ("Failed", query.failure.clone().unwrap_or_default()),
    ]);
    if placed.study.engines.is_some() && query.failure.is_some() {
        text_report.paragraph("Cannot be judged: the query failed.");
    }
    if let Some(query) = placed.in_study() {
        text_report.append(plan::text_report(&placed.shown, query, whole, placed.decision().as_ref()));
    }
}

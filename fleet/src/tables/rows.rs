//! The tables: their columns, and the rows of an application.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::column::Sort::{Count, Flag, Number, Text, Time};
use super::column::{Cell, Column, Sort};
use crate::application::{Query, Range, Summary};
use crate::blocker::Blocker;
use crate::found::LeftOut;

/// A table of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// A row for each application.
    Applications,
    /// A row for each query.
    Queries,
    /// A row for each class of operators of a query.
    Operators,
    /// A row for each file that is not a log, or does not count.
    LeftOut,
}

const fn column(name: &'static str, sort: Sort, meaning: &'static str) -> Column {
    Column { name, sort, meaning }
}

const APPLICATIONS: [Column; 42] = [
    column("application_id", Text, "the application's id; the log's path where it has none"),
    column("attempt", Text, "which attempt of the application"),
    column("name", Text, "name of the application"),
    column("user", Text, "user who ran it"),
    column("queue", Text, "queue, pool or namespace in which it ran"),
    column("engine", Text, "the engine and its version"),
    column("log", Text, "path of the log"),
    column("start", Time, "when it began"),
    column("end", Time, "when it ended, or the latest time in the log while it runs"),
    column("ended", Flag, "whether its end is in the log"),
    column("machines", Count, "machines that ran its tasks"),
    column("cores_per_machine", Count, "cores of each machine"),
    column("seconds", Number, "from start to end, s"),
    column("sql_seconds", Number, "time in which a query ran, s"),
    column("startup_seconds", Number, "time before the first query, s"),
    column("gap_seconds", Number, "gaps after the first query, in which no query runs, s"),
    column(
        "other_job_seconds",
        Number,
        "part of startup_seconds and gap_seconds in which a job without a query ran, s",
    ),
    column("queries", Count, "queries in the log"),
    column("distinct_queries", Count, "distinct queries"),
    column("failed_queries", Count, "failed queries"),
    column("predicted_queries", Count, "queries with a prediction"),
    column("staying_seconds", Number, "time that a move does not change, s"),
    column(
        "option",
        Text,
        "engine and machines that the following columns describe: (1) the recommended option; if several cost about the \
         same, all are named and the columns describe the first; (2) without a recommendation, the option that is most \
         likely cheaper and not slower, of those that can be judged; (3) if none can be judged, of all options; (4) \
         without likelihoods, the GPU cluster of the base",
    ),
    column("option_seconds", Number, "predicted time if the option runs its queries, s"),
    column("option_seconds_low", Number, "lower end of its 90 % interval, s"),
    column("option_seconds_high", Number, "upper end of its 90 % interval, s"),
    column("faster", Number, "likelihood of being faster, 0 … 1"),
    column("cheaper", Number, "likelihood of being cheaper, 0 … 1"),
    column(
        "likelihood",
        Number,
        "likelihood of being cheaper and not slower, or of being faster if prices are missing, 0 … 1",
    ),
    column("saved_seconds", Number, "saved time; negative if slower, s"),
    column("today_usd", Number, "cost today, US dollars"),
    column("option_usd", Number, "cost with the option, the median, US dollars"),
    column("saved_usd", Number, "expected saving, the mean; negative if it costs more, US dollars"),
    column("verdict", Text, "move, try, stay or cannot be judged"),
    column("blocked_by", Text, "blockers, the most important first"),
    column("unsupported_operators", Text, "classes of operators without a GPU version"),
    column("start_part_seconds", Number, "start and step times of its queries on the GPU cluster, s"),
    column("work_part_seconds", Number, "work of operators on GPUs, s"),
    column("storage_part_seconds", Number, "reading on the GPU cluster, s"),
    column("network_part_seconds", Number, "exchanges on the GPU cluster, s"),
    column("unsupported_part_seconds", Number, "operators that stay on CPUs, s"),
    column("warnings", Text, "about the log"),
];

const QUERIES: [Column; 27] = [
    column("application_id", Text, "as in applications"),
    column("query_id", Text, "the engine's id of the query"),
    column("description", Text, "in words or in SQL, at most 500 characters"),
    column("repetition", Text, "key of all repetitions of a query, in all applications"),
    column("repetitions", Count, "how often the query ran in its application"),
    column("start", Time, "when it started"),
    column(
        "state",
        Text,
        "done, failed, running, or no end: Spark no longer writes the log, and it has no end of this query",
    ),
    column("seconds", Number, "from start to end, s"),
    column("share_seconds", Number, "the query's share of the application's time, s"),
    column("gpu_seconds", Number, "predicted time on the GPU cluster, s"),
    column("gpu_seconds_low", Number, "lower end of its 90 % interval, s"),
    column("gpu_seconds_high", Number, "upper end of its 90 % interval, s"),
    column("gpu_faster", Number, "likelihood of being faster on the GPU cluster, 0 … 1"),
    column("start_part_seconds", Number, "start and step times on the GPU cluster, s"),
    column("work_part_seconds", Number, "work of operators on GPUs, s"),
    column("storage_part_seconds", Number, "reading on the GPU cluster, s"),
    column("network_part_seconds", Number, "exchanges on the GPU cluster, s"),
    column("unsupported_part_seconds", Number, "operators that stay on CPUs, s"),
    column("today_usd", Number, "cost today, US dollars"),
    column("gpu_usd", Number, "cost on the GPU cluster, US dollars"),
    column("verdict", Text, "move, try, stay or cannot be judged"),
    column(
        "option",
        Text,
        "the recommended engine and machines; if several cost about the same, all are named and the following columns \
         describe the first; empty if the query should stay",
    ),
    column("option_seconds", Number, "predicted time in the option, s"),
    column("option_usd", Number, "cost with the option, the median, US dollars"),
    column("saved_usd", Number, "expected saving with the option, the mean, US dollars"),
    column("likelihood", Number, "likelihood of being cheaper and not slower with the option, 0 … 1"),
    column("blocked_by", Text, "blocker"),
];

const OPERATORS: [Column; 9] = [
    column("application_id", Text, "as in applications"),
    column("query_id", Text, "as in queries"),
    column("class", Text, "the engine's class of operators, or the kind if the engine has no classes"),
    column("kind", Text, "kind of the operators"),
    column("operators", Count, "number of operators"),
    column("core_seconds", Number, "their CPU time in the log, summed over all cores, s"),
    column("today_seconds", Number, "their share of the query's time today, s"),
    column("gpu_seconds", Number, "their share of its time on the GPU cluster, s"),
    column("unsupported", Text, "why they stay on CPUs, if they do"),
];

const LEFT_OUT: [Column; 2] =
    [column("path", Text, "path of the file or folder"), column("reason", Text, "why it is left out")];

impl Table {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Applications, Self::Queries, Self::Operators, Self::LeftOut];

    /// Name of its files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Applications => "applications",
            Self::Queries => "queries",
            Self::Operators => "operators",
            Self::LeftOut => "left_out",
        }
    }

    /// Its columns, from left to right.
    #[must_use]
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Applications => &APPLICATIONS,
            Self::Queries => &QUERIES,
            Self::Operators => &OPERATORS,
            Self::LeftOut => &LEFT_OUT,
        }
    }
}

fn labels(blockers: &[Blocker]) -> String {
    blockers.iter().map(|blocker| blocker.label()).collect::<Vec<_>>().join("; ")
}

/// The row of an application. `id` as [`id_of`] gives it, `log` the path of its log.
#[must_use]
pub fn application<'a>(id: &'a str, log: &'a str, summary: &'a Summary) -> Vec<Cell<'a>> {
    let Summary { option_time, parts, .. } = summary;
    let range = option_time.filter(Range::is_known);
    // Without a time on the GPU cluster it has no parts.
    let part = |seconds: f64| Cell::number(option_time.filter(|_| parts.total() > 0.0).map(|_| seconds));
    vec![
        Cell::text(id),
        Cell::text(&summary.attempt),
        Cell::text(&summary.name),
        Cell::text(&summary.user),
        Cell::text(&summary.queue),
        Cell::text(&summary.engine),
        Cell::text(log),
        Cell::time(summary.start_ms),
        Cell::time(summary.end_ms),
        Cell::Flag(summary.ended),
        Cell::count(summary.machines),
        Cell::count(summary.cores_per_machine),
        Cell::number(summary.seconds),
        Cell::number(summary.sql_seconds),
        Cell::number(summary.startup_seconds),
        Cell::number(summary.gap_seconds),
        Cell::number(summary.other_job_seconds),
        Cell::count(summary.queries),
        Cell::count(summary.distinct_queries),
        Cell::count(summary.failed_queries),
        Cell::count(summary.predicted_queries),
        Cell::number(summary.staying_seconds),
        Cell::text(&summary.option),
        Cell::number(option_time.map(|time| time.value)),
        Cell::number(range.map(|time| time.low)),
        Cell::number(range.map(|time| time.high)),
        Cell::number(summary.faster),
        Cell::number(summary.cheaper),
        Cell::number(summary.likelihood),
        Cell::number(summary.saved_seconds()),
        Cell::number(summary.today_usd),
        Cell::number(summary.option_usd),
        Cell::number(summary.saved_usd()),
        Cell::text(summary.verdict.label()),
        Cell::text(labels(summary.blockers())),
        Cell::text(summary.unsupported.join("; ")),
        part(parts.start),
        part(parts.work),
        part(parts.storage),
        part(parts.network),
        part(parts.unsupported),
        Cell::text(summary.warnings.join("; ")),
    ]
}

/// The application id in all tables: its id, or the path of its log if it has none.
#[must_use]
pub fn id_of<'a>(log: &'a str, summary: &'a Summary) -> &'a str {
    if summary.id.is_empty() { log } else { &summary.id }
}

/// How often each query ran in an application, by its repetition key.
#[must_use]
pub fn repetitions(queries: &[Query]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for query in queries {
        *counts.entry(query.repetition.as_str()).or_default() += 1;
    }
    counts
}

/// The row of a query, with its repetitions in its application.
#[must_use]
pub fn query<'a>(id: &'a str, query: &'a Query, repetitions: u64) -> Vec<Cell<'a>> {
    let predicted = query.predicted.as_ref();
    let recommended = query.recommended.as_ref();
    let range = predicted.map(|found| found.gpu).filter(Range::is_known);
    let part = |of: fn(&crate::application::Parts) -> f64| Cell::number(predicted.map(|found| of(&found.parts)));
    vec![
        Cell::text(id),
        Cell::text(&query.id),
        Cell::text(&query.description),
        Cell::text(&query.repetition),
        Cell::Count(repetitions),
        Cell::time(query.start_ms),
        Cell::text(query.state.label()),
        Cell::number(query.seconds),
        Cell::number(query.share_seconds),
        Cell::number(predicted.map(|found| found.gpu.value)),
        Cell::number(range.map(|gpu| gpu.low)),
        Cell::number(range.map(|gpu| gpu.high)),
        Cell::number(predicted.and_then(|found| found.likelihood)),
        part(|parts| parts.start),
        part(|parts| parts.work),
        part(|parts| parts.storage),
        part(|parts| parts.network),
        part(|parts| parts.unsupported),
        Cell::number(query.usd.map(|usd| usd[0])),
        Cell::number(query.usd.map(|usd| usd[1])),
        Cell::text(query.verdict.label()),
        Cell::text(recommended.map_or("", |best| &best.option)),
        Cell::number(recommended.map(|best| best.seconds)),
        Cell::number(recommended.and_then(|best| best.usd)),
        Cell::number(recommended.and_then(|best| best.expected_saving_usd)),
        Cell::number(recommended.map(|best| best.likelihood)),
        Cell::text(query.blocker().map_or("", Blocker::label)),
    ]
}

/// The rows of the operators of a query, by class.
pub fn operators<'a>(id: &'a str, query: &'a Query) -> impl Iterator<Item = Vec<Cell<'a>>> {
    query.classes.iter().map(move |class| {
        vec![
            Cell::text(id),
            Cell::text(&query.id),
            Cell::text(&class.class),
            Cell::text(&class.kind),
            Cell::Count(class.operators),
            Cell::number(class.core_seconds),
            Cell::number(class.today_seconds),
            Cell::number(class.gpu_seconds),
            Cell::text(class.unsupported.as_deref().unwrap_or_default()),
        ]
    })
}

/// The row of what is left out.
#[must_use]
pub fn left_out(entry: &LeftOut) -> Vec<Cell<'_>> {
    vec![Cell::Text(Cow::Borrowed(&entry.path)), Cell::text(&entry.reason)]
}

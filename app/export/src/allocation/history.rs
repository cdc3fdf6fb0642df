//! What scheduling policies would have done with a recorded history, beside what happened.

mod record;

use crossover_allocation::recorded::SLO_FACTOR;
use crossover_allocation::{History, HistoryFigures};
use crossover_quantity::balance::Balance;
use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::{Unit, significant};
use crossover_quantity::unread::Unread;

use crate::json;
use crate::report::{Block, Report, ReportFormat};

/// Name of the record among the policies.
const RECORDED: &str = "Recorded";
/// Name of the replay with a single queue.
const SINGLE_QUEUE: &str = "One queue (Slurm)";
/// Significant digits of a replayed figure.
const DIGITS: u32 = 3;
/// The question that a replayed history answers.
pub const QUESTION: &str = "What would each scheduling policy have done?";
/// What the replay leaves out.
pub const LEFT_OUT: [&str; 3] = [
    "The replay leaves out partitions, accounts, fair share, priorities, limits, reservations, suspended jobs, and nodes that failed or were drained.",
    "The cluster is idle at first, and jobs are known only from their arrival. Jobs that started before the record and are not in it are missing.",
    "The replay's backfilling reserves no GPUs for the first waiting job, so small jobs may overtake a large one for a long time. Slurm's backfilling does not delay the first waiting job.",
];

/// The formats of a replayed history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum HistoryFormat {
    /// For the terminal
    Table,
    /// Everything, for programs
    Json,
    /// One row for the record and each policy, for spreadsheets
    Csv,
    /// For documents
    Markdown,
    /// One file for a browser
    Html,
}

/// A replayed history with all that a report says.
#[derive(Debug, Clone, Copy)]
pub struct HistoryResults<'a> {
    /// Name of the file of jobs.
    pub name: &'a str,
    /// The record and its replays.
    pub history: &'a History,
    /// Whether latency-sensitive jobs preempt others.
    pub preempts: bool,
    /// Price of a GPU for an hour, US dollars.
    pub usd_per_gpu_hour: Option<f64>,
    /// What was left out of the files, and what was assumed.
    pub notes: &'a [String],
    /// What may change the counts of GPUs and was not used.
    pub unread: &'a Unread,
    /// What the files say in total, and how much of it nodes and jobs have.
    pub balances: &'a [Balance],
}

impl HistoryResults<'_> {
    /// As text.
    #[must_use]
    pub fn write(&self, format: HistoryFormat) -> String {
        match format {
            HistoryFormat::Table => self.text_report(true).terminal(),
            HistoryFormat::Markdown => self.text_report(true).markdown(),
            HistoryFormat::Json => json(&self.record()),
            HistoryFormat::Csv => self.csv(),
            HistoryFormat::Html => Report {
                title: self.name.to_owned(),
                question: QUESTION,
                blocks: vec![Block::Lead(self.answer()), Block::TextReport(self.text_report(false))],
            }
            .write(ReportFormat::Html),
        }
    }

    /// The record, the single queue and the policies, each with its name.
    #[must_use]
    pub fn rows(&self) -> Vec<(&'static str, &HistoryFigures)> {
        let History { recorded, single_queue, policies, .. } = self.history;
        let policies = policies.iter().map(|(policy, figures)| (policy.label(), figures));
        [(RECORDED, recorded), (SINGLE_QUEUE, single_queue)].into_iter().chain(policies).collect()
    }

    /// The report; without title and answer as a part of one that has them.
    fn text_report(&self, is_whole: bool) -> TextReport {
        let (mut text_report, answer) = if is_whole {
            (TextReport::titled(self.name), self.answer())
        } else {
            (TextReport::default(), String::new())
        };
        text_report
            .paragraph(self.setting())
            .facts([("Answer", answer), ("Not compared", self.not_compared()), ("Replay error", self.error())])
            .section("Jobs with GPUs", |section| section.table(self.table()).footnote(Some(self.footnote())))
            .warnings(self.warnings())
            .notes(self.notes.iter().cloned().chain(self.unread.sentences()))
            .notes(LEFT_OUT);
        text_report
    }

    /// "1,204 jobs with GPUs in 30 d on 64 GPUs".
    #[must_use]
    pub fn setting(&self) -> String {
        let History { tasks, gpus, seconds, .. } = *self.history;
        let jobs = if tasks == 1 { "job" } else { "jobs" };
        let count = Unit::Count.format(tasks as f64);
        format!("{count} {jobs} with GPUs in {} on {}", time(seconds), counted(gpus, "GPU"))
    }

    /// The policy with the least p95 wait, beside the single queue and the record.
    #[must_use]
    pub fn answer(&self) -> String {
        let waits = || self.history.policies.iter().map(|(policy, figures)| (figures.p95_wait, policy.label()));
        let Some((least, name)) = waits().min_by(|(a, _), (b, _)| a.total_cmp(b)) else { return String::new() };
        let most = waits().map(|(wait, _)| wait).fold(least, f64::max);
        let beside = format!(
            "With one queue, as Slurm has, the p95 wait is {} in the same replay; the recorded one is {}.",
            time(self.history.single_queue.p95_wait),
            time(self.history.recorded.p95_wait)
        );
        if waits().count() > 1 && time(least) == time(most) {
            return format!("The p95 wait is {} under every replayed policy. {beside}", time(least));
        }
        format!("{name} has the least p95 wait of the replayed policies, {}. {beside}", time(least))
    }

    /// Jobs that count in no figure, with the reason.
    #[must_use]
    pub fn not_compared(&self) -> String {
        let History { without_gpus, unknown, rejected, .. } = *self.history;
        let parts = [
            (without_gpus, "without GPUs (replayed, as they use cores and memory)"),
            (unknown, "without a known submission or run time (not replayed)"),
            (rejected, "too large for these nodes"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            parts.map(|(count, what)| format!("{} {what}", counted(count as f64, "job"))).collect();
        parts.join("; ")
    }

    /// How far the replay with a single queue is from the recorded waits.
    #[must_use]
    pub fn error(&self) -> String {
        let errors = &self.history.errors;
        format!(
            "Replayed with one queue, a wait is off by {} (median) and {} (mean). Predicting the median recorded wait ({}) for every \
             job is off by {} and {}.",
            time(errors.median),
            time(errors.mean),
            time(self.history.recorded.median_wait),
            time(errors.median_of_constant),
            time(errors.mean_of_constant)
        )
    }

    /// Why the waits or the nodes are not reliable.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let History { errors, recorded, .. } = self.history;
        let mut warnings = Vec::new();
        if errors.mean >= errors.mean_of_constant && errors.mean > 0.0 {
            warnings.push(
                "The replayed waits are no closer to the recorded ones than a constant: what the replay leaves out decides the waits \
                 of this cluster. Do not rely on the replayed waits."
                    .to_owned(),
            );
        }
        if recorded.idle_gpu_hours < 0.0 {
            warnings.push(
                "The recorded jobs used more GPU hours than these nodes have: nodes are missing in the file of nodes."
                    .to_owned(),
            );
        }
        warnings
    }

    /// What the figures of the table are.
    #[must_use]
    pub fn footnote(&self) -> String {
        let slo = format!(
            "The SLO of a latency-sensitive job (srun, salloc) is an assumption: {SLO_FACTOR} times its run time."
        );
        let preempts = if self.preempts {
            "Latency-sensitive jobs preempt others under all policies but vCUDA."
        } else {
            "No job preempts another."
        };
        let slo = if self.history.sensitive > 0 { format!(" {slo} {preempts}") } else { String::new() };
        format!(
            "GPU hours are those within the recorded time. Compare policies with one queue rather than with the record: both are replays.{slo}"
        )
    }

    /// A row for the record, the single queue and each policy.
    #[must_use]
    pub fn table(&self) -> Table {
        let hours = |value: f64| Unit::Count.format(significant(value, DIGITS));
        let dollars =
            |hours: f64| self.usd_per_gpu_hour.map(|usd| Unit::UsDollars.format(significant(usd * hours, DIGITS)));
        let rows = self.rows().into_iter().map(|(name, figures)| {
            let violations = figures.slo_violation_share.map(|share| Unit::Share.format(significant(share, DIGITS)));
            vec![
                name.to_owned(),
                time(figures.median_wait),
                time(figures.p95_wait),
                violations.unwrap_or_default(),
                hours(figures.used_gpu_hours),
                hours(figures.idle_gpu_hours),
                dollars(figures.used_gpu_hours).unwrap_or_default(),
                dollars(figures.idle_gpu_hours).unwrap_or_default(),
                time(figures.last_end),
                if self.preempts { Unit::Count.format(figures.preempted) } else { String::new() },
            ]
        });
        let columns = [
            "Median wait",
            "p95 wait",
            "SLO violations",
            "GPU hours used",
            "GPU hours idle",
            "Cost used",
            "Cost idle",
            "Last end",
            "Preempted",
        ];
        let columns = std::iter::once(Column::text("Policy")).chain(columns.map(Column::number)).collect();
        Table { columns, rows: rows.collect() }.without_empty_columns()
    }
}

/// A time in one unit with three significant digits: "45 s", "12.5 min", "3.4 h", "2.18 d".
#[must_use]
pub fn time(seconds: f64) -> String {
    let units = [(2.0 * 86_400.0, 86_400.0, "d"), (3_600.0, 3_600.0, "h"), (60.0, 60.0, "min")];
    let unit = units.into_iter().find(|(from, ..)| seconds >= *from);
    let (_, length, symbol) = unit.unwrap_or((0.0, 1.0, "s"));
    format!("{} {symbol}", Unit::Ratio.format(significant(seconds / length, DIGITS)))
}

#[cfg(test)]
mod tests {
    use crossover_allocation::{Policy, WaitErrors};

    use super::*;

    fn figures(p95_wait: f64) -> HistoryFigures {
        HistoryFigures {
            median_wait: 60.0,
            p95_wait,
            mean_wait: 100.0,
            slo_violation_share: None,
            used_gpu_hours: 1_234.5,
            idle_gpu_hours: 765.5,
            last_end: 90_000.0,
            preempted: 0.0,
        }
    }

    fn history() -> History {
        History {
            tasks: 20,
            sensitive: 0,
            without_gpus: 3,
            unknown: 0,
            rejected: 1,
            seconds: 90_000.0,
            gpus: 80.0,
            recorded: figures(7_200.0),
            single_queue: figures(5_400.0),
            policies: vec![(Policy::BestFit, figures(5_400.0)), (Policy::Fgd, figures(3_600.0))],
            errors: WaitErrors { median: 30.0, mean: 90.0, median_of_constant: 45.0, mean_of_constant: 200.0 },
        }
    }

    fn written(history: &History, format: HistoryFormat) -> String {
        let notes = ["2 jobs (a, b): cancelled before they started; left out".to_owned()];
        let unread = Unread::default();
        HistoryResults {
            name: "sacct.json",
            history,
            preempts: false,
            usd_per_gpu_hour: Some(2.0),
            notes: &notes,
            unread: &unread,
            balances: &[],
        }
        .write(format)
    }

    #[test]
    fn the_answer_names_the_policy_with_the_least_wait_beside_the_record() {
        let text = written(&history(), HistoryFormat::Table);
        let answer = "FGD has the least p95 wait of the replayed policies, 1 h. With one queue, as Slurm has, the p95 wait is \
                      1.5 h in the same replay; the recorded one is 2 h.";
        assert!(text.contains(answer), "{text}");
        // 2 dollars for each of 765.5 hours, with three digits.
        for part in ["1,230", "766", "1,530", "3 jobs without GPUs", "1 job too large", "a, b", "fair share"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("SLO") && !text.contains("Preempted") && !text.contains("Warning"), "{text}");
    }

    #[test]
    fn equal_policies_and_an_error_above_that_of_a_constant_are_said() {
        let mut history = history();
        history.policies[1].1.p95_wait = 5_400.0;
        history.errors.mean = 300.0;
        history.recorded.idle_gpu_hours = -1.0;
        let text = written(&history, HistoryFormat::Table);
        assert!(text.contains("The p95 wait is 1.5 h under every replayed policy."), "{text}");
        assert!(
            text.contains("Warning: The replayed waits are no closer to the recorded ones than a constant"),
            "{text}"
        );
        assert!(text.contains("Warning: The recorded jobs used more GPU hours than these nodes have"), "{text}");
    }

    #[test]
    fn every_format_has_every_row() {
        let formats = [
            HistoryFormat::Table,
            HistoryFormat::Json,
            HistoryFormat::Csv,
            HistoryFormat::Markdown,
            HistoryFormat::Html,
        ];
        for format in formats {
            let text = written(&history(), format).to_lowercase();
            for name in ["recorded", "queue", "bestfit", "fgd"] {
                assert!(text.contains(name), "{format:?} {name}: {text}");
            }
        }
    }

    #[test]
    fn times_have_three_digits_in_one_unit() {
        for (seconds, expected) in
            [(0.0, "0 s"), (45.678, "45.7 s"), (750.0, "12.5 min"), (12_240.0, "3.4 h"), (188_400.0, "2.18 d")]
        {
            assert_eq!(time(seconds), expected);
        }
    }
}

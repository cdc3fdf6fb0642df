//! A fleet as text: its applications, largest saving first, and their sum.

mod record;
mod sentences;

pub(crate) use self::sentences::engines;

use std::borrow::Cow;

use crossover_decision::Objective;
use crossover_export::json;
use crossover_fleet::application::{Range, Summary};
use crossover_fleet::ledger::LedgerEntry;
use crossover_fleet::overview::Chosen;
use crossover_fleet::tables::rows::id_of;
use crossover_fleet::{Base, Budget, Frequency, Overview, Portfolio};
use crossover_quantity::text::csv::{Records, cell};
use crossover_quantity::text::{Column, Table, shortened};
use crossover_quantity::unit::{Unit, chance};

use self::record::{
    ApplicationRecord, CostsRecord, EffortRecord, FleetRecord, PortfolioRecord, TopRecord, labels, months_and_runs,
};
use self::sentences::{MOST, period, sentence};
use crate::money;
use crate::report::in_words;
use crate::words::{self, goal_in_words, likelihood_title};

/// Applications in the table for the terminal; the files have all.
const SHOWN: usize = 20;
/// Longest name in such a table, characters.
const LONGEST_NAME: usize = 40;
/// Most digits of an amount of less than a dollar.
const MOST_DIGITS: usize = 12;

/// The applications of a fleet and their sum.
pub(crate) struct Answer<'a> {
    overview: &'a Overview<'a>,
    frequency: Frequency,
    /// The applications that save most within the budget, if there is one.
    chosen: Option<Chosen>,
    /// What the applications are judged by.
    goal: Objective,
}

impl<'a> Answer<'a> {
    pub(crate) fn new(
        overview: &'a Overview<'a>,
        frequency: Frequency,
        budget: Option<Budget>,
        goal: Objective,
    ) -> Self {
        Self { overview, frequency, chosen: budget.map(|budget| overview.within(budget, frequency)), goal }
    }

    /// Id of the application at a place.
    fn id(&self, place: usize) -> &'a str {
        let (log, summary) = self.overview.applications[place];
        id_of(&log.head.key, summary)
    }

    fn records(&self) -> impl Iterator<Item = ApplicationRecord<'a>> + use<'a> {
        let (runs, goal) = (self.frequency.runs(), self.goal);
        let recurrence = self.overview.recurrence(self.frequency);
        self.overview.applications.iter().map(move |(log, summary)| {
            ApplicationRecord::of(log, summary, runs, months_and_runs(recurrence.payback(&goal, summary)))
        })
    }

    fn portfolio(&self) -> Option<PortfolioRecord<'a>> {
        let Chosen { portfolio, applications, left_out, saving_usd, is_price_assumed } = self.chosen.as_ref()?;
        let ids = |places: &[usize]| places.iter().map(|place| self.id(*place)).collect::<Vec<&'a str>>();
        let Portfolio { budget, is_best, gap_usd, used, needed, further: [further, further_saving_usd], .. } =
            *portfolio;
        let (max_gpu_machines, max_gpu_usd) = match budget {
            Budget::Instances(count) => (Some(count), None),
            Budget::Usd(usd) => (None, Some(usd)),
        };
        let effort = self.overview.effort_of(self.chosen.as_ref()?, &self.goal, self.frequency);
        Some(PortfolioRecord {
            max_gpu_machines,
            max_gpu_usd,
            chosen: ids(applications),
            left_out: ids(left_out),
            expected_saving_usd: saving_usd.value,
            expected_saving_usd_low: saving_usd.low,
            expected_saving_usd_high: saving_usd.high,
            is_price_assumed: *is_price_assumed,
            is_best,
            gap_usd,
            used,
            needed,
            further,
            further_saving_usd,
            effort: effort.as_ref().map(EffortRecord::of),
        })
    }

    /// Everything, for programs.
    pub(crate) fn json(&self) -> String {
        let Overview { applications, left_out, today_seconds, saving, .. } = self.overview;
        let top = self.overview.top_for(MOST);
        let top = top.map(|top| TopRecord { applications: top.applications, share: top.share });
        json(&FleetRecord {
            applications: applications.len(),
            left_out: left_out.len(),
            to_move: saving.applications,
            today_seconds: *today_seconds,
            saved_seconds: saving.seconds.value,
            saved_seconds_low: saving.seconds.low,
            saved_seconds_high: saving.seconds.high,
            saved_usd: saving.usd,
            saved_usd_applications: saving.priced,
            top,
            costs_per: if self.frequency.is_monthly() { "month" } else { "run" },
            runs_per_month: Some(self.frequency.runs()).filter(|_| self.frequency.is_monthly()),
            goal: self.goal.goal,
            time_limit: self.goal.time_limit.as_factor(),
            budget_usd: self.goal.budget_usd,
            effort_usd: self.goal.effort_usd,
            effort: self.overview.effort(&self.goal, self.frequency).as_ref().map(EffortRecord::of),
            costs: Some(self.overview.costs(self.frequency)).filter(|costs| costs.priced > 0).map(CostsRecord::of),
            portfolio: self.portfolio(),
            list: self.records().collect(),
        })
    }

    /// A line for each application, for spreadsheets.
    pub(crate) fn csv(&self) -> String {
        let number = |number: Option<f64>| Cow::Owned(cell(number));
        let mut records = Records::default();
        records.push([
            "application_id",
            "name",
            "user",
            "queue",
            "seconds",
            "option",
            "option_seconds",
            "option_seconds_low",
            "option_seconds_high",
            "likelihood",
            "saved_usd",
            "verdict",
            "blocked_by",
            "why_not",
            "costs_per",
            "today_usd",
            "recommended_usd",
            "expected_saving_usd",
            "expected_saving_usd_low",
            "expected_saving_usd_high",
            "payback_months",
            "payback_runs",
        ]);
        let per = if self.frequency.is_monthly() { "month" } else { "run" };
        for record in self.records() {
            records.push([
                Cow::Borrowed(record.application_id),
                Cow::Borrowed(record.name),
                Cow::Borrowed(record.user),
                Cow::Borrowed(record.queue),
                number(record.seconds),
                record.option.into(),
                number(record.option_seconds),
                number(record.option_seconds_low),
                number(record.option_seconds_high),
                number(record.likelihood),
                number(record.saved_usd),
                Cow::Borrowed(record.verdict),
                Cow::Owned(record.blocked_by.join("; ")),
                Cow::Borrowed(record.why_not),
                Cow::Borrowed(per),
                number(record.today_usd),
                number(record.recommended_usd),
                number(record.expected_saving_usd),
                number(record.expected_saving_usd_low),
                number(record.expected_saving_usd_high),
                number(record.payback_months),
                number(record.payback_runs),
            ]);
        }
        records.into_text()
    }

    /// The first applications, for the terminal.
    pub(crate) fn table(&self) -> String {
        self.shown().aligned() + "\n"
    }

    /// The first applications, for documents.
    pub(crate) fn markdown(&self) -> String {
        self.shown().markdown()
    }

    /// The saving, the costs, the portfolio, the clusters that were compared, and the period: a line for each.
    pub(crate) fn summary(&self, measured: Option<&Base>) -> String {
        let Self { overview, frequency, chosen, goal } = self;
        let mut lines = vec![sentence(overview)];
        lines.extend(goal_in_words(*goal));
        if let Some(costs) = money::costs_and_effort(overview, goal, *frequency) {
            let hint = if frequency.is_monthly() { "" } else { " For costs per month, add --runs-per-month." };
            lines.push(format!("{costs} {}{hint}", money::runs(*frequency)));
        }
        lines.extend(chosen.as_ref().map(|chosen| in_words(overview, chosen, *frequency, goal).join(" ")));
        lines.extend(engines(overview, measured));
        lines.extend(overview.period_ms.map(period));
        lines.extend(overview.repetitions());
        lines.join("\n") + "\n"
    }

    fn shown(&self) -> Table {
        let seconds = |seconds: Option<f64>| seconds.map(|seconds| Unit::Seconds.format(seconds)).unwrap_or_default();
        let in_cents = is_in_cents(self.overview);
        let row = |(log, summary): &(&LedgerEntry, &Summary)| {
            let range = summary
                .option_time
                .filter(Range::is_known)
                .map(|gpu| format!("{} … {}", Unit::Seconds.format(gpu.low), Unit::Seconds.format(gpu.high)));
            vec![
                shortened(id_of(&log.head.key, summary), LONGEST_NAME),
                shortened(&summary.name, LONGEST_NAME),
                shortened(&summary.user, LONGEST_NAME),
                seconds(summary.seconds),
                summary.option.clone(),
                seconds(summary.option_time.map(|time| time.value)),
                range.unwrap_or_default(),
                summary.likelihood.map(chance).unwrap_or_default(),
                summary.saved_usd().map(|usd| dollars(usd, in_cents)).unwrap_or_default(),
                words::verdict(summary.verdict, summary.tie.as_ref()),
                labels(summary).join("; "),
            ]
        };
        let table = Table {
            columns: vec![
                Column::text("application"),
                Column::text("name"),
                Column::text("user"),
                Column::number("today"),
                Column::text("option"),
                Column::number("with option"),
                Column::number("90 % interval"),
                Column::number(likelihood_title(&self.goal)),
                Column::number("saving per run"),
                Column::text("verdict"),
                Column::text("blocked by"),
            ],
            rows: self.overview.applications.iter().take(SHOWN).map(row).collect(),
        };
        table.without_empty_columns()
    }
}

/// Whether dollars are shown in cents: if savings and extra costs of all applications sum to a dollar or more.
fn is_in_cents(overview: &Overview<'_>) -> bool {
    let saved = overview.applications.iter().filter_map(|(_, summary)| summary.saved_usd());
    saved.map(f64::abs).sum::<f64>() >= 1.0
}

/// "−$12.30": in cents, or two figures of less.
fn dollars(usd: f64, is_in_cents: bool) -> String {
    let amount = usd.abs();
    let text = if is_in_cents {
        let cents = (amount * 100.0).round();
        format!("{}.{:02.0}", Unit::Count.format((cents / 100.0).trunc()), cents % 100.0)
    } else {
        let (mut digits, mut figures) = (2, amount * 100.0);
        while figures > 0.0 && figures < 10.0 && digits < MOST_DIGITS {
            figures *= 10.0;
            digits += 1;
        }
        format!("{amount:.digits$}")
    };
    let is_nothing = text.chars().all(|c| matches!(c, '0' | '.'));
    format!("{}${text}", if usd < 0.0 && !is_nothing { "−" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_cents_where_all_come_to_a_dollar_and_two_figures_elsewhere() {
        for (usd, in_cents, expected) in [
            (-0.0074, false, "−$0.0074"),
            (0.033_93, false, "$0.034"),
            (0.505_3, false, "$0.51"),
            (0.0, false, "$0.00"),
            (-0.0074, true, "−$0.01"),
            (-0.000_4, true, "$0.00"),
            (0.999, true, "$1.00"),
            (12_345.678, true, "$12,345.68"),
        ] {
            assert_eq!(dollars(usd, in_cents), expected, "{usd}");
        }
    }
}

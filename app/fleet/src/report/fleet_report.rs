//! The report of a fleet: what its applications cost, today and with the recommended options, and what each should do.

mod charts;

use crossover_chart::Chart;
use crossover_decision::difference::costs_and_saving;
use crossover_decision::words::{dollars, price_dollars};
use crossover_decision::{Payback, Verdict};
use crossover_export::report::{Block, Report, ReportFormat, SortableTable};
use crossover_quantity::text::{Column, Table, TextReport, shortened};
use crossover_quantity::unit::{Unit, chance};

/// Longest name in a table or chart, characters.
const LONGEST_NAME: usize = 60;
/// Largest number of applications in the table: a page of some megabytes.
const LISTED: usize = 5_000;
/// Largest number of applications that are named in a list.
const NAMED: usize = 20;

/// Everything that the report of a fleet says.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FleetReport {
    /// Name of the folder of results.
    pub(crate) name: String,
    /// What to do, and what it saves.
    pub(crate) answer: String,
    /// "per month", or "per run of each application".
    pub(crate) period: &'static str,
    /// The sums: labels with values.
    pub(crate) sums: Vec<(String, String)>,
    /// Warnings about the results.
    pub(crate) warnings: Vec<String>,
    /// The applications, the largest expected saving first.
    pub(crate) applications: Vec<FleetApplication>,
    /// [`likelihood_title`](crate::words::likelihood_title) of what they are judged by.
    pub(crate) likelihood_title: &'static str,
    /// Why applications do not move.
    pub(crate) blockers: Vec<FleetBlocker>,
    /// The applications that save most within a budget, in words; empty without a budget.
    pub(crate) portfolio: Vec<String>,
    /// Numbers of GPU machines at a time, and the largest expected saving with each, US dollars.
    pub(crate) curve: Vec<[f64; 2]>,
    /// The point of the curve that the budget has, if it is a number of machines.
    pub(crate) budget: Option<[f64; 2]>,
    /// The options, and what their numbers come from.
    pub(crate) options: Vec<FleetOption>,
    /// Where all other numbers come from, a sentence each.
    pub(crate) sources: Vec<String>,
}

/// An application.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FleetApplication {
    /// Its id.
    pub(crate) id: String,
    /// Its name; empty if it has none.
    pub(crate) name: String,
    /// The user who ran it.
    pub(crate) user: String,
    /// Its queue.
    pub(crate) queue: String,
    /// Time of a run today, seconds.
    pub(crate) seconds: Option<f64>,
    /// Cost today, US dollars.
    pub(crate) today_usd: Option<f64>,
    /// The option that its time and likelihood are of.
    pub(crate) option: String,
    /// Time of a run with the option, seconds.
    pub(crate) option_seconds: Option<f64>,
    /// Expected cost with the recommended option, US dollars; today's if it does not move.
    pub(crate) recommended_usd: Option<f64>,
    /// Expected saving of the recommended move, US dollars, and its 90 % interval.
    pub(crate) saving_usd: Option<[f64; 3]>,
    /// When the expected saving has paid back the effort of the move; `None` without an effort or a move.
    pub(crate) payback: Option<Payback>,
    /// Likelihood of meeting the goal with the option, 0 … 1.
    pub(crate) likelihood: Option<f64>,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// What limits it, in a sentence; empty if it moves.
    pub(crate) why: String,
    /// Whether it is in the portfolio; `None` without a budget, or if it does not move.
    pub(crate) is_chosen: Option<bool>,
}

/// A reason for which applications are neither to move nor to be tried.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FleetBlocker {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// What it means and what to do.
    pub(crate) explanation: &'static str,
    /// Number of applications.
    pub(crate) applications: usize,
    /// Their time today, seconds.
    pub(crate) seconds: f64,
}

/// An option of some applications, and what its numbers come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FleetOption {
    /// Engine and machines.
    pub(crate) title: String,
    /// Number of applications whose numbers are of it.
    pub(crate) applications: usize,
    /// Price of all its machines for an hour, US dollars; `None`: today's price of each application.
    pub(crate) usd_per_hour: Option<f64>,
    /// The measured runs that its times are predicted from.
    pub(crate) runs: String,
    /// Differences between those runs and the applications, each with the number of applications that have it.
    pub(crate) distance: String,
}

impl FleetReport {
    /// One HTML file that loads nothing.
    pub(crate) fn html(&self) -> String {
        self.report().write(ReportFormat::Html)
    }

    fn report(&self) -> Report {
        let mut blocks = vec![Block::Heading("Answer"), Block::Lead(self.answer.clone())];
        let mut sums = TextReport::default();
        sums.facts(self.sums.clone()).warnings(&self.warnings);
        blocks.push(Block::TextReport(sums));
        blocks.extend(self.savings().map(chart));
        if !self.portfolio.is_empty() || self.curve.len() > 1 {
            blocks.push(Block::Heading("Within a budget of GPU machines"));
            blocks.extend(self.portfolio.iter().cloned().map(Block::Text));
            blocks.extend(self.left_out());
            blocks.extend(self.sizes().map(chart));
        }
        blocks.push(Block::Heading("Applications"));
        blocks.push(Block::Text(format!(
            "Costs and savings are {}. Only applications with the verdict “move” change. Time and likelihood are those \
             of the named option. If the browser runs scripts, click a column’s title to sort the table.",
            self.period
        )));
        blocks.push(Block::Sortable(self.table()));
        if self.applications.len() > LISTED {
            let more = Unit::Count.format((self.applications.len() - LISTED) as f64);
            blocks.push(Block::Text(format!("{more} more are in applications.csv in the folder of the results.")));
        }
        if !self.blockers.is_empty() {
            blocks.push(Block::Heading("Why applications do not move"));
            blocks.push(chart(self.reasons()));
            blocks.push(Block::Table(self.explanations()));
        }
        blocks.push(Block::Heading("Where the numbers come from"));
        blocks.push(Block::Table(self.origins()));
        blocks.push(Block::List(self.sources.clone()));
        Report {
            title: format!("Fleet {}", self.name),
            question: "Which applications should move, and what does that save?",
            blocks,
        }
    }

    /// The applications that move, but not within the budget.
    fn left_out(&self) -> Option<Block> {
        let mut left_out: Vec<&FleetApplication> =
            self.applications.iter().filter(|one| one.is_chosen == Some(false)).collect();
        left_out.sort_by(|a, b| saving(b).total_cmp(&saving(a)));
        let line =
            |one: &&FleetApplication| format!("Left out: {}, {} {}", one.label(), dollars(saving(one)), self.period);
        let mut lines: Vec<String> = left_out.iter().take(NAMED).map(line).collect();
        if let Some(more) = left_out.len().checked_sub(NAMED).filter(|more| *more > 0) {
            lines.push(format!("Left out: {} more; the table has all", Unit::Count.format(more as f64)));
        }
        (!lines.is_empty()).then_some(Block::List(lines))
    }

    fn table(&self) -> SortableTable {
        let shown = || self.applications.iter().take(LISTED);
        let in_portfolio = |one: &FleetApplication| match one.is_chosen {
            Some(true) => "chosen",
            Some(false) => "left out",
            None => "",
        };
        let row = |one: &FleetApplication| {
            let time = |time: Option<f64>| time.map(|time| Unit::Seconds.format(time)).unwrap_or_default();
            let [today_usd, recommended_usd, saving_usd] = one.costs();
            let interval = one.saving_usd.filter(|[_, low, high]| low < high);
            vec![
                shortened(one.label(), LONGEST_NAME),
                shortened(&one.user, LONGEST_NAME),
                shortened(&one.queue, LONGEST_NAME),
                one.verdict.label().to_owned(),
                in_portfolio(one).to_owned(),
                today_usd,
                recommended_usd,
                saving_usd,
                interval.map(|[_, low, high]| format!("{} … {}", dollars(low), dollars(high))).unwrap_or_default(),
                one.payback.map(Payback::time).unwrap_or_default(),
                one.likelihood.map(chance).unwrap_or_default(),
                time(one.seconds),
                time(one.option_seconds),
                one.option.clone(),
                one.why.clone(),
            ]
        };
        let keys = |one: &FleetApplication| {
            let mut keys = vec![None; 5];
            keys.extend([one.today_usd, one.recommended_usd]);
            let [saving, width] = [
                one.saving_usd.map(|[value, ..]| value),
                one.saving_usd.filter(|[_, low, high]| low < high).map(|[_, low, high]| high - low),
            ];
            let payback = one.payback.and_then(|payback| match payback {
                Payback::Months([months, _]) => Some(months),
                Payback::Runs(runs) => Some(runs),
                Payback::Never => None,
            });
            keys.extend([saving, width, payback, one.likelihood, one.seconds, one.option_seconds, None, None]);
            keys
        };
        let table = Table {
            columns: vec![
                Column::text("application"),
                Column::text("user"),
                Column::text("queue"),
                Column::text("verdict"),
                Column::text("portfolio"),
                Column::number("cost today"),
                Column::number("recommended cost"),
                Column::number("expected saving"),
                Column::number("90 % interval"),
                Column::number("payback time"),
                Column::number(self.likelihood_title),
                Column::number("time today"),
                Column::number("time with option"),
                Column::text("option"),
                Column::text("what limits it"),
            ],
            rows: shown().map(row).collect(),
        };
        SortableTable { table, keys: shown().map(keys).collect() }.without_empty_columns()
    }

    /// The blockers, the most time first.
    fn sorted_blockers(&self) -> Vec<&FleetBlocker> {
        let mut blockers: Vec<&FleetBlocker> = self.blockers.iter().collect();
        blockers.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.name.cmp(b.name)));
        blockers
    }

    fn explanations(&self) -> Table {
        let row = |one: &&FleetBlocker| {
            let count = Unit::Count.format(one.applications as f64);
            vec![one.name.to_owned(), count, Unit::Seconds.format(one.seconds), one.explanation.to_owned()]
        };
        Table {
            columns: vec![
                Column::text("blocker"),
                Column::number("applications"),
                Column::number("time today"),
                Column::text("what it means and what to do"),
            ],
            rows: self.sorted_blockers().iter().map(row).collect(),
        }
    }

    fn origins(&self) -> Table {
        let mut options: Vec<&FleetOption> = self.options.iter().collect();
        options.sort_by(|a, b| b.applications.cmp(&a.applications).then_with(|| a.title.cmp(&b.title)));
        let row = |option: &&FleetOption| {
            vec![
                option.title.clone(),
                Unit::Count.format(option.applications as f64),
                option.usd_per_hour.map_or_else(|| "as today".to_owned(), price_dollars),
                option.runs.clone(),
                option.distance.clone(),
            ]
        };
        let table = Table {
            columns: vec![
                Column::text("option"),
                Column::number("applications"),
                Column::number("price per hour"),
                Column::text("predicted from"),
                Column::text("differences"),
            ],
            rows: options.iter().map(row).collect(),
        };
        table.without_empty_columns()
    }
}

impl FleetApplication {
    /// Its name, or its id.
    fn label(&self) -> &str {
        if self.name.trim().is_empty() { &self.id } else { &self.name }
    }

    /// Its costs today and with the recommended option, and its expected saving, which add up; empty if unknown.
    fn costs(&self) -> [String; 3] {
        match (self.today_usd, self.recommended_usd, self.saving_usd) {
            (Some(today), Some(recommended), Some(_)) => costs_and_saving(today, recommended),
            (today, recommended, _) => {
                let usd = |usd: Option<f64>| usd.map(dollars).unwrap_or_default();
                [usd(today), usd(recommended), String::new()]
            }
        }
    }
}

/// The expected saving of a recommended move, US dollars; 0 without one.
fn saving(application: &FleetApplication) -> f64 {
    application.saving_usd.map_or(0.0, |[value, ..]| value)
}

fn chart(chart: Chart) -> Block {
    Block::Chart(Box::new(chart))
}

#[cfg(test)]
mod tests {
    use crossover_decision::Objective;
    use crossover_quantity::text::Align;

    use super::*;
    use crate::words::likelihood_title;

    fn report() -> FleetReport {
        let application = |name: &str, verdict, saving: Option<[f64; 3]>, why: &str| FleetApplication {
            id: format!("id-{name}"),
            name: name.to_owned(),
            seconds: Some(100.0),
            today_usd: Some(10.0),
            option: "RAPIDS, 4 × g6".to_owned(),
            option_seconds: Some(50.0),
            recommended_usd: Some(10.0 - saving.map_or(0.0, |[value, ..]| value)),
            saving_usd: saving,
            likelihood: Some(0.95),
            verdict,
            why: why.to_owned(),
            is_chosen: saving.map(|[value, ..]| value > 3.0),
            payback: saving.map(|[value, ..]| Payback::of(24.0, value, Some([1.0; 2]))),
            ..FleetApplication::default()
        };
        FleetReport {
            name: "logs".to_owned(),
            answer: "Move <2> of 4 applications.".to_owned(),
            period: "per month",
            sums: vec![("Cost today".to_owned(), "$40 per month".to_owned())],
            applications: vec![
                application("load", Verdict::Move, Some([4.0, -1.0, 6.0]), ""),
                application("report <b>&", Verdict::Move, Some([2.0, 1.0, 3.0]), ""),
                application("try", Verdict::Try, None, "The gain is smaller than the error of the prediction."),
                application("stay", Verdict::Stay, None, "Too short."),
            ],
            likelihood_title: likelihood_title(&Objective::default()),
            blockers: vec![FleetBlocker {
                name: "too short",
                explanation: "Combine.",
                applications: 1,
                seconds: 100.0,
            }],
            portfolio: vec!["With at most 4 GPU machines at a time: move 1 of 2.".to_owned()],
            curve: vec![[0.0, 0.0], [4.0, 4.0], [8.0, 6.0]],
            budget: Some([4.0, 4.0]),
            options: vec![FleetOption {
                title: "RAPIDS, 4 × g6".to_owned(),
                applications: 4,
                ..FleetOption::default()
            }],
            sources: vec!["Time today: from the logs.".to_owned()],
            ..FleetReport::default()
        }
    }

    #[test]
    fn the_page_is_well_formed_and_loads_nothing() {
        let page = report().html();
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
        let parsed = roxmltree::Document::parse_with_options(&page, options).expect("well-formed");
        let elements = || parsed.descendants().filter(roxmltree::Node::is_element);
        for forbidden in ["img", "link", "iframe", "object", "embed", "a", "image", "use"] {
            assert!(elements().all(|node| node.tag_name().name() != forbidden), "{forbidden}");
        }
        // Names of namespaces are no attributes, and are not loaded.
        let attributes = elements().flat_map(|node| node.attributes().collect::<Vec<_>>());
        for attribute in attributes {
            assert!(!["src", "href", "action", "background"].contains(&attribute.name()), "{}", attribute.name());
            assert!(!attribute.value().contains("http:") && !attribute.value().contains("https:"));
        }
        assert_eq!(elements().filter(|node| node.tag_name().name() == "svg").count(), 3);
        let styles: String =
            elements().filter(|node| node.tag_name().name() == "style").filter_map(|node| node.text()).collect();
        assert!(!styles.contains("url(") && !styles.contains("@import"));
    }

    #[test]
    fn the_table_has_every_application_with_its_verdict_and_what_it_is_sorted_by() {
        let report = report();
        let table = report.table();
        let column =
            |title: &str| table.table.columns.iter().position(|column| column.title == title).expect("a column");
        let cells =
            |title: &str| -> Vec<&str> { table.table.rows.iter().map(|row| row[column(title)].as_str()).collect() };
        assert_eq!(cells("verdict"), ["move", "move", "try", "stay"]);
        assert_eq!(cells("portfolio"), ["chosen", "left out", "", ""]);
        assert_eq!(cells("expected saving"), ["$4", "$2", "", ""]);
        assert_eq!(cells("90 % interval"), ["−$1 … $6", "$1 … $3", "", ""]);
        // An effort of $24 for $4 and $2 a month.
        assert_eq!(cells("payback time"), ["6 months", "12 months", "", ""]);
        let keys: Vec<Option<f64>> = table.keys.iter().map(|keys| keys[column("expected saving")]).collect();
        assert_eq!(keys, [Some(4.0), Some(2.0), None, None]);
        assert!(table.table.columns.iter().all(|column| column.title != "user"), "empty columns are left out");
        let numbers = table.table.columns.iter().filter(|column| column.align == Align::Right).count();
        assert!(table.keys.iter().all(|keys| keys.iter().flatten().count() <= numbers));
    }

    #[test]
    fn the_charts_have_the_largest_savings_first_and_the_point_of_the_budget() {
        let report = report();
        let Some(Chart::Bars(savings)) = report.savings() else { panic!("no bars") };
        let groups: Vec<(&str, f64)> = savings.rows.iter().map(|row| (row.group.as_str(), row.total)).collect();
        assert_eq!(groups, [("load", 4.0), ("report <b>&", 2.0)]);
        assert_eq!(savings.answer, "2 of 2 moves bring 100 % of the expected saving.");
        let Some(Chart::Lines(sizes)) = report.sizes() else { panic!("no lines") };
        assert_eq!((sizes.points.len(), sizes.points[0].x, sizes.points[0].y), (1, 4.0, 4.0));
        assert!(FleetReport::default().savings().is_none() && FleetReport::default().sizes().is_none());
    }

    #[test]
    fn moves_that_cost_more_in_sum_are_within_the_axis_and_said_as_a_cost() {
        let report = FleetReport { curve: vec![[0.0, 0.0], [4.0, 3.0], [8.0, -5.0]], budget: None, ..report() };
        let Some(Chart::Lines(sizes)) = report.sizes() else { panic!("no lines") };
        assert_eq!(sizes.y.range, [-5.0, 3.0]);
        assert_eq!(
            sizes.answer,
            "All recommended moves need up to 8 GPU machines at a time and cost $5 more per month."
        );
    }
}

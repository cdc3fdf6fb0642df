//! The table of the options, as every report and the window draw it: columns, cells as text, and why each option is recommended or
//! not.

use crossover_decision::words::{dollars, likely, monthly_dollars, price_dollars, seconds};
use crossover_decision::{Decision, DecisionOption, PriceBasis, Spending};
use crossover_quantity::text::{Align, Column, Table, between};
use crossover_quantity::unit::{Unit, chance};
use crossover_scenario::glossary::Meaning;

use crate::costs::cost_today;

/// How the title of a cluster ends that the user entered.
const ENTERED: &str = " (entered)";

/// A column of the table of the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionColumn {
    /// Number of the row, by which charts name it.
    Row,
    /// Engine and machines.
    Title,
    /// Time of a run.
    Time,
    /// The 90 % interval of the time.
    TimeInterval,
    /// Price of all its machines for an hour.
    Price,
    /// Date of this price.
    PriceDate,
    /// Cost of a run.
    Cost,
    /// Cost of a month, if runs per month are known.
    MonthlyCost,
    /// Saving of a run; time where time decides.
    Saving,
    /// The 90 % interval of the saving.
    SavingInterval,
    /// Saving of a month, if runs per month are known.
    MonthlySaving,
    /// Likelihood of being faster than today.
    Faster,
    /// Likelihood of being cheaper than today.
    Cheaper,
    /// Likelihood of meeting the goal.
    Better,
    /// Whether it is on the Pareto front.
    Front,
    /// Date of the runs that its engine is fitted to.
    Measured,
    /// Why it is recommended, or not.
    Why,
}

impl OptionColumn {
    /// All columns, from left to right.
    const ALL: [Self; 17] = [
        Self::Row,
        Self::Title,
        Self::Time,
        Self::TimeInterval,
        Self::Price,
        Self::PriceDate,
        Self::Cost,
        Self::MonthlyCost,
        Self::Saving,
        Self::SavingInterval,
        Self::MonthlySaving,
        Self::Faster,
        Self::Cheaper,
        Self::Better,
        Self::Front,
        Self::Measured,
        Self::Why,
    ];

    fn heading(self, is_by_time: bool) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Title => "option",
            Self::Time => "median time",
            Self::TimeInterval => "90 % interval",
            Self::Price => "price per hour",
            Self::PriceDate => "price date",
            Self::Cost => "median cost per run",
            Self::MonthlyCost => "mean cost per month",
            Self::Saving if is_by_time => "mean time saved per run",
            Self::Saving => "mean saving per run",
            Self::SavingInterval => "90 % interval of saving",
            Self::MonthlySaving => "mean saving per month",
            Self::Faster => "likely faster",
            Self::Cheaper => "likely cheaper",
            Self::Better => "likely to meet goal",
            Self::Front => "Pareto front",
            Self::Measured => "measured",
            Self::Why => "why",
        }
    }

    fn meaning(self, is_by_time: bool) -> Meaning {
        match self {
            Self::Row => Meaning::own("Number of the row, which the chart has beside the point"),
            Self::Title => Meaning::own("“(entered)”: a cluster that you added").and_term("option"),
            Self::Time => Meaning::own("Median of the predicted time of a run"),
            Self::TimeInterval => Meaning::term("90 % interval"),
            Self::Price => Meaning::term("price per hour"),
            Self::PriceDate => Meaning::own("Date of this price; empty: not known"),
            Self::Cost => Meaning::own(
                "Median of the predicted cost of a run; the answer has means, whose difference is the saving",
            )
            .and_term("cost of a run"),
            Self::MonthlyCost => Meaning::own("Mean of the predicted cost of a run × runs per month"),
            Self::Saving if is_by_time => {
                Meaning::own("Mean time that a run saves; negative if the option is slower than today")
            }
            Self::Saving => Meaning::term("expected saving"),
            Self::SavingInterval => {
                Meaning::own("From the errors of the predicted times, at the prices used").and_term("90 % interval")
            }
            Self::MonthlySaving => {
                Meaning::own("Mean saving of a run × runs per month; the effort of the move is not subtracted")
            }
            Self::Faster => Meaning::own("Likelihood of being faster than today"),
            Self::Cheaper => Meaning::own("Likelihood of being cheaper than today"),
            Self::Better => Meaning::term("likely to meet the goal"),
            Self::Front => Meaning::own(
                "The line in the chart joins the rows with “yes”. —: the row has no price, it cannot be judged, or a \
                 row that dominates it cannot be judged",
            )
            .and_term("Pareto front"),
            Self::Measured => Meaning::own("Date of the runs that the engine is fitted to"),
            Self::Why => Meaning::own("Why it is recommended, or not"),
        }
    }

    /// On which side its cells line up.
    #[must_use]
    pub fn align(self) -> Align {
        match self {
            Self::Title | Self::Front | Self::Measured | Self::PriceDate | Self::Why => Align::Left,
            Self::Row
            | Self::Time
            | Self::TimeInterval
            | Self::Price
            | Self::Cost
            | Self::MonthlyCost
            | Self::Saving
            | Self::SavingInterval
            | Self::MonthlySaving
            | Self::Faster
            | Self::Cheaper
            | Self::Better => Align::Right,
        }
    }

    /// The column whose cells have those of this one below them where there is no room for every column.
    #[must_use]
    pub fn below(self) -> Option<Self> {
        match self {
            Self::TimeInterval => Some(Self::Time),
            Self::PriceDate => Some(Self::Price),
            Self::MonthlyCost => Some(Self::Cost),
            Self::SavingInterval | Self::MonthlySaving => Some(Self::Saving),
            Self::Measured | Self::Why => Some(Self::Title),
            _ => None,
        }
    }
}

/// Today and each option with a time, a row each.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionsTable {
    /// The columns that have a cell with text.
    pub columns: Vec<OptionColumn>,
    /// The rows, today first.
    pub rows: Vec<OptionRow>,
    is_by_time: bool,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionRow {
    /// Whether the decision recommends it.
    pub is_recommended: bool,
    /// Differences from the measured runs that may change the answer.
    pub warnings: Vec<String>,
    /// A text for each of all columns.
    cells: [String; OptionColumn::ALL.len()],
}

impl OptionRow {
    /// The cell of a column; empty where there is nothing to say.
    #[must_use]
    pub fn cell(&self, column: OptionColumn) -> &str {
        &self.cells[column as usize]
    }
}

impl OptionsTable {
    /// The table of a decision.
    #[must_use]
    pub fn new(decision: &Decision) -> Self {
        let today = OptionRow {
            is_recommended: decision.recommends_to_stay(),
            warnings: Vec::new(),
            cells: OptionColumn::ALL.map(|column| of_today(decision, column)),
        };
        let row = |(place, option): (usize, &DecisionOption)| OptionRow {
            is_recommended: decision.recommends(Some(place)),
            warnings: option.candidate.evidence.warnings.clone(),
            cells: OptionColumn::ALL.map(|column| of_option(decision, place, option, column)),
        };
        let timed = decision.options.iter().enumerate().filter(|(_, option)| option.candidate.time.is_some());
        let rows: Vec<OptionRow> = std::iter::once(today).chain(timed.map(row)).collect();
        let is_filled = |column: &OptionColumn| rows.iter().any(|row| !row.cell(*column).is_empty());
        Self {
            columns: OptionColumn::ALL.into_iter().filter(is_filled).collect(),
            rows,
            is_by_time: decision.is_by_time(),
        }
    }

    /// Title of a column.
    #[must_use]
    pub fn heading(&self, column: OptionColumn) -> &'static str {
        column.heading(self.is_by_time)
    }

    /// What the cells of a column are.
    #[must_use]
    pub fn meaning(&self, column: OptionColumn) -> Meaning {
        column.meaning(self.is_by_time)
    }

    /// As a table of a report.
    #[must_use]
    pub fn table(&self) -> Table {
        let column = |column: &OptionColumn| Column { title: self.heading(*column).into(), align: column.align() };
        let row = |row: &OptionRow| self.columns.iter().map(|column| row.cell(*column).to_owned()).collect();
        Table { columns: self.columns.iter().map(column).collect(), rows: self.rows.iter().map(row).collect() }
    }

    /// What the columns of the table in a report mean, and the terms of its reasons.
    #[must_use]
    pub fn footnote(&self) -> String {
        let has_regret = self.rows.iter().any(|row| row.cell(OptionColumn::Why).contains("expected regret"));
        let regret = if has_regret {
            " Expected regret: the mean extra cost of a run, where runs that cost less count as 0."
        } else {
            ""
        };
        let monthly = if self.columns.contains(&OptionColumn::MonthlyCost) {
            " Costs and savings per month: means × runs per month."
        } else {
            ""
        };
        format!(
            "Time and cost of a run are medians; the 90 % interval is that of the time. Saving: the mean, negative if the option \
             is worse than today.{regret}{monthly} Likelihoods and intervals follow from the measured errors of predicted times; \
             prices count as exact. Pareto front: no other row is at least as good in time and cost, and better in one \
             of them. —: the row has no price, it cannot be judged, or a row that is at least as good cannot be judged. \
             Measured: the date of the runs that the engine is fitted to."
        )
    }
}

/// Number of the row of an option; `None`: of today.
pub(super) fn row_number(decision: &Decision, place: Option<usize>) -> usize {
    let before = place.map_or(&[][..], |place| &decision.options[..=place]);
    1 + before.iter().filter(|option| option.candidate.time.is_some()).count()
}

/// Time and cost of a row as the table has them; `None`: of today.
pub(super) fn time_and_cost(decision: &Decision, place: Option<usize>) -> [String; 2] {
    [OptionColumn::Time, OptionColumn::Cost].map(|column| match place {
        Some(place) => of_option(decision, place, &decision.options[place], column),
        None => of_today(decision, column),
    })
}

fn of_today(decision: &Decision, column: OptionColumn) -> String {
    match column {
        OptionColumn::Row => row_number(decision, None).to_string(),
        OptionColumn::Title => format!("stay: {}", decision.baseline.title),
        OptionColumn::Time => Unit::Seconds.format(decision.baseline.time.value()),
        OptionColumn::Price => price(decision, None).0,
        OptionColumn::PriceDate => price(decision, None).1,
        OptionColumn::Cost => median_cost_today(decision).unwrap_or_default(),
        OptionColumn::MonthlyCost => monthly_cost(decision.spending_today()).unwrap_or_default(),
        OptionColumn::Front => front(decision, decision.is_today_efficient()),
        OptionColumn::Why if decision.recommends_to_stay() => "recommended".to_owned(),
        OptionColumn::Why if decision.front.contains(&None) => "on the Pareto front".to_owned(),
        OptionColumn::TimeInterval
        | OptionColumn::Saving
        | OptionColumn::SavingInterval
        | OptionColumn::MonthlySaving
        | OptionColumn::Faster
        | OptionColumn::Cheaper
        | OptionColumn::Better
        | OptionColumn::Measured
        | OptionColumn::Why => String::new(),
    }
}

/// The median cost of a run today. If it is also the mean, such as for a measured run, it has the digits of [`cost_today`].
fn median_cost_today(decision: &Decision) -> Option<String> {
    let is_mean = decision.spending_today().is_some_and(|today| today.median_usd_per_run >= today.usd_per_run);
    let text = if is_mean { cost_today(decision) } else { None };
    text.or_else(|| decision.today_usd().map(|usd| dollars(usd.value)))
}

fn of_option(decision: &Decision, place: usize, option: &DecisionOption, column: OptionColumn) -> String {
    let amount: fn(f64) -> String = if decision.is_by_time() { seconds } else { dollars };
    let interval = |[low, high]: [f64; 2], text: fn(f64) -> String| format!("{} … {}", text(low), text(high));
    let time = option.candidate.time;
    let text = match column {
        OptionColumn::Row => Some(row_number(decision, Some(place)).to_string()),
        OptionColumn::Title => {
            let mark = if option.candidate.is_named { ENTERED } else { "" };
            Some(format!("{}{mark}", option.candidate.title))
        }
        OptionColumn::Time => time.map(|time| decision.predicted_seconds(time.value())),
        OptionColumn::TimeInterval => {
            let ends = time.and_then(|time| time.interval());
            ends.map(|ends| ends.map(|end| decision.predicted_seconds(end)).join(" … "))
        }
        OptionColumn::Price => Some(price(decision, Some(option)).0),
        OptionColumn::PriceDate => Some(price(decision, Some(option)).1),
        OptionColumn::Cost => option.usd.map(|usd| dollars(usd.value)),
        OptionColumn::MonthlyCost => monthly_cost(decision.spending_with(option)),
        OptionColumn::Saving => option.saving.map(amount),
        OptionColumn::SavingInterval => option.saving_interval.map(|ends| interval(ends, amount)),
        OptionColumn::MonthlySaving => {
            decision.monthly_saving(option).map(|saving| between(saving.expected.map(monthly_dollars)))
        }
        OptionColumn::Faster => option.faster.map(chance),
        OptionColumn::Cheaper => option.cheaper.map(chance),
        OptionColumn::Better => option.better.map(likely),
        OptionColumn::Front => Some(front(decision, option.is_efficient)),
        OptionColumn::Measured => Some(option.candidate.evidence.date.clone()),
        OptionColumn::Why => Some(decision.why(place)),
    };
    text.unwrap_or_default()
}

/// "$94.5", or with a range of runs "$63 … $126"; `None` without runs per month.
fn monthly_cost(spending: Option<Spending>) -> Option<String> {
    Some(between(spending?.usd_per_month?.map(monthly_dollars)))
}

/// Whether a row is on the Pareto front; empty if that is not known of any row.
fn front(decision: &Decision, is_efficient: Option<bool>) -> String {
    let text = match is_efficient {
        Some(true) => "yes",
        Some(false) => "no",
        None if decision.is_today_efficient().is_none()
            && decision.options.iter().all(|option| option.is_efficient.is_none()) =>
        {
            ""
        }
        None => "—",
    };
    text.to_owned()
}

/// Price of an hour of all machines of an option, or of today's, and its date: "$3.91" and "2026-07-20", "$1.60 spot" and "".
fn price(decision: &Decision, option: Option<&DecisionOption>) -> (String, String) {
    let price = option.map_or(&decision.baseline.price, |option| &option.candidate.price);
    let Some(price) = price else { return (String::new(), String::new()) };
    let amount = match price.basis {
        PriceBasis::Spot | PriceBasis::Reserved | PriceBasis::Assumed => {
            format!("{} {}", price_dollars(price.usd_per_hour), price.basis.label())
        }
        PriceBasis::OnDemand | PriceBasis::Own => price_dollars(price.usd_per_hour),
    };
    (amount, price.date.map(|date| date.to_string()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Evidence, Objective, PredictedTime, Price, decide};

    use super::*;

    fn candidate(title: &str, seconds: Option<f64>) -> Candidate {
        let time = seconds.map(|seconds| PredictedTime::within(seconds, 1.5));
        Candidate {
            title: title.to_owned(),
            engine: title.to_owned(),
            time,
            deviation_of_ratio: time.and_then(|time| time.deviation),
            machines: Some(4.0),
            lanes: Some(1.0),
            is_on_same_machines: false,
            price: Some(Price { basis: PriceBasis::Spot, date: "2026-07-20".parse().ok(), ..Price::entered(3.9) }),
            blocked_by: time.is_none().then(|| "no measured data: never run".to_owned()),
            is_named: false,
            evidence: Evidence { date: "2026-01-12".to_owned(), ..Evidence::default() },
        }
    }

    #[test]
    fn every_column_has_a_meaning_and_its_term_in_the_glossary() {
        for column in OptionColumn::ALL {
            for is_by_time in [false, true] {
                let meaning = column.meaning(is_by_time);
                assert!(meaning.is_known() && meaning != Meaning::default(), "{column:?}");
            }
        }
    }

    /// Today 100 s for $7.20 an hour; an option without data before two with times.
    fn decision() -> Decision {
        let baseline = Baseline {
            machines: 2.0,
            ..Baseline::measured("Spark", 100.0, Some(Price { date: "2026-11-01".parse().ok(), ..Price::entered(7.2) }))
        };
        let candidates =
            vec![candidate("unknown", None), candidate("fast", Some(10.0)), candidate("slow", Some(400.0))];
        decide(baseline, candidates, Objective::default())
    }

    #[test]
    fn columns_are_in_the_order_of_their_cells() {
        for (place, column) in OptionColumn::ALL.into_iter().enumerate() {
            assert_eq!(column as usize, place, "{column:?}");
            assert!(column.below().is_none_or(|above| above.below().is_none()), "{column:?}");
        }
    }

    #[test]
    fn rows_are_numbered_without_options_that_have_no_data() {
        let decision = decision();
        let table = OptionsTable::new(&decision);
        let cells = |column: OptionColumn| table.rows.iter().map(|row| row.cell(column)).collect::<Vec<_>>();
        assert_eq!(cells(OptionColumn::Row), ["1", "2", "3"]);
        assert_eq!(cells(OptionColumn::Title), ["stay: Spark", "fast", "slow"]);
        assert_eq!([None, Some(1), Some(2)].map(|place| row_number(&decision, place)), [1, 2, 3]);
        assert_eq!(table.rows.iter().map(|row| row.is_recommended).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_cluster_that_the_user_entered_is_marked() {
        let Decision { baseline, options, objective, .. } = decision();
        let named = options.into_iter().map(|option| {
            let is_named = option.candidate.title == "slow";
            Candidate { is_named, ..option.candidate }
        });
        let table = OptionsTable::new(&decide(baseline, named.collect(), objective));
        let titles: Vec<&str> = table.rows.iter().map(|row| row.cell(OptionColumn::Title)).collect();
        assert_eq!(titles, ["stay: Spark", "fast", "slow (entered)"]);
    }

    /// Today costs 20 cents. The fast one costs a cent; the slow one costs 43 cents, more than today in more time.
    #[test]
    fn the_pareto_column_says_yes_no_or_not_known() {
        let cells = |decision: &Decision| -> Vec<String> {
            let table = OptionsTable::new(decision);
            table.rows.iter().map(|row| row.cell(OptionColumn::Front).to_owned()).collect()
        };
        assert_eq!(cells(&decision()), ["no", "yes", "no"]);
        let baseline = decision().baseline;
        let blocked = Candidate { blocked_by: Some("it has user code".to_owned()), ..candidate("fast", Some(10.0)) };
        let options = vec![blocked, candidate("slow", Some(400.0))];
        assert_eq!(cells(&decide(baseline, options, Objective::default())), ["—", "—", "no"]);
    }

    /// The phrase of the reason is that of the decision's tests.
    #[test]
    fn the_footnote_defines_regret_where_a_reason_has_it() {
        let mut table = OptionsTable::new(&decision());
        assert!(!table.footnote().contains("regret"), "{}", table.footnote());
        table.rows[1].cells[OptionColumn::Why as usize] =
            "expected saving $0.01, not above the expected regret $0.02".to_owned();
        assert!(table.footnote().contains(" Expected regret: the mean extra cost"), "{}", table.footnote());
    }

    #[test]
    fn a_price_has_its_kind_and_its_date() {
        let table = OptionsTable::new(&decision());
        let price =
            |row: usize| [OptionColumn::Price, OptionColumn::PriceDate].map(|column| table.rows[row].cell(column));
        assert_eq!(price(0), ["$7.20", "2026-11-01"]);
        assert_eq!(price(1), ["$3.90 spot", "2026-07-20"]);
    }

    /// A run costs 20 cents today. The fast option takes 10 s within a factor of 1.5: its mean is 10 s · exp((ln 1.5 / 1.645)² / 2) =
    /// 10.31 s, which costs 1.117 cents at $3.90 an hour.
    #[test]
    fn costs_and_savings_of_a_month_are_columns_where_runs_are_known() {
        let with_runs = |runs_per_month: Option<f64>, runs_range: Option<[f64; 2]>| {
            let Decision { baseline, options, .. } = decision();
            let candidates = options.into_iter().map(|option| option.candidate).collect();
            let objective = Objective { runs_per_month, runs_range, ..Objective::default() };
            OptionsTable::new(&decide(baseline, candidates, objective))
        };
        let monthly = [OptionColumn::MonthlyCost, OptionColumn::MonthlySaving];
        let cells = |table: &OptionsTable, row: usize| monthly.map(|column| table.rows[row].cell(column).to_owned());
        let table = with_runs(Some(1000.0), None);
        assert_eq!(cells(&table, 0), ["$200", ""]);
        assert_eq!(cells(&table, 1), ["$11.2", "$189"]);
        assert!(table.footnote().contains("Costs and savings per month"), "{}", table.footnote());
        let range = with_runs(Some(1500.0), Some([1000.0, 2000.0]));
        assert_eq!(cells(&range, 0)[0], "$200 … $400");
        let without = with_runs(None, None);
        assert!(monthly.iter().all(|column| !without.columns.contains(column)));
        assert!(!without.footnote().contains("per month"), "{}", without.footnote());
    }

    #[test]
    fn a_report_has_every_column_with_text_and_no_other() {
        let decision = decision();
        let table = OptionsTable::new(&decision).table();
        let titles: Vec<&str> = table.columns.iter().map(|column| &*column.title).collect();
        assert_eq!(titles.first(), Some(&"row"));
        assert!(titles.contains(&"price date") && titles.contains(&"mean saving per run"), "{titles:?}");
        assert!(table.rows.iter().all(|row| row.len() == titles.len()));
        let without = Baseline { price: None, ..decision.baseline };
        let candidates = decision.options.into_iter().map(|option| option.candidate).collect();
        let by_time = OptionsTable::new(&decide(without, candidates, Objective::default()));
        assert_eq!(by_time.heading(OptionColumn::Saving), "mean time saved per run");
        assert!(!by_time.columns.contains(&OptionColumn::Cheaper), "{:?}", by_time.columns);
    }
}

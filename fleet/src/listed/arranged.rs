//! The list as shown: filtered, sorted and grouped, with its sums.

use std::collections::BTreeMap;

use super::filter::Filter;
use super::group::{By, Group, groups};
use super::order::Order;
use super::row::Row;
use super::total::{Cumulative, Total};
use crate::blocker::Blocker;

/// Filter, order and grouping of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arrangement {
    /// Which applications.
    pub filter: Filter,
    /// In which order.
    pub order: Order,
    /// Grouping; `None`: not grouped.
    pub by: Option<By>,
}

/// The list as shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Arranged {
    /// Places of the applications among all rows, in the order of the list.
    pub shown: Vec<usize>,
    /// The same in groups; empty if not grouped.
    pub groups: Vec<Group>,
    /// Their sum.
    pub total: Total,
    /// Their cumulative saving.
    pub cumulative: Cumulative,
    /// Blockers of the applications that are neither to move nor to be tried, the most time first; the filter's blocker does not
    /// apply here.
    pub blocked: Vec<Blocked>,
}

/// The applications of one blocker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocked {
    /// The first blocker of these applications.
    pub blocker: Blocker,
    /// Their number.
    pub applications: usize,
    /// Their time today, seconds.
    pub seconds: f64,
}

/// Filters, sorts and groups rows.
#[must_use]
pub fn arrange(rows: &[Row], arrangement: &Arrangement) -> Arranged {
    let Arrangement { filter, order, by } = arrangement;
    let is_shown = filter.without_blocker();
    let mut shown: Vec<usize> = (0..rows.len()).filter(|at| is_shown(&rows[*at])).collect();
    let blocked = blocked(shown.iter().map(|at| &rows[*at]));
    shown.retain(|at| filter.has_blocker(&rows[*at]));
    shown.sort_by(|a, b| order.rows(&rows[*a], &rows[*b]));
    let mut groups = by.map_or_else(Vec::new, |by| groups(rows, &shown, by));
    groups.sort_by(|a, b| order.groups(a, b));
    let of = || shown.iter().map(|at| &rows[*at]);
    Arranged {
        groups,
        total: Total::of(of().map(Into::into)),
        cumulative: Cumulative::of(of().map(Row::brings)),
        blocked,
        shown,
    }
}

fn blocked<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<Blocked> {
    let mut by: BTreeMap<Blocker, (usize, f64)> = BTreeMap::new();
    for row in rows {
        if let Some(blocker) = row.blocker() {
            let (applications, seconds) = by.entry(blocker).or_default();
            *applications += 1;
            *seconds += row.seconds.unwrap_or(0.0);
        }
    }
    let of = |(blocker, (applications, seconds))| Blocked { blocker, applications, seconds };
    let mut blocked: Vec<Blocked> = by.into_iter().map(of).collect();
    blocked.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then(a.blocker.cmp(&b.blocker)));
    blocked
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crossover_quantity::spread::Z_90;

    use super::super::order::Column;
    use super::*;
    use crate::application::{Range, Summary, Verdict};

    /// Time today and on GPUs, seconds; its verdict and what blocks it.
    fn row(name: &str, user: &str, times: Option<[f64; 2]>, verdict: Verdict, blocker: Option<Blocker>) -> Row {
        let gpu = times.map(|[_, gpu]| Range { value: gpu, low: gpu / 2.0, high: gpu * 2.0 });
        let summary = Summary {
            id: format!("id-{name}"),
            name: name.to_owned(),
            user: user.to_owned(),
            seconds: times.map(|[today, _]| today),
            option_time: gpu,
            verdict,
            blocked_by: blocker.into_iter().collect(),
            // An error factor (90 %) of e.
            standard_deviations: times.map(|[_, gpu]| (name.to_owned(), gpu / Z_90)).into_iter().collect(),
            today_usd: times.map(|[today, _]| today / 10.0),
            option_usd: times.map(|[_, gpu]| gpu / 5.0),
            expected_saving_usd: times.map(|[today, gpu]| today / 10.0 - gpu / 5.0),
            ..Summary::default()
        };
        Row::new(name, &summary)
    }

    fn organisation() -> Vec<Row> {
        vec![
            row("load-1", "ada", Some([100.0, 20.0]), Verdict::Move, None),
            row("load-2", "ada", Some([60.0, 40.0]), Verdict::Move, None),
            row("report", "bob", Some([300.0, 290.0]), Verdict::Try, Some(Blocker::Network)),
            row("ml", "eve", None, Verdict::CannotJudge, Some(Blocker::NoSql)),
            row("Small", "bob", Some([10.0, 15.0]), Verdict::Stay, Some(Blocker::TooShort)),
        ]
    }

    fn names(wanted: &Arrangement) -> Vec<String> {
        let rows = organisation();
        arrange(&rows, wanted).shown.iter().map(|at| rows[*at].name.clone()).collect()
    }

    #[test]
    fn unknown_values_are_last_in_both_directions() {
        let by =
            |column, is_descending| Arrangement { order: Order { column, is_descending }, ..Arrangement::default() };
        assert_eq!(names(&by(Column::Saves, true)), ["load-1", "load-2", "report", "Small", "ml"]);
        assert_eq!(names(&by(Column::Saves, false)), ["Small", "report", "load-2", "load-1", "ml"]);
        assert_eq!(names(&by(Column::Today, true)), ["report", "load-1", "load-2", "Small", "ml"]);
        assert_eq!(names(&by(Column::User, false)), ["load-1", "load-2", "Small", "report", "ml"]);
        // “no SQL” and “too short”; nothing blocks the others.
        assert_eq!(names(&by(Column::BlockedBy, false)), ["ml", "Small", "load-1", "load-2", "report"]);
        assert_eq!(names(&by(Column::Verdict, false)), ["load-1", "load-2", "report", "Small", "ml"]);
    }

    #[test]
    fn a_second_click_turns_the_order_and_numbers_begin_with_the_largest() {
        let order = Order::default().by(Column::Today);
        assert_eq!(order, Order { column: Column::Today, is_descending: true });
        assert!(!order.by(Column::Today).is_descending);
        assert!(!order.by(Column::User).is_descending);
    }

    #[test]
    fn text_verdicts_and_blockers_leave_out() {
        let of = |filter| names(&Arrangement { filter, ..Arrangement::default() });
        let text = |text: &str| of(Filter { text: text.to_owned(), ..Filter::default() });
        assert_eq!(text("BOB"), ["report", "Small"]);
        assert_eq!(text("load-*"), ["load-1", "load-2"]);
        assert_eq!(text("s*"), ["Small"]);
        assert_eq!(text("nothing"), [""; 0]);
        let verdicts = BTreeSet::from([Verdict::Try, Verdict::CannotJudge]);
        assert_eq!(of(Filter { verdicts, ..Filter::default() }), ["report", "ml"]);
        assert_eq!(of(Filter { blocker: Some(Blocker::TooShort), ..Filter::default() }), ["Small"]);
    }

    #[test]
    fn blockers_have_all_of_their_time_whichever_is_selected() {
        let filter = Filter { blocker: Some(Blocker::TooShort), ..Filter::default() };
        let blocked = arrange(&organisation(), &Arrangement { filter, ..Arrangement::default() }).blocked;
        // The one to be tried is limited by the network, but not kept from moving.
        let expected = [(Blocker::TooShort, 1, 10.0), (Blocker::NoSql, 1, 0.0)];
        let found: Vec<_> = blocked.iter().map(|one| (one.blocker, one.applications, one.seconds)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn groups_have_the_sums_of_their_applications() {
        let rows = organisation();
        let arranged = arrange(&rows, &Arrangement { by: Some(By::User), ..Arrangement::default() });
        let names: Vec<&str> = arranged.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["ada", "bob", "eve"], "largest saving first");
        let ada = &arranged.groups[0];
        assert_eq!((ada.total.applications, ada.total.moving, ada.total.seconds), (2, 2, 160.0));
        assert_eq!((ada.total.moved.value, ada.total.saved().value), (60.0, 100.0));
        // 10 + 6 dollars today, 4 + 8 there.
        assert!((ada.total.saved_usd.unwrap() - 4.0).abs() < 1e-12);
        // By hand: √(0.5·60² + 0.5·(20² + 40²)) = √2800 = 52.915; e^(52.915/60) = 2.41553.
        assert!((ada.total.moved.high / 60.0 - 2.415_53).abs() < 1e-5, "{:?}", ada.total.moved);
        let bob = &arranged.groups[1];
        assert_eq!((bob.total.moving, bob.total.moved.value, bob.total.saved_usd), (0, 310.0, None));
        assert_eq!(bob.blocker, Some(Blocker::TooShort));
        assert_eq!(arranged.total.saved().value, 100.0);
        let patterns = arrange(&rows, &Arrangement { by: Some(By::Pattern), ..Arrangement::default() });
        assert_eq!(patterns.groups[0].name, "load-#");
        assert_eq!(patterns.groups[0].rows, [0, 1]);
    }

    #[test]
    fn few_applications_bring_most_of_the_saving() {
        let cumulative = arrange(&organisation(), &Arrangement::default()).cumulative;
        assert_eq!(cumulative.seconds, [80.0, 100.0], "what is not to move saves nothing");
        assert_eq!((cumulative.top_for(0.8), cumulative.top_for(0.81), cumulative.applications), (Some(1), Some(2), 5));
        assert_eq!(Cumulative::default().top_for(0.8), None);
    }
}

//! The charts of a fleet: where time can be saved, the top applications that bring most of it, and what blocks the others.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::lines::{Band, Labelled, LineChart, Series};
use crossover_chart::scatter::{Dot, Scatter};
use crossover_chart::theme::Token;
use crossover_fleet::application::{Parts, Verdict};
use crossover_fleet::listed::{Arranged, Cumulative, Row};
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::{Unit, predicted};

use super::words::{HOUR, is_in_hours, none_moves, time};

/// The question that the bars of the blockers answer.
pub(super) const WHY_NOT: &str = "Why do applications not move?";
/// The share of the saving that the top applications bring.
const MOST: f64 = 0.8;
/// Points of a curve; more cannot be told apart.
const POINTS: usize = 400;
/// Up to so many applications each have a bar with a name in place of the curve.
const FEW: usize = 8;
/// An axis of fewer applications would have ticks between whole ones.
const LEAST: f64 = 4.0;

/// The colour of a verdict: the side that it names.
pub(super) fn token(verdict: Verdict) -> Token {
    match verdict {
        Verdict::Move => Token::Gpu,
        Verdict::Try => Token::Ethernet,
        Verdict::Stay => Token::Cpu,
        Verdict::CannotJudge => Token::TextWeak,
    }
}

/// The verdicts in the order of lists.
pub(super) const VERDICTS: [Verdict; 4] = [Verdict::Move, Verdict::Try, Verdict::Stay, Verdict::CannotJudge];

/// Seconds along an axis: never in hours, so that neighbours compare.
fn seconds(value: f64) -> String {
    if value >= 1.0 { format!("{} s", Unit::Count.format(value)) } else { Unit::Seconds.format(value) }
}

/// "Where can time be saved?": a dot for each application of the list, in its order.
pub(super) fn scatter(rows: &[Row], arranged: &Arranged) -> Scatter {
    let dot = |at: &usize| {
        let row = &rows[*at];
        let kind = VERDICTS.iter().position(|verdict| *verdict == row.verdict).unwrap_or(0);
        Dot { x: row.seconds.unwrap_or(f64::NAN), y: row.saved_seconds.unwrap_or(f64::NAN), kind }
    };
    let dots: Vec<Dot> = arranged.shown.iter().map(dot).collect();
    let range = |of: fn(&Dot) -> f64| {
        let (low, high) = dots
            .iter()
            .map(of)
            .filter(|value| value.is_finite() && *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        // Savings below a second are not worth a move.
        if low < high {
            [(low / 1.3).max(high / 1e6), high * 1.3]
        } else {
            [(high / 3.0).max(1.0), (high * 3.0).max(10.0)]
        }
    };
    let axis = |label: &str, range| Axis {
        label: label.to_owned(),
        format: seconds,
        scale: Scale::Log,
        range,
        step_unit: 1.0,
    };
    let longest = arranged.shown.iter().map(|at| &rows[*at]).max_by(|a, b| a.brings().total_cmp(&b.brings()));
    let answer = longest.filter(|row| row.brings() > 0.0).map_or_else(
        || none_moves(arranged.shown.len(), trials(rows, arranged)),
        |row| format!("{} saves most: {}.", row.name, Unit::Seconds.format(row.brings())),
    );
    Scatter {
        title: "Where can time be saved?".to_owned(),
        answer,
        x: axis("time today", range(|dot| dot.x)),
        y: axis("saved time", range(|dot| dot.y)),
        kinds: VERDICTS.map(|verdict| (verdict.label().to_owned(), token(verdict))).to_vec(),
        dots,
        below: "none".to_owned(),
    }
}

/// How many of the shown applications are worth a trial.
pub(super) fn trials(rows: &[Row], arranged: &Arranged) -> usize {
    arranged.shown.iter().filter(|at| rows[**at].verdict == Verdict::Try).count()
}

/// "40 of 312 applications bring 80 % of the saving", or all of it; `trials`: how many are worth a trial.
pub(super) fn top_title(cumulative: &Cumulative, trials: usize) -> String {
    let all = cumulative.applications;
    match cumulative.top_for(MOST) {
        Some(_) if all == 1 => "The application brings all of the saving".to_owned(),
        Some(top) => {
            let bring = if top == 1 { "brings" } else { "bring" };
            let is_all = top == cumulative.seconds.len();
            let share = if is_all { "all" } else { "80 %" };
            let applications = counted_of(top as f64, all as f64, "application");
            format!("{applications} {bring} {share} of the saving")
        }
        None if all == 0 => "No applications".to_owned(),
        None => none_moves(all, trials).trim_end_matches('.').to_owned(),
    }
}

/// Whole applications, up to a place on their axis.
fn whole(applications: f64) -> String {
    Unit::Count.format((applications + 1e-9).floor())
}

/// The saving of each application that is to move, with the share of all that they bring together so far; `None` if none moves, or more
/// than can be named.
pub(super) fn few(rows: &[Row], arranged: &Arranged) -> Option<BarChart> {
    let mut saving: Vec<&Row> = arranged.shown.iter().map(|at| &rows[*at]).filter(|row| row.brings() > 0.0).collect();
    if saving.is_empty() || saving.len() > FEW {
        return None;
    }
    saving.sort_by(|a, b| b.brings().total_cmp(&a.brings()));
    let all: f64 = saving.iter().map(|row| row.brings()).sum();
    let mut so_far = 0.0;
    let mut bar = |row: &&Row| {
        so_far += row.brings();
        BarRow {
            group: row.name.clone(),
            label: String::new(),
            token: Token::Gpu,
            start: 0.0,
            segments: vec![Segment { name: "saved time".to_owned(), token: Token::Gpu, value: row.brings() }],
            total: row.brings(),
            interval: None,
            note: format!("{} so far", Unit::Share.format((so_far / all * 100.0 + 1e-9).floor() / 100.0)),
            detail: String::new(),
        }
    };
    Some(BarChart {
        title: String::new(),
        subtitle: String::new(),
        answer: String::new(),
        step_unit: 1.0,
        unit_format: Unit::Seconds.formatter(),
        rows: saving.iter().map(&mut bar).collect(),
    })
}

/// The cumulative saving; `None` if nothing is saved.
pub(super) fn cumulative(cumulative: &Cumulative) -> Option<LineChart> {
    let all = *cumulative.seconds.last()?;
    let top = cumulative.top_for(MOST)?;
    let (unit, scale) = if is_in_hours(all) { ("h", HOUR) } else { ("s", 1.0) };
    let count = cumulative.seconds.len();
    let point = |at: usize| [(at + 1) as f64, cumulative.seconds[at] / scale];
    let step = count.div_ceil(POINTS);
    let mut points = vec![[0.0, 0.0]];
    points.extend((0..count).step_by(step).map(point));
    if !(count - 1).is_multiple_of(step) {
        points.push(point(count - 1));
    }
    let formatter = Unit::Ratio.formatter();
    let end = LEAST.max(count as f64);
    Some(LineChart {
        answer: format!(
            "{} saved in total, by {} {}.",
            time(all, is_in_hours(all)),
            Unit::Count.format(count as f64),
            if count == 1 { "application" } else { "applications" }
        ),
        // Without any height: it keeps the end of the axis in sight.
        bands: vec![Band { name: String::new(), token: Token::Gpu, points: vec![[0.0; 3], [end, 0.0, 0.0]] }],
        series: vec![Series {
            // Nothing is between two applications, where each has a point.
            steps: step == 1,
            ..Series::line(format!("saved time, {unit}"), Token::Gpu, points)
        }],
        points: vec![Labelled {
            // The share that these applications bring, which is at least that of the title.
            label: format!("{} %", (cumulative.seconds[top - 1] / all * 100.0 + 1e-9).floor()),
            short: String::new(),
            x: top as f64,
            y: point(top - 1)[1],
            token: Token::Gpu,
        }],
        ..LineChart::new(
            top_title(cumulative, 0),
            Axis {
                label: "applications, largest saving first".to_owned(),
                format: whole,
                scale: Scale::Linear,
                range: [0.0, end],
                step_unit: 1.0,
            },
            Axis {
                label: format!("saved time, {unit}"),
                format: formatter,
                scale: Scale::Linear,
                range: [0.0, all / scale],
                step_unit: 1.0,
            },
        )
    })
}

/// The answer to [`WHY_NOT`]; `first`: the name of the blocker with the longest time.
pub(super) fn most_common(first: Option<&str>) -> String {
    first.map(|name| format!("Most common blocker by time: {name}.")).unwrap_or_default()
}

/// "Why do applications not move?": a bar for each blocker, of its name, its number of applications and their time today, seconds; the
/// longest time first.
pub(super) fn blockers<'a>(blockers: impl IntoIterator<Item = (&'a str, usize, f64)>) -> BarChart {
    let row = |(name, applications, seconds): (&str, usize, f64)| BarRow {
        group: name.to_owned(),
        label: String::new(),
        token: Token::Uncontrolled,
        start: 0.0,
        segments: vec![Segment { name: "time today".to_owned(), token: Token::Uncontrolled, value: seconds }],
        total: seconds,
        interval: None,
        note: counted(applications as f64, "application"),
        detail: String::new(),
    };
    let rows: Vec<BarRow> = blockers.into_iter().map(row).collect();
    BarChart {
        title: WHY_NOT.to_owned(),
        subtitle: "time today of these applications".to_owned(),
        answer: most_common(rows.first().map(|row| row.group.as_str())),
        step_unit: 1.0,
        unit_format: Unit::Seconds.formatter(),
        rows,
    }
}

/// A time with an option, seconds.
pub(super) struct OptionTime {
    /// The option.
    pub(super) name: String,
    /// The time.
    pub(super) seconds: f64,
    /// Its 90 % interval.
    pub(super) interval: Option<[f64; 2]>,
}

/// "Time today and with other engines": today's time, that on the GPU cluster by its parts, and that with the option if it is another
/// one; each has its own interval. `on_cluster`: `None` without a time there. `staying`: unchanged time, seconds.
pub(super) fn parts(
    today: f64,
    staying: f64,
    on_cluster: Option<(&OptionTime, &Parts)>,
    option: Option<&OptionTime>,
) -> BarChart {
    let segment = |name: &str, token, value| Segment { name: name.to_owned(), token, value };
    let row = |label: &str, token, segments: Vec<Segment>, interval| BarRow {
        group: label.to_owned(),
        label: String::new(),
        token,
        start: 0.0,
        total: segments.iter().map(|segment: &Segment| segment.value).sum(),
        segments,
        interval,
        note: String::new(),
        detail: String::new(),
    };
    // With the digits of the sentence above the chart.
    let rounded = |row: BarRow| BarRow { total: predicted(row.total), ..row };
    let of_option = option.map(|option| {
        let changed = (option.seconds - staying).max(0.0);
        let segments = vec![
            segment("unchanged", Token::Uncontrolled, staying),
            segment("queries with the option", Token::Accent, changed),
        ];
        rounded(row(&option.name, Token::Accent, segments, option.interval))
    });
    let today = row("today", Token::Cpu, vec![segment("today", Token::Cpu, today)], None);
    // The last one has the parts.
    let on_gpus = on_cluster.map(|(cluster, parts)| {
        let segments = vec![
            segment("unchanged", Token::Uncontrolled, staying),
            segment("start of queries", Token::Term(7), parts.start),
            segment("work on GPUs", Token::Term(0), parts.work),
            segment("reading", Token::Term(8), parts.storage),
            segment("exchanges", Token::Term(4), parts.network),
            segment("operators on CPUs", Token::Term(1), parts.unsupported),
        ];
        rounded(row(&cluster.name, Token::Gpu, segments, cluster.interval))
    });
    BarChart {
        title: "Time today and with other engines".to_owned(),
        subtitle: String::new(),
        answer: String::new(),
        step_unit: 1.0,
        unit_format: Unit::Seconds.formatter(),
        rows: std::iter::once(today).chain(of_option).chain(on_gpus).collect(),
    }
}

#[cfg(test)]
mod tests {
    use crossover_fleet::listed::{Arrangement, arrange};

    use super::*;

    #[test]
    fn the_sentence_counts_applications() {
        let of = |seconds: Vec<f64>, applications| top_title(&Cumulative { seconds, applications }, 0);
        assert_eq!(of(vec![50.0, 90.0, 100.0], 312), "2 of 312 applications bring 80 % of the saving");
        assert_eq!(of(vec![5.0], 1), "The application brings all of the saving");
        assert_eq!(of(Vec::new(), 1), "The application should not move");
        assert_eq!(of(vec![5.0], 7), "1 of 7 applications brings all of the saving");
        assert_eq!(of(Vec::new(), 1_200), "None of 1,200 applications should move");
        let none = Cumulative { seconds: Vec::new(), applications: 1 };
        assert_eq!(top_title(&none, 1), "The application is worth a trial before a move");
    }

    #[test]
    fn few_applications_have_a_bar_each_with_the_share_that_they_bring_so_far() {
        let row = |name: &str, saved| {
            let mut row = Row::default();
            (row.name, row.verdict, row.saved_seconds) = (name.to_owned(), Verdict::Move, Some(saved));
            row
        };
        let few_of = |rows: &[Row]| few(rows, &arrange(rows, &Arrangement::default()));
        let chart = few_of(&[row("small", 20.0), row("large", 180.0)]).expect("bars");
        let read: Vec<(&str, f64, &str)> =
            chart.rows.iter().map(|row| (row.group.as_str(), row.total, row.note.as_str())).collect();
        assert_eq!(read, [("large", 180.0, "90 % so far"), ("small", 20.0, "100 % so far")]);
        let many: Vec<Row> = (0..=FEW).map(|place| row(&place.to_string(), 1.0)).collect();
        assert!(few_of(&many).is_none() && few_of(&[]).is_none());
    }

    #[test]
    fn ticks_of_applications_are_whole_however_few_they_are() {
        for count in 1..=12 {
            let seconds: Vec<f64> = (1..=count).map(f64::from).collect();
            let chart = cumulative(&Cumulative { seconds, applications: 12 }).expect("something is saved");
            // Plots reach as far as what is in them.
            let ends = chart.bands.iter().flat_map(|band| &band.points).map(|point| point[0]);
            let end = ends.chain(chart.series[0].points.iter().map(|point| point[0])).fold(0.0, f64::max);
            assert_eq!([0.0, end], chart.x.range, "{count} applications");
            let ticks = chart.x.ticks(7);
            assert!(ticks.iter().all(|tick| tick.value.fract() == 0.0), "{count} applications: {ticks:?}");
            // Between the second and the third, two are before.
            assert_eq!((chart.x.format)(2.480_1), "2");
        }
    }

    #[test]
    fn a_curve_of_many_applications_has_few_points_and_both_ends() {
        let seconds: Vec<f64> = (1..=9_999).map(f64::from).collect();
        let chart = cumulative(&Cumulative { seconds, applications: 10_000 }).expect("something is saved");
        let points = &chart.series[0].points;
        assert!(points.len() <= POINTS + 2, "{}", points.len());
        assert_eq!((points[0], points[points.len() - 1]), ([0.0, 0.0], [9_999.0, 9_999.0 / 3_600.0]));
        assert!(chart.series[0].points.windows(2).all(|pair| pair[0][0] < pair[1][0]));
    }

    #[test]
    fn blockers_have_bars_of_their_times_and_the_first_one_is_the_answer() {
        let chart = blockers([("network", 16, 25_470.0), ("too short", 1, 100.0)]);
        let rows: Vec<(&str, f64, &str)> =
            chart.rows.iter().map(|row| (row.group.as_str(), row.total, row.note.as_str())).collect();
        assert_eq!(rows, [("network", 25_470.0, "16 applications"), ("too short", 100.0, "1 application")]);
        assert_eq!(chart.answer, "Most common blocker by time: network.");
        assert_eq!(blockers([]).answer, "");
    }

    #[test]
    fn an_option_other_than_the_gpu_cluster_has_a_bar_and_an_interval_of_its_own() {
        let of =
            |name: &str, seconds, interval| OptionTime { name: name.to_owned(), seconds, interval: Some(interval) };
        let cluster = of("RAPIDS", 22.0, [20.0, 29.0]);
        let option = of("Gluten", 28.0, [22.0, 45.0]);
        let found = Parts { work: 4.0, ..Parts::default() };
        let chart = parts(43.0, 18.0, Some((&cluster, &found)), Some(&option));
        let rows: Vec<(&str, f64, Option<[f64; 2]>)> =
            chart.rows.iter().map(|row| (row.group.as_str(), row.total, row.interval)).collect();
        assert_eq!(
            rows,
            [("today", 43.0, None), ("Gluten", 28.0, Some([22.0, 45.0])), ("RAPIDS", 22.0, Some([20.0, 29.0]))]
        );
        assert_eq!(parts(43.0, 18.0, Some((&cluster, &found)), None).rows.len(), 2);
        // A measured time has all its digits, a predicted one two.
        let option = of("Gluten", 4_078.0, [2_600.0, 6_700.0]);
        let totals: Vec<f64> = parts(8_754.0, 0.0, None, Some(&option)).rows.iter().map(|row| row.total).collect();
        assert_eq!(totals, [8_754.0, 4_100.0]);
    }
}

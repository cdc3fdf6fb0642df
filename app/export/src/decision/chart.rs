//! The chart of a decision: time against cost of every option.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::lines::{Labelled, LineChart, Marker, Samples, Series};
use crossover_chart::theme::Token;
use crossover_decision::Decision;
use crossover_decision::words::{dollars, seconds};

use super::options::{row_number, time_and_cost};

/// Room around the points of a chart, as a factor.
const ROOM: f64 = 1.4;

/// Time against cost of every option, with its row in the table and its name; a line is the 90 % interval of its time, a dashed one joins the options of the
/// Pareto front. `None` without prices.
#[must_use]
pub fn chart(decision: &Decision) -> Option<LineChart> {
    let today_usd = decision.today_usd()?.value;
    let now = [decision.baseline.time.value(), today_usd];
    let mut intervals = Vec::new();
    let (mut best, mut others) = (Vec::new(), Vec::new());
    for (place, option) in decision.options.iter().enumerate() {
        let Some((time, usd)) = option.candidate.time.zip(option.usd) else { continue };
        let point = labelled(decision, Some(place), &option.candidate.title, [time.value(), usd.value]);
        if decision.recommends(Some(place)) {
            best.push((Some(place), Labelled { token: Token::Text, ..point }));
        } else {
            others.push((Some(place), Labelled { token: Token::Gpu, ..point }));
        }
        // At one cost: time and cost change together, so that options on the same machines would share one line.
        if let Some([low, high]) = time.interval() {
            intervals.extend([[low, usd.value], [high, usd.value], [f64::NAN; 2]]);
        }
    }
    if best.is_empty() && others.is_empty() {
        return None;
    }
    let of_today = labelled(decision, None, &decision.baseline.title, now);
    // Where there is no room for all names, the first ones stay; the others have the numbers of their rows only.
    let rows = best.iter().cloned().chain([(None, of_today.clone())]).chain(others.iter().cloned());
    let (places, points): (Vec<Option<usize>>, Vec<Labelled>) = rows.unzip();
    let readings = places.into_iter().map(|place| time_and_cost(decision, place)).collect();
    let places = points.iter().map(|point| [point.x, point.y]);
    let every: Vec<[f64; 2]> = places.chain(intervals.iter().copied()).collect();
    let marks = |name: &str, token: Token, marker: Marker, points: Vec<(Option<usize>, Labelled)>| {
        let (places, names) = points.iter().map(|(_, point)| ([point.x, point.y], point.name())).unzip();
        Series::marks(name, token, Samples { marker, places, names, ..Samples::default() })
    };
    let mut series = vec![Series::line("90 % interval of the time", Token::TextWeak, intervals)];
    let front = front(decision, now);
    if front.len() > 1 {
        series.push(Series { dashed: true, ..Series::line("Pareto front", Token::Accent, front) });
    }
    series.push(marks("today", Token::Cpu, Marker::Diamond, vec![(None, of_today)]));
    if !best.is_empty() {
        series.push(marks("recommended", Token::Text, Marker::Diamond, best));
    }
    series.push(marks("other options", Token::Gpu, Marker::Down, others));
    let range = |at: usize| {
        let values = every.iter().map(|place| place[at]).filter(|value| *value > 0.0 && value.is_finite());
        let [low, high] =
            values.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], value| [value.min(low), value.max(high)]);
        [low / ROOM, high * ROOM]
    };
    Some(LineChart {
        subtitle: decision.baseline.title.clone(),
        answer: decision.sentence(),
        series,
        points,
        readings,
        ..LineChart::new(
            "How long does each option take, and what does it cost?",
            Axis {
                label: "median time of a run".to_owned(),
                format: seconds,
                scale: Scale::Log,
                range: range(0),
                step_unit: 1.0,
            },
            Axis {
                // Its ticks have the sign of the unit.
                label: "median cost of a run".to_owned(),
                format: dollars,
                scale: Scale::Log,
                range: range(1),
                step_unit: 1.0,
            },
        )
    })
}

/// The point of an option with the number of its row and its title; `None`: of today.
fn labelled(decision: &Decision, place: Option<usize>, title: &str, [x, y]: [f64; 2]) -> Labelled {
    let short = row_number(decision, place).to_string();
    Labelled { label: title.to_owned(), short, x, y, token: Token::Cpu }
}

/// Times and costs of what is on the Pareto front, the fastest first; `now`: those of today.
fn front(decision: &Decision, now: [f64; 2]) -> Vec<[f64; 2]> {
    let efficient = decision.options.iter().filter(|option| option.is_efficient == Some(true));
    let places = efficient.filter_map(|option| Some([option.candidate.time?.value(), option.usd?.value]));
    let today = (decision.is_today_efficient() == Some(true)).then_some(now);
    let mut front: Vec<[f64; 2]> = places.chain(today).collect();
    front.sort_by(|a, b| a[0].total_cmp(&b[0]));
    front
}

#[cfg(test)]
mod tests {
    use crossover_decision::{Baseline, Candidate, Objective, PredictedTime, Price, decide};

    use super::super::{OptionColumn, OptionsTable};
    use super::*;

    #[test]
    fn every_point_and_its_mark_have_the_number_and_the_title_of_their_row() {
        let option = |title: &str, seconds: f64| {
            Candidate::predicted(title, PredictedTime::within(seconds, 1.5), Some(Price::entered(3.6)))
        };
        let baseline = Baseline::measured("Spark", 100.0, Some(Price::entered(7.2)));
        let decision = decide(baseline, vec![option("fast", 10.0), option("slow", 400.0)], Objective::default());
        let table = OptionsTable::new(&decision);
        let title = |row: usize| table.rows[row].cell(OptionColumn::Title).trim_start_matches("stay: ");
        let rows: Vec<String> =
            (0..3).map(|row| format!("{}: {}", table.rows[row].cell(OptionColumn::Row), title(row))).collect();
        let chart = chart(&decision).expect("prices");
        let mut names: Vec<String> = chart.points.iter().map(Labelled::name).collect();
        let mut marks: Vec<String> = chart.series.iter().flat_map(|series| series.samples.names.clone()).collect();
        names.sort();
        marks.sort();
        assert_eq!([names, marks], [rows.clone(), rows]);
        for (point, reading) in chart.points.iter().zip(&chart.readings) {
            let row = table.rows.iter().find(|row| row.cell(OptionColumn::Row) == point.short).expect("a row");
            let cells = [OptionColumn::Time, OptionColumn::Cost].map(|column| row.cell(column));
            assert_eq!(reading, &cells, "{}", point.label);
        }
    }
}

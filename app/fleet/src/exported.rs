//! The charts of all applications as they are exported: dots as marks with the names of their applications, and each chart with its
//! title and its answer.

use crossover_chart::Chart;
use crossover_chart::bars::BarChart;
use crossover_chart::lines::{LineChart, Marker, Samples, Series};
use crossover_fleet::listed::Row;
use crossover_quantity::text::counted;

use super::arranging::Shown;
use super::charts::{self as drawn, WHY_NOT};

/// Shapes of the dots, one for each verdict: a picture may be printed without colours.
const MARKERS: [Marker; 4] = [Marker::Up, Marker::Diamond, Marker::Square, Marker::Down];

/// Titles and subtitles of the charts, in their order.
pub(super) fn captions(shown: &Shown) -> Vec<[&str; 2]> {
    if shown.arranged.shown.is_empty() {
        return Vec::new();
    }
    let saving = shown.cumulative.as_ref().map(LineChart::captions);
    let blockers = (!shown.arranged.blocked.is_empty()).then_some([WHY_NOT, ""]);
    std::iter::once([shown.scatter.title.as_str(), ""]).chain(saving).chain(blockers).collect()
}

/// The charts of the shown applications, in the order of their [`captions`].
pub(super) fn charts(rows: &[Row], shown: &Shown) -> Vec<Chart> {
    if shown.arranged.shown.is_empty() {
        return Vec::new();
    }
    let saving = shown.cumulative.as_ref().map(|cumulative| match &shown.few {
        Some(few) => {
            Chart::Bars(BarChart { title: cumulative.title.clone(), answer: cumulative.answer.clone(), ..few.clone() })
        }
        None => Chart::Lines(cumulative.clone()),
    });
    let blocked = &shown.arranged.blocked;
    let bars = || drawn::blockers(blocked.iter().map(|one| (one.blocker.label(), one.applications, one.seconds)));
    let blockers = (!blocked.is_empty()).then(|| Chart::Bars(bars()));
    std::iter::once(Chart::Lines(dots(rows, shown))).chain(saving).chain(blockers).collect()
}

/// The dots as marks, a series for each verdict.
fn dots(rows: &[Row], shown: &Shown) -> LineChart {
    let scatter = &shown.scatter;
    let has_place = |place: [f64; 2]| scatter.x.has_place_for(place[0]) && scatter.y.has_place_for(place[1]);
    let of_kind = |kind: usize| -> Samples {
        let dots = scatter.dots.iter().zip(&shown.arranged.shown).filter(|(dot, _)| dot.kind == kind);
        let named =
            dots.map(|(dot, at)| ([dot.x, dot.y], rows.get(*at).map_or_else(String::new, |row| row.name.clone())));
        let (places, names) = named.filter(|(place, _)| has_place(*place)).unzip();
        Samples { places, names, ..Samples::default() }
    };
    let series: Vec<Series> = scatter
        .kinds
        .iter()
        .zip(MARKERS)
        .enumerate()
        .map(|(kind, ((name, token), marker))| Series::marks(name.clone(), *token, Samples { marker, ..of_kind(kind) }))
        .filter(|series| !series.samples.places.is_empty())
        .collect();
    let placed: usize = series.iter().map(|series| series.samples.places.len()).sum();
    let without = scatter.dots.len() - placed;
    let subtitle = if without > 0 {
        format!("not shown: {} without a saved time", counted(without as f64, "application"))
    } else {
        String::new()
    };
    LineChart {
        subtitle,
        answer: scatter.answer.clone(),
        series,
        ..LineChart::new(scatter.title.clone(), scatter.x.clone(), scatter.y.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crossover_fleet::application::Verdict;
    use crossover_fleet::listed::{Arrangement, arrange};

    use super::*;

    fn row(name: &str, verdict: Verdict, saved: Option<f64>) -> Row {
        let mut row = Row::default();
        (row.name, row.verdict, row.seconds, row.saved_seconds) = (name.to_owned(), verdict, Some(1_000.0), saved);
        row
    }

    fn shown(rows: &[Row]) -> Shown {
        let arranged = arrange(rows, &Arrangement::default());
        Shown {
            of: Arc::new(Err(String::new())),
            sentence: None,
            portfolio: Vec::new(),
            scatter: drawn::scatter(rows, &arranged),
            cumulative: drawn::cumulative(&arranged.cumulative),
            few: drawn::few(rows, &arranged),
            arranged,
        }
    }

    /// The name of a series, its places and the names at them.
    type Marks<'a> = (&'a str, &'a [[f64; 2]], Vec<&'a str>);

    #[test]
    fn dots_are_marks_with_the_names_of_their_applications() {
        let rows = [
            row("small", Verdict::Move, Some(20.0)),
            row("large", Verdict::Move, Some(180.0)),
            row("trial", Verdict::Try, Some(50.0)),
            row("stays", Verdict::Stay, None),
        ];
        let shown = shown(&rows);
        let charts = charts(&rows, &shown);
        let Chart::Lines(chart) = &charts[0] else { panic!("marks") };
        let read: Vec<Marks<'_>> = chart
            .series
            .iter()
            .map(|series| {
                let names = series.samples.names.iter().map(String::as_str).collect();
                (series.name.as_str(), &*series.samples.places, names)
            })
            .collect();
        let moves = [[1_000.0, 180.0], [1_000.0, 20.0]];
        let expected: [Marks<'_>; 2] = [
            (Verdict::Move.label(), &moves, vec!["large", "small"]),
            (Verdict::Try.label(), &[[1_000.0, 50.0]], vec!["trial"]),
        ];
        assert_eq!(read, expected);
        assert_eq!(chart.subtitle, "not shown: 1 application without a saved time");
    }

    #[test]
    fn there_is_a_title_for_each_chart_and_no_chart_without_applications() {
        let rows = [row("large", Verdict::Move, Some(180.0)), row("stays", Verdict::Stay, None)];
        let shown_rows = shown(&rows);
        let titles: Vec<String> = charts(&rows, &shown_rows)
            .into_iter()
            .map(|chart| match chart {
                Chart::Lines(chart) => chart.title,
                Chart::Bars(chart) => chart.title,
                other => panic!("{other:?}"),
            })
            .collect();
        let captions: Vec<&str> = captions(&shown_rows).into_iter().map(|[title, _]| title).collect();
        assert_eq!(titles, captions);
        assert_eq!(titles[..2], ["Where can time be saved?", "1 of 2 applications brings all of the saving"]);
        assert!(charts(&[], &shown(&[])).is_empty() && super::captions(&shown(&[])).is_empty());
    }
}

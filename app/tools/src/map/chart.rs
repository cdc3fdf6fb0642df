//! One figure over two numbers, as a heat map with the contour at its level.

use crossover_chart::axis::{Axis, Scale};
use crossover_chart::map::{Category, Cell, Contour, MapChart, Mark, Pattern};
use crossover_export::axis::axis;
use crossover_files::shell::quoted;
use crossover_quantity::unit::Unit;
use crossover_study::Better;
use crossover_tools::map::{Along, FigureMap, POINTS};
use crossover_tools::range::written;
use crossover_tools::titles::{title, title_with_unit};
use crossover_tools::{Mapped, Range};

/// A figure whose values differ by more than this factor is coloured by its logarithm.
const DECADES: f64 = 30.0;

/// The map of its first figure, with the contour and the scenario's own values. `now`: the figure at these values, once it is known.
pub(super) fn chart(
    mapped: &Mapped,
    of: &FigureMap,
    level: Option<f64>,
    present: Option<[f64; 2]>,
    now: Option<f64>,
) -> MapChart {
    let (x, y) = (&mapped.x, &mapped.y);
    let value = colours(of);
    let written = value.format;
    let heading = match level {
        Some(level) => format!("Where does {} reach {}?", of.label, written(level)),
        None => format!("How does {} change with {} and {}?", of.label, named(x), named(y)),
    };
    let contour =
        |level: f64| Contour { name: format!("{} = {}", of.label, written(level)), lines: mapped.contour(0, level) };
    let mut chart = MapChart {
        title: heading,
        subtitle: format!("{} and {}", title_with_unit(x.quantity, &x.path), title_with_unit(y.quantity, &y.path)),
        answer: String::new(),
        x: axis_along(x),
        y: axis_along(y),
        xs: x.values.clone(),
        ys: y.values.clone(),
        value,
        cells: of.values.iter().map(|value| Cell { value: *value, category: usize::from(value.is_none()) }).collect(),
        categories: vec![
            Category { name: "a value".to_owned(), pattern: Pattern::Plain },
            Category { name: "no value".to_owned(), pattern: Pattern::Rising },
        ],
        contours: level.map(contour).into_iter().collect(),
        marks: present.map(|[x, y]| Mark { label: "now".to_owned(), x, y, is_present: true }).into_iter().collect(),
        gesture: "Click or drag to set these numbers",
        is_stale: false,
    };
    let now = now.filter(|_| chart.placed_present().is_some());
    let now = now.map_or_else(String::new, |now| format!("; now {}", written(now)));
    let idle = without_effect(mapped, of).map(|along| format!(" {} has no effect on {} here.", named(along), of.label));
    chart.answer = answer(mapped, of, level, written) + &now + "." + &idle.unwrap_or_default();
    chart
}

/// Both numbers and the figure of a cell.
pub(super) fn read(mapped: &Mapped, of: &FigureMap, [column, row]: [usize; 2]) -> String {
    let number = |along: &Along, place: usize| {
        let value = along.values.get(place).copied().unwrap_or(f64::NAN);
        format!("{}: {}", named(along), along.quantity.unit.format(value))
    };
    let value =
        mapped.value(0, column, row).map_or_else(|| "no value".to_owned(), |value| of.figure.unit.format(value));
    format!("{}\n{}\n{}: {value}", number(&mapped.x, column), number(&mapped.y, row), of.label)
}

/// "machine price (engines · gpu)": other parts of a scenario have numbers with the same label.
fn named(along: &Along) -> String {
    title(along.quantity, &along.path)
}

/// The number with which a figure does not change anywhere in the map; `None` if it changes with both, or with neither.
fn without_effect<'m>(mapped: &'m Mapped, of: &FigureMap) -> Option<&'m Along> {
    let columns = mapped.x.values.len().max(1);
    let rows = || of.values.chunks(columns);
    let is_same_in_rows = rows().all(|row| row.iter().all(|value| *value == row[0]));
    let is_same_in_columns = rows().all(|row| *row == of.values[..row.len()]);
    match (is_same_in_rows, is_same_in_columns) {
        (true, false) => Some(&mapped.x),
        (false, true) => Some(&mapped.y),
        _ => None,
    }
}

fn axis_along(along: &Along) -> Axis {
    let scale = Scale::of(along.is_logarithmic);
    let unit_axis = |range| axis(named(along), along.quantity.unit, scale, range);
    // Values are placed as on any axis of this scale.
    let any = unit_axis([0.0, 1.0]);
    let plot: Vec<f64> = along.values.iter().map(|value| any.to_plot(*value)).collect();
    // The first and the last cell are as large as those beside them.
    let range = match plot.as_slice() {
        [first, second, ..] => {
            let [.., before, last] = plot.as_slice() else { return any };
            [first - 0.5 * (second - first), last + 0.5 * (last - before)]
        }
        [only] => [only - 0.5, only + 0.5],
        [] => return any,
    };
    unit_axis(range.map(|end| any.from_plot(end)))
}

/// The colour scale: logarithmic where values span decades.
fn colours(of: &FigureMap) -> Axis {
    let [least, most] = known(of).fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
    let spans_decades = least > 0.0 && most / least > DECADES;
    let range = if least < most {
        [least, most]
    } else if least == most {
        [least - 0.5 * least.abs().max(1e-9), least + 0.5 * least.abs().max(1e-9)]
    } else {
        [0.0, 1.0]
    };
    axis(&of.label, of.figure.unit, Scale::of(spans_decades), range)
}

fn known(of: &FigureMap) -> impl Iterator<Item = f64> {
    of.values.iter().flatten().copied()
}

/// Where the figure reaches its level, or where it is best; `written` writes a value of the figure.
fn answer(mapped: &Mapped, of: &FigureMap, level: Option<f64>, written: fn(f64) -> String) -> String {
    let columns = mapped.x.values.len();
    let idle = without_effect(mapped, of).map(|along| &along.path);
    let at = |place: usize| {
        let number = |(along, place): (&Along, usize)| {
            let value = along.quantity.unit.format(along.values.get(place).copied().unwrap_or(f64::NAN));
            format!("{} {value}", named(along))
        };
        // A value of a number without effect is not better than another one.
        let numbers = [(&mapped.x, place % columns), (&mapped.y, place / columns)].into_iter();
        numbers.filter(|(along, _)| idle != Some(&along.path)).map(number).collect::<Vec<_>>().join(", ")
    };
    let values = || of.values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?)));
    let by = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let (Some(least), Some(most)) = (values().min_by(by), values().max_by(by)) else {
        return "No value in this range".to_owned();
    };
    if least.1 == most.1 {
        return format!("Constant at {} wherever it has a value", written(most.1));
    }
    if let Some(level) = level {
        let above = known(of).filter(|value| *value >= level).count();
        let share = above as f64 / known(of).count() as f64;
        return match above {
            0 => format!("Nowhere in this range: at most {} at {}", written(most.1), at(most.0)),
            _ if least.1 >= level => {
                format!("Everywhere in this range: at least {} at {}", written(least.1), at(least.0))
            }
            _ => format!(
                "Along the line. In {} of the map it is {} or more, up to {} at {}",
                Unit::Share.format(share),
                written(level),
                written(most.1),
                at(most.0)
            ),
        };
    }
    let [best, worst] = match of.figure.better {
        Better::Lower => [least, most],
        Better::Higher | Better::Neither => [most, least],
    };
    let [first, second] = match of.figure.better {
        Better::Neither => ["Highest", "lowest"],
        _ => ["Best", "worst"],
    };
    format!("{first} {} at {}; {second} {} at {}", written(best.1), at(best.0), written(worst.1), at(worst.0))
}

/// The same map on the command line.
pub(super) fn command_line(ranges: &[Range; 2], figure: &str, level: &str) -> String {
    let [x, y] = ranges.each_ref().map(|range| quoted(&written(range, POINTS)));
    let level = match level.trim() {
        "" => String::new(),
        level => format!(" --level {}", quoted(level)),
    };
    format!("crossover map FILE --x {x} --y {y} --figure {}{level}", quoted(figure))
}

#[cfg(test)]
mod tests {
    use crossover_study::Watch;
    use crossover_tools::{Map, map};

    use super::*;

    /// The published study uses InfiniBand, so the speed of 10 Gb Ethernet has no effect.
    #[test]
    fn a_number_without_effect_is_named_and_has_no_best_value() {
        let text = include_str!("../../../../scenarios/placement-published.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let range = |path: &str, ends| Range { path: path.to_owned(), ends, points: 4, is_logarithmic: true };
        let idle = "networks.10 Gb Ethernet.effective_gbit_per_s";
        let [join, ethernet] = [range("operators.join.cpu_seconds_per_100mb", [1.0, 100.0]), range(idle, [0.1, 10.0])];
        for [x, y] in [[join.clone(), ethernet.clone()], [ethernet, join]] {
            let request = Map { x, y, figures: vec!["operators.join.speedup".to_owned()] };
            let mapped = Watch::uncancellable(|watch| map(study.subject(), &request, watch));
            let mapped = mapped.expect("a map").expect("not cancelled");
            let of = &mapped.figures[0];
            let chart = chart(&mapped, of, None, None, None);
            let (best, reason) = chart.answer.split_once(". ").expect("two sentences");
            assert!(
                best.contains(" at CPU time per 100 MB (operators · join) ") && !best.contains("Ethernet"),
                "{best}"
            );
            assert_eq!(reason, "effective speed (networks · 10 Gb Ethernet) has no effect on join: speedup here.");
            let axes = [&chart.x.label, &chart.y.label];
            assert!(axes.iter().any(|label| label.starts_with("CPU time per 100 MB (operators · join)")), "{axes:?}");
        }
    }

    /// 2 h … 8 h, with a label each 2 h.
    #[test]
    fn long_times_have_one_unit_in_the_answer_and_on_the_colour_scale() {
        let text = include_str!("../../../../scenarios/placement-published.ron");
        let study = crossover_scenario::read(text).expect("a valid example").study;
        let range = |path: &str| Range { path: path.to_owned(), ends: [1.0, 4.0], points: 2, is_logarithmic: false };
        let request = Map {
            x: range("operators.join.cpu_seconds_per_100mb"),
            y: range("operators.filter.cpu_seconds_per_100mb"),
            figures: vec!["seconds".to_owned()],
        };
        let mapped = Watch::uncancellable(|watch| map(study.subject(), &request, watch));
        let mapped = mapped.expect("a map").expect("not cancelled");
        let mut of = mapped.figures[0].clone();
        of.values = [7_200.0, 14_400.0, 21_600.0, 28_800.0].map(Some).to_vec();
        let chart = chart(&mapped, &of, None, None, None);
        assert!(
            chart.answer.starts_with("Best 2 h at ") && chart.answer.contains("; worst 8 h at "),
            "{}",
            chart.answer
        );
        assert!(chart.value.label.ends_with(", h"), "{}", chart.value.label);
        let labels: Vec<String> = chart.value.ticks(4).into_iter().filter_map(|tick| tick.label).collect();
        assert_eq!(labels, ["2 h", "4 h", "6 h", "8 h"]);
    }
}

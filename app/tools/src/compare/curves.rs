//! The figures of all scenarios along one of their numbers, each chart with a curve for each scenario.

use crossover_chart::lines::{Band, Labelled, LineChart, Series};
use crossover_chart::screen;
use crossover_chart::theme::Token;
use crossover_export::compare::curves_csv;
use crossover_files::shell::quoted;
use crossover_page::command::Command;
use crossover_page::export_menu;
use crossover_page::widgets::chart_tabs::{self, ChartTab};
use crossover_page::widgets::copied::copy;
use crossover_study::Better;
use crossover_tools::range::written;
use crossover_tools::sweep;
use crossover_tools::sweep::FigureCurve;
use crossover_tools::titles::title_with_unit;
use crossover_tools::{Bands, Range, Swept};
use egui::{Label, RichText, Ui};

use crate::along::{axes, now, points};
use crate::curves::Curves;

/// What differs by less than this share of itself is the same: formulas of two scenarios round elsewhere.
const SAME: f64 = 1e-12;
/// Height of a chart above or below others, in points.
const HEIGHT: f32 = 190.0;

/// Draws the charts, with the command that reproduces them, and returns them.
pub(super) fn show(
    ui: &mut Ui,
    names: &[String],
    along: &Range,
    found: &Curves,
    commands: &mut Vec<Command>,
) -> Vec<LineChart> {
    let curves = &found.swept;
    let keys = curves.first().map_or(&[][..], |baseline| &baseline.curves).iter().map(|curve| curve.key.as_str());
    let of_figures = keys.filter_map(|key| Some((key, chart(names, curves, &found.bands, key, along.is_logarithmic)?)));
    let (keys, charts): (Vec<&str>, Vec<LineChart>) = of_figures.unzip();
    ui.horizontal_wrapped(|ui| {
        export_menu::of_tool(ui, commands, charts.iter().map(LineChart::captions));
        if ui.button("Copy curves as CSV").on_hover_text("The values of every figure, for a spreadsheet").clicked() {
            copy(ui, commands, curves_csv(names, curves, &found.known_bands()), "the curves as CSV");
        }
        let line = command_line(names.len(), along, found.about_bands().is_some());
        ui.add(Label::new(RichText::new(&line).monospace().weak()).truncate().show_tooltip_when_elided(false))
            .on_hover_text(line);
    });
    for (name, swept) in names.iter().zip(curves) {
        if let Some(left_out) = &swept.left_out {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), format!("{name}: {left_out}"));
        }
    }
    if let Some(about) = found.about_bands() {
        ui.weak(format!("{about}. Scenarios are sampled independently."));
    } else if found.lacks_bands() {
        let line = command_line(names.len(), along, true);
        ui.weak(format!("Other numbers are uncertain. Computing bands takes longer; run {line}"));
    }
    for (name, bands) in names.iter().zip(&found.bands) {
        if let Err(problem) = bands {
            ui.colored_label(Token::Warning.color(ui.visuals().dark_mode), format!("{name}: no bands: {problem}"));
        }
    }
    if let Some(chart) = charts.first().filter(|chart| !chart.bands.is_empty()) {
        screen::legend(ui, chart);
    }
    let tabs: Vec<ChartTab<'_>> = charts.iter().map(|chart| ChartTab::new(&chart.y.label)).collect();
    let on_screen = chart_tabs::choose(ui, "compare", 0, &tabs);
    let drawn = keys.iter().zip(&charts).enumerate().filter(|(place, _)| on_screen.has(*place));
    let drawn: Vec<_> = drawn.map(|(_, drawn)| drawn).collect();
    for (key, chart) in &drawn {
        ui.add_space(6.0);
        ui.label(RichText::new(&chart.title).heading()).on_hover_text(&along.path);
        ui.label(&chart.answer);
        // Gestures are ignored: this page changes no scenario.
        let height = chart_tabs::height(ui, HEIGHT, drawn.len() == 1);
        _ = screen::stacked_lines(ui, ("compare", key), chart, None, height);
    }
    charts
}

/// The same curves of so many files on the command line.
fn command_line(files: usize, along: &Range, has_bands: bool) -> String {
    let bands = if has_bands { " --bands" } else { "" };
    format!("crossover compare{} --x {}{bands}", " FILE".repeat(files), quoted(&written(along, sweep::POINTS)))
}

/// A figure of all scenarios that have it, with its bands where there are any; nothing where it has no value anywhere.
pub(super) fn chart(
    names: &[String],
    curves: &[Swept],
    bands: &[Result<Option<Bands>, String>],
    key: &str,
    is_logarithmic: bool,
) -> Option<LineChart> {
    let of_figure = |swept: &'_ Swept| swept.curves.iter().position(|curve| curve.key == key);
    let all: Vec<(u8, &String, &Swept, &FigureCurve)> = (0..)
        .zip(names)
        .zip(curves)
        .filter_map(|((place, name), swept)| Some((place, name, swept, &swept.curves[of_figure(swept)?])))
        .collect();
    let (_, _, first, curve) = all.first()?;
    let values = || all.iter().flat_map(|(_, _, _, curve)| curve.values.iter().flatten().copied());
    values().next()?;
    let bands: Vec<Band> = (0..)
        .zip(names)
        .zip(curves.iter().zip(bands))
        .filter_map(|((place, name), (swept, bands))| band(place, name, swept, bands.as_ref().ok()?.as_ref()?, key))
        .collect();
    let ends = bands.iter().flat_map(|band| band.points.iter().flat_map(|[_, low, high]| [*low, *high]));
    let [x, y] = axes(first, is_logarithmic, curve.figure, values().chain(ends));
    let series = all.iter().map(|(place, name, swept, curve)| {
        let token = Token::Scenario(*place);
        Series::line(*name, token, points(swept, curve))
    });
    let present = all.iter().filter_map(|(place, name, swept, curve)| {
        let [x, y] = now(swept, curve)?;
        Some(Labelled { label: (*name).clone(), short: String::new(), x, y, token: Token::Scenario(*place) })
    });
    Some(LineChart {
        subtitle: title_with_unit(first.quantity, &first.path),
        answer: answer(&all),
        bands,
        series: series.collect(),
        points: present.collect(),
        ..LineChart::new(format!("Which scenario has the better {} along {}?", curve.label, first.quantity.label), x, y)
    })
}

/// The 90 % interval of a figure of one scenario along the number.
fn band(place: u8, name: &str, swept: &Swept, bands: &Bands, key: &str) -> Option<Band> {
    let ends = &bands.figures.iter().find(|band| band.key == key)?.ends;
    let points: Vec<[f64; 3]> =
        swept.values.iter().zip(ends).filter_map(|(x, ends)| ends.map(|[low, high]| [*x, low, high])).collect();
    (!points.is_empty()).then(|| Band { name: format!("{name}, 90 % interval"), token: Token::Scenario(place), points })
}

/// Which scenario is the best over which values, in their order.
fn answer(all: &[(u8, &String, &Swept, &FigureCurve)]) -> String {
    let Some((_, _, first, curve)) = all.first() else { return String::new() };
    let is_better = |one: f64, other: f64| match curve.figure.better {
        Better::Lower => one < other,
        Better::Higher | Better::Neither => one > other,
    };
    // By value: the best scenarios, as bits.
    let best_at = |at: usize| {
        let values =
            || all.iter().filter_map(|(place, .., curve)| Some((*place, curve.values.get(at).copied().flatten()?)));
        let best =
            values().map(|(_, value)| value).reduce(|best, value| if is_better(value, best) { value } else { best })?;
        Some(
            values()
                .filter(|(_, value)| (value - best).abs() <= SAME * best.abs())
                .fold(0_u8, |places, (place, _)| places | 1 << place),
        )
    };
    let best: Vec<(f64, u8)> = first.values.iter().enumerate().filter_map(|(at, x)| Some((*x, best_at(at)?))).collect();
    let everyone = all.iter().fold(0_u8, |places, (place, ..)| places | 1 << place);
    let named = |places: u8| {
        if places == everyone {
            return "all the same".to_owned();
        }
        let names = all.iter().filter(|(place, ..)| places & (1 << place) != 0).map(|(_, name, ..)| name.as_str());
        names.collect::<Vec<_>>().join(" and ")
    };
    let runs: Vec<&[(f64, u8)]> = best.chunk_by(|one, next| one.1 == next.1).collect();
    let word = if curve.figure.better == Better::Neither { "Most" } else { "Best" };
    let at = |x: f64| first.quantity.unit.format(x);
    match &runs[..] {
        [] => "No scenario has a value in this range.".to_owned(),
        [one] if one[0].1 == everyone => "All scenarios are equal over the whole range.".to_owned(),
        [one] => format!("{word} over the whole range: {}.", named(one[0].1)),
        [.., last] if runs.len() <= 4 => {
            let parts = runs.iter().map(|run| {
                let end = run.last().map_or(f64::NAN, |end| end.0);
                if std::ptr::eq(*run, *last) {
                    format!("beyond {}", named(run[0].1))
                } else {
                    format!("up to {} {}", at(end), named(run[0].1))
                }
            });
            format!("{word}: {}.", parts.collect::<Vec<_>>().join(", "))
        }
        _ => format!("The best scenario changes {} times.", runs.len() - 1),
    }
}

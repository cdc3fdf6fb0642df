//! "Where does the GPU start to pay?": speedup against a chosen parameter, one plot for each class.

use crossover_model::placement::{Axis, Field, NetworkFamily, Placement, Variant};
use egui::{RichText, Ui};

use super::board::ClassCurves;
use super::{Env, View, answer};
use crate::chart::axis;
use crate::chart::lines::{BreakEvenMark, Labelled, LineChart, Series};
use crate::chart::screen::{self, Gesture, Swatch};
use crate::command::{Command, Picture};
use crate::theme::Token;

/// Draws the plots with their title, legend and answer.
pub(super) fn show(ui: &mut Ui, view: &mut View, study: &mut Placement, env: &mut Env<'_>) {
    heading(ui, view, env);
    legend(ui, view, study);
    let charts = charts(view, study);
    let columns = if ui.available_width() < 560.0 { 1 } else { charts.len().min(2) };
    // What the bars below do not need, so that both questions are answered on one screen.
    let rows = charts.len().div_ceil(columns) as f32;
    let below = 118.0 + 47.0 * study.operators.len() as f32;
    let height = ((ui.available_height() - below) / rows - 24.0).clamp(170.0, 420.0);
    let mut gestures = Vec::new();
    for (row, pair) in charts.chunks(columns).enumerate() {
        ui.columns(columns, |columns| {
            for (column, (ui, chart)) in columns.iter_mut().zip(pair).enumerate() {
                let index = row * pair.len().max(1) + column;
                ui.label(RichText::new(&chart.subtitle).strong());
                let gesture = screen::lines(ui, ("class", index), chart, view.pinned_x, height);
                gestures.extend(gesture.map(|gesture| (index, gesture)));
            }
        });
    }
    let variant = view.board.outcome().summary.variant;
    ui.label(answer::where_it_pays(study, view.axis, view.board.classes(), variant));
    for (class, gesture) in gestures {
        let operators = view.board.classes()[class].group.operators.clone();
        obey(view, study, &operators, gesture);
    }
}

/// The title, and what x and y are.
fn heading(ui: &mut Ui, view: &mut View, env: &mut Env<'_>) {
    ui.horizontal_wrapped(|ui| {
        ui.heading("Where does the GPU start to pay?");
        ui.add_space(12.0);
        ui.label("x:");
        let before = view.axis;
        let combo =
            egui::ComboBox::from_id_salt("x axis").selected_text(view.axis.label()).width(160.0).show_ui(ui, |ui| {
                for axis in Axis::CHOICES {
                    ui.selectable_value(&mut view.axis, axis, axis.label());
                }
            });
        combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "x axis"));
        if view.axis != before {
            view.pinned_x = None;
        }
        ui.toggle_value(&mut view.log_x, "log x").on_hover_text("Logarithmic or linear x axis");
        ui.toggle_value(&mut view.log_y, "log y").on_hover_text("Logarithmic or linear speedup axis");
        if view.pinned_x.is_some() && ui.button("Unpin").on_hover_text("Remove the pinned crosshair").clicked() {
            view.pinned_x = None;
        }
        export_menu(ui, env, 0..view.board.classes().len(), true);
    });
}

/// Offers the charts of a range as pictures.
pub(super) fn export_menu(ui: &mut Ui, env: &mut Env<'_>, charts: std::ops::Range<usize>, with_curves: bool) {
    ui.menu_button("Export", |ui| {
        for chart in charts.clone() {
            for picture in [Picture::Svg, Picture::Png] {
                let command = Command::ExportChart { chart, picture };
                let text = if charts.len() > 1 {
                    format!("Plot {} as {}…", chart + 1 - charts.start, picture.extension().to_uppercase())
                } else {
                    command.text()
                };
                if ui.button(text).on_hover_text(command.tooltip()).clicked() {
                    env.commands.push(command);
                }
            }
        }
        if with_curves && ui.button(Command::ExportCurves.text()).clicked() {
            env.commands.push(Command::ExportCurves);
        }
    });
}

/// One key for all plots; a click hides or shows a curve.
fn legend(ui: &mut Ui, view: &mut View, study: &Placement) {
    ui.horizontal_wrapped(|ui| {
        for variant in Variant::all(study) {
            let is_hidden = view.hidden.contains(&variant);
            let kind = if variant.compression { Swatch::Dashes } else { Swatch::Line };
            let key = screen::Key { token: variant_token(study, variant), kind, text: variant.label(study), is_hidden };
            if key.ui(ui).on_hover_text("Click to hide or show this curve").clicked() {
                if is_hidden {
                    view.hidden.retain(|hidden| *hidden != variant);
                } else {
                    view.hidden.push(variant);
                }
            }
        }
    });
}

/// The charts of the page, one for each class, as they are on screen.
pub(super) fn charts(view: &View, study: &Placement) -> Vec<LineChart> {
    view.board.classes().iter().map(|class| chart(view, study, class)).collect()
}

fn chart(view: &View, study: &Placement, class: &ClassCurves) -> LineChart {
    let info = view.axis.parameter().info();
    let shown: Vec<_> = class.curves.iter().filter(|curve| !view.hidden.contains(&curve.variant)).collect();
    let series = shown
        .iter()
        .map(|curve| Series {
            name: curve.variant.label(study),
            token: variant_token(study, curve.variant),
            dashed: curve.variant.compression,
            points: view.board.xs().iter().zip(&curve.speedups).map(|(x, y)| [*x, *y]).collect(),
        })
        .collect();
    let breakevens = shown
        .iter()
        .enumerate()
        .filter_map(|(series, curve)| curve.break_even.map(|found| (series, found.value)))
        .map(|(series, x)| BreakEvenMark { series, x, label: info.unit.format(x) })
        .collect();
    let outcome = view.board.outcome();
    let points = class
        .group
        .operators
        .iter()
        .filter_map(|operator| {
            let row = outcome.row(*operator, outcome.summary.variant)?;
            let x = Field::of(view.axis.parameter(), *operator, outcome.summary.variant.network).value(study)?;
            let token = match row.placement {
                crossover_model::placement::Side::Cpu => Token::Cpu,
                crossover_model::placement::Side::Gpu => Token::Gpu,
            };
            Some(Labelled { label: study.operators[*operator].name.clone(), x, y: row.speedup(), token })
        })
        .collect();
    let name = &study.operators[class.operator].name;
    let several =
        if class.group.operators.len() > 1 { format!(" · curves for {name}") } else { format!(" · {name}") };
    LineChart {
        title: "Where does the GPU start to pay?".to_owned(),
        subtitle: format!("{}{several}", class.group.class.label()),
        answer: answer::where_it_pays(study, view.axis, std::slice::from_ref(class), outcome.summary.variant),
        x: axis::Axis {
            label: view.axis.label().to_owned(),
            format: formatter(info.unit),
            scale: axis::Scale::of(view.log_x),
            range: view.axis.window(study),
        },
        y: axis::Axis {
            label: "speedup".to_owned(),
            format: formatter(crossover_model::unit::Unit::Factor),
            scale: axis::Scale::of(view.log_y),
            range: speedup_range(&shown, study.policy.threshold),
        },
        series,
        threshold: Some(study.policy.threshold),
        points,
        breakevens,
    }
}

/// The speedups that occur, and the threshold, with some room around.
fn speedup_range(curves: &[&crossover_model::placement::Curve], threshold: f64) -> [f64; 2] {
    let speedups = curves.iter().flat_map(|curve| curve.speedups.iter().copied()).filter(|speedup| speedup.is_finite());
    let (low, high) =
        speedups.fold((threshold, threshold), |(low, high), speedup| (low.min(speedup), high.max(speedup)));
    [low / 1.15, high * 1.15]
}

/// Writes values of a unit; a plain function, as charts keep it.
fn formatter(unit: crossover_model::unit::Unit) -> fn(f64) -> String {
    use crossover_model::unit::Unit;
    match unit {
        Unit::Count => |value| Unit::Count.format(value),
        Unit::Ratio => |value| Unit::Ratio.format(value),
        Unit::Factor => |value| Unit::Factor.format(value),
        Unit::Share => |value| Unit::Share.format(value),
        Unit::Seconds | Unit::SecondsPer100Mb => |value| Unit::Seconds.format(value),
        Unit::Gigabytes => |value| Unit::Gigabytes.format(value),
        Unit::GigabytesPerSecond => |value| Unit::GigabytesPerSecond.format(value),
        Unit::GigabitsPerSecond => |value| Unit::GigabitsPerSecond.format(value),
        Unit::Watts => |value| Unit::Watts.format(value),
    }
}

/// Colour of a network; compression is a dash pattern.
pub(super) fn variant_token(study: &Placement, variant: Variant) -> Token {
    // A second network of a family must not look like the first.
    let family = |index: usize| study.networks[index].family;
    let rank = (0..variant.network).filter(|index| family(*index) == family(variant.network)).count();
    match (family(variant.network), rank) {
        (NetworkFamily::Ethernet, 0) => Token::Ethernet,
        (NetworkFamily::InfiniBand, 0) => Token::InfiniBand,
        _ => {
            let is_plain = |index: &usize| {
                let before = (0..*index).filter(|other| family(*other) == family(*index)).count();
                family(*index) == NetworkFamily::Other || before > 0
            };
            let others = (0..variant.network).filter(is_plain).count();
            Token::OtherNetwork(u8::try_from(others % 3).unwrap_or(0))
        }
    }
}

/// Changes the study as the user dragged.
fn obey(view: &mut View, study: &mut Placement, operators: &[usize], gesture: Gesture) {
    let mut set = |field: Field, value: f64| {
        let info = field.parameter.info();
        let value = if info.whole { value.round() } else { rounded(value) };
        let path = field.path(study);
        if let Some(target) = field.value_mut(study) {
            *target = value.clamp(info.min, info.max);
            study.sources.remove(&path);
        }
    };
    match gesture {
        Gesture::Threshold(value) => {
            set(Field { parameter: crossover_model::placement::Parameter::Threshold, index: 0 }, value);
        }
        Gesture::Point(point, value) => {
            if let Some(operator) = operators.get(point) {
                let network = view.board.outcome().summary.variant.network;
                set(Field::of(view.axis.parameter(), *operator, network), value);
                view.selected = *operator;
            }
        }
        Gesture::PickedPoint(point) => view.selected = operators.get(point).copied().unwrap_or(view.selected),
        Gesture::Pinned(x) => view.pinned_x = if view.pinned_x.is_some() { None } else { Some(x) },
    }
}

/// Three significant digits: what a hand can aim at.
fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

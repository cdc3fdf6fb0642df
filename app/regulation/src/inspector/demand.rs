//! The demand of a cluster: its shape, the fields that the shape uses, and its curve over the run.

use crossover_chart::theme::Token;
use crossover_page::command::Command;
use crossover_page::widgets::form::quantity;
use crossover_page::widgets::form::{self, Choice};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_regulation::{Cluster, Demand, Regulation, Shape};
use egui::{RichText, Role, Sense, Shape as Painted, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::Env;
use crate::Request;

/// Height of the small curve, in points.
const HEIGHT: f32 = 36.0;

/// Draws the demand of a cluster.
pub(super) fn show(ui: &mut Ui, study: &mut Regulation, index: usize, env: &mut Env<'_>) {
    let cluster = format!("clusters.{}", study.clusters[index].name);
    let explanation = "How the work that arrives changes over time";
    let mut shape = study.clusters[index].demand.shape;
    let path = format!("{cluster}.demand.shape");
    if form::choose(ui, ("demand over time", explanation), &path, &mut shape, shapes(), env.commands) {
        study.set_shape(index, shape);
    }
    let part = format!("{cluster}.demand");
    form::grid(ui, "demand", |ui| {
        form::all_rows(ui, study, &part, unused(shape), env.commands);
        if shape == Shape::Day {
            form::rows(ui, study, &part, &[&PEAK_TIME], env.commands);
        }
    });
    if shape == Shape::Recorded {
        recording(ui, study, index);
    }
    curve(ui, study, index);
    let import = ui.button("Import a recording…");
    if import.on_hover_text("Uses a CSV file or text of dcgm-exporter as the demand of this cluster").clicked() {
        let cluster = Some(study.clusters[index].name.clone());
        env.commands.push(Command::ask(Request::Import { cluster }));
    }
}

/// Length and source of the recorded series.
fn recording(ui: &mut Ui, study: &Regulation, index: usize) {
    let Cluster { name, demand, .. } = &study.clusters[index];
    let values = demand.series.len() as f64;
    let seconds = Unit::Seconds.format(demand.seconds_per_value * values);
    ui.horizontal(|ui| {
        let noun = if demand.series.len() == 1 { "value" } else { "values" };
        let text = format!("{} {noun}, {seconds}; then it repeats", Unit::Count.format(values));
        ui.label(RichText::new(text).weak().small());
        let source = study.sources.get(&format!("clusters.{name}.demand.series"));
        quantity::mark(ui, source.unwrap_or(&Provenance::Entered));
    });
}

fn shapes() -> [Choice<Shape>; 5] {
    [
        Choice::new(Shape::Constant, "constant", "Constant over the run"),
        Choice::new(Shape::Step, "step", "One level, then another one from a given time on"),
        Choice::new(Shape::Ramp, "ramp", "A linear change from one level to another"),
        Choice::new(Shape::Day, "day curve", "A cosine of 24 hours between a low and a peak"),
        Choice::new(Shape::Recorded, "recorded", "A series of values, such as a recording of a real cluster"),
    ]
}

/// The start of a change, which for a day curve is the time of its peak.
const PEAK_TIME: Quantity = Quantity { label: "time of the peak", ..Demand::START_SECONDS };

/// Fields that a shape does not use.
fn unused(shape: Shape) -> &'static [&'static Quantity] {
    match shape {
        Shape::Constant => {
            &[&Demand::LOW_TOPS, &Demand::START_SECONDS, &Demand::END_SECONDS, &Demand::SECONDS_PER_VALUE]
        }
        Shape::Step => &[&Demand::END_SECONDS, &Demand::SECONDS_PER_VALUE],
        // The time of the peak has a name of its own.
        Shape::Day => &[&Demand::START_SECONDS, &Demand::END_SECONDS, &Demand::SECONDS_PER_VALUE],
        Shape::Ramp => &[&Demand::SECONDS_PER_VALUE],
        Shape::Recorded => &[&Demand::LOW_TOPS, &Demand::HIGH_TOPS, &Demand::START_SECONDS, &Demand::END_SECONDS],
    }
}

/// A small curve of the demand over the run, and the transfer ceiling where it is in sight.
fn curve(ui: &mut Ui, study: &Regulation, index: usize) {
    let cluster = &study.clusters[index];
    let length = study.run.periods * study.run.period_seconds;
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width() - form::MARK_WIDTH, HEIGHT), Sense::hover());
    let points = rect.width().max(2.0).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the width of a panel in points")]
    let values: Vec<f64> =
        (0..points as usize).map(|x| cluster.demand.at(length * x as f64 / f64::from(points - 1.0))).collect();
    let (least, most) = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), value| (a.min(*value), b.max(*value)));
    let top = if most > 0.0 { most * 1.15 } else { 1.0 };
    #[expect(clippy::cast_possible_truncation, reason = "a position on the screen")]
    let height = |tops: f64| rect.bottom() - rect.height() * (tops / top) as f32;
    let dark = ui.visuals().dark_mode;
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 2.0, Token::Background.color(dark));
    let is_ceiling_in_sight = cluster.pcie_tops < top;
    if is_ceiling_in_sight {
        let y = height(cluster.pcie_tops);
        let ends = [pos2(rect.left(), y), pos2(rect.right(), y)];
        painter.extend(Painted::dashed_line(&ends, Stroke::new(1.0, Token::TextWeak.color(dark)), 4.0, 3.0));
    }
    let line = (0_u16..).zip(&values).map(|(x, tops)| pos2(rect.left() + f32::from(x), height(*tops))).collect();
    painter.line(line, Stroke::new(1.5, Token::Accent.color(dark)));
    let tops = |value: f64| Unit::Tops.format(value);
    let text = format!("demand of {} over the run: {} … {}", cluster.name, tops(least), tops(most));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &text));
    let dashed = if is_ceiling_in_sight { "; dashed: the transfer ceiling" } else { "" };
    let caption = format!("0 … {}, at most {}{dashed}", Unit::Seconds.format(length), tops(most));
    ui.label(RichText::new(caption).weak().small());
    if let Some(pointer) = response.hover_pos() {
        let at = length * f64::from(((pointer.x - rect.left()) / rect.width()).clamp(0.0, 1.0));
        let here = format!("{}: {}", Unit::Seconds.format(at), tops(cluster.demand.at(at)));
        response.on_hover_text_at_pointer(here);
    }
}

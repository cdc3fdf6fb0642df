//! The numbers of an engine in groups, each with its meaning and its share of the predicted time.

use crossover_chart::theme::Token;
use crossover_engine::Engine;
use crossover_engine::predict::{Part, Seconds};
use crossover_page::command::Command;
use crossover_page::widgets::form;
use crossover_quantity::quantity::Quantity;
use crossover_quantity::unit::Unit;
use crossover_study::{Subject, number_at};
use egui::{Rect, RichText, Role, Sense, Ui, WidgetInfo, vec2};

use super::engines::part_token;

/// Size of the bar of a share, in points.
const BAR: [f32; 2] = [72.0, 8.0];

/// Numbers that say the same about an engine.
struct Group {
    title: &'static str,
    /// One sentence.
    meaning: &'static str,
    quantities: &'static [&'static Quantity],
    /// Parts of the time that follow from them; none for those that are no time.
    parts: &'static [Part],
}

/// The groups, in the order of a query's course.
const GROUPS: [Group; 6] = [
    Group {
        title: "start-up",
        meaning: "Time that every query takes, whatever it does",
        quantities: &[&Engine::START_SECONDS],
        parts: &[Part::Start],
    },
    Group {
        title: "work",
        meaning: "Time of the operators themselves, on all cores or GPUs",
        quantities: &[&Engine::WORK_RATIO],
        parts: &[Part::Work],
    },
    Group {
        title: "reading",
        meaning: "Time to open files, and to read and decode their data",
        quantities: &[&Engine::READ_GB_PER_S, &Engine::FILE_SECONDS],
        parts: &[Part::Read, Part::Files],
    },
    Group {
        title: "exchange",
        meaning: "Time to send data between machines, and of each step that waits for it",
        quantities: &[&Engine::EXCHANGE_RATIO, &Engine::EXCHANGE_SECONDS],
        parts: &[Part::Exchange, Part::Steps],
    },
    Group {
        title: "spilling",
        meaning: "Time to write exchanged data to disk that does not fit in memory",
        quantities: &[&Engine::EXCHANGE_MEMORY_GB, &Engine::SPILL_GB_PER_S],
        parts: &[Part::Spill],
    },
    Group {
        title: "error",
        meaning: "How far measured times lay from predicted ones. It widens the interval; the predicted time does not \
                  contain it",
        quantities: &[&Engine::ERROR_FACTOR_90, &Engine::TIME_RATIO],
        parts: &[],
    },
];

/// Draws the numbers of the engine at a path. `seconds`: parts of its time in the present answer; `None` without a query, or where other
/// numbers give that time.
pub(super) fn show(
    ui: &mut Ui,
    study: &mut dyn Subject,
    path: &str,
    seconds: Option<&Seconds>,
    commands: &mut Vec<Command>,
) {
    // The machines, and every number that is in no group.
    let grouped: Vec<&Quantity> = GROUPS.iter().flat_map(|group| group.quantities.iter().copied()).collect();
    form::all(ui, study, path, &grouped, commands);
    for group in &GROUPS {
        let is_present = |one: &&&Quantity| {
            number_at(&*study, &format!("{path}.{}", one.key)).is_some_and(|(_, value)| value.is_some())
        };
        let present: Vec<&Quantity> = group.quantities.iter().filter(is_present).copied().collect();
        if present.is_empty() {
            continue;
        }
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            ui.strong(group.title);
            if let Some(share) = seconds.and_then(|seconds| share(group, seconds)) {
                bar(ui, group, share);
            }
        });
        ui.label(RichText::new(group.meaning).weak().small());
        form::numbers(ui, study, path, &present, commands);
    }
}

/// The share of a group in the predicted time, 0 … 1; `None` if it has no part in it.
fn share(group: &Group, seconds: &Seconds) -> Option<f64> {
    let total: f64 = seconds.iter().sum();
    let own: f64 = group.parts.iter().map(|part| seconds[*part as usize]).sum();
    (total > 0.0 && !group.parts.is_empty()).then(|| own / total)
}

/// A small bar of a share, with its number.
fn bar(ui: &mut Ui, group: &Group, share: f64) {
    let dark = ui.visuals().dark_mode;
    let written = Unit::Share.format((share * 100.0).round() / 100.0);
    let (rect, response) = ui.allocate_exact_size(vec2(BAR[0], BAR[1]), Sense::hover());
    ui.painter().rect_filled(rect, 2.0, Token::Grid.color(dark));
    #[expect(clippy::cast_possible_truncation, reason = "a length on the screen")]
    let filled = Rect::from_min_size(rect.min, vec2(rect.width() * share as f32, rect.height()));
    let color = group.parts.first().map_or(Token::Accent, |part| part_token(*part)).color(dark);
    ui.painter().rect_filled(filled, 2.0, color);
    let name = format!("{}: {written} of the predicted time", group.title);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name.clone()));
    response.on_hover_text(name);
    ui.weak(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_groups_are_the_whole_time() {
        let seconds = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
        let shares: Vec<f64> = GROUPS.iter().filter_map(|group| share(group, &seconds)).collect();
        assert_eq!(shares.len(), GROUPS.len() - 1, "the error is no time");
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{shares:?}");
    }

    #[test]
    fn no_share_is_shown_without_a_time() {
        assert!(GROUPS.iter().all(|group| share(group, &Seconds::default()).is_none()));
    }
}

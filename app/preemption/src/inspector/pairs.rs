//! Measured pairs.

use std::collections::BTreeSet;

use crossover_page::widgets::form::{self, Choice, list};
use crossover_preemption::study::MOST_PAIRS;
use crossover_preemption::{Basis, Pair, Preemption};
use crossover_quantity::unit::Unit;
use egui::{Button, CollapsingHeader, Ui};

use super::super::elided;
use super::super::request::ImportKind;
use super::{Env, State, import};

/// Pairs that are listed, besides the selected one and the last one.
const LISTED: usize = 40;
/// Width of a name in the title of a pair, in points.
const NAME: f32 = 108.0;

/// Draws the first pairs, the last one, and the selected one, which opens.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    looked_at: Option<&(String, String)>,
    study: &mut Preemption,
    env: &mut Env<'_>,
) {
    ui.weak("Normalised IPC of two kernels that share the GPU; other pairs use their classes");
    let is_new = looked_at.is_some() && state.looked_at.as_ref() != looked_at;
    let count = study.pairs.len();
    let chosen = looked_at.and_then(|(first, second)| study.place_of_pair(first, second));
    // The last one too: it may be new.
    let listed: BTreeSet<usize> = (0..count.min(LISTED)).chain(chosen).chain(count.checked_sub(1)).collect();
    let mut gone = None;
    for place in listed.iter().copied() {
        ui.push_id(("pair", place), |ui| {
            let pair = &study.pairs[place];
            let is_of = chosen == Some(place);
            let sum = pair.first_normalised + pair.second_normalised;
            let font = egui::TextStyle::Body.resolve(ui.style());
            let [first, second] =
                [&pair.first, &pair.second].map(|name| elided::within(ui.painter(), name, &font, NAME));
            let title = format!("{first} with {second} · {}", Unit::Ratio.format(sum));
            let whole = (*first != *pair.first || *second != *pair.second)
                .then(|| format!("{} with {}", pair.first, pair.second));
            let open = (is_new && is_of).then_some(true);
            let header = CollapsingHeader::new(title).id_salt("pair").default_open(place < 2).open(open);
            let shown = header.show(ui, |ui| {
                let part = format!("pairs.{place}");
                kernels(ui, &part, study, place, env);
                form::all(ui, study, &part, &[], env.commands);
                if let Some(text) = unmeasured_note(study.bases(place)) {
                    ui.weak(text);
                }
                if ui.add(Button::new("Remove pair").small()).clicked() {
                    gone = Some(place);
                }
            });
            if let Some(whole) = whole {
                shown.header_response.clone().on_hover_text(whole);
            }
            if is_new && is_of {
                shown.header_response.scroll_to_me(Some(egui::Align::Center));
                state.looked_at = looked_at.cloned();
            }
        });
    }
    if count > listed.len() {
        let more = Unit::Count.format((count - listed.len()) as f64);
        ui.weak(format!("and {more} more in the file; click a cell of the map to show its pair here"));
    }
    if let Some(place) = gone {
        study.remove_pair(place);
    }
    let most = MOST_PAIRS.min(study.kernels.len() * (study.kernels.len() + 1) / 2);
    if list::add_button(ui, "Add pair", study.pairs.len(), most)
        && let Some([first, second]) = next(study)
    {
        _ = study.put_assumed(&first, &second);
    }
    import(ui, ImportKind::Pairs, env);
    import(ui, ImportKind::Estimates, env);
}

/// A note on numbers that were not measured or entered.
fn unmeasured_note(bases: [Basis; 2]) -> Option<&'static str> {
    match bases.map(|basis| basis == Basis::Measured) {
        [true, true] => None,
        [false, false] => Some("Neither number is measured (F: fitted); a number counts as entered once you change it"),
        [true, false] => Some("The second number is not measured (F: fitted); it counts as entered once you change it"),
        [false, true] => Some("The first number is not measured (F: fitted); it counts as entered once you change it"),
    }
}

/// Selects the two kernels of a pair; pairs that exist already are not offered.
fn kernels(ui: &mut Ui, part: &str, study: &mut Preemption, place: usize, env: &mut Env<'_>) {
    let Pair { first, second, .. } = study.pairs[place].clone();
    let choices = |beside: &str, own: &str| -> Vec<Choice<String>> {
        let taken = partners(study, beside);
        let names = study.kernels.iter().map(|kernel| kernel.name.as_str());
        let free = names.filter(|name| *name == own || !taken.contains(name));
        free.map(|name| Choice::new(name.to_owned(), name, "")).collect()
    };
    let [firsts, seconds] = [choices(&second, &first), choices(&first, &second)];
    let pair = &mut study.pairs[place];
    let title = ("first", "First kernel");
    let mut is_changed = form::choose(ui, title, &format!("{part}.first"), &mut pair.first, firsts, env.commands);
    let title = ("second", "Second kernel; may be the same");
    is_changed |= form::choose(ui, title, &format!("{part}.second"), &mut pair.second, seconds, env.commands);
    if is_changed {
        // The numbers were those of another pair.
        let [first, second] = [pair.first.clone(), pair.second.clone()];
        _ = study.put_assumed(&first, &second);
    }
}

/// The partners of a kernel in its pairs.
fn partners<'a>(study: &'a Preemption, name: &str) -> BTreeSet<&'a str> {
    let partner = |pair: &'a Pair| {
        if pair.first == name {
            return Some(pair.second.as_str());
        }
        (pair.second == name).then_some(pair.first.as_str())
    };
    study.pairs.iter().filter_map(partner).collect()
}

/// The kernels of the first pair that does not exist yet.
fn next(study: &Preemption) -> Option<[String; 2]> {
    let count = study.kernels.len();
    // Two different ones first.
    let different = (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
    let known: BTreeSet<[&str; 2]> =
        study.pairs.iter().flat_map(|pair| [[&*pair.first, &*pair.second], [&*pair.second, &*pair.first]]).collect();
    let is_new = |(first, second): &(usize, usize)| {
        !known.contains(&[*first, *second].map(|place| study.kernels[place].name.as_str()))
    };
    let (first, second) = different.chain((0..count).map(|place| (place, place))).find(is_new)?;
    Some([first, second].map(|place| study.kernels[place].name.clone()))
}

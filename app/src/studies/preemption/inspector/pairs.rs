//! Pairs that were measured together.

use std::collections::BTreeSet;

use crossover_model::preemption::study::MOST_PAIRS;
use crossover_model::preemption::{Pair, Preemption, Table};
use crossover_model::unit::Unit;
use egui::{Button, CollapsingHeader, Ui};

use super::{Env, State};
use crate::widgets::form::{self, Choice, list};

/// Pairs that are listed, beside the one that is looked at and the last one.
const LISTED: usize = 40;

/// Draws the first pairs, the last one, and the one that is looked at, which opens.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    looked_at: Option<&(String, String)>,
    study: &mut Preemption,
    env: &mut Env<'_>,
) {
    ui.weak("How fast two kernels run together, of what each has alone; for other pairs their classes hold");
    let is_new = looked_at.is_some() && state.looked_at.as_ref() != looked_at;
    let count = study.pairs.len();
    let chosen = looked_at.and_then(|(first, second)| study.place_of_pair(first, second));
    // The last one too: it may have been added a moment ago.
    let listed: BTreeSet<usize> = (0..count.min(LISTED)).chain(chosen).chain(count.checked_sub(1)).collect();
    let mut gone = None;
    for place in listed.iter().copied() {
        ui.push_id(("pair", place), |ui| {
            let pair = &study.pairs[place];
            let is_of = chosen == Some(place);
            let sum = pair.first_normalised + pair.second_normalised;
            let title = format!("{} with {} · {}", pair.first, pair.second, Unit::Ratio.format(sum));
            let open = (is_new && is_of).then_some(true);
            let header = CollapsingHeader::new(title).id_salt("pair").default_open(place < 2).open(open);
            let shown = header.show(ui, |ui| {
                let part = format!("pairs.{place}");
                kernels(ui, &part, study, place, env);
                form::all(ui, study, &part, &[], env.commands);
                if ui.add(Button::new("Remove pair").small()).clicked() {
                    gone = Some(place);
                }
            });
            if is_new && is_of {
                shown.header_response.scroll_to_me(Some(egui::Align::Center));
                state.looked_at = looked_at.cloned();
            }
        });
    }
    if count > listed.len() {
        let more = Unit::Count.format((count - listed.len()) as f64);
        ui.weak(format!("and {more} more in the file; press a cell of the map to see one of them here"));
    }
    if let Some(place) = gone {
        study.remove_pair(place);
    }
    let most = MOST_PAIRS.min(study.kernels.len() * (study.kernels.len() + 1) / 2);
    if list::add_button(ui, "Add pair", study.pairs.len(), most)
        && let Some(pair) = next(study)
    {
        _ = study.put_pair(pair);
    }
}

/// Which two they are: never two that stand there already.
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
    let title = ("first", "One kernel");
    let mut is_changed = form::choose(ui, title, &format!("{part}.first"), &mut pair.first, firsts, env.commands);
    let title = ("second", "The other one, or the same");
    is_changed |= form::choose(ui, title, &format!("{part}.second"), &mut pair.second, seconds, env.commands);
    if is_changed {
        // What was measured was another pair.
        for quantity in [&Pair::FIRST_NORMALISED, &Pair::SECOND_NORMALISED] {
            study.sources.remove(&format!("{part}.{}", quantity.key));
        }
    }
}

/// The kernels that a kernel stands in a pair with.
fn partners<'a>(study: &'a Preemption, name: &str) -> BTreeSet<&'a str> {
    let partner = |pair: &'a Pair| {
        if pair.first == name {
            return Some(pair.second.as_str());
        }
        (pair.second == name).then_some(pair.first.as_str())
    };
    study.pairs.iter().filter_map(partner).collect()
}

/// The first pair that is not there yet, with what holds for its classes.
fn next(study: &Preemption) -> Option<Pair> {
    let count = study.kernels.len();
    let table = Table::new(study);
    // Two different ones first.
    let different = (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
    let known: BTreeSet<[&str; 2]> =
        study.pairs.iter().flat_map(|pair| [[&*pair.first, &*pair.second], [&*pair.second, &*pair.first]]).collect();
    let is_new = |(first, second): &(usize, usize)| {
        !known.contains(&[*first, *second].map(|place| study.kernels[place].name.as_str()))
    };
    let (first, second) = different.chain((0..count).map(|place| (place, place))).find(is_new)?;
    Some(Pair {
        first: study.kernels[first].name.clone(),
        second: study.kernels[second].name.clone(),
        first_normalised: table.normalised(first, second),
        second_normalised: table.normalised(second, first),
    })
}

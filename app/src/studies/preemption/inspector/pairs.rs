//! Pairs that were measured together.

use crossover_model::preemption::study::MOST_PAIRS;
use crossover_model::preemption::{Pair, Preemption, Table};
use crossover_model::unit::Unit;
use egui::{Button, CollapsingHeader, Ui};

use super::{Env, State};
use crate::widgets::form::{self, Choice, list};

/// Draws every pair; the one that is looked at opens.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut State,
    looked_at: Option<&(String, String)>,
    study: &mut Preemption,
    env: &mut Env<'_>,
) {
    ui.weak("How fast two kernels run together, of what each has alone; for other pairs their classes hold");
    let is_new = looked_at.is_some() && state.looked_at.as_ref() != looked_at;
    let mut gone = None;
    for place in 0..study.pairs.len() {
        ui.push_id(("pair", place), |ui| {
            let pair = &study.pairs[place];
            let is_of = looked_at.is_some_and(|(first, second)| {
                (pair.first == *first && pair.second == *second) || (pair.first == *second && pair.second == *first)
            });
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
    let names: Vec<String> = study.kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let Pair { first, second, .. } = study.pairs[place].clone();
    let is_own = |one: &str, other: &str| (one == first && other == second) || (one == second && other == first);
    let is_free = |one: &str, other: &str| is_own(one, other) || study.pair(one, other).is_none();
    let choices = |of: &dyn Fn(&str) -> bool| -> Vec<Choice<String>> {
        names.iter().filter(|name| of(name)).map(|name| Choice::new(name.clone(), name, "")).collect()
    };
    let firsts = choices(&|name| is_free(name, &second));
    let seconds = choices(&|name| is_free(&first, name));
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

/// The first pair that is not there yet, with what holds for its classes.
fn next(study: &Preemption) -> Option<Pair> {
    let count = study.kernels.len();
    let table = Table::new(study);
    // Two different ones first.
    let different = (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second)));
    let (first, second) = different
        .chain((0..count).map(|place| (place, place)))
        .find(|(first, second)| study.pair(&study.kernels[*first].name, &study.kernels[*second].name).is_none())?;
    Some(Pair {
        first: study.kernels[first].name.clone(),
        second: study.kernels[second].name.clone(),
        first_normalised: table.normalised(first, second),
        second_normalised: table.normalised(second, first),
    })
}

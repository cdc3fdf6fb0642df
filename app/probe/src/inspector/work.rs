//! Work to schedule.

use crossover_page::widgets::form::list;
use crossover_page::widgets::form::{self, name};
use crossover_probe::{Probe, Work};
use crossover_quantity::unit::Unit;
use egui::{Button, CollapsingHeader, Ui};

use super::{Env, State};

/// Most kinds of work.
const MOST: usize = 1_000;

/// Draws every kind of work.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Probe, env: &mut Env<'_>) {
    let mut gone = None;
    let count = study.work.len();
    for index in 0..count {
        ui.push_id(("work", index), |ui| {
            let work = &study.work[index];
            let title = format!("{} × {}", Unit::Count.format(work.copies), work.name);
            CollapsingHeader::new(title).id_salt("work").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("work", index), env.commands);
                let part = format!("work.{}", study.work[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let explanation = "Its time follows the hour of the day, as the time of probes does";
                let path = format!("{part}.is_networked");
                let is_networked = study.work[index].is_networked;
                if let Some(is_on) = form::switch(ui, "depends on the network", explanation, &path, is_networked) {
                    study.work[index].is_networked = is_on;
                }
                if ui.add(Button::new("Remove").small()).clicked() {
                    gone = Some(index);
                }
            });
        });
    }
    if let Some(index) = gone {
        study.remove_work(index);
    }
    if list::add_button(ui, "Add work", count, MOST) {
        let size = 1.0;
        study.add_work(Work {
            name: "task".to_owned(),
            copies: 1.0,
            size,
            arrives_after_hours: 0.0,
            is_networked: false,
        });
    }
}

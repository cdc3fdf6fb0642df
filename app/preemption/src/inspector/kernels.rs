//! Kernels: their numbers, classes and resident blocks.

use crossover_chart::screen::{self, Swatch};
use crossover_chart::theme::Token;
use crossover_measured::kernels::Class;
use crossover_page::widgets::form::list::{self, Edit, Limits};
use crossover_page::widgets::form::{self, Choice, name};
use crossover_preemption::occupancy::residency;
use crossover_preemption::study::MOST_KERNELS;
use crossover_preemption::{Kernel, Preemption};
use crossover_quantity::unit::Unit;
use egui::{CollapsingHeader, Ui};

use super::super::request::ImportKind;
use super::super::{elided, token};
use super::{Env, State, import};

/// Width of a name in the title of a kernel, in points.
const NAME: f32 = 170.0;

/// Draws every kernel.
pub(super) fn show(ui: &mut Ui, state: &mut State, study: &mut Preemption, env: &mut Env<'_>) {
    let mut edit = None;
    let count = study.kernels.len();
    for index in 0..count {
        ui.push_id(("kernel", index), |ui| {
            let kernel = &study.kernels[index];
            let font = egui::TextStyle::Body.resolve(ui.style());
            let shown = elided::within(ui.painter(), &kernel.name, &font, NAME);
            let whole = (*shown != *kernel.name).then(|| kernel.name.clone());
            let title = format!("{shown} · {}", kernel.class.label());
            let header = CollapsingHeader::new(title).id_salt("kernel").default_open(index == 0).show(ui, |ui| {
                name::field(ui, &mut state.name, study, ("kernels", index), env.commands);
                let part = format!("kernels.{}", study.kernels[index].name);
                form::all(ui, study, &part, &[], env.commands);
                let choices = [
                    Choice::new(
                        Class::Memory,
                        Class::Memory.label(),
                        "Limited by memory: a context switch beside it slows it down",
                    ),
                    Choice::new(
                        Class::Compute,
                        Class::Compute.label(),
                        "Limited by arithmetic: a context switch beside it does not slow it down",
                    ),
                ];
                let kernel = &mut study.kernels[index];
                let title = ("class", "What limits the kernel; unmeasured pairs are assumed from it");
                form::choose(ui, title, &format!("{part}.class"), &mut kernel.class, choices, env.commands);
                let explanation = "Its blocks may be ended and restarted: they do not overwrite what they read";
                let path = format!("{part}.is_idempotent");
                if let Some(is_on) = form::switch(ui, "idempotent", explanation, &path, kernel.is_idempotent) {
                    kernel.is_idempotent = is_on;
                }
                resident(ui, study, index);
                edit = edit.or(list::buttons(ui, index, Limits { count, most: MOST_KERNELS, stays: None }));
            });
            if let Some(whole) = whole {
                header.header_response.on_hover_text(whole);
            }
        });
    }
    match edit {
        Some(Edit::Remove(index)) => study.remove_kernel(index),
        Some(Edit::Duplicate(index)) => drop(study.add_kernel(study.kernels[index].clone())),
        Some(Edit::Swap(a, b)) => study.kernels.swap(a, b),
        None => {}
    }
    if list::add_button(ui, "Add kernel", count, MOST_KERNELS) {
        _ = study.add_kernel(Kernel::default());
    }
    import(ui, ImportKind::Kernels, env);
}

/// Its resident blocks, and what limits them.
fn resident(ui: &mut Ui, study: &Preemption, index: usize) {
    let kernel = &study.kernels[index];
    let count = |value: f64| Unit::Count.format(value);
    ui.horizontal_wrapped(|ui| {
        screen::swatch(ui, token::kernel(index), Swatch::Square);
        match residency(&study.gpu, kernel) {
            Ok(found) => drop(ui.weak(format!(
                "{} resident blocks, {} per multiprocessor, limited by {}; {} {}; {} alone",
                count(found.resident),
                count(found.per_multiprocessor),
                found.limit.label(),
                count(found.waves),
                if found.waves == 1.0 { "wave" } else { "waves" },
                Unit::Seconds.format(kernel.alone_cycles() / (study.gpu.clock_mhz * 1e6)),
            ))),
            Err(why) => drop(ui.colored_label(Token::Error.color(ui.visuals().dark_mode), why)),
        }
    });
}

//! The regulation page as a user meets it.

mod charts;
mod editing;
mod gains;
mod live;

use crossover_page::command::Command;
use crossover_regulation::Regulation;
use crossover_regulation_page::examples;
use crossover_scenario::Study;

use super::{Window, send};

/// The window with the published regulation study, tall enough for the whole inspector.
fn window() -> Window {
    let mut window = super::window();
    window.set_size(egui::vec2(1280.0, 2600.0));
    send(&mut window, Command::OpenExample(examples::PUBLISHED));
    window
}

fn study(window: &Window) -> &Regulation {
    match window.state().active().map(|document| &document.scenario.study) {
        Some(Study::Regulation(study)) => study,
        _ => panic!("a regulation study is on screen"),
    }
}

/// Changes the study as if by an edit.
fn change(window: &mut Window, edit: impl FnOnce(&mut Regulation)) {
    window.state_mut().edit_active(|scenario| {
        if let Study::Regulation(study) = &mut scenario.study {
            edit(study);
        }
    });
    super::settle(window);
}

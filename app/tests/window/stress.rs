//! Random clicks, drags, keys, sizes and commands: nothing panics, and every scenario stays valid.

use crossover::workbench::listed;
use crossover_needs::Random;
use crossover_page::command::Command;
use egui::{Event, Key, Modifiers, pos2, vec2};

use super::{Window, settle, window};

fn place(random: &mut Random) -> egui::Pos2 {
    pos2(f32::from(random.below(1280)), f32::from(random.below(800)))
}

fn do_something(window: &mut Window, random: &mut Random, commands: &[Command]) {
    match random.below(12) {
        0..=3 => {
            let at = place(random);
            window.drag_at(at);
            window.run_steps(1);
            window.drop_at(at);
        }
        4 | 5 => {
            window.drag_at(place(random));
            window.run_steps(1);
            window.hover_at(place(random));
            window.run_steps(1);
            window.drop_at(place(random));
        }
        6 => {
            let text = random.of(&["1e308", "-5", "nan", "", "5 ms", "<>&\"", "0", "99999999999999"]);
            window.event(Event::Text(text.into()));
        }
        7 => {
            let key = random.of(&[Key::Enter, Key::Escape, Key::Tab, Key::Backspace, Key::ArrowDown]);
            window.key_press_modifiers(Modifiers::NONE, key);
        }
        8 => window.state_mut().send(random.of(commands)),
        9 => {
            let size = vec2(20.0 + f32::from(random.below(1900)), 20.0 + f32::from(random.below(1000)));
            let size = random.of(&[size, vec2(1280.0, 800.0), vec2(1280.0, 800.0)]);
            window.set_size(size);
        }
        10 => {
            window.hover_at(place(random));
            window.event(Event::MouseWheel {
                unit: egui::MouseWheelUnit::Line,
                delta: vec2(0.0, random.of(&[-20.0, -5.0, 5.0])),
                phase: egui::TouchPhase::Move,
                source: egui::MouseWheelSource::Unknown,
                modifiers: Modifiers::NONE,
            });
        }
        _ => window.state_mut().send(Command::Undo),
    }
    window.run_steps(1);
}

/// Does as many random things, the same ones for the same seed.
pub(super) fn random_events(window: &mut Window, seed: u64, count: usize) {
    let commands: Vec<Command> = listed().into_iter().filter(|command| *command != Command::Quit).collect();
    let mut random = Random::new(seed);
    for _ in 0..count {
        do_something(window, &mut random, &commands);
    }
    settle(window);
}

/// Every open scenario is one that a file can hold; how many there are.
pub(super) fn valid_scenarios(window: &Window) -> usize {
    let documents = window.state().documents();
    for document in documents {
        let text = document.scenario.to_ron();
        let again = crossover_scenario::read(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        assert_eq!(again, *document.scenario);
    }
    documents.len()
}

#[test]
fn random_events_never_break_the_window_or_the_scenario() {
    let mut scenarios = 0;
    for seed in [1, 2, 3] {
        let mut window = window();
        random_events(&mut window, seed, 120);
        scenarios += valid_scenarios(&window);
    }
    assert!(scenarios > 0, "all tabs were closed, so nothing was tested");
}

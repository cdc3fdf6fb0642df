//! The time bar: one cursor for all charts, moved by hand, by key or by playing.

use std::time::Duration;

use egui::{Key, Modifiers, Slider, Ui};

use super::curve::Window;
use super::view_options::ViewOptions;
use crossover_page::widgets::slider;
use crossover_quantity::unit::elapsed;

/// How long playing all periods takes, seconds, if they are many.
const PLAY_SECONDS: f64 = 12.0;
/// Fewest periods that are played in a second.
const SLOWEST: f64 = 5.0;
/// Width of the widgets after the slider, in points.
const BESIDE_SLIDER: f32 = 200.0;
/// From one step to the next while playing, at least, seconds.
const FRAME: f64 = 1.0 / 30.0;

/// The period that is read out.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    /// The period that is read out; none: the run as a whole.
    pub(super) period: Option<usize>,
    /// How far beyond that period playing has come, in periods; none: it does not play.
    playing: Option<f64>,
}

impl Cursor {
    /// Whether it plays.
    pub(super) fn is_playing(&self) -> bool {
        self.playing.is_some()
    }

    /// Goes to the period at a time, seconds.
    pub(super) fn go_to(&mut self, seconds: f64, window: Window) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the periods of a run")]
        let period = (seconds / window.seconds).floor().clamp(0.0, last(window) as f64) as usize;
        self.period = Some(period);
        self.playing = None;
    }

    /// Keeps the cursor inside the run, which may have become shorter.
    pub(super) fn keep_inside(&mut self, window: Window) {
        self.period = self.period.map(|period| period.min(last(window)));
    }

    /// Advances while playing, and requests the next frame only then.
    pub(super) fn play(&mut self, ui: &Ui, window: Window) {
        let Some(beyond) = self.playing else { return };
        let rate = (window.periods as f64 / PLAY_SECONDS).max(SLOWEST);
        let seconds = f64::from(ui.input(|input| input.stable_dt)).min(0.25);
        let beyond = beyond + rate * seconds;
        let period = self.period.unwrap_or(0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a few thousand periods")]
        let next = (period + beyond.floor() as usize).min(last(window));
        self.period = Some(next);
        if next == last(window) {
            self.playing = None;
        } else {
            self.playing = Some(beyond.fract());
            ui.ctx().request_repaint_after(Duration::from_secs_f64((1.0 / rate).max(FRAME)));
        }
    }

    fn toggle(&mut self, window: Window) {
        self.playing = if self.is_playing() { None } else { Some(0.0) };
        if self.is_playing() && self.period.is_none_or(|period| period == last(window)) {
            self.period = Some(0);
        }
    }

    fn step(&mut self, forwards: bool, window: Window) {
        self.playing = None;
        self.period = Some(match self.period {
            None => 0,
            Some(period) if forwards => (period + 1).min(last(window)),
            Some(period) => period.saturating_sub(1),
        });
    }
}

/// Draws the bar.
pub(super) fn show(ui: &mut Ui, cursor: &mut Cursor, options: &mut ViewOptions, window: Window) {
    keys(ui, cursor, window);
    ui.horizontal_wrapped(|ui| {
        let play = if cursor.is_playing() { "Pause" } else { "Play" };
        if ui.button(play).on_hover_text("Space").clicked() {
            cursor.toggle(window);
        }
        for (text, name, forwards, key) in
            [("−1", "Previous period", false, "Left arrow"), ("+1", "Next period", true, "Right arrow")]
        {
            let button = ui.button(text);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
            if button.on_hover_text(format!("{name}: {key}")).clicked() {
                cursor.step(forwards, window);
            }
        }
        ui.toggle_value(&mut options.whole_run, "whole run")
            .on_hover_text("Show all periods, not only those until every controller settles");
        let mut period = cursor.period.unwrap_or(0);
        let width = (ui.available_size_before_wrap().x - BESIDE_SLIDER).clamp(80.0, 900.0);
        slider::prepare(ui, width);
        let slider = ui.add(Slider::new(&mut period, 0..=last(window)).show_value(false));
        slider.widget_info(|| egui::WidgetInfo::slider(true, period as f64, "Period"));
        if slider.changed() {
            cursor.period = Some(period);
            cursor.playing = None;
        }
        match cursor.period {
            Some(period) => {
                ui.label(format!("period {period} · {}", elapsed(window.at(period))));
                if ui.button("Unpin").on_hover_text("Show the whole run again: Escape").clicked() {
                    *cursor = Cursor::default();
                }
            }
            None => drop(ui.weak("Drag to read a period")),
        }
    });
}

/// Keys move the cursor while nothing else has the keyboard.
fn keys(ui: &Ui, cursor: &mut Cursor, window: Window) {
    if ui.memory(|memory| memory.focused().is_some()) || ui.ctx().egui_is_using_pointer() {
        return;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    if pressed(Key::Space) {
        cursor.toggle(window);
    }
    if pressed(Key::ArrowRight) {
        cursor.step(true, window);
    }
    if pressed(Key::ArrowLeft) {
        cursor.step(false, window);
    }
    if cursor.period.is_some() && pressed(Key::Escape) {
        *cursor = Cursor::default();
    }
}

/// The last period that is shown.
fn last(window: Window) -> usize {
    window.periods.saturating_sub(1)
}

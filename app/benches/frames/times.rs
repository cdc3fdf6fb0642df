//! Times of frames: measuring and printing.

use std::time::{Duration, Instant};

use super::Window;

/// Frames in which something happens, in milliseconds.
#[derive(Default)]
pub(super) struct Times {
    /// The frames themselves.
    pub(super) frames: Vec<f64>,
    /// From the beginning of the frame to the one that shows what follows from it.
    shown: Vec<f64>,
}

impl Times {
    pub(super) fn add(&mut self, window: &mut Window, happens: impl FnOnce(&mut Window)) {
        let began = Instant::now();
        happens(window);
        let mut frame = began;
        let mut longest = Duration::ZERO;
        loop {
            window.step();
            longest = longest.max(frame.elapsed());
            if !window.state().is_busy() {
                break;
            }
            std::thread::sleep(Duration::from_micros(100));
            frame = Instant::now();
        }
        self.frames.push(longest.as_secs_f64() * 1e3);
        self.shown.push(began.elapsed().as_secs_f64() * 1e3);
        window.run_steps(1);
    }

    /// A frame of a screen with 60 a second in which the user does nothing, whatever goes on beside it.
    pub(super) fn add_frame(&mut self, window: &mut Window) {
        let began = Instant::now();
        window.step();
        let taken = began.elapsed();
        self.frames.push(taken.as_secs_f64() * 1e3);
        self.shown.push(taken.as_secs_f64() * 1e3);
        std::thread::sleep(Duration::from_micros(16_667).saturating_sub(taken));
    }

    /// One frame, whatever goes on beside it.
    pub(super) fn add_single(&mut self, window: &mut Window, happens: impl FnOnce(&mut Window)) {
        let began = Instant::now();
        happens(window);
        window.step();
        self.frames.push(began.elapsed().as_secs_f64() * 1e3);
    }

    pub(super) fn tell_each(mut self, what: &str) {
        self.frames.sort_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 … the last index")]
        let at = |share: f64| self.frames[(share * (self.frames.len() - 1) as f64).round() as usize];
        println!("  {what:26} frame {:7.2} ms (99 of 100 within {:7.2}, longest {:7.2})", at(0.5), at(0.99), at(1.0));
    }

    pub(super) fn tell(mut self, what: &str) {
        let [frame, shown] = [&mut self.frames, &mut self.shown].map(|times| {
            times.sort_by(f64::total_cmp);
            (times[times.len() / 2], times[times.len() - 1])
        });
        println!(
            "  {what:24} frame {:7.2} ms (longest {:7.2})   on the screen after {:7.2} ms (longest {:7.2})",
            frame.0, frame.1, shown.0, shown.1
        );
    }
}

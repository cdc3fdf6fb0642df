//! Imports of files, one after the other: the thread, its progress, and the window that shows it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossover_page::compute::background::Background;
use crossover_page::services::{Read, Services, Then, name_of};
use crossover_page::storage::scenario::check_ends;
use crossover_plan::Control;
use crossover_quantity::unit::{Unit, elapsed};
use egui::{Align2, Context, Id, ProgressBar, Role, WidgetInfo};

use super::Workbench;
use super::prompts::name_title_bar;

/// How often progress is drawn.
const FRAME: Duration = Duration::from_millis(100);
/// Minimum time before the window is shown: a shorter one would only flash.
const PATIENCE: Duration = Duration::from_millis(150);
/// The remaining time is estimated after this time.
const ESTIMATED_AFTER: Duration = Duration::from_secs(2);
/// Width of the window, in points.
const WIDTH: f32 = 420.0;
/// Bytes of a gigabyte.
const GB: f64 = 1e9;

/// The file that is being read, and those that come after it.
#[derive(Default)]
pub(super) struct Reads {
    reading: Option<Reading>,
    waiting: VecDeque<Read>,
}

/// A file that is being read. Dropping it cancels the thread; its result never arrives.
struct Reading {
    title: &'static str,
    path: PathBuf,
    control: Arc<Control>,
    worker: Background<Work, Then>,
}

/// The work of the thread.
type Work = Box<dyn FnOnce() -> Then + Send>;

/// The button that was pressed in the progress window.
enum ProgressAction {
    /// None.
    Nothing,
    /// Cancel this file.
    Cancel,
    /// Cancel this file and those that wait.
    CancelAll,
}

impl Reads {
    /// Queues a file to be read.
    pub(super) fn add(&mut self, read: Read) {
        self.waiting.push_back(read);
    }

    /// Whether a file is being read.
    pub(super) fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Cancels the current file and the queue.
    pub(super) fn end(&mut self) {
        self.reading = None;
        self.waiting.clear();
    }
}

impl Workbench {
    /// Continues with a file that was read, and starts the next one.
    pub(super) fn receive_read(&mut self, ctx: &Context) {
        if let Some(result) = self.reads.reading.as_mut().and_then(Reading::poll) {
            self.reads.reading = None;
            match result {
                Ok(then) => self.with_services(then),
                Err(problem) => self.notify_unopened(problem),
            }
        }
        if self.reads.reading.is_none()
            && self.questions.is_empty()
            && let Some(read) = self.reads.waiting.pop_front()
        {
            self.reads.reading = Some(Reading::start(ctx, read));
        }
    }

    /// Shows the progress of the current file, and cancels if the user says so.
    pub(super) fn reading_progress(&mut self, ctx: &Context) {
        let Some(reading) = &self.reads.reading else { return };
        let action = reading.show(ctx, self.reads.waiting.len());
        let text = format!("Import of {} cancelled; nothing was opened", name_of(&reading.path));
        match action {
            ProgressAction::Nothing => return,
            ProgressAction::Cancel => self.reads.reading = None,
            ProgressAction::CancelAll => self.reads.end(),
        }
        self.notify(text);
        // The next file is begun in the next frame.
        ctx.request_repaint();
    }
}

impl Reading {
    /// Begins to read; the window is woken at the end.
    fn start(ctx: &Context, Read { title, path, work }: Read) -> Self {
        let control = Arc::new(Control::default());
        let (file, watched) = (path.clone(), Arc::clone(&control));
        let mut worker = Background::new("import", |work: Work, _| Some(work()));
        let work = move || -> Then {
            match check_ends(&file) {
                Ok(()) => work(&file, &watched),
                Err(problem) => Box::new(move |services: &mut Services<'_>| services.notify_error(problem)),
            }
        };
        worker.submit(ctx, Box::new(work));
        Self { title, path, control, worker }
    }

    /// The continuation once the file is read; an error has the file and the reason.
    fn poll(&mut self) -> Option<Result<Then, String>> {
        let (_, result) = self.worker.poll()?;
        Some(result.map_err(|problem| format!("{}: {problem}", self.path.display())))
    }

    /// Draws the progress; `waiting` files are queued.
    fn show(&self, ctx: &Context, waiting: usize) -> ProgressAction {
        ctx.request_repaint_after(FRAME);
        let mut action = ProgressAction::Nothing;
        if self.worker.elapsed() < PATIENCE {
            return action;
        }
        let window = egui::Window::new(self.title)
            .id(Id::unique("import progress"))
            .collapsible(false)
            .resizable(false)
            .pivot(Align2::CENTER_CENTER)
            .default_pos(ctx.content_rect().center());
        let shown = window.show(ctx, |ui| {
            ui.set_width(WIDTH);
            ui.add(egui::Label::new(name_of(&self.path)).truncate()).on_hover_text(self.path.display().to_string());
            let (done, total) = self.control.progress();
            let progress = Progress { done, total, elapsed: self.worker.elapsed() };
            let text = progress.amount();
            let bar = ui.add(ProgressBar::new(progress.share()).desired_width(WIDTH));
            bar.widget_info(|| WidgetInfo::labeled(Role::ProgressIndicator, true, format!("import: {text}")));
            ui.horizontal(|ui| {
                ui.label(text);
                ui.weak(progress.pace());
            });
            match waiting {
                0 => {}
                1 => drop(ui.weak("1 more file is queued")),
                _ => drop(ui.weak(format!("{waiting} more files are queued"))),
            }
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let button = ui.button("Cancel");
                button.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Cancel the import"));
                if button.clicked() {
                    action = ProgressAction::Cancel;
                }
                if waiting > 0 && ui.button("Cancel all").clicked() {
                    action = ProgressAction::CancelAll;
                }
            });
        });
        if let Some(shown) = shown {
            name_title_bar(&shown.response, self.title);
        }
        action
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

/// Progress of an import.
struct Progress {
    /// Bytes.
    done: u64,
    /// Bytes; 0 while unknown.
    total: u64,
    elapsed: Duration,
}

impl Progress {
    /// 0 … 1; 0 while the total is unknown.
    fn share(&self) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1 for a bar on the screen")]
        let share = (self.done as f64 / self.total.max(1) as f64).min(1.0) as f32;
        if self.total == 0 { 0.0 } else { share }
    }

    /// "12 MB of 48 MB, 25 %".
    fn amount(&self) -> String {
        let size = |bytes: u64| Unit::Gigabytes.format(bytes as f64 / GB);
        match (self.done, self.total) {
            (0, _) => "Opening the file…".to_owned(),
            (done, 0) => format!("{} read", size(done)),
            (done, total) if done >= total => format!("{} read; assembling the queries…", size(total)),
            (done, total) => {
                format!("{} of {}, {:.0} %", size(done), size(total), (100.0 * self.share()).floor())
            }
        }
    }

    /// "120 MB/s, about 8 s left".
    fn pace(&self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        if self.done == 0 || seconds <= 0.0 {
            return String::new();
        }
        let per_second = self.done as f64 / seconds;
        let pace = Unit::GigabytesPerSecond.format(per_second / GB);
        if self.elapsed < ESTIMATED_AFTER || self.done >= self.total {
            return pace;
        }
        let left = ((self.total - self.done) as f64 / per_second).ceil();
        format!("{pace}, about {} left", elapsed(left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(done: u64, total: u64, seconds: f64) -> Progress {
        Progress { done, total, elapsed: Duration::from_secs_f64(seconds) }
    }

    #[test]
    fn progress_says_how_much_is_read_and_how_fast() {
        // 12 MB in a second leave 36 MB for three seconds, a quarter is done.
        let quarter = progress(24_000_000, 96_000_000, 2.0);
        assert_eq!(quarter.amount(), "24 MB of 96 MB, 25 %");
        assert_eq!(quarter.pace(), "12 MB/s, about 6 s left");
        assert_eq!(quarter.share(), 0.25);
        assert_eq!(progress(24_000_000, 96_000_000, 1.0).pace(), "24 MB/s", "too early to tell");
    }

    #[test]
    fn a_total_that_is_unknown_or_exceeded_gives_no_nonsense() {
        let unknown = progress(5_000_000, 0, 10.0);
        assert_eq!(
            (unknown.amount().as_str(), unknown.pace().as_str(), unknown.share()),
            ("5 MB read", "500 kB/s", 0.0)
        );
        let exceeded = progress(11_000_000, 10_000_000, 10.0);
        assert_eq!((exceeded.share(), exceeded.pace().as_str()), (1.0, "1.1 MB/s"));
        assert_eq!(progress(0, 0, 0.0).amount(), "Opening the file…");
    }
}

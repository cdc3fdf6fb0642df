//! A monkey at the real window: random clicks, drags, keys, texts, sizes and commands, the same for the same seed.
//!
//! `cargo xtask monkey` runs it on a virtual display. From time to time it rests: then every edit must be on disk, and every
//! scenario one that a file can hold. Memory is compared between rests, with the same scenario open.

#![expect(clippy::print_stdout, reason = "its figures are what it is for")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use crossover::workbench::{Start, Workbench, listed};
use crossover_needs::Random;
use crossover_page::command::Command;
use crossover_page::storage::scenario::BUILT_IN;
use eframe::{NativeOptions, Renderer};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, ViewportCommand, ViewportEvent, ViewportId, pos2, vec2};

/// That of the program, whose memory this is about.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often it rests; memory is first read at the first rest.
const RESTS: u32 = 10;
/// Shortest time between two rests.
const SHORTEST: Duration = Duration::from_secs(5);
/// How long an edit may take until it is on disk, on a slow machine at work.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time between two looks at the disk.
const LOOK: Duration = Duration::from_millis(500);
/// How long a window without work is left alone before its memory is read.
const CALM: Duration = Duration::from_secs(3);
/// Most that memory may grow from the first rest to the last, as a factor.
const MOST_GROWTH: f64 = 1.5;

/// Panics on all threads: those of jobs do not end the window.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [minutes, seed] = &*arguments else { bail!("expected MINUTES and SEED, found {arguments:?}") };
    let minutes: u32 = minutes.parse().context("MINUTES")?;
    let seed: u64 = seed.parse().context("SEED")?;
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        usual(panic);
    }));
    let folder = tempfile::tempdir().context("no folder for what it saves")?;
    // Names that it types are here.
    std::env::set_current_dir(folder.path())?;
    let problems = Rc::new(RefCell::new(Vec::new()));
    let viewport = egui::ViewportBuilder::default().with_title("Crossover").with_inner_size([1280.0, 800.0]);
    let options =
        NativeOptions { viewport, renderer: Renderer::Wgpu, persist_window: false, ..NativeOptions::default() };
    let (of_window, place) = (Rc::clone(&problems), folder.path().to_owned());
    let ended = eframe::run_native(
        "crossover-monkey",
        options,
        Box::new(move |creation| {
            let start = Start {
                recovery_folder: Some(place.join("unsaved")),
                open_files_folder: Some(place.join("open")),
                // Measurements take the machine from everything else.
                measuring_program: Some(PathBuf::from("/bin/false")),
                ..Start::default()
            };
            let length = Duration::from_mins(1) * minutes;
            Ok(Box::new(Monkey::new(Workbench::new(creation, start), seed, length, place, of_window)))
        }),
    );
    ended.map_err(|error| anyhow!("the window: {error}"))?;
    let panics = PANICS.load(Ordering::Relaxed);
    let problems = problems.borrow();
    if panics > 0 || !problems.is_empty() {
        bail!("seed {seed}: {panics} panics; {}", problems.join("; "));
    }
    Ok(())
}

/// What the monkey does now.
#[derive(Clone, Copy)]
enum Phase {
    /// It acts, until then.
    Acting(Instant),
    /// It waits for every edit to be on disk: until when, and when it looks next.
    Keeping(Instant, Instant),
    /// One scenario is open, and nothing happens: until then.
    Calm(Instant),
    /// The window closes.
    Ended,
}

struct Monkey {
    workbench: Workbench,
    random: Random,
    commands: Vec<Command>,
    /// Events of the next frames.
    next: VecDeque<Vec<Event>>,
    folder: PathBuf,
    began: Instant,
    length: Duration,
    phase: Phase,
    acts: u64,
    frames: u64,
    /// Megabytes at each rest.
    memory: Vec<f64>,
    problems: Rc<RefCell<Vec<String>>>,
}

impl Monkey {
    fn new(
        workbench: Workbench,
        seed: u64,
        length: Duration,
        folder: PathBuf,
        problems: Rc<RefCell<Vec<String>>>,
    ) -> Self {
        let began = Instant::now();
        Self {
            workbench,
            random: Random::new(seed),
            commands: listed().into_iter().filter(|command| *command != Command::Quit).collect(),
            next: VecDeque::new(),
            folder,
            began,
            length,
            phase: Phase::Acting(began + (length / RESTS).max(SHORTEST)),
            acts: 0,
            frames: 0,
            memory: Vec::new(),
            problems,
        }
    }

    /// Does one random thing, over the next frames.
    fn act(&mut self, ctx: &egui::Context) {
        self.acts += 1;
        match self.random.below(12) {
            0..=3 => {
                let at = self.place(ctx);
                self.next.extend([vec![Event::PointerMoved(at), button(at, true)], vec![button(at, false)]]);
            }
            4 | 5 => {
                let [from, over, to] = [(); 3].map(|()| self.place(ctx));
                self.next.extend([
                    vec![Event::PointerMoved(from), button(from, true)],
                    vec![Event::PointerMoved(over)],
                    vec![Event::PointerMoved(to), button(to, false)],
                ]);
            }
            6 => {
                let text = self.random.of(&["1e308", "-5", "nan", "5 ms", "<>&\"", "0", "数据 🦀", "99999999999999"]);
                self.next.push_back(vec![Event::Text(text.to_owned())]);
            }
            7 => {
                let keys = [Key::Enter, Key::Escape, Key::Tab, Key::Backspace, Key::ArrowDown, Key::Space];
                let key = self.random.of(&keys);
                let modifiers = self.random.of(&[Modifiers::NONE, Modifiers::NONE, Modifiers::SHIFT]);
                let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
                self.next.extend([vec![event(true)], vec![event(false)]]);
            }
            8 => self.workbench.send(self.random.of(&self.commands)),
            9 => {
                let any = vec2(20.0 + f32::from(self.random.below(1500)), 20.0 + f32::from(self.random.below(900)));
                let size = self.random.of(&[any, vec2(1280.0, 800.0), vec2(800.0, 600.0)]);
                ctx.send_viewport_cmd(ViewportCommand::InnerSize(size));
            }
            10 => {
                let at = self.place(ctx);
                let wheel = Event::MouseWheel {
                    unit: egui::MouseWheelUnit::Line,
                    delta: vec2(0.0, self.random.of(&[-20.0, -5.0, 5.0])),
                    phase: egui::TouchPhase::Move,
                    source: egui::MouseWheelSource::Unknown,
                    modifiers: Modifiers::NONE,
                };
                self.next.push_back(vec![Event::PointerMoved(at), wheel]);
            }
            _ => self.workbench.send(Command::Undo),
        }
    }

    fn place(&mut self, ctx: &egui::Context) -> Pos2 {
        let size = ctx.content_rect().size();
        let share = |random: &mut Random| f32::from(random.below(1000)) / 1000.0;
        pos2(share(&mut self.random) * size.x, share(&mut self.random) * size.y)
    }

    /// Goes on to the next phase, if it is time.
    fn go_on(&mut self, ctx: &egui::Context) {
        let now = Instant::now();
        match self.phase {
            Phase::Acting(until) if now < until => {
                if self.next.is_empty() {
                    self.act(ctx);
                }
            }
            Phase::Acting(_) => {
                // What it began ends: a drag, or the text in a field.
                if self.next.is_empty() {
                    self.phase = Phase::Keeping(now + PATIENCE, now + LOOK);
                }
            }
            Phase::Keeping(_, next) if now < next => {}
            Phase::Keeping(until, _) => {
                let lost = self.lost_edits();
                if !lost.is_empty() && now < until {
                    self.phase = Phase::Keeping(until, now + LOOK);
                    return;
                }
                self.problems.borrow_mut().extend(lost);
                match crossover_scenario::read(BUILT_IN) {
                    Ok(scenario) => self.workbench.show_only(self.folder.join("monkey.ron"), scenario),
                    Err(error) => self.problems.borrow_mut().push(error.to_string()),
                }
                self.phase = Phase::Calm(now + CALM);
            }
            Phase::Calm(until) if now < until => {}
            Phase::Calm(_) => {
                self.rest();
                let is_over = self.began.elapsed() >= self.length;
                self.phase = if is_over {
                    ctx.send_viewport_cmd(ViewportCommand::Close);
                    Phase::Ended
                } else {
                    Phase::Acting(now + (self.length / RESTS).max(SHORTEST))
                };
                if is_over {
                    self.conclude();
                }
            }
            Phase::Ended => {}
        }
    }

    /// Edits that are in no snapshot, and scenarios that no file can hold, in words.
    fn lost_edits(&self) -> Vec<String> {
        let kept = snapshots(&self.folder.join("unsaved"));
        let mut lost = Vec::new();
        for document in self.workbench.documents() {
            let text = document.scenario.to_ron();
            match crossover_scenario::read(&text) {
                Ok(again) if again == *document.scenario => {}
                Ok(_) => lost.push(format!("“{}” is another scenario after it was written and read", document.label())),
                Err(error) => lost.push(format!("“{}” cannot be read again: {error}", document.label())),
            }
            if document.is_dirty() && !kept.contains(&text) {
                lost.push(format!("edits of “{}” are not on disk", document.label()));
            }
        }
        lost
    }

    /// Reads and shows the memory of the process.
    fn rest(&mut self) {
        self.memory.push(memory_mb());
        println!(
            "after {:5.1} min: {} acts, {} frames, {:.0} MB, {} panics, {} problems",
            self.began.elapsed().as_secs_f64() / 60.0,
            self.acts,
            self.frames,
            memory_mb(),
            PANICS.load(Ordering::Relaxed),
            self.problems.borrow().len()
        );
    }

    /// Shows what all of it comes to.
    fn conclude(&self) {
        let (Some(first), Some(last)) = (self.memory.first(), self.memory.last()) else { return };
        let growth = last / first;
        if growth > MOST_GROWTH {
            let problem = format!("memory grew by a factor of {growth:.2}, more than {MOST_GROWTH}");
            self.problems.borrow_mut().push(problem);
        }
        println!(
            "memory {first:.0} MB after warm-up, {last:.0} MB at the end ({growth:.2} ×); {} panics, {} problems, lost edits included",
            PANICS.load(Ordering::Relaxed),
            self.problems.borrow().len()
        );
    }
}

impl eframe::App for Monkey {
    fn logic(&mut self, ctx: &egui::Context, frame: &mut eframe::Frame) {
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        self.workbench.logic(ctx, frame);
        self.go_on(ctx);
        ctx.request_repaint();
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        self.frames += 1;
        self.workbench.ui(ui, frame);
    }

    fn raw_input_hook(&mut self, ctx: &egui::Context, input: &mut egui::RawInput) {
        self.workbench.raw_input_hook(ctx, input);
        // A virtual display gives no window the keyboard.
        input.focused = true;
        input.events.extend(self.next.pop_front().unwrap_or_default());
        if !matches!(self.phase, Phase::Ended)
            && let Some(window) = input.viewports.get_mut(&ViewportId::ROOT)
        {
            // It may pick Quit from the menu.
            window.events.retain(|event| !matches!(event, ViewportEvent::Close));
        }
    }
}

fn button(pos: Pos2, pressed: bool) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE }
}

/// The texts of the scenarios in the recovery folder: behind the first line of each file.
fn snapshots(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let files = files.filter(|file| file.extension().is_some_and(|extension| extension == "ron"));
    let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    texts.filter_map(|text| text.split_once('\n').map(|(_, scenario)| scenario.to_owned())).collect()
}

/// Memory of this process; 0 where the system does not say.
fn memory_mb() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0 / 1e6
}

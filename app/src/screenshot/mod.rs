//! Pictures of the real window, drawn without a display.

mod look;
mod page;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, value_parser};
use crossover_calibrate_page::Request;
use crossover_files::atomic;
use crossover_fleet_page as fleet;
use crossover_gpu_bench::report::file;
use crossover_page::command::Command;
use crossover_page::storage::scenario;
use crossover_placement_page::engines;
use crossover_placement_page::request::Request as OfPlans;
use crossover_placement_page::truth::check;
use crossover_study::Watch;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use egui_system_font_provider::SystemFontProvider;

use crate::workbench::{Start, Workbench};
pub use look::{Look, Theme};
use look::{look, size};
pub use page::Page;

/// Frames after which layout, plots and panels have settled.
const FRAMES: usize = 8;
/// Maximum wait for other threads and processes: runs of a study, the list of GPUs, a report.
const PATIENCE: Duration = Duration::from_mins(2);
/// The buttons that open what a log holds, the first one that is there: all of its application, or its longest query.
const OPEN_LOG: [&str; 2] = ["Open whole application", "Open as new scenario"];

/// Options of pictures of the window, drawn without a display.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Options {
    /// Scenario file (.ron), event log or query plan to show; "-" reads a scenario from standard input
    #[arg(required_unless_present = "page")]
    pub file: Option<PathBuf>,
    /// Page to show instead of the page of FILE; tools use FILE
    #[arg(long, value_enum)]
    pub page: Option<Page>,
    /// Report of `bench run --json` to show on the Calibrate page
    #[arg(long, value_name = "JSON", requires = "page")]
    pub report: Option<PathBuf>,
    /// Measured cases for --page truth and --page fit, in the format of `validate` and `fit`
    #[arg(long, value_name = "CSV", requires = "page")]
    pub cases: Option<PathBuf>,
    /// Result folder of `fleet --out` to show on the Fleet page
    #[arg(long, value_name = "DIR", requires = "page")]
    pub results: Option<PathBuf>,
    /// PNG file to write
    #[arg(long, value_name = "PNG")]
    pub out: PathBuf,
    /// Size of the window in points
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size)]
    pub size: [u16; 2],
    /// Colours of the window
    #[arg(long, value_enum, default_value = "light")]
    pub theme: Theme,
    /// Pixels per point
    #[arg(long, default_value = "1", value_parser = value_parser!(u8).range(1..=3))]
    pub scale: u8,
    /// Several pictures of one window, such as light-1280x800,dark-1280x800@2: each is written beside PNG, with its look
    /// in its name
    #[arg(long = "looks", value_name = "LOOK,…", value_delimiter = ',', value_parser = look)]
    #[arg(conflicts_with_all = ["size", "theme", "scale"])]
    pub looks: Vec<Look>,
}

impl Options {
    /// Each look with its file; there is at least one.
    fn pictures(&self) -> Vec<(Look, PathBuf)> {
        if self.looks.is_empty() {
            let look = Look { theme: self.theme, size: self.size, scale: self.scale };
            return vec![(look, self.out.clone())];
        }
        self.looks.iter().map(|look| (*look, look.file(&self.out))).collect()
    }

    /// Whether FILE is a log or a plan, of which the window imports a query.
    fn is_log(&self) -> bool {
        self.file.as_deref().is_some_and(scenario::holds_queries)
    }
}

/// Draws the window of a scenario, or one of its other pages, into PNG files.
///
/// # Errors
/// If the scenario or the report cannot be read, no graphics adapter is found (a software one is enough), the page is not
/// complete within two minutes, or a file cannot be written.
pub fn capture(options: &Options) -> Result<()> {
    let open = |path: &PathBuf| -> Result<_> { Ok((path.clone(), scenario::open(path)?)) };
    let scenario = options.file.as_ref().filter(|_| !options.is_log()).map(open).transpose()?;
    let is_of_cases = matches!(options.page, Some(Page::Truth | Page::Fit));
    if options.report.is_some() && options.page != Some(Page::Calibrate) {
        bail!("--report needs --page calibrate");
    }
    if options.cases.is_some() && !is_of_cases {
        bail!("--cases needs --page truth or --page fit");
    }
    if options.results.is_some() && options.page != Some(Page::Fleet) {
        bail!("--results needs --page fleet");
    }
    let pictures = options.pictures();
    if let Some((look, side)) = pictures.iter().find_map(|(look, _)| Some((look, look.too_long_side()?))) {
        bail!("{}", look.too_long(side));
    }
    let has_query = || scenario.as_ref().and_then(|(_, scenario)| scenario.placement()?.query.as_ref()).is_some();
    if let Some(page) = options.page.filter(|page| page.is_of_query() && !options.is_log() && !has_query()) {
        let name = if page == Page::Where { "where" } else { "answer" };
        bail!("--page {name} needs FILE: a scenario of a query, or a log");
    }
    let offers_start = options.page == Some(Page::Start);
    if offers_start && options.file.is_some() {
        bail!("--page start shows the published setting; leave FILE out");
    }
    // What cannot be read ends the program; the page would show a message instead.
    options.report.as_deref().map(file::read).transpose()?;
    options.results.as_deref().map(crossover_fleet::opened::open).transpose()?;
    options.cases.as_deref().map(|cases| Watch::uncancellable(|watch| check(cases, None, &watch))).transpose()?;
    if crossover_gpu_bench::gpu::adapter::list().is_empty() {
        bail!("no graphics driver found; install one, a software driver is enough (Debian: mesa-vulkan-drivers)");
    }
    let mut harness = Harness::builder()
        .with_size(pictures[0].0.size.map(f32::from))
        // A user's names may have letters that no font of the system has; a picture with a box is better than none.
        .allow_missing_glyphs()
        .wgpu()
        .build_eframe(move |creation| {
            creation.egui_ctx.add_font_provider(Arc::new(SystemFontProvider::new()));
            let mut workbench = Workbench::new(creation, Start { offers_start, ..Start::default() });
            if let Some((path, scenario)) = scenario {
                workbench.show_only(path, scenario);
            }
            workbench
        });
    settle(&mut harness, Workbench::busy_with, PATIENCE)?;
    if let Some(log) = options.file.clone().filter(|_| options.is_log()) {
        open_log(&mut harness, log)?;
    }
    if let Some(page) = options.page {
        show(&mut harness, page, options)?;
    }
    for (look, out) in &pictures {
        draw(&mut harness, *look, out)?;
    }
    Ok(())
}

/// Imports a log as the window does, and closes all other tabs.
fn open_log(harness: &mut Harness<'_, Workbench>, log: PathBuf) -> Result<()> {
    send(harness, Command::ask(OfPlans::ImportFile(log)))?;
    // A file of one plan is opened without a question.
    if let Some(open) = OPEN_LOG.into_iter().find(|open| has_button(harness, open)) {
        press(harness, open)?;
    }
    send(harness, Command::CloseOtherTabs)
}

/// Shows a page, with the file that it reads.
fn show(harness: &mut Harness<'_, Workbench>, page: Page, options: &Options) -> Result<()> {
    if let Some(button) = page.button() {
        return press(harness, button);
    }
    let Some(command) = page.command() else { return Ok(()) };
    send(harness, command)?;
    let read = match page {
        Page::Calibrate => options.report.clone().map(|report| Command::ask(Request::Show(report))),
        Page::Truth | Page::Fit => options.cases.clone().map(|cases| Command::ask(engines::Request::UseCases(cases))),
        Page::Fleet => options.results.clone().map(|folder| Command::ask(fleet::Request::OpenFolder(folder))),
        _ => None,
    };
    read.map_or(Ok(()), |command| send(harness, command))
}

/// Sends a command, and draws until its results are on screen.
fn send(harness: &mut Harness<'_, Workbench>, command: Command) -> Result<()> {
    harness.state_mut().send(command);
    settle(harness, Workbench::busy_with, PATIENCE)
}

fn has_button(harness: &Harness<'_, Workbench>, label: &str) -> bool {
    harness.query_all_by_role_and_label(Role::Button, label).next().is_some()
}

/// Presses a button, and draws until what it shows is on screen.
fn press(harness: &mut Harness<'_, Workbench>, label: &str) -> Result<()> {
    match harness.query_all_by_role_and_label(Role::Button, label).next() {
        Some(button) => button.click_accesskit(),
        None => bail!("the page of FILE has no “{label}”; name another FILE"),
    }
    settle(harness, Workbench::busy_with, PATIENCE)
}

/// Draws the window in this look.
fn draw(harness: &mut Harness<'_, Workbench>, look: Look, out: &Path) -> Result<()> {
    harness.set_size(look.size.map(f32::from).into());
    // Not the zoom, which the user has set.
    let viewport = harness.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
    viewport.native_pixels_per_point = Some(f32::from(look.scale));
    send(harness, Command::Theme(look.theme.choice()))?;
    let image = harness.render().map_err(|problem| anyhow!("{problem}"))?;
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).context("cannot encode the picture")?;
    atomic::write(out, png.get_ref())?;
    Ok(())
}

/// Draws until the results of other threads and processes are on screen; `busy_with` names the work that is left.
///
/// # Errors
/// If they still work after this time.
fn settle<S>(
    harness: &mut Harness<'_, S>,
    busy_with: impl Fn(&S) -> Vec<&'static str>,
    patience: Duration,
) -> Result<()> {
    let end = Instant::now() + patience;
    harness.run_steps(FRAMES);
    loop {
        let work = busy_with(harness.state());
        if work.is_empty() {
            break;
        }
        if Instant::now() >= end {
            let (work, seconds) = (work.join(" and "), patience.as_secs());
            bail!(
                "no picture: after {seconds} s the window is still computing {work}; try again, or with a smaller study"
            );
        }
        thread::sleep(Duration::from_millis(10));
        harness.run_steps(1);
    }
    harness.run_steps(FRAMES);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that counts its frames.
    fn page() -> Harness<'static, usize> {
        Harness::builder().build_ui_state(|_, frames: &mut usize| *frames += 1, 0)
    }

    #[test]
    fn a_picture_waits_until_the_page_is_not_busy_and_has_drawn_what_came() {
        let mut page = page();
        let until_frame_50 = |frames: &usize| if *frames < 50 { vec!["the figures"] } else { Vec::new() };
        settle(&mut page, until_frame_50, crossover_needs::deadline()).unwrap();
        assert!(*page.state() >= 50 + FRAMES, "{} frames", page.state());
    }

    #[test]
    fn a_page_that_stays_busy_is_no_picture_but_a_message() {
        let endless = |_: &usize| vec!["files", "the figures"];
        let message = settle(&mut page(), endless, Duration::ZERO).unwrap_err().to_string();
        assert!(
            message.starts_with("no picture: after 0 s the window is still computing files and the figures"),
            "{message}"
        );
    }
}

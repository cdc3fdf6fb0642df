//! A picture of the real window, drawn without a display.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum, value_parser};
use crossover_calibrate_page::{self as calibrate, Request};
use crossover_files::atomic;
use crossover_fleet_page as fleet;
use crossover_gpu_bench::report::file;
use crossover_page::command::Command;
use crossover_page::storage::scenario;
use crossover_placement_page::request::Request as OfPlans;
use crossover_placement_page::truth::check;
use crossover_placement_page::{engines, steps};
use crossover_study::Watch;
use egui_kittest::Harness;
use egui_system_font_provider::SystemFontProvider;

use crate::workbench::{Start, Workbench};

/// Frames after which layout, plots and panels have settled.
const FRAMES: usize = 8;
/// Maximum wait for other threads and processes: runs of a study, the list of GPUs, a report.
const PATIENCE: Duration = Duration::from_mins(2);

/// Options of a picture of the window, drawn without a display.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Options {
    /// Scenario file (.ron) to show; "-" reads standard input
    #[arg(required_unless_present = "page")]
    pub file: Option<PathBuf>,
    /// Page to show instead of the scenario's page; `where` needs FILE
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
}

/// A page beside that of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Page {
    /// The start panel beside the published setting.
    Start,
    /// Move queries, step 1: what.
    What,
    /// Move queries, step 2: where, for the query of FILE.
    Where,
    /// Measuring this machine.
    Calibrate,
    /// Predictions beside measured cases.
    Truth,
    /// Engines fitted to measured cases.
    Fit,
    /// All applications of an organisation.
    Fleet,
}

impl Page {
    /// The command that shows it; `None` if it is on the first screen.
    fn command(self) -> Option<Command> {
        Some(match self {
            Self::Start => return None,
            Self::What => Command::ShowTool(steps::WHAT),
            Self::Where => Command::ask(OfPlans::ShowMachines),
            Self::Calibrate => Command::ShowTool(calibrate::TOOL),
            Self::Truth => Command::ShowTool(engines::TRUTH),
            Self::Fit => Command::ShowTool(engines::FIT),
            Self::Fleet => Command::ShowTool(fleet::TOOL),
        })
    }
}

/// Colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// Most pixels of a side: a texture that every renderer takes.
const MOST_PIXELS: u32 = 8192;
/// Allowed width and height in points.
const SIDE: std::ops::RangeInclusive<u16> = 200..=4096;

/// Draws the window of a scenario, or one of its other pages, into a PNG file.
///
/// # Errors
/// If the scenario or the report cannot be read, no graphics adapter is found (a software one is enough), the page is not
/// complete within two minutes, or the file cannot be written.
pub fn capture(options: &Options) -> Result<()> {
    let open = |path: &PathBuf| -> Result<_> { Ok((path.clone(), scenario::open(path)?)) };
    let scenario = options.file.as_ref().map(open).transpose()?;
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
    if let Some(side) = options.size.iter().find(|side| u32::from(**side) * u32::from(options.scale) > MOST_PIXELS) {
        bail!(
            "--size and --scale: {side} points at scale {} are more than {MOST_PIXELS} pixels; choose less",
            options.scale
        );
    }
    let study = scenario.as_ref().and_then(|(_, scenario)| scenario.placement());
    if options.page == Some(Page::Where) && study.is_none_or(|study| study.query.is_none()) {
        bail!("--page where needs FILE: a scenario of a query");
    }
    if options.page == Some(Page::Start) && scenario.is_some() {
        bail!("--page start shows the published setting; leave FILE out");
    }
    // What cannot be read ends the program; the page would show a message instead.
    options.report.as_deref().map(file::read).transpose()?;
    options.results.as_deref().map(crossover_fleet::opened::open).transpose()?;
    options.cases.as_deref().map(|cases| Watch::uncancellable(|watch| check(cases, None, &watch))).transpose()?;
    if crossover_gpu_bench::gpu::adapter::list().is_empty() {
        bail!("no graphics driver found; install one, a software driver is enough (Debian: mesa-vulkan-drivers)");
    }
    let theme = match options.theme {
        Theme::Light => egui::Theme::Light,
        Theme::Dark => egui::Theme::Dark,
    };
    let [width, height] = options.size.map(f32::from);
    let offers_start = options.page == Some(Page::Start);
    let mut harness = Harness::builder()
        .with_size([width, height])
        .with_pixels_per_point(f32::from(options.scale))
        .with_theme(theme)
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
    if let Some(page) = options.page {
        if let Some(command) = page.command() {
            harness.state_mut().send(command);
        }
        let show = match page {
            Page::Start | Page::What | Page::Where => None,
            Page::Calibrate => options.report.clone().map(|report| Command::ask(Request::Show(report))),
            Page::Truth | Page::Fit => {
                options.cases.clone().map(|cases| Command::ask(engines::Request::UseCases(cases)))
            }
            Page::Fleet => options.results.clone().map(|folder| Command::ask(fleet::Request::OpenFolder(folder))),
        };
        if let Some(command) = show {
            settle(&mut harness, Workbench::busy_with, PATIENCE)?;
            harness.state_mut().send(command);
        }
        settle(&mut harness, Workbench::busy_with, PATIENCE)?;
    }
    let image = harness.render().map_err(|problem| anyhow!("{problem}"))?;
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).context("cannot encode the picture")?;
    atomic::write(&options.out, png.get_ref())?;
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

fn size(text: &str) -> Result<[u16; 2], String> {
    let sides =
        text.split_once(['x', '×']).and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides
        .filter(|sides: &[u16; 2]| sides.iter().all(|side| SIDE.contains(side)))
        .ok_or_else(|| format!("expected a size such as 1280x800, each side {} to {}", SIDE.start(), SIDE.end()))
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

    #[test]
    fn a_size_is_width_x_height_within_reason() {
        let check = |text: &str, expected: Option<[u16; 2]>| assert_eq!(size(text).ok(), expected, "{text}");
        check("1280x800", Some([1280, 800]));
        check("4096x200", Some([4096, 200]));
        check("1280", None);
        check("1280x", None);
        check("-1280x800", None);
        check("0x0", None);
        check("100000x800", None);
    }
}

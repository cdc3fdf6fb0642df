//! A picture of the real window, drawn without a display.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum, value_parser};
use crossover_gpu_bench::report::file;
use egui_kittest::Harness;

use crate::calibrate::Request;
use crate::command::{Command, Tool};
use crate::storage::{atomic, scenario};
use crate::workbench::{Start, Workbench};

/// Frames after which layout, plots and panels have settled.
const FRAMES: usize = 8;
/// How long the list of GPUs and a report are waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A picture of the window, to be drawn without a display.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Options {
    /// Scenario file (.ron) that the window shows; "-" reads standard input
    #[arg(required_unless_present = "page")]
    pub file: Option<PathBuf>,
    /// Page to show instead of the scenario's own
    #[arg(long, value_enum)]
    pub page: Option<Page>,
    /// Measurements that the Calibrate page shows, a report of `bench run --json`
    #[arg(long, value_name = "JSON", requires = "page")]
    pub report: Option<PathBuf>,
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
    #[arg(long, default_value = "1", value_parser = value_parser!(u8).range(1..=2))]
    pub scale: u8,
}

/// A page that belongs to no scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Page {
    /// Measuring this machine.
    Calibrate,
}

/// Colours of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// Allowed width and height in points; twice the largest is a texture that every renderer takes.
const SIDE: std::ops::RangeInclusive<u16> = 200..=4096;

/// Draws the window of a scenario, or one of its other pages, into a PNG file.
///
/// # Errors
/// If the scenario or the report cannot be read, no graphics adapter is found (a software one is enough), or the
/// file cannot be written.
pub fn capture(options: &Options) -> Result<()> {
    let open = |path: &PathBuf| -> Result<_> { Ok((path.clone(), scenario::open(path)?)) };
    let scenario = options.file.as_ref().map(open).transpose()?;
    // A report that cannot be read ends the program; the page would show a message instead.
    options.report.as_deref().map(file::read).transpose()?;
    if crossover_gpu_bench::gpu::adapter::list().is_empty() {
        bail!("no graphics driver answers; a software one is enough (on Debian: mesa-vulkan-drivers)");
    }
    let theme = match options.theme {
        Theme::Light => egui::Theme::Light,
        Theme::Dark => egui::Theme::Dark,
    };
    let [width, height] = options.size.map(f32::from);
    let mut harness = Harness::builder()
        .with_size([width, height])
        .with_pixels_per_point(f32::from(options.scale))
        .with_theme(theme)
        // A user's names may have any letter; a picture with a box is better than none.
        .allow_missing_glyphs()
        .wgpu()
        .build_eframe(move |creation| {
            let mut workbench = Workbench::new(creation, Start::default());
            if let Some((path, scenario)) = scenario {
                workbench.show_only(path, scenario);
            }
            workbench
        });
    harness.run_steps(FRAMES);
    if let Some(Page::Calibrate) = options.page {
        harness.state_mut().send(Command::ShowTool(Tool::Calibrate));
        settle(&mut harness);
        if let Some(report) = &options.report {
            harness.state_mut().send(Command::Calibrate(Request::Show(report.clone())));
            settle(&mut harness);
        }
    }
    let image = harness.render().map_err(|problem| anyhow!("{problem}"))?;
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).context("the picture cannot be encoded")?;
    atomic::write(&options.out, png.get_ref())?;
    Ok(())
}

/// Draws until what other threads and processes bring is on screen.
fn settle(harness: &mut Harness<'_, Workbench>) {
    let patience = Instant::now() + PATIENCE;
    harness.run_steps(FRAMES);
    while harness.state().is_busy() && Instant::now() < patience {
        thread::sleep(Duration::from_millis(10));
        harness.run_steps(1);
    }
    harness.run_steps(FRAMES);
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

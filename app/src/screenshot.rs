//! A picture of the real window, drawn without a display.

use anyhow::{Context as _, Result, anyhow};
use egui_kittest::Harness;

use crate::cli::screenshot::{Options, Theme};
use crate::storage::{atomic, scenario};
use crate::workbench::{Start, Workbench};

/// Frames after which layout, plots and panels have settled.
const FRAMES: usize = 8;

/// Draws the window of a scenario into a PNG file.
///
/// # Errors
/// If the scenario cannot be read, no graphics adapter is found (a software one is enough), or the
/// file cannot be written.
pub fn capture(options: &Options) -> Result<()> {
    let scenario = scenario::open(&options.file)?;
    let path = options.file.clone();
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
            workbench.show_only(path, scenario);
            workbench
        });
    harness.run_steps(FRAMES);
    let image = harness.render().map_err(|problem| anyhow!("{problem}"))?;
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).context("the picture cannot be encoded")?;
    atomic::write(&options.out, png.get_ref())?;
    Ok(())
}

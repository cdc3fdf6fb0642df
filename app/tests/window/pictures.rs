//! Pictures of the main page; a change of them is a change of what users see.

use crossover::workbench::{Start, Workbench};
use egui_kittest::{Harness, SnapshotResults};

fn picture(name: &str, theme: egui::Theme, scale: f32, size: [f32; 2]) -> egui_kittest::SnapshotResult {
    let mut window = Harness::builder()
        .with_size(size)
        .with_pixels_per_point(scale)
        .with_theme(theme)
        .with_os(egui::os::OperatingSystem::Nix)
        .wgpu()
        .build_eframe(|creation| Workbench::new(creation, Start::default()));
    window.run_steps(8);
    window.try_snapshot(name)
}

#[test]
fn the_main_page_looks_as_agreed() {
    use egui::Theme::{Dark, Light};
    let mut results = SnapshotResults::new();
    for (name, theme, scale, size) in [
        ("main-light", Light, 1.0, [1280.0, 800.0]),
        ("main-dark", Dark, 1.0, [1280.0, 800.0]),
        ("main-light-scale-2", Light, 2.0, [1280.0, 800.0]),
        ("main-dark-scale-2", Dark, 2.0, [1280.0, 800.0]),
        ("main-narrow", Light, 1.0, [800.0, 600.0]),
    ] {
        results.add(picture(name, theme, scale, size));
    }
}

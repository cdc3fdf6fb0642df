//! The device that draws the window: the largest picture that it can draw, and its errors.

use std::sync::Arc;

use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup};
use eframe::wgpu::{Adapter, Device, Error};
use egui::Vec2;

/// The longest side of the texture with the letters, in pixels: egui lets it grow to the square of what the device allows.
pub(crate) const LETTERS_SIDE: usize = 4096;

/// Lets the window be as large as the adapter can draw. The usual limit is 8,192 pixels, less than three large screens side by
/// side, and a larger window would be an error.
pub(crate) fn allow_large(options: &mut WgpuConfiguration) {
    if let WgpuSetup::CreateNew(setup) = &mut options.wgpu_setup {
        let usual = Arc::clone(&setup.device_descriptor);
        setup.device_descriptor = Arc::new(move |adapter: &Adapter| {
            let mut descriptor = usual(adapter);
            descriptor.required_limits.max_texture_dimension_2d = adapter.limits().max_texture_dimension_2d;
            descriptor
        });
    }
}

/// Logs errors of the device, which would end the program: a frame that cannot be drawn is no reason to close the window.
/// Gives the longest side that the device can draw, in pixels.
pub(crate) fn guard(device: &Device) -> u32 {
    device.on_uncaptured_error(Arc::new(|error: Error| log::error!("this frame is not drawn: {error}")));
    device.limits().max_texture_dimension_2d
}

/// The size to which a window must shrink, in points, if one of its sides is longer than the device can draw.
#[must_use]
pub(crate) fn drawable(size: Vec2, pixels_per_point: f32, longest_pixels: u32) -> Option<Vec2> {
    #[expect(clippy::cast_precision_loss, reason = "limits of adapters are below 2^24")]
    let longest = (longest_pixels as f32 / pixels_per_point).floor();
    (size.max_elem() > longest).then(|| size.min(Vec2::splat(longest)))
}

#[cfg(test)]
mod tests {
    use egui::vec2;

    use super::*;

    #[test]
    fn a_window_longer_than_the_device_can_draw_shrinks_to_what_it_can() {
        let check = |size, pixels_per_point, expected| assert_eq!(drawable(size, pixels_per_point, 8192), expected);
        check(vec2(8192.0, 800.0), 1.0, None);
        check(vec2(20_000.0, 800.0), 1.0, Some(vec2(8192.0, 800.0)));
        check(vec2(1280.0, 5000.0), 2.0, Some(vec2(1280.0, 4096.0)));
        check(vec2(4096.0, 4096.0), 2.0, None);
    }
}

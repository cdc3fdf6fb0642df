//! Curves that coincide are all seen, in a picture and in a window.

use super::{SIZE, line_chart};
use crate::lines::{LineChart, Series};
use crate::theme::Token;
use crate::{Chart, png, screen};

/// Two networks whose curves coincide, and one that joins them from x = 0.1 s on.
fn coinciding_chart() -> LineChart {
    let points: Vec<[f64; 2]> = (0..=30).map(|step| [0.001 * 10_f64.powf(f64::from(step) / 10.0), 1.5]).collect();
    let joins = points.iter().map(|[x, y]| [*x, if *x < 0.0999 { 2.5 } else { *y }]).collect();
    let mut chart = line_chart();
    let one = Series { points, dashed: false, ..chart.series[0].clone() };
    let other = Series { name: "InfiniBand".to_owned(), token: Token::InfiniBand, ..one.clone() };
    let third = Series { name: "RoCE".to_owned(), token: Token::OtherNetwork(0), points: joins, ..one.clone() };
    chart.series = vec![one, other, third];
    (chart.points, chart.breakevens, chart.threshold) = (Vec::new(), Vec::new(), None);
    chart
}

#[test]
fn curves_that_coincide_are_all_seen_and_named_in_a_picture() {
    let chart = coinciding_chart();
    assert_eq!(chart.coincidences(), "Ethernet and InfiniBand coincide.");
    for dark in [false, true] {
        let svg = Chart::Lines(chart.clone()).to_svg(dark, SIZE);
        assert!(svg.contains("per 100 MB. Ethernet and InfiniBand coincide.</desc>"), "{svg}");
        assert!(svg.contains(">Ethernet and InfiniBand coincide</text>"), "{svg}");
        let pixmap = resvg::tiny_skia::Pixmap::decode_png(&png::encode(&svg, 1.0).unwrap()).unwrap();
        // By hand: 1.5 of 0 … 3 is in the middle of the plot's height, and 0.1 s at two thirds of its width.
        let row = row_of(&pixmap, Token::Ethernet.rgb(dark));
        let count =
            |token: Token, from: u32, to: u32| (from..to).filter(|x| rgb(&pixmap, *x, row) == token.rgb(dark)).count();
        let (third, end) = (pixmap.width() * 2 / 3, pixmap.width());
        let before = [Token::Ethernet, Token::InfiniBand, Token::OtherNetwork(0)].map(|token| count(token, 0, third));
        let after = [Token::Ethernet, Token::InfiniBand, Token::OtherNetwork(0)].map(|token| count(token, third, end));
        assert!(before[0] > 60 && before[1] > 60 && before[2] < 5, "{before:?}");
        assert!(after.iter().all(|count| *count > 20), "{after:?}");
    }
}

fn rgb(pixmap: &resvg::tiny_skia::Pixmap, x: u32, y: u32) -> [u8; 3] {
    pixmap.pixel(x, y).map_or([0; 3], |pixel| [pixel.red(), pixel.green(), pixel.blue()])
}

/// The row below the legend that has most of a colour.
fn row_of(pixmap: &resvg::tiny_skia::Pixmap, colour: [u8; 3]) -> u32 {
    let count = |y: &u32| (0..pixmap.width()).filter(|x| rgb(pixmap, *x, *y) == colour).count();
    (130..pixmap.height()).max_by_key(count).unwrap()
}

/// The lengths of lines by colour that a window draws of a chart.
fn lengths_on_screen(chart: &LineChart) -> Vec<([u8; 3], f32)> {
    fn collect(shape: &egui::Shape, lengths: &mut Vec<([u8; 3], f32)>) {
        match shape {
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, lengths)),
            egui::Shape::Path(path) => {
                let egui::epaint::ColorMode::Solid(color) = path.stroke.color else { return };
                let length = path.points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
                lengths.push(([color.r(), color.g(), color.b()], length));
            }
            egui::Shape::LineSegment { points, stroke } => {
                let color = stroke.color;
                lengths.push(([color.r(), color.g(), color.b()], points[0].distance(points[1])));
            }
            _ => {}
        }
    }
    let context = egui::Context::default();
    context.set_theme(egui::Theme::Dark);
    let mut lengths = Vec::new();
    // The second time everything has its size.
    for _ in 0..2 {
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            ui.set_width(600.0);
            screen::lines(ui, "chart", chart, None, 300.0);
        });
        // There is no painter that would want them.
        output.textures_delta.clear();
        lengths.clear();
        output.shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut lengths));
    }
    lengths
}

#[test]
fn curves_that_coincide_are_all_seen_in_a_window() {
    let mut chart = coinciding_chart();
    chart.series.truncate(2);
    let drawn = |chart: &LineChart, token: Token| -> f32 {
        let lengths = lengths_on_screen(chart).into_iter();
        lengths.filter(|(color, _)| *color == token.rgb(true)).map(|(_, length)| length).sum()
    };
    let both = [Token::Ethernet, Token::InfiniBand].map(|token| drawn(&chart, token));
    chart.series.truncate(1);
    let alone = drawn(&chart, Token::Ethernet);
    assert!(alone > 300.0, "{alone}");
    // Each is drawn half of the way, but for the last piece.
    assert!(both.iter().all(|length| (length - alone / 2.0).abs() < 11.0), "{both:?} of {alone}");
}

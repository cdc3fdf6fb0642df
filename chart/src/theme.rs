//! Colour tokens: what a colour means, and its value in the light and in the dark theme.
//!
//! One colour has one meaning on every page. The hues are those of Okabe and Ito, "Color Universal Design"
//! (2008); where a hue is too faint for the background, its lightness is changed and its hue kept. Compression
//! is a dash pattern, never a colour.

use egui::Color32;

/// The meaning of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Token {
    /// An operator that runs on the CPU.
    Cpu,
    /// An operator that runs on the GPU.
    Gpu,
    /// The Ethernet network.
    Ethernet,
    /// The InfiniBand network.
    InfiniBand,
    /// Any further network; its index among the further ones, taken modulo three.
    OtherNetwork(u8),
    /// The speedup from which an operator is placed on the GPU.
    Threshold,
    /// Text that is read.
    Text,
    /// Text that accompanies: units, subtitles, tick labels.
    TextWeak,
    /// What charts are drawn on.
    Background,
    /// Background of controls.
    Panel,
    /// Every second row of a table.
    Stripe,
    /// The row of a table that was picked.
    Picked,
    /// Grid lines and separators.
    Grid,
    /// The track of a slider.
    Track,
    /// A warning.
    Warning,
    /// An error.
    Error,
    /// Selection and keyboard focus.
    Accent,
    /// A cost term by its place in the ramp, taken modulo nine: 0 compute, 1 aggregation compute, 2 bus in,
    /// 3 bus out, 4 network, 5 compress, 6 decompress, 7 fixed, 8 scan. Related terms share a hue.
    Term(u8),
    /// A controller by its place in the study, taken modulo four.
    Controller(u8),
    /// A rule that allocates GPUs to tasks, by its place in the list of rules, taken modulo eight.
    Rule(u8),
    /// A scenario beside others, by its place among them, taken modulo four.
    Scenario(u8),
    /// A latency-sensitive task.
    Sensitive,
    /// Any other task.
    Patient,
    /// What happens without a controller.
    Uncontrolled,
    /// Work that arrives.
    Demand,
    /// A value of a map by its place in the ramp, 0 to [`RAMP_STEPS`] − 1; larger ones are further from the
    /// background.
    Ramp(u8),
    /// Text on a value of a map, by the place of that value in the ramp.
    OnRamp(u8),
}

/// Least contrast of text with what it stands on: WCAG 2.1, success criterion 1.4.3.
pub const TEXT_CONTRAST: f64 = 4.5;

/// What coloured text stands on.
const TEXT_GROUNDS: [Token; 4] = [Token::Picked, Token::Stripe, Token::Panel, Token::Background];

/// Colours of the ramp.
pub const RAMP_STEPS: u8 = 10;

/// Viridis in ten steps, the darkest first: lightness grows evenly, for colour-blind readers too. Stéfan van der Walt
/// and Nathaniel Smith, "mpl colormaps" (2015).
const VIRIDIS: [u32; RAMP_STEPS as usize] =
    [0x44_0154, 0x48_2878, 0x3E_4A89, 0x31_688E, 0x26_828E, 0x1F_9E89, 0x35_B779, 0x6D_CD59, 0xB4_DE2C, 0xFD_E725];

impl Token {
    /// Red, green and blue (sRGB, 0 to 255) in the dark or the light theme.
    #[must_use]
    pub fn rgb(self, dark: bool) -> [u8; 3] {
        let [light_theme, dark_theme] = match self {
            Self::Cpu => [0x00_72B2, 0x2F_8AD0],
            Self::Gpu => [0x00_9E73, 0x12_B886],
            Self::Ethernet => [0xC0_7E00, 0xE6_9F00],
            Self::InfiniBand => [0xC2_679A, 0xCC_79A7],
            Self::OtherNetwork(index) => match index % 3 {
                0 => [0x2F_8FC9, 0x8C_CBF2],
                1 => [0xB8_4A00, 0xE0_6A10],
                _ => [0x4A_4600, 0xF0_E442],
            },
            Self::Threshold => [0x4A_525B, 0xC3_CAD1],
            Self::Text => [0x1C_2127, 0xE8_EAED],
            Self::TextWeak => [0x57_606A, 0xA6_AEB7],
            Self::Background => [0xFF_FFFF, 0x15_181C],
            Self::Panel => [0xF6_F7F9, 0x1E_2227],
            Self::Stripe => [0xEF_F0F3, 0x25_292E],
            Self::Picked => [0xD7_E3EC, 0x29_3743],
            Self::Grid => [0xE1_E4E8, 0x31_363C],
            Self::Track => [0x7F_868E, 0x76_7D85],
            Self::Warning => [0x8A_5A00, 0xE3_B341],
            Self::Error => [0xB0_0020, 0xFF_7B72],
            Self::Accent => [0x00_5A8C, 0x6C_B8EE],
            Self::Term(index) => match index % 9 {
                0 => [0x7C_71EB, 0x98_8BF6],
                1 => [0x28_2E52, 0xC3_B6F6],
                2 => [0x2F_5662, 0x25_7588],
                3 => [0x02_92BB, 0xCE_F1F6],
                4 => [0xAC_7721, 0xAA_7903],
                5 => [0xBF_344A, 0xD8_61BE],
                6 => [0x63_072C, 0xC3_97AA],
                7 => [0x7E_8888, 0x6B_6A60],
                _ => [0x3A_5209, 0xE2_F187],
            },
            Self::Controller(index) => match index % 4 {
                0 => [0x35_8EAC, 0x65_DFFC],
                1 => [0xA3_480A, 0xE8_702A],
                2 => [0x68_924C, 0xA1_DE82],
                _ => [0x7A_1FA2, 0xB2_3CF5],
            },
            // Never beside controllers, and as easy to tell apart.
            Self::Rule(index) => {
                let alike = match index % 8 {
                    4 => Self::Uncontrolled,
                    5 => Self::Demand,
                    6 => Self::Term(0),
                    7 => Self::TextWeak,
                    controller => Self::Controller(controller),
                };
                return alike.rgb(dark);
            }
            // Curves of figures are never beside those of controllers.
            Self::Scenario(index) => return Self::Controller(index).rgb(dark),
            // Never beside controllers either.
            Self::Sensitive => return Self::Controller(1).rgb(dark),
            Self::Patient => return Self::Uncontrolled.rgb(dark),
            Self::Uncontrolled => [0x91_8684, 0xD3_C7BB],
            Self::Demand => [0xAF_8100, 0xF5_BB0F],
            Self::Ramp(step) => {
                let step = usize::from(step.min(RAMP_STEPS - 1));
                [VIRIDIS[VIRIDIS.len() - 1 - step], VIRIDIS[step]]
            }
            Self::OnRamp(step) => {
                let ground = Self::Ramp(step).rgb(dark);
                let [white, black] = [[0xFF; 3], [0x00; 3]];
                return if contrast(white, ground) > contrast(black, ground) { white } else { black };
            }
        };
        let hex: u32 = if dark { dark_theme } else { light_theme };
        let [_, red, green, blue] = hex.to_be_bytes();
        [red, green, blue]
    }

    /// The same colour for egui.
    #[expect(clippy::disallowed_methods, reason = "the one place where tokens become colours")]
    #[must_use]
    pub fn color(self, dark: bool) -> Color32 {
        let [red, green, blue] = self.rgb(dark);
        Color32::from_rgb(red, green, blue)
    }

    /// The same hue for text on backgrounds, panels and rows of tables: darker in the light theme and lighter in the dark one, as far as
    /// it is necessary to read it.
    #[must_use]
    pub fn text_rgb(self, dark: bool) -> [u8; 3] {
        /// Steps from the colour to black or white.
        const STEPS: u16 = 32;
        let end = if dark { 0xFF } else { 0x00 };
        let mixed = |step: u16| {
            self.rgb(dark).map(|channel| {
                let sum = u16::from(channel) * (STEPS - step) + end * step;
                u8::try_from(sum / STEPS).unwrap_or(u8::MAX)
            })
        };
        let grounds = TEXT_GROUNDS.map(|ground| ground.rgb(dark));
        let reads = |color: &[u8; 3]| grounds.iter().all(|ground| contrast(*color, *ground) >= TEXT_CONTRAST);
        (0..STEPS).map(mixed).find(reads).unwrap_or_else(|| mixed(STEPS))
    }

    /// The colour of [`Self::text_rgb`] for egui.
    #[expect(clippy::disallowed_methods, reason = "the one place where tokens become colours")]
    #[must_use]
    pub fn text(self, dark: bool) -> Color32 {
        let [red, green, blue] = self.text_rgb(dark);
        Color32::from_rgb(red, green, blue)
    }
}

/// Red, green and blue, 0 to 255, without the gamma of sRGB.
fn linear(rgb: [u8; 3]) -> [f64; 3] {
    rgb.map(|channel| {
        let c = f64::from(channel) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// Contrast ratio of two colours, 1 to 21: WCAG 2.1, definitions "contrast ratio" and "relative luminance".
#[must_use]
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let [one, other] = [one, other].map(|rgb| {
        let [red, green, blue] = linear(rgb);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    });
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::{RAMP_STEPS, TEXT_CONTRAST, TEXT_GROUNDS, Token, linear};
    use crate::gantt::TINT;

    const CURVES: [Token; 8] = [
        Token::Cpu,
        Token::Gpu,
        Token::Ethernet,
        Token::InfiniBand,
        Token::OtherNetwork(0),
        Token::OtherNetwork(1),
        Token::OtherNetwork(2),
        Token::Threshold,
    ];
    /// What the charts of a regulation study show together.
    const CONTROL: [Token; 8] = [
        Token::Controller(0),
        Token::Controller(1),
        Token::Controller(2),
        Token::Controller(3),
        Token::Uncontrolled,
        Token::Demand,
        Token::Term(0),
        Token::Term(2),
    ];
    const TEXTS: [Token; 5] = [Token::Text, Token::TextWeak, Token::Warning, Token::Error, Token::Accent];

    /// Normal, protanopic, deuteranopic and tritanopic sight.
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ];

    fn contrast(one: Token, other: Token, dark: bool) -> f64 {
        super::contrast(one.rgb(dark), other.rgb(dark))
    }

    fn multiply(matrix: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// CIE L*a*b* under D65, from linear sRGB.
    fn lab(rgb: [f64; 3]) -> [f64; 3] {
        let xyz = multiply(
            [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]],
            rgb.map(|c| c.clamp(0.0, 1.0)),
        );
        let root = |t: f64| {
            if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
        };
        let [x, y, z] = [root(xyz[0] / 0.9505), root(xyz[1]), root(xyz[2] / 1.089)];
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The smallest distance of two tokens in L*a*b*, over normal, protanopic, deuteranopic and tritanopic sight
    /// (Machado, Oliveira and Fernandes 2009, severity 1.0).
    fn distance(one: Token, other: Token, dark: bool) -> f64 {
        SIGHTS
            .map(|sight| {
                let seen = |token: Token| lab(multiply(sight, linear(token.rgb(dark))));
                let (a, b) = (seen(one), seen(other));
                ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + (a[2] - b[2]).powi(2)).sqrt()
            })
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn contrast_agrees_with_published_extremes() {
        // WCAG: black on white is 21:1; #767676 is the well-known lightest grey that passes 4.5:1 on white.
        assert!((super::contrast([0xFF; 3], [0xFF; 3]) - 1.0).abs() < 1e-12);
        assert!((super::contrast([0x00; 3], [0xFF; 3]) - 21.0).abs() < 1e-9);
        assert!((super::contrast([0x76; 3], [0xFF; 3]) - 4.54).abs() < 0.01);
    }

    #[test]
    fn text_reads_in_both_themes() {
        for dark in [false, true] {
            for text in TEXTS {
                for ground in TEXT_GROUNDS {
                    let ratio = contrast(text, ground, dark);
                    assert!(ratio >= TEXT_CONTRAST, "{text:?} on {ground:?}, dark {dark}: {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn every_colour_has_a_readable_one_for_text() {
        let others = (0..4).flat_map(|place| [Token::Controller(place), Token::Rule(place), Token::Rule(place + 4)]);
        let tokens = CURVES.into_iter().chain(CONTROL).chain((0..9).map(Token::Term)).chain(others).chain(TEXTS);
        for token in tokens {
            for dark in [false, true] {
                for ground in TEXT_GROUNDS {
                    let ratio = super::contrast(token.text_rgb(dark), ground.rgb(dark));
                    assert!(ratio >= TEXT_CONTRAST, "{token:?} on {ground:?}, dark {dark}: {ratio:.2}");
                }
            }
        }
        assert_eq!(Token::Text.text_rgb(false), Token::Text.rgb(false), "what can be read stays as it is");
    }

    #[test]
    fn numbers_on_a_map_can_be_read() {
        for dark in [false, true] {
            for step in 0..RAMP_STEPS {
                let ratio = contrast(Token::OnRamp(step), Token::Ramp(step), dark);
                assert!(ratio >= TEXT_CONTRAST, "step {step}, dark {dark}: {ratio:.2}");
            }
        }
    }

    /// Names of kernels stand on their colour, which is mixed into the background.
    #[test]
    fn names_on_the_bars_of_a_timeline_can_be_read() {
        for dark in [false, true] {
            for term in (0..9).map(Token::Term) {
                for ground in [Token::Panel, Token::Background] {
                    let mixed = |place: usize| {
                        let [bar, ground] = [term, ground].map(|token| f64::from(token.rgb(dark)[place]));
                        (bar * TINT + ground * (1.0 - TINT)).round()
                    };
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
                    let mixed = [0, 1, 2].map(|place| mixed(place) as u8);
                    let ratio = super::contrast(Token::Text.rgb(dark), mixed);
                    assert!(ratio >= TEXT_CONTRAST, "{term:?} on {ground:?}, dark {dark}: {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn curves_and_bars_stand_out_in_both_themes() {
        for dark in [false, true] {
            for token in CURVES.into_iter().chain(CONTROL[..6].to_vec()) {
                for ground in [Token::Background, Token::Panel] {
                    let ratio = contrast(token, ground, dark);
                    assert!(ratio >= 3.0, "{token:?} on {ground:?}, dark {dark}: {ratio:.2}");
                }
            }
            for term in (0..9).map(Token::Term) {
                let ratio = contrast(term, Token::Background, dark);
                assert!(ratio >= 3.0, "{term:?}, dark {dark}: {ratio:.2}");
            }
        }
    }

    /// WCAG 2.1, success criterion 1.4.11: 3:1 for what a control is recognised by.
    #[test]
    fn tracks_of_sliders_stand_out_in_both_themes() {
        for dark in [false, true] {
            for ground in [Token::Background, Token::Panel] {
                let ratio = contrast(Token::Track, ground, dark);
                assert!(ratio >= 3.0, "on {ground:?}, dark {dark}: {ratio:.2}");
            }
        }
    }

    #[test]
    fn colour_blind_readers_tell_meanings_apart() {
        let terms: Vec<Token> = (0..9).map(Token::Term).collect();
        for dark in [false, true] {
            for (set, least) in [(&CURVES[..7], 10.0), (&terms[..], 14.0), (&CONTROL, 14.0)] {
                for (index, &one) in set.iter().enumerate() {
                    for &other in &set[..index] {
                        let apart = distance(one, other, dark);
                        assert!(apart >= least, "{one:?} and {other:?}, dark {dark}: {apart:.1}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_ramp_is_ordered_by_lightness_for_every_reader() {
        for dark in [false, true] {
            for sight in SIGHTS {
                let lightness = |step: u8| lab(multiply(sight, linear(Token::Ramp(step).rgb(dark))))[0];
                for step in 1..RAMP_STEPS {
                    let (before, after) = (lightness(step - 1), lightness(step));
                    let further = if dark { after - before } else { before - after };
                    assert!(further > 2.0, "step {step}, dark {dark}: {before:.1} and {after:.1}");
                }
            }
        }
    }

    #[test]
    fn cpu_and_ethernet_keep_their_published_colours_where_the_background_allows() {
        // Okabe and Ito 2008.
        assert_eq!(Token::Cpu.rgb(false), [0x00, 0x72, 0xB2]);
        assert_eq!(Token::Gpu.rgb(false), [0x00, 0x9E, 0x73]);
        assert_eq!(Token::Ethernet.rgb(true), [0xE6, 0x9F, 0x00]);
        assert_eq!(Token::InfiniBand.rgb(true), [0xCC, 0x79, 0xA7]);
    }
}

//! Speedup along one parameter: the curves behind "Where does the GPU start to pay?".

use serde::{Deserialize, Serialize};

use super::break_even::{BreakEven, break_even};
use super::cost::evaluate;
use super::outcome::Variant;
use super::parameter::Parameter;
use super::point::Point;
use super::study::{Class, Placement};

/// What a speedup can be plotted against, and a break-even asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// One parameter.
    One(Parameter),
    /// Both bus directions, their proportion kept; the value is the speed host → GPU.
    BusSpeed,
    /// Compression and decompression, their proportion kept; the value is the compression speed.
    CompressionSpeed,
}

impl Axis {
    /// The axes that the window offers, in the order of its menu.
    pub const CHOICES: [Self; 10] = [
        Self::One(Parameter::CpuTime),
        Self::One(Parameter::Machines),
        Self::One(Parameter::FanIn),
        Self::One(Parameter::NetworkSpeed),
        Self::BusSpeed,
        Self::One(Parameter::GpuParallelism),
        Self::One(Parameter::NetworkRatio),
        Self::CompressionSpeed,
        Self::One(Parameter::OutputRatio),
        Self::One(Parameter::InputSize),
    ];

    /// The parameter that gives the axis its unit and range.
    #[must_use]
    pub fn parameter(self) -> Parameter {
        match self {
            Self::One(parameter) => parameter,
            Self::BusSpeed => Parameter::BusToGpu,
            Self::CompressionSpeed => Parameter::CompressSpeed,
        }
    }

    /// Name of the axis.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::One(Parameter::NetworkSpeed) => "network speed",
            Self::One(Parameter::NetworkRatio) => "compression ratio",
            Self::One(parameter) => parameter.info().label,
            Self::BusSpeed => "bus speed",
            Self::CompressionSpeed => "compression speed",
        }
    }

    /// Name of the axis on the command line.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::One(parameter) => parameter.info().key,
            Self::BusSpeed => "bus_gb_per_s",
            Self::CompressionSpeed => "compression_gb_per_s",
        }
    }

    /// The axis with this name on the command line: one of the choices, or any parameter.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        let single = Parameter::ALL.into_iter().map(Self::One);
        Self::CHOICES.into_iter().chain(single).find(|axis| axis.key() == key)
    }

    /// The value at a point.
    #[must_use]
    pub fn value(self, point: &Point) -> f64 {
        point[self.parameter()]
    }

    /// Moves a point along the axis.
    pub fn apply(self, point: &mut Point, value: f64) {
        let partner = match self {
            Self::One(_) => None,
            Self::BusSpeed => Some(Parameter::BusFromGpu),
            Self::CompressionSpeed => Some(Parameter::DecompressSpeed),
        };
        if let Some(partner) = partner {
            point[partner] *= value / point[self.parameter()];
        }
        point[self.parameter()] = value;
    }

    /// The part of the axis worth looking at: the published range of t, the whole range of small
    /// parameters, and otherwise two decades around the values in the study.
    #[must_use]
    pub fn window(self, study: &Placement) -> [f64; 2] {
        let info = self.parameter().info();
        match self {
            Self::One(Parameter::CpuTime) => {
                let times = study.operators.iter().map(|operator| operator.cpu_seconds_per_100mb);
                let (low, high) =
                    times.fold((1e-3, 10.0), |(low, high): (f64, f64), t| (low.min(t / 2.0), high.max(t * 2.0)));
                [low.max(info.min), high.min(info.max)]
            }
            Self::One(Parameter::NetworkRatio) => [0.01, 1.0],
            Self::One(Parameter::OutputRatio) => [0.001, 10.0],
            _ => {
                let values = (0..study.operators.len())
                    .flat_map(|operator| (0..study.networks.len()).map(move |network| (operator, network)))
                    .map(|(operator, network)| self.value(&Point::new(study, operator, network, false)));
                let (low, high) = values
                    .filter(|value| value.is_finite())
                    .fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| (low.min(value), high.max(value)));
                if low > high {
                    return [info.min.max(1e-3), info.max];
                }
                let decades = if info.whole { 1e3 } else { 1e2 };
                let low = (low / decades).max(info.min).max(1e-6);
                [low, (high * 1e2).min(info.max).max(low * 10.0)]
            }
        }
    }
}

/// `count` values from one end to the other, evenly spaced in the logarithm or linearly; ends included.
#[must_use]
pub fn samples([from, to]: [f64; 2], count: usize, logarithmic: bool) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|index| {
            let part = index as f64 / last;
            if index == 0 {
                from
            } else if index + 1 == count {
                to
            } else if logarithmic {
                (from.ln() + part * (to.ln() - from.ln())).exp()
            } else {
                from + part * (to - from)
            }
        })
        .collect()
}

/// The speedup of one operator on one network, with or without compression, along an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Network and compression.
    pub variant: Variant,
    /// Index of the operator whose numbers are used.
    pub operator: usize,
    /// Speedup at each sampled x.
    pub speedups: Vec<f64>,
    /// Where the curve crosses the threshold, seen from the operator's own value.
    pub break_even: Option<BreakEven>,
}

/// The curve of one operator over every network × compression, sampled at `xs`.
#[must_use]
pub fn curves(study: &Placement, operator: usize, axis: Axis, xs: &[f64]) -> Vec<Curve> {
    Variant::all(study)
        .map(|variant| {
            let point = Point::new(study, operator, variant.network, variant.compression);
            let mut speedups = vec![0.0; xs.len()];
            sweep(&point, axis, xs, &mut speedups);
            Curve { variant, operator, speedups, break_even: break_even(&point, axis) }
        })
        .collect()
}

/// Speedup of a point moved along an axis; allocates nothing.
///
/// # Panics
/// If `speedups` is shorter than `xs`.
pub fn sweep(point: &Point, axis: Axis, xs: &[f64], speedups: &mut [f64]) {
    for (x, speedup) in xs.iter().zip(&mut speedups[..xs.len()]) {
        let mut moved = *point;
        axis.apply(&mut moved, *x);
        *speedup = evaluate(&moved).speedup();
    }
}

/// An operator class that occurs in a study, and the operators in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassGroup {
    /// The class.
    pub class: Class,
    /// Indices of its operators, in the order of the study.
    pub operators: Vec<usize>,
}

/// The classes that occur in a study, by exponent.
#[must_use]
pub fn classes(study: &Placement) -> Vec<ClassGroup> {
    let mut groups: Vec<ClassGroup> = Vec::new();
    for (index, operator) in study.operators.iter().enumerate() {
        let same = |group: &&mut ClassGroup| group.class.power().total_cmp(&operator.class.power()).is_eq();
        match groups.iter_mut().find(same) {
            Some(group) => group.operators.push(index),
            None => groups.push(ClassGroup { class: operator.class, operators: vec![index] }),
        }
    }
    groups.sort_by(|a, b| a.class.power().total_cmp(&b.class.power()));
    groups
}

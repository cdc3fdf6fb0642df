//! What a speedup can be plotted against, and a break-even asked for.

use super::parameter::Parameter;
use super::point::Point;
use super::study::Placement;

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

impl From<Parameter> for Axis {
    fn from(parameter: Parameter) -> Self {
        Self::One(parameter)
    }
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

    /// Every parameter by itself, and the pairs that move together.
    pub fn all() -> impl Iterator<Item = Self> {
        Parameter::ALL.into_iter().map(Self::One).chain([Self::BusSpeed, Self::CompressionSpeed])
    }

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
        Self::all().find(|axis| axis.key() == key)
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

//! Axes of speedup curves and break-evens.

use super::parameter::{Parameter, ParameterOf};
use super::point::Point;
use super::study::Placement;
use crossover_study::sources;

/// Axes of speedup curves and break-evens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// One parameter.
    One(Parameter),
    /// Machines with a constant total input (strong scaling): each of more machines reads less.
    MachinesOfTotal,
    /// Both bus directions in constant proportion; the value is the speed host → GPU.
    BusSpeed,
    /// Compression and decompression in constant proportion; the value is the compression speed.
    CompressionSpeed,
}

impl From<Parameter> for Axis {
    fn from(parameter: Parameter) -> Self {
        Self::One(parameter)
    }
}

impl Axis {
    /// The axes that the window offers, in the order of its menu.
    pub const CHOICES: [Self; 11] = [
        Self::One(Parameter::CPU_TIME),
        Self::One(Parameter::MACHINES),
        Self::MachinesOfTotal,
        Self::One(Parameter::FAN_IN),
        Self::One(Parameter::NETWORK_SPEED),
        Self::BusSpeed,
        Self::One(Parameter::GPU_PARALLELISM),
        Self::One(Parameter::NETWORK_RATIO),
        Self::CompressionSpeed,
        Self::One(Parameter::OUTPUT_RATIO),
        Self::One(Parameter::INPUT_SIZE),
    ];

    /// Every parameter, and the pairs that move together.
    pub fn all() -> impl Iterator<Item = Self> {
        Parameter::all().map(Self::One).chain([Self::MachinesOfTotal, Self::BusSpeed, Self::CompressionSpeed])
    }

    /// The parameter that gives the axis its unit and range.
    #[must_use]
    pub fn parameter(self) -> Parameter {
        match self {
            Self::One(parameter) => parameter,
            Self::MachinesOfTotal => Parameter::MACHINES,
            Self::BusSpeed => Parameter::BUS_TO_GPU,
            Self::CompressionSpeed => Parameter::COMPRESS_SPEED,
        }
    }

    /// Name of the axis.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::One(Parameter::MACHINES) => "machines (weak scaling)",
            Self::MachinesOfTotal => "machines (strong scaling)",
            Self::One(Parameter::NETWORK_SPEED) => "network speed",
            Self::One(Parameter::NETWORK_RATIO) => "compression ratio",
            Self::One(parameter) => parameter.info().label,
            Self::BusSpeed => "bus speed",
            Self::CompressionSpeed => "compression speed",
        }
    }

    /// Name on the command line and in exported data: the path below the part that it belongs to.
    #[must_use]
    pub fn key(self) -> String {
        match self {
            // An exponent is set by a class.
            Self::One(Parameter::POWER) => "power".to_owned(),
            Self::One(parameter) => parameter.keys().join("_"),
            Self::MachinesOfTotal => "machines_of_total".to_owned(),
            Self::BusSpeed => "bus_gb_per_s".to_owned(),
            Self::CompressionSpeed => "compression_gb_per_s".to_owned(),
        }
    }

    /// The axis with this name on the command line: one of the choices, or any parameter, also with the part that it
    /// belongs to, as in `cluster.machines`.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        let path = |axis: &Self| format!("{}.{}", axis.parameter().group(), axis.key());
        Self::all().find(|axis| axis.key() == key || path(axis) == key)
    }

    /// The value at a point.
    #[must_use]
    pub fn value(self, point: &Point) -> f64 {
        point.get(self.parameter())
    }

    /// Moves a point along the axis.
    pub fn apply(self, point: &mut Point, value: f64) {
        if self == Self::MachinesOfTotal {
            let total = point.get(Parameter::INPUT_SIZE) * point.get(Parameter::MACHINES);
            point.set(Parameter::INPUT_SIZE, total / value);
        }
        if let Some(partner) = self.partner() {
            point.set(partner, point.get(partner) * (value / point.get(self.parameter())));
        }
        point.set(self.parameter(), value);
    }

    /// Moves a study along the axis as [`Self::apply`] moves a point, for the given operator and network; the
    /// sources of changed fields are removed.
    ///
    /// The value is clamped to the allowed range, of both directions where two move together, and rounded
    /// where only whole numbers are allowed. Nothing happens if the field is absent or the value is not a number.
    pub fn set(self, study: &mut Placement, operator: usize, network: usize, value: f64) {
        let field = |parameter| ParameterOf::of(parameter, operator, network);
        let main = field(self.parameter());
        let Some(before) = main.value(study).filter(|_| !value.is_nan()) else { return };
        let info = self.parameter().info();
        let [mut low, mut high] = [info.min, info.max];
        let partner = self.partner().and_then(|partner| Some((field(partner), field(partner).value(study)? / before)));
        if let Some((partner, proportion)) = partner {
            let range = partner.parameter.info();
            (low, high) = (low.max(range.min / proportion), high.min(range.max / proportion));
        }
        let value = if info.whole { value.round() } else { value };
        let value = value.min(high).max(low);
        if self == Self::MachinesOfTotal {
            keep_total(study, before / value);
        }
        let partner = partner.map(|(partner, proportion)| {
            let range = partner.parameter.info();
            (partner, (value * proportion).min(range.max).max(range.min))
        });
        for (field, value) in [(main, value)].into_iter().chain(partner) {
            if field.value(study) != Some(value) {
                sources::enter(study, |study| {
                    field.set(study, value);
                });
            }
        }
    }

    /// The parameter that moves in proportion with that of the axis.
    fn partner(self) -> Option<Parameter> {
        match self {
            Self::One(_) | Self::MachinesOfTotal => None,
            Self::BusSpeed => Some(Parameter::BUS_FROM_GPU),
            Self::CompressionSpeed => Some(Parameter::DECOMPRESS_SPEED),
        }
    }

    /// Default range of the axis: the published range of t, the whole range of small
    /// parameters, and otherwise two decades around the values in the study.
    #[must_use]
    pub fn window(self, study: &Placement) -> [f64; 2] {
        let info = self.parameter().info();
        match self {
            Self::One(Parameter::CPU_TIME) => {
                let times = study.operators.iter().map(|operator| operator.cpu_seconds_per_100mb);
                let (low, high) =
                    times.fold((1e-3, 10.0), |(low, high): (f64, f64), t| (low.min(t / 2.0), high.max(t * 2.0)));
                [low.max(info.min), high.min(info.max)]
            }
            Self::One(Parameter::NETWORK_RATIO) => [0.01, 1.0],
            Self::One(Parameter::OUTPUT_RATIO) => [0.001, 10.0],
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

/// Multiplies the input per machine of every operator, within the allowed range.
fn keep_total(study: &mut Placement, factor: f64) {
    let range = Parameter::INPUT_SIZE.info();
    for operator in 0..study.operators.len() {
        let field = ParameterOf { parameter: Parameter::INPUT_SIZE, index: operator };
        let Some(before) = field.value(study) else { continue };
        let value = (before * factor).clamp(range.min, range.max);
        if value != before {
            sources::enter(study, |study| {
                field.set(study, value);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;

    #[test]
    fn a_pair_keeps_its_proportion_within_the_ranges_of_both() {
        let check = |value: f64, expected: [f64; 2]| {
            let mut study = published();
            study.bus.from_gpu_gb_per_s = 6.4;
            Axis::BusSpeed.set(&mut study, 0, 0, value);
            assert_eq!([study.bus.to_gpu_gb_per_s, study.bus.from_gpu_gb_per_s], expected, "{value}");
        };
        check(20.0, [20.0, 10.0]);
        check(1e9, [1e5, 5e4]);
        check(0.0, [0.02, 0.01]);
        check(f64::INFINITY, [1e5, 5e4]);
        check(f64::NAN, [12.8, 6.4]);
    }

    #[test]
    fn one_number_is_moved_rounded_and_kept_in_its_range() {
        let check = |parameter: Parameter, value: f64, expected: Option<f64>| {
            let mut study = published();
            Axis::One(parameter).set(&mut study, 1, 1, value);
            assert_eq!(ParameterOf::of(parameter, 1, 1).value(&study), expected, "{parameter:?} at {value}");
        };
        check(Parameter::CPU_TIME, 0.3, Some(0.3));
        check(Parameter::NETWORK_SPEED, 400.0, Some(400.0));
        check(Parameter::MACHINES, 99.6, Some(100.0));
        check(Parameter::MACHINES, 0.2, Some(1.0));
        check(Parameter::FAN_IN, 1e9, Some(1e6));
        check(Parameter::OUTPUT_RATIO, -1.0, Some(0.0));
        check(Parameter::POWER, 1.5, Some(1.5));
        check(Parameter::GPU_MEMORY, 16.0, None);
    }

    #[test]
    fn more_machines_for_the_same_data_have_less_each() {
        let mut study = published();
        let each: Vec<f64> = study.operators.iter().map(|operator| operator.input_gb).collect();
        let machines = study.cluster.machines;
        Axis::MachinesOfTotal.set(&mut study, 0, 0, 4.0 * machines);
        assert_eq!(study.cluster.machines, 4.0 * machines);
        let now: Vec<f64> = study.operators.iter().map(|operator| operator.input_gb).collect();
        assert!(each.iter().zip(&now).all(|(each, now)| (each / now - 4.0).abs() < 1e-12), "{now:?}");
        let mut point = Point::new(&published(), 0, 0, false);
        Axis::MachinesOfTotal.apply(&mut point, 4.0 * machines);
        assert!((point.get(Parameter::INPUT_SIZE) - now[0]).abs() < 1e-12);
        assert_eq!(Axis::MachinesOfTotal.value(&point), 4.0 * machines);
    }

    #[test]
    fn the_sources_of_what_moves_go_and_no_others() {
        let check = |axis: Axis, value: f64, gone: &[&str]| {
            let mut study = published();
            let mut expected = study.sources.clone();
            for path in gone {
                assert!(expected.remove(*path).is_some(), "{path}");
            }
            axis.set(&mut study, 0, 1, value);
            assert_eq!(study.sources, expected, "{axis:?}");
        };
        check(Axis::BusSpeed, 25.0, &["bus.to_gpu_gb_per_s", "bus.from_gpu_gb_per_s"]);
        check(Axis::CompressionSpeed, 1.0, &["compression.compress_gb_per_s", "compression.decompress_gb_per_s"]);
        check(Axis::One(Parameter::CPU_TIME), 1.0, &["operators.filter.cpu_seconds_per_100mb"]);
        check(Axis::One(Parameter::NETWORK_SPEED), 1.0, &["networks.100 Gb InfiniBand.effective_gbit_per_s"]);
        check(Axis::One(Parameter::CPU_TIME), 0.005, &[]);
        check(Axis::One(Parameter::MACHINES), 1000.4, &[]);
    }
}

//! Numbers of a placement study that the code names, and their paths in a study.
//!
//! The numbers themselves are described where their fields are, in [`super::study`]; a new one needs nothing here
//! unless a formula, an axis or a reason names it.

use super::study::Placement;
use crossover_quantity::quantity::Quantity;
use crossover_study::{Describe, Field, FieldKind, FieldValue, FieldValueMut, Part, Path, Segment};

/// A number that the model depends on, as an index into the description of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parameter {
    /// Index of its part.
    pub(super) group: usize,
    /// Its index in the part.
    pub(super) field: usize,
    /// Its index in a part inside that, such as a measured curve.
    pub(super) inside: Option<usize>,
}

/// The parts of a study whose numbers no formula of an operator reads.
const NOT_IN_FORMULAS: [&str; 3] = ["engines", "decision", "bill"];

impl Parameter {
    /// n
    pub const MACHINES: Self = Self::at(&["cluster", "machines"]);
    /// k
    pub const FAN_IN: Self = Self::at(&["cluster", "fan_in"]);
    /// Cores' worth of speed of one machine.
    pub const CPU_PARALLELISM: Self = Self::at(&["node", "cpu_parallelism"]);
    /// Speed that the cores of one machine share.
    pub const MEMORY_BANDWIDTH: Self = Self::at(&["node", "memory_gb_per_s"]);
    /// Storage speed.
    pub const SCAN_SPEED: Self = Self::at(&["node", "scan_gb_per_s"]);
    /// Speed of one core between rows and columns; of plans only.
    pub const ROW_CONVERSION: Self = Self::at(&["node", "row_conversion_gb_per_s"]);
    /// Line speed of a network; informative.
    pub const LINE_SPEED: Self = Self::at(&["networks", "line_gbit_per_s"]);
    /// B
    pub const NETWORK_SPEED: Self = Self::at(&["networks", "effective_gbit_per_s"]);
    /// b, host → GPU
    pub const BUS_TO_GPU: Self = Self::at(&["bus", "to_gpu_gb_per_s"]);
    /// b, GPU → host
    pub const BUS_FROM_GPU: Self = Self::at(&["bus", "from_gpu_gb_per_s"]);
    /// GPUs that share the bus.
    pub const GPUS_PER_MACHINE: Self = Self::at(&["gpu", "gpus_per_machine"]);
    /// M
    pub const GPU_PARALLELISM: Self = Self::at(&["gpu", "gpu_parallelism"]);
    /// ρ
    pub const CORE_RATIO: Self = Self::at(&["gpu", "core_ratio"]);
    /// Memory of one GPU.
    pub const GPU_MEMORY: Self = Self::at(&["gpu", "gpu_memory_gb"]);
    /// c on the network
    pub const NETWORK_RATIO: Self = Self::at(&["compression", "network_ratio"]);
    /// c on the bus
    pub const BUS_RATIO: Self = Self::at(&["compression", "bus_ratio"]);
    /// v, compressing
    pub const COMPRESS_SPEED: Self = Self::at(&["compression", "compress_gb_per_s"]);
    /// v, decompressing
    pub const DECOMPRESS_SPEED: Self = Self::at(&["compression", "decompress_gb_per_s"]);
    /// t
    pub const CPU_TIME: Self = Self::at(&["operators", "cpu_seconds_per_100mb"]);
    /// p
    pub const POWER: Self = Self::at(&["operators", "class"]);
    /// D
    pub const INPUT_SIZE: Self = Self::at(&["operators", "input_gb"]);
    /// σ
    pub const OUTPUT_RATIO: Self = Self::at(&["operators", "output_ratio"]);
    /// Launch cost.
    pub const FIXED_COST: Self = Self::at(&["operators", "fixed_seconds"]);
    /// a of the CPU's measured curve.
    pub const CPU_CURVE_FIXED: Self = Self::at(&["operators", "cpu_curve", "fixed_seconds"]);
    /// b of the CPU's measured curve.
    pub const CPU_CURVE_RATE: Self = Self::at(&["operators", "cpu_curve", "gb_per_s"]);
    /// a of the GPU's measured curve.
    pub const GPU_CURVE_FIXED: Self = Self::at(&["operators", "gpu_curve", "fixed_seconds"]);
    /// b of the GPU's measured curve.
    pub const GPU_CURVE_RATE: Self = Self::at(&["operators", "gpu_curve", "gb_per_s"]);
    /// Speedup from which the GPU is chosen.
    pub const THRESHOLD: Self = Self::at(&["policy", "threshold"]);

    /// The number at these keys; a key that does not exist is found when this program is compiled.
    const fn at(keys: &[&str]) -> Self {
        let group = place(Placement::FIELDS, keys[0]);
        let fields = fields_of(&Placement::FIELDS[group]);
        let field = place(fields, keys[1]);
        let inside = if keys.len() > 2 { Some(place(fields_of(&fields[field]), keys[2])) } else { None };
        Self { group, field, inside }
    }

    /// All parameters, in the order in which they are described.
    pub fn all() -> impl Iterator<Item = Self> {
        let groups =
            Placement::FIELDS.iter().enumerate().filter(|(_, described)| !NOT_IN_FORMULAS.contains(&described.key));
        groups.flat_map(|(group, described)| {
            fields_of(described).iter().enumerate().flat_map(move |(field, described)| {
                let count = match described.kind {
                    FieldKind::Number(_) => None,
                    _ => Some(fields_of(described).len()),
                };
                let insides = count.map_or(0..1, |count| 0..count);
                insides.map(move |inside| Self { group, field, inside: count.is_some().then_some(inside) })
            })
        })
    }

    /// The description of the parameter.
    ///
    /// # Panics
    /// Never: a parameter is the index of a number.
    #[must_use]
    pub fn info(self) -> &'static Quantity {
        match self.described().kind {
            FieldKind::Number(quantity) => quantity,
            _ => unreachable!("a parameter is the index of a number"),
        }
    }

    /// Name of the part of the study that it belongs to; the first segment of its path.
    #[must_use]
    pub fn group(self) -> &'static str {
        Placement::FIELDS[self.group].key
    }

    /// Its keys below that part: one, or that of a part inside and its own.
    pub(super) fn keys(self) -> Vec<&'static str> {
        let field = &fields_of(&Placement::FIELDS[self.group])[self.field];
        let inside = self.inside.map(|inside| fields_of(field)[inside].key);
        std::iter::once(field.key).chain(inside).collect()
    }

    /// Whether each entry of this list has one.
    fn is_of(self, list: &str) -> bool {
        self.group() == list
    }

    fn described(self) -> &'static Field {
        let field = &fields_of(&Placement::FIELDS[self.group])[self.field];
        self.inside.map_or(field, |inside| &fields_of(field)[inside])
    }
}

const fn place(fields: &[Field], key: &str) -> usize {
    let mut index = 0;
    while !is_same(fields[index].key, key) {
        index += 1;
    }
    index
}

const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

const fn fields_of(field: &'static Field) -> &'static [Field] {
    match &field.kind {
        FieldKind::Part { fields, .. } | FieldKind::List { fields, .. } => fields,
        _ => &[],
    }
}

/// One number of a study: a parameter, and which network or operator it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ParameterOf {
    /// Which number.
    pub parameter: Parameter,
    /// Index of the network or operator; 0 for everything else.
    pub index: usize,
}

impl ParameterOf {
    /// The field of a parameter for the given operator and network.
    #[must_use]
    pub fn of(parameter: Parameter, operator: usize, network: usize) -> Self {
        let index = match parameter {
            _ if parameter.is_of("operators") => operator,
            _ if parameter.is_of("networks") => network,
            _ => 0,
        };
        Self { parameter, index }
    }

    /// Every number that a study has now; absent optional fields are left out.
    pub fn all(study: &Placement) -> impl Iterator<Item = Self> + '_ {
        Parameter::all().flat_map(move |parameter| {
            let count = match study.field_value(parameter.group) {
                FieldValue::List(list) => list.len(),
                _ => 1,
            };
            (0..count).map(move |index| Self { parameter, index }).filter(move |field| field.value(study).is_some())
        })
    }

    /// Path of the field, as `--set` takes it: `operators.join.input_gb`.
    #[must_use]
    pub fn path(self, study: &Placement) -> String {
        let Parameter { group, field, inside } = self.parameter;
        let mut path = vec![Segment::Key(self.parameter.group())];
        if let FieldValue::List(list) = study.field_value(group) {
            path.extend(list.entry(self.index).and_then(|entry| entry.name()).map(Segment::Name));
        }
        let described = &fields_of(&Placement::FIELDS[group])[field];
        path.push(Segment::Key(described.key));
        path.extend(inside.map(|inside| Segment::Key(fields_of(described)[inside].key)));
        Path(path).to_string()
    }

    /// The value in the study; `None` if the optional field is absent.
    #[must_use]
    pub fn value(self, study: &Placement) -> Option<f64> {
        let part = match study.field_value(self.parameter.group) {
            FieldValue::Part(part) => part,
            FieldValue::List(list) => list.entry(self.index),
            _ => None,
        };
        match (part?.field_value(self.parameter.field), self.parameter.inside) {
            (FieldValue::Number(value), _) => value,
            (FieldValue::Part(part), Some(inside)) => match part?.field_value(inside) {
                FieldValue::Number(value) => value,
                _ => None,
            },
            _ => None,
        }
    }

    /// Sets the number in a study, also if it was absent; false if its part is absent.
    pub fn set(self, study: &mut Placement, value: f64) -> bool {
        let part = match study.field_value_mut(self.parameter.group) {
            FieldValueMut::Part(part) => part,
            FieldValueMut::List(list) => list.entry_mut(self.index),
            _ => None,
        };
        let Some(part) = part else { return false };
        let field = match (part.field_value_mut(self.parameter.field), self.parameter.inside) {
            (FieldValueMut::Part(Some(part)), Some(inside)) => part.field_value_mut(inside),
            (field, _) => field,
        };
        match field {
            FieldValueMut::Number(number) => {
                number.set(value);
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crossover_study::quantity_at;

    #[test]
    fn every_parameter_says_what_it_is_and_has_a_range() {
        let keys: BTreeSet<_> = Parameter::all().map(|parameter| (parameter.group(), parameter.keys())).collect();
        assert_eq!(keys.len(), Parameter::all().count(), "keys are unique");
        assert!(keys.len() >= 26, "{}", keys.len());
        for info in Parameter::all().map(Parameter::info) {
            assert!(info.min < info.max && info.max.is_finite(), "{}", info.key);
            assert!(info.meaning.ends_with('.') && !info.label.is_empty(), "{}", info.key);
        }
    }

    #[test]
    fn a_path_leads_to_its_parameter() {
        for (path, expected) in [
            ("cluster.machines", Some(Parameter::MACHINES)),
            ("operators.hash join 2.5.input_gb", Some(Parameter::INPUT_SIZE)),
            ("operators.join.fixed_seconds", Some(Parameter::FIXED_COST)),
            ("operators.join.gpu_curve.fixed_seconds", Some(Parameter::GPU_CURVE_FIXED)),
            ("operators.join.class", Some(Parameter::POWER)),
            ("cluster.input_gb", None),
            ("machines", None),
        ] {
            let found = quantity_at(Placement::FIELDS, path).map(|quantity| quantity.label);
            assert_eq!(found, expected.map(|parameter| parameter.info().label), "{path}");
        }
    }

    #[test]
    fn a_value_outside_its_range_is_named_with_the_range() {
        let machines = Parameter::MACHINES.info();
        assert_eq!(machines.problem(1000.0), None);
        for (value, expected) in [
            (0.0, "0 is out of range; allowed: 1 … 1,000,000, whole"),
            (2.5, "2.5 is not a whole number; allowed: 1 … 1,000,000, whole"),
            (f64::NAN, "NaN is not a finite number; allowed: 1 … 1,000,000, whole"),
        ] {
            assert_eq!(machines.problem(value).as_deref(), Some(expected));
        }
    }
}

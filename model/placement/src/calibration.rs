//! The changes that a calibration makes to a placement study.

use crate::{Class, Parameter, ParameterOf, Placement};
use crossover_measured::calibration::{Calibration, CostCurve, Measured, OperatorFigures};
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::Unit;

/// A number of a study with the measured figure that replaces it.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Which number.
    pub field: ParameterOf,
    /// Its path, as `--set` takes it.
    pub path: String,
    /// Its name in a form, with the operator it belongs to.
    pub label: String,
    /// Unit of both values.
    pub unit: Unit,
    /// Value in the study; `None` if the optional field is absent.
    pub old: Option<f64>,
    /// Measured value.
    pub new: f64,
    /// Source of the new value.
    pub provenance: Provenance,
    /// Why it may not fit this study; such a change is made only on request.
    pub caution: Option<String>,
}

/// Parts of operator names, by the measured operator that they mean.
const WORDS: [(&str, &[&str]); 4] = [
    ("filter", &["filter", "where", "selection"]),
    ("join", &["join"]),
    ("aggregate", &["aggregat", "group"]),
    ("sort", &["sort", "order by"]),
];

/// The changes that this measurement makes to a study, in the order of its forms. Operators are matched by name. Figures of
/// a software adapter do not describe a GPU, see [`withheld`].
#[must_use]
pub fn changes(calibration: &Calibration, study: &Placement) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut offer = |parameter: Parameter, index: usize, figure: Option<Measured>, caution: Option<String>| {
        changes.extend(
            figure.and_then(|figure| change(calibration, study, ParameterOf { parameter, index }, figure, caution)),
        );
    };
    let measured: Vec<(usize, &OperatorFigures)> = (0..)
        .zip(&study.operators)
        .filter_map(|(index, operator)| {
            Some((index, calibration.operators.iter().find(|one| fits(one, &operator.name))?))
        })
        .collect();

    let cpu_parallelism = typical(measured.iter().filter_map(|(_, operator)| operator.cpu_parallelism));
    offer(Parameter::CPU_PARALLELISM, 0, cpu_parallelism, doubt_of_parallelism(calibration, study, cpu_parallelism));
    offer(Parameter::MEMORY_BANDWIDTH, 0, calibration.memory_gb_per_s, None);
    if !calibration.software {
        let shared = (study.gpu.gpus_per_machine > 1.0)
            .then(|| format!("measured with one GPU; the machine of this study has {}", study.gpu.gpus_per_machine));
        offer(Parameter::BUS_TO_GPU, 0, calibration.to_gpu_gb_per_s, shared.clone());
        offer(Parameter::BUS_FROM_GPU, 0, calibration.from_gpu_gb_per_s, shared);
        let gpu_parallelism = typical(measured.iter().filter_map(|(_, operator)| operator.gpu_parallelism));
        offer(Parameter::GPU_PARALLELISM, 0, gpu_parallelism, None);
        let other_codec = (!calibration.codec.is_empty() && calibration.codec != study.compression.name)
            .then(|| format!("measured with {}, which suits columns of small numbers", calibration.codec));
        offer(Parameter::NETWORK_RATIO, 0, calibration.compression_ratio, other_codec.clone());
        offer(Parameter::COMPRESS_SPEED, 0, calibration.compress_gb_per_s, other_codec.clone());
        offer(Parameter::DECOMPRESS_SPEED, 0, calibration.decompress_gb_per_s, other_codec);
    }
    for (index, operator) in measured {
        let class = study.operators[index].class;
        let several = (kinds(&study.operators[index].name).len() > 1)
            .then(|| format!("its name matches several operators; interpreted as a {}", operator.operator));
        let nonlinear = (class != Class::Linear).then(|| {
            format!("a {} of linear cost was measured; the cost here is {}", operator.operator, class.label())
        });
        let caution = nonlinear.or(several);
        offer(Parameter::CPU_TIME, index, operator.cpu_seconds_per_100mb, caution.clone());
        if !calibration.software {
            offer(Parameter::FIXED_COST, index, calibration.fixed_seconds, caution.clone());
        }
        // Curves come in pairs: with one side measured and the other by t, t would move one side alone.
        if let (false, Some(cpu), Some(gpu)) = (calibration.software, operator.cpu_curve, operator.gpu_curve) {
            let ((cpu_fixed, cpu_rate), (gpu_fixed, gpu_rate)) = (cpu.figures(), gpu.figures());
            offer(Parameter::CPU_CURVE_FIXED, index, Some(cpu_fixed), caution.clone());
            offer(Parameter::CPU_CURVE_RATE, index, Some(cpu_rate), caution.clone());
            offer(Parameter::GPU_CURVE_FIXED, index, Some(gpu_fixed), caution.clone());
            offer(Parameter::GPU_CURVE_RATE, index, Some(gpu_rate), caution);
        }
    }
    changes
}

/// Reasons why measured figures are not offered.
#[must_use]
pub fn withheld(calibration: &Calibration, study: &Placement) -> Vec<String> {
    let mut reasons = Vec::new();
    if calibration.software {
        reasons.push(format!(
            "{} is a software adapter on the CPU; its measurements do not describe a GPU",
            calibration.device
        ));
    }
    let unmatched: Vec<&str> = study
        .operators
        .iter()
        .map(|operator| operator.name.as_str())
        .filter(|name| !calibration.operators.iter().any(|operator| fits(operator, name)))
        .collect();
    if !unmatched.is_empty() {
        reasons.push(format!(
            "no measured operator matches the name of {}; measured: {}",
            unmatched.join(", "),
            calibration.operators.iter().map(|operator| operator.operator.as_str()).collect::<Vec<_>>().join(", "),
        ));
    }
    reasons
}

/// Why the measured P may not fit a study: it describes the measured machine, and it also changes operators that were not
/// measured.
fn doubt_of_parallelism(calibration: &Calibration, study: &Placement, figure: Option<Measured>) -> Option<String> {
    if figure?.value < 1.0 {
        return Some("all cores were slower than one: the machine was shared, or memory is the limit".to_owned());
    }
    let is_measured = |name: &str| calibration.operators.iter().any(|operator| fits(operator, name));
    let names = study.operators.iter().map(|operator| operator.name.as_str());
    let unmeasured: Vec<&str> = names.filter(|name| !is_measured(name)).collect();
    (!unmeasured.is_empty())
        .then(|| format!("it also changes operators that were not measured: {}", unmeasured.join(", ")))
}

/// The change of one number; `None` if the value is the same, or outside what the study allows.
fn change(
    calibration: &Calibration,
    study: &Placement,
    field: ParameterOf,
    figure: Measured,
    caution: Option<String>,
) -> Option<Change> {
    let info = field.parameter.info();
    let old = field.value(study);
    let provenance = Provenance::Measured {
        device: if matches!(
            field.parameter,
            Parameter::CPU_PARALLELISM
                | Parameter::MEMORY_BANDWIDTH
                | Parameter::CPU_TIME
                | Parameter::CPU_CURVE_FIXED
                | Parameter::CPU_CURVE_RATE
        ) {
            calibration.cpu.clone()
        } else {
            calibration.device.clone()
        },
        date: calibration.date.clone(),
        interval: figure.interval,
    };
    let label = match study.operators.get(field.index) {
        Some(operator) if field.path(study).starts_with("operators.") => {
            format!("{}: {}", operator.name, info.label)
        }
        _ => info.label.to_owned(),
    };
    let built = calibration.unoptimised.then(|| "measured by a program that was built without optimisation".to_owned());
    let caution = caution.or(built);
    let usable = info.problem(figure.value).is_none() && provenance.problem().is_none();
    let path = field.path(study);
    let same = old == Some(figure.value) && study.sources.get(&path) == Some(&provenance);
    let unit = info.unit;
    (usable && !same).then_some(Change { field, path, label, unit, old, new: figure.value, provenance, caution })
}

/// Whether an operator of this name matches the measured operator.
fn fits(operator: &OperatorFigures, name: &str) -> bool {
    // The first word counts; the change names the others as a caution.
    kinds(name).first().is_some_and(|kind| *kind == operator.operator)
}

/// The measured operators that an operator's name matches, in the order of its words: "filter", "join", "aggregate", "sort".
#[must_use]
pub fn kinds(name: &str) -> Vec<&'static str> {
    let name = name.to_lowercase();
    let place = |words: &[&str]| words.iter().filter_map(|word| name.find(word)).min();
    let mut kinds: Vec<(usize, &str)> = WORDS.iter().filter_map(|(kind, words)| Some((place(words)?, *kind))).collect();
    kinds.sort_unstable();
    kinds.into_iter().map(|(_, kind)| kind).collect()
}

/// Makes these changes, and takes over the names of the devices. Half of a new curve is completed: a missing fixed cost is
/// 0, without a rate there is no curve.
pub fn apply(study: &mut Placement, changes: &[Change]) {
    let with_rates = changes.iter().filter(|change| change.field.parameter.info().when_absent().is_infinite());
    let others = changes.iter().filter(|change| !change.field.parameter.info().when_absent().is_infinite());
    // Rates create the curves that fixed costs then find.
    for change in with_rates.chain(others) {
        create(study, change);
        if change.field.set(study, change.new) {
            study.sources.insert(change.path.clone(), change.provenance.clone());
        }
        rename(study, change);
    }
}

/// Adds a measured curve that the study does not have.
fn create(study: &mut Placement, change: &Change) {
    let curve = Some(CostCurve { fixed_seconds: 0.0, gb_per_s: change.new });
    let absent = change.field.value(study).is_none();
    match change.field.parameter {
        Parameter::CPU_CURVE_RATE if absent => study.operators[change.field.index].cpu_curve = curve,
        Parameter::GPU_CURVE_RATE if absent => study.operators[change.field.index].gpu_curve = curve,
        _ => {}
    }
}

/// Names a part after the measured device; a measured M contains the ratio of cores.
fn rename(study: &mut Placement, change: &Change) {
    let Provenance::Measured { device, .. } = &change.provenance else { return };
    match change.field.parameter {
        Parameter::CPU_PARALLELISM => device.clone_into(&mut study.node.name),
        Parameter::GPU_PARALLELISM => {
            device.clone_into(&mut study.gpu.name);
            study.set_whole_gpu();
        }
        _ => {}
    }
}

/// The geometric mean of several figures; from the lowest end of their intervals to the highest.
fn typical(figures: impl Iterator<Item = Measured>) -> Option<Measured> {
    let figures: Vec<Measured> = figures.filter(|figure| figure.value > 0.0).collect();
    let logarithms: f64 = figures.iter().map(|figure| figure.value.ln()).sum();
    let low = figures.iter().map(|figure| figure.interval.0).fold(f64::INFINITY, f64::min);
    let high = figures.iter().map(|figure| figure.interval.1).fold(f64::NEG_INFINITY, f64::max);
    (!figures.is_empty()).then(|| Measured { value: (logarithms / figures.len() as f64).exp(), interval: (low, high) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published;
    use crossover_measured::calibration::MeasuredCurve;
    use crossover_study::{sources, validate};

    fn figure(value: f64) -> Measured {
        Measured { value, interval: (value * 0.9, value * 1.1) }
    }

    fn curve(fixed_seconds: f64, gb_per_s: f64) -> MeasuredCurve {
        MeasuredCurve {
            curve: CostCurve { fixed_seconds, gb_per_s },
            fixed_seconds_interval: (fixed_seconds * 0.9, fixed_seconds * 1.1),
            gb_per_s_interval: (gb_per_s * 0.9, gb_per_s * 1.1),
            r_squared: 0.999,
        }
    }

    fn calibration() -> Calibration {
        let operator = |name: &str, seconds: f64, times: f64| OperatorFigures {
            operator: name.to_owned(),
            cpu_seconds_per_100mb: Some(figure(seconds)),
            gpu_parallelism: Some(figure(times)),
            cpu_parallelism: Some(figure(8.0)),
            cpu_curve: Some(curve(1e-5, 20.0)),
            gpu_curve: Some(curve(2e-5, 900.0)),
            ..OperatorFigures::default()
        };
        Calibration {
            device: "Example GPU".to_owned(),
            cpu: "Example CPU".to_owned(),
            date: "2026-01-02".to_owned(),
            to_gpu_gb_per_s: Some(figure(25.0)),
            fixed_seconds: Some(figure(4e-5)),
            operators: vec![operator("filter", 0.01, 100.0), operator("join", 0.5, 400.0)],
            ..Calibration::default()
        }
    }

    #[test]
    fn applied_figures_are_in_the_study_with_device_date_and_interval() {
        let mut study = published();
        study.gpu.core_ratio = 2.0;
        let offered = changes(&calibration(), &study);
        apply(&mut study, &offered);
        assert_eq!(validate(&study), Ok(()));
        assert_eq!(study.bus.to_gpu_gb_per_s, 25.0);
        // The measured M contains it.
        assert_eq!(study.gpu.core_ratio, 1.0);
        assert_eq!(study.operators[0].cpu_seconds_per_100mb, 0.01);
        assert_eq!(study.operators[0].cpu_curve, Some(CostCurve { fixed_seconds: 1e-5, gb_per_s: 20.0 }));
        assert_eq!(study.operators[0].gpu_curve, Some(CostCurve { fixed_seconds: 2e-5, gb_per_s: 900.0 }));
        assert!((study.node.cpu_parallelism - 8.0).abs() < 1e-9);
        // The geometric mean of 100 and 400.
        assert!((study.gpu.gpu_parallelism - 200.0).abs() < 1e-9);
        let source = |path: &str| study.sources.get(path).cloned();
        let measured = |device: &str, interval| Provenance::Measured {
            device: device.to_owned(),
            date: "2026-01-02".to_owned(),
            interval,
        };
        assert_eq!(source("bus.to_gpu_gb_per_s"), Some(measured("Example GPU", (22.5, 25.0 * 1.1))));
        assert_eq!(
            source("operators.filter.cpu_seconds_per_100mb"),
            Some(measured("Example CPU", (0.01 * 0.9, 0.01 * 1.1)))
        );
        assert_eq!((study.gpu.name.as_str(), study.node.name.as_str()), ("Example GPU", "Example CPU"));
        assert!(changes(&calibration(), &study).is_empty(), "nothing is left to change");
    }

    #[test]
    fn a_software_adapter_gives_figures_for_the_cpu_alone() {
        let software = Calibration { software: true, ..calibration() };
        let study = published();
        let paths: Vec<String> = changes(&software, &study).into_iter().map(|change| change.path).collect();
        assert!(paths.contains(&"operators.filter.cpu_seconds_per_100mb".to_owned()), "{paths:?}");
        let about_gpu = |path: &String| path.contains("gpu") || path.starts_with("bus") || path.contains("fixed_cost");
        assert!(
            !paths
                .iter()
                .any(|path| about_gpu(path) || path.ends_with(".fixed_seconds") && !path.contains("cpu_curve")),
            "{paths:?}"
        );
        assert!(withheld(&software, &study)[0].contains("its measurements do not describe a GPU"));
    }

    #[test]
    fn what_may_not_fit_the_study_says_so() {
        let study = published();
        let offered = changes(&calibration(), &study);
        let cautious = |path: &str| offered.iter().find(|change| change.path == path).expect(path).caution.clone();
        assert_eq!(cautious("operators.filter.cpu_seconds_per_100mb"), None);
        let join = cautious("operators.join.cpu_seconds_per_100mb").expect("the published join is quadratic");
        assert!(join.contains("quadratic"), "{join}");
        let mut shared = study;
        shared.gpu.gpus_per_machine = 4.0;
        let bus =
            changes(&calibration(), &shared).into_iter().find(|change| change.path.starts_with("bus")).expect("bus");
        assert!(bus.caution.expect("four GPUs").contains("has 4"));
    }

    #[test]
    fn figures_of_an_unoptimised_build_and_ambiguous_names_are_not_applied_unasked() {
        let debug = Calibration { unoptimised: true, ..calibration() };
        let offered = changes(&debug, &published());
        assert!(!offered.is_empty() && offered.iter().all(|change| change.caution.is_some()), "{offered:?}");
        let mut study = published();
        sources::rename(&mut study, "operators", 0, "filtered join");
        let offered = changes(&calibration(), &study);
        let renamed = offered.iter().find(|change| change.path.contains("filtered join")).expect("a change");
        assert!(renamed.caution.as_ref().expect("two kinds").contains("several operators"));
    }

    #[test]
    fn a_doubtful_parallelism_is_not_applied_unasked() {
        let caution = |calibration: &Calibration, study: &Placement| {
            let offered = changes(calibration, study);
            offered.into_iter().find(|change| change.path == "node.cpu_parallelism").expect("a change").caution
        };
        assert_eq!(caution(&calibration(), &published()), None);
        let mut other = published();
        sources::rename(&mut other, "operators", 0, "parse JSON");
        assert!(caution(&calibration(), &other).expect("not measured").contains("parse JSON"));
        let mut shared = calibration();
        for operator in &mut shared.operators {
            operator.cpu_parallelism = Some(figure(0.8));
        }
        assert!(caution(&shared, &published()).expect("below 1").contains("slower than one"));
    }

    #[test]
    fn a_measured_cpu_curve_needs_a_measured_gpu_curve() {
        let software = Calibration { software: true, ..calibration() };
        assert!(!changes(&software, &published()).iter().any(|change| change.path.contains("_curve")));
    }

    #[test]
    fn operators_are_matched_by_what_their_name_says() {
        let figures = |name: &str| OperatorFigures { operator: name.to_owned(), ..OperatorFigures::default() };
        for (name, kind) in [
            ("Filter", "filter"),
            ("hash join 2", "join"),
            ("GROUP BY region", "aggregate"),
            ("order by date", "sort"),
            ("filtered join", "filter"),
        ] {
            assert!(fits(&figures(kind), name), "{name}");
        }
        assert_eq!(kinds("filtered join"), ["filter", "join"]);
        assert!(!fits(&figures("join"), "filtered join"));
        assert!(!fits(&figures("filter"), "project"));
    }

    #[test]
    fn a_figure_outside_the_range_of_its_field_is_not_offered() {
        let mut broken = calibration();
        broken.to_gpu_gb_per_s = Some(Measured { value: f64::NAN, interval: (1.0, 2.0) });
        broken.fixed_seconds = Some(Measured { value: 1e-5, interval: (2.0, 1.0) });
        let offered = changes(&broken, &published());
        assert!(
            !offered.iter().any(|change| change.path.contains("to_gpu") || change.path.ends_with("r.fixed_seconds"))
        );
    }

    #[test]
    fn half_a_curve_becomes_a_whole_one_or_none() {
        let mut study = published();
        let offered = changes(&calibration(), &study);
        let only = |parameter: Parameter| -> Vec<Change> {
            offered.iter().filter(|change| change.field == ParameterOf { parameter, index: 0 }).cloned().collect()
        };
        apply(&mut study, &only(Parameter::GPU_CURVE_FIXED));
        assert_eq!(study, published(), "a fixed cost alone is no curve");
        apply(&mut study, &only(Parameter::GPU_CURVE_RATE));
        assert_eq!(study.operators[0].gpu_curve, Some(CostCurve { fixed_seconds: 0.0, gb_per_s: 900.0 }));
        assert_eq!(validate(&study), Ok(()));
    }
}

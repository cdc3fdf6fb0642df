//! Speedup curves of a placement study.

use anyhow::{Context as _, Result, bail};
use clap::{CommandFactory as _, Parser, ValueEnum, value_parser};
use crossover_export::placement::{curves_csv, curves_json};
use crossover_page::terminal::{Source, other_kind, print, wrong_usage};
use crossover_placement::{Axis, Parameter, Placement, Point};
use crossover_quantity::invalid::did_you_mean;
use crossover_study::along::samples;

/// From this ratio of its ends on, a range is sampled evenly in the logarithm.
const LOGARITHMIC_FROM: f64 = 100.0;

/// Prints speedup curves of a placement scenario along one parameter
#[derive(Debug, Parser)]
#[command(name = "curves", display_order = 10)]
pub(super) struct CurvesOptions {
    #[command(flatten)]
    source: Source,
    /// Parameter to vary, e.g. machines; an invalid name prints the allowed names
    #[arg(long, value_name = "AXIS", value_parser = axis)]
    x: Axis,
    /// Output format
    #[arg(long, value_enum, default_value = "csv")]
    format: CurvesFormat,
    /// Number of values; a whole-number parameter has each value once at most
    #[arg(long, value_name = "N", default_value = "512", value_parser = value_parser!(u32).range(2..=100_000))]
    points: u32,
    /// First value, e.g. 0.001 or "1 ms"; default: what the window shows
    #[arg(long, value_name = "VALUE")]
    from: Option<String>,
    /// Last value; logarithmic spacing if it is at least 100 × the first
    #[arg(long, value_name = "VALUE")]
    to: Option<String>,
}

/// What curves are written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CurvesFormat {
    /// x, then a column for each operator, network and compression, for spreadsheets
    Csv,
    /// The same with break-evens, for programs
    Json,
}

/// Prints the curves.
pub(super) fn curves(options: &CurvesOptions) -> Result<()> {
    let scenario = options.source.scenario()?;
    let study = scenario.placement().with_context(|| {
        let why = other_kind("speedup curves belong to placement scenarios", scenario.study.kind());
        format!("{why}, whose figures `sweep` and `evaluate --format csv` print")
    })?;
    if study.query.is_some() {
        bail!(
            "a query's plan has curves of the whole query only; print them with `crossover sweep`, e.g. over cluster.machines"
        );
    }
    print(&text(&scenario.name, study, options)?)
}

/// Speedup curves of a placement study as text.
fn text(scenario: &str, study: &Placement, options: &CurvesOptions) -> Result<String> {
    let window = options.x.window(study);
    let from = end(options.x, "--from", options.from.as_deref(), window[0])?;
    let to = end(options.x, "--to", options.to.as_deref(), window[1])?;
    if from >= to {
        return Err(usage(&format!("--from {from} must be less than --to {to}")).into());
    }
    let xs = values(study, options.x, [from, to], options.points as usize);
    let operators: Vec<usize> = (0..study.operators.len()).collect();
    Ok(match options.format {
        CurvesFormat::Csv => curves_csv(study, &operators, options.x, &xs),
        CurvesFormat::Json => curves_json(scenario, study, &operators, options.x, &xs),
    })
}

/// Ascending values of an axis, from one end to the other.
fn values(study: &Placement, axis: Axis, [from, to]: [f64; 2], points: usize) -> Vec<f64> {
    let logarithmic = from > 0.0 && to / from >= LOGARITHMIC_FROM;
    let mut xs = samples([from, to], points, logarithmic);
    if Point::new(study, 0, 0, false).is_whole(axis.parameter()) {
        for x in &mut xs {
            *x = x.round();
        }
        xs.dedup();
    }
    xs
}

/// One end of the range, as given or by default.
fn end(axis: Axis, option: &str, text: Option<&str>, default: f64) -> Result<f64> {
    let Some(text) = text else { return Ok(default) };
    let info = axis.parameter().info();
    let value = info.unit.parse(text).map_err(|error| usage(&format!("{option}: {error}")))?;
    match info.problem(value) {
        None => Ok(value),
        Some(problem) => Err(usage(&format!("{option} {text}: {problem}")).into()),
    }
}

fn usage(problem: &str) -> clap::Error {
    wrong_usage(CurvesOptions::command(), problem)
}

fn axis(key: &str) -> Result<Axis, String> {
    let choices = Axis::CHOICES.map(Axis::key);
    let others = Parameter::all().map(|parameter| Axis::One(parameter).key());
    Axis::from_key(key).ok_or_else(|| {
        let others: Vec<String> = others.into_iter().filter(|other| !choices.contains(other)).collect();
        let hint = did_you_mean(key, choices.iter().chain(&others));
        format!("no such axis{hint}\naxes: {}\nor any other parameter: {}", choices.join(", "), others.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use crossover_scenario::read;

    use super::*;
    use crossover_page::storage::scenario::BUILT_IN;

    fn published() -> Placement {
        read(BUILT_IN).unwrap().placement().unwrap().clone()
    }

    #[test]
    fn a_wide_range_is_spaced_by_ratio_and_a_narrow_one_by_difference() {
        let check = |range, expected: &[f64]| {
            let found = values(&published(), Axis::One(Parameter::CPU_TIME), range, expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-12, "{found} instead of {expected}");
            }
            assert_eq!(found.len(), expected.len());
        };
        check([0.001, 10.0], &[0.001, 0.01, 0.1, 1.0, 10.0]);
        check([0.1, 0.3], &[0.1, 0.2, 0.3]);
    }

    #[test]
    fn what_is_counted_is_sampled_at_whole_numbers() {
        let found = values(&published(), Axis::One(Parameter::GPUS_PER_MACHINE), [1.0, 4.0], 512);
        assert_eq!(found, [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn an_end_is_a_quantity_of_the_axis_within_its_range() {
        let found = |text: &str| end(Axis::One(Parameter::CPU_TIME), "--from", Some(text), 0.0);
        assert_eq!(found("5 ms").unwrap(), 0.005);
        assert_eq!(found("0.2").unwrap(), 0.2);
        assert!(found("0").unwrap_err().to_string().contains("--from 0: 0 is out of range; allowed: 1 µs/100 MB"));
        assert!(found("5 GB").unwrap_err().to_string().contains("--from: expected a time per data"));
    }
}

//! How work scales with units, as text.

use crossover_probe::{Recommended, Scaled};
use crossover_quantity::finite::{self, NotFinite};
use crossover_quantity::text::csv::Records;
use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::Unit;
use serde::Serialize;

use crate::json;

/// The fit, for programs. Coefficients have the unit of the throughput or none.
#[derive(Serialize)]
struct Fit {
    measurements: usize,
    alpha: f64,
    beta: f64,
    gamma: f64,
    alpha_standard_error: Option<f64>,
    beta_standard_error: Option<f64>,
    gamma_standard_error: Option<f64>,
    r_squared: f64,
    is_poor: bool,
    peak_units: Option<f64>,
    knee_units: Option<f64>,
    recommended_units: u64,
    recommended_by: &'static str,
    cautions: Vec<String>,
}

/// Checks a fit before it is written.
///
/// # Errors
/// A number of it is not finite.
pub fn check_scaling(measurements: usize, scaled: &Scaled) -> Result<(), NotFinite> {
    #[derive(Serialize)]
    struct Curve {
        fitted: Vec<f64>,
    }
    finite::check(&fit(measurements, scaled))?;
    finite::check(&Curve { fitted: scaled.means.iter().map(|point| scaled.law.at(point.units)).collect() })
}

/// Coefficients with their standard errors, R², peak, knee, recommended units.
#[must_use]
pub fn scaling_json(measurements: usize, scaled: &Scaled) -> String {
    json(&fit(measurements, scaled))
}

fn fit(measurements: usize, scaled: &Scaled) -> Fit {
    let law = &scaled.law;
    let error = |place: usize| law.errors.map(|errors| errors[place]);
    Fit {
        measurements,
        alpha: law.alpha,
        beta: law.beta,
        gamma: law.gamma,
        alpha_standard_error: error(0),
        beta_standard_error: error(1),
        gamma_standard_error: error(2),
        r_squared: law.r_squared,
        is_poor: law.is_poor(),
        peak_units: scaled.peak,
        knee_units: scaled.knee,
        recommended_units: scaled.recommended.units(),
        recommended_by: by(scaled.recommended),
        cautions: scaled.cautions(measurements),
    }
}

fn by(recommended: Recommended) -> &'static str {
    match recommended {
        Recommended::Knee(_) => "knee",
        Recommended::Peak(_) => "peak",
        Recommended::Most(_) => "most measured",
    }
}

/// Units, measured mean, fitted throughput, efficiency: a line for each number of units.
#[must_use]
pub fn scaling_csv(scaled: &Scaled) -> String {
    let mut csv = Records::default();
    csv.push(["units", "throughput", "fitted_throughput", "efficiency"]);
    for point in &scaled.means {
        let (fitted, efficiency) = (scaled.law.at(point.units), scaled.law.efficiency(point.units));
        csv.push([point.units, point.throughput, fitted, efficiency].map(|value| value.to_string()));
    }
    csv.into_text()
}

/// "16 units, the knee of the curve: …"
fn answer(scaled: &Scaled) -> String {
    let units = |count: u64| counted(count as f64, "unit");
    match scaled.recommended {
        Recommended::Knee(count) => {
            format!("{}, the knee of the curve: beyond it, the throughput per further unit drops sharply", units(count))
        }
        Recommended::Peak(count) => format!("{}: with more units, throughput falls", units(count)),
        Recommended::Most(count) => format!("{}, the most that were measured: throughput still grows", units(count)),
    }
}

fn facts(scaled: &Scaled) -> Vec<(&'static str, String)> {
    let law = &scaled.law;
    let number = |value: f64| Unit::Ratio.format(value);
    let with_error = |value: f64, place: usize| match law.errors {
        Some(errors) => format!("{} ± {}", number(value), number(errors[place])),
        None => number(value),
    };
    let none = || "none".to_owned();
    vec![
        ("Answer", answer(scaled)),
        ("Contention", format!("α = {}", with_error(law.alpha, 0))),
        ("Coherency", format!("β = {}", with_error(law.beta, 1))),
        ("One unit", format!("γ = {}", with_error(law.gamma, 2))),
        ("R²", number(law.r_squared)),
        ("Knee", scaled.knee.map_or_else(none, |knee| format!("{} units", number(knee)))),
        ("Peak", scaled.peak.map_or_else(none, |peak| format!("{} units", number(peak)))),
    ]
}

fn table(scaled: &Scaled) -> Table {
    let number = |value: f64| Unit::Ratio.format(value);
    let rows = scaled.means.iter().map(|point| {
        let law = &scaled.law;
        let efficiency = Unit::Share.format(law.efficiency(point.units));
        vec![number(point.units), number(point.throughput), number(law.at(point.units)), efficiency]
    });
    let columns = ["Units", "Measured", "Fitted", "Efficiency"].map(Column::number).to_vec();
    Table { columns, rows: rows.collect() }
}

/// The fit as a report. Errors are standard errors.
#[must_use]
pub fn scaling_text_report(name: &str, measurements: usize, scaled: &Scaled) -> TextReport {
    let mut text_report = TextReport::titled(name);
    text_report
        .paragraph(counted(measurements as f64, "measurement"))
        .facts(facts(scaled))
        .table(table(scaled))
        .warnings(scaled.cautions(measurements));
    text_report
}

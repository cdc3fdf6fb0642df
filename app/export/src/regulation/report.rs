//! The gain of a controller, as a report.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crossover_quantity::text::{Column, Table, TextReport, counted};
use crossover_quantity::unit::Unit;
use crossover_regulation::{ActuatorMode, Controller, Integration, PowerLaw, Regulation, ServeOrder};

use super::{AtLoad, AtLoads, Results, Strategy};

/// Gain, the before/after table, the figures of all strategies, settings and warnings.
pub(super) fn text_report(results: &Results<'_>) -> TextReport {
    let (study, _) = results.evaluated;
    let mut text_report = TextReport::titled(results.scenario);
    text_report
        .paragraph(setting(results))
        .facts(headline(results))
        .heading("Before and after")
        .table(before_after(results))
        .heading("All strategies")
        .table(strategies(results))
        .heading("Settings")
        .facts(settings(study))
        .warnings(&results.warnings);
    text_report
}

/// "2 clusters, controller PID, 600 periods of 1 s".
fn setting(results: &Results<'_>) -> String {
    let (study, _) = results.evaluated;
    format!(
        "{}, controller {}, {} of {}",
        counted(study.clusters.len() as f64, "cluster"),
        results.controller,
        counted(study.run.periods, "period"),
        Unit::Seconds.format(study.run.period_seconds),
    )
}

/// The controller's gain, a fact each.
fn headline(results: &Results<'_>) -> Vec<(&'static str, String)> {
    let (study, _) = results.evaluated;
    let (before, after) = (&results.before, &results.after);
    let from_to = |unit: Unit, before: f64, after: f64| {
        let gain = if before > 0.0 {
            format!(" ({}{})", if after >= before { "+" } else { "" }, Unit::Share.format(after / before - 1.0))
        } else {
            String::new()
        };
        format!("{} → {}{gain}", unit.format(before), unit.format(after))
    };
    let efficiency = after.relative_efficiency.map_or_else(
        || "not available: without control the throughput is zero".to_owned(),
        |ratio| {
            format!("{} the throughput per watt without control, for {}", Unit::Factor.format(ratio), power_law(study))
        },
    );
    let actions = counted(results.actions as f64, "action");
    let settling = match results.settling_periods {
        Some(settling) => format!(
            "{} ({}) after the last change of demand; {actions}",
            counted(settling as f64, "period"),
            Unit::Seconds.format(settling as f64 * study.run.period_seconds),
        ),
        None => format!("not settled: demand or actuators change until the end; {actions}"),
    };
    let mut energy = from_to(Unit::KilowattHours, before.energy_kwh, after.energy_kwh);
    if study.power.price_per_kwh > 0.0 {
        _ = write!(energy, "; cost {}", from_to(Unit::UsDollars, before.cost, after.cost));
    }
    vec![
        ("Throughput", from_to(Unit::Tops, before.tops, after.tops)),
        ("Power", from_to(Unit::Watts, before.power, after.power)),
        ("Efficiency", efficiency),
        ("Energy", energy),
        ("Settling time", settling),
        (
            "Error",
            format!(
                "{} steady-state, overshoot {}, integral of its absolute value (IAE) {}",
                Unit::Share.format(results.steady_state_error),
                Unit::Share.format(results.overshoot),
                Unit::Seconds.format(results.integral_absolute_error)
            ),
        ),
    ]
}

/// The table of the published method: every cluster at light and at full load, before and after.
fn before_after(results: &Results<'_>) -> Table {
    let columns = vec![
        Column::text("Cluster"),
        Column::text("When"),
        Column::text("Demand"),
        Column::number("PCIe occupancy"),
        Column::number("Compute load"),
        Column::number("Frequency"),
        Column::text("Precision"),
        Column::number("vGPUs"),
        Column::number("Throughput"),
    ];
    let mut table = Table { columns, rows: Vec::new() };
    for compared in &results.comparison {
        let mut add = |name: &str, when: &str, at: &AtLoads| {
            let row = |name: &str, when: &str, load: &str, served: AtLoad| {
                vec![
                    name.to_owned(),
                    when.to_owned(),
                    load.to_owned(),
                    Unit::Share.format(served.pcie_occupancy),
                    Unit::Share.format(served.load),
                    Unit::Gigahertz.format(at.frequency_ghz),
                    at.precision.clone(),
                    Unit::Count.format(at.vgpus),
                    Unit::Tops.format(served.tops),
                ]
            };
            table.rows.extend([row(name, when, "light", at.light), row("", "", "full", at.full)]);
        };
        add(compared.name, "before", &compared.before);
        add("", "after", &compared.after);
    }
    table
}

/// Figures of every strategy.
fn strategies(results: &Results<'_>) -> Table {
    let columns = vec![
        Column::text("Strategy"),
        Column::text("vGPUs"),
        Column::number("Throughput"),
        Column::number("Power"),
        Column::number("Relative efficiency"),
        Column::number("Settling periods"),
        Column::number("Overshoot"),
        Column::number("Steady-state error"),
        Column::number("IAE"),
        Column::number("Actions"),
    ];
    let row = |strategy: &Strategy<'_>| {
        let delivered = &strategy.delivered;
        let vgpus: Vec<String> = delivered.clusters.iter().map(|cluster| Unit::Count.format(cluster.vgpus)).collect();
        let chosen = strategy.is_controller && strategy.name == results.controller;
        vec![
            format!("{}{}", strategy.name, if chosen { " (chosen)" } else { "" }),
            vgpus.join(" / "),
            Unit::Tops.format(delivered.tops),
            Unit::Watts.format(delivered.power),
            delivered.relative_efficiency.map_or_else(String::new, |ratio| Unit::Factor.format(ratio)),
            match strategy.settling_periods {
                Some(periods) => periods.to_string(),
                None if strategy.is_controller => "not settled".to_owned(),
                None => "–".to_owned(),
            },
            Unit::Share.format(strategy.overshoot),
            Unit::Share.format(strategy.steady_state_error),
            Unit::Seconds.format(strategy.integral_absolute_error),
            strategy.actions.to_string(),
        ]
    };
    Table { columns, rows: results.strategies.iter().map(row).collect() }
}

/// Settings other than the clusters.
fn settings(study: &Regulation) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> =
        study.controllers.iter().map(|controller| ("Controller", describe(controller))).collect();
    let order: Vec<&str> = study.actuators.order.iter().map(|actuator| actuator.label()).collect();
    lines.push((
        "Actuators",
        match study.actuators.mode {
            ActuatorMode::InOrder => format!("{}; each acts if the one before is at its limit", order.join(", then ")),
            ActuatorMode::Together => format!("{}, together", order.join(", ")),
        },
    ));
    let manager = &study.manager;
    let served = match manager.order {
        ServeOrder::LargestFirst => "requests in order of controller output",
        ServeOrder::AsListed => "requests in list order",
        ServeOrder::Rotating => "requests round-robin",
    };
    let (spare, most) = (Unit::Count.format(manager.spare_vgpus), Unit::Count.format(manager.most_per_period));
    let delay = counted(manager.delay_periods, "period");
    lines.push((
        "Cloud manager",
        format!("{spare} spare vGPUs, {served}, at most {most} vGPU moves per period, move delay {delay}"),
    ));
    let measurement = &study.measurement;
    let (noise, delay) = (Unit::Share.format(measurement.noise_share), counted(measurement.delay_periods, "period"));
    lines.push(("Measurement", format!("noise {noise}, delay {delay}")));
    lines.push(("Power law", power_law(study)));
    lines.push((
        "Averaging window",
        format!(
            "last {} periods; light load is {} of the work served at full load without control",
            Unit::Count.format(study.run.average_periods),
            Unit::Share.format(study.run.light_share)
        ),
    ));
    lines.push(("Numbers", provenance(study)));
    lines
}

/// "“PI”: PI controller; proportional gain Kp = 1, integral gain Ki = 0.3; …": form, gains and settings.
fn describe(controller: &Controller) -> String {
    let gain = |name: &str, value: f64| format!("{name} = {}", Unit::Ratio.format(value));
    let (has_integral, has_derivative) = (controller.form.has_integral(), controller.form.has_derivative());
    let mut text = format!("“{}”: {:?} controller; ", controller.name, controller.form);
    if controller.learned.is_some() {
        text += "learned gains by error and change of error";
    } else if controller.schedule.is_some() {
        text += "gain schedule by error and change of error";
    } else {
        text += &gain("proportional gain Kp", controller.kp);
        if has_integral {
            text += &gain(", integral gain Ki", controller.ki);
        }
        if has_derivative {
            text += &gain(", derivative gain Kd", controller.kd);
        }
    }
    if controller.fuzzy.is_some() {
        text += "; fuzzy correction of the gains";
    }
    if has_integral {
        text += match controller.integration {
            Integration::InDeadZone => "; integrates inside the dead zone only",
            Integration::UnlessSaturated => "; integrates unless saturated",
            Integration::Always => "; always integrates",
        };
        text += if controller.reset_after_action { "; integral reset after an action" } else { "" };
    }
    text
}

/// "power ∝ vGPUs × frequency", with the idle share where there is one.
fn power_law(study: &Regulation) -> String {
    let law = match study.power.law {
        PowerLaw::Linear => "power ∝ vGPUs × frequency",
        PowerLaw::Square => "power ∝ vGPUs × frequency²",
        PowerLaw::Cube => "power ∝ vGPUs × frequency³",
        PowerLaw::Measured => "power ∝ vGPUs × measured curve of the frequency",
    };
    if study.power.idle_share < 1.0 {
        format!("{law} with idle power {} of full load", Unit::Share.format(study.power.idle_share))
    } else {
        law.to_owned()
    }
}

/// "91 entered, 3 measured".
fn provenance(study: &Regulation) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, ..) in crossover_study::numbers(study) {
        *counts.entry(study.sources.get(&path.to_string()).map_or("entered", |source| source.kind())).or_default() += 1;
    }
    counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{published, written};
    use crate::Format;

    #[test]
    fn the_published_scenario_in_a_terminal() {
        insta::assert_snapshot!(written(Format::Table, &published()));
    }

    #[test]
    fn the_published_scenario_in_markdown() {
        insta::assert_snapshot!(written(Format::Markdown, &published()));
    }
}

//! The change that a measured network makes to a placement study.

use crate::calibration::Change;
use crate::{Parameter, ParameterOf, Placement};
use crossover_measured::network::NetworkReport;
use crossover_quantity::provenance::Provenance;
use crossover_quantity::unit::Unit;

/// The effective speed of a network of a study, by its index; none if the study has it already, or may not have it.
///
/// Round trips change nothing: the model has no latency.
#[must_use]
pub fn network_change(report: &NetworkReport, study: &Placement, index: usize) -> Option<Change> {
    let figure = report.effective()?.gbit_per_s;
    let network = study.networks.get(index)?;
    let field = ParameterOf { parameter: Parameter::NETWORK_SPEED, index };
    let info = field.parameter.info();
    let provenance =
        Provenance::Measured { device: report.machines(), date: report.date().to_owned(), interval: figure.interval };
    let path = field.path(study);
    let old = field.value(study);
    let is_usable = info.problem(figure.value).is_none() && provenance.problem().is_none();
    let is_same = old == Some(figure.value) && study.sources.get(&path) == Some(&provenance);
    let caution = caution(report, figure.value, network.line_gbit_per_s);
    let label = format!("{}: {}", network.name, info.label);
    (is_usable && !is_same).then_some(Change {
        field,
        path,
        label,
        unit: info.unit,
        old,
        new: figure.value,
        provenance,
        caution,
    })
}

/// Why the speed may not be that of the network.
fn caution(report: &NetworkReport, gbit_per_s: f64, line_gbit_per_s: f64) -> Option<String> {
    if report.is_loopback() {
        return Some("both ends were one machine, so no network was measured".to_owned());
    }
    if gbit_per_s > line_gbit_per_s {
        let line = Unit::GigabitsPerSecond.format(line_gbit_per_s);
        return Some(format!("faster than the line speed of this network, {line}; another network was measured"));
    }
    report.unoptimised.then(|| "measured by a program that was built without optimisation".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::apply;
    use crate::published;
    use crossover_measured::calibration::Measured;
    use crossover_needs::network_report;
    use crossover_study::validate;

    /// The networks of the published setting: 10 Gb Ethernet, then 100 Gb InfiniBand.
    const INFINIBAND: usize = 1;

    fn report(gbit_per_s: f64) -> NetworkReport {
        let mut report: NetworkReport = network_report();
        report.throughput[0].gbit_per_s =
            Measured { value: gbit_per_s, interval: (gbit_per_s - 2.0, gbit_per_s + 1.0) };
        report
    }

    #[test]
    fn the_measured_speed_enters_with_machines_date_and_interval() {
        let mut study = published();
        let change = network_change(&report(72.0), &study, INFINIBAND).expect("a change");
        assert_eq!(
            (change.path.as_str(), change.old, change.caution.as_deref()),
            ("networks.100 Gb InfiniBand.effective_gbit_per_s", Some(80.0), None)
        );
        apply(&mut study, &[change]);
        assert_eq!(validate(&study), Ok(()));
        assert_eq!(study.networks[INFINIBAND].effective_gbit_per_s, 72.0);
        let expected = Provenance::Measured {
            device: "node1 and node2, TCP".to_owned(),
            date: "2026-11-26".to_owned(),
            interval: (70.0, 73.0),
        };
        assert_eq!(study.sources.get("networks.100 Gb InfiniBand.effective_gbit_per_s"), Some(&expected));
        assert_eq!(study.networks[0], published().networks[0]);
        assert_eq!(network_change(&report(72.0), &study, INFINIBAND), None, "nothing is left to change");
    }

    #[test]
    fn what_may_be_another_network_is_not_applied_unasked() {
        let study = published();
        let caution = |report: &NetworkReport, index| {
            network_change(report, &study, index).expect("a change").caution.expect("a caution")
        };
        assert!(caution(&report(72.0), 0).starts_with("faster than the line speed of this network, 10 Gbit/s"));
        let mut loopback = report(72.0);
        loopback.there.address = loopback.here.address.clone();
        assert!(caution(&loopback, INFINIBAND).contains("one machine"));
        let debug = NetworkReport { unoptimised: true, ..report(72.0) };
        assert!(caution(&debug, INFINIBAND).contains("without optimisation"));
    }

    #[test]
    fn a_speed_that_is_no_number_is_not_offered() {
        let study = published();
        assert_eq!(network_change(&report(f64::NAN), &study, INFINIBAND), None);
        assert_eq!(network_change(&report(0.0), &study, INFINIBAND), None);
        assert_eq!(network_change(&report(72.0), &study, 2), None);
    }
}

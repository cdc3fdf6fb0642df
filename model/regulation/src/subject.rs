//! A regulation study as one kind of study: its checks, dependent fields and figures.

use super::figures::{Figures, State};
use super::outcome::evaluate_watched;
use super::study::Regulation;
use super::tuning::remaining::remaining_error;
use super::{table, validate};
use crossover_quantity::invalid::Invalid;
use crossover_quantity::unit::Unit;
use crossover_study::{Better, Figure, FigureValue, Subject, Watch};

/// The figures of a regulation study: with the chosen controller, then of each cluster.
const FIGURES: [Figure; 13] = [
    EFFICIENCY,
    TOPS,
    WATTS,
    KWH,
    COST,
    SETTLING,
    OVERSHOOT,
    ERROR,
    ACTIONS,
    CLUSTER_TOPS,
    CLUSTER_PCIE,
    CLUSTER_LOAD,
    CLUSTER_VGPUS,
];

const EFFICIENCY: Figure = Figure {
    key: "efficiency",
    label: "relative efficiency",
    unit: Unit::Factor,
    better: Better::Higher,
    list: None,
    meaning: "Throughput per watt with the chosen controller ÷ throughput per watt without control.",
};
const TOPS: Figure = Figure {
    key: "tops",
    label: "throughput",
    unit: Unit::Tops,
    better: Better::Higher,
    list: None,
    meaning: "Throughput of all clusters, mean over the averaged periods.",
};
const WATTS: Figure = Figure {
    key: "watts",
    label: "power",
    unit: Unit::Watts,
    better: Better::Lower,
    list: None,
    meaning: "Power of all clusters and of the pool, mean over the averaged periods.",
};
const KWH: Figure = Figure {
    key: "kwh",
    label: "energy",
    unit: Unit::KilowattHours,
    better: Better::Lower,
    list: None,
    meaning: "Energy of the whole run.",
};
const COST: Figure = Figure {
    key: "cost",
    label: "cost of energy",
    unit: Unit::UsDollars,
    better: Better::Lower,
    list: None,
    meaning: "Cost of the energy of the whole run, US dollars.",
};
const SETTLING: Figure = Figure {
    key: "settling_periods",
    label: "settling periods",
    unit: Unit::Count,
    better: Better::Lower,
    list: None,
    meaning: "Periods from the last change of demand to the last action. Not available if an error outside the dead zone remains that the controller could reduce.",
};
const OVERSHOOT: Figure = Figure {
    key: "overshoot",
    label: "overshoot",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Largest error of opposite sign ÷ largest error before the first zero crossing; the largest of all clusters.",
};
const ERROR: Figure = Figure {
    key: "steady_state_error",
    label: "steady-state error",
    unit: Unit::Share,
    better: Better::Lower,
    list: None,
    meaning: "Mean |e| over the averaged periods; the largest of all clusters.",
};
const ACTIONS: Figure = Figure {
    key: "actions",
    label: "actions",
    unit: Unit::Count,
    better: Better::Lower,
    list: None,
    meaning: "Number of actions of all clusters.",
};
const CLUSTER_TOPS: Figure =
    Figure { list: Some("clusters"), meaning: "Throughput of the cluster, mean over the averaged periods.", ..TOPS };
const CLUSTER_PCIE: Figure = Figure {
    key: "pcie_occupancy",
    label: "PCIe occupancy",
    unit: Unit::Share,
    better: Better::Neither,
    list: Some("clusters"),
    meaning: "Served throughput ÷ transfer ceiling, p_p; mean over the averaged periods.",
};
const CLUSTER_LOAD: Figure = Figure {
    key: "load",
    label: "compute load",
    unit: Unit::Share,
    better: Better::Neither,
    list: Some("clusters"),
    meaning: "Served throughput ÷ capacity, p_d; mean over the averaged periods.",
};
const CLUSTER_VGPUS: Figure = Figure {
    key: "vgpus",
    label: "vGPUs",
    unit: Unit::Count,
    better: Better::Neither,
    list: Some("clusters"),
    meaning: "vGPUs in the last period.",
};

impl Subject for Regulation {
    fn kind(&self) -> &'static str {
        "regulation"
    }

    crossover_study::annotations!();

    fn check(&self) -> Result<(), Invalid> {
        validate::check(self)
    }

    fn settle(&mut self, path: &str) {
        self.settle_from(path);
    }

    fn figures(&self) -> &'static [Figure] {
        &FIGURES
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        let outcome = evaluate_watched(self, watch)?;
        let chosen = &outcome.chosen().figures;
        let State { tops, watts, kwh, cost, clusters, .. } = &chosen.state;
        let mut figures = vec![
            FigureValue::whole(&EFFICIENCY, outcome.efficiency()),
            FigureValue::whole(&TOPS, *tops),
            FigureValue::whole(&WATTS, *watts),
            FigureValue::whole(&KWH, *kwh),
            FigureValue::whole(&COST, *cost),
            FigureValue::whole(&SETTLING, settling(self, chosen)),
            FigureValue::whole(&OVERSHOOT, chosen.overshoot),
            FigureValue::whole(&ERROR, chosen.steady_state_error),
            FigureValue::whole(&ACTIONS, chosen.actions as f64),
        ];
        for (cluster, state) in self.clusters.iter().zip(clusters) {
            let values = [
                (&CLUSTER_TOPS, state.tops),
                (&CLUSTER_PCIE, state.pcie),
                (&CLUSTER_LOAD, state.load),
                (&CLUSTER_VGPUS, state.vgpus),
            ];
            figures.extend(values.map(|(figure, value)| FigureValue::of(figure, &cluster.name, value)));
        }
        Some(figures)
    }
}

/// Settling time in periods; none if a remaining error lies outside the dead zone.
fn settling(study: &Regulation, run: &Figures) -> Option<f64> {
    let [from, to] = table::dead_zone(&study.table);
    let is_settled = remaining_error(study, run) <= to.max(-from);
    run.settling_periods.filter(|_| is_settled).map(|periods| periods as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Form;
    use crossover_study::answer;

    fn published(kp: f64) -> Option<f64> {
        let text = include_str!("../../../scenarios/regulation-published.ron");
        let mut study: Regulation = crossover_needs::study_in(text);
        let chosen = study.policy.controller.clone();
        let controller = study.controllers.iter_mut().find(|one| one.name == chosen).expect("the chosen one");
        controller.form = Form::P;
        (controller.kp, controller.ki, controller.kd) = (kp, 0.0, 0.0);
        (controller.schedule, controller.fuzzy) = (None, None);
        let figures = Watch::uncancellable(|watch| answer(&study, watch)).expect("figures");
        figures.into_iter().find(|figure| figure.key() == "settling_periods").expect("a figure").value
    }

    /// With Kp = 1 the published clusters stop at an error of 1/11, which is within the dead zone of ±0.1.
    #[test]
    fn a_controller_that_never_acts_or_stops_too_early_never_settles() {
        assert_eq!(published(1.0), Some(31.0));
        assert_eq!(published(0.0), None, "an error of 0.5 is left");
        assert_eq!(published(0.3), None, "an output of 0.1 is an error of 1/3");
    }
}

//! Warnings about the figures of a regulation study: lost throughput, rejected work, noise, gains without effect.

use super::figures::{ClusterState, Run};
use super::gains::gains;
use super::simulate::Simulation;
use super::study::{Cluster, Controller, Derivative, PowerLaw, Regulation, Schedule};
use super::table;
use crossover_quantity::unit::Unit;

/// A share of work below this is rounding.
const NOTHING: f64 = 1e-9;
/// Noise leaves the dead zone repeatedly if its end lies within this many standard deviations: in a run of some hundred
/// periods a normal variable exceeds three of them.
const RARE_DEVIATIONS: f64 = 3.0;

/// Warnings about a study and its runs, the most important ones first.
pub(super) fn warnings(simulation: &Simulation<'_>, before: &Run, chosen: &Run) -> Vec<String> {
    let study = simulation.study();
    let mut warnings = Vec::new();
    warnings.extend(less_throughput(before, chosen));
    warnings.extend(still_moving(simulation, chosen));
    for (index, cluster) in study.clusters.iter().enumerate() {
        let states = [before, chosen].map(|run| &run.figures.state.clusters[index]);
        let work: f64 = chosen.steps.iter().filter(|step| step.cluster == index).map(|step| step.demand).sum();
        warnings.extend(rejected_work(&cluster.name, chosen, states, work * study.run.period_seconds));
        warnings.extend(out_of_balance(study, index, chosen));
    }
    warnings.extend(idle_pool(chosen));
    warnings.extend(voltage_twice(study));
    let named = |controller: &&Controller| controller.name == chosen.name;
    warnings.extend(
        study.controllers.iter().find(named).into_iter().flat_map(|controller| of_controller(study, controller)),
    );
    warnings
}

/// Warnings about controllers that the study does not use; its figures do not depend on them.
pub(super) fn of_others(study: &Regulation, chosen: &Run) -> Vec<String> {
    let others = study.controllers.iter().filter(|controller| controller.name != chosen.name);
    others.flat_map(|controller| of_controller(study, controller)).collect()
}

fn of_controller(study: &Regulation, controller: &Controller) -> Vec<String> {
    let mut warnings: Vec<String> = noise_acts(study, controller).into_iter().collect();
    warnings.extend(gains_without_effect(controller));
    let departures = controller.schedule.iter().flat_map(Schedule::departures);
    warnings.extend(
        departures.map(|departure| format!("{}: {departure}, unlike in the published schedule.", controller.name)),
    );
    warnings
}

fn less_throughput(before: &Run, chosen: &Run) -> Option<String> {
    let (before, after) = (before.figures.state.tops, chosen.figures.state.tops);
    (after < before * (1.0 - NOTHING)).then(|| {
        let (before, after) = (Unit::Tops.format(before), Unit::Tops.format(after));
        format!("{} lowers the throughput from {before} to {after}.", chosen.name)
    })
}

/// Means over periods with actions are not those of a steady state.
fn still_moving(simulation: &Simulation<'_>, chosen: &Run) -> Option<String> {
    let averaged = simulation.study().run.average_periods;
    let from = simulation.periods() as f64 - averaged;
    let actions = chosen.steps.iter().filter(|step| step.period as f64 >= from && step.action.is_any()).count();
    (actions > 0).then(|| {
        let (name, averaged, actions) =
            (&chosen.name, Unit::Count.format(averaged), Unit::Count.format(actions as f64));
        let actions = if actions == "1" { "1 action".to_owned() } else { format!("{actions} actions") };
        let is_steady = simulation.steady_from() < simulation.periods();
        let why = if is_steady { "" } else { "; demand changes until the end" };
        format!(
            "{name}: {actions} of all clusters in the averaging window (last {averaged} periods); the means are not \
             steady-state values{why}."
        )
    })
}

fn rejected_work(name: &str, chosen: &Run, [before, after]: [&ClusterState; 2], work: f64) -> Option<String> {
    (after.rejected > NOTHING * work).then(|| {
        let share = |state: &ClusterState| Unit::Share.format(state.rejected / work);
        let (after, before) = (share(after), share(before));
        format!("{name} rejects {after} of its work with {}, {before} without control.", chosen.name)
    })
}

/// An output outside the dead zone in all averaged periods without any action: every actuator is at a limit.
fn out_of_balance(study: &Regulation, cluster: usize, chosen: &Run) -> Option<String> {
    let dead_zone = table::dead_zone(&study.table);
    let from = study.run.periods - study.run.average_periods;
    let mut last = chosen.steps.iter().filter(|step| step.cluster == cluster && step.period as f64 >= from);
    let stuck = last.clone().all(|step| !step.action.is_any() && !table::is_inside(step.output, dead_zone));
    let error = last.next_back().filter(|_| stuck)?.error;
    let (name, side) = (&study.clusters[cluster].name, if error > 0.0 { "transfer-bound" } else { "compute-bound" });
    let error = Unit::Share.format(error);
    Some(format!("{name}: control error {error} at the end ({side}); no actuator can act further."))
}

fn idle_pool(chosen: &Run) -> Option<String> {
    let pool = chosen.figures.state.pool;
    let used = chosen.steps.iter().any(|step| step.action.vgpus != 0.0);
    (pool > 0.0 && used).then(|| {
        let pool = Unit::Count.format(pool);
        format!("{pool} vGPUs belong to no cluster at the end of the run, including those in transit.")
    })
}

/// Power ∝ voltage² × frequency needs the linear law: the other ones contain a voltage that grows with the frequency.
fn voltage_twice(study: &Regulation) -> Option<String> {
    let moves =
        |cluster: &&Cluster| cluster.voltage.as_ref().is_some_and(|voltage| [voltage.least, voltage.most] != [1.0; 2]);
    let cluster = study.clusters.iter().find(moves).filter(|_| study.power.law != PowerLaw::Linear)?;
    Some(format!(
        "{}: voltage counts twice in its power: the law {:?} includes a voltage that grows with frequency. Use the law Linear.",
        cluster.name, study.power.law
    ))
}

/// e is the difference of two noisy readings, so noise alone moves P + D by √2·σ·√((Kp + Kd)² + Kd²). Where the
/// derivative is taken of the load alone, the other reading has Kp only: σ·√(Kp² + (Kp + Kd)² + Kd²).
fn noise_acts(study: &Regulation, controller: &Controller) -> Option<String> {
    let gains = gains(controller, 0.0, 0.0);
    let kd = if controller.form.has_derivative() { gains.kd } else { 0.0 };
    let of_load = (gains.kp + kd).hypot(kd);
    let of_pcie = match controller.derivative {
        Derivative::OnError => of_load,
        Derivative::OnMeasurement => gains.kp,
    };
    let deviation = study.measurement.noise_share * of_load.hypot(of_pcie);
    let [low, high] = table::dead_zone(&study.table);
    let nearest = high.min(-low);
    (RARE_DEVIATIONS * deviation > nearest).then(|| {
        let (name, deviation, nearest) =
            (&controller.name, Unit::Ratio.format(deviation), Unit::Ratio.format(nearest));
        format!(
            "{name}: noise alone moves the output by {deviation} (standard deviation). The dead zone ends at {nearest}, so \
             noise causes actions."
        )
    })
}

fn gains_without_effect(controller: &Controller) -> Option<String> {
    let gains = gains(controller, 0.0, 0.0);
    let unused: Vec<String> =
        [(!controller.form.has_integral(), "Ki", gains.ki), (!controller.form.has_derivative(), "Kd", gains.kd)]
            .into_iter()
            .filter(|(is_unused, _, gain)| *is_unused && *gain > 0.0)
            .map(|(_, gain, value)| format!("{gain} = {}", Unit::Ratio.format(value)))
            .collect();
    (!unused.is_empty()).then(|| {
        let (name, form) = (&controller.name, controller.form);
        format!("{name} is a {form:?} controller, where {} has no effect.", unused.join(" and "))
    })
}

//! What a study answers: the probe, what it says of each centre, their ranking, and where work is done.

use rayon::prelude::*;

use super::build::{Built, Match, build};
use super::centre::{Expected, OfCentre};
use super::ranking::{Rank, ranking};
use super::schedule::{Maker, Plan, plans};
use super::study::Probe;
use crossover_study::Watch;

/// The answer to a probe study.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The probe that the target task becomes.
    pub built: Built,
    /// Every centre, in the order of the study.
    pub centres: Vec<OfCentre>,
    /// Centres with a score, the best first.
    pub ranking: Vec<Rank>,
    /// Plans for the work: ours first, then those of naive makers; empty without work.
    pub plans: Vec<Plan>,
    /// The plan that is worth most, by its place.
    pub chosen: usize,
    /// What a careful reader should know before trusting the numbers.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// "alpha delivers most, 87.5 points; beta cannot be told apart from it."
    #[must_use]
    pub fn sentence(&self, study: &Probe) -> String {
        let Some(best) = self.ranking.first() else {
            return "No centre has run the probe yet: nothing can be compared.".to_owned();
        };
        let name = |centre: usize| study.centres[centre].name.as_str();
        let points = self.centres[best.centre].score.map_or(0.0, |score| score.points);
        let points = crossover_quantity::unit::Unit::Ratio.format(points);
        let like: Vec<&str> = best.like.iter().map(|centre| name(*centre)).collect();
        match &like[..] {
            _ if self.ranking.len() == 1 => {
                format!("{} has {points} points; no other centre has run the probe.", name(best.centre))
            }
            [] => format!("{} delivers most on {}: {points} points.", name(best.centre), units(study.target.units)),
            like => format!(
                "{} has most points, {points}; {} cannot be told apart from it by what was measured.",
                name(best.centre),
                listed(like)
            ),
        }
    }

    /// All centres by their places in the study: ranked ones first, then the others.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = self.ranking.iter().map(|rank| rank.centre).collect();
        let mut is_ranked = vec![false; self.centres.len()];
        for centre in &order {
            is_ranked[*centre] = true;
        }
        order.extend((0..self.centres.len()).filter(|centre| !is_ranked[*centre]));
        order
    }

    /// The best of the plans made without measurements.
    #[must_use]
    pub fn best_naive(&self) -> Option<&Plan> {
        let naive = self.plans.iter().filter(|plan| plan.maker != Maker::Measured);
        naive.min_by(|a, b| a.worth.total_cmp(&b.worth))
    }

    /// The plan that is worth most.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.plans.get(self.chosen)
    }
}

/// "1 unit", "4 units".
#[must_use]
pub fn units(count: f64) -> String {
    if count == 1.0 {
        "1 unit".to_owned()
    } else {
        format!("{} units", crossover_quantity::unit::Unit::Count.format(count))
    }
}

/// "a, b and c".
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Runs that an evaluation looks at.
#[must_use]
pub fn all_runs(study: &Probe) -> usize {
    study.centres.iter().flat_map(|centre| &centre.units).map(|of| of.runs.seconds.len()).sum::<usize>().max(1)
}

/// Answers a valid study.
///
/// # Panics
/// Never: nobody calls it off.
#[must_use]
pub fn evaluate(study: &Probe) -> Outcome {
    Watch::nobody(|watch| evaluate_watched(study, watch)).expect("nobody calls it off")
}

/// The same for somebody who waits; `None` if it was called off. Counts runs.
#[must_use]
pub fn evaluate_watched(study: &Probe, watch: Watch<'_>) -> Option<Outcome> {
    let built = build("probe", &study.target, &study.operators);
    let of_centre = |centre| {
        let of = OfCentre::new(study, &built, centre);
        let runs: usize = centre.units.iter().map(|of| of.runs.seconds.len()).sum();
        watch.count(runs);
        (!watch.is_cancelled()).then_some(of)
    };
    let centres: Option<Vec<OfCentre>> = study.centres.par_iter().map(of_centre).collect();
    let centres = centres?;
    let names: Vec<&str> = study.centres.iter().map(|centre| centre.name.as_str()).collect();
    let ranking = ranking(&centres, &names);
    let plans = plans(study, &centres, watch)?;
    let mut chosen = 0;
    for (place, plan) in plans.iter().enumerate() {
        if plan.worth < plans[chosen].worth {
            chosen = place;
        }
    }
    let warnings = warnings(study, &built, &centres, &plans, chosen);
    Some(Outcome { built, centres, ranking, plans, chosen, warnings })
}

fn warnings(study: &Probe, built: &Built, centres: &[OfCentre], plans: &[Plan], chosen: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let unmatched: Vec<&str> = study
        .operators
        .iter()
        .zip(&built.matches)
        .filter(|(_, found)| **found == Match::None)
        .map(|(of, _)| of.name.as_str())
        .collect();
    if built.probes.is_empty() {
        warnings.push(
            "No operator of the task is like any of the library: there is no probe. Choose operators by hand."
                .to_owned(),
        );
    } else if !unmatched.is_empty() {
        warnings.push(format!("Not in the probe, because the library has nothing like it: {}.", listed(&unmatched)));
    }
    for (centre, of) in study.centres.iter().zip(centres) {
        let name = &centre.name;
        let unit = match &of.unit {
            Ok(unit) => &centre.units[*unit],
            Err(why) => {
                warnings.push(format!("{name} cannot be judged: {why}."));
                continue;
            }
        };
        let failed = unit.runs.failed.len();
        if failed > 0 {
            let times = if failed == 1 { "1 run".to_owned() } else { format!("{failed} runs") };
            warnings.push(format!(
                "{times} at {name} failed and count nowhere; the first: {}.",
                unit.runs.failed[0].trim_end_matches('.')
            ));
        }
        match of.seconds {
            None if unit.runs.seconds.is_empty() && failed > 0 => {
                warnings.push(format!("No run of {name} on {} counts: it is not compared.", unit.name));
            }
            None if unit.runs.seconds.is_empty() => {
                warnings.push(format!("{name} has not run the probe on {} yet.", unit.name));
            }
            None => {
                let units = study.target.units;
                let unit = if units == 1.0 { "unit" } else { "units" };
                warnings.push(format!("{name} has not run the probe on {units} {unit}: it is not compared."));
            }
            Some(seconds) if seconds.interval.is_none() => {
                warnings
                    .push(format!("{name} ran the probe once: how far that can be trusted is not known; repeat it."));
            }
            Some(_) => {}
        }
        if of.seconds.is_some() && of.error.is_none() {
            warnings.push(format!("Nothing tells how precise {name} is: it gets no points for precision."));
        }
        if of.disturbed > 0 {
            let runs = of.disturbed;
            warnings.push(format!(
                "{name}: {runs} runs at hours at which the network is slow are left out of the law of scaling."
            ));
        }
        if let Ok(scaled) = &of.scaled {
            for caution in scaled.cautions(unit.runs.seconds.len()) {
                warnings.push(format!("{name}: {caution}."));
            }
        }
        if matches!(of.target, Some((_, Expected::Ratio))) {
            warnings.push(format!(
                "{name} tells no times of single operators: the time of the whole task there is the probe's times the ratio, \
                 which is rough."
            ));
        }
    }
    let price = |place: &usize| {
        let unit = centres[*place].unit.as_ref().ok()?;
        Some(study.centres[*place].units.get(*unit)?.price_per_hour)
    };
    let (free, paid): (Vec<usize>, Vec<usize>) = (0..centres.len())
        .filter(|place| centres[*place].target.is_some())
        .partition(|place| price(place) == Some(0.0));
    if !plans.is_empty() && !free.is_empty() && !paid.is_empty() {
        let names: Vec<&str> = free.iter().map(|place| study.centres[*place].name.as_str()).collect();
        warnings.push(format!("No price is known of {}: the plan takes it as free.", listed(&names)));
    }
    if let Some(plan) = plans.get(chosen).filter(|_| chosen > 0) {
        warnings.push(format!(
            "For this work the plan “{}” is worth more than the one by probes; it was taken.",
            plan.maker.label()
        ));
    }
    warnings
}

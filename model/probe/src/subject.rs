//! A probe study as a kind of study: validation and figures.

use super::outcome::evaluate_watched;
use super::study::Probe;
use super::validate;
use crossover_quantity::invalid::Invalid;
use crossover_quantity::unit::Unit;
use crossover_study::{Better, Figure, FigureValue, Subject, Watch};

/// The figures of a probe study: of the whole study, then of each centre.
const FIGURES: [Figure; 12] =
    [BEST, MAKESPAN, COST, IS_BEST, SCORE, SCORE_LOW, SCORE_HIGH, RANK, PROBE_SECONDS, UNITS, WINDOW, TARGET_SECONDS];

const BEST: Figure = Figure {
    key: "best_score",
    label: "best score",
    unit: Unit::Ratio,
    better: Better::Higher,
    list: None,
    meaning: "Highest score of all centres; none if no centre has run the probe.",
};
const MAKESPAN: Figure = Figure {
    key: "makespan_seconds",
    label: "makespan",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: None,
    meaning: "Time from the start of the plan to the end of its last task; none without work.",
};
const COST: Figure = Figure {
    key: "cost",
    label: "cost of the work",
    unit: Unit::UsDollars,
    better: Better::Lower,
    list: None,
    meaning: "Cost of all tasks of the plan, US dollars; none without work.",
};
const IS_BEST: Figure = Figure {
    key: "is_best",
    label: "has highest score",
    unit: Unit::Decision,
    better: Better::Neither,
    list: Some("centres"),
    meaning: "Whether the centre has the highest score; none if no centre has run the probe.",
};
const SCORE: Figure = Figure {
    key: "score",
    label: "score",
    unit: Unit::Ratio,
    better: Better::Higher,
    list: Some("centres"),
    meaning: "Weighted sum of the points for mean time and mean error of the probe.",
};
const SCORE_LOW: Figure = Figure {
    key: "score_low",
    label: "score, lower bound",
    meaning: "Score at the worse ends of the 95 % intervals of time and error; none after a single run.",
    ..SCORE
};
const SCORE_HIGH: Figure = Figure {
    key: "score_high",
    label: "score, upper bound",
    meaning: "Score at the better ends of the 95 % intervals of time and error; none after a single run.",
    ..SCORE
};
const RANK: Figure = Figure {
    key: "rank",
    label: "rank",
    unit: Unit::Count,
    better: Better::Lower,
    list: Some("centres"),
    meaning: "One more than the number of centres that are significantly better.",
};
const PROBE_SECONDS: Figure = Figure {
    key: "probe_seconds",
    label: "time of the probe",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: Some("centres"),
    meaning: "Mean time of the probe on the compared units.",
};
const UNITS: Figure = Figure {
    key: "recommended_units",
    label: "recommended units",
    unit: Unit::Count,
    better: Better::Neither,
    list: Some("centres"),
    meaning: "Knee or peak, whichever is smaller; without a fit the compared units.",
};
const WINDOW: Figure = Figure {
    key: "window_from_hour",
    label: "best window start, hour",
    unit: Unit::Ratio,
    better: Better::Neither,
    list: Some("centres"),
    meaning: "Hour from midnight UTC at which the best window begins; none if the day was not probed, or has no change point.",
};
const TARGET_SECONDS: Figure = Figure {
    key: "target_seconds",
    label: "estimated task time",
    unit: Unit::Seconds,
    better: Better::Lower,
    list: Some("centres"),
    meaning: "Estimated time of the whole task on the recommended units.",
};

impl Subject for Probe {
    fn kind(&self) -> &'static str {
        "probe"
    }

    crossover_study::annotations!();

    fn check(&self) -> Result<(), Invalid> {
        validate::check(self)
    }

    fn renamed(&mut self, list: &str, before: &str, after: &str) {
        if list == "operators" {
            self.follow_operator(before, after);
        }
    }

    fn figures(&self) -> &'static [Figure] {
        &FIGURES
    }

    fn answer(&self, watch: Watch<'_>) -> Option<Vec<FigureValue>> {
        /// Seconds of an hour.
        const HOUR: f64 = 3_600.0;
        let outcome = evaluate_watched(self, watch)?;
        let best = outcome.ranking.first().and_then(|best| outcome.centres[best.centre].score);
        let plan = outcome.plan();
        let mut figures = vec![
            FigureValue::whole(&BEST, best.map(|score| score.value)),
            FigureValue::whole(&MAKESPAN, plan.map(|plan| plan.makespan * HOUR)),
            FigureValue::whole(&COST, plan.map(|plan| plan.cost)),
        ];
        for (index, (centre, of)) in self.centres.iter().zip(&outcome.centres).enumerate() {
            let interval = of.score.and_then(|score| score.interval);
            let rank = outcome.ranking.iter().find(|rank| rank.centre == index);
            let window = of.best_window();
            let is_compared = of.seconds.is_some();
            let is_best = outcome.ranking.first().map(|best| if best.centre == index { 1.0 } else { 0.0 });
            figures.extend([
                FigureValue::of(&IS_BEST, &centre.name, is_best),
                FigureValue::of(&SCORE, &centre.name, of.score.map(|score| score.value)),
                FigureValue::of(&SCORE_LOW, &centre.name, interval.map(|[low, _]| low)),
                FigureValue::of(&SCORE_HIGH, &centre.name, interval.map(|[_, high]| high)),
                FigureValue::of(&RANK, &centre.name, rank.map(|rank| rank.rank as f64)),
                FigureValue::of(&PROBE_SECONDS, &centre.name, of.seconds.map(|seconds| seconds.mean)),
                FigureValue::of(&UNITS, &centre.name, is_compared.then_some(of.recommended)),
                FigureValue::of(&WINDOW, &centre.name, window.map(|window| window.from)),
                FigureValue::of(&TARGET_SECONDS, &centre.name, of.target.map(|(target, _)| target.mean)),
            ]);
        }
        Some(figures)
    }
}

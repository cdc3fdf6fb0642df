//! The samples of a report, in rounds: first none, so that a report is there at once, then twice as many each time.

use crossover_scenario::Scenario;
use crossover_study::Watch;
use crossover_tools::rounds::{self, Kept};
use crossover_tools::sensitivity::{self, Step};
use crossover_tools::uncertainty::{self, LEAST_SAMPLES, Sampling, UncertaintyError};

use super::{FEWER, Sampled, Samplings};

/// What the rounds of a report keep.
#[derive(Debug, Default)]
pub struct Rounds {
    of_samples: Kept,
    of_points: Kept,
    /// Whether all figures are too many, so that only those of the whole study are sampled.
    is_of_whole: bool,
}

impl Rounds {
    /// Samples of each round, from none to all of these.
    #[must_use]
    pub fn sizes(scenario: &Scenario, all: usize) -> Vec<usize> {
        std::iter::once(0).chain(rounds::rounds(scenario.study.subject(), LEAST_SAMPLES, all)).collect()
    }

    /// What is sampled with so many samples: as a report that requests as many; `None` if it was cancelled. Counts evaluations.
    ///
    /// # Errors
    /// [`UncertaintyError`] for a wrong request.
    pub fn round(
        &mut self,
        scenario: &Scenario,
        request: &Sampling,
        samples: usize,
        watch: Watch<'_>,
    ) -> Result<Option<Sampled>, UncertaintyError> {
        if samples == 0 {
            return Ok(Some(Sampled::NotYet));
        }
        let (study, samplings) = (scenario.study.subject(), Samplings::of(request));
        let every = (!self.is_of_whole)
            .then(|| uncertainty::round(study, &samplings.every, samples, &mut self.of_samples, watch));
        let found = match every {
            Some(found) if !matches!(found, Err(UncertaintyError::TooMany(..))) => found,
            tried => {
                if tried.is_some() {
                    // The values of other figures are of no use.
                    (self.is_of_whole, self.of_samples) = (true, Kept::default());
                }
                uncertainty::round(study, &samplings.whole, samples, &mut self.of_samples, watch)
            }
        };
        let uncertain = match found {
            Ok(Some(uncertain)) => uncertain,
            Ok(None) => return Ok(None),
            Err(UncertaintyError::Nothing) => return Ok(Some(Sampled::Nothing)),
            Err(UncertaintyError::Nowhere(why)) => return Ok(Some(Sampled::Nowhere(why.to_string()))),
            Err(error) => return Err(error),
        };
        let fewer = Step::Samples((samples / FEWER).max(LEAST_SAMPLES));
        match sensitivity::round(study, &samplings.fewer, fewer, &mut self.of_points, watch) {
            Ok(sensitive) => Ok(sensitive.map(|sensitive| Sampled::Found(Box::new((uncertain, sensitive))))),
            Err(UncertaintyError::Nowhere(why)) => Ok(Some(Sampled::Nowhere(why.to_string()))),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_scenario::read;

    use super::*;
    use crate::report::{Begun, begin};
    use crossover_tools::points::{Shard, evaluate_shard};

    /// What shards sample is the reference: all points at once.
    #[test]
    fn the_last_round_samples_what_shards_do_and_the_first_one_nothing() {
        let scenario = read(include_str!("../../../../scenarios/allocation-tie.ron")).expect("a scenario");
        let request = Sampling { samples: 128, spread_all: Some(0.1), ..Sampling::default() };
        let sizes = Rounds::sizes(&scenario, 128);
        assert_eq!(sizes, [0, 64, 128]);
        let (mut rounds, mut found) = (Rounds::default(), Vec::new());
        for samples in sizes {
            let round = Watch::uncancellable(|watch| rounds.round(&scenario, &request, samples, watch));
            found.push(round.expect("it is sampled").expect("not cancelled"));
        }
        assert!(matches!(found[0], Sampled::NotYet));
        assert!(matches!(&found[1], Sampled::Found(found) if found.0.samples == 64));
        let samplings = Samplings::of(&request);
        let begun = Watch::uncancellable(|watch| begin(&scenario, &samplings, watch)).expect("valid").expect("all");
        let Begun::Tools(tools) = begun else { panic!("numbers are uncertain") };
        let (samples, points) = *tools;
        let of_samples = Watch::uncancellable(|watch| evaluate_shard(&samples, Shard::WHOLE, watch)).expect("all");
        let of_points = Watch::uncancellable(|watch| evaluate_shard(&points, Shard::WHOLE, watch)).expect("all");
        let whole = Sampled::of((samples, of_samples), (points, of_points)).expect("valid");
        let (Sampled::Found(last), Sampled::Found(whole)) = (&found[2], &whole) else { panic!("samples are valid") };
        // As text: a value that is missing equals nothing.
        assert_eq!(format!("{last:?}"), format!("{whole:?}"));
    }
}

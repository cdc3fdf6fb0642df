//! What starts next in a queue of launches of two programs: the best combination by experience, as in the published method of preemption.
//!
//! Programs are what kernels are there. A combination is both programs with a setting; its worth is the sum of normalised progress. The
//! choice is made between launches only: a program that runs keeps its setting, and none is preempted.

use crossover_measured::sharing::Side;

/// Sum of normalised progress of programs that run one after the other.
const ONE_AFTER_THE_OTHER: f64 = 1.0;

/// Sums of normalised progress that were observed, for each setting.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Experience {
    /// Mean, and how many observations it is of.
    sums: Vec<(f64, u32)>,
}

impl Experience {
    /// None yet of so many settings.
    pub(super) fn of(settings: usize) -> Self {
        Self { sums: vec![(0.0, 0); settings] }
    }

    /// Adds an observation; all have the same weight.
    pub(super) fn observe(&mut self, setting: usize, sum: f64) {
        let (mean, count) = &mut self.sums[setting];
        *count += 1;
        *mean += (sum - *mean) / f64::from(*count);
    }

    /// The mean of what was observed; none before.
    pub(super) fn sum(&self, setting: usize) -> Option<f64> {
        self.sums.get(setting).filter(|(_, count)| *count > 0).map(|(mean, _)| *mean)
    }

    /// The setting with the largest sum, if both programs together complete more with it than one after the other.
    fn best(&self) -> Option<(usize, f64)> {
        let observed = (0..self.sums.len()).filter_map(|setting| Some((setting, self.sum(setting)?)));
        let best = observed.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.filter(|(_, sum)| *sum > ONE_AFTER_THE_OTHER)
    }
}

/// What starts now.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Next {
    /// Both programs, with this setting.
    Both { setting: usize, sum: f64 },
    /// One beside the other, which runs with this setting.
    Beside { side: Side, setting: usize, sum: f64 },
    /// One, with nothing beside it.
    Alone(Side),
    /// Nothing, until the running program ends.
    Wait,
    /// Nothing: all launches have ended.
    Done,
}

/// A program that runs, and the setting with which it was started; none: alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occupant {
    pub(super) side: Side,
    pub(super) setting: Option<usize>,
}

/// Decides what starts, while at most one program runs. `waiting` are the launches of each program that have not started.
pub(super) fn next(experience: &Experience, waiting: [u32; 2], running: Option<Occupant>) -> Next {
    let waits = |side: Side| waiting[side.index()] > 0;
    if let Some(Occupant { side, setting }) = running {
        let other = side.other();
        let sum = setting.and_then(|setting| Some((setting, experience.sum(setting)?)));
        return match sum {
            Some((setting, sum)) if waits(other) && sum > ONE_AFTER_THE_OTHER => {
                Next::Beside { side: other, setting, sum }
            }
            _ => Next::Wait,
        };
    }
    match (Side::BOTH.map(waits), experience.best()) {
        ([false, false], _) => Next::Done,
        ([true, true], Some((setting, sum))) => Next::Both { setting, sum },
        // All launches arrived at once: the program with more of them is next, so that both take turns.
        ([true, true], None) if waiting[1] > waiting[0] => Next::Alone(Side::Second),
        ([true, _], _) => Next::Alone(Side::First),
        ([false, true], _) => Next::Alone(Side::Second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experience(sums: &[f64]) -> Experience {
        let mut experience = Experience::of(sums.len());
        for (setting, sum) in sums.iter().enumerate() {
            experience.observe(setting, *sum);
        }
        experience
    }

    fn running(side: Side, setting: Option<usize>) -> Occupant {
        Occupant { side, setting }
    }

    #[test]
    fn both_start_with_the_best_setting_if_they_complete_more_than_one_after_the_other() {
        let best = next(&experience(&[1.1, 1.3, 1.2]), [2, 2], None);
        assert_eq!(best, Next::Both { setting: 1, sum: 1.3 });
        assert_eq!(next(&experience(&[0.9, 1.0]), [2, 2], None), Next::Alone(Side::First));
        assert_eq!(next(&experience(&[0.9]), [1, 2], None), Next::Alone(Side::Second));
        // Without experience nothing is known to gain.
        assert_eq!(next(&Experience::of(2), [1, 1], None), Next::Alone(Side::First));
    }

    #[test]
    fn a_running_program_keeps_its_setting_and_one_that_runs_alone_stays_alone() {
        let known = experience(&[1.1, 1.3]);
        let beside = next(&known, [0, 1], Some(running(Side::First, Some(0))));
        assert_eq!(beside, Next::Beside { side: Side::Second, setting: 0, sum: 1.1 });
        assert_eq!(
            next(&known, [1, 0], Some(running(Side::First, Some(0)))),
            Next::Wait,
            "none of the other program waits"
        );
        assert_eq!(next(&known, [1, 1], Some(running(Side::Second, None))), Next::Wait);
        assert_eq!(
            next(&experience(&[0.9]), [1, 1], Some(running(Side::Second, Some(0)))),
            Next::Wait,
            "it has become worse"
        );
    }

    #[test]
    fn what_is_left_of_one_program_runs_alone() {
        let known = experience(&[1.5]);
        assert_eq!(next(&known, [0, 3], None), Next::Alone(Side::Second));
        assert_eq!(next(&known, [3, 0], None), Next::Alone(Side::First));
        assert_eq!(next(&known, [0, 0], None), Next::Done);
    }

    #[test]
    fn experience_is_the_mean_of_what_was_observed() {
        let mut experience = Experience::of(1);
        assert_eq!(experience.sum(0), None);
        for sum in [1.0, 1.5, 0.5, 2.0] {
            experience.observe(0, sum);
        }
        assert_eq!(experience.sum(0), Some(1.25));
    }
}

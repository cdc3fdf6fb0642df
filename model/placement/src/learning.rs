//! A study that takes the profile which a trial taught, and forgets it.

use crossover_engine::Engine;

use crate::learned::LearnedTrial;
use crate::study::Placement;

impl Placement {
    /// Takes what was learned from a trial: predictions are those of the engine after it. What was learned before is forgotten. On other
    /// machines than those of the trial, errors are as wide as without a measured time.
    pub fn take_learned(&mut self, learned: LearnedTrial) {
        self.forget_learned();
        if learned.before.is_some() {
            self.set_engines(learned.profile.clone());
            let tried = &learned.profile.engines.gpu;
            let is_other = |gpu: &Engine| gpu.machine != tried.machine || (gpu.machines - tried.machines).abs() > 0.5;
            if let Some(engines) = self.engines.as_deref_mut().filter(|engines| is_other(&engines.gpu)) {
                engines.on_unmeasured_machines();
            }
        }
        self.edit_decision(|inputs| inputs.learned = Some(Box::new(learned)));
    }

    /// Forgets what was learned from a trial: predictions are those of before.
    pub fn forget_learned(&mut self) {
        let Some(learned) = self.decision.as_deref().and_then(|inputs| inputs.learned.clone()) else { return };
        self.edit_decision(|inputs| inputs.learned = None);
        if let Some(before) = learned.before {
            self.set_engines(before);
        }
    }

    /// Drops what was learned about the study's GPU engine, which is replaced: it says nothing about the next one.
    pub(crate) fn drop_learned_of_gpu(&mut self) {
        let learned = self.decision.as_deref().and_then(|inputs| inputs.learned.as_deref());
        if learned.is_some_and(|learned| learned.before.is_some()) {
            self.edit_decision(|inputs| inputs.learned = None);
        }
    }
}

#[cfg(test)]
mod tests {
    use crossover_decision::Goal;

    use super::*;

    /// A study with a goal, and what a trial of its GPU engine on so many machines taught.
    fn learned_on(machines: f64) -> (Placement, LearnedTrial) {
        let mut study: Placement =
            crossover_needs::study_in(include_str!("../../../scenarios/placement-truth-aws-l4.ron"));
        study.edit_decision(|inputs| inputs.goal = Goal::Time);
        let before = study.profile().expect("engines");
        let mut profile = before.clone();
        profile.engines.gpu.time_ratio *= 1.5;
        profile.engines.gpu.machines = machines;
        profile.engines.anchored_error_factor_90 = 1.2;
        let learned = LearnedTrial {
            runs: "1 query of trial.zstd".to_owned(),
            option: profile.engines.gpu.title(),
            mean_ratio: 2.25,
            error_factors_90: [2.0, 1.2],
            profile,
            before: Some(before),
        };
        (study, learned)
    }

    fn engines(study: &Placement) -> &crossover_engine::Engines {
        study.engines.as_deref().expect("engines")
    }

    #[test]
    fn what_was_learned_about_the_gpu_engine_is_used_until_it_is_forgotten() {
        let (study, learned) = learned_on(4.0);
        let mut after = study.clone();
        after.take_learned(learned.clone());
        assert_eq!(engines(&after).gpu.time_ratio, 1.5 * engines(&study).gpu.time_ratio);
        assert_eq!(engines(&after).anchored_error_factor_90, 1.2);
        assert_eq!(after.decision_inputs().learned.as_deref(), Some(&learned));
        after.forget_learned();
        assert_eq!(after, study);
    }

    /// The error of predictions without a measured time is that of the engine.
    #[test]
    fn a_trial_on_other_machines_does_not_make_predictions_more_exact() {
        let (study, learned) = learned_on(8.0);
        let widest = engines(&study).gpu.error_factor_90;
        assert!(widest > 1.2, "{widest}");
        let mut after = study.clone();
        after.take_learned(learned);
        assert_eq!((engines(&after).gpu.machines, engines(&after).anchored_error_factor_90), (4.0, widest));
        after.forget_learned();
        assert_eq!(after, study);
    }

    #[test]
    fn other_engines_replace_what_was_learned_about_the_last_ones() {
        let (study, learned) = learned_on(4.0);
        let mut after = study.clone();
        after.take_learned(learned.clone());
        after.set_engines(study.profile().expect("engines"));
        assert_eq!(after, study);
        after.take_learned(learned.clone());
        after.clear_engines();
        assert_eq!(after.decision_inputs().learned, None);
        // An engine on today's machines is no engine of the study.
        let mut beside = study.clone();
        beside.take_learned(LearnedTrial { before: None, ..learned });
        beside.set_engines(study.profile().expect("engines"));
        assert!(beside.decision_inputs().learned.is_some());
    }
}

//! `--trial`: the log of a trial beside the log that is decided about.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use crossover_decision::trial::TrialTime;
use crossover_decision::{Decision, PredictedTime};
use crossover_export::decision::{DecidedTrial, DecidedWorkload};
use crossover_fleet::application::Application;
use crossover_fleet::spread::Sum;
use crossover_plan::options::trial::{TrialError, TrialQuery, place_of, trial_queries};
use crossover_plan::{Import, NativeEngine};

use super::read;

/// A trial of an option.
pub(super) struct Trial {
    /// Name of its log.
    file: String,
    /// The engine that ran it instead of Spark, if one did.
    engine: Option<NativeEngine>,
    /// Machines that ran it, if its log names them.
    machines: Option<f64>,
    /// Its queries that are also in the log that is decided about.
    queries: Vec<TrialQuery>,
}

impl Trial {
    /// Reads the log of a trial of the queries of `own`.
    ///
    /// # Errors
    /// The log cannot be read, or has none of the queries.
    pub(super) fn read(path: &Path, own: &Import) -> Result<Self> {
        let import = read(path)?;
        let queries = trial_queries(own, &import);
        let file = import.file.clone();
        if queries.is_empty() {
            bail!(
                "--trial {file}: it has no query of {}; expected a run of the same queries, with the same plans or descriptions",
                own.file
            );
        }
        let machines = import.cluster.machines.map(|machines| machines as f64);
        Ok(Self { file, engine: NativeEngine::of(&import.engine), machines, queries })
    }

    /// Takes the measured times into a decision about an application, or about the query at the place `only`.
    ///
    /// # Errors
    /// No option is of the engine and the number of machines of the trial, or the query is not in its log.
    pub(super) fn decide(
        &self,
        decided: &mut DecidedWorkload,
        application: &Application,
        only: Option<usize>,
    ) -> Result<()> {
        let Some(before) = decided.decision.take() else { return Ok(()) };
        let place = self.option(&before)?;
        let predicted = |at: usize| {
            let range = application.queries[at].options.get(place).copied().flatten()?;
            Some(PredictedTime::within(range.value, range.high / range.value))
        };
        let tried = self.queries.iter().filter(|query| only.is_none_or(|only| only == query.place));
        let tried = tried.filter_map(|query| Some((query, predicted(query.place)?)));
        let tried: Vec<(&TrialQuery, PredictedTime)> = tried.collect();
        let named = |at: usize, predicted: PredictedTime, seconds: f64| TrialTime {
            name: format!("query {}", application.queries[at].id),
            predicted,
            seconds,
        };
        let queries = tried.iter().map(|(query, predicted)| named(query.place, *predicted, query.seconds));
        let queries: Vec<TrialTime> = queries.collect();
        let Some(first) = queries.first() else {
            bail!("--trial {}: none of its queries has a prediction in this decision", self.file);
        };
        let lacks = |at: usize| self.queries.iter().all(|tried| tried.place != at);
        let mut of_whole = application.queries.iter().enumerate().filter(|_| only.is_none());
        if let Some((_, query)) = of_whole.find(|(at, query)| query.outside_of(place).is_some() && lacks(*at)) {
            bail!(
                "--trial {}: it lacks query {}, which is outside what was measured of this option, so the time of the \
                 application is unknown. Run that query too, or choose another one with --query",
                self.file,
                query.id
            );
        }
        let (total, time, missing) = if only.is_some() {
            (first.clone(), PredictedTime::measured(first.seconds), 0)
        } else {
            let (time, missing) = self.whole(application, place);
            let predicted = before.options[place].candidate.time.unwrap_or(time);
            (TrialTime { name: decided.name.clone(), predicted, seconds: time.value() }, time, missing)
        };
        for query in self.queries.iter().filter(|query| only.is_none_or(|only| only == query.place)) {
            if let Some(decision) = decided.queries.get_mut(query.place).and_then(|of| of.decision.as_mut()) {
                *decision = decision.after_trial(place, PredictedTime::measured(query.seconds));
            }
        }
        decided.take_decision(before.after_trial(place, time));
        decided.sentence.insert_str(0, "After the trial: ");
        decided.trial = Some(DecidedTrial {
            file: self.file.clone(),
            option: before.options[place].candidate.title.clone(),
            total,
            queries,
            missing,
            before,
        });
        Ok(())
    }

    /// Time of the application with the measured times, and how many of its predicted queries have none.
    fn whole(&self, application: &Application, place: usize) -> (PredictedTime, usize) {
        let measured: BTreeMap<usize, f64> = self.queries.iter().map(|query| (query.place, query.seconds)).collect();
        let (mut known, mut rest, mut missing) = (application.summary.staying_seconds, Sum::default(), 0);
        for (at, query) in application.queries.iter().enumerate() {
            let Some(seconds) = query.seconds.filter(|_| query.has_prediction()) else { continue };
            // A query that ran beside others has a share of the application's time.
            let share = query.share_seconds / seconds;
            if let Some(seconds) = measured.get(&at) {
                known += seconds * share;
            } else if let Some(range) = query.options.get(place).copied().flatten() {
                missing += 1;
                rest.add(&query.repetition, range.value * share, range.high / range.value);
            }
        }
        (if missing == 0 { PredictedTime::measured(known) } else { rest.time(known) }, missing)
    }

    /// Index of the option that the trial ran.
    fn option(&self, decision: &Decision) -> Result<usize> {
        place_of(self.engine, self.machines, decision).map_err(|problem| {
            let hint = match (&problem, self.engine) {
                (TrialError::OtherMachines { .. }, Some(NativeEngine::Rapids)) => "; name its cluster with --on",
                _ => "",
            };
            anyhow!("--trial {}: {problem}{hint}", self.file)
        })
    }
}

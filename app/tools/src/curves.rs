//! Figures of scenarios along a number, in rounds: at few values, at all values, and then with bands of twice as many samples each time,
//! while that takes no longer than the user's patience.

use std::time::Instant;

use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::{IN_FRAME_MS, Work};
use crossover_page::compute::watched::watched;
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::Unit;
use crossover_scenario::Study;
use crossover_study::Subject;
use crossover_tools::bands::{self, SAMPLES, in_whole_percent};
use crossover_tools::batch::is_of_formulas;
use crossover_tools::rounds::Kept;
use crossover_tools::titles::title_at;
use crossover_tools::uncertainty::LEAST_SAMPLES;
use crossover_tools::{Bands, BandsError, Range, Sampling, Sweep, Swept, Unknowns, compare, sweep};

use super::pace::next_samples;

/// Values of the number in the first round of simulations.
const FIRST_POINTS: usize = 11;
/// About how long the bands of simulations may take.
const PATIENCE_SECONDS: f64 = 10.0;

/// What curves depend on.
#[derive(Debug, Clone)]
pub(super) struct CurvesRequest {
    /// One scenario, or several of one kind.
    pub(super) studies: Vec<Study>,
    pub(super) sweep: Sweep,
}

/// Curves with their bands, as far as they are.
#[derive(Debug)]
pub(super) struct Curves {
    of: CurvesRequest,
    /// By scenario.
    pub(super) swept: Vec<Swept>,
    /// By scenario; `None` where there are no bands, or none yet; an error where they are impossible.
    pub(super) bands: Vec<Result<Option<Bands>, String>>,
    /// Whether a number of a scenario is uncertain.
    has_unknown: bool,
    state: State,
}

/// How far the rounds are.
#[derive(Debug, Clone)]
struct State {
    has_all_values: bool,
    /// How long one sample at every value of every scenario takes.
    seconds: f64,
    /// How long the bands have taken.
    spent_seconds: f64,
    /// Samples of the last bands; none before the first.
    samples: usize,
    kept: Vec<Kept>,
}

impl Work for CurvesRequest {
    type Outcome = Result<Curves, String>;
    const NAME: &'static str = "curves";
    const AGAIN: &'static str = "Draw curves";

    fn milliseconds(&self) -> f64 {
        // How long a study takes is not known in advance; many evaluations exceed a frame, but mostly end soon.
        10.0 * IN_FRAME_MS
    }

    fn in_words(&self) -> String {
        let scenarios = match self.studies.len() {
            0 | 1 => String::new(),
            several => counted(several as f64, "scenario") + " ",
        };
        format!("Evaluating {scenarios}at {} of {}", counted(self.values() as f64, "value"), self.number())
    }

    fn compute(&self, before: Option<&Self::Outcome>, ticket: &Ticket) -> Option<Self::Outcome> {
        let before = before.and_then(|before| before.as_ref().ok());
        let before = before.filter(|before| self.is_of(&before.of.studies, &before.of.sweep));
        match before {
            Some(before) if before.state.has_all_values => self.with_bands(before, ticket).map(Ok),
            Some(_) => self.swept(self.sweep.x.points, ticket),
            None if self.is_of_formulas() => match self.swept(self.sweep.x.points, ticket)? {
                Ok(found) if found.is_refinable() => self.with_bands(&found, ticket).map(Ok),
                other => Some(other),
            },
            None => self.swept(FIRST_POINTS, ticket),
        }
    }

    fn is_refinable(&self, outcome: &Self::Outcome) -> bool {
        outcome.as_ref().is_ok_and(Curves::is_refinable)
    }
}

impl CurvesRequest {
    /// How many values there are; of a whole number perhaps fewer than points.
    fn values(&self) -> usize {
        let values = self.studies.first().and_then(|study| self.sweep.values(study.subject()).ok());
        values.map_or(self.sweep.x.points, |values| values.len())
    }

    /// What the number is called.
    fn number(&self) -> String {
        self.studies.first().map(|study| title_at(study.subject(), &self.sweep.x.path)).unwrap_or_default()
    }

    /// Whether it is about this sweep of these scenarios.
    pub(super) fn is_of<'s>(&self, studies: impl IntoIterator<Item = &'s Study>, sweep: &Sweep) -> bool {
        self.sweep == *sweep && self.studies.iter().eq(studies)
    }

    fn is_of_formulas(&self) -> bool {
        self.studies.iter().all(|study| is_of_formulas(study.subject()))
    }

    /// The curves at no more than so many values.
    fn swept(&self, points: usize, ticket: &Ticket) -> Option<Result<Curves, String>> {
        let points = self.sweep.x.points.min(points);
        let along = Sweep { x: Range { points, ..self.sweep.x.clone() }, ..self.sweep.clone() };
        let studies: Vec<&dyn Subject> = self.studies.iter().map(Study::subject).collect();
        let began = Instant::now();
        let found = watched(ticket, points * studies.len(), |watch| match studies[..] {
            [study] => sweep(study, &along, watch)
                .map(|found| found.map(|swept| vec![swept]))
                .map_err(|error| error.to_string()),
            _ => compare::curves(&studies, &along, watch).map_err(|error| error.to_string()),
        });
        let swept = match found {
            Ok(swept) => swept?,
            Err(error) => return Some(Err(error)),
        };
        let state = State {
            has_all_values: points == self.sweep.x.points,
            seconds: began.elapsed().as_secs_f64(),
            spent_seconds: 0.0,
            samples: 0,
            kept: vec![Kept::default(); studies.len()],
        };
        let bands = self.studies.iter().map(|_| Ok(None)).collect();
        let has_unknown = studies.iter().any(|study| !Unknowns::of(*study).is_empty());
        Some(Ok(Curves { of: self.clone(), swept, bands, has_unknown, state }))
    }

    /// The same curves with the next bands.
    fn with_bands(&self, before: &Curves, ticket: &Ticket) -> Option<Curves> {
        let mut state = before.state.clone();
        let samples = before.next_samples().unwrap_or(SAMPLES);
        let sampling = Sampling { samples: SAMPLES, ..Sampling::default() };
        let began = Instant::now();
        let new = (samples - state.samples) * self.values() * self.studies.len();
        let bands = watched(ticket, new, |watch| {
            let of_study = |(study, kept): (&Study, &mut Kept)| {
                if Unknowns::of(study.subject()).is_empty() {
                    return Some(Ok(None));
                }
                match bands::round(study.subject(), &self.sweep, &sampling, samples, kept, watch) {
                    Ok(found) => Some(Ok(Some(found?))),
                    // Without other uncertain numbers there is no band, which is no error.
                    Err(BandsError::NothingElse(_)) => Some(Ok(None)),
                    Err(error) => Some(Err(error.to_string())),
                }
            };
            self.studies.iter().zip(&mut state.kept).map(of_study).collect::<Option<Vec<_>>>()
        })?;
        state.spent_seconds += began.elapsed().as_secs_f64();
        state.samples = samples;
        Some(Curves { of: self.clone(), swept: before.swept.clone(), bands, has_unknown: before.has_unknown, state })
    }
}

impl Curves {
    /// The curves of the first scenario, and their bands.
    pub(super) fn first(&self) -> Option<(&Swept, Result<Option<&Bands>, &str>)> {
        let bands = self.bands.first()?;
        Some((self.swept.first()?, bands.as_ref().map(Option::as_ref).map_err(String::as_str)))
    }

    /// The bands of each scenario that has them.
    pub(super) fn known_bands(&self) -> Vec<Option<&Bands>> {
        self.bands.iter().map(|bands| bands.as_ref().ok().and_then(Option::as_ref)).collect()
    }

    /// Whether numbers are uncertain and bands take too long.
    pub(super) fn lacks_bands(&self) -> bool {
        self.state.samples == 0 && self.has_unknown && !self.is_refinable()
    }

    /// Whether another round is affordable.
    fn is_refinable(&self) -> bool {
        !self.state.has_all_values || self.next_samples().is_some()
    }

    /// Samples of the next bands; `None` where there are no more, or they would take long.
    fn next_samples(&self) -> Option<usize> {
        let State { samples, seconds, spent_seconds, .. } = self.state;
        if samples == SAMPLES || self.bands.iter().any(Result::is_err) || !self.has_unknown {
            return None;
        }
        // Formulas take no time worth a round of their own.
        if self.of.is_of_formulas() {
            Some(SAMPLES)
        } else {
            next_samples(samples, [LEAST_SAMPLES, SAMPLES], seconds, PATIENCE_SECONDS - spent_seconds)
        }
    }

    /// What the bands are: "Bands are 90 % intervals: 128 of 1,024 samples of 3 other uncertain numbers; each end ± 8 % of the width
    /// (95 % sampling error)"; `None` without bands.
    pub(super) fn about_bands(&self) -> Option<String> {
        let all: Vec<&Bands> = self.bands.iter().flatten().flatten().collect();
        let first = all.first()?;
        let samples = if first.samples == SAMPLES {
            counted(SAMPLES as f64, "sample")
        } else {
            counted_of(first.samples as f64, SAMPLES as f64, "sample")
        };
        let unknown = all.iter().map(|bands| bands.unknown).max().unwrap_or(0);
        let numbers = counted(unknown as f64, "other uncertain number");
        let error = all.iter().filter_map(|bands| bands.error).reduce(f64::max);
        let error = error.map_or_else(String::new, |error| {
            format!("; each end ± {} of the width (95 % sampling error)", Unit::Share.format(in_whole_percent(error)))
        });
        Some(format!("Bands are 90 % intervals: {samples} of {numbers}{error}"))
    }
}

#[cfg(test)]
mod tests {
    use crossover_quantity::spread::{Distribution, Spread};
    use crossover_scenario::read;

    use super::*;

    const PATH: &str = "operators.filter.cpu_seconds_per_100mb";

    fn request(study: Study, studies: usize) -> CurvesRequest {
        let sweep = Sweep::read(study.subject(), "cluster.machines=10..1000:5").expect("a sweep");
        CurvesRequest { studies: vec![study; studies], sweep }
    }

    fn ended(request: &CurvesRequest) -> Curves {
        let mut found = None;
        loop {
            let next = request.compute(found.as_ref(), &Ticket::default()).expect("not cancelled");
            let is_refinable = request.is_refinable(&next);
            found = Some(next);
            if !is_refinable {
                return found.expect("a round").expect("curves");
            }
        }
    }

    #[test]
    fn every_scenario_with_an_uncertain_number_has_bands_around_its_curves() {
        let mut study = read(crossover_page::storage::scenario::BUILT_IN).expect("a valid example").study;
        assert_eq!(ended(&request(study.clone(), 2)).about_bands(), None, "every number is known");
        let spread = Spread::alone(Distribution::LogNormal { factor: 1.5 });
        study.subject_mut().spreads_mut().insert(PATH.to_owned(), spread);
        for studies in [1, 2] {
            let found = ended(&request(study.clone(), studies));
            assert_eq!((found.swept.len(), found.bands.len()), (studies, studies));
            for (swept, bands) in found.swept.iter().zip(&found.bands) {
                let bands = bands.as_ref().expect("no error").as_ref().expect("bands");
                let curve = swept.curves.iter().position(|curve| curve.key == "seconds").expect("the time");
                for (value, ends) in swept.curves[curve].values.iter().zip(&bands.figures[curve].ends) {
                    let (value, [low, high]) = (value.expect("a value"), ends.expect("a band"));
                    assert!(low <= value && value <= high && low < high, "{low} … {high} around {value}");
                }
            }
            let about = found.about_bands().expect("bands");
            assert!(
                about.starts_with("Bands are 90 % intervals: 1,024 samples of 1 other uncertain number; each"),
                "{about}"
            );
        }
    }
}

//! Everything the page shows, computed once for each change of the study or of the view.

use std::sync::Arc;

use crossover_chart::bars::BarChart;
use crossover_chart::lines::LineChart;
use crossover_page::compute::background::Ticket;
use crossover_page::compute::computed::Work;
use crossover_page::compute::watched::watched;
use crossover_placement::curves;
use crossover_placement::outcome::evaluate_watched;
use crossover_placement::{Axis, Outcome, ParameterOf, Placement, Variant};
use crossover_study::along::samples;
use crossover_study::numbers;

use super::bands::CurveBands;
use super::plan::PlanBoard;
use super::view_options::{ClassCurves, ViewOptions};
use super::{bars, charts};

/// Points of each curve.
const SAMPLES: usize = 512;

// Estimated times in milliseconds, upper bounds. `cargo bench -p crossover-placement --bench placement`, two cores: 0.56 ms
// for the published example, estimated 0.64; 1.9 ms for the modern cluster, estimated 2.9.
/// One operator in one variant, with its break-even.
const ROW_MS: f64 = 0.02;
/// One curve, with its break-even.
const CURVE_MS: f64 = 0.06;
/// Time for one node of a plan, milliseconds: its decision takes up to 0.0015 (docs/MEASURING.md, “Speed of the program”); the rest is
/// a margin for layout and texts, not measured.
const NODE_MS: f64 = 0.004;

/// The input of the page: a study and its view.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoardInput {
    pub(super) study: Placement,
    pub(super) look: ViewOptions,
}

/// Everything the page shows.
#[derive(Debug, Clone)]
pub struct Board {
    study: Placement,
    look: ViewOptions,
    outcome: Outcome,
    xs: Vec<f64>,
    classes: Vec<ClassCurves>,
    charts: Vec<LineChart>,
    bands: CurveBands,
    coincidences: Vec<String>,
    bars: BarChart,
    plan: Option<Arc<PlanBoard>>,
    provenance: String,
}

impl Work for BoardInput {
    type Outcome = Board;
    const NAME: &'static str = "placement";
    const AGAIN: &'static str = "Place again";

    fn milliseconds(&self) -> f64 {
        let Placement { operators, query, .. } = &self.study;
        if let Some(query) = query {
            return NODE_MS * query.plan.nodes.len() as f64;
        }
        let variants = Variant::all(&self.study).count() as f64;
        operators.len() as f64 * variants * (ROW_MS + CURVE_MS)
    }

    /// "Placing 10,000 nodes of a plan".
    fn in_words(&self) -> String {
        let count = |count: usize, one: &str, many: &str| {
            let number = crossover_quantity::unit::Unit::Count.format(count as f64);
            format!("Placing {number} {}", if count == 1 { one } else { many })
        };
        match &self.study.query {
            Some(query) => count(query.plan.nodes.len(), "node of a plan", "nodes of a plan"),
            None => count(self.study.operators.len(), "operator", "operators"),
        }
    }

    fn compute(&self, before: Option<&Board>, ticket: &Ticket) -> Option<Board> {
        let Self { study, look } = self;
        if let Some(before) = before.filter(|before| before.is_of(self) && self.is_refinable(before)) {
            let bands = before.bands.next(study, look, &before.classes, ticket)?;
            let charts = charts::all(study, look, &before.outcome, &before.xs, &before.classes, &bands);
            return Some(Board { charts, bands, ..before.clone() });
        }
        // The page of a plan shows its nodes, and not the kinds of operators beside it.
        let without_kinds = study.query.is_some().then(|| Placement { operators: Vec::new(), ..study.clone() });
        let workload = without_kinds.as_ref().unwrap_or(study);
        let outcome = watched(ticket, 2 * workload.operators.len(), |watch| evaluate_watched(workload, watch))?;
        let xs = samples(look.axis.window(study), SAMPLES, look.log_x);
        let selected = look.selected(study);
        let mut classes = Vec::new();
        // A query has curves of its plan, not of the costs of kinds.
        let groups = if study.query.is_none() { curves::classes(study) } else { Vec::new() };
        for group in groups {
            let operator = if group.operators.contains(&selected) { selected } else { group.operators[0] };
            let curves = curves::curves(study, operator, look.axis, &xs);
            classes.push(ClassCurves { group, operator, curves });
            if ticket.is_cancelled() {
                return None;
            }
        }
        let bands = CurveBands::default();
        let charts = charts::all(study, look, &outcome, &xs, &classes, &bands);
        // With equal networks the curves of every class coincide; one note is enough.
        let mut coincidences: Vec<String> = Vec::new();
        for found in charts.iter().map(LineChart::coincidences) {
            if !found.is_empty() && !coincidences.contains(&found) {
                coincidences.push(found);
            }
        }
        let plan = match &study.query {
            Some(query) => {
                let before = before.and_then(Board::plan).map(|plan| &**plan);
                Some(Arc::new(PlanBoard::new(study, query, before, ticket)?))
            }
            None => None,
        };
        Some(Board {
            charts,
            bands,
            coincidences,
            bars: bars::chart(workload, &outcome),
            plan,
            provenance: provenance_kinds(study),
            study: study.clone(),
            look: look.clone(),
            outcome,
            xs,
            classes,
        })
    }

    /// Bands follow the curves, on the thread of the page.
    fn is_refinable(&self, board: &Board) -> bool {
        !board.classes.is_empty() && board.bands.is_refinable(&board.study)
    }
}

impl Board {
    /// Whether it shows this.
    fn is_of(&self, input: &BoardInput) -> bool {
        self.look == input.look && self.study == input.study
    }

    /// The study that everything was computed from.
    #[must_use]
    pub fn study(&self) -> &Placement {
        &self.study
    }

    /// The x axis of the speedups.
    #[must_use]
    pub fn axis(&self) -> Axis {
        self.look.axis
    }

    /// Rows, workload and warnings; without rows if the study has a plan.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Where the curves are sampled.
    #[must_use]
    pub fn xs(&self) -> &[f64] {
        &self.xs
    }

    /// The curves, class by class.
    #[must_use]
    pub fn classes(&self) -> &[ClassCurves] {
        &self.classes
    }

    /// One chart for each class.
    #[must_use]
    pub fn charts(&self) -> &[LineChart] {
        &self.charts
    }

    /// What the bands of the curves are, for their legend; `None` without bands.
    #[must_use]
    pub fn about_bands(&self) -> Option<String> {
        self.bands.about()
    }

    /// Which curves coincide, in words.
    #[must_use]
    pub fn coincidences(&self) -> &[String] {
        &self.coincidences
    }

    /// The chart of the times.
    #[must_use]
    pub fn bars(&self) -> &BarChart {
        &self.bars
    }

    /// The plan of the query, if the study has one.
    #[must_use]
    pub fn plan(&self) -> Option<&Arc<PlanBoard>> {
        self.plan.as_ref()
    }

    /// "published, entered": the kinds of sources that the study's numbers have, those of its engines too.
    #[must_use]
    pub fn provenance(&self) -> &str {
        &self.provenance
    }
}

fn provenance_kinds(study: &Placement) -> String {
    let kind_at = |path: &str| study.sources.get(path).map_or("entered", |source| source.kind());
    let of_parameters = ParameterOf::all(study).map(|field| kind_at(&field.path(study)));
    // Prices of an answer are numbers of its engines.
    let engines = study.engines.as_deref().map(|engines| numbers(engines)).unwrap_or_default();
    let of_engines = engines.iter().map(|(path, ..)| kind_at(&format!("engines.{path}")));
    let mut kinds: Vec<&str> = Vec::new();
    for kind in of_parameters.chain(of_engines) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.join(", ")
}

#[cfg(test)]
mod tests {
    use crossover_placement::curves::speedups;
    use crossover_quantity::spread::{Distribution, Spread};
    use crossover_scenario::read;
    use crossover_study::Subject as _;

    use super::*;

    /// The published setting with a number that is uniform between two others.
    fn input(spread: Option<(&str, [f64; 2])>) -> BoardInput {
        let scenario = read(crate::examples::PUBLISHED.text).expect("a scenario");
        let mut study = scenario.placement().expect("a placement study").clone();
        if let Some((path, [low, high])) = spread {
            study.spreads_mut().insert(path.to_owned(), Spread::alone(Distribution::Uniform { low, high }));
        }
        BoardInput { study, look: ViewOptions::default() }
    }

    #[test]
    fn without_an_uncertain_number_there_is_no_band() {
        let input = input(None);
        let board = input.compute(None, &Ticket::default()).expect("not cancelled");
        assert!(!input.is_refinable(&board) && board.charts().iter().all(|chart| chart.bands.is_empty()));
    }

    /// Along the CPU time, the speedup of one CPU time is known where nothing else is unknown: the number itself is where the axis is. With
    /// another network speed the band is between the curves of its P5 and its P95, as the speedup grows with it.
    #[test]
    fn a_band_is_between_the_curves_of_the_ends_of_an_uncertain_number() {
        let axis_only = input(Some(("operators.join.cpu_seconds_per_100mb", [0.1, 0.3])));
        let board = axis_only.compute(None, &Ticket::default()).expect("not cancelled");
        let board = axis_only.compute(Some(&board), &Ticket::default()).expect("not cancelled");
        let of_join = board.classes().iter().position(|class| board.study().operators[class.operator].name == "join");
        assert!(board.charts()[of_join.expect("its class")].bands.is_empty(), "the axis is the only unknown number");

        let path = "networks.100 Gb InfiniBand.effective_gbit_per_s";
        let input = input(Some((path, [60.0, 100.0])));
        let mut board = input.compute(None, &Ticket::default()).expect("not cancelled");
        let mut rounds = 0;
        while input.is_refinable(&board) {
            board = input.compute(Some(&board), &Ticket::default()).expect("not cancelled");
            rounds += 1;
        }
        assert_eq!(rounds, 3, "64, 128 and 256 samples");
        let class = &board.classes()[of_join.expect("its class")];
        let bands = &board.charts()[of_join.expect("its class")].bands;
        assert!(!bands.is_empty() && bands.iter().all(|band| band.name.contains("InfiniBand")), "{bands:?}");
        assert!(board.about_bands().is_some_and(|about| about.contains("256 samples of 1 uncertain number")));
        let infiniband = Variant::all(&input.study).position(|variant| variant.network == 1 && !variant.compression);
        let at = |gbit_per_s: f64, x: f64| {
            let mut moved = input.study.clone();
            moved.networks[1].effective_gbit_per_s = gbit_per_s;
            speedups(&moved, class.operator, input.look.axis, &[x])[infiniband.expect("a variant")][0]
        };
        let band = bands.iter().find(|band| !band.name.contains("compr")).expect("without compression");
        for [x, low, high] in &band.points {
            // 5 and 95 % of a uniform distribution from 60 to 100 Gbit/s.
            let [a, b] = [at(62.0, *x), at(98.0, *x)];
            let (expected_low, expected_high) = (a.min(b), a.max(b));
            let width = expected_high - expected_low;
            assert!((low - expected_low).abs() <= 0.1 * width + 1e-12, "{x}: {low} instead of {expected_low}");
            assert!((high - expected_high).abs() <= 0.1 * width + 1e-12, "{x}: {high} instead of {expected_high}");
        }
    }
}

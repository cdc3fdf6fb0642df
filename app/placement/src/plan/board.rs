//! Everything the plan page shows, computed once for each change of the study.

mod drawing;

use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::plan::{Mark, PlanChart};
use crossover_chart::theme::Token;
use crossover_export::decided::engine_titles;
use crossover_export::placement::plan::{PlanFormat, by_class};
use crossover_page::compute::background::Ticket;
use crossover_placement::whole::{Baselines, ByClass, Decided, Flow, Whole, decide_in};
use crossover_placement::{Breakdown, Placement, Query, Side, Term, Variant};
use crossover_plan::decide::{Workload, on_recommended, workload};
use crossover_quantity::shared::Shared;
use crossover_quantity::unit::Unit;
use crossover_query::Plan;

use self::drawing::{Drawing, Sketch};
use super::super::bars::term_token;
use super::fold::Groups;
use super::run;
use super::text::factor;
use super::verdict::HardwareVerdict;

/// The decision for a plan, its picture and its totals.
#[derive(Debug)]
pub struct PlanBoard {
    /// The study of the decision.
    plan: Shared<Plan>,
    whole: Whole,
    by_class: ByClass,
    breakdown: Breakdown,
    /// The picture with one box for each operator.
    every: Drawing,
    /// The picture with cheap operators folded, if that makes fewer boxes.
    folded: Option<Drawing>,
    totals: BarChart,
    /// The measured run, if the plan has one.
    run: Option<BarChart>,
    /// Place of every node among the operators.
    places: Vec<Option<usize>>,
    /// Places of the operators that take most time, the longest first.
    longest: Vec<usize>,
    counts: Counts,
    exports: Vec<PlanFormat>,
    /// What runs the query today, and what could; `None` without engines.
    workload: Option<Workload>,
    /// The study with the engines of the recommended option, if the operators run in those engines.
    recommended: Option<Placement>,
    /// Names of the engines that the operators run in; `None` without engines.
    pair: Option<[String; 2]>,
}

/// Number of operators that are named as the longest.
const LONGEST: usize = 10;
/// From this number of operators on, cheap ones are folded initially.
const MANY: usize = 40;

/// Counts that are computed once instead of in each frame.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Operators on CPUs.
    pub on_cpu: usize,
    /// Operators on GPUs.
    pub on_gpu: usize,
    /// Places where data moves between CPU and GPU.
    pub transfers: usize,
    /// Pairs of operators that a GPU engine runs on one side.
    pub ties: usize,
    /// Seconds to move data between CPU and GPU, as placed.
    pub transfer_seconds: f64,
    /// Operators whose class is on the support list.
    pub listed: usize,
    /// Operators whose class has a score.
    pub scored: usize,
    /// Why operators could not be on another side.
    pub marks: Vec<Mark>,
}

impl Counts {
    fn new(query: &Query, whole: &Whole, chart: &PlanChart) -> Self {
        let classes = || whole.operators.iter().filter_map(|decided| query.plan.nodes[decided.node].class.as_ref());
        let is_marked = |mark: &Mark| chart.boxes.iter().any(|item| item.mark == Some(*mark));
        Self {
            on_cpu: whole.count(Side::Cpu),
            on_gpu: whole.count(Side::Gpu),
            transfers: whole.transfers(),
            ties: whole.ties.len(),
            transfer_seconds: whole.transfer_seconds(),
            listed: classes().filter(|class| query.unsupported.contains_key(*class)).count(),
            scored: classes().filter(|class| query.scores.contains_key(*class)).count(),
            marks: Mark::ALL.into_iter().filter(is_marked).collect(),
        }
    }
}

impl PlanBoard {
    /// Decides the plan of a study, unless it is cancelled. If the operators and their order are those of `before`, its layout is
    /// reused.
    #[must_use]
    pub(in super::super) fn new(
        study: &Placement,
        query: &Query,
        before: Option<&Self>,
        ticket: &Ticket,
    ) -> Option<Self> {
        let go_on = |share: f32| {
            ticket.set_progress(share);
            (!ticket.is_cancelled()).then_some(())
        };
        // The operators are those of the recommended option, where these engines can run it.
        let workload = workload(study);
        let recommended = workload.as_ref().and_then(|workload| on_recommended(study, workload));
        let study = recommended.as_ref().unwrap_or(study);
        go_on(0.2)?;
        let whole = decide_in(study, query, Variant::chosen(study));
        go_on(0.5)?;
        let mut places = vec![None; query.plan.nodes.len()];
        for (place, decided) in whole.operators.iter().enumerate() {
            places[decided.node] = Some(place);
        }
        let place = |node: usize| places[node].unwrap_or(0);
        let ends: Vec<(usize, usize)> =
            whole.edges.iter().map(|flow| (place(flow.edge.from), place(flow.edge.to))).collect();
        let count = whole.operators.len();
        let longest = longest(&whole);
        let sketch = Sketch { study, query, whole: &whole, ends: &ends, longest: &longest };
        let every = sketch.draw(&Groups::single(count), before.map(|before| &before.every));
        go_on(0.7)?;
        let cheap = Groups::cheap(&whole, &ends, |place| longest.contains(&place));
        let folded = (cheap.members.len() < count)
            .then(|| sketch.draw(&cheap, before.and_then(|before| before.folded.as_ref())));
        go_on(0.8)?;
        let by_class = by_class(query, &whole);
        let breakdown = whole.breakdown();
        Some(Self {
            plan: query.plan.clone(),
            counts: Counts::new(query, &whole, &every.chart),
            exports: PlanFormat::ALL.into_iter().filter(|format| format.check(study).is_ok()).collect(),
            every,
            folded,
            totals: totals(study, query, &whole, &by_class),
            run: (!query.plan.stages.is_empty()).then(|| run::chart(&query.plan)),
            longest,
            workload,
            pair: study.engines.as_deref().map(engine_titles),
            recommended,
            whole,
            by_class,
            breakdown,
            places,
        })
    }

    /// What runs the query today, and what could; `None` without engines.
    #[must_use]
    pub fn workload(&self) -> Option<&Workload> {
        self.workload.as_ref()
    }

    /// The study with the engines and machines that the operators run on; `study`: the study that was decided.
    pub(in super::super) fn study<'a>(&'a self, study: &'a Placement) -> &'a Placement {
        self.recommended.as_ref().unwrap_or(study)
    }

    /// Names of the engines that the operators run in: today's, and that of the recommended option if it is of the study's engine of
    /// GPUs; `None` without engines.
    #[must_use]
    pub fn pair(&self) -> Option<&[String; 2]> {
        self.pair.as_ref()
    }

    /// The study of the decision.
    #[must_use]
    pub fn plan(&self) -> &Shared<Plan> {
        &self.plan
    }

    /// The decision.
    #[must_use]
    pub fn whole(&self) -> &Whole {
        &self.whole
    }

    /// The best decision that treats all operators of a class alike, as far as classes can be switched.
    #[must_use]
    pub fn by_class(&self) -> &ByClass {
        &self.by_class
    }

    /// The verdict of the hardware model; `None` where whole engines are compared.
    pub(in super::super) fn hardware_verdict(&self) -> Option<HardwareVerdict<'_>> {
        HardwareVerdict::of(&self.whole)
    }

    /// The terms of the time as placed.
    #[must_use]
    pub fn breakdown(&self) -> &Breakdown {
        &self.breakdown
    }

    /// The picture of the plan with every operator.
    #[must_use]
    pub fn chart(&self) -> &PlanChart {
        &self.every.chart
    }

    /// The picture of the plan, with cheap operators folded if chosen and if that makes fewer boxes.
    #[must_use]
    pub fn drawing(&self, is_folded: bool) -> &Drawing {
        self.folded.as_ref().filter(|_| is_folded).unwrap_or(&self.every)
    }

    /// Whether cheap operators can be folded.
    #[must_use]
    pub fn can_fold(&self) -> bool {
        self.folded.is_some()
    }

    /// Whether cheap operators are folded initially.
    #[must_use]
    pub fn is_large(&self) -> bool {
        self.whole.operators.len() > MANY
    }

    /// The operators that take most time, the longest first.
    pub fn longest(&self) -> impl Iterator<Item = &Decided> {
        self.longest.iter().map(|place| &self.whole.operators[*place])
    }

    /// The measured run, if the plan has one.
    #[must_use]
    pub fn run(&self) -> Option<&BarChart> {
        self.run.as_ref()
    }

    /// The times as placed and of other placements.
    #[must_use]
    pub fn totals(&self) -> &BarChart {
        &self.totals
    }

    /// Place of a node among the operators, unless it does no work of its own.
    #[must_use]
    pub fn place(&self, node: usize) -> Option<usize> {
        self.places.get(node).copied().flatten()
    }

    /// The decision about a node, unless it does no work of its own.
    #[must_use]
    pub fn decided(&self, node: usize) -> Option<&Decided> {
        self.whole.of_node(node)
    }

    /// The data flows into a node and out of it.
    pub fn flows(&self, node: usize) -> impl Iterator<Item = &Flow> {
        self.whole.edges.iter().filter(move |flow| flow.edge.from == node || flow.edge.to == node)
    }

    /// Counts that are computed once instead of in each frame.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Formats in which the plan can be written for other programs.
    #[must_use]
    pub fn exports(&self) -> &[PlanFormat] {
        &self.exports
    }
}

/// Places of the operators that take most time, the longest first.
fn longest(whole: &Whole) -> Vec<usize> {
    let seconds = |place: &usize| whole.operators[*place].breakdown().total();
    let mut places: Vec<usize> = (0..whole.operators.len()).filter(|place| seconds(place) > 0.0).collect();
    let by_time = |a: &usize, b: &usize| seconds(b).total_cmp(&seconds(a));
    if places.len() > LONGEST {
        places.select_nth_unstable_by(LONGEST, by_time);
        places.truncate(LONGEST);
    }
    places.sort_by(by_time);
    places
}

/// The times as placed and of other placements.
fn totals(study: &Placement, query: &Query, whole: &Whole, by_class: &ByClass) -> BarChart {
    let Baselines { all_cpu, all_gpu, greedy } = whole.baselines;
    let has_verdict = HardwareVerdict::of(whole).is_some();
    let row = |name: &str, token: Token, seconds: f64| BarRow {
        start: 0.0,
        interval: None,
        group: name.to_owned(),
        label: String::new(),
        token,
        segments: vec![Segment { name: name.to_owned(), token, value: seconds }],
        total: seconds,
        note: if has_verdict && seconds > 0.0 { factor(all_cpu / seconds) } else { String::new() },
        detail: String::new(),
    };
    let on = |side: Side| -> f64 {
        whole.operators.iter().filter(|decided| decided.side == side).map(|decided| decided.breakdown().total()).sum()
    };
    let parts = [
        ("operators on CPU", Token::Cpu, on(Side::Cpu)),
        ("operators on GPU", Token::Gpu, on(Side::Gpu)),
        ("moving data", term_token(Term::BusIn), whole.transfer_seconds()),
    ];
    let mut placed = row("as placed", Token::Text, whole.seconds);
    placed.segments =
        parts.into_iter().map(|(name, token, value)| Segment { name: name.to_owned(), token, value }).collect();
    let mut rows = match study.engines.as_deref().map(engine_titles) {
        // Engines on machines of their own do not share a query.
        Some([cpu, gpu]) => vec![row(&cpu, Token::Cpu, all_cpu), row(&gpu, Token::Gpu, all_gpu)],
        None => vec![placed, row("all on CPU", Token::Cpu, all_cpu), row("all on GPU", Token::Gpu, all_gpu)],
    };
    if let Some(unpinned) = &whole.unpinned {
        rows.push(row("without pins", Token::TextWeak, unpinned.seconds));
    }
    if study.engines.is_none() {
        rows.push(row("per-operator greedy", Token::Uncontrolled, greedy));
    }
    if study.engines.is_none() && !by_class.sides.is_empty() {
        rows.push(row("by class", Token::Threshold, by_class.seconds));
    }
    let best_other = if all_gpu < all_cpu { ("all on the GPU", all_gpu) } else { ("all on the CPU", all_cpu) };
    let [title, answer] = if study.engines.is_some() {
        [
            "How long do both engines take by the model?".to_owned(),
            "Medians; “Answer” has their intervals and more options.".to_owned(),
        ]
    } else {
        let [placed, other, greedy] =
            [whole.seconds, best_other.1, greedy].map(|seconds| Unit::Seconds.format(seconds));
        let answer = format!("As placed {placed}, {} {other}, per-operator greedy {greedy}.", best_other.0);
        ["How long do other placements take by the hardware model?".to_owned(), answer]
    };
    BarChart {
        title,
        subtitle: query.plan.engine.clone(),
        answer,
        step_unit: 1.0,
        unit_format: |value| Unit::Seconds.format(value),
        rows,
    }
}

//! Everything the plan page shows, computed once for each change of the study.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossover_export::decided::engine_titles;
use crossover_export::placement::plan::{PlanFormat, by_class};
use crossover_page::compute::background::Ticket;
use crossover_placement::whole::{Baselines, ByClass, Decided, Fixed, Flow, Whole, decide_in};
use crossover_placement::{Breakdown, Placement, Query, Side, Term, Variant};
use crossover_plan::decide::{Workload, on_recommended, workload};
use crossover_quantity::shared::Shared;
use crossover_quantity::text::{counted, counted_of};
use crossover_quantity::unit::Unit;
use crossover_query::{Node, Plan};

use super::super::bars::term_token;
use super::super::charts::variant_token;
use super::super::side::processor;
use super::bus_token;
use super::fold::Groups;
use super::run;
use super::text::{self, bytes, estimate, factor, rows};
use super::verdict::{HardwareVerdict, by_model};
use crossover_chart::bars::{BarChart, BarRow, Segment};
use crossover_chart::plan::{Bus, Layout, Mark, PlanBox, PlanChart, PlanEdge};
use crossover_chart::theme::Token;

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
    /// Names of the engines that the operators run in; `None` without engines.
    pair: Option<[String; 2]>,
}

/// A picture of a plan, and the boxes of its operators.
#[derive(Debug)]
pub struct Drawing {
    /// The picture.
    pub chart: PlanChart,
    /// Box of each operator, by place.
    boxes: Vec<usize>,
    /// Boxes at both ends of every line.
    ends: Vec<(usize, usize)>,
}

impl Drawing {
    /// The box of an operator.
    #[must_use]
    pub fn box_of(&self, place: usize) -> usize {
        self.boxes[place]
    }
}

/// Number of operators that are named as the longest.
const LONGEST: usize = 10;
/// Kinds of operators that the tooltip of a folded box names.
const KINDS: usize = 6;
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

/// The inputs of the pictures of a plan.
struct Sketch<'a> {
    study: &'a Placement,
    query: &'a Query,
    whole: &'a Whole,
    /// Places of both ends of every edge.
    ends: &'a [(usize, usize)],
    /// Places of the operators that take most time, the longest first.
    longest: &'a [usize],
}

impl Sketch<'_> {
    /// A box for each group. If boxes and lines are those of `before`, its layout is reused.
    fn draw(&self, groups: &Groups, before: Option<&Drawing>) -> Drawing {
        let Self { study, query, whole, .. } = *self;
        let between = |flow_and_ends: &(&Flow, &(usize, usize))| {
            let (from, to) = flow_and_ends.1;
            groups.of[*from] != groups.of[*to]
        };
        let lines: Vec<(&Flow, &(usize, usize))> = whole.edges.iter().zip(self.ends).filter(between).collect();
        let ends: Vec<(usize, usize)> =
            lines.iter().map(|(_, (from, to))| (groups.of[*from], groups.of[*to])).collect();
        let count = groups.members.len();
        let known = before.filter(|before| before.ends == ends && before.chart.boxes.len() == count);
        let layout =
            known.map_or_else(|| Arc::new(Layout::new(count, &ends)), |before| Arc::clone(&before.chart.layout));
        let mut readers = vec![0; count];
        for (from, _) in &ends {
            readers[*from] += 1;
        }
        let boxes = groups.members.iter().zip(readers).map(|(members, readers)| self.item(members, readers));
        let largest = lines.iter().map(|(flow, _)| flow.edge.bytes).fold(0.0, f64::max);
        let edges = lines.iter().zip(&ends).map(|((flow, _), (from, to))| {
            let is_guess = whole.numbers[flow.edge.from].bytes_out.is_estimated();
            // Widths are compared by ratio.
            let weight = if largest > 0.0 { (flow.edge.bytes / largest).cbrt() } else { 0.0 };
            let bus = flow.changes_to.map(|side| Bus {
                to: processor(side),
                token: bus_token(side),
                time: text::seconds(flow.seconds()),
            });
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
            let weight = weight as f32;
            PlanEdge { from: *from, to: *to, label: estimate(&bytes(flow.edge.bytes), is_guess), weight, bus }
        });
        let chart = PlanChart {
            title: title(study, HardwareVerdict::of(whole)),
            subtitle: subtitle(query, &whole.variant.label(study)),
            answer: answer(whole),
            boxes: boxes.collect(),
            edges: edges.collect(),
            layout,
            network: variant_token(study, whole.variant),
        };
        Drawing { chart, boxes: groups.of.clone(), ends }
    }

    /// The box of some operators, of which the last produces the output.
    fn item(&self, members: &[usize], readers: usize) -> PlanBox {
        let Self { query, whole, .. } = *self;
        let decided: Vec<&Decided> = members.iter().map(|place| &whole.operators[*place]).collect();
        let seconds: f64 = decided.iter().map(|decided| decided.breakdown().total()).sum();
        #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
        let share = if whole.seconds > 0.0 { (seconds / whole.seconds) as f32 } else { 0.0 };
        let last = decided[decided.len() - 1];
        let node = &query.plan.nodes[last.node];
        let nodes = || decided.iter().map(|decided| &query.plan.nodes[decided.node]);
        let given = whole.numbers[last.node].rows_out;
        let given = estimate(&rows(given.value), given.is_estimated());
        let (name, what, reason) = match members.len() {
            1 => {
                let what =
                    node.subject().map_or_else(|| node.kind.label().to_owned(), |subject| text::shortened(&subject));
                (node.name.clone(), format!("{what} · {given}"), last.reason.to_string())
            }
            count => {
                let reason = format!(
                    "Each takes less than 1 % of the plan's time: {}. Double-click or press Enter to show each operator.",
                    kinds_of(nodes())
                );
                let operators = counted(count as f64, "operator");
                (format!("{operators} below 1 %, to {}", node.name), given, reason)
            }
        };
        let mark = |fixed: &Fixed| match fixed {
            Fixed::Pinned => Mark::Pinned,
            Fixed::Unsupported(_) | Fixed::CpuOnly(_) => Mark::CpuOnly,
        };
        PlanBox {
            node: last.node,
            name,
            what,
            time: text::seconds(seconds),
            share,
            processor: processor(last.side),
            mark: decided.iter().find_map(|decided| decided.fixed.as_ref().map(mark)),
            reason,
            is_exchange: nodes().any(|node| node.kind.is_exchange()),
            readers,
            rank: members
                .iter()
                .filter_map(|place| self.longest.iter().position(|longest| longest == place))
                .min()
                .map(|place| place + 1),
            operator_count: members.len(),
        }
    }
}

/// "3 × project, filter, scan and 2 more kinds".
fn kinds_of<'a>(nodes: impl Iterator<Item = &'a Node>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for node in nodes {
        *counts.entry(node.kind.label()).or_default() += 1;
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut parts: Vec<String> = counts
        .iter()
        .take(KINDS)
        .map(|(kind, count)| if *count > 1 { format!("{count} × {kind}") } else { (*kind).to_owned() })
        .collect();
    if counts.len() > KINDS {
        parts.push(format!("{} more kinds", counts.len() - KINDS));
    }
    parts.join(", ")
}

/// "Spark 3.5.1 · query 7 · 10 Gb Ethernet".
fn subtitle(query: &Query, variant: &str) -> String {
    let plan = &query.plan;
    let name = if plan.query.is_empty() { String::new() } else { format!("query {}", plan.query) };
    let parts = [plan.engine.as_str(), &name, variant];
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" · ")
}

/// The question of the page, and by which model it is answered.
fn title(study: &Placement, verdict: Option<HardwareVerdict<'_>>) -> String {
    let question = match verdict {
        Some(_) => "Which side for every operator of this query",
        None => "How long does each operator of this query take",
    };
    format!("{question}, {}?", by_model(study))
}

/// The sentence under the title. In whole engines, times and verdict are those of the decision, which has more options.
fn answer(whole: &Whole) -> String {
    HardwareVerdict::of(whole).map_or_else(
        || "Medians in these two engines. Sides are those of the faster one by this model.".to_owned(),
        as_placed,
    )
}

fn as_placed(verdict: HardwareVerdict<'_>) -> String {
    let whole = verdict.whole;
    if let Some(why) = &whole.not_judged {
        return format!("Cannot be judged: {why}.");
    }
    let (on_gpu, all) = (whole.count(Side::Gpu), whole.operators.len());
    let time = Unit::Seconds.format(whole.seconds);
    let cpu = Unit::Seconds.format(whole.baselines.all_cpu);
    let transfers = match whole.transfers() {
        0 => String::new(),
        1 => "; data moves between CPU and GPU once".to_owned(),
        2 => "; data moves between CPU and GPU twice".to_owned(),
        count => format!("; data moves between CPU and GPU {count} times"),
    };
    match on_gpu {
        0 if all == 1 => format!("The operator stays on the CPU: {time}."),
        0 => format!("All {} stay on the CPU: {time}.", counted(all as f64, "operator")),
        count if count == all => {
            let speedup = factor(verdict.speedup());
            let go = match all {
                1 => "The operator goes".to_owned(),
                all => format!("All {} go", counted(all as f64, "operator")),
            };
            format!("{go} to the GPU: {time} instead of {cpu} on the CPU, {speedup}.")
        }
        count => {
            let verb = if count == 1 { "goes" } else { "go" };
            let speedup = factor(verdict.speedup());
            let operators = counted_of(count as f64, all as f64, "operator");
            format!("{operators} {verb} to the GPU: {time} instead of {cpu}, {speedup}{transfers}.")
        }
    }
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
        unit_format: |value| Unit::Seconds.format(value),
        rows,
    }
}

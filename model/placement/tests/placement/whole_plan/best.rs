//! The decision is the best of all, whatever the plan and its costs are: every other one is tried.

use crossover_placement::whole::cut::{Difference, Problem};
use crossover_placement::whole::{Rule, Tie, Whole, by_class, decide};
use crossover_placement::{Placement, Query, Side};
use crossover_study::validate;
use proptest::prelude::*;

use super::plans::{any_study, tied_study};

/// All assignments of so many vertices.
fn assignments(count: usize) -> impl Iterator<Item = Vec<Side>> {
    let side = |bits: usize, index: usize| if bits >> index & 1 == 1 { Side::Gpu } else { Side::Cpu };
    (0..1usize << count).map(move |bits| (0..count).map(|index| side(bits, index)).collect())
}

/// A problem with whole costs, so that sums are exact, many ties and vertices that are fixed.
fn problem() -> impl Strategy<Value = Problem> {
    let vertex = (0u8..6, 0u8..6, 0u8..10).prop_map(|(cpu, gpu, fixed)| match fixed {
        0 => [f64::INFINITY, f64::from(gpu)],
        1 => [f64::from(cpu), f64::INFINITY],
        _ => [f64::from(cpu), f64::from(gpu)],
    });
    (1usize..=12).prop_flat_map(move |count| {
        let edge = (0..count, 0..count, 0u8..4, 0u8..4).prop_map(|(from, to, forth, back)| Difference {
            from,
            to,
            cpu_to_gpu: f64::from(forth),
            gpu_to_cpu: f64::from(back),
        });
        // From trees, which leave nothing to cut, to dense graphs, which leave almost everything.
        let edges = prop::collection::vec(edge, 0..4 * count);
        (prop::collection::vec(vertex.clone(), count), edges).prop_map(|(vertices, edges)| Problem { vertices, edges })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_assignment_is_cheaper_and_none_as_cheap_has_fewer_on_gpu(problem in problem()) {
        let solved = problem.solve();
        let cheapest = assignments(solved.len()).map(|sides| problem.cost(&sides)).fold(f64::INFINITY, f64::min);
        prop_assert_eq!(problem.cost(&solved), cheapest);
        // The cheapest assignments have one in common that is on the GPU only where all of them are.
        for (vertex, side) in solved.iter().enumerate() {
            let mut all = assignments(solved.len()).filter(|sides| problem.cost(sides) == cheapest);
            let always_on_gpu = all.all(|sides| sides[vertex] == Side::Gpu);
            prop_assert_eq!(*side == Side::Gpu, always_on_gpu, "vertex {}", vertex);
        }
    }
}

proptest! {
    #[test]
    fn no_assignment_that_parts_no_tie_is_cheaper(
        problem in problem(), pairs in prop::collection::vec((0usize..12, 0usize..12, any::<bool>()), 0..6)
    ) {
        let count = problem.vertices.len();
        let tie = |(from, to, is_mutual): (usize, usize, bool)| {
            Tie { from: from % count, to: to % count, rule: if is_mutual { Rule::Broadcast } else { Rule::Exchange } }
        };
        let ties: Vec<Tie> = pairs.into_iter().map(tie).collect();
        let keeps = |sides: &Vec<Side>| ties.iter().all(|tie| !tie.is_parted(sides));
        let solved = problem.solve_tied(&ties);
        let best = assignments(count).filter(keeps).map(|sides| problem.cost(&sides)).fold(f64::INFINITY, f64::min);
        if best.is_finite() {
            prop_assert!(keeps(&solved));
            prop_assert_eq!(problem.cost(&solved), best);
        } else {
            // Somebody fixed two apart; what is fixed stays where it is, and what nothing fixed hangs together with is kept.
            prop_assert!(problem.cost(&solved).is_finite());
            let mut group: Vec<usize> = (0..count).collect();
            for _ in 0..count {
                for tie in &ties {
                    let low = group[tie.from].min(group[tie.to]);
                    (group[tie.from], group[tie.to]) = (low, low);
                }
            }
            let is_free = |of: usize| {
                (0..count).filter(|place| group[*place] == of).all(|place| problem.vertices[place].iter().all(|c| c.is_finite()))
            };
            for tie in ties.iter().filter(|tie| is_free(group[tie.from])) {
                prop_assert!(!tie.is_parted(&solved), "{tie:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn with_rules_no_placement_that_keeps_them_is_better(study in tied_study()) {
        let (whole, query) = (decide(&study).expect("a plan"), query(&study));
        let keeps = |sides: &Vec<Side>| {
            let ids = whole.operators.iter().map(|decided| decided.node);
            ids.zip(sides).all(|(id, side)| required(query, id).is_none_or(|required| required == *side))
                && whole.ties.iter().all(|tie| !tie.is_parted(sides))
        };
        prop_assert!(keeps(&sides(&whole)));
        let weight = |sides: &[Side]| weighted(&whole, study.policy.threshold, sides);
        let best = assignments(whole.operators.len()).filter(keeps).map(|sides| weight(&sides)).fold(f64::INFINITY, f64::min);
        prop_assert!(at_most(weight(&sides(&whole)), best), "{} and {best}", weight(&sides(&whole)));
    }

    #[test]
    fn with_rules_no_single_switch_of_a_class_is_better(study in tied_study()) {
        let (whole, query) = (decide(&study).expect("a plan"), query(&study));
        let chosen = by_class(query, &whole, |_| Some(Side::Gpu), 0.0);
        let class_of = |id: usize| query.plan.nodes[id].class.as_ref();
        // An operator is on the GPU if its class is, it can be there, and so is what it needs: inputs stand before readers,
        // and a broadcast before its joins, which may pull it back.
        let placed = |on: &dyn Fn(&String) -> Side| -> Vec<Side> {
            let mut sides: Vec<Side> =
                whole.operators.iter().map(|decided| class_of(decided.node).map_or(Side::Cpu, on)).collect();
            while let Some(tie) = whole.ties.iter().find(|tie| tie.is_parted(&sides)) {
                (sides[tie.from], sides[tie.to]) = (Side::Cpu, Side::Cpu);
            }
            sides
        };
        let of = |name: &String| chosen.sides[name].side;
        let weight = |sides: &[Side]| whole.weighted_seconds(sides);
        let decided = placed(&of);
        prop_assert!(at_most(whole.seconds(&decided), chosen.seconds) && at_most(chosen.seconds, whole.seconds(&decided)));
        for turned in chosen.sides.keys() {
            let other = placed(&|name| if name == turned { of(name).other() } else { of(name) });
            prop_assert!(at_most(weight(&decided), weight(&other)), "{turned}: {} and {}", weight(&decided), weight(&other));
        }
        prop_assert!(at_most(weight(&sides(&whole)), weight(&decided)));
    }
}

/// What the decision is about, from its own costs: CPU seconds + θ · (GPU seconds + bus seconds).
fn weighted(whole: &Whole, threshold: f64, sides: &[Side]) -> f64 {
    let place = |id: usize| whole.operators.iter().position(|decided| decided.node == id).expect("an operator");
    let own: f64 = whole
        .operators
        .iter()
        .zip(sides)
        .map(|(decided, side)| match side {
            Side::Cpu => decided.cost.cpu.total(),
            Side::Gpu => threshold * decided.cost.gpu.total(),
        })
        .sum();
    let bus: f64 = whole
        .edges
        .iter()
        .map(|flow| match (sides[place(flow.edge.from)], sides[place(flow.edge.to)]) {
            (Side::Cpu, Side::Gpu) => threshold * flow.cost.to_gpu.seconds(),
            (Side::Gpu, Side::Cpu) => threshold * flow.cost.from_gpu.seconds(),
            _ => 0.0,
        })
        .sum();
    own + bus
}

fn query(study: &Placement) -> &Query {
    study.query.as_deref().expect("a study with a query")
}

/// The side that an operator has to be on: a pin, else a missing version, else its kind.
fn required(query: &Query, id: usize) -> Option<Side> {
    let node = &query.plan.nodes[id];
    let is_listed = node.class.as_ref().is_some_and(|class| query.unsupported.contains_key(class));
    let cpu_only = (is_listed || node.why_cpu_only().is_some()).then_some(Side::Cpu);
    query.pins.get(&id).copied().or(cpu_only)
}

fn sides(whole: &Whole) -> Vec<Side> {
    whole.operators.iter().map(|decided| decided.side).collect()
}

/// Not above, but for rounding.
fn at_most(a: f64, b: f64) -> bool {
    a <= b * (1.0 + 1e-9) + 1e-12
}

proptest! {
    #[test]
    fn no_other_placement_of_a_plan_that_keeps_its_pins_is_better(study in any_study()) {
        prop_assert_eq!(validate(&study), Ok(()));
        let (whole, query) = (decide(&study).expect("a plan"), query(&study));
        let threshold = study.policy.threshold;
        let keeps = |sides: &Vec<Side>| {
            let ids = whole.operators.iter().map(|decided| decided.node);
            ids.zip(sides).all(|(id, side)| required(query, id).is_none_or(|required| required == *side))
        };
        prop_assert!(keeps(&sides(&whole)));
        let best = assignments(whole.operators.len()).filter(keeps)
            .map(|sides| weighted(&whole, threshold, &sides)).fold(f64::INFINITY, f64::min);
        let decided = weighted(&whole, threshold, &sides(&whole));
        prop_assert!(at_most(decided, best), "{decided} and {best}");
        let own = whole.weighted_seconds(&sides(&whole));
        prop_assert!(at_most(own, decided) && at_most(decided, own), "{own} and {decided}");
    }

    #[test]
    fn at_threshold_1_no_baseline_is_faster_and_seconds_are_those_of_the_breakdown(mut study in any_study()) {
        study.policy.threshold = 1.0;
        let whole = decide(&study).expect("a plan");
        for baseline in [whole.baselines.all_cpu, whole.baselines.all_gpu, whole.baselines.greedy] {
            prop_assert!(at_most(whole.seconds, baseline), "{} and {baseline}", whole.seconds);
        }
        let parts = whole.breakdown().total();
        prop_assert!(at_most(parts, whole.seconds) && at_most(whole.seconds, parts));
        prop_assert!(whole.seconds.is_finite() && whole.speedup() >= 1.0 - 1e-9);
    }

    #[test]
    fn an_operator_that_greedy_placement_moves_is_on_the_gpu_unless_it_is_fixed(study in any_study()) {
        let whole = decide(&study).expect("a plan");
        // What an operator gains can vanish in the rounding of the whole plan's seconds.
        let counts = |gain: f64| gain > 1e-12 * whole.baselines.all_cpu.max(whole.baselines.all_gpu);
        for decided in whole.operators.iter().filter(|decided| decided.fixed.is_none()) {
            let gain = decided.cost.cpu.total() - study.policy.threshold * decided.cost.gpu.total();
            prop_assert!(decided.greedy_side == Side::Cpu || decided.side == Side::Gpu || !counts(gain), "{decided:?}");
        }
    }

    #[test]
    fn where_the_bus_takes_no_time_the_best_placement_is_the_greedy_one(mut study in any_study()) {
        (study.bus.to_gpu_gb_per_s, study.bus.from_gpu_gb_per_s) = (1e300, 1e300);
        study.policy.threshold = 1.0;
        let whole = decide(&study).expect("a plan");
        prop_assert!(at_most(whole.baselines.greedy, whole.seconds));
    }

    #[test]
    fn one_more_pin_never_makes_a_plan_better(study in any_study(), id in 0usize..11, is_gpu: bool) {
        let before = decide(&study).expect("a plan");
        let mut pinned = study.clone();
        let side = if is_gpu { Side::Gpu } else { Side::Cpu };
        // A pin that takes the place of a requirement is no further one.
        prop_assume!(id < query(&study).plan.nodes.len());
        prop_assume!(required(query(&study), id).is_none_or(|required| required == side));
        pinned.pin_node(id, Some(side));
        let after = decide(&pinned).expect("a plan");
        let of = |whole: &Whole| weighted(whole, study.policy.threshold, &sides(whole));
        prop_assert!(at_most(of(&before), of(&after)));
    }

    #[test]
    fn the_same_study_has_the_same_decision(study in any_study()) {
        let text = |study: &Placement| format!("{:?}", decide(study)); // shows every bit of every number
        prop_assert_eq!(text(&study), text(&study.clone()));
    }

    #[test]
    fn no_other_choice_of_classes_is_better_and_none_beats_the_choice_of_nodes(study in any_study(), all_switched: bool) {
        let (whole, query) = (decide(&study).expect("a plan"), query(&study));
        let has_switch = |class: &str| all_switched || class != "Class1";
        let usual = |class: &str| has_switch(class).then_some(Side::Gpu);
        let chosen = by_class(query, &whole, usual, 0.0);
        prop_assert!(chosen.sides.keys().all(|class| has_switch(class)));
        let names: Vec<&String> = chosen.sides.keys().collect();
        let class_of = |id: usize| query.plan.nodes[id].class.as_ref().filter(|class| has_switch(class));
        let assign = |of_class: &dyn Fn(&String) -> Side| -> Vec<Side> {
            whole.operators.iter().map(|decided| class_of(decided.node).map_or(Side::Cpu, of_class)).collect()
        };
        let decided = assign(&|class| chosen.sides[class].side);
        let weight = |sides: &[Side]| weighted(&whole, study.policy.threshold, sides);
        let indifferent = by_class(query, &whole, usual, 0.05);
        let usual_where_it_hardly_matters = assign(&|class| indifferent.sides[class].side);
        let limit = 1.05 * weight(&decided);
        prop_assert!(at_most(weight(&usual_where_it_hardly_matters), limit));
        // A pin that no switch can follow makes every choice infinitely dear; then all stay.
        let side_of = |id: usize| class_of(id).map_or(Side::Cpu, |class| chosen.sides[class].side);
        let mut ids = whole.operators.iter().map(|decided| decided.node);
        let can_follow = ids.all(|id| required(query, id).is_none_or(|side| side == side_of(id)));
        let can_be_on_gpu = |class: &String| {
            let mut ids = whole.operators.iter().map(|decided| decided.node).filter(|id| class_of(*id) == Some(class));
            ids.all(|id| required(query, id) != Some(Side::Cpu))
        };
        let unusual = indifferent.sides.iter().filter(|(name, class)| class.side == Side::Cpu && can_be_on_gpu(name));
        for (name, _) in unusual.filter(|_| can_follow) {
            let back = assign(&|class| if class == name { Side::Gpu } else { indifferent.sides[class].side });
            prop_assert!(at_most(limit, weight(&back)), "{name}: {} is within {limit}", weight(&back));
        }
        // A class can be on a side if none of its operators has to be on the other; else it is on the CPU.
        let can_be = |class: &String, side: Side| {
            let mut ids = whole.operators.iter().map(|decided| decided.node).filter(|id| class_of(*id) == Some(class));
            ids.all(|id| required(query, id).is_none_or(|required| required == side))
        };
        let allowed = |sides: &Vec<Side>| names.iter().zip(sides).all(|(class, side)| {
            can_be(class, *side) || *side == Side::Cpu && !can_be(class, Side::Gpu)
        });
        let best = assignments(names.len()).filter(allowed).map(|sides| {
            let of_class = |class: &String| sides[names.iter().position(|name| *name == class).expect("a class")];
            weight(&assign(&of_class))
        }).fold(f64::INFINITY, f64::min);
        prop_assert!(at_most(weight(&decided), best), "{} and {best}", weight(&decided));
        if whole.weighted_seconds(&decided).is_finite() {
            prop_assert!(at_most(weight(&sides(&whole)), weight(&decided)));
        }
    }
}

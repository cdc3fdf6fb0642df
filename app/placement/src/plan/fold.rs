//! Cheap operators drawn as one box, so that a plan of many operators can be read at once.

use crossover_placement::whole::{Fixed, Whole};

/// Share of the plan's time below which an operator is cheap.
const CHEAP: f64 = 0.01;
/// Largest share of the plan's time in one box of cheap operators.
const MOST: f64 = 0.03;

/// The operators of each box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Groups {
    /// Group of each operator, by place.
    pub(super) of: Vec<usize>,
    /// Places of each group's operators, inputs first; the last one produces the group's output.
    pub(super) members: Vec<Vec<usize>>,
}

impl Groups {
    /// Each operator in a box of its own.
    pub(super) fn single(count: usize) -> Self {
        Self { of: (0..count).collect(), members: (0..count).map(|place| vec![place]).collect() }
    }

    /// Cheap operators together with the cheap one that reads them, on the same side. Pinned operators, and those that
    /// `is_kept`, have boxes of their own. `ends`: places of both ends of every edge.
    pub(super) fn cheap(whole: &Whole, ends: &[(usize, usize)], is_kept: impl Fn(usize) -> bool) -> Self {
        let count = whole.operators.len();
        let mut readers = vec![Vec::new(); count];
        for (from, to) in ends {
            readers[*from].push(*to);
        }
        let seconds = |place: usize| whole.operators[place].breakdown().total();
        let is_cheap = |place: usize| {
            let is_pinned = whole.operators[place].fixed == Some(Fixed::Pinned);
            seconds(place) < CHEAP * whole.seconds && !is_pinned && !is_kept(place)
        };
        // Every operator comes before what reads it, so from the result on each one's reader is in its group already.
        let mut roots: Vec<usize> = (0..count).collect();
        let mut time: Vec<f64> = (0..count).map(seconds).collect();
        for place in (0..count).rev() {
            let [reader] = readers[place][..] else { continue };
            let root = roots[reader];
            let is_one_side = whole.operators[place].side == whole.operators[reader].side;
            if is_one_side && is_cheap(place) && is_cheap(reader) && time[root] + seconds(place) <= MOST * whole.seconds
            {
                roots[place] = root;
                time[root] += seconds(place);
            }
        }
        let mut numbers = vec![None; count];
        let mut members: Vec<Vec<usize>> = Vec::new();
        for place in (0..count).filter(|place| roots[*place] == *place) {
            numbers[place] = Some(members.len());
            members.push(Vec::new());
        }
        let of: Vec<usize> = roots.iter().map(|root| numbers[*root].unwrap_or(0)).collect();
        for (place, group) in of.iter().enumerate() {
            members[*group].push(place);
        }
        Self { of, members }
    }
}

#[cfg(test)]
mod tests {
    use crossover_placement::whole::decide;
    use crossover_placement::{Placement, Query, Side};
    use crossover_query::{Amount, Kind, Node, Plan};

    use super::Groups;

    /// Operators with their inputs and core-seconds, as decided on CPUs: all are pinned there but for those of `free`.
    fn groups(nodes: &[(&[usize], f64)], pins: &[(usize, Side)]) -> (Groups, Vec<usize>) {
        let node = |(inputs, seconds): &(&[usize], f64)| Node {
            inputs: inputs.to_vec(),
            cpu_seconds: Some(Amount::reported(*seconds)),
            rows_out: Some(Amount::reported(10.0)),
            bytes_out: Some(Amount::reported(80.0)),
            ..Node::new("any", if inputs.is_empty() { Kind::Scan } else { Kind::Project })
        };
        let plan = Plan { nodes: nodes.iter().map(node).collect(), ..Plan::default() };
        let query = Query { plan: plan.into(), pins: pins.iter().copied().collect(), ..Query::default() };
        let base = crossover_scenario::read(super::super::super::examples::MODERN.text).expect("a scenario");
        let study = Placement { query: Some(Box::new(query)), ..base.placement().expect("a placement study").clone() };
        let whole = decide(&study).expect("a plan");
        let place = |node: usize| whole.operators.iter().position(|decided| decided.node == node).expect("an operator");
        let ends: Vec<_> = whole.edges.iter().map(|flow| (place(flow.edge.from), place(flow.edge.to))).collect();
        let groups = Groups::cheap(&whole, &ends, |_| false);
        let of_node = (0..nodes.len()).map(|node| groups.of[place(node)]).collect();
        (groups, of_node)
    }

    #[test]
    fn cheap_operators_are_drawn_with_the_cheap_one_that_reads_them() {
        // The result reads an expensive one, which reads two cheap ones in a row.
        let (groups, of) = groups(&[(&[1], 0.001), (&[2], 100.0), (&[3], 0.001), (&[], 0.001)], &[]);
        assert_eq!(of[2], of[3]);
        assert_eq!(groups.members.len(), 3);
        assert_ne!(of[0], of[1]);
        // The last member produces the output of its group.
        let last = groups.members[of[2]].last().copied();
        assert!(last > groups.members[of[2]].first().copied());
    }

    #[test]
    fn what_several_read_and_what_is_pinned_stands_by_itself() {
        let shared: &[(&[usize], f64)] = &[(&[1, 2], 100.0), (&[3], 0.001), (&[3], 0.001), (&[], 0.001)];
        let (groups_of_shared, _) = groups(shared, &[]);
        assert_eq!(groups_of_shared.members.len(), 4);
        let (pinned, _) = groups(&[(&[1], 100.0), (&[2], 0.001), (&[], 0.001)], &[(2, Side::Cpu)]);
        assert_eq!(pinned.members.len(), 3);
    }
}

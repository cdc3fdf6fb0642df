//! Machines of each operator, and the share of its output on each of them.

use crate::study::Query;
use crossover_query::{Graph, Kind};

/// Machines of an operator, and the distribution of its output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Machines that work on it; an exchange is worked on where its data comes from.
    pub(super) machines: f64,
    /// Share of its output on each machine that has any, 0 … 1.
    pub(super) held: f64,
    /// Data moved between machines, if it is an exchange and any data moves.
    pub(super) moved: Option<Moved>,
}

/// Data that an exchange moves, as shares of its output.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moved {
    /// Sent by each sending machine.
    pub(super) sent: f64,
    /// On the busiest link.
    pub(super) link: f64,
    /// Received by each receiving machine.
    pub(super) received: f64,
}

/// The spread of every operator, by place in [`Graph::operators`]: all machines, or one from where rows are gathered
/// up to the next shuffle.
pub(super) fn spread(query: &Query, graph: &Graph, machines: f64) -> Vec<Spread> {
    let kind = |id: usize| query.plan.nodes[id].kind;
    // Machines that hold the output of each node.
    let mut holders = vec![machines; query.plan.nodes.len()];
    let mut edges = graph.edges.iter().peekable();
    let mut spreads = Vec::with_capacity(graph.operators.len());
    for id in graph.operators.iter().copied() {
        let mut widest: Option<f64> = None;
        while let Some(edge) = edges.next_if(|edge| edge.to == id) {
            // Copies are on every machine and do not determine the distribution of the rest.
            if kind(edge.from) != Kind::Broadcast {
                widest = Some(widest.map_or(holders[edge.from], |widest| widest.max(holders[edge.from])));
            }
        }
        let at_work = widest.unwrap_or(machines);
        holders[id] = match kind(id) {
            Kind::Shuffle => machines,
            Kind::Gather => 1.0,
            _ => at_work,
        };
        let held = if kind(id) == Kind::Broadcast { 1.0 } else { 1.0 / holders[id] };
        spreads.push(Spread { machines: at_work, held, moved: moved(kind(id), machines, at_work) });
    }
    spreads
}

/// Data that an exchange moves if its input is on this many machines in equal parts.
fn moved(kind: Kind, machines: f64, senders: f64) -> Option<Moved> {
    if !kind.is_exchange() || machines <= 1.0 || kind == Kind::Gather && senders <= 1.0 {
        return None;
    }
    let not_at_home = (machines - 1.0) / machines;
    // A machine that is no sender itself gets everything from others.
    let from_others = if senders > 1.0 { not_at_home } else { 1.0 };
    Some(match kind {
        Kind::Shuffle => {
            let sent = not_at_home / senders;
            Moved { sent, link: sent, received: from_others / machines }
        }
        // A copy is passed on from machine to machine, as Spark's torrent does: no link carries more than one.
        _ => Moved { sent: 1.0 / senders, link: from_others, received: from_others },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_sends_from_every_machine_what_belongs_to_others() {
        // Four machines with a quarter each keep a quarter of it: 1/4 · 3/4 = 3/16 leave and arrive.
        let expected = Moved { sent: 0.1875, link: 0.1875, received: 0.1875 };
        assert_eq!(moved(Kind::Shuffle, 4.0, 4.0), Some(expected));
    }

    #[test]
    fn a_shuffle_of_gathered_rows_leaves_one_machine_through_its_one_link() {
        // One machine keeps its quarter and sends the other three; each other machine gets a quarter.
        let expected = Moved { sent: 0.75, link: 0.75, received: 0.25 };
        assert_eq!(moved(Kind::Shuffle, 4.0, 1.0), Some(expected));
    }

    #[test]
    fn the_link_of_the_machine_that_gathers_carries_what_all_others_have() {
        let expected = Moved { sent: 0.25, link: 0.75, received: 0.75 };
        assert_eq!(moved(Kind::Gather, 4.0, 4.0), Some(expected));
        assert_eq!(moved(Kind::Gather, 4.0, 1.0), None, "it is there already");
    }

    #[test]
    fn a_broadcast_brings_every_machine_what_it_lacks() {
        let from_all = Moved { sent: 0.25, link: 0.75, received: 0.75 };
        assert_eq!(moved(Kind::Broadcast, 4.0, 4.0), Some(from_all));
        let from_one = Moved { sent: 1.0, link: 1.0, received: 1.0 };
        assert_eq!(moved(Kind::Broadcast, 4.0, 1.0), Some(from_one));
    }

    #[test]
    fn nothing_moves_on_a_single_machine_or_in_an_operator_that_is_no_exchange() {
        for kind in Kind::ALL {
            assert_eq!(moved(kind, 1.0, 1.0), None, "{kind:?}");
            assert!(kind.is_exchange() || moved(kind, 4.0, 4.0).is_none(), "{kind:?}");
        }
    }
}

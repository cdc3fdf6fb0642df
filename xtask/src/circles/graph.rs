//! The shortest circle of a graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What each node needs.
pub(super) type Graph = BTreeMap<String, BTreeSet<String>>;

/// The nodes of a shortest circle, the first one again at the end; `None` if there is no circle.
pub(super) fn shortest_circle(graph: &Graph) -> Option<Vec<&str>> {
    graph.keys().filter_map(|start| circle_through(graph, start)).min_by_key(Vec::len)
}

/// The shortest way from a node back to it.
fn circle_through<'a>(graph: &'a Graph, start: &'a str) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(node) = waiting.pop_front() {
        for next in graph.get(node).into_iter().flatten() {
            if next == start {
                let back = std::iter::successors(Some(node), |node| came_from.get(node).copied());
                let mut circle: Vec<&str> = back.collect();
                circle.reverse();
                circle.push(start);
                return Some(circle);
            }
            if !came_from.contains_key(next.as_str()) {
                came_from.insert(next, node);
                waiting.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    }

    #[test]
    fn the_shortest_of_several_circles_is_found() {
        let edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "c"), ("e", "a")];
        assert_eq!(shortest_circle(&graph(&edges)), Some(vec!["c", "d", "c"]));
        assert_eq!(shortest_circle(&graph(&edges[..3])), Some(vec!["a", "b", "c", "a"]));
        assert_eq!(shortest_circle(&graph(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])), None);
    }
}

//! Layout of the boxes of a plan: layers from the result down to the sources, each reader above the middle of what
//! it reads, no lines through boxes.
//!
//! A plan is a tree but for results that are read again. The tree is laid out tidily (E. M. Reingold and
//! J. S. Tilford, "Tidier Drawings of Trees", 1981): subtrees are pushed together until their outlines touch. A line
//! that is not of the tree gets a column of its own down to the layer where it ends. A column is one item however
//! many layers it passes, and an outline is as many steps as it has corners: what is kept grows with the operators and
//! lines of a plan, not with its depth.

mod routes;
mod tree;

use egui::{Pos2, Rect, Vec2, pos2, vec2};

use routes::routes;
use tree::Tree;

/// Size of a box.
pub const BOX: Vec2 = vec2(220.0, 38.0);
/// From a box down to the layer below.
const LAYER_GAP: f32 = 23.0;
/// Between neighbours in a layer.
const GAP: f32 = 28.0;
/// Half the width that a line needs for itself.
const LINE: f32 = 10.0;

/// Positions of boxes and edges; y grows from the result down to the sources.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// The boxes, by place.
    pub boxes: Vec<Rect>,
    /// Layer of each box, the result's being 0.
    pub layers: Vec<usize>,
    /// The lines, by place.
    pub routes: Vec<Route>,
    /// Right and lower end of everything; the other ends are at 0.
    pub size: Vec2,
}

/// A line between two boxes.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// From the box that gives to the box that reads; vertical and horizontal parts only.
    pub points: Vec<Pos2>,
    /// Position of its label, if there is room for one.
    pub label: Option<Label>,
}

/// Position of a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Label {
    /// Its left or right end, in the middle of its height.
    pub at: Pos2,
    /// Whether `at` is its right end.
    pub ends_here: bool,
    /// Width up to the next thing.
    pub room: f32,
}

impl Layout {
    /// Lays out operators, inputs before their readers and the result last. `edges` are places (giver, reader), those
    /// of one reader in the order of its inputs.
    #[must_use]
    pub fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        if count == 0 {
            return Self::default();
        }
        let layers = layers(count, edges);
        let tree = Tree::new(&layers, edges);
        let middles = tree.middles();
        let rect = |place: usize| {
            let y = layers[place] as f32 * (BOX.y + LAYER_GAP);
            Rect::from_min_size(pos2(middles[place] - BOX.x / 2.0, y), BOX)
        };
        let boxes: Vec<Rect> = (0..count).map(rect).collect();
        let routes = routes(&boxes, edges, &tree, &middles);
        let columns = tree.columns.iter().filter_map(|column| *column).map(|column| middles[column] + LINE);
        let size = boxes.iter().fold(Vec2::ZERO, |size, rect| size.max(rect.max.to_vec2()));
        let labels = routes.iter().filter_map(|route| route.label).filter(|label| !label.ends_here);
        let ends = columns.chain(labels.map(|label| label.at.x + label.room));
        let size = vec2(ends.fold(size.x, f32::max), size.y);
        Self { boxes, layers, routes, size }
    }
}

/// Layer of each box: as near to the result as its readers allow.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut inputs = vec![Vec::new(); count];
    for (from, to) in edges {
        inputs[*to].push(*from);
    }
    let mut layers = vec![0; count];
    for reader in (0..count).rev() {
        for input in &inputs[reader] {
            layers[*input] = layers[*input].max(layers[reader] + 1);
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::routes::TURN;
    use super::{BOX, GAP, LINE, Layout};

    /// Everything has its place, no box touches another one, and no line crosses a box.
    fn check_clear(layout: &Layout, nodes: usize, edges: usize) {
        assert_eq!((layout.boxes.len(), layout.routes.len()), (nodes, edges));
        for (place, one) in layout.boxes.iter().enumerate() {
            for other in &layout.boxes[..place] {
                let apart = (one.center().x - other.center().x).abs() >= BOX.x + GAP - 0.5;
                assert!(one.top() != other.top() || apart, "{one:?} and {other:?}");
            }
            assert!(one.left() >= -0.01 && one.right() <= layout.size.x + 0.01);
        }
        let mut columns = Vec::new();
        for route in &layout.routes {
            assert!(route.points.len() > 1, "{:?}", route.points);
            let long = route.points.windows(2).find(|pair| (pair[0].y - pair[1].y).abs() >= BOX.y);
            columns.extend(long.map(|pair| (pair[0].x, egui::Rangef::new(pair[1].y, pair[0].y))));
            for pair in route.points.windows(2) {
                let is_straight = pair[0].x == pair[1].x || pair[0].y == pair[1].y;
                assert!(is_straight, "{pair:?}");
                let line = egui::Rect::from_two_pos(pair[0], pair[1]);
                let hit = layout.boxes.iter().find(|rect| rect.shrink(1.0).intersects(line));
                assert!(hit.is_none(), "{line:?} through {hit:?}");
            }
        }
        for (place, (x, passed)) in columns.iter().enumerate() {
            for (other, others) in &columns[..place] {
                let is_free = passed.min >= others.max || passed.max <= others.min;
                assert!(is_free || (x - other).abs() >= 2.0 * LINE, "two lines at {x} and {other}");
            }
        }
    }

    /// By hand: a join in the middle above its two inputs, whose middles are a box and a gap apart.
    #[test]
    fn a_reader_stands_above_the_middle_of_its_inputs() {
        let layout = Layout::new(3, &[(0, 2), (1, 2)]);
        assert_eq!(layout.layers, [1, 1, 0]);
        let middles: Vec<f32> = layout.boxes.iter().map(|rect| rect.center().x).collect();
        assert_eq!(middles, [BOX.x / 2.0, BOX.x * 1.5 + GAP, BOX.x + GAP / 2.0]);
        check_clear(&layout, 3, 2);
    }

    #[test]
    fn a_chain_is_a_straight_line() {
        let edges: Vec<(usize, usize)> = (0..9_999).map(|place| (place, place + 1)).collect();
        let layout = Layout::new(10_000, &edges);
        assert_eq!((layout.boxes.len(), layout.routes.len()), (10_000, 9_999));
        assert!(layout.boxes.iter().all(|rect| rect.left() == 0.0));
        assert!(layout.routes.iter().all(|route| route.points.iter().all(|point| point.x == BOX.x / 2.0)));
        assert_eq!(layout.layers[0], 9_999);
    }

    /// A scan (0) read by an aggregate (1), whose result and whose input meet in a join (2).
    #[test]
    fn what_is_read_again_stands_below_all_its_readers_and_its_line_goes_around() {
        let layout = Layout::new(3, &[(0, 1), (1, 2), (0, 2)]);
        assert_eq!(layout.layers, [2, 1, 0]);
        check_clear(&layout, 3, 3);
        let around = &layout.routes[2].points;
        assert!(around.iter().any(|point| point.x > layout.boxes[1].right()), "{around:?}");
        assert!(layout.routes.iter().all(|route| route.label.is_some()));
    }

    #[test]
    fn the_same_result_read_twice_has_two_lines() {
        let layout = Layout::new(2, &[(0, 1), (0, 1)]);
        check_clear(&layout, 2, 2);
        let starts: Vec<f32> = layout.routes.iter().map(|route| route.points[0].x).collect();
        assert!(starts[0] != starts[1], "{starts:?}");
    }

    #[test]
    fn results_that_nothing_reads_stand_side_by_side() {
        check_clear(&Layout::new(4, &[(0, 2), (1, 3)]), 4, 2);
    }

    #[test]
    fn an_empty_plan_has_no_size() {
        assert_eq!(Layout::new(0, &[]), Layout::default());
    }

    #[test]
    fn labels_have_room_below_the_turn_of_their_line() {
        let layout = Layout::new(3, &[(0, 2), (1, 2)]);
        assert_eq!(layout.routes.len(), 2);
        for route in &layout.routes {
            let label = route.label.expect("a label");
            assert!(label.room > BOX.x / 2.0);
            assert!(label.at.y < route.points[0].y && label.at.y > route.points[0].y - TURN);
        }
    }

    /// A chain, and lines that pass beside it.
    fn chain(readers: &[Option<usize>]) -> Layout {
        let count = readers.len() + 1;
        let beside = |(place, reader): (usize, &Option<usize>)| {
            reader.map(|reader| (place, place + 1 + reader % (count - place - 1)))
        };
        let mut edges: Vec<(usize, usize)> = (0..count - 1).map(|place| (place, place + 1)).collect();
        edges.extend(readers.iter().enumerate().filter_map(beside));
        edges.sort_by_key(|(_, to)| *to);
        Layout::new(count, &edges)
    }

    proptest! {
        #[test]
        fn lines_beside_a_chain_keep_apart(readers in prop::collection::vec(prop::option::of(0_usize..1000), 1..60)) {
            let beside = chain(&readers);
            let (nodes, edges) = (readers.len() + 1, readers.len() + readers.iter().flatten().count());
            check_clear(&beside, nodes, edges);
        }

        /// Each operator but the last is read by one to three later ones.
        #[test]
        fn boxes_keep_apart_and_lines_keep_clear_of_them(readers in prop::collection::vec(prop::collection::vec(0_usize..1000, 1..3), 1..40)) {
            let count = readers.len() + 1;
            let mut edges: Vec<(usize, usize)> = Vec::new();
            for (place, readers) in readers.iter().enumerate() {
                for reader in readers {
                    let later = count - place - 1;
                    edges.push((place, place + 1 + reader % later));
                }
            }
            edges.sort_by_key(|(_, to)| *to);
            check_clear(&Layout::new(count, &edges), count, edges.len());
        }
    }
}

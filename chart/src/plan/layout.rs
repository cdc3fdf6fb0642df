//! Layout of the boxes of a plan: layers from the result down to the sources, each reader above the middle of what
//! it reads, no lines through boxes.
//!
//! A plan is a tree but for results that are read again. The tree is laid out tidily (E. M. Reingold and
//! J. S. Tilford, "Tidier Drawings of Trees", 1981): subtrees are pushed together until their outlines touch. A line
//! that is not of the tree gets a column of its own down to the layer where it ends. A column is one item however
//! many layers it passes, and an outline is as many steps as it has corners: what is kept grows with the operators and
//! lines of a plan, not with its depth.

use std::collections::BTreeMap;
use std::ops::Range;

use egui::{Pos2, Rect, Vec2, pos2, vec2};

/// Size of a box.
pub const BOX: Vec2 = vec2(220.0, 38.0);
/// From a box down to the layer below.
const LAYER_GAP: f32 = 23.0;
/// Between neighbours in a layer.
const GAP: f32 = 28.0;
/// Half the width that a line needs for itself.
const LINE: f32 = 10.0;
/// Height above a box at which lines turn; a label is below it.
const TURN: f32 = 15.5;
/// The same for lines that are not of the tree.
const SECOND_TURN: f32 = 18.5;
/// Between two lines that enter or leave a box.
const PORT: f32 = 36.0;
/// From a line to its label.
const LABEL: f32 = 5.0;
/// Width of the longest label, and of the free space that is kept for it: "⇑ ≈ 34.35 MB · 1.373 ms".
const LABEL_ROOM: f32 = 160.0;

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

/// The outline of a laid-out subtree.
#[derive(Default)]
struct Outline {
    /// To be added to all of its numbers.
    shift: f32,
    /// Layers from its topmost to its lowest.
    height: usize,
    left: Flank,
    right: Flank,
    /// Middle of the topmost box.
    root: f32,
}

/// One side of an outline, the lowest step first.
type Flank = Vec<Step>;

/// Layers, one below the other, in which an outline is at the same place.
#[derive(Clone, Copy)]
struct Step {
    layers: usize,
    x: f32,
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

/// Boxes and columns of lines as a tree; the columns follow the boxes.
struct Tree {
    /// Layers of each: one for a box, for a column those that it passes.
    layers: Vec<Range<usize>>,
    /// Children of each item, from left to right.
    children: Vec<Vec<usize>>,
    /// Whether an edge is of the tree.
    is_spanning: Vec<bool>,
    /// The column that an edge has, if it has one.
    columns: Vec<Option<usize>>,
    boxes: usize,
}

impl Tree {
    fn new(layers: &[usize], edges: &[(usize, usize)]) -> Self {
        let boxes = layers.len();
        let mut tree = Self {
            layers: layers.iter().map(|layer| *layer..layer + 1).collect(),
            children: vec![Vec::new(); boxes],
            is_spanning: vec![false; edges.len()],
            columns: vec![None; edges.len()],
            boxes,
        };
        let mut has_parent = vec![false; boxes];
        for (edge, (from, to)) in edges.iter().copied().enumerate() {
            if layers[from] == layers[to] + 1 && !has_parent[from] {
                has_parent[from] = true;
                tree.is_spanning[edge] = true;
                tree.children[to].push(from);
                continue;
            }
            let passed = layers[to] + 1..layers[from];
            if !passed.is_empty() {
                let column = tree.layers.len();
                tree.layers.push(passed);
                tree.children.push(Vec::new());
                tree.children[to].push(column);
                tree.columns[edge] = Some(column);
            }
        }
        tree
    }

    /// Middle of every box and column.
    fn middles(&self) -> Vec<f32> {
        let order = self.downwards();
        let (mut outlines, offsets) = self.outlines(&order);
        let mut middles = vec![0.0; self.layers.len()];
        // Operators that nothing reads are side by side: as a rule the result only.
        let mut all: Option<Outline> = None;
        for root in (0..self.boxes).filter(|item| self.layers[*item].start == 0) {
            let next = std::mem::take(&mut outlines[root]);
            middles[root] = next.root + next.shift;
            all = Some(match all {
                None => next,
                Some(before) => {
                    let (joined, middle) = before.join(next);
                    middles[root] = middle;
                    joined
                }
            });
        }
        for item in order {
            for child in &self.children[item] {
                middles[*child] = middles[item] + offsets[*child];
            }
        }
        let left = (0..middles.len()).map(|item| middles[item] - self.half(item)).fold(f32::INFINITY, f32::min);
        for middle in &mut middles {
            *middle -= left;
        }
        middles
    }

    /// Every item after its parent.
    fn downwards(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.layers.len()).collect();
        order.sort_by_key(|item| self.layers[*item].start);
        order
    }

    /// The outlines of the roots, and the distance of each item to the right of its parent.
    fn outlines(&self, order: &[usize]) -> (Vec<Outline>, Vec<f32>) {
        let mut outlines: Vec<Outline> = Vec::new();
        outlines.resize_with(self.layers.len(), Outline::default);
        let mut offsets = vec![0.0; self.layers.len()];
        for item in order.iter().rev().copied() {
            outlines[item] = self.outline(item, &mut outlines, &mut offsets);
        }
        (outlines, offsets)
    }

    /// Puts the subtrees of an item side by side and the item above their middle.
    fn outline(&self, item: usize, outlines: &mut [Outline], offsets: &mut [f32]) -> Outline {
        let mut all: Option<Outline> = None;
        for child in &self.children[item] {
            let next = std::mem::take(&mut outlines[*child]);
            let (joined, middle) = match all {
                None => {
                    let middle = next.root + next.shift;
                    (next, middle)
                }
                Some(before) => before.join(next),
            };
            offsets[*child] = middle;
            all = Some(joined);
        }
        let mut all = all.unwrap_or_default();
        // A line beside a box does not push its reader away.
        let boxes: Vec<f32> =
            self.children[item].iter().filter(|child| **child < self.boxes).map(|child| offsets[*child]).collect();
        let lines: Vec<f32> = self.children[item].iter().map(|child| offsets[*child]).collect();
        let middles = if boxes.is_empty() { &lines } else { &boxes };
        let middle = match (middles.first(), middles.last()) {
            (Some(first), Some(last)) => f32::midpoint(*first, *last),
            _ => 0.0,
        };
        for child in &self.children[item] {
            offsets[*child] -= middle;
        }
        all.root = middle - all.shift;
        let layers = self.layers[item].len();
        all.height += layers;
        all.left.push(Step { layers, x: all.root - self.half(item) });
        all.right.push(Step { layers, x: all.root + self.half(item) });
        all
    }

    fn half(&self, item: usize) -> f32 {
        if item < self.boxes { BOX.x / 2.0 } else { LINE }
    }
}

impl Outline {
    /// Puts another subtree to the right of this one; returns the position of its topmost box.
    fn join(mut self, mut other: Self) -> (Self, f32) {
        let common = self.height.min(other.height);
        other.shift += self.push(&other);
        let middle = other.root + other.shift;
        // What is deeper is kept, so that a deep plan takes no longer than a wide one.
        if other.height > self.height {
            cover(&mut other.left, &self.left, common, self.shift, other.shift);
            (other, middle)
        } else {
            cover(&mut self.right, &other.right, common, other.shift, self.shift);
            (self, middle)
        }
    }

    /// Distance by which another outline must move right to be beside this one.
    fn push(&self, other: &Self) -> f32 {
        let (mut own, mut others) = (self.right.iter().rev().copied(), other.left.iter().rev().copied());
        let mut next = own.next().zip(others.next());
        let mut apart = f32::NEG_INFINITY;
        while let Some((one, another)) = next {
            apart = apart.max(one.x + self.shift - another.x - other.shift + GAP);
            let passed = one.layers.min(another.layers);
            let rest = |step: Step| Step { layers: step.layers - passed, ..step };
            let one = if one.layers > passed { Some(rest(one)) } else { own.next() };
            let another = if another.layers > passed { Some(rest(another)) } else { others.next() };
            next = one.zip(another);
        }
        apart
    }
}

/// Puts the uppermost `layers` layers of another flank in place of one's own; each is shifted by its own number.
fn cover(flank: &mut Flank, by: &[Step], layers: usize, by_shift: f32, shift: f32) {
    let mut below = layers;
    while let Some(step) = flank.last_mut().filter(|_| below > 0) {
        if step.layers > below {
            step.layers -= below;
            below = 0;
        } else {
            below -= step.layers;
            flank.pop();
        }
    }
    let uppermost = by.iter().rev().scan(layers, |left, step| {
        let taken = step.layers.min(*left);
        *left -= taken;
        (taken > 0).then_some(Step { layers: taken, x: step.x + by_shift - shift })
    });
    let uppermost: Vec<Step> = uppermost.collect();
    flank.extend(uppermost.into_iter().rev());
}

/// The lines, each from the box that gives up to the box that reads.
fn routes(boxes: &[Rect], edges: &[(usize, usize)], tree: &Tree, middles: &[f32]) -> Vec<Route> {
    // Where a line comes from below its reader decides its place among the lines that enter.
    let enters: Vec<f32> = (0..edges.len()).map(|edge| middles[tree.columns[edge].unwrap_or(edges[edge].0)]).collect();
    let tops = ports(boxes, edges.iter().map(|(_, to)| *to), &enters);
    let leaves: Vec<f32> =
        (0..edges.len()).map(|edge| tree.columns[edge].map_or(tops[edge].x, |column| middles[column])).collect();
    let bottoms = ports(boxes, edges.iter().map(|(from, _)| *from), &leaves);
    let next = right_neighbours(tree, middles);
    let mut leaving = vec![0; boxes.len()];
    for (from, _) in edges {
        leaving[*from] += 1;
    }
    let route = |(edge, (from, to)): (usize, &(usize, usize))| {
        let (bottom, top) = (&bottoms[edge], &tops[edge]);
        let (giver, reader) = (boxes[*from], boxes[*to]);
        let turn = giver.top() - if tree.is_spanning[edge] { TURN } else { SECOND_TURN };
        let mut points = vec![pos2(bottom.x, giver.top()), pos2(bottom.x, turn)];
        if let Some(column) = tree.columns[edge] {
            let x = middles[column];
            let upper = reader.bottom() + LAYER_GAP - TURN;
            points.extend([pos2(x, turn), pos2(x, upper), pos2(top.x, upper)]);
        } else {
            points.push(pos2(top.x, turn));
        }
        points.push(pos2(top.x, reader.bottom()));
        points.dedup();
        let next = next[*from].map_or(f32::INFINITY, |item| {
            let shares = item < boxes.len() && leaving[item] > 1;
            if shares { boxes[item].left() - GAP / 2.0 } else { middles[item] - 2.0 * LABEL }
        });
        Route { points, label: label(giver, bottom, next) }
    };
    edges.iter().enumerate().map(route).collect()
}

/// Right neighbour of each box in its layer.
fn right_neighbours(tree: &Tree, middles: &[f32]) -> Vec<Option<usize>> {
    let from_left = |a: &usize, b: &usize| middles[*a].total_cmp(&middles[*b]).then(a.cmp(b));
    let mut columns: Vec<usize> = (tree.boxes..tree.layers.len()).collect();
    columns.sort_by(from_left);
    // Columns by their place from the left, as long as the layer is one of theirs.
    let mut starts: Vec<usize> = (0..columns.len()).collect();
    starts.sort_by_key(|place| tree.layers[columns[*place]].start);
    let mut starts = starts.into_iter().peekable();
    let mut passing: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();

    let mut boxes: Vec<usize> = (0..tree.boxes).collect();
    boxes.sort_by(|a, b| tree.layers[*a].start.cmp(&tree.layers[*b].start).then(from_left(a, b)));
    let mut next = vec![None; tree.boxes];
    for beside in boxes.chunk_by(|a, b| tree.layers[*a].start == tree.layers[*b].start) {
        let layer = tree.layers[beside[0]].start;
        while let Some(place) = starts.next_if(|place| tree.layers[columns[*place]].start <= layer) {
            passing.insert(place, columns[place]);
            ends.entry(tree.layers[columns[place]].end).or_default().push(place);
        }
        while let Some(end) = ends.first_entry().filter(|end| *end.key() <= layer) {
            for place in end.remove() {
                passing.remove(&place);
            }
        }
        for (at, item) in beside.iter().enumerate() {
            let place = columns.partition_point(|column| from_left(column, item).is_lt());
            let column = passing.range(place..).next().map(|(_, column)| *column);
            let neighbour = beside.get(at + 1).copied();
            next[*item] = neighbour.into_iter().chain(column).min_by(|a, b| from_left(a, b));
        }
    }
    next
}

/// Where a line enters or leaves its box.
struct Port {
    x: f32,
    /// Place among the lines there, and their number.
    rank: (usize, usize),
}

/// Spreads the lines at each box in the order in which they come.
fn ports(boxes: &[Rect], ends: impl Iterator<Item = usize>, towards: &[f32]) -> Vec<Port> {
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); boxes.len()];
    let ends: Vec<usize> = ends.collect();
    for (edge, end) in ends.iter().enumerate() {
        at[*end].push(edge);
    }
    let mut ranks = vec![(0, 1); ends.len()];
    for edges in &mut at {
        edges.sort_by(|a, b| towards[*a].total_cmp(&towards[*b]));
        for (rank, edge) in edges.iter().enumerate() {
            ranks[*edge] = (rank, edges.len());
        }
    }
    let port = |(end, (rank, of)): (&usize, (usize, usize))| {
        let pitch = PORT.min((BOX.x - 24.0) / of as f32);
        let x = boxes[*end].center().x + (rank as f32 - (of as f32 - 1.0) / 2.0) * pitch;
        Port { x, rank: (rank, of) }
    };
    ends.iter().zip(ranks).map(port).collect()
}

/// Beside the line where it leaves its box: right of the rightmost line as far as `next`, left of the leftmost.
fn label(giver: Rect, port: &Port, next: f32) -> Option<Label> {
    let y = giver.top() - TURN / 2.0 + 1.0;
    let (rank, of) = port.rank;
    if rank + 1 == of {
        let at = pos2(port.x + LABEL, y);
        Some(Label { at, ends_here: false, room: (next - at.x).min(LABEL_ROOM) })
    } else if rank == 0 {
        let at = pos2(port.x - LABEL, y);
        Some(Label { at, ends_here: true, room: at.x - giver.left() + GAP / 2.0 })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BOX, GAP, LINE, Layout, TURN, Tree, layers};

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

    /// Every operator is read by the one after it and by one far from it: the lines pass more layers than could be
    /// kept one by one.
    #[test]
    fn what_is_kept_grows_with_operators_and_lines_not_with_the_depth() {
        const COUNT: usize = 10_000;
        let far = |place: usize| place + 1 + (place * 7_919) % (COUNT - place - 1);
        let mut edges: Vec<(usize, usize)> =
            (0..COUNT - 1).flat_map(|place| [(place, place + 1), (place, far(place))]).collect();
        edges.sort_by_key(|(_, to)| *to);
        let layers = layers(COUNT, &edges);
        assert_eq!(layers[0], COUNT - 1);
        let passed: usize = edges.iter().map(|(from, to)| layers[*from] - layers[*to] - 1).sum();
        assert!(passed > 10_000_000, "{passed}");
        let tree = Tree::new(&layers, &edges);
        let items = tree.layers.len();
        assert!(items <= COUNT + edges.len(), "{items}");
        let (outlines, _) = tree.outlines(&tree.downwards());
        let steps: usize = outlines.iter().map(|outline| outline.left.capacity() + outline.right.capacity()).sum();
        assert!(steps <= 4 * items, "{steps} steps of {items} items");
        let corners: usize = Layout::new(COUNT, &edges).routes.iter().map(|route| route.points.capacity()).sum();
        assert!(corners <= 8 * edges.len(), "{corners}");
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

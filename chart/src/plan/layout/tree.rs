//! Boxes, and columns of the lines that pass them, from left to right: subtrees are pushed together until their outlines touch.

use std::ops::Range;

use super::{BOX, GAP, LINE};

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

/// Boxes and columns of lines as a tree; the columns follow the boxes.
pub(super) struct Tree {
    /// Layers of each: one for a box, for a column those that it passes.
    pub(super) layers: Vec<Range<usize>>,
    /// Children of each item, from left to right.
    children: Vec<Vec<usize>>,
    /// Whether an edge is of the tree.
    pub(super) is_spanning: Vec<bool>,
    /// The column that an edge has, if it has one.
    pub(super) columns: Vec<Option<usize>>,
    pub(super) boxes: usize,
}

impl Tree {
    pub(super) fn new(layers: &[usize], edges: &[(usize, usize)]) -> Self {
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
    pub(super) fn middles(&self) -> Vec<f32> {
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

#[cfg(test)]
mod tests {
    use super::super::{Layout, layers};
    use super::Tree;

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
}

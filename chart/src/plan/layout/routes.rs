//! The lines of a plan: where each turns and passes boxes, and where there is room for its label.

use std::collections::BTreeMap;

use egui::{Rect, pos2};

use super::tree::Tree;
use super::{BOX, GAP, LAYER_GAP, Label, Route};

/// Height above a box at which lines turn; a label is below it.
pub(super) const TURN: f32 = 15.5;
/// The same for lines that are not of the tree.
const SECOND_TURN: f32 = 18.5;
/// Between two lines that enter or leave a box.
const PORT: f32 = 36.0;
/// From a line to its label.
const LABEL: f32 = 5.0;
/// Width of the longest label, and of the free space that is kept for it: "⇑ ≈ 34.35 MB · 1.373 ms".
const LABEL_ROOM: f32 = 160.0;

/// The lines, each from the box that gives up to the box that reads.
pub(super) fn routes(boxes: &[Rect], edges: &[(usize, usize)], tree: &Tree, middles: &[f32]) -> Vec<Route> {
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

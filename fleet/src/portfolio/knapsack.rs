//! A knapsack with places: each load has a weight in a range of places, and no place may hold more than the capacity. With one
//! place it is the 0/1 knapsack; with periods of time as places it limits what runs at once (unsplittable flow on a path).
//!
//! Loads that no crowded place holds are taken outright. The others fall into groups without common crowded places, each with a
//! search of its own: depth first, the load with the most value for its weight first, so that the first result is that of the
//! greedy method. A branch ends where its bound is not above the best result. The bound of a place lets loads be divided there
//! (Dantzig 1957) and takes all others; that of the branch is the smallest of all places. Every place gives a bound, so a group
//! whose lists of loads by place would be too long uses some of its places only: memory is bounded, and the search looser.

use std::ops::Range;

/// Relative differences up to this are rounding errors.
const ROUNDING: f64 = 1e-9;
/// Loads and places that the searches of all groups look at, before the rest is left to the greedy method: less than a second.
const WORK: u64 = 50_000_000;
/// Longest lists of loads by place in a group, all places together: 8 MiB. Two places are always listed.
const MOST_LISTED: usize = 1 << 20;

/// Something to take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Load {
    /// What it is worth.
    pub(super) value: f64,
    /// Its weight in each of its places.
    pub(super) weight: f64,
    /// Its first place.
    pub(super) from: usize,
    /// The place after its last one.
    pub(super) to: usize,
}

/// What is taken.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Choice {
    /// Whether each load is taken.
    pub(super) taken: Vec<bool>,
    /// Whether no other choice is worth more.
    pub(super) is_best: bool,
    /// No other choice is worth more than this in addition.
    pub(super) gap: f64,
}

/// A load that competes for crowded places.
#[derive(Debug, Clone, Copy)]
struct Contender {
    /// Its place among all loads.
    at: usize,
    load: Load,
    /// Its crowded places, counted among crowded ones.
    from: usize,
    to: usize,
}

/// The sum of the weights in each place.
pub(super) fn totals<'a>(loads: impl Iterator<Item = &'a Load>, places: usize) -> Vec<f64> {
    let mut changes = vec![0.0; places + 1];
    for load in loads {
        changes[load.from] += load.weight;
        changes[load.to] -= load.weight;
    }
    changes.truncate(places);
    let mut sum = 0.0;
    for change in &mut changes {
        sum += *change;
        *change = sum;
    }
    changes
}

/// Takes loads that are worth nothing, or less, as far as the loads that are taken leave room in every place: the ones worth most first.
pub(super) fn fill(loads: &[Load], places: usize, capacity: f64, taken: &mut [bool]) {
    let mut others: Vec<usize> = (0..loads.len()).filter(|at| !taken[*at] && loads[*at].value <= 0.0).collect();
    if others.is_empty() {
        return;
    }
    others.sort_by(|a, b| loads[*b].value.total_cmp(&loads[*a].value).then(a.cmp(b)));
    let room = capacity + capacity.abs() * ROUNDING;
    let mut used = totals(loads.iter().zip(&*taken).filter(|(_, taken)| **taken).map(|(load, _)| load), places);
    for at in others {
        let Load { weight, from, to, .. } = loads[at];
        let of_load = &mut used[from..to];
        if weight <= 0.0 || of_load.iter().all(|total| total + weight <= room) {
            taken[at] = true;
            for total in of_load.iter_mut() {
                *total += weight;
            }
        }
    }
}

/// The choice that is worth most and fits into every place.
pub(super) fn choose(loads: &[Load], places: usize, capacity: f64) -> Choice {
    choose_listing(loads, places, capacity, MOST_LISTED)
}

/// The same with lists of loads by place that are at most so long in a group.
fn choose_listing(loads: &[Load], places: usize, capacity: f64, most_listed: usize) -> Choice {
    let room = capacity + capacity.abs() * ROUNDING;
    let is_possible = |load: &&Load| load.value > 0.0 && (load.weight <= 0.0 || load.weight <= room);
    let mut taken: Vec<bool> = loads.iter().map(|load| is_possible(&load)).collect();
    let weighing = loads.iter().filter(is_possible).filter(|load| load.weight > 0.0);
    // How many crowded places are before each.
    let mut before = vec![0; places + 1];
    for (place, total) in totals(weighing, places).into_iter().enumerate() {
        before[place + 1] = before[place] + usize::from(total > room);
    }
    let mut contenders: Vec<Contender> = Vec::new();
    for (at, load) in loads.iter().enumerate().filter(|(at, load)| taken[*at] && load.weight > 0.0) {
        let (from, to) = (before[load.from], before[load.to]);
        if from < to {
            contenders.push(Contender { at, load: *load, from, to });
        }
    }
    contenders.sort_by_key(|contender| contender.from);
    let (mut work, mut is_best, mut gap) = (WORK, true, 0.0);
    let mut rest = &contenders[..];
    while let Some(first) = rest.first() {
        let mut end = first.to;
        let reaches = |contender: &&Contender| {
            let is_in = contender.from < end;
            end = end.max(contender.to);
            is_in
        };
        let count = rest.iter().take_while(reaches).count();
        let (group, others) = rest.split_at(count);
        let found = Search::new(group, room, most_listed).best(&mut work);
        for (contender, is_taken) in found.taken {
            taken[contender] = is_taken;
        }
        is_best &= found.is_complete;
        gap += found.gap;
        rest = others;
    }
    Choice { taken, is_best, gap }
}

/// The result of one group.
struct Found {
    /// Whether each contender is taken, by its place among all loads.
    taken: Vec<(usize, bool)>,
    /// Whether no other choice is worth more.
    is_complete: bool,
    /// No other choice is worth more than this in addition.
    gap: f64,
}

/// The search of one group.
struct Search {
    /// The contenders, the most value for the weight first.
    items: Vec<Contender>,
    /// First crowded place of the group.
    first: usize,
    /// Places that give bounds, counted from the first, and their contenders, by their order in `items`; the most value for the
    /// weight in one place first.
    listed: Vec<(usize, Vec<usize>)>,
    /// Room that is left in each place.
    room: Vec<f64>,
    /// Value of each contender and all after it.
    rest: Vec<f64>,
}

impl Search {
    fn new(group: &[Contender], room: f64, most_listed: usize) -> Self {
        let mut items = group.to_vec();
        let worth = |one: &Contender| one.load.value / (one.load.weight * (one.to - one.from) as f64);
        items.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.at.cmp(&b.at)));
        let first = items.iter().map(|one| one.from).min().unwrap_or(0);
        let end = items.iter().map(|one| one.to).max().unwrap_or(first);
        let density = |number: usize| items[number].load.value / items[number].load.weight;
        let mut lists: Vec<Option<Vec<usize>>> = vec![None; end - first];
        for place in places_to_list(&items, first, end - first, most_listed) {
            lists[place] = Some(Vec::new());
        }
        for (number, one) in items.iter().enumerate() {
            for numbers in lists[one.from - first..one.to - first].iter_mut().flatten() {
                numbers.push(number);
            }
        }
        let sorted = |(place, numbers): (usize, Option<Vec<usize>>)| {
            let mut numbers = numbers?;
            numbers.sort_by(|a, b| density(*b).total_cmp(&density(*a)).then(a.cmp(b)));
            Some((place, numbers))
        };
        let listed = lists.into_iter().enumerate().filter_map(sorted).collect();
        let mut rest = vec![0.0; items.len() + 1];
        for number in (0..items.len()).rev() {
            rest[number] = rest[number + 1] + items[number].load.value;
        }
        Self { room: vec![room; end - first], items, first, listed, rest }
    }

    fn best(mut self, work: &mut u64) -> Found {
        let count = self.items.len();
        let limit = self.bound(0, work);
        let (mut now, mut best) = (vec![false; count], vec![false; count]);
        let (mut value, mut most) = (0.0, None);
        let (mut depth, mut is_refused) = (0, false);
        let is_complete = loop {
            // What was taken last changes no bound upwards.
            let is_hopeless = is_refused
                && most.is_some_and(|most: f64| value + self.bound(depth, work) <= most + most.abs() * ROUNDING);
            if depth < count && !is_hopeless {
                *work = work.saturating_sub(self.places(depth).len() as u64);
                is_refused = !self.fits(depth);
                now[depth] = !is_refused;
                if now[depth] {
                    value += self.items[depth].load.value;
                    self.change_room(depth, -1.0);
                }
                depth += 1;
                continue;
            }
            if depth == count && most.is_none_or(|most| value > most) {
                most = Some(value);
                best.clone_from(&now);
            }
            if *work == 0 {
                break false;
            }
            // Back to the last one that was taken: now without it.
            let Some(last) = now[..depth].iter().rposition(|is_taken| *is_taken) else { break true };
            now[last] = false;
            value -= self.items[last].load.value;
            self.change_room(last, 1.0);
            depth = last + 1;
            is_refused = true;
        };
        let gap = if is_complete { 0.0 } else { (limit - most.unwrap_or(0.0)).max(0.0) };
        Found { taken: self.items.iter().map(|one| one.at).zip(best).collect(), is_complete, gap }
    }

    fn places(&self, number: usize) -> Range<usize> {
        let Contender { from, to, .. } = self.items[number];
        from - self.first..to - self.first
    }

    fn fits(&self, number: usize) -> bool {
        let weight = self.items[number].load.weight;
        self.room[self.places(number)].iter().all(|room| weight <= room + weight * ROUNDING)
    }

    /// Changes the room in the places of a contender by so many times its weight.
    fn change_room(&mut self, number: usize, times: f64) {
        let change = times * self.items[number].load.weight;
        let places = self.places(number);
        for room in &mut self.room[places] {
            *room += change;
        }
    }

    /// More than this cannot be added by the contenders from this one on.
    fn bound(&self, depth: usize, work: &mut u64) -> f64 {
        let mut least = self.rest[depth];
        for (place, numbers) in &self.listed {
            *work = work.saturating_sub(numbers.len() as u64);
            let (mut room, mut all, mut fitting) = (self.room[*place], 0.0, 0.0);
            for number in numbers.iter().filter(|number| **number >= depth) {
                let Load { value, weight, .. } = self.items[*number].load;
                all += value;
                let part = (room / weight).clamp(0.0, 1.0);
                fitting += value * part;
                room -= weight * part;
            }
            least = least.min(self.rest[depth] - all + fitting);
        }
        least
    }
}

/// Places that give bounds in a group with so many from the first, counted from that: all, or the fullest and evenly spaced ones, so
/// that their lists have at most so many loads; two places at least.
fn places_to_list(items: &[Contender], first: usize, places: usize, most_listed: usize) -> Vec<usize> {
    let all: usize = items.iter().map(|one| one.to - one.from).sum();
    if all <= most_listed {
        return (0..places).collect();
    }
    // No place has more than all contenders.
    let count = (most_listed / items.len().max(1)).max(2) - 1;
    let mut chosen: Vec<usize> = (0..places).step_by(places.div_ceil(count).max(1)).collect();
    let in_group = |one: &Contender| Load { from: one.from - first, to: one.to - first, ..one.load };
    let moved: Vec<Load> = items.iter().map(in_group).collect();
    let weights = totals(moved.iter(), places);
    let fullest = (0..places).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
    chosen.extend(fullest.filter(|fullest| !chosen.contains(fullest)));
    chosen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn load(value: f64, weight: f64, from: usize, to: usize) -> Load {
        Load { value, weight, from, to }
    }

    #[test]
    fn the_greedy_method_is_improved_upon() {
        // By value for weight the first comes first, and keeps the other two out.
        let loads = [load(6.0, 5.0, 0, 1), load(5.0, 5.0, 0, 1), load(5.0, 5.0, 0, 1), load(7.0, 6.0, 0, 1)];
        let found = choose(&loads, 1, 10.0);
        assert_eq!(found, Choice { taken: vec![true, true, false, false], is_best: true, gap: 0.0 });
        let loads = [load(9.0, 6.0, 0, 1), load(7.0, 5.0, 0, 1), load(7.0, 5.0, 0, 1)];
        assert_eq!(choose(&loads, 1, 10.0).taken, [false, true, true]);
    }

    #[test]
    fn what_is_too_heavy_or_worth_nothing_is_left_out_and_what_weighs_nothing_is_taken() {
        let loads = [load(9.0, 11.0, 0, 2), load(0.0, 1.0, 0, 1), load(-1.0, 0.0, 0, 1), load(1.0, 0.0, 0, 2)];
        assert_eq!(choose(&loads, 2, 10.0).taken, [false, false, false, true]);
    }

    #[test]
    fn what_is_worth_nothing_fills_the_room_that_is_left() {
        // Of a room of 10 in two places, 6 are taken in the first one.
        let loads = [
            load(9.0, 6.0, 0, 1),
            load(-3.0, 5.0, 1, 2),
            load(-1.0, 5.0, 0, 2),
            load(-2.0, 4.0, 0, 2),
            load(-4.0, 0.0, 0, 1),
        ];
        let mut taken = choose(&loads, 2, 10.0).taken;
        assert_eq!(taken, [true, false, false, false, false]);
        fill(&loads, 2, 10.0, &mut taken);
        // The third one does not fit into the first place, and then 4 and 5 fit into the second one.
        assert_eq!(taken, [true, true, false, true, true]);
    }

    #[test]
    fn places_do_not_compete_with_each_other() {
        let loads = [load(1.0, 4.0, 0, 1), load(2.0, 4.0, 0, 1), load(3.0, 4.0, 1, 2), load(4.0, 4.0, 2, 3)];
        assert_eq!(choose(&loads, 3, 4.0).taken, [false, true, true, true]);
        assert_eq!(totals(loads.iter(), 3), [8.0, 4.0, 4.0]);
    }

    #[test]
    fn a_search_without_an_end_in_sight_keeps_the_best_so_far() {
        // As many as cannot be tried, all about equally good for their weight.
        let numbers = (0..4000_u32).map(|number| f64::from(number * 7919 % 4001 + 1000));
        let loads: Vec<Load> = numbers.map(|weight| load(weight + weight.sqrt(), weight, 0, 1)).collect();
        let half: f64 = loads.iter().map(|load| load.weight).sum::<f64>() / 2.0;
        let found = choose(&loads, 1, half);
        let sum = |of: fn(&Load) -> f64| -> f64 {
            loads.iter().zip(&found.taken).filter(|(_, taken)| **taken).map(|(load, _)| of(load)).sum()
        };
        assert!(sum(|load| load.weight) <= half * (1.0 + 1e-9));
        // All loads together are worth a little more than they weigh.
        assert!(sum(|load| load.value) > 0.99 * half);
        // The bound of the search is that of loads which may be divided, so it is at most a load away.
        assert!(found.is_best || (0.0..5100.0).contains(&found.gap), "{}", found.gap);
    }

    /// Without a bound on the lists, they would have 12 million loads.
    #[test]
    fn ten_thousand_applications_and_a_hundred_thousand_machines_take_a_bounded_memory() {
        const COUNT: usize = 10_000;
        const PLACES: usize = 2_000;
        const CAPACITY: f64 = 100_000.0;
        let load_of = |number: usize| {
            // 7919, 104729 and 31 have no common factor with what they are divided by.
            let (from, length) = (number * 7919 % 800, 1 + number * 104_729 % 1199);
            load(1.0 + (number * 31 % 997) as f64, 1.0 + (number % 100) as f64, from, from + length)
        };
        let loads: Vec<Load> = (0..COUNT).map(load_of).collect();
        assert!(totals(loads.iter(), PLACES).into_iter().fold(0.0, f64::max) > CAPACITY, "some places are crowded");
        let contenders = loads.iter().enumerate();
        let contenders: Vec<Contender> =
            contenders.map(|(at, load)| Contender { at, load: *load, from: load.from, to: load.to }).collect();
        let search = Search::new(&contenders, CAPACITY, MOST_LISTED);
        let listed: usize = search.listed.iter().map(|(_, numbers)| numbers.len()).sum();
        assert!(listed <= MOST_LISTED && search.listed.len() >= 2, "{listed} loads in lists");
        let found = choose(&loads, PLACES, CAPACITY);
        let taken = || loads.iter().zip(&found.taken).filter(|(_, taken)| **taken).map(|(load, _)| load);
        assert!(totals(taken(), PLACES).into_iter().all(|total| total <= CAPACITY * (1.0 + 1e-6)));
        // Any other choice that fits is worth at most the gap more: here that of the most valuable loads.
        let mut by_value: Vec<&Load> = loads.iter().collect();
        by_value.sort_by(|a, b| b.value.total_cmp(&a.value));
        let mut room = vec![CAPACITY; PLACES];
        let mut other = 0.0;
        for load in by_value {
            if room[load.from..load.to].iter().all(|room| load.weight <= *room) {
                room[load.from..load.to].iter_mut().for_each(|room| *room -= load.weight);
                other += load.value;
            }
        }
        let value: f64 = taken().map(|load| load.value).sum();
        assert!(other > 0.0 && other <= value + found.gap, "{other}, {value} and at most {} more", found.gap);
    }

    proptest! {
        /// Bounds of few places are looser, but still bounds.
        #[test]
        fn short_lists_change_no_best_choice(
            numbers in proptest::collection::vec((1_u32..100, 1_u32..10, 0_usize..6, 1_usize..4), 1..11),
            capacity in 0_u32..30,
        ) {
            let load_of = |(value, weight, from, length): &(u32, u32, usize, usize)| {
                load(f64::from(*value), f64::from(*weight), *from, from + length)
            };
            let loads: Vec<Load> = numbers.iter().map(load_of).collect();
            let (places, capacity) = (9, f64::from(capacity));
            let of = |subset: u32| {
                loads.iter().enumerate().filter(move |(at, _)| subset & (1 << at) != 0).map(|(_, load)| load)
            };
            let fits = |subset: &u32| totals(of(*subset), places).into_iter().all(|total| total <= capacity);
            let value = |subset: u32| of(subset).map(|load| load.value).sum::<f64>();
            let best = (0..1_u32 << loads.len()).filter(fits).map(value).fold(0.0, f64::max);
            for most_listed in [0, 5, usize::MAX] {
                let found = choose_listing(&loads, places, capacity, most_listed);
                let taken = loads.iter().zip(&found.taken).filter(|(_, taken)| **taken);
                let value: f64 = taken.map(|(load, _)| load.value).sum();
                prop_assert_eq!((value, found.is_best, found.gap), (best, true, 0.0), "{} listed", most_listed);
            }
        }
    }
}

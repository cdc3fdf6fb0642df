//! A knapsack with places: each load has a weight in a range of places, and no place may hold more than the capacity. With one
//! place it is the 0/1 knapsack; with periods of time as places it limits what runs at once (unsplittable flow on a path).
//!
//! Loads that no crowded place holds are taken outright. The others fall into groups without common crowded places, each with a
//! search of its own: depth first, the load with the most value for its weight first, so that the first result is that of the
//! greedy method. A branch ends where its bound is not above the best result. The bound of a place lets loads be divided there
//! (Dantzig 1957) and takes all others; that of the branch is the smallest of all places.

/// Relative differences up to this are rounding errors.
const ROUNDING: f64 = 1e-9;
/// Loads that bounds look at in all groups together, before the rest is left to the greedy method: less than a second.
const WORK: u64 = 50_000_000;

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

/// The choice that is worth most and fits into every place.
pub(super) fn choose(loads: &[Load], places: usize, capacity: f64) -> Choice {
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
    let (mut work, mut is_best) = (WORK, true);
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
        let (of_group, is_complete) = Search::new(group, room).best(&mut work);
        for (contender, is_taken) in of_group {
            taken[contender] = is_taken;
        }
        is_best &= is_complete;
        rest = others;
    }
    Choice { taken, is_best }
}

/// The search of one group.
struct Search {
    /// The contenders, the most value for the weight first.
    items: Vec<Contender>,
    /// First crowded place of the group.
    first: usize,
    /// The contenders of each place, by their order in `items`; the most value for the weight in one place first.
    of_place: Vec<Vec<usize>>,
    /// Room that is left in each place.
    room: Vec<f64>,
    /// Value of each contender and all after it.
    rest: Vec<f64>,
}

impl Search {
    fn new(group: &[Contender], room: f64) -> Self {
        let mut items = group.to_vec();
        let worth = |one: &Contender| one.load.value / (one.load.weight * (one.to - one.from) as f64);
        items.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.at.cmp(&b.at)));
        let first = items.iter().map(|one| one.from).min().unwrap_or(0);
        let end = items.iter().map(|one| one.to).max().unwrap_or(first);
        let mut of_place: Vec<Vec<usize>> = vec![Vec::new(); end - first];
        for (number, one) in items.iter().enumerate() {
            for place in one.from..one.to {
                of_place[place - first].push(number);
            }
        }
        let density = |number: usize| items[number].load.value / items[number].load.weight;
        for numbers in &mut of_place {
            numbers.sort_by(|a, b| density(*b).total_cmp(&density(*a)).then(a.cmp(b)));
        }
        let mut rest = vec![0.0; items.len() + 1];
        for number in (0..items.len()).rev() {
            rest[number] = rest[number + 1] + items[number].load.value;
        }
        Self { room: vec![room; of_place.len()], items, first, of_place, rest }
    }

    /// Whether each contender is taken, and whether no other choice is worth more.
    fn best(mut self, work: &mut u64) -> (Vec<(usize, bool)>, bool) {
        let count = self.items.len();
        let (mut now, mut best) = (vec![false; count], vec![false; count]);
        let (mut value, mut most) = (0.0, None);
        let (mut depth, mut is_refused) = (0, false);
        let is_complete = loop {
            // What was taken last changes no bound upwards.
            let is_hopeless = is_refused
                && most.is_some_and(|most: f64| value + self.bound(depth, work) <= most + most.abs() * ROUNDING);
            if depth < count && !is_hopeless {
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
        (self.items.iter().map(|one| one.at).zip(best).collect(), is_complete)
    }

    fn places(&self, number: usize) -> std::ops::Range<usize> {
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
        for (numbers, room) in self.of_place.iter().zip(&self.room) {
            *work = work.saturating_sub(numbers.len() as u64);
            let (mut room, mut all, mut fitting) = (*room, 0.0, 0.0);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn load(value: f64, weight: f64, from: usize, to: usize) -> Load {
        Load { value, weight, from, to }
    }

    #[test]
    fn the_greedy_method_is_improved_upon() {
        // By value for weight the first comes first, and keeps the other two out.
        let loads = [load(6.0, 5.0, 0, 1), load(5.0, 5.0, 0, 1), load(5.0, 5.0, 0, 1), load(7.0, 6.0, 0, 1)];
        let found = choose(&loads, 1, 10.0);
        assert_eq!(found, Choice { taken: vec![true, true, false, false], is_best: true });
        let loads = [load(9.0, 6.0, 0, 1), load(7.0, 5.0, 0, 1), load(7.0, 5.0, 0, 1)];
        assert_eq!(choose(&loads, 1, 10.0).taken, [false, true, true]);
    }

    #[test]
    fn what_is_too_heavy_or_worth_nothing_is_left_out_and_what_weighs_nothing_is_taken() {
        let loads = [load(9.0, 11.0, 0, 2), load(0.0, 1.0, 0, 1), load(-1.0, 0.0, 0, 1), load(1.0, 0.0, 0, 2)];
        assert_eq!(choose(&loads, 2, 10.0).taken, [false, false, false, true]);
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
    }
}

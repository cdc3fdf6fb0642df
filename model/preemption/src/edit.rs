//! Edits that keep a study consistent: names stay unique, and sources follow their fields.

use super::study::{Kernel, Launch, MOST_KERNELS, MOST_PAIRS, Pair, Preemption};
use super::table::Basis;
use crossover_quantity::invalid::free_name;
use crossover_quantity::provenance::Provenance;
use crossover_study::sources;

/// Provenance of the numbers of a pair that are assumed from classes. Stored in scenario files.
const BY_CLASSES: &str = "the classes of both kernels, as they were when the pair was added";

impl Preemption {
    /// Adds a kernel at the end, under a free name; returns its position, or none if the study has the most kernels already.
    pub fn add_kernel(&mut self, mut kernel: Kernel) -> Option<usize> {
        if self.kernels.len() >= MOST_KERNELS {
            return None;
        }
        kernel.name = free_name(&kernel.name, self.kernels.iter().map(|other| other.name.as_str()));
        self.kernels.push(kernel);
        Some(self.kernels.len() - 1)
    }

    /// Removes a kernel unless it is the last one, with its pairs and its launches.
    pub fn remove_kernel(&mut self, index: usize) {
        if self.kernels.len() < 2 || index >= self.kernels.len() {
            return;
        }
        let gone = self.kernels.remove(index).name;
        let keeps = |pair: &Pair| pair.first != gone && pair.second != gone;
        let places = kept(&self.pairs, keeps);
        sources::move_entries(self, "pairs", |place| places.get(place).copied().flatten());
        self.pairs.retain(keeps);
        let stays = |launch: &Launch| launch.kernel != gone;
        let places = kept(&self.stream.listed, stays);
        sources::move_entries(self, "stream.listed", |place| places.get(place).copied().flatten());
        self.stream.listed.retain(stays);
        sources::purge(self);
    }

    /// A pair, in either order.
    #[must_use]
    pub fn pair(&self, first: &str, second: &str) -> Option<&Pair> {
        self.pairs.get(self.place_of_pair(first, second)?)
    }

    /// The position of a pair, in either order.
    #[must_use]
    pub fn place_of_pair(&self, first: &str, second: &str) -> Option<usize> {
        self.pairs.iter().position(|pair| is_of(pair, first, second))
    }

    /// Whether both numbers of a pair, by its position, are assumed or fitted, not measured or entered.
    #[must_use]
    pub fn is_unmeasured(&self, place: usize) -> bool {
        self.bases(place).iter().all(|basis| *basis != Basis::Measured)
    }

    /// The basis of both numbers of a pair, by its position.
    #[must_use]
    pub fn bases(&self, place: usize) -> [Basis; 2] {
        [&Pair::FIRST_NORMALISED, &Pair::SECOND_NORMALISED].map(|number| {
            match self.sources.get(&format!("pairs.{place}.{}", number.key)) {
                Some(Provenance::Fitted { runs, .. }) if runs == BY_CLASSES => Basis::Classes,
                Some(Provenance::Fitted { .. }) => Basis::Fitted,
                _ => Basis::Measured,
            }
        })
    }

    /// Adds or resets a pair with the values of its classes: each number is assumed until it is entered. Returns its position; none if
    /// a kernel is missing or the study has the most pairs already.
    pub fn put_assumed(&mut self, first: &str, second: &str) -> Option<usize> {
        let class = |name: &str| self.kernels.iter().find(|kernel| kernel.name == name).map(|kernel| kernel.class);
        let (first_class, second_class) = (class(first)?, class(second)?);
        let first_normalised = self.fallback.of(first_class, second_class);
        let second_normalised = self.fallback.of(second_class, first_class);
        let pair = Pair { first: first.to_owned(), second: second.to_owned(), first_normalised, second_normalised };
        let place = self.put_pair(pair)?;
        // The classes give the sum; its division is assumed, and neither is faster than alone.
        let least = first_normalised + second_normalised - 1.0;
        for (number, value) in
            [(&Pair::FIRST_NORMALISED, first_normalised), (&Pair::SECOND_NORMALISED, second_normalised)]
        {
            let interval = (least.clamp(number.min, value), 1.0_f64.max(value));
            let source = Provenance::Fitted { runs: BY_CLASSES.to_owned(), interval };
            self.sources.insert(format!("pairs.{place}.{}", number.key), source);
        }
        Some(place)
    }

    /// Adds or replaces a pair, and removes the sources and spreads of a replaced one. Returns its position; none if the study has the
    /// most pairs already.
    pub fn put_pair(&mut self, pair: Pair) -> Option<usize> {
        self.put_pair_at(self.place_of_pair(&pair.first, &pair.second), pair)
    }

    /// The same with the known position of the pair, if it exists.
    pub(super) fn put_pair_at(&mut self, place: Option<usize>, pair: Pair) -> Option<usize> {
        let Some(place) = place else {
            if self.pairs.len() >= MOST_PAIRS {
                return None;
            }
            self.pairs.push(pair);
            return Some(self.pairs.len() - 1);
        };
        for number in [&Pair::FIRST_NORMALISED, &Pair::SECOND_NORMALISED] {
            let path = format!("pairs.{place}.{}", number.key);
            self.sources.remove(&path);
            self.uncertain.remove(&path);
        }
        self.pairs[place] = pair;
        Some(place)
    }

    /// Removes a pair: the values of its classes apply again.
    pub fn remove_pair(&mut self, index: usize) {
        if index < self.pairs.len() {
            self.pairs.remove(index);
            sources::move_entries(self, "pairs", |place| match place.cmp(&index) {
                std::cmp::Ordering::Less => Some(place),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => Some(place - 1),
            });
        }
    }
}

fn is_of(pair: &Pair, first: &str, second: &str) -> bool {
    (pair.first == first && pair.second == second) || (pair.first == second && pair.second == first)
}

/// The position of each entry after the removal; none for removed ones.
fn kept<T>(entries: &[T], keeps: impl Fn(&T) -> bool) -> Vec<Option<usize>> {
    let mut count = 0;
    let place = |entry: &T| {
        keeps(entry).then(|| {
            count += 1;
            count - 1
        })
    };
    entries.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Table;
    use crossover_study::validate;

    /// A and B wait for memory, C computes; classes keep 0.7265 beside each other, or 0.769. Pairs of A with B and C are entered.
    fn published() -> Preemption {
        crossover_needs::study_in(include_str!("../../../scenarios/preemption-published.ron"))
    }

    #[test]
    fn a_new_pair_is_assumed_and_only_entered_numbers_count_as_known() {
        let mut study = published();
        let place = study.put_assumed("B", "C").expect("there is room");
        let pair = study.pairs[place].clone();
        assert_eq!((pair.first_normalised, pair.second_normalised), (0.769, 0.769));
        assert_eq!((study.bases(place), study.is_unmeasured(place)), ([Basis::Classes; 2], true));
        // Together 1.538: if one has all of its speed, the other has 0.538.
        let source = study.sources.get(&format!("pairs.{place}.first_normalised"));
        let Some(Provenance::Fitted { interval: (low, high), .. }) = source else { panic!("{source:?}") };
        assert!((low - 0.538).abs() < 1e-12 && *high == 1.0, "{low} {high}");
        assert!(validate(&study).is_ok());
        // What forms do with a number that is entered.
        study.pairs[place].second_normalised = 0.9;
        study.sources.remove(&format!("pairs.{place}.second_normalised"));
        assert_eq!((study.bases(place), study.is_unmeasured(place)), ([Basis::Classes, Basis::Measured], false));
        let table = Table::new(&study);
        assert_eq!((table.is_measured(1, 2), table.is_measured(2, 1), table.normalised(2, 1)), (false, true, 0.9));
        assert_eq!(study.put_assumed("B", "absent"), None);
    }

    #[test]
    fn of_two_kernels_of_one_kind_an_entered_number_takes_precedence_over_an_assumed_one() {
        let mut study = published();
        let place = study.put_assumed("A", "A").expect("there is room");
        let table = Table::new(&study);
        assert_eq!((table.basis(0, 0), table.normalised(0, 0)), (Basis::Classes, 0.7265));
        study.pairs[place].second_normalised = 0.6;
        study.sources.remove(&format!("pairs.{place}.second_normalised"));
        let table = Table::new(&study);
        assert_eq!((table.basis(0, 0), table.normalised(0, 0)), (Basis::Measured, 0.6));
    }
}

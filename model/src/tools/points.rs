//! Numbered points at which a tool evaluates a study: all of them here, or every so many of them, to be put together with
//! those of other machines.

use std::str::FromStr;

use rayon::prelude::*;

use crate::invalid::Invalid;
use crate::study::Watch;

/// Most shards of one run of a tool.
pub const MOST_SHARDS: usize = 1_000_000;

/// What a study answers at a point: a value for each figure that is asked for, not a number where it has none; or why it
/// allows no such point.
pub type At = Result<Vec<f64>, Invalid>;

/// A tool that knows where a study is evaluated, and what comes of the values.
pub trait Pointwise: Sync {
    /// What is moved from point to point.
    type State: Send;
    /// What comes of all values.
    type Found;
    /// Why nothing comes of them.
    type Error;

    /// How many points there are; they are numbered from 0.
    fn points(&self) -> usize;

    /// How many values each point has.
    fn figures(&self) -> usize;

    /// What is moved, as it is at first.
    fn start(&self) -> Self::State;

    /// The values at a point, which depend on nothing but its number; `None` if it was called off.
    fn at(&self, state: &mut Self::State, number: usize, watch: Watch<'_>) -> Option<At>;

    /// What comes of the values of all points, by their numbers.
    ///
    /// # Errors
    /// Where nothing comes of them, as where no point is allowed.
    fn conclude(self, values: Vec<At>) -> Result<Self::Found, Self::Error>;
}

/// What comes of a tool whose points are all evaluated here, on all cores; `None` if it was called off. The same on any number
/// of threads. Counts points.
///
/// # Errors
/// Those of [`Pointwise::conclude`].
pub fn evaluate<T: Pointwise>(tool: T, watch: Watch<'_>) -> Result<Option<T::Found>, T::Error> {
    match values(&tool, 0..tool.points(), watch) {
        Some(values) => tool.conclude(values).map(Some),
        None => Ok(None),
    }
}

/// The values of the points of a shard, in their order, evaluated on all cores; `None` if it was called off. Counts points.
#[must_use]
pub fn evaluate_shard<T: Pointwise>(tool: &T, shard: Shard, watch: Watch<'_>) -> Option<Vec<At>> {
    let numbers: Vec<usize> = shard.numbers(tool.points()).collect();
    values(tool, numbers, watch)
}

fn values<T: Pointwise>(
    tool: &T,
    numbers: impl IntoParallelIterator<Item = usize, Iter: IndexedParallelIterator>,
    watch: Watch<'_>,
) -> Option<Vec<At>> {
    let one = |state: &mut T::State, number: usize| {
        if watch.is_cancelled() {
            return None;
        }
        let found = tool.at(state, number, watch)?;
        watch.count(1);
        Some(found)
    };
    numbers.into_par_iter().map_init(|| tool.start(), one).collect()
}

/// One of several parts of the points of a tool: every so many of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    place: usize,
    of: usize,
}

/// A text is no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not of the form I/N with I from 1 to N, e.g. 1/8 … 8/8; N is at most {MOST_SHARDS}")]
pub struct NoShard(String);

impl Shard {
    /// A shard by its place, counted from 1, of so many.
    ///
    /// # Errors
    /// [`NoShard`] if there is no such shard.
    pub fn new(place: usize, of: usize) -> Result<Self, NoShard> {
        let is_one = (1..=of).contains(&place) && of <= MOST_SHARDS;
        if is_one { Ok(Self { place, of }) } else { Err(NoShard(format!("{place}/{of}"))) }
    }

    /// Which it is, counted from 1.
    #[must_use]
    pub fn place(self) -> usize {
        self.place
    }

    /// How many there are.
    #[must_use]
    pub fn of(self) -> usize {
        self.of
    }

    /// The numbers of its points, if there are so many in all.
    pub fn numbers(self, points: usize) -> impl Iterator<Item = usize> {
        (self.place - 1..points).step_by(self.of)
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    /// Reads "2/8".
    fn from_str(text: &str) -> Result<Self, NoShard> {
        let no_shard = || NoShard(text.to_owned());
        let (place, of) = text.split_once('/').ok_or_else(no_shard)?;
        let number = |text: &str| text.trim().parse().map_err(|_| no_shard());
        Self::new(number(place)?, number(of)?).map_err(|_| no_shard())
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "shard {} of {}", self.place, self.of)
    }
}

/// Why shards make no whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardsError {
    /// The points were divided in different ways.
    #[error("{0} and {1} are not of one division")]
    Division(Shard, Shard),
    /// A shard is there twice.
    #[error("{0} is there twice")]
    Twice(Shard),
    /// Some are not there.
    #[error("of {of} shards {} missing", missing(.places))]
    Missing {
        /// Which, counted from 1.
        places: Vec<usize>,
        /// How many there are.
        of: usize,
    },
    /// A shard has not the values of its points.
    #[error("{0} does not hold the values of its points: it is of another run, or was changed")]
    Values(Shard),
}

/// "2 is", "2, 5 and 7 are", "2, 5, 7 … (812 of them) are".
fn missing(places: &[usize]) -> String {
    let listed = |places: &[usize]| places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match places {
        [one] => format!("{one} is"),
        [first @ .., last] if places.len() <= 20 => format!("{} and {last} are", listed(first)),
        _ => format!("{} … ({} of them) are", listed(&places[..places.len().min(20)]), places.len()),
    }
}

/// The values of all points of a tool, from those of all its shards in any order.
///
/// # Errors
/// [`ShardsError`] if they are not all of one run, each once.
pub fn together<T: Pointwise>(tool: &T, shards: Vec<(Shard, Vec<At>)>) -> Result<Vec<At>, ShardsError> {
    let Some(first) = shards.first().map(|(shard, _)| *shard) else {
        return Err(ShardsError::Missing { places: vec![1], of: 1 });
    };
    let mut by_place: Vec<Option<Vec<At>>> = Vec::new();
    by_place.resize_with(first.of, || None);
    for (shard, values) in shards {
        if shard.of != first.of {
            return Err(ShardsError::Division(first, shard));
        }
        let has_all = |at: &At| at.as_ref().map_or(true, |values| values.len() == tool.figures());
        if values.len() != shard.numbers(tool.points()).count() || !values.iter().all(has_all) {
            return Err(ShardsError::Values(shard));
        }
        if by_place[shard.place - 1].replace(values).is_some() {
            return Err(ShardsError::Twice(shard));
        }
    }
    let places: Vec<usize> = (1..=first.of).filter(|place| by_place[place - 1].is_none()).collect();
    if !places.is_empty() {
        return Err(ShardsError::Missing { places, of: first.of });
    }
    let mut each: Vec<_> = by_place.into_iter().flatten().map(Vec::into_iter).collect();
    let of = each.len();
    Ok((0..tool.points()).filter_map(|number| each[number % of].next()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The squares of numbers; 3 is not allowed.
    struct Squares(usize);

    impl Pointwise for Squares {
        type State = ();
        type Found = Vec<At>;
        type Error = ();

        fn points(&self) -> usize {
            self.0
        }

        fn figures(&self) -> usize {
            1
        }

        fn start(&self) {}

        fn at(&self, (): &mut (), number: usize, _: Watch<'_>) -> Option<At> {
            let refused = Invalid { path: "number".to_owned(), problem: "is 3".to_owned() };
            Some(if number == 3 { Err(refused) } else { Ok(vec![(number * number) as f64]) })
        }

        fn conclude(self, values: Vec<At>) -> Result<Vec<At>, ()> {
            Ok(values)
        }
    }

    fn shards(tool: &Squares, of: usize) -> Vec<(Shard, Vec<At>)> {
        let one = |place| {
            let shard = Shard::new(place, of).expect("a shard");
            (shard, Watch::nobody(|watch| evaluate_shard(tool, shard, watch)).expect("all"))
        };
        (1..=of).rev().map(one).collect()
    }

    #[test]
    fn shards_put_together_are_the_whole() {
        for points in [1, 5, 24] {
            let squares = Squares(points);
            let whole = Watch::nobody(|watch| evaluate(Squares(points), watch)).expect("no error").expect("all");
            assert_eq!(whole.len(), points);
            assert_eq!(whole.last().cloned(), Some(Ok(vec![((points - 1) * (points - 1)) as f64])));
            for of in [1, 2, 7, 30] {
                assert_eq!(together(&squares, shards(&squares, of)).expect("all"), whole, "{points} in {of}");
            }
        }
    }

    #[test]
    fn what_is_no_whole_is_said() {
        let tool = Squares(10);
        let told = |shards: Vec<(Shard, Vec<At>)>| together(&tool, shards).expect_err("no whole").to_string();
        let mut some = shards(&tool, 4);
        some.truncate(2);
        assert_eq!(told(some.clone()), "of 4 shards 1 and 2 are missing");
        let twice = some[0].clone();
        some.push(twice);
        assert_eq!(told(some), "shard 4 of 4 is there twice");
        let mut mixed = shards(&tool, 4);
        mixed.push(shards(&tool, 3).remove(0));
        assert_eq!(told(mixed), "shard 4 of 4 and shard 3 of 3 are not of one division");
        let mut short = shards(&tool, 4);
        short[1].1.pop();
        assert!(told(short).starts_with("shard 3 of 4 does not hold"), "one value is gone");
        assert_eq!(told(Vec::new()), "of 1 shards 1 is missing");
        let mut most = shards(&tool, 40);
        most.truncate(1);
        assert!(told(most).ends_with("19, 20 … (39 of them) are missing"), "not all are named");
    }

    #[test]
    fn a_shard_is_read_from_its_place_and_their_number() {
        let shard: Shard = "2/3".parse().expect("a shard");
        assert_eq!((shard.place(), shard.of(), shard.numbers(9).collect::<Vec<_>>()), (2, 3, vec![1, 4, 7]));
        for text in ["0/3", "4/3", "1/0", "1", "/", "a/b", "-1/3", "1/2000000", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err_and(|error| error.to_string().contains(text)), "{text}");
        }
    }
}

//! Numbered points at which a tool evaluates a study: all of them here, or a shard of them, to be merged with those of other
//! machines.

use std::str::FromStr;

use rayon::prelude::*;

use super::batch::Batch;
pub use super::values::At;
use super::values::Values;
use crossover_study::Watch;
use crossover_study::formula::{LANES, Registers};

/// Most shards of one run of a tool.
pub const MOST_SHARDS: usize = 1_000_000;

/// A tool that evaluates a study at numbered points, and computes a result from the values.
pub trait Pointwise: Sync {
    /// The state that is set to each point.
    type State: Send;
    /// The result of all values.
    type Found;
    /// Why there is no result.
    type Error;

    /// How many points there are; they are numbered from 0.
    fn points(&self) -> usize;

    /// How many values each point has.
    fn figures(&self) -> usize;

    /// The initial state.
    fn start(&self) -> Self::State;

    /// The values at a point, which depend on nothing but its number; `None` if it was cancelled.
    fn at(&self, state: &mut Self::State, number: usize, watch: Watch<'_>) -> Option<At>;

    /// The same values as formulas of numbers that vary; `None`: they are evaluated point by point.
    fn batch(&self) -> Option<&Batch> {
        None
    }

    /// Columns that [`inputs`](Self::inputs) writes: one for each number that varies, and what it needs besides.
    fn columns(&self) -> usize {
        0
    }

    /// The numbers that vary at some points, each within its range: writes `columns[number][place of the point]`.
    fn inputs(&self, points: &[usize], columns: &mut [Vec<f64>]) {
        let _ = (points, columns);
    }

    /// The result of the values of all points, by their numbers.
    ///
    /// # Errors
    /// If there is no result, such as where no point is valid.
    fn conclude(self, values: Values) -> Result<Self::Found, Self::Error>;
}

/// The result of a tool whose points are all evaluated here, on all cores; `None` if it was cancelled. The same on any number
/// of threads. Counts points.
///
/// # Errors
/// Those of [`Pointwise::conclude`].
pub fn evaluate<T: Pointwise>(tool: T, watch: Watch<'_>) -> Result<Option<T::Found>, T::Error> {
    match evaluate_shard(&tool, Shard::WHOLE, watch) {
        Some(values) => tool.conclude(values).map(Some),
        None => Ok(None),
    }
}

/// The values of the points of a shard, in their order, evaluated on all cores; `None` if it was cancelled. Counts points.
#[must_use]
pub fn evaluate_shard<T: Pointwise>(tool: &T, shard: Shard, watch: Watch<'_>) -> Option<Values> {
    match tool.batch() {
        Some(batch) => at_once(tool, batch, shard, watch),
        None => one_by_one(tool, shard, watch),
    }
}

fn one_by_one<T: Pointwise>(tool: &T, shard: Shard, watch: Watch<'_>) -> Option<Values> {
    let one = |state: &mut T::State, point: usize| {
        if watch.is_cancelled() {
            return None;
        }
        let found = tool.at(state, point, watch)?;
        watch.count(1);
        Some(found)
    };
    let points: Vec<usize> = shard.numbers(tool.points()).collect();
    let found: Option<Vec<At>> = points.into_par_iter().map_init(|| tool.start(), one).collect();
    Some(Values::of(tool.figures(), found?))
}

fn at_once<T: Pointwise>(tool: &T, batch: &Batch, shard: Shard, watch: Watch<'_>) -> Option<Values> {
    let count = shard.numbers(tool.points()).len();
    // Zeroing memory takes as long as some of the formulas.
    let mut columns: Vec<Vec<f64>> = (0..tool.figures()).into_par_iter().map(|_| vec![0.0; count]).collect();
    // Of all columns, the parts that belong together.
    let mut blocks: Vec<(usize, Vec<&mut [f64]>)> =
        (0..count).step_by(LANES).map(|first| (first, Vec::with_capacity(tool.figures()))).collect();
    for column in &mut columns {
        for ((_, block), part) in blocks.iter_mut().zip(column.chunks_mut(LANES)) {
            block.push(part);
        }
    }
    let start = || (vec![vec![0.0; LANES]; tool.columns()], Registers::default());
    let work = |(inputs, registers): &mut (Vec<Vec<f64>>, Registers), (first, mut out): (usize, Vec<&mut [f64]>)| {
        if watch.is_cancelled() {
            return None;
        }
        let points: Vec<usize> = (first..count.min(first + LANES)).map(|place| shard.number(place)).collect();
        tool.inputs(&points, inputs);
        let inputs: Vec<&[f64]> = inputs.iter().map(|input| &input[..points.len()]).collect();
        batch.program().run(&inputs, &mut out, registers);
        for part in out {
            // One after the other, so that vectors do it.
            for value in part {
                // A value that is not finite is missing.
                *value = if value.is_finite() { *value } else { f64::NAN };
            }
        }
        watch.count(points.len());
        Some(())
    };
    blocks.into_par_iter().map_init(start, work).collect::<Option<()>>()?;
    Some(Values::all(count, columns))
}

/// One of several parts of the points of a tool: every Nth point.
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
    /// All points.
    pub const WHOLE: Self = Self { place: 1, of: 1 };

    /// A shard by its place, counted from 1, and their number.
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

    /// The numbers of its points, of this many points in all.
    #[must_use = "nothing is counted before"]
    pub fn numbers(self, points: usize) -> impl ExactSizeIterator<Item = usize> {
        (self.place - 1..points).step_by(self.of)
    }

    /// The number of one of its points by its place among them.
    fn number(self, place: usize) -> usize {
        self.place - 1 + place * self.of
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

/// Why shards cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardsError {
    /// The points were divided in different ways.
    #[error("{0} and {1} are from different divisions")]
    Division(Shard, Shard),
    /// A shard is given twice.
    #[error("{0} is given twice")]
    Twice(Shard),
    /// Some are missing.
    #[error("of {of} shards {} missing", missing(.places))]
    Missing {
        /// Which, counted from 1.
        places: Vec<usize>,
        /// How many there are.
        of: usize,
    },
    /// A shard lacks the values of its points.
    #[error("{0} lacks the values of its points: it is from another run, or was changed")]
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
pub fn together<T: Pointwise>(tool: &T, shards: Vec<(Shard, Values)>) -> Result<Values, ShardsError> {
    let Some(first) = shards.first().map(|(shard, _)| *shard) else {
        return Err(ShardsError::Missing { places: vec![1], of: 1 });
    };
    let mut by_place: Vec<Option<Values>> = Vec::new();
    by_place.resize_with(first.of, || None);
    for (shard, values) in shards {
        if shard.of != first.of {
            return Err(ShardsError::Division(first, shard));
        }
        if values.len() != shard.numbers(tool.points()).count() || values.figures() != tool.figures() {
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
    let shards: Vec<Values> = by_place.into_iter().flatten().collect();
    let mut each: Vec<_> = shards.iter().map(Values::points).collect();
    let of = each.len();
    Ok(Values::of(tool.figures(), (0..tool.points()).filter_map(|number| each[number % of].next())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossover_quantity::invalid::Invalid;

    /// The squares of numbers; 3 is not allowed.
    struct Squares(usize);

    impl Pointwise for Squares {
        type State = ();
        type Found = Values;
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

        fn conclude(self, values: Values) -> Result<Values, ()> {
            Ok(values)
        }
    }

    fn shards(tool: &Squares, of: usize) -> Vec<(Shard, Values)> {
        let one = |place| {
            let shard = Shard::new(place, of).expect("a shard");
            (shard, Watch::uncancellable(|watch| evaluate_shard(tool, shard, watch)).expect("all"))
        };
        (1..=of).rev().map(one).collect()
    }

    #[test]
    fn shards_put_together_are_the_whole() {
        for points in [1, 5, 24] {
            let squares = Squares(points);
            let whole = Watch::uncancellable(|watch| evaluate(Squares(points), watch)).expect("no error").expect("all");
            assert_eq!(whole.len(), points);
            assert_eq!(whole.column(0).last(), Some(&(((points - 1) * (points - 1)) as f64)));
            for of in [1, 2, 7, 30] {
                let merged = together(&squares, shards(&squares, of)).expect("all");
                // As text: what is refused has no numbers.
                assert_eq!(format!("{merged:?}"), format!("{whole:?}"), "{points} in {of}");
            }
        }
    }

    #[test]
    fn what_is_no_whole_is_said() {
        let tool = Squares(10);
        let refusal = |shards: Vec<(Shard, Values)>| together(&tool, shards).expect_err("no whole").to_string();
        let mut some = shards(&tool, 4);
        some.truncate(2);
        assert_eq!(refusal(some.clone()), "of 4 shards 1 and 2 are missing");
        let twice = some[0].clone();
        some.push(twice);
        assert_eq!(refusal(some), "shard 4 of 4 is given twice");
        let mut mixed = shards(&tool, 4);
        mixed.push(shards(&tool, 3).remove(0));
        assert_eq!(refusal(mixed), "shard 4 of 4 and shard 3 of 3 are from different divisions");
        let mut short = shards(&tool, 4);
        let _ = short[1].1.split_off(1);
        assert!(refusal(short).starts_with("shard 3 of 4 lacks"), "one value is gone");
        assert_eq!(refusal(Vec::new()), "of 1 shards 1 is missing");
        let mut most = shards(&tool, 40);
        most.truncate(1);
        assert!(refusal(most).ends_with("19, 20 … (39 of them) are missing"), "not all are named");
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

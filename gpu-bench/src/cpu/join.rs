//! Hash join: build a table from the smaller input, probe it with the larger one.
//!
//! The table is an array of slots, half of them empty, that is probed linearly; 256 parts, each a range of
//! hashes with slots of its own, are built independently. Keys that occur more than once have one slot that
//! leads to the list of their payloads, so that equal keys cost no more than others.

use crossover_harness::generator::mix;
use rayon::prelude::*;

use super::output::{self, Growing};
use super::partition::{PARTS, Parts, Threads, partition};

/// Keys that are hashed and looked up together: their cache misses overlap.
const BATCH: usize = 32;

/// Build rows up to which one part is enough: its slots stay in a second-level cache.
const ONE_PART_ROWS: usize = 1 << 15;

/// Probe rows of one task.
const CHUNK: usize = 1 << 14;

/// Tasks per thread before their matches are copied to the output.
const CHUNKS_PER_THREAD: usize = 8;

/// A table from keys to payloads; a key may occur more than once.
#[derive(Debug)]
pub struct Table {
    /// Key in the upper half; in the lower one the payload, or where its list begins.
    slots: Vec<u64>,
    /// Which slots belong to which range of hashes.
    parts: Vec<Part>,
    /// Upper bits of a hash that choose the part.
    part_bits: u32,
    /// A key that is not in the table; empty slots hold it.
    empty_key: u32,
    /// If any key occurs more than once: for each key the number of its payloads, then these.
    lists: Option<Vec<u32>>,
}

#[derive(Debug, Clone, Copy)]
struct Part {
    first_slot: u32,
    slots: u32,
}

/// What a probe adds up instead of writing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Aggregate {
    /// Pairs of matching rows.
    pub matches: u64,
    /// Wrapping sum of the payloads of the build side over all pairs.
    pub payload_sum: u64,
}

/// Matching rows: a pair at each place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairs {
    /// Row of the probe side.
    pub rows: Vec<u32>,
    /// Payload of the build side.
    pub payloads: Vec<u32>,
}

impl Table {
    /// Builds from keys and their payloads.
    ///
    /// # Panics
    /// If the slices differ in length, or hold more than 2^30 rows.
    #[must_use]
    pub fn build(keys: &[u32], payloads: &[u32]) -> Self {
        Self::build_on(Threads::One, keys, payloads)
    }

    /// [`Self::build`] on all cores.
    ///
    /// # Panics
    /// As [`Self::build`].
    #[must_use]
    pub fn build_parallel(keys: &[u32], payloads: &[u32]) -> Self {
        Self::build_on(Threads::All, keys, payloads)
    }

    fn build_on(threads: Threads, keys: &[u32], payloads: &[u32]) -> Self {
        assert_eq!(keys.len(), payloads.len(), "one payload per key");
        assert!(keys.len() <= 1 << 30, "slots are counted in 32 bits");
        let empty_key = absent_key(threads, keys);
        let part_bits = if keys.len() <= ONE_PART_ROWS { 0 } else { PARTS.ilog2() };
        let (mut scratch_keys, mut scratch_payloads) = (vec![0; keys.len()], vec![0; keys.len()]);
        let rows = partition(threads, keys, payloads, &mut scratch_keys, &mut scratch_payloads, |key| {
            part_of(hash(key), part_bits)
        });
        let mut slots_before = 0;
        let parts: Vec<Part> = (0..1 << part_bits)
            .map(|part| {
                let slots = slots_for(rows.rows(part));
                slots_before += slots;
                Part { first_slot: slots_before - slots, slots }
            })
            .collect();
        let mut table = Self { slots: vec![0; slots_before as usize], parts, part_bits, empty_key, lists: None };
        if !table.insert_unique(threads, &rows) {
            table.insert_lists(threads, &rows);
        }
        table
    }

    /// Fills the slots; `false` if a key occurs more than once.
    fn insert_unique(&mut self, threads: Threads, rows: &Parts<'_, u32>) -> bool {
        let (empty_key, part_bits) = (self.empty_key, self.part_bits);
        let slots = split(&mut self.slots, self.parts.iter().map(|part| part.slots as usize));
        let unique = threads.map(slots.into_iter().enumerate().collect(), |(part, slots)| {
            slots.fill(slot(empty_key, 0));
            for (keys, payloads) in rows.pieces(part) {
                for (key, payload) in keys.iter().zip(payloads) {
                    let place = place_of(slots, *key, part_bits, empty_key);
                    if key_of(slots[place]) == *key {
                        return false;
                    }
                    slots[place] = slot(*key, *payload);
                }
            }
            true
        });
        unique.into_iter().all(|unique| unique)
    }

    /// Fills the slots and lists, whatever the keys are.
    fn insert_lists(&mut self, threads: Threads, rows: &Parts<'_, u32>) {
        let (empty_key, part_bits) = (self.empty_key, self.part_bits);
        // A list holds its length too; there are at most as many lists as rows.
        let capacities: Vec<usize> = (0..self.parts.len()).map(|part| 2 * rows.rows(part)).collect();
        let mut lists = vec![0; capacities.iter().sum()];
        let slots = split(&mut self.slots, self.parts.iter().map(|part| part.slots as usize));
        let mut first = 0;
        let mut tasks = Vec::with_capacity(slots.len());
        for (part, (slots, lists)) in slots.into_iter().zip(split(&mut lists, capacities.into_iter())).enumerate() {
            let length = lists.len();
            tasks.push((part, slots, lists, first));
            first += length;
        }
        threads.map(tasks, |(part, slots, lists, first)| {
            // First every key is numbered and its rows are counted, then its list gets a place and is filled.
            slots.fill(slot(empty_key, 0));
            let mut counts: Vec<u32> = Vec::new();
            let mut numbers = Vec::with_capacity(rows.rows(part));
            for key in rows.pieces(part).flat_map(|(keys, _)| keys) {
                let place = place_of(slots, *key, part_bits, empty_key);
                if key_of(slots[place]) != *key {
                    slots[place] = slot(*key, to_u32(counts.len()));
                    counts.push(0);
                }
                let number = lower_half(slots[place]);
                counts[number as usize] += 1;
                numbers.push(number);
            }
            let mut starts = Vec::with_capacity(counts.len());
            let mut ends = Vec::with_capacity(counts.len());
            let mut next = 0;
            for count in counts {
                lists[next] = count;
                starts.push(next);
                ends.push(next + 1);
                next += count as usize + 1;
            }
            for (number, payload) in numbers.iter().zip(rows.pieces(part).flat_map(|(_, payloads)| payloads)) {
                let end = &mut ends[*number as usize];
                lists[*end] = *payload;
                *end += 1;
            }
            for entry in slots.iter_mut().filter(|entry| key_of(**entry) != empty_key) {
                *entry = slot(key_of(*entry), to_u32(first + starts[lower_half(*entry) as usize]));
            }
        });
        self.lists = Some(lists);
    }

    /// Counts matches and adds up their payloads.
    #[must_use]
    pub fn probe_aggregate(&self, keys: &[u32]) -> Aggregate {
        let mut aggregate = Aggregate::default();
        if let Some(lists) = &self.lists {
            self.probe(keys, |_, found, start| {
                if found {
                    let payloads = list(lists, start);
                    aggregate.matches += payloads.len() as u64;
                    for payload in payloads {
                        aggregate.payload_sum = aggregate.payload_sum.wrapping_add(u64::from(*payload));
                    }
                }
            });
        } else {
            self.probe(keys, |_, found, payload| {
                aggregate.matches += u64::from(found);
                aggregate.payload_sum = aggregate.payload_sum.wrapping_add(u64::from(payload) * u64::from(found));
            });
        }
        aggregate
    }

    /// [`Self::probe_aggregate`] on all cores.
    #[must_use]
    pub fn probe_aggregate_parallel(&self, keys: &[u32]) -> Aggregate {
        let aggregates = keys.par_chunks(CHUNK).map(|keys| self.probe_aggregate(keys));
        aggregates.reduce(Aggregate::default, |one, other| Aggregate {
            matches: one.matches + other.matches,
            payload_sum: one.payload_sum.wrapping_add(other.payload_sum),
        })
    }

    /// Writes a pair for each match: the row of `keys`, and the payload; in order of rows, and for equal keys
    /// in the order they were built from. Returns how many.
    ///
    /// # Panics
    /// If the outputs are too short.
    pub fn probe_materialise(&self, keys: &[u32], rows: &mut [u32], payloads: &mut [u32]) -> usize {
        self.write_matches(keys, 0, rows, payloads)
    }

    /// [`Self::probe_materialise`] on all cores.
    ///
    /// # Panics
    /// As [`Self::probe_materialise`].
    pub fn probe_materialise_parallel(&self, keys: &[u32], rows: &mut [u32], payloads: &mut [u32]) -> usize {
        let mut total = 0;
        self.in_waves(keys, |row_pieces, payload_pieces| {
            output::copy(row_pieces, &mut rows[total..]);
            total += output::copy(payload_pieces, &mut payloads[total..]);
        });
        total
    }

    /// The pairs of [`Self::probe_materialise`] in new memory.
    #[must_use]
    pub fn collect_pairs(&self, keys: &[u32]) -> Pairs {
        let mut pairs = Pairs { rows: Vec::with_capacity(keys.len()), payloads: Vec::with_capacity(keys.len()) };
        let mut buffer = Buffer::default();
        for (first_row, keys) in (0..).step_by(CHUNK).zip(keys.chunks(CHUNK)) {
            let (rows, payloads) = buffer.fill(self, keys, first_row);
            pairs.rows.extend_from_slice(rows);
            pairs.payloads.extend_from_slice(payloads);
        }
        pairs
    }

    /// [`Self::collect_pairs`] on all cores.
    #[must_use]
    pub fn collect_pairs_parallel(&self, keys: &[u32]) -> Pairs {
        let (mut rows, mut payloads) = (Growing::with_capacity(keys.len()), Growing::with_capacity(keys.len()));
        self.in_waves(keys, |row_pieces, payload_pieces| {
            rows.append(row_pieces);
            payloads.append(payload_pieces);
        });
        Pairs { rows: rows.finish(), payloads: payloads.finish() }
    }

    /// Calls `take` with rows and payloads of the pairs of one wave of tasks after the other. Each task writes to a
    /// buffer of its own: where no key is there twice, the table is read once, unlike counting the matches first.
    fn in_waves(&self, keys: &[u32], mut take: impl FnMut(&[&[u32]], &[&[u32]])) {
        let wave = CHUNK * CHUNKS_PER_THREAD * rayon::current_num_threads();
        let mut buffers: Vec<Buffer> = Vec::new();
        buffers.resize_with(wave.min(keys.len()).div_ceil(CHUNK), Buffer::default);
        for (first_row, keys) in (0..).step_by(wave).zip(keys.chunks(wave)) {
            let tasks = keys.par_chunks(CHUNK).zip(&mut buffers).enumerate();
            let (rows, payloads): (Vec<&[u32]>, Vec<&[u32]>) =
                tasks.map(|(task, (keys, buffer))| buffer.fill(self, keys, to_u32(first_row + task * CHUNK))).unzip();
            take(&rows, &payloads);
        }
    }

    fn write_matches(&self, keys: &[u32], first_row: u32, rows: &mut [u32], payloads: &mut [u32]) -> usize {
        let mut count = 0;
        if let Some(lists) = &self.lists {
            self.probe(keys, |row, found, start| {
                if found {
                    let list = list(lists, start);
                    rows[count..count + list.len()].fill(first_row + row);
                    payloads[count..count + list.len()].copy_from_slice(list);
                    count += list.len();
                }
            });
        } else {
            // Writes every row and advances only behind matches: no branch depends on whether a key matches.
            let places = rows.len().min(payloads.len());
            let (rows, payloads) = (&mut rows[..places], &mut payloads[..places]);
            self.probe(keys, |row, found, payload| {
                if count < places {
                    rows[count] = first_row + row;
                    payloads[count] = payload;
                }
                count += usize::from(found);
            });
            assert!(count <= places, "{count} matches do not fit into {places} places");
        }
        count
    }

    /// Calls `visit` for every key with its row, whether it was found, and if so the lower half of its slot.
    fn probe(&self, keys: &[u32], mut visit: impl FnMut(u32, bool, u32)) {
        let (batches, rest) = keys.as_chunks::<BATCH>();
        for (row, keys) in (0..).step_by(BATCH).zip(batches) {
            self.probe_batch(keys, row, &mut visit);
        }
        for (row, key) in (to_u32(keys.len() - rest.len())..).zip(rest) {
            self.probe_batch(&[*key], row, &mut visit);
        }
    }

    #[inline]
    fn probe_batch<const N: usize>(&self, keys: &[u32; N], row: u32, visit: &mut impl FnMut(u32, bool, u32)) {
        let places = keys.map(|key| self.home(key));
        let slots = places.map(|place| self.slots[place]);
        for (row, ((key, place), mut slot)) in (row..).zip(keys.iter().zip(places).zip(slots)) {
            if key_of(slot) != *key && key_of(slot) != self.empty_key {
                slot = self.walk(*key, place);
            }
            visit(row, key_of(slot) == *key && *key != self.empty_key, lower_half(slot));
        }
    }

    /// The slot that a key is looked for first.
    #[inline]
    fn home(&self, key: u32) -> usize {
        let hash = hash(key);
        let part = self.parts[usize::from(part_of(hash, self.part_bits))];
        part.first_slot as usize + home_in_part(hash, self.part_bits, part.slots)
    }

    /// The slot of a key, or an empty one.
    fn walk(&self, key: u32, mut place: usize) -> u64 {
        let part = self.parts[usize::from(part_of(hash(key), self.part_bits))];
        let end = part.first_slot as usize + part.slots as usize;
        loop {
            place += 1;
            if place == end {
                place = part.first_slot as usize;
            }
            let slot = self.slots[place];
            if key_of(slot) == key || key_of(slot) == self.empty_key {
                return slot;
            }
        }
    }
}

/// Matches of one task.
#[derive(Debug, Default)]
struct Buffer {
    rows: Vec<u32>,
    payloads: Vec<u32>,
}

impl Buffer {
    /// Rows and payloads of the pairs of some keys.
    fn fill(&mut self, table: &Table, keys: &[u32], first_row: u32) -> (&[u32], &[u32]) {
        let matches = match table.lists {
            None => keys.len(),
            Some(_) => usize::try_from(table.probe_aggregate(keys).matches).expect("matches fit into memory"),
        };
        if self.rows.len() < matches {
            self.rows.resize(matches, 0);
            self.payloads.resize(matches, 0);
        }
        let count = table.write_matches(keys, first_row, &mut self.rows, &mut self.payloads);
        (&self.rows[..count], &self.payloads[..count])
    }
}

/// Multiplicative hashing (Knuth, TAOCP 3, 6.4) behind one xor-shift, which breaks arithmetic progressions.
#[inline]
fn hash(key: u32) -> u32 {
    (key ^ (key >> 15)).wrapping_mul(0x9E37_79B1)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 8 bits are shifted beyond the hash")]
fn part_of(hash: u32, part_bits: u32) -> u8 {
    ((u64::from(hash) << part_bits) >> 32) as u8
}

/// The bits behind those of the part, scaled to the slots of the part.
#[inline]
fn home_in_part(hash: u32, part_bits: u32, slots: u32) -> usize {
    ((u64::from(hash << part_bits) * u64::from(slots)) >> 32) as usize
}

/// Twice as many as rows, and one that stays empty: there every search ends.
fn slots_for(rows: usize) -> u32 {
    to_u32(2 * rows + 1)
}

/// Where a key is, or the empty slot where it belongs.
#[inline]
fn place_of(slots: &[u64], key: u32, part_bits: u32, empty_key: u32) -> usize {
    let mut place = home_in_part(hash(key), part_bits, to_u32(slots.len()));
    while key_of(slots[place]) != key && key_of(slots[place]) != empty_key {
        place += 1;
        if place == slots.len() {
            place = 0;
        }
    }
    place
}

/// A word that is not among the keys.
fn absent_key(threads: Threads, keys: &[u32]) -> u32 {
    let occurs = |candidate: &u32| match threads {
        Threads::One => keys.contains(candidate),
        Threads::All => keys.par_chunks(CHUNK).any(|keys| keys.contains(candidate)),
    };
    (0..=u32::MAX).map(mix).find(|candidate| !occurs(candidate)).expect("there are fewer keys than words")
}

/// Splits a slice into consecutive ones of these lengths.
fn split<T>(mut rest: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let (one, after) = std::mem::take(&mut rest).split_at_mut(length);
            rest = after;
            one
        })
        .collect()
}

fn list(lists: &[u32], start: u32) -> &[u32] {
    let start = start as usize;
    &lists[start + 1..start + 1 + lists[start] as usize]
}

fn slot(key: u32, lower_half: u32) -> u64 {
    (u64::from(key) << 32) | u64::from(lower_half)
}

fn key_of(slot: u64) -> u32 {
    (slot >> 32) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the upper half is the key")]
fn lower_half(slot: u64) -> u32 {
    slot as u32
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("rows and slots are counted in 32 bits")
}

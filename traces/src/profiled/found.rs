//! Collects the results of a reader of profiles: kernels, left-out lines and notes.

use std::collections::BTreeSet;
use std::path::Path;

use crossover_quantity::balance::{Balance, BalanceOf, Tally};
use crossover_quantity::text::counted;
use crossover_quantity::unread::{Unread, UnreadKind};

use super::gathered::{Gathered, Launch};
use super::{ProfileFormat, ProfiledKernel, ReadKernels};
use crate::error::TraceError;
use crate::left_out::LeftOut;
use crate::unread::{UnreadColumns, file_name};

/// Most threads of a block.
pub(super) const MOST_THREADS: f64 = 1e6;
/// Most blocks of a launch.
pub(super) const MOST_BLOCKS: f64 = 1e12;
/// Most bytes of registers or shared memory of a block.
pub(super) const MOST_BYTES: f64 = 1e9;
/// Longest launch, seconds: ten days.
pub(super) const MOST_SECONDS: f64 = 1e6;
/// Most instructions and cycles of a launch.
pub(super) const MOST_COUNTED: f64 = 1e18;
/// Most notes of a file.
const MOST_NOTES: usize = 32;

/// Checks the ranges of the numbers of a launch.
///
/// # Errors
/// One cannot.
pub(super) fn check(kernel: &ProfiledKernel) -> Result<(), String> {
    for (what, value, most) in [
        ("blocks of a launch", kernel.blocks, MOST_BLOCKS),
        ("threads of a block", kernel.threads, MOST_THREADS),
        ("registers of a block (bytes)", kernel.register_bytes, MOST_BYTES),
        ("shared memory of a block (bytes)", kernel.shared_bytes, MOST_BYTES),
        ("duration (s)", kernel.seconds, MOST_SECONDS),
        ("instructions", kernel.instructions, MOST_COUNTED),
        ("cycles", kernel.cycles, MOST_COUNTED),
    ] {
        if let Some(value) = value.filter(|value| !(0.0..=most).contains(value)) {
            return Err(format!("{what}: {value}; allowed: up to {most}"));
        }
    }
    let has_no = |value: Option<f64>| value.is_some_and(|value| value < 1.0);
    if has_no(kernel.blocks) || has_no(kernel.threads) {
        return Err("it has no blocks or no threads; expected at least 1".to_owned());
    }
    Ok(())
}

/// Collects the results of a file; kernels are shared with other files.
pub(super) struct KernelCollector<'a> {
    path: &'a Path,
    gathered: &'a mut Gathered,
    left_out: LeftOut,
    notes: Vec<String>,
    has_kernels: bool,
    noted: BTreeSet<String>,
    unread: Unread,
    /// Run time of launches, of kernels and of lines that are left out.
    time: Tally,
}

impl<'a> KernelCollector<'a> {
    /// Nothing yet.
    pub(super) fn new(path: &'a Path, gathered: &'a mut Gathered) -> Self {
        let left_out = LeftOut::new("line", "lines");
        let (notes, noted) = (Vec::new(), BTreeSet::new());
        let (unread, time) = (Unread::default(), Tally::new(BalanceOf::KernelSeconds));
        Self { path, gathered, left_out, notes, has_kernels: false, noted, unread, time }
    }

    /// The file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// One more launch.
    ///
    /// # Errors
    /// [`TraceError`]: there are too many kernels.
    pub(super) fn add(&mut self, launch: Launch) -> Result<(), TraceError> {
        self.has_kernels = true;
        let kernel = &launch.kernel;
        self.time.keep(kernel.seconds.unwrap_or(0.0) * kernel.launches.max(1) as f64);
        self.gathered.add(launch).map_err(|problem| TraceError::unusable(self.path, problem))
    }

    /// Leaves out a line, with the run time of its launches if it states one, seconds, and the reason.
    pub(super) fn leave_out(&mut self, line: u64, seconds: Option<f64>, problem: &str) {
        // A longer time is a wrong number, not one that a kernel took.
        self.lose_time(seconds.filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds)).unwrap_or(0.0), problem);
        self.left_out.add(|| format!("line {line}"), problem);
    }

    /// Adds run time of launches that no kernel has, seconds, with the reason.
    pub(super) fn lose_time(&mut self, seconds: f64, reason: &str) {
        self.time.lose(seconds, reason);
    }

    /// Adds a note on this file, once.
    pub(super) fn note(&mut self, note: &str) {
        if self.notes.len() < MOST_NOTES && self.noted.insert(note.to_owned()) {
            self.notes.push(format!("{}: {note}", self.path.display()));
        }
    }

    /// Adds a note about lines of copies and sets, if there are any.
    pub(super) fn note_copies(&mut self, copies: usize) {
        self.note_if(copies > 0, || {
            format!("{} of memory copies and sets: not kernels", counted(copies as f64, "line"))
        });
    }

    /// Adds a note if it applies.
    pub(super) fn note_if(&mut self, holds: bool, note: impl FnOnce() -> String) {
        if holds {
            self.note(&note());
        }
    }

    /// Adds a metric of time of a kernel that is not used.
    pub(super) fn add_unread_time(&mut self, metric: &str, kernel: &str) {
        self.unread.add(UnreadKind::Time, metric, &format!("kernel {kernel}"));
    }

    /// Adds the columns of a table that are not used, and forgets them.
    pub(super) fn take_unread(&mut self, columns: &mut UnreadColumns) {
        columns.report(&file_name(self.path), &mut self.unread);
        *columns = UnreadColumns::default();
    }

    /// What is not used so far.
    pub(super) fn unread(&mut self) -> &mut Unread {
        &mut self.unread
    }

    /// Adds the left-out lines and notes to those of all files, and its run time to theirs.
    ///
    /// # Errors
    /// [`TraceError`]: there is no kernel in the file.
    pub(super) fn end(self, read: &mut ReadKernels, time: &mut Tally) -> Result<(), TraceError> {
        if !self.has_kernels {
            return Err(TraceError::unusable(self.path, self.left_out.nothing_of("kernel")));
        }
        self.left_out.note(self.path, &mut read.left_out);
        time.merge(&self.time);
        let balance = self.time.balance();
        let clause = balance.as_ref().and_then(Balance::clause);
        read.notes.extend(self.notes);
        read.notes.extend(clause.map(|clause| format!("{}: {clause}", self.path.display())));
        read.unread.merge(&self.unread);
        Ok(())
    }
}

impl ReadKernels {
    /// Nothing yet.
    pub(super) fn new(form: ProfileFormat) -> Self {
        let (left_out, notes, balances) = (Vec::new(), Vec::new(), Vec::new());
        Self { form, kernels: Vec::new(), left_out, notes, unread: Unread::default(), balances }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Reads a text as a reader does.
    pub(in super::super) fn read_as(
        text: &str,
        reader: fn(&str, &mut KernelCollector<'_>) -> Result<(), TraceError>,
        form: ProfileFormat,
    ) -> Result<ReadKernels, TraceError> {
        let path = Path::new("a.csv");
        let (mut gathered, mut read) = (Gathered::default(), ReadKernels::new(form));
        let mut time = Tally::new(BalanceOf::KernelSeconds);
        let mut found = KernelCollector::new(path, &mut gathered);
        reader(text, &mut found)?;
        found.end(&mut read, &mut time)?;
        read.kernels = gathered.end();
        read.balances.extend(time.balance());
        Ok(read)
    }

    #[test]
    fn a_launch_without_blocks_or_beyond_any_is_refused() {
        let with = |blocks, seconds| check(&ProfiledKernel { seconds, blocks, ..ProfiledKernel::default() });
        assert_eq!(with(Some(1.0), Some(0.5)), Ok(()));
        assert_eq!(with(Some(0.0), None), Err("it has no blocks or no threads; expected at least 1".to_owned()));
        assert_eq!(with(None, Some(1e7)), Err("duration (s): 10000000; allowed: up to 1000000".to_owned()));
        assert!(with(Some(1e30), None).is_err());
    }
}

//! Merges the results of several machines: the tables equal those of one machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::base::Base;
use crate::error::FleetError;
use crate::found::{LeftOut, text};
use crate::ledger::{Done, Ledger, LedgerEntry, Record};
use crate::opened::{DAMAGED, is_damaged, outcomes_of};
use crate::outcomes::Outcomes;
use crate::run::finish;
use crate::shard;

/// Treatment of shards whose run has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// The merge fails.
    Refused,
    /// Their logs that were read count, and for the others those of the previous merge; each shard is listed as left out.
    Named,
}

/// The results of one shard.
struct Part<'a> {
    folder: &'a Path,
    ledger: Ledger,
    done: Done,
}

/// Merges the folders of all shards of a run into another folder. Also returns the folders of shards that have not ended.
///
/// # Errors
/// [`FleetError`]: a folder has no results, they are damaged, of other engines or of an unfinished run, a shard is missing or
/// named twice, or the folder cannot be written.
pub fn merge(folders: &[PathBuf], out: &Path, unfinished: Unfinished) -> Result<(Outcomes, Vec<PathBuf>), FleetError> {
    check_out(folders, out)?;
    let (mut parts, mut open) = (Vec::new(), Vec::new());
    for folder in folders {
        match Ledger::of(folder) {
            Ok(ledger) => {
                let outcomes = outcomes_of(ledger);
                if is_damaged(&outcomes) {
                    return Err(apart(folder, &format!("{DAMAGED}; run the same command again")));
                }
                let ledger = outcomes.ledger;
                match ledger.done().cloned().filter(|_| ledger.has_ended()) {
                    Some(done) => parts.push(Part { folder, ledger, done }),
                    None => open.push((folder, Some(ledger))),
                }
            }
            Err(FleetError::NoLedger(_)) if unfinished == Unfinished::Named => open.push((folder, None)),
            Err(error) => return Err(error),
        }
    }
    if let Some((folder, _)) = open.first().filter(|_| unfinished == Unfinished::Refused || parts.is_empty()) {
        return Err(apart(folder, "its run has not ended: run the same command to continue"));
    }
    let Some(whole) = parts.first().map(|part| part.done.clone()) else {
        return Err(FleetError::Nothing("no folder of results to merge".to_owned()));
    };
    let missing = missing(&parts, &whole)?;
    if let Some(missing) = missing.iter().next().filter(|_| missing.len() > open.len()) {
        let problem = format!("shard {missing}/{} is missing; name the folders of all shards", whole.shard.1);
        return Err(apart(parts[0].folder, &problem));
    }

    let mut merged = Merged { ledger: Ledger::open(out)?, keys: BTreeSet::new() };
    let base = parts.iter().find_map(|part| Base::of_results(part.folder, &whole.base));
    let (mut left_out, mut kept) = (Vec::new(), BTreeMap::new());
    // Logs and plans of other engines have different digests.
    let mut bases = BTreeSet::from([whole.base.clone()]);
    for Part { ledger, done, .. } in &parts {
        merged.add(ledger, |known| {
            bases.insert(known.head.base.clone());
            true
        })?;
        left_out.extend(done.left_out.iter().cloned());
        kept.extend(done.kept.clone());
    }
    for (folder, ledger) in &open {
        if let Some(ledger) = ledger {
            merged.add(ledger, |known| bases.contains(&known.head.base))?;
        }
        let why = "this shard has not ended: only the logs that it has read count; run the same command to continue";
        left_out.push(LeftOut { path: text(folder), reason: why.to_owned() });
    }
    let Merged { ledger, mut keys } = merged;
    for (key, known) in ledger.entries() {
        let place = shard::place(whole.shard.1, key);
        if bases.contains(&known.head.base) && missing.contains(&place) && keys.insert(key.clone()) {
            let why = format!("kept from the previous run: shard {place}/{} has not ended", whole.shard.1);
            kept.insert(key.clone(), why);
        }
    }
    left_out.sort();
    let gone = ledger.entries().keys().filter(|key| !keys.contains(*key)).cloned().collect();
    let (read, unchanged) = (0, keys.len());
    let missing = Vec::new();
    let mut outcomes = Outcomes { ledger, keys, left_out, missing, kept, gone, read, unchanged, tables_written: false };
    finish(out, &whole.base, None, &mut outcomes, || base.map_or(Ok(()), |base| base.keep(out)))?;
    Ok((outcomes, open.into_iter().map(|(folder, _)| folder.clone()).collect()))
}

/// Fails if the results of a shard would be replaced by the merged ones.
fn check_out(folders: &[PathBuf], out: &Path) -> Result<(), FleetError> {
    let Ok(there) = std::fs::canonicalize(out) else { return Ok(()) };
    if folders.iter().any(|folder| std::fs::canonicalize(folder).is_ok_and(|folder| folder == there)) {
        let problem =
            "it has the results of a shard, which the merged ones would replace; choose another folder with --out";
        return Err(apart(out, problem));
    }
    Ok(())
}

/// The shards that are not among these, if all belong to one run.
fn missing(parts: &[Part<'_>], first: &Done) -> Result<BTreeSet<usize>, FleetError> {
    let of = first.shard.1;
    let mut missing: BTreeSet<usize> = (1..=of).collect();
    for Part { folder, done: Done { base, shard: (place, count), .. }, .. } in parts {
        if *base != first.base {
            let problem = "it was predicted with other engines than the first: use one base for all shards";
            return Err(apart(folder, problem));
        }
        if *count != of {
            let problem = format!("it is shard {place}/{count}, and {} is one of {of}", parts[0].folder.display());
            return Err(apart(folder, &problem));
        }
        if !missing.remove(place) {
            return Err(apart(folder, &format!("shard {place}/{of} is named twice; name every shard once")));
        }
    }
    Ok(missing)
}

/// The merged results so far.
struct Merged {
    ledger: Ledger,
    /// The logs that count.
    keys: BTreeSet<String>,
}

impl Merged {
    /// Adds the logs of a shard that count.
    fn add(&mut self, part: &Ledger, mut is_wanted: impl FnMut(&LedgerEntry) -> bool) -> Result<(), FleetError> {
        for key in part.counting() {
            let Some(known) = part.entries().get(&key).filter(|known| is_wanted(known)) else { continue };
            let is_there = |there: &LedgerEntry| there.check == known.check;
            if !self.ledger.entries().get(&key).is_some_and(is_there) {
                self.ledger.add(&Record::Log(Box::new(part.log(known)?)))?;
            }
            self.keys.insert(key);
        }
        Ok(())
    }
}

fn apart(folder: &Path, problem: &str) -> FleetError {
    FleetError::Apart { path: folder.to_owned(), problem: problem.to_owned() }
}

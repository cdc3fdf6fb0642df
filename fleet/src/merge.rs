//! Puts the results of several machines together: the tables are those that one machine would have written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::base::Base;
use crate::error::FleetError;
use crate::ledger::{Done, Known, Ledger, Record};
use crate::outcomes::Outcomes;
use crate::run::finish;

/// Puts the folders of all shards of a run together in another folder.
///
/// # Errors
/// [`FleetError`]: a folder has no results, they are of other engines or of an unfinished run, a shard is missing or there
/// twice, or the folder cannot be written.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<Outcomes, FleetError> {
    let mut parts = Vec::new();
    for folder in folders {
        let ledger = Ledger::of(folder)?;
        let Some(done) = ledger.done().cloned() else {
            return Err(apart(folder, "its run has not ended: run the same command again, it goes on from there"));
        };
        parts.push((folder, ledger, done));
    }
    let Some((first, _, whole)) = parts.first() else {
        return Err(FleetError::Nothing("no folder of results to put together".to_owned()));
    };
    let (base, of) = (whole.base.clone(), whole.shard.1);
    let mut places = BTreeSet::new();
    for (folder, _, Done { base: other, shard: (place, count), .. }) in &parts {
        if *other != base {
            return Err(apart(
                folder,
                "it was measured against other engines than the first: use one base for all shards",
            ));
        }
        if *count != of {
            let problem = format!("it is shard {place}/{count}, and {} is one of {of}", first.display());
            return Err(apart(folder, &problem));
        }
        if !places.insert(*place) {
            return Err(apart(folder, &format!("shard {place}/{of} is there twice; name every shard once")));
        }
    }
    if let Some(missing) = (1..=of).find(|place| !places.contains(place)) {
        return Err(apart(first, &format!("shard {missing}/{of} is missing; name the folders of all shards")));
    }

    let mut ledger = Ledger::open(out)?;
    if let Some(kept) = parts.iter().find_map(|(folder, ..)| Base::of_results(folder, &base)) {
        kept.keep(out)?;
    }
    let (mut keys, mut left_out) = (BTreeSet::new(), Vec::new());
    for (_, part, done) in &parts {
        let gone: BTreeSet<&String> = done.gone.iter().collect();
        for (key, known) in part.known().iter().filter(|(key, _)| !gone.contains(key)) {
            keys.insert(key.clone());
            let is_there = |there: &Known| there.check == known.check;
            if !ledger.known().get(key).is_some_and(is_there) {
                ledger.add(&Record::Log(Box::new(part.log(known)?)))?;
            }
        }
        left_out.extend(done.left_out.iter().cloned());
    }
    left_out.sort();
    let (read, unchanged) = (0, keys.len());
    let mut outcomes = Outcomes { ledger, keys, left_out, read, unchanged, tables_written: false };
    finish(out, &base, None, &mut outcomes)?;
    Ok(outcomes)
}

fn apart(folder: &Path, problem: &str) -> FleetError {
    FleetError::Apart { path: folder.to_owned(), problem: problem.to_owned() }
}

//! Reads logs into a folder of results, with the questions and checks before.

use std::path::PathBuf;

use crossover_fleet::LogStores;
use crossover_page::desk::{Addresses, Desk, Pick, Target};

use super::measured::{others, usual};
use super::replacing::{Answer, ReplaceResultsQuestion};
use super::{FleetSource, FleetState, TOOL};

pub(super) const LOGS: Pick = Pick {
    title: "Read event logs: choose their folder",
    title_by_path: "Read event logs by path or address",
    action: "Read",
    filter: None,
    target: Target::FolderOrAddress(ADDRESSES),
};
pub(super) const KEEP: Pick = Pick {
    title: "Keep the results in a folder",
    title_by_path: "Keep the results in a folder by path",
    action: "Keep here",
    filter: None,
    target: Target::Folder,
};

/// Buckets and History Servers.
const ADDRESSES: Addresses =
    Addresses { read: address, example: "/folder/name, s3://bucket/prefix, http://history:18080" };

fn address(text: &str) -> Option<Result<PathBuf, String>> {
    let path = PathBuf::from(text);
    LogStores::is_remote(&path).then(|| match LogStores::check(std::slice::from_ref(&path)) {
        Ok(()) => Ok(path),
        // There is only one path.
        Err(problem) => Err(problem.trim_start_matches("path 1: ").to_owned()),
    })
}

/// Reads logs into the default folder for their path, or asks for one.
pub(super) fn read(desk: &mut Desk<'_>, path: PathBuf) {
    if !is_read(desk, std::slice::from_ref(&path)) {
        return;
    }
    let home = state(desk).results_of(&path);
    match home {
        Some(out) => read_into(desk, vec![path], out),
        None => desk.pick(KEEP, move |desk, out| read_into(desk, vec![path], out)),
    }
}

/// Reads logs into a folder of results; asks before it replaces results of other engines.
pub(super) fn read_into(desk: &mut Desk<'_>, paths: Vec<PathBuf>, out: PathBuf) {
    if !is_read(desk, &paths) {
        return;
    }
    let folder = out.clone();
    let look = move || usual().map(|base| others(&folder, &base));
    desk.work("existing results", look, move |desk, found| match found {
        Ok(None) => show(desk, FleetSource::Logs { paths, out, base: None }),
        Ok(Some(measured)) => {
            let folder = out.clone();
            desk.ask(ReplaceResultsQuestion::new(folder, measured, move |desk, answer| match answer {
                Answer::WithTheirs(base) => show(desk, FleetSource::Logs { paths, out, base: Some(base) }),
                Answer::Replace => show(desk, FleetSource::Logs { paths, out, base: None }),
                Answer::Elsewhere => desk.pick(KEEP, move |desk, out| read_into(desk, paths, out)),
                Answer::Cancel => {}
            }));
        }
        Err(problem) => desk.notify_error(problem),
    });
}

/// Whether paths can be read; shows the error otherwise. A password in an address would be written to the results.
pub(super) fn is_read(desk: &mut Desk<'_>, paths: &[PathBuf]) -> bool {
    let checked = LogStores::check(paths);
    if let Err(problem) = &checked {
        desk.notify_error(format!("Cannot read these logs: {problem}"));
    }
    checked.is_ok()
}

pub(super) fn show(desk: &mut Desk<'_>, wanted: FleetSource) {
    state(desk).want(wanted);
    desk.show_tool(TOOL);
}

pub(super) fn state<'d>(desk: &'d mut Desk<'_>) -> &'d mut FleetState {
    let shelf = desk.shelf();
    if shelf.get::<FleetState>().is_none() {
        shelf.put(FleetState::default());
    }
    shelf.get_mut().expect("it was put there")
}

//! Reads logs into a folder of results, with the questions and checks before.

use std::path::PathBuf;
use std::sync::Arc;

use crossover_fleet::{Base, LogStores};
use crossover_page::services::{Addresses, Pick, Services, Target};
use crossover_placement::EnteredInputs;

use super::measured::others;
use super::replacing::{Answer, ReplaceResultsQuestion};
use super::{FleetSource, FleetState, TOOL, shipped};

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
pub(super) fn read(services: &mut Services<'_>, path: PathBuf) {
    if !is_read(services, std::slice::from_ref(&path)) {
        return;
    }
    let home = state(services).results_of(&path);
    match home {
        Some(out) => read_into(services, vec![path], out),
        None => services.pick(KEEP, move |services, out| read_into(services, vec![path], out)),
    }
}

/// Reads the log of a whole application, with what the user entered about one of its queries.
pub(super) fn read_application(services: &mut Services<'_>, path: PathBuf, entered: EnteredInputs) {
    state(services).pending = Some((path.clone(), entered));
    read(services, path);
}

/// Reads logs into a folder of results; asks before it replaces results of other engines.
pub(super) fn read_into(services: &mut Services<'_>, paths: Vec<PathBuf>, out: PathBuf) {
    if !is_read(services, &paths) {
        return;
    }
    let folder = out.clone();
    let find = move || shipped::base().map(|base| others(&folder, &base));
    services.work("existing results", find, move |services, found| match found {
        Ok(None) => show(services, FleetSource::Logs { paths, out, base: None, is_restored: false }),
        Ok(Some(measured)) => {
            let folder = out.clone();
            services.ask(ReplaceResultsQuestion::new(folder, measured, move |services, answer| match answer {
                Answer::WithTheirs(base) => {
                    show(services, FleetSource::Logs { paths, out, base: Some(base), is_restored: false });
                }
                Answer::Replace => show(services, FleetSource::Logs { paths, out, base: None, is_restored: false }),
                Answer::Elsewhere => services.pick(KEEP, move |services, out| read_into(services, paths, out)),
                Answer::Cancel => {}
            }));
        }
        Err(problem) => services.notify_error(problem),
    });
}

/// Reads logs again into the folder of their results with its engines, which are not known of logs that an earlier window had open.
pub(super) fn read_again(
    services: &mut Services<'_>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    base: Option<Arc<Base>>,
    is_restored: bool,
) {
    if is_restored {
        read_into(services, paths, out);
    } else if is_read(services, &paths) {
        show(services, FleetSource::Logs { paths, out, base, is_restored: false });
    }
}

/// Whether paths can be read; shows the error otherwise. A password in an address would be written to the results.
fn is_read(services: &mut Services<'_>, paths: &[PathBuf]) -> bool {
    let checked = LogStores::check(paths);
    if let Err(problem) = &checked {
        services.notify_error(format!("Cannot read these logs: {problem}"));
    }
    checked.is_ok()
}

pub(super) fn show(services: &mut Services<'_>, wanted: FleetSource) {
    state(services).want(wanted);
    services.show_tool(TOOL);
}

pub(super) fn state<'d>(services: &'d mut Services<'_>) -> &'d mut FleetState {
    let cache = services.cache();
    if cache.get::<FleetState>().is_none() {
        cache.put(FleetState::default());
    }
    cache.get_mut().expect("it was put there")
}

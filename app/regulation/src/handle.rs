//! Carries out requests on a regulation study: recordings as demand, and watching this machine.

use std::path::{Path, PathBuf};

use crossover_page::desk::{Desk, Pick, Target, name_of};
use crossover_page::made::Made;
use crossover_regulation::recording::Recording;

use super::importing::ImportDialog;
use super::{Request, Section, View, recording};
use crossover_telemetry::Opener;

/// A recording of GPUs.
const RECORDING: Pick = Pick {
    title: "Import a recording",
    title_by_path: "Import a recording by path",
    action: "Import",
    filter: Some(("recording", &recording::EXTENSIONS)),
    target: Target::File,
};

/// The target of an import.
struct Import {
    /// Id of the target document.
    document: String,
    /// The cluster that is proposed; none: the first.
    cluster: Option<String>,
    /// Time from one scrape to the next where a text has no timestamps, seconds.
    seconds_per_scrape: f64,
}

/// Carries out a request.
pub(super) fn carry_out(request: &Request, desk: &mut Desk<'_>) {
    if desk.on_screen().is_none_or(|document| document.scenario.regulation().is_none()) {
        desk.notify("This command needs a regulation study; open or create one and try again");
        return;
    }
    match request {
        Request::Show(section) => {
            if let Some((page, _)) = desk.page_on_screen::<View>() {
                page.section = *section;
            }
        }
        Request::Import { cluster } => {
            if let Some(import) = into_document_on_screen(desk, cluster.clone()) {
                desk.pick(RECORDING, |desk, path| read(desk, import, path));
            }
        }
        Request::ImportFile(path) => {
            if let Some(import) = into_document_on_screen(desk, None) {
                read(desk, import, path.clone());
            }
        }
        Request::Watch => watch(desk),
        Request::StopWatching => {
            if let Some((page, _)) = desk.page_on_screen::<View>() {
                page.live.stop();
            }
        }
        Request::SaveRecording => match recorded(desk) {
            Some(recording) => {
                desk.save("Save the recording", "recording", "csv", Made::new(move || recording.to_csv()));
            }
            None => desk.notify("No samples yet; choose Start watching first"),
        },
        Request::UseRecording => match (recorded(desk), into_document_on_screen(desk, None)) {
            (Some(recording), Some(import)) => {
                open_dialog(desk, &import, "recording of this machine".into(), recording)
            }
            _ => desk.notify("No samples yet; choose Start watching first"),
        },
    }
}

fn into_document_on_screen(desk: &Desk<'_>, cluster: Option<String>) -> Option<Import> {
    let document = desk.on_screen()?;
    let seconds_per_scrape = document.scenario.regulation()?.run.period_seconds;
    Some(Import { document: document.id.clone(), cluster, seconds_per_scrape })
}

/// Samples of the GPUs of this machine.
fn recorded(desk: &mut Desk<'_>) -> Option<Recording> {
    let (page, _) = desk.page_on_screen::<View>()?;
    page.live.recording()
}

fn read(desk: &mut Desk<'_>, import: Import, path: PathBuf) {
    let (file, seconds_per_scrape) = (path.clone(), import.seconds_per_scrape);
    desk.work(
        "recording",
        move || recording::open(&file, seconds_per_scrape).map_err(|error| format!("{error:#}")),
        move |desk, result| take(desk, &import, &path, result),
    );
}

/// Opens the import dialog for a recording, or reports the error.
fn take(desk: &mut Desk<'_>, import: &Import, path: &Path, result: Result<Recording, String>) {
    match result {
        Ok(recording) => open_dialog(desk, import, name_of(path), recording),
        Err(problem) => desk.notify_error(problem),
    }
}

fn open_dialog(desk: &mut Desk<'_>, import: &Import, file: String, recording: Recording) {
    let document = desk.document(&import.document);
    let Some((document, study)) = document.and_then(|document| Some((document, document.scenario.regulation()?)))
    else {
        return desk.notify_error(format!("{file}: the target scenario is closed; nothing was imported"));
    };
    let cluster = match &import.cluster {
        None => Some(0),
        Some(name) => study.clusters.iter().position(|cluster| cluster.name == *name),
    };
    let Some(cluster) = cluster else {
        let name = import.cluster.as_deref().unwrap_or_default();
        return desk.notify_error(format!("{file}: cluster {name} no longer exists; nothing was imported"));
    };
    let bus = document.view.page::<View>().and_then(|page| page.live.bus_speed());
    let dialog = ImportDialog::new(import.document.clone(), file, recording, (study, cluster), bus);
    desk.ask(dialog);
    desk.show(&import.document);
}

fn watch(desk: &mut Desk<'_>) {
    let opener = desk.shelf().get::<Opener>().cloned().unwrap_or_default();
    let ctx = desk.ctx().clone();
    if let Some((page, scenario)) = desk.page_on_screen::<View>()
        && let Some(study) = scenario.regulation()
    {
        page.section = Section::Live;
        if !page.live.is_watching() {
            page.live.start(&opener, study, &ctx);
        }
    }
}

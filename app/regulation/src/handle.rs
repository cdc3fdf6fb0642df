//! Carries out requests on a regulation study: recordings as demand, and watching this machine.

use std::path::{Path, PathBuf};

use crossover_page::lazy_text::LazyText;
use crossover_page::services::{Pick, Services, Target, name_of};
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
pub(super) fn carry_out(request: &Request, services: &mut Services<'_>) {
    if services.on_screen().is_none_or(|document| document.scenario.regulation().is_none()) {
        services.notify("This command needs a regulation study; open or create one and try again");
        return;
    }
    match request {
        Request::Show(section) => {
            if let Some((page, _)) = services.page_on_screen::<View>() {
                page.section = *section;
            }
        }
        Request::Import { cluster } => {
            if let Some(import) = into_document_on_screen(services, cluster.clone()) {
                services.pick(RECORDING, |services, path| read(services, import, path));
            }
        }
        Request::ImportFile(path) => {
            if let Some(import) = into_document_on_screen(services, None) {
                read(services, import, path.clone());
            }
        }
        Request::Watch => watch(services),
        Request::StopWatching => {
            if let Some((page, _)) = services.page_on_screen::<View>() {
                page.live.stop();
            }
        }
        Request::SaveRecording => match recorded(services) {
            Some(recording) => {
                services.save("Save the recording", "recording", "csv", LazyText::new(move || recording.to_csv()));
            }
            None => services.notify("No samples yet; choose Start monitoring first"),
        },
        Request::UseRecording => match (recorded(services), into_document_on_screen(services, None)) {
            (Some(recording), Some(import)) => {
                open_dialog(services, &import, "recording of this machine".into(), recording);
            }
            _ => services.notify("No samples yet; choose Start monitoring first"),
        },
    }
}

fn into_document_on_screen(services: &Services<'_>, cluster: Option<String>) -> Option<Import> {
    let document = services.on_screen()?;
    let seconds_per_scrape = document.scenario.regulation()?.run.period_seconds;
    Some(Import { document: document.id.clone(), cluster, seconds_per_scrape })
}

/// Samples of the GPUs of this machine.
fn recorded(services: &mut Services<'_>) -> Option<Recording> {
    let (page, _) = services.page_on_screen::<View>()?;
    page.live.recording()
}

fn read(services: &mut Services<'_>, import: Import, path: PathBuf) {
    let (file, seconds_per_scrape) = (path.clone(), import.seconds_per_scrape);
    services.work(
        "recording",
        move || recording::open(&file, seconds_per_scrape).map_err(|error| format!("{error:#}")),
        move |services, result| take(services, &import, &path, result),
    );
}

/// Opens the import dialog for a recording, or reports the error.
fn take(services: &mut Services<'_>, import: &Import, path: &Path, result: Result<Recording, String>) {
    match result {
        Ok(recording) => open_dialog(services, import, name_of(path), recording),
        Err(problem) => services.notify_error(problem),
    }
}

fn open_dialog(services: &mut Services<'_>, import: &Import, file: String, recording: Recording) {
    let document = services.document(&import.document);
    let Some((document, study)) = document.and_then(|document| Some((document, document.scenario.regulation()?)))
    else {
        return services.notify_error(format!("{file}: the target scenario is closed; nothing was imported"));
    };
    let cluster = match &import.cluster {
        None => Some(0),
        Some(name) => study.clusters.iter().position(|cluster| cluster.name == *name),
    };
    let Some(cluster) = cluster else {
        let name = import.cluster.as_deref().unwrap_or_default();
        return services.notify_error(format!("{file}: cluster {name} no longer exists; nothing was imported"));
    };
    let bus = document.view.page::<View>().and_then(|page| page.live.bus_speed());
    let dialog = ImportDialog::new(import.document.clone(), file, recording, (study, cluster), bus);
    services.ask(dialog);
    services.show(&import.document);
}

fn watch(services: &mut Services<'_>) {
    let opener = services.cache().get::<Opener>().cloned().unwrap_or_default();
    let ctx = services.ctx().clone();
    if let Some((page, scenario)) = services.page_on_screen::<View>()
        && let Some(study) = scenario.regulation()
    {
        page.section = Section::Live;
        if !page.live.is_watching() {
            page.live.start(&opener, study, &ctx);
        }
    }
}

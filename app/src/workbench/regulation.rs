//! What the regulation page asks for: recordings as demand, and watching this machine.

use std::path::{Path, PathBuf};

use crossover_model::regulation::recording::Recording;
use egui::Context;

use super::Workbench;
use super::importing::Offer;
use crate::jobs::{Content, Import, Purpose};
use crate::studies::View;
use crate::studies::regulation::{Request, Section, View as Page};

impl Workbench {
    /// Whether a regulation study is on screen.
    pub(super) fn shows_regulation(&self) -> bool {
        self.active().is_some_and(|document| document.scenario.regulation().is_some())
    }

    /// Carries out what the regulation page asks for.
    pub(super) fn regulation_request(&mut self, ctx: &Context, request: Request) {
        if !self.shows_regulation() {
            self.notify("This is about regulation studies; show one, or make a new one, and try again");
            return;
        }
        match request {
            Request::Show(section) => {
                if let Some(page) = self.page_on_screen() {
                    page.section = section;
                }
            }
            Request::Import { cluster } => self.ask_for_recording(cluster),
            Request::ImportFile(path) => self.read_recording(path),
            Request::Watch => self.watch(ctx),
            Request::StopWatching => {
                if let Some(page) = self.page_on_screen() {
                    page.live_mut().stop();
                }
            }
            Request::SaveRecording => self.save_recording(),
            Request::UseRecording => self.use_recording(),
        }
    }

    fn import_into_active(&self, cluster: Option<String>) -> Option<Import> {
        let document = self.active()?;
        let seconds_per_scrape = document.scenario.regulation()?.run.period_seconds;
        Some(Import { document: document.id.clone(), cluster, seconds_per_scrape })
    }

    fn ask_for_recording(&mut self, cluster: Option<String>) {
        if let Some(import) = self.import_into_active(cluster) {
            self.ask(Purpose::Recording(import), "Import a recording", "recording", String::new());
        }
    }

    fn read_recording(&mut self, path: PathBuf) {
        if let Some(import) = self.import_into_active(None) {
            self.jobs.read_recording(import, path);
        }
    }

    /// Offers what was read, unless there is nobody any more whom it was read for.
    pub(super) fn take_recording(&mut self, import: &Import, path: &Path, result: Result<Box<Recording>, String>) {
        let recording = match result {
            Ok(recording) => *recording,
            Err(problem) => return self.notify_error(problem),
        };
        let file = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        self.offer(import, file, recording);
    }

    fn offer(&mut self, import: &Import, file: String, recording: Recording) {
        let index = self.documents.iter().position(|document| document.id == import.document);
        let study = index.and_then(|index| self.documents[index].scenario.regulation());
        let (Some(index), Some(study)) = (index, study) else {
            self.notify_error(format!("{file}: the scenario that it was for is closed; nothing was imported"));
            return;
        };
        let cluster = match &import.cluster {
            None => 0,
            Some(name) => {
                let Some(cluster) = study.clusters.iter().position(|cluster| cluster.name == *name) else {
                    self.notify_error(format!("{file}: there is no cluster {name} any more; nothing was imported"));
                    return;
                };
                cluster
            }
        };
        let bus = self.page_at(index).and_then(|page| page.live().bus_speed());
        self.import = Some(Offer::new(import.document.clone(), file, recording, (study, cluster), bus));
        self.show_tab(index);
    }

    fn watch(&mut self, ctx: &Context) {
        let opener = self.telemetry.clone();
        let Some(document) = self.documents.get_mut(self.active) else { return };
        if let (View::Regulation(page), Some(study)) = (&mut document.view, document.scenario.regulation()) {
            page.section = Section::Live;
            if !page.live().is_watching() {
                page.live_mut().start(&opener, study, ctx);
            }
        }
    }

    fn save_recording(&mut self) {
        let recording = self.page_on_screen().and_then(|page| page.live().recording());
        match (recording, self.active()) {
            (Some(recording), Some(document)) => {
                let name = format!("{}-recording.csv", super::handle::file_name(&document.title()));
                let content = Content::Text(recording.to_csv());
                self.ask(Purpose::Export(content), "Save the recording", "csv", name);
            }
            _ => self.notify("Nothing has been recorded yet; start watching first"),
        }
    }

    fn use_recording(&mut self) {
        let recording = self.page_on_screen().and_then(|page| page.live().recording());
        match (recording, self.import_into_active(None)) {
            (Some(recording), Some(import)) => self.offer(&import, "recording of this machine".into(), recording),
            _ => self.notify("Nothing has been recorded yet; start watching first"),
        }
    }

    fn page_on_screen(&mut self) -> Option<&mut Page> {
        match &mut self.documents.get_mut(self.active)?.view {
            View::Regulation(page) => Some(page),
            View::Placement(_) => None,
        }
    }

    fn page_at(&self, index: usize) -> Option<&Page> {
        match &self.documents.get(index)?.view {
            View::Regulation(page) => Some(page),
            View::Placement(_) => None,
        }
    }
}

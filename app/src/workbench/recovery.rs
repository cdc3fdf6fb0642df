//! Offers unsaved work of a crashed run.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crossover_page::document::Document;
use crossover_page::storage::on_disk::OnDisk;
use egui::{Context, Id, Key, Modal, Modifiers, RichText};

use super::Workbench;
use super::answer::Answer;
use super::offer::{Offer, ReadOffer};
use crate::kinds;
use crate::storage::recovery::Orphan;

/// Unsaved work of earlier runs that the user has not decided about.
#[derive(Default)]
pub(super) struct Offers {
    offers: Vec<Offer>,
    /// The file whose deletion the user must confirm.
    really: Option<PathBuf>,
}

enum Decision {
    Recover,
    RecoverAll,
    /// All of it stays on disk.
    NotNow,
    AskAgain,
    Discard,
}

impl Offers {
    /// Sorts the folder: edits to offer, documents of which only settings of tools are unsaved, and messages about other files.
    pub(super) fn new(orphans: Vec<Orphan>) -> (Self, Vec<Offer>, Vec<String>) {
        let (mut offers, mut settings, mut messages) = (Vec::new(), Vec::new(), Vec::new());
        for orphan in orphans {
            match orphan {
                Orphan::Document { file, snapshot } => {
                    let of = if snapshot.only_settings { &mut settings } else { &mut offers };
                    of.push(Offer { snapshot, file });
                }
                Orphan::Unreadable { file, reason } => messages.push(format!("{}: {reason}", file.display())),
            }
        }
        (Self { offers, really: None }, settings, messages)
    }

    /// Offers a document whose file cannot be read.
    pub(super) fn add(&mut self, offer: Offer) {
        self.offers.push(offer);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.offers.is_empty()
    }
}

impl Workbench {
    pub(super) fn recovery_prompt(&mut self, ctx: &Context) {
        if self.offers.is_empty() {
            return;
        }
        let Offers { offers, really } = &self.offers;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let mut decided: Option<(usize, Decision)> = None;
        let modal = Modal::new(Id::unique("recovery")).show(ctx, |ui| {
            ui.set_width(520.0);
            ui.heading("Unsaved work was found");
            ui.label(if offers.iter().all(|offer| offer.snapshot.only_settings) {
                "The files of these scenarios cannot be read. Their last state is here:"
            } else {
                "Crossover did not end normally. These edits were not saved:"
            });
            if offers.len() > 1 && ui.button(format!("Recover all {}", offers.len())).clicked() {
                decided = Some((0, Decision::RecoverAll));
            }
            ui.add_space(6.0);
            let height = (ctx.content_rect().height() - 200.0).max(60.0);
            egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
                for (index, offer) in offers.iter().enumerate() {
                    ui.group(|ui| {
                        ui.label(RichText::new(&offer.snapshot.name).strong());
                        if let Some(path) = &offer.snapshot.path {
                            ui.label(RichText::new(path.display().to_string()).weak());
                        }
                        let seconds = now.saturating_sub(offer.snapshot.saved_at_unix_seconds);
                        ui.label(RichText::new(format!("as of {}", age(seconds))).weak());
                        ui.horizontal(|ui| {
                            // Of one width, so that nothing moves under the pointer.
                            let button = |text: &str| egui::Button::new(text).min_size(egui::vec2(130.0, 0.0));
                            if ui.add(button("Recover")).clicked() {
                                decided = Some((index, Decision::Recover));
                            }
                            if really.as_ref() == Some(&offer.file) {
                                if ui.add(button("Really discard")).clicked() {
                                    decided = Some((index, Decision::Discard));
                                }
                            } else if ui.add(button("Discard")).clicked() {
                                decided = Some((index, Decision::AskAgain));
                            }
                        });
                    });
                }
            });
            ui.add_space(6.0);
            if ui.button("Not now").on_hover_text("Keep all of it and ask at the next start").clicked() {
                decided = Some((0, Decision::NotNow));
            }
        });
        // A click beside it is no answer: a first click may be meant for what is behind it.
        if modal.is_top_modal && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
            decided = Some((0, Decision::NotNow));
        }
        match decided {
            Some((index, Decision::Recover)) => {
                let offer = self.offers.offers.remove(index);
                self.recover(vec![offer]);
            }
            Some((_, Decision::RecoverAll)) => {
                let offers = std::mem::take(&mut self.offers).offers;
                self.recover(offers);
            }
            Some((_, Decision::NotNow)) => self.offers = Offers::default(),
            Some((index, Decision::AskAgain)) => {
                self.offers.really = Some(self.offers.offers[index].file.clone());
            }
            Some((index, Decision::Discard)) => {
                let offer = self.offers.offers.remove(index);
                if let Some(autosave) = &self.autosave {
                    autosave.discard(offer.file);
                }
            }
            None => {}
        }
    }

    /// Reads unsaved work on another thread. Until it is open, it stays on disk.
    fn recover(&mut self, offers: Vec<Offer>) {
        self.jobs.work("unsaved work", || Answer::Recovered(offers.into_iter().map(Offer::read).collect()));
    }

    /// Opens unsaved work that was read.
    pub(super) fn recovered(&mut self, work: Vec<ReadOffer>) {
        for (Offer { snapshot, file }, read) in work {
            match read {
                Ok(scenario) => {
                    let path = snapshot.path;
                    let id = self.id_of_earlier_run(snapshot.document_id);
                    self.add_as(id.clone(), |id| Document::recovered(kinds::page, id, path.clone(), *scenario));
                    self.fetch_named(&id);
                    self.keep_recovered(&id, file);
                    self.give_back(&id);
                    if let Some(path) = path {
                        self.jobs.locate(id, path);
                    }
                }
                Err(error) => self.notify_error(format!("Cannot recover “{}”: {error}", snapshot.name)),
            }
        }
    }

    /// The id that a document had in an earlier run, unless an open one has it: other documents may name it.
    pub(super) fn id_of_earlier_run(&mut self, id: String) -> String {
        if self.document(&id).is_some() { self.ids.make() } else { id }
    }

    /// Reads the files that a recovered scenario names: recovery stores texts only.
    pub(super) fn fetch_named(&mut self, id: &str) {
        let document = self.document(id);
        let Some(mut named) = document.and_then(|document| document.scenario.study.named_trace().cloned()) else {
            return;
        };
        let id = id.to_owned();
        let fetch = move || {
            crossover_traces::named::fetch(&mut named);
            named
        };
        self.with_services(|services| {
            services.work("recorded tasks", fetch, move |services, fetched| {
                services.amend(&id, |scenario| {
                    if let Some(named) = scenario.study.named_trace_mut() {
                        named.take(&fetched);
                    }
                });
            });
        });
    }

    /// Where the path of a recovered document leads: it takes the place of an unedited tab with the same file, with the settings
    /// of tools that only that tab has.
    pub(super) fn located(&mut self, id: &str, file: OnDisk) {
        // The user may have closed it: then the tab of the file stays.
        let Some(index) = self.documents.iter().position(|document| document.id == id) else { return };
        let is_twin = |other: &Document| other.id != id && other.is_of(&file) && !other.is_dirty();
        if let Some(twin) = self.documents.iter().position(is_twin) {
            self.take_place(index, twin);
        }
        if let Some(document) = self.documents.iter_mut().find(|document| document.id == id) {
            document.on_disk.get_or_insert(file);
        }
    }

    /// Puts the document at `index` in the place of its twin, which is removed.
    fn take_place(&mut self, index: usize, twin: usize) {
        let (id, twin_id) = (self.documents[index].id.clone(), self.documents[twin].id.clone());
        if self.documents[twin].has_unsaved_views() {
            let [own, others] = [index, twin].map(|place| self.documents[place].scenario.views.clone());
            self.documents[index].set_views(&own.or(others));
        }
        for tool in self.tools.iter_mut().filter(|tool| tool.target() == Some(twin_id.as_str())) {
            tool.set_target(&id);
        }
        if self.last_document.as_ref() == Some(&twin_id) {
            self.last_document = Some(id);
        }
        self.documents.swap(index, twin);
        if self.active == index {
            self.active = twin;
        }
        self.remove_document(&twin_id);
    }
}

/// How long ago something was, in the largest unit that it fills.
fn age(seconds: u64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    match units.into_iter().map(|(length, unit)| (seconds / length, unit)).find(|(count, _)| *count > 0) {
        Some((1, unit)) => format!("1 {unit} ago"),
        Some((count, unit)) => format!("{count} {unit}s ago"),
        None => "less than a minute ago".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_age_has_the_largest_unit_that_it_fills() {
        let check = |seconds, expected: &str| assert_eq!(super::age(seconds), expected, "{seconds}");
        check(0, "less than a minute ago");
        check(59, "less than a minute ago");
        check(60, "1 minute ago");
        check(3_599, "59 minutes ago");
        check(3_600, "1 hour ago");
        check(86_399, "23 hours ago");
        check(86_400, "1 day ago");
        check(1_000_000, "11 days ago");
    }
}

//! Import of query plans. Files are read one after the other on a thread; of a file with several queries the user chooses
//! one.

mod application;
mod found;
mod hardware;
mod linked;
pub(super) mod lists;
mod of_fleet;
mod pasted;
mod prompt;
mod table;
pub(super) mod trial;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

use crossover_page::cache::Cache;
use crossover_page::services::{Pick, Question, Services, Target};
use crossover_page::start::PlanReader;
use crossover_plan::today::is_spark;
use crossover_plan::{Control, Import, Query, scenario};
use crossover_quantity::text::counted;
use crossover_quantity::unit::Unit;
use crossover_scenario::Scenario;

use super::View;
use found::{FirstPage, Found, obstacle};
use hardware::Hardware;
use prompt::{Answer, Choosing};

pub(crate) use application::{ApplicationFile, OpenedApplication};
pub use application::{ApplicationWorkload, DecideApplication, QueriesAlone, note_of_unchanged};
pub(crate) use hardware::{hardware_for_queries, hardware_model, machines_for};
pub use of_fleet::{OpenedOfLog, WholeApplication, read_of_fleet};
pub use table::SHARE_OF_APPLICATION;

/// A plan, a log or its folder. Event logs often have no extension at all.
pub(super) const PLAN: Pick = Pick {
    title: "Import a query plan",
    title_by_path: "Import a plan by path",
    action: "Import",
    filter: None,
    target: Target::FileOrFolder,
};
/// A log of several files.
pub(super) const FOLDER: Pick = Pick {
    title: "Import a Spark log",
    title_by_path: "Import a folder of a Spark log by path",
    action: "Import",
    filter: None,
    target: Target::Folder,
};
/// Most nodes of a file that stays in memory, so that another of its queries opens at once: some hundred megabytes.
const MOST_KEPT: usize = 100_000;
/// Warnings about a file that a message quotes.
const QUOTED: usize = 3;

/// The file that was imported last.
struct LastImport {
    found: Arc<Found>,
    /// Documents that were made of it.
    documents: Vec<String>,
}

/// The file that was imported last, in memory or not.
struct Newest(Weak<Found>);

/// Whether the file that was imported last has other queries.
pub(super) fn has_another(cache: &Cache) -> bool {
    cache.get::<LastImport>().is_some_and(|kept| kept.found.rows.len() > 1)
}

/// After a document is closed: the last one of a file frees the file's memory.
pub(super) fn closed(document: &str, cache: &mut Cache) {
    linked::closed(document, cache);
    if let Some(kept) = cache.get_mut::<LastImport>()
        && kept.documents.iter().any(|id| id == document)
    {
        kept.documents.retain(|id| id != document);
        if kept.documents.is_empty() {
            cache.remove::<LastImport>();
        }
    }
}

/// Reads a file or folder after those before it.
pub(super) fn read(services: &mut Services<'_>, path: PathBuf) {
    read_then(services, path, take);
}

/// The same, but the query opens with its machines, before the answer.
pub(super) fn read_for_answer(services: &mut Services<'_>, path: PathBuf) {
    read_then(services, path, |services, found| take(services, Found { first: FirstPage::Machines, ..found }));
}

/// The same for what was dropped on the window: the query opens with its machines if they or their price are not known.
pub fn read_dropped(services: &mut Services<'_>, path: PathBuf) {
    read_then(services, path, |services, found| take(services, Found { first: FirstPage::MissingMachines, ..found }));
}

/// The same for a text that was pasted.
pub(super) fn read_text(services: &mut Services<'_>, text: String) {
    let reader = services.cache().get::<PlanReader>().cloned().unwrap_or_default();
    services.read(
        "Importing a query plan",
        PathBuf::from(pasted::NAME),
        move |_, control| pasted::read(&text, |path| reader.read(path, control)).map(Found::new),
        |services, result| match result {
            Ok(found) => take(services, Found { first: FirstPage::Machines, ..found }),
            Err(problem) => services.notify_error(problem),
        },
    );
}

fn read_then(services: &mut Services<'_>, path: PathBuf, take: impl FnOnce(&mut Services<'_>, Found) + Send + 'static) {
    let reader = services.cache().get::<PlanReader>().cloned().unwrap_or_default();
    let read = move |path: &Path, control: &Control| -> Result<Found, String> {
        let import = reader.read(path, control).map_err(|error| error.to_string())?;
        Ok(Found { path: Some(path.to_owned()), ..Found::new(import) })
    };
    services.read("Importing a query plan", path, read, move |services, result| match result {
        Ok(found) => take(services, found),
        Err(problem) => services.notify_error(problem),
    });
}

/// Opens the only query, or prompts for one.
fn take(services: &mut Services<'_>, found: Found) {
    let found = Arc::new(found);
    services.cache().remove::<LastImport>();
    services.cache().put(Newest(Arc::downgrade(&found)));
    match found.import.queries.as_slice() {
        [] => services.notify_error(format!("{}: the file has no query; nothing was opened", found.import.file)),
        [query] => match obstacle(query) {
            Some(reason) => services.notify_error(format!("{}: {reason}; nothing was opened", found.import.file)),
            None => open_only(services, found),
        },
        _ => {
            keep(services, &found, Vec::new());
            choose(services, found);
        }
    }
}

/// Keeps a file in memory, so that another of its queries opens at once, unless another file was imported meanwhile.
fn keep(services: &mut Services<'_>, found: &Arc<Found>, documents: Vec<String>) {
    let is_newest = services.cache().get::<Newest>().is_some_and(|Newest(file)| file.ptr_eq(&Arc::downgrade(found)));
    if is_newest && found.rows.len() > 1 && found.nodes <= MOST_KEPT {
        services.cache().put(LastImport { found: Arc::clone(found), documents });
    }
}

fn choose(services: &mut Services<'_>, found: Arc<Found>) {
    let offered = hardware::offered(services, &found.import.engine);
    let is_of_spark = is_spark(&found.import.engine);
    let has_application = is_of_spark && services.cache().get::<DecideApplication>().is_some();
    let has_fleet = is_of_spark && found.path.is_some() && services.cache().get::<WholeApplication>().is_some();
    services.ask(Choosing::new(found, offered, has_application, has_fleet));
}

/// Prompts for another query of the file that was imported last.
pub(super) fn choose_another(services: &mut Services<'_>) {
    match services.cache().get::<LastImport>().map(|kept| Arc::clone(&kept.found)) {
        Some(found) => choose(services, found),
        None => services.notify("No file with several queries is in memory; import it again"),
    }
}

fn open_only(services: &mut Services<'_>, found: Arc<Found>) {
    let hardware = hardware::offered(services, &found.import.engine)
        .into_iter()
        .next()
        .map_or(Hardware::Model, |first| first.hardware);
    let mut texts = found.warnings.clone();
    let more = texts.len().saturating_sub(QUOTED);
    texts.truncate(QUOTED);
    if more > 0 {
        texts.push(format!("and {}", counted(more as f64, "more warning")));
    }
    open_query(services, found, 0, &hardware, texts.join("; "), |_, _| {});
}

/// Shows the answer about the query on screen, which the user chose among those of a file, although its application has one.
fn show_query(services: &mut Services<'_>, _: &str) {
    if let Some((view, _)) = services.page_on_screen::<View>() {
        view.show_query();
    }
}

impl Choosing {
    /// Opens the query at a place of the file with the chosen hardware.
    fn open(&self, services: &mut Services<'_>, query: usize, then: fn(&mut Services<'_>, &str)) {
        let hardware = self.hardware.get(self.chosen).map(|offered| offered.hardware.clone());
        let hardware = hardware.unwrap_or(Hardware::Model);
        open_query(services, Arc::clone(&self.found), query, &hardware, String::new(), then);
    }
}

impl Question for Choosing {
    fn show(&mut self, services: &mut Services<'_>) -> bool {
        match self.draw(services.ctx()) {
            Answer::None => return true,
            Answer::Cancel => {}
            Answer::Fleet => {
                let whole = services.cache().get::<WholeApplication>().copied();
                let entered = of_fleet::entered_of(services, &self.found.import.file);
                if let Some((WholeApplication(open), path)) = whole.zip(self.found.path.clone()) {
                    open(services, path, entered);
                }
            }
            Answer::Query(query) => self.open(services, query, show_query),
            // Its page begins with the application.
            Answer::Application(query) => self.open(services, query, |_, _| {}),
        }
        false
    }
}

/// Makes a document of a query on a thread, shows it, and notifies with these warnings about the file; or reports the error. `then` gets
/// the document.
fn open_query(
    services: &mut Services<'_>,
    found: Arc<Found>,
    index: usize,
    hardware: &Hardware,
    warnings: String,
    then: fn(&mut Services<'_>, &str),
) {
    let (base, machines) = match hardware::base(hardware, &found.import.engine, services) {
        Ok(base) => base,
        Err(problem) => return services.notify_error(problem),
    };
    let decide = services.cache().get::<DecideApplication>().copied().filter(|_| hardware.is_shipped());
    let make = move |import: &Import, query: &Query| scenario::scenario(&base, machines, import, query);
    open_made_of(services, (found, index), make, decide, warnings, then);
}

/// The same with a function that makes the scenario of the query at a place of a file; `decide`: what finds what could run its
/// application, `then`: what gets the document.
fn open_made_of(
    services: &mut Services<'_>,
    (found, index): (Arc<Found>, usize),
    make: impl FnOnce(&Import, &Query) -> Scenario + Send + 'static,
    decide: Option<DecideApplication>,
    warnings: String,
    then: impl FnOnce(&mut Services<'_>, &str) + Send + 'static,
) {
    let (of, whole) = (Arc::clone(&found), Arc::new(OnceLock::new()));
    let of_application = Arc::clone(&whole);
    let made = move || {
        let mut made = checked(&of, index, |query| make(&of.import, query))?;
        if let Some(opened) = decide.and_then(|decide| application::add(&mut made.0, &of, decide)) {
            of_application.get_or_init(|| opened);
        }
        Ok(made)
    };
    let first = found.first;
    open_made(services, found, made, warnings, move |services, document| {
        // The document is on screen.
        if let Some((view, scenario)) = services.page_on_screen::<View>() {
            // One that was open has its application already, unless it was opened again after a restart.
            if let Some(application) = whole.get().filter(|_| !view.has_application()) {
                view.set_application(application);
            }
            match (first, scenario.placement()) {
                (FirstPage::Machines, _) => view.begin_with_machines(),
                (FirstPage::MissingMachines, Some(study)) => view.begin_with_missing_machines(study),
                (FirstPage::Application, _) => view.begin_with_application(),
                (FirstPage::QueryAnswer, _) => view.begin_with_query(),
                (FirstPage::Plan, _) => view.begin_with_plan(),
                (FirstPage::Answer, _) | (FirstPage::MissingMachines, None) => {}
            }
        }
        then(services, document);
        let (view, _) = services.page_on_screen::<View>()?;
        whole.get().filter(|_| view.shows_application())?.opened()
    });
}

/// The same. `make` returns the scenario with its message; `then` receives the document, and returns a message that replaces this one.
fn open_made(
    services: &mut Services<'_>,
    found: Arc<Found>,
    make: impl FnOnce() -> Result<(Scenario, String), String> + Send + 'static,
    warnings: String,
    then: impl FnOnce(&mut Services<'_>, &str) -> Option<String> + Send + 'static,
) {
    services.work("query", make, move |services, made| {
        let (scenario, opened) = match made {
            Ok(made) => made,
            Err(problem) => return services.notify_error(problem),
        };
        let name = scenario.name.clone();
        let (document, was_open) = if found.first.is_linked() {
            linked::show_or_open(services, scenario)
        } else {
            (services.open(scenario), false)
        };
        let instead = then(services, &document);
        let opened = if was_open { format!("“{name}” is open already") } else { instead.unwrap_or(opened) };
        match services.cache().get_mut::<LastImport>() {
            Some(kept) if Arc::ptr_eq(&kept.found, &found) => kept.documents.push(document),
            Some(_) => {}
            // Its last document was closed while the prompt was open.
            None => keep(services, &found, vec![document]),
        }
        if warnings.is_empty() {
            services.notify(opened);
        } else {
            // Warnings stay on screen until they are dismissed.
            services.notify_lasting(format!("{opened}. {warnings}"));
        }
    });
}

/// The scenario of a query, and the message.
///
/// # Errors
/// The query is invalid.
fn checked(found: &Found, index: usize, make: impl FnOnce(&Query) -> Scenario) -> Result<(Scenario, String), String> {
    let file = &found.import.file;
    let query = found.query(index).ok_or_else(|| format!("{file}: the query is no longer in the file"))?;
    let scenario = make(query);
    scenario.study.validate().map_err(|invalid| {
        format!("{file}, query {}: {}: {}; nothing was opened", query.id, invalid.path, invalid.problem)
    })?;
    let operators = found.rows.get(index).map_or(0, |row| row.operators);
    let operators = counted(operators as f64, "operator");
    Ok((scenario, format!("Opened {} of {file}: {operators}", scenario::query_name(query))))
}

/// A number with separators: "1,234".
fn count(number: impl TryInto<u64>) -> String {
    Unit::Count.format(number.try_into().unwrap_or(u64::MAX) as f64)
}

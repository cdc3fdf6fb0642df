//! Requests of the page of histories to the window.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crossover_chart::{Chart, Form};
use crossover_export::allocation::history::HistoryFormat;
use crossover_page::ask::Ask;
use crossover_page::lazy_text::LazyText;
use crossover_page::services::{Pick, Services, Target};

use super::jobs::ReplayedJobs;
use super::sample::SampleJobs;
use super::{HistoryFiles, OpenedHistory, TOOL, chart};

const JOBS: Pick = Pick {
    title: "Open recorded jobs",
    title_by_path: "Open recorded jobs by path",
    action: "Open",
    filter: None,
    target: Target::File,
};
const NODES: Pick = Pick { title: "Open the nodes", title_by_path: "Open the nodes by path", ..JOBS };
/// Width and height of an exported chart, pixels.
const PICTURE_SIZE: [f32; 2] = [960.0, 600.0];

/// A request of the page to the window.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Ask for a file of jobs.
    PickJobs,
    /// Replay the jobs of this file.
    UseJobs(PathBuf),
    /// Replay the jobs that come with the program.
    UseSample,
    /// Ask for a file of the nodes of the jobs.
    PickNodes,
    /// Replay on the nodes of this file.
    UseNodes(PathBuf),
    /// Replay on nodes that follow from the jobs.
    WithoutNodes,
    /// Ask for a file name and write the results there.
    Export(Export),
}

/// Replayed jobs that are written to a file.
#[derive(Debug, Clone)]
pub struct Export {
    /// The replayed jobs.
    pub(super) replayed: Arc<ReplayedJobs>,
    /// Price of a GPU for an hour, US dollars.
    pub(super) usd_per_gpu_hour: Option<f64>,
    /// What is written.
    pub(super) form: ExportForm,
}

/// How replayed jobs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// A report for a browser.
    Report,
    /// One row for the record and each policy.
    Table,
    /// Everything, for programs.
    Results,
    /// The chart of waits.
    Chart,
}

impl ExportForm {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 4] = [Self::Report, Self::Table, Self::Results, Self::Chart];

    fn text(self) -> &'static str {
        match self {
            Self::Report => "Export report as HTML…",
            Self::Table => "Export results as CSV…",
            Self::Results => "Export results as JSON…",
            Self::Chart => "Export chart as SVG…",
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Report => "html",
            Self::Table => "csv",
            Self::Results => "json",
            Self::Chart => "svg",
        }
    }
}

impl PartialEq for Export {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.replayed, &other.replayed)
            && self.usd_per_gpu_hour == other.usd_per_gpu_hour
            && self.form == other.form
    }
}

impl Export {
    fn text(&self) -> String {
        let results = self.replayed.results(self.usd_per_gpu_hour);
        match self.form {
            ExportForm::Report => results.write(HistoryFormat::Html),
            ExportForm::Table => results.write(HistoryFormat::Csv),
            ExportForm::Results => results.write(HistoryFormat::Json),
            ExportForm::Chart => Chart::Bars(chart::waits(&results)).text(Form::Svg(PICTURE_SIZE)),
        }
    }
}

impl Request {
    /// Carries out the request.
    pub(in super::super) fn carry_out(&self, services: &mut Services<'_>) {
        match self.clone() {
            Self::PickJobs => services.pick(JOBS, open_jobs),
            Self::UseJobs(path) => open_jobs(services, path),
            Self::UseSample => services.work("sample of jobs", SampleJobs::write, |services, written| match written {
                Ok(sample) => {
                    let (jobs, nodes) = (sample.jobs(), sample.nodes());
                    services.cache().put(sample);
                    open_jobs(services, jobs);
                    open_nodes(services, Some(nodes));
                }
                Err(problem) => services.notify_error(problem),
            }),
            Self::PickNodes => services.pick(NODES, |services, path| open_nodes(services, Some(path))),
            Self::UseNodes(path) => open_nodes(services, Some(path)),
            Self::WithoutNodes => open_nodes(services, None),
            Self::Export(export) => {
                let extension = export.form.extension();
                let text = LazyText::new(move || export.text());
                services.save("Export the replay", "replayed-history", extension, text);
            }
        }
    }
}

impl Ask for Request {
    fn text(&self) -> String {
        match self {
            Self::PickJobs => "Open recorded jobs…".into(),
            Self::UseJobs(path) => format!("Replay the jobs of {}", path.display()),
            Self::UseSample => "Replay the sample of recorded jobs".into(),
            Self::PickNodes => "Open nodes…".into(),
            Self::UseNodes(path) => format!("Replay on the nodes of {}", path.display()),
            Self::WithoutNodes => "Remove nodes".into(),
            Self::Export(export) => export.form.text().into(),
        }
    }

    fn tooltip(&self) -> &'static str {
        match self {
            Self::PickJobs => "The output of sacct --json or sacct --parsable2, with --allusers",
            Self::PickNodes => "The output of scontrol show node, its JSON, or that of sinfo",
            Self::WithoutNodes => {
                "Each node then has the most GPUs, cores and memory that its jobs used at once: a lower bound"
            }
            Self::UseSample => "Synthetic jobs on four nodes, included with the program",
            Self::Export(_) => "Writes the replay to a file",
            Self::UseJobs(_) | Self::UseNodes(_) => "",
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

fn opened(services: &mut Services<'_>) -> Option<HistoryFiles> {
    services.cache().get::<OpenedHistory>().and_then(|opened| opened.0.clone())
}

/// Other jobs are of another cluster: their nodes are not those of the jobs before.
fn open_jobs(services: &mut Services<'_>, jobs: PathBuf) {
    let before = opened(services);
    let count = before.as_ref().map_or(0, |files| files.opened + 1);
    let nodes = before.filter(|files| files.jobs == jobs).and_then(|files| files.nodes);
    services.cache().put(OpenedHistory(Some(HistoryFiles { jobs, nodes, opened: count })));
    services.show_tool(TOOL);
}

fn open_nodes(services: &mut Services<'_>, nodes: Option<PathBuf>) {
    let Some(files) = opened(services) else {
        return services.notify("Nodes need recorded jobs. Open recorded jobs first");
    };
    let count = files.opened + 1;
    services.cache().put(OpenedHistory(Some(HistoryFiles { nodes, opened: count, ..files })));
}

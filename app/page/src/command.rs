//! Every command of the workbench, in one enum.
//!
//! The menu, the palette, the shortcuts, the views and the tests all send commands; the workbench
//! carries them out in one place (`workbench/handle.rs`).

use std::path::PathBuf;

use crossover_export::Format;
use crossover_export::report::ReportFormat;
use egui::{Key, KeyboardShortcut, Modifiers};

use crossover_quantity::spread::Spread;
use crossover_scenario::{Kind, Study, Views};

use crate::ask::{Ask, Request};
use crate::density::Density;
use crate::examples::{Example, Template};
use crate::theme_choice::ThemeChoice;

/// A command of the workbench.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A new scenario like this in a new tab.
    New(Template),
    /// Ask for a file and open it.
    Open,
    /// Type the path of a file and open it; works without a file dialog.
    TypeOpenPath,
    /// Type the path of a file and save there; works without a file dialog.
    TypeSavePath,
    /// Paste a link and open what it shows.
    OpenLink,
    /// Open this file or link.
    OpenPath(PathBuf),
    /// Open a copy of a scenario that comes with the program.
    OpenExample(Example),
    /// Save the active document.
    Save,
    /// Ask for a file name and save there.
    SaveAs,
    /// Save to this file.
    SaveTo(PathBuf),
    /// Close the active tab.
    CloseTab,
    /// Close the tab at this position.
    CloseTabAt(usize),
    /// Close all tabs but the active one.
    CloseOtherTabs,
    /// Close all tabs but the one at this position.
    CloseTabsExcept(usize),
    /// Open the tab that was closed last.
    ReopenClosed,
    /// Show the tab at this position.
    SelectTab(usize),
    /// Move a tab; documents stay left of tools.
    MoveTab {
        /// Its position.
        from: usize,
        /// Its new position.
        to: usize,
    },
    /// Move the active tab one position to the left.
    MoveTabLeft,
    /// Move the active tab one position to the right.
    MoveTabRight,
    /// List all tabs, with a search.
    ListTabs,
    /// Show the next tab.
    NextTab,
    /// Show the previous tab.
    PreviousTab,
    /// Show a tool page in its tab.
    ShowTool(Tool),
    /// A request that only one page handles.
    Ask(Request),
    /// End the program, after asking about unsaved work.
    Quit,
    /// Undo the last edit.
    Undo,
    /// Redo the last undone edit.
    Redo,
    /// Give numbers of a document these values, in one step; they count as entered.
    SetNumbers {
        /// Id of the document.
        document: String,
        /// Paths of the numbers, with their values.
        numbers: Vec<(String, f64)>,
    },
    /// Give a field the value that it has in the saved file.
    ResetField(String),
    /// Set the spread of a number of a document; none: remove it.
    SetSpread {
        /// The document, by its id.
        document: String,
        /// Path of the number.
        path: String,
        /// The distribution.
        spread: Option<Box<Spread>>,
    },
    /// Give a document another study of its kind, in one step.
    ChangeStudy {
        /// The document, by its id.
        document: String,
        /// The study, with the provenance of its numbers.
        study: Box<Study>,
    },
    /// Keep settings of tool pages with a document; no edit of its study.
    SetViews {
        /// The document, by its id.
        document: String,
        /// The settings of all tools.
        views: Box<Views>,
    },
    /// Put the results on the clipboard.
    Copy(Format),
    /// Put a link to what is on screen on the clipboard.
    CopyLink,
    /// Ask for a file name and write the results there.
    Export(Format),
    /// Ask for a file name and write a report there.
    ExportReport(ReportFormat),
    /// Ask for a file name and write the data behind the charts there as CSV.
    ExportData,
    /// Ask for a file name and write a chart there.
    ExportChart {
        /// Which chart of the study, in the order of the page.
        chart: usize,
        /// As vectors or as pixels.
        picture: Picture,
    },
    /// Light, dark, or as the system.
    Theme(ThemeChoice),
    /// Compact or comfortable.
    Density(Density),
    /// Larger.
    ZoomIn,
    /// Smaller.
    ZoomOut,
    /// Natural size.
    ZoomReset,
    /// Show or hide the inspector.
    ToggleInspector,
    /// Show what can be decided, beside the published setting.
    ShowStart,
    /// Close that panel, also for later starts.
    CloseStart,
    /// Panels and plots as they were at the first start.
    ResetLayout,
    /// Search all commands.
    Palette,
    /// List the shortcuts.
    ShowShortcuts,
    /// Show the section of the guides about the page on screen.
    HelpOnPage,
    /// Show the formulas and their sources.
    ShowHelp,
    /// Show what the parts of a page are: of the page on screen, or of a study of this kind.
    TakeTour(Option<Kind>),
    /// Name, version, licence.
    ShowAbout,
    /// Show a short message.
    Notify(String),
}

/// A page that is no document; each has one tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Name of its tab and in the menu.
    pub title: &'static str,
    /// What it does: text of the tooltip and in the palette.
    pub tooltip: &'static str,
    /// Where the help is about it: a document below `docs`, `#`, and its section.
    pub help: &'static str,
}

/// How a chart is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// As vectors.
    Svg,
    /// As pixels.
    Png,
    /// As a Vega-Lite specification with its data.
    VegaLite,
}

impl Picture {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::VegaLite];

    /// Its name in menus.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Svg => "SVG",
            Self::Png => "PNG",
            Self::VegaLite => "Vega-Lite",
        }
    }

    /// The extension of the file.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::VegaLite => "json",
        }
    }
}

impl Command {
    /// A request that only one page handles.
    #[must_use]
    pub fn ask(request: impl Ask) -> Self {
        Self::Ask(Request::new(request))
    }

    /// Text in a menu.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::New(template) => format!("New {} study", template.kind.key()),
            Self::Open => "Open…".into(),
            Self::TypeOpenPath => "Open by path…".into(),
            Self::TypeSavePath => "Save to path…".into(),
            Self::OpenLink => "Open link…".into(),
            Self::OpenPath(path) => path.display().to_string(),
            Self::OpenExample(example) => format!("Open example: {}", example.label),
            Self::Save => "Save".into(),
            Self::SaveAs => "Save as…".into(),
            Self::SaveTo(path) => format!("Save to {}", path.display()),
            Self::CloseTab | Self::CloseTabAt(_) => "Close tab".into(),
            Self::CloseOtherTabs | Self::CloseTabsExcept(_) => "Close other tabs".into(),
            Self::ReopenClosed => "Reopen closed tab".into(),
            Self::MoveTab { to, .. } => format!("Move the tab to position {}", to + 1),
            Self::MoveTabLeft => "Move tab left".into(),
            Self::MoveTabRight => "Move tab right".into(),
            Self::ListTabs => "Search tabs…".into(),
            Self::SelectTab(index) => format!("Show tab {}", index + 1),
            Self::NextTab => "Next tab".into(),
            Self::PreviousTab => "Previous tab".into(),
            Self::ShowTool(tool) => tool.title.into(),
            Self::Ask(request) => request.text(),
            Self::Quit => "Quit".into(),
            Self::Undo => "Undo".into(),
            Self::Redo => "Redo".into(),
            Self::SetNumbers { numbers, .. } => {
                let numbers = numbers.iter().map(|(path, value)| format!("{path} to {value}"));
                format!("Set {}", numbers.collect::<Vec<_>>().join(" and "))
            }
            Self::ResetField(path) => format!("Reset {path}"),
            Self::ChangeStudy { .. } => "Change the scenario".into(),
            Self::SetSpread { path, .. } => format!("Set the spread of {path}"),
            Self::SetViews { .. } => "Save the settings of tools".into(),
            Self::Copy(format) => format!("Copy results as {}", format.label()),
            Self::CopyLink => "Copy link".into(),
            Self::Export(format) => format!("Export results as {}…", format.label()),
            Self::ExportReport(format) => format!("Export report as {}…", format.label()),
            Self::ExportData => "Export chart data as CSV…".into(),
            Self::ExportChart { picture, .. } => format!("Export chart as {}…", picture.label()),
            Self::Theme(choice) => format!("Theme: {}", choice.label()),
            Self::Density(density) => format!("Density: {}", density.label()),
            Self::ZoomIn => "Zoom in".into(),
            Self::ZoomOut => "Zoom out".into(),
            Self::ZoomReset => "Actual size".into(),
            Self::ToggleInspector => "Show or hide the inspector".into(),
            Self::ShowStart => "What do you want to decide?".into(),
            Self::CloseStart => "Close the start panel".into(),
            Self::ResetLayout => "Reset layout".into(),
            Self::Palette => "Search commands…".into(),
            Self::ShowShortcuts => "Keyboard shortcuts".into(),
            Self::HelpOnPage => "Help on this page".into(),
            Self::ShowHelp => "Guides and formulas".into(),
            Self::TakeTour(None) => "Take the tour".into(),
            Self::TakeTour(Some(kind)) => format!("Take the tour: {} study", kind.key()),
            Self::ShowAbout => "About Crossover".into(),
            Self::Notify(text) => text.clone(),
        }
    }

    /// What it does: text of the tooltip and in the palette.
    #[must_use]
    pub fn tooltip(&self) -> &'static str {
        match self {
            Self::New(template) => template.hint,
            Self::Open | Self::OpenPath(_) => "Open a scenario file (.ron)",
            Self::TypeOpenPath => {
                "Type the path of a scenario, a log, a plan, a SQL file or a folder of logs, or a link"
            }
            Self::OpenLink => "Paste a crossover:// link; opens its scenario and its view in a new tab",
            Self::TypeSavePath => "Type where to save; for systems without a file dialog",
            Self::OpenExample(_) => "Open a copy of a scenario that comes with Crossover",
            Self::Save | Self::SaveTo(_) => "Save the scenario; the old file stays intact if saving fails",
            Self::SaveAs => "Save the scenario under a new name",
            Self::CloseTab | Self::CloseTabAt(_) => "Close this scenario; asks about unsaved edits",
            Self::CloseOtherTabs | Self::CloseTabsExcept(_) => "Close all other tabs; asks about unsaved edits",
            Self::ReopenClosed => "Open the tab that was closed last, with edits that were discarded",
            Self::MoveTab { .. } | Self::MoveTabLeft | Self::MoveTabRight => {
                "Move the tab; dragging it does the same. Scenarios stay left of tools"
            }
            Self::ListTabs => "Find an open tab by its title",
            Self::SelectTab(_) | Self::NextTab | Self::PreviousTab => "Show another open scenario",
            Self::ShowTool(tool) => tool.tooltip,
            Self::Notify(_) => "",
            Self::Ask(request) => request.tooltip(),
            Self::Quit => "Quit Crossover; asks about unsaved edits",
            Self::Undo => "Undo the last edit",
            Self::Redo => "Redo the last undone edit",
            Self::SetNumbers { .. } | Self::ChangeStudy { .. } => "Change numbers of the scenario, in one step",
            Self::ResetField(_) => "Reset the field to its saved value",
            Self::SetSpread { .. } => "Set the distribution of an uncertain number",
            Self::SetViews { .. } => "Save the settings of tools with the scenario",
            Self::Copy(_) => "Copy the results of the study to the clipboard",
            Self::CopyLink => "Copy a link that carries the scenario, the settings of its tools and what is on screen",
            Self::Export(_) => "Write the results of the study to a file",
            Self::ExportReport(_) => {
                "Write the answer, its likelihood, its sensitivity and every number with its source to a file"
            }
            Self::ExportData => "Write every number behind the charts of the page to a file",
            Self::ExportChart { picture: Picture::VegaLite, .. } => {
                "Write this chart with its data as a specification for notebooks and web pages"
            }
            Self::ExportChart { .. } => "Write this chart to a file, dark on light for documents",
            Self::Theme(_) => "Change the colours of the window",
            Self::Density(_) => "Change the spacing of controls",
            Self::ZoomIn | Self::ZoomOut | Self::ZoomReset => "Change the size of everything",
            Self::ToggleInspector => "Show or hide the panel with all parameters on the left",
            Self::ShowStart => "Show the start panel, beside the curves of the published setting",
            Self::CloseStart => "Close this panel; View → What do you want to decide? shows it again",
            Self::ResetLayout => "Reset panels, plots and zoom",
            Self::Palette => "Find any command by its name or a word of its description",
            Self::ShowShortcuts => "List all keyboard shortcuts",
            Self::HelpOnPage => "The section of the guides about the page on screen",
            Self::ShowHelp => "Guides, glossary, and every formula of the model with its source",
            Self::TakeTour(None) => "Five cards about the parts of the page; opens an example if no scenario is open",
            Self::TakeTour(Some(_)) => "Five cards about the page of such a study; opens an example if none is open",
            Self::ShowAbout => "Version, licence and the graphics adapter in use",
        }
    }

    /// Whether it uses the text in the fields of a document, or hides the document.
    #[must_use]
    pub fn needs_fields(&self) -> bool {
        !matches!(
            self,
            Self::Undo
                | Self::Redo
                | Self::ZoomIn
                | Self::ZoomOut
                | Self::ZoomReset
                | Self::ToggleInspector
                | Self::CloseStart
                | Self::Theme(_)
                | Self::Density(_)
                | Self::Palette
                | Self::ListTabs
                | Self::ShowShortcuts
                | Self::HelpOnPage
                | Self::ShowHelp
                | Self::ShowAbout
        )
    }

    /// Its keyboard shortcut.
    #[must_use]
    pub fn shortcut(&self) -> Option<KeyboardShortcut> {
        const SHIFT_COMMAND: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        let (modifiers, key) = match self {
            Self::New(template) if template.kind == Kind::ALL[0] => (Modifiers::COMMAND, Key::N),
            Self::Open => (Modifiers::COMMAND, Key::O),
            Self::Ask(request) => return request.shortcut(),
            Self::Save => (Modifiers::COMMAND, Key::S),
            Self::SaveAs => (SHIFT_COMMAND, Key::S),
            Self::CloseTab => (Modifiers::COMMAND, Key::W),
            Self::CloseOtherTabs => (SHIFT_COMMAND, Key::W),
            Self::ReopenClosed => (SHIFT_COMMAND, Key::T),
            Self::NextTab => (Modifiers::COMMAND, Key::PageDown),
            Self::PreviousTab => (Modifiers::COMMAND, Key::PageUp),
            Self::MoveTabLeft => (SHIFT_COMMAND, Key::PageUp),
            Self::MoveTabRight => (SHIFT_COMMAND, Key::PageDown),
            Self::ListTabs => (SHIFT_COMMAND, Key::A),
            Self::Quit => (Modifiers::COMMAND, Key::Q),
            Self::Undo => (Modifiers::COMMAND, Key::Z),
            Self::Redo => (SHIFT_COMMAND, Key::Z),
            Self::Copy(Format::Csv) => (SHIFT_COMMAND, Key::C),
            Self::Copy(Format::Markdown) => (SHIFT_COMMAND, Key::M),
            Self::Export(Format::Csv) => (Modifiers::COMMAND, Key::E),
            Self::ZoomIn => (Modifiers::COMMAND, Key::Plus),
            Self::ZoomOut => (Modifiers::COMMAND, Key::Minus),
            Self::ZoomReset => (Modifiers::COMMAND, Key::Num0),
            Self::ToggleInspector => (Modifiers::COMMAND, Key::B),
            Self::Palette => (SHIFT_COMMAND, Key::P),
            Self::ShowShortcuts => (Modifiers::COMMAND, Key::Slash),
            Self::HelpOnPage => (Modifiers::NONE, Key::F1),
            Self::ShowHelp => (Modifiers::SHIFT, Key::F1),
            _ => return None,
        };
        Some(KeyboardShortcut::new(modifiers, key))
    }
}

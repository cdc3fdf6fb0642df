//! Everything a user can ask the workbench to do, in one enum.
//!
//! The menu, the palette, the shortcuts, the views and the tests all send commands; the workbench
//! carries them out in one place (`workbench/handle.rs`).

use std::path::PathBuf;

use egui::{Key, KeyboardShortcut, Modifiers};

use crossover_model::scenario::Kind;

use crate::calibrate::request::Request;
pub use crate::examples::Example;
use crate::export::Format;
use crate::export::placement::plan::PlanFormat;
use crate::settings::ThemeChoice;
use crate::studies::placement::request as plan;
use crate::studies::regulation::request as regulation;

/// Something the workbench can do.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A new scenario of this kind in a new tab.
    New(Kind),
    /// Ask for a file and open it.
    Open,
    /// Type the path of a file and open it; works without a file dialog.
    TypeOpenPath,
    /// Type the path of a file and save there; works without a file dialog.
    TypeSavePath,
    /// Open this file.
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
    /// Show the tab at this position.
    SelectTab(usize),
    /// Show the next tab.
    NextTab,
    /// Show the previous tab.
    PreviousTab,
    /// Show a tool page in its tab.
    ShowTool(Tool),
    /// What the Calibrate page asks for.
    Calibrate(Request),
    /// What the regulation page asks for.
    Regulation(regulation::Request),
    /// What is asked about query plans.
    Plan(plan::Request),
    /// End the program, after asking about unsaved work.
    Quit,
    /// Take back the last edit.
    Undo,
    /// Repeat the edit that was taken back.
    Redo,
    /// Give a field the value that it has in the saved file.
    ResetField(String),
    /// Put the results on the clipboard.
    Copy(Format),
    /// Ask for a file name and write the results there.
    Export(Format),
    /// Ask for a file name and write where the operators of the query plan run, for other programs.
    ExportPlan(PlanFormat),
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
    /// Larger.
    ZoomIn,
    /// Smaller.
    ZoomOut,
    /// Natural size.
    ZoomReset,
    /// Show or hide the inspector.
    ToggleInspector,
    /// Panels and plots as they were at the first start.
    ResetLayout,
    /// Search all commands.
    Palette,
    /// List the shortcuts.
    ShowShortcuts,
    /// Show the formulas and their sources.
    ShowFormulas,
    /// Name, version, licence.
    ShowAbout,
    /// Show a short message.
    Notify(String),
}

/// A page that is no document; each has one tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Measures this machine.
    Calibrate,
}

impl Tool {
    /// All tools, in the order of the menu.
    pub const ALL: [Self; 1] = [Self::Calibrate];

    /// Name of its tab and in the menu.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Calibrate => "Calibrate",
        }
    }
}

/// How a chart is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// As vectors.
    Svg,
    /// As pixels.
    Png,
}

impl Picture {
    /// The extension of the file.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

impl Command {
    /// Asks for a recording that becomes the demand of a cluster.
    pub const IMPORT_RECORDING: Self = Self::Regulation(regulation::Request::Import { cluster: None });

    /// Asks for a file with query plans.
    pub const IMPORT_PLAN: Self = Self::Plan(plan::Request::Import);

    /// The commands that menus and the palette list.
    #[must_use]
    pub fn listed() -> Vec<Self> {
        let mut commands = Kind::ALL.map(Self::New).to_vec();
        commands.extend([Self::Open, Self::TypeOpenPath]);
        commands.extend(plan::Request::IMPORTS.map(Self::Plan));
        commands.extend(plan::Request::LISTS.map(Self::Plan));
        commands.extend(Example::ALL.map(Self::OpenExample));
        commands.extend([
            Self::Save,
            Self::SaveAs,
            Self::TypeSavePath,
            Self::CloseTab,
            Self::NextTab,
            Self::PreviousTab,
            Self::Quit,
            Self::Undo,
            Self::Redo,
        ]);
        commands.extend(Tool::ALL.map(Self::ShowTool));
        commands.push(Self::Regulation(regulation::Request::Show(regulation::Section::Gains)));
        commands.extend([Self::IMPORT_RECORDING, Self::Regulation(regulation::Request::Watch)]);
        commands.extend([Format::Csv, Format::Markdown].map(Self::Copy));
        commands.extend(Format::EXPORTED.map(Self::Export));
        commands.extend(PlanFormat::ALL.map(Self::ExportPlan));
        commands.push(Self::ExportData);
        commands.extend(ThemeChoice::ALL.map(Self::Theme));
        commands.extend([
            Self::ZoomIn,
            Self::ZoomOut,
            Self::ZoomReset,
            Self::ToggleInspector,
            Self::ResetLayout,
            Self::Palette,
            Self::ShowShortcuts,
            Self::ShowFormulas,
            Self::ShowAbout,
        ]);
        commands
    }

    /// What stands in a menu.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::New(kind) => format!("New {} study", kind.key()),
            Self::Open => "Open…".into(),
            Self::TypeOpenPath => "Open by path…".into(),
            Self::TypeSavePath => "Save to path…".into(),
            Self::OpenPath(path) => path.display().to_string(),
            Self::OpenExample(example) => format!("Open example: {}", example.label()),
            Self::Save => "Save".into(),
            Self::SaveAs => "Save as…".into(),
            Self::SaveTo(path) => format!("Save to {}", path.display()),
            Self::CloseTab | Self::CloseTabAt(_) => "Close tab".into(),
            Self::SelectTab(index) => format!("Show tab {}", index + 1),
            Self::NextTab => "Next tab".into(),
            Self::PreviousTab => "Previous tab".into(),
            Self::ShowTool(tool) => tool.title().into(),
            Self::Calibrate(request) => match request {
                Request::LookForDevices => "Look for GPUs".into(),
                Request::Start => "Start measuring".into(),
                Request::Cancel => "Cancel the measurement".into(),
                Request::Show(path) => format!("Show the run in {}", path.display()),
                Request::Compare(_) => "Compare two runs".into(),
                Request::Delete(path) => format!("Delete the run in {}", path.display()),
                Request::Apply { .. } => "Apply measured values".into(),
            },
            Self::Regulation(request) => match request {
                regulation::Request::Show(regulation::Section::Time) => "Show the runs over time".into(),
                regulation::Request::Show(regulation::Section::Gains) => {
                    "Tune gains: search, Ziegler–Nichols, stability map".into()
                }
                regulation::Request::Show(regulation::Section::Live) => "Show what this machine does".into(),
                regulation::Request::Import { .. } => "Import a recording as demand…".into(),
                regulation::Request::ImportFile(path) => format!("Import the recording {}", path.display()),
                regulation::Request::Watch => "Watch this machine's GPUs".into(),
                regulation::Request::StopWatching => "Stop watching".into(),
                regulation::Request::SaveRecording => "Save recording…".into(),
                regulation::Request::UseRecording => "Use as demand of a cluster…".into(),
            },
            Self::Plan(request) => request.text(),
            Self::Quit => "Quit".into(),
            Self::Undo => "Undo".into(),
            Self::Redo => "Redo".into(),
            Self::ResetField(path) => format!("Reset {path}"),
            Self::Copy(format) => format!("Copy results as {}", format.label()),
            Self::Export(format) => format!("Export results as {}…", format.label()),
            Self::ExportPlan(format) => format!("Export plan as {}…", format.label()),
            Self::ExportData => "Export data of the charts as CSV…".into(),
            Self::ExportChart { picture: Picture::Svg, .. } => "Export chart as SVG…".into(),
            Self::ExportChart { picture: Picture::Png, .. } => "Export chart as PNG…".into(),
            Self::Theme(choice) => format!("Theme: {}", choice.label()),
            Self::ZoomIn => "Zoom in".into(),
            Self::ZoomOut => "Zoom out".into(),
            Self::ZoomReset => "Actual size".into(),
            Self::ToggleInspector => "Show or hide the inspector".into(),
            Self::ResetLayout => "Reset layout".into(),
            Self::Palette => "Search commands…".into(),
            Self::ShowShortcuts => "Keyboard shortcuts".into(),
            Self::ShowFormulas => "Formulas and sources".into(),
            Self::ShowAbout => "About Crossover".into(),
            Self::Notify(text) => text.clone(),
        }
    }

    /// What it does, for a tooltip and for the palette.
    #[must_use]
    pub fn tooltip(&self) -> &'static str {
        match self {
            Self::New(Kind::Placement) => "Where does the GPU start to pay? A new scenario in its own tab",
            Self::New(Kind::Regulation) => "Are transfer and compute in balance? A new scenario in its own tab",
            Self::Open | Self::OpenPath(_) => "Open a scenario file (.ron)",
            Self::TypeOpenPath => "Type the path of a scenario file; for systems without a file dialog",
            Self::TypeSavePath => "Type where to save; for systems without a file dialog",
            Self::OpenExample(_) => "Open a copy of a scenario that comes with Crossover",
            Self::Save | Self::SaveTo(_) => "Save the scenario; the old file stays whole if saving fails",
            Self::SaveAs => "Save the scenario under a new name",
            Self::CloseTab | Self::CloseTabAt(_) => "Close this scenario; unsaved edits are asked about",
            Self::SelectTab(_) | Self::NextTab | Self::PreviousTab => "Show another open scenario",
            Self::ShowTool(Tool::Calibrate) => "Measure CPU, bus and GPU of this machine, and take the figures over",
            Self::Calibrate(_) | Self::Notify(_) => "",
            Self::Regulation(request) => match request {
                regulation::Request::Show(_) => "A section of the page of this regulation study",
                regulation::Request::Import { .. } | regulation::Request::ImportFile(_) => {
                    "A CSV recording of Crossover, or a text series of dcgm-exporter, as the work that arrives at a \
                     cluster of a regulation study"
                }
                regulation::Request::Watch => {
                    "What would the controller of this regulation study do here? Advice only; nothing on a card is \
                     changed"
                }
                regulation::Request::StopWatching => "What was seen stays on the page",
                regulation::Request::SaveRecording => "Write every reading to a CSV file, which can be imported again",
                regulation::Request::UseRecording => "Replay what was seen as the work that arrives at a cluster",
            },
            Self::Plan(request) => request.tooltip(),
            Self::Quit => "End Crossover; unsaved edits are asked about",
            Self::Undo => "Take back the last edit",
            Self::Redo => "Repeat the edit that was taken back",
            Self::ResetField(_) => "Give the field its saved value",
            Self::Copy(_) => "Put the results of the study on the clipboard",
            Self::Export(_) => "Write the results of the study to a file",
            Self::ExportPlan(PlanFormat::SparkConf) => {
                "Write switches and costs for the RAPIDS Accelerator, one for each class of operators of a Spark plan"
            }
            Self::ExportPlan(PlanFormat::Json) => {
                "Write the side of every operator of the query, why, and how sure it is"
            }
            Self::ExportData => "Write every number behind the charts of the page to a file",
            Self::ExportChart { .. } => "Write this chart to a file",
            Self::Theme(_) => "Change the colours of the window",
            Self::ZoomIn | Self::ZoomOut | Self::ZoomReset => "Change the size of everything",
            Self::ToggleInspector => "The panel with all parameters, on the left",
            Self::ResetLayout => "Panels, plots and zoom as at the first start",
            Self::Palette => "Find any command by name",
            Self::ShowShortcuts => "List all keyboard shortcuts",
            Self::ShowFormulas => "Every formula of the model, with its source",
            Self::ShowAbout => "Version, licence and the graphics adapter in use",
        }
    }

    /// The keys that send it.
    #[must_use]
    pub fn shortcut(&self) -> Option<KeyboardShortcut> {
        const SHIFT_COMMAND: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);
        let (modifiers, key) = match self {
            Self::New(Kind::Placement) => (Modifiers::COMMAND, Key::N),
            Self::Open => (Modifiers::COMMAND, Key::O),
            Self::Plan(plan::Request::Import) => (Modifiers::COMMAND, Key::I),
            Self::Save => (Modifiers::COMMAND, Key::S),
            Self::SaveAs => (SHIFT_COMMAND, Key::S),
            Self::CloseTab => (Modifiers::COMMAND, Key::W),
            Self::NextTab => (Modifiers::COMMAND, Key::PageDown),
            Self::PreviousTab => (Modifiers::COMMAND, Key::PageUp),
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
            Self::ShowFormulas => (Modifiers::NONE, Key::F1),
            _ => return None,
        };
        Some(KeyboardShortcut::new(modifiers, key))
    }

    /// The command whose keys were pressed in this frame; the one with most modifiers first, so that
    /// Ctrl+Shift+S is not taken for Ctrl+S. `is_typing`: a text is being typed, whose own undo goes first.
    #[must_use]
    pub fn pressed(ctx: &egui::Context, is_typing: bool) -> Option<Self> {
        let mut with_keys: Vec<(Self, KeyboardShortcut)> =
            Self::listed().into_iter().filter_map(|command| command.shortcut().map(|keys| (command, keys))).collect();
        with_keys.sort_by_key(|(_, keys)| std::cmp::Reverse(modifier_count(keys.modifiers)));
        with_keys
            .into_iter()
            .filter(|(command, _)| !(is_typing && matches!(command, Self::Undo | Self::Redo)))
            .find(|(_, keys)| ctx.input_mut(|input| input.consume_shortcut(keys)))
            .map(|(command, _)| command)
    }
}

fn modifier_count(modifiers: Modifiers) -> u8 {
    [modifiers.alt, modifiers.ctrl || modifiers.command, modifiers.shift].into_iter().map(u8::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_shortcuts_clash() {
        let mut seen: Vec<(KeyboardShortcut, String)> = Vec::new();
        for command in Command::listed() {
            if let Some(keys) = command.shortcut() {
                if let Some((_, other)) = seen.iter().find(|(taken, _)| *taken == keys) {
                    panic!("{keys:?} means both “{other}” and “{}”", command.text());
                }
                seen.push((keys, command.text()));
            }
        }
        assert!(seen.len() > 10);
    }

    #[test]
    fn every_listed_command_says_what_it_does() {
        for command in Command::listed() {
            assert!(!command.text().is_empty() && !command.tooltip().is_empty(), "{command:?}");
        }
    }
}

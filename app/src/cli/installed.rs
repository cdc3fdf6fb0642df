//! Manual pages and shell completion scripts, for packages.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use clap_complete::Shell;
use crossover_page::terminal::print;

#[derive(Debug, Args)]
pub(super) struct CompletionsOptions {
    /// Shell of the completion script
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManualOptions {
    /// Folder for the pages, one for each command; it is created if missing
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints the completion script of a shell.
pub(super) fn completions(command: &mut clap::Command, options: &CompletionsOptions) -> Result<()> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(options.shell, command, name, &mut script);
    print(&String::from_utf8(script)?)
}

/// Writes a manual page for this command line, and one for each of its commands.
pub(super) fn manual(command: clap::Command, options: &ManualOptions) -> Result<()> {
    let folder = &options.out;
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write the manual pages to {}", folder.display()))
}

//! Where nodes and pods come from: a file that is read again when it changes, or kubectl, again and again.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, bail};
use crossover_files::atomic;
use crossover_quantity::text::one_line;
use crossover_traces::kubernetes::live::{self, Snapshot};

/// Time between two looks at a file.
const LOOK: Duration = Duration::from_secs(1);

/// Where nodes and pods come from.
pub(crate) enum Source {
    /// Only from what kube-scheduler sends.
    Requests,
    /// A file with what `kubectl get nodes,pods -A -o json` prints.
    File(PathBuf),
    /// That command, so often.
    Kubectl(Duration),
}

impl Source {
    /// How long to wait before the next look; `None` if there is none.
    pub(crate) fn pause(&self) -> Option<Duration> {
        match self {
            Self::Requests => None,
            Self::File(_) => Some(LOOK),
            Self::Kubectl(every) => Some(*every),
        }
    }

    /// Nodes and pods, with the time since which they are so; `None` if nothing has changed since `last`.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn read(&self, last: Option<SystemTime>) -> Result<Option<(Snapshot, SystemTime)>> {
        match self {
            Self::Requests => Ok(None),
            Self::File(path) => {
                let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
                let changed = metadata.modified().unwrap_or_else(|_| SystemTime::now());
                if last == Some(changed) {
                    return Ok(None);
                }
                Ok(Some((live::read(path)?, changed)))
            }
            Self::Kubectl(_) => {
                let began = SystemTime::now();
                Ok(Some((ask()?, began)))
            }
        }
    }
}

/// What kubectl prints now.
fn ask() -> Result<Snapshot> {
    let arguments = ["get", "nodes,pods", "--all-namespaces", "--output=json", "--request-timeout=60s"];
    // The answer of a large cluster is no matter of memory.
    let file = atomic::temporary_in(&std::env::temp_dir()).context("no temporary file")?;
    let output = file.as_file().try_clone().context("no temporary file")?;
    let output = Command::new("kubectl").args(arguments).stdin(Stdio::null()).stdout(output).output();
    let output = output.context("kubectl cannot be started")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("kubectl ({}): {}", output.status, one_line(said.trim()));
    }
    Ok(live::read(file.path())?)
}

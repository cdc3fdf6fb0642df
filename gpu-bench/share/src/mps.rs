//! The control daemon of NVIDIA's Multi-Process Service (MPS): found, never started or ended here.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::error::ShareError;

/// Where the daemon has its files, unless [`FOLDER_VARIABLE`] names another folder.
const USUAL_FOLDER: &str = "/tmp/nvidia-mps";
/// Environment variable with the folder of the daemon, which CUDA programs read too.
const FOLDER_VARIABLE: &str = "CUDA_MPS_PIPE_DIRECTORY";
/// Name of the file with the process id of the daemon.
const PROCESS_FILE: &str = "nvidia-cuda-mps-control.pid";

/// The folder of the daemon that programs started here would use.
pub(super) fn folder() -> PathBuf {
    env::var_os(FOLDER_VARIABLE).map_or_else(|| USUAL_FOLDER.into(), PathBuf::from)
}

/// Whether a daemon runs that has its files in this folder.
pub(super) fn is_running(folder: &Path) -> bool {
    let Ok(text) = fs::read_to_string(folder.join(PROCESS_FILE)) else { return false };
    let is_process = |id: u32| Path::new("/proc").join(id.to_string()).exists();
    text.trim().parse().is_ok_and(is_process)
}

/// Refuses a setting of MPS where no daemon runs.
pub(super) fn required() -> Result<(), ShareError> {
    let folder = folder();
    if is_running(&folder) { Ok(()) } else { Err(ShareError::NoMps { folder: folder.display().to_string() }) }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process;

    use super::*;

    #[test]
    fn a_daemon_runs_if_its_file_names_a_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(PROCESS_FILE);
        assert!(!is_running(folder.path()));
        fs::write(&file, format!("{}\n", process::id())).expect("written");
        assert!(is_running(folder.path()));
        // A daemon that was killed leaves its file. Linux gives no process an id above 2^22.
        for left in ["4294967295", "", "no number"] {
            fs::write(&file, left).expect("written");
            assert!(!is_running(folder.path()), "{left}");
        }
    }
}

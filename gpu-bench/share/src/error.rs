//! Reasons why two programs cannot be measured.

use std::io;
use std::process::ExitStatus;

use thiserror::Error;

/// Why two programs cannot be measured.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShareError {
    /// A command line without words.
    #[error("a command line has no program")]
    NoProgram,
    /// The system cannot start it.
    #[error("cannot start “{program}”: {why}")]
    Start {
        /// Its name.
        program: String,
        /// The error of the system.
        why: io::Error,
    },
    /// It started, and its end cannot be noticed.
    #[error("cannot wait for the end of “{program}”: {why}")]
    Watch {
        /// Its name.
        program: String,
        /// The error of the system.
        why: io::Error,
    },
    /// It ended with a failure.
    #[error("“{program}” failed ({status}); expected exit code 0. Run it alone to see its messages")]
    Failed {
        /// Its name.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// It did not end.
    #[error("“{program}” ran longer than {seconds} s and was terminated; --limit allows more")]
    Limit {
        /// Its name.
        program: String,
        /// The longest time of a run.
        seconds: f64,
    },
    /// The device cannot be divided so between running programs.
    #[error("cannot set {what} of “{program}”: {why}")]
    Control {
        /// What was to be set.
        what: &'static str,
        /// The program's name.
        program: String,
        /// The error of the system.
        why: io::Error,
    },
    /// A setting of MPS without MPS.
    #[error(
        "MPS shares and priorities need the MPS control daemon, which does not run (no process of it in {folder}). Start it as your own user with \
         “nvidia-cuda-mps-control -d”, and end it afterwards with “echo quit | nvidia-cuda-mps-control”"
    )]
    NoMps {
        /// Where the daemon has its files.
        folder: String,
    },
    /// A setting of another device.
    #[error("{setting} act on {acts}; choose it with --on")]
    OtherDevice {
        /// The setting.
        setting: String,
        /// On what it acts.
        acts: &'static str,
    },
    /// The user ended the measurement.
    #[error("cancelled")]
    Cancelled,
}

//! A virtual display of its own for the real-window run.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use crossover_needs::deadline;

use crate::process::OwnedChild;

/// An Xvfb that ends with this value.
pub(crate) struct VirtualDisplay {
    _server: OwnedChild,
    /// Value for `DISPLAY`, such as `:1`.
    pub name: String,
}

impl VirtualDisplay {
    /// Starts Xvfb on a display that nobody uses: the server chooses the number itself, so two runs
    /// on one machine cannot take each other's.
    pub(crate) fn start() -> Result<Self> {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", "1600x1000x24", "-nolisten", "tcp"]);
        let mut server = OwnedChild::start(command.stdout(Stdio::piped()))?;
        let number =
            server.lines()?.recv_timeout(deadline()).context("Xvfb ended or hung before it served a display")?;
        ensure!(
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()),
            "Xvfb should name its display by a number, but wrote `{number}`"
        );
        Ok(Self { _server: server, name: format!(":{number}") })
    }
}

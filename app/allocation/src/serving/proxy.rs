//! `kubectl proxy` on a Unix socket: forwards requests to the API server with the permissions of the user. It ends with this program,
//! even if this program is killed.

use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crossover_files::process::OwnedProcess;
use crossover_files::process_group;
use crossover_quantity::text::one_line;
use tempfile::TempDir;

/// A connection to the proxy.
#[cfg(unix)]
pub(super) type Stream = std::os::unix::net::UnixStream;
/// Other systems have no such socket: `Proxy::connect` fails.
#[cfg(not(unix))]
pub(super) type Stream = std::net::TcpStream;

/// Time limit from the start of the proxy until it listens.
const START: Duration = Duration::from_secs(10);
/// The name of the socket in its folder; `SCRIPT` has it, too.
const SOCKET: &str = "api";
/// What kubectl prints once it listens.
const LISTENS: &str = "Starting to serve on";
/// Only bindings are forwarded, whichever process sends them. The address of an API server may have a path, as behind Rancher.
const OPTIONS: [&str; 2] = ["--append-server-path", "--accept-paths=^/api/v1/namespaces/[^/]+/pods/[^/]+/binding$"];
/// Starts the proxy, and waits until its own input closes; the system closes it however this program ends. The script then ends its
/// process group, which has no other processes, and removes the folder. It closes its own output, so that the output ends when the
/// proxy ends.
const SCRIPT: &str = r#"folder=$1
shift
kubectl proxy "$@" < /dev/null &
exec > /dev/null 2>&1
read -r end
trap '' TERM
kill 0
rm -f -- "$folder/api"
rmdir -- "$folder"
"#;

/// A proxy that listens. Dropping the value ends it, and then removes its folder.
pub(super) struct Proxy {
    _process: OwnedProcess,
    folder: TempDir,
    /// Disconnected once its output has ended.
    output: Receiver<()>,
    /// Its last line, other than the one that it listens.
    last_line: Arc<Mutex<String>>,
}

impl Proxy {
    /// Starts it in a folder that only this user can enter, and waits until it listens.
    ///
    /// # Errors
    /// It does not start; one line.
    pub(super) fn start() -> Result<Self, String> {
        let problem = |why: io::Error| format!("kubectl proxy cannot be started: {why}");
        let folder = private_folder().map_err(problem)?;
        let (reader, writer) = io::pipe().map_err(problem)?;
        let errors = writer.try_clone().map_err(problem)?;
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh"]).arg(folder.path());
        command.arg("--unix-socket").arg(folder.path().join(SOCKET)).args(OPTIONS);
        process_group::own(&mut command);
        let process = OwnedProcess::start(&mut command, writer.into(), errors.into())?;
        // The command has copies of the pipe, so the output would never end.
        drop(command);
        let last_line = Arc::new(Mutex::new(String::new()));
        let (listens, output) = mpsc::channel();
        let kept = Arc::clone(&last_line);
        let read = move || {
            for line in BufReader::new(reader).split(b'\n').map_while(Result::ok) {
                let line = one_line(String::from_utf8_lossy(&line).trim());
                if line.starts_with(LISTENS) {
                    // Without a receiver, the proxy is being ended.
                    _ = listens.send(());
                } else if !line.is_empty() {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = line;
                }
            }
        };
        thread::Builder::new().name("kubectl proxy".to_owned()).spawn(read).map_err(problem)?;
        let proxy = Self { _process: process, folder, output, last_line };
        match proxy.output.recv_timeout(START) {
            Ok(()) => Ok(proxy),
            Err(RecvTimeoutError::Disconnected) => Err(format!(
                "kubectl proxy cannot be started: {}",
                proxy.last_line().unwrap_or_else(|| "it ended".to_owned())
            )),
            Err(RecvTimeoutError::Timeout) => Err(format!("kubectl proxy did not start within {} s", START.as_secs())),
        }
    }

    /// Whether it is known to have ended.
    pub(super) fn has_ended(&self) -> bool {
        self.output.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Its last line, if it printed one.
    pub(super) fn last_line(&self) -> Option<String> {
        let line = self.last_line.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (!line.is_empty()).then_some(line)
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// It has ended.
    pub(super) fn connect(&self) -> io::Result<Stream> {
        connected(&self.folder.path().join(SOCKET))
    }
}

#[cfg(unix)]
fn connected(socket: &Path) -> io::Result<Stream> {
    Stream::connect(socket)
}

#[cfg(not(unix))]
fn connected(_socket: &Path) -> io::Result<Stream> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A folder that only this user can enter.
fn private_folder() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("crossover-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    builder.tempdir()
}

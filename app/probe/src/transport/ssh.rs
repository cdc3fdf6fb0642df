//! Probes over SSH, by the OpenSSH client with the settings, keys and known hosts of the user. All runs at a host share one
//! connection, which ends with its owner.
//!
//! The probe goes to the host on standard input, which then stays open: the measuring program there ends with it, so also when this
//! program is killed or the network fails, and its shell removes the file of the probe.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crossover_files::process::{OwnedProcess, Stopped, answer, answer_to, last_line};
use crossover_files::read::{self, ReadTextError};
use crossover_files::shell::{line, quoted};
use crossover_probe::outcome;

use super::{LARGEST_REPORT, RunRequest, RunResult, report_among};

/// Largest input of a host, bytes: what a pipe holds, so that a host that does not read it blocks nothing.
pub(crate) const LARGEST_INPUT: usize = 60_000;
/// Exit code of the client if there is no connection.
const NO_CONNECTION: i32 = 255;
/// Time limit of a question to the host.
const ASKING: Duration = Duration::from_secs(30);
/// Time that the shared connection has to end.
const CLOSING: Duration = Duration::from_secs(10);

/// A connection to a host, shared by all runs.
#[derive(Debug)]
pub(crate) struct Connection {
    host: String,
    /// Folder of the connection's socket.
    folder: tempfile::TempDir,
}

/// Why a run has no report.
enum Failure {
    /// The host cannot be reached or does not answer; further runs would not either.
    Host(String),
    /// This run failed.
    Run(String),
}

impl Connection {
    /// A connection that the first run makes.
    ///
    /// # Errors
    /// There is no folder for its socket; a sentence.
    pub(crate) fn new(host: String) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("cx-ssh-").tempdir();
        let folder = folder.map_err(|error| format!("cannot create a folder for the connection to {host}: {error}"))?;
        Ok(Self { host, folder })
    }

    /// Arguments of the client, up to the host.
    pub(crate) fn arguments(&self) -> Vec<String> {
        // No user could answer a question: unknown hosts and passwords are refused.
        let mut arguments = vec!["-o".to_owned(), "BatchMode=yes".to_owned()];
        arguments.extend(
            ["-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"]
                .map(str::to_owned),
        );
        if cfg!(unix) {
            let socket = format!("ControlPath={}", self.socket().display());
            arguments.extend(["-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-o", &socket].map(str::to_owned));
        }
        arguments.extend(["--".to_owned(), self.host.clone()]);
        arguments
    }

    /// The output of a command at the host.
    ///
    /// # Errors
    /// The host does not answer, or the command fails; a sentence.
    pub(crate) fn ask(&self, words: &[String]) -> Result<String, String> {
        let mut command = Command::new("ssh");
        command.args(self.arguments()).arg(format!("exec {}", line(words)));
        answer(&mut command, ASKING, &|| false).map_err(|why| format!("{}: {why}", self.host))
    }

    /// The output of a script for a POSIX shell at the host, which reads this input of at most [`LARGEST_INPUT`] bytes.
    ///
    /// # Errors
    /// As those of [`Connection::ask`].
    pub(crate) fn run_script(&self, script: &str, input: &[u8]) -> Result<String, String> {
        let mut command = Command::new("ssh");
        command.args(self.arguments()).arg(by_shell(script));
        answer_to(&mut command, input, ASKING, &|| false).map_err(|why| format!("{}: {why}", self.host))
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("c")
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let socket = self.socket();
        if socket.exists() {
            let path = format!("ControlPath={}", socket.display());
            let mut close = Command::new("ssh");
            close.args(["-O", "exit", "-o", &path, "--", &self.host]);
            // Without it the connection ends a minute later.
            _ = answer(&mut close, CLOSING, &|| false);
        }
    }
}

/// Runs a probe `repeats` times at a host, one run after the other. If the host does not answer, its other runs are not tried.
pub(crate) fn run(
    request: &RunRequest,
    connection: &Connection,
    units: u32,
    folder: &Path,
    is_cancelled: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(&str),
    finished: &mut dyn FnMut(RunResult),
) {
    let task = match read::bytes(&request.task, LARGEST_INPUT as u64) {
        Ok(task) => task,
        Err(ReadTextError::TooLarge(most)) => {
            return finished(Err(format!("the probe is larger than {most} bytes, the limit over SSH")));
        }
        Err(error) => return finished(Err(format!("cannot read {}: {error}", request.task.display()))),
    };
    for repeat in 1..=request.repeats {
        if is_cancelled() {
            break;
        }
        tell(&format!("{}, run {repeat} of {}", outcome::units(f64::from(units)), request.repeats));
        match once(request, connection, units, &task, folder, is_cancelled) {
            Ok(result) => finished(result),
            Err(Failure::Run(why)) => finished(Err(why)),
            Err(Failure::Host(why)) => return finished(Err(why)),
        }
    }
}

fn once(
    request: &RunRequest,
    connection: &Connection,
    units: u32,
    task: &[u8],
    folder: &Path,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<RunResult, Failure> {
    let [output, errors] = ["output.txt", "errors.txt"].map(|name| folder.join(name));
    let file = |path: &Path| -> Result<Stdio, Failure> {
        let file = File::create(path).map_err(|error| Failure::Run(format!("{}: {error}", path.display())))?;
        Ok(Stdio::from(file))
    };
    let mut command = Command::new("ssh");
    command.args(connection.arguments()).arg(remote(request, units, task.len()));
    let mut process = OwnedProcess::start(&mut command, file(&output)?, file(&errors)?).map_err(Failure::Host)?;
    if let Some(input) = process.input() {
        // A client that has ended already has a reason, which follows.
        _ = input.write_all(task).and_then(|()| input.flush());
    }
    let status = process.wait(request.limit, is_cancelled).map_err(|stopped| match stopped {
        Stopped::Cancelled => Failure::Run("it was cancelled".to_owned()),
        Stopped::TooLong => {
            Failure::Host(format!("{} did not answer within {} s", connection.host, request.limit.as_secs_f64()))
        }
        Stopped::Unknown(why) => Failure::Run(why),
    })?;
    let reason = || last_line(&errors).unwrap_or_else(|| "no error output".to_owned());
    if status.code() == Some(NO_CONNECTION) {
        return Err(Failure::Host(format!("no connection to {}: {}", connection.host, reason())));
    }
    let text = read::text(&output, LARGEST_REPORT)
        .map_err(|error| Failure::Run(format!("cannot read {}: {error}", output.display())))?;
    if text.trim().is_empty() {
        return Err(Failure::Run(format!("it ended with {status}: {}", reason())));
    }
    Ok(report_among(&text))
}

/// The command line for the shell of the host: it takes the probe of so many bytes from its input, runs it, and removes it.
pub(crate) fn remote(request: &RunRequest, units: u32, bytes: usize) -> String {
    // After "probe" and the file, which only the host's shell knows.
    let options = request.arguments("", units, None).split_off(2);
    let script = format!(
        "umask 077; task=$(mktemp) || exit 1; trap 'rm -f \"$task\"' EXIT; trap 'exit 130' HUP INT TERM; \
         dd bs=1 count={bytes} of=\"$task\" 2>/dev/null && {} probe --end-with-input \"$task\" {}",
        line(&request.program),
        line(&options),
    );
    by_shell(&script)
}

/// A script as a command line for the login shell of the user, which may not be a POSIX shell; csh is none.
pub(crate) fn by_shell(script: &str) -> String {
    format!("exec sh -c {}", quoted(script))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Words that would start a program, set a variable or expand, if they were not quoted.
    const HOSTILE: [&str; 8] =
        ["a b", "$(touch x)", "`touch x`", "it's", "a=b", "* ? ~", "x\ny; touch x", "--option && touch x"];

    fn request(program: Vec<String>) -> RunRequest {
        RunRequest {
            task: "probe.ron".into(),
            unit: "cpu:2".into(),
            units: vec![4],
            repeats: 1,
            limit: Duration::from_mins(1),
            program,
            has_allowed_programs: true,
            divided: None,
        }
    }

    #[test]
    fn a_host_is_no_option_and_is_asked_no_question() {
        let connection = Connection::new("me@north".to_owned()).expect("a folder");
        let arguments = connection.arguments();
        assert_eq!(&arguments[arguments.len() - 2..], ["--", "me@north"]);
        assert!(arguments.iter().any(|argument| argument == "BatchMode=yes"));
        assert!(arguments.iter().any(|argument| argument == "ControlMaster=auto"));
        assert!(!arguments.iter().any(|argument| argument.contains("StrictHostKeyChecking")), "the user decides");
    }

    /// The line is run as the shell of a host runs it; the program shows its arguments, the probe and what else is sent.
    #[test]
    fn the_shell_of_a_host_starts_the_program_alone_and_removes_the_probe() {
        let folder = tempfile::tempdir().expect("a folder");
        for (place, word) in HOSTILE.iter().enumerate() {
            let program = folder.path().join(place.to_string()).join(word);
            fs::create_dir_all(program.parent().expect("a parent")).expect("made");
            let script = "#!/bin/sh\necho \"$1 $2 $4 $5 $6 $7 $8\"; cat \"$3\"; echo \"$3\"; cat\n";
            fs::write(&program, script).expect("written");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
            let request = request(vec![program.to_string_lossy().into_owned()]);
            let sent = b"(name: \"it's\")more";
            let mut command = Command::new("sh");
            command.arg("-c").arg(remote(&request, 4, sent.len() - 4)).current_dir(&folder);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().expect("a shell");
            child.stdin.take().expect("piped").write_all(sent).expect("it reads");
            let output = child.wait_with_output().expect("it ends");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let rest =
                text.strip_prefix("probe --end-with-input --units 4 --unit cpu:2 --allow-programs\n(name: \"it's\")");
            let (task, more) = rest.and_then(|rest| rest.split_once('\n')).unwrap_or_else(|| panic!("{word}: {text}"));
            assert_eq!(more, "more", "{word}: the input stays open for the program");
            assert!(!Path::new(task).exists(), "{word}: {task} is removed");
        }
        assert!(!folder.path().join("x").exists(), "no other program was started");
    }
}

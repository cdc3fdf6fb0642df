//! Child programs that are waited for: they end at a time limit, when they are cancelled, and with their owner.

use std::fs::File;
use std::io::{BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::process_group;

/// Polling interval for the end of a process.
const POLL: Duration = Duration::from_millis(20);
/// Time that a process has to end after its input, before it is killed.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most bytes read of an answer as text.
const LARGEST_ANSWER: u64 = 16 << 20;
/// Bytes of an answer that are held while it is read piece by piece.
const BUFFER: usize = 1 << 16;
/// Most bytes read from the end of its error output.
const LARGEST_TAIL: u64 = 2_000;

/// A process that ends with its owner: its input is closed first, so that it can end its own processes.
#[derive(Debug)]
pub struct OwnedProcess(Child);

/// How a process ended before its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// It was cancelled.
    Cancelled,
    /// It took longer than its limit.
    TooLong,
    /// The system cannot tell, with the reason.
    Unknown(String),
}

impl OwnedProcess {
    /// Starts a program with a pipe as its input, and its output in these files.
    ///
    /// # Errors
    /// It cannot be started; a sentence.
    pub fn start(command: &mut Command, output: Stdio, errors: Stdio) -> Result<Self, String> {
        let child = command.stdin(Stdio::piped()).stdout(output).stderr(errors).spawn();
        let name = || command.get_program().to_string_lossy().into_owned();
        child.map(Self).map_err(|error| format!("{} cannot be started: {error}", name()))
    }

    /// Its input, which stays open as long as it runs.
    pub fn input(&mut self) -> Option<&mut ChildStdin> {
        self.0.stdin.as_mut()
    }

    /// Closes its input.
    pub fn close_input(&mut self) {
        drop(self.0.stdin.take());
    }

    /// Ends it and its children in the same group at once, if [`process_group::own`] was called before its start.
    pub fn end(&mut self) {
        process_group::end(&mut self.0);
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// It has not ended; it is ended with its owner.
    pub fn wait(&mut self, limit: Duration, is_cancelled: &dyn Fn() -> bool) -> Result<ExitStatus, Stopped> {
        let until = Instant::now() + limit;
        loop {
            match self.0.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if is_cancelled() => return Err(Stopped::Cancelled),
                Ok(None) if Instant::now() >= until => return Err(Stopped::TooLong),
                Ok(None) => std::thread::sleep(POLL),
                Err(error) => return Err(Stopped::Unknown(format!("waiting for its end failed: {error}"))),
            }
        }
    }
}

impl Drop for OwnedProcess {
    fn drop(&mut self) {
        self.close_input();
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(POLL);
        }
        // Fails if it has ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The standard output of a command that is only asked something.
///
/// # Errors
/// It cannot be started, fails or does not end within the limit; a sentence, of a failure its last line.
pub fn answer(command: &mut Command, limit: Duration, is_cancelled: &dyn Fn() -> bool) -> Result<String, String> {
    answer_to(command, &[], limit, is_cancelled)
}

/// The standard output of a command that reads this input. At most what a pipe holds is sent to one that does not read it, 64 KiB.
///
/// # Errors
/// As those of [`answer`].
pub fn answer_to(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    answer_read(command, input, LARGEST_ANSWER, limit, is_cancelled, |output| {
        let mut bytes = Vec::new();
        output.read_to_end(&mut bytes).map_err(|error| unreadable(&name, &error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })
}

/// What `read` makes of the standard output of a command that reads this input. Of an output of up to `most_bytes`, only what `read` keeps
/// is held in memory.
///
/// # Errors
/// As those of [`answer`] and of `read`; or the output is larger.
pub fn answer_read<T>(
    command: &mut Command,
    input: &[u8],
    most_bytes: u64,
    limit: Duration,
    is_cancelled: &dyn Fn() -> bool,
    read: impl FnOnce(&mut dyn Read) -> Result<T, String>,
) -> Result<T, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let file =
        || tempfile::tempfile().map_err(|error| format!("cannot create a file for the output of {name}: {error}"));
    let (mut output, mut errors) = (file()?, file()?);
    // Ctrl-C in the terminal reaches only this program, so that no job is submitted whose number it does not learn.
    process_group::own(command);
    let copy = |file: &File| file.try_clone().map(Stdio::from).map_err(|error| format!("{name}: {error}"));
    let mut process = OwnedProcess::start(command, copy(&output)?, copy(&errors)?)?;
    if let Some(pipe) = process.input() {
        // A command that has ended already has a reason, which follows.
        _ = pipe.write_all(input);
    }
    process.close_input();
    let status = process.wait(limit, is_cancelled).map_err(|stopped| {
        // It would not end with its input.
        process.end();
        match stopped {
            Stopped::Cancelled => "it was cancelled".to_owned(),
            Stopped::TooLong => format!("{name} did not answer within {} s", limit.as_secs_f64()),
            Stopped::Unknown(why) => format!("{name}: {why}"),
        }
    })?;
    if status.success() {
        let bytes = output.seek(SeekFrom::End(0)).map_err(|error| unreadable(&name, &error))?;
        if bytes > most_bytes {
            let [printed, most] = [bytes, most_bytes].map(|bytes| bytes.div_ceil(1 << 20));
            return Err(format!("{name} printed {printed} MiB; at most {most} MiB are read"));
        }
        output.seek(SeekFrom::Start(0)).map_err(|error| unreadable(&name, &error))?;
        return read(&mut BufReader::with_capacity(BUFFER, output));
    }
    // Some commands frame their messages with stars.
    let last = |words: &str| {
        let mut lines = words.lines().map(str::trim);
        lines.rfind(|line| line.chars().any(char::is_alphanumeric)).map(str::to_owned)
    };
    let words = [&mut errors, &mut output].map(|file| beginning(file).unwrap_or_default());
    Err(words.iter().find_map(|words| last(words)).unwrap_or_else(|| format!("{name} failed without output")))
}

fn unreadable(name: &str, error: &std::io::Error) -> String {
    format!("cannot read the output of {name}: {error}")
}

/// The text of an output, up to the largest answer.
fn beginning(file: &mut File) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(LARGEST_ANSWER).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last line of an error output; none if it is empty.
#[must_use]
pub fn last_line(errors: &Path) -> Option<String> {
    let mut file = File::open(errors).ok()?;
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    file.seek(SeekFrom::Start(length.saturating_sub(LARGEST_TAIL))).ok()?;
    let mut words = Vec::new();
    file.take(LARGEST_TAIL).read_to_end(&mut words).ok()?;
    let words = String::from_utf8_lossy(&words);
    words.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const ENOUGH: Duration = Duration::from_mins(1);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_command_answers_or_is_named_with_its_last_line() {
        let asked = |script: &str, limit| answer(&mut shell(script), limit, &|| false);
        assert_eq!(asked("echo yes", ENOUGH), Ok("yes\n".to_owned()));
        assert_eq!(
            asked("echo first >&2; echo '*** no such job ***' >&2; exit 1", ENOUGH).unwrap_err(),
            "*** no such job ***"
        );
        assert_eq!(asked("exit 3", ENOUGH).unwrap_err(), "sh failed without output");
        assert_eq!(asked("exec sleep 600", Duration::ZERO).unwrap_err(), "sh did not answer within 0 s");
        assert_eq!(answer(&mut shell("exec sleep 600"), ENOUGH, &|| true).unwrap_err(), "it was cancelled");
        let missing = answer(&mut Command::new("no such program"), ENOUGH, &|| false).unwrap_err();
        assert!(missing.starts_with("no such program cannot be started"), "{missing}");
    }

    #[test]
    fn an_answer_that_is_too_large_is_refused_unless_its_reader_takes_it() {
        // 17 MiB, one more than are read as text.
        let long = || shell("head -c 17825792 /dev/zero");
        let refused = answer(&mut long(), ENOUGH, &|| false).expect_err("too large");
        assert_eq!(refused, "sh printed 17 MiB; at most 16 MiB are read");
        let counted = |most| {
            answer_read(&mut long(), &[], most, ENOUGH, &|| false, |output| {
                std::io::copy(output, &mut std::io::sink()).map_err(|error| error.to_string())
            })
        };
        assert_eq!(counted(17 << 20), Ok(17_825_792));
        assert!(counted((17 << 20) - 1).is_err());
    }

    #[test]
    fn a_command_reads_its_input_and_one_that_does_not_still_answers() {
        assert_eq!(answer_to(&mut shell("cat"), b"a\nb", ENOUGH, &|| false), Ok("a\nb".to_owned()));
        assert_eq!(answer_to(&mut shell("echo yes"), &vec![0; 60_000], ENOUGH, &|| false), Ok("yes\n".to_owned()));
    }
}

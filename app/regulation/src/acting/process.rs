//! Programs that read or set a value: started without a shell, with a time limit.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crossover_files::process_group;

/// Time limit of a program.
const LIMIT: Duration = Duration::from_secs(10);
/// Polling interval of its end.
const TICK: Duration = Duration::from_millis(2);
/// Most bytes of its output that are read.
const MOST_BYTES: u64 = 1 << 20;

/// Starts a program and waits for its end; gives what it printed. `held` is open in the program as its standard input: a lock
/// on it lasts until the program has ended, even if this process is killed before.
///
/// # Errors
/// It cannot be started, takes longer than ten seconds, or ends with another code than 0; a sentence about it.
pub(super) fn output_of(line: &[String], folder: &Path, held: Option<&File>) -> Result<String, String> {
    let [program, arguments @ ..] = line else { return Err("there is no program".to_owned()) };
    let failed = |error: std::io::Error| format!("“{program}” cannot be started: {error}");
    let input = match held {
        Some(file) => Stdio::from(file.try_clone().map_err(failed)?),
        None => Stdio::null(),
    };
    // Files, as pipes that nothing reads would hold the program up.
    let mut printed = tempfile::tempfile().map_err(failed)?;
    let mut said = tempfile::tempfile().map_err(failed)?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(input)
        .stdout(Stdio::from(printed.try_clone().map_err(failed)?))
        .stderr(Stdio::from(said.try_clone().map_err(failed)?));
    // Ctrl-C in the terminal ends the loop, and no program that sets a value half-way.
    process_group::own(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    let status = end_of(&mut child).map_err(|why| format!("“{program}” {why}"))?;
    let output = beginning(&mut printed);
    if status.success() {
        return Ok(output);
    }
    let why = [beginning(&mut said), output].iter().find_map(|text| last_line(text)).map(|line| format!(": {line}"));
    Err(format!("“{program}” ended with {}{}", ended(status), why.unwrap_or_default()))
}

/// Waits for the end of a program, and ends it with its children after the limit.
fn end_of(child: &mut Child) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        let status = child.try_wait().map_err(|error| format!("cannot be watched: {error}"))?;
        if let Some(status) = status {
            return Ok(status);
        }
        if begun.elapsed() >= LIMIT {
            process_group::end(child);
            _ = child.wait();
            return Err(format!("took longer than {} s and was terminated", LIMIT.as_secs()));
        }
        thread::sleep(TICK);
    }
}

fn ended(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"))
}

/// The beginning of a file that a program wrote; empty if it cannot be read.
fn beginning(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MOST_BYTES).read_to_end(&mut bytes));
    if let Err(error) = read {
        log::debug!("the output of a program cannot be read: {error}");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(line: &[&str]) -> Result<String, String> {
        let line: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        output_of(&line, Path::new("/"), None)
    }

    #[test]
    fn words_reach_a_program_as_they_are_and_its_output_is_read() {
        assert_eq!(run(&["printf", "%s|%s", "$(id) `id` ; *", "a b"]).unwrap(), "$(id) `id` ; *|a b");
        assert_eq!(run(&["pwd"]).unwrap().trim(), "/");
    }

    #[test]
    fn a_failure_has_the_program_and_its_last_words() {
        assert_eq!(
            run(&["sh", "-c", "echo first; echo no >&2; exit 3"]).unwrap_err(),
            "“sh” ended with exit code 3: no"
        );
        let absent = run(&["/no/such program"]).unwrap_err();
        assert!(absent.starts_with("“/no/such program” cannot be started: "), "{absent}");
        assert_eq!(run(&[]).unwrap_err(), "there is no program");
    }
}

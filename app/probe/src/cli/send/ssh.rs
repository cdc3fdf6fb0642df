//! The real job at a host over SSH: a process that continues when the connection ends. Its script, its output and its state are in a
//! folder in the user's home there.

use anyhow::{Context as _, Error, Result, anyhow, bail};
use crossover_files::read::{self, ReadTextError};
use crossover_files::shell::{line, quoted};
use crossover_page::terminal::print;
use crossover_quantity::text::one_line;

use super::{EndedJob, JobAnswer, SendOptions, Sent, is_sent, wait_for};
use crate::transport::ssh::{Connection, LARGEST_INPUT, by_shell};

/// What runs the job: a script for a POSIX shell with the folder, the wait in seconds and the arguments of the job. The last line of
/// the state is "ended", the exit code and the seconds.
const KEEPER: &str = r#"folder=$1; delay=$2; shift 2
trap 'kill "$child" 2>/dev/null; echo cancelled > "$folder/state"; exit 143' TERM
echo waiting > "$folder/state"
sleep "$delay" & child=$!; wait "$child"
began=$(date +%s); echo running > "$folder/state"
"$folder/job" "$@" > "$folder/output.txt" 2>&1 & child=$!; wait "$child"; code=$?
echo "ended $code $(($(date +%s) - began))" > "$folder/state""#;

/// Starts the job, and waits for its end if the user asks for it.
pub(super) fn send(options: &SendOptions, sent: &Sent<'_>, host: &str) -> Result<Option<EndedJob>> {
    let job = match read::bytes(&options.job, LARGEST_INPUT as u64) {
        Err(ReadTextError::TooLarge(most)) => {
            bail!("{} is larger than {most} bytes, the limit over SSH", options.job.display())
        }
        job => job.with_context(|| format!("cannot read {}", options.job.display()))?,
    };
    let script = script(job.len(), sent.units, sent.delay.unwrap_or(0), &options.arguments);
    let [to, remote, file] = [host, &by_shell(&script), &options.job.to_string_lossy()].map(quoted);
    if !is_sent(options, sent, &format!("ssh -o BatchMode=yes -- {to} {remote} < {file}"))? {
        return Ok(None);
    }
    let connection = Connection::new(host.to_owned()).map_err(Error::msg)?;
    let answer = connection.run_script(&script, &job).map_err(Error::msg)?;
    let (process, folder) = started(&answer)
        .with_context(|| format!("{host} printed “{}”; expected a process and its folder", one_line(answer.trim())))?;
    print(format!("sent       process {process} at {host}, in {folder}\ncancel     ssh -- {to} 'kill {process}'\n"))?;
    if !options.wait {
        return Ok(None);
    }
    wait_for(&format!("process {process} at {host}"), &mut || state(&connection, host, process, folder)).map(Some)
}

/// The script for the host: it takes the job of so many bytes from its input, starts it and prints the process and its folder. A part of
/// a job, after a connection that broke, is not started.
fn script(bytes: usize, units: u32, delay: u64, arguments: &[String]) -> String {
    format!(
        "folder=$(mktemp -d \"$HOME/crossover-job-XXXXXX\") && dd bs=1 count={bytes} of=\"$folder/job\" 2>/dev/null && \
         [ $(wc -c < \"$folder/job\") -eq {bytes} ] && chmod 700 \"$folder/job\" || exit 1; \
         CROSSOVER_UNITS={units} nohup sh -c {} crossover-job \"$folder\" {delay} {} </dev/null >/dev/null 2>&1 & echo \"$! $folder\"",
        quoted(KEEPER),
        line(arguments)
    )
}

/// "1234 /home/me/crossover-job-a": the process and its folder. A host may greet first.
fn started(answer: &str) -> Option<(u32, &str)> {
    let (process, folder) = answer.trim().lines().next_back()?.split_once(' ')?;
    let is_path = folder.starts_with('/') && !folder.chars().any(char::is_control);
    is_path.then_some((process.parse().ok()?, folder))
}

/// The state of the job. The script looks for the process before it reads the file: a job that ends in between has then written its state.
fn state(connection: &Connection, host: &str, process: u32, folder: &str) -> JobAnswer {
    let file = quoted(&format!("{folder}/state"));
    let answer = match connection.run_script(&format!("kill -0 {process} 2>/dev/null && echo alive; cat {file}"), &[]) {
        Ok(answer) => answer,
        Err(why) => return JobAnswer::NoAnswer(why),
    };
    of_state(&answer, host, folder)
}

/// What a host says about a job.
fn of_state(answer: &str, host: &str, folder: &str) -> JobAnswer {
    let is_alive = answer.lines().any(|line| line.trim() == "alive");
    let last = one_line(answer.trim().lines().next_back().unwrap_or_default());
    let output = || format!("its output is in {host}:{folder}/output.txt");
    let failed = |why: &str| JobAnswer::Ended(Err(anyhow!("the job {why}; {}", output())));
    match &last.split_whitespace().collect::<Vec<_>>()[..] {
        ["ended", "0", seconds] => match seconds.parse() {
            Ok(seconds) => JobAnswer::Ended(Ok(EndedJob { seconds, place: host.to_owned() })),
            Err(_) => failed("ended, but its time is not known"),
        },
        ["ended", code, _] => failed(&format!("ended with exit code {code}")),
        ["cancelled"] => failed("was cancelled"),
        _ if !is_alive => failed("no longer has a process"),
        _ => JobAnswer::State(last.clone()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};
    use std::process::Command;

    use super::*;

    #[test]
    fn a_part_of_a_job_is_not_started() {
        let home = tempfile::tempdir().expect("a folder");
        let job = home.path().join("sent");
        let text = "#!/bin/sh\n";
        fs::write(&job, text).expect("written");
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(script(text.len() + 1, 1, 0, &[])).env("HOME", home.path());
        let output = shell.stdin(File::open(&job).expect("it is there")).output().expect("a shell");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "no process is named");
        let taken = fs::read_dir(home.path()).expect("listed").filter_map(Result::ok).map(|entry| entry.path());
        let taken: Vec<Vec<u8>> = taken.filter_map(|folder| fs::read(folder.join("job")).ok()).collect();
        assert_eq!(taken, [text.as_bytes()], "all that was sent is there");
    }

    #[test]
    fn a_host_names_a_process_and_its_folder() {
        assert_eq!(started("Welcome\n1234 /home/me/a b\n"), Some((1234, "/home/me/a b")));
        for text in ["", "1234", "x /home", "1234 home", "1234 /a\u{1b}[2K"] {
            assert_eq!(started(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_job_that_failed_or_vanished_is_said_so() {
        let of = |answer: &str| match of_state(answer, "north", "/home/me/x") {
            JobAnswer::State(state) => state,
            JobAnswer::Ended(Ok(ended)) => format!("{} s on {}", ended.seconds, ended.place),
            JobAnswer::Ended(Err(why)) => why.to_string(),
            JobAnswer::NoAnswer(why) => why,
        };
        let output = "; its output is in north:/home/me/x/output.txt";
        assert_eq!((of("alive\nrunning\n"), of("ended 0 109\n")), ("running".to_owned(), "109 s on north".to_owned()));
        assert_eq!(of("ended 3 2\n"), format!("the job ended with exit code 3{output}"));
        assert_eq!(of("running\n"), format!("the job no longer has a process{output}"));
        assert_eq!(of("cancelled\n"), format!("the job was cancelled{output}"));
    }
}

//! What repeats the runs without a program that waits: a timer of systemd, a line of scrontab, or a `CronJob` of Kubernetes.

use std::env;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use crossover_files::shell::line;
use crossover_probe::Probe;
use crossover_quantity::text::one_line;

use super::RunOptions;
use crate::centres::RunSettings;
use crate::centres::target::Target;
use crate::subject;
use crate::transport::address::Address;
use crate::transport::kubernetes;

/// Minutes of an hour.
const HOUR: u32 = 60;
/// Minutes of a day.
const DAY: u32 = 24 * HOUR;
/// Minutes of a week.
const WEEK: u32 = 7 * DAY;

/// What starts the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TimerForm {
    /// A user service with a timer
    Systemd,
    /// A line for `scrontab` of Slurm
    Scrontab,
    /// A manifest for `kubectl apply --filename=-`, for centres through Kubernetes
    Cronjob,
}

/// The timer of a call.
///
/// # Errors
/// The period or a word has no form there, or a centre is not reached through Kubernetes.
pub(super) fn text(
    form: TimerForm,
    options: &RunOptions,
    settings: &RunSettings,
    study: &Probe,
    targets: &[Target],
    has_programs: bool,
) -> Result<String> {
    let minutes = options.every.context("--timer needs --every")?;
    if form == TimerForm::Cronjob {
        return cron_jobs(minutes, settings, study, targets, has_programs);
    }
    let program = env::current_exe().context("the path of this program is not available")?;
    let folder = env::current_dir().context("the working folder is not available")?;
    let mut words = vec![program.to_str().context("the path of this program is not UTF-8")?.to_owned()];
    let given: Option<Vec<String>> = env::args_os().skip(1).map(|word| word.into_string().ok()).collect();
    words.extend(once(&given.context("an argument is not UTF-8")?));
    let folder = folder.to_str().context("the path of the working folder is not UTF-8")?;
    match form {
        TimerForm::Systemd => systemd(&words, folder, minutes),
        TimerForm::Scrontab | TimerForm::Cronjob => scrontab(&words, folder, minutes),
    }
}

/// The words of a call that runs once: without its timer and its period.
fn once(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if name != "--timer" && name != "--every" {
            kept.push(word.clone());
        } else if value.is_none() {
            // It is the next word.
            words.next();
        }
    }
    kept
}

/// A service and a timer (systemd.service(5), systemd.timer(5)).
fn systemd(words: &[String], folder: &str, minutes: u32) -> Result<String> {
    if folder.chars().any(char::is_control) {
        bail!("{folder:?}: a systemd service cannot have this working folder, as its path has control characters");
    }
    let command: Vec<String> = words.iter().map(|word| unit_word(word)).collect();
    let mut text = String::new();
    _ = write!(
        text,
        "# ~/.config/systemd/user/crossover-probe.service\n[Unit]\nDescription=Probe of compute centres\n\n[Service]\nType=oneshot\n\
         WorkingDirectory={}\nExecStart={}\n\n",
        folder.replace('%', "%%"),
        command.join(" ")
    );
    _ = write!(
        text,
        "# ~/.config/systemd/user/crossover-probe.timer\n[Unit]\nDescription=Probe of compute centres, every {minutes} min\n\n[Timer]\n\
         OnActiveSec=1min\nOnUnitActiveSec={minutes}min\n\n[Install]\nWantedBy=timers.target\n\n\
         # systemctl --user enable --now crossover-probe.timer\n"
    );
    Ok(text)
}

/// A word of `ExecStart`: in double quotes with escapes of C (systemd.syntax(7), Quoting); a percent sign and a dollar sign stand for
/// themselves where they are doubled (systemd.unit(5), Specifiers; systemd.service(5), Command lines).
fn unit_word(word: &str) -> String {
    let mut text = "\"".to_owned();
    for c in word.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '%' | '$' => text.extend([c, c]),
            '\n' => text += "\\n",
            '\t' => text += "\\t",
            c if c.is_ascii_control() => _ = write!(text, "\\x{:02x}", u32::from(c)),
            c => text.push(c),
        }
    }
    text + "\""
}

/// A line for `scrontab`; Slurm starts it as a job.
fn scrontab(words: &[String], folder: &str, minutes: u32) -> Result<String> {
    let command = format!("cd {} && exec {}", line([folder]), line(words));
    // Cron ends a command at a percent sign, and its line at a line break.
    if command.contains(['%', '\n', '\r']) {
        bail!("a line of scrontab cannot have a percent sign or a line break: {command:?}");
    }
    Ok(format!("#SCRON --job-name=crossover-probe\n{} {command}\n", schedule(minutes)?))
}

/// The schedule of cron with this period.
fn schedule(minutes: u32) -> Result<String> {
    Ok(match minutes {
        1 => "* * * * *".to_owned(),
        DAY => "0 0 * * *".to_owned(),
        WEEK => "0 0 * * 0".to_owned(),
        HOUR => "0 * * * *".to_owned(),
        _ if minutes < HOUR && HOUR.is_multiple_of(minutes) => format!("*/{minutes} * * * *"),
        _ if minutes.is_multiple_of(HOUR) && DAY.is_multiple_of(minutes) => format!("0 */{} * * *", minutes / HOUR),
        _ => bail!(
            "--every {minutes}: cron cannot repeat after this period; expected minutes that divide an hour, hours that \
             divide a day (120, 180, 240, 360, 480, 720), a day (1440) or a week (10080)"
        ),
    })
}

/// A `CronJob` for each centre and number of units.
fn cron_jobs(
    minutes: u32,
    settings: &RunSettings,
    study: &Probe,
    targets: &[Target],
    has_programs: bool,
) -> Result<String> {
    let schedule = schedule(minutes)?;
    let mut text = String::new();
    for target in targets {
        let Address::Kubernetes(_) = target.address else {
            bail!(
                "--timer cronjob is for centres through Kubernetes; {} is reached {}",
                target.subject.centre,
                target.address
            );
        };
        let request = target.request(settings, study, Path::new(""), has_programs);
        let task = subject::ron(&target.subject.probe).context("the probe")?;
        let fingerprint = target.subject.probe.fingerprint();
        let centre = one_line(&target.subject.centre);
        let assumed = target.assumed_unit(settings).map_or_else(String::new, |unit| {
            format!("; it is not in the scenario, so its units are assumed to be of type “{unit}”")
        });
        for units in &request.units {
            let name = format!("crossover-probe-{fingerprint}-{units}");
            // Documents of YAML, of which JSON is a part.
            _ = write!(
                text,
                "---\n# {centre}: {}{assumed}\n{}",
                target.address,
                kubernetes::cron_manifest(&request, &name, &settings.image, &task, *units, &schedule)
            );
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn a_call_without_its_timer_runs_once() {
        let given = words(&[
            "probe",
            "run",
            "s.ron",
            "--timer",
            "systemd",
            "--every=30",
            "--centre",
            "a=slurm",
            "--every",
            "5",
        ]);
        assert_eq!(once(&given), words(&["probe", "run", "s.ron", "--centre", "a=slurm"]));
    }

    /// crontab(5): minutes, hours, days of the month, months, days of the week.
    #[test]
    fn a_period_is_a_schedule_of_cron_or_refused() {
        for (minutes, expected) in [
            (1, "* * * * *"),
            (30, "*/30 * * * *"),
            (60, "0 * * * *"),
            (120, "0 */2 * * *"),
            (1_440, "0 0 * * *"),
            (10_080, "0 0 * * 0"),
        ] {
            assert_eq!(schedule(minutes).expect("a schedule"), expected);
        }
        for minutes in [7, 45, 90, 300, 2_880] {
            assert!(schedule(minutes).is_err(), "{minutes}");
        }
    }

    #[test]
    fn hostile_words_stay_words() {
        assert_eq!(unit_word("a b"), "\"a b\"");
        assert_eq!(unit_word("50% $HOME \"x\" \\ \n\u{1b}"), r#""50%% $$HOME \"x\" \\ \n\x1b""#);
        let text = systemd(&words(&["/bin/crossover", "a; rm -rf /"]), "/50%", 30).expect("a timer");
        assert!(text.contains("WorkingDirectory=/50%%\nExecStart=\"/bin/crossover\" \"a; rm -rf /\"\n"), "{text}");
        assert!(text.contains("OnUnitActiveSec=30min\n"), "{text}");
        let line = scrontab(&words(&["/bin/crossover", "$(touch x)"]), "/a b", 30).expect("a line");
        assert_eq!(
            line,
            "#SCRON --job-name=crossover-probe\n*/30 * * * * cd '/a b' && exec /bin/crossover '$(touch x)'\n"
        );
        assert!(scrontab(&words(&["50%"]), "/", 30).is_err() && scrontab(&words(&["a\nb"]), "/", 30).is_err());
    }
}

//! Names of a stranger's file: whatever a command prints about them, none commands the terminal or turns text around.

use std::fs;

use super::{crossover, outcome_of};

/// Clears the screen, rings, moves to the next line (C1), and turns round what follows: as RON writes it.
const IN_RON: &str = r"\u{1b}[2J\u{7}\u{85}\u{202e}";
/// The same in a text, and a title of the window set by OSC.
const RAW: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{85}\u{9b}1m\u{202e}\u{2066}";

const SCENARIOS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");

/// ECMA-48: control characters but for tabs and line ends. Unicode, UAX 9, table 1: characters that set the direction of text.
fn commands(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// A folder of files, and what the program prints about them.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("written");
        path.to_str().expect("text").to_owned()
    }

    /// The exit code and everything that is printed, of which nothing commands a terminal.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = crossover(arguments);
        command.current_dir(self.0.path()).env("XDG_DATA_HOME", self.0.path());
        let (code, output, messages) = outcome_of(command.output().expect("the program starts"));
        let printed = output + &messages;
        let commanding = printed.replace("\r\n", "\n").chars().find(|c| commands(*c));
        assert_eq!(commanding, None, "{arguments:?}: {}", printed.escape_debug());
        (code, printed)
    }
}

/// A scenario whose names command a terminal, wherever they are used.
fn hostile(text: &str) -> String {
    let mut names: Vec<&str> =
        text.match_indices("name: \"").filter_map(|(at, start)| text[at + start.len()..].split('"').next()).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names.iter().fold(text.to_owned(), |text, name| {
        let text = text.replace(&format!("\"{name}\""), &format!("\"{name}{IN_RON}\""));
        // Paths of sources have the names of entries in them.
        text.replace(&format!(".{name}."), &format!(".{name}{IN_RON}."))
    })
}

#[test]
fn names_of_actuators_command_no_terminal() {
    let place = Place::new();
    let text = format!(
        "[(name: \"a{IN_RON}\", changes: Vgpus, least: 10, most: 200, per_second: 9, \
         through: Programs(set: [\"set{IN_RON}\", \"{{value}}\"], read: [\"read{IN_RON}\"]))]"
    );
    let actuators = place.file("actuators.ron", &text);
    let readings = place.file("readings.csv", "pcie_occupancy,load\n1,0.5\n");
    let always =
        ["regulate", "run", super::REGULATION, "--cluster", "I", "--actuators", &actuators, "--readings", &readings];
    for (more, expected) in [(&["--recorded"][..], 0), (&[], 1), (&["--allow-programs"], 1)] {
        let (code, printed) = place.run(&[&always[..], more].concat());
        // Programs are shown as a shell would read them.
        let is_shown = ["␛[2J", r"\033[2J"].iter().any(|shown| printed.contains(shown));
        assert!(code == Some(expected) && is_shown && !printed.contains('\u{1b}'), "{more:?}: {printed}");
    }
}

#[test]
fn names_in_scenarios_command_no_terminal() {
    let place = Place::new();
    let mut evaluated = 0;
    for entry in fs::read_dir(SCENARIOS).expect("the examples") {
        let path = entry.expect("an example").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("text").to_owned();
        if path.extension().is_none_or(|extension| extension != "ron") {
            continue;
        }
        let file = place.file(&name, &hostile(&fs::read_to_string(&path).expect("text")));
        for format in ["table", "markdown", "csv", "json", "ron"] {
            let (code, printed) = place.run(&["evaluate", &file, "--format", format]);
            if code == Some(0) && format == "table" {
                evaluated += 1;
                assert!(printed.contains("␛[2J"), "{name}: its names are shown: {printed}");
            }
        }
        for wrong in ["operators.unknown.x=1", "centres.unknown.y=1", "name=1"] {
            assert_ne!(place.run(&["evaluate", &file, "--set", wrong]).0, Some(0), "{name}");
        }
        place.run(&["evaluate", &file, "--strategy", "unknown"]);
        place.run(&["sweep", &file, "--x", "unknown"]);
        if name.starts_with("probe-") {
            for command in ["rank", "schedule", "build"] {
                place.run(&["probe", command, &file]);
            }
        }
    }
    assert!(evaluated >= 3, "hostile names are no reason to refuse a scenario: {evaluated} were evaluated");
}

#[test]
fn texts_in_measurements_and_plans_command_no_terminal() {
    let place = Place::new();
    let centres = format!("{SCENARIOS}/probe-centres.ron");
    let runs = format!("units,seconds,centre,unit\n1,2.5,north,64{RAW} cores\n2,x{RAW},north{RAW},cpu{RAW}\n");
    let runs = place.file("runs.csv", &runs);
    let (code, printed) = place.run(&["probe", "read", &centres, "--from", &runs]);
    assert!(code == Some(0) && printed.contains("“x␛[2J␛]0;owned␇"), "{printed}");

    let fit = place.file("fit.csv", &format!("units,throughput\n1,2\n2,3\n4,5{RAW}\n8,9\n16,10\n"));
    place.run(&["probe", "fit", &fit]);
    let header = place.file("header.csv", &format!("units{RAW},b{RAW},c\n1,2,3\n"));
    let kernels =
        place.file("kernels.csv", &format!("name,instructions,ipc,threads,blocks,r{RAW}\nk{RAW},1e6,2,64,8,1\n"));
    let plan = place.file(
        "plan.json",
        &serde_json::json!([{"Plan": {"Node Type": format!("Seq Scan{RAW}"), "Relation Name": format!("t{RAW}"),
            "Actual Rows": 1, "Actual Total Time": 1, "Actual Loops": 1}}])
        .to_string(),
    );
    let sql = place.file("q.sql", &format!("SELECT \"{RAW}\" FROM unknown{RAW}"));
    let [missing, mistyped, option] =
        [format!("unknown{RAW}.ron"), format!("eval{RAW}uate"), format!("--unknown{RAW}")];
    let out = place.0.path().join("out.ron").to_str().expect("text").to_owned();
    for arguments in [
        &["probe", "fit", &header][..],
        &["probe", "window", &header],
        &["probe", "build", &header],
        &["import", "kernels", &kernels, "--out", &out],
        &["import", "kernels", &header, "--out", &out],
        &["import", "postgres", &plan],
        &["import", "sql", &sql],
        &["decide", &plan],
        &["predict", &header],
        &["train", &header],
        &["merge", &header],
        &["evaluate", &header],
        &[missing.as_str()],
        &["evaluate", &missing],
        &[mistyped.as_str(), "x"],
        &["evaluate", &centres, &option],
        &["evaluate", &centres, "--format", RAW],
    ] {
        place.run(arguments);
    }
}

#[test]
fn names_of_recorded_jobs_command_no_terminal() {
    let place = Place::new();
    let gpu = serde_json::json!([{ "type": "gres", "name": "gpu", "id": 1001, "count": 1 }]);
    let job = |id: u32, state: &str| {
        serde_json::json!({
            "job_id": id, "name": format!("train{RAW}"), "allocation_nodes": 1, "nodes": format!("n{RAW}"),
            "state": { "current": [state] }, "time": { "submission": 1_000, "start": 1_060, "end": 1_120, "elapsed": 60 },
            "required": { "CPUs": 1 }, "tres": { "requested": gpu, "allocated": gpu }
        })
    };
    let jobs = [job(1, "COMPLETED"), job(2, "RUNNING"), job(3, "PENDING")];
    let jobs = place.file("sacct.json", &serde_json::json!({ "jobs": jobs }).to_string());
    for format in ["table", "markdown", "html", "csv", "json"] {
        let (code, printed) = place.run(&["allocate", "replay", "--from", &jobs, "--format", format]);
        assert_eq!(code, Some(0), "{printed}");
    }
}

#[test]
fn a_message_about_a_long_text_is_short() {
    let place = Place::new();
    let long = "x".repeat(1_800_000);
    let file = place.file("long.ron", &format!("(version: 1, name: \"a\", study: Placement((cluster: {long}))"));
    let columns = place.file("long.csv", &format!("{long},{long}\n1,2\n"));
    for arguments in [
        &["evaluate", &file][..],
        &["probe", "fit", &columns],
        &["probe", "build", &columns],
        &["train", &columns],
        &["merge", &columns],
    ] {
        let (code, printed) = place.run(arguments);
        assert!(code != Some(0) && printed.len() < 20_000, "{arguments:?}: {} bytes", printed.len());
    }
}

//! A regulation loop that acts, and what is restored however it ends. `plant` has the published example on real processes, `mig` GPU
//! instances, `driver` a driver that does not answer.

#![expect(clippy::unwrap_used, reason = "clippy.toml exempts test functions, and not the helpers between them")]

#[cfg(target_os = "linux")]
mod driver;
mod mig;
mod plant;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command};

use crossover_needs::{http_server, wait_for, wait_until};

use super::{REGULATION, crossover, outcome_of, records, result};

/// vGPUs at the start of the published example.
const AT_START: &str = "100";

/// A folder with the number of vGPUs in a file, a program that writes it, and readings.
struct Cluster(tempfile::TempDir);

impl Cluster {
    fn new() -> Self {
        let cluster = Self(tempfile::tempdir().unwrap());
        fs::write(cluster.path("vgpus"), AT_START).unwrap();
        // In one step, as the plant reads it at any moment.
        fs::write(cluster.path("set.sh"), "printf %s \"$1\" > vgpus.new && mv vgpus.new vgpus").unwrap();
        fs::write(cluster.path("readings.csv"), "pcie_occupancy,load\n").unwrap();
        cluster.actuators("\"sh\", \"set.sh\", \"{value}\"");
        cluster
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The file of actuators, with the words that set the vGPUs.
    fn actuators(&self, set: &str) {
        let text = format!(
            "[(name: \"vgpus\", changes: Vgpus, least: 10, most: 200, per_second: 1000,\n  \
               through: Programs(set: [{set}], read: [\"cat\", \"vgpus\"]))]"
        );
        fs::write(self.path("actuators.ron"), text).unwrap();
    }

    fn vgpus(&self) -> f64 {
        fs::read_to_string(self.path("vgpus")).unwrap().trim().parse().unwrap()
    }

    fn journal(&self) -> PathBuf {
        self.path("data/crossover/regulation-journal.ron")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = crossover(&[&["regulate"], arguments].concat());
        command.current_dir(self.0.path());
        for (variable, folder) in [("HOME", "."), ("XDG_DATA_HOME", "data")] {
            command.env(variable, self.path(folder));
        }
        command
    }

    /// A loop that regulates, with its output in files.
    fn start(&self, arguments: &[&str]) -> Loop {
        let run = ["run", REGULATION, "--cluster", "I", "--set", "run.period_seconds=0.02", "--allow-programs"];
        let files = ["--readings", "readings.csv", "--actuators", "actuators.ron"];
        let mut command = self.command(&[&run[..], &files, arguments].concat());
        command.stdout(File::create(self.path("output")).unwrap()).stderr(File::create(self.path("messages")).unwrap());
        Loop(command.spawn().unwrap())
    }

    fn messages(&self) -> String {
        fs::read_to_string(self.path("messages")).unwrap()
    }

    /// Adds a reading that asks for two vGPUs less, e = 0.5, until something is so.
    fn read_until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let mut readings = File::options().append(true).open(self.path("readings.csv")).unwrap();
        wait_until(what, || {
            readings.write_all(b"1,0.5\n").unwrap();
            is_so()
        });
    }
}

/// A child that does not outlive its test.
struct Loop(Child);

impl Loop {
    fn exit_code(&mut self) -> Option<i32> {
        wait_for("the end of the loop", || self.0.try_wait().unwrap()).code()
    }

    /// SIGTERM, as a service manager or `kill` sends it.
    fn terminate(&mut self) -> Option<i32> {
        let process = self.0.id().to_string();
        assert!(Command::new("sh").args(["-c", "kill -TERM \"$0\"", &process]).status().unwrap().success());
        self.exit_code()
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        assert_eq!(self.0.wait().unwrap().code(), None, "it had ended by itself");
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // Fails only if it has ended already, which is what is wanted.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Places at which a loop is killed: while a program sets a value, before, between and after its two steps; after a line of output;
/// and as the old value is restored.
const PLACES: [&str; 5] = ["before", "between", "after", "printed", "restoring"];

/// A program that sets the vGPUs and kills the loop that has started it at such a place of a change, counted from 1.
fn killing(place: &str, change: u32) -> String {
    if place == "restoring" {
        return format!(
            "[ \"$1\" != {AT_START} ] || [ -e killed ] || {{ touch killed; kill -9 $PPID $$; }}\n\
             printf %s \"$1\" > vgpus.new && mv vgpus.new vgpus"
        );
    }
    format!(
        "echo x >> calls; calls=$(wc -l < calls)\n\
         at() {{ [ $1 = {place} ] && [ $calls -eq {change} ] && kill -9 $PPID; }}\n\
         at before; printf %s \"$1\" > vgpus.new\n\
         at between; mv vgpus.new vgpus\n\
         at after; echo x >> ended"
    )
}

/// Ten changes at five places. Every second time the next loop restores, and not the command for it.
#[test]
fn a_kill_at_each_of_fifty_moments_leaves_a_journal_from_which_the_next_start_restores() {
    for (change, (index, place)) in (1..=10).flat_map(|change| PLACES.iter().enumerate().map(move |at| (change, at))) {
        let moment = format!("change {change}, {place}");
        let cluster = Cluster::new();
        fs::write(cluster.path("set.sh"), killing(place, change)).unwrap();
        let mut regulating = cluster.start(&["--apply", "--set", "policy.controller=P"]);
        if ["printed", "restoring"].contains(place) {
            let changes = || fs::read_to_string(cluster.path("output")).unwrap().matches(": vgpus from ").count();
            cluster.read_until("the line of a change", || changes() >= change as usize);
            if *place == "printed" {
                regulating.kill();
            } else {
                assert_eq!(regulating.terminate(), None, "{moment}");
            }
        } else {
            cluster.read_until("its end", || regulating.0.try_wait().unwrap().is_some());
            assert_eq!(regulating.exit_code(), None, "{moment}");
        }
        // A program goes on without its loop, and would set the value after it is restored.
        let lines = |name: &str| fs::read_to_string(cluster.path(name)).unwrap_or_default().lines().count();
        wait_until("the end of its programs", || lines("calls") == lines("ended"));
        assert!(cluster.journal().exists(), "{moment}");
        assert!(cluster.vgpus() < 100.0, "{moment}");
        let message = "crossover: restored what an earlier loop had changed: vgpus to 100\n";
        if (change as usize + index).is_multiple_of(2) {
            let restored = outcome_of(cluster.command(&["restore"]).output().unwrap());
            assert_eq!(restored, (Some(0), String::new(), message.to_owned()), "{moment}");
        } else {
            let code = cluster.start(&["--apply", "--periods", "1"]).exit_code();
            assert_eq!((code, cluster.messages().as_str()), (Some(0), message), "{moment}");
        }
        assert_eq!(cluster.vgpus(), 100.0, "{moment}");
        assert!(!cluster.journal().exists(), "{moment}");
    }
}

/// A program that a killed loop has started sets its value late, and still before the old value is restored.
#[test]
fn a_value_that_is_being_set_when_the_loop_is_killed_is_restored_after_it() {
    let cluster = Cluster::new();
    let slow = "touch begun; [ \"$1\" = 100 ] || sleep 1; printf %s \"$1\" > vgpus.new && mv vgpus.new vgpus";
    fs::write(cluster.path("set.sh"), slow).unwrap();
    let mut regulating = cluster.start(&["--apply"]);
    cluster.read_until("a program that sets a value", || cluster.path("begun").exists());
    regulating.kill();
    let (code, _, messages) = outcome_of(cluster.command(&["restore"]).output().unwrap());
    assert_eq!(code, Some(0), "{messages}");
    assert_eq!(cluster.vgpus(), 100.0);
    let (code, _, messages) = outcome_of(cluster.command(&["restore"]).output().unwrap());
    assert!(code == Some(0) && messages.contains("nothing is to be restored"), "{messages}");
}

#[test]
fn readings_that_end_and_a_setting_that_cannot_be_set_restore_the_old_value() {
    let cluster = Cluster::new();
    let mut silent = cluster.start(&["--apply", "--silence", "1 s"]);
    cluster.read_until("a change", || cluster.vgpus() < 100.0);
    assert_eq!(silent.exit_code(), Some(1));
    let messages = cluster.messages();
    assert!(messages.contains("restored: vgpus to 100\n") && messages.contains("no reading for 1 s"), "{messages}");
    assert_eq!(cluster.vgpus(), 100.0);

    let refusing =
        "[ \"$1\" -ge 96 ] || { echo too few >&2; exit 3; }; printf %s \"$1\" > vgpus.new; mv vgpus.new vgpus";
    fs::write(cluster.path("set.sh"), refusing).unwrap();
    let mut failing = cluster.start(&["--apply"]);
    cluster.read_until("a value that is refused", || cluster.messages().contains("cannot be set"));
    assert_eq!(failing.exit_code(), Some(1));
    let expected = "vgpus cannot be set: “sh” ended with exit code 3: too few\n";
    assert!(cluster.messages().ends_with(expected), "{}", cluster.messages());
    assert_eq!(cluster.vgpus(), 100.0);
    assert!(!cluster.journal().exists());
}

/// At e = 0.5 the column of the frequency has −100 MHz. With 0.5 mV for each MHz these are 50 mV less.
#[test]
fn a_voltage_is_set_by_a_program_of_the_user_and_restored() {
    let cluster = Cluster::new();
    fs::write(cluster.path("vgpus"), "1000").unwrap();
    let actuators = "[(name: \"millivolts\", changes: Voltage, scale: 0.5, least: 900, most: 1000, per_second: 100000,\n  \
                       through: Programs(set: [\"sh\", \"set.sh\", \"{value}\"], read: [\"cat\", \"vgpus\"]))]";
    fs::write(cluster.path("actuators.ron"), actuators).unwrap();
    let scenario = ["clusters.I.voltage=(start: 1, least: 0.9, most: 1.1)", "actuators.order=[Voltage]"];
    let mut voltage = cluster.start(&["--apply", "--set", scenario[0], "--set", scenario[1]]);
    cluster.read_until("the lowest voltage", || cluster.vgpus() == 900.0);
    assert_eq!(voltage.terminate(), Some(0), "{}", cluster.messages());
    let output = fs::read_to_string(cluster.path("output")).unwrap();
    assert!(output.contains(": millivolts from 1000 to 950\n"), "{output}");
    assert_eq!(cluster.vgpus(), 1000.0);
}

#[test]
fn without_apply_nothing_is_changed() {
    let cluster = Cluster::new();
    let mut dry = cluster.start(&[]);
    let expected = "u 0.5: would set vgpus from 100 to 98 (sh set.sh 98)\n";
    let output = || fs::read_to_string(cluster.path("output")).unwrap();
    cluster.read_until("two lines", || output().matches(expected).count() >= 2);
    assert_eq!(dry.terminate(), Some(0));
    assert!(cluster.messages().contains("dry run: nothing is changed"), "{}", cluster.messages());
    assert_eq!(cluster.vgpus(), 100.0);
    assert!(!cluster.journal().exists() && !cluster.journal().with_extension("lock").exists());
}

#[test]
fn programs_of_a_file_are_shown_and_not_started_until_they_are_allowed() {
    let cluster = Cluster::new();
    cluster.actuators("\"touch\", \"started\", \"{value}\"");
    let arguments = ["run", REGULATION, "--cluster", "I", "--readings", "readings.csv", "--actuators", "actuators.ron"];
    for apply in [&[][..], &["--apply"]] {
        let mut command = cluster.command(&[&arguments[..], apply].concat());
        let (code, output, messages) = outcome_of(command.output().unwrap());
        assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
        for expected in ["program of the file: touch started '{value}'\n", "program of the file: cat vgpus\n"] {
            assert!(messages.contains(expected), "{messages}");
        }
        assert!(messages.contains("actuators.ron: nothing was started") && messages.contains("--allow-programs"));
    }
    assert!(!cluster.path("started").exists());
}

/// A stranger's journal is a file with programs, like any other.
#[test]
fn a_journal_of_others_starts_no_program_that_is_not_allowed() {
    let cluster = Cluster::new();
    let theirs = format!(
        "(version: 1, settings: [(name: \"a\", control: Programs(folder: {:?}, set: [\"touch\", \"started\", \
         \"{{value}}\"], read: [\"true\"], before: \"\"), original: 1.0)])",
        cluster.0.path()
    );
    fs::write(cluster.path("theirs.ron"), &theirs).unwrap();
    let (code, _, messages) = outcome_of(cluster.command(&["restore", "--journal", "theirs.ron"]).output().unwrap());
    assert!(code == Some(1) && messages.contains("nothing was started"), "{messages}");
    assert!(!cluster.path("started").exists());
    assert_eq!(fs::read_to_string(cluster.path("theirs.ron")).unwrap(), theirs, "it is kept");
}

/// The CSV of an evaluation is a recording; the loop takes the actions of the simulation.
#[test]
fn a_recording_of_a_simulation_gives_the_actions_of_the_simulation() {
    let cluster = Cluster::new();
    let (_, csv, _) = super::run(&["evaluate", REGULATION, "--format", "csv"]);
    fs::write(cluster.path("recorded.csv"), &csv).unwrap();
    let arguments = ["regulate", "run", REGULATION, "--cluster", "I", "--recorded"];
    let [readings, actuators] = ["recorded.csv", "actuators.ron"].map(|name| cluster.path(name));
    let files =
        ["--readings", readings.to_str().unwrap(), "--actuators", actuators.to_str().unwrap(), "--actuator", "vgpus"];
    let output = result(&[&arguments[..], &files].concat());
    assert_eq!(output.lines().count(), 600, "a line a period");
    let found: Vec<&str> =
        output.lines().filter_map(|line| line.split_once(": vgpus ").map(|(_, change)| change)).collect();
    let lines = records(&csv);
    let column = |name: &str| lines[0].iter().position(|title| title == name).unwrap();
    let [of, vgpus, action] = ["cluster", "vgpus", "action_vgpus"].map(column);
    let expected: Vec<String> = lines[1..]
        .iter()
        .filter(|line| line[of] == "I" && line[action] != "0")
        .map(|line| {
            let [before, change] = [vgpus, action].map(|index| line[index].parse::<f64>().unwrap());
            format!("from {before} to {}", before + change)
        })
        .collect();
    assert!(!expected.is_empty());
    assert_eq!(found, expected);
}

/// An exporter of one GPU, which has this load in percent and receives 5 GB/s.
fn exporter(percent: u32) -> String {
    http_server(move |_, request| {
        assert_eq!(request, "GET /metrics HTTP/1.1");
        format!(
            "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\nDCGM_FI_DEV_GPU_UTIL{{gpu=\"0\"}} {percent}\n\
             DCGM_FI_PROF_PCIE_RX_BYTES{{gpu=\"0\"}} 5000000000\n"
        )
    })
}

#[test]
fn two_exporters_are_regulated_by_the_mean_of_their_gpus() {
    let cluster = Cluster::new();
    let [one, other] = [20, 60].map(exporter);
    let run = ["run", REGULATION, "--cluster", "I", "--set", "run.period_seconds=0.02", "--allow-programs"];
    let sources = ["--bus", "10 GB/s", "--readings", &one, "--readings", &other, "--actuators", "actuators.ron"];
    let mut command = cluster.command(&[&run[..], &sources].concat());
    let files = ["output", "messages"].map(|name| File::create(cluster.path(name)).unwrap());
    let [output, messages] = files;
    let mut live = Loop(command.stdout(output).stderr(messages).spawn().unwrap());
    wait_until("a reading", || {
        let output = fs::read_to_string(cluster.path("output")).unwrap();
        output.contains("PCIe occupancy 50 %, load 40 %")
    });
    assert_eq!(live.terminate(), Some(0), "{}", cluster.messages());
    assert_eq!(cluster.vgpus(), 100.0, "a dry run");
}

#[test]
fn what_cannot_be_regulated_is_refused_with_its_reason() {
    let cluster = Cluster::new();
    let run = |readings: &str, arguments: &[&str]| {
        let always = ["run", REGULATION, "--readings", readings, "--actuators", "actuators.ron", "--allow-programs"];
        let (code, output, messages) =
            outcome_of(cluster.command(&[&always[..], arguments].concat()).output().unwrap());
        assert_eq!((code, output.as_str()), (Some(1), ""), "{messages}");
        messages
    };
    let rows = "readings.csv";
    let cases = [
        (rows, &[][..], "the scenario has 2 clusters; choose one with --cluster: I, II"),
        (rows, &["--cluster", "I", "--actuator", "vgpu"], "no actuator “vgpu”, did you mean “vgpus”?"),
        ("absent.csv", &["--cluster", "I"], "cannot read absent.csv"),
        ("http://127.0.0.1:9", &["--cluster", "I"], "readings of exporters need the speed of the bus"),
        ("https://127.0.0.1", &["--cluster", "I", "--bus", "10 GB/s"], "only plain HTTP is read"),
        ("http://127.0.0.1", &["--cluster", "I", "--recorded"], "readings of exporters need the speed of the bus"),
        ("driver", &["--cluster", "I", "--recorded"], "--recorded takes the rows of a file"),
        ("actuators.ron", &["--cluster", "I"], "actuators.ron:1: the columns pcie_occupancy and load are missing"),
    ];
    for (readings, arguments, expected) in cases {
        let messages = run(readings, arguments);
        assert!(messages.contains(expected), "{arguments:?}: {messages}");
    }
    fs::write(cluster.path("vgpus"), "9").unwrap();
    assert!(
        run(rows, &["--cluster", "I", "--apply"]).contains("actuator “vgpus”: it is 9, outside of its range 10 … 200")
    );
    fs::write(cluster.path("vgpus"), "many").unwrap();
    let messages = run(rows, &["--cluster", "I"]);
    assert!(messages.contains("“cat” printed “many”; expected one number"), "{messages}");
}

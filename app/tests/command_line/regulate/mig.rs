//! GPU instances as a setting of a loop, with a program in the place of `nvidia-smi`, which keeps them in a file.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;

use super::{Cluster, Loop, REGULATION};

/// As NVIDIA's MIG user guide shows the commands and their answers. Instances 7 and 11 have a process.
const NVIDIA_SMI: &str = r#"#!/bin/sh
set -e
[ "$1 $2 $3" = "mig -i 0" ]
shift 3
case "$*" in
"-lgi")
    [ -s instances ] || { echo "No GPU instances found: Not Found"; exit 6; }
    echo "| GPU   Name             Profile  Instance   Placement  |"
    while read -r id; do
        echo "|   0  MIG 1g.5gb          19        $id          0:1     |"
    done < instances
    ;;
"-cgi 19 -C")
    echo $(($(cat last) + 1)) > last
    cat last >> instances
    ;;
"-dci -gi "*)
    case $3 in 7 | 11) echo "Unable to destroy compute instance ID 0 from GPU 0: In use by another client" >&2; exit 19 ;; esac
    echo "$3" >> idle
    ;;
"-dgi -gi "*)
    grep -qx "$3" idle
    grep -vx "$3" instances > left || true
    mv left instances
    ;;
*) exit 2 ;;
esac
"#;

/// e = 0.5 asks for two instances less in each period, down to the least of the range.
#[test]
fn a_loop_destroys_the_instances_without_processes_and_creates_as_many_at_the_end() {
    let cluster = Cluster::new();
    let program = cluster.path("nvidia-smi");
    fs::write(&program, NVIDIA_SMI).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(cluster.path("instances"), "7\n8\n9\n10\n11\n").unwrap();
    fs::write(cluster.path("last"), "13\n").unwrap();
    let actuators = "[(name: \"instances\", changes: Vgpus, least: 2, most: 7, per_second: 1000,\n  \
                       through: MigInstances(gpu: \"0\", profile: 19))]";
    fs::write(cluster.path("actuators.ron"), actuators).unwrap();
    let instances = || fs::read_to_string(cluster.path("instances")).unwrap();

    let run = ["run", REGULATION, "--cluster", "I", "--set", "run.period_seconds=0.02", "--allow-programs"];
    let files = ["--readings", "readings.csv", "--actuators", "actuators.ron"];
    let path = format!("{}:{}", cluster.0.path().display(), env::var("PATH").unwrap());
    let start = |apply: &[&str]| {
        let mut command = cluster.command(&[&run[..], &files, apply].concat());
        command.env("PATH", &path);
        let [output, messages] = ["output", "messages"].map(|name| File::create(cluster.path(name)).unwrap());
        Loop(command.stdout(output).stderr(messages).spawn().unwrap())
    };
    let mut dry = start(&[]);
    let expected = "would set instances from 5 to 3 (leave 3 MIG instances of profile 19 on GPU 0)\n";
    let output = || fs::read_to_string(cluster.path("output")).unwrap();
    cluster.read_until("a line", || output().contains(expected));
    assert_eq!(dry.terminate(), Some(0));
    assert_eq!(instances(), "7\n8\n9\n10\n11\n");

    let mut acting = start(&["--apply"]);
    cluster.read_until("the least instances", || instances() == "7\n11\n");
    assert_eq!(acting.terminate(), Some(0), "{}", cluster.messages());
    assert!(cluster.messages().ends_with("restored: instances to 5\n"), "{}", cluster.messages());
    assert_eq!(instances(), "7\n11\n14\n15\n16\n");
}

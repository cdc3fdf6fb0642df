//! A driver that does not answer, with a library in the place of NVIDIA's.

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use super::{Cluster, Loop, REGULATION, outcome_of};

/// Functions of NVML as `nvml.h` declares them. Setting a limit does not return while the environment has `HANGS`.
const NVML: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct nvmlDevice_st *nvmlDevice_t;

int nvmlInit_v2(void) { return 0; }

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    *device = (nvmlDevice_t)1;
    return index == 0 ? 0 : 2;
}

int nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *limit) {
    *limit = 300000;
    return 0;
}

int nvmlDeviceSetPowerManagementLimit(nvmlDevice_t device, unsigned int limit) {
    while (getenv("HANGS")) pause();
    FILE *file = fopen("milliwatts", "w");
    if (!file) return 999;
    fprintf(file, "%u", limit);
    return fclose(file) ? 999 : 0;
}
"#;

/// Compiles the library into a folder.
fn library(folder: &Path) {
    fs::write(folder.join("nvml.c"), NVML).unwrap();
    let arguments = ["-shared", "-fPIC", "-o", "libnvidia-ml.so.1", "nvml.c"];
    assert!(Command::new("cc").args(arguments).current_dir(folder).status().unwrap().success());
}

/// At e = 0.5 the control table has 2 vGPUs less, and a lower frequency. The vGPUs are set, and the driver does not answer for the
/// power limit: after 5 s the loop ends, and restores what it can.
#[test]
fn a_driver_that_never_answers_ends_the_loop_which_restores_its_other_settings() {
    let cluster = Cluster::new();
    library(cluster.0.path());
    let actuators = "[\n\
        (name: \"vgpus\", changes: Vgpus, least: 10, most: 200, per_second: 1000,\n  \
           through: Programs(set: [\"sh\", \"set.sh\", \"{value}\"], read: [\"cat\", \"vgpus\"])),\n\
        (name: \"power\", changes: Frequency, least: 100, most: 300, per_second: 1000, through: PowerLimit(gpu: \"0\")),\n\
        ]";
    fs::write(cluster.path("actuators.ron"), actuators).unwrap();
    let libraries = env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let libraries = format!("{}:{libraries}", cluster.0.path().display());

    let run = ["run", REGULATION, "--cluster", "I", "--set", "run.period_seconds=0.02", "--allow-programs", "--apply"];
    let files = ["--set", "actuators.mode=Together", "--readings", "readings.csv", "--actuators", "actuators.ron"];
    let mut command = cluster.command(&[&run[..], &files].concat());
    command.env("LD_LIBRARY_PATH", &libraries).env("HANGS", "1");
    let [output, messages] = ["output", "messages"].map(|name| File::create(cluster.path(name)).unwrap());
    let mut hanging = Loop(command.stdout(output).stderr(messages).spawn().unwrap());
    cluster.read_until("the end of the loop", || hanging.0.try_wait().unwrap().is_some());
    assert_eq!(hanging.exit_code(), Some(1));
    let messages = cluster.messages();
    let expected = "power cannot be set: NVIDIA's driver has not answered within 5 s; if `nvidia-smi` does not answer \
                    either, restart the machine; restored vgpus to 100; not restored: power: NVIDIA's driver has not";
    assert!(messages.contains(expected) && messages.contains("“crossover regulate restore” tries again"), "{messages}");
    assert_eq!(cluster.vgpus(), 100.0);
    assert!(cluster.journal().exists() && !cluster.path("milliwatts").exists());

    // It answers again.
    let mut command = cluster.command(&["restore"]);
    let restored = outcome_of(command.env("LD_LIBRARY_PATH", &libraries).output().unwrap());
    let message = "crossover: restored what an earlier loop had changed: power to 300\n";
    assert_eq!(restored, (Some(0), String::new(), message.to_owned()));
    assert_eq!(fs::read_to_string(cluster.path("milliwatts")).unwrap(), "300000");
    assert!(!cluster.journal().exists());
}

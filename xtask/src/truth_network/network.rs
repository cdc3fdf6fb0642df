//! Machines that are network namespaces, joined by a switch whose links are shaped with `tc`.

use std::process::Command;
use std::{fs, thread, time::Duration};

use anyhow::Result;

use crate::process::{run, succeeds};

/// What all names begin with, so that nobody else's namespace is touched.
const PREFIX: &str = "crossover-truth";
/// The namespace that the switch is in.
const SWITCH: &str = "crossover-truth-switch";
/// What every machine calls its link.
const LINK: &str = "eth0";
/// A queue that takes this long to empty is full.
const LATENCY: &str = "100ms";
/// Bytes that may pass at once: what a link carries in 4 ms for each Mbit/s, and at least.
const BURST_PER_MBIT: u32 = 500;
const LEAST_BURST: u32 = 256_000;

/// Machines and the switch between them; dropping it removes them and ends what runs in them.
pub(super) struct Network {
    machines: usize,
}

/// The machine of this number, from 0.
pub(super) fn address(machine: usize) -> String {
    format!("10.77.0.{}", machine + 1)
}

fn namespace(machine: usize) -> String {
    format!("{PREFIX}-{machine}")
}

impl Network {
    /// So many machines that all reach each other.
    pub(super) fn new(machines: usize) -> Result<Self> {
        let network = Self { machines };
        // What a run left that was killed.
        network.remove();
        ip(&["netns", "add", SWITCH])?;
        inside(SWITCH, "ip", &["link", "add", "bridge", "type", "bridge"])?;
        inside(SWITCH, "ip", &["link", "set", "bridge", "up"])?;
        for machine in 0..machines {
            let (name, port) = (namespace(machine), format!("port{machine}"));
            ip(&["netns", "add", &name])?;
            ip(&["link", "add", LINK, "netns", &name, "type", "veth", "peer", "name", &port, "netns", SWITCH])?;
            inside(&name, "ip", &["address", "add", &format!("{}/24", address(machine)), "dev", LINK])?;
            for device in ["lo", LINK] {
                inside(&name, "ip", &["link", "set", device, "up"])?;
            }
            inside(SWITCH, "ip", &["link", "set", &port, "master", "bridge"])?;
            inside(SWITCH, "ip", &["link", "set", &port, "up"])?;
        }
        Ok(network)
    }

    /// A shell script that lets the links of all machines but the first, which only coordinates, carry so many Mbit/s in
    /// each direction: its first argument.
    pub(super) fn shaping(&self) -> String {
        let mut script = format!(
            "set -e\nrate=$1\nburst=$((rate * {BURST_PER_MBIT}))\n[ $burst -gt {LEAST_BURST} ] || burst={LEAST_BURST}\n"
        );
        for machine in 1..self.machines {
            for (place, device) in
                [(namespace(machine), LINK.to_owned()), (SWITCH.to_owned(), format!("port{machine}"))]
            {
                script += &format!(
                    "ip netns exec {place} tc qdisc replace dev {device} root tbf rate ${{rate}}mbit burst $burst latency \
                     {LATENCY}\n"
                );
            }
        }
        script
    }

    fn remove(&self) {
        for name in (0..self.machines).map(namespace).chain([SWITCH.to_owned()]) {
            // Only what was started in there.
            let running = Command::new("ip").args(["netns", "pids", &name]).output();
            let running =
                running.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
            for id in running.split_whitespace() {
                succeeds(Command::new("kill").args(["-9", id]));
            }
            if !running.trim().is_empty() {
                thread::sleep(Duration::from_millis(300));
            }
            if fs::exists(format!("/run/netns/{name}")).unwrap_or(false) {
                succeeds(Command::new("ip").args(["netns", "del", &name]));
            }
        }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A program on a machine.
pub(super) fn on(machine: usize, program: &str) -> Command {
    let mut command = Command::new("ip");
    command.args(["netns", "exec", &namespace(machine), program]);
    command
}

fn inside(namespace: &str, program: &str, arguments: &[&str]) -> Result<()> {
    ip(&[&["netns", "exec", namespace, program][..], arguments].concat())
}

fn ip(arguments: &[&str]) -> Result<()> {
    run(Command::new("ip").args(arguments))
}

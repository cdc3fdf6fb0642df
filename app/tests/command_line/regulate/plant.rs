//! The published example on clusters of real processes, at its full size: a replica is a process and stands for a vGPU. A loop
//! takes and releases ten at once, so that it needs few periods, and the loops of both clusters share a pool.
//!
//! A replica computes what a bus hands to it, one item after the other, and asks for the next one as it begins: transfer and
//! computation overlap. Replicas measure how long they compute, the bus counts what it transfers.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossover_needs::{deadline, wait_for, wait_until};

use super::{Cluster, Loop, REGULATION};

/// The folder of a plant, in the environment of its process.
const PLANT: &str = "CROSSOVER_TEST_PLANT";
/// The socket of its bus, in the environment of a replica.
const REPLICA: &str = "CROSSOVER_TEST_REPLICA";
/// Replicas of each cluster at the start: the published vGPUs.
const AT_START: u32 = 100;
/// How long a replica computes an item at 1 GHz.
const COMPUTATION: Duration = Duration::from_millis(80);
/// Time of a reading.
const SAMPLE: Duration = Duration::from_millis(800);
/// Polling interval of the settings, as of a cloud manager.
const TICK: Duration = Duration::from_millis(5);
/// How far an occupancy may be from the published one: processes of a busy machine start late.
const NEAR: f64 = 0.08;

/// A reading of a plant, with the settings that it had all the time.
#[derive(Debug, Clone, Copy)]
struct Reading {
    replicas: f64,
    mhz: f64,
    items_per_second: f64,
    pcie: f64,
    load: f64,
}

/// Whether a reading has these settings, and about these occupancies.
fn is_near(reading: &Reading, replicas: f64, mhz: f64, [pcie, load]: [f64; 2]) -> bool {
    let near = |found: f64, expected: f64| (found - expected).abs() <= NEAR;
    (reading.replicas, reading.mhz) == (replicas, mhz) && near(reading.pcie, pcie) && near(reading.load, load)
}

/// A cluster whose replicas are processes.
struct Plant {
    _process: Loop,
    name: &'static str,
    cluster: Cluster,
}

impl Plant {
    /// A cluster of the published example. Its bus transfers what so many replicas compute at 1 GHz.
    fn start(name: &'static str, replicas_of_bus: u32) -> Self {
        let cluster = Cluster::new();
        let transfer = (COMPUTATION / replicas_of_bus).as_nanos().to_string();
        let files = [
            ("vgpus", AT_START.to_string()),
            ("mhz", "1000".to_owned()),
            ("transfer", transfer),
            ("set-tens.sh", "printf %s0 \"$1\" > vgpus.new && mv vgpus.new vgpus".to_owned()),
            ("set-clock.sh", "printf %s \"$1\" > mhz.new && mv mhz.new mhz".to_owned()),
            ("readings.csv", "replicas,mhz,items_per_second,pcie_occupancy,load\n".to_owned()),
        ];
        for (file, text) in files {
            fs::write(cluster.path(file), text).unwrap();
        }
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", thread::current().name().unwrap(), "--nocapture"]).env(PLANT, cluster.0.path());
        let process = Loop(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        Self { _process: process, name, cluster }
    }

    /// A loop that may use what another cluster leaves of all replicas, and clocks from 0.8 to 1.1 GHz as the published example.
    fn regulate(&self, other: &Self) -> Loop {
        let tens = |file: &Path| format!("[\"sed\", \"s/0$//\", {:?}]", file.display().to_string());
        let [own, others] = [self, other].map(|plant| tens(&plant.cluster.path("vgpus")));
        let actuators = format!(
            "[(name: \"tens\", changes: Vgpus, scale: 0.1, least: 1, most: 20, per_second: 1000,\n  \
               through: Programs(set: [\"sh\", \"set-tens.sh\", \"{{value}}\"], read: {own}),\n  \
               pool: (total: 20, others: [{others}])),\n \
              (name: \"clock\", changes: Frequency, least: 800, most: 1100, per_second: 100000,\n  \
               through: Programs(set: [\"sh\", \"set-clock.sh\", \"{{value}}\"], read: [\"cat\", \"mhz\"]))]"
        );
        fs::write(self.cluster.path("actuators.ron"), actuators).unwrap();
        let run = ["run", REGULATION, "--cluster", self.name, "--apply", "--allow-programs"];
        // A reading is whole before the next period. P suffices: with steps of ten vGPUs the dead zone has 50 replicas alone.
        let settings = ["--set", "run.period_seconds=1.2", "--set", "policy.controller=P"];
        let files = ["--readings", "readings.csv", "--actuators", "actuators.ron"];
        let mut command = self.cluster.command(&[&run[..], &settings, &files].concat());
        let [output, messages] = ["output", "messages"].map(|name| File::create(self.cluster.path(name)).unwrap());
        Loop(command.stdout(output).stderr(messages).spawn().unwrap())
    }

    /// The newest reading.
    fn reading(&self) -> Option<Reading> {
        let text = fs::read_to_string(self.cluster.path("readings.csv")).unwrap();
        // The last line may still be written.
        let (whole, _) = text.rsplit_once('\n')?;
        let numbers: Result<Vec<f64>, _> = whole.lines().next_back()?.split(',').map(str::parse::<f64>).collect();
        let [replicas, mhz, items_per_second, pcie, load] = numbers.ok()?[..] else { return None };
        Some(Reading { replicas, mhz, items_per_second, pcie, load })
    }

    /// Waits for a reading with these settings, and about these occupancies of PCIe and compute.
    fn read_at(&self, replicas: f64, mhz: f64, occupancies: [f64; 2]) -> Reading {
        let what = format!("{} with {replicas} replicas at {mhz} MHz, {occupancies:?}", self.name);
        wait_for(&what, || self.reading().filter(|reading| is_near(reading, replicas, mhz, occupancies)))
    }
}

/// Items a second for each replica and GHz, as the published power is in proportion to vGPUs and frequency.
fn efficiency(readings: [Reading; 2]) -> f64 {
    let items: f64 = readings.iter().map(|reading| reading.items_per_second).sum();
    let power: f64 = readings.iter().map(|reading| reading.replicas * reading.mhz / 1000.0).sum();
    items / power
}

/// Paragraphs 65 to 82. By hand: I has e = 1 − 50/n, above the dead zone down to 60 replicas (0.17), 0 at 50. II has
/// e = n/200 − 1 < 0. The pool is empty at first, so it takes its highest clock, and then what I releases. Throughput grows from
/// 50 + 100 to 50 + 165 replicas' worth, power from 200 to 215: 215/150 · 200/215 = 4/3.
#[test]
fn two_loops_bring_real_processes_to_the_published_vgpus_and_efficiency() {
    if was_replica() || was_plant() {
        return;
    }
    let [first, second] = [Plant::start("I", 50), Plant::start("II", 200)];
    let before = [first.read_at(100.0, 1000.0, [1.0, 0.5]), second.read_at(100.0, 1000.0, [0.5, 1.0])];

    let mut of_second = second.regulate(&first);
    second.read_at(100.0, 1100.0, [0.55, 1.0]);
    let mut of_first = first.regulate(&second);
    first.read_at(50.0, 1000.0, [1.0, 1.0]);
    second.read_at(150.0, 1100.0, [0.825, 1.0]);
    wait_until("a third more efficiency", || {
        let (Some(one), Some(other)) = (first.reading(), second.reading()) else { return false };
        let is_there = is_near(&one, 50.0, 1000.0, [1.0, 1.0]) && is_near(&other, 150.0, 1100.0, [0.825, 1.0]);
        is_there && (efficiency([one, other]) / efficiency(before) - 4.0 / 3.0).abs() <= NEAR
    });

    assert_eq!(of_second.terminate(), Some(0), "{}", second.cluster.messages());
    assert_eq!(of_first.terminate(), Some(0), "{}", first.cluster.messages());
    // The setting that was changed last is restored first.
    for (plant, expected) in [(&first, "restored: tens to 10\n"), (&second, "restored: tens to 10, clock to 1000\n")] {
        assert!(plant.cluster.messages().ends_with(expected), "{}", plant.cluster.messages());
        assert_eq!(plant.cluster.vgpus(), 100.0);
        assert!(!plant.cluster.journal().exists());
    }
    wait_until("the former replicas", || second.reading().is_some_and(|reading| reading.replicas == 100.0));
}

/// What a bus has handed out, and what replicas have computed.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    items: u32,
    computed: Duration,
}

/// The bus of a plant.
struct Bus {
    /// Time of a transfer.
    transfer: Duration,
    /// How long a replica computes the next item.
    computation: Mutex<Duration>,
    /// When the last transfer that was asked for ends.
    free_at: Mutex<Instant>,
    totals: Mutex<Totals>,
}

impl Bus {
    /// Hands items to a replica until that ends. Transfers follow each other without a pause if one is always asked for.
    fn serve(&self, mut replica: UnixStream) -> io::Result<()> {
        let mut computed = [0; 8];
        loop {
            replica.read_exact(&mut computed)?;
            let asked = Instant::now();
            let end = {
                let mut free_at = self.free_at.lock().unwrap();
                *free_at = (*free_at).max(asked) + self.transfer;
                *free_at
            };
            thread::sleep(end.saturating_duration_since(Instant::now()));
            {
                let mut totals = self.totals.lock().unwrap();
                totals.items += 1;
                totals.computed += Duration::from_nanos(u64::from_le_bytes(computed));
            }
            let computation = *self.computation.lock().unwrap();
            replica.write_all(&bytes(computation))?;
        }
    }

    fn totals(&self) -> Totals {
        *self.totals.lock().unwrap()
    }
}

fn bytes(time: Duration) -> [u8; 8] {
    u64::try_from(time.as_nanos()).unwrap().to_le_bytes()
}

/// Whether this process is a replica, which has now ended with its bus.
fn was_replica() -> bool {
    let Some(socket) = env::var_os(REPLICA) else { return false };
    let compute = || -> io::Result<()> {
        let mut bus = UnixStream::connect(&socket)?;
        let (mut item, mut computed) = ([0; 8], Duration::ZERO);
        bus.write_all(&bytes(computed))?;
        loop {
            bus.read_exact(&mut item)?;
            bus.write_all(&bytes(computed))?;
            let begun = Instant::now();
            thread::sleep(Duration::from_nanos(u64::from_le_bytes(item)));
            computed = begun.elapsed();
        }
    };
    // The bus has gone.
    drop(compute());
    true
}

/// Whether this process is the plant of a test, which has now ended.
fn was_plant() -> bool {
    let Some(folder) = env::var_os(PLANT) else { return false };
    let folder = Path::new(&folder);
    let number = |name: &str| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u32>().ok();
    let socket = folder.join("bus");
    let listener = UnixListener::bind(&socket).unwrap();
    let bus = Arc::new(Bus {
        transfer: Duration::from_nanos(number("transfer").unwrap().into()),
        computation: Mutex::new(COMPUTATION),
        free_at: Mutex::new(Instant::now()),
        totals: Mutex::default(),
    });
    let shared = Arc::clone(&bus);
    let accept = move || {
        for replica in listener.incoming().map_while(Result::ok) {
            let bus = Arc::clone(&shared);
            // A replica that was ended asks for nothing more.
            let serve = move || drop(bus.serve(replica));
            thread::Builder::new().name("replica".to_owned()).spawn(serve).unwrap();
        }
    };
    thread::Builder::new().name("bus".to_owned()).spawn(accept).unwrap();
    let mut readings = File::options().append(true).open(folder.join("readings.csv")).unwrap();
    let mut replicas: Vec<Loop> = Vec::new();
    let mut settings = (0, 0);
    let (mut begun, mut before) = (Instant::now(), Totals::default());
    let end = Instant::now() + 4 * deadline();
    // It ends when the folder goes, if nothing ends it before.
    while let (Some(count), Some(mhz)) = (number("vgpus"), number("mhz"))
        && Instant::now() < end
    {
        if settings != (count, mhz) {
            settings = (count, mhz);
            *bus.computation.lock().unwrap() = COMPUTATION * 1000 / mhz;
            let count = usize::try_from(count).unwrap();
            replicas.truncate(count);
            replicas.resize_with(count, || started(&socket));
            // A reading has one setting.
            (begun, before) = (Instant::now(), bus.totals());
        }
        thread::sleep(TICK);
        let time = begun.elapsed();
        if time < SAMPLE {
            continue;
        }
        let now = bus.totals();
        let (items, computed) = (now.items - before.items, now.computed.saturating_sub(before.computed));
        let pcie = (bus.transfer * items).as_secs_f64() / time.as_secs_f64();
        let load = computed.as_secs_f64() / (time * count).as_secs_f64();
        let rate = f64::from(items) / time.as_secs_f64();
        // A folder that is being removed has no file to write to.
        _ = writeln!(readings, "{count},{mhz},{rate:.2},{:.4},{:.4}", pcie.min(1.0), load.min(1.0));
        (begun, before) = (Instant::now(), now);
    }
    true
}

/// A replica: a process of this test with the socket of its bus.
fn started(socket: &Path) -> Loop {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(env::args_os().skip(1)).env(REPLICA, socket).stdout(Stdio::null()).stderr(Stdio::null());
    Loop(command.spawn().unwrap())
}

//! Prints the readings of the GPUs of this machine as CSV, one line per GPU and period, for comparison with
//! `nvidia-smi dmon -s put`. The first five columns are those that `crossover replay` reads.
//!
//! `cargo run --release -p crossover-telemetry --example readings -- [SECONDS [PERIOD_SECONDS]]`; defaults: 10 and 1.

#![expect(clippy::print_stdout, reason = "the table is the result of this command")]

use std::env;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crossover_telemetry::{Link, Reading, Source, SourceError, nvml};

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse::<f64>());
    let (Ok(duration), Ok(period)) = (arguments.next().unwrap_or(Ok(10.0)), arguments.next().unwrap_or(Ok(1.0))) else {
        eprintln!("error: expected SECONDS and PERIOD_SECONDS");
        return ExitCode::from(2);
    };
    match nvml::open().and_then(|source| print(source, duration, period)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a line per GPU every `period` seconds, and each reason of a missing value once, on standard error.
fn print(mut source: Box<dyn Source>, duration: f64, period: f64) -> Result<(), SourceError> {
    println!("seconds,gpu,sm_active,pcie_rx_gb_per_s,pcie_tx_gb_per_s,link_gb_per_s,sm_clock_mhz,watts,sample_seconds");
    for (index, device) in source.devices().iter().enumerate() {
        eprintln!("GPU {index}: {} {}", device.name, device.id);
    }
    let mut reasons: Vec<String> = Vec::new();
    let opened = Instant::now();
    let mut due = 0.0;
    while due < duration {
        thread::sleep(Duration::try_from_secs_f64(due - opened.elapsed().as_secs_f64()).unwrap_or_default());
        let began = Instant::now();
        let sample = source.sample()?;
        let took = began.elapsed().as_secs_f64();
        for reading in &sample.readings {
            println!("{:.3},{},{},{took:.3}", sample.seconds, reading.device, fields(reading));
            for reason in &reading.missing {
                if !reasons.contains(reason) {
                    eprintln!("{reason}");
                    reasons.push(reason.clone());
                }
            }
        }
        due += period;
    }
    Ok(())
}

fn fields(reading: &Reading) -> String {
    let gb_per_s = |rate: Option<f64>| rate.map(|rate| rate / 1e9);
    let fields = [
        reading.load(),
        gb_per_s(reading.pcie_rx_bytes_per_s),
        gb_per_s(reading.pcie_tx_bytes_per_s),
        reading.link.and_then(Link::gb_per_s),
        reading.sm_clock_mhz,
        reading.watts,
    ];
    fields.map(|field| field.map_or_else(String::new, |value| format!("{value:.4}"))).join(",")
}

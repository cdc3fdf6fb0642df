//! Reads logs, with progress; the first Ctrl-C lets the logs that are being read be finished.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use crossover_fleet::{Base, LogStores, Outcomes, RunOptions, run};
use crossover_page::terminal::{message, with_progress};
use crossover_plan::Control;
use crossover_quantity::text::counted_of;

use super::FleetOptions;

/// Bytes of a megabyte.
const MB: f64 = 1e6;
/// Exit status of a program that a second Ctrl-C ends, as shells have it.
const INTERRUPTED: i32 = 130;

/// Reads all logs into the folder of results.
pub(super) fn read_logs(options: &FleetOptions, base: &Base) -> Result<Outcomes> {
    let threads = options.threads.map_or_else(|| LogStores::at_once(&options.paths), usize::from);
    let control = Arc::new(Control::default());
    let heard = Arc::clone(&control);
    // The first signal lets the logs being read reach the ledger; a second one ends the program at once. Either way the
    // next run continues from the ledger.
    let end = move || {
        if heard.is_cancelled() {
            std::process::exit(INTERRUPTED);
        }
        heard.cancel();
    };
    if let Err(error) = ctrlc::set_handler(end) {
        message(format!("Ctrl-C ends the program at once ({error})"));
    }
    let places = LogStores::of_environment(Arc::clone(&control));
    let order =
        RunOptions { store: &places, paths: &options.paths, base, out: &options.out, shard: options.shard, threads };
    let begun = Instant::now();
    let line = || {
        let (done, total) = control.progress();
        let megabytes = |bytes: u64| format!("{:.0}", bytes as f64 / MB);
        let left = |done: u64, total: u64| {
            begun.elapsed().as_secs_f64() * total.saturating_sub(done) as f64 / (done.max(1)) as f64
        };
        match (total, control.files()) {
            (0, (_, 0)) => "looking for logs".to_owned(),
            // A History Server does not report the sizes of its logs.
            (0, (read, logs)) => {
                let (left, megabytes) = (left(read, logs), megabytes(done));
                let read = counted_of(read as f64, logs as f64, "log");
                format!("{read} and {megabytes} MB read, about {left:.0} s left")
            }
            (total, _) => {
                let done = done.min(total);
                format!("{} of {} MB read, about {:.0} s left", megabytes(done), megabytes(total), left(done, total))
            }
        }
    };
    Ok(with_progress(line, || run(&order, &control))?)
}

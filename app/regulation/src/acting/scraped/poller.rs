//! Reads all pages in each period, each on a thread of its own, so that one that never answers holds no other up.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use crossover_telemetry::{http, prometheus};
use url::Url;

use super::exporter;
use super::reading::GpuReading;

/// Periods in which a reading counts.
const FRESH_PERIODS: f64 = 3.0;
/// Shortest and longest time limit of an answer: one period between them.
const LIMITS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));

/// A page with readings.
#[derive(Debug, Clone)]
pub(crate) enum Page {
    /// Metrics of an exporter, and the speed of the bus of its GPUs, GB/s.
    Exporter(Url, f64),
    /// A server of Prometheus, with the queries for PCIe occupancy and for load.
    Prometheus(Url, [String; 2]),
}

/// A page was read, or not: its index, with its readings or the reason.
type Scrape = (usize, Result<Vec<GpuReading>, String>);

/// The pages, as they are read.
#[derive(Debug)]
pub(crate) struct Poller {
    pages: Vec<PageState>,
    scrapes: Receiver<Scrape>,
    /// How long a reading counts.
    fresh: Duration,
    notes: Vec<String>,
}

/// A page and its newest readings.
#[derive(Debug)]
struct PageState {
    name: String,
    gpus: Vec<GpuReading>,
    read: Option<Instant>,
    /// Why it could not be read the last time.
    problem: Option<String>,
    /// GPUs that were there, and are not any more.
    vanished: BTreeSet<String>,
    /// Whether its readings are too old to count.
    is_left_out: bool,
}

/// What the pages say now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Polled {
    /// The mean of PCIe occupancy and of load over all GPUs.
    Mean([f64; 2]),
    /// Nothing new.
    Nothing,
    /// None can be read; the notes have the reasons.
    Unreadable,
}

impl Page {
    /// Host and port.
    fn name(&self) -> String {
        let (Self::Exporter(url, _) | Self::Prometheus(url, _)) = self;
        let host = url.host_str().unwrap_or_default();
        url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    fn read(&self, limit: Duration) -> Result<Vec<GpuReading>, String> {
        match self {
            Self::Exporter(url, bus) => exporter::readings(&http::get(url, limit)?, *bus),
            Self::Prometheus(server, queries) => {
                let mut occupancies = [0.0; 2];
                for (occupancy, query) in occupancies.iter_mut().zip(queries) {
                    *occupancy = prometheus::share(&http::get(&prometheus::address(server, query), limit)?, query)?;
                }
                Ok(vec![GpuReading { name: String::new(), occupancies }])
            }
        }
    }
}

impl Poller {
    /// Begins to read pages once in each period.
    ///
    /// # Errors
    /// No thread can be started.
    pub(crate) fn start(pages: Vec<Page>, period: Duration) -> Result<Self> {
        let (sender, scrapes) = channel();
        let states = pages.iter().map(|page| PageState {
            name: page.name(),
            gpus: Vec::new(),
            read: None,
            problem: None,
            vanished: BTreeSet::new(),
            is_left_out: false,
        });
        let states = states.collect();
        for (index, page) in pages.into_iter().enumerate() {
            let sender = sender.clone();
            let work = move || follow(index, &page, period, &sender);
            thread::Builder::new().name("readings".to_owned()).spawn(work).context("cannot start a thread")?;
        }
        let fresh = period.max(LIMITS.0).mul_f64(FRESH_PERIODS);
        Ok(Self { pages: states, scrapes, fresh, notes: Vec::new() })
    }

    /// What has arrived since the last call, as the mean over all GPUs that were read lately.
    pub(crate) fn poll(&mut self) -> Polled {
        let mut is_new = false;
        while let Ok((index, scrape)) = self.scrapes.try_recv() {
            is_new |= scrape.is_ok();
            self.take(index, scrape);
        }
        // A first reading of some machines would be followed by one of all.
        if self.pages.iter().any(|page| page.read.is_none() && page.problem.is_none()) {
            return Polled::Nothing;
        }
        self.note_freshness();
        let counted = self.pages.iter().filter(|page| !page.is_left_out).flat_map(|page| &page.gpus);
        let occupancies: Vec<[f64; 2]> = counted.map(|gpu| gpu.occupancies).collect();
        if occupancies.is_empty() {
            return Polled::Unreadable;
        }
        if !is_new {
            return Polled::Nothing;
        }
        let mean = |which: usize| {
            occupancies.iter().map(|occupancies| occupancies[which]).sum::<f64>() / occupancies.len() as f64
        };
        Polled::Mean([mean(0), mean(1)])
    }

    /// What the user should know, each once: pages and GPUs that are gone or back.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Takes the result of a scrape.
    fn take(&mut self, index: usize, scrape: Result<Vec<GpuReading>, String>) {
        let page = &mut self.pages[index];
        let gpus = match scrape {
            Ok(gpus) => gpus,
            Err(why) => {
                page.problem = Some(why);
                return;
            }
        };
        let present: BTreeSet<&str> = gpus.iter().map(|gpu| gpu.name.as_str()).collect();
        for gpu in &page.gpus {
            if !present.contains(gpu.name.as_str()) {
                self.notes.push(format!(
                    "{}: GPU {} is no longer reported; the mean is that of the others",
                    page.name, gpu.name
                ));
                page.vanished.insert(gpu.name.clone());
            }
        }
        for gpu in &gpus {
            if page.vanished.remove(&gpu.name) {
                self.notes.push(format!("{}: GPU {} is reported again", page.name, gpu.name));
            }
        }
        page.gpus = gpus;
        page.read = Some(Instant::now());
        page.problem = None;
    }

    /// Notes pages that are no longer read, or again.
    fn note_freshness(&mut self) {
        let fresh = self.fresh;
        for page in &mut self.pages {
            let is_fresh = page.read.is_some_and(|read| read.elapsed() <= fresh);
            if !is_fresh && !page.is_left_out {
                let why = page.problem.as_deref().unwrap_or("no answer");
                self.notes.push(format!("{} is left out: {why}", page.name));
            } else if is_fresh && page.is_left_out {
                self.notes.push(format!("{} is read again", page.name));
            }
            page.is_left_out = !is_fresh;
        }
    }
}

/// Reads a page once in each period, until the poller is gone.
fn follow(index: usize, page: &Page, period: Duration, sender: &Sender<Scrape>) {
    let limit = period.clamp(LIMITS.0, LIMITS.1);
    loop {
        let begun = Instant::now();
        if sender.send((index, page.read(limit))).is_err() {
            return;
        }
        thread::sleep(period.saturating_sub(begun.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use crossover_needs::{http_server, wait_for};

    use super::*;

    const PERIOD: Duration = Duration::from_millis(20);

    /// The metrics of a GPU.
    fn gpu(index: u32, gb_per_s: f64, percent: f64) -> String {
        let labels = format!("{{gpu=\"{index}\"}}");
        let bytes = gb_per_s * 1e9;
        format!("DCGM_FI_DEV_GPU_UTIL{labels} {percent}\nDCGM_FI_PROF_PCIE_RX_BYTES{labels} {bytes}\n")
    }

    fn server(answer: impl Fn(usize, &str) -> String + Send + 'static) -> Url {
        Url::parse(&http_server(answer)).expect("an address")
    }

    /// An exporter with a bus of 10 GB/s.
    fn exporter(answer: impl Fn(usize) -> String + Send + 'static) -> Page {
        Page::Exporter(server(move |count, _| answer(count)), 10.0)
    }

    /// The next mean, and all notes until then.
    fn mean(poller: &mut Poller) -> ([f64; 2], Vec<String>) {
        let mut notes = Vec::new();
        let mean = wait_for("a reading", || {
            let polled = poller.poll();
            notes.extend(poller.notes());
            match polled {
                Polled::Mean(mean) => Some(mean),
                Polled::Nothing | Polled::Unreadable => None,
            }
        });
        (mean, notes)
    }

    #[test]
    fn a_reading_is_the_mean_over_the_gpus_of_all_machines() {
        let pages = vec![exporter(|_| gpu(0, 2.0, 50.0) + &gpu(1, 4.0, 100.0)), exporter(|_| gpu(0, 6.0, 0.0))];
        let mut poller = Poller::start(pages, PERIOD).expect("threads");
        for _ in 0..2 {
            let ([pcie, load], notes) = mean(&mut poller);
            assert!((pcie - 0.4).abs() < 1e-9 && (load - 0.5).abs() < 1e-9, "{pcie} {load}");
            assert_eq!(notes, [""; 0]);
        }
    }

    #[test]
    fn both_queries_of_prometheus_are_one_reading() {
        let sample = |value: &str| format!("{{\"metric\":{{}},\"value\":[0,\"{value}\"]}}");
        let answer = move |_, request: &str| {
            let result = match request {
                "GET /api/v1/query?query=load HTTP/1.1" => sample("0.25"),
                "GET /api/v1/query?query=pcie%2F2 HTTP/1.1" => sample("0.5") + "," + &sample("1"),
                other => panic!("{other}"),
            };
            format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{result}]}}}}")
        };
        let page = Page::Prometheus(server(answer), ["pcie/2", "load"].map(str::to_owned));
        let mut poller = Poller::start(vec![page], PERIOD).expect("threads");
        assert_eq!(mean(&mut poller), ([0.75, 0.25], Vec::new()));
    }

    #[test]
    fn machines_that_never_answer_or_send_no_metrics_are_left_out_and_named() {
        // The system takes the connections of this one, the program never does.
        let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/metrics", silent.local_addr().expect("an address"));
        let pages = vec![
            exporter(|_| gpu(0, 5.0, 40.0)),
            Page::Exporter(Url::parse(&url).expect("an address"), 10.0),
            exporter(|_| "<html><title>Sign in</title></html>".to_owned()),
        ];
        let mut poller = Poller::start(pages, PERIOD).expect("threads");
        let (mean, notes) = mean(&mut poller);
        assert_eq!(mean, [0.5, 0.4]);
        let [silent, html] = &notes[..] else { panic!("{notes:?}") };
        assert!(silent.ends_with("is left out: no answer within 1 s"), "{silent}");
        assert!(html.contains("is left out: expected metrics, received “<html>"), "{html}");
    }

    #[test]
    fn a_gpu_that_vanishes_is_named_and_the_others_count() {
        let both = || gpu(0, 2.0, 20.0) + &gpu(1, 8.0, 80.0);
        let answer = move |count: usize| if (1..3).contains(&count) { gpu(0, 2.0, 20.0) } else { both() };
        let mut poller = Poller::start(vec![exporter(answer)], PERIOD).expect("threads");
        let mut notes = Vec::new();
        let mut means = Vec::new();
        wait_for("the GPU to come back", || {
            if let Polled::Mean(mean) = poller.poll() {
                means.push(mean);
            }
            notes.extend(poller.notes());
            (notes.len() == 2).then_some(())
        });
        assert!(notes[0].ends_with(": GPU 1 is no longer reported; the mean is that of the others"), "{notes:?}");
        assert!(notes[1].ends_with(": GPU 1 is reported again"), "{notes:?}");
        assert_eq!(means.last(), Some(&[0.5, 0.5]), "{means:?}");
    }

    #[test]
    fn without_any_machine_there_is_no_reading() {
        let mut poller = Poller::start(vec![exporter(|_| String::new())], PERIOD).expect("threads");
        wait_for("the answer", || (poller.poll() == Polled::Unreadable).then_some(()));
        let notes = poller.notes();
        assert!(notes[0].ends_with("is left out: the answer is empty"), "{notes:?}");
    }
}

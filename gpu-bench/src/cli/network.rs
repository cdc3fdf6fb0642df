//! `gpu-bench network`: measures the network to another machine, on which `gpu-bench network listen` runs.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;
use std::{env, fs};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, Subcommand};
use crossover_files::read;
use crossover_harness::tool::{NOT_OPTIMISED, Tool};
use crossover_measured::network::NetworkReport;
use crossover_network::secured::{self, TlsFiles};
use crossover_network::{Listening, NetworkPlan, file, measure, perftest, serve, summary};

use super::{message, print};

/// Where the listener takes connections by default: of this machine only.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7_411);
/// Exit code of wrong usage.
const USAGE: u8 = 2;
/// Largest output of perftest.
const LARGEST_OUTPUT: u64 = 16_000_000;
/// Times of a measurement that are useful, seconds.
const SECONDS: std::ops::RangeInclusive<f64> = 0.2..=600.0;
/// The program of perftest that measures RDMA.
const PERFTEST: &str = "ib_write_bw";

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Start “gpu-bench network listen --address ADDRESS:PORT --token-file FILE” on the other machine first, \
                  with a port that its firewall lets through.\n\nRound trips of small messages come first, then data with one \
                  connection and with several, in both directions. “crossover calibrate --from FILE --network NAME” enters \
                  the speed into a placement scenario."
)]
pub struct Options {
    #[command(subcommand)]
    side: Option<Side>,
    /// Machine on which “gpu-bench network listen” runs
    #[arg(value_name = "HOST:PORT", required = true)]
    peer: Option<String>,
    /// Parallel connections, in addition to a measurement with one
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=64))]
    streams: u32,
    /// Time for each direction and number of connections
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
    /// File with the token of the listener
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// CA certificate of the listener, or its own certificate (PEM); encrypts control messages with TLS
    #[arg(long, value_name = "PEM")]
    tls_ca: Option<PathBuf>,
    /// Also writes the report to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The other side of a measurement.
#[derive(Debug, Subcommand)]
enum Side {
    /// Listens for a measurement by another machine, and ends after it
    Listen(ListenOptions),
    /// Makes a report of RDMA throughput from outputs of `ib_write_bw` (perftest) on this machine
    Rdma(RdmaOptions),
}

#[derive(Debug, Args)]
struct RdmaOptions {
    /// Outputs of `ib_write_bw --report_gbits HOST`, of three runs or more
    #[arg(value_name = "OUTPUT", required = true)]
    outputs: Vec<PathBuf>,
    /// Name of the other machine
    #[arg(long, value_name = "HOST")]
    to: String,
    /// Also writes the report to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct ListenOptions {
    /// Address and port of this machine; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = LISTEN)]
    address: SocketAddr,
    /// File with the token that the other machine must have; needed where others can reach the address
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// TLS certificate for control messages (PEM); required with a token. Measurement data is not encrypted
    #[arg(long, value_name = "PEM", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Unencrypted private key of the certificate (PEM)
    #[arg(long, value_name = "PEM", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// Listens until Ctrl-C, one measurement after the other
    #[arg(long)]
    keep: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok().filter(|seconds: &f64| SECONDS.contains(seconds));
    seconds.ok_or_else(|| format!("expected a number of seconds from {} to {}", SECONDS.start(), SECONDS.end()))
}

/// Measures, or listens.
pub(super) fn network(options: &Options) -> Result<ExitCode> {
    match (&options.side, &options.peer) {
        (Some(Side::Listen(options)), _) => listen(options),
        (Some(Side::Rdma(options)), _) => perftest_report(options),
        (None, Some(peer)) => run(peer, options),
        (None, None) => bail!("name the other machine as HOST:PORT"),
    }
}

fn listen(options: &ListenOptions) -> Result<ExitCode> {
    let files = options.tls_certificate.clone().zip(options.tls_key.clone());
    let files = files.map(|(certificate, key)| TlsFiles { certificate, key, client_ca: None });
    if !options.address.ip().is_loopback() && (options.token_file.is_none() || files.is_none()) {
        message(format!(
            "--address {}: an address that others can reach needs a token (--token-file) and TLS (--tls-certificate, \
             --tls-key)",
            options.address
        ));
        return Ok(ExitCode::from(USAGE));
    }
    let token = options.token_file.as_deref().map(secured::token).transpose()?;
    let tls = files.as_ref().map(TlsFiles::open).transpose()?;
    let listener =
        TcpListener::bind(options.address).with_context(|| format!("cannot listen on {}", options.address))?;
    let address = listener.local_addr().context("no address")?;
    let until = if options.keep { "until Ctrl-C" } else { "for one measurement" };
    message(format!("listening on {address} {until}"));
    let listening = Listening { token, tls, is_kept: options.keep, ..Listening::default() };
    serve(&listener, &listening, |line| message(line)).context("cannot listen")?;
    Ok(ExitCode::SUCCESS)
}

fn run(peer: &str, options: &Options) -> Result<ExitCode> {
    if !Tool::here().optimised {
        message(format!("warning: {NOT_OPTIMISED}"));
    }
    let plan = NetworkPlan {
        streams: options.streams,
        seconds: options.seconds,
        warm_up_seconds: (options.seconds / 3.0).min(1.0),
        slice_seconds: (options.seconds / 10.0).min(0.2),
        token: options.token_file.as_deref().map(secured::token).transpose()?,
        tls: options.tls_ca.as_deref().map(secured::client).transpose()?,
        ..NetworkPlan::default()
    };
    let report = measure(peer, &plan, &mut |step: &str| message(format!("measuring {step}")))?;
    finish(&report, options.json.as_deref(), rdma(peer, env::var_os("PATH").as_deref()))
}

fn perftest_report(options: &RdmaOptions) -> Result<ExitCode> {
    let mut runs = Vec::new();
    let mut newest = SystemTime::UNIX_EPOCH;
    for path in &options.outputs {
        let text = read::text(path, LARGEST_OUTPUT).with_context(|| format!("cannot read {}", path.display()))?;
        runs.extend(perftest::runs(&text).map_err(|problem| anyhow!("{}: {problem}", path.display()))?);
        let written = fs::metadata(path).and_then(|metadata| metadata.modified());
        newest = newest.max(written.with_context(|| format!("{} has no time", path.display()))?);
    }
    let report = perftest::report(&runs, &options.to, newest).map_err(|problem| anyhow!("{problem}"))?;
    finish(&report, options.json.as_deref(), None)
}

/// Writes a report to a file, if one is named, and prints it.
fn finish(report: &NetworkReport, json: Option<&Path>, note: Option<String>) -> Result<ExitCode> {
    let written = json.map_or(Ok(()), |path| file::write(path, report));
    let mut text_report = summary::text_report(report);
    text_report.notes(note);
    print(text_report.terminal())?;
    match written {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => {
            message(error.to_string());
            Ok(ExitCode::FAILURE)
        }
    }
}

/// How RDMA is measured, where its programs are installed: TCP does not use it.
fn rdma(peer: &str, path: Option<&std::ffi::OsStr>) -> Option<String> {
    let installed = env::split_paths(path?).any(|folder| folder.join(PERFTEST).is_file());
    let host = peer.rsplit_once(':').map_or(peer, |(host, _)| host);
    installed.then(|| {
        format!(
            "this is TCP. For RDMA start “{PERFTEST} --report_gbits” there and “{PERFTEST} --report_gbits {host}” here, three \
             times or more. Then run “gpu-bench network rdma OUTPUT… --to {host}” with its outputs"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rdma_is_explained_where_perftest_is_installed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = Some(folder.path().as_os_str());
        assert_eq!(rdma("node2:7411", path), None);
        fs::write(folder.path().join(PERFTEST), "").expect("written");
        let note = rdma("node2:7411", path).expect("installed");
        assert!(note.contains("“ib_write_bw --report_gbits node2” here"), "{note}");
        assert_eq!(rdma("node2:7411", None), None);
    }

    #[test]
    fn times_that_measure_nothing_or_never_end_are_rejected() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        for text in ["0", "-1", "NaN", "inf", "601", "soon"] {
            assert_eq!(seconds(text), Err("expected a number of seconds from 0.2 to 600".to_owned()), "{text}");
        }
    }
}

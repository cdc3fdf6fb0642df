//! The scheduler extender of Kubernetes, as a command.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Error, Result};
use clap::{CommandFactory as _, Parser};
use crossover_allocation::{LiveSetting, Policy};
use crossover_files::atomic;
use crossover_network::secured::{self, TlsFiles};
use crossover_page::terminal::{keep_apart, message, wrong_usage};

use super::import::policy;
use crate::serving::annotations::AnnotationStyle;
use crate::serving::api_server::ApiServer;
use crate::serving::cluster::Source;
use crate::serving::configuration::Configuration;
use crate::serving::extender::{Extender, ExtenderOptions};
use crate::serving::http::{self, Access, Answering};
use crate::serving::journal::Journal;
use crate::serving::scheduler::Scheduler;

/// Where requests are taken by default.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8_888);
/// The resource that pods request which are sent by default.
const GPU: &str = "nvidia.com/gpu";

/// Schedules the pods of a Kubernetes cluster by a policy, as an extender of kube-scheduler; a dry run without --apply
///
/// kube-scheduler sends each pod with its nodes over HTTP. The extender answers which nodes the pod fits and which one
/// the policy chooses. It binds the pod there; annotations name its GPUs and its share of them. Each decision is a line
/// of JSON. For a latency-sensitive pod that fits no node, it names the pods to evict; this needs --nodes or --refresh.
/// Without --apply the extender refuses each request to bind; its answer says what it would have done. Pods of this
/// kube-scheduler then stay pending, and none is evicted.
#[derive(Debug, Parser)]
#[command(name = "serve")]
pub(super) struct ServeOptions {
    /// Scheduling policy
    #[arg(long, value_parser = policy, default_value = "FGD")]
    policy: Policy,
    /// Address and port for requests of kube-scheduler
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = LISTEN)]
    listen: SocketAddr,
    /// Output of `kubectl get nodes,pods -A -o json`; it is read again when it changes
    ///
    /// Without --nodes and --refresh, the extender knows only nodes that kube-scheduler sends in full (nodeCacheCapable: false), and
    /// only pods of its requests. It then does not learn that a pod ended, and does not release its GPUs.
    #[arg(long, value_name = "JSON", conflicts_with = "refresh")]
    nodes: Option<PathBuf>,
    /// Reads nodes and pods with kubectl, at intervals of this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    refresh: Option<u64>,
    /// Binds pods through `kubectl proxy`, with your permissions
    #[arg(long)]
    apply: bool,
    /// File to which decisions are appended as JSON lines; without it, they are printed
    #[arg(long, value_name = "JSONL")]
    log: Option<PathBuf>,
    /// Keys of the annotations that name the GPUs of a bound pod
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = AnnotationStyle::Crossover)]
    annotations: AnnotationStyle,
    /// Logs with each decision the nodes that all other policies would choose
    #[arg(long)]
    compare: bool,
    /// Seed of the order of nodes that the policy ranks equally, and of random choices
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// File with the token that requests must have (Authorization: Bearer)
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// TLS certificate chain (PEM): the certificate, then those of its CAs
    #[arg(long, value_name = "PEM", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// Unencrypted private key of the certificate (PEM)
    #[arg(long, value_name = "PEM", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// CA certificates (PEM); each client then needs a certificate from one of these CAs
    #[arg(long, value_name = "PEM", requires = "tls_certificate")]
    tls_client_ca: Option<PathBuf>,
    /// Writes the configuration of a second kube-scheduler that calls this extender, and exits
    #[arg(long, value_name = "YAML")]
    write_config: Option<PathBuf>,
    /// Address by which that kube-scheduler reaches the extender, if it is not that of --listen
    #[arg(long, value_name = "URL", requires = "write_config")]
    url: Option<String>,
    /// Only pods that request this resource are sent; may be repeated
    #[arg(long, value_name = "NAME", requires = "write_config", default_value = GPU)]
    managed_resource: Vec<String>,
    /// Also sends pods that request this resource, which no node offers and kube-scheduler ignores (ignoredByScheduler), such as
    /// nvidia.com/gpumem of `HAMi`; may be repeated
    #[arg(long, value_name = "NAME", requires = "write_config")]
    ignored_resource: Vec<String>,
    /// Sends all pods; needed for pods that request a GPU share only by annotation, without a managed resource
    #[arg(long, requires = "write_config", conflicts_with = "ignored_resource")]
    all_pods: bool,
}

pub(super) fn serve(options: &ServeOptions) -> Result<()> {
    if let Some(file) = &options.write_config {
        return write_configuration(options, file);
    }
    for (file, input) in options.log.iter().zip(&options.nodes) {
        keep_apart(file, &[input.as_path()])?;
    }
    let access = access(options)?;
    if options.apply && cfg!(not(unix)) {
        return Err(wrong("--apply needs Linux or macOS, as it sends bindings over a Unix socket").into());
    }
    let source = match (&options.nodes, options.refresh) {
        (Some(file), _) => Source::File(file.clone()),
        (None, Some(seconds)) => Source::Kubectl(Duration::from_secs(seconds)),
        (None, None) => {
            message(
                "note: without --nodes or --refresh, the GPUs of pods that end are not released, and no pod is evicted",
            );
            Source::Requests
        }
    };
    let scheduler = Scheduler::new(LiveSetting { policy: options.policy, seed: options.seed });
    let journal = Journal::open(options.log.as_deref())?;
    let api_server = options.apply.then(ApiServer::start).transpose().map_err(Error::msg)?;
    let extender_options =
        ExtenderOptions { compares: options.compare, knows_ends: source.pause().is_some(), style: options.annotations };
    let extender = Arc::new(Extender::new(scheduler, journal, api_server, extender_options));
    // A first list that cannot be read is an error; later ones are tried again.
    let first = source.read(None)?;
    let mut last = None;
    if let Some((snapshot, at)) = first {
        extender.load(snapshot, at);
        last = Some(at);
    }
    if let Some(pause) = source.pause() {
        let extender = Arc::clone(&extender);
        let watch = move || follow(&source, pause, last, &extender);
        thread::Builder::new().name("cluster".to_owned()).spawn(watch).context("cannot start a thread")?;
    }
    let listener = TcpListener::bind(options.listen).with_context(|| format!("cannot listen on {}", options.listen))?;
    let address = listener.local_addr().context("no address")?;
    let how = if options.apply { "pods are bound" } else { "a dry run: no pod is bound" };
    let scheme = if access.tls.is_some() { "https" } else { "http" };
    message(format!("listening on {scheme}://{address}, policy {}; {how}. Ctrl-C ends it", options.policy.label()));
    let answering: Arc<Answering> = Arc::new(move |request: &http::Request| extender.answer(request));
    http::serve(&listener, &access, &answering);
    Ok(())
}

/// Takes nodes and pods again as they change, until the process ends. The state from before stays while they cannot be read.
fn follow(source: &Source, pause: Duration, mut last: Option<SystemTime>, extender: &Extender) {
    let mut said = String::new();
    loop {
        thread::sleep(pause);
        match source.read(last) {
            Ok(None) => {}
            Ok(Some((snapshot, at))) => {
                extender.load(snapshot, at);
                last = Some(at);
                if !said.is_empty() {
                    message("nodes and pods are read again");
                    said.clear();
                }
            }
            Err(error) => {
                let text = format!("{error:#}");
                if said != text {
                    message(format!("{text}; nodes and pods are kept as they were"));
                    said = text;
                }
            }
        }
    }
}

/// A wrong use of the command.
fn wrong(problem: &str) -> clap::Error {
    wrong_usage(ServeOptions::command().name("allocate serve"), problem)
}

/// Who is let in. An address that others can reach needs TLS, and a token or certificates of clients: kube-scheduler has a
/// certificate, but sends no token.
fn access(options: &ServeOptions) -> Result<Access> {
    let knows_clients = options.token_file.is_some() || options.tls_client_ca.is_some();
    let is_protected = options.tls_certificate.is_some() && knows_clients;
    if !options.listen.ip().is_loopback() && !is_protected {
        let problem = format!(
            "--listen {}: an address that others can reach needs TLS (--tls-certificate, --tls-key), and a token (--token-file) \
             or client certificates (--tls-client-ca)",
            options.listen
        );
        return Err(wrong(&problem).into());
    }
    let files = options.tls_certificate.clone().zip(options.tls_key.clone());
    let files = files.map(|(certificate, key)| TlsFiles { certificate, key, client_ca: options.tls_client_ca.clone() });
    Ok(Access {
        token: options.token_file.as_deref().map(secured::token).transpose()?.map(Arc::from),
        tls: files.as_ref().map(TlsFiles::open).transpose()?,
    })
}

fn write_configuration(options: &ServeOptions, file: &Path) -> Result<()> {
    if options.url.is_none() && options.listen.port() == 0 {
        return Err(wrong("--listen: kube-scheduler needs a fixed port").into());
    }
    if options.url.is_none() && options.listen.ip().is_unspecified() {
        return Err(wrong("--listen covers all addresses; name the one that kube-scheduler uses with --url").into());
    }
    let is_name = |name: &String| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/".contains(c);
        !name.is_empty() && name.chars().all(is_plain)
    };
    if let Some(bad) = options.managed_resource.iter().chain(&options.ignored_resource).find(|name| !is_name(name)) {
        return Err(wrong(&format!("“{bad}” is not the name of a resource, such as {GPU}")).into());
    }
    let scheme = if options.tls_certificate.is_some() { "https" } else { "http" };
    let url = options.url.clone().unwrap_or_else(|| format!("{scheme}://{}", options.listen));
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Err(wrong(&format!("--url is “{url}”; expected http:// or https://")).into());
    }
    let managed: &[String] = if options.all_pods { &[] } else { options.managed_resource.as_slice() };
    let needs_certificate = options.tls_client_ca.is_some();
    let text = Configuration { url: &url, needs_certificate, managed, ignored: &options.ignored_resource }.text();
    atomic::write(file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))?;
    message(format!("{}: written", file.display()));
    Ok(())
}

//! An API server on a Unix socket, and a program that stands for kubectl: its `proxy` leads to this server.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

use serde_json::{Value, json};

/// What kubectl proxy answers while the API server is down.
pub(crate) const DOWN: &str = "dial tcp 127.0.0.1:6443: connect: connection refused";

/// A binding as it was posted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Posted {
    pub(crate) path: String,
    pub(crate) binding: Value,
}

/// What comes of a binding.
pub(crate) enum Reply {
    /// The pod is bound.
    Bound,
    /// It is refused with a status and a message.
    Refused(u16, &'static str),
    /// The API server is down.
    Down,
    /// Half an answer comes, then the connection is closed.
    Half,
    /// The proxy is killed before it answers.
    ProxyEnds,
}

type Replying = Box<dyn Fn(&Posted) -> Reply + Send + Sync>;

/// A server; it listens until the process ends.
pub(crate) struct ApiServer(Arc<Shared>);

/// What connections share.
struct Shared {
    folder: PathBuf,
    reply: RwLock<Replying>,
    posted: Mutex<Vec<Posted>>,
    connections: AtomicUsize,
}

impl ApiServer {
    /// Starts it, and writes the stand-in for kubectl. `kubectl get` prints `dump.json`, or fails with the text of a file `error`.
    pub(crate) fn start(folder: &Path, reply: impl Fn(&Posted) -> Reply + Send + Sync + 'static) -> Self {
        let listener = UnixListener::bind(folder.join("server")).expect("a socket");
        let kept = folder.to_str().expect("text");
        let script = format!(
            "#!/bin/sh\n\
             if [ \"$1\" = get ]; then\n\
             if [ -f '{kept}/error' ]; then cat '{kept}/error' >&2; exit 1; fi\n\
             exec cat '{kept}/dump.json'\n\
             fi\n\
             echo \"$*\" >> '{kept}/starts'\n\
             while [ \"$1\" != --unix-socket ]; do shift; done\n\
             ln -s '{kept}/server' \"$2\"\n\
             echo \"$$ $2\" > '{kept}/proxy'\n\
             trap \"echo ended > '{kept}/ended'; exit\" TERM\n\
             echo \"Starting to serve on $2\"\n\
             sleep 100000 > /dev/null 2>&1 &\n\
             wait\n"
        );
        let program = folder.join("kubectl");
        fs::write(&program, script).expect("written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            reply: RwLock::new(Box::new(reply)),
            posted: Mutex::default(),
            connections: AtomicUsize::new(0),
        });
        let server = Self(Arc::clone(&shared));
        let accept = move || {
            for stream in listener.incoming().map_while(Result::ok) {
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let shared = Arc::clone(&shared);
                // A client that has gone needs no answer.
                let converse = move || drop(shared.converse(stream));
                thread::Builder::new().name("connection".to_owned()).spawn(converse).expect("a thread");
            }
        };
        thread::Builder::new().name("API server".to_owned()).spawn(accept).expect("a thread");
        server
    }

    /// From now on it answers so.
    pub(crate) fn answer_with(&self, reply: impl Fn(&Posted) -> Reply + Send + Sync + 'static) {
        *self.0.reply.write().expect("no panic") = Box::new(reply);
    }

    /// `PATH` with the stand-in for kubectl.
    pub(crate) fn path(&self) -> OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.0.folder.clone()).chain(std::env::split_paths(&path));
        std::env::join_paths(folders).expect("paths")
    }

    /// What was posted so far.
    pub(crate) fn posted(&self) -> Vec<Posted> {
        self.0.posted.lock().expect("no panic").clone()
    }

    /// How many connections were opened.
    pub(crate) fn connections(&self) -> usize {
        self.0.connections.load(Ordering::Relaxed)
    }

    /// The arguments of each start of the proxy.
    pub(crate) fn starts(&self) -> Vec<String> {
        let text = fs::read_to_string(self.0.folder.join("starts")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The socket of the proxy.
    pub(crate) fn socket(&self) -> PathBuf {
        self.0.proxy().1
    }
}

impl Shared {
    /// Process and socket of the proxy.
    fn proxy(&self) -> (String, PathBuf) {
        let text = fs::read_to_string(self.folder.join("proxy")).expect("a proxy");
        let (process, socket) = text.trim_end().split_once(' ').expect("both");
        (process.to_owned(), socket.into())
    }

    /// Ends the proxy, and with it its socket.
    fn end_proxy(&self) {
        let (process, socket) = self.proxy();
        let kill = format!("kill -9 {process}");
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("it starts").success());
        fs::remove_file(socket).expect("a socket");
    }

    fn converse(&self, stream: UnixStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream);
        while let Some(posted) = received(&mut reader)? {
            let reply = (self.reply.read().expect("no panic"))(&posted);
            self.posted.lock().expect("no panic").push(posted);
            let (status, body) = match reply {
                Reply::Bound => (201, json!({ "kind": "Status", "status": "Success", "code": 201 }).to_string()),
                Reply::Refused(status, message) => {
                    let body = json!({ "kind": "Status", "status": "Failure", "message": message, "code": status });
                    (status, body.to_string())
                }
                Reply::Down => (500, format!("{DOWN}\n")),
                Reply::Half => {
                    let half = b"HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{\"kind\":";
                    return reader.get_mut().write_all(half);
                }
                Reply::ProxyEnds => {
                    self.end_proxy();
                    return Ok(());
                }
            };
            let head = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n\r\n", body.len());
            reader.get_mut().write_all((head + &body).as_bytes())?;
        }
        Ok(())
    }
}

/// The next request; none at the end of the connection.
fn received(reader: &mut BufReader<UnixStream>) -> io::Result<Option<Posted>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.strip_prefix("POST ").and_then(|rest| rest.strip_suffix(" HTTP/1.1\r\n")).expect("a request");
    let path = path.to_owned();
    let mut length = 0;
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().expect("a number");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Posted { path, binding: serde_json::from_slice(&body).expect("JSON") }))
}

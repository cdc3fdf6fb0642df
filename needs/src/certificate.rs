//! Certificates for tests of TLS, made anew for each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::not_run;

/// Not that of an authority, so that it may be a server's, and without a purpose, so that it may be a client's.
const SETTINGS: &str = "[req]\nprompt = no\ndistinguished_name = name\nx509_extensions = extensions\n[name]\nCN = localhost\n\
    [extensions]\nbasicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:localhost, IP:127.0.0.1\n";

/// A certificate that signed itself, of `localhost` and 127.0.0.1, and its key: NAME.pem and NAME.key in a folder, for a day. It
/// is made by the program `openssl`; a machine without it gives none.
///
/// # Panics
/// The program fails, or the folder cannot be written.
#[must_use]
pub fn certificate(folder: &Path, name: &str) -> Option<[PathBuf; 2]> {
    let [settings, certificate, key] =
        ["cnf", "pem", "key"].map(|extension| folder.join(format!("{name}.{extension}")));
    fs::write(&settings, SETTINGS).expect("the folder can be written");
    let mut command = Command::new("openssl");
    command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]);
    command.arg("-config").arg(&settings).arg("-out").arg(&certificate).arg("-keyout").arg(&key);
    let Ok(output) = command.stdin(Stdio::null()).output() else {
        not_run("no program openssl, which makes certificates");
        return None;
    };
    assert!(output.status.success(), "openssl: {}", String::from_utf8_lossy(&output.stderr));
    Some([certificate, key])
}

//! The same against a server of S3 that others made, which checks signatures and rights: `moto`, a package of Python.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crossover_needs::{not_run, wait_until};
use serde_json::Value;

use super::super::logs::fleet;
use super::{of_folder, read, refused, texts};

/// Environment variable: a Python in which `moto[server,s3]` and `boto3` are installed.
const PYTHON: &str = "CROSSOVER_MOTO_PYTHON";
/// Calls of [`SETUP`], before rights are checked.
const CALLS: &str = "6";
/// Makes a bucket, a user who may use it and one who may not, and uploads a folder with the rights of the first.
const SETUP: &str = r#"
import boto3, json, os, sys
endpoint, folder = sys.argv[1:]
def client(name, **keys):
    keys = keys or {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
    return boto3.client(name, endpoint_url=endpoint, region_name="us-east-1", **keys)
iam, keys = client("iam"), {}
for user in ("reader", "nobody"):
    iam.create_user(UserName=user)
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*",
          "Resource": ["arn:aws:s3:::logs", "arn:aws:s3:::logs/*"]}]}
iam.put_user_policy(UserName="reader", PolicyName="p", PolicyDocument=json.dumps(policy))
for user in ("reader", "nobody"):
    key = iam.create_access_key(UserName=user)["AccessKey"]
    keys[user] = [key["AccessKeyId"], key["SecretAccessKey"]]
client("s3").create_bucket(Bucket="logs")
reader = client("s3", aws_access_key_id=keys["reader"][0], aws_secret_access_key=keys["reader"][1])
for path, _, names in os.walk(folder):
    for name in names:
        file = os.path.join(path, name)
        reader.upload_file(file, "logs", "spark/" + os.path.relpath(file, folder))
print(json.dumps(keys))
"#;

/// A server on this machine; it ends with its value.
struct Moto {
    server: Child,
    address: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have ended by itself.
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

/// A Python with moto.
fn python() -> Option<PathBuf> {
    let python = std::env::var_os(PYTHON).map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    // Those before refuse signatures of their own client.
    let modules = "import boto3, moto, moto.server; \
                   assert tuple(map(int, moto.__version__.split('.')[:3])) >= (5, 2, 5)";
    let tried = Command::new(&python).args(["-c", modules]).stderr(Stdio::null()).status();
    if tried.is_ok_and(|status| status.success()) {
        return Some(python);
    }
    not_run(&format!(
        "no Python with moto 5.2.5 or later: pip install 'moto[server,s3]>=5.2.5' boto3, and name that Python in {PYTHON}"
    ));
    None
}

fn start(python: &PathBuf) -> Moto {
    let port = TcpListener::bind("127.0.0.1:0")
        .expect("as the test made it")
        .local_addr()
        .expect("as the test made it")
        .port();
    let main = "import sys; from moto.server import main; main(sys.argv[1:])";
    let server = Command::new(python)
        .args(["-c", main, "-H", "127.0.0.1", "-p", &port.to_string()])
        .env("INITIAL_NO_AUTH_ACTION_COUNT", CALLS)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("as the test made it");
    let moto = Moto { server, address: format!("http://127.0.0.1:{port}") };
    wait_until("moto to start", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    moto
}

#[test]
fn a_server_that_checks_signatures_and_rights_answers_as_a_folder_or_refuses() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("as the test made it");
    fleet(folder.path());
    fs::write(folder.path().join("day-0/é & space+1"), "no log\n".repeat(200)).expect("as the test made it");
    let moto = start(&python);
    let setup = Command::new(&python)
        .args(["-c", SETUP, &moto.address])
        .arg(folder.path())
        .output()
        .expect("as the test made it");
    assert!(setup.status.success(), "{}", String::from_utf8_lossy(&setup.stderr));
    let keys: Value = serde_json::from_slice(&setup.stdout).expect("as the test made it");
    let variables = |user: &str| {
        [
            ("AWS_ENDPOINT_URL", moto.address.clone()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", keys[user][0].as_str().expect("as the test made it").to_owned()),
            ("AWS_SECRET_ACCESS_KEY", keys[user][1].as_str().expect("as the test made it").to_owned()),
        ]
    };
    let read_as = |variables: [(&str, String); 4], out: &std::path::Path| {
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        read(&variables, &["s3://logs/spark"], out).read
    };
    let refused_as = |variables: [(&str, String); 4]| {
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        let out = tempfile::tempdir().expect("as the test made it");
        refused(&variables, &["s3://logs/spark"], out.path())
    };
    let out = tempfile::tempdir().expect("as the test made it");
    assert_eq!(read_as(variables("reader"), out.path()), 13);
    assert_eq!(texts(out.path()), of_folder(folder.path(), "s3://logs/spark"));
    assert_eq!(read_as(variables("reader"), out.path()), 0);
    let reason = refused_as(variables("nobody"));
    assert!(reason.contains("listing bucket logs was refused (403 AccessDenied)"), "{reason}");
    let mut wrong = variables("reader");
    wrong[3].1 = "wrong".to_owned();
    let reason = refused_as(wrong);
    assert!(reason.contains("403 SignatureDoesNotMatch") && reason.contains("check AWS_ACCESS_KEY_ID"), "{reason}");
}

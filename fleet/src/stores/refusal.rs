//! Error responses of buckets: their meaning, and what to do.

use super::address::Vendor;
use super::network::{Failure, Kind, chain, one_line};

/// The operation of a request to a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// List the objects.
    List,
    /// Read an object.
    Read,
}

/// The failure of a request. `bucket` is the bucket's name.
pub(super) fn failure(vendor: Vendor, bucket: &str, operation: Operation, error: &object_store::Error) -> Failure {
    let text = chain(error);
    let status = status(&text);
    let answer = code(&text).map(str::to_owned);
    let doing = match operation {
        Operation::List => format!("listing bucket {bucket}"),
        Operation::Read => format!("reading from bucket {bucket}"),
    };
    let given = match (status, &answer) {
        (Some(status), Some(code)) => format!("{status} {}", one_line(code)),
        (Some(status), None) => status.to_string(),
        _ => one_line(&text),
    };
    match status {
        Some(401 | 403) => {
            let todo = if is_key_unknown(answer.as_deref()) {
                keys(vendor).to_owned()
            } else {
                rights(vendor, bucket, operation)
            };
            Failure::new(Kind::Refused, format!("{doing} was refused ({given}): {todo}"))
        }
        Some(404) if answer.as_deref().is_none_or(|code| !code.contains("Key") && !code.contains("Blob")) => {
            let todo = format!("check the name, {}", location(vendor));
            let why = match operation {
                Operation::List => format!("there is no bucket {bucket}"),
                Operation::Read => "there is no such object".into(),
            };
            Failure::new(Kind::Missing, format!("{why} ({given}); {todo}"))
        }
        Some(404) => Failure::new(Kind::Missing, "the object no longer exists"),
        Some(412) => Failure::lasting("the object changed while it was read; run the same command again"),
        Some(408 | 429 | 500..) => Failure::passing(format!("{doing} failed ({given})")),
        Some(_) => Failure::lasting(format!("{doing} failed ({given}); check {}", location(vendor))),
        None if text.contains("redirect") => Failure::lasting(format!(
            "{doing} failed: the bucket is in another region or account; check {}",
            location(vendor)
        )),
        None if is_about_credentials(&text) => {
            Failure::lasting(format!("{doing} failed without a key ({given}): {}", keys(vendor)))
        }
        None if matches!(error, object_store::Error::Generic { .. }) => {
            Failure::passing(format!("{doing} failed ({given})"))
        }
        None => Failure::lasting(format!("{doing} failed ({given})")),
    }
}

/// The number after `status code: ` in the client's error.
fn status(text: &str) -> Option<u16> {
    let (_, after) = text.split_once("status code: ")?;
    after.get(..3)?.parse().ok()
}

/// `<Code>…</Code>` of the server's response.
fn code(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("<Code>")?;
    let (code, _) = after.split_once("</Code>")?;
    (!code.is_empty() && code.len() < 100).then_some(code)
}

/// Whether the server rejected the key itself.
fn is_key_unknown(code: Option<&str>) -> bool {
    let known = ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "AuthenticationFailed"];
    code.is_some_and(|code| known.contains(&code))
}

/// Whether the client could not get a key, rather than the bucket.
fn is_about_credentials(text: &str) -> bool {
    ["169.254.169.254", "metadata.google.internal", "redential", "oauth", "latest/api/token"]
        .iter()
        .any(|part| text.contains(part))
}

/// Variables for a key.
fn keys(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::S3 => {
            "check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; AWS_SKIP_SIGNATURE=true reads public \
             buckets without a key"
        }
        Vendor::Google => {
            "check GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT; GOOGLE_SKIP_SIGNATURE=true reads public \
             buckets without a key"
        }
        Vendor::Azure => {
            "check AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_KEY or AZURE_CLIENT_ID, \
             AZURE_CLIENT_SECRET and AZURE_TENANT_ID"
        }
    }
}

/// The right that the key lacks.
fn rights(vendor: Vendor, bucket: &str, operation: Operation) -> String {
    let right = match (vendor, operation) {
        (Vendor::S3, Operation::List) => "s3:ListBucket",
        (Vendor::S3, Operation::Read) => "s3:GetObject",
        (Vendor::Google, Operation::List) => "storage.objects.list",
        (Vendor::Google, Operation::Read) => "storage.objects.get",
        (Vendor::Azure, _) => "Storage Blob Data Reader",
    };
    format!("ask its owner to grant your key the right {right} on {bucket}, or {}", keys(vendor))
}

/// Variables for the location of a bucket.
fn location(vendor: Vendor) -> &'static str {
    match vendor {
        Vendor::S3 => "AWS_REGION and AWS_ENDPOINT_URL",
        Vendor::Google => "GOOGLE_BASE_URL",
        Vendor::Azure => "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ENDPOINT",
    }
}

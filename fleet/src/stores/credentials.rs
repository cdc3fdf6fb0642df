//! Opens buckets with keys from the environment variables of their vendors' tools.

use std::sync::Arc;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::list::PaginatedListStore;
use object_store::{ClientConfigKey, ObjectStore, RetryConfig};

use super::address::Vendor;
use super::network::{Failure, chain, one_line};

/// Environment variables by name.
pub type Variables = Vec<(String, String)>;

/// Client of a bucket.
pub(super) trait Objects: ObjectStore + PaginatedListStore {}

impl<T: ObjectStore + PaginatedListStore> Objects for T {}

/// Prefix of the variables of each vendor.
const PREFIXES: [(Vendor, &str); 3] = [(Vendor::S3, "AWS_"), (Vendor::Google, "GOOGLE_"), (Vendor::Azure, "AZURE_")];
/// Longest time for one request; the reader has its own timeout for silence.
const REQUEST: &str = "7days";

/// Opens a bucket.
///
/// # Errors
/// A variable is invalid or missing.
pub(super) fn open(vendor: Vendor, bucket: &str, variables: &Variables) -> Result<Arc<dyn Objects>, Failure> {
    let name = name(bucket);
    let is_of = |variable: &str| PREFIXES.iter().any(|(of, start)| *of == vendor && variable.starts_with(start));
    if let Some((variable, value)) =
        variables.iter().find(|(variable, value)| is_of(variable) && !is_header(value.trim()))
    {
        return Err(Failure::lasting(no_header(variable, value.trim())));
    }
    // The reader retries itself, and counts.
    let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    let opened: object_store::Result<Arc<dyn Objects>> = match vendor {
        Vendor::S3 => {
            let mut builder = AmazonS3Builder::new();
            for (key, value) in of(variables, PREFIXES[0].1) {
                if let Ok(key) = key.parse::<AmazonS3ConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            let endpoint = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
            if endpoint.iter().filter_map(|key| builder.get_config_value(key)).any(|url| is_plain(&url)) {
                builder = builder.with_allow_http(true);
            }
            let timeout = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
            let builder = builder.with_config(timeout, REQUEST).with_retry(retry).with_bucket_name(name);
            builder.build().map(|store| Arc::new(store) as Arc<dyn Objects>)
        }
        Vendor::Google => {
            let mut builder = GoogleCloudStorageBuilder::new();
            if let Some((_, path)) = variables.iter().find(|(key, _)| key == "SERVICE_ACCOUNT") {
                builder = builder.with_service_account_path(path);
            }
            for (key, value) in of(variables, PREFIXES[1].1) {
                if let Ok(key) = key.parse::<GoogleConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            if builder.get_config_value(&GoogleConfigKey::BaseUrl).is_some_and(|url| is_plain(&url)) {
                builder = builder.with_config(GoogleConfigKey::Client(ClientConfigKey::AllowHttp), "true");
            }
            let timeout = GoogleConfigKey::Client(ClientConfigKey::Timeout);
            let builder = builder.with_config(timeout, REQUEST).with_retry(retry).with_bucket_name(name);
            builder.build().map(|store| Arc::new(store) as Arc<dyn Objects>)
        }
        Vendor::Azure => {
            let mut builder = MicrosoftAzureBuilder::new();
            for (key, value) in of(variables, PREFIXES[2].1) {
                if let Ok(key) = key.parse::<AzureConfigKey>() {
                    builder = builder.with_config(key, value);
                }
            }
            if let Some((_, url)) = variables.iter().find(|(key, _)| key == "IDENTITY_ENDPOINT") {
                builder = builder.with_msi_endpoint(url);
            }
            if builder.get_config_value(&AzureConfigKey::Endpoint).is_some_and(|url| is_plain(&url)) {
                builder = builder.with_allow_http(true);
            }
            let timeout = AzureConfigKey::Client(ClientConfigKey::Timeout);
            let builder = builder.with_config(timeout, REQUEST).with_retry(retry).with_url(bucket);
            builder.build().map(|store| Arc::new(store) as Arc<dyn Objects>)
        }
    };
    opened.map_err(|error| Failure::lasting(format!("bucket {name} cannot be opened: {}", one_line(&chain(&error)))))
}

/// Whether a value can be sent in a header.
fn is_header(value: &str) -> bool {
    value.bytes().all(is_sent)
}

/// RFC 9110, 5.5: visible characters, spaces and tabs; bytes above ASCII are data.
fn is_sent(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

/// Why a variable cannot be sent in a header, without its value, which may be a secret.
pub(super) fn no_header(variable: &str, value: &str) -> String {
    let place = value.bytes().position(|byte| !is_sent(byte)).map_or(0, |place| value[..place].chars().count());
    format!(
        "the environment variable {variable} has a control character, such as the end of a line, after {place} characters, which \
         a header cannot have; set it to the value only (the value is not shown here)"
    )
}

/// The bucket's own name.
pub(super) fn name(bucket: &str) -> &str {
    bucket.split_once("://").map_or(bucket, |(_, name)| name)
}

/// Variables with this prefix, their names in lower case. A secret from a file often has a line end.
fn of<'a>(variables: &'a Variables, start: &'a str) -> impl Iterator<Item = (String, &'a str)> {
    let known = move |(key, _): &&(String, String)| key.starts_with(start);
    variables.iter().filter(known).map(|(key, value)| (key.to_ascii_lowercase(), value.trim()))
}

/// Whether the user chose an endpoint without encryption.
fn is_plain(url: &str) -> bool {
    url.starts_with("http://")
}

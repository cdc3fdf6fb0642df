//! Parses paths: a local folder, a part of a bucket, or a History Server.

use std::path::Path;

use url::Url;

/// The vendor of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Vendor {
    /// S3 and compatible stores.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage and Data Lake.
    Azure,
}

/// The address in a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address<'a> {
    /// A local file or folder.
    Local,
    /// Objects of a bucket.
    Objects {
        vendor: Vendor,
        /// Scheme and bucket as the path has them, without a slash at the end.
        bucket: &'a str,
        /// The name of an object or the beginning of names, without a slash at its beginning.
        key: &'a str,
    },
    /// A History Server, or applications of one.
    History {
        /// The server's base address, without a slash at the end.
        server: &'a str,
        /// `history`, application, attempt: as many of them as the path has.
        parts: Vec<&'a str>,
    },
}

/// Schemes of buckets.
const BUCKETS: [(&str, Vendor); 10] = [
    ("s3", Vendor::S3),
    ("s3a", Vendor::S3),
    ("s3n", Vendor::S3),
    ("gs", Vendor::Google),
    ("gcs", Vendor::Google),
    ("az", Vendor::Azure),
    ("azure", Vendor::Azure),
    ("adl", Vendor::Azure),
    ("abfs", Vendor::Azure),
    ("abfss", Vendor::Azure),
];
/// Parts of signed addresses.
const SIGNED: [&str; 4] = ["?sig=", "&sig=", "?X-Amz-", "&X-Amz-"];
/// Environment variable: value of the header `Authorization` for History Servers.
pub(super) const AUTHORIZATION: &str = "CROSSOVER_HISTORY_AUTHORIZATION";
/// Path of the application pages on a History Server.
pub(super) const PAGES: &str = "history";

impl<'a> Address<'a> {
    /// Parses a path.
    ///
    /// # Errors
    /// The scheme is not supported, or the address is incomplete. The message does not repeat the path, which may have a
    /// password.
    pub(super) fn of(path: &'a Path) -> Result<Self, String> {
        let Some((scheme, rest)) = path.to_str().and_then(scheme) else { return Ok(Self::Local) };
        let whole = path.to_str().unwrap_or_default();
        if let Some((_, vendor)) = BUCKETS.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known)) {
            let name = rest.split('/').next().unwrap_or_default();
            if name.is_empty() {
                return Err(format!("the address has no bucket; expected {scheme}://BUCKET/PREFIX"));
            }
            // An Azure account follows one “@”.
            let signs = usize::from(*vendor == Vendor::Azure);
            if name.contains(':') || name.matches('@').count() > signs || SIGNED.iter().any(|sign| rest.contains(sign))
            {
                return Err(format!(
                    "a key in an address would be written to the tables; remove it, and export the variables of \
                     docs/FLEET.md instead; expected {scheme}://BUCKET/PREFIX"
                ));
            }
            let (bucket, key) = whole.split_at(whole.len() - rest.len() + name.len());
            return Ok(Self::Objects { vendor: *vendor, bucket, key: key.trim_matches('/') });
        }
        if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") {
            return history(whole, rest);
        }
        Err(format!(
            "{scheme}:// is not supported; expected a local file or folder, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, \
             az://CONTAINER/PREFIX, abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PREFIX, or http://HOST:18080 of a \
             Spark History Server"
        ))
    }
}

fn history<'a>(whole: &'a str, rest: &'a str) -> Result<Address<'a>, String> {
    let expected = "expected http://HOST:PORT of a Spark History Server, or …/history/APPLICATION of one";
    let url = Url::parse(whole).map_err(|error| format!("not a valid address ({error}); {expected}"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "a name or password in an address would be written to the tables; set {AUTHORIZATION} to the value of the header \
             instead, such as \"Bearer …\""
        ));
    }
    let start = whole.len() - rest.len();
    // The last one: a server may lie below a path of that name.
    let (server, parts) = match rest.rmatch_indices('/').find(|(at, _)| {
        let after = &rest[at + 1..];
        after == PAGES || after.starts_with("history/")
    }) {
        Some((at, _)) => (&whole[..start + at], rest[at + 1..].split('/').filter(|part| !part.is_empty()).collect()),
        None => (whole.trim_end_matches('/'), Vec::new()),
    };
    if server.contains(['?', '#']) {
        return Err(format!("an address with ? or # is not supported; {expected}"));
    }
    if parts.len() > 3 {
        return Err(format!("this is a page of an application; {expected}"));
    }
    Ok(Address::History { server: server.trim_end_matches('/'), parts })
}

/// Scheme and rest of `scheme://rest`.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    is_scheme.then_some((scheme, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects<'a>(vendor: Vendor, bucket: &'a str, key: &'a str) -> Address<'a> {
        Address::Objects { vendor, bucket, key }
    }

    #[test]
    fn paths_are_folders_buckets_or_servers() {
        let of = |path: &'static str| Address::of(Path::new(path));
        for local in ["/var/log", "logs", "C:\\logs", "./s3:/logs", "a b://c", "://", "s3:/logs"] {
            assert_eq!(of(local), Ok(Address::Local), "{local}");
        }
        assert_eq!(of("s3://logs"), Ok(objects(Vendor::S3, "s3://logs", "")));
        assert_eq!(of("s3a://logs/"), Ok(objects(Vendor::S3, "s3a://logs", "")));
        assert_eq!(of("gs://logs/a/b c/"), Ok(objects(Vendor::Google, "gs://logs", "a/b c")));
        let lake = "abfss://logs@org.dfs.core.windows.net";
        assert_eq!(of("abfss://logs@org.dfs.core.windows.net/x"), Ok(objects(Vendor::Azure, lake, "x")));
        let server = |server, parts| Ok(Address::History { server, parts });
        assert_eq!(of("http://host:18080/"), server("http://host:18080", vec![]));
        assert_eq!(of("http://host:18080/history/app-1/2/"), server("http://host:18080", vec![PAGES, "app-1", "2"]));
        let gateway = "https://gate/gateway/default/sparkhistory";
        assert_eq!(of("https://gate/gateway/default/sparkhistory/history"), server(gateway, vec![PAGES]));
        let below = "https://gate/history";
        assert_eq!(of("https://gate/history/history/"), server(below, vec![PAGES]));
        assert_eq!(of("https://gate/history/history/app-1/2"), server(below, vec![PAGES, "app-1", "2"]));
        assert_eq!(of("https://gate/history"), server("https://gate", vec![PAGES]));
        assert_eq!(of("http://history/history/app-1"), server("http://history", vec![PAGES, "app-1"]));
    }

    #[test]
    fn what_is_no_whole_address_is_refused_without_repeating_secrets() {
        for (path, expected) in [
            ("s3:///logs", "no bucket"),
            ("hdfs://name/logs", "hdfs:// is not supported"),
            ("s3n://AKIAX:secret@logs/events", "export the variables"),
            ("s3://secret@logs", "export the variables"),
            ("az://logs/x?sv=2024&sig=secret", "export the variables"),
            ("abfss://me:secret@org.dfs.core.windows.net/x", "export the variables"),
            ("s3://logs/x?X-Amz-Signature=secret", "export the variables"),
            ("http://", "not a valid address"),
            ("http://me:secret@host:18080", "CROSSOVER_HISTORY_AUTHORIZATION"),
            ("http://host/history?key=secret", "with ? or #"),
            ("http://host/history/app/1/jobs", "a page of an application"),
        ] {
            let problem = Address::of(Path::new(path)).unwrap_err();
            assert!(problem.contains(expected) && !problem.contains("secret"), "{path}: {problem}");
        }
    }
}

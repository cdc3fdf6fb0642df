//! Buckets as S3, Google Cloud Storage and Azure show them: lists in pages, ranges, entity tags.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::loopback::{Answer, Request};

/// When all objects were written.
const DATE: &str = "2026-01-02T03:04:05.000Z";
const HTTP_DATE: &str = "Fri, 02 Jan 2026 03:04:05 GMT";

/// The objects of a bucket, by name.
pub(super) type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// All files of a folder, as objects below `prefix`.
pub(super) fn upload(folder: &Path, prefix: &str) -> Objects {
    let (mut objects, mut waiting) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).expect("as the test made it") {
            let path = entry.expect("as the test made it").path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("as the test made it").to_str().expect("as the test made it");
            objects.insert(format!("{prefix}{name}"), fs::read(&path).expect("as the test made it"));
        }
    }
    Arc::new(Mutex::new(objects))
}

/// What a bucket answers.
pub(super) fn answer(bucket: &str, objects: &Objects, request: &Request) -> Answer {
    let objects = objects.lock().expect("no panic");
    let Some(rest) = request.path.strip_prefix(&format!("/{bucket}")) else {
        return Answer::new(404, "<Error><Code>NoSuchBucket</Code></Error>");
    };
    let key = rest.trim_start_matches('/');
    if key.is_empty() && request.query.contains_key("comp") {
        return azure_list(&objects, request);
    }
    if key.is_empty() {
        return list(&objects, request);
    }
    let Some(content) = objects.get(key) else {
        return Answer::new(404, "<Error><Code>NoSuchKey</Code></Error>");
    };
    let tag = tag(content);
    if request.headers.get("if-match").is_some_and(|wanted| *wanted != tag) {
        return Answer::new(412, "<Error><Code>PreconditionFailed</Code></Error>");
    }
    let range = request.headers.get("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-'));
    let answer = match range {
        Some(from) => {
            let from: usize = from.parse().expect("a number");
            let range = format!("bytes {from}-{}/{}", content.len() - 1, content.len());
            Answer::new(206, &content[from..]).header("Content-Range", range)
        }
        None => Answer::new(200, content.clone()),
    };
    answer.header("ETag", tag).header("Last-Modified", HTTP_DATE)
}

/// Tells contents apart.
fn tag(content: &[u8]) -> String {
    let sum = content.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    format!("\"{sum:x}\"")
}

/// A page of names after the last one.
fn page<'a>(
    objects: &'a BTreeMap<String, Vec<u8>>,
    request: &Request,
    after: Option<&'a String>,
    most: &str,
) -> (Vec<(&'a String, &'a Vec<u8>)>, Option<String>) {
    let prefix = request.query.get("prefix").cloned().unwrap_or_default();
    let most = request.query.get(most).map_or(1000, |most| most.parse().expect("a number"));
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    let mut found = objects.range::<String, _>((from, Bound::Unbounded)).filter(|(key, _)| key.starts_with(&prefix));
    let page: Vec<_> = found.by_ref().take(most).collect();
    let next = found.next().and_then(|_| page.last().map(|(key, _)| (*key).clone()));
    (page, next)
}

fn list(objects: &BTreeMap<String, Vec<u8>>, request: &Request) -> Answer {
    let after = request.query.get("continuation-token").or(request.query.get("start-after"));
    let (page, next) = page(objects, request, after, "max-keys");
    let mut text = "<ListBucketResult>".to_owned();
    for (key, content) in page {
        text.push_str(&format!(
            "<Contents><Key>{}</Key><LastModified>{DATE}</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>",
            escaped(key),
            escaped(&tag(content)),
            content.len()
        ));
    }
    if let Some(next) = next {
        text.push_str(&format!("<NextContinuationToken>{}</NextContinuationToken>", escaped(&next)));
    }
    Answer::new(200, text + "</ListBucketResult>")
}

fn azure_list(objects: &BTreeMap<String, Vec<u8>>, request: &Request) -> Answer {
    let (page, next) = page(objects, request, request.query.get("marker"), "maxresults");
    let mut text = "<EnumerationResults><Blobs>".to_owned();
    for (key, content) in page {
        text.push_str(&format!(
            "<Blob><Name>{}</Name><Properties><Last-Modified>{HTTP_DATE}</Last-Modified><Etag>{}</Etag>\
             <Content-Length>{}</Content-Length><Content-Type>x</Content-Type></Properties></Blob>",
            escaped(key),
            escaped(&tag(content)),
            content.len()
        ));
    }
    text.push_str(&format!(
        "</Blobs><NextMarker>{}</NextMarker></EnumerationResults>",
        escaped(&next.unwrap_or_default())
    ));
    Answer::new(200, text)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

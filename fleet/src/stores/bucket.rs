//! The objects of one bucket: S3, Google Cloud Storage or Azure.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crossover_plan::store::{Entry, Sort};
use futures_util::StreamExt as _;
use object_store::list::PaginatedListOptions;
use object_store::path::{self, Path as Key};
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt as _};

use super::address::Vendor;
use super::body::{Body, Resumed};
use super::credentials::{self, Objects, Variables, name};
use super::listing::{Listing, Object};
use super::network::{Connection, Failure, Kind};
use super::refusal::{self, Operation};

/// Most objects that are listed below one path.
const MOST_OBJECTS: usize = 2_000_000;
/// Most invalid names below one path.
const MOST_INVALID: usize = 1000;
/// Objects of a page, decreasing, to isolate an invalid name.
const SMALLER: [usize; 3] = [125, 15, 1];

/// One bucket.
pub(super) struct Bucket {
    vendor: Vendor,
    /// Scheme and name, without a slash at the end.
    address: String,
    objects: Arc<dyn Objects>,
    connection: Arc<Connection>,
    /// Listings by the key of the folder.
    listed: Mutex<BTreeMap<String, Arc<Listing>>>,
}

impl Bucket {
    /// Opens a bucket without a request.
    ///
    /// # Errors
    /// A variable is invalid or missing.
    pub(super) fn open(
        vendor: Vendor,
        address: &str,
        variables: &Variables,
        connection: Connection,
    ) -> Result<Self, Failure> {
        let objects = credentials::open(vendor, address, variables)?;
        let listed = Mutex::default();
        Ok(Self { vendor, address: address.to_owned(), objects, connection: Arc::new(connection), listed })
    }

    /// The entry of a key: an object, or a folder if there are names below it, which are listed anew.
    ///
    /// # Errors
    /// There is no such key, or access is denied.
    pub(super) fn entry(&self, path: &Path, key: &str) -> Result<Entry, Failure> {
        let head = if key.is_empty() || path.to_str().is_some_and(|path| path.ends_with('/')) {
            Err(Failure::new(Kind::Missing, "there is no such object"))
        } else {
            self.head(key)
        };
        // An object of no bytes may be the marker of a folder.
        if let Ok(meta) = &head
            && meta.size > 0
        {
            return Ok(file(path.to_owned(), meta));
        }
        if let Err(failure) = &head
            && !matches!(failure.kind, Kind::Missing | Kind::Refused)
        {
            return Err(failure.clone());
        }
        let listing = self.list_below(key)?;
        let is_empty = listing.is_empty();
        self.listed.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), Arc::new(listing));
        match head {
            Ok(meta) if is_empty => Ok(file(path.to_owned(), &meta)),
            Err(failure) if is_empty && failure.kind == Kind::Refused => Err(failure),
            Err(_) if is_empty && !key.is_empty() => {
                let why = "the bucket has no object with this name or prefix";
                Err(Failure::new(Kind::Missing, why))
            }
            _ => {
                let (sort, path) = (Sort::Folder, path.to_owned());
                Ok(Entry { path, sort, is_link: false, bytes: None, modified_ns: 0, tag: None })
            }
        }
    }

    /// The entries of a folder.
    ///
    /// # Errors
    /// It cannot be listed.
    pub(super) fn list(&self, folder: &Path, key: &str) -> Result<Vec<Entry>, Failure> {
        let text = folder.to_str().unwrap_or_default().trim_end_matches('/');
        let known = |listed: &BTreeMap<String, Arc<Listing>>| {
            let holds = |prefix: &str| {
                prefix.is_empty()
                    || key.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let (prefix, listing) = listed.iter().find(|(prefix, _)| holds(prefix))?;
            Some((prefix == key, Arc::clone(listing)))
        };
        let before = known(&self.listed.lock().unwrap_or_else(PoisonError::into_inner));
        let (is_whole, listing) = match before {
            Some(known) => known,
            None => (true, Arc::new(self.list_below(key)?)),
        };
        let mut entries = listing.entries(text, key);
        if is_whole {
            entries.extend(listing.invalid(&self.address));
        }
        Ok(entries)
    }

    /// The content of an object.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn read(&self, key: &str) -> Result<Resumed, Failure> {
        let location = self.location(key)?;
        let (objects, connection, vendor) = (Arc::clone(&self.objects), Arc::clone(&self.connection), self.vendor);
        let bucket = name(&self.address).to_owned();
        // The object when it was first opened.
        let mut first: Option<ObjectMeta> = None;
        let open = move |at: u64| -> Result<Box<dyn Read + Send>, Failure> {
            let tag = first.as_ref().and_then(|meta| meta.e_tag.clone()).filter(|tag| !tag.starts_with("W/"));
            if first.as_ref().is_some_and(|meta| meta.size == at) {
                return Ok(Box::new(std::io::empty()));
            }
            let options =
                GetOptions { if_match: tag, range: (at > 0).then_some(GetRange::Offset(at)), ..GetOptions::default() };
            let failed = |error: &object_store::Error| refusal::failure(vendor, &bucket, Operation::Read, error);
            let got = connection.wait(objects.get_opts(&location, options))?.map_err(|error| failed(&error))?;
            let meta = first.get_or_insert_with(|| got.meta.clone());
            if (got.meta.size, got.meta.last_modified) != (meta.size, meta.last_modified) {
                return Err(Failure::lasting("the object changed while it was read; run the same command again"));
            }
            let bytes = got.range.end - got.range.start;
            let bucket = bucket.clone();
            let pieces = got
                .into_stream()
                .map(move |piece| piece.map_err(|error| refusal::failure(vendor, &bucket, Operation::Read, &error)));
            Ok(Box::new(Body::new(Arc::clone(&connection), pieces.boxed(), Some(bytes))))
        };
        Resumed::open(Arc::clone(&self.connection), Box::new(open))
    }

    fn head(&self, key: &str) -> Result<ObjectMeta, Failure> {
        let location = self.location(key)?;
        self.connection.retry(|| {
            let head = self.connection.wait(self.objects.head(&location))?;
            head.map_err(|error| refusal::failure(self.vendor, name(&self.address), Operation::Read, &error))
        })
    }

    fn location(&self, key: &str) -> Result<Key, Failure> {
        let why = "its name has an empty part, `.`, `..` or a control character, which cannot be requested";
        Key::parse(key).map_err(|_| Failure::lasting(format!("{why} in bucket {}", name(&self.address))))
    }

    /// All objects below a key, page by page.
    fn list_below(&self, key: &str) -> Result<Listing, Failure> {
        let prefix = (!key.is_empty()).then(|| format!("{key}/"));
        let (mut objects, mut invalid) = (Vec::new(), Vec::new());
        let mut options = PaginatedListOptions::default();
        let mut smaller = SMALLER.iter();
        loop {
            let page = self.connection.retry(|| {
                let page = self.objects.list_paginated(prefix.as_deref(), options.clone());
                match self.connection.wait(page)? {
                    Ok(page) => Ok(Ok(page)),
                    Err(object_store::Error::InvalidPath { source }) => Ok(Err(bad_name(&source))),
                    Err(error) => Err(refusal::failure(self.vendor, name(&self.address), Operation::List, &error)),
                }
            })?;
            match page {
                Ok(page) => {
                    objects.extend(page.result.objects.into_iter().map(object));
                    if objects.len() > MOST_OBJECTS {
                        let why = format!("more than {MOST_OBJECTS} objects; name its subfolders as separate paths");
                        return Err(Failure::lasting(why));
                    }
                    // A server that reports more must not return the same page again.
                    let has_more = page.page_token.is_some() && page.page_token != options.page_token;
                    if !has_more {
                        return Ok(Listing::new(objects, invalid));
                    }
                    options.page_token = page.page_token;
                }
                // An invalid name fails its whole page, so it is isolated in a page of its own and skipped.
                Err(bad) => match (smaller.next(), bad) {
                    (Some(fewer), _) => options.max_keys = Some(*fewer),
                    (None, Some(bad)) if invalid.len() < MOST_INVALID && options.offset.as_ref() != Some(&bad) => {
                        invalid.push(bad.clone());
                        options = PaginatedListOptions { offset: Some(bad), ..PaginatedListOptions::default() };
                        smaller = SMALLER.iter();
                    }
                    (None, _) => {
                        let why = "it has too many names with an empty part, `.`, `..` or control characters";
                        return Err(Failure::lasting(format!("{why}; name its subfolders as separate paths")));
                    }
                },
            }
        }
    }
}

/// The invalid name.
fn bad_name(error: &path::Error) -> Option<String> {
    match error {
        path::Error::EmptySegment { path } | path::Error::BadSegment { path, .. } => Some(path.clone()),
        _ => None,
    }
}

fn object(meta: ObjectMeta) -> Object {
    Object { modified_ns: modified_ns(&meta), key: meta.location.into(), bytes: meta.size, tag: meta.e_tag }
}

fn file(path: PathBuf, meta: &ObjectMeta) -> Entry {
    let (bytes, tag) = (Some(meta.size), meta.e_tag.clone());
    Entry { path, sort: Sort::File, is_link: false, bytes, modified_ns: modified_ns(meta), tag }
}

/// Nanoseconds since 1970; 0 for an invalid date.
fn modified_ns(meta: &ObjectMeta) -> u64 {
    let modified = meta.last_modified.timestamp_nanos_opt();
    modified.and_then(|modified| u64::try_from(modified).ok()).unwrap_or(0)
}

//! A log from a History Server: a ZIP archive of its only file, or of the parts of a rolling log in any order.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, Read, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crossover_plan::spark::Source;
use crossover_plan::store::{Entry, Sort};

use super::archive::Archive;
use super::network::{Failure, one_line};

/// Most bytes of the parts of one rolling log in the temporary file: sixty-four parts of 128 MiB, at which Spark begins the
/// next one (`spark.eventLog.rolling.maxFileSize`).
const MOST_KEPT: u64 = 8 << 30;

/// The log in an archive: its only file as a stream, or the parts of a rolling log in the order of their events, after all
/// of them were received.
///
/// # Errors
/// The connection is lost, the archive is damaged or has no log, or its parts are too large.
pub(super) fn log_of<R>(path: &Path, mut archive: Archive<R>) -> Result<Box<dyn Read + Send>, Failure>
where
    R: BufRead + Send + 'static,
{
    match archive.next().map_err(Failure::of)? {
        None => Err(Failure::lasting("the server's archive has no log")),
        Some(name) if name.ends_with('/') => Ok(Box::new(rolling(path, archive, MOST_KEPT)?)),
        Some(_) => Ok(Box::new(Only { archive })),
    }
}

/// The only file of an archive. Its end is that of the whole archive.
struct Only<R> {
    archive: Archive<R>,
}

impl<R: BufRead> Read for Only<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.archive.read(buffer)?;
        if count == 0 && !buffer.is_empty() && self.archive.next()?.is_some() {
            return Err(Failure::lasting("the server's archive has several logs; name one attempt").into());
        }
        Ok(count)
    }
}

/// The parts of a rolling log, in an unnamed temporary file. Their order is known only at the end of the archive.
struct Parts {
    file: File,
    /// Where each begins, and its length, bytes.
    places: VecDeque<(u64, u64)>,
    /// What is left of the part that is read.
    left: u64,
}

fn rolling(path: &Path, mut archive: Archive<impl BufRead>, most: u64) -> Result<Parts, Failure> {
    let kept = |error: io::Error| {
        let folder = std::env::temp_dir();
        Failure::lasting(format!("cannot store its parts in {} ({error})", folder.display()))
    };
    let mut file = tempfile::tempfile().map_err(kept)?;
    let (mut entries, mut places, mut end) = (Vec::new(), Vec::new(), 0);
    let mut piece = vec![0; 64 * 1024];
    while let Some(name) = archive.next().map_err(Failure::of)? {
        let start = end;
        loop {
            let count = archive.read(&mut piece).map_err(Failure::of)?;
            if count == 0 {
                break;
            }
            end += count as u64;
            if end > most {
                let why = format!(
                    "the parts of this rolling log have more than {} MiB; read it from the server's log folder instead",
                    most >> 20
                );
                return Err(Failure::lasting(why));
            }
            file.write_all(&piece[..count]).map_err(kept)?;
        }
        let Some(name) = name.rsplit('/').next().filter(|name| !name.is_empty()) else { continue };
        let bytes = Some(end - start);
        let (path, sort) = (path.join(name), Sort::File);
        entries.push(Entry { path: path.clone(), sort, is_link: false, bytes, modified_ns: 0, tag: None });
        places.push((path, (start, end - start)));
    }
    let source = Source::of_folder(path, &entries).map_err(|error| Failure::lasting(one_line(&error.to_string())))?;
    let source = source.ok_or_else(|| Failure::lasting("the server's archive has no part of a rolling log"))?;
    let place = |part: &Entry| places.iter().find(|(path, _)| *path == part.path).map(|(_, place)| *place);
    Ok(Parts { file, places: source.parts.iter().filter_map(place).collect(), left: 0 })
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            let Some((start, bytes)) = self.places.pop_front() else { return Ok(0) };
            self.file.seek(SeekFrom::Start(start))?;
            self.left = bytes;
        }
        let count = (&mut self.file).take(self.left).read(buffer)?;
        self.left -= count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// An archive of stored files, as APPNOTE.TXT 4.3 describes one: headers, contents, an empty directory.
    fn archive(files: &[(&str, &[u8])]) -> Archive<Cursor<Vec<u8>>> {
        let mut bytes = Vec::new();
        for (name, content) in files {
            let mut sum = flate2::Crc::new();
            sum.update(content);
            let length = u32::try_from(content.len()).unwrap().to_le_bytes();
            bytes.extend_from_slice(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0");
            bytes.extend_from_slice(&sum.sum().to_le_bytes());
            bytes.extend_from_slice(&length);
            bytes.extend_from_slice(&length);
            bytes.extend_from_slice(&u16::try_from(name.len()).unwrap().to_le_bytes());
            bytes.extend_from_slice(&[0, 0]);
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(content);
        }
        bytes.extend_from_slice(b"PK\x05\x06");
        bytes.extend_from_slice(&[0; 18]);
        Archive::new(Cursor::new(bytes))
    }

    #[test]
    fn a_rolling_log_takes_no_more_of_the_disk_than_it_may() {
        let parts = [("log/events_2_app", &b"second"[..]), ("log/events_1_app", b"first ")];
        let mut log = rolling(Path::new("log"), archive(&parts), 12).unwrap();
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        assert_eq!(text, "first second");
        let refused = rolling(Path::new("log"), archive(&parts), 11).err().unwrap();
        assert!(refused.why.contains("more than 0 MiB"), "{refused}");
    }
}

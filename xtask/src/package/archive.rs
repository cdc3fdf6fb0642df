//! The archive for every system: what is installed, in one folder that can be put anywhere. Written here because the `tar` of
//! Windows and macOS cannot set owners and times, on which the bytes would then depend.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::tree::Tree;
use super::{Release, VERSION, seconds};

/// Writes the archive, whose bytes depend on the files and their time only.
pub(super) fn write(files: &Tree, release: &Release, path: &Path) -> Result<()> {
    let file = fs::File::create(path).with_context(|| format!("{} cannot be made", path.display()))?;
    let top = format!("crossover-{VERSION}-{}", release.target);
    let written = pack(files, &top, seconds(release.time)?, release.compression, BufWriter::new(file));
    written.and_then(|mut file| Ok(file.flush()?)).with_context(|| format!("cannot write {}", path.display()))
}

fn pack<W: Write>(files: &Tree, top: &str, seconds: u64, compression: u32, to: W) -> Result<W> {
    // Without a time and a name of its own in the header of gzip.
    let mut archive = Builder::new(GzBuilder::new().mtime(0).write(to, Compression::new(compression)));
    for (path, file) in files.files() {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.content.len() as u64);
        header.set_mode(file.mode());
        header.set_mtime(seconds);
        // Of nobody: who unpacks it owns it.
        header.set_uid(0);
        header.set_gid(0);
        archive.append_data(&mut header, format!("{top}/{path}"), file.content.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn files(order: [&str; 3]) -> Tree {
        let mut files = Tree::default();
        for path in order {
            if path.starts_with("bin/") {
                files.add_program(path, b"a program".to_vec());
            } else {
                files.add(path, path);
            }
        }
        files
    }

    #[test]
    fn an_archive_is_the_same_whenever_it_is_made() {
        let pack = |order| pack(&files(order), "top", 1_700_000_000, 9, Vec::new()).unwrap();
        let first = pack(["bin/program", "share/doc/b", "share/doc/a"]);
        assert_eq!(first, pack(["share/doc/a", "bin/program", "share/doc/b"]));
    }

    #[test]
    fn an_archive_has_one_folder_with_everything() {
        let long = format!("share/{}/file", "a-long-name-".repeat(20));
        let packed = pack(&files(["bin/program", "share/doc/a", &long]), "top", 1_700_000_000, 1, Vec::new()).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
        let mut seen = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let (path, mode) = (entry.path().unwrap().display().to_string(), entry.header().mode().unwrap());
            assert_eq!(entry.header().mtime().unwrap(), 1_700_000_000);
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            seen.push((path, mode, content));
        }
        let expected = [
            ("top/bin/program".to_owned(), 0o755, "a program".to_owned()),
            (format!("top/{long}"), 0o644, long.clone()),
            ("top/share/doc/a".to_owned(), 0o644, "share/doc/a".to_owned()),
        ];
        assert_eq!(seen, expected);
    }
}

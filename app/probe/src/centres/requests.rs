//! Requests of centres for runs: a file with the name of the centre in a folder. What the file contains is not read.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// A centre has asked for runs.
#[derive(Debug)]
pub(super) struct Request {
    path: PathBuf,
    /// When the file was written last.
    written: Option<SystemTime>,
}

impl Request {
    /// The request of a centre; none: it has not asked.
    ///
    /// # Errors
    /// The folder cannot be read, the centre has a name that no file can have, or something else than a file has its name; a
    /// sentence.
    pub(super) fn of(folder: &Path, centre: &str) -> Result<Option<Self>, String> {
        let mut parts = Path::new(centre).components();
        let is_name = match (parts.next(), parts.next()) {
            (Some(Component::Normal(name)), None) => name == OsStr::new(centre),
            _ => false,
        };
        if !is_name {
            return Err("its name cannot be a file name, so no file can request its runs".to_owned());
        }
        fs::metadata(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        let path = folder.join(centre);
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Ok(Some(Self { path, written: metadata.modified().ok() })),
            Ok(_) => Err(format!("{}: expected a file", path.display())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    /// Removes the request after its runs, unless the centre has asked again meanwhile.
    ///
    /// # Errors
    /// It cannot be removed; a sentence.
    pub(super) fn fulfilled(&self) -> Result<(), String> {
        let written = fs::metadata(&self.path).and_then(|metadata| metadata.modified()).ok();
        if written != self.written {
            return Ok(());
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(format!("cannot remove {}: {error}; it requests the runs again", self.path.display()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_request_lasts_until_it_is_fulfilled_and_a_newer_one_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let asked = || Request::of(folder.path(), "north").expect("a folder");
        assert!(asked().is_none());
        let path = folder.path().join("north");
        fs::write(&path, "").expect("written");
        let first = asked().expect("a request");
        let later = SystemTime::now() + Duration::from_mins(1);
        File::options().write(true).open(&path).and_then(|file| file.set_modified(later)).expect("a later time");
        first.fulfilled().expect("nothing to remove");
        let second = asked().expect("the centre has asked again");
        second.fulfilled().expect("removed");
        assert!(asked().is_none());
        second.fulfilled().expect("it is gone already");
    }

    #[test]
    fn no_name_of_a_centre_leads_out_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["", ".", "..", "../north", "/etc/passwd", "a/b", "north/"] {
            assert!(Request::of(folder.path(), name).is_err(), "{name}");
        }
        fs::create_dir(folder.path().join("east")).expect("a folder");
        let problem = Request::of(folder.path(), "east").expect_err("a folder is no request");
        assert!(problem.ends_with("east: expected a file"), "{problem}");
        let problem = Request::of(&folder.path().join("absent"), "north").expect_err("no folder");
        assert!(problem.contains("absent"), "{problem}");
    }
}

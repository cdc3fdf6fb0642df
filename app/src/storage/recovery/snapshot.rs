//! Files of the recovery folder: snapshots of unsaved documents and session locks, and their names.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crossover_files::read::{ReadTextError, bytes_of};
use serde::{Deserialize, Serialize, Serializer};

/// A snapshot holds one scenario as a string; a larger file is not a snapshot.
const LARGEST_BYTES: u64 = 256_000_000;

/// The unsaved state of one document.
///
/// Its file has two parts: a line of RON with the number of bytes of the text, and everything else; then the text as it is. The
/// text of an application has megabytes, and is RON already: within RON each of its quotation marks would be written twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Names the document, also in settings of other documents; any text.
    pub document_id: String,
    /// Title of the document.
    pub name: String,
    /// The file the document was opened from or saved to last. A path that is not UTF-8 is stored as none.
    #[serde(serialize_with = "path_if_utf8")]
    pub path: Option<PathBuf>,
    /// Whether nothing but settings of tools is unsaved: the next start opens it without a question.
    #[serde(default)]
    pub only_settings: bool,
    /// When the snapshot was taken, in seconds since 1970-01-01 UTC.
    pub saved_at_unix_seconds: u64,
    /// The process the document was open in.
    pub process_id: u32,
    /// The document, as it would have been saved.
    #[serde(skip)]
    pub text: String,
}

impl Snapshot {
    /// The content of its file.
    pub(super) fn encoded(&self) -> Result<String, ron::Error> {
        // Without a pretty layout RON writes no line break, also within texts.
        let mut file = ron::to_string(&(self.text.len(), self))?;
        file.reserve(self.text.len() + 1);
        file.push('\n');
        file.push_str(&self.text);
        Ok(file)
    }

    /// Reads the content of its file.
    fn decoded(file: Vec<u8>) -> Result<Self, String> {
        let mut file = String::from_utf8(file).map_err(|cause| cause.utf8_error().to_string())?;
        let end = file.find('\n').ok_or("it has no text")?;
        let (bytes, snapshot): (usize, Self) = ron::from_str(&file[..end]).map_err(|cause| cause.to_string())?;
        let text = file.split_off(end + 1);
        if text.len() != bytes {
            return Err(format!("its text has {} bytes instead of {bytes}", text.len()));
        }
        Ok(Self { text, ..snapshot })
    }
}

/// A file in the recovery folder that belongs to no running process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Orphan {
    /// Unsaved work to offer to the user.
    Document {
        /// Its path.
        file: PathBuf,
        /// Its content.
        snapshot: Snapshot,
    },
    /// A file that is damaged, cannot be read, or is not Crossover's. It is left as it is.
    Unreadable {
        /// Its path.
        file: PathBuf,
        /// What is wrong with it and what the user can do.
        reason: String,
    },
}

impl Orphan {
    /// The file in the recovery folder.
    #[must_use]
    pub fn file(&self) -> &Path {
        match self {
            Self::Document { file, .. } | Self::Unreadable { file, .. } => file,
        }
    }
}

pub(super) const SESSION_PREFIX: &str = "session-";
pub(super) const LOCK_SUFFIX: &str = ".lock";
pub(super) const SNAPSHOT_SUFFIX: &str = ".ron";
/// Follows the name of a snapshot that is set aside.
pub(super) const SET_ASIDE_SUFFIX: &str = ".unreadable";

/// A file in the recovery folder; `kind` is none for one that Crossover did not write.
pub(super) struct Entry {
    pub(super) file: PathBuf,
    pub(super) kind: Option<EntryKind>,
}

pub(super) enum EntryKind {
    Lock { session: String },
    Snapshot { session: String },
}

impl EntryKind {
    pub(super) fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        let is_session = |text: &str| {
            text.strip_prefix(SESSION_PREFIX)
                .is_some_and(|id| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        };
        if let Some(session) = name.strip_suffix(LOCK_SUFFIX) {
            return is_session(session).then(|| Self::Lock { session: session.to_owned() });
        }
        let (session, _document) = name.strip_suffix(SNAPSHOT_SUFFIX)?.split_once('.')?;
        is_session(session).then(|| Self::Snapshot { session: session.to_owned() })
    }

    pub(super) fn into_session(self) -> String {
        match self {
            Self::Lock { session } | Self::Snapshot { session } => session,
        }
    }
}

/// Whether the file is a snapshot that is set aside.
pub(super) fn is_set_aside(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str).and_then(|name| name.strip_suffix(SET_ASIDE_SUFFIX));
    name.is_some_and(|name| matches!(EntryKind::of(Path::new(name)), Some(EntryKind::Snapshot { .. })))
}

/// None if the file has vanished since it was listed.
pub(super) fn read_snapshot(file: PathBuf) -> Option<Orphan> {
    let bytes = match File::open(&file).map_err(ReadTextError::from).and_then(|open| bytes_of(open, LARGEST_BYTES)) {
        Ok(bytes) => bytes,
        Err(ReadTextError::Unreadable(cause)) if cause.kind() == ErrorKind::NotFound => return None,
        Err(ReadTextError::Unreadable(cause)) => {
            let reason = format!("Cannot read the file ({cause}). Allow reading it, and start again.");
            return Some(Orphan::Unreadable { file, reason });
        }
        Err(too_large) => {
            let reason = format!("The file is {too_large}, so it is not a document. It stays unchanged.");
            return Some(Orphan::Unreadable { file, reason });
        }
    };
    Some(match Snapshot::decoded(bytes) {
        Ok(snapshot) => Orphan::Document { file, snapshot },
        Err(cause) => Orphan::Unreadable {
            file,
            reason: format!(
                "The file is damaged, or of another version of Crossover ({cause}). It stays unchanged; open it in a text editor to rescue its content."
            ),
        },
    })
}

/// Different ids get different names, also where file names ignore case; no character can leave the folder.
pub(super) fn file_name_of(document_id: &str) -> String {
    document_id.bytes().fold(String::new(), |mut name, byte| {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => write!(name, "%{byte:02x}").expect("writing to a string cannot fail"),
        }
        name
    })
}

/// Serde refuses paths that are not UTF-8; the text matters more than its path.
#[expect(clippy::ref_option, reason = "serde hands a field to serialize_with as a plain reference")]
fn path_if_utf8<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().and_then(Path::to_str).serialize(serializer)
}

//! How does an exchange get into a file so that nothing torn stays there?
//!
//! Each exchange is one `write` at the end of the file: what a kill of the process can leave behind is a
//! torn tail behind the last mark, which [`recover`](super::recover) cuts.

use super::cdx::{self, IndexEntry};
use super::date::timestamp14;
use super::encode::{DEFAULT_LEVEL, Encoded, encode_warcinfo};
use super::error::ArchiveError;
use lycosa_model::{ArchiveMark, ArchivePlace};
use std::borrow::Cow;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Files of one second and prefix before the writer gives up.
const MAX_SERIAL: u32 = 99_999;
/// Longest prefix in a file name.
const MAX_PREFIX: usize = 64;

/// How files are written and what they say of their maker.
#[derive(Clone, Debug)]
pub struct WriterSettings {
    /// A file that has reached this size is finished and a new one begun.
    pub rotate_bytes: u64,
    /// Name and version of the software, as in `lycosa/0.1.0`.
    pub software: String,
    /// The User-Agent that was sent.
    pub user_agent: String,
    /// Who runs the crawl, as in a contact address; may be empty.
    pub operator: String,
    /// gzip level of the record that opens a file, 0 to 9.
    pub level: u32,
}

impl Default for WriterSettings {
    fn default() -> Self {
        WriterSettings {
            rotate_bytes: 1 << 30,
            software: concat!("lycosa/", env!("CARGO_PKG_VERSION")).into(),
            user_agent: String::new(),
            operator: String::new(),
            level: DEFAULT_LEVEL,
        }
    }
}

impl WriterSettings {
    fn about(&self) -> Vec<(String, String)> {
        let mut about = vec![
            ("software".to_owned(), self.software.clone()),
            ("format".to_owned(), "WARC File Format 1.1".to_owned()),
            (
                "conformsTo".to_owned(),
                "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
                    .to_owned(),
            ),
        ];
        if !self.user_agent.is_empty() {
            about.push(("http-header-user-agent".into(), self.user_agent.clone()));
        }
        if !self.operator.is_empty() {
            about.push(("operator".into(), self.operator.clone()));
        }
        about
    }
}

/// The file that is being written.
struct Open {
    name: String,
    path: PathBuf,
    file: File,
    end: u64,
    /// How far it is acknowledged.
    safe: u64,
    index_path: PathBuf,
    index: File,
    index_end: u64,
}

/// Appends exchanges to the files of one bot. One writer per prefix: two writers never share a file.
pub struct Writer {
    dir: PathBuf,
    prefix: String,
    settings: WriterSettings,
    serial: u32,
    open: Option<Open>,
    /// Files that are finished but whose end nobody has acknowledged yet.
    finished: Vec<Finished>,
}

/// A file that does not grow any more.
struct Finished {
    mark: ArchiveMark,
    safe: u64,
}

impl Writer {
    /// Prepares to write into `dir`, which is made if it is missing. No file is made before the first
    /// append. `prefix` is usually the bot's name; what cannot stand in a file name becomes `_`.
    pub fn open(
        dir: &Path,
        prefix: &str,
        settings: WriterSettings,
    ) -> Result<Writer, ArchiveError> {
        fs::create_dir_all(dir).map_err(ArchiveError::io("create", dir))?;
        Ok(Writer {
            dir: dir.to_owned(),
            prefix: sanitise(prefix),
            settings,
            serial: 0,
            open: None,
            finished: Vec::new(),
        })
    }

    /// Appends one exchange and hands it to the operating system. After an error nothing of the
    /// exchange stands in the archive: the file is cut back to its last good end, or, where even that
    /// fails, left for good, so that what is torn stays behind its mark.
    pub fn append(&mut self, encoded: &Encoded) -> Result<ArchivePlace, ArchiveError> {
        if self.open.as_ref().is_some_and(|open| open.end >= self.settings.rotate_bytes) {
            self.finish()?;
        }
        let (mut open, opening) = match self.open.take() {
            Some(open) => (open, Vec::new()),
            None => self.begin(encoded)?,
        };
        let offset = open.end + opening.len() as u64;
        let entry = IndexEntry { offset, ..encoded.entry.clone() };
        // In one write, so that no record is without what opens its file.
        let bytes = match opening.is_empty() {
            true => Cow::Borrowed(&encoded.bytes),
            false => Cow::Owned([opening, encoded.bytes.clone()].concat()),
        };
        match open.write(&bytes, entry.line(&open.name).as_bytes()) {
            Ok(()) => {
                let place = ArchivePlace {
                    file: open.name.clone(),
                    offset,
                    length: encoded.response_length,
                };
                self.open = Some(open);
                Ok(place)
            }
            Err(error) => {
                if open.cut_back().is_ok() && open.end > 0 {
                    self.open = Some(open);
                } else {
                    self.abandon(open);
                }
                Err(error)
            }
        }
    }

    /// How far the files reach that have grown and are not yet known to be acknowledged. Everything
    /// before these marks is with the operating system: a kill of the process cannot lose it. Whoever
    /// reports a mark must report in the same message every exchange appended before it.
    pub fn marks(&self) -> Vec<ArchiveMark> {
        let open =
            self.open.iter().map(|open| ArchiveMark { file: open.name.clone(), end: open.end });
        let finished = self.finished.iter().map(|finished| finished.mark.clone());
        finished.chain(open).collect()
    }

    /// Tells that these marks are safely stored, so that finished files need not be named again.
    pub fn acknowledged(&mut self, marks: &[ArchiveMark]) {
        for mark in marks {
            if let Some(open) = self.open.as_mut().filter(|open| open.name == mark.file) {
                open.safe = open.safe.max(mark.end);
            }
            for finished in &mut self.finished {
                if finished.mark.file == mark.file {
                    finished.safe = finished.safe.max(mark.end);
                }
            }
        }
        self.finished.retain(|finished| finished.safe < finished.mark.end);
    }

    /// Takes out again what was appended and not acknowledged, as [`recover`](super::recover) does
    /// after a crash: for a bot that failed between the two and starts anew with the same writer.
    /// `stored` is what the broker says of [`marks`](Writer::marks), because a report may have been
    /// stored whose acknowledgement was lost.
    pub fn rewind(&mut self, stored: &[ArchiveMark]) -> Result<(), ArchiveError> {
        self.acknowledged(stored);
        if let Some(open) = self.open.take() {
            self.finished.push(open.into());
        }
        while let Some(finished) = self.finished.last() {
            super::recover::settle(&self.dir, &finished.mark.file, finished.safe)?;
            self.finished.pop();
        }
        Ok(())
    }

    /// Waits until the file is on the disk, so that a loss of power cannot lose it either.
    pub fn sync(&mut self) -> Result<(), ArchiveError> {
        if let Some(open) = &self.open {
            open.file.sync_data().map_err(ArchiveError::io("sync", &open.path))?;
            sync_dir(&self.dir)?;
        }
        Ok(())
    }

    /// Finishes the present file: on the disk, with its CDXJ sorted. The next append begins a new one.
    pub fn finish(&mut self) -> Result<(), ArchiveError> {
        self.sync()?;
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let (name, index_path) = (open.name.clone(), open.index_path.clone());
        self.finished.push(open.into());
        // A CDXJ that cannot be read back is made anew by `recover`.
        match cdx::read(&index_path) {
            Some(entries) => cdx::write_sorted(&index_path, &name, &entries),
            None => Ok(()),
        }
    }

    /// Makes a new file with a name that nobody has; returns it with the bytes of its first record.
    fn begin(&mut self, first: &Encoded) -> Result<(Open, Vec<u8>), ArchiveError> {
        let stamp = timestamp14(first.fetched);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        loop {
            let stem = format!("{}-{stamp}-{:05}", self.prefix, self.serial);
            let name = format!("{stem}.warc.gz");
            let path = self.dir.join(&name);
            self.serial += 1;
            let file = match options.open(&path) {
                Ok(file) => file,
                Err(error)
                    if error.kind() == ErrorKind::AlreadyExists && self.serial <= MAX_SERIAL =>
                {
                    continue;
                }
                Err(error) => return Err(ArchiveError::io("create", &path)(error)),
            };
            let index_path = cdx::path_beside(&path);
            let index = File::create(&index_path).map_err(|error| {
                drop(fs::remove_file(&path));
                ArchiveError::io("create", &index_path)(error)
            })?;
            let opening = encode_warcinfo(
                &name,
                first.fetched,
                info_id(&name, first),
                &self.settings.about(),
                self.settings.level,
            );
            let open = Open { name, path, file, end: 0, safe: 0, index_path, index, index_end: 0 };
            return Ok((open, opening));
        }
    }

    /// Lets go of a file that cannot be written. One that holds nothing is removed.
    fn abandon(&mut self, open: Open) {
        if open.end == 0 {
            drop(fs::remove_file(&open.path));
            drop(fs::remove_file(&open.index_path));
        } else {
            self.finished.push(open.into());
        }
    }
}

impl From<Open> for Finished {
    fn from(open: Open) -> Finished {
        Finished { safe: open.safe, mark: ArchiveMark { file: open.name, end: open.end } }
    }
}

impl Open {
    fn write(&mut self, bytes: &[u8], line: &[u8]) -> Result<(), ArchiveError> {
        self.file.write_all(bytes).map_err(ArchiveError::io("write", &self.path))?;
        self.index.write_all(line).map_err(ArchiveError::io("write", &self.index_path))?;
        self.end += bytes.len() as u64;
        self.index_end += line.len() as u64;
        Ok(())
    }

    fn cut_back(&mut self) -> std::io::Result<()> {
        use std::io::{Seek, SeekFrom};
        for (file, end) in [(&mut self.file, self.end), (&mut self.index, self.index_end)] {
            file.set_len(end)?;
            file.seek(SeekFrom::Start(end))?;
        }
        Ok(())
    }
}

/// Makes new names in a folder durable.
pub(super) fn sync_dir(dir: &Path) -> Result<(), ArchiveError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(ArchiveError::io("sync", dir))
}

/// The id of a warcinfo record: as random as that of the first exchange in its file.
fn info_id(name: &str, first: &Encoded) -> [u8; 16] {
    let bytes = [name.as_bytes(), &first.id].concat();
    let digest = ring::digest::digest(&ring::digest::SHA256, &bytes);
    let mut id = [0; 16];
    id.copy_from_slice(&digest.as_ref()[..16]);
    id
}

fn sanitise(prefix: &str) -> String {
    let clean: String = prefix
        .chars()
        .take(MAX_PREFIX)
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' })
        .collect();
    if clean.is_empty() { "lycosa".into() } else { clean }
}

/// Whether a file name has the form that [`Writer`] gives: `PREFIX-YYYYMMDDhhmmss-NNNNN.warc.gz`.
pub(super) fn is_ours(name: &str) -> bool {
    let digits = |text: &str, n: usize| text.len() == n && text.bytes().all(|b| b.is_ascii_digit());
    let Some(stem) = name.strip_suffix(".warc.gz") else {
        return false;
    };
    let mut parts = stem.rsplitn(3, '-');
    let (serial, stamp, prefix) = (parts.next(), parts.next(), parts.next());
    serial.is_some_and(|text| digits(text, 5))
        && stamp.is_some_and(|text| digits(text, 14))
        && prefix.is_some_and(|text| !text.is_empty())
}

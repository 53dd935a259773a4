//! Where is the log of a run, and what is in it from there on?

use super::FOLDER;
use lycosa_model::Event;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A line is never longer; one that is was not written by us.
const MOST_LINE: usize = 1 << 20;

/// The log of one run. Nothing is held open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    path: PathBuf,
    run: u32,
}

/// Whole lines of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The lines, each with its end.
    pub text: String,
    /// Where the last of them ends: the number of its event.
    pub end: u64,
}

impl Log {
    /// The log of a run in a data folder, whether or not it has begun.
    pub fn of_run(data: &Path, run: u32) -> Log {
        Log { path: data.join(FOLDER).join(format!("{run}.jsonl")), run }
    }

    /// The log of the last run that has one.
    pub fn latest(data: &Path) -> Option<Log> {
        let files = std::fs::read_dir(data.join(FOLDER)).ok()?;
        let runs = files.filter_map(|file| file.ok()?.path().file_stem()?.to_str()?.parse().ok());
        runs.max().map(|run| Log::of_run(data, run))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the run.
    pub fn run(&self) -> u32 {
        self.run
    }

    /// How long it is now; 0 when it has not begun.
    pub fn len(&self) -> u64 {
        std::fs::metadata(&self.path).map_or(0, |about| about.len())
    }

    /// Whether it has not begun.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whole lines from `after` on, of about `most` bytes: at least one, if there is one. `after` is 0 or the end
    /// of a line; any other place counts as the end of the line that it is in.
    pub fn read(&self, after: u64, most: usize) -> io::Result<Chunk> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Chunk { text: String::new(), end: after });
            }
            Err(error) => return Err(error),
        };
        let after = line_end(&mut file, after)?;
        file.seek(SeekFrom::Start(after))?;
        let mut bytes = Vec::with_capacity(most.min(1 << 16));
        file.by_ref().take(most as u64).read_to_end(&mut bytes)?;
        if !bytes.contains(&b'\n') {
            file.take(MOST_LINE as u64).read_to_end(&mut bytes)?;
        }
        bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1));
        let end = after + bytes.len() as u64;
        // The broker writes JSON, which is UTF-8; what is not is not its work.
        Ok(Chunk { text: String::from_utf8_lossy(&bytes).into_owned(), end })
    }

    /// Whole lines at the end of what is there now, of at most `most` bytes.
    pub fn tail(&self, most: u64) -> io::Result<Chunk> {
        let begin = self.len().saturating_sub(most);
        self.read(begin, usize::try_from(most).unwrap_or(usize::MAX))
    }

    /// Shows every event from `after` on to `take`, with its number; tells the number of the last one. A line that
    /// is being written, or that is not ours, is passed over.
    pub fn each(&self, after: u64, mut take: impl FnMut(u64, Event)) -> io::Result<u64> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(after),
            Err(error) => return Err(error),
        };
        let mut end = line_end(&mut file, after)?;
        file.seek(SeekFrom::Start(end))?;
        let mut lines = BufReader::with_capacity(1 << 18, file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = lines.by_ref().take(MOST_LINE as u64).read_until(b'\n', &mut line)?;
            if read == MOST_LINE && line.last() != Some(&b'\n') {
                // Not one of ours: the rest of it is passed over, too.
                end += read as u64;
                continue;
            }
            if read == 0 || line.last() != Some(&b'\n') {
                return Ok(end);
            }
            end += read as u64;
            if let Ok(event) = serde_json::from_slice(&line) {
                take(end, event);
            }
        }
    }
}

/// The end of the line that a place is in.
fn line_end(file: &mut File, place: u64) -> io::Result<u64> {
    let Some(before) = place.checked_sub(1) else { return Ok(0) };
    let length = file.metadata()?.len();
    if place >= length {
        return Ok(length.min(place));
    }
    file.seek(SeekFrom::Start(before))?;
    let mut rest = Vec::new();
    BufReader::new(file).take(MOST_LINE as u64).read_until(b'\n', &mut rest)?;
    Ok(before + rest.len() as u64)
}

//! What was fetched, in which order? One JSON line per attempt.

use lycosa_model::Attempt;
use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An attempt on a page that was put on record.
pub(crate) struct Tried {
    /// Its number in the run, from 1.
    pub(crate) n: u64,
    /// The title of the page; empty when there is none.
    pub(crate) title: String,
    pub(crate) attempt: Attempt,
}

/// A line of the trace. Its fields stand in the order of their declaration.
#[derive(Serialize)]
pub(crate) struct Traced<'a> {
    pub(crate) n: u64,
    /// Seconds since the start.
    pub(crate) t: f64,
    #[serde(flatten)]
    pub(crate) attempt: &'a Attempt,
}

/// The trace file.
pub(crate) struct Trace {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Trace {
    /// Begins the file anew, or goes on behind its last whole line when a crawl is resumed.
    pub(crate) fn open(path: &Path, resume: bool) -> Result<Trace, String> {
        let open = || -> io::Result<File> {
            let mut options = OpenOptions::new();
            let mut file =
                options.create(true).truncate(!resume).read(true).write(true).open(path)?;
            // A pipe or a device has no lines of an earlier run.
            if file.metadata()?.is_file() {
                let end = last_line_end(&mut file)?;
                file.set_len(end)?;
                file.seek(SeekFrom::Start(end))?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| describe(path, &error))?;
        Ok(Trace { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Writes lines; called after what they tell is on record.
    pub(crate) fn write(&mut self, lines: &[impl Serialize]) -> Result<(), String> {
        let mut write = || -> io::Result<()> {
            for line in lines {
                serde_json::to_writer(&mut self.file, line)?;
                self.file.write_all(b"\n")?;
            }
            self.file.flush()
        };
        write().map_err(|error| describe(&self.path, &error))
    }
}

fn describe(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// Where the last whole line ends; a kill may have torn the one behind it.
fn last_line_end(file: &mut File) -> io::Result<u64> {
    const STEP: u64 = 64 * 1024;
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut buffer = Vec::new();
    while end > 0 {
        let begin = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(begin))?;
        buffer.clear();
        Read::by_ref(file).take(end - begin).read_to_end(&mut buffer)?;
        if let Some(newline) = buffer.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + newline as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_last_line_is_cut_when_the_crawl_goes_on() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("trace");
        std::fs::write(&path, "{\"n\":1}\n{\"n\":2").expect("write");
        drop(Trace::open(&path, true).expect("open"));
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\"n\":1}\n");
        drop(Trace::open(&path, false).expect("open"));
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "");
    }

    #[test]
    fn a_trace_that_cannot_be_written_is_named() {
        let error = Trace::open(Path::new("/nowhere/trace"), false).err().expect("error");
        assert!(error.contains("/nowhere/trace"), "{error}");
    }
}

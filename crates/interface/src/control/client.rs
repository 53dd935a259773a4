//! How does `lycosa status` ask the crawl that runs in another process?

use super::ControlError;
use super::socket::SocketPath;
use lycosa_model::message::{InterfaceMessage, InterfaceReply};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long [`ask`] waits for the crawl; longer than the door gives its broker.
const PATIENCE: Duration = Duration::from_secs(15);
/// Longest answer in bytes; a status with some hundred thousand bots fits.
const MAX_REPLY: u64 = 64 * 1024 * 1024;

/// Asks the crawl that works on `dir`, and blocks until it answers. A refusal is an error here.
pub fn ask(dir: &Path, request: &InterfaceMessage) -> Result<InterfaceReply, ControlError> {
    ask_within(dir, request, PATIENCE)
}

/// As [`ask`], with each read and write bounded by `patience`, which must not be zero.
pub fn ask_within(
    dir: &Path,
    request: &InterfaceMessage,
    patience: Duration,
) -> Result<InterfaceReply, ControlError> {
    let stream = connect(dir).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::ConnectionRefused => ControlError::NotRunning,
        _ => ControlError::Io { doing: "open", source: error },
    })?;
    let failed = |doing| move |source| ControlError::Io { doing, source };
    stream.set_read_timeout(Some(patience)).map_err(failed("set up"))?;
    stream.set_write_timeout(Some(patience)).map_err(failed("set up"))?;

    let mut line = serde_json::to_vec(request).map_err(|e| ControlError::Garbled(e.to_string()))?;
    line.push(b'\n');
    match (&stream).write_all(&line) {
        Ok(()) => {}
        Err(error) if left(&error) => return Err(ControlError::NotRunning),
        Err(source) => {
            return Err(ControlError::Io { doing: "write to", source });
        }
    }

    let mut reply = Vec::new();
    match BufReader::new((&stream).take(MAX_REPLY)).read_until(b'\n', &mut reply) {
        Ok(_) => {}
        Err(error) if left(&error) => return Err(ControlError::NotRunning),
        Err(source) => {
            return Err(ControlError::Io { doing: "read", source });
        }
    }
    if !reply.ends_with(b"\n") {
        return Err(match reply.len() as u64 {
            MAX_REPLY => ControlError::Garbled("the answer is too long".into()),
            _ => ControlError::NotRunning,
        });
    }
    match serde_json::from_slice(&reply) {
        Ok(InterfaceReply::Refused { error, hint, .. }) => {
            Err(ControlError::Refused { error, hint })
        }
        Ok(reply) => Ok(reply),
        Err(error) => Err(ControlError::Garbled(error.to_string())),
    }
}

fn connect(dir: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(SocketPath::in_folder(dir)?.as_path())
}

/// Whether the other end closed the door while we spoke.
fn left(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

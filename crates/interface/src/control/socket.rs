//! Where is the socket, and how is it named when its path is too long?
//!
//! The kernel takes about a hundred bytes of path for a socket, and data folders may lie deeper than
//! that. A longer path is therefore spelled through an open handle of its folder: on Linux,
//! `/proc/self/fd/N` names that folder in a dozen bytes and leaves nothing behind.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The socket's name inside the data folder.
pub const SOCKET_NAME: &str = "lycosa.sock";

/// Longest path that every Unix accepts for a socket (macOS: 104 bytes with the final zero).
const MAX_SOCKET_PATH: usize = 100;

/// A path short enough for the kernel. It is good only as long as this value lives.
pub(super) struct SocketPath {
    path: PathBuf,
    _folder: Option<File>,
}

impl SocketPath {
    /// The socket of a data folder, which must exist when its path is long.
    pub(super) fn in_folder(dir: &Path) -> io::Result<SocketPath> {
        let path = dir.join(SOCKET_NAME);
        if path.as_os_str().len() <= MAX_SOCKET_PATH {
            return Ok(SocketPath { path, _folder: None });
        }
        SocketPath::through_handle(dir)
    }

    #[cfg(target_os = "linux")]
    fn through_handle(dir: &Path) -> io::Result<SocketPath> {
        use std::os::fd::AsRawFd;
        let folder = File::open(dir)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}/{SOCKET_NAME}", folder.as_raw_fd()));
        Ok(SocketPath { path, _folder: Some(folder) })
    }

    #[cfg(not(target_os = "linux"))]
    fn through_handle(_dir: &Path) -> io::Result<SocketPath> {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the path of the data folder is too long for a socket; use a shorter one",
        ))
    }

    pub(super) fn as_path(&self) -> &Path {
        &self.path
    }
}

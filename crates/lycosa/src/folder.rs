//! Whose is the data folder, and what can a person do when it cannot be used?

use crate::failure::Failure;
use lycosa_store::folder::{DataFolder, FolderError};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long somebody is waited for who may only look: `lycosa status` has the lock for a moment.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the lock is tried meanwhile.
const LOOK: Duration = Duration::from_millis(20);

/// Takes the lock of a data folder, which is made if need be.
pub(crate) fn lock(data: &Path) -> Result<DataFolder, Failure> {
    let began = Instant::now();
    loop {
        match DataFolder::lock(data) {
            Err(FolderError::InUse { .. }) if began.elapsed() < PATIENCE => {
                std::thread::sleep(LOOK);
            }
            Err(error) => {
                let hint = hint(&error);
                return Err(Failure::from(error).hint(hint));
            }
            Ok(folder) => return Ok(folder),
        }
    }
}

fn hint(error: &FolderError) -> &'static str {
    match error {
        FolderError::InUse { .. } => "wait for it to end, or use another --data",
        FolderError::Io { source, .. } => match source.kind() {
            ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
                "it is a file; name a folder with --data DIR"
            }
            ErrorKind::StorageFull => "make room, or use another --data",
            _ => "name a folder that can be written, with --data DIR",
        },
    }
}

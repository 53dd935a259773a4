//! Whose is the data folder, and what can a person do when it cannot be used?

use crate::failure::Failure;
use lycosa_store::folder::{DataFolder, FolderError};
use std::io::ErrorKind;
use std::path::Path;

/// Takes the lock of a data folder, which is made if need be.
pub(crate) fn lock(data: &Path) -> Result<DataFolder, Failure> {
    DataFolder::lock(data).map_err(|error| {
        let hint = hint(&error);
        Failure::from(error).hint(hint)
    })
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

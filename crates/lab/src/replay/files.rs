//! Which archives are meant?

use super::error::ReplayError;
use std::fs;
use std::path::{Path, PathBuf};

const ENDINGS: [&str; 4] = [".warc", ".warc.gz", ".arc", ".arc.gz"];

/// The files, in the order given; those of a folder by name. A file that is named is taken whatever its
/// name is.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ReplayError> {
    let mut files = Vec::new();
    for path in paths {
        let unreadable = |source| ReplayError::Unreadable { path: path.clone(), source };
        if !fs::metadata(path).map_err(unreadable)?.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        for file in fs::read_dir(path).map_err(unreadable)? {
            let file = file.map_err(unreadable)?.path();
            if is_archive(&file) {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(ReplayError::NoArchives(path.clone()));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    ENDINGS.iter().any(|ending| name.ends_with(ending)) && path.is_file()
}

//! Is this page a plain file that the web server would send to anybody?
//!
//! Then it can be read instead of asked for. Only beneath the document root, by a kernel that follows no link
//! on the way; only regular files that the world may read, with an ending from the owner's list; nothing hidden;
//! nothing in or under a folder with a file that controls access. In every other case the answer is "ask the web
//! server", which knows.

use crate::config::Files;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, openat2, statat};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Files by whose presence a folder's pages are not for everybody.
const ACCESS_CONTROL: &[&str] = &[".htaccess", ".htpasswd", ".htgroup", "web.config"];

/// Folders whose presence of such files is remembered; more are looked at each time.
const MAX_REMEMBERED: usize = 4_096;

/// No link, no `..`, no other file system's tricks: beneath the root, or not at all.
const BENEATH: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);

/// The document root, with what is known about it in this job.
pub struct Folder {
    root: OwnedFd,
    extensions: Vec<String>,
    index: String,
    max_body: u64,
    prefixes: Vec<Prefix>,
    /// Whether a folder's pages are for everybody.
    remembered: HashMap<String, bool>,
}

struct Prefix {
    path: String,
    on: bool,
    checked: bool,
}

/// A page that is a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its bytes.
    pub body: Vec<u8>,
    /// What it is, by its ending.
    pub media_type: &'static str,
    /// When it was changed, in seconds since 1970.
    pub modified: i64,
    /// By which prefix: an index into the owner's list.
    pub prefix: usize,
    /// It is the first of its prefix, so it should be held against the web server's answer.
    pub first: bool,
}

impl Folder {
    /// Opens the document root.
    ///
    /// # Errors
    /// If it is no folder, or if it stands under a file that controls access.
    pub fn open(files: &Files, max_body: u64) -> std::io::Result<Folder> {
        let docroot = files.docroot.canonicalize()?;
        for above in docroot.ancestors().skip(1) {
            if ACCESS_CONTROL.iter().any(|name| above.join(name).symlink_metadata().is_ok()) {
                let text = format!("{} has a file that controls access", above.display());
                return Err(std::io::Error::other(text));
            }
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(&docroot, flags, Mode::empty())?;
        let on = |path: &String| Prefix { path: path.clone(), on: true, checked: false };
        Ok(Folder {
            root,
            extensions: files.extensions.iter().map(|e| e.to_ascii_lowercase()).collect(),
            index: files.index.clone(),
            max_body,
            prefixes: files.prefixes.iter().map(on).collect(),
            remembered: HashMap::new(),
        })
    }

    /// The file for `path`, a checked path without query; none when the web server is to be asked.
    pub fn look(&mut self, path: &str) -> Option<Found> {
        let prefix = self.prefixes.iter().position(|p| p.on && path.starts_with(&p.path))?;
        let mut name = decoded(path)?;
        if name.is_empty() || name.ends_with('/') {
            name.push_str(&self.index);
        }
        // Hidden names and empty segments are nothing for a short-cut.
        if name.split('/').any(|segment| segment.is_empty() || segment.starts_with('.')) {
            return None;
        }
        let (_, extension) = name.rsplit_once('.').filter(|(_, ending)| !ending.contains('/'))?;
        let extension = extension.to_ascii_lowercase();
        if !self.extensions.contains(&extension) {
            return None;
        }
        let media_type = media_type(&extension)?;
        if !self.for_everybody(&name) {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = openat2(&self.root, name.as_str(), flags, Mode::empty(), BENEATH).ok()?;
        let stat = rustix::fs::fstat(&file).ok()?;
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        let size = u64::try_from(stat.st_size).ok()?;
        if !regular || !readable(stat.st_mode) || size > self.max_body {
            return None;
        }
        let mut body = Vec::new();
        File::from(file).take(self.max_body + 1).read_to_end(&mut body).ok()?;
        // It grew while it was read: ask again, properly.
        if body.len() as u64 > self.max_body {
            return None;
        }
        let first =
            self.prefixes.get_mut(prefix).is_some_and(|p| !std::mem::replace(&mut p.checked, true));
        Some(Found { body, media_type, modified: stat.st_mtime, prefix, first })
    }

    /// The web server says something else: no more files of this prefix in this job. Gives the prefix.
    pub fn distrust(&mut self, prefix: usize) -> Option<String> {
        let prefix = self.prefixes.get_mut(prefix)?;
        prefix.on = false;
        Some(prefix.path.clone())
    }

    /// Whether no folder from the root to the file is closed to anybody.
    fn for_everybody(&mut self, name: &str) -> bool {
        let folders = std::iter::once("")
            .chain(name.match_indices('/').map(|(at, _)| name.get(..at).unwrap_or_default()));
        for folder in folders {
            let known = self.remembered.get(folder).copied();
            let open = known.unwrap_or_else(|| self.is_open(folder));
            if self.remembered.len() < MAX_REMEMBERED && known.is_none() {
                self.remembered.insert(folder.to_owned(), open);
            }
            if !open {
                return false;
            }
        }
        true
    }

    fn is_open(&self, folder: &str) -> bool {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let path = if folder.is_empty() { "." } else { folder };
        let Ok(folder) = openat2(&self.root, path, flags, Mode::empty(), BENEATH) else {
            return false;
        };
        let Ok(stat) = rustix::fs::fstat(&folder) else { return false };
        let passable = Mode::from_raw_mode(stat.st_mode).contains(Mode::XOTH);
        passable
            && !ACCESS_CONTROL
                .iter()
                .any(|name| statat(&folder, *name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }
}

fn readable(mode: rustix::fs::RawMode) -> bool {
    Mode::from_raw_mode(mode).contains(Mode::ROTH)
}

/// The name relative to the root, with nothing encoded in it; none if it cannot be a name.
fn decoded(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/')?;
    let mut octets = Vec::with_capacity(rest.len());
    let mut bytes = rest.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            octets.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        let octet = u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
        if octet == 0 || octet == b'/' {
            return None;
        }
        octets.push(octet);
    }
    String::from_utf8(octets).ok()
}

/// What web servers call files with this ending.
pub(crate) fn media_type(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "html" | "htm" => "text/html",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "xml" => "text/xml",
        "xhtml" => "application/xhtml+xml",
        "css" => "text/css",
        "js" => "text/javascript",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        _ => return None,
    })
}

/// Whether a folder can be the document root, for `init` and `check`.
///
/// # Errors
/// With what is in the way.
pub fn usable(docroot: &Path) -> Result<(), String> {
    let files = Files {
        docroot: docroot.to_owned(),
        prefixes: vec!["/".to_owned()],
        extensions: Vec::new(),
        index: String::new(),
    };
    let mut folder = Folder::open(&files, 1).map_err(|error| error.to_string())?;
    if folder.for_everybody("x") { Ok(()) } else { Err("it is not open to everybody".to_owned()) }
}

#[cfg(test)]
mod tests;

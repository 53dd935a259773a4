//! How do blobs lie in a folder?

use crate::error::{At, Error, Result};
use crate::files::{Draft, blocking, make_folder, remove_abandoned, sync_folder};
use crate::key::Key;
use crate::place::{Body, Content, Meta, Page, Place, Put};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where unfinished files are. No key begins with a dot.
const DRAFTS: &str = ".drafts";

/// Keys of one page.
const PAGE: usize = 1000;

/// How much is read at once.
const PART: u64 = 1024 * 1024;

/// Blobs as files below a folder.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(crate) fn open(root: &Path) -> Result<Folder> {
        make_folder(root)?;
        remove_abandoned(&root.join(DRAFTS))?;
        Ok(Folder { root: root.to_owned() })
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.root.join(key.as_str())
    }
}

fn found(key: &Key, path: &Path) -> Result<Option<Meta>> {
    match fs::metadata(path) {
        Ok(meta) => {
            let changed = meta.modified().at(path)?;
            Ok(Some(Meta { key: key.clone(), bytes: meta.len(), changed }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path, error)),
    }
}

fn put(root: &Path, path: &Path, key: &Key, content: Content<'_>) -> Result<Put> {
    if path.exists() {
        return Ok(Put::There);
    }
    let mut draft = Draft::new(&root.join(DRAFTS))?;
    match content {
        Content::Bytes(bytes) => draft.write(bytes)?,
        // It was checked before; it may have changed since.
        Content::File(from, _) => key.check(&draft.copy(from)?)?,
    }
    Ok(if draft.place(path)? { Put::Stored } else { Put::There })
}

fn read_at(file: &File, path: &Path, range: Range<u64>) -> Result<Bytes> {
    let mut buffer = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
    file.read_exact_at(&mut buffer, range.start).at(path)?;
    Ok(buffer.into())
}

/// Collects keys in their order (by bytes of the whole key), until there are enough.
fn walk(
    folder: &Path,
    base: &str,
    prefix: &str,
    after: Option<&str>,
    out: &mut Vec<Meta>,
) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io(folder, error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.at(folder)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        // A folder sorts as its keys do: with the slash behind its name.
        let slash = if entry.file_type().at(folder)?.is_dir() { "/" } else { "" };
        names.push(format!("{base}{name}{slash}"));
    }
    names.sort_unstable();
    for name in names {
        let both = name.len().min(prefix.len());
        if name.as_bytes()[..both] != prefix.as_bytes()[..both] {
            continue;
        }
        if name.ends_with('/') {
            // Everything below it comes before, unless the place where we were is below it.
            let passed =
                after.is_some_and(|after| name.as_str() < after && !after.starts_with(&name));
            if !passed {
                let inner = folder.join(&name[base.len()..name.len() - 1]);
                walk(&inner, &name, prefix, after, out)?;
            }
        } else if name.len() >= prefix.len() && after.is_none_or(|after| name.as_str() > after) {
            // What is not ours by its name is not there.
            let Ok(key) = name.parse::<Key>() else { continue };
            out.extend(found(&key, &folder.join(&name[base.len()..]))?);
        }
        if out.len() >= PAGE {
            return Ok(());
        }
    }
    Ok(())
}

impl Place for Folder {
    fn head<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Meta>>> {
        let (path, key) = (self.path(key), key.clone());
        blocking(move || found(&key, &path)).boxed()
    }

    fn put<'a>(&'a self, key: &'a Key, content: Content<'a>) -> BoxFuture<'a, Result<Put>> {
        let (root, path, key) = (self.root.clone(), self.path(key), key.clone());
        match content {
            Content::Bytes(bytes) => {
                let bytes = bytes.clone();
                blocking(move || put(&root, &path, &key, Content::Bytes(&bytes))).boxed()
            }
            Content::File(from, length) => {
                let from = from.to_owned();
                blocking(move || put(&root, &path, &key, Content::File(&from, length))).boxed()
            }
        }
    }

    fn read<'a>(&'a self, key: &'a Key, range: Option<Range<u64>>) -> BoxFuture<'a, Result<Body>> {
        let (path, key) = (self.path(key), key.clone());
        let open = move || {
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(Error::NotFound(key));
                }
                Err(error) => return Err(Error::io(&path, error)),
            };
            let length = file.metadata().at(&path)?.len();
            let range = match range {
                None => 0..length,
                Some(range) if range.start < length => range.start..range.end.min(length),
                Some(Range { start, .. }) => {
                    return Err(Error::OutOfRange { key, bytes: length, start });
                }
            };
            Ok((Arc::new(file), path, range))
        };
        async move {
            let (file, path, range) = blocking(open).await?;
            let bytes = range.end - range.start;
            let parts = stream::try_unfold(range, move |rest| {
                let (file, path) = (Arc::clone(&file), path.clone());
                async move {
                    if rest.is_empty() {
                        return Ok(None);
                    }
                    let part = rest.start..rest.end.min(rest.start + PART);
                    let next = part.end..rest.end;
                    let bytes = blocking(move || read_at(&file, &path, part)).await?;
                    Ok(Some((bytes, next)))
                }
            });
            Ok(Body { parts: parts.boxed(), bytes })
        }
        .boxed()
    }

    fn page<'a>(&'a self, prefix: &'a str, next: Option<String>) -> BoxFuture<'a, Result<Page>> {
        let (root, prefix) = (self.root.clone(), prefix.to_owned());
        let page = move || {
            let mut found = Vec::new();
            walk(&root, "", &prefix, next.as_deref(), &mut found)?;
            let full = found.len() >= PAGE;
            let next = found.last().filter(|_| full).map(|last| last.key.as_str().to_owned());
            Ok(Page { found, next })
        };
        blocking(page).boxed()
    }

    fn delete<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<()>> {
        let path = self.path(key);
        let delete = move || match fs::remove_file(&path) {
            Ok(()) => path.parent().map_or(Ok(()), sync_folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Error::io(&path, error)),
        };
        blocking(delete).boxed()
    }

    fn name(&self) -> String {
        self.root.display().to_string()
    }
}

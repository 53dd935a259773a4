//! Which files of some kinds does a site have? Pages are walked, files of the wanted kinds come whole.
//!
//! Parameters: `{1: [kind, ...]}`, where a kind is a media type (`application/pdf`), a family of them
//! (`image/*`) or an ending of paths (`.zip`). Pages come as links alone; other files are not read where
//! their type or ending says what they are.

use crawllet_sdk::cbor::{Malformed, Reader};
use crawllet_sdk::host::Meta;
use crawllet_sdk::{Crawllet, Link, LinkKind, Take, Visit, Wants};

/// Kinds that one job may ask for.
const MAX_KINDS: usize = 64;

/// Endings whose files are no pages, and their media types.
const TYPES: [(&str, &str); 40] = [
    (".pdf", "application/pdf"),
    (".ps", "application/postscript"),
    (".zip", "application/zip"),
    (".gz", "application/gzip"),
    (".tgz", "application/gzip"),
    (".bz2", "application/x-bzip2"),
    (".xz", "application/x-xz"),
    (".tar", "application/x-tar"),
    (".7z", "application/x-7z-compressed"),
    (".rar", "application/vnd.rar"),
    (".doc", "application/msword"),
    (".xls", "application/vnd.ms-excel"),
    (".ppt", "application/vnd.ms-powerpoint"),
    (".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    (".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    (".pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    (".odt", "application/vnd.oasis.opendocument.text"),
    (".epub", "application/epub+zip"),
    (".csv", "text/csv"),
    (".json", "application/json"),
    (".js", "text/javascript"),
    (".css", "text/css"),
    (".png", "image/png"),
    (".jpg", "image/jpeg"),
    (".jpeg", "image/jpeg"),
    (".gif", "image/gif"),
    (".webp", "image/webp"),
    (".avif", "image/avif"),
    (".svg", "image/svg+xml"),
    (".ico", "image/vnd.microsoft.icon"),
    (".tif", "image/tiff"),
    (".mp3", "audio/mpeg"),
    (".ogg", "audio/ogg"),
    (".flac", "audio/flac"),
    (".wav", "audio/wav"),
    (".mp4", "video/mp4"),
    (".webm", "video/webm"),
    (".mov", "video/quicktime"),
    (".woff2", "font/woff2"),
    (".exe", "application/vnd.microsoft.portable-executable"),
];

/// The guest, and the kinds that are wanted.
#[derive(Debug, Default)]
pub struct Media {
    kinds: Vec<String>,
}

/// What a path says about the file there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    /// It is wanted.
    Wanted,
    /// It is something else, and no page.
    Other,
    /// Nothing.
    Nothing,
}

impl Media {
    fn has_wanted_ending(&self, path: &str) -> bool {
        let path = path.split('?').next().unwrap_or("");
        self.kinds.iter().any(|kind| kind.starts_with('.') && ends_with(path, kind))
    }

    fn wants_type(&self, media_type: &str) -> bool {
        self.kinds.iter().any(|kind| match kind.strip_suffix('*') {
            Some(family) => media_type.starts_with(family),
            None => kind == media_type,
        })
    }

    fn looks(&self, path: &str) -> Looks {
        if self.has_wanted_ending(path) {
            return Looks::Wanted;
        }
        let path = path.split('?').next().unwrap_or("");
        match TYPES.iter().find(|(ending, _)| ends_with(path, ending)) {
            Some((_, media_type)) if self.wants_type(media_type) => Looks::Wanted,
            Some(_) => Looks::Other,
            None => Looks::Nothing,
        }
    }
}

fn ends_with(path: &str, ending: &str) -> bool {
    let at = path.len().checked_sub(ending.len());
    let tail = at.and_then(|at| path.as_bytes().get(at..));
    tail.map_or(false, |tail| tail.eq_ignore_ascii_case(ending.as_bytes()))
}

fn is_page(media_type: &str) -> bool {
    matches!(media_type, "" | "text/html" | "application/xhtml+xml")
}

impl Crawllet for Media {
    fn start(&mut self, params: &[u8]) -> Result<(), Malformed> {
        let kinds = &mut self.kinds;
        Reader::new(params).map(|key, reader| match key {
            1 => reader.array(|reader| {
                let kind = reader.text()?;
                if kinds.len() < MAX_KINDS {
                    kinds.push(kind.to_ascii_lowercase());
                }
                Ok(())
            }),
            _ => reader.skip(),
        })?;
        if kinds.is_empty() {
            return Err(Malformed);
        }
        Ok(())
    }

    fn wants(&self) -> Wants {
        Wants { anchors: true, resources: true, text: false }
    }

    fn follows(&self, link: &Link) -> bool {
        match self.looks(&link.target) {
            Looks::Wanted => true,
            Looks::Other => false,
            // What is embedded is no page; what it is shows only when it is asked for.
            Looks::Nothing => {
                link.kind != LinkKind::Resource
                    || self.kinds.iter().any(|kind| !kind.starts_with('.'))
            }
        }
    }

    fn reads(&self, path: &str, meta: &Meta) -> bool {
        let media_type = meta.media_type();
        let is_wanted = self.wants_type(&media_type) || self.has_wanted_ending(path);
        meta.status != 200 || is_page(&media_type) || is_wanted
    }

    fn take(&mut self, visit: &Visit<'_>) -> Take {
        let media_type = visit.meta.media_type();
        if visit.meta.status != 200 {
            return Take::Nothing;
        }
        if self.wants_type(&media_type)
            || (self.has_wanted_ending(visit.path) && visit.page.is_none())
        {
            return Take::Whole;
        }
        match visit.page {
            Some(_) => Take::LinkOnly,
            None => Take::Nothing,
        }
    }
}

/// Crawls.
#[cfg(target_arch = "wasm32")]
#[no_mangle]
pub extern "C" fn clp_run() -> i32 {
    crawllet_sdk::run(&mut Media::default())
}

#[cfg(test)]
mod tests;

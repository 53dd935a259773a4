//! Which pages of a site does the archive have? A crawllet that knows their digests brings only what is new or
//! different, also where no crawllet was before.
//!
//! This is looked up when one is sent, and not noted while pages are fetched: a crawl without crawllets pays
//! nothing for it, and what was archived before there was a key counts as well.

use super::answer::{MARK, is_made_up_mark};
use super::audit::sha256;
use crate::decode::{DecodeLimit, decode};
use lycosa_crawllet::engine::Seen;
use lycosa_frontier::normal;
use lycosa_model::{Site, Tick};
use lycosa_store::archive::{self, IndexEntry};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Bytes of indexes that are looked through for one site, the youngest files first. Pages beyond come whole.
const MAX_INDEX_BYTES: u64 = 512 << 20;

/// Pages of one site that are looked up.
const MAX_PAGES: usize = 50_000;

/// Longest line of an index that is read.
const MAX_LINE: u64 = 64 << 10;

/// The media type under which an index names a page that is as it was.
const REVISIT: &str = "warc/revisit";

/// What the archive has of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// The bytes that the site sent.
    Whole(Seen),
    /// What a crawllet told in place of them: its digest is known to whoever brought it.
    MadeUp,
}

/// Where the bytes of a page stand.
#[derive(Clone)]
struct Body {
    file: PathBuf,
    offset: u64,
}

/// The youngest word on a page.
struct Last {
    fetched: Tick,
    /// SHA-1 of its bytes as received; nothing when it is not there any more, or leads elsewhere.
    digest: Option<String>,
}

/// The pages of a site that are in this folder, by path. What cannot be read is left out, so that it comes whole.
pub(super) fn read(folder: &Path, site: &Site, limit: &DecodeLimit) -> BTreeMap<String, Copy> {
    let (mut last, mut bodies) = (HashMap::new(), HashMap::new());
    let mut room = MAX_INDEX_BYTES;
    for (_, index) in indexes(folder) {
        let size = std::fs::metadata(&index).map_or(0, |file| file.len());
        if size > room {
            break;
        }
        room -= size;
        if let Err(error) = scan(&index, site, &mut last, &mut bodies) {
            tracing::debug!(%site, "cannot read {}: {error}", index.display());
        }
    }
    // In the order of the files, so that each is read from its beginning to its end.
    let mut wanted: Vec<(String, Body)> = Vec::new();
    for (path, page) in last {
        if let Some(body) = page.digest.and_then(|digest| bodies.get(&digest)) {
            wanted.push((path, body.clone()));
        }
    }
    wanted.sort_by(|(_, a), (_, b)| (&a.file, a.offset).cmp(&(&b.file, b.offset)));
    wanted.truncate(MAX_PAGES);
    let copies = wanted.into_iter().filter_map(|(path, body)| {
        let copy = copy_of(&path, &body, limit)?;
        Some((path, copy))
    });
    copies.collect()
}

/// The indexes of a folder, the youngest first.
fn indexes(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut indexes: Vec<_> = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cdxj"))
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .collect();
    indexes.sort_by(|a, b| b.cmp(a));
    indexes
}

/// Takes in the lines of one index that are about the site. One that is being written has no order, and
/// may have a torn end.
fn scan(
    index: &Path,
    site: &Site,
    last: &mut HashMap<String, Last>,
    bodies: &mut HashMap<String, Body>,
) -> io::Result<()> {
    let prefix = archive::surt(&format!("{site}/"));
    let warc = index.with_extension("warc.gz");
    let mut reader = BufReader::with_capacity(1 << 16, File::open(index)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut reader, MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if !line.starts_with(prefix.as_bytes()) {
            continue;
        }
        let entry = std::str::from_utf8(&line).ok().and_then(IndexEntry::parse);
        let Some(entry) = entry else { continue };
        let address = normal::parse(&entry.url).ok().filter(|address| address.site == *site);
        let Some(address) = address else { continue };
        let path = address.path_and_query();
        // It is in the archive, too, and is no page.
        if path == "/robots.txt" {
            continue;
        }
        note(path, entry, &warc, last, bodies);
    }
}

fn note(
    path: &str,
    entry: IndexEntry,
    warc: &Path,
    last: &mut HashMap<String, Last>,
    bodies: &mut HashMap<String, Body>,
) {
    let digest = match (entry.mime.as_str(), entry.status) {
        // As it was, whatever that is: an older line tells.
        (REVISIT, _) if entry.digest.is_empty() => return,
        (REVISIT, _) => Some(entry.digest),
        (_, 200) => {
            let body = Body { file: warc.to_owned(), offset: entry.offset };
            bodies.entry(entry.digest.clone()).or_insert(body);
            Some(entry.digest)
        }
        _ => None,
    };
    let page = Last { fetched: entry.fetched, digest };
    match last.get_mut(path) {
        Some(known) if known.fetched > page.fetched => {}
        Some(known) => *known = page,
        None => drop(last.insert(path.to_owned(), page)),
    }
}

fn copy_of(path: &str, body: &Body, limit: &DecodeLimit) -> Option<Copy> {
    let record = archive::read_at(&body.file, body.offset).ok()?;
    let answer = record.http().ok().filter(|_| record.is_whole())?;
    if answer.headers.get(MARK).is_some_and(is_made_up_mark) {
        return Some(Copy::MadeUp);
    }
    if record.headers.get("WARC-Truncated").is_some() {
        return None;
    }
    let bytes = decode(&answer.headers, &answer.body, limit).ok()?;
    // A weak one stays the same while bytes change, and an audit compares bytes.
    let etag = answer.headers.get("etag").filter(|etag| etag.starts_with('"'));
    let etag = etag.unwrap_or_default().to_owned();
    Some(Copy::Whole(Seen { path: path.to_owned(), sha256: Some(sha256(&bytes)), etag }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lycosa_model::Headers;
    use lycosa_store::archive::{
        Capture, Profile, RecordIds, Revisit, Writer, WriterSettings, encode_capture,
        encode_revisit,
    };

    struct Shelf {
        dir: tempfile::TempDir,
        writer: Writer,
        serial: u8,
    }

    impl Shelf {
        fn new() -> Shelf {
            let dir = tempfile::tempdir().expect("temp dir");
            let writer = Writer::open(dir.path(), "bot", WriterSettings::default()).expect("open");
            Shelf { dir, writer, serial: 0 }
        }

        fn ids(&mut self) -> RecordIds {
            self.serial += 1;
            RecordIds { response: [self.serial; 16], request: [self.serial + 100; 16] }
        }

        /// An answer of so many seconds after the epoch.
        fn put(&mut self, url: &str, at: u64, status: u16, headers: &[(&str, &str)], body: &[u8]) {
            let ids = self.ids();
            let headers = of(headers);
            let capture = capture(url, at, status, &headers, body);
            self.writer.append(&encode_capture(&capture, ids, 1)).expect("append");
        }

        fn read(&self) -> BTreeMap<String, Copy> {
            read(self.dir.path(), &Site::of_usual("http://a.test"), &DecodeLimit::default())
        }
    }

    fn of(pairs: &[(&str, &str)]) -> Headers {
        let mut headers = Headers::default();
        pairs.iter().for_each(|(name, value)| headers.push(*name, (*value).to_owned()));
        headers
    }

    fn capture<'a>(
        url: &'a str,
        at: u64,
        status: u16,
        headers: &'a Headers,
        body: &'a [u8],
    ) -> Capture<'a> {
        Capture {
            url,
            fetched: Tick(at * 1_000),
            ip: None,
            request: b"",
            status,
            version: "1.1",
            headers,
            body,
            truncated: None,
        }
    }

    fn whole(path: &str, body: &[u8], etag: &str) -> Copy {
        Copy::Whole(Seen { path: path.into(), sha256: Some(sha256(body)), etag: etag.into() })
    }

    #[test]
    fn the_last_copy_of_each_page_of_the_site_is_known_by_the_digest_of_what_it_says() {
        let mut shelf = Shelf::new();
        let etag = |etag| [("ETag", etag)];
        shelf.put("http://a.test/", 10, 200, &etag("\"1\""), b"then");
        shelf.put("http://a.test/x?y=1", 11, 200, &etag("W/\"2\""), b"weak");
        shelf.put("http://b.test/", 12, 200, &[], b"another site");
        shelf.put("https://a.test/", 12, 200, &[], b"another scheme");
        shelf.put("http://a.test/robots.txt", 12, 200, &[], b"no page");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut packed, b"unpacked").expect("pack");
        let packed = packed.finish().expect("pack");
        shelf.put("http://a.test/packed", 13, 200, &[("Content-Encoding", "gzip")], &packed);
        shelf.put("http://a.test/gone", 14, 200, &[], b"once");
        let expected = |front: &[u8], tag: &str| {
            BTreeMap::from([
                ("/".to_owned(), whole("/", front, tag)),
                ("/x?y=1".to_owned(), whole("/x?y=1", b"weak", "")),
                ("/packed".to_owned(), whole("/packed", b"unpacked", "")),
            ])
        };
        let mut first = expected(b"then", "\"1\"");
        first.insert("/gone".into(), whole("/gone", b"once", ""));
        assert_eq!(shelf.read(), first, "while the file is being written");
        shelf.put("http://a.test/", 20, 200, &etag("\"3\""), b"now");
        shelf.put("http://a.test/gone", 20, 404, &[], b"sorry");
        assert_eq!(shelf.read(), expected(b"now", "\"3\""));
        shelf.writer.finish().expect("finish");
        assert_eq!(shelf.read(), expected(b"now", "\"3\""), "and when it is sorted");
    }

    #[test]
    fn a_page_that_was_as_before_is_known_by_what_it_said_then() {
        let mut shelf = Shelf::new();
        shelf.put("http://a.test/", 10, 200, &[], b"as ever");
        let ids = shelf.ids();
        let headers = Headers::default();
        let same = capture("http://a.test/", 20, 304, &headers, b"");
        let digest = archive::payload_digest(b"as ever");
        let revisit = Revisit {
            profile: Profile::ServerNotModified,
            payload_digest: Some(&digest),
            refers_to_date: None,
            refers_to_url: None,
        };
        shelf.writer.append(&encode_revisit(&same, &revisit, ids, 1)).expect("append");
        assert_eq!(shelf.read(), BTreeMap::from([("/".into(), whole("/", b"as ever", ""))]));
    }

    #[test]
    fn what_a_crawllet_told_in_place_of_a_page_is_no_copy_of_it() {
        let mut shelf = Shelf::new();
        shelf.put("http://a.test/", 10, 200, &[(MARK, "summary; source=http")], b"<p>short");
        shelf.put("http://a.test/b", 10, 200, &[(MARK, "page; source=http")], b"long");
        let told = shelf.read();
        assert_eq!(told["/"], Copy::MadeUp);
        assert_eq!(told["/b"], whole("/b", b"long", ""));
    }
}

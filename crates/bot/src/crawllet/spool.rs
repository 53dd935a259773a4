//! Where does what a crawllet brought lie until it is used?
//!
//! In one file per site, in the order in which it came. Whoever is killed while writing leaves a torn end,
//! and no seal. The seal is written when an audit has found nothing wrong; without it, or an hour after it,
//! nobody reads the file again.

use lycosa_crawllet::record::{Kind, Record};
use lycosa_frontier::normal;
use lycosa_model::{Site, Tick, UrlId};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a harvest is as good as a visit.
pub(crate) const FRESH: Duration = lycosa_model::HARVEST_FRESH;

/// What the file begins with.
const MAGIC: &[u8; 8] = b"LYCSPL1\n";

/// Bytes before the content of a frame: length, digest, kind.
const FRAME_HEAD: usize = 4 + 8 + 1;

/// Longest frame that is believed: a record is shorter.
const MAX_FRAME: usize = 80 << 20;

/// Longest name of a site.
const MAX_SITE: usize = 1024;

const IS_SITE: u8 = 0;
const IS_RECORD: u8 = 1;
const IS_SEAL: u8 = 2;

/// The ending of the names of the files.
pub(crate) const ENDING: &str = "spool";

/// Where a record stands in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u64,
    length: usize,
}

/// Why nothing more can be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpoolError {
    #[error("it brings more than may be kept")]
    Full,
    #[error("cannot write what came: {0}")]
    Io(#[from] io::Error),
}

/// What came so far, and is not used yet.
pub(crate) struct Spool {
    site: Site,
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    most: u64,
    /// The record of each URL, the last one where there are several.
    index: HashMap<UrlId, Place>,
    /// URLs in the order in which they came first.
    order: Vec<UrlId>,
    /// Those of them that are not there any more.
    gone: Vec<UrlId>,
    sealed: bool,
}

impl Drop for Spool {
    fn drop(&mut self) {
        if !self.sealed {
            // Nobody would read it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The file of a site.
fn path_of(folder: &Path, site: &Site) -> PathBuf {
    folder.join(format!("{}.{ENDING}", UrlId::of(site.as_str())))
}

/// The URL that a record is about.
pub(crate) fn url_of(site: &Site, path: &str) -> Option<UrlId> {
    let address = normal::resolve(site.as_str(), path).ok()?;
    (address.site == *site).then_some(address.id)
}

impl Spool {
    /// Begins anew, whatever was there before.
    pub(crate) fn begin(folder: &Path, site: &Site, most: u64) -> io::Result<Spool> {
        fs::create_dir_all(folder)?;
        let path = path_of(folder, site);
        // Another file, so that whoever still reads the one before has it.
        let _ = fs::remove_file(&path);
        let file = OpenOptions::new().create_new(true).read(true).write(true).open(&path)?;
        let mut spool = Spool {
            site: site.clone(),
            path,
            file: BufWriter::new(file),
            bytes: 0,
            most,
            index: HashMap::new(),
            order: Vec::new(),
            gone: Vec::new(),
            sealed: false,
        };
        spool.file.write_all(MAGIC)?;
        spool.bytes = MAGIC.len() as u64;
        spool.frame(IS_SITE, site.as_str().as_bytes())?;
        Ok(spool)
    }

    fn frame(&mut self, kind: u8, content: &[u8]) -> io::Result<Place> {
        let length = u32::try_from(content.len()).map_err(io::Error::other)?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&digest(kind, content))?;
        self.file.write_all(&[kind])?;
        self.file.write_all(content)?;
        let at = self.bytes + FRAME_HEAD as u64;
        self.bytes = at + content.len() as u64;
        Ok(Place { at, length: content.len() })
    }

    /// Takes in a record that is sound. Tells whether its URL is new here; a record of no URL of the site
    /// is left.
    pub(crate) fn append(&mut self, record: &Record) -> Result<bool, SpoolError> {
        let Some(url) = url_of(&self.site, &record.path) else { return Ok(false) };
        let content = record.encode();
        if self.bytes + (FRAME_HEAD + content.len()) as u64 > self.most {
            return Err(SpoolError::Full);
        }
        let place = self.frame(IS_RECORD, &content)?;
        let is_new = self.index.insert(url, place).is_none();
        if is_new {
            self.order.push(url);
            if record.kind == Kind::Gone {
                self.gone.push(url);
            }
        }
        Ok(is_new)
    }

    /// Records of different URLs.
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// The record of the URL that came at this place.
    pub(crate) fn nth(&mut self, nth: usize) -> Option<Record> {
        let place = *self.index.get(self.order.get(nth)?)?;
        self.file.flush().ok()?;
        read_at(self.file.get_ref(), place)
    }

    /// Nothing was found wrong: it may be used from now on.
    pub(crate) fn seal(mut self, now: Tick) -> io::Result<Harvest> {
        self.frame(IS_SEAL, &now.0.to_le_bytes())?;
        self.file.flush()?;
        self.file.get_ref().sync_data()?;
        self.sealed = true;
        let file = File::open(&self.path)?;
        let index = Mutex::new(std::mem::take(&mut self.index));
        let (site, path, bytes) = (self.site.clone(), self.path.clone(), self.bytes);
        Ok(Harvest {
            site,
            path,
            file,
            index,
            sealed: now,
            bytes,
            gate: tokio::sync::Mutex::default(),
        })
    }

    pub(crate) fn urls(&self) -> &[UrlId] {
        &self.order
    }

    /// Pages that the crawllet knew, and did not find.
    pub(crate) fn gone(&self) -> &[UrlId] {
        &self.gone
    }
}

/// What may be used.
pub(crate) struct Harvest {
    pub(crate) site: Site,
    path: PathBuf,
    file: File,
    index: Mutex<HashMap<UrlId, Place>>,
    sealed: Tick,
    pub(crate) bytes: u64,
    /// Held by whoever asks the site for something that is not here, although the broker may think so.
    pub(crate) gate: tokio::sync::Mutex<()>,
}

impl Harvest {
    /// Opens what an earlier process left. Nothing if it was never sealed, or is too old.
    pub(crate) fn open(path: &Path, now: Tick) -> Option<Harvest> {
        let file = File::open(path).ok()?;
        let mut reader = BufReader::new(&file);
        let mut magic = [0; MAGIC.len()];
        reader.read_exact(&mut magic).ok().filter(|()| magic == *MAGIC)?;
        let mut at = MAGIC.len() as u64;
        let (mut site, mut sealed) = (None, None);
        let mut index = HashMap::new();
        // A kill may have torn the last frame; what is behind a seal does not count.
        while sealed.is_none()
            && let Some((kind, content)) = next_frame(&mut reader)
        {
            let place = Place { at: at + FRAME_HEAD as u64, length: content.len() };
            at = place.at + content.len() as u64;
            match kind {
                IS_SITE => {
                    let text = String::from_utf8(content).ok().filter(|it| it.len() <= MAX_SITE)?;
                    site = Some(normal::parse(&text).ok()?.site);
                }
                IS_RECORD => {
                    let record = Record::decode(&content).ok()?;
                    index.insert(url_of(site.as_ref()?, &record.path)?, place);
                }
                IS_SEAL => sealed = Some(Tick(u64::from_le_bytes(content.try_into().ok()?))),
                _ => return None,
            }
        }
        drop(reader);
        let sealed = sealed.filter(|at| now >= *at && now.since(*at) < FRESH)?;
        let (site, path) = (site?, path.to_owned());
        let (index, gate) = (Mutex::new(index), tokio::sync::Mutex::default());
        Some(Harvest { site, path, file, index, sealed, bytes: at, gate })
    }

    fn index(&self) -> MutexGuard<'_, HashMap<UrlId, Place>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is as good as a visit.
    pub(crate) fn is_fresh(&self, now: Tick) -> bool {
        now.since(self.sealed) < FRESH
    }

    /// The record of a URL, which is then used.
    pub(crate) fn take(&self, url: UrlId) -> Option<Record> {
        let place = self.index().remove(&url)?;
        read_at(&self.file, place)
    }

    /// What is not used yet.
    pub(crate) fn left(&self) -> Vec<UrlId> {
        self.index().keys().copied().collect()
    }

    /// Whether all of it is used.
    pub(crate) fn is_empty(&self) -> bool {
        self.index().is_empty()
    }

    /// Removes the file; whoever reads it goes on.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn digest(kind: u8, content: &[u8]) -> [u8; 8] {
    // A torn or rotten frame is to be noticed; whoever may write here may also crawl.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(kind);
    let (words, rest) = content.as_chunks::<8>();
    let prime = 0x0000_0100_0000_01b3_u64;
    for word in words {
        hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(prime).rotate_left(23);
    }
    for byte in rest {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(prime);
    }
    (hash ^ content.len() as u64).wrapping_mul(prime).to_le_bytes()
}

fn next_frame(reader: &mut impl Read) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; FRAME_HEAD];
    reader.read_exact(&mut head).ok()?;
    let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if length > MAX_FRAME {
        return None;
    }
    let mut content = Vec::new();
    reader.take(length as u64).read_to_end(&mut content).ok()?;
    let kind = head[FRAME_HEAD - 1];
    let whole = content.len() == length && digest(kind, &content)[..] == head[4..12];
    whole.then_some((kind, content))
}

fn read_at(file: &File, place: Place) -> Option<Record> {
    let mut content = vec![0; place.length];
    file.read_exact_at(&mut content, place.at).ok()?;
    Record::decode(&content).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawllet::tests::record;

    fn site() -> Site {
        Site::of_usual("http://a.test")
    }

    fn spool(folder: &Path, paths: &[&str]) -> Spool {
        let mut spool = Spool::begin(folder, &site(), 1 << 20).expect("begin");
        for path in paths {
            spool.append(&record(path, 200, b"body")).expect("append");
        }
        spool
    }

    fn file(folder: &Path) -> PathBuf {
        path_of(folder, &site())
    }

    #[test]
    fn what_was_sealed_is_there_after_a_kill_for_an_hour() {
        let dir = tempfile::tempdir().expect("temp dir");
        let harvest = spool(dir.path(), &["/", "/a?x=1"]).seal(Tick(5_000)).expect("seal");
        let url = url_of(&site(), "/a?x=1").expect("a URL");
        assert_eq!(harvest.take(url).expect("there").path, "/a?x=1");
        assert!(harvest.take(url).is_none(), "used");
        drop(harvest);
        let harvest = Harvest::open(&file(dir.path()), Tick(6_000)).expect("there");
        assert_eq!(harvest.site, site());
        assert_eq!(harvest.take(url).expect("there").body, b"body");
        let late = Tick(5_000).after(FRESH);
        assert!(Harvest::open(&file(dir.path()), late).is_none(), "stale");
        assert!(Harvest::open(&file(dir.path()), Tick(1)).is_none(), "of the future");
    }

    #[test]
    fn what_was_never_sealed_or_is_torn_is_never_used() {
        let dir = tempfile::tempdir().expect("temp dir");
        let unsealed = spool(dir.path(), &["/"]);
        let path = file(dir.path());
        assert!(Harvest::open(&path, Tick(0)).is_none());
        drop(unsealed);
        assert!(!path.exists());
        drop(spool(dir.path(), &["/", "/b"]).seal(Tick(0)).expect("seal"));
        let whole = fs::read(&path).expect("read");
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).expect("write");
            assert!(Harvest::open(&path, Tick(0)).is_none(), "{end} bytes");
        }
        let mut longer = whole.clone();
        longer.extend_from_slice(b"torn");
        fs::write(&path, &longer).expect("write");
        assert!(Harvest::open(&path, Tick(0)).is_some(), "behind the seal nothing counts");
        for at in MAGIC.len()..whole.len() {
            let mut rotten = whole.clone();
            rotten[at] ^= 1;
            fs::write(&path, &rotten).expect("write");
            assert!(Harvest::open(&path, Tick(0)).is_none(), "byte {at}");
        }
    }

    #[test]
    fn there_is_a_limit_and_only_pages_of_the_site_are_taken() {
        let dir = tempfile::tempdir().expect("temp dir");
        let mut spool = Spool::begin(dir.path(), &site(), 1_000).expect("begin");
        let large = record("/large", 200, &[7; 2_000]);
        assert!(matches!(spool.append(&large), Err(SpoolError::Full)));
        assert!(!spool.append(&record("//b.test/", 200, b"")).expect("left"));
        assert!(spool.append(&record("/x", 200, b"one")).expect("new"));
        assert!(!spool.append(&record("/x", 200, b"two")).expect("known"));
        assert_eq!(spool.len(), 1);
        assert_eq!(spool.nth(0).expect("there").body, b"two", "the last word counts");
    }
}

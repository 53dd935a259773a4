//! Which pages did the last crawllet find at a site? Kept for the next one, which brings only what changed.

use super::Spool;
use data_encoding::HEXLOWER;
use lycosa_crawllet::engine::Seen;
use lycosa_crawllet::record::Kind;
use lycosa_model::{Site, UrlId};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Pages of one site that are kept.
const MAX_SEEN: usize = 50_000;

/// Bytes of such a file that are read.
const MAX_BYTES: u64 = 32 << 20;

fn path_of(folder: &Path, site: &Site) -> PathBuf {
    folder.join(format!("{}.seen", UrlId::of(site.as_str())))
}

/// Writes a line for each page. Without the file the next crawllet brings everything, so a failure is no
/// reason to stop.
pub(super) fn write(folder: &Path, site: &Site, spool: &mut Spool) {
    let path = path_of(folder, site);
    let new = path.with_extension("seen.new");
    let mut write = || -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(&new)?);
        for nth in 0..spool.len().min(MAX_SEEN) {
            let Some(record) = spool.nth(nth) else { continue };
            let is_page = record.kind == Kind::Page && record.status == 200;
            if !is_page && record.kind != Kind::Unchanged {
                continue;
            }
            let etag = record.headers.iter().find(|(name, _)| name == "etag");
            let etag = etag.map_or("", |(_, value)| value.as_str());
            let digest = HEXLOWER.encode(&record.sha256);
            serde_json::to_writer(&mut file, &(&record.path, digest, etag))?;
            file.write_all(b"\n")?;
        }
        file.flush()?;
        fs::rename(&new, &path)
    };
    if let Err(error) = write() {
        tracing::debug!(%site, "what a crawllet found is not kept for the next: {error}");
    }
}

/// What was written, as far as it can be read.
pub(super) fn read(folder: &Path, site: &Site) -> Vec<Seen> {
    let path = path_of(folder, site);
    if fs::metadata(&path).map_or(true, |file| file.len() > MAX_BYTES) {
        return Vec::new();
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    let page = |line: &str| {
        let (path, digest, etag): (String, String, String) = serde_json::from_str(line).ok()?;
        let digest = HEXLOWER.decode(digest.as_bytes()).ok()?.try_into().ok()?;
        Some(Seen { path, sha256: Some(digest), etag })
    };
    text.lines().take(MAX_SEEN).filter_map(page).collect()
}

pub(super) fn remove(folder: &Path, site: &Site) {
    let _ = fs::remove_file(path_of(folder, site));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawllet::tests::record;
    use lycosa_crawllet::record::Record;

    #[test]
    fn pages_are_known_to_the_next_crawllet_by_digest_and_etag() {
        let dir = tempfile::tempdir().expect("temp dir");
        let site = Site::of_usual("http://a.test");
        let mut spool = Spool::begin(dir.path(), &site, 1 << 20).expect("begin");
        let mut page = record("/a \"b\"".replace(' ', "%20").as_str(), 200, b"body");
        page.headers = vec![("etag".into(), "\"e\"".into())];
        spool.append(&page).expect("append");
        spool.append(&record("/404", 404, b"")).expect("append");
        let same = Record { kind: Kind::Unchanged, ..record("/same", 304, b"") };
        spool.append(&same).expect("append");
        write(dir.path(), &site, &mut spool);
        let seen = read(dir.path(), &site);
        assert_eq!(seen.len(), 2);
        assert_eq!((seen[0].path.as_str(), seen[0].etag.as_str()), ("/a%20\"b\"", "\"e\""));
        assert_eq!(seen[0].sha256, Some(page.sha256));
        remove(dir.path(), &site);
        assert_eq!(read(dir.path(), &site), []);
    }
}

//! Can this web be kept in a file? As an archive that a replay reads.

use super::SyntheticWeb;
use lycosa_model::{ArchivePlace, Tick};
use lycosa_runtime::dice;
use lycosa_store::archive::{
    ArchiveError, Capture, DEFAULT_LEVEL, RecordIds, Writer, WriterSettings, encode_capture,
};
use rand::RngExt;
use std::path::{Path, PathBuf};

/// When the first page of an exported archive was "fetched": 1 January 2024, so that two exports of
/// one web are equal.
const FIRST_FETCH: Tick = Tick(1_704_067_200_000);

impl SyntheticWeb {
    /// Writes the answer of every address in [`SyntheticWeb::facts`], and every robots.txt, into new
    /// WARC files in `dir`. Returns the files in the order in which they were written.
    pub fn export_warc(&self, dir: &Path) -> Result<Vec<PathBuf>, ArchiveError> {
        let mut writer = Writer::open(dir, "synthetic", WriterSettings::default())?;
        let mut dice = dice(self.seed, "synthetic/warc");
        let mut files: Vec<String> = Vec::new();
        for (number, url) in self.addresses().into_iter().enumerate() {
            let Some((site, path)) = self.locate(&url) else {
                continue;
            };
            let response = self.page(site, path);
            let capture = Capture {
                url: &url,
                fetched: Tick(FIRST_FETCH.0 + number as u64),
                ip: None,
                request: b"",
                status: response.status,
                version: "1.1",
                headers: &response.headers,
                body: &response.body,
                truncated: None,
            };
            let ids = RecordIds { response: dice.random(), request: dice.random() };
            let ArchivePlace { file, .. } =
                writer.append(&encode_capture(&capture, ids, DEFAULT_LEVEL))?;
            if files.last() != Some(&file) {
                files.push(file);
            }
        }
        writer.finish()?;
        Ok(files.into_iter().map(|file| dir.join(file)).collect())
    }

    /// Everything that may be asked of this web, each address once.
    fn addresses(&self) -> Vec<String> {
        let facts = self.facts();
        let mut all: Vec<String> =
            (0..self.shape.sites).map(|site| self.url(site, "/robots.txt")).collect();
        all.extend(facts.pages);
        all.extend(facts.disallowed);
        all.extend(facts.redirects.into_iter().map(|(from, _)| from));
        all.extend(facts.redirect_loop.into_iter().flat_map(|(a, b)| [a, b]));
        all.extend(facts.missing);
        all.extend(facts.failing);
        all.extend(facts.nofollow);
        all
    }
}
